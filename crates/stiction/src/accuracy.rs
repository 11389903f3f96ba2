//! Steps by accuracy: step doubling on the convex step (`theory` section 8).
//!
//! From one state the step is solved once over δt and twice over δt/2; e = ‖q_full ⊖ q_half‖∞ (m and rad)
//! estimates its error. If e ≤ accuracy the two half steps are kept, otherwise the step is tried again
//! shorter. The method is of first order, so its error per step grows with δt² and
//!
//! ```text
//! δt ← δt clamp(0.9 √(accuracy/e), 0.1, 5),  left alone when the factor is within 0.9 and 1.2
//! ```
//!
//! Every solve converges, so no step is turned down for lack of it. The geometry at the start serves the
//! full and the first half step. Warm starts: v₀ for the full step, (v₀ + v_full)/2 for the first half,
//! v_full for the second.

use crate::compiled::Model;
use crate::error::StepError;
use crate::state::State;
use crate::step::{StepReport, Stepper};

/// The shortest step tried, s.
const SHORTEST: f64 = 1e-9;

/// Memory of error control.
pub(crate) struct Doubling {
    v_full: Vec<f64>,
    q_full: Vec<f64>,
    guess: Vec<f64>,
    error: Vec<f64>,
    half: State,
}

impl Doubling {
    pub fn new(model: &Model) -> Self {
        Self {
            v_full: vec![0.0; model.nv()],
            q_full: vec![0.0; model.nq()],
            guess: vec![0.0; model.nv()],
            error: vec![0.0; model.nv()],
            half: model.default_state(),
        }
    }
}

impl Stepper {
    /// Takes one step whose error is within the accuracy of the options and that is no longer than `limit`
    /// (s). On an error `state` is untouched.
    pub fn accurate_step(
        &mut self,
        model: &Model,
        state: &mut State,
        limit: f64,
    ) -> Result<StepReport, StepError> {
        let accuracy = self.options.accuracy.expect("called under error control");
        let mut report = StepReport::default();
        let mut doubling = std::mem::replace(&mut self.doubling, Doubling::new_empty(state));
        let outcome = self.try_steps(model, state, limit, accuracy, &mut doubling, &mut report);
        self.doubling = doubling;
        outcome?;
        self.report = report;
        Ok(report)
    }

    fn try_steps(
        &mut self,
        model: &Model,
        state: &mut State,
        limit: f64,
        accuracy: f64,
        doubling: &mut Doubling,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let wanted = if state.next_step > 0.0 { state.next_step } else { self.options.step };
        let mut dt = wanted.min(self.options.max_step).min(limit);
        // A remainder shorter than a tenth of the step would be wasted: share it with the step before.
        if limit.is_finite() && limit > dt && limit < 1.1 * dt {
            dt = 0.5 * limit;
        }
        self.look(model, state, report);
        let lost = (report.friction_loss, report.normal_loss);
        loop {
            self.solve(model, state, dt, None, report)?;
            doubling.v_full.copy_from_slice(self.solver.velocities());
            doubling.q_full.copy_from_slice(&self.q_next);
            for (guess, (v0, v)) in doubling.guess.iter_mut().zip(state.v.iter().zip(&doubling.v_full)) {
                *guess = 0.5 * (v0 + v);
            }
            self.solve(model, state, 0.5 * dt, Some(&doubling.guess), report)?;
            doubling.half.copy_from(state);
            self.accept(model, &mut doubling.half, 0.5 * dt, report);
            self.look(model, &doubling.half, report);
            self.solve(model, &doubling.half, 0.5 * dt, Some(&doubling.v_full), report)?;
            model.multibody().difference(&doubling.q_full, &self.q_next, &mut doubling.error);
            let error = doubling
                .error
                .iter()
                .fold(0.0, |m: f64, e| if e.is_nan() { f64::NAN } else { m.max(e.abs()) });
            let factor = step_factor(accuracy, error);
            if error <= accuracy {
                // A step that had to be shortened is not lengthened at once: most likely the event goes on.
                let factor = if report.rejected > 0 { factor.min(1.0) } else { factor };
                self.accept(model, &mut doubling.half, 0.5 * dt, report);
                state.copy_from(&doubling.half);
                report.step = dt;
                // A step cut short by its limit says little about the next one.
                let cut = report.rejected == 0 && dt < wanted;
                let next = if cut { wanted.max(factor * dt) } else { factor * dt };
                state.next_step = next.min(self.options.max_step);
                return Ok(());
            }
            report.rejected += 1;
            (report.friction_loss, report.normal_loss) = lost;
            if dt <= SHORTEST {
                let dof = (0..doubling.error.len())
                    .max_by(|&i, &j| doubling.error[i].abs().total_cmp(&doubling.error[j].abs()));
                let what = dof.map_or(String::new(), |dof| format!("joint \"{}\"", model.joint_of(dof)));
                return Err(StepError::Accuracy { time: state.time, accuracy, step: dt, error, what });
            }
            dt = (factor.min(0.9) * dt).max(SHORTEST);
            self.look(model, state, report);
        }
    }
}

impl Doubling {
    /// What stands in while the memory is lent out.
    fn new_empty(state: &State) -> Self {
        let half = State::empty(state.time);
        Self { v_full: Vec::new(), q_full: Vec::new(), guess: Vec::new(), error: Vec::new(), half }
    }
}

/// By how much the step may change; e = 0 lets it grow, an error that is not a number shrinks it.
fn step_factor(accuracy: f64, error: f64) -> f64 {
    if error.is_nan() {
        return 0.1;
    }
    let factor = (0.9 * (accuracy / error).sqrt()).clamp(0.1, 5.0);
    if (0.9..=1.2).contains(&factor) { 1.0 } else { factor }
}

#[cfg(test)]
mod tests {
    use super::step_factor;

    #[test]
    fn the_step_follows_the_square_root_of_the_error_within_bounds() {
        assert_eq!(step_factor(1e-3, 0.0), 5.0);
        assert_eq!(step_factor(1e-3, f64::NAN), 0.1);
        assert_eq!(step_factor(1e-3, f64::INFINITY), 0.1);
        assert_eq!(step_factor(1e-3, 0.8e-3), 1.0);
        assert!((step_factor(1e-3, 4e-3) - 0.45).abs() < 1e-12);
        assert!((step_factor(1e-3, 1e-3 / 16.0) - 3.6).abs() < 1e-12);
    }
}
