//! Derivatives of a step as a `StepDerivatives` tuple of numpy arrays.

use crate::errors::{InputError, InputTypeError, detached, input_error, option_error, step_error};
use nalgebra::DMatrix;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use stiction::{ContactParameter, ContactProperty, DerivativeError, GeomId, Simulation, StepDerivatives};

/// What `Simulation.step_derivatives` does: `parameters` are pairs (geom, property), the geom by name or id.
pub fn compute<'py>(
    py: Python<'py>,
    simulation: &mut Simulation,
    parameters: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut wanted = Vec::new();
    if let Some(parameters) = parameters {
        let wrong = |_| {
            InputTypeError::new_err(format!(
                "parameters = {parameters}: give a list of pairs (geom, property)"
            ))
        };
        for pair in parameters.try_iter().map_err(wrong)? {
            wanted.push(parameter(simulation, &pair?)?);
        }
    }
    let found = detached(py, || simulation.step_derivatives(&wanted))?.map_err(derivative_error)?;
    tuple(py, &found)
}

fn parameter(simulation: &Simulation, pair: &Bound<'_, PyAny>) -> PyResult<ContactParameter> {
    let Ok((geom, property)) = pair.extract::<(Bound<'_, PyAny>, String)>() else {
        return Err(InputTypeError::new_err(format!(
            "parameter {}: give a pair of a geom (name or id) and a property, such as (\"floor\", \"friction\")",
            pair.repr()?
        )));
    };
    if let Ok(name) = geom.extract::<String>() {
        return ContactParameter::named(simulation.model(), &name, &property).map_err(input_error);
    }
    let property = ContactProperty::from_name(&property).map_err(input_error)?;
    let geoms = simulation.model().world().geoms.len();
    Ok(ContactParameter { geom: GeomId(crate::indices::id("geom", &geom, geoms)?), property })
}

fn derivative_error(error: DerivativeError) -> PyErr {
    match error {
        DerivativeError::Input(error) => input_error(error),
        DerivativeError::Options(error) => option_error(error),
        DerivativeError::Step(error) => step_error(error),
        other => InputError::new_err(other.to_string()),
    }
}

fn tuple<'py>(py: Python<'py>, found: &StepDerivatives) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "stiction._results", "StepDerivatives")?;
    let doubtful: Vec<(usize, usize)> = found.doubtful.iter().map(|(a, b)| (a.0, b.0)).collect();
    class.call1(PyTuple::new(
        py,
        [
            matrix(py, &found.state)?,
            matrix(py, &found.ctrl)?,
            matrix(py, &found.parameters)?,
            PyArray1::from_slice(py, &found.q).into_any(),
            PyArray1::from_slice(py, &found.v).into_any(),
            doubtful.into_pyobject(py)?.into_any(),
        ],
    )?)
}

/// A matrix as an array in rows.
fn matrix<'py>(py: Python<'py>, m: &DMatrix<f64>) -> PyResult<Bound<'py, PyAny>> {
    let rows: Vec<f64> = m.transpose().as_slice().to_vec();
    Ok(rows.into_pyarray(py).reshape([m.nrows(), m.ncols()])?.into_any())
}
