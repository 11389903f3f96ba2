//! The contact query: contact points and contact patches of bodies at given poses, the second stage of a step.

use crate::contact::entries::{ROCKING, ROUNDING, pair_margin, reach};
use crate::contact::interior::Interior;
use crate::contact::patches::PatchSet;
use crate::model::geom_id::{GeomPair, geoms_of, pair_of};
use crate::model::{Compiled, Model};
use crate::options::Options;
use crate::state::ContactStretch;
use crate::step::first_touch::Ahead;
use crate::step::impact::REST;
use crate::step::kinematics::Kinematics;
use crate::step::timer::Timer;
use stiction_geometry::point::{Scratch, contact_pair};
use stiction_geometry::{ContactPoint, Proximity};
use stiction_model::Pose;

/// Contact points and patches in contact.
#[derive(Clone, Copy)]
pub(crate) struct Touching<'a> {
    pub points: &'a [ContactPoint],
    pub patches: &'a PatchSet,
}

/// Contact points and patches, and the buffers of the query.
pub(crate) struct ContactQuery {
    proximity: Proximity,
    pub points: Vec<ContactPoint>,
    pub patches: PatchSet,
    interior: Interior,
    scratch: Scratch,
}

impl ContactQuery {
    pub fn new(compiled: &Compiled) -> Self {
        Self {
            proximity: Proximity::new(compiled.geoms.clone()),
            points: Vec::new(),
            patches: PatchSet::default(),
            interior: Interior::new(compiled),
            scratch: Scratch::default(),
        }
    }

    /// Finds all contacts within the margin of the options. Pairs in `ahead` use the larger distance given there. `stretches` are
    /// the springs of the last step.
    pub fn find(
        &mut self,
        model: &Model,
        options: &Options,
        (kinematics, stretches): (&Kinematics, &[ContactStretch]),
        ahead: &Ahead,
        timer: &mut Timer,
    ) {
        let x_wb = &kinematics.x_wb;
        let margin = options.margin.max(ahead.margin).max(ROCKING);
        self.proximity.update(x_wb);
        self.proximity.find_pairs(margin);
        timer.lap(|p| &mut p.broad_phase);
        self.proximity.find_points(margin, &mut self.points);
        if margin > options.margin {
            self.drop_far(model.compiled(), options, ahead, (kinematics, stretches));
        }
        self.drop_covered(x_wb);
        timer.lap(|p| &mut p.narrow_phase);
        self.patches.find(model, options, x_wb, self.proximity.patch_pairs().iter().map(pair_of));
        timer.lap(|p| &mut p.patches);
    }

    /// Removes the points beyond the margin of their pair ([`reach`]), except for pairs in `ahead`.
    fn drop_far(
        &mut self,
        compiled: &Compiled,
        options: &Options,
        ahead: &Ahead,
        (kinematics, stretches): (&Kinematics, &[ContactStretch]),
    ) {
        let carrier = |geom| compiled.carrier[compiled.geom(geom).body] as u32;
        let slow = REST * compiled.world.options.gravity.norm() * options.step;
        // Whether one geom of the pair was on the other's body, nothing of the two bodies touches, and the points approach no faster than
        // bodies at rest do.
        let glides = |all: &[ContactPoint], points: &[ContactPoint], (a, b): GeomPair| {
            let bodies = (carrier(a), carrier(b));
            let same = |(c, d): GeomPair| [bodies, (bodies.1, bodies.0)].contains(&(carrier(c), carrier(d)));
            let there = |s: &ContactStretch| {
                let (c, d) = s.geoms;
                (c == a || c == b || d == a || d == b) && same(s.geoms)
            };
            let touches = |p: &ContactPoint| p.distance <= ROUNDING && same(geoms_of(p));
            stretches.iter().any(there) && !all.iter().any(touches) && {
                let (linear, angular) = kinematics.relative_twist(compiled, bodies);
                points.iter().filter(|p| p.distance <= ROCKING).all(|p| {
                    let approach = -p.normal_w.dot(&(linear + angular.cross(&p.p_wb)));
                    approach <= slow
                })
            }
        };
        let (mut first, mut kept) = (0, 0);
        while first < self.points.len() {
            let geoms = geoms_of(&self.points[first]);
            let end = first + self.points[first..].iter().take_while(|p| geoms_of(p) == geoms).count();
            let reach = if ahead.pairs.contains(&geoms) {
                f64::INFINITY
            } else {
                let (points, margin) = (&self.points[first..end], pair_margin(compiled, options, geoms));
                reach(points, geoms, margin, stretches, || glides(&self.points, points, geoms))
            };
            for k in first..end {
                if self.points[k].distance <= reach {
                    self.points[kept] = self.points[k];
                    kept += 1;
                }
            }
            first = end;
        }
        self.points.truncate(kept);
    }

    /// Finds points in overlap, and the pairs of geoms that may make a patch.
    pub fn find_points_and_pairs(&mut self, x_wb: &[Pose]) {
        self.proximity.update(x_wb);
        self.proximity.contacts(0.0, &mut self.points);
        self.drop_covered(x_wb);
    }

    /// Removes points on faces that are inside a body of several geoms.
    fn drop_covered(&mut self, x_wb: &[Pose]) {
        let Self { proximity, points, interior, scratch, .. } = self;
        interior.drop_covered(proximity.set().geoms(), x_wb, scratch, points);
    }

    /// The pairs of geoms that may make a patch, as found last.
    pub fn patch_pairs(&self) -> impl ExactSizeIterator<Item = GeomPair> + '_ {
        self.proximity.patch_pairs().iter().map(pair_of)
    }

    /// One of them.
    pub fn patch_pair(&self, k: usize) -> GeomPair {
        pair_of(&self.proximity.patch_pairs()[k])
    }

    /// Finds points no further apart than `touch`, pairs with a compliant geom as if both were rigid.
    pub fn find_rigid(&mut self, compiled: &Compiled, x_wb: &[Pose], touch: f64) -> &[ContactPoint] {
        self.proximity.update(x_wb);
        self.proximity.contacts(touch, &mut self.points);
        let geoms = compiled.geoms.geoms();
        for &(a, b) in self.proximity.patch_pairs() {
            let first = self.points.len();
            let (ga, gb) = (&geoms[a as usize], &geoms[b as usize]);
            let (xa, xb) = (x_wb[ga.body] * ga.x_bg, x_wb[gb.body] * gb.x_bg);
            contact_pair((&ga.shape, &xa), (&gb.shape, &xb), touch, &mut self.scratch, &mut self.points);
            for p in &mut self.points[first..] {
                (p.geom_a, p.geom_b) = (a as usize, b as usize);
            }
        }
        self.points.retain(|p| p.distance <= touch);
        &self.points
    }

    /// Results of the last query.
    pub fn touching(&self) -> Touching<'_> {
        Touching { points: &self.points, patches: &self.patches }
    }

    pub fn clear(&mut self) {
        self.points.clear();
        self.patches.clear();
    }
}
