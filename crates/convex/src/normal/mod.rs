//! Normal laws: the force of a contact along its normal.
//!
//! A law is a force f_n(x, ẋ) of penetration x and its rate (ICF eq. 5). One step of δt sees it as the
//! impulse of the next normal velocity v (positive when separating), with x = x0 − δt v (ICF eq. 6):
//!
//! ```text
//! n(v) = δt f_n(x0 − δt v, −v),      N' = n,      cost ℓ_n = −N(v),      Hessian −n'(v)
//! ```
//!
//! ∂f/∂x ≥ 0 and ∂f/∂ẋ ≥ 0 make −N convex (ICF eq. 8). A barrier is defined only for v above a bound.
//!
//! [`linear`] is the default; [`hertz`] and [`barrier`] are further ones; [`UserNormalLaw`] is the door for
//! a law of your own, and [`crate::check`] tells whether it fits.

pub mod barrier;
pub mod hertz;
pub mod linear;

use std::fmt::Debug;
use std::sync::Arc;

/// What a normal law knows about one contact at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalInput {
    /// Time step δt, s.
    pub dt: f64,
    /// Penetration x0 at the previous state, m; negative when apart.
    pub penetration: f64,
    /// Elastic force f0 at the previous state, N; negative for a speculative contact.
    pub elastic_force: f64,
    /// Stiffness: N/m, or N/m^1.5 for Hertz.
    pub stiffness: f64,
    /// Hunt & Crossley dissipation d, s/m.
    pub dissipation: f64,
}

/// Impulse n, slope n′ and antiderivative N of a normal law at one velocity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NormalValue {
    /// n(v), N s.
    pub impulse: f64,
    /// n′(v) ≤ 0, kg.
    pub slope: f64,
    /// N(v), J. The constant is chosen so that N vanishes where the impulse does.
    pub antiderivative: f64,
}

/// A normal law brought by the user.
pub trait UserNormalLaw: Debug + Send + Sync {
    /// Force f_n(x, ẋ) in newtons at penetration `x` and its rate `x_dot`. Gives the lagged impulse of the
    /// Lagged model.
    fn force(&self, input: &NormalInput, x: f64, x_dot: f64) -> f64;
    /// Impulse n, slope n′ and antiderivative N at normal velocity `v`, at least inside the domain.
    fn evaluate(&self, input: &NormalInput, v: f64) -> NormalValue;
    /// The law is defined for `v` above this (exclusive). A barrier returns x0/δt or so.
    fn lower_bound(&self, input: &NormalInput) -> f64 {
        let _ = input;
        f64::NEG_INFINITY
    }
}

/// The choice of a normal law for a contact.
#[derive(Debug, Clone, Default)]
pub enum NormalLaw {
    /// Linear spring with Hunt & Crossley dissipation ([`linear`]).
    #[default]
    Linear,
    /// Hertz's spring with Hunt & Crossley dissipation ([`hertz`]).
    Hertz,
    /// Logarithmic barrier of weight κ in joules ([`barrier`]).
    LogBarrier {
        /// Weight κ, J.
        kappa: f64,
    },
    /// Clamped barrier of IPC ([`barrier`]).
    ClampedBarrier {
        /// Weight κ, N/m.
        kappa: f64,
        /// Distance below which it acts, m.
        range: f64,
    },
    /// A law of the user.
    User(Arc<dyn UserNormalLaw>),
}

impl NormalLaw {
    /// Impulse, slope and antiderivative at normal velocity `v` (m/s, positive when separating).
    pub fn evaluate(&self, input: &NormalInput, v: f64) -> NormalValue {
        match self {
            Self::Linear => linear::evaluate(input, v),
            Self::Hertz => hertz::evaluate(input, v),
            Self::LogBarrier { kappa } => barrier::evaluate_log(*kappa, input, v),
            Self::ClampedBarrier { kappa, range } => barrier::evaluate_clamped(*kappa, *range, input, v),
            Self::User(law) => law.evaluate(input, v),
        }
    }

    /// The law is defined for velocities above this, −∞ for all but barriers.
    pub fn lower_bound(&self, input: &NormalInput) -> f64 {
        match self {
            Self::Linear | Self::Hertz => f64::NEG_INFINITY,
            Self::LogBarrier { .. } | Self::ClampedBarrier { .. } => input.penetration / input.dt,
            Self::User(law) => law.lower_bound(input),
        }
    }

    /// Impulse of the previous state, δt f_n(x0, −v_n0), which the Lagged model multiplies by μ.
    /// A barrier that is violated at the previous state has no impulse there; it gives zero.
    pub fn lagged_impulse(&self, input: &NormalInput, v_n0: f64) -> f64 {
        let NormalInput { dt, penetration: x0, .. } = *input;
        match self {
            Self::Linear => linear::lagged_impulse(input, v_n0),
            Self::Hertz => dt * hertz::force(input, x0, -v_n0),
            Self::LogBarrier { kappa } => dt * barrier::force_log(*kappa, x0),
            Self::ClampedBarrier { kappa, range } => dt * barrier::force_clamped(*kappa, *range, x0),
            Self::User(law) => (dt * law.force(input, x0, -v_n0)).max(0.0),
        }
    }
}
