//! First-touch detection under error control.
//!
//! Bodies that are apart at the beginning of a step can overlap at its end although no solve had their contact, and the
//! difference of two such solves does not show it. The penetration x = v δt found by the next step would add the energy ½kx².
//! So contacts are found at the middle and at the end of a step before it is accepted. Where bodies overlap deeper than the solve
//! predicted,
//!
//! - *points*: the step is tried again with the points of those pairs in it from the beginning, from as far away as the bodies
//!   moved. A point at a distance pushes only as far as the step's own motion closes it, and both solves have it;
//! - *patches*: they have no distance from which they could be found; the depth at which a patch is first met counts as the
//!   error of the step. So does the depth of points that were found ahead in vain.

use crate::contact::entries::EntrySource;
use crate::contact::query::{ContactQuery, Touching};
use crate::model::Model;
use crate::options::Options;
use crate::state::State;
use crate::step::Stages;
use crate::step::kinematics::Kinematics;
use nalgebra::Vector3;
use stiction_model::Pose;

/// Of the accuracy: depth of a pair at its points that the solve need not have known of, where it knew of the pair and where
/// it did not. The latter is a touch: what it is worth in energy grows with stiffness, so it is kept small.
const UNPREDICTED: [f64; 2] = [0.1, 1e-3];

/// Pairs of geoms whose points are wanted from further away than the margin.
#[derive(Default)]
pub(crate) struct Ahead {
    pub pairs: Vec<(usize, usize)>,
    /// That far, m.
    pub margin: f64,
}

/// Overlap that no solve had predicted.
pub(crate) struct Unpredicted {
    /// There are pairs whose contact must be found ahead, or from further away.
    pub pairs: bool,
    /// Largest depth, m, of a patch that was not there before, and of a pair's points where finding them ahead did not help.
    pub depth: f64,
}

/// What a solve predicted.
#[derive(Default)]
struct Prediction {
    /// Poses of the bodies at the beginning of the step.
    x_begin: Vec<Pose>,
    /// Distances of pairs at the end of the solve's motion, by pair and then the least first.
    distances: Vec<((usize, usize), f64)>,
    /// Pairs with a patch in the solve, in order.
    patched: Vec<(usize, usize)>,
}

/// Memory of first-touch detection.
pub(crate) struct FirstTouch {
    pub ahead: Ahead,
    prediction: Prediction,
    /// Where the end of the step is examined: the stages keep what led there.
    kinematics: Kinematics,
    contacts: ContactQuery,
    candidates: Vec<(u32, u32)>,
}

impl FirstTouch {
    pub fn new(model: &Model) -> Self {
        Self {
            ahead: Ahead::default(),
            prediction: Prediction::default(),
            kinematics: Kinematics::new(model.compiled()),
            contacts: ContactQuery::new(model.compiled()),
            candidates: Vec::new(),
        }
    }

    /// Begins a step from bodies at the given poses.
    pub fn begin(&mut self, poses: &[Pose]) {
        self.ahead.pairs.clear();
        self.ahead.margin = 0.0;
        self.prediction.x_begin.clear();
        self.prediction.x_begin.extend_from_slice(poses);
    }

    /// Keeps what the last solve, over `dt`, predicted.
    pub fn keep(&mut self, stages: &Stages, dt: f64) {
        let Prediction { distances, patched, .. } = &mut self.prediction;
        distances.clear();
        let places = stages.assembly.places.iter().zip(stages.solver.contact_velocities());
        for (place, velocity) in places {
            if let EntrySource::Point(index) = place.source {
                let point = &stages.contacts.points[index];
                distances.push(((point.geom_a, point.geom_b), point.distance + dt * velocity.z));
            }
        }
        distances.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        patched.clear();
        patched.extend(stages.contacts.patches.patches.iter().map(|p| (p.geom_a, p.geom_b)));
        patched.sort_unstable();
    }

    /// Compares with the contacts that the stages have found since.
    pub fn compare(&mut self, model: &Model, stages: &Stages, accuracy: f64) -> Unpredicted {
        let (touching, x_wb) = (stages.contacts.touching(), &stages.kinematics.x_wb);
        self.prediction.compare(model, touching, x_wb, accuracy, &mut self.ahead)
    }

    /// Compares with the contacts at `state`, without changing those of the stages.
    pub fn compare_at(
        &mut self,
        model: &Model,
        options: &Options,
        state: &State,
        accuracy: f64,
    ) -> Unpredicted {
        let Self { ahead, prediction, kinematics, contacts, candidates } = self;
        kinematics.positions(model.compiled(), &state.mocap, &state.q);
        let x_wb = &kinematics.x_wb;
        let known = |(a, b): &(u32, u32)| prediction.has_patch((*a as usize, *b as usize));
        candidates.clear();
        candidates.extend(contacts.find_points_and_pairs(x_wb).iter().filter(|pair| !known(pair)));
        contacts.patches.find(model, options, x_wb, candidates);
        prediction.compare(model, contacts.touching(), x_wb, accuracy, ahead)
    }
}

impl Prediction {
    fn has_patch(&self, pair: (usize, usize)) -> bool {
        self.patched.binary_search(&pair).is_ok()
    }

    /// The predicted distance of a pair at its points, zero at most; none if the solve did not have the pair.
    fn distance(&self, pair: (usize, usize)) -> Option<f64> {
        let first = self.distances.partition_point(|m| m.0 < pair);
        self.distances.get(first).filter(|m| m.0 == pair).map(|m| m.1.min(0.0))
    }

    /// Adds the pairs that are deeper in each other than predicted to those that are found ahead, as far as they moved since
    /// the beginning of the step.
    fn compare(
        &self,
        model: &Model,
        found: Touching,
        x_wb: &[Pose],
        accuracy: f64,
        ahead: &mut Ahead,
    ) -> Unpredicted {
        let geoms = model.compiled().geoms.geoms();
        let (known, reach) = (ahead.pairs.len(), ahead.margin);
        let (mut depth, mut further) = (0.0_f64, false);
        for point in found.points.iter().filter(|p| p.distance < 0.0) {
            let pair = (point.geom_a, point.geom_b);
            let predicted = self.distance(pair);
            let allowed = UNPREDICTED[usize::from(predicted.is_none())] * accuracy;
            let deeper = predicted.unwrap_or(0.0) - point.distance;
            if deeper <= allowed {
                continue;
            }
            // Where the two points of this contact were at the beginning tells how far apart the bodies can have been.
            let moved = |geom: usize, p: &Vector3<f64>| {
                let body = geoms[geom].body;
                (self.x_begin[body] * x_wb[body].inverse_transform_point(&(*p).into())).coords - p
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
        // Patches between pairs that had none.
        let new = found.patches.patches.iter().filter(|p| !self.has_patch((p.geom_a, p.geom_b)));
        let depth = new.map(|patch| found.patches.depth(patch)).fold(depth, f64::max);
        Unpredicted { pairs: further, depth }
    }
}
