//! Lagged friction (ICF eq. 29–33).
//!
//! ```text
//! law        γ_t = −m f(s) t̂,   s = ‖v_t‖/ε,   m = μ γ_n0 with the previous state's normal impulse
//! cost       ℓ_t = m ε F(s)                                       (soft: m ‖v_t‖_s)
//! Hessian    m [ f′(s)/ε t̂t̂ᵀ + f(s)/‖v_t‖ (I − t̂t̂ᵀ) ]              (soft: m P⊥(t̂_s)/√(‖v_t‖²+ε²))
//! ```
//!
//! The normal part is the normal law's own, −N(v_n): the two are separable.

use super::ContactValue;
use crate::friction::Regularizer;

/// Largest stiffness of a contact in effective masses, of the normal law a step (δt² k w) and of friction near rest
/// (m w/ε): beyond it the factorisation would lose the masses, which are 1e−16 of it and less. A contact at the
/// limit yields g δt²/1e13 more than a rigid one: nothing.
pub const RESOLVED: f64 = 1e13;

/// Friction's part of the contact value at slip `v_t`; the normal part is left zero.
pub fn friction(regularizer: &Regularizer, limit: f64, epsilon: f64, v_t: [f64; 2]) -> ContactValue {
    let [x, y] = v_t;
    let speed = (x * x + y * y).sqrt();
    let value = regularizer.evaluate(speed / epsilon);
    // At rest t̂ is undefined, but f/‖v_t‖ → f′(0)/ε and the Hessian is isotropic.
    let along = value.slope / epsilon;
    let (across, tx, ty) =
        if speed > 0.0 { (value.f / speed, x / speed, y / speed) } else { (along, 0.0, 0.0) };
    let difference = along - across;
    ContactValue {
        cost: limit * epsilon * value.antiderivative,
        impulse: [-limit * value.f * tx, -limit * value.f * ty, 0.0],
        hessian: [
            [limit * (across + difference * tx * tx), limit * difference * tx * ty, 0.0],
            [limit * difference * tx * ty, limit * (across + difference * ty * ty), 0.0],
            [0.0; 3],
        ],
    }
}
