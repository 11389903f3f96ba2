//! Keyword arguments to [`stiction::Options`] and back.

use crate::errors::option_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use stiction::continuous::{TangentialCompliance, TractionFriction};
use stiction::{
    Method, Options, TangentialSprings, Tessellation, contact_model_from_name, contact_model_name,
    method_from_names,
};

/// Checked options from what the user gave.
pub fn options(
    step: f64,
    contact: &str,
    stiction_tolerance: f64,
    regularization: f64,
    relative_tolerance: f64,
    margin: f64,
    tangential_springs: Option<&Bound<'_, PyAny>>,
    max_iterations: usize,
    tessellation: &str,
    accuracy: Option<f64>,
    method: &str,
    integrator: &str,
    adhesion: f64,
) -> PyResult<Options> {
    let mut method = method_from_names(method, integrator, false).map_err(option_error)?;
    let mut convex_springs = None;
    match &mut method {
        Method::Convex => convex_springs = tangential_springs.map(springs).transpose()?.flatten(),
        Method::Continuous(continuous) => {
            continuous.adhesion = adhesion;
            if let Some(springs) = tangential_springs.map(compliance).transpose()?.flatten() {
                continuous.friction = TractionFriction::Springs(springs);
            }
        }
    }
    let options = Options {
        method,
        step,
        accuracy,
        contact: contact_model_from_name(contact).map_err(option_error)?,
        stiction_tolerance,
        regularization,
        relative_tolerance,
        margin,
        max_iterations,
        tangential_springs: convex_springs,
        tessellation: match tessellation {
            "polygons" => Tessellation::Polygons,
            "fans" => Tessellation::Fans,
            other => {
                return Err(PyValueError::new_err(format!(
                    "unknown tessellation \"{other}\": choose polygons or fans"
                )));
            }
        },
        ..Options::default()
    };
    options.check().map_err(option_error)?;
    Ok(options)
}

/// False, True, or a dict with some of the springs' parameters.
fn springs(value: &Bound<'_, PyAny>) -> PyResult<Option<TangentialSprings>> {
    let mut springs = TangentialSprings::default();
    if let Ok(wanted) = value.cast::<PyBool>() {
        return Ok(wanted.is_true().then_some(springs));
    }
    let Ok(parameters) = value.cast::<PyDict>() else {
        return Err(PyValueError::new_err(
            "tangential_springs must be False, True or a dict with stiffness_ratio and relaxation_time",
        ));
    };
    for (key, value) in parameters {
        match key.extract::<String>()?.as_str() {
            "stiffness_ratio" => springs.stiffness_ratio = value.extract()?,
            "relaxation_time" => springs.relaxation_time = value.extract()?,
            other => {
                return Err(PyValueError::new_err(format!(
                    "tangential_springs has no parameter \"{other}\"; it has: stiffness_ratio, relaxation_time"
                )));
            }
        }
    }
    Ok(Some(springs))
}

/// The same for continuous time.
fn compliance(value: &Bound<'_, PyAny>) -> PyResult<Option<TangentialCompliance>> {
    let mut springs = TangentialCompliance::default();
    if let Ok(wanted) = value.cast::<PyBool>() {
        return Ok(wanted.is_true().then_some(springs));
    }
    let Ok(parameters) = value.cast::<PyDict>() else {
        return Err(PyValueError::new_err(
            "tangential_springs must be False, True or, with method=\"continuous\", a dict with stretch and relaxation_time",
        ));
    };
    for (key, value) in parameters {
        match key.extract::<String>()?.as_str() {
            "stretch" => springs.stretch = value.extract()?,
            "relaxation_time" => springs.relaxation_time = value.extract()?,
            other => {
                return Err(PyValueError::new_err(format!(
                    "with method=\"continuous\" tangential_springs has no parameter \"{other}\"; it has: stretch, relaxation_time"
                )));
            }
        }
    }
    Ok(Some(springs))
}

/// The keyword arguments that make these options.
pub fn keywords<'py>(py: Python<'py>, options: &Options) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("step", options.step)?;
    dict.set_item("contact", contact_model_name(options.contact))?;
    dict.set_item("stiction_tolerance", options.stiction_tolerance)?;
    dict.set_item("regularization", options.regularization)?;
    dict.set_item("relative_tolerance", options.relative_tolerance)?;
    dict.set_item("margin", options.margin)?;
    if let TractionFriction::Springs(springs) = options.continuous().friction {
        let parameters = PyDict::new(py);
        parameters.set_item("stretch", springs.stretch)?;
        parameters.set_item("relaxation_time", springs.relaxation_time)?;
        dict.set_item("tangential_springs", parameters)?;
    }
    match options.tangential_springs {
        None if dict.contains("tangential_springs")? => {}
        None => dict.set_item("tangential_springs", false)?,
        Some(springs) => {
            let parameters = PyDict::new(py);
            parameters.set_item("stiffness_ratio", springs.stiffness_ratio)?;
            parameters.set_item("relaxation_time", springs.relaxation_time)?;
            dict.set_item("tangential_springs", parameters)?;
        }
    }
    dict.set_item("max_iterations", options.max_iterations)?;
    let tessellation = match options.tessellation {
        Tessellation::Polygons => "polygons",
        Tessellation::Fans => "fans",
    };
    dict.set_item("tessellation", tessellation)?;
    dict.set_item("accuracy", options.accuracy)?;
    dict.set_item("method", options.method_name())?;
    dict.set_item("integrator", options.continuous().integrator.name())?;
    dict.set_item("adhesion", options.continuous().adhesion)?;
    Ok(dict)
}
