//! Rust's errors as exceptions: wrong input is a `ValueError`, a failed step a `RuntimeError`, too little memory a
//! `MemoryError`.

use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use stiction::{InputError, LoadError, OptionError, StepError};

create_exception!(
    stiction,
    ModelError,
    PyValueError,
    "A model that cannot be loaded or compiled; the message names the file, the element and the remedy."
);
create_exception!(
    stiction,
    SimulationError,
    PyRuntimeError,
    "A step that could not be completed. The simulation keeps the last good state."
);

pub fn load_error(error: LoadError) -> PyErr {
    ModelError::new_err(error.to_string())
}

pub fn input_error(error: InputError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

pub fn option_error(error: OptionError) -> PyErr {
    match error {
        OptionError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

pub fn step_error(error: StepError) -> PyErr {
    match error {
        StepError::Input(error) => input_error(error),
        other => SimulationError::new_err(other.to_string()),
    }
}
