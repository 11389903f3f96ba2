//! Runs that make no sense: bodies that left every bound, absurd velocities, steps longer than what falls through.
//!
//! | reported | if |
//! |---|---|
//! | a body fell | its origin is below everything that the model has at its default positions by more than ten times the size of the model (and 10 m), while gravity acts |
//! | a body left | its origin is farther than 10⁴ times the size of the model (and 10 km) from where the model is |
//! | it turns too fast | a coordinate turns by more than a quarter of a turn in a step: no step sees how it moved |
//! | it moves too fast | a coordinate moves at more than 1 km/s |
//! | the step is too long | a body at rest falls in a step, g δt², by more than the half thickness of the thinnest moving geom |
//!
//! The size of a model is the radius of the ball about its default positions, half-spaces left out. Bodies that left are
//! looked for among those with a free joint.

use crate::model::Model;
use crate::options::Options;
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;
use stiction_model::{JointKind, Source, Warning};
use stiction_multibody::Workspace;

/// Sizes of the model below everything at which a body has fallen, and at least this many metres.
const FALL: f64 = 10.0;

/// Sizes of the model at which a body has left, and at least this many metres.
const FAR: f64 = 1e4;

/// Speed above which a velocity is absurd, m/s.
const FAST: f64 = 1e3;

/// A body with a free joint.
#[derive(Clone, Copy)]
struct Free {
    body: usize,
    /// Its first position coordinate.
    q: usize,
}

/// What was found, each with the time of the first step that showed it.
#[derive(Clone, Copy, PartialEq)]
enum Finding {
    Fell { body: usize },
    Left { body: usize },
    Turns { dof: usize, speed: f64 },
    Moves { dof: usize, speed: f64 },
}

/// Looks at every step.
pub(super) struct Plausibility {
    free: Vec<Free>,
    /// Whether a velocity coordinate is that of a translation.
    slides: Vec<bool>,
    center: Vector3<f64>,
    size: f64,
    /// Direction of gravity; zero without.
    down: Vector3<f64>,
    /// Height of the lowest point along `down`, m.
    lowest: f64,
    /// Half the thickness of the thinnest moving geom that collides, m, and its name.
    thinnest: Option<(f64, String, Source)>,
    /// Acceleration of gravity, m/s².
    gravity: f64,
    /// Bodies of `free` that were found already.
    known: Vec<bool>,
    found: Vec<(f64, Finding)>,
    /// How many bodies fell or left beside those in `found`.
    others: usize,
    turned: bool,
    moved: bool,
}

impl Plausibility {
    pub fn new(model: &Model) -> Self {
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let mut workspace = Workspace::new(multibody);
        multibody.positions(model.default_q(), &mut workspace);
        let bodies = compiled.world.bodies.len();
        let mut points: Vec<Vector3<f64>> = (1..bodies).map(|b| multibody.origin(&workspace, b)).collect();
        let mut thinnest: Option<(f64, String, Source)> = None;
        for (k, geom) in compiled.geoms.geoms().iter().enumerate() {
            let pose = multibody.pose(&workspace, geom.body) * geom.x_bg;
            let bounds = geom.shape.aabb(&pose);
            let (center, half) = (Vector3::from(bounds.center()), Vector3::from(bounds.half()));
            if !half.iter().chain(center.iter()).all(|x| x.is_finite()) {
                continue;
            }
            points.extend([center - half, center + half]);
            let own = geom.shape.aabb(&stiction_model::Pose::identity());
            let thin = Vector3::from(own.half()).min();
            let moves = multibody.body_tree(geom.body).is_some();
            let collides = geom.contype != 0 || geom.conaffinity != 0;
            if moves && collides && thin > 0.0 && thinnest.as_ref().is_none_or(|(least, ..)| thin < *least) {
                let described = compiled.described(crate::model::CollidingGeomId::new(k));
                let name = if described.name.is_empty() {
                    compiled.world.bodies[described.body].name.clone()
                } else {
                    described.name.clone()
                };
                thinnest = Some((thin, name, described.source.clone()));
            }
        }
        let center = match points.len() {
            0 => Vector3::zeros(),
            n => points.iter().sum::<Vector3<f64>>() / n as f64,
        };
        let size = points.iter().map(|p| (p - center).norm()).fold(0.0, f64::max);
        let gravity = compiled.world.options.gravity;
        let down = gravity.try_normalize(1e-9).unwrap_or_default();
        let lowest = points.iter().map(|p| p.dot(&down)).fold(f64::NEG_INFINITY, f64::max);
        let mut slides = vec![false; model.nv()];
        let mut free = Vec::new();
        for joint in multibody.joints() {
            let translations = match joint.kind {
                JointKind::Free => {
                    free.push(Free { body: joint.body, q: joint.q.start });
                    3
                }
                JointKind::Slide { .. } | JointKind::Cylindrical { .. } => 1,
                JointKind::Planar { .. } => 2,
                _ => 0,
            };
            slides[joint.v.start..joint.v.start + translations].fill(true);
        }
        Self {
            known: vec![false; free.len()],
            free,
            slides,
            center,
            size,
            down,
            lowest,
            thinnest,
            gravity: gravity.norm(),
            found: Vec::new(),
            others: 0,
            turned: false,
            moved: false,
        }
    }

    /// Looks at a state after a step of `dt`. Allocates only for what it finds.
    pub fn look(&mut self, q: &[f64], v: &[f64], time: f64, dt: f64) {
        for (k, free) in self.free.iter().enumerate() {
            if self.known[k] {
                continue;
            }
            let p = Vector3::new(q[free.q], q[free.q + 1], q[free.q + 2]);
            let finding = if p.dot(&self.down) - self.lowest > FALL * self.size.max(1.0) {
                Finding::Fell { body: free.body }
            } else if (p - self.center).norm() > FAR * self.size.max(1.0) {
                Finding::Left { body: free.body }
            } else {
                continue;
            };
            self.known[k] = true;
            let first =
                !self.found.iter().any(|(_, f)| matches!(f, Finding::Fell { .. } | Finding::Left { .. }));
            if first {
                self.found.push((time, finding));
            } else {
                self.others += 1;
            }
        }
        if self.turned && self.moved {
            return;
        }
        for (dof, (speed, slides)) in v.iter().map(|v| v.abs()).zip(&self.slides).enumerate() {
            if *slides && speed > FAST && !self.moved {
                self.moved = true;
                self.found.push((time, Finding::Moves { dof, speed }));
            } else if !slides && speed * dt > FRAC_PI_2 && !self.turned {
                self.turned = true;
                self.found.push((time, Finding::Turns { dof, speed }));
            }
        }
    }

    /// Warnings about the findings, and about the step of the options.
    pub fn warnings(&self, model: &Model, options: &Options) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = self.too_long(options).into_iter().collect();
        for (time, finding) in &self.found {
            warnings.push(self.describe(model, *time, finding));
        }
        warnings
    }

    fn describe(&self, model: &Model, time: f64, finding: &Finding) -> Warning {
        let others = match self.others {
            0 => String::new(),
            1 => ", and another body later".into(),
            n => format!(", and {n} other bodies later"),
        };
        let joint = |dof: usize| {
            let joints = model.multibody().joints();
            joints.iter().find(|j| j.v.contains(&dof)).map_or(0, |j| j.body)
        };
        let (body, message) = match *finding {
            Finding::Fell { body } => (
                body,
                format!(
                    "it fell below everything in the model by {:.3} m at t = {time:.4} s{others}: give the model a ground, or see \
                     what it fell off or through",
                    FALL * self.size.max(1.0)
                ),
            ),
            Finding::Left { body } => (
                body,
                format!(
                    "it was {:.3e} m away from the model at t = {time:.4} s{others}: the results after that make no sense; see \
                     the forces on it, or take shorter steps",
                    FAR * self.size.max(1.0)
                ),
            ),
            Finding::Turns { dof, speed } => (
                joint(dof),
                format!(
                    "the joint \"{}\" turned at {speed:.4e} rad/s at t = {time:.4} s, more than a quarter of a turn in a step: take \
                     shorter steps, or see what drives it",
                    model.joint_of(dof)
                ),
            ),
            Finding::Moves { dof, speed } => (
                joint(dof),
                format!(
                    "the joint \"{}\" moved at {speed:.4e} m/s at t = {time:.4} s: see what drives it, or take shorter steps",
                    model.joint_of(dof)
                ),
            ),
        };
        let body = &model.world().bodies[body];
        let mut source = body.source.clone();
        if source.element.is_empty() {
            source.element = format!("body \"{}\"", body.name);
        }
        Warning { source, message: format!("\"{}\": {message}", body.name) }
    }

    /// In a step of fixed length a body at rest falls by g δt²: what is thinner than that passes a surface unseen, or is thrown
    /// out of it.
    fn too_long(&self, options: &Options) -> Option<Warning> {
        let (thin, name, source) = self.thinnest.as_ref()?;
        let fall = self.gravity * options.step * options.step;
        if options.error_controlled() || fall <= *thin {
            return None;
        }
        // A tenth of the half thickness in a step.
        let remedy = (0.1 * thin / self.gravity).sqrt();
        let message = format!(
            "in a step of {} s a body at rest falls by {fall:.3e} m, more than half the thickness of \"{name}\" ({thin:.3e} m): take \
             steps of {remedy:.0e} s or shorter",
            options.step
        );
        Some(Warning { source: source.clone(), message })
    }

    /// Forgets the findings, as with another model.
    pub fn renew(&mut self, model: &Model) {
        *self = Self::new(model);
    }
}
