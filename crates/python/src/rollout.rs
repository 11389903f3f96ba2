//! `stiction.rollout`: many trajectories of one model on several threads.

use crate::arrays::{numbers_of, shape_text};
use crate::errors::{InputError, SimulationError, detached};
use crate::indices::{maybe_whole, thread_count};
use crate::model::Model;
use crate::options::options;
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::StepError;
use stiction::batch::{self, Rollout};

/// Simulates many initial states of one model on several threads.
///
/// Parameters
/// ----------
/// model : Model
///     A stiction.Model.
/// states : array_like
///     Initial positions and velocities, shape (n, nq + nv).
/// controls : array_like, optional
///     Controls of each step, shape (n, T, nu); or None to leave them at zero and give steps=T.
/// threads : int, optional
///     Number of threads; by default all processors. The result is the same, bit for bit, for any number.
/// steps : int, optional
///     Number of steps T if controls is None.
/// step, contact, … : float or {"lagged", "similar", "sap"} or LearnedContact, optional
///     The options of Simulation.
///
/// Returns
/// -------
/// numpy.ndarray
///     The states after each step, shape (n, T, nq + nv): out[i, t] is the state of a simulation that started at states[i], after
///     step t with controls[i, t].
///
/// Raises
/// ------
/// ValueError
///     For shapes that do not fit and numbers that are not finite.
/// SimulationError
///     Of the first affected row for a step that cannot be completed.
#[pyfunction]
#[pyo3(
    signature = (model, states, controls=None, threads=None, *, steps=None, step=None, **options),
    text_signature = "(model, states, controls=None, threads=None, *, steps=None, step=None, contact='lagged', contact_from='stiction', \
                      stiction_tolerance=1e-4, regularization=1e-3, relative_tolerance=1e-5, margin=0.0, normal_law='linear', \
                      speculative=True, tangential_springs='auto', max_iterations=2000, friction_passes=2, \
                      tessellation='polygons')"
)]
pub fn rollout<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    states: &Bound<'py, PyAny>,
    controls: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = maybe_whole)] threads: Option<usize>,
    #[pyo3(from_py_with = maybe_whole)] steps: Option<usize>,
    step: Option<f64>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let options = self::options(&model.get().inner, step, options)?;
    if options.error_controlled() {
        return Err(InputError::new_err(
            "accuracy, method: rollouts take convex steps of fixed length, so that their rows share the times; give step=",
        ));
    }
    let threads = thread_count(threads)?;
    let model = &model.get().inner;
    let width = model.nq() + model.nv();
    let (shape, states) = numbers_of("states", states)?;
    let &[n, given] = shape.as_slice() else {
        return Err(wrong_shape("states", &shape, &format!("(n, {width}), which is (n, nq + nv)")));
    };
    if given != width {
        return Err(wrong_shape("states", &shape, &format!("({n}, {width}), which is (n, nq + nv)")));
    }
    let (controls, length) = read_controls(controls, steps, n, model.nu())?;
    let mut out = room(n, length, width)?;
    let mut interrupt = None;
    let outcome = detached(py, || {
        let work = Rollout { states: &states, controls: controls.as_deref(), steps: length };
        batch::rollout(model, &options, &work, threads, &mut out, &mut || {
            interrupt = Python::attach(|py| py.check_signals()).err();
            interrupt.is_none()
        })
    })?;
    match (interrupt, outcome) {
        (Some(error), _) => Err(error),
        (None, Ok(_)) => out.into_pyarray(py).reshape([n, length, width]),
        (None, Err(failure)) => Err(match failure.error {
            StepError::Input(_) => InputError::new_err(failure.to_string()),
            _ => SimulationError::new_err(failure.to_string()),
        }),
    }
}

/// Zeros for all trajectories, or an exception if there is no room for them.
fn room(n: usize, length: usize, width: usize) -> PyResult<Vec<f64>> {
    let mut out = Vec::new();
    let size = n.checked_mul(length).and_then(|rows| rows.checked_mul(width));
    match size.map(|size| (size, out.try_reserve_exact(size))) {
        Some((size, Ok(()))) => {
            out.resize(size, 0.0);
            Ok(out)
        }
        _ => Err(PyMemoryError::new_err(format!(
            "no room for the trajectories, {n} × {length} × {width} numbers: take fewer rows or steps at a time"
        ))),
    }
}

/// The controls in one row and the number of steps.
fn read_controls(
    controls: Option<&Bound<'_, PyAny>>,
    steps: Option<usize>,
    n: usize,
    nu: usize,
) -> PyResult<(Option<Vec<f64>>, usize)> {
    match (controls, steps) {
        (None, None) => Err(InputError::new_err("give controls of shape (n, T, nu), or steps=T")),
        (None, Some(length)) => Ok((None, length)),
        (Some(controls), steps) => {
            let (shape, data) = numbers_of("controls", controls)?;
            match *shape.as_slice() {
                [rows, length, width] if rows == n && width == nu && steps.is_none_or(|t| t == length) => {
                    Ok((Some(data), length))
                }
                _ => {
                    let length = steps.map_or("T".into(), |t| t.to_string());
                    let needed = format!("({n}, {length}, {nu}), which is (n, T, nu)");
                    Err(wrong_shape("controls", &shape, &needed))
                }
            }
        }
    }
}

fn wrong_shape(what: &str, shape: &[usize], needed: &str) -> PyErr {
    InputError::new_err(format!("{what} has shape {}, this model needs {needed}", shape_text(shape)))
}
