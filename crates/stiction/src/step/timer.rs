//! Stage times; all zero on targets without a clock.

use crate::step::profile::Profile;
use stiction_convex::SolveReport;

/// A stopwatch with laps.
pub(crate) struct Clock {
    #[cfg(feature = "fs")]
    last: std::time::Instant,
}

impl Clock {
    pub fn start() -> Self {
        Self {
            #[cfg(feature = "fs")]
            last: std::time::Instant::now(),
        }
    }

    /// Adds the seconds since the last lap to `sum`.
    pub fn lap(&mut self, sum: &mut f64) {
        #[cfg(feature = "fs")]
        {
            let now = std::time::Instant::now();
            *sum += (now - self.last).as_secs_f64();
            self.last = now;
        }
        #[cfg(not(feature = "fs"))]
        let _ = sum;
    }
}

/// The stopwatch of a step: seconds by stage, and finer laps if profiling is enabled.
pub(crate) struct Timer<'a> {
    stage: Clock,
    /// Runs only with a profile.
    lap: Option<Clock>,
    profile: Option<&'a mut Profile>,
}

impl<'a> Timer<'a> {
    pub fn start(profile: Option<&'a mut Profile>) -> Self {
        Self { stage: Clock::start(), lap: profile.is_some().then(Clock::start), profile }
    }

    /// Adds the seconds since the last stage ended to `sum`.
    pub fn stage(&mut self, sum: &mut f64) {
        self.stage.lap(sum);
    }

    /// Adds the seconds since the last lap to one of the profile's stages.
    pub fn lap(&mut self, stage: impl Fn(&mut Profile) -> &mut f64) {
        if let (Some(clock), Some(profile)) = (&mut self.lap, &mut self.profile) {
            clock.lap(stage(profile));
        }
    }

    /// Adds the report of a solve, which has its own clock, and begins a new lap.
    pub fn solved(&mut self, solve: &SolveReport) {
        if let (Some(clock), Some(profile)) = (&mut self.lap, &mut self.profile) {
            profile.take(solve);
            *clock = Clock::start();
        }
    }
}
