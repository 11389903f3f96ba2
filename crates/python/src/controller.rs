//! A Python function that sets the controls at its own rate.
//!
//! It is called in the middle of [`stiction::Simulation::step`], with the interpreter attached again.
//! What it raises is kept aside, so that it leaves `Simulation.step` as the exception it was.

use crate::arrays::{Shared, finite_vector};
use crate::control::Measured;
use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stiction::{Controller, Sample, Senses};

/// What a simulation and its controller share.
pub struct Hook {
    /// The function; none once the garbage collector has cleared it.
    function: Mutex<Option<Py<PyAny>>>,
    /// The exception that ended the last call.
    raised: Mutex<Option<PyErr>>,
    period: f64,
    /// Whether the function is also told what was measured.
    sensing: bool,
    qpos: Shared,
    qvel: Shared,
    ctrl: Shared,
}

impl Hook {
    pub fn new(
        function: Py<PyAny>,
        period: f64,
        sensing: bool,
        qpos: Shared,
        qvel: Shared,
        ctrl: Shared,
    ) -> Self {
        Self {
            function: Mutex::new(Some(function)),
            raised: Mutex::new(None),
            period,
            sensing,
            qpos,
            qvel,
            ctrl,
        }
    }

    pub fn sensing(&self) -> bool {
        self.sensing
    }

    pub fn period(&self) -> f64 {
        self.period
    }

    pub fn function(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.function.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn call(&self, py: Python<'_>, sample: &Sample<'_>, ctrl: &mut [f64]) -> PyResult<()> {
        let Some(function) = self.function().as_ref().map(|f| f.clone_ref(py)) else { return Ok(()) };
        // So that the function may look at the simulation's own arrays instead of its arguments.
        self.qpos.write(py, sample.q)?;
        self.qvel.write(py, sample.v)?;
        // Copies: a function that keeps what it was given keeps the past, not the present.
        let q = PyArray1::from_slice(py, sample.q);
        let v = PyArray1::from_slice(py, sample.v);
        let answer = if self.sensing {
            let measured = Measured::of(sample).map_err(PyRuntimeError::new_err)?;
            function.bind(py).call1((sample.time, q, v, measured))?
        } else {
            function.bind(py).call1((sample.time, q, v))?
        };
        if answer.is_none() {
            return self.ctrl.read_into(py, ctrl);
        }
        let controls = finite_vector("ctrl returned by the controller", &answer, ctrl.len())?;
        ctrl.copy_from_slice(&controls);
        drop(controls); // It may be a view of what is written now.
        self.ctrl.write(py, ctrl)
    }
}

/// The controller that calls a [`Hook`].
pub struct PythonController(pub Arc<Hook>);

impl Controller for PythonController {
    fn period(&self) -> f64 {
        self.0.period
    }

    fn senses(&self) -> Senses {
        if self.0.sensing { Senses::all() } else { Senses::nothing() }
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        _memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        Python::attach(|py| {
            self.0.call(py, sample, ctrl).map_err(|error| {
                let text = error.to_string();
                *self.0.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                text
            })
        })
    }
}
