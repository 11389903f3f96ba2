//! Hertz's spring with Hunt & Crossley dissipation: an instance of ICF eq. 5.
//!
//! ```text
//! law       f_n(x, ẋ) = k x₊^{3/2} (1 + d ẋ)₊              k in N/m^{3/2}; a sphere has (4/3) E* √R
//! impulse   n(v)  = δt k x^{3/2} (1 − d v)₊,   x = (x0 − δt v)₊
//! slope     n′(v) = −δt k [(3/2) δt x^{1/2} (1 − d v) + d x^{3/2}]
//! cost      −N(v),  N = −k [(2/5) x^{5/2} (1 − d x0/δt) + (2/7) (d/δt) x^{7/2}] − N(v̂)
//! border    v̂ = min(x0/δt, 1/d)
//! ```

use super::{NormalInput, NormalValue};

/// Force in newtons.
pub fn force(input: &NormalInput, x: f64, x_dot: f64) -> f64 {
    let x = x.max(0.0);
    input.stiffness * x * x.sqrt() * (1.0 + input.dissipation * x_dot).max(0.0)
}

/// n, n′ and N at normal velocity `v`.
pub fn evaluate(input: &NormalInput, v: f64) -> NormalValue {
    let NormalInput { dt, penetration: x0, stiffness: k, dissipation: d, .. } = *input;
    let x = x0 - dt * v;
    let damping = 1.0 - d * v;
    if x <= 0.0 || damping <= 0.0 {
        return NormalValue::default();
    }
    let root = x.sqrt();
    // From v to the border: x falls to x_hat and N vanishes there.
    let x_hat = if d > 0.0 { (x0 - dt / d).max(0.0) } else { 0.0 };
    let primitive = |x: f64| {
        let x52 = x * x * x.sqrt();
        -k * (0.4 * x52 * (1.0 - d * x0 / dt) + (2.0 / 7.0) * (d / dt) * x52 * x)
    };
    NormalValue {
        impulse: dt * k * x * root * damping,
        slope: -dt * k * (1.5 * dt * root * damping + d * x * root),
        antiderivative: primitive(x) - primitive(x_hat),
    }
}
