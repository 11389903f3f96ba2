//! Travel of a contact point over a curved body that turns.
//!
//! At an instant, the penetration x of two smooth bodies changes at the rate −v_n of the material points that touch: the
//! depth is an extremum over points, so their travel over the surfaces adds nothing to its first derivative. Over a step
//! the travel adds a second-order term,
//!
//! ```text
//! x(δt) = x0 − δt v_n + r,      r ≈ ½ (ω δt)² (ρ − h)
//! ```
//!
//! with ρ the radius of curvature at the contact and h the height of the centre above it. A convex step that leaves r out
//! lets the body sink by r in each step. The elastic force recovers at most δt/d in a step, because Hunt & Crossley's factor
//! (1 − d v_n)₊ vanishes for v_n > 1/d: where r is larger, the body sinks without end. The mean geometric rate of
//! penetration, −v_n + r/δt, therefore belongs in both factors of the law.
//!
//! r is measured: after a solve the contact is found again at q⁺. If its depth exceeds the predicted one by more than
//! half of the recovery, δt/(2d), the excess becomes a closing velocity of the contact, and the step is solved again. The
//! prediction of the last solve then holds to δt/(4d). Without dissipation, and with SAP, the elastic force always recovers
//! and nothing is changed. Ellipsoids and rims of cylinders are examined: other shapes touch at material points, or at
//! points with a fixed centre.
//!
//! A closing velocity works on the bodies like a surface that moves. That of a contact which travels is the rate at which the turn raises
//! the body; one that is more than that throws it. Therefore it counts only what touches when the step begins, and turns of at most
//! 1 rad, beyond which the expansion above has no meaning. The distance of convex bodies is a convex function of their translation, so that a
//! translation brings them no deeper than it says at its beginning: what is deeper comes from the turn alone, of either body about
//! its centre, and is no more than that turn times the smaller of the two. A corner of a polyhedron is a material point and does not travel.

use crate::contact::entries::EntrySource;
use crate::model::Model;
use crate::model::geom_id::{GeomPair, geoms_of};
use crate::options::Options;
use crate::step::assemble::{Assembly, Parts};
use crate::step::kinematics::Kinematics;
use crate::step::report::StepReport;
use nalgebra::Vector3;
use std::ops::Range;
use stiction_convex::{FrictionModel, NormalLaw, ProblemError, Solver};
use stiction_geometry::point::{Scratch, contact_pair};
use stiction_geometry::{ContactPoint, Geom, Shape};
use stiction_model::{Pose, Warning};

/// Solves of a step for the travel of its contacts. Each reduces the error of r by about the change of the turn.
pub(crate) const PASSES: usize = 6;

/// Turn in a step up to which the depth is held within the law's recovery, rad.
pub(crate) const STRICT_TURN: f64 = 0.2;

/// Turn in a step above which contacts are left as they are, rad.
const LARGEST_TURN: f64 = 1.0;

/// Buffers.
pub(crate) struct Travel {
    end: Kinematics,
    scratch: Scratch,
    found: Vec<ContactPoint>,
    /// Pairs of geoms that turned by more than [`STRICT_TURN`] while their contact travelled.
    pub fast: Vec<GeomPair>,
    /// Pairs of geoms whose depth still differs from the predicted one after [`PASSES`] solves.
    pub unsettled: Vec<GeomPair>,
}

impl Travel {
    pub fn new(model: &Model) -> Self {
        Self {
            end: Kinematics::new(model.compiled()),
            scratch: Scratch::default(),
            found: Vec::new(),
            fast: Vec::new(),
            unsettled: Vec::new(),
        }
    }

    /// Whether some contact of the problem could travel.
    pub fn applies(model: &Model, options: &Options, assembly: &Assembly, points: &[ContactPoint]) -> bool {
        let geoms = model.compiled().geoms.geoms();
        let damped =
            !matches!(options.normal_law, NormalLaw::LogBarrier { .. } | NormalLaw::ClampedBarrier { .. });
        damped
            && options.contact != FrictionModel::Sap
            && assembly.places.iter().enumerate().any(|(entry, place)| match place.source {
                EntrySource::Point(index) => {
                    let p = &points[index];
                    assembly.problem.contacts()[entry].dissipation > 0.0
                        && (reach(&geoms[p.geom_a]) > 0.0 || reach(&geoms[p.geom_b]) > 0.0)
                }
                EntrySource::Face(..) => false,
            })
    }

    /// Forgets the pairs of the last step.
    pub fn clear(&mut self) {
        self.fast.clear();
        self.unsettled.clear();
    }

    /// Compares the depths at `q_next` with those the solve predicted, and sets the closing velocities of contacts that
    /// travelled. Returns whether any changed by more than the tolerance, so that the step must be solved again. After the
    /// `last` solve nothing changes, and the pairs that would have are reported.
    pub fn correct(
        &mut self,
        parts: &Parts,
        assembly: &mut Assembly,
        solver: &Solver,
        q_next: &[f64],
        last: bool,
        report: &mut StepReport,
    ) -> Result<bool, ProblemError> {
        let (compiled, points) = (parts.model.compiled(), parts.touching.points);
        self.end.positions(compiled, &parts.state.mocap, q_next);
        self.fast.clear();
        (report.travelling, report.max_turn) = (0, 0.0);
        let (mut begin, mut changed) = (0, false);
        while begin < assembly.places.len() {
            let EntrySource::Point(first) = assembly.places[begin].source else {
                begin += 1;
                continue;
            };
            let pair = geoms_of(&points[first]);
            let of_pair =
                |source: EntrySource| matches!(source, EntrySource::Point(i) if geoms_of(&points[i]) == pair);
            let count = assembly.places[begin..].iter().take_while(|place| of_pair(place.source)).count();
            let entries = begin..begin + count;
            begin = entries.end;
            let bodies = Turning {
                geoms: [compiled.geom(pair.0), compiled.geom(pair.1)],
                begin: &parts.kinematics.x_wb,
                entries: entries.clone(),
            };
            let d = assembly.problem.contacts()[entries.start].dissipation;
            if d == 0.0 || bodies.reach() == 0.0 {
                continue;
            }
            let allowed = 0.5 * parts.dt / d;
            let turn = bodies.turn(&self.end.x_wb);
            // No turn by an angle moves a surface further than that angle times its distance from the centre.
            let moved = bodies.moved(turn);
            let travelled = entries.clone().any(|e| assembly.travel[e] != 0.0);
            if moved <= allowed && !travelled {
                continue;
            }
            let most = entries.clone().fold(0.0, |most: f64, e| most.max(-assembly.travel[e] * parts.dt));
            let found = self.find(&bodies, assembly, points, most + allowed);
            for e in entries {
                let normal: Vector3<f64> = assembly.places[e].frame.column(2).into();
                let EntrySource::Point(i) = assembly.places[e].source else { unreachable!() };
                let v_n = normal.dot(&solver.contact_velocities()[e]) - assembly.travel[e];
                let predicted = points[i].distance + parts.dt * v_n;
                let excess = match found {
                    Some((nearest, distance)) if nearest == e && points[i].distance <= 0.0 => {
                        (predicted - distance - allowed).min(moved)
                    }
                    _ => 0.0,
                };
                // Beyond STRICT_TURN the travel is no small part of the turn, and all of it would throw the body.
                let fastest = 0.5 * STRICT_TURN * turn.min(STRICT_TURN) / parts.dt * bodies.reach();
                let closing = match turn > STRICT_TURN {
                    true => -(excess.max(0.0) / parts.dt).min(fastest),
                    false => -excess.max(0.0) / parts.dt,
                };
                let change = closing - assembly.travel[e];
                if closing < 0.0 {
                    report.travelling += 1;
                    report.max_turn = report.max_turn.max(turn);
                    if turn > STRICT_TURN && self.fast.last() != Some(&pair) {
                        self.fast.push(pair);
                    }
                }
                if change.abs() * parts.dt > 0.5 * allowed {
                    if last {
                        if self.unsettled.last() != Some(&pair) {
                            self.unsettled.push(pair);
                        }
                        continue;
                    }
                    changed = true;
                    assembly.travel[e] = closing;
                    assembly.problem.add_bias(e, normal * change)?;
                }
            }
        }
        Ok(changed)
    }

    /// The deepest contact of a pair at the end of the step, up to a distance: the entry from which it travelled, which on each
    /// body is the one nearest to it, and its distance.
    fn find(
        &mut self,
        bodies: &Turning,
        assembly: &Assembly,
        points: &[ContactPoint],
        reach: f64,
    ) -> Option<(usize, f64)> {
        let ([a, b], x_wb, x1_wb) = (bodies.geoms, bodies.begin, &self.end.x_wb);
        let (xa, xb) = (x1_wb[a.body] * a.x_bg, x1_wb[b.body] * b.x_bg);
        self.found.clear();
        contact_pair((&a.shape, &xa), (&b.shape, &xb), reach, &mut self.scratch, &mut self.found);
        let deepest = self.found.iter().min_by(|p, q| p.distance.total_cmp(&q.distance))?;
        let curved_b = self::reach(b) >= self::reach(a);
        let (geom, end) = if curved_b { (b, deepest.p_wb) } else { (a, deepest.p_wa) };
        let (other, on_other) = if curved_b { (a, deepest.p_wa) } else { (b, deepest.p_wb) };
        if is_corner(
            other,
            &(x1_wb[other.body] * other.x_bg).inverse_transform_point(&on_other.into()).coords,
        ) {
            return None;
        }
        let new = (x_wb[geom.body] * x1_wb[geom.body].inverse_transform_point(&end.into())).coords;
        let old = |e: usize| {
            let EntrySource::Point(i) = assembly.places[e].source else { unreachable!() };
            if curved_b { points[i].p_wb } else { points[i].p_wa }
        };
        let square = |e: usize| (old(e) - new).norm_squared();
        let nearest = bodies.entries.clone().min_by(|&e, &f| square(e).total_cmp(&square(f)))?;
        let x_wg = x_wb[geom.body] * geom.x_bg;
        let local = |p: Vector3<f64>| x_wg.inverse_transform_point(&p.into()).coords;
        same_feature(geom, &local(old(nearest)), &local(new)).then_some((nearest, deepest.distance))
    }
}

/// Two geoms in contact, one of which may turn.
struct Turning<'a> {
    geoms: [&'a Geom; 2],
    /// Poses of all bodies at the beginning of the step.
    begin: &'a [Pose],
    /// Their contacts in the problem.
    entries: Range<usize>,
}

impl Turning<'_> {
    fn reach(&self) -> f64 {
        let [a, b] = self.geoms.map(reach);
        a.max(b)
    }

    /// How much deeper a turn by this angle can bring them, m; zero beyond [`LARGEST_TURN`].
    fn moved(&self, turn: f64) -> f64 {
        let [a, b] = self.geoms.map(radius);
        if turn <= LARGEST_TURN { turn * a.min(b) } else { 0.0 }
    }

    /// Angle by which one turned relative to the other, rad.
    fn turn(&self, end: &[Pose]) -> f64 {
        let [a, b] = self.geoms.map(|geom| geom.body);
        let relative = |x: &[Pose]| x[a].rotation.inverse() * x[b].rotation;
        relative(self.begin).angle_to(&relative(end))
    }
}

/// The geom pairs that turned by more than [`STRICT_TURN`] in a step while their contact travelled, and those whose depth did not
/// settle, sorted.
#[derive(Default)]
pub(crate) struct TurnWarnings {
    fast: Vec<GeomPair>,
    unsettled: Vec<GeomPair>,
}

impl TurnWarnings {
    /// Adds the pairs of an accepted step. Allocates only for a new pair.
    pub fn add(&mut self, travel: &Travel) {
        for (known, new) in [(&mut self.fast, &travel.fast), (&mut self.unsettled, &travel.unsettled)] {
            for pair in new {
                if let Err(place) = known.binary_search(pair) {
                    known.insert(place, *pair);
                }
            }
        }
    }

    /// A warning for each of them.
    pub fn warnings<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = Warning> + 'a {
        let compiled = model.compiled();
        let named = |&(a, b): &GeomPair, what: &str| {
            let [a, b] = [a, b].map(|g| compiled.described(g));
            Warning { source: a.source.clone(), message: format!("\"{}\" and \"{}\" {what}", a.name, b.name) }
        };
        let fast = format!(
            "turned by more than {STRICT_TURN} rad relative to each other in a step while they touched: their depth is \
             bounded, but larger than the contact law says; use smaller steps"
        );
        let unsettled = format!(
            "turned in a step while they touched, and {PASSES} repeated solves did not find the depth of their contact: it \
             may be larger than the contact law says; use smaller steps"
        );
        let fast = self.fast.iter().map(move |pair| named(pair, &fast));
        fast.chain(self.unsettled.iter().map(move |pair| named(pair, &unsettled)))
    }
}

/// Distance of a geom's surface from its centre at most, if a contact travels over it: 0 for other shapes.
fn reach(geom: &Geom) -> f64 {
    match geom.shape {
        Shape::Ellipsoid { radii } => radii.max(),
        Shape::Cylinder { radius, half_length } => radius.hypot(half_length),
        _ => 0.0,
    }
}

/// Distance of a geom's surface from its origin at most; infinite for what has no end.
fn radius(geom: &Geom) -> f64 {
    match &geom.shape {
        Shape::HalfSpace | Shape::HeightField(_) => f64::INFINITY,
        shape => {
            let aabb = shape.aabb(&Pose::identity());
            aabb.min.abs().sup(&aabb.max.abs()).norm()
        }
    }
}

/// Whether a point of a geom's surface, in its frame, is a corner of a polyhedron.
fn is_corner(geom: &Geom, point: &Vector3<f64>) -> bool {
    let near = |vertex: &Vector3<f64>| (vertex - point).norm() <= 1e-6 * vertex.norm();
    match &geom.shape {
        Shape::Box { half_extents } => near(&half_extents.zip_map(point, f64::copysign)),
        Shape::Convex(hull) => hull.vertices().iter().any(near),
        _ => false,
    }
}

/// Whether a contact at `old` can have travelled to `new`, in the geom's frame. A cylinder that falls flat strikes with the
/// opposite part of its rim: that is another contact.
fn same_feature(geom: &Geom, old: &Vector3<f64>, new: &Vector3<f64>) -> bool {
    match geom.shape {
        Shape::Cylinder { .. } => old.z * new.z > 0.0 && old.xy().dot(&new.xy()) > 0.0,
        _ => true,
    }
}
