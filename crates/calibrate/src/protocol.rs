//! The field's way to compare a simulation with recorded tosses (Acosta, Yang, Posa, RA-L 2022).
//!
//! A toss is simulated from three samples before the body could first touch the table to its end, and compared at every
//! sample. Where enough of the flight was seen before, the start velocity is fitted to it: horizontal velocity by the
//! flight's end points, vertical velocity by least squares under gravity, spin by the net rotation. Of a mechanism it is the
//! centre of mass that flies so; the rates of its joints are the slopes of straight lines.

use crate::dataset::{Sample, Toss};
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

/// How far off the parabola a mechanism's centre of mass may be recorded, m: a marker may be lost for a moment.
const OFF_FLIGHT: f64 = 0.003;

/// The velocity of a mechanism at the end of a flight, from the whole of it or, where it is recorded badly, its last half
/// or its last four steps; none if that is no flight either.
fn flight_of_joints(model: &Model, samples: &[Sample], gravity: f64) -> Option<Vec<f64>> {
    let mut workspace = Workspace::new(model.multibody());
    // The flight of a body in the place of the centre of mass, turned as the first body is.
    let centre: Vec<Sample> = samples
        .iter()
        .map(|s| {
            let mut centre = Sample { q: s.q[..7].to_vec(), ..s.clone() };
            centre.q[..3].copy_from_slice(centre_of_mass(model, &mut workspace, &s.q).as_slice());
            centre
        })
        .collect();
    let count = samples.len();
    let first = [0, count / 2, count.saturating_sub(5)]
        .into_iter()
        .find(|&first| count - first >= 5 && off_flight(&centre[first..], gravity) <= OFF_FLIGHT)?;
    let (samples, centre) = (&samples[first..], &centre[first..]);
    let (velocity, spin) = flight(centre, gravity);
    let last = &samples[samples.len() - 1];
    let mut v = vec![0.0; model.nv()];
    v[3..6].copy_from_slice(spin.as_slice());
    for (k, rate) in v[6..].iter_mut().enumerate() {
        *rate = slope(samples, 7 + k);
    }
    // The first body moves so that the centre of mass moves as it was seen to.
    let h = 1e-6;
    let mut moved = |h: f64| {
        let mut q = vec![0.0; model.nq()];
        model.multibody().integrate(&last.q, &v, h, QuaternionStep::Exponential, &mut q);
        centre_of_mass(model, &mut workspace, &q)
    };
    let own = (moved(h) - moved(-h)) / (2.0 * h);
    v[..3].copy_from_slice((velocity - own).as_slice());
    Some(v)
}

/// The largest distance of recorded positions from the flight that ends at the last of them, m.
fn off_flight(samples: &[Sample], gravity: f64) -> f64 {
    let (velocity, _) = flight(samples, gravity);
    let last = &samples[samples.len() - 1];
    let distance = |s: &Sample| {
        let t = s.time - last.time;
        let fall = Vector3::z() * (0.5 * gravity * t * t);
        (place(&last.q) + velocity * t - fall - place(&s.q)).norm()
    };
    samples.iter().map(distance).fold(0.0, f64::max)
}

fn centre_of_mass(model: &Model, workspace: &mut Workspace, q: &[f64]) -> Vector3<f64> {
    model.multibody().positions(q, workspace);
    let (mut mass, mut moment) = (0.0, Vector3::zeros());
    for (body, b) in model.world().bodies.iter().enumerate().skip(1) {
        let com = model.multibody().pose(workspace, body) * Point3::from(b.inertia.com);
        mass += b.inertia.mass;
        moment += com.coords * b.inertia.mass;
    }
    moment / mass
}

/// Slope of a straight line through an angle, whole turns taken out.
fn slope(samples: &[Sample], index: usize) -> f64 {
    let (mut turned, mut before) = (0.0, samples[0].q[index]);
    let count = samples.len() as f64;
    let angles: Vec<f64> = samples
        .iter()
        .map(|s| {
            let step = s.q[index] - before;
            turned += step.sin().atan2(step.cos());
            before = s.q[index];
            turned
        })
        .collect();
    let t_mean = samples.iter().map(|s| s.time).sum::<f64>() / count;
    let (mut ta, mut tt) = (0.0, 0.0);
    for (s, angle) in samples.iter().zip(&angles) {
        ta += (s.time - t_mean) * angle;
        tt += (s.time - t_mean).powi(2);
    }
    ta / tt
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

    #[test]
    fn the_velocity_of_a_flying_mechanism_is_found() {
        let model = Model::from_scene("elbow_toss").expect("it is built in");
        let options = stiction::Options { step: 1.0 / 1480.0, ..Default::default() };
        let mut simulation = Simulation::new(&model, options).expect("options are fine");
        let state = simulation.state_mut();
        state.q[2] = 1.0;
        state.v.copy_from_slice(&[0.5, -0.4, 0.2, 1.5, -1.0, 2.0, 3.0]);
        let mut samples = Vec::new();
        for k in 0..12 {
            let state = simulation.state();
            samples.push(Sample { time: k as f64 / 148.0, q: state.q.clone(), v: state.v.clone() });
            simulation.step(10).expect("it flies");
        }
        let gravity = model.world().options.gravity.norm();
        let v = flight_of_joints(&model, &samples, gravity).expect("it is a flight");
        let truth = &samples[11].v;
        // Spin and hinge change in flight; what is found is their mean over it.
        for (k, tolerance) in [0.03, 0.03, 0.03, 0.25, 0.25, 0.25, 0.25].into_iter().enumerate() {
            assert!((v[k] - truth[k]).abs() < tolerance, "{k}: {} against {}", v[k], truth[k]);
        }
        // A glitch early in the recording does not count, one at its end leaves no flight.
        samples[2].q[0] += 0.05;
        let again = flight_of_joints(&model, &samples, gravity).expect("its end is a flight");
        assert!((again[0] - v[0]).abs() < 0.03);
        samples[10].q[0] += 0.05;
        assert!(flight_of_joints(&model, &samples, gravity).is_none());
    }

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
