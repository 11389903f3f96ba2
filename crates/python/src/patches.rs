//! Contact patches as `ContactPatch` tuples of numpy arrays.

use nalgebra::Vector3;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};
use stiction::ContactPatch;

/// A list with one `ContactPatch` of `python/stiction/_results.py` a patch.
pub fn patch_list<'py>(py: Python<'py>, patches: &[ContactPatch]) -> PyResult<Bound<'py, PyList>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "stiction._results", "ContactPatch")?;
    let list = PyList::empty(py);
    for patch in patches {
        list.append(class.call1(fields(py, patch)?)?)?;
    }
    Ok(list)
}

/// The fields in the order of the tuple.
fn fields<'py>(py: Python<'py>, patch: &ContactPatch) -> PyResult<Bound<'py, PyTuple>> {
    let polygons = PyList::empty(py);
    for polygon in &patch.polygons {
        polygons.append(PyArray1::from_iter(py, polygon.iter().map(|&i| i64::from(i))))?;
    }
    let numbers = |values: &[f64]| PyArray1::from_slice(py, values).into_any();
    let three = |value: &Vector3<f64>| numbers(value.as_slice());
    PyTuple::new(
        py,
        [
            patch.geom_a.0.into_pyobject(py)?.into_any(),
            patch.geom_b.0.into_pyobject(py)?.into_any(),
            patch.body_a.into_pyobject(py)?.into_any(),
            patch.body_b.into_pyobject(py)?.into_any(),
            rows(py, &patch.vertices)?.into_any(),
            polygons.into_any(),
            numbers(&patch.pressure),
            patch.area.into_pyobject(py)?.into_any(),
            three(&patch.centroid),
            three(&patch.center_of_pressure),
            three(&patch.force),
            three(&patch.moment),
            rows(py, &patch.traction)?.into_any(),
            rows(py, &patch.slip)?.into_any(),
            numbers(&patch.areas),
            rows(py, &patch.normals)?.into_any(),
            rows(py, &patch.centroids)?.into_any(),
            patch.peak_extent.into_pyobject(py)?.into_any(),
        ],
    )
}

/// Vectors as an array of shape (n, 3).
fn rows<'py>(py: Python<'py>, vectors: &[Vector3<f64>]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: Vec<f64> = vectors.iter().flatten().copied().collect();
    flat.into_pyarray(py).reshape([vectors.len(), 3])
}
