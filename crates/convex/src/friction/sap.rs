//! SAP: linear spring, linear dissipation, projection on the friction cone (Castro, Permenter, Han 2022).
//!
//! ```text
//! R_n⁻¹ = min(4π²/(β² w), δt k (δt + τ_d)),  β = 1      R_t = σ w
//! y_t = −v_t/R_t,   y_n = (v̂ − v_n)/R_n,   v̂ = x0/(δt + τ_d),   y_r = ‖y_t‖
//! μ̂ = μ R_t/R_n,   μ̃² = μ² R_t/R_n
//! law     stick   y_n > 0, y_r < μ y_n      γ = y
//!         slide   else −μ̂ y_r < y_n         γ_n = (y_n + μ̂ y_r)/(1 + μ̃²),  γ_t = μ γ_n ŷ_t
//!         apart   otherwise                 γ = 0
//! cost    ½ γᵀ R γ  (less the constant ½ R_n y_n(0)² for k = 0, whose R_n is infinite)
//! Hessian (∂γ/∂y) R⁻¹
//! ```
//!
//! With τ_d = 0, without near-rigid limit, the normal impulse is δt (f0 − δt k v_n), the linear law's.

use super::{Coefficients, Friction, Response, TINY};
use crate::number::{Number, Scalar};
use std::f64::consts::PI;

/// Near-rigid parameter β of contacts.
pub const NEAR_RIGID_BETA: f64 = 1.0;

/// The SAP model.
pub struct Sap;

/// 1/R_t and 1/(1 + μ̃²).
#[inline(always)]
fn constants<T: Number>(c: &Coefficients<T>) -> (T, T) {
    let (inv_rn, rt, mu) = (c.stiffness, c.loss, c.friction);
    let inv_rt = rt.max(T::constant(f64::MIN_POSITIVE)).recip();
    (inv_rt, T::constant(1.0).plus(mu * mu, rt * inv_rn).recip())
}

impl Friction for Sap {
    const STICKS: bool = true;

    #[inline(always)]
    fn measure<T: Number>(slip_squared: T, _: T) -> T {
        slip_squared
    }

    #[inline(always)]
    fn respond<T: Number>(c: &Coefficients<T>, root: T, y_n: T, _: (T, T)) -> Response<T> {
        let (zero, tiny) = (T::zero(), T::constant(TINY));
        let (inv_rt, scale) = constants(c);
        let speed = root.max(tiny);
        let inv_speed = speed.recip();
        // Slide: γ_n = (y_n + μ̂ y_r)/(1 + μ̃²), with μ̂ y_r = μ ‖v_t‖/R_n.
        let slide_n = (y_n.plus(c.friction * c.stiffness, speed) * scale).max(zero);
        // Stick: ‖v_t‖ < μ R_t y_n.
        let reach = c.friction * c.loss * y_n;
        let pick = |slide: T, stick: T| reach.if_above(speed, stick, slide);
        Response {
            gamma_n: pick(slide_n, y_n),
            a: pick(c.friction * slide_n * inv_speed, inv_rt),
            g: pick(slide_n.if_above(zero, c.stiffness * scale, zero), c.stiffness),
            mu_c: pick(c.friction, zero),
            direction: pick(inv_speed, zero),
            inv_root: pick(inv_speed, reach.max(tiny).recip()),
        }
    }
}

/// The coefficients from step δt, elastic force f0, stiffness k, relaxation time τ_d, friction μ, σ and the Delassus
/// estimate w (1/kg), with the near-rigid limit multiplied by `load`.
#[allow(clippy::too_many_arguments)]
pub(crate) fn coefficients<T: Scalar>(
    dt: f64,
    f0: T,
    k: T,
    tau: T,
    mu: T,
    sigma: f64,
    w: T,
    load: f64,
) -> Coefficients<T> {
    let (dt, span) = (T::constant(dt), T::constant(dt) + tau);
    let compliant = dt * k * span;
    let rigid = T::constant(4.0 * PI * PI * load) / (T::constant(NEAR_RIGID_BETA * NEAR_RIGID_BETA) * w);
    // R_n⁻¹ v̂ with v̂ = f0/(k (δt + τ)), written so that k → 0 is safe.
    let (stiffness, offset) = if compliant.value() <= rigid.value() {
        (compliant, dt * f0)
    } else {
        (rigid, rigid * f0 / (k * span))
    };
    // A point that does not move at all (w = 0) still needs a finite 1/R_t.
    let loss = (T::constant(sigma) * w).max(T::constant(1e-100));
    Coefficients { offset, stiffness, loss, friction: mu, epsilon: T::zero() }
}

/// ℓ at slip speed and normal velocity, J.
pub(crate) fn cost(c: &Coefficients, speed: f64, v_n: f64) -> f64 {
    let (mu, rt, y0) = (c.friction, c.loss, c.offset);
    let (inv_rt, scale) = constants(c);
    let y_n = y0 - c.stiffness * v_n;
    let r = Sap::respond(c, speed, y_n, (0.0, 0.0));
    if r.gamma_n <= 0.0 && r.a == 0.0 {
        return normal_cost(c, 0.0, 0.0);
    }
    if r.direction == 0.0 {
        return normal_cost(c, y_n, -v_n) + 0.5 * inv_rt * speed * speed;
    }
    // R_n (γ_n − y0), finite even if R_n is infinite.
    let delta = (-v_n + mu * speed - mu * mu * rt * y0) * scale;
    normal_cost(c, r.gamma_n, delta) + 0.5 * rt * mu * mu * r.gamma_n * r.gamma_n
}

/// ℓ along the normal alone, J.
pub(crate) fn cost_without_friction(c: &Coefficients, v_n: f64) -> f64 {
    let y = c.offset - c.stiffness * v_n;
    if y > 0.0 { normal_cost(c, y, -v_n) } else { normal_cost(c, 0.0, 0.0) }
}

/// ½ R_n γ_n², or without its infinite constant when k = 0; `delta` is R_n (γ_n − y0).
fn normal_cost(c: &Coefficients, gamma: f64, delta: f64) -> f64 {
    if c.stiffness > 0.0 { 0.5 * gamma * gamma / c.stiffness } else { 0.5 * delta * (gamma + c.offset) }
}
