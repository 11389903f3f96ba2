//! Correction of the error of an equality, apart from the forces that it carries.
//!
//! A near-rigid row is a spring with a period of β δt. If its error φ can be removed, the spring relaxes within the step. If
//! it cannot (a target out of reach, constraints that contradict each other), the force k φ stays. It acts along the
//! linearised constraint, but the mechanism turns within the step, and for a lever L the force changes by k φ/L per unit of
//! displacement. This geometric stiffness is explicit, so the step is unstable unless k φ w δt²/L is small, and it then
//! feeds on the stored energy ½ k φ². With R = w β²/(4π²) the product is φ 4π²/(β² L): an error of 3e-4 L is too large.
//!
//! Forces that a constraint carries do not have this problem: a damper −v/R stores no energy and dissipates along all
//! directions. So a row whose error is too large for one pass is solved in two:
//!
//! ```text
//! 1. hold       γ = −v/R_h                         → v₁, γ₁      R_h = R (R/R_c)³
//! 2. correct    γ = γ₁ + (v̂ − (v − v₁))/R_c        R_c = w ε
//! ```
//!
//! What carries an impulse γ creeps by v₁ = −R_h γ. With R_h = R, links that carry a thousand times their mass would fall apart: R γ is
//! then larger than g δt, and the second pass, which lifts a load by (L/(4 w δt))/M at most, does not keep up. A damper may be as
//! stiff as it likes, so it gets stiffer with the error. Errors much larger than those of the rows beside them are still corrected
//! last, and under such loads grow slowly.
//!
//! Without other constraints the second pass adds u = argmin ½ ‖u‖²_A + ½ Σ (J u − v̂)²/(w ε): a Levenberg-Marquardt step
//! towards the least squares of the error in the constraint's own metric. Along directions that can move, u removes the
//! error; along others its impulse is at most v̂/(w ε), which is small. ε is proportional to the part e of the error that
//! the step removes, as an angle of the lever: geometric stiffness then stays below the damping of the step whatever the
//! error is. For R_c → R the two passes give the one-pass law, so nothing changes for small errors, and R_c = R is where the
//! second pass begins.

use crate::scalar::{CLOSING_SPEED, RowCompliance, ScalarLaw, closing, made_in_a_step};

/// ε per error, as an angle. Stability needs ½ if the Delassus estimate w is exact; diag(A)⁻¹, from which it is made, is
/// smaller than A⁻¹ by a factor of a few in chains.
const SOFTENING: f64 = 4.0;

/// Least R_h/w: beyond it the factorisation would lose masses of different sizes.
const STIFFEST: f64 = 1e-9;

/// Acceleration, m/s², at which a target that existed before the step pulls the effective mass of its constraint at most.
const PULL: f64 = 1e5;

/// The constraint of which a row is a part: the norms of its errors over all rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Constraint {
    /// Distance between the points, m.
    pub gap: f64,
    /// |d²/dt²| of the gap at constant joint velocities, m/s².
    pub gap_drift: f64,
    /// Angle between the frames, rad.
    pub angle: f64,
    /// |d²/dt²| of the angle at constant joint velocities, rad/s².
    pub angle_drift: f64,
}

/// A row's velocity and impulse after the first pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// v₁.
    pub velocity: f64,
    /// γ₁.
    pub impulse: f64,
}

impl Constraint {
    /// The law of one of its rows with error `phi` in a step of `dt`, with Delassus estimate `w` and lever `lever`, and
    /// whether the row needs two passes.
    pub(crate) fn compile(
        &self,
        phi: f64,
        compliance: &RowCompliance,
        held: Option<Held>,
        (dt, w, lever): (f64, f64, f64),
    ) -> (ScalarLaw, bool) {
        let (r, span) = compliance.regularization(dt, w);
        let (share, softening) = self.pace(compliance, (dt, span), lever);
        let v_hat = -share * phi / span;
        let softer = w * softening;
        if softer <= r || r <= 0.0 {
            return (ScalarLaw::spring(r, v_hat, false), false);
        }
        let law = match held {
            None => ScalarLaw::spring((r * (r / softer).powi(3)).max(STIFFEST * w).min(r), 0.0, false),
            Some(Held { velocity, impulse }) => {
                ScalarLaw::spring(softer, v_hat + velocity + softer * impulse, false)
            }
        };
        (law, true)
    }

    /// The share of all errors that a step removes, which is one for all rows so that their ratio stays, and ε.
    pub(crate) fn pace(&self, compliance: &RowCompliance, (dt, span): (f64, f64), lever: f64) -> (f64, f64) {
        if matches!(compliance, RowCompliance::Spring { .. }) {
            return (1.0, SOFTENING * self.angle.hypot(self.gap / lever));
        }
        let made = made_in_a_step(self.gap_drift, dt);
        let share = |error: f64, made: f64, speed: f64| match error > 0.0 {
            true => closing(error, made, span, speed).0 / error,
            false => 1.0,
        };
        let turning = share(self.angle, made_in_a_step(self.angle_drift, dt), CLOSING_SPEED / lever.min(1.0));
        let share = share(self.gap, made, CLOSING_SPEED).min(turning);
        let turn = SOFTENING * share * self.angle.hypot(self.gap / lever);
        let pull = (share * self.gap - made).max(0.0) / (PULL * dt * dt);
        (share, turn + pull)
    }
}
