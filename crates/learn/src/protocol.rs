//! The field's way to compare a simulation with recorded tosses (Acosta, Yang, Posa, RA-L 2022).
//!
//! A toss is simulated from three samples before the body could first touch the table to its end, and compared at every
//! sample. Where enough of the flight was seen before, the start velocity is fitted to it: horizontal velocity by the
//! flight's end points, vertical velocity by least squares under gravity, spin by the net rotation.

use crate::dataset::{Sample, Toss};
use crate::score::{Comparison, Score};
use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use stiction::model::{JointKind, Shape};
use stiction::multibody::Workspace;
use stiction::{Model, Simulation, State, StepError};

/// A ball around a part of the model: it could touch the table when the ball does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Index of the body that carries it.
    pub body: usize,
    /// Its centre in the body frame, m.
    pub centre: Vector3<f64>,
    /// Its radius, m.
    pub radius: f64,
}

/// What the protocol fixes. The table is at z = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Protocol {
    /// The balls whose lowest point tells when the model could first touch.
    pub balls: Vec<Ball>,
    /// Length that position errors are told in parts of, m.
    pub width: f64,
    /// Samples before the first touch at which the simulation starts.
    pub lead: usize,
    /// Samples before the start from which its velocity is fitted; with fewer, or `None`, the recorded one is taken.
    pub least_flight: Option<usize>,
    /// Gravity of the fitted flight, m/s².
    pub gravity: f64,
    /// Step of the simulation, s.
    pub step: f64,
}

/// Why a model cannot be compared with tosses.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{model}: {what}")]
pub struct NotTossed {
    model: String,
    what: &'static str,
}

impl Protocol {
    /// The protocol for a model: balls around its colliding geoms, the side of the cube in the largest of them as width.
    /// The start velocity is fitted to the flight if the model is one body.
    pub fn of(model: &Model) -> Result<Self, NotTossed> {
        let world = model.world();
        let wrong = |what| NotTossed { model: world.name.clone(), what };
        let free = |joint: &stiction::model::Joint| matches!(joint.kind, JointKind::Free);
        if !world.bodies.iter().flat_map(|b| &b.joints).next().is_some_and(free) {
            return Err(wrong("its first joint is not free: nothing is tossed"));
        }
        let mut balls: Vec<Ball> = Vec::new();
        for geom in world.geoms.iter().filter(|g| g.body != 0) {
            let radius = match geom.shape {
                Shape::Sphere { radius } => radius,
                Shape::Box { half_extents } => half_extents.norm(),
                Shape::Capsule { radius, half_length } => radius + half_length,
                Shape::Cylinder { radius, half_length } => radius.hypot(half_length),
                Shape::Ellipsoid { radii } => radii.max(),
                Shape::Mesh { mesh, .. } => {
                    world.meshes[mesh].vertices.iter().map(|v| v.norm()).fold(0.0, f64::max)
                }
                Shape::HalfSpace { .. } | Shape::HeightField { .. } => continue,
            };
            balls.push(Ball { body: geom.body, centre: geom.pose.translation.vector, radius });
        }
        if balls.is_empty() {
            return Err(wrong("no moving body has a shape"));
        }
        let width = 2.0 / 3f64.sqrt() * balls.iter().map(|b| b.radius).fold(0.0, f64::max);
        let one = model.nq() == 7;
        Ok(Self { balls, width, lead: 3, least_flight: one.then_some(4), gravity: 9.81, step: 1.0 / 1480.0 })
    }

    /// The first sample at which the model could touch the table.
    pub fn first_touch(&self, model: &Model, toss: &Toss) -> Option<usize> {
        let at_origin = self.balls.iter().all(|b| b.body == 1 && b.centre == Vector3::zeros());
        let mut workspace = Workspace::new(model.multibody());
        toss.samples.iter().position(|sample| {
            if at_origin {
                return self.balls.iter().any(|b| sample.q[2] <= b.radius);
            }
            model.multibody().positions(&sample.q, &mut workspace);
            self.balls.iter().any(|b| {
                let centre = model.multibody().pose(&workspace, b.body) * Point3::from(b.centre);
                centre.z <= b.radius
            })
        })
    }

    /// Where a toss is simulated from: the index of its sample, and the state there. `None` if it never comes near the
    /// table.
    pub fn start(&self, model: &Model, toss: &Toss) -> Option<(usize, Sample)> {
        let at = self.first_touch(model, toss)?.saturating_sub(self.lead);
        let mut sample = toss.samples[at].clone();
        if self.least_flight.is_some_and(|least| at >= least) {
            let (velocity, spin) = flight(&toss.samples[..=at], self.gravity);
            sample.v[..3].copy_from_slice(velocity.as_slice());
            sample.v[3..6].copy_from_slice(spin.as_slice());
        }
        Some((at, sample))
    }

    /// Simulates a toss; `each` gets every compared sample: its index and the simulated state.
    pub fn simulate(
        &self,
        simulation: &mut Simulation,
        toss: &Toss,
        each: impl FnMut(usize, &State),
    ) -> Result<(), StepError> {
        match self.start(simulation.model(), toss) {
            Some((at, from)) => self.simulate_from(simulation, toss, at, &from, each),
            None => Ok(()),
        }
    }

    /// Simulates a toss from a state at its sample `at`.
    pub fn simulate_from(
        &self,
        simulation: &mut Simulation,
        toss: &Toss,
        at: usize,
        from: &Sample,
        mut each: impl FnMut(usize, &State),
    ) -> Result<(), StepError> {
        simulation.reset();
        let state = simulation.state_mut();
        state.q.copy_from_slice(&from.q);
        state.v.copy_from_slice(&from.v);
        let mut before = from.time;
        for (index, sample) in toss.samples.iter().enumerate().skip(at + 1) {
            let steps = (sample.time - before) / self.step;
            // Samples fall on steps, but for rounding, or else the last step before one is shorter.
            if (steps - steps.round()).abs() < 1e-3 {
                simulation.step(steps.round() as usize)?;
            } else {
                let time = simulation.state().time + (sample.time - before);
                simulation.run_until(time)?;
            }
            before = sample.time;
            each(index, simulation.state());
        }
        Ok(())
    }

    /// The errors of one toss; `None` if it never comes near the table or ends there.
    pub fn score(&self, simulation: &mut Simulation, toss: &Toss) -> Result<Option<Score>, StepError> {
        let mut comparison = Comparison::new(self.width);
        self.simulate(simulation, toss, |index, state| comparison.add(&toss.samples[index].q, &state.q))?;
        Ok(comparison.score())
    }
}

/// Velocity at the end of a flight: linear in world, angular in the body frame.
fn flight(samples: &[Sample], gravity: f64) -> (Vector3<f64>, Vector3<f64>) {
    let (first, last) = (&samples[0], &samples[samples.len() - 1]);
    let duration = last.time - first.time;
    let mut velocity = (place(&last.q) - place(&first.q)) / duration;
    // z + g t²/2 = z₀ + w t, least squares for w; the velocity at the end is w − g T.
    let count = samples.len() as f64;
    let lifted = |s: &Sample| s.q[2] + 0.5 * gravity * (s.time - first.time).powi(2);
    let (mut t_mean, mut z_mean) = (0.0, 0.0);
    for s in samples {
        t_mean += (s.time - first.time) / count;
        z_mean += lifted(s) / count;
    }
    let (mut tz, mut tt) = (0.0, 0.0);
    for s in samples {
        let t = s.time - first.time - t_mean;
        tz += t * (lifted(s) - z_mean);
        tt += t * t;
    }
    velocity.z = tz / tt - gravity * duration;
    // In the body frame: R₁ = R₀ exp(ω T). The net rotation may pass half a turn; take the branch nearest to the
    // recorded spin.
    let net = (turn(&first.q).inverse() * turn(&last.q)).scaled_axis();
    let guess = Vector3::new(last.v[3], last.v[4], last.v[5]) * duration;
    let spin = nearest_branch(net, guess) / duration;
    (velocity, spin)
}

/// Of the rotation vectors of the same rotation, the one nearest to `guess`.
fn nearest_branch(net: Vector3<f64>, guess: Vector3<f64>) -> Vector3<f64> {
    let angle = net.norm();
    if angle < 1e-9 {
        return net;
    }
    let axis = net / angle;
    let mut best = net;
    for turns in -3..=3 {
        let other = axis * (angle + turns as f64 * std::f64::consts::TAU);
        if (other - guess).norm() < (best - guess).norm() {
            best = other;
        }
    }
    best
}

/// The position of a free body's q.
pub(crate) fn place(q: &[f64]) -> Vector3<f64> {
    Vector3::new(q[0], q[1], q[2])
}

/// The rotation of a free body's q.
pub(crate) fn turn(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_velocity_of_a_free_flight_is_found(
            v in prop::array::uniform3(-2.0f64..2.0),
            w in prop::array::uniform3(-25.0f64..25.0),
            count in 5usize..20,
        ) {
            let (v, w) = (Vector3::from(v), Vector3::from(w));
            let samples: Vec<Sample> = (0..count)
                .map(|k| {
                    let t = k as f64 / 148.0;
                    let p = v * t - Vector3::z() * (4.905 * t * t);
                    let r = UnitQuaternion::from_scaled_axis(w * t);
                    let q = vec![p.x, p.y, p.z, r.w, r.i, r.j, r.k];
                    Sample { time: t, q, v: vec![0.0, 0.0, 0.0, w.x + 1.0, w.y, w.z - 1.0] }
                })
                .collect();
            let (velocity, spin) = flight(&samples, 9.81);
            let end = v - Vector3::z() * (9.81 * (count - 1) as f64 / 148.0);
            prop_assert!((velocity - end).norm() < 1e-9);
            prop_assert!((spin - w).norm() < 1e-6, "{spin} {w}");
        }
    }
}
