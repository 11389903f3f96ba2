//! Normal laws: the force of a contact along its normal.
//!
//! A law is a force f_n(x, ẋ) of penetration x and its rate (ICF eq. 5). In one step of δt it becomes an impulse, a
//! function of the next normal velocity v (positive when separating), with x = x0 − δt v (ICF eq. 6):
//!
//! ```text
//! n(v) = δt f_n(x0 − δt v, −v),      N' = n,      cost ℓ_n = −N(v),      Hessian −n'(v)
//! ```
//!
//! ∂f/∂x ≥ 0 and ∂f/∂ẋ ≥ 0 make −N convex (ICF eq. 8). A barrier is defined only for v above a bound.
//!
//! | file | law |
//! |---|---|
//! | [`linear`] | linear spring with Hunt & Crossley dissipation (default) |
//! | [`hertz`] | Hertz's spring |
//! | [`barrier`] | barriers for rigid contact |
//! | [`table`] | user-defined law, as a table of force against depth |
//!
//! Hertz's law and tables are forces f(x) of the depth, damped like the linear law:
//!
//! ```text
//! impulse   n(v)  = δt f(x) (1 − d v)₊,   x = x0 − δt v
//! cost      −N(v),  N(v) = −[(1 − d x0/δt) ∫f + (d/δt) ∫x f]  over x̂..x,   x̂ the depth where n vanishes
//! ```

pub mod barrier;
pub mod hertz;
pub mod linear;
pub mod table;

use crate::error::{ProblemError, require};
use crate::number::Scalar;
use linear::hunt_crossley;
use std::sync::Arc;
use table::ForceTable;

/// Inputs of a normal law for one contact at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalInput<T = f64> {
    /// Time step δt, s.
    pub dt: f64,
    /// Penetration x0 at the previous state, m; negative when apart.
    pub penetration: T,
    /// Elastic force f0 at the previous state, N; negative for a speculative contact. Used by the linear law only.
    pub elastic_force: T,
    /// Stiffness: N/m; N/m^1.5 for Hertz; the factor of the force for a table; not used by barriers.
    pub stiffness: T,
    /// Hunt & Crossley dissipation d, s/m; not used by barriers.
    pub dissipation: T,
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

/// Normal law of a contact.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum NormalLaw {
    /// Linear spring with Hunt & Crossley dissipation ([`linear`]).
    #[default]
    Linear,
    /// Hertz's spring with Hunt & Crossley dissipation ([`hertz`]).
    Hertz,
    /// Logarithmic barrier ([`barrier`]).
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
    /// Force against depth with Hunt & Crossley dissipation ([`table`]).
    Table(Arc<ForceTable>),
}

impl NormalLaw {
    /// Rejects parameters for which the law is not defined.
    pub fn check(&self) -> Result<(), ProblemError> {
        let positive = |what, x: f64| require(x > 0.0 && x.is_finite(), what, x, "positive and finite");
        match *self {
            Self::LogBarrier { kappa } => positive("weight of the barrier", kappa),
            Self::ClampedBarrier { kappa, range } => {
                positive("weight of the barrier", kappa)?;
                positive("range of the barrier", range)
            }
            Self::Linear | Self::Hertz | Self::Table(_) => Ok(()),
        }
    }

    /// The law's name, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "the linear law",
            Self::Hertz => "Hertz's law",
            Self::LogBarrier { .. } => "the logarithmic barrier",
            Self::ClampedBarrier { .. } => "the clamped barrier",
            Self::Table(_) => "a force table",
        }
    }

    /// Impulse, slope and antiderivative at normal velocity `v` (m/s, positive when separating).
    pub fn evaluate(&self, input: &NormalInput, v: f64) -> NormalValue {
        let (impulse, slope) = self.respond(input, v);
        NormalValue { impulse, slope: -slope, antiderivative: self.antiderivative(input, v) }
    }

    /// n and −n′ at normal velocity `v`.
    pub(crate) fn respond<T: Scalar>(&self, input: &NormalInput<T>, v: T) -> (T, T) {
        let (dt, k, d) = (T::constant(input.dt), input.stiffness, input.dissipation);
        let h = T::constant(1.0) - d * v;
        if let Self::Linear = self {
            return hunt_crossley(dt * (input.elastic_force - dt * k * v), h, dt * dt * k, d);
        }
        let (force, slope) = self.elastic(k, input.penetration - dt * v);
        let (elastic, stiffness) = (dt * force, dt * dt * slope);
        if self.is_barrier() { (elastic, stiffness) } else { hunt_crossley(elastic, h, stiffness, d) }
    }

    /// Force and its slope at penetration `x` without dissipation, for all laws but the linear one.
    fn elastic<T: Scalar>(&self, k: T, x: T) -> (T, T) {
        let scaled = |(f, slope): (T, T)| (k * f, k * slope);
        match self {
            Self::Linear => scaled((x, T::constant(1.0))),
            Self::Hertz => scaled(hertz::elastic(x)),
            Self::Table(table) => scaled(table.elastic(x)),
            Self::LogBarrier { kappa } => barrier::log(*kappa, x),
            Self::ClampedBarrier { kappa, range } => barrier::clamped(*kappa, *range, x),
        }
    }

    /// N at normal velocity `v`, J.
    pub(crate) fn antiderivative(&self, input: &NormalInput, v: f64) -> f64 {
        let x = input.penetration - input.dt * v;
        match self {
            Self::Linear => linear::antiderivative(input, v),
            Self::LogBarrier { kappa } => -barrier::log_potential(*kappa, x),
            Self::ClampedBarrier { kappa, range } => -barrier::clamped_potential(*kappa, *range, x),
            Self::Hertz => damped_antiderivative(input, v, hertz::moments),
            Self::Table(table) => damped_antiderivative(input, v, |x| table.moments(x)),
        }
    }

    /// The law is defined for velocities above this, −∞ for all but barriers.
    pub fn lower_bound(&self, input: &NormalInput) -> f64 {
        if self.is_barrier() { input.penetration / input.dt } else { f64::NEG_INFINITY }
    }

    fn is_barrier(&self) -> bool {
        matches!(self, Self::LogBarrier { .. } | Self::ClampedBarrier { .. })
    }

    /// Impulse of the previous state, δt f_n(x0, −v_n0), which the Lagged model multiplies by μ.
    /// Zero for a barrier that is violated at the previous state.
    pub(crate) fn lagged_impulse<T: Scalar>(&self, input: &NormalInput<T>, v_n0: T) -> T {
        let dt = T::constant(input.dt);
        let force = match self {
            Self::Linear => input.elastic_force,
            _ => self.elastic(input.stiffness, input.penetration).0,
        };
        if self.is_barrier() {
            return if force.value().is_finite() { dt * force } else { T::zero() };
        }
        dt * force.positive() * (T::constant(1.0) - input.dissipation * v_n0).positive()
    }

    /// Slope −n′ near the previous state, used for near-rigid limits.
    pub(crate) fn lagged_slope<T: Scalar>(&self, input: &NormalInput<T>) -> T {
        let dt = T::constant(input.dt);
        let (force, slope) = match self {
            Self::Linear => (input.elastic_force, input.stiffness),
            Self::Hertz | Self::Table(_) => self.elastic(input.stiffness, input.penetration),
            Self::LogBarrier { .. } | Self::ClampedBarrier { .. } => (T::zero(), T::zero()),
        };
        dt * (dt * slope + input.dissipation * force.positive())
    }
}

/// N of a force k f(x) with Hunt & Crossley dissipation, from the `moments` ∫f and ∫x f up to x.
fn damped_antiderivative(input: &NormalInput, v: f64, moments: impl Fn(f64) -> (f64, f64)) -> f64 {
    let NormalInput { dt, penetration: x0, stiffness: k, dissipation: d, .. } = *input;
    if 1.0 - d * v <= 0.0 {
        return 0.0;
    }
    // From v to the border: x falls to x̂, where either factor vanishes.
    let x_hat = if d > 0.0 { x0 - dt / d } else { f64::NEG_INFINITY };
    let (here, border) = (moments(x0 - dt * v), moments(x_hat));
    let (zeroth, first) = (here.0 - border.0, here.1 - border.1);
    -k * ((1.0 - d * x0 / dt) * zeroth + (d / dt) * first)
}
