//! The body that touches, at one instant.

use crate::error::LawError;
use nalgebra::{Matrix3, Vector3, Vector6};

/// A rigid body at an instant. World frame, SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyInstant {
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about the centre of mass, axes of the world, kg m².
    pub inertia_w: Matrix3<f64>,
    /// Centre of mass, m.
    pub com: Vector3<f64>,
    /// Velocity [angular; linear of the centre of mass] after all forces but contact acted for the step: q̇⁽¹⁾ of
    /// Algorithm 1, line 1.
    pub twist: Vector6<f64>,
}

impl BodyInstant {
    /// The length that makes rotations comparable to translations: √(tr I / 2m), m.
    pub fn length(&self) -> f64 {
        (self.inertia_w.trace() / (2.0 * self.mass)).sqrt()
    }

    /// Velocity after a wrench impulse [torque about the centre of mass; force], N m s and N s.
    pub fn after(&self, wrench: &Vector6<f64>) -> Vector6<f64> {
        let torque = wrench.fixed_rows::<3>(0).into_owned();
        // The inertia was checked when the patch was made; a singular one changes nothing.
        let spin = self.inertia_w.cholesky().map_or_else(Vector3::zeros, |c| c.solve(&torque));
        let mut twist = self.twist;
        let mut angular = twist.fixed_rows_mut::<3>(0);
        angular += spin;
        let mut linear = twist.fixed_rows_mut::<3>(3);
        linear += wrench.fixed_rows::<3>(3) / self.mass;
        twist
    }

    pub(crate) fn inverse_inertia(&self) -> Result<Matrix3<f64>, LawError> {
        let bad = |what, positive| Err(LawError::Number { what, positive });
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            return bad("the body's mass", true);
        }
        if !self.twist.iter().chain(self.com.iter()).all(|x| x.is_finite()) {
            return bad("the body's state", false);
        }
        let factor =
            self.inertia_w.iter().all(|x| x.is_finite()).then(|| self.inertia_w.cholesky()).flatten();
        match factor {
            Some(factor) => Ok(factor.inverse()),
            None => bad("the body's inertia", true),
        }
    }
}
