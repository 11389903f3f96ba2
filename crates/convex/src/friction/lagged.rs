//! Lagged friction (ICF eq. 29–33).
//!
//! ```text
//! law        γ_t = −m v_t/√(‖v_t‖²+ε²),   m = μ γ_n0 with the previous state's normal impulse
//! cost       ℓ_t = m (√(‖v_t‖²+ε²) − ε)
//! Hessian    m/√ (P − t tᵀ),   t = v_t/√
//! ```
//!
//! The normal part is −N(v_n) of the normal law. The two parts are separable.

use super::{Coefficients, Friction, Response, soft_measure};
use crate::number::Number;

/// Largest stiffness of a contact in effective masses, of the normal law a step (δt² k w) and of friction near rest
/// (m w/ε): beyond it the factorisation would lose the masses, which are at most 1e−16 of it. A contact at the limit
/// yields g δt²/1e13 more than a rigid one, which is negligible.
pub const RESOLVED: f64 = 1e13;

/// The Lagged model.
pub struct Lagged;

impl Friction for Lagged {
    const SEPARABLE: bool = true;

    #[inline(always)]
    fn measure<T: Number>(slip_squared: T, epsilon: T) -> T {
        soft_measure(slip_squared, epsilon)
    }

    #[inline(always)]
    fn respond<T: Number>(c: &Coefficients<T>, root: T, _: T, (gamma_n, g): (T, T)) -> Response<T> {
        let inv_root = root.recip();
        Response { gamma_n, a: c.friction * inv_root, direction: inv_root, inv_root, g, mu_c: T::zero() }
    }
}

/// ℓ_t at the squared slip speed, J.
pub(crate) fn cost(c: &Coefficients, slip_squared: f64) -> f64 {
    // √ − ε without cancellation.
    c.friction * slip_squared / (soft_measure(slip_squared, c.epsilon).sqrt() + c.epsilon)
}
