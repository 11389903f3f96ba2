//! Counts, names and descriptions of what a model holds, and where joints lie in q and v.

use super::Model;
use crate::errors::input_error;
use crate::frames::read_only;
use crate::named;
use crate::tuples::warning_tuples;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use stiction::multibody::JointInfo;
use stiction::names::unknown_name;

#[pymethods]
impl Model {
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
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(PyArray1::from_slice(py, self.inner.world().options.gravity.as_slice()).into_any())
    }

    /// Length of a step in the file, s; None if the file has none.
    #[getter]
    fn step(&self) -> Option<f64> {
        self.inner.world().options.step
    }

    /// Names of the bodies by id; 0 is the world.
    #[getter]
    fn body_names(&self) -> Vec<String> {
        self.inner.world().bodies.iter().map(|b| b.name.clone()).collect()
    }

    /// Masses of the bodies by id, kg, shape (number of bodies,).
    #[getter]
    fn body_masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let masses = self.inner.world().bodies.iter().map(|b| b.inertia.mass);
        read_only(PyArray1::from_iter(py, masses).into_any())
    }

    /// Names of the joints, in the order of their coordinates.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.inner.multibody().joints().iter().map(|j| j.name.clone()).collect()
    }

    /// Names of the geoms by id. A geom without a name is called "#id".
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

    /// Number of activations: one for each actuator with internal dynamics.
    #[getter]
    fn na(&self) -> usize {
        self.inner.na()
    }

    /// Names of the sites by id.
    #[getter]
    fn site_names(&self) -> Vec<String> {
        self.inner.world().sites.iter().map(|s| s.name.clone()).collect()
    }

    /// Names of the cameras by id.
    #[getter]
    fn camera_names(&self) -> Vec<String> {
        self.inner.world().visual.cameras.iter().map(|c| c.name.clone()).collect()
    }

    /// Names of the equalities by id; those without a name are called "#id".
    #[getter]
    fn equality_names(&self) -> Vec<String> {
        named::equality_names(self)
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

    /// Names of the mocap bodies, which Simulation.set_mocap moves.
    #[getter]
    fn mocap_names(&self) -> Vec<String> {
        let bodies = &self.inner.world().bodies;
        self.inner.multibody().mocap_bodies().iter().map(|&b| bodies[b].name.clone()).collect()
    }

    /// Positions of the model as described in its file, shape (nq,), m or rad and quaternions with w first. Read-only: copy()
    /// gives an array to change.
    #[getter]
    fn default_qpos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        read_only(PyArray1::from_slice(py, self.inner.default_q()).into_any())
    }

    /// Unsupported parts of the file and their effect: a list of stiction.ModelWarning (file, element, line, message).
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        warning_tuples(py, self.inner.warnings())
    }

    /// Slice of a joint's positions in q: q[model.qpos_slice("elbow")].
    ///
    /// Parameters
    /// ----------
    /// joint : str
    ///     Name of the joint.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn qpos_slice<'py>(&self, py: Python<'py>, joint: &str) -> PyResult<Bound<'py, PySlice>> {
        let range = &self.joint(joint)?.q;
        Ok(PySlice::new(py, range.start as isize, range.end as isize, 1))
    }

    /// Slice of a joint's velocities in v: v[model.qvel_slice("elbow")].
    ///
    /// Parameters
    /// ----------
    /// joint : str
    ///     Name of the joint.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn qvel_slice<'py>(&self, py: Python<'py>, joint: &str) -> PyResult<Bound<'py, PySlice>> {
        let range = &self.joint(joint)?.v;
        Ok(PySlice::new(py, range.start as isize, range.end as isize, 1))
    }

    /// Properties of a body in the model.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// BodyInfo
    ///     A stiction.BodyInfo with id, parent, mass, com, inertia.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(name = "body")]
    fn body_info<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::body(py, self, body)
    }

    /// Properties of a joint in the model.
    ///
    /// Parameters
    /// ----------
    /// joint : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// JointInfo
    ///     A stiction.JointInfo with id, type, body, range, and its slices of q and v.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(name = "joint")]
    fn joint_info<'py>(&self, py: Python<'py>, joint: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::joint(py, self, joint)
    }

    /// Properties of a geom in the model.
    ///
    /// Parameters
    /// ----------
    /// geom : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// GeomInfo
    ///     A stiction.GeomInfo with id, body, shape and contact properties.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(name = "geom")]
    fn geom_info<'py>(&self, py: Python<'py>, geom: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::geom_info(py, self, geom)
    }

    /// Properties of a site in the model.
    ///
    /// Parameters
    /// ----------
    /// site : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// SiteInfo
    ///     A stiction.SiteInfo with id, body, position, quaternion.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(name = "site")]
    fn site_info<'py>(&self, py: Python<'py>, site: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::site(py, self, site)
    }

    /// Properties of a camera in the model.
    ///
    /// Parameters
    /// ----------
    /// camera : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// CameraInfo
    ///     A stiction.CameraInfo with id, body, position, quaternion, field_of_view, resolution.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(name = "camera")]
    fn camera_info<'py>(&self, py: Python<'py>, camera: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::camera(py, self, camera)
    }

    /// Properties of an equality in the model.
    ///
    /// Parameters
    /// ----------
    /// equality : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// EqualityInfo
    ///     A stiction.EqualityInfo with id, type and active.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(name = "equality")]
    fn equality_info<'py>(
        &self,
        py: Python<'py>,
        equality: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        named::equality(py, self, equality)
    }

    /// A keyframe of the model.
    ///
    /// Parameters
    /// ----------
    /// keyframe : str or int
    ///     Name or number.
    ///
    /// Returns
    /// -------
    /// Keyframe
    ///     A stiction.Keyframe with time, qpos, qvel, act, ctrl, mocap_position and mocap_quaternion; what the file leaves out has its
    ///     default.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown keyframe.
    fn keyframe<'py>(&self, py: Python<'py>, keyframe: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::keyframe(py, self, keyframe)
    }

    /// Properties of an actuator in the model.
    ///
    /// Parameters
    /// ----------
    /// actuator : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// ActuatorInfo
    ///     A stiction.ActuatorInfo with id, type, joint and ranges.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(name = "actuator")]
    fn actuator_info<'py>(
        &self,
        py: Python<'py>,
        actuator: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        named::actuator(py, self, actuator)
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
