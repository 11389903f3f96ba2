//! The Similar model (ICF eq. 34–40): normal and friction impulses both follow one grouping of velocities.
//!
//! ```text
//! grouping   z = v_n − μ ε F(s),   s = ‖v_t‖/ε                    (soft: v_n − μ‖v_t‖_s)
//! law        γ_n = n(z),   γ_t = −μ f(s) n(z) t̂
//! cost       ℓ = −N(z)
//! Hessian    G_nn = −n′,   G_tn = μ f n′ t̂
//!            G_tt = μ n [ f′/ε t̂t̂ᵀ + f/‖v_t‖ (I − t̂t̂ᵀ) ] − μ² f² n′ t̂t̂ᵀ
//! ```
//!
//! **Near-rigid limit.** A stiff contact of this model is a stiff cone, z ≥ v̂, along whose curved face Newton's steps
//! must creep. A contact stiffer than any step can resolve is therefore taken as 10⁷/(w (1 + μ²)), w its effective
//! inverse mass and −n′ (1 + μ²) the larger eigenvalue of G (SAP has 4π²/w): where δt² k + δt d f0₊ exceeds that, k and f0
//! are scaled down together, which keeps x0 = f0/k. A load of mass M at rest then sinks by M w g δt² (1 + μ²)/10⁷ instead
//! of M g/k: for a body on the ground with μ ≤ 1, M w is 1 or 2 (4e−10 m at 10 ms), but where heavy rests on light it
//! is the ratio of their masses (0.2 mm at 10 ms and a ratio of 10⁶).
//!
//! ICF eq. 40 prints G_tt only, without one of its μ; the blocks above are derivatives of eq. 35.

use super::ContactValue;
use crate::friction::Regularizer;
use crate::normal::NormalValue;

/// Largest eigenvalue of G in effective masses: the near-rigid limit.
pub const NEAR_RIGID: f64 = 1e7;

/// Cost, impulse and Hessian at contact velocity `v`.
pub fn evaluate(
    normal: impl Fn(f64) -> NormalValue,
    regularizer: &Regularizer,
    mu: f64,
    epsilon: f64,
    v: [f64; 3],
) -> ContactValue {
    let [x, y, vn] = v;
    let speed = (x * x + y * y).sqrt();
    let r = regularizer.evaluate(speed / epsilon);
    let along = r.slope / epsilon;
    let (across, tx, ty) = if speed > 0.0 { (r.f / speed, x / speed, y / speed) } else { (along, 0.0, 0.0) };
    let n = normal(vn - mu * epsilon * r.antiderivative);
    // G_tt = across I + difference t̂t̂ᵀ
    let isotropic = mu * n.impulse * across;
    let difference = mu * n.impulse * (along - across) - mu * mu * r.f * r.f * n.slope;
    let coupling = mu * r.f * n.slope;
    ContactValue {
        cost: -n.antiderivative,
        impulse: [-mu * r.f * n.impulse * tx, -mu * r.f * n.impulse * ty, n.impulse],
        hessian: [
            [isotropic + difference * tx * tx, difference * tx * ty, coupling * tx],
            [difference * tx * ty, isotropic + difference * ty * ty, coupling * ty],
            [coupling * tx, coupling * ty, -n.slope],
        ],
    }
}
