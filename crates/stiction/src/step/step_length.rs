//! Length of a step that its method chooses by its error: the rules shared by error control and continuous time.
//!
//! Each method has its own factor for the next length, from its error and its order. How the factor is used is the
//! same for both.

use crate::options::Options;
use crate::state::State;

/// Largest factor after a rejected step, so that the next attempt is shorter whatever the error estimate says.
const SHORTER: f64 = 0.9;

/// Length of the step that is being attempted.
pub(crate) struct StepLength {
    /// The length that the last step asked for, s.
    wanted: f64,
    longest: f64,
    /// The present attempt, s.
    pub dt: f64,
}

impl StepLength {
    /// First length to try: the one that the last step asked for, within `bound`, the options and the time to
    /// `limit`, s.
    pub fn new(state: &State, options: &Options, bound: f64, limit: f64) -> Self {
        let wanted = if state.next_step > 0.0 { state.next_step } else { options.step };
        let mut dt = wanted.min(options.max_step).min(limit).min(bound);
        // A remainder shorter than a tenth of the step would be wasteful. It is split with the previous step.
        if limit.is_finite() && limit > dt && limit < 1.1 * dt {
            dt = 0.5 * limit;
        }
        Self { wanted, longest: options.max_step, dt }
    }

    /// The length that an accepted step, with a factor from its error, asks for after `rejected` attempts.
    pub fn next(&self, factor: f64, rejected: u64) -> f64 {
        // A step that was shortened is not lengthened immediately, because the event probably continues.
        let factor = if rejected > 0 { factor.min(1.0) } else { factor };
        // A step shortened by its limit gives little information about the next one.
        let cut = rejected == 0 && self.dt < self.wanted;
        let next = if cut { self.wanted.max(factor * self.dt) } else { factor * self.dt };
        next.min(self.longest)
    }

    /// Shortens a rejected step, to no less than `shortest`.
    pub fn shorten(&mut self, factor: f64, shortest: f64) {
        self.dt = (factor.min(SHORTER) * self.dt).max(shortest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(next_step: f64, bound: f64, limit: f64) -> StepLength {
        let mut state = crate::Model::from_scene("double_pendulum").unwrap().default_state();
        state.next_step = next_step;
        let options = Options { step: 1e-3, max_step: 0.1, ..Options::default() };
        StepLength::new(&state, &options, bound, limit)
    }

    #[test]
    fn the_first_length_is_the_wanted_one_within_its_bounds() {
        let free = f64::INFINITY;
        assert_eq!(length(0.0, free, free).dt, 1e-3);
        assert_eq!(length(0.01, free, free).dt, 0.01);
        assert_eq!(length(0.5, free, free).dt, 0.1);
        assert_eq!(length(0.01, 0.004, free).dt, 0.004);
        assert_eq!(length(0.01, free, 0.003).dt, 0.003);
        // Two halves instead of a step and a short remainder.
        assert_eq!(length(0.01, free, 0.0105).dt, 0.00525);
        assert_eq!(length(0.01, free, 0.0115).dt, 0.01);
    }

    #[test]
    fn the_next_length_follows_the_factor_unless_the_limit_cut_the_step() {
        let whole = length(0.01, f64::INFINITY, f64::INFINITY);
        assert_eq!(whole.next(2.0, 0), 0.02);
        assert_eq!(whole.next(20.0, 0), 0.1);
        assert_eq!(whole.next(2.0, 1), 0.01);
        assert_eq!(whole.next(0.5, 1), 0.005);
        let cut = length(0.01, f64::INFINITY, 0.001);
        assert_eq!(cut.next(2.0, 0), 0.01);
        assert_eq!(cut.next(20.0, 0), 0.02);
        // After a rejection the error alone determines the length.
        assert_eq!(cut.next(2.0, 1), 0.001);
    }

    #[test]
    fn a_rejected_step_becomes_shorter() {
        let mut length = length(0.01, f64::INFINITY, f64::INFINITY);
        length.shorten(5.0, 1e-9);
        assert_eq!(length.dt, 0.9 * 0.01);
        length.shorten(1e-12, 1e-9);
        assert_eq!(length.dt, 1e-9);
    }
}
