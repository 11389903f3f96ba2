//! `stiction.Simulation`: a model being stepped.
//!
//! qpos, qvel, ctrl and applied are numpy arrays that live as long as anyone looks at them. What Python
//! wrote there goes into the state before each use of it ([`Simulation::push`]), and what a step found
//! comes back after it ([`Simulation::pull`]).
//!
//! Here: what it is made with. `stepping`: steps and states; `results`: what they found; `acting`: forces, targets and
//! controllers; `files`: recordings; `inside`: what these share.

mod acting;
mod files;
mod inside;
mod results;
mod stepping;

use crate::arrays::{Shared, shared_arrays, three};
use crate::changes::Changes;
use crate::controller::Hook;
use crate::errors::option_error;
use crate::model::Model;
use crate::named;
use crate::options::{keywords, number, options_and_law};
use crate::viewer;
use numpy::PyArray1;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use stiction::Variation;
use stiction_viewer::Recorder;

/// A model being simulated, from its default state at time 0.
///
/// model: a stiction.Model.
/// step: length of a step, s; with accuracy, of the first one tried.
/// contact: contact model, "lagged", "similar" or "sap", or a LearnedContact. A model whose file has a contact law of its own
///     (as the scene cube_toss) keeps it under "lagged". With a data-augmented law (LearnedContact of kind "dac") the options
///     below have no say (accuracy, continuous time and springs are refused), and sim.learned tells what it did.
/// stiction_tolerance: slip speed below which contact sticks, m/s.
/// regularization: impact regularisation σ, without unit; 0 turns it off.
/// relative_tolerance: relative tolerance of each step's solve.
/// margin: distance within which contacts are kept before they touch, m.
/// tangential_springs: True lets springs carry friction while a contact sticks, so that it holds without
///     creep (contact="lagged" only); or a dict with stiffness_ratio (tangential over normal stiffness,
///     0.8) and relaxation_time (damping over stiffness, s, 0).
/// max_iterations: Newton iterations allowed in a step.
/// tessellation: faces of contact patches, "polygons" as they are, "fans" of triangles, which are more and
///     make the force a continuous function of the poses, or "refined": polygons at all points of continuous time.
/// accuracy: error allowed in each step's positions, m and rad (1e-3 is usual); the steps then choose their
///     own length. None for steps of fixed length.
/// max_step: longest step with an accuracy, s.
/// method: "convex", or "continuous" for continuous time with an accuracy (1e-4 if none is given): compliant geoms
///     only; tangential_springs may then be a dict with stretch (m, 1e-4) and relaxation_time (s, 6e-3).
/// integrator: of continuous time, "radau", "dormand-prince" or "bogacki-shampine".
/// adhesion: of continuous time, the largest suction at surfaces pulled apart, Pa.
///
/// qpos, qvel, ctrl and applied are writable arrays that follow the simulation:
///
///     sim.qpos[2] += 0.1           # before a step, changes the state
///     q = sim.qpos                 # keeps showing the present state
///     past = sim.qpos.copy()       # a state to keep
///
/// Raises ValueError for an option out of its range. Simulations pickle and copy; the copy continues
/// bit for bit with statistics from zero.
#[pyclass(frozen, module = "stiction")]
pub struct Simulation {
    /// What it was made with: names and layout, which variants share.
    model: Py<Model>,
    /// What it goes on with, if that is a variant, and what is different about it.
    variant: Mutex<Option<Py<Model>>>,
    variation: Mutex<Variation>,
    inner: Mutex<stiction::Simulation>,
    /// The controllers, in the order of the simulation's, and how many there are.
    hooks: Mutex<Vec<Arc<Hook>>>,
    controller_count: Arc<AtomicUsize>,
    recorder: Mutex<Option<Recorder>>,
    viewer: Mutex<Option<Arc<viewer::Shared>>>,
    qpos: Shared,
    qvel: Shared,
    ctrl: Shared,
    applied: Shared,
    act: Shared,
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(
        signature = (model, step=1e-3, **options),
        text_signature = "(model, step=1e-3, *, contact='lagged', stiction_tolerance=1e-4, regularization=1e-3, \
                          relative_tolerance=1e-5, margin=0.0, tangential_springs=False, max_iterations=2000, \
                          tessellation='polygons', accuracy=None, max_step=0.1, method='convex', integrator='radau', adhesion=0.0)"
    )]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        step: f64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (options, law) = options_and_law(step, options)?;
        let simulation = Self::with(py, model, options)?;
        simulation.lock()?.set_contact_law(law).map_err(option_error)?;
        Ok(simulation)
    }

    /// The model; a variant of the one it was made with once gravity or vary changed it.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<Model> {
        self.variant().as_ref().unwrap_or(&self.model).clone_ref(py)
    }

    /// Acceleration of gravity in the world, m/s², shape (3,); may be set. To change one number, set all three.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let gravity = self.lock()?.model().world().options.gravity;
        let array = PyArray1::from_slice(py, gravity.as_slice());
        // Read-only, so that sim.gravity[2] = 0 is told rather than lost.
        array.getattr("flags")?.setattr("writeable", false)?;
        Ok(array.into_any())
    }

    #[setter]
    fn set_gravity(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let gravity = Some(three("gravity", Some(values))?);
        self.change(py, &Variation { gravity, ..Variation::default() })
    }

    /// Goes on with some things changed: gravity, masses, contact properties, sizes. The arguments are those of Model.varied;
    /// what was changed before stays changed. Memory is made anew: this is not for every step.
    ///
    ///     sim.vary(friction={"floor": 0.3}, mass={"cube": 0.5})
    #[pyo3(
        signature = (**changes),
        text_signature = "($self, *, gravity=None, mass=None, friction=None, static_friction=None, stiffness=None, \
                          dissipation=None, relaxation_time=None, modulus=None, size=None)"
    )]
    fn vary(&self, py: Python<'_>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let variation = Changes::read(self.model.get(), changes, 1)?.variation(0);
        self.change(py, &variation)
    }

    /// A body (name or id) of this simulation: a stiction.Body with position, quaternion, velocity, mass, apply_force.
    fn body<'py>(slf: &Bound<'py, Self>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Body", named::body(slf.py(), slf.get().model_of(), body)?)
    }

    /// A joint (name or id) of this simulation: a stiction.Joint with qpos, qvel and applied as writable views.
    fn joint<'py>(slf: &Bound<'py, Self>, joint: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Joint", named::joint(slf.py(), slf.get().model_of(), joint)?)
    }

    /// A geom (name or id) of this simulation: a stiction.Geom with contact properties that may be set.
    fn geom<'py>(slf: &Bound<'py, Self>, geom: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Geom", named::geom_info(slf.py(), slf.get().model_of(), geom)?)
    }

    /// An actuator (name or id) of this simulation: a stiction.Actuator with its control.
    fn actuator<'py>(slf: &Bound<'py, Self>, actuator: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Actuator", named::actuator(slf.py(), slf.get().model_of(), actuator)?)
    }

    /// The options as a dict: Simulation(model, **sim.options) makes a simulation like this one.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        keywords(py, inner.options(), inner.contact_law())
    }

    /// Changes options from the next step on, by their names; the others stay. Raises ValueError for one out of its range, and
    /// then nothing changes.
    ///
    ///     sim.set_options(step=5e-4, margin=1e-3)         # steps of half a millisecond, contacts kept from 1 mm on
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, step=..., contact=..., stiction_tolerance=..., regularization=..., \
                          relative_tolerance=..., margin=..., tangential_springs=..., max_iterations=..., \
                          tessellation=..., accuracy=..., max_step=..., method=..., integrator=..., adhesion=...)"
    )]
    fn set_options(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let wanted = self.options(py)?;
        if let Some(options) = options {
            wanted.update(options.as_mapping())?;
        }
        let step = wanted.get_item("step")?.expect("one of the options");
        let step = number("step", &step)?;
        wanted.del_item("step")?;
        let (options, law) = options_and_law(step, Some(&wanted))?;
        let mut inner = self.lock()?;
        let before = (*inner.options(), inner.contact_law().cloned());
        let mut change = |options, law| {
            // A law asks for steps of fixed length: it goes before the options change, and comes after.
            inner.set_contact_law(None)?;
            inner.set_options(options)?;
            inner.set_contact_law(law)
        };
        change(options, law).map_err(|error| {
            let back = change(before.0, before.1);
            debug_assert!(back.is_ok(), "they were in force before");
            option_error(error)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("stiction")?.getattr("_restore_simulation")?;
        let state = self.save_state(py)?;
        let controllers = PyList::empty(py);
        for hook in self.hooks().iter() {
            let object = hook.object().as_ref().map(|object| object.clone_ref(py));
            controllers.append((object, hook.keywords(py)?))?;
        }
        let arguments = (self.model(py), self.options(py)?, state, controllers);
        Ok((restore, arguments.into_pyobject(py)?))
    }

    fn __repr__(&self) -> PyResult<String> {
        let inner = self.lock()?;
        let (name, time, step) = (&inner.model().world().name, inner.state().time, inner.options().step);
        Ok(format!("<stiction.Simulation of \"{name}\" at t = {time} s, step {step} s>"))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.model)?;
        if let Ok(hooks) = self.hooks.try_lock() {
            for hook in hooks.iter() {
                visit.call(&*hook.object())?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let hooks = std::mem::take(&mut *self.hooks());
        hooks.iter().for_each(|hook| drop(hook.object().take()));
    }
}

shared_arrays! {
    Simulation:
    /// Positions, shape (nq,), m or rad and quaternions with w first; writable, follows the simulation.
    qpos, set_qpos;
    /// Velocities, shape (nv,), m/s or rad/s; writable, follows the simulation.
    qvel, set_qvel;
    /// Controls, shape (nu,), in each actuator's own unit (N or N m for motors, m or rad for position servos), held until they are
    /// changed; writable, follows the simulation.
    ctrl, set_ctrl;
    /// Activations of the actuators that have one, shape (na,).
    act, set_act;
    /// Generalised forces applied from outside, shape (nv,), N or N m, held until they are changed;
    /// writable, follows the simulation.
    applied, set_applied;
}

/// Unpickles a simulation.
#[pyfunction]
pub fn _restore_simulation<'py>(
    py: Python<'py>,
    model: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
    state: &[u8],
    controllers: &Bound<'py, PyList>,
) -> PyResult<Bound<'py, PyAny>> {
    let simulation = py.get_type::<Simulation>().call((model,), Some(options))?;
    let inner = simulation.cast::<Simulation>()?.get();
    // First the controllers, then the state, which knows when their next samples are due.
    for controller in controllers {
        inner.attach_again(py, &controller)?;
    }
    inner.load_state(py, state)?;
    Ok(simulation)
}
