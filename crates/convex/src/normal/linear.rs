//! Linear spring with Hunt & Crossley dissipation (ICF eq. 13–16).
//!
//! ```text
//! law       f_n(x, ẋ) = k x₊ (1 + d ẋ)₊
//! impulse   n(v)  = e₊ h₊,   e = δt (f0 − δt k v),   h = 1 − d v                f0 = k x0
//! slope     −n′(v) = δt² k h + d e                                    where n > 0, else 0
//! cost      −N(v),  N(v) = N⁺(min(v, v̂)) − N⁺(v̂)
//!           N⁺(w) = δt [w (f0 + Δf/2) − d w²/2 (f0 + 2Δf/3)],  Δf = −δt k w
//! border    v̂ = min(f0/(δt k), 1/d), a bound with a vanishing denominator dropped
//! ```
//!
//! f0 and k are separate inputs: a face of a pressure field may have k → 0 with f0 finite. The constant
//! −N⁺(v̂) differs from ICF eq. 16; it keeps the cost of speculative contacts (f0 < 0) small.

use super::NormalInput;
use crate::number::Number;

/// Hunt & Crossley dissipation: n = e₊ h₊ and −n′ from the elastic impulse e, the damping factor h, the stiffness
/// δt² ∂f/∂x and d. Every dissipative law of the penetration has this form.
#[inline(always)]
pub(crate) fn hunt_crossley<T: Number>(elastic: T, damping: T, stiffness: T, d: T) -> (T, T) {
    let zero = T::zero();
    let (elastic, damping) = (elastic.max(zero), damping.max(zero));
    let impulse = elastic * damping;
    let slope = (stiffness * damping).plus(d, elastic);
    (impulse, impulse.if_above(zero, slope, zero))
}

/// A pressure or force with Hunt & Crossley dissipation at the separating speed `v`, p (1 − d v), of either sign.
#[inline]
pub fn damped(elastic: f64, d: f64, v: f64) -> f64 {
    elastic * (1.0 - d * v)
}

/// N(v) for v below the border v̂, as minus the integral of n from v to v̂; 0 above it.
///
/// With e and h the elastic and damping factors at v and s = v̂ − v, the integrand at v + t is
/// δt (e − δt k t)(1 − d v − d t), so there is no cancellation of large numbers.
pub(crate) fn antiderivative(input: &NormalInput, v: f64) -> f64 {
    let NormalInput { dt, elastic_force: f0, stiffness: k, dissipation: d, .. } = *input;
    let (e, h) = (f0 - dt * k * v, 1.0 - d * v);
    if e <= 0.0 || h <= 0.0 {
        return 0.0;
    }
    let border = border(input);
    if border == f64::INFINITY {
        // No border (k = d = 0): a constant force, whose antiderivative is taken from v = 0.
        return dt * f0 * v;
    }
    let s = border - v;
    let kk = dt * k;
    -dt * s * (e * h - 0.5 * s * (e * d + h * kk) + s * s * kk * d / 3.0)
}

/// Velocity v̂ above which the impulse vanishes.
pub fn border(input: &NormalInput) -> f64 {
    let NormalInput { dt, elastic_force: f0, stiffness: k, dissipation: d, .. } = *input;
    let elastic = if k > 0.0 { f0 / (dt * k) } else { f64::INFINITY };
    let damping = if d > 0.0 { 1.0 / d } else { f64::INFINITY };
    elastic.min(damping)
}
