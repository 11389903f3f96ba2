//! Steps by accuracy: step doubling on the convex step (`theory` section 8).
//!
//! From one state the step is solved once over δt and twice over δt/2; e = ‖q_full ⊖ q_half‖∞ (m and rad)
//! estimates its error. If e ≤ accuracy, the two half steps are kept; otherwise the step is rejected and a shorter
//! one is tried. The method is of first order, so its error per step grows with δt² and
//!
//! ```text
//! δt ← δt clamp(0.9 √(accuracy/e), 0.1, 5),  unchanged if the factor is between 0.9 and 1.2
//! ```
//!
//! Every solve converges, so no step is rejected for lack of convergence. The geometry at the start serves the
//! full and the first half step. Warm starts: v₀ for the full step, (v₀ + v_full)/2 for the first half,
//! v_full for the second. For bodies that first touch within a step, see `first_touch.rs`.

use crate::error::StepError;
use crate::model::Model;
use crate::state::State;
use crate::step::first_touch::{Ahead, FirstTouch};
use crate::step::step_length::StepLength;
use crate::step::{Settings, Stages, StepReport};

/// The shortest step tried, s.
const SHORTEST: f64 = 1e-9;

/// Maximum number of retries of a step, at the same length, for bodies that first touch within it.
const RETRIES: usize = 8;

/// Fraction of the first step tried. If the penetration is still too deep at this length, the geometry is
/// discontinuous, and no step is short enough.
const JUMP: f64 = 1e-3;

/// Buffers of error control.
pub(crate) struct ErrorControl {
    first_touch: FirstTouch,
    v_full: Vec<f64>,
    q_full: Vec<f64>,
    guess: Vec<f64>,
    error: Vec<f64>,
    half: State,
}

impl ErrorControl {
    pub fn new(model: &Model) -> Self {
        Self {
            first_touch: FirstTouch::new(model),
            v_full: vec![0.0; model.nv()],
            q_full: vec![0.0; model.nq()],
            guess: vec![0.0; model.nv()],
            error: vec![0.0; model.nv()],
            half: model.default_state(),
        }
    }

    /// Takes one step whose error is within the accuracy of the options and that is no longer than `limit`
    /// (s). On an error, `state` is unchanged.
    pub fn step(
        &mut self,
        stages: &mut Stages,
        model: &Model,
        settings: &Settings,
        state: &mut State,
        limit: f64,
    ) -> Result<StepReport, StepError> {
        let options = &settings.options;
        let accuracy = options.accuracy.expect("called under error control");
        let mut report = StepReport::default();
        let mut length = StepLength::new(state, options, f64::INFINITY, limit);
        stages.observe(model, settings, state, &Ahead::default(), &mut report);
        self.first_touch.begin(&stages.kinematics.x_wb);
        let (mut retries, shortest_for_depth) = (0, (JUMP * length.dt).max(100.0 * SHORTEST));
        let lost = Lost::of(&report);
        loop {
            let dt = length.dt;
            let Outcome { mut error, depth, pairs } =
                self.attempt(stages, model, settings, state, dt, &mut report)?;
            if pairs && retries < RETRIES {
                // Bodies touched for the first time: the step is repeated with their contacts from the beginning.
                retries += 1;
                report.rejected += 1;
                lost.give_back(&mut report);
                stages.sweep.met.clear();
                stages.observe(model, settings, state, &self.first_touch.ahead, &mut report);
                continue;
            }
            if dt > shortest_for_depth && depth > error {
                error = depth;
            }
            let factor = step_factor(accuracy, error);
            if error <= accuracy {
                state.copy_from(&self.half);
                report.step = dt;
                state.next_step = length.next(factor, report.rejected);
                return Ok(report);
            }
            report.rejected += 1;
            lost.give_back(&mut report);
            stages.sweep.met.clear();
            if dt <= SHORTEST {
                let size = |i: &usize| self.error[*i].abs();
                let dof = (0..self.error.len()).max_by(|i, j| size(i).total_cmp(&size(j)));
                let what = dof.map_or(String::new(), |dof| format!("joint \"{}\"", model.joint_of(dof)));
                return Err(StepError::Accuracy { time: state.time, accuracy, step: dt, error, what });
            }
            length.shorten(factor, SHORTEST);
            stages.observe(model, settings, state, &self.first_touch.ahead, &mut report);
        }
    }

    /// The full step and the two half steps from the last observation. The final state is stored in `half`.
    fn attempt(
        &mut self,
        stages: &mut Stages,
        model: &Model,
        settings: &Settings,
        state: &State,
        dt: f64,
        report: &mut StepReport,
    ) -> Result<Outcome, StepError> {
        let Self { first_touch, v_full, q_full, guess, error, half } = self;
        let accuracy = settings.options.accuracy.expect("called under error control");
        stages.solve(model, settings, state, dt, None, report)?;
        v_full.copy_from_slice(stages.solver.velocities());
        q_full.copy_from_slice(&stages.q_next);
        for (guess, (v0, v)) in guess.iter_mut().zip(state.v.iter().zip(&*v_full)) {
            *guess = 0.5 * (v0 + v);
        }
        stages.solve(model, settings, state, 0.5 * dt, Some(guess), report)?;
        half.copy_from(state);
        first_touch.keep(stages, 0.5 * dt);
        stages.accept(model, settings, half, 0.5 * dt, report);
        stages.observe(model, settings, half, &first_touch.ahead, report);
        let middle = first_touch.compare(model, stages, accuracy);
        stages.solve(model, settings, half, 0.5 * dt, Some(v_full), report)?;
        model.multibody().difference(q_full, &stages.q_next, error);
        let largest = |m: f64, e: &f64| if e.is_nan() { f64::NAN } else { m.max(e.abs()) };
        let error = error.iter().fold(0.0, largest);
        let mut outcome = Outcome { error, depth: middle.depth, pairs: middle.pairs };
        if outcome.error <= accuracy {
            first_touch.keep(stages, 0.5 * dt);
            stages.accept(model, settings, half, 0.5 * dt, report);
            let end = first_touch.compare_at(model, &settings.options, half, accuracy);
            outcome.depth = outcome.depth.max(end.depth);
            outcome.pairs |= end.pairs;
        }
        Ok(outcome)
    }
}

/// What the half steps of an attempt add to the report, as it was before.
struct Lost([f64; 2], [u64; 3]);

impl Lost {
    fn of(report: &StepReport) -> Self {
        let counts = [report.speculative, report.held_back, report.passed];
        Self([report.friction_loss, report.normal_loss], counts)
    }

    fn give_back(&self, report: &mut StepReport) {
        [report.friction_loss, report.normal_loss] = self.0;
        [report.speculative, report.held_back, report.passed] = self.1;
    }
}

/// Result of an attempted step.
struct Outcome {
    /// Its error, m or rad.
    error: f64,
    /// Penetration beyond the prediction that detecting contacts ahead cannot reduce, m.
    depth: f64,
    /// Bodies touched whose contact was not in the solve. It must be detected from a larger distance.
    pairs: bool,
}

/// Factor for the step length. e = 0 increases the step; a NaN error decreases it.
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
