//! Processes that are copied by fork: threads do not come along.
//!
//! Recordings and pages have threads of their own, so they stay with the process that began them: the copy of a simulation goes
//! on without them, and warns. Batches make new threads.

use crate::errors::BusyError;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often this process was copied.
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Called in the copy, after a fork.
#[pyfunction]
pub fn _forked() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}

/// Has Python call [`_forked`].
pub fn watch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    // Not on Windows.
    if let Ok(register) = os.getattr("register_at_fork") {
        let keywords = pyo3::types::PyDict::new(module.py());
        keywords.set_item("after_in_child", module.getattr("_forked")?)?;
        register.call((), Some(&keywords))?;
    }
    Ok(())
}

/// The process that something was made in, as far as forks go.
pub struct Origin(AtomicU64);

impl Origin {
    pub fn here() -> Self {
        Self(AtomicU64::new(GENERATION.load(Ordering::Relaxed)))
    }

    /// Whether this is a copy of the process that it was made in.
    pub fn left(&self) -> bool {
        self.0.load(Ordering::Relaxed) != GENERATION.load(Ordering::Relaxed)
    }

    /// From now on it belongs to this process.
    pub fn settle(&self) {
        self.0.store(GENERATION.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// An error for what only the first process can do.
pub fn of_parent(what: &str) -> PyErr {
    BusyError::new_err(format!("{what} belongs to the process that this one was forked from: end it there"))
}

/// A warning that recordings and pages stayed behind.
pub fn warn(py: Python<'_>, what: &str) -> PyResult<()> {
    let text = format!("this process was forked: the {what} of the simulation stays with the first process");
    let text = std::ffi::CString::new(text)?;
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)
}
