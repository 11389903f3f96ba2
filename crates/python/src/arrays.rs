//! Numbers in and out of numpy arrays.

use crate::errors::input_error;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use stiction::InputError;

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

/// A vector; its length is left to whoever uses it.
pub fn vector(what: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let (shape, data) = numbers(values)?;
    if shape.len() != 1 {
        return Err(PyValueError::new_err(format!(
            "{what} has shape {}: give a vector (one dimension)",
            shape_text(&shape)
        )));
    }
    Ok(data)
}

/// A vector of `needed` finite numbers.
pub fn finite_vector(what: &'static str, values: &Bound<'_, PyAny>, needed: usize) -> PyResult<Vec<f64>> {
    let data = vector(what, values)?;
    if data.len() != needed {
        return Err(input_error(InputError::Length { what, given: data.len(), needed }));
    }
    match data.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(input_error(InputError::NotFinite { what, index, value: data[index] })),
        None => Ok(data),
    }
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

/// A matrix from its entries.
pub fn matrix<'py>(
    py: Python<'py>,
    rows: usize,
    columns: usize,
    entry: impl Fn(usize, usize) -> f64,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let data: Vec<f64> = (0..rows * columns).map(|i| entry(i / columns, i % columns)).collect();
    data.into_pyarray(py).reshape([rows, columns])
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
