//! The field's way to compare a simulation with recorded tosses (Acosta, Yang, Posa, RA-L 2022).
//!
//! A toss is simulated from three samples before the body could first touch the table to its end, and compared at every
//! sample. Where enough of the flight was seen before, the start velocity is fitted to it: horizontal velocity by the
//! flight's end points, vertical velocity by least squares under gravity, spin by the net rotation. Of a mechanism it is the
//! centre of mass that flies so; the rates of its joints are the slopes of straight lines.

use crate::dataset::{Sample, Toss};
use crate::flight::{flight, flight_of_joints};
use crate::score::{Comparison, Score};
use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use stiction::model::{JointKind, Shape};
use stiction::multibody::{QuaternionStep, Workspace};
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
    /// Balls around the geoms: their lowest point determines when the model could first touch.
    pub balls: Vec<Ball>,
    /// Length by which position errors are divided, m.
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

/// Why a toss cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unusable {
    /// It ends before the model could touch the table; its lowest ball stays so far above it, m.
    Aloft(f64),
    /// No sample follows the one that it is simulated from.
    Short,
}

impl Protocol {
    /// The protocol for a model: balls around its colliding geoms, the side of the cube in the largest of them as width.
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
        // What follows the free joint must have a rate that is the slope of its position.
        let plain = world.joints().skip(1).all(|(_, joint)| joint.kind.nv() == 1);
        let gravity = if model.nq() == 7 { 9.81 } else { world.options.gravity.norm() };
        Ok(Self { balls, width, lead: 3, least_flight: plain.then_some(4), gravity, step: 1.0 / 1480.0 })
    }

    /// The first sample at which the model could touch the table; of a mechanism, before the next sample, for of several
    /// parts one may have touched and left between two.
    pub fn first_touch(&self, model: &Model, toss: &Toss) -> Option<usize> {
        let at_origin = self.balls.iter().all(|b| b.body == 1 && b.centre == Vector3::zeros());
        let mut workspace = Workspace::new(model.multibody());
        let interval = match &toss.samples[..] {
            [first, .., last] => (last.time - first.time) / (toss.samples.len() - 1) as f64,
            _ => 0.0,
        };
        toss.samples.iter().position(|sample| {
            if at_origin {
                return self.balls.iter().any(|b| sample.q[2] <= b.radius);
            }
            let mut could = |q: &[f64]| {
                model.multibody().positions(q, &mut workspace);
                self.balls.iter().any(|b| {
                    let centre = model.multibody().pose(&workspace, b.body) * Point3::from(b.centre);
                    centre.z <= b.radius
                })
            };
            let mut next = sample.q.clone();
            let exponential = QuaternionStep::Exponential;
            model.multibody().integrate(&sample.q, &sample.v, interval, exponential, &mut next);
            could(&sample.q) || could(&next)
        })
    }

    /// Why a toss cannot be compared; `None` if it can.
    pub fn unusable(&self, model: &Model, toss: &Toss) -> Option<Unusable> {
        match self.first_touch(model, toss) {
            None => Some(Unusable::Aloft(self.clearance(model, toss))),
            Some(at) if at.saturating_sub(self.lead) + 1 >= toss.samples.len() => Some(Unusable::Short),
            Some(_) => None,
        }
    }

    /// The least height of a ball's lowest point above the table at any sample, m.
    fn clearance(&self, model: &Model, toss: &Toss) -> f64 {
        let mut workspace = Workspace::new(model.multibody());
        let mut least = f64::INFINITY;
        for sample in &toss.samples {
            model.multibody().positions(&sample.q, &mut workspace);
            for ball in &self.balls {
                let centre = model.multibody().pose(&workspace, ball.body) * Point3::from(ball.centre);
                least = least.min(centre.z - ball.radius);
            }
        }
        least
    }

    /// Where a toss is simulated from: the index of its sample, and the state there. `None` if it never comes near the
    /// table.
    pub fn start(&self, model: &Model, toss: &Toss) -> Option<(usize, Sample)> {
        let at = self.first_touch(model, toss)?.saturating_sub(self.lead);
        let mut sample = toss.samples[at].clone();
        if self.least_flight.is_some_and(|least| at >= least) {
            let flown = &toss.samples[..=at];
            if sample.q.len() == 7 {
                let (velocity, spin) = flight(flown, self.gravity);
                sample.v[..3].copy_from_slice(velocity.as_slice());
                sample.v[3..6].copy_from_slice(spin.as_slice());
            } else if let Some(v) = flight_of_joints(model, flown, self.gravity) {
                sample.v = v;
            }
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

    #[test]
    fn a_toss_that_ends_aloft_or_at_its_start_cannot_be_compared() {
        let model = Model::from_scene("cube_toss").expect("it is built in");
        let protocol = Protocol::of(&model).expect("a cube is tossed");
        let touch = protocol.balls[0].radius;
        let toss = |heights: &[f64]| {
            let sample = |(k, z): (usize, &f64)| Sample {
                time: k as f64 / 148.0,
                q: vec![0.0, 0.0, *z, 1.0, 0.0, 0.0, 0.0],
                v: vec![0.0; 6],
            };
            Toss { number: 0, samples: heights.iter().enumerate().map(sample).collect() }
        };
        let aloft = protocol.unusable(&model, &toss(&[touch + 0.3, touch + 0.2]));
        assert!(matches!(aloft, Some(Unusable::Aloft(by)) if (by - 0.2).abs() < 1e-12), "{aloft:?}");
        assert_eq!(protocol.unusable(&model, &toss(&[0.5 * touch])), Some(Unusable::Short));
        assert_eq!(protocol.unusable(&model, &toss(&[touch + 0.1, 0.5 * touch])), None);
    }
}
