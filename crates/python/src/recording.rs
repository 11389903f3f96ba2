//! `Simulation.record`: files written while Python steps.

use crate::errors::{BusyError, FileError, InputError, InputTypeError};
use crate::fork::{Origin, of_parent};
use crate::simulation::Simulation;
use pyo3::prelude::*;
use pyo3::types::PyAnyMethods;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use stiction_viewer::{JointChoice, RecordError, UserChannel, UserLog};

/// A recording in progress, from Simulation.record: a context manager that completes the files at its end.
#[pyclass(frozen, module = "stiction")]
pub struct Recording {
    pub simulation: Py<Simulation>,
    pub paths: Vec<PathBuf>,
    pub origin: Origin,
    /// Which of the simulation's recordings it is.
    pub number: u64,
    /// Of files that hold channels.
    pub log: Option<UserLog>,
}

#[pymethods]
impl Recording {
    /// The files, a list of pathlib.Path.
    #[getter]
    fn paths(&self) -> Vec<PathBuf> {
        self.paths.clone()
    }

    /// Completes the files, as Simulation.stop_recording does.
    ///
    /// Raises
    /// ------
    /// OSError
    ///     If they could not be completed.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        if self.origin.left() {
            return Err(of_parent("this recording"));
        }
        self.simulation.get().stop_recording(py).map(|_| ())
    }

    /// Sets the number of a channel that was named when the recording began; the next frames hold it, until it is set again. May be
    /// called in controllers.
    ///
    /// Parameters
    /// ----------
    /// channel : str
    ///     Its name.
    /// value : float
    ///     In the unit of the channel.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown channel, or a value that is not finite.
    fn log(&self, channel: &str, value: f64) -> PyResult<()> {
        finite(value)?;
        let log = self.log.as_ref().ok_or_else(|| {
            InputError::new_err("films hold no channels: record to a .html or .mcap file, too")
        })?;
        log.log(channel, value).map_err(record_error)
    }

    /// Whether the files are being written.
    #[getter]
    fn running(&self) -> bool {
        !self.origin.left() && self.simulation.get().is_recording(self.number)
    }

    /// The recording inline in a notebook, once it is complete.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page = self.paths.iter().find(|path| path.extension().is_some_and(|e| e == "html" || e == "htm"));
        let Some(page) = page else { return escaped(py, &self.__repr__()) };
        if self.running() {
            return escaped(py, &format!("{}, under way: stop() completes it", self.__repr__()));
        }
        let text = std::fs::read_to_string(page)
            .map_err(|error| FileError::new_err(format!("{}: {error}", page.display())))?;
        Ok(frame(&format!("srcdoc=\"{}\"", escaped(py, &text)?)))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        self.stop(py)
    }

    fn __repr__(&self) -> String {
        let paths: Vec<String> = self.paths.iter().map(|p| p.display().to_string()).collect();
        format!("<stiction.Recording to {}>", paths.join(", "))
    }
}

/// A page within a page.
pub fn frame(source: &str) -> String {
    format!("<iframe {source} width=\"100%\" height=\"600\" style=\"border: 0\" allowfullscreen></iframe>")
}

/// Text as it stands in HTML.
pub fn escaped(py: Python<'_>, text: &str) -> PyResult<String> {
    py.import("html")?.call_method1("escape", (text,))?.extract()
}

/// A number that can be logged.
pub fn finite(value: f64) -> PyResult<()> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(InputError::new_err(format!("value = {value}: give a finite number")))
    }
}

/// Channels of the user's own: a list of names, or a dict from name to unit.
pub fn channels(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<UserChannel>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let wrong = || {
        InputTypeError::new_err(format!(
            "channels = {given}: give a list of names, or a dict from name to unit"
        ))
    };
    if let Ok(dict) = given.cast::<PyDict>() {
        let channel = |(name, unit): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            let (name, unit) = (name.extract().map_err(|_| wrong())?, unit.extract().map_err(|_| wrong())?);
            Ok(UserChannel { name, unit })
        };
        return dict.iter().map(channel).collect();
    }
    if given.extract::<String>().is_ok() {
        return Err(wrong());
    }
    let names: Vec<String> = given.extract().map_err(|_| wrong())?;
    Ok(names.into_iter().map(|name| UserChannel { name, unit: String::new() }).collect())
}

/// Refuses a file whose ending says no format.
pub fn check_ending(path: &Path) -> PyResult<()> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("html" | "htm" | "mcap" | "mp4" | "gif") => Ok(()),
        _ => Err(InputError::new_err(format!(
            "{}: the ending says no format: give .html, .mcap, .mp4 or .gif",
            path.display()
        ))),
    }
}

/// One path, or several in a list.
pub fn paths(given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(vec![path]);
    }
    let paths: Vec<PathBuf> = given.extract().map_err(|_| {
        InputError::new_err("give a path that ends in .html, .mcap, .mp4 or .gif, or a list of such paths")
    })?;
    if paths.is_empty() { Err(InputError::new_err("give at least one path")) } else { Ok(paths) }
}

/// All joints, or those named.
pub fn joints(names: Option<Vec<String>>) -> JointChoice {
    names.map_or_else(JointChoice::default, JointChoice::Named)
}

pub fn record_error(error: RecordError) -> PyErr {
    let text = error.to_string();
    match error {
        RecordError::Create { .. } | RecordError::Write { .. } => FileError::new_err(text),
        RecordError::Ended(_) | RecordError::OtherModel => BusyError::new_err(text),
        RecordError::Extension(_)
        | RecordError::Rate(_)
        | RecordError::Joint { .. }
        | RecordError::Channel(_)
        | RecordError::Log { .. } => InputError::new_err(text),
    }
}
