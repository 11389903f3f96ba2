//! Trajectories, inverse kinematics and ready controllers, and what a Python controller may read besides the state.

use crate::arrays::{finite_vector, numbers};
use crate::errors::input_error;
use crate::model::Model;
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector6};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};
use std::sync::{Mutex, PoisonError};
use stiction::control::{
    self, Gains, IkSettings, JointLaw, JointPoint, Joints, Law, Part, PosePoint, PoseServo, Touch,
};
use stiction::model::Pose;
use stiction::{Controller, Sample};

type Array<'py> = Bound<'py, PyArray1<f64>>;

/// A trajectory of joints through keyframes; held before the first and after the last.
///
/// times: times of the keyframes, s, increasing, shape (n,).
/// points: positions at them, rad or m, shape (n, joints).
/// kind: "minimum-jerk" rests at every keyframe; "cubic" passes through without stopping, at rest at the ends, with continuous
///     acceleration.
#[pyclass(frozen, module = "stiction")]
pub struct JointPath {
    inner: control::JointPath,
    times: Vec<f64>,
    points: Vec<Vec<f64>>,
    kind: String,
}

#[pymethods]
impl JointPath {
    #[new]
    #[pyo3(signature = (times, points, kind="minimum-jerk"))]
    fn new(times: Vec<f64>, points: &Bound<'_, PyAny>, kind: &str) -> PyResult<Self> {
        let points = rows("points", points)?;
        let inner = match kind {
            "minimum-jerk" => control::JointPath::minimum_jerk(&times, &points),
            "cubic" => control::JointPath::cubic(&times, &points),
            _ => return Err(unknown_kind(kind)),
        };
        Ok(Self { inner: inner.map_err(input_error)?, times, points, kind: kind.into() })
    }

    /// Time of the last keyframe, s.
    #[getter]
    fn end(&self) -> f64 {
        self.inner.end()
    }

    /// Positions, velocities and accelerations at a time (s), each of shape (joints,).
    fn at<'py>(&self, py: Python<'py>, time: f64) -> (Array<'py>, Array<'py>, Array<'py>) {
        let mut point = JointPoint::default();
        self.inner.at(time, &mut point);
        let array = |values: &[f64]| PyArray1::from_slice(py, values);
        (array(&point.q), array(&point.v), array(&point.a))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let this = slf.get();
        let arguments = (this.times.clone(), this.points.clone(), this.kind.clone());
        Ok((slf.get_type().into_any(), arguments.into_pyobject(slf.py())?))
    }
}

/// A trajectory of poses through keyframes; held before the first and after the last.
///
/// times: times of the keyframes, s, increasing, shape (n,).
/// positions: in the world, m, shape (n, 3).
/// quaternions: orientations, w first, shape (n, 4).
/// kind: "minimum-jerk" moves on straight lines and turns about one axis between keyframes, resting at each; "cubic" passes
///     through without stopping, at rest at the ends.
#[pyclass(frozen, module = "stiction")]
pub struct PosePath {
    inner: control::PosePath,
    times: Vec<f64>,
    poses: (Vec<Vec<f64>>, Vec<Vec<f64>>),
    kind: String,
}

#[pymethods]
impl PosePath {
    #[new]
    #[pyo3(signature = (times, positions, quaternions, kind="minimum-jerk"))]
    fn new(
        times: Vec<f64>,
        positions: &Bound<'_, PyAny>,
        quaternions: &Bound<'_, PyAny>,
        kind: &str,
    ) -> PyResult<Self> {
        let (positions, quaternions) = (rows("positions", positions)?, rows("quaternions", quaternions)?);
        if positions.len() != quaternions.len() {
            return Err(PyValueError::new_err("give as many quaternions as positions"));
        }
        let poses = positions.iter().zip(&quaternions).map(|(p, q)| pose(p, q));
        let poses = poses.collect::<PyResult<Vec<Pose>>>()?;
        let inner = match kind {
            "minimum-jerk" => control::PosePath::minimum_jerk(&times, &poses),
            "cubic" => control::PosePath::cubic(&times, &poses),
            _ => return Err(unknown_kind(kind)),
        };
        let inner = inner.map_err(input_error)?;
        Ok(Self { inner, times, poses: (positions, quaternions), kind: kind.into() })
    }

    /// Time of the last keyframe, s.
    #[getter]
    fn end(&self) -> f64 {
        self.inner.end()
    }

    /// Position (3,), quaternion (4,) and twist (6,) [angular; linear] in world axes at a time, s.
    fn at<'py>(&self, py: Python<'py>, time: f64) -> (Array<'py>, Array<'py>, Array<'py>) {
        let point = self.inner.at(time);
        let (p, q) = place(py, &point.pose);
        (p, q, PyArray1::from_slice(py, point.twist.as_slice()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let this = slf.get();
        let (positions, quaternions) = this.poses.clone();
        let arguments = (this.times.clone(), positions, quaternions, this.kind.clone());
        Ok((slf.get_type().into_any(), arguments.into_pyobject(slf.py())?))
    }
}

/// Joint velocities that move a site as wanted, within the joints' limits of position and speed.
///
/// model: a stiction.Model.
/// joints: names of hinges and slides.
/// site: name of the site that moves.
/// speed_limits: largest speed of each joint, rad/s or m/s; those of the model if None (MJCF has none).
/// gain: rate at which an error of pose is worked off, 1/s.
/// damping: cost of joint speed at singular positions, m/s of error per rad/s.
/// length: what an error of a radian counts as, m.
#[pyclass(frozen, module = "stiction")]
pub struct InverseKinematics {
    inner: Mutex<control::InverseKinematics>,
    model: Py<Model>,
}

#[pymethods]
impl InverseKinematics {
    #[new]
    #[pyo3(signature = (model, joints, site, speed_limits=None, gain=10.0, damping=0.02, length=0.1))]
    fn new(
        model: Py<Model>,
        joints: Vec<String>,
        site: &str,
        speed_limits: Option<Vec<f64>>,
        gain: f64,
        damping: f64,
        length: f64,
    ) -> PyResult<Self> {
        let inner = &model.get().inner;
        let joints = chosen(inner, &joints, speed_limits.as_deref())?;
        let settings = IkSettings { gain, damping, length, ..IkSettings::default() };
        let inner =
            control::InverseKinematics::of_site(inner, joints, site, settings).map_err(input_error)?;
        Ok(Self { inner: Mutex::new(inner), model })
    }

    /// Position (3,) and quaternion (4,) of the site with all coordinates at qpos, shape (nq,).
    fn pose<'py>(&self, py: Python<'py>, qpos: &Bound<'py, PyAny>) -> PyResult<(Array<'py>, Array<'py>)> {
        let model = &self.model.get().inner;
        let q = finite_vector("qpos", qpos, model.nq())?;
        let state = model.default_state();
        Ok(place(py, &self.lock().pose(model, &q, &state.mocap)))
    }

    /// Velocities of the joints, shape (joints,), to be held for period seconds, that take the site from where it is at qpos
    /// towards a pose which itself moves with a twist [angular; linear], world axes.
    #[pyo3(signature = (qpos, position, quaternion, twist=None, period=0.0))]
    fn solve<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
        position: &Bound<'py, PyAny>,
        quaternion: &Bound<'py, PyAny>,
        twist: Option<&Bound<'py, PyAny>>,
        period: f64,
    ) -> PyResult<Array<'py>> {
        let model = &self.model.get().inner;
        let q = finite_vector("qpos", qpos, model.nq())?;
        let mut target = PosePoint::rest(pose_of(position, quaternion)?);
        if let Some(twist) = twist {
            target.twist = Vector6::from_row_slice(&finite_vector("twist", twist, 6)?);
        }
        let state = model.default_state();
        let mut inner = self.lock();
        let mut v = vec![0.0; inner.joints().len()];
        inner.solve(model, &q, &state.mocap, &target, period, &mut v).map_err(PyValueError::new_err)?;
        Ok(PyArray1::from_slice(py, &v))
    }

    /// Positions of the joints, shape (joints,), that put the site at a pose, searched from qpos within the limits; None if
    /// the search does not get there.
    fn reach<'py>(
        &self,
        py: Python<'py>,
        qpos: &Bound<'py, PyAny>,
        position: &Bound<'py, PyAny>,
        quaternion: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Array<'py>>> {
        let model = &self.model.get().inner;
        let q = finite_vector("qpos", qpos, model.nq())?;
        let target = pose_of(position, quaternion)?;
        let state = model.default_state();
        let found = self.lock().reach(model, &q, &state.mocap, &target);
        Ok(found.map(|q| PyArray1::from_slice(py, &q)))
    }
}

impl InverseKinematics {
    fn lock(&self) -> std::sync::MutexGuard<'_, control::InverseKinematics> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a ready controller is made from: kept to make it anew.
struct Recipe {
    joints: Vec<String>,
    law: String,
    stiffness: f64,
    damping: f64,
    period: f64,
}

impl Recipe {
    fn law(&self) -> PyResult<Law> {
        let gains = vec![Gains { stiffness: self.stiffness, damping: self.damping }];
        match self.law.as_str() {
            "servo" => Ok(Law::Servo),
            "servo-feed-forward" => Ok(Law::ServoFeedForward),
            "pd" => Ok(Law::Pd { gains, gravity: false }),
            "pd-gravity" => Ok(Law::Pd { gains, gravity: true }),
            "inverse-dynamics" => Ok(Law::InverseDynamics { gains }),
            other => Err(PyValueError::new_err(format!(
                "law = \"{other}\": choose servo, servo-feed-forward, pd, pd-gravity or inverse-dynamics"
            ))),
        }
    }
}

/// A controller for Simulation.set_controller: joints follow a stiction.JointPath. It runs without the interpreter.
///
/// joints: names of hinges and slides, in the order of the path's columns.
/// law: "servo" sends positions to the model's position servos; "servo-feed-forward" adds what it takes to follow them; "pd"
///     and "pd-gravity" are torques of motors with gains stiffness (N m/rad) and damping (N m s/rad), without and with the
///     torques that hold the bodies against gravity; "inverse-dynamics" are computed torques with gains in 1/s² and 1/s.
/// period: time between samples, s; 0 for every step.
#[pyclass(frozen, module = "stiction")]
pub struct JointTracking {
    path: Py<JointPath>,
    recipe: Recipe,
}

#[pymethods]
impl JointTracking {
    #[new]
    #[pyo3(signature = (joints, path, law="servo-feed-forward", stiffness=100.0, damping=20.0, period=0.0))]
    fn new(
        joints: Vec<String>,
        path: Py<JointPath>,
        law: &str,
        stiffness: f64,
        damping: f64,
        period: f64,
    ) -> PyResult<Self> {
        let recipe = Recipe { joints, law: law.into(), stiffness, damping, period };
        recipe.law()?;
        check_period(period)?;
        Ok(Self { path, recipe })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let r = &this.recipe;
        let arguments =
            (r.joints.clone(), this.path.clone_ref(py), r.law.clone(), r.stiffness, r.damping, r.period);
        Ok((slf.get_type().into_any(), arguments.into_pyobject(py)?))
    }
}

/// A controller for Simulation.set_controller: a site follows a stiction.PosePath by differential inverse kinematics. It runs
/// without the interpreter.
///
/// joints: names of the hinges and slides that move the site.
/// law, stiffness, damping: how the joints follow, as of stiction.JointTracking.
/// period: time between samples, s.
/// speed_limits: largest speed of each joint, rad/s or m/s; those of the model if None.
#[pyclass(frozen, module = "stiction")]
pub struct PoseTracking {
    site: String,
    path: Py<PosePath>,
    speed_limits: Option<Vec<f64>>,
    recipe: Recipe,
}

#[pymethods]
impl PoseTracking {
    #[new]
    #[pyo3(signature = (joints, site, path, law="servo-feed-forward", stiffness=100.0, damping=20.0, period=2e-3, speed_limits=None))]
    fn new(
        joints: Vec<String>,
        site: String,
        path: Py<PosePath>,
        law: &str,
        stiffness: f64,
        damping: f64,
        period: f64,
        speed_limits: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let recipe = Recipe { joints, law: law.into(), stiffness, damping, period };
        recipe.law()?;
        check_period(period)?;
        Ok(Self { site, path, speed_limits, recipe })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let r = &this.recipe;
        let arguments = (
            r.joints.clone(),
            this.site.clone(),
            this.path.clone_ref(py),
            r.law.clone(),
            r.stiffness,
            r.damping,
            r.period,
            this.speed_limits.clone(),
        );
        Ok((slf.get_type().into_any(), arguments.into_pyobject(py)?))
    }
}

/// The controller that an object stands for, if it is one of those above.
pub fn ready(object: &Bound<'_, PyAny>, model: &stiction::Model) -> PyResult<Option<Box<dyn Controller>>> {
    if let Ok(this) = object.cast::<JointTracking>() {
        let this = this.get();
        let joints = chosen(model, &this.recipe.joints, None)?;
        let law = JointLaw::new(model, joints, this.recipe.law()?).map_err(input_error)?;
        let path = this.path.get().inner.clone();
        let tracking = control::JointTracking::new(law, path, this.recipe.period).map_err(input_error)?;
        return Ok(Some(Box::new(tracking)));
    }
    if let Ok(this) = object.cast::<PoseTracking>() {
        let this = this.get();
        let joints = chosen(model, &this.recipe.joints, this.speed_limits.as_deref())?;
        let servo = PoseServo::new(model, &joints, &this.site, IkSettings::default(), this.recipe.law()?);
        let path = this.path.get().inner.clone();
        let tracking = control::PoseTracking::new(servo.map_err(input_error)?, path, this.recipe.period);
        return Ok(Some(Box::new(tracking.map_err(input_error)?)));
    }
    Ok(None)
}

/// What a controller may read besides the state: the sensors at its sample, and what acted in the step before, means over
/// that step. Zero before the first step.
#[pyclass(frozen, module = "stiction")]
pub struct Measured {
    model: stiction::Model,
    sensors: Vec<f64>,
    joint_torques: Vec<f64>,
    touches: Vec<Touch>,
}

impl Measured {
    pub fn of(sample: &Sample<'_>) -> Result<Self, String> {
        Ok(Self {
            model: sample.model.clone(),
            sensors: sample.sensors()?.to_vec(),
            joint_torques: sample.joint_torques()?.to_vec(),
            touches: sample.touches()?.to_vec(),
        })
    }

    /// A body's name, or else a geom's; None for anything.
    fn part(&self, name: Option<&str>) -> PyResult<Part> {
        let Some(name) = name else { return Ok(Part::Any) };
        match (self.model.body_index(name), self.model.geom_index(name)) {
            (Ok(body), _) => Ok(Part::Body(body)),
            (_, Ok(geom)) => Ok(Part::Geom(geom)),
            (Err(error), _) => Err(input_error(error)),
        }
    }

    fn sum<T: std::iter::Sum<T>>(
        &self,
        part: &str,
        other: Option<&str>,
        value: impl Fn(Touch) -> T,
    ) -> PyResult<T> {
        let (part, other) = (self.part(Some(part))?, self.part(other)?);
        Ok(self.touches.iter().filter_map(|t| t.seen_from(part, other)).map(value).sum())
    }
}

#[pymethods]
impl Measured {
    /// Readings of all sensors, shape (nsensordata,).
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> Array<'py> {
        PyArray1::from_slice(py, &self.sensors)
    }

    /// Readings of one sensor.
    fn sensor<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Array<'py>> {
        let index = self.model.sensor_index(name).map_err(input_error)?;
        Ok(PyArray1::from_slice(py, &self.sensors[self.model.sensor_range(index)]))
    }

    /// Forces of actuators along each velocity coordinate, shape (nv,), N or N m.
    #[getter]
    fn joint_torques<'py>(&self, py: Python<'py>) -> Array<'py> {
        PyArray1::from_slice(py, &self.joint_torques)
    }

    /// Contact force on a body or geom (by name; a body comes first) from another, or from everything, world axes, N.
    #[pyo3(signature = (part, other=None))]
    fn force<'py>(&self, py: Python<'py>, part: &str, other: Option<&str>) -> PyResult<Array<'py>> {
        let force: Vector3<f64> = self.sum(part, other, |touch| touch.force)?;
        Ok(PyArray1::from_slice(py, force.as_slice()))
    }

    /// Sum of the normal contact forces between two parts, N.
    #[pyo3(signature = (part, other=None))]
    fn normal_force(&self, part: &str, other: Option<&str>) -> PyResult<f64> {
        self.sum(part, other, |touch| touch.normal_force)
    }

    /// Contact area between two parts, m²; contact points have none.
    #[pyo3(signature = (part, other=None))]
    fn area(&self, part: &str, other: Option<&str>) -> PyResult<f64> {
        self.sum(part, other, |touch| touch.area)
    }

    /// What touched, one stiction.Touch for each pair of geoms that carried force.
    #[getter]
    fn touches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let class = CLASS.import(py, "stiction._results", "Touch")?;
        let list = PyList::empty(py);
        let three = |v: &Vector3<f64>| PyArray1::from_slice(py, v.as_slice());
        for t in &self.touches {
            list.append(class.call1((
                t.geom_a,
                t.geom_b,
                t.body_a,
                t.body_b,
                three(&t.force),
                three(&t.moment),
                three(&t.point),
                three(&t.normal),
                t.normal_force,
                t.area,
            ))?)?;
        }
        Ok(list)
    }
}

fn chosen(model: &stiction::Model, names: &[String], speeds: Option<&[f64]>) -> PyResult<Joints> {
    let joints = Joints::new(model, names).map_err(input_error)?;
    match speeds {
        Some(speeds) => joints.with_speed_limits(speeds).map_err(input_error),
        None => Ok(joints),
    }
}

fn check_period(period: f64) -> PyResult<()> {
    if period >= 0.0 && period.is_finite() {
        return Ok(());
    }
    let text = format!("period = {period}: give zero (every step) or a positive number of seconds");
    Err(PyValueError::new_err(text))
}

fn unknown_kind(kind: &str) -> PyErr {
    PyValueError::new_err(format!("kind = \"{kind}\": choose minimum-jerk or cubic"))
}

/// The rows of a table of numbers.
fn rows(what: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f64>>> {
    let (shape, data) = numbers(values)?;
    let [_, width] = shape[..] else {
        return Err(PyValueError::new_err(format!("{what}: give a table, one row a keyframe")));
    };
    Ok(data.chunks(width.max(1)).map(<[f64]>::to_vec).collect())
}

fn pose(position: &[f64], quaternion: &[f64]) -> PyResult<Pose> {
    let ([x, y, z], [w, i, j, k]) = (position, quaternion) else {
        return Err(PyValueError::new_err(
            "a pose is a position of 3 numbers and a quaternion of 4, w first",
        ));
    };
    let turn = Quaternion::new(*w, *i, *j, *k);
    let norm = turn.norm();
    if norm.is_nan() || norm < 1e-9 {
        return Err(PyValueError::new_err("a quaternion of length 0 is no orientation"));
    }
    Ok(Pose::from_parts(Vector3::new(*x, *y, *z).into(), UnitQuaternion::from_quaternion(turn)))
}

fn pose_of(position: &Bound<'_, PyAny>, quaternion: &Bound<'_, PyAny>) -> PyResult<Pose> {
    pose(&finite_vector("position", position, 3)?, &finite_vector("quaternion", quaternion, 4)?)
}

fn place<'py>(py: Python<'py>, pose: &Pose) -> (Array<'py>, Array<'py>) {
    let q = pose.rotation;
    let p = PyArray1::from_slice(py, pose.translation.vector.as_slice());
    (p, PyArray1::from_slice(py, &[q.w, q.i, q.j, q.k]))
}
