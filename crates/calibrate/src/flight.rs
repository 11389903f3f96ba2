//! Velocity at the end of a recorded flight: of a free body, and of a mechanism by its centre of mass.

use crate::dataset::Sample;
use crate::protocol::{place, turn};
use nalgebra::{Point3, Vector3};
use stiction::Model;
use stiction::multibody::{QuaternionStep, Workspace};

/// Velocity at the end of a flight: linear in world, angular in the body frame.
pub fn flight(samples: &[Sample], gravity: f64) -> (Vector3<f64>, Vector3<f64>) {
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

/// Largest distance of a mechanism's recorded centre of mass from the parabola, m: a marker may be lost for a moment.
const OFF_FLIGHT: f64 = 0.003;

/// The velocity of a mechanism at the end of a flight, from the whole flight or, if it is recorded badly, from its last half
/// or its last four steps; `None` if these are not on a parabola either.
pub fn flight_of_joints(model: &Model, samples: &[Sample], gravity: f64) -> Option<Vec<f64>> {
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
    // The first body moves so that the centre of mass has the measured velocity.
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

/// Slope of a straight line through an unwrapped angle.
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

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use proptest::prelude::*;
    use stiction::Simulation;

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
