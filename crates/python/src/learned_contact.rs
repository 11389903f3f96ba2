//! Contacts learned from data.

use crate::errors::{FileError, InputError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyTuple};
use std::path::PathBuf;
use stiction::{LearnedContactError, LearnedLaw, LearnedReport};

/// A contact learned from data, for `Simulation(model, contact=…)`. There are two kinds:
///
/// "calibrated": a friction calibration and a material fitted to recordings (`stiction learn calibrate`, a .json file). Its
/// material replaces the combined material of every geom pair.
///
/// "dac": a data-augmented law (`stiction learn train`, a .safetensors file of weights) for one body on stationary surfaces:
/// friction is learned, the other constraints are solved. sim.learned reports what it did and whether it was outside its
/// training range.
///
/// Equal contacts compare equal; they pickle and copy.
#[pyclass(frozen, module = "stiction")]
pub struct LearnedContact {
    pub inner: stiction::LearnedContact,
}

#[pymethods]
impl LearnedContact {
    /// Loads a learned contact.
    ///
    /// Parameters
    /// ----------
    /// name : str or path-like
    ///     A file (.json or .safetensors), or a contact of the package: "cube" (calibrated), "box", "prism", "box-2d", "anisotropic",
    ///     "link" (dac).
    ///
    /// Returns
    /// -------
    /// LearnedContact
    ///     The contact.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name or a file that holds no contact.
    /// OSError
    ///     For a file that cannot be read.
    #[staticmethod]
    fn load(name: PathBuf) -> PyResult<Self> {
        let name = name.to_string_lossy();
        Ok(Self { inner: stiction::LearnedContact::load(&name).map_err(error)? })
    }

    /// Names of the contacts of the package, for load.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        stiction::LearnedContact::names().collect()
    }

    /// Reads a contact from the text of a .json file.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     JSON.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For text that holds no contact.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        Ok(Self { inner: stiction::LearnedContact::from_json(text, "the text").map_err(error)? })
    }

    /// Reads a contact from the bytes of a file of either kind.
    ///
    /// Parameters
    /// ----------
    /// data : bytes
    ///     JSON or safetensors.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For bytes that hold no contact.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        Ok(Self { inner: stiction::LearnedContact::from_bytes(data, "the bytes").map_err(error)? })
    }

    /// The contact as the text of a .json file.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For kind "dac", which has no text form: use to_bytes.
    fn to_json(&self) -> PyResult<String> {
        let message = "a data-augmented law has no text: use to_bytes() or save()";
        self.inner.to_json().ok_or_else(|| InputError::new_err(message))
    }

    /// The contact as the bytes of its file: JSON, or safetensors for kind "dac".
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner.to_bytes().map_err(error)?))
    }

    /// Writes the contact to a file: JSON, or safetensors for kind "dac".
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file.
    ///
    /// Raises
    /// ------
    /// OSError
    ///     If it cannot be written.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        stiction_base::whole_file::write(&path, &self.inner.to_bytes().map_err(error)?)
            .map_err(|e| FileError::new_err(format!("{}: {e}", path.display())))
    }

    /// Its name; that of a data-augmented law is the case it was trained for.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its kind: "calibrated" or "dac".
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    /// Origin and accuracy of the contact as its file states them: a dict.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.inner.provenance.to_string(),))
    }

    fn __repr__(&self) -> String {
        let friction = match &self.inner.law {
            LearnedLaw::Calibrated(law) => law.material.dynamic_friction,
            LearnedLaw::Dac(law) => Some(law.friction),
        };
        let friction = friction.map_or(String::new(), |mu| format!(", friction {mu:.4}"));
        format!("<stiction.LearnedContact \"{}\", {}{friction}>", self.inner.name, self.inner.kind())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((restore, PyTuple::new(py, [self.to_bytes(py)?])?))
    }
}

/// A `LearnedReport` of `python/stiction/_results.py`.
pub fn report_tuple<'py>(py: Python<'py>, report: &LearnedReport) -> PyResult<Bound<'py, PyAny>> {
    static REPORT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static OUTSIDE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let outside = OUTSIDE.import(py, "stiction._results", "OutsideTraining")?;
    let outside = report
        .outside
        .as_ref()
        .map(|o| outside.call1((&o.what, o.value, o.range.0, o.range.1)))
        .transpose()?;
    let action = report.class.map(|class| class.name());
    REPORT.import(py, "stiction._results", "LearnedReport")?.call1((
        action,
        outside,
        report.converged,
        report.outside_steps,
    ))
}

fn error(error: LearnedContactError) -> PyErr {
    match error {
        LearnedContactError::Io(..) => FileError::new_err(error.to_string()),
        _ => InputError::new_err(error.to_string()),
    }
}
