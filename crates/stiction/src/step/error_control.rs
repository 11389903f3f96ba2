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
//! v_full for the second. Bodies that meet within a step are not left to chance: see `foresight`.

use crate::error::StepError;
use crate::model::Model;
use crate::state::State;
use crate::step::first_touch::Foresight;
use crate::step::{StepReport, Stepper};

/// The shortest step tried, s.
const SHORTEST: f64 = 1e-9;

/// How often a step is tried again, at its length, for bodies it did not see coming.
const SURPRISES: usize = 8;

/// Of the step first tried: where so short a one is still too deep, the geometry jumps, and no step is short enough.
const JUMP: f64 = 1e-3;

/// Memory of error control.
pub(crate) struct Doubling {
    foresight: Foresight,
    v_full: Vec<f64>,
    q_full: Vec<f64>,
    guess: Vec<f64>,
    error: Vec<f64>,
    half: State,
}

impl Doubling {
    pub fn new(model: &Model) -> Self {
        Self {
            foresight: Foresight::default(),
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
        doubling.foresight.begin(&self.free.x_wb);
        let lost = (report.friction_loss, report.normal_loss);
        let (mut surprises, shortest_for_depth) = (0, (JUMP * dt).max(100.0 * SHORTEST));
        loop {
            let Outcome { mut error, depth, pairs } =
                self.attempt(model, state, dt, accuracy, doubling, report)?;
            if pairs && surprises < SURPRISES {
                // Bodies met: the same again, with an eye on them.
                surprises += 1;
                report.rejected += 1;
                (report.friction_loss, report.normal_loss) = lost;
                self.look_ahead(model, state, &doubling.foresight.ahead, report);
                continue;
            }
            if dt > shortest_for_depth && depth > error {
                error = depth;
            }
            let factor = step_factor(accuracy, error);
            if error <= accuracy {
                // A step that had to be shortened is not lengthened at once: most likely the event goes on.
                let factor = if report.rejected > 0 { factor.min(1.0) } else { factor };
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
            self.look_ahead(model, state, &doubling.foresight.ahead, report);
        }
    }

    /// The full step and the two halves from what was looked at last; the state they end at is left in `half`.
    fn attempt(
        &mut self,
        model: &Model,
        state: &State,
        dt: f64,
        accuracy: f64,
        doubling: &mut Doubling,
        report: &mut StepReport,
    ) -> Result<Outcome, StepError> {
        let Doubling { foresight, v_full, q_full, guess, error, half } = doubling;
        self.solve(model, state, dt, None, report)?;
        v_full.copy_from_slice(self.solver.velocities());
        q_full.copy_from_slice(&self.q_next);
        for (guess, (v0, v)) in guess.iter_mut().zip(state.v.iter().zip(&*v_full)) {
            *guess = 0.5 * (v0 + v);
        }
        self.solve(model, state, 0.5 * dt, Some(guess), report)?;
        half.copy_from(state);
        foresight.keep(self, 0.5 * dt);
        self.accept(model, half, 0.5 * dt, report);
        self.look_ahead(model, half, &foresight.ahead, report);
        let middle = foresight.look(model, self, accuracy);
        self.solve(model, half, 0.5 * dt, Some(v_full), report)?;
        model.multibody().difference(q_full, &self.q_next, error);
        let largest = |m: f64, e: &f64| if e.is_nan() { f64::NAN } else { m.max(e.abs()) };
        let error = error.iter().fold(0.0, largest);
        let mut outcome = Outcome { error, depth: middle.depth, pairs: middle.pairs };
        if outcome.error <= accuracy {
            foresight.keep(self, 0.5 * dt);
            self.accept(model, half, 0.5 * dt, report);
            let end = foresight.look_at(model, self, half, accuracy);
            outcome.depth = outcome.depth.max(end.depth);
            outcome.pairs |= end.pairs;
        }
        Ok(outcome)
    }
}

/// What became of an attempt at a step.
struct Outcome {
    /// Its error, m or rad.
    error: f64,
    /// How much deeper than meant bodies are in each other where looking ahead does not help, m.
    depth: f64,
    /// Bodies met that it had not seen coming: look ahead for them.
    pairs: bool,
}

impl Doubling {
    /// What stands in while the memory is lent out.
    fn new_empty(state: &State) -> Self {
        let half = State::empty(state.time);
        Self {
            foresight: Foresight::default(),
            v_full: Vec::new(),
            q_full: Vec::new(),
            guess: Vec::new(),
            error: Vec::new(),
            half,
        }
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
