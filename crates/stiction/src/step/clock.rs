//! Stage times; all zero where there is no clock.

use crate::step::profile::Profile;

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

/// A stopwatch for a profile: it reads no clock where there is none to fill.
pub(crate) struct Laps(Option<Clock>);

impl Laps {
    pub fn start(profile: &Option<Box<Profile>>) -> Self {
        Self(profile.is_some().then(Clock::start))
    }

    /// Begins a lap without ending one.
    pub fn skip(&mut self) {
        if let Some(clock) = &mut self.0 {
            *clock = Clock::start();
        }
    }

    /// Adds the seconds since the last lap to one of the profile's stages.
    pub fn lap(&mut self, profile: &mut Option<Box<Profile>>, stage: impl Fn(&mut Profile) -> &mut f64) {
        if let (Some(clock), Some(profile)) = (&mut self.0, profile) {
            clock.lap(stage(profile));
        }
    }
}
