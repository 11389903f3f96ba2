//! `stiction.Simulation`: a model being stepped.
//!
//! qpos, qvel, ctrl and applied are numpy arrays that live as long as anyone looks at them. What Python
//! wrote there goes into the state before each use of it ([`Simulation::push`]), and what a step found
//! comes back after it ([`Simulation::pull`]).
//!
//! Here: construction and pickling. `changing`: model, gravity and options; `parts`: bodies, joints, geoms and actuators by
//! name; `frames`: poses and Jacobians; `stepping`: steps and states; `results`: results of steps; `acting`: forces, targets and
//! controllers; `files`: recordings; `inside`: what these share.

mod acting;
mod changing;
mod files;
mod frames;
mod inside;
mod parts;
mod results;
mod stepping;

use crate::controller::Hook;
use crate::errors::option_error;
use crate::films::Files;
use crate::fork::Origin;
use crate::model::Model;
use crate::options::options_and_law;
use crate::shared::{Shared, shared_arrays};
use crate::viewer;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex};
use stiction::Variation;

/// A model being simulated, from its default state at time 0.
///
/// Parameters
/// ----------
/// model : Model
///     A stiction.Model.
/// step : float, optional
///     Length of a step, s; with accuracy, of the first one tried. By default it is that of the model (Model.step), or 1e-3 if the
///     model has none.
/// contact : {"lagged", "similar", "sap"} or LearnedContact, optional
///     Contact model, "lagged", "similar" or "sap", or a LearnedContact. A model whose file has its own friction calibration (such
///     as the scene cube_toss) keeps it under "lagged". With a data-augmented law (LearnedContact of kind "dac") the options below
///     have no effect (accuracy, continuous time and springs raise an error), and sim.learned reports what it did.
/// contact_from : {"stiction", "mujoco"}, optional
///     Where the stiffness of contact points comes from: "stiction", the geoms in N/m, stiff if they have none; or "mujoco", solref,
///     solimp and the masses of the file, as soft as MuJoCo makes contacts (contact="lagged" only).
/// stiction_tolerance : float, optional
///     Slip speed below which a contact sticks, m/s.
/// regularization : float, optional
///     Impact regularisation σ, without unit; 0 turns it off.
/// relative_tolerance : float, optional
///     Relative tolerance of each step's solve.
/// margin : float, optional
///     Distance within which contacts are found before they touch, m.
/// normal_law : str or list of list of float, optional
///     Force of a contact point against depth (contact="lagged" or "similar"): "linear"; "hertz", where the stiffness of geoms is
///     in N/m^1.5; "log-barrier:KAPPA" (J) or "clamped-barrier:KAPPA,RANGE" (N/m, m), which act before bodies touch and need a
///     margin; or rows of depth (m) and force (N), the first force 0 and none falling.
/// speculative : bool, optional
///     Whether the motion of each step is examined for bodies that would pass through each other; they get a contact where they
///     meet, or are held back (method="convex").
/// tangential_springs : {"auto"}, bool or TangentialSprings, optional
///     Springs that carry friction while a contact sticks, so that it does not creep. "auto" has them with contact="lagged" and
///     normal_law="linear" (a LearnedContact has those that it was fitted with), True has them or raises an error, False has none; or
///     a dict with stiffness_ratio (tangential over normal stiffness, default 0.8) and relaxation_time (damping over stiffness, s;
///     critical damping if left out), and for contact patches stretch (normal force over tangential stiffness, m, default 1e-4) and
///     patch_relaxation_time (s, default 6e-3).
/// max_iterations : int, optional
///     Maximum number of Newton iterations in a step.
/// friction_passes : int, optional
///     Solves that a step may repeat where the normal force of a contact comes or goes within it, so that friction does not lag
///     (contact="lagged" only); 0 lets it lag by a step.
/// tessellation : {"polygons", "fans", "refined"}, optional
///     Faces of contact patches: "polygons"; "fans" of triangles, which are more and make the force a continuous function of the
///     poses; or "refined", polygons with the quadrature of continuous time.
/// accuracy : float, optional
///     Error allowed in each step's positions, m and rad (1e-3 is usual); error control then chooses the length of each step. None
///     for steps of fixed length.
/// max_step : float, optional
///     Longest step with an accuracy, s.
/// method : {"convex", "continuous"}, optional
///     "convex", or "continuous" for continuous time with an accuracy (1e-4 if none is given): compliant geoms only;
///     tangential_springs may then be a dict with stretch (m, default 1e-4) and relaxation_time (s, default 6e-3).
/// integrator : {"radau", "dormand-prince", "bogacki-shampine"}, optional
///     Of continuous time, "radau", "dormand-prince" or "bogacki-shampine".
/// adhesion : float, optional
///     Of continuous time, the largest suction at surfaces pulled apart, Pa.
///
/// Raises
/// ------
/// ValueError
///     For an option outside its range.
///
/// Notes
/// -----
/// qpos, qvel, ctrl and applied are writable arrays that follow the simulation:
///
///     sim.qpos[2] += 0.1           # before a step, changes the state
///     q = sim.qpos                 # keeps showing the present state
///     past = sim.qpos.copy()       # a state to keep
///
/// Simulations pickle and copy; the copy continues bit for bit, with statistics from zero.
#[pyclass(frozen, module = "stiction")]
pub struct Simulation {
    /// What it was made with: names and layout, which variants share.
    model: Py<Model>,
    /// What it goes on with, if that is a variant, and what is different about it.
    variant: Mutex<Option<Py<Model>>>,
    variation: Mutex<Variation>,
    inner: Mutex<stiction::Simulation>,
    /// Whether a step ended in a panic: its state may be half-finished.
    broken: AtomicBool,
    origin: Origin,
    /// The controllers, in the order of the simulation's, and how many there are.
    hooks: Mutex<Vec<Arc<Hook>>>,
    controller_count: Arc<AtomicUsize>,
    recorder: Mutex<Option<Files>>,
    /// Whether a recording is under way, also while a step has it, and how many there were.
    recording: AtomicBool,
    recordings: AtomicU64,
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
        signature = (model, step=None, **options),
        text_signature = "(model, step=None, *, contact='lagged', contact_from='stiction', stiction_tolerance=1e-4, regularization=1e-3, \
                          relative_tolerance=1e-5, margin=0.0, normal_law='linear', speculative=True, tangential_springs='auto', \
                          max_iterations=2000, friction_passes=2, \
                          tessellation='polygons', accuracy=None, max_step=0.1, method='convex', integrator='radau', adhesion=0.0)"
    )]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        step: Option<f64>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (options, law) = options_and_law(&model.get().inner, step, options)?;
        let simulation = Self::with(py, model, options)?;
        simulation.lock()?.set_contact_law(law).map_err(option_error)?;
        Ok(simulation)
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
        let whose = if inner.model().world().options.step == Some(step) { " (the model's)" } else { "" };
        Ok(format!("<stiction.Simulation of \"{name}\" at t = {time} s, step {step} s{whose}>"))
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
