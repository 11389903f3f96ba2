//! Stage times, measured only if enabled, because some targets have no clock.

use std::time::Instant;

/// A stopwatch that does nothing when off.
pub struct Timer(Option<Instant>);

impl Timer {
    /// Starts, if `on`.
    pub fn new(on: bool) -> Self {
        Self(on.then(Instant::now))
    }

    /// Adds the time since the last lap to `seconds`.
    pub fn lap(&mut self, seconds: &mut f64) {
        if let Some(start) = &mut self.0 {
            let now = Instant::now();
            *seconds += now.duration_since(*start).as_secs_f64();
            *start = now;
        }
    }
}
