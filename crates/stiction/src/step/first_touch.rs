//! First-touch detection under error control.
//!
//! Bodies that are separated at the beginning of a step can overlap at its end although no solve included their
//! contact. The difference of two such solves does not reveal this. The penetration x = v δt found by the next step
//! would add the energy ½kx². Therefore contacts are detected at the middle and at the end of a step before it is
//! accepted. If bodies overlap deeper than the solve predicted:
//!
//! - *points*: the step is repeated with the points of those pairs included from the beginning, with a detection
//!   distance equal to the motion of the bodies. A separated point pushes only after the motion of the step has
//!   closed its gap, and both solves include it;
//! - *patches*: they cannot be detected at a distance. The depth of a new patch counts as the error of the step. The
//!   same applies to the depth of points for which detection ahead did not help.

use crate::contact::entries::EntrySource;
use crate::contact::query::{ContactQuery, Touching};
use crate::model::Model;
use crate::model::geom_id::{GeomPair, geoms_of};
use crate::options::Options;
use crate::state::State;
use crate::step::Stages;
use crate::step::kinematics::Kinematics;
use nalgebra::Vector3;
use stiction_model::Pose;

/// Allowed depth of a pair beyond the prediction, as a fraction of the accuracy: for pairs in the solve, and for
/// pairs that were not in it. The latter is a first touch, whose energy grows with stiffness, so this value is
/// small.
const UNPREDICTED: [f64; 2] = [0.1, 1e-3];

/// Pairs of geoms whose points are detected at a larger distance than the margin.
#[derive(Default)]
pub(crate) struct Ahead {
    pub pairs: Vec<GeomPair>,
    /// Detection distance, m.
    pub margin: f64,
}

/// Overlap that no solve predicted.
pub(crate) struct Unpredicted {
    /// Some pairs must be detected ahead, or at a larger distance.
    pub pairs: bool,
    /// Largest depth, m, of a new patch, and of a pair's points for which detection ahead did not help.
    pub depth: f64,
}

/// Prediction of a solve.
#[derive(Default)]
struct Prediction {
    /// Poses of the bodies at the beginning of the step.
    x_begin: Vec<Pose>,
    /// Distances of pairs at the end of the solve's motion, sorted by pair and then by distance.
    distances: Vec<(GeomPair, f64)>,
    /// Pairs with a patch in the solve, in order.
    patched: Vec<GeomPair>,
}

/// Buffers of first-touch detection.
pub(crate) struct FirstTouch {
    pub ahead: Ahead,
    prediction: Prediction,
    /// Separate query for the end of the step, so the stages keep their contacts.
    kinematics: Kinematics,
    contacts: ContactQuery,
    candidates: Vec<GeomPair>,
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

    /// Stores the prediction of the last solve over `dt`.
    pub fn keep(&mut self, stages: &Stages, dt: f64) {
        let Prediction { distances, patched, .. } = &mut self.prediction;
        distances.clear();
        let places = stages.assembly.places.iter().zip(stages.solver.contact_velocities());
        for (place, velocity) in places {
            if let EntrySource::Point(index) = place.source {
                let point = &stages.contacts.points[index];
                let closing = place.frame.column(2).dot(velocity);
                distances.push((geoms_of(point), point.distance + dt * closing));
            }
        }
        distances.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        patched.clear();
        patched.extend(stages.contacts.patches.patches.iter().map(|p| p.geoms));
        patched.sort_unstable();
    }

    /// Compares the prediction with the contacts that the stages have found since.
    pub fn compare(&mut self, model: &Model, stages: &Stages, accuracy: f64) -> Unpredicted {
        let (touching, x_wb) = (stages.contacts.touching(), &stages.kinematics.x_wb);
        self.prediction.compare(model, touching, x_wb, accuracy, &mut self.ahead)
    }

    /// Compares the prediction with the contacts at `state`, without changing those of the stages.
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
        contacts.find_points_and_pairs(x_wb);
        candidates.clear();
        candidates.extend(contacts.patch_pairs().filter(|&pair| !prediction.has_patch(pair)));
        contacts.patches.find(model, options, x_wb, candidates.iter().copied());
        prediction.compare(model, contacts.touching(), x_wb, accuracy, ahead)
    }
}

impl Prediction {
    fn has_patch(&self, pair: GeomPair) -> bool {
        self.patched.binary_search(&pair).is_ok()
    }

    /// The predicted distance of a pair at its points, at most zero. `None` if the pair was not in the solve.
    fn distance(&self, pair: GeomPair) -> Option<f64> {
        let first = self.distances.partition_point(|m| m.0 < pair);
        self.distances.get(first).filter(|m| m.0 == pair).map(|m| m.1.min(0.0))
    }

    /// Adds the pairs with more penetration than predicted to the pairs that are detected ahead, with their motion
    /// since the beginning of the step as the distance.
    fn compare(
        &self,
        model: &Model,
        found: Touching,
        x_wb: &[Pose],
        accuracy: f64,
        ahead: &mut Ahead,
    ) -> Unpredicted {
        let compiled = model.compiled();
        let (known, reach) = (ahead.pairs.len(), ahead.margin);
        let (mut depth, mut further) = (0.0_f64, false);
        for point in found.points.iter().filter(|p| p.distance < 0.0) {
            let pair = geoms_of(point);
            let predicted = self.distance(pair);
            let allowed = UNPREDICTED[usize::from(predicted.is_none())] * accuracy;
            let deeper = predicted.unwrap_or(0.0) - point.distance;
            if deeper <= allowed {
                continue;
            }
            // The initial positions of the two contact points bound the initial distance of the bodies.
            let moved = |geom, p: &Vector3<f64>| {
                let body = compiled.geom(geom).body;
                (self.x_begin[body] * x_wb[body].inverse_transform_point(&(*p).into())).coords - p
            };
            let apart = (moved(pair.0, &point.p_wa) - moved(pair.1, &point.p_wb)).norm();
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
        let new = found.patches.patches.iter().filter(|p| !self.has_patch(p.geoms));
        let depth = new.map(|patch| found.patches.depth(patch)).fold(depth, f64::max);
        Unpredicted { pairs: further, depth }
    }
}
