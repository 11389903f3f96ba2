//! First touch under error control.
//!
//! Bodies that are apart at a step's beginning pass into each other without the solve noticing, and the difference of two
//! solves of which neither noticed says nothing of it. The penetration x = v δt found by the next step would be a gift of
//! energy, ½kx². So the middle and the end of a step are looked at before it is accepted. Where bodies overlap deeper than
//! the solve meant them to,
//!
//! - *points*: the step is tried again with the points of those pairs in it from the beginning, from as far away as the bodies
//!   moved. A point at a distance pushes only as far as the step's own motion closes it, and both solves see it;
//! - *patches*: they have no distance to be seen at; the depth at which a patch is first met counts as the step's error,
//!   which it is: the bodies would have been stopped there. So does that of points which were looked ahead for in vain.

use crate::assemble::EntrySource;
use crate::compiled::Model;
use crate::patches::PatchSet;
use crate::state::State;
use crate::step::Stepper;
use nalgebra::Vector3;
use stiction_geometry::{ContactPoint, Proximity};
use stiction_model::Pose;

/// Of the accuracy: depth of a pair at its points that the solve need not have known of, where it knew of the pair and where
/// it did not. The latter is a touch: what it is worth in energy grows with stiffness, so it is kept small.
const UNFORESEEN: [f64; 2] = [0.1, 1e-3];

/// Pairs of geoms whose points are wanted from further away than the margin.
#[derive(Default)]
pub(crate) struct Ahead {
    pub pairs: Vec<(usize, usize)>,
    /// That far, m.
    pub margin: f64,
}

/// What bodies did that no solve had seen coming.
pub(crate) struct Surprise {
    /// There are pairs to look ahead for, or further.
    pub pairs: bool,
    /// Largest depth, m, of a patch that was not there before, and of a pair's points where looking ahead did not help.
    pub depth: f64,
}

/// Memory of what a solve meant to happen.
#[derive(Default)]
pub(crate) struct Foresight {
    pub ahead: Ahead,
    /// Poses of the bodies at the beginning of the step.
    x_begin: Vec<Pose>,
    /// Distances of pairs at the end of the solve's motion, by pair and then the least first.
    meant: Vec<((usize, usize), f64)>,
    /// Pairs with a patch in the solve, in order.
    patched: Vec<(usize, usize)>,
    /// Where the step's end is looked at: the stepper's own memory keeps what led there.
    end: Option<Box<Proximity>>,
    points: Vec<ContactPoint>,
    patches: PatchSet,
    candidates: Vec<(u32, u32)>,
}

impl Foresight {
    /// Begins a step from bodies at the given poses.
    pub fn begin(&mut self, poses: &[Pose]) {
        self.ahead.pairs.clear();
        self.ahead.margin = 0.0;
        self.x_begin.clear();
        self.x_begin.extend_from_slice(poses);
    }

    /// Keeps in mind what the last solve, over `dt`, meant to happen.
    pub fn keep(&mut self, stepper: &Stepper, dt: f64) {
        self.meant.clear();
        for (place, velocity) in stepper.assembler.places.iter().zip(stepper.solver.contact_velocities()) {
            if let EntrySource::Point(index) = place.source {
                let point = &stepper.points[index];
                self.meant.push((
                    (point.geom_a, point.geom_b),
                    point.distance + dt * place.frame.column(2).dot(velocity),
                ));
            }
        }
        self.meant.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.patched.clear();
        self.patched.extend(stepper.patches.patches.iter().map(|p| (p.geom_a, p.geom_b)));
        self.patched.sort_unstable();
    }

    /// Compares with what the stepper has found since, by its last look.
    pub fn look(&mut self, model: &Model, stepper: &Stepper, accuracy: f64) -> Surprise {
        let mut surprise = self.surprising_points(model, &stepper.points, &stepper.free.x_wb, accuracy);
        surprise.depth = surprise.depth.max(surprising_patches(&self.patched, &stepper.patches));
        surprise
    }

    /// Compares with what there is at `state`, without touching what the stepper found.
    pub fn look_at(
        &mut self,
        model: &Model,
        stepper: &mut Stepper,
        state: &State,
        accuracy: f64,
    ) -> Surprise {
        let compiled = model.compiled();
        stepper.gauge.update(compiled, state);
        let poses = &stepper.gauge.x_wb;
        let end = self.end.get_or_insert_with(|| Box::new(Proximity::new(compiled.geoms.clone())));
        end.update(poses);
        let mut found = std::mem::take(&mut self.points);
        end.contacts(0.0, &mut found);
        let known =
            |pair: &(u32, u32)| self.patched.binary_search(&(pair.0 as usize, pair.1 as usize)).is_ok();
        self.candidates.clear();
        self.candidates.extend(end.patch_pairs().iter().filter(|pair| !known(pair)));
        self.patches.find(model, stepper.options(), poses, &self.candidates);
        let mut surprise = self.surprising_points(model, &found, poses, accuracy);
        self.points = found;
        surprise.depth = surprise.depth.max(surprising_patches(&self.patched, &self.patches));
        surprise
    }

    /// Adds the pairs that are deeper in each other than meant to those to look ahead for, as far as they moved since the
    /// beginning of the step.
    fn surprising_points(
        &mut self,
        model: &Model,
        found: &[ContactPoint],
        poses: &[Pose],
        accuracy: f64,
    ) -> Surprise {
        let geoms = model.compiled().geoms.geoms();
        let Self { ahead, meant, x_begin, .. } = self;
        let (known, reach) = (ahead.pairs.len(), ahead.margin);
        let (mut depth, mut further) = (0.0_f64, false);
        for point in found.iter().filter(|p| p.distance < 0.0) {
            let pair = (point.geom_a, point.geom_b);
            let first = meant.partition_point(|m| m.0 < pair);
            let meant = meant.get(first).filter(|m| m.0 == pair).map(|m| m.1.min(0.0));
            let allowed = UNFORESEEN[usize::from(meant.is_none())] * accuracy;
            let deeper = meant.unwrap_or(0.0) - point.distance;
            if deeper <= allowed {
                continue;
            }
            // Where the two points of this contact were at the beginning tells how far apart the bodies can have been.
            let moved = |geom: usize, p: &Vector3<f64>| {
                let body = geoms[geom].body;
                (x_begin[body] * poses[body].inverse_transform_point(&(*p).into())).coords - p
            };
            let apart = (moved(point.geom_a, &point.p_wa) - moved(point.geom_b, &point.p_wb)).norm();
            if ahead.pairs[..known].contains(&pair) && apart <= reach {
                depth = depth.max(deeper);
                continue;
            }
            further = true;
            ahead.margin = ahead.margin.max(1.1 * apart);
            if !ahead.pairs.contains(&pair) {
                ahead.pairs.push(pair);
            }
        }
        Surprise { pairs: further, depth }
    }
}

/// Largest depth of patches between pairs that had none.
fn surprising_patches(patched: &[(usize, usize)], now: &PatchSet) -> f64 {
    let new = now.patches.iter().filter(|p| patched.binary_search(&(p.geom_a, p.geom_b)).is_err());
    new.map(|patch| now.depth(patch)).fold(0.0, f64::max)
}
