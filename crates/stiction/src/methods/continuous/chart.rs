//! Coordinates of a step: displacement of the positions from the beginning of the step.
//!
//! q = q₀ ⊕ θ with the exponential map for quaternions, so θ has one component for each velocity and quaternions
//! keep unit length. Its rate is θ̇ = v, except for rotations, where with ω in body axes
//!
//! ```text
//! θ̇ = ω + ½ θ × ω + b θ × (θ × ω),     b = (1 − (|θ|/2) cot(|θ|/2))/|θ|²
//! ```
//!
//! A Runge–Kutta method on θ keeps its order on the rotations (Munthe-Kaas).

use nalgebra::Vector3;
use stiction_multibody::{Multibody, QuaternionStep};

/// Positions of the rotations among the coordinates.
pub(crate) struct Chart {
    /// First velocity coordinate of each.
    turns: Vec<usize>,
}

impl Chart {
    pub fn new(multibody: &Multibody) -> Self {
        let turns = multibody.joints().iter().filter_map(|joint| match joint.q.len() {
            4 => Some(joint.v.start),
            7 => Some(joint.v.start + 3),
            _ => None,
        });
        Self { turns: turns.collect() }
    }

    /// q = q₀ ⊕ θ.
    pub fn place(&self, multibody: &Multibody, q0: &[f64], theta: &[f64], q: &mut [f64]) {
        multibody.integrate(q0, theta, 1.0, QuaternionStep::Exponential, q);
    }

    /// θ̇ at θ and v.
    pub fn rate(&self, theta: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
        for &i in &self.turns {
            let turn = Vector3::new(theta[i], theta[i + 1], theta[i + 2]);
            let w = Vector3::new(v[i], v[i + 1], v[i + 2]);
            let square = turn.norm_squared();
            let b = if square < 1e-4 {
                1.0 / 12.0 + square / 720.0
            } else {
                let half = 0.5 * square.sqrt();
                (1.0 - half / half.tan()) / square
            };
            let cross = turn.cross(&w);
            let rate = w + 0.5 * cross + b * turn.cross(&cross);
            out[i..i + 3].copy_from_slice(rate.as_slice());
        }
    }

    /// The fastest rotation, rad/s.
    pub fn fastest(&self, v: &[f64]) -> f64 {
        let speed = |&i: &usize| (v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2]).sqrt();
        self.turns.iter().map(speed).fold(0.0, f64::max)
    }
}
