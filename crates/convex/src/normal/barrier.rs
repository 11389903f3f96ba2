//! Barriers for rigid contact, without dissipation (ICF section IV-A, IV-B).
//!
//! ```text
//! potential   U(x), x < 0 the signed penetration;   force f = dU/dx
//! log         U = −κ ln(−x)                  f = −κ/x                               (eq. 9, 10)
//! clamped     U = −κ y² ln(−x/d̂)             f = κ y [−y/x − 2 ln(−x/d̂)],   y = (x + d̂)₊
//! domain      x < 0, that is v > x0/δt
//! ```
//!
//! The sign of the first term of the clamped force is wrong in ICF eq. 12; differentiate eq. 11 to see it.
//! Outside its domain the force of a barrier is infinite, so the line search never leaves the domain.

use crate::number::Scalar;

/// f and f′ of the logarithmic barrier of weight κ (J) at penetration x.
pub(crate) fn log<T: Scalar>(kappa: f64, x: T) -> (T, T) {
    if x.value() >= 0.0 {
        return wall();
    }
    let force = T::constant(-kappa) / x;
    (force, -force / x)
}

/// U of the logarithmic barrier, J.
pub(crate) fn log_potential(kappa: f64, x: f64) -> f64 {
    if x >= 0.0 { f64::INFINITY } else { -kappa * (-x).ln() }
}

/// f and f′ of the clamped barrier of weight κ (N/m) that acts below the distance d̂ (m) at penetration x.
pub(crate) fn clamped<T: Scalar>(kappa: f64, range: f64, x: T) -> (T, T) {
    if x.value() >= 0.0 {
        return wall();
    }
    let y = x + T::constant(range);
    if y.value() <= 0.0 {
        return (T::zero(), T::zero());
    }
    let kappa = T::constant(kappa);
    let log = (-x / T::constant(range)).ln();
    let (ratio, twice) = (y / x, log + log);
    // d²U/dx² = κ [(y/x)² − 4 y/x − 2 ln(−x/d̂)], each term ≥ 0 on the domain.
    (kappa * y * (-ratio - twice), kappa * (ratio * ratio - T::constant(4.0) * ratio - twice))
}

/// U of the clamped barrier, J.
pub(crate) fn clamped_potential(kappa: f64, range: f64, x: f64) -> f64 {
    let y = (x + range).max(0.0);
    if x >= 0.0 {
        return f64::INFINITY;
    }
    if y > 0.0 { -kappa * y * y * (-x / range).ln() } else { 0.0 }
}

fn wall<T: Scalar>() -> (T, T) {
    (T::constant(f64::INFINITY), T::constant(f64::INFINITY))
}
