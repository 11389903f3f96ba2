//! Arrays that Python and a simulation or batch share: writable views that follow the state.

use crate::arrays::{Table, finite_vector};
use numpy::ndarray::Array2;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1,
    PyReadwriteArray2, PyUntypedArrayMethods,
};
use pyo3::intern;
use pyo3::prelude::*;

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
    /// Copies row `i`.
    pub fn row(&self, i: usize, target: &mut [f64]) {
        let (width, all) =
            (target.len(), self.0.as_slice().expect("made in rows, and views cannot change it"));
        target.copy_from_slice(&all[i * width..(i + 1) * width]);
    }

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
