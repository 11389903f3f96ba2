//! Effect of a [`ContactCalibration`] on a contact point, evaluated at the beginning of a step.
//!
//! ```text
//! linear dissipation   f = k (x + τ ẋ)₊        n(v) = δt (f0 − (δt + τ) k v)₊: the linear law with k (1 + τ/δt) for k
//! lagged impulse       n0 = δt (f0 − k τ v_n0)₊
//! friction             μ = μ₀ exp z(points, n0/δt, ‖v_t0‖, v_n0)
//! ```
//!
//! Both normal laws are non-increasing in v, and the friction coefficient is constant during the solve. Every step
//! therefore remains a convex problem, friction dissipates and normal forces push, for any parameters of the law.

use crate::contact::file_softness::FileSoftness;
use crate::options::TangentialSprings;
use nalgebra::Vector3;
use stiction_convex::ContactEntry;
use stiction_model::{ContactCalibration, Dissipation, FrictionCalibration};

/// Load that separates light from heavy in the friction law, N.
const LOAD: f64 = 5.0;
/// Slip speed that separates slow from fast, m/s.
const SLIP: f64 = 0.2;
/// Inverse approach speed of saturation, s/m.
const APPROACH: f64 = 10.0;
/// Largest change of ln μ.
const MOST: f64 = 1.5;

/// The factor of the friction coefficient: at a point that carries `load` (N), slips at `slip` (m/s) and separates at
/// `v_n` (m/s), one of `points` that touch.
pub(crate) fn friction_factor(
    law: &FrictionCalibration,
    points: usize,
    load: f64,
    slip: f64,
    v_n: f64,
) -> f64 {
    let (l, s, a) = ((load / LOAD).ln_1p(), (slip / SLIP).ln_1p(), (-APPROACH * v_n).tanh());
    let (edge, face) = (f64::from(points == 2), f64::from(points >= 3));
    let features = [edge, face, l, l * l, s, l * s, a, a * l, face * s];
    let z: f64 = law.weights().iter().zip(features).map(|(w, x)| w * x).sum();
    z.clamp(-MOST, MOST).exp()
}

/// The calibrated contact over a step of length `dt`.
pub(crate) struct StepCalibration<'a> {
    pub law: &'a ContactCalibration,
    /// For contact points as soft as MuJoCo makes them.
    pub softness: Option<&'a FileSoftness>,
    pub springs: Option<TangentialSprings>,
    pub dt: f64,
}

impl StepCalibration<'_> {
    /// Whether the calibration depends on the state of contact points.
    pub fn reads_velocities(&self) -> bool {
        self.softness.is_some()
            || self.law.dissipation == Dissipation::Linear
            || self.law.friction != FrictionCalibration::default()
    }

    /// Changes the entry of a contact whose velocity is `v0` in its frame; returns the normal impulse that limits its
    /// friction, N s.
    pub fn apply(&self, entry: &mut ContactEntry, v0: Vector3<f64>, points: usize) -> f64 {
        let force = match self.law.dissipation {
            Dissipation::HuntCrossley => {
                entry.elastic_force.max(0.0) * (1.0 - entry.dissipation * v0.z).max(0.0)
            }
            Dissipation::Linear => {
                let damping = entry.stiffness * entry.relaxation_time;
                normal_impulse(entry, damping, self.dt, v0.z) / self.dt
            }
        };
        if self.law.friction != FrictionCalibration::default() {
            let factor = friction_factor(&self.law.friction, points, force, v0.xy().norm(), v0.z);
            entry.friction_static *= factor;
            entry.friction_dynamic *= factor;
        }
        self.dt * force
    }
}

/// Gives an entry the linear damping `damping`, N s/m, in place of its dissipation: n(v) = δt (f0 − (δt k + c) v)₊. Returns the
/// normal impulse at the separation speed `v_n` of the beginning of the step, N s.
pub(crate) fn normal_impulse(entry: &mut ContactEntry, damping: f64, dt: f64, v_n: f64) -> f64 {
    entry.stiffness += damping / dt;
    entry.dissipation = 0.0;
    dt * (entry.elastic_force - damping * v_n).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_one_without_weights_and_bounded_with_any() {
        assert_eq!(friction_factor(&FrictionCalibration::default(), 1, 7.0, 0.3, -1.0), 1.0);
        let wild = FrictionCalibration::from_weights([1e9, -1e9, 1e9, 1e9, -1e9, 1e9, 1e9, 1e9, 1e9]);
        for points in 1..5 {
            let factor = friction_factor(&wild, points, 3.0, 0.5, 0.1);
            assert!((0.2..5.0).contains(&factor), "{factor}");
        }
    }

    #[test]
    fn faces_and_edges_have_factors_of_their_own() {
        let law = FrictionCalibration { edge: -0.1, face: 0.2, ..FrictionCalibration::default() };
        let at = |points| friction_factor(&law, points, 1.0, 0.1, 0.0);
        assert_eq!(at(1), 1.0);
        assert!((at(2) - (-0.1f64).exp()).abs() < 1e-15);
        assert!((at(4) - 0.2f64.exp()).abs() < 1e-15);
    }
}
