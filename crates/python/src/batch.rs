//! `stiction.Batch`: many worlds of one model, stepped together.
//!
//! The arrays hold one row a world and live as long as anyone looks at them. As in `simulation.rs`, what Python wrote there
//! goes into the worlds before each use of them ([`Batch::push`]), and what steps found comes back after it.
//!
//! Here: what it is made with. `stepping`: steps and states; `variants`: worlds that differ; `results`: what steps found;
//! `parts`: bodies, joints and others by name; `frames`: poses and Jacobians; `acting`: forces and controllers; `inside`: what these share.

mod acting;
mod frames;
mod inside;
mod parts;
mod results;
mod stepping;
mod variants;

use crate::errors::{detached, option_error};
use crate::indices::{maybe_whole, thread_count, whole};
use crate::model::Model;
use crate::options::{keywords, options};
use crate::shared::{Rows, Shared, shared_arrays};
use crate::stepping::uninterrupted;
use inside::Added;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Mutex;

/// Many worlds of one model, stepped together on several threads.
///
/// Parameters
/// ----------
/// model : Model
///     A stiction.Model, shared by all worlds.
/// n : int
///     Number of worlds. They begin at the model's default state at time 0.
/// threads : int, optional
///     Number of threads; by default all processors. The result is the same, bit for bit, for any number, and equal to that of n
///     simulations stepped one by one.
/// step, contact, … : float or {"lagged", "similar", "sap"} or LearnedContact, optional
///     The options of Simulation, the same for all worlds.
///
/// Raises
/// ------
/// ValueError
///     For an option outside its range.
///
/// Notes
/// -----
/// qpos, qvel, ctrl, applied, act and time are writable arrays with one row per world that follow the worlds:
///
///     batch = st.Batch(model, 1000)
///     batch.qpos[:, 2] += random.uniform(0, 0.1, 1000)
///     for _ in range(100):
///         batch.ctrl[:] = policy(batch.qpos, batch.qvel)
///         batch.step(10)
///
/// Batches pickle and copy; the copy continues bit for bit, with statistics from zero.
#[pyclass(frozen, module = "stiction")]
pub struct Batch {
    model: Py<Model>,
    inner: Mutex<stiction::Batch>,
    /// The controllers, in the order of the worlds'.
    added: Mutex<Vec<Added>>,
    qpos: Rows,
    qvel: Rows,
    ctrl: Rows,
    applied: Rows,
    act: Rows,
    time: Shared,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(
        signature = (model, n, threads=None, *, step=None, **options),
        text_signature = "(model, n, threads=None, *, step=None, contact='lagged', contact_from='stiction', stiction_tolerance=1e-4, \
                          regularization=1e-3, relative_tolerance=1e-5, margin=0.0, normal_law='linear', \
                          speculative=True, tangential_springs='auto', \
                          max_iterations=2000, friction_passes=2, tessellation='polygons', accuracy=None, max_step=0.1, method='convex', \
                          integrator='radau', adhesion=0.0)"
    )]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        #[pyo3(from_py_with = whole)] n: usize,
        #[pyo3(from_py_with = maybe_whole)] threads: Option<usize>,
        step: Option<f64>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = self::options(&model.get().inner, step, options)?;
        let threads = thread_count(threads)?;
        let compiled = &model.get().inner;
        let mut raised = None;
        let made = detached(py, || {
            stiction::Batch::new_watched(compiled, n, threads, options, &mut uninterrupted(&mut raised))
        })?;
        let made = made.map_err(option_error)?;
        let Some(inner) = made else { return Err(raised.expect("that is why it stopped")) };
        let (start, nv, nu, na) = (compiled.default_q(), compiled.nv(), compiled.nu(), compiled.na());
        Ok(Self {
            qpos: Rows::new(py, n, start),
            qvel: Rows::new(py, n, &vec![0.0; nv]),
            ctrl: Rows::new(py, n, &vec![0.0; nu]),
            applied: Rows::new(py, n, &vec![0.0; nv]),
            act: Rows::new(py, n, &vec![0.0; na]),
            time: Shared::new(py, &vec![0.0; n]),
            inner: Mutex::new(inner),
            added: Mutex::new(Vec::new()),
            model,
        })
    }

    /// The model given at construction; vary and randomize make variants of it.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<Model> {
        self.model.clone_ref(py)
    }

    /// Number of worlds.
    #[getter]
    fn n(&self) -> PyResult<usize> {
        Ok(self.lock()?.len())
    }

    /// Number of threads that step.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.lock()?.threads())
    }

    /// The options as a dict: Simulation(batch.model, **batch.options) steps like one of the worlds.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        keywords(py, self.lock()?.options(), None)
    }

    fn __len__(&self) -> PyResult<usize> {
        self.n()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.model)?;
        if let Ok(all) = self.added.try_lock() {
            for hook in all.iter().flat_map(Added::hooks) {
                visit.call(&*hook.object())?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let all = std::mem::take(&mut *self.added());
        all.iter().flat_map(Added::hooks).for_each(|hook| drop(hook.object().take()));
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("stiction")?.getattr("_restore_batch")?;
        let state = self.save_state(py)?;
        let controllers = PyList::empty(py);
        for added in self.added().iter().filter(|added| added.hooks().next().is_some()) {
            controllers.append(added.kept_of_all(py)?)?;
        }
        let arguments =
            (self.model.clone_ref(py), self.n()?, self.threads()?, self.options(py)?, state, controllers);
        Ok((restore, arguments.into_pyobject(py)?))
    }

    fn __repr__(&self) -> PyResult<String> {
        let inner = self.lock()?;
        let (name, n, threads) = (&inner.model().world().name, inner.len(), inner.threads());
        Ok(format!("<stiction.Batch of {n} worlds of \"{name}\" on {threads} threads>"))
    }
}

shared_arrays! {
    Batch:
    /// Positions, shape (n, nq), m or rad and quaternions with w first; writable, follows the worlds.
    qpos, set_qpos;
    /// Velocities, shape (n, nv), m/s or rad/s; writable, follows the worlds.
    qvel, set_qvel;
    /// Controls, shape (n, nu), in each actuator's own unit (N or N m for motors, m or rad for position servos), held until they are
    /// changed; writable, follows the worlds.
    ctrl, set_ctrl;
    /// Activations of the actuators that have one, shape (n, na); writable, follows the worlds.
    act, set_act;
    /// Generalised forces applied from outside, shape (n, nv), N or N m, held until they are changed; writable, follows
    /// the worlds.
    applied, set_applied;
    /// Times, shape (n,), s; writable, follows the worlds.
    time, set_time;
}

/// Unpickles a batch.
#[pyfunction]
pub fn _restore_batch<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyAny>,
    n: usize,
    threads: usize,
    options: &Bound<'py, PyDict>,
    state: &[u8],
    controllers: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyAny>> {
    let batch = py.get_type::<Batch>().call((model, n, threads), Some(options))?;
    let inner = batch.cast::<Batch>()?.get();
    // First the controllers, then the states, which know when their next samples are due.
    for controller in controllers {
        inner.attach_again(py, &controller)?;
    }
    inner.load_state(py, state)?;
    Ok(batch)
}
