//! Steps with the interpreter detached: Ctrl-C is looked for, recordings and pages are kept up to date. Other long computations
//! that Ctrl-C ends.

use crate::errors::{InputError, InternalError, guarded};
use crate::films::{Files, FilesError};
use crate::viewer;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use stiction::StepError;

/// How long steps are taken before it is looked whether the user pressed Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(20);

/// What ended a call before its last step.
pub enum Stopped {
    Step(StepError),
    Signal(PyErr),
    Recorder(FilesError),
}

/// Those who look at every step.
pub struct Watch<'a> {
    pub recorder: Option<&'a mut Files>,
    pub viewer: Option<&'a viewer::Shared>,
}

impl Watch<'_> {
    fn look(&mut self, simulation: &stiction::Simulation) -> Result<(), FilesError> {
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

/// Computes on a thread of its own while Ctrl-C is looked for. After Ctrl-C the result is dropped, once it is there.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    compute: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::channel();
    let work = move || {
        // Nobody waits any more after Ctrl-C.
        let _ = sender.send(guarded(compute));
    };
    // As much stack as a main thread has, for nested files.
    let builder = std::thread::Builder::new().name("stiction-work".into()).stack_size(16 << 20);
    builder
        .spawn(work)
        .map_err(|error| PyMemoryError::new_err(format!("no thread for the work: {error}")))?;
    loop {
        let outcome;
        (receiver, outcome) = py.detach(move || {
            let outcome = receiver.recv_timeout(SIGNALS);
            (receiver, outcome)
        });
        match outcome {
            Ok(outcome) => return outcome,
            Err(mpsc::RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(InternalError::new_err("internal fault: a thread ended early; please report it"));
            }
        }
    }
}

/// Looks for Ctrl-C every few milliseconds: whether work may go on. The exception is kept in `raised`.
pub fn uninterrupted(raised: &mut Option<PyErr>) -> impl FnMut() -> bool + '_ {
    let mut looked = Instant::now();
    move || {
        if looked.elapsed() > SIGNALS {
            looked = Instant::now();
            *raised = Python::attach(|py| py.check_signals()).err();
        }
        raised.is_none()
    }
}

/// A time that was given, s.
pub fn seconds(time: f64) -> PyResult<f64> {
    if time.is_finite() {
        return Ok(time);
    }
    Err(InputError::new_err(format!("time = {time}: give a finite number of seconds")))
}
