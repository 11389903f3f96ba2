//! SAP: linear spring, linear dissipation, projection on the friction cone (Castro, Permenter, Han 2022).
//!
//! ```text
//! R_n⁻¹ = min(4π²/(β² w), δt k (δt + τ_d)),  β = 1      R_t = σ w
//! y_t = −v_t/R_t,   y_n = (v̂ − v_n)/R_n,   v̂ = x0/(δt + τ_d),   y_r = ‖y_t‖
//! μ̂ = μ R_t/R_n,   μ̃² = μ² R_t/R_n
//! law     stick   y_n > 0, y_r ≤ μ y_n      γ = y
//!         slide   else −μ̂ y_r < y_n         γ_n = (y_n + μ̂ y_r)/(1 + μ̃²),  γ_t = μ γ_n ŷ_t
//!         apart   otherwise                 γ = 0
//! cost    ½ γᵀ R γ  (less the constant ½ R_n y_n(0)² for k = 0, whose R_n is infinite)
//! Hessian (∂γ/∂y) R⁻¹
//! ```
//!
//! With τ_d = 0, without near-rigid limit, the normal impulse is δt (f0 − δt k v_n), the linear law's.

use super::ContactValue;
use std::f64::consts::PI;

/// Near-rigid parameter β of contacts.
pub const NEAR_RIGID_BETA: f64 = 1.0;

/// The constants of one SAP contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SapLaw {
    /// 1/R_n, kg.
    pub inv_rn: f64,
    /// R_t, 1/kg.
    pub rt: f64,
    /// y_n at v_n = 0, N s.
    pub y0: f64,
    /// μ.
    pub friction: f64,
}

impl SapLaw {
    /// From step δt, elastic force f0, stiffness k, relaxation time τ_d, friction μ, σ and the Delassus
    /// estimate w (1/kg).
    pub fn new(dt: f64, f0: f64, k: f64, tau: f64, friction: f64, sigma: f64, w: f64) -> Self {
        let compliant = dt * k * (dt + tau);
        let rigid = 4.0 * PI * PI / (NEAR_RIGID_BETA * NEAR_RIGID_BETA * w);
        // R_n⁻¹ v̂ with v̂ = f0/(k (δt + τ)), written so that k → 0 is harmless.
        let (inv_rn, y0) =
            if compliant <= rigid { (compliant, dt * f0) } else { (rigid, rigid * f0 / (k * (dt + tau))) };
        // A point that does not move at all (w = 0) still needs a finite 1/R_t.
        Self { inv_rn, rt: (sigma * w).max(1e-100), y0, friction }
    }

    /// Cost, impulse and Hessian along the normal alone (no friction).
    pub fn normal(&self, vn: f64) -> (f64, f64, f64) {
        let y = self.y0 - self.inv_rn * vn;
        if y <= 0.0 {
            return (self.normal_cost(0.0, 0.0), 0.0, 0.0);
        }
        (self.normal_cost(y, -vn), y, self.inv_rn)
    }

    /// ½ R_n γ_n², or without its infinite constant when k = 0; `delta` is R_n (γ_n − y0).
    fn normal_cost(&self, gamma: f64, delta: f64) -> f64 {
        if self.inv_rn > 0.0 { 0.5 * gamma * gamma / self.inv_rn } else { 0.5 * delta * (gamma + self.y0) }
    }

    /// Cost, impulse and Hessian at contact velocity `v`.
    pub fn evaluate(&self, v: [f64; 3]) -> ContactValue {
        let Self { inv_rn, rt, y0, friction: mu } = *self;
        let inv_rt = 1.0 / rt;
        let (yx, yy, yn) = (-v[0] * inv_rt, -v[1] * inv_rt, y0 - inv_rn * v[2]);
        let yr = (yx * yx + yy * yy).sqrt();
        let mu_hat = mu * rt * inv_rn;
        let scale = 1.0 / (1.0 + mu * mu_hat); // 1/(1 + μ̃²)
        if yn > 0.0 && yr <= mu * yn {
            return ContactValue {
                cost: self.normal_cost(yn, -v[2]) + 0.5 * rt * yr * yr,
                impulse: [yx, yy, yn],
                hessian: [[inv_rt, 0.0, 0.0], [0.0, inv_rt, 0.0], [0.0, 0.0, inv_rn]],
            };
        }
        if yn <= -mu_hat * yr {
            return ContactValue { cost: self.normal_cost(0.0, 0.0), ..Default::default() };
        }
        let gn = (yn + mu_hat * yr) * scale;
        // R_n (γ_n − y0), finite also where R_n is not.
        let delta = (-v[2] + mu * rt * yr - mu * mu * rt * y0) * scale;
        let (tx, ty) = (yx / yr, yy / yr);
        let across = mu * gn / yr * inv_rt;
        let along = mu * mu * inv_rn * scale; // μ μ̂/(1+μ̃²)/R_t
        let coupling = mu * inv_rn * scale;
        let difference = along - across;
        ContactValue {
            cost: self.normal_cost(gn, delta) + 0.5 * rt * mu * mu * gn * gn,
            impulse: [mu * gn * tx, mu * gn * ty, gn],
            hessian: [
                [across + difference * tx * tx, difference * tx * ty, coupling * tx],
                [difference * tx * ty, across + difference * ty * ty, coupling * ty],
                [coupling * tx, coupling * ty, inv_rn * scale],
            ],
        }
    }
}
