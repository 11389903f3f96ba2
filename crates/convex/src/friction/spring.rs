//! Friction through a tangential spring, in discrete time, evaluated at the end of the step (our formulation).
//!
//! A Kelvin–Voigt spring (k_t, c_t) in series with Coulomb friction of the lagged limit m = μ γ_n0. With
//! the stretch δ = δ0 + δt v_t while sticking, its trial tangential impulse is
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
//!
//! The law is evaluated at the velocity g/κ = v_t + `SpringLaw::equivalent_velocity`, where it is friction
//! proportional to slip up to ε = m/κ and constant beyond. Its normal part is the model's.

use super::{Coefficients, Friction, Response, cut_off_root};
use crate::number::{Number, Scalar};
use stiction_base::fused::Fused;

/// The tangential spring.
pub struct Spring;

impl Friction for Spring {
    const SEPARABLE: bool = true;
    const STICKS: bool = true;

    #[inline(always)]
    fn measure<T: Number>(slip_squared: T, _: T) -> T {
        slip_squared
    }

    #[inline(always)]
    fn respond<T: Number>(c: &Coefficients<T>, root: T, _: T, (gamma_n, g): (T, T)) -> Response<T> {
        let inv_root = cut_off_root(root, c.epsilon).recip();
        let direction = root.if_above(c.epsilon, inv_root, T::zero());
        Response { gamma_n, a: c.friction * inv_root, direction, inv_root, g, mu_c: T::zero() }
    }
}

/// ℓ_t at the length of g/κ, J.
pub(crate) fn cost(c: &Coefficients, speed: f64) -> f64 {
    if speed > c.epsilon {
        c.friction * (speed - 0.5 * c.epsilon)
    } else {
        0.5 * c.friction / cut_off_root(speed, c.epsilon) * speed * speed
    }
}

/// The constants of one tangential spring during a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringLaw<T = f64> {
    /// m = μ γ_n0, N s.
    pub limit: T,
    /// δt k_t δ0 in the contact frame, N s; of spin and rolling too if the slip is [scaled](super::ellipse).
    pub offset: [T; 5],
    /// κ = δt (δt k_t + c_t), kg.
    pub kappa: T,
    /// δt c_t δ0, kg m: contribution of damping to the new stretch, times δt.
    pub memory: [T; 5],
    /// δt, s.
    pub dt: f64,
}

impl<T: Scalar> SpringLaw<T> {
    /// From step δt, limit m, stiffness k_t (N/m), damping c_t (N s/m) and stretch δ0 (m, scaled slip).
    pub(crate) fn over(dt: f64, limit: T, stiffness: T, damping: T, stretch: [T; 5]) -> Self {
        let step = T::constant(dt);
        Self {
            limit,
            offset: stretch.map(|s| step * stiffness * s),
            kappa: step * (step * stiffness + damping),
            memory: stretch.map(|s| step * damping * s),
            dt,
        }
    }

    /// The velocity that the stretch is equivalent to, δt k_t δ0/κ; zero for a spring of no stiffness and damping.
    pub(crate) fn equivalent_velocity(&self) -> [T; 5] {
        if self.kappa.value() > 0.0 { self.offset.map(|o| o / self.kappa) } else { [T::zero(); 5] }
    }

    /// ε = m/κ; infinite for a spring of no stiffness and damping, which then carries nothing.
    pub(crate) fn epsilon(&self) -> T {
        if self.kappa.value() > 0.0 { self.limit / self.kappa } else { T::constant(f64::INFINITY) }
    }
}

impl SpringLaw {
    /// From step δt, limit m, stiffness k_t (N/m), damping c_t (N s/m) and stretch δ0 (m, contact frame).
    pub fn new(dt: f64, limit: f64, stiffness: f64, damping: f64, stretch: [f64; 2]) -> Self {
        let [x, y] = stretch;
        Self::over(dt, limit, stiffness, damping, [x, y, 0.0, 0.0, 0.0])
    }

    /// The stretch δ⁺ to keep after a step that ended with slip velocity `v_t` (m, contact frame).
    pub fn stretch_after(&self, v_t: [f64; 2]) -> [f64; 2] {
        let [x, y, ..] = self.slip_after([v_t[0], v_t[1], 0.0, 0.0, 0.0]);
        [x, y]
    }

    /// The same in scaled slip.
    pub(crate) fn slip_after(&self, slip: [f64; 5]) -> [f64; 5] {
        if self.kappa <= 0.0 {
            return [0.0; 5];
        }
        let g: [f64; 5] = std::array::from_fn(|i| self.kappa.fused(slip[i], self.offset[i]));
        let length = g.iter().map(|g| g * g).sum::<f64>().sqrt();
        let scale = if length > self.limit { self.limit / length } else { 1.0 };
        std::array::from_fn(|i| (self.memory[i] + self.dt * scale * g[i]) / self.kappa)
    }
}
