//! Steps with the interpreter detached: Ctrl-C is looked for, recordings and pages are kept up to date.

use crate::viewer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::time::{Duration, Instant};
use stiction::StepError;
use stiction_viewer::{RecordError, Recorder};

/// How long steps are taken before it is looked whether the user pressed Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(20);

/// What ended a call before its last step.
pub enum Stopped {
    Step(StepError),
    Signal(PyErr),
    Recorder(RecordError),
}

/// Those who look at every step.
pub struct Watch<'a> {
    pub recorder: Option<&'a mut Recorder>,
    pub viewer: Option<&'a viewer::Shared>,
}

impl Watch<'_> {
    fn look(&mut self, simulation: &stiction::Simulation) -> Result<(), RecordError> {
        if let Some(viewer) = self.viewer
            && let Ok(mut live) = viewer.live.try_lock()
        {
            live.touch();
            live.publish(simulation);
        }
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.observe(simulation))
    }
}

/// Takes steps until `next` says that there is none left, while the interpreter is detached.
pub fn advance(
    simulation: &mut stiction::Simulation,
    mut next: impl FnMut(&mut stiction::Simulation) -> Result<bool, StepError>,
    mut watch: Watch<'_>,
) -> Result<(), Stopped> {
    let mut looked = Instant::now();
    while next(simulation).map_err(Stopped::Step)? {
        watch.look(simulation).map_err(Stopped::Recorder)?;
        if looked.elapsed() > SIGNALS {
            Python::attach(|py| py.check_signals()).map_err(Stopped::Signal)?;
            looked = Instant::now();
        }
    }
    Ok(())
}

/// A time that was given, s.
pub fn seconds(time: f64) -> PyResult<f64> {
    if time.is_finite() {
        return Ok(time);
    }
    Err(PyValueError::new_err(format!("time = {time}: give a finite number of seconds")))
}
