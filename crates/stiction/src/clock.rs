//! Stage times; all zero where there is no clock.

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
