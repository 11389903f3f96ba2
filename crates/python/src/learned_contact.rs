//! Contacts fitted to recordings.

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;
use stiction::LearnedContactError;

/// A contact fitted to recordings: a law and a material, for `Simulation(model, contact=…)`.
///
/// Its material stands in place of what the geoms' materials combine to, for every pair that touches.
/// Make one with `stiction learn calibrate`, or load one that comes with the package: "cube".
#[pyclass(frozen, module = "stiction")]
pub struct LearnedContact {
    pub inner: stiction::LearnedContact,
}

#[pymethods]
impl LearnedContact {
    /// Loads a contact file (.json), or one that comes with the package, by its name: "cube".
    ///
    /// Raises ValueError for an unknown name or a file that holds no contact, OSError for one that cannot be read.
    #[staticmethod]
    fn load(name: PathBuf) -> PyResult<Self> {
        let name = name.to_string_lossy();
        Ok(Self { inner: stiction::LearnedContact::load(&name).map_err(error)? })
    }

    /// Reads the text of a contact file.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { inner: stiction::LearnedContact::from_json(text, "the text").map_err(error)? })
    }

    /// The text of a contact file.
    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    /// Writes a contact file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        std::fs::write(&path, self.inner.to_json())
            .map_err(|e| PyOSError::new_err(format!("{}: {e}", path.display())))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// What its file says of where it comes from and how well it does: a dict.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.inner.provenance.to_string(),))
    }

    fn __repr__(&self) -> String {
        let material = &self.inner.law.material;
        let friction = material.dynamic_friction.map_or(String::new(), |mu| format!(", friction {mu:.4}"));
        format!("<stiction.LearnedContact \"{}\"{friction}>", self.inner.name)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("from_json")?;
        Ok((restore, PyTuple::new(py, [self.to_json()])?))
    }
}

fn error(error: LearnedContactError) -> PyErr {
    match error {
        LearnedContactError::Io(..) => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}
