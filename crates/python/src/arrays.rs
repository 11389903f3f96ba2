//! Numbers that users give, read from anything that numpy can read.

use crate::errors::InputError;
use crate::scratch::check;
use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::ops::Deref;

/// Anything numpy can read as 64-bit floats, in rows, with its shape.
fn numbers(values: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
    static REQUIRE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = values.py();
    let require = REQUIRE.import(py, "numpy", "require")?;
    // Arrays in another order or not aligned are copied.
    let array =
        require.call1((values, numpy::dtype::<f64>(py), ["C", "ALIGNED"]))?.cast_into::<PyArrayDyn<f64>>()?;
    let data = array.try_readonly()?.as_slice()?.to_vec();
    Ok((array.shape().to_vec(), data))
}

/// The same, and an error that says what they were meant to be.
pub fn numbers_of(what: &str, values: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
    numbers(values).map_err(|error| {
        let py = values.py();
        if !error.is_instance_of::<PyValueError>(py) && !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        let reason = error.value(py).to_string();
        InputError::new_err(format!("{what} cannot be read as numbers ({reason}): give floats"))
    })
}

/// A vector of floats: borrowed from an array, or a copy.
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

/// A vector of any length.
pub fn vector<'py>(what: &str, values: &Bound<'py, PyAny>) -> PyResult<Vector<'py>> {
    if let Ok(array) = values.cast::<PyArray1<f64>>()
        && let Ok(array) = array.try_readonly()
        && array.as_slice().is_ok()
    {
        return Ok(Vector::Borrowed(array));
    }
    let (shape, data) = numbers_of(what, values)?;
    if shape.len() != 1 {
        return Err(InputError::new_err(format!(
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

/// Finite numbers for some worlds: one row for all of them, or one row each.
pub struct Table {
    data: Vec<f64>,
    width: usize,
    /// 0 where one row stands for all.
    stride: usize,
}

impl Table {
    pub fn read(what: &str, values: &Bound<'_, PyAny>, count: usize, width: usize) -> PyResult<Self> {
        let (shape, data) = numbers_of(what, values)?;
        let stride = match *shape.as_slice() {
            [given] if given == width => 0,
            [rows, given] if rows == count && given == width => width,
            _ => {
                return Err(InputError::new_err(format!(
                    "{what} has shape {}: give ({width},) for all worlds or ({count}, {width}), one row a world",
                    shape_text(&shape)
                )));
            }
        };
        match data.iter().position(|x| !x.is_finite()) {
            None => Ok(Self { data, width, stride }),
            Some(at) if stride == 0 => {
                Err(InputError::new_err(format!("{what}[{at}] is {}: give finite numbers", data[at])))
            }
            Some(at) => Err(InputError::new_err(format!(
                "{what}[{}, {}] is {}: give finite numbers",
                at / width,
                at % width,
                data[at]
            ))),
        }
    }

    /// The numbers of world `k` of those it was read for.
    pub fn row(&self, k: usize) -> &[f64] {
        &self.data[k * self.stride..][..self.width]
    }
}

/// A shape as Python writes it.
pub fn shape_text(shape: &[usize]) -> String {
    let parts: Vec<String> = shape.iter().map(usize::to_string).collect();
    if parts.len() == 1 { format!("({},)", parts[0]) } else { format!("({})", parts.join(", ")) }
}
