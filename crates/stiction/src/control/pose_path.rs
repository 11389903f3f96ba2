//! Keyframe trajectories of poses.
//!
//! Positions move along straight lines (minimum jerk) or cubic splines; orientations R_k exp(φ(t)) with φ from 0 to
//! log(R_kᵀ R_{k+1}), the shorter way round. The angular velocity is R J_r(φ) φ̇ with the right Jacobian of SO(3),
//! J_r = 1 − (1 − cos θ)/θ² φ̂ + (θ − sin θ)/θ³ φ̂², θ = |φ|, φ̂ the matrix of φ ×.

use crate::control::joint_path::{check_times, hermite, minimum_jerk, segment, spline_velocities};
use crate::error::InputError;
use nalgebra::{Matrix3, UnitQuaternion, Vector3, Vector6};
use stiction_model::Pose;

type V3 = Vector3<f64>;

/// Desired pose and velocity of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosePoint {
    /// Pose in the world.
    pub pose: Pose,
    /// Velocity of its origin in world axes, [angular rad/s; linear m/s].
    pub twist: Vector6<f64>,
}

impl PosePoint {
    /// At rest.
    pub fn rest(pose: Pose) -> Self {
        Self { pose, twist: Vector6::zeros() }
    }
}

/// A trajectory through poses. It stays at the first pose before its time and at the last one after its time.
#[derive(Clone, Debug, PartialEq)]
pub struct PosePath {
    times: Vec<f64>,
    poses: Vec<Pose>,
    /// log(R_kᵀ R_{k+1}) of each segment, in the axes of keyframe k.
    turns: Vec<V3>,
    /// Linear (world) and angular (axes of the keyframe) velocities at the keyframes; none for minimum jerk.
    velocities: Option<(Vec<Vec<f64>>, Vec<V3>)>,
}

impl PosePath {
    /// Stops at every keyframe. Between keyframes it moves along a straight line and rotates about one axis, with
    /// minimum jerk.
    pub fn minimum_jerk(times: &[f64], poses: &[Pose]) -> Result<Self, InputError> {
        check_times(times, poses.len())?;
        for pose in poses {
            let numbers = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
            if let Some((index, value)) = numbers.copied().enumerate().find(|(_, x)| !x.is_finite()) {
                return Err(InputError::NotFinite { what: "a pose of a trajectory", index, value });
            }
        }
        let turn = |w: &[Pose]| (w[0].rotation.inverse() * w[1].rotation).scaled_axis();
        let turns = poses.windows(2).map(turn).collect();
        Ok(Self { times: times.to_vec(), poses: poses.to_vec(), turns, velocities: None })
    }

    /// Passes through the keyframes without stopping, with zero velocity at the ends: positions by the clamped cubic
    /// spline, orientations with continuous angular velocity.
    pub fn cubic(times: &[f64], poses: &[Pose]) -> Result<Self, InputError> {
        let path = Self::minimum_jerk(times, poses)?;
        let points: Vec<Vec<f64>> =
            poses.iter().map(|p| p.translation.vector.iter().copied().collect()).collect();
        let linear = spline_velocities(times, &points);
        let last = times.len() - 1;
        // The mean of the rates before and after, each weighted with the other's duration: exact for a parabola.
        let angular = |k: usize| {
            if k == 0 || k == last {
                return V3::zeros();
            }
            let (before, after) = (times[k] - times[k - 1], times[k + 1] - times[k]);
            // The rotation axis has the same components in the frames of both ends.
            let (rate_before, rate_after) = (path.turns[k - 1] / before, path.turns[k] / after);
            (rate_before * after + rate_after * before) / (before + after)
        };
        let angular = (0..times.len()).map(angular).collect();
        Ok(Self { velocities: Some((linear, angular)), ..path })
    }

    /// Minimum-jerk trajectory through poses from time `start` (s), limited by these peak speeds (m/s, rad/s).
    pub fn at_speed(start: f64, poses: &[Pose], linear: f64, angular: f64) -> Result<Self, InputError> {
        if ![linear, angular].iter().all(|speed| *speed > 0.0 && speed.is_finite()) {
            return Err(InputError::Control("a trajectory at speed needs positive speeds".into()));
        }
        let mut times = vec![start];
        for w in poses.windows(2) {
            let distance = (w[1].translation.vector - w[0].translation.vector).norm();
            let angle = w[0].rotation.angle_to(&w[1].rotation);
            // The peak speed of minimum jerk is 15/8 of the mean.
            let time = 1.875 * (distance / linear).max(angle / angular);
            times.push(times[times.len() - 1] + time.max(1e-3));
        }
        times.truncate(poses.len());
        Self::minimum_jerk(&times, poses)
    }

    /// Times of the keyframes, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Time of the first keyframe, s.
    pub fn start(&self) -> f64 {
        self.times[0]
    }

    /// Time of the last keyframe, s.
    pub fn end(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// Reference at a time, s.
    pub fn at(&self, time: f64) -> PosePoint {
        let (k, s, h) = segment(&self.times, time);
        let here = &self.poses[k];
        if h == 0.0 {
            return PosePoint::rest(*here);
        }
        let there = &self.poses[k + 1];
        let (p0, p1) = (here.translation.vector, there.translation.vector);
        let turn = self.turns[k];
        let (p, v, phi, rate) = match &self.velocities {
            None => {
                let [share, speed, _] = minimum_jerk(0.0, 1.0, s, h);
                (p0 + share * (p1 - p0), speed * (p1 - p0), share * turn, speed * turn)
            }
            Some((linear, angular)) => {
                let along = |i: usize| hermite(p0[i], p1[i], linear[k][i], linear[k + 1][i], s, h);
                let places = [along(0), along(1), along(2)];
                let (w0, w1) = (angular[k], inverse_right_jacobian(&turn) * angular[k + 1]);
                let turned = |i: usize| hermite(0.0, turn[i], w0[i], w1[i], s, h);
                let turns = [turned(0), turned(1), turned(2)];
                let pick = |a: &[[f64; 3]; 3], d: usize| V3::new(a[0][d], a[1][d], a[2][d]);
                (pick(&places, 0), pick(&places, 1), pick(&turns, 0), pick(&turns, 1))
            }
        };
        let rotation = here.rotation * UnitQuaternion::from_scaled_axis(phi);
        let spin = rotation * (right_jacobian(&phi) * rate);
        PosePoint {
            pose: Pose::from_parts(p.into(), rotation),
            twist: Vector6::new(spin.x, spin.y, spin.z, v.x, v.y, v.z),
        }
    }
}

fn right_jacobian(phi: &V3) -> Matrix3<f64> {
    let (t, x) = (phi.norm(), phi.cross_matrix());
    // Series expansion where the quotients lose precision.
    let (a, b) = if t < 1e-4 {
        (0.5 - t * t / 24.0, 1.0 / 6.0 - t * t / 120.0)
    } else {
        ((1.0 - t.cos()) / (t * t), (t - t.sin()) / (t * t * t))
    };
    Matrix3::identity() - a * x + b * x * x
}

fn inverse_right_jacobian(phi: &V3) -> Matrix3<f64> {
    let (t, x) = (phi.norm(), phi.cross_matrix());
    let c = if t < 1e-4 {
        1.0 / 12.0 + t * t / 720.0
    } else {
        // (1 + cos t)/(2 t sin t) written so that it stays finite at a half turn.
        1.0 / (t * t) - 0.5 / (t * (0.5 * t).tan())
    };
    Matrix3::identity() + 0.5 * x + c * x * x
}
