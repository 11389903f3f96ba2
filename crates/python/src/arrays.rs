//! Numbers in and out of numpy arrays.

use crate::scratch::check;
use numpy::ndarray::Array2;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadwriteArray1, PyReadwriteArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::ops::Deref;

/// Anything numpy can read as 64-bit floats, in rows, with its shape.
fn numbers(values: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
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

/// The same, and an error that says what they were meant to be.
pub fn numbers_of(what: &str, values: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<f64>)> {
    numbers(values).map_err(|error| {
        let py = values.py();
        if !error.is_instance_of::<PyValueError>(py) && !error.is_instance_of::<PyTypeError>(py) {
            return error;
        }
        let reason = error.value(py).to_string();
        PyValueError::new_err(format!("{what} cannot be read as numbers ({reason}): give floats"))
    })
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
    let (shape, data) = numbers_of(what, values)?;
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
                return Err(PyValueError::new_err(format!(
                    "{what} has shape {}: give ({width},) for all worlds or ({count}, {width}), one row a world",
                    shape_text(&shape)
                )));
            }
        };
        match data.iter().position(|x| !x.is_finite()) {
            None => Ok(Self { data, width, stride }),
            Some(at) if stride == 0 => {
                Err(PyValueError::new_err(format!("{what}[{at}] is {}: give finite numbers", data[at])))
            }
            Some(at) => Err(PyValueError::new_err(format!(
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

    pub fn read<'py>(&self, py: Python<'py>) -> PyResult<PyReadonlyArray1<'py, f64>> {
        Ok(self.array.bind(py).try_readonly()?)
    }

    pub fn write_all<'py>(&self, py: Python<'py>) -> PyResult<PyReadwriteArray1<'py, f64>> {
        Ok(self.array.bind(py).try_readwrite()?)
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { array: self.array.clone_ref(py) }
    }
}

/// An array with one row a world, shared between Python and a batch.
pub struct Rows {
    array: Py<PyArray2<f64>>,
}

impl Rows {
    /// `n` rows, all like `row`.
    pub fn new(py: Python<'_>, n: usize, row: &[f64]) -> Self {
        let array = Array2::from_shape_fn((n, row.len()), |(_, j)| row[j]);
        Self { array: array.into_pyarray(py).unbind() }
    }

    /// A new array of which `fill` writes each row.
    pub fn collect<'py>(
        py: Python<'py>,
        n: usize,
        width: usize,
        fill: impl Fn(usize, &mut [f64]),
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let mut flat = vec![0.0; n * width];
        if width > 0 {
            flat.chunks_exact_mut(width).enumerate().for_each(|(i, row)| fill(i, row));
        }
        flat.into_pyarray(py).reshape([n, width])
    }

    /// A writable view; the array itself stays as it is.
    pub fn view<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array.bind(py).call_method0(intern!(py, "view"))
    }

    /// Sets all numbers from what a user assigned: one row a world, or one for all.
    pub fn assign(&self, what: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = values.py();
        let &[n, width] = self.array.bind(py).shape() else { unreachable!("it has two dimensions") };
        let table = Table::read(what, values, n, width)?;
        let mut array = self.array.bind(py).try_readwrite()?;
        if width > 0 {
            let rows = array.as_slice_mut()?.chunks_exact_mut(width).enumerate();
            rows.for_each(|(k, row)| row.copy_from_slice(table.row(k)));
        }
        Ok(())
    }

    pub fn read<'py>(&self, py: Python<'py>) -> PyResult<ReadRows<'py>> {
        Ok(ReadRows(self.array.bind(py).try_readonly()?))
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { array: self.array.clone_ref(py) }
    }

    pub fn write<'py>(&self, py: Python<'py>) -> PyResult<WriteRows<'py>> {
        Ok(WriteRows(self.array.bind(py).try_readwrite()?))
    }
}

/// Rows being read.
pub struct ReadRows<'py>(PyReadonlyArray2<'py, f64>);

impl ReadRows<'_> {
    /// Copies row `i`.
    pub fn row(&self, i: usize, target: &mut [f64]) {
        let (width, all) =
            (target.len(), self.0.as_slice().expect("made in rows, and views cannot change it"));
        target.copy_from_slice(&all[i * width..(i + 1) * width]);
    }
}

/// Rows being written.
pub struct WriteRows<'py>(PyReadwriteArray2<'py, f64>);

impl WriteRows<'_> {
    /// Sets row `i`.
    pub fn set_row(&mut self, i: usize, source: &[f64]) {
        let (width, all) =
            (source.len(), self.0.as_slice_mut().expect("made in rows, and views cannot change it"));
        all[i * width..(i + 1) * width].copy_from_slice(source);
    }
}

/// The arrays that a class shares with Python, as properties: each shows the array itself, and what is assigned goes into it.
/// The doc comments are the docstrings.
macro_rules! shared_arrays {
    ($class:ident: $($(#[$doc:meta])* $name:ident, $set:ident;)*) => {
        #[pymethods]
        impl $class {
            $(
                $(#[$doc])*
                #[getter]
                fn $name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                    self.$name.view(py)
                }

                #[setter]
                fn $set(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
                    self.$name.assign(stringify!($name), values)
                }
            )*
        }
    };
}

pub(crate) use shared_arrays;
