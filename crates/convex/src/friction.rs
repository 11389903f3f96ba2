//! Friction regularisers: how friction grows with slip (ICF eq. 17).
//!
//! ```text
//! ‖γ_t‖ = μ f(s) γ_n,   s = ‖v_t‖/ε,   0 ≤ f ≤ 1,   f(0) = 0,   f′ ≥ 0,   F′ = f,   F(0) = 0
//! ```
//!
//! The default f = s/√(1+s²) has F = √(1+s²) − 1, the soft norm, smooth to all orders (ICF eq. 33).

use std::fmt::Debug;
use std::sync::Arc;

/// f, f′ and F at one s ≥ 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegularizerValue {
    /// f(s).
    pub f: f64,
    /// f′(s).
    pub slope: f64,
    /// F(s), the antiderivative with F(0) = 0.
    pub antiderivative: f64,
}

/// A friction regulariser brought by the user.
pub trait UserRegularizer: Debug + Send + Sync {
    /// f, f′ and F at s ≥ 0.
    fn evaluate(&self, s: f64) -> RegularizerValue;
}

/// The choice of a friction regulariser.
#[derive(Debug, Clone, Default)]
pub enum Regularizer {
    /// f = s/√(1+s²) (ICF eq. 17).
    #[default]
    Soft,
    /// f = 2s − s² up to s = 1, then 1: full friction at a finite slip, as IPC has it.
    Parabolic,
    /// A regulariser of the user.
    User(Arc<dyn UserRegularizer>),
}

impl Regularizer {
    /// f, f′ and F at s ≥ 0.
    pub fn evaluate(&self, s: f64) -> RegularizerValue {
        match self {
            Self::Soft => {
                let root = (1.0 + s * s).sqrt();
                // √(1+s²) − 1 without cancellation.
                RegularizerValue {
                    f: s / root,
                    slope: 1.0 / (root * root * root),
                    antiderivative: s * s / (root + 1.0),
                }
            }
            Self::Parabolic if s < 1.0 => RegularizerValue {
                f: s * (2.0 - s),
                slope: 2.0 * (1.0 - s),
                antiderivative: s * s * (1.0 - s / 3.0),
            },
            Self::Parabolic => RegularizerValue { f: 1.0, slope: 0.0, antiderivative: s - 1.0 / 3.0 },
            Self::User(law) => law.evaluate(s),
        }
    }
}

/// Friction coefficient between static and dynamic at the previous slip speed:
/// μ = μ_d + ½ (μ_s − μ_d)(1 − f(s − 10)/f(10)), s = ‖v_t0‖/v_s, f(x) = x/√(1+x²).
/// It is evaluated at the previous state, so that the problem of the step stays convex.
pub fn blended_friction(mu_static: f64, mu_dynamic: f64, slip_speed: f64, stiction_tolerance: f64) -> f64 {
    if mu_static == mu_dynamic {
        return mu_dynamic;
    }
    let f = |x: f64| x / (1.0 + x * x).sqrt();
    let s = slip_speed / stiction_tolerance;
    mu_dynamic + 0.5 * (mu_static - mu_dynamic) * (1.0 - f(s - 10.0) / f(10.0))
}
