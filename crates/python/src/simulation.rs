//! `stiction.Simulation`: a model being stepped.
//!
//! qpos, qvel, ctrl and applied are numpy arrays that live as long as anyone looks at them. What Python
//! wrote there goes into the state before each use of it ([`Simulation::push`]), and what a step found
//! comes back after it ([`Simulation::pull`]).

mod inside;

use crate::arrays::{Shared, three};
use crate::changes::Changes;
use crate::contacts::structured;
use crate::controller::{Hook, Wanted};
use crate::errors::{input_error, option_error, step_error};
use crate::forces;
use crate::indices::{self, whole};
use crate::learned_contact::report_tuple;
use crate::mocap;
use crate::model::{Model, energy_tuple, pose_tuple, readings, warning_tuples};
use crate::named;
use crate::options::{keywords, number, options_and_law};
use crate::patches::patch_list;
use crate::recording::{self, Recording, record_error};
use crate::stats::stats_dict;
use crate::viewer;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use stiction::Variation;
use stiction_viewer::{RecordOptions, Recorder};

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
/// tessellation: faces of contact patches, "polygons" as they are or "fans" of triangles, which are more
///     and make the force a continuous function of the poses.
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

    /// Sets the target of a servo, by the name of the actuator or of the joint it drives.
    ///
    /// position: where a position servo is to hold the joint, m or rad.
    /// velocity: the speed a velocity servo is to hold, m/s or rad/s.
    ///
    ///     sim.set_target("elbow", 0.5)
    ///
    /// What it does is to write sim.ctrl, in the servo's own units. Raises ValueError if no such servo drives the joint.
    #[pyo3(signature = (name, position=None, velocity=None))]
    fn set_target(
        &self,
        py: Python<'_>,
        name: &str,
        position: Option<f64>,
        velocity: Option<f64>,
    ) -> PyResult<()> {
        if position.is_none() && velocity.is_none() {
            return Err(PyValueError::new_err("give a position (m or rad) or a velocity (m/s or rad/s)"));
        }
        // All is found before anything is set.
        let mut found = Vec::new();
        for (value, is_velocity) in [(position, false), (velocity, true)] {
            if let Some(value) = value {
                if !value.is_finite() {
                    return Err(PyValueError::new_err(format!(
                        "the target is {value}: give a finite number"
                    )));
                }
                found.push(named::target(self.model.get(), name, value, is_velocity)?);
            }
        }
        let mut ctrl = self.ctrl.read(py)?.to_vec()?;
        for (id, value) in found {
            ctrl[id] = value;
        }
        self.ctrl.write(py, &ctrl)
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

    /// Positions, shape (nq,), m or rad and quaternions with w first; writable, follows the simulation.
    #[getter]
    fn qpos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.qpos.view(py)
    }

    #[setter]
    fn set_qpos(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.qpos.assign("qpos", values)
    }

    /// Velocities, shape (nv,), m/s or rad/s; writable, follows the simulation.
    #[getter]
    fn qvel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.qvel.view(py)
    }

    #[setter]
    fn set_qvel(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.qvel.assign("qvel", values)
    }

    /// Controls, shape (nu,), in each actuator's own unit (N or N m for motors, m or rad for position servos), held until they are
    /// changed; writable, follows the simulation.
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.ctrl.view(py)
    }

    #[setter]
    fn set_ctrl(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.ctrl.assign("ctrl", values)
    }

    /// Activations of the actuators that have one, shape (na,).
    #[getter]
    fn act<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.act.view(py)
    }

    #[setter]
    fn set_act(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.act.assign("act", values)
    }

    /// Generalised forces applied from outside, shape (nv,), N or N m, held until they are changed;
    /// writable, follows the simulation.
    #[getter]
    fn applied<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.applied.view(py)
    }

    #[setter]
    fn set_applied(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.applied.assign("applied", values)
    }

    /// Time, s. May be set.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.state().time)
    }

    #[setter]
    fn set_time(&self, time: f64) -> PyResult<()> {
        if !time.is_finite() {
            return Err(PyValueError::new_err(format!("time = {time}: give a finite number of seconds")));
        }
        self.lock()?.set_time(time);
        Ok(())
    }

    /// Takes n steps, without holding the interpreter. Ctrl-C ends it after the step under way.
    ///
    /// Raises ValueError for a state that is not finite, SimulationError for a step that cannot be
    /// completed, and whatever the controller raises; the state is then the last good one.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<()> {
        if n < 0 {
            return Err(PyValueError::new_err(format!("n = {n}: give zero or more steps")));
        }
        let mut left = n;
        self.advance(py, move |simulation| {
            left -= 1;
            if left < 0 { Ok(false) } else { simulation.step(1).map(|()| true) }
        })
    }

    /// Steps until time (s), as step does. Steps of fixed length end at the one nearest to it; under error
    /// control the last step ends there exactly.
    fn run_until(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        if !time.is_finite() {
            return Err(PyValueError::new_err(format!("time = {time}: give a finite number of seconds")));
        }
        self.advance(py, move |simulation| simulation.step_towards(time))
    }

    /// Derivatives of the step from the present state, as a stiction.StepDerivatives; the step is not taken and
    /// nothing of the simulation changes.
    ///
    /// parameters: contact parameters to differentiate by, pairs of a geom (name or id) and a property: "friction"
    ///     (static and dynamic together), "static_friction", "dynamic_friction", "stiffness" (N/m), "dissipation" (s/m),
    ///     "relaxation_time" (s) or "modulus" (Pa).
    ///
    /// A state has n = 2 nv + na numbers, [δq, δv, δact]: positions along the tangent, nv numbers as velocities have
    /// (rotations of ball and free joints about body axes), as MuJoCo's mjd_transitionFD has them.
    ///
    ///     d = sim.step_derivatives([("ball", "friction")])
    ///     d.state             # ∂state⁺/∂state, (n, n)
    ///     d.ctrl              # ∂state⁺/∂ctrl, (n, nu)
    ///     d.parameters        # ∂state⁺/∂parameter, (n, number of parameters)
    ///     d.qpos, d.qvel      # after the step
    ///
    /// The derivative is that of the step as it is taken, exact where it has one; at a kink (a contact about to touch or to
    /// leave) it is that of one side. Applied forces, mocap bodies and the stretches of tangential springs are held fixed. Raises
    /// ValueError for steps without a derivative here: by accuracy, in continuous time, with adhesion actuators.
    #[pyo3(signature = (parameters=None))]
    fn step_derivatives<'py>(
        &self,
        py: Python<'py>,
        parameters: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.with_state(py, |inner| crate::derivatives::compute(py, inner, parameters))
    }

    /// Records from now on to a file, or to several in a list: .html opens in a browser by double click, .mcap in
    /// robotics log tools. Files that exist are replaced.
    ///
    /// rate: frames per simulated second. Recording never changes the simulation: a frame is taken at the end of the
    ///     first step at or after its time.
    /// joints: names of joints to plot; all by default, as far as they are not too many.
    ///
    /// Returns a stiction.Recording. The files are complete after stop_recording(), after a with block around the
    /// recording, and when the simulation is gone; they open up to the last second at any time before.
    ///
    ///     with sim.record("out.html"):
    ///         sim.step(1000)
    ///
    /// Raises OSError if a file cannot be written (a step may raise it too, when the disk is full; the state is then
    /// good, the recording ended and readable), ValueError for a name with another ending, RuntimeError if a
    /// recording is under way.
    #[pyo3(signature = (path, rate=60.0, joints=None))]
    fn record(
        slf: &Bound<'_, Self>,
        path: &Bound<'_, PyAny>,
        rate: f64,
        joints: Option<Vec<String>>,
    ) -> PyResult<Recording> {
        let (py, this) = (slf.py(), slf.get());
        let paths = recording::paths(path)?;
        let options = RecordOptions { rate, joints: recording::joints(joints) };
        this.with_state(py, |inner| {
            if this.recorder().is_some() {
                return Err(PyRuntimeError::new_err("a recording is under way: stop_recording() ends it"));
            }
            let name = inner.model().world().name.clone();
            let (name, paths, options) = (&name, &paths, &options);
            let recorder = py.detach(move || Recorder::create(inner, name, paths, options));
            *this.recorder() = Some(recorder.map_err(record_error)?);
            Ok(())
        })?;
        Ok(Recording { simulation: slf.clone().unbind(), paths })
    }

    /// Completes the files of record, with a last frame of the present state, and returns their paths; an empty list
    /// if nothing is being recorded. Raises OSError if they could not be completed; what was written before stays
    /// readable.
    pub(crate) fn stop_recording(&self, py: Python<'_>) -> PyResult<Vec<PathBuf>> {
        let mut guard = self.lock()?;
        let inner = &mut *guard;
        let Some(recorder) = self.recorder().take() else { return Ok(Vec::new()) };
        let files = py.detach(move || recorder.finish(Some(inner))).map_err(record_error)?;
        Ok(files.into_iter().map(|file| file.path).collect())
    }

    /// Contact points of the last step, one row each, as a structured array ordered by geom pair:
    /// geom_a, geom_b, body_a, body_b (ids), position (m, in the world, at the beginning of the step),
    /// normal (from a into b), force (N, in world axes, on body b), penetration (m, negative while
    /// apart), slip (m/s, in world axes, b relative to a), sticking.
    /// A copy; empty before the first step and after reset or load_state.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        structured(py, self.lock()?.contacts())
    }

    /// Contact patches of the last step, a list of stiction.ContactPatch, one a geom pair of which one is
    /// compliant: their polygons, pressure, forces, tractions and slip. See help(stiction.ContactPatch).
    /// A copy; empty before the first step and after reset or load_state.
    #[getter]
    fn patches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        patch_list(py, &self.lock()?.patches())
    }

    /// What happened since construction that makes contact patches doubtful, once for each geom pair, as a
    /// list of stiction.ModelWarning: the core of a pressure field was reached (a thin or soft body
    /// under too much load), or a body was swallowed by another.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        warning_tuples(py, &self.lock()?.warnings())
    }

    /// What a data-augmented law did in the last step, as a stiction.LearnedReport: action ("static", "dynamic", "detach",
    /// or None without contact), outside (None, or the first quantity out of its training range), converged,
    /// outside_steps (since construction). None if contact follows no such law.
    #[getter]
    fn learned<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.lock()?.learned_report().map(|report| report_tuple(py, report)).transpose()
    }

    /// Counts and times since construction, as a dict: steps, rejected (attempts that error control turned
    /// down), iterations (Newton, all steps together),
    /// max_iterations (in one step), unconverged (steps that stopped short of their tolerance),
    /// line_search_evaluations, points, patches and faces (summed over steps), doubtful_patches (see
    /// warnings), last_iterations, last_points, last_patches, last_faces, max_penetration (m), friction_loss and
    /// normal_loss (J), dissipated (by contact) and other_work (of all but contact, gravity and joint springs; both J and in
    /// continuous time only), min_step and max_step (s), and seconds, a dict by stage of the step:
    /// kinematics, proximity, assemble, solve, advance.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats_dict(py, self.lock()?.stats())
    }

    /// Readings of all sensors, a dict from name to array: positions and velocities of the present state,
    /// accelerations and forces of the last step (zero before the first); m, rad, m/s, rad/s, m/s², N and N m.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        readings(py, &self.model.get().inner, inner.sensors())
    }

    /// Kinetic and potential energy of the present state, J: a tuple (kinetic, potential) with a .total.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        energy_tuple(py, &inner.energy())
    }

    /// Pose of a body (name or id) in the world at the present state: a tuple (position in m, quaternion
    /// with w first).
    fn body_pose<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let body = self.model.get().body(body)?;
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        pose_tuple(py, &inner.poses()[body])
    }

    /// Moves a mocap body (name or id): position in m and quaternion (w first) in the world. The
    /// velocities, rad/s and m/s in world axes, are what contacts feel; they do not move the body.
    #[pyo3(signature = (body, position, quaternion=None, angular_velocity=None, linear_velocity=None))]
    fn set_mocap(
        &self,
        body: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        quaternion: Option<&Bound<'_, PyAny>>,
        angular_velocity: Option<&Bound<'_, PyAny>>,
        linear_velocity: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let number = mocap::number(self.model.get(), body)?;
        let target = mocap::state(position, quaternion, angular_velocity, linear_velocity)?;
        self.lock()?.state_mut().mocap[number] = target;
        Ok(())
    }

    /// Adds a force (N) and a torque (N m) on a body (name or id) to sim.applied, as they act at the present positions. Like all
    /// of applied they are then held, as generalised forces; for a force that follows the body, set applied and call this
    /// before each step.
    ///
    /// point: where the force acts, m; the body's origin by default.
    /// frame: "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
    #[pyo3(signature = (body, force=None, point=None, torque=None, frame="world"))]
    fn apply_force(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        point: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        frame: &str,
    ) -> PyResult<()> {
        let id = self.model.get().body(body)?;
        let push = forces::read(&forces::Given { force, point, torque, frame })?;
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        push.apply(&mut inner, id)?;
        self.pull(py, &inner)
    }

    /// Steps until everything rests: until no speed exceeds speed (m/s, rad/s) and, in continuous time, no acceleration
    /// speed/0.1 s; then sets the velocities to zero and returns True. False if something still moves after time (s). In
    /// continuous time with tangential springs this finds static states; elsewhere what sticks creeps at up to the
    /// stiction tolerance.
    #[pyo3(signature = (speed=1e-4, time=10.0))]
    fn settle(&self, py: Python<'_>, speed: f64, time: f64) -> PyResult<bool> {
        for (what, value) in [("speed", speed), ("time", time)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(PyValueError::new_err(format!("{what} = {value}: give a positive number")));
            }
        }
        let end = self.time()? + time;
        let mut rests = false;
        self.advance(py, |simulation| {
            if !rests && simulation.step_towards(end)? {
                rests = simulation.rests(speed)?;
                return Ok(true);
            }
            if rests {
                simulation.state_mut().v.fill(0.0);
            }
            Ok(false)
        })?;
        Ok(rests)
    }

    /// Positions, shape (nq,), and velocities, shape (nv,), at a time (s) within the last step of continuous time. Raises
    /// ValueError for a time outside of it, or under another method.
    fn interpolate<'py>(
        &self,
        py: Python<'py>,
        time: f64,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let inner = self.lock()?;
        let Some((q, v)) = inner.interpolate(time) else {
            return Err(PyValueError::new_err(format!(
                "time = {time} s is not within the last step: take one with method=\"continuous\" and give a time from its \
                 beginning to {} s",
                inner.state().time
            )));
        };
        Ok((PyArray1::from_vec(py, q).into_any(), PyArray1::from_vec(py, v).into_any()))
    }

    /// Accelerations at the present state in continuous time, m/s² or rad/s², shape (nv,). Raises ValueError under another
    /// method, where velocities jump from step to step.
    #[getter]
    fn accelerations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.with_state(py, |inner| inner.accelerations().map_err(step_error))?;
        let found = found.ok_or_else(|| {
            PyValueError::new_err(
                "convex steps have no accelerations: choose method=\"continuous\", or difference qvel",
            )
        })?;
        Ok(PyArray1::from_vec(py, found).into_any())
    }

    /// Energy stored by contact in continuous time, J: in pressure fields and tangential springs. It looks at every pair of
    /// elements: for energy balances, not for every step.
    #[getter]
    fn contact_energy(&self, py: Python<'_>) -> PyResult<f64> {
        self.with_state(py, |inner| Ok(inner.contact_energy()))
    }

    /// The state as bytes, from which load_state continues bit for bit.
    fn save_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        Ok(PyBytes::new(py, &inner.save_state()))
    }

    /// Goes to a state saved by save_state from the same model. Raises ValueError if it does not fit.
    fn load_state(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.load_state(state).map_err(input_error)?;
        self.pull(py, &inner)
    }

    /// Goes back to the default state at time 0, or to a keyframe by name or number. Controls and applied
    /// forces go to zero or to the keyframe's; the controller, the options and the statistics stay.
    #[pyo3(signature = (keyframe=None))]
    fn reset(&self, py: Python<'_>, keyframe: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.lock()?;
        match keyframe {
            None => inner.reset(),
            Some(key) => inner.reset_to_keyframe(&indices::keyframe(key)?).map_err(input_error)?,
        }
        self.pull(py, &inner)
    }

    /// Has controller(time, qpos, qvel) set controls from now on, every period (s; 0: every step), after those that were added
    /// before. Returns its number.
    ///
    /// It is called at the beginning of the first step at or after each multiple of the period, gets copies of the state, and
    /// returns the controls, shape (nu,), held until someone sets them again. If it returns None, what it wrote to sim.ctrl
    /// counts. What it raises leaves sim.step, with a note that says which controller it was and when; that, an answer of
    /// another shape (ValueError) or one that is not finite (ValueError) leaves the state as it was before the step.
    ///
    /// sensing: True calls controller(time, qpos, qvel, measured) with a stiction.Measured: sensors at that instant, contact
    ///     forces and joint torques of the step before, and what the controller remembers.
    /// wrenches: bodies (names or ids) at whose mounts the wrench is to be measured, for Measured.wrench; sensing goes with it.
    /// skins: a list of stiction.TactileGrid, for Measured.skin; sensing goes with it.
    ///
    /// A stiction.JointTracking, PoseTracking or GripForce is a controller too; it has a period of its own.
    #[pyo3(signature = (controller, period=0.0, sensing=false, *, wrenches=None, skins=None))]
    fn add_controller(
        &self,
        py: Python<'_>,
        controller: &Bound<'_, PyAny>,
        period: f64,
        sensing: bool,
        wrenches: Option<&Bound<'_, PyAny>>,
        skins: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        self.attach(py, controller, &Wanted { period, sensing, wrenches, skins }, false)
    }

    /// Removes the controller of a number; the controls stay as they are. Those added after it move up by one.
    fn remove_controller(&self, #[pyo3(from_py_with = whole)] number: usize) -> PyResult<()> {
        let mut inner = self.lock()?;
        let removed = inner.remove_controller(number).map_err(input_error)?;
        let hook = self.forget(number);
        drop(inner);
        // With no lock held: the end of a Python object may run any code.
        drop((removed, hook));
        Ok(())
    }

    /// The controllers that were added, in order.
    #[getter]
    fn controllers(&self, py: Python<'_>) -> Vec<Option<Py<PyAny>>> {
        self.hooks().iter().map(|hook| hook.object().as_ref().map(|object| object.clone_ref(py))).collect()
    }

    /// Has this controller alone set the controls from now on; None removes all and leaves the controls as they are. The
    /// arguments are those of add_controller.
    #[pyo3(signature = (controller, period=0.0, sensing=false, *, wrenches=None, skins=None))]
    fn set_controller(
        &self,
        py: Python<'_>,
        controller: &Bound<'_, PyAny>,
        period: f64,
        sensing: bool,
        wrenches: Option<&Bound<'_, PyAny>>,
        skins: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if controller.is_none() {
            self.lock()?.clear_controllers();
            drop(self.forget_all());
            return Ok(());
        }
        self.attach(py, controller, &Wanted { period, sensing, wrenches, skins }, true).map(|_| ())
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
