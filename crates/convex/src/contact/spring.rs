//! Friction through a tangential spring, in discrete time (ours; theory of the step's end).
//!
//! A Kelvin–Voigt spring (k_t, c_t) in series with Coulomb friction of the lagged limit m = μ γ_n0. With
//! the stretch δ = δ0 + δt v_t while sticking, the tangential impulse it asks for is
//!
//! ```text
//! ask        g(v_t) = δt (k_t δ + c_t v_t) = δt k_t δ0 + κ v_t,   κ = δt (δt k_t + c_t)
//! law        γ_t = −proj_{‖·‖ ≤ m} g
//! cost       ℓ = H_m(‖g‖)/κ,   H_m(r) = ½r² for r ≤ m, m r − ½m² beyond (Huber)
//! Hessian    stick κ I,   slide κ (m/‖g‖)(I − ĝĝᵀ)
//! after      δ⁺ = (c_t δ0 + proj g)/(δt k_t + c_t)
//! ```
//!
//! While sticking δ⁺ = δ0 + δt v_t. While sliding δ⁺ is the stretch at which the spring, moving from δ0
//! within the step, carries m; it is continuous across the border, and repeated sliding leads it to
//! m/(δt k_t). At rest the spring carries the load with v_t = 0: no creep.

use super::ContactValue;

/// The constants of one tangential spring during a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringLaw {
    /// m = μ γ_n0, N s.
    pub limit: f64,
    /// δt k_t δ0 in the contact frame, N s.
    pub offset: [f64; 2],
    /// κ = δt (δt k_t + c_t), kg.
    pub kappa: f64,
    /// δt c_t δ0, kg m: what damping remembers of the old stretch, times δt.
    pub memory: [f64; 2],
    /// δt, s.
    pub dt: f64,
}

impl SpringLaw {
    /// From step δt, limit m, stiffness k_t (N/m), damping c_t (N s/m) and stretch δ0 (m, contact frame).
    pub fn new(dt: f64, limit: f64, stiffness: f64, damping: f64, stretch: [f64; 2]) -> Self {
        Self {
            limit,
            offset: stretch.map(|s| dt * stiffness * s),
            kappa: dt * (dt * stiffness + damping),
            memory: stretch.map(|s| dt * damping * s),
            dt,
        }
    }

    /// The impulse asked for and its length.
    fn ask(&self, v_t: [f64; 2]) -> ([f64; 2], f64) {
        let g = [self.kappa.mul_add(v_t[0], self.offset[0]), self.kappa.mul_add(v_t[1], self.offset[1])];
        (g, (g[0] * g[0] + g[1] * g[1]).sqrt())
    }

    /// Friction's part of the contact value at slip `v_t`; the normal part is left zero.
    pub fn evaluate(&self, v_t: [f64; 2]) -> ContactValue {
        let (g, length) = self.ask(v_t);
        let m = self.limit;
        if length <= m {
            return ContactValue {
                cost: if self.kappa > 0.0 {
                    0.5 * length * length / self.kappa
                } else {
                    g[0] * v_t[0] + g[1] * v_t[1]
                },
                impulse: [-g[0], -g[1], 0.0],
                hessian: [[self.kappa, 0.0, 0.0], [0.0, self.kappa, 0.0], [0.0; 3]],
            };
        }
        let (tx, ty) = (g[0] / length, g[1] / length);
        let across = self.kappa * m / length;
        ContactValue {
            cost: if self.kappa > 0.0 {
                m * (length - 0.5 * m) / self.kappa
            } else {
                m * (tx * v_t[0] + ty * v_t[1])
            },
            impulse: [-m * tx, -m * ty, 0.0],
            hessian: [
                [across * ty * ty, -across * tx * ty, 0.0],
                [-across * tx * ty, across * tx * tx, 0.0],
                [0.0; 3],
            ],
        }
    }

    /// The stretch δ⁺ to keep after a step that ended with slip velocity `v_t` (m, contact frame).
    pub fn stretch_after(&self, v_t: [f64; 2]) -> [f64; 2] {
        if self.kappa <= 0.0 {
            return [0.0; 2];
        }
        let (g, length) = self.ask(v_t);
        let scale = if length > self.limit { self.limit / length } else { 1.0 };
        [0, 1].map(|i| (self.memory[i] + self.dt * scale * g[i]) / self.kappa)
    }
}
