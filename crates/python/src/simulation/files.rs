//! Recording to files.

use super::Simulation;
use crate::errors::{BusyError, InputError, detached};
use crate::films::{Files, Wanted, is_film};
use crate::fork::Origin;
use crate::indices::whole;
use crate::picture::viewpoint;
use crate::recording::{self, Recording};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use stiction_picture::{FilmOptions, Look, Marks};
use stiction_viewer::RecordOptions;

#[pymethods]
impl Simulation {
    /// Records the simulation to files from now on. Existing files are replaced.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like or list of str or path-like
    ///     A file, or a list of files: .html opens in a browser, .mcap in robotics log tools; .mp4 and .gif are films, drawn without a
    ///     screen.
    /// rate : float, optional
    ///     How many frames per simulated second, 60 by default, and 30 in films, which play in real time. Recording never changes the
    ///     simulation: a frame is taken at the end of the first step at or after its time.
    /// joints : list of str, optional
    ///     Names of joints to plot; all by default, unless there are too many.
    /// channels : list of str or dict, optional
    ///     Channels of your own, which Recording.log sets: names, or a dict from name to unit.
    /// size : tuple of int, int, optional
    ///     Width and height of films, pixels, (1280, 720) by default.
    /// camera : str, int or FreeCamera, optional
    ///     Where films look from, as in Renderer.render.
    /// forces : bool, optional
    ///     Whether films show contact forces as arrows.
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
    ///     with sim.record(["out.html", "out.mp4"]):
    ///         sim.step(1000)
    #[pyo3(signature = (path, rate=None, joints=None, channels=None, *, size=None, camera=None, forces=false))]
    #[allow(clippy::too_many_arguments)]
    fn record(
        slf: &Bound<'_, Self>,
        path: &Bound<'_, PyAny>,
        rate: Option<f64>,
        joints: Option<Vec<String>>,
        channels: Option<&Bound<'_, PyAny>>,
        size: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        camera: Option<&Bound<'_, PyAny>>,
        forces: bool,
    ) -> PyResult<Recording> {
        let (py, this) = (slf.py(), slf.get());
        let paths = recording::paths(path)?;
        paths.iter().try_for_each(|path| recording::check_ending(path))?;
        let user = recording::channels(channels)?;
        let films = paths.iter().filter(|path| is_film(path)).count();
        if films == 0 && (size.is_some() || camera.is_some() || forces) {
            return Err(InputError::new_err(
                "size, camera and forces are for films: leave them out, or record to .mp4 or .gif",
            ));
        }
        if films == paths.len() && (joints.is_some() || !user.is_empty()) {
            return Err(InputError::new_err(
                "joints and channels are for .html and .mcap files: leave them out, or record to one of these, too",
            ));
        }
        let (width, height) = match &size {
            Some((width, height)) => (whole(width)?, whole(height)?),
            None => (1280, 720),
        };
        let marks = Marks { forces, ..Marks::default() };
        let wanted = Wanted {
            recording: RecordOptions { rate: rate.unwrap_or(60.0), joints: recording::joints(joints), user },
            film: FilmOptions {
                width,
                height,
                rate: rate.unwrap_or(30.0),
                viewpoint: viewpoint(camera)?,
                look: Look { marks, ..Look::default() },
            },
            paths: paths.clone(),
        };
        let log = this.with_state(py, |inner| {
            if this.recorder().is_some() {
                return Err(BusyError::new_err("a recording is under way: stop_recording() ends it"));
            }
            let name = inner.model().world().name.clone();
            let (name, wanted) = (&name, &wanted);
            let recorder = detached(py, move || Files::create(inner, name, wanted))??;
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
        Ok(detached(py, move || recorder.finish(Some(inner)))??)
    }
}
