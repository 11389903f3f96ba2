//! The step whose forces are differentiated. Each force has its closed form in its own file
//! ([`crate::forces::Force::derivatives`]).
//!
//! With A_kk = M_kk plus the contributions of damping, springs and servos, a force on coordinate k adds its terms to
//! the residual r of the step.

use super::Columns;
use crate::model::Model;
use crate::state::State;
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::Kinematics;
use nalgebra::DMatrix;

/// A solved step.
pub(crate) struct DifferentiatedStep<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub kinematics: &'a Kinematics,
    pub free: &'a FreeMotion,
    pub dt: f64,
    /// v⁺.
    pub v: &'a [f64],
    /// ∂M_kk/∂q_j.
    pub diagonal: &'a DMatrix<f64>,
    pub columns: Columns,
}

/// Slope of a function by central differences.
pub(crate) fn slope(x: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let h = 1e-6 * x.abs().max(1.0);
    (f(x + h) - f(x - h)) / (2.0 * h)
}
