//! Controllers called at their own rate.
//!
//! A controller is called at the beginning of the first step that starts at or after each of its
//! sample times 0, T, 2T…; it reads the state at that instant, and what it writes is held until its
//! next sample. The number of the next sample is part of [`State`](crate::State), and so is
//! whatever the controller keeps in `memory`, so that a saved run continues bit for bit.

use crate::Model;

/// What a controller reads.
pub struct Sample<'a> {
    /// Time at the beginning of the step, s.
    pub time: f64,
    /// The model.
    pub model: &'a Model,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
}

/// Sets the controls at a fixed rate.
pub trait Controller: Send {
    /// Time between samples, s; 0 means at every step.
    fn period(&self) -> f64;

    /// Writes the controls (`ctrl`, model order) from a sample; `memory` is kept in the state.
    fn control(&mut self, sample: &Sample<'_>, ctrl: &mut [f64], memory: &mut Vec<f64>)
    -> Result<(), String>;
}

/// A function called at a fixed period.
pub struct Sampled<F> {
    period: f64,
    function: F,
}

impl<F> Sampled<F>
where
    F: FnMut(&Sample<'_>, &mut [f64]) -> Result<(), String> + Send,
{
    /// Calls `function` every `period` seconds (0: every step).
    pub fn new(period: f64, function: F) -> Self {
        Self { period, function }
    }
}

impl<F> Controller for Sampled<F>
where
    F: FnMut(&Sample<'_>, &mut [f64]) -> Result<(), String> + Send,
{
    fn period(&self) -> f64 {
        self.period
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        _memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        (self.function)(sample, ctrl)
    }
}
