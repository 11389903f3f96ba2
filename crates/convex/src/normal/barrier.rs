//! Barriers for rigid contact, without dissipation (ICF section IV-A, IV-B).
//!
//! ```text
//! potential   U(x), x < 0 the signed penetration;   force f = dU/dx;   N(v) = −U(x0 − δt v)
//! impulse     n(v) = δt f(x),   slope n′(v) = −δt² f′(x)
//! log         U = −κ ln(−x)                               f = −κ/x                         (eq. 9, 10)
//! clamped     U = −κ (x + d̂)₊² ln(−x/d̂)                   f = κ y [−y/x − 2 ln(−x/d̂)],  y = (x + d̂)₊
//! domain      x < 0, that is v > x0/δt
//! ```
//!
//! The sign of the first term of the clamped force is wrong in ICF eq. 12; differentiate eq. 11 to see it.
//! Outside its domain a barrier evaluates to an infinite impulse, which the line search reads as a wall.

use super::{NormalInput, NormalValue};

const WALL: NormalValue =
    NormalValue { impulse: f64::INFINITY, slope: f64::NEG_INFINITY, antiderivative: f64::NEG_INFINITY };

/// Force of the logarithmic barrier, N; zero where it is violated.
pub fn force_log(kappa: f64, x: f64) -> f64 {
    if x < 0.0 { -kappa / x } else { 0.0 }
}

/// n, n′ and N of the logarithmic barrier.
pub fn evaluate_log(kappa: f64, input: &NormalInput, v: f64) -> NormalValue {
    let (dt, x) = (input.dt, input.penetration - input.dt * v);
    if x >= 0.0 {
        return WALL;
    }
    NormalValue {
        impulse: -dt * kappa / x,
        slope: -dt * dt * kappa / (x * x),
        antiderivative: kappa * (-x).ln(),
    }
}

/// Force of the clamped barrier, N; zero where it is violated.
pub fn force_clamped(kappa: f64, range: f64, x: f64) -> f64 {
    let y = x + range;
    if x < 0.0 && y > 0.0 { kappa * y * (-y / x - 2.0 * (-x / range).ln()) } else { 0.0 }
}

/// n, n′ and N of the clamped barrier.
pub fn evaluate_clamped(kappa: f64, range: f64, input: &NormalInput, v: f64) -> NormalValue {
    let (dt, x) = (input.dt, input.penetration - input.dt * v);
    if x >= 0.0 {
        return WALL;
    }
    let y = x + range;
    if y <= 0.0 {
        return NormalValue::default();
    }
    let log = (-x / range).ln();
    let ratio = y / x;
    NormalValue {
        impulse: dt * kappa * y * (-ratio - 2.0 * log),
        // d²U/dx² = κ [ (y/x)² − 4 y/x − 2 ln(−x/d̂) ], each term ≥ 0 on the domain.
        slope: -dt * dt * kappa * (ratio * ratio - 4.0 * ratio - 2.0 * log),
        antiderivative: kappa * y * y * log,
    }
}
