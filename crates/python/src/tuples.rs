//! Results as the named tuples and dicts of `stiction._results`.

use crate::frames::read_only;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use stiction::Energy;
use stiction::model::Pose;

/// Warnings as `ModelWarning` tuples.
pub fn warning_tuples<'py>(
    py: Python<'py>,
    warnings: &[stiction::model::Warning],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "stiction._results", "ModelWarning")?;
    warnings
        .iter()
        .map(|w| class.call1((&w.source.file, &w.source.element, w.source.line, &w.message)))
        .collect()
}

/// The class `Energy`.
pub fn energy_class<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    CLASS.import(py, "stiction._results", "Energy")
}

pub fn energy_tuple<'py>(py: Python<'py>, energy: &Energy) -> PyResult<Bound<'py, PyAny>> {
    energy_class(py)?.call1((energy.kinetic, energy.potential))
}

/// The class `BodyPose`.
pub fn pose_class<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    CLASS.import(py, "stiction._results", "BodyPose")
}

pub fn pose_tuple<'py>(py: Python<'py>, pose: &Pose) -> PyResult<Bound<'py, PyAny>> {
    let (p, r) = (pose.translation.vector, pose.rotation);
    let position = read_only(PyArray1::from_slice(py, p.as_slice()).into_any())?;
    let turn = read_only(PyArray1::from_slice(py, &[r.w, r.i, r.j, r.k]).into_any())?;
    pose_class(py)?.call1((position, turn))
}

/// Sensor readings by name.
pub fn readings<'py>(
    py: Python<'py>,
    model: &stiction::Model,
    values: &[f64],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (k, sensor) in model.world().sensors.iter().enumerate() {
        let reading = PyArray1::from_slice(py, &values[model.sensor_range(k)]);
        dict.set_item(&sensor.name, read_only(reading.into_any())?)?;
    }
    Ok(dict)
}
