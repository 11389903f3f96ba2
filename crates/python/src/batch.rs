//! `stiction.Batch`: many worlds of one model, stepped together.
//!
//! The arrays hold one row a world and live as long as anyone looks at them. As in `simulation.rs`, what Python wrote there
//! goes into the worlds before each use of them ([`Batch::push`]), and what steps found comes back after it.

mod inside;

use crate::arrays::{Rows, Shared, Table};
use crate::changes::{self, Changes};
use crate::contacts::structured;
use crate::controller::Wanted;
use crate::errors::{input_error, load_error, option_error};
use crate::forces;
use crate::indices::{index, indices, keyframe as keyframe_name, maybe_whole, whole};
use crate::mocap;
use crate::model::{Model, energy_class, pose_class, warning_tuples};
use crate::options::{keywords, options};
use crate::patches::patch_list;
use crate::simulation::Simulation;
use crate::stats::stats_dict;
use inside::{Added, of_world};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use std::sync::Mutex;
use stiction::model::Warning;
use stiction::{Stats, StepError};

/// Many worlds of one model, stepped together on several threads.
///
/// model: a stiction.Model, shared by all worlds.
/// n: number of worlds. They begin at the model's default state at time 0.
/// threads: threads to use; by default as many as the machine has. The result is the same, bit for bit, for any number, and
///     that of n simulations stepped one by one.
/// step, contact, …: the options of Simulation, the same for all worlds.
///
/// qpos, qvel, ctrl, applied, act and time are writable arrays with one row a world that follow the worlds:
///
///     batch = st.Batch(model, 1000)
///     batch.qpos[:, 2] += random.uniform(0, 0.1, 1000)
///     for _ in range(100):
///         batch.ctrl[:] = policy(batch.qpos, batch.qvel)
///         batch.step(10)
///
/// Raises ValueError for an option out of its range. Batches pickle and copy; the copy continues bit for bit with
/// statistics from zero.
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
        signature = (model, n, threads=None, *, step=1e-3, **options),
        text_signature = "(model, n, threads=None, *, step=1e-3, contact='lagged', stiction_tolerance=1e-4, \
                          regularization=1e-3, relative_tolerance=1e-5, margin=0.0, tangential_springs=False, \
                          max_iterations=2000, tessellation='polygons', accuracy=None, max_step=0.1, method='convex', \
                          integrator='radau', adhesion=0.0)"
    )]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        #[pyo3(from_py_with = whole)] n: usize,
        #[pyo3(from_py_with = maybe_whole)] threads: Option<usize>,
        step: f64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = self::options(step, options)?;
        if threads == Some(0) {
            return Err(PyValueError::new_err(
                "threads = 0: give at least 1, or None for all the machine has",
            ));
        }
        let threads =
            threads.or_else(|| std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1);
        let compiled = &model.get().inner;
        let inner =
            py.detach(|| stiction::Batch::new(compiled, n, threads, options)).map_err(option_error)?;
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

    /// The model that the worlds share, as it was given; vary and randomize make variants of it.
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

    /// Positions, shape (n, nq), m or rad and quaternions with w first; writable, follows the worlds.
    #[getter]
    fn qpos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.qpos.view(py)
    }

    #[setter]
    fn set_qpos(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.qpos.assign("qpos", values)
    }

    /// Velocities, shape (n, nv), m/s or rad/s; writable, follows the worlds.
    #[getter]
    fn qvel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.qvel.view(py)
    }

    #[setter]
    fn set_qvel(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.qvel.assign("qvel", values)
    }

    /// Controls, shape (n, nu), in each actuator's own unit (N or N m for motors, m or rad for position servos), held until they are
    /// changed; writable, follows the worlds.
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.ctrl.view(py)
    }

    #[setter]
    fn set_ctrl(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.ctrl.assign("ctrl", values)
    }

    /// Generalised forces applied from outside, shape (n, nv), N or N m, held until they are changed; writable, follows
    /// the worlds.
    #[getter]
    fn applied<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.applied.view(py)
    }

    #[setter]
    fn set_applied(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.applied.assign("applied", values)
    }

    /// Activations of the actuators that have one, shape (n, na); writable, follows the worlds.
    #[getter]
    fn act<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.act.view(py)
    }

    #[setter]
    fn set_act(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.act.assign("act", values)
    }

    /// Times, shape (n,), s; writable, follows the worlds.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.time.view(py)
    }

    #[setter]
    fn set_time(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.time.assign("time", values)
    }

    /// Takes k steps in every world, without holding the interpreter. Ctrl-C ends it after the steps under way; worlds may
    /// then stand at different times.
    ///
    /// Raises ValueError for a state that is not finite, before any world steps; SimulationError if worlds could not
    /// complete their steps: these stand at their last good states, failed says which they are, and all others took
    /// all their steps.
    #[pyo3(signature = (k=1))]
    fn step(&self, py: Python<'_>, k: i64) -> PyResult<()> {
        let Ok(steps) = usize::try_from(k) else {
            return Err(PyValueError::new_err(format!("k = {k}: give zero or more steps")));
        };
        self.advance(py, |batch, go_on| batch.step_watched(steps, go_on))
    }

    /// Steps every world until time (s), as step does. Steps of fixed length end at the one nearest to it; under error
    /// control the last step of each world ends there exactly.
    fn run_until(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        if !time.is_finite() {
            return Err(PyValueError::new_err(format!("time = {time}: give a finite number of seconds")));
        }
        self.advance(py, |batch, go_on| batch.run_until_watched(time, go_on))
    }

    /// Puts worlds back to the default state at time 0, or to a keyframe.
    ///
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    /// qpos, qvel: where they begin instead, shape (nq,) and (nv,) for all of them or one row each.
    /// keyframe: name or number of a keyframe of the model to begin from.
    ///
    /// Controls, applied forces and activations go to zero or to the keyframe's; statistics stay.
    #[pyo3(signature = (indices=None, qpos=None, qvel=None, keyframe=None))]
    fn reset(
        &self,
        py: Python<'_>,
        indices: Option<&Bound<'_, PyAny>>,
        qpos: Option<&Bound<'_, PyAny>>,
        qvel: Option<&Bound<'_, PyAny>>,
        keyframe: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let model = &self.model.get().inner;
        let qpos = qpos.map(|q| Table::read("qpos", q, chosen.len(), model.nq())).transpose()?;
        let qvel = qvel.map(|v| Table::read("qvel", v, chosen.len(), model.nv())).transpose()?;
        let mut state = match keyframe {
            None => model.default_state(),
            Some(key) => model.keyframe_state(&keyframe_name(key)?).map_err(input_error)?,
        };
        for (k, &world) in chosen.iter().enumerate() {
            if let Some(qpos) = &qpos {
                state.q.copy_from_slice(qpos.row(k));
            }
            if let Some(qvel) = &qvel {
                state.v.copy_from_slice(qvel.row(k));
            }
            inner.world(world).reset_to(&state).map_err(|error| of_world(world, StepError::Input(error)))?;
        }
        self.pull(py, &inner, &chosen)
    }

    /// Changes worlds from the next step on: gravity, masses, contact properties, sizes.
    ///
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    /// gravity, mass, friction, …: as for Model.varied; in place of a number there may be an array with one number a chosen
    ///     world (gravity: one row). What was changed before stays changed.
    ///
    ///     batch.vary(friction={"floor": np.linspace(0.2, 1.0, batch.n)})
    ///
    /// Worlds that differ no longer share one model, only what is the same in them: meshes, solids, and the trees of bodies where
    /// masses and gravity are the same. Raises ModelError for what cannot be changed; then nothing changes.
    #[pyo3(
        signature = (indices=None, **changes),
        text_signature = "($self, indices=None, *, gravity=None, mass=None, friction=None, static_friction=None, \
                          stiffness=None, dissipation=None, relaxation_time=None, modulus=None, size=None)"
    )]
    fn vary(
        &self,
        py: Python<'_>,
        indices: Option<&Bound<'_, PyAny>>,
        changes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let changes = Changes::read(self.model.get(), changes, chosen.len())?;
        let rows: Vec<_> =
            chosen.iter().enumerate().map(|(k, &world)| (world, changes.variation(k))).collect();
        let batch = &mut *inner;
        py.detach(|| batch.vary(&rows)).map_err(load_error)
    }

    /// Draws masses, friction, stiffness, dissipation and sizes for each world at random: domain randomisation.
    ///
    /// seed: a whole number. What is drawn for a body or geom of a world depends on the seed, the world's number and that
    ///     quantity alone: neither the number of worlds nor what else is drawn changes it.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    /// mass: dict from bodies (names or ids, "*" for each of them) to a range of factors on the model's value: (low, high)
    ///     evenly, or (low, high, "log") with its logarithm evenly drawn. Rotational inertia follows.
    /// friction, stiffness, dissipation, size: the same for geoms. Friction is static and dynamic by the same factor;
    ///     stiffness is that of point contact and of the pressure field; size is of primitive shapes (see Model.varied).
    ///
    ///     batch.randomize(seed=7, mass={"cube": (0.8, 1.2)}, friction={"*": (0.5, 2.0, "log")})
    ///     batch.parameters["mass"]["cube"]        # what was drawn, kg, shape (n,)
    #[pyo3(signature = (seed, indices=None, *, mass=None, friction=None, stiffness=None, dissipation=None, size=None))]
    fn randomize(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] seed: usize,
        indices: Option<&Bound<'_, PyAny>>,
        mass: Option<&Bound<'_, PyAny>>,
        friction: Option<&Bound<'_, PyAny>>,
        stiffness: Option<&Bound<'_, PyAny>>,
        dissipation: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let given = PyDict::new(py);
        for (kind, value) in [
            ("mass", mass),
            ("friction", friction),
            ("stiffness", stiffness),
            ("dissipation", dissipation),
            ("size", size),
        ] {
            given.set_item(kind, value)?;
        }
        let ranges = changes::ranges(self.model.get(), Some(&given))?;
        let batch = &mut *inner;
        py.detach(|| batch.randomize(&chosen, seed as u64, &ranges)).map_err(load_error)
    }

    /// What vary and randomize made different between the worlds: a dict from quantity to a dict from the name of a body or geom
    /// to an array of shape (n,), in the units of Model.varied (mass in kg, stiffness in N/m, size as a factor…); gravity, if
    /// it was changed, as an array of shape (n, 3).
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let variations: Vec<_> = (0..inner.len()).map(|world| inner.variation(world).clone()).collect();
        let models: Vec<_> = (0..inner.len()).map(|world| inner.world(world).model().clone()).collect();
        changes::parameters(py, inner.model(), &variations, &models)
    }

    /// What vary and randomize could not honour and what happened that makes contact patches doubtful, in any of the worlds, each
    /// thing once: a list of stiction.ModelWarning.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let inner = self.lock()?;
        let known = inner.model().warnings().len();
        let mut found: Vec<Warning> = Vec::new();
        for world in 0..inner.len() {
            let world = inner.world(world);
            let of_model = world.model().warnings()[known..].iter().cloned();
            for warning in of_model.chain(world.warnings()) {
                if !found.iter().any(|w| w.message == warning.message) {
                    found.push(warning);
                }
            }
        }
        warning_tuples(py, &found)
    }

    /// Which worlds could not complete the last call of step or run_until, shape (n,), booleans.
    #[getter]
    fn failed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let inner = self.lock()?;
        Ok(PyArray1::from_iter(py, (0..inner.len()).map(|i| inner.failure(i).is_some())))
    }

    /// Contact points of a world's last step: see Simulation.contacts.
    fn contacts<'py>(&self, py: Python<'py>, world: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        structured(py, inner.world(index(world, inner.len())?).contacts())
    }

    /// Contact patches of a world's last step: see Simulation.patches.
    fn patches<'py>(&self, py: Python<'py>, world: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let inner = self.lock()?;
        patch_list(py, &inner.world(index(world, inner.len())?).patches())
    }

    /// Counts and times since construction of one world, or of all together: see Simulation.stats. Of all together, counts,
    /// energies and seconds are sums and extremes those of any world; seconds of threads side by side add up.
    #[pyo3(signature = (world=None))]
    fn stats<'py>(&self, py: Python<'py>, world: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let mut stats = Stats::default();
        match world {
            Some(world) => stats = *inner.world(index(world, inner.len())?).stats(),
            None => (0..inner.len()).for_each(|world| stats.merge(inner.world(world).stats())),
        }
        stats_dict(py, &stats)
    }

    /// Readings of all sensors, a dict from name to array of shape (n, numbers of the sensor), SI: see Simulation.sensors.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let model = inner.model();
        let (count, n) = (model.sensor_count(), inner.len());
        let mut readings = Vec::with_capacity(n * count);
        for world in 0..n {
            readings.extend_from_slice(inner.world(world).sensors());
        }
        let dict = PyDict::new(py);
        for (k, sensor) in model.world().sensors.iter().enumerate() {
            let range = model.sensor_range(k);
            let rows = Rows::collect(py, n, range.len(), |world, row| {
                row.copy_from_slice(&readings[world * count..][range.clone()]);
            })?;
            dict.set_item(&sensor.name, rows)?;
        }
        Ok(dict)
    }

    /// Kinetic and potential energy of all worlds, J: a stiction.Energy of arrays of shape (n,).
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let energies: Vec<_> = (0..inner.len()).map(|world| inner.world(world).energy()).collect();
        let kinetic = PyArray1::from_iter(py, energies.iter().map(|e| e.kinetic));
        energy_class(py)?.call1((kinetic, PyArray1::from_iter(py, energies.iter().map(|e| e.potential))))
    }

    /// Poses of a body (name or id) in all worlds: a stiction.BodyPose of positions, shape (n, 3), m, and quaternions with w
    /// first, shape (n, 4).
    fn body_pose<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let body = self.model.get().body(body)?;
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let poses: Vec<_> = (0..inner.len()).map(|world| inner.world(world).poses()[body]).collect();
        let positions = Rows::collect(py, poses.len(), 3, |world, row| {
            row.copy_from_slice(poses[world].translation.vector.as_slice());
        })?;
        let quaternions = Rows::collect(py, poses.len(), 4, |world, row| {
            let r = &poses[world].rotation;
            row.copy_from_slice(&[r.w, r.i, r.j, r.k]);
        })?;
        pose_class(py)?.call1((positions, quaternions))
    }

    /// A simulation of its own that continues from a world's present state bit for bit, to look at, record or view.
    fn simulation(&self, py: Python<'_>, world: &Bound<'_, PyAny>) -> PyResult<Py<Simulation>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let number = index(world, inner.len())?;
        let world = inner.world(number);
        let simulation = Simulation::with(py, self.model.clone_ref(py), *world.options())?;
        simulation.change(py, inner.variation(number))?;
        for added in self.added().iter() {
            simulation.attach_again(py, added.kept(py, number)?.as_any())?;
        }
        simulation.load(py, &world.save_state())?;
        Py::new(py, simulation)
    }

    /// The states of all worlds and what is different in them as bytes, from which load_state continues bit for bit.
    fn save_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        Ok(PyBytes::new(py, &inner.save_state()))
    }

    /// Goes to states saved by save_state from as many worlds of the same model. Raises ValueError if they do not fit.
    fn load_state(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.load_state(state).map_err(input_error)?;
        let all: Vec<usize> = (0..inner.len()).collect();
        self.pull(py, &inner, &all)
    }

    /// Moves a mocap body (name or id) in worlds, as Simulation.set_mocap does: each argument for all of them, or one row a world.
    ///
    /// position: m, in the world, shape (3,) or (worlds, 3). quaternion: w first, (4,) or (worlds, 4).
    /// angular_velocity, linear_velocity: rad/s and m/s in world axes: what contacts feel; they do not move the body.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    #[pyo3(signature = (body, position, quaternion=None, angular_velocity=None, linear_velocity=None, indices=None))]
    fn set_mocap(
        &self,
        body: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        quaternion: Option<&Bound<'_, PyAny>>,
        angular_velocity: Option<&Bound<'_, PyAny>>,
        linear_velocity: Option<&Bound<'_, PyAny>>,
        indices: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let number = mocap::number(self.model.get(), body)?;
        let inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let states = mocap::states(position, quaternion, angular_velocity, linear_velocity, chosen.len())?;
        for (world, state) in chosen.into_iter().zip(states) {
            inner.world(world).state_mut().mocap[number] = state;
        }
        Ok(())
    }

    /// Adds forces (N) and torques (N m) on a body (name or id) to batch.applied, as Simulation.apply_force does: each argument of
    /// shape (3,) for all worlds or (worlds, 3), one row a world.
    ///
    /// point: where the force acts, m; the body's origin by default.
    /// frame: "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    #[pyo3(signature = (body, force=None, point=None, torque=None, frame="world", indices=None))]
    fn apply_force(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        point: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        frame: &str,
        indices: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let id = self.model.get().body(body)?;
        let inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let given = forces::Given { force, point, torque, frame };
        let pushes = forces::read_rows(&given, chosen.len())?;
        self.push(py, &inner)?;
        for (&world, push) in chosen.iter().zip(pushes) {
            push.apply(&mut inner.world(world), id)?;
        }
        self.pull(py, &inner, &chosen)
    }

    /// Has a controller set controls in every world from now on, after those that were added before. Returns its number.
    ///
    /// controller: a function or ready controller as of Simulation.add_controller, or a list of them, one a world. Ready ones run
    ///     without the interpreter. A function is called for each world from the thread that steps it, one call at a time; what
    ///     the worlds do stays the same at any number of threads as long as the function depends on its arguments alone.
    ///     If it returns None, the world's row of batch.ctrl counts.
    /// period, sensing, wrenches, skins: as of Simulation.add_controller.
    ///
    /// What it raises is the cause of the SimulationError that step raises; the worlds concerned stand before the step in which
    /// it failed.
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

    /// Has this controller alone set the controls from now on, as add_controller does; None removes all and leaves the controls
    /// as they are.
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
        if !controller.is_none() {
            let wanted = Wanted { period, sensing, wrenches, skins };
            return self.attach(py, controller, &wanted, true).map(|_| ());
        }
        let inner = self.lock()?;
        (0..inner.len()).for_each(|world| inner.world(world).clear_controllers());
        drop(inner);
        let before = std::mem::take(&mut *self.added());
        drop(before);
        Ok(())
    }

    /// Removes the controller of a number from all worlds; the controls stay as they are. Those added after it move up by one.
    fn remove_controller(&self, #[pyo3(from_py_with = whole)] number: usize) -> PyResult<()> {
        let inner = self.lock()?;
        let count = self.added().len();
        let mut removed = Vec::new();
        for world in 0..inner.len() {
            removed.push(inner.world(world).remove_controller(number).map_err(input_error)?);
        }
        drop(inner);
        if number >= count {
            return Err(PyValueError::new_err(format!("there is no controller {number}: there are {count}")));
        }
        let hooks = self.forget(number);
        drop((removed, hooks));
        Ok(())
    }

    /// The controllers that were added, in order: each as it was given, one for all worlds or a list.
    #[getter]
    fn controllers(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.added().iter().map(|added| added.given(py)).collect()
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
