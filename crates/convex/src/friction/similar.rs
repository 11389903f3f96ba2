//! The Similar model (ICF eq. 34–40): normal and friction impulses both follow one grouping of velocities.
//!
//! ```text
//! grouping   z = v_n − μ (√(‖v_t‖²+ε²) − ε)
//! law        γ_n = n(z),   γ_t = −μ n(z) t,   t = v_t/√
//! cost       ℓ = −N(z)
//! Hessian    μ n/√ (P − t tᵀ) − n′ s sᵀ,   s = n̂ − μ t
//! ```
//!
//! **Near-rigid limit.** A stiff contact of this model is a stiff cone, z ≥ v̂. Newton's steps along its curved
//! surface are short. The stiffness of a contact is therefore limited to 10⁷/(w (1 + μ²)), w its effective inverse
//! mass and −n′ (1 + μ²) the larger eigenvalue of G (SAP has 4π²/w): where δt² k + δt d f0₊ exceeds that, k and f0
//! are scaled down together, which keeps x0 = f0/k. A load of mass M at rest then sinks by M w g δt² (1 + μ²)/10⁷
//! instead of M g/k: for a body on the ground with μ ≤ 1, M w is 1 or 2 (4e−10 m at 10 ms), but if a heavy body
//! rests on a light one it is the ratio of their masses (0.2 mm at 10 ms and a ratio of 10⁶).
//!
//! ICF eq. 40 prints G_tt only, without one of its μ; the Hessian above is the derivative of eq. 35.

use super::{Coefficients, Friction, Response, soft_measure};
use crate::number::Number;

/// Largest eigenvalue of G in effective masses: the near-rigid limit.
pub const NEAR_RIGID: f64 = 1e7;

/// The Similar model.
pub struct Similar;

/// The Similar model with its normal law in series with a spring (`packet`).
pub struct Shifted;

/// The grouping z of v_n and the root √(‖v_t‖²+ε²).
#[inline(always)]
pub(crate) fn grouping<T: Number>(c: &Coefficients<T>, v_n: T, root: T) -> T {
    v_n.less(c.friction, root - c.epsilon)
}

impl Friction for Similar {
    const GROUPED: bool = true;

    #[inline(always)]
    fn measure<T: Number>(slip_squared: T, epsilon: T) -> T {
        soft_measure(slip_squared, epsilon)
    }

    #[inline(always)]
    fn respond<T: Number>(c: &Coefficients<T>, root: T, _: T, (gamma_n, g): (T, T)) -> Response<T> {
        let inv_root = root.recip();
        let a = c.friction * gamma_n * inv_root;
        Response { gamma_n, a, direction: inv_root, inv_root, g, mu_c: c.friction }
    }
}

impl Friction for Shifted {
    const GROUPED: bool = true;
    const SHIFTED: bool = true;

    #[inline(always)]
    fn measure<T: Number>(slip_squared: T, epsilon: T) -> T {
        Similar::measure(slip_squared, epsilon)
    }

    #[inline(always)]
    fn respond<T: Number>(c: &Coefficients<T>, root: T, elastic: T, normal: (T, T)) -> Response<T> {
        Similar::respond(c, root, elastic, normal)
    }
}
