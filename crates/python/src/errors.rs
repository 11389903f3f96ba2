//! The exceptions of `stiction._errors`, and which of them an error of Rust becomes: wrong input is a `ValueError`, a failed
//! step a `RuntimeError`, too little memory a `MemoryError`. Panics of long computations are caught here.

use pyo3::exceptions::{PyDeprecationWarning, PyMemoryError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::panic::{AssertUnwindSafe, catch_unwind};
use stiction::{InputError as WrongInput, LoadError, OptionError, StepError};

macro_rules! exceptions {
    ($($name:ident),*) => {$(
        #[doc = concat!("`stiction.", stringify!($name), "`.")]
        pub struct $name;

        impl $name {
            pub fn new_err(text: impl Into<String>) -> PyErr {
                static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
                let text = text.into();
                Python::attach(|py| match CLASS.import(py, "stiction._errors", stringify!($name)) {
                    Ok(class) => PyErr::from_type(class.clone(), text),
                    Err(error) => error,
                })
            }
        }
    )*};
}

exceptions!(
    InputError,
    InputTypeError,
    InputIndexError,
    ModelError,
    SimulationError,
    BusyError,
    FileError,
    InternalError
);

pub fn load_error(error: LoadError) -> PyErr {
    ModelError::new_err(error.to_string())
}

pub fn input_error(error: WrongInput) -> PyErr {
    InputError::new_err(error.to_string())
}

pub fn option_error(error: OptionError) -> PyErr {
    match error {
        OptionError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        other => InputError::new_err(other.to_string()),
    }
}

pub fn step_error(error: StepError) -> PyErr {
    match error {
        StepError::Input(error) => input_error(error),
        other => SimulationError::new_err(other.to_string()),
    }
}

/// Computes with the interpreter detached. A panic becomes an `InternalError`.
pub fn detached<T: Send>(py: Python<'_>, compute: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| guarded(compute))
}

/// Computes; a panic becomes an `InternalError`.
pub fn guarded<T>(compute: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(compute)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        InternalError::new_err(format!(
            "internal fault: {text}; please report it with the model and the calls before"
        ))
    })
}

/// A `DeprecationWarning` at the caller's line.
pub fn deprecated(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = std::ffi::CString::new(text)?;
    PyErr::warn(py, &py.get_type::<PyDeprecationWarning>(), &text, 1)
}
