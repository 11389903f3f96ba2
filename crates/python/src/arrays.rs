//! Numbers in and out of numpy arrays.

use crate::scratch::check;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::ops::Deref;

/// Anything numpy can read as 64-bit floats, in rows, with its shape.
pub fn numbers(values: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
    static AS_ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = values.py();
    let as_array = AS_ARRAY.import(py, "numpy", "asarray")?;
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "dtype"), numpy::dtype::<f64>(py))?;
    keywords.set_item(intern!(py, "order"), "C")?;
    let array = as_array.call((values,), Some(&keywords))?.cast_into::<PyArrayDyn<f64>>()?;
    let data = array.try_readonly()?.as_slice()?.to_vec();
    Ok((array.shape().to_vec(), data))
}

/// A vector of floats: an array as it lies in Python's memory, or what else was read into our own.
pub enum Vector<'py> {
    Borrowed(PyReadonlyArray1<'py, f64>),
    Owned(Vec<f64>),
}

impl Deref for Vector<'_> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Self::Borrowed(array) => array.as_slice().expect("borrowed only if it is contiguous"),
            Self::Owned(data) => data,
        }
    }
}

/// A vector; its length is left to whoever uses it.
pub fn vector<'py>(what: &str, values: &Bound<'py, PyAny>) -> PyResult<Vector<'py>> {
    if let Ok(array) = values.cast::<PyArray1<f64>>()
        && let Ok(array) = array.try_readonly()
        && array.as_slice().is_ok()
    {
        return Ok(Vector::Borrowed(array));
    }
    let (shape, data) = numbers(values)?;
    if shape.len() != 1 {
        return Err(PyValueError::new_err(format!(
            "{what} has shape {}: give a vector (one dimension)",
            shape_text(&shape)
        )));
    }
    Ok(Vector::Owned(data))
}

/// A vector of `needed` finite numbers.
pub fn finite_vector<'py>(
    what: &'static str,
    values: &Bound<'py, PyAny>,
    needed: usize,
) -> PyResult<Vector<'py>> {
    let data = vector(what, values)?;
    check(what, &data, needed)?;
    Ok(data)
}

/// Three finite numbers, or zeros if none are given.
pub fn three(what: &'static str, values: Option<&Bound<'_, PyAny>>) -> PyResult<[f64; 3]> {
    let Some(values) = values else { return Ok([0.0; 3]) };
    let data = finite_vector(what, values, 3)?;
    Ok([data[0], data[1], data[2]])
}

/// A shape as Python writes it.
pub fn shape_text(shape: &[usize]) -> String {
    let parts: Vec<String> = shape.iter().map(usize::to_string).collect();
    if parts.len() == 1 { format!("({},)", parts[0]) } else { format!("({})", parts.join(", ")) }
}

/// An array that lives as long as anyone looks at it, shared between Python and a simulation.
pub struct Shared {
    array: Py<PyArray1<f64>>,
}

impl Shared {
    pub fn new(py: Python<'_>, values: &[f64]) -> Self {
        Self { array: PyArray1::from_slice(py, values).unbind() }
    }

    /// A writable view. Whatever happens to the view's shape or flags, the array itself stays as it is.
    pub fn view<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array.bind(py).call_method0(intern!(py, "view"))
    }

    /// Sets all numbers from what a user assigned, which may be a view of this array.
    pub fn assign(&self, what: &'static str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = values.py();
        let values = finite_vector(what, values, self.array.bind(py).len())?.to_vec();
        self.write(py, &values)
    }

    /// Python's numbers to the simulation's.
    pub fn read_into(&self, py: Python<'_>, target: &mut [f64]) -> PyResult<()> {
        target.copy_from_slice(self.array.bind(py).try_readonly()?.as_slice()?);
        Ok(())
    }

    /// The simulation's numbers to Python's.
    pub fn write(&self, py: Python<'_>, source: &[f64]) -> PyResult<()> {
        self.array.bind(py).try_readwrite()?.as_slice_mut()?.copy_from_slice(source);
        Ok(())
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { array: self.array.clone_ref(py) }
    }
}
