//! Validation of a problem: non-finite numbers, numbers out of range, slices of the wrong length.

use crate::error::{ProblemError, require};
use crate::scalar::{RowCompliance, RowLaw};

pub(super) fn check_law(law: &RowLaw) -> Result<(), ProblemError> {
    let finite = |what, x: f64| require(x.is_finite(), what, x, "finite");
    let at_least_0 = |what, x: f64| require(x >= 0.0, what, x, "at least 0");
    match *law {
        RowLaw::Limit { phi, compliance } | RowLaw::Equality { phi, compliance, .. } => {
            finite("constraint function", phi)?;
            match compliance {
                RowCompliance::NearRigid { beta, drift } => {
                    require(beta > 0.0 && beta.is_finite(), "near-rigid beta", beta, "positive and finite")?;
                    require(drift >= 0.0, "drift of a near-rigid row", drift, "at least 0")
                }
                RowCompliance::Spring { stiffness, relaxation_time, beta } => {
                    at_least_0("constraint stiffness", stiffness)?;
                    require(stiffness > 0.0, "constraint stiffness", stiffness, "positive")?;
                    require(
                        relaxation_time >= 0.0 && relaxation_time.is_finite(),
                        "relaxation time",
                        relaxation_time,
                        "at least 0 and finite",
                    )?;
                    require(
                        beta >= 0.0 && beta.is_finite(),
                        "near-rigid beta",
                        beta,
                        "at least 0 and finite",
                    )?;
                    require(
                        beta > 0.0 || stiffness.is_finite(),
                        "near-rigid beta",
                        beta,
                        "positive when the stiffness is infinite",
                    )
                }
            }
        }
        RowLaw::Pd {
            proportional,
            derivative,
            position_error,
            target_velocity,
            feed_forward,
            effort_limit,
        } => {
            finite("proportional gain", proportional)?;
            finite("derivative gain", derivative)?;
            at_least_0("proportional gain", proportional)?;
            at_least_0("derivative gain", derivative)?;
            finite("position error", position_error)?;
            finite("target velocity", target_velocity)?;
            finite("feed-forward effort", feed_forward)?;
            at_least_0("effort limit", effort_limit)
        }
        RowLaw::DryFriction { force, epsilon } => {
            require(force >= 0.0 && force.is_finite(), "dry friction", force, "at least 0 and finite")?;
            require(
                epsilon > 0.0 && epsilon.is_finite(),
                "dry friction's epsilon",
                epsilon,
                "positive and finite",
            )
        }
    }
}

pub(super) fn length(what: &'static str, found: usize, expected: usize) -> Result<(), ProblemError> {
    if found == expected { Ok(()) } else { Err(ProblemError::Length { what, found, expected }) }
}

pub(super) fn finite(what: &'static str, values: &[f64]) -> Result<(), ProblemError> {
    // Without an early exit, the loop is vectorised.
    let bad = values.iter().fold(0, |bad, x| bad | u64::from(!x.is_finite()));
    if bad == 0 {
        return Ok(());
    }
    let value = values.iter().copied().find(|x| !x.is_finite()).unwrap_or(f64::NAN);
    Err(ProblemError::Value { what, value, must: "finite" })
}
