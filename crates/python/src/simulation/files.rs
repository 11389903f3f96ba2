//! Recording to files.

use super::Simulation;
use crate::errors::{BusyError, detached};
use crate::fork::Origin;
use crate::recording::{self, Recording, record_error};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use stiction_viewer::{RecordOptions, Recorder};

#[pymethods]
impl Simulation {
    /// Records the simulation to files from now on. Existing files are replaced.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like or list of str or path-like
    ///     A file, or a list of files: .html opens in a browser, .mcap in robotics log tools.
    /// rate : float, optional
    ///     How many frames per simulated second. Recording never changes the simulation: a frame is taken at the end of the first step at or
    ///     after its time.
    /// joints : list of str, optional
    ///     Names of joints to plot; all by default, unless there are too many.
    /// channels : list of str or dict, optional
    ///     Channels of your own, which Recording.log sets: names, or a dict from name to unit.
    ///
    /// Returns
    /// -------
    /// Recording
    ///     A stiction.Recording. The files are complete after stop_recording(), after a with block around the recording, and when the
    ///     simulation is deleted; before, they can be opened up to about the last second.
    ///
    /// Raises
    /// ------
    /// OSError
    ///     If a file cannot be written (so may a step, if the disk is full; the state is then valid, and the recording has ended and is
    ///     readable)
    /// ValueError
    ///     For another file extension.
    /// RuntimeError
    ///     If the simulation is being recorded already.
    ///
    /// Examples
    /// --------
    ///     with sim.record("out.html"):
    ///         sim.step(1000)
    #[pyo3(signature = (path, rate=60.0, joints=None, channels=None))]
    fn record(
        slf: &Bound<'_, Self>,
        path: &Bound<'_, PyAny>,
        rate: f64,
        joints: Option<Vec<String>>,
        channels: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Recording> {
        let (py, this) = (slf.py(), slf.get());
        let paths = recording::paths(path)?;
        let user = recording::channels(channels)?;
        let options = RecordOptions { rate, joints: recording::joints(joints), user };
        let log = this.with_state(py, |inner| {
            if this.recorder().is_some() {
                return Err(BusyError::new_err("a recording is under way: stop_recording() ends it"));
            }
            let name = inner.model().world().name.clone();
            let (name, paths, options) = (&name, &paths, &options);
            let recorder = detached(py, move || Recorder::create(inner, name, paths, options))?;
            let recorder = recorder.map_err(record_error)?;
            let log = recorder.log();
            *this.recorder() = Some(recorder);
            this.recording.store(true, Ordering::Relaxed);
            Ok(log)
        })?;
        let number = this.recordings.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Recording { simulation: slf.clone().unbind(), paths, origin: Origin::here(), number, log })
    }

    /// Completes the files of record, with a last frame of the present state.
    ///
    /// Returns
    /// -------
    /// list of pathlib.Path
    ///     Their paths; an empty list if nothing is being recorded.
    ///
    /// Raises
    /// ------
    /// OSError
    ///     If they could not be completed; the frames written before stay readable.
    pub(crate) fn stop_recording(&self, py: Python<'_>) -> PyResult<Vec<PathBuf>> {
        let mut guard = self.lock()?;
        let inner = &mut *guard;
        let Some(recorder) = self.recorder().take() else { return Ok(Vec::new()) };
        self.recording.store(false, Ordering::Relaxed);
        let files = detached(py, move || recorder.finish(Some(inner)))?.map_err(record_error)?;
        Ok(files.into_iter().map(|file| file.path).collect())
    }
}
