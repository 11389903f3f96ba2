//! `Simulation.record`: files written while Python steps.

use crate::errors::{BusyError, FileError, InputError};
use crate::fork::{Origin, of_parent};
use crate::simulation::Simulation;
use pyo3::prelude::*;
use pyo3::types::PyAnyMethods;
use std::path::PathBuf;
use stiction_viewer::{JointChoice, RecordError};

/// A recording in progress, from Simulation.record: a context manager that completes the files at its end.
#[pyclass(frozen, module = "stiction")]
pub struct Recording {
    pub simulation: Py<Simulation>,
    pub paths: Vec<PathBuf>,
    pub origin: Origin,
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

/// One path, or several in a list.
pub fn paths(given: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(path) = given.extract::<PathBuf>() {
        return Ok(vec![path]);
    }
    let paths: Vec<PathBuf> = given.extract().map_err(|_| {
        InputError::new_err("give a path that ends in .html or .mcap, or a list of such paths")
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
        RecordError::Extension(_) | RecordError::Rate(_) | RecordError::Joint { .. } => {
            InputError::new_err(text)
        }
    }
}
