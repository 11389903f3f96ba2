//! Controllers of simulations and batches: Python functions, called at their own rate, and ready ones.
//!
//! A function is called in the middle of [`stiction::Simulation::step`], with the interpreter attached again. What it raises is
//! kept aside, so that it leaves `Simulation.step` as the exception it was, with a note that says whose it is.

use crate::arrays::finite_vector;
use crate::control::{Measured, check_period, ready};
use crate::errors::{InputError, InputTypeError, SimulationError, step_error};
use crate::indices::whole;
use crate::model::body_of;
use crate::shared::{Rows, Shared};
use crate::tactile::TactileGrid;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stiction::{Controller, Sample, Senses, StepError};

/// The keyword arguments of `add_controller`, as they were given.
pub struct Wanted<'a, 'py> {
    pub period: f64,
    pub sensing: bool,
    pub wrenches: Option<&'a Bound<'py, PyAny>>,
    pub skins: Option<&'a Bound<'py, PyAny>>,
}

impl Wanted<'_, '_> {
    /// Has `attach` add a controller anew, from what [`Hook::keywords`] kept of it.
    pub fn again(
        kept: &Bound<'_, PyAny>,
        attach: impl FnOnce(&Bound<'_, PyAny>, &Wanted<'_, '_>) -> PyResult<usize>,
    ) -> PyResult<()> {
        type Kept<'py> = (Bound<'py, PyAny>, (f64, bool, Bound<'py, PyAny>, Bound<'py, PyAny>));
        let (controller, (period, sensing, wrenches, skins)): Kept<'_> = kept.extract()?;
        let wanted = Wanted { period, sensing, wrenches: Some(&wrenches), skins: Some(&skins) };
        attach(&controller, &wanted).map(|_| ())
    }
}

/// Arrays that a function may look at and write to instead of its arguments and its answer.
pub enum Place {
    Simulation { qpos: Shared, qvel: Shared, ctrl: Shared },
    World { ctrl: Rows, row: usize },
}

/// What ended a call.
enum Raised {
    /// What the function raised.
    Exception(PyErr),
    /// An answer that cannot be taken; the step's error says why.
    Answer,
}

/// What a simulation, or a world of a batch, and one of its controllers share.
pub struct Hook {
    /// What a handle knows it by.
    pub key: u64,
    /// The function or ready controller; none once the garbage collector has cleared it.
    object: Mutex<Option<Py<PyAny>>>,
    is_function: bool,
    name: String,
    raised: Mutex<Option<Raised>>,
    period: f64,
    sensing: bool,
    senses: Senses,
    /// For pickle: the bodies and skins as they were given.
    wrenches: Vec<Py<PyAny>>,
    skins: Vec<Py<TactileGrid>>,
    /// How many controllers the simulation has.
    count: Arc<AtomicUsize>,
    place: Place,
}

/// A key that no other controller of this process has.
pub fn new_key() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The handle on a controller of a simulation or batch, which `remove_controller` takes.
pub fn handle<'py>(owner: &Bound<'py, PyAny>, key: u64) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    CLASS.import(owner.py(), "stiction._controllers", "ControllerHandle")?.call1((owner, key))
}

/// The number of a controller from its handle, or from its present number.
pub fn number_of(owner: &Bound<'_, PyAny>, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    static NUMBER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let number = NUMBER.import(owner.py(), "stiction._controllers", "number_of")?.call1((owner, given))?;
    whole(&number)
}

impl Hook {
    /// Of what a user gave, with the controller that calls it.
    pub fn new(
        object: &Bound<'_, PyAny>,
        model: &stiction::Model,
        wanted: &Wanted<'_, '_>,
        count: &Arc<AtomicUsize>,
        place: Place,
    ) -> PyResult<(Arc<Self>, Box<dyn Controller>)> {
        let py = object.py();
        let (wrenches, skins) = (list(wanted.wrenches, "wrenches")?, list(wanted.skins, "skins")?);
        let ready = ready(object, model)?;
        let asks = wanted.sensing || !wrenches.is_empty() || !skins.is_empty();
        if ready.is_some() && (wanted.period != 0.0 || asks) {
            return Err(InputError::new_err(
                "this controller has a period of its own and reads what it needs: leave period, sensing, wrenches and skins out",
            ));
        }
        if ready.is_none() && !object.is_callable() {
            return Err(InputTypeError::new_err(format!(
                "the controller is a {}: give a function of (time, qpos, qvel), or a stiction.JointTracking, PoseTracking or \
                 GripForce",
                object.get_type().name()?
            )));
        }
        check_period(wanted.period)?;
        let bodies = wrenches.iter().map(|body| body_of(model, body)).collect::<PyResult<Vec<usize>>>()?;
        let skins = skins.iter().map(grid).collect::<PyResult<Vec<_>>>()?;
        let grids = skins.iter().map(|skin| skin.get().on(py, model)).collect::<PyResult<Vec<_>>>()?;
        let senses = if asks { Senses { bodies, skins: grids, ..Senses::all() } } else { Senses::nothing() };
        let hook = Arc::new(Self {
            key: new_key(),
            object: Mutex::new(Some(object.clone().unbind())),
            is_function: ready.is_none(),
            name: name(object),
            raised: Mutex::new(None),
            period: wanted.period,
            sensing: wanted.sensing,
            senses,
            wrenches: wrenches.into_iter().map(Bound::unbind).collect(),
            skins,
            count: count.clone(),
            place,
        });
        let controller = ready.unwrap_or_else(|| Box::new(PythonController(hook.clone())));
        Ok((hook, controller))
    }

    /// The function or ready controller.
    pub fn object(&self) -> MutexGuard<'_, Option<Py<PyAny>>> {
        self.object.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The arguments of `add_controller` after the controller itself.
    pub fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let wrenches: Vec<_> = self.wrenches.iter().map(|body| body.clone_ref(py)).collect();
        let skins: Vec<_> = self.skins.iter().map(|skin| skin.clone_ref(py)).collect();
        (self.period, self.sensing, wrenches, skins).into_pyobject(py)
    }

    /// The exception for a step that failed because of this controller.
    pub fn failure(&self, py: Python<'_>, error: StepError) -> PyErr {
        let StepError::Controller { number, name, time, .. } = &error else { return step_error(error) };
        match self.raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(Raised::Exception(raised)) => {
                let note = format!(
                    "raised by controller {number} ({name}) at t = {time} s; the simulation stands before that step"
                );
                // A class that refuses notes is raised without one.
                let _ = raised.value(py).call_method1("add_note", (note,));
                raised
            }
            Some(Raised::Answer) => InputError::new_err(error.to_string()),
            None if self.is_function => InputError::new_err(error.to_string()),
            None => SimulationError::new_err(error.to_string()),
        }
    }

    /// The same for a world of a batch, whose error it comes with; what was raised is its cause.
    pub fn failure_in_batch(&self, py: Python<'_>, error: &StepError, text: String) -> PyErr {
        let cause = self.failure(py, error.clone());
        if !cause.is_instance_of::<pyo3::exceptions::PyException>(py) {
            return cause; // Ctrl-C and the like
        }
        let error = SimulationError::new_err(text);
        error.set_cause(py, Some(cause));
        error
    }

    fn call(
        &self,
        py: Python<'_>,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), (Raised, String)> {
        let Some(function) = self.object().as_ref().map(|f| f.clone_ref(py)) else { return Ok(()) };
        let theirs = |error: PyErr| {
            let text = error.to_string();
            (Raised::Exception(error), text)
        };
        let ours = |text: String| (Raised::Answer, text);
        // So that the function may look at the simulation's own arrays instead of its arguments.
        if let Place::Simulation { qpos, qvel, .. } = &self.place {
            qpos.write(py, sample.q).and_then(|()| qvel.write(py, sample.v)).map_err(theirs)?;
        }
        // Copies: a function that keeps what it was given keeps the past, not the present.
        let q = PyArray1::from_slice(py, sample.q);
        let v = PyArray1::from_slice(py, sample.v);
        let answer = if self.senses.any() {
            let (bodies, skins) = (&self.senses.bodies, self.senses.skins.len());
            let count = self.count.load(Ordering::Relaxed);
            let measured = Measured::of(sample, bodies, skins, count, memory).map_err(ours)?;
            let measured = Bound::new(py, measured).map_err(theirs)?;
            let answer = function.bind(py).call1((sample.time, q, v, &measured)).map_err(theirs)?;
            *memory = measured.get().take_memory();
            answer
        } else {
            function.bind(py).call1((sample.time, q, v)).map_err(theirs)?
        };
        if answer.is_none() {
            return self.read_ctrl(py, ctrl).map_err(theirs);
        }
        let controls = finite_vector("the array of controls it returned", &answer, ctrl.len());
        let controls = controls.map_err(|error| {
            let reason = error.value(py).to_string();
            ours(format!("{reason} (return {} controls, or None to leave them as they are)", ctrl.len()))
        })?;
        ctrl.copy_from_slice(&controls);
        drop(controls); // It may be a view of what is written now.
        match &self.place {
            Place::Simulation { ctrl: shared, .. } => shared.write(py, ctrl).map_err(theirs),
            Place::World { .. } => Ok(()),
        }
    }

    fn read_ctrl(&self, py: Python<'_>, ctrl: &mut [f64]) -> PyResult<()> {
        match &self.place {
            Place::Simulation { ctrl: shared, .. } => shared.read_into(py, ctrl),
            Place::World { ctrl: rows, row } => {
                rows.read(py)?.row(*row, ctrl);
                Ok(())
            }
        }
    }
}

/// What a user gave as a list, or nothing.
fn list<'py>(given: Option<&Bound<'py, PyAny>>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let wrong = || InputTypeError::new_err(format!("{what} = {given}: give a list"));
    if given.extract::<String>().is_ok() {
        return Err(wrong());
    }
    given.try_iter().map_err(|_| wrong())?.collect()
}

fn grid(given: &Bound<'_, PyAny>) -> PyResult<Py<TactileGrid>> {
    match given.cast::<TactileGrid>() {
        Ok(grid) => Ok(grid.clone().unbind()),
        Err(_) => Err(InputTypeError::new_err(format!(
            "skins: {given} is no stiction.TactileGrid; give a list of these"
        ))),
    }
}

/// What a function or object is called.
fn name(object: &Bound<'_, PyAny>) -> String {
    let own = object.getattr("__qualname__").and_then(|name| name.extract::<String>());
    let own = own.map(|name| name.rsplit("<locals>.").next().unwrap_or(&name).to_string());
    own.unwrap_or_else(|_| object.get_type().name().map_or("controller".into(), |name| name.to_string()))
}

/// The controller that calls a function.
struct PythonController(Arc<Hook>);

impl Controller for PythonController {
    fn period(&self) -> f64 {
        self.0.period
    }

    fn name(&self) -> String {
        self.0.name.clone()
    }

    fn senses(&self) -> Senses {
        self.0.senses.clone()
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        Python::attach(|py| {
            self.0.call(py, sample, ctrl, memory).map_err(|(raised, text)| {
                *self.0.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
                text
            })
        })
    }
}
