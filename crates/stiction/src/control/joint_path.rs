//! Keyframe trajectories in joint space.

use crate::Model;
use crate::control::joints::Joints;
use crate::error::InputError;

/// Positions, velocities and accelerations of some joints at an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointPoint {
    /// Positions, rad or m.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations.
    pub a: Vec<f64>,
}

impl JointPoint {
    /// At rest.
    pub fn rest(q: &[f64]) -> Self {
        Self { q: q.to_vec(), v: vec![0.0; q.len()], a: vec![0.0; q.len()] }
    }

    fn resize(&mut self, n: usize) {
        for values in [&mut self.q, &mut self.v, &mut self.a] {
            values.resize(n, 0.0);
        }
    }
}

/// A trajectory through keyframes. It stays at the first keyframe before its time and at the last one after its
/// time.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPath {
    times: Vec<f64>,
    points: Vec<Vec<f64>>,
    /// Velocities at the keyframes; none for minimum jerk.
    velocities: Option<Vec<Vec<f64>>>,
}

impl JointPath {
    /// Stops at every keyframe and moves between them with minimum jerk (quintics).
    pub fn minimum_jerk(times: &[f64], points: &[Vec<f64>]) -> Result<Self, InputError> {
        check_times(times, points.len())?;
        let n = points.first().map_or(0, Vec::len);
        for point in points {
            if point.len() != n {
                return Err(InputError::Length { what: "a keyframe", given: point.len(), needed: n });
            }
            if let Some(index) = point.iter().position(|x| !x.is_finite()) {
                return Err(InputError::NotFinite { what: "a keyframe", index, value: point[index] });
            }
        }
        Ok(Self { times: times.to_vec(), points: points.to_vec(), velocities: None })
    }

    /// Passes through the keyframes without stopping, with continuous accelerations and zero velocity at the ends
    /// (clamped cubic spline).
    pub fn cubic(times: &[f64], points: &[Vec<f64>]) -> Result<Self, InputError> {
        let path = Self::minimum_jerk(times, points)?;
        let velocities = spline_velocities(times, points);
        Ok(Self { velocities: Some(velocities), ..path })
    }

    /// Minimum-jerk trajectory through keyframes of the model at the given times.
    pub fn from_keyframes(model: &Model, joints: &Joints, keys: &[(f64, &str)]) -> Result<Self, InputError> {
        let point = |name: &str| {
            let state = model.keyframe_state(name)?;
            Ok(joints.iter().map(|j| state.q[j.q]).collect())
        };
        let points = keys.iter().map(|(_, name)| point(name)).collect::<Result<Vec<_>, InputError>>()?;
        Self::minimum_jerk(&keys.iter().map(|k| k.0).collect::<Vec<_>>(), &points)
    }

    /// Time of the last keyframe, s.
    pub fn end(&self) -> f64 {
        self.times[self.times.len() - 1]
    }

    /// Writes the reference at a time (s) to `out`, whose buffers are reused.
    pub fn at(&self, time: f64, out: &mut JointPoint) {
        out.resize(self.points[0].len());
        let (k, s, h) = segment(&self.times, time);
        for i in 0..out.q.len() {
            let (from, to) = (self.points[k][i], self.points[(k + 1).min(self.points.len() - 1)][i]);
            let [q, v, a] = match &self.velocities {
                _ if h == 0.0 => [from, 0.0, 0.0],
                None => minimum_jerk(from, to, s, h),
                Some(v) => hermite(from, to, v[k][i], v[k + 1][i], s, h),
            };
            (out.q[i], out.v[i], out.a[i]) = (q, v, a);
        }
    }
}

/// Times must increase, one for each keyframe.
pub(crate) fn check_times(times: &[f64], needed: usize) -> Result<(), InputError> {
    let given = times.len();
    if given != needed {
        return Err(InputError::Length { what: "times of keyframes", given, needed });
    }
    if times.is_empty() {
        return Err(InputError::Control("a trajectory needs at least one keyframe".into()));
    }
    if let Some(index) = times.iter().position(|t| !t.is_finite()) {
        return Err(InputError::NotFinite { what: "times of keyframes", index, value: times[index] });
    }
    match times.windows(2).find(|w| w[0] >= w[1]) {
        None => Ok(()),
        Some(w) => {
            let text = format!("keyframes at {} s and {} s: give times that increase", w[0], w[1]);
            Err(InputError::Control(text))
        }
    }
}

/// Index of the keyframe before `time`, progress to the next one (0 to 1), and the time between them, s (0 outside
/// the trajectory).
pub(crate) fn segment(times: &[f64], time: f64) -> (usize, f64, f64) {
    let last = times.len() - 1;
    // NaN counts as before the first keyframe.
    if time.is_nan() || time <= times[0] {
        return (0, 0.0, 0.0);
    }
    if time >= times[last] {
        return (last, 0.0, 0.0);
    }
    let k = times.partition_point(|t| *t <= time) - 1;
    let h = times[k + 1] - times[k];
    (k, (time - times[k]) / h, h)
}

/// The quintic from rest to rest: position, velocity, acceleration.
pub(crate) fn minimum_jerk(from: f64, to: f64, s: f64, h: f64) -> [f64; 3] {
    let d = to - from;
    let q = from + d * s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
    let v = d * 30.0 * s * s * (1.0 - s) * (1.0 - s) / h;
    let a = d * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (h * h);
    [q, v, a]
}

/// The cubic with given values and slopes at its ends: value, first and second derivative.
pub(crate) fn hermite(from: f64, to: f64, v0: f64, v1: f64, s: f64, h: f64) -> [f64; 3] {
    let (d, a, b) = (to - from, h * v0, h * v1);
    let (c2, c3) = (3.0 * d - 2.0 * a - b, a + b - 2.0 * d);
    let q = from + s * (a + s * (c2 + s * c3));
    let v = (a + s * (2.0 * c2 + 3.0 * s * c3)) / h;
    [q, v, (2.0 * c2 + 6.0 * s * c3) / (h * h)]
}

/// Velocities at the keyframes for continuous accelerations, zero at the ends (a tridiagonal system).
pub(crate) fn spline_velocities(times: &[f64], points: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (m, n) = (times.len(), points[0].len());
    let mut v = vec![vec![0.0; n]; m];
    if m < 3 {
        return v;
    }
    let h: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    for i in 0..n {
        let slope = |k: usize| (points[k + 1][i] - points[k][i]) / h[k];
        // h_k v_{k−1} + 2 (h_{k−1} + h_k) v_k + h_{k−1} v_{k+1} = 3 (h_k s_{k−1} + h_{k−1} s_k), k = 1 … m − 2
        let (mut upper, mut right) = (vec![0.0; m], vec![0.0; m]);
        for k in 1..m - 1 {
            let (below, diagonal, above) = (h[k], 2.0 * (h[k - 1] + h[k]), h[k - 1]);
            let pivot = diagonal - below * upper[k - 1];
            upper[k] = above / pivot;
            right[k] = (3.0 * (h[k] * slope(k - 1) + h[k - 1] * slope(k)) - below * right[k - 1]) / pivot;
        }
        for k in (1..m - 1).rev() {
            v[k][i] = right[k] - upper[k] * v[k + 1][i];
        }
    }
    v
}
