//! `stiction.Model`: a compiled model; `dynamics` computes with it at single states.

mod dynamics;

use crate::arrays::vector;
use crate::changes::Changes;
use crate::errors::{input_error, load_error};
use crate::named;
use crate::scratch::Scratch;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PySlice, PyTuple};
use std::path::PathBuf;
use std::sync::Mutex;
use stiction::model::Pose;
use stiction::multibody::JointInfo;
use stiction::names::unknown_name;
use stiction::{Energy, Format, LoadOptions};

/// A compiled model: bodies, joints, shapes and actuators, ready to compute with.
///
/// Made by Model.from_file, Model.from_string or Model.from_scene. It never changes, so simulations and
/// threads share it freely. It pickles, meshes included.
///
/// q has nq numbers and v has nv, laid out as MuJoCo's qpos and qvel. Units are SI, angles in radians.
/// Bodies, joints, geoms and actuators have ids: their places in body_names (0 is the world),
/// joint_names, geom_names and actuator_names.
#[pyclass(frozen, module = "stiction")]
pub struct Model {
    pub inner: stiction::Model,
    scratch: Mutex<Scratch>,
}

impl From<stiction::Model> for Model {
    fn from(inner: stiction::Model) -> Self {
        Self { scratch: Mutex::new(Scratch::new(&inner)), inner }
    }
}

#[pymethods]
impl Model {
    /// Reads a model file: MJCF (.xml), URDF (.urdf) or SDFormat (.sdf); its root element says which.
    ///
    /// path: the file, or the name of a built-in scene (see stiction.scenes()) if no such file exists.
    /// fixed_base: pin a URDF or SDFormat root to the world instead of letting it fall.
    /// strict: raise at the first thing that cannot be honoured instead of listing it in warnings.
    /// package_paths: folders that hold ROS packages or are one, for package:// addresses.
    ///
    /// Raises ModelError, which names the file, the element and what to do.
    #[staticmethod]
    #[pyo3(signature = (path, fixed_base=false, strict=false, package_paths=Vec::new()),
           text_signature = "(path, fixed_base=False, strict=False, package_paths=[])")]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        fixed_base: bool,
        strict: bool,
        package_paths: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let options = load_options(fixed_base, strict, &package_paths);
        let scene = path.to_str().filter(|_| !path.exists()).and_then(stiction::scenes::text);
        let inner = py.detach(|| match scene {
            Some(text) => stiction::Model::from_string(text, Format::Mjcf, &options),
            None => stiction::Model::from_file(&path, &options),
        });
        Ok(inner.map_err(load_error)?.into())
    }

    /// Reads a model from text.
    ///
    /// format: "mjcf", "urdf" or "sdf". The other arguments are those of from_file; mesh files are
    /// looked for from the current folder. Raises ModelError.
    #[staticmethod]
    #[pyo3(signature = (text, format="mjcf", fixed_base=false, strict=false, package_paths=Vec::new()),
           text_signature = "(text, format='mjcf', fixed_base=False, strict=False, package_paths=[])")]
    fn from_string(
        py: Python<'_>,
        text: &str,
        format: &str,
        fixed_base: bool,
        strict: bool,
        package_paths: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let format = match format {
            "mjcf" => Format::Mjcf,
            "urdf" => Format::Urdf,
            "sdf" => Format::Sdf,
            "dmd" => Format::Dmd,
            other => {
                let text = format!(
                    "unknown format \"{other}\": choose mjcf, urdf or sdf (or dmd for model directives)"
                );
                return Err(PyValueError::new_err(text));
            }
        };
        let options = load_options(fixed_base, strict, &package_paths);
        let inner = py.detach(|| stiction::Model::from_string(text, format, &options));
        Ok(inner.map_err(load_error)?.into())
    }

    /// Loads a built-in scene by name; stiction.scenes() lists them. Raises ModelError.
    #[staticmethod]
    fn from_scene(py: Python<'_>, name: &str) -> PyResult<Self> {
        let inner = py.detach(|| stiction::Model::from_scene(name));
        Ok(inner.map_err(load_error)?.into())
    }

    /// Name of the model.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.world().name
    }

    /// Number of position coordinates.
    #[getter]
    fn nq(&self) -> usize {
        self.inner.nq()
    }

    /// Number of velocity coordinates.
    #[getter]
    fn nv(&self) -> usize {
        self.inner.nv()
    }

    /// Number of controls.
    #[getter]
    fn nu(&self) -> usize {
        self.inner.nu()
    }

    /// Mass of all bodies, kg.
    #[getter]
    fn total_mass(&self) -> f64 {
        self.inner.total_mass()
    }

    /// Acceleration of gravity in the world, m/s², shape (3,).
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.world().options.gravity.as_slice())
    }

    /// Length of a step that the file asks for, s; None if it asks for none.
    #[getter]
    fn step(&self) -> Option<f64> {
        self.inner.world().options.step
    }

    /// Names of the bodies; a body's place here is its id, and 0 is the world.
    #[getter]
    fn body_names(&self) -> Vec<String> {
        self.inner.world().bodies.iter().map(|b| b.name.clone()).collect()
    }

    /// Masses of the bodies by id, kg, shape (number of bodies,).
    #[getter]
    fn body_masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.inner.world().bodies.iter().map(|b| b.inertia.mass))
    }

    /// Names of the joints, in the order of their coordinates.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.inner.multibody().joints().iter().map(|j| j.name.clone()).collect()
    }

    /// Names of the geoms; a geom's place here is its id. A geom without a name is called "#id".
    #[getter]
    fn geom_names(&self) -> Vec<String> {
        let geoms = self.inner.world().geoms.iter().enumerate();
        geoms.map(|(i, g)| if g.name.is_empty() { format!("#{i}") } else { g.name.clone() }).collect()
    }

    /// Names of the actuators, in the order of the controls.
    #[getter]
    fn actuator_names(&self) -> Vec<String> {
        self.inner.world().actuators.iter().map(|a| a.name.clone()).collect()
    }

    /// Number of activations: the actuators that follow their control with a delay have one each.
    #[getter]
    fn na(&self) -> usize {
        self.inner.na()
    }

    /// Names of the tendons.
    #[getter]
    fn tendon_names(&self) -> Vec<String> {
        self.inner.world().tendons.iter().map(|t| t.name.clone()).collect()
    }

    /// Names of the sensors, in the order of Simulation.sensors.
    #[getter]
    fn sensor_names(&self) -> Vec<String> {
        self.inner.world().sensors.iter().map(|s| s.name.clone()).collect()
    }

    /// Names of the keyframes, for Simulation.reset.
    #[getter]
    fn keyframe_names(&self) -> Vec<String> {
        self.inner.world().keyframes.iter().map(|k| k.name.clone()).collect()
    }

    /// Names of the bodies that Simulation.set_mocap moves.
    #[getter]
    fn mocap_names(&self) -> Vec<String> {
        let bodies = &self.inner.world().bodies;
        self.inner.multibody().mocap_bodies().iter().map(|&b| bodies[b].name.clone()).collect()
    }

    /// Positions at which every body stands as described, shape (nq,), m or rad and quaternions with w first.
    #[getter]
    fn default_qpos<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.default_q())
    }

    /// What could not be honoured: a list of (file, element, line, message).
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        warning_tuples(py, self.inner.warnings())
    }

    /// Where a joint's positions stand in q: q[model.qpos_slice("elbow")].
    fn qpos_slice<'py>(&self, py: Python<'py>, joint: &str) -> PyResult<Bound<'py, PySlice>> {
        let range = &self.joint(joint)?.q;
        Ok(PySlice::new(py, range.start as isize, range.end as isize, 1))
    }

    /// Where a joint's velocities stand in v.
    fn qvel_slice<'py>(&self, py: Python<'py>, joint: &str) -> PyResult<Bound<'py, PySlice>> {
        let range = &self.joint(joint)?.v;
        Ok(PySlice::new(py, range.start as isize, range.end as isize, 1))
    }

    /// What the model says of a body (name or id): a stiction.BodyInfo with id, parent, mass, com, inertia.
    #[pyo3(name = "body")]
    fn body_info<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::body(py, self, body)
    }

    /// What the model says of a joint (name or id): a stiction.JointInfo with id, type, body, range, and its places in q and v.
    #[pyo3(name = "joint")]
    fn joint_info<'py>(&self, py: Python<'py>, joint: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::joint(py, self, joint)
    }

    /// What the model says of a geom (name or id): a stiction.GeomInfo with id, body, shape and contact properties.
    #[pyo3(name = "geom")]
    fn geom_info<'py>(&self, py: Python<'py>, geom: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::geom_info(py, self, geom)
    }

    /// What the model says of an actuator (name or id): a stiction.ActuatorInfo with id, type, joint and ranges.
    #[pyo3(name = "actuator")]
    fn actuator_info<'py>(
        &self,
        py: Python<'py>,
        actuator: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        named::actuator(py, self, actuator)
    }

    /// A variant of this model: the same bodies, joints and geoms with some things changed. This model stays as it is; states
    /// of one fit the other.
    ///
    /// gravity: acceleration of gravity in the world, m/s², shape (3,).
    /// mass: dict from bodies (names or ids, "*" for all) to masses, kg; rotational inertia follows in proportion.
    /// friction: dict from geoms (names or ids, "*" for all) to coefficients of friction, static and dynamic.
    /// static_friction: the same for static friction alone.
    /// stiffness: the same for stiffness of point contact, N/m.
    /// dissipation: the same for Hunt & Crossley dissipation, s/m.
    /// relaxation_time: the same for that of linear dissipation (contact="sap"), s.
    /// modulus: the same for the modulus of compliant geoms, Pa.
    /// size: the same for factors on the size of primitive geoms, about their own frames. Masses stay; the rotational inertia
    ///     of a body follows if this is its only geom and at its centre of mass, and otherwise stays, with a warning in warnings.
    ///
    ///     moon = model.varied(gravity=[0, 0, -1.62], friction={"floor": 0.3})
    ///
    /// Raises ModelError for what cannot be changed, ValueError for names and numbers that are wrong.
    #[pyo3(
        signature = (**changes),
        text_signature = "($self, *, gravity=None, mass=None, friction=None, static_friction=None, stiffness=None, \
                          dissipation=None, relaxation_time=None, modulus=None, size=None)"
    )]
    fn varied(&self, changes: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let variation = Changes::read(self, changes, 1)?.variation(0);
        Ok(self.inner.varied(&variation).map_err(load_error)?.into())
    }

    /// Writes the model as one flat file that other programs read, MJCF (.xml) or URDF (.urdf), with meshes beside a URDF, and
    /// returns what the format cannot say and what that changes: a list of texts. What is written loads back to the same masses,
    /// poses and dynamics. Raises ModelError for a model that the format has no words for, OSError if it cannot be written.
    fn save(&self, path: PathBuf) -> PyResult<Vec<String>> {
        crate::export::save(&self.inner, &path)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("stiction")?.getattr("_restore_model")?;
        Ok((restore, PyTuple::new(py, [PyBytes::new(py, &self.inner.to_bytes())])?))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyDict>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let (world, model) = (self.inner.world(), &self.inner);
        let (bodies, joints) = (world.bodies.len() - 1, model.multibody().joints().len());
        format!(
            "<stiction.Model \"{}\": {bodies} bodies, {joints} joints, nq {}, nv {}, nu {}>",
            world.name,
            model.nq(),
            model.nv(),
            model.nu()
        )
    }
}

impl Model {
    /// A body's id from its name or id.
    pub fn body(&self, body: &Bound<'_, PyAny>) -> PyResult<usize> {
        body_of(&self.inner, body)
    }

    fn joint(&self, name: &str) -> PyResult<&JointInfo> {
        let joints = self.inner.multibody().joints();
        let found = joints.iter().find(|j| j.name == name);
        found.ok_or_else(|| unknown("joint", name, joints.iter().map(|j| j.name.as_str())))
    }

    /// A vector, or zeros where none is given.
    fn or_zeros(&self, what: &str, given: Option<&Bound<'_, PyAny>>, length: usize) -> PyResult<Vec<f64>> {
        given.map_or(Ok(vec![0.0; length]), |values| Ok(vector(what, values)?.to_vec()))
    }

    /// Computes in the kept memory; in fresh one if another call is using that.
    fn with_scratch<T>(&self, compute: impl FnOnce(&mut Scratch) -> PyResult<T>) -> PyResult<T> {
        match self.scratch.try_lock() {
            Ok(mut scratch) => compute(&mut scratch),
            Err(_) => compute(&mut Scratch::new(&self.inner)),
        }
    }
}

/// A body's id from its name or id.
pub fn body_of(model: &stiction::Model, body: &Bound<'_, PyAny>) -> PyResult<usize> {
    let bodies = &model.world().bodies;
    if let Ok(name) = body.extract::<String>() {
        let found = model.world().body_index(&name);
        return found.ok_or_else(|| unknown("body", &name, bodies.iter().map(|b| b.name.as_str())));
    }
    crate::indices::id("body", body, bodies.len())
}

/// An error that lists the names there are and asks whether a near one was meant.
pub fn unknown<'a>(kind: &'static str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> PyErr {
    input_error(unknown_name(kind, name, known))
}

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
    let position = PyArray1::from_slice(py, p.as_slice());
    pose_class(py)?.call1((position, PyArray1::from_slice(py, &[r.w, r.i, r.j, r.k])))
}

fn load_options(fixed_base: bool, strict: bool, package_paths: &[PathBuf]) -> LoadOptions {
    let package_paths = package_paths.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    LoadOptions { fixed_base, strict, package_paths }
}

/// Names of the built-in scenes, for Model.from_scene.
#[pyfunction]
pub fn scenes() -> Vec<&'static str> {
    stiction::scenes::all().iter().map(|s| s.name).collect()
}

/// Unpickles a model.
#[pyfunction]
pub fn _restore_model(py: Python<'_>, bytes: &[u8]) -> PyResult<Model> {
    let inner = py.detach(|| stiction::Model::from_bytes(bytes));
    Ok(inner.map_err(load_error)?.into())
}

/// Sensor readings by name.
pub fn readings<'py>(
    py: Python<'py>,
    model: &stiction::Model,
    values: &[f64],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (k, sensor) in model.world().sensors.iter().enumerate() {
        dict.set_item(&sensor.name, PyArray1::from_slice(py, &values[model.sensor_range(k)]))?;
    }
    Ok(dict)
}
