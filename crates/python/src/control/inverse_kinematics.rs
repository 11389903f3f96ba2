//! `stiction.InverseKinematics`: joint velocities that move a site.

use super::{Array, check_period, chosen, place, pose_of};
use crate::arrays::finite_vector;
use crate::errors::{InputError, input_error};
use crate::model::Model;
use nalgebra::Vector6;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::{Mutex, PoisonError};
use stiction::control::{self, IkSettings, PosePoint};

/// Differential inverse kinematics: joint velocities that move a site, within the joints' position and speed limits.
///
/// Parameters
/// ----------
/// model : Model
///     A stiction.Model.
/// joints : list of str
///     Names of hinges and slides.
/// site : str
///     Name of the site that moves.
/// speed_limits : list of float, optional
///     Largest speed of each joint, rad/s or m/s; those of the model if None (MJCF has none).
/// gain : float, optional
///     Rate at which a pose error decays, 1/s.
/// damping : float, optional
///     Cost of joint speed at singular positions, m/s of error per rad/s.
/// length : float, optional
///     Length that weighs an orientation error of one radian, m.
/// regular : float, optional
///     Smallest singular value for which a position is not damped, m/rad.
/// weights : array_like, optional
///     Of errors along the axes of the target frame, [angular; linear], shape (6,); 0 leaves one free.
/// linear_speed, angular_speed : float, optional
///     Largest target speeds of the site, m/s and rad/s.
/// posture : array_like, optional
///     Preferred positions of the joints in the directions that the site leaves free, shape (joints,), m or rad; approached at
///     posture_rate.
/// posture_rate : float, optional
///     Rate at which the preferred positions are approached, 1/s.
///
/// Raises
/// ------
/// ValueError
///     For unknown names and numbers outside their range.
///
/// Notes
/// -----
/// It pickles.
#[pyclass(frozen, module = "stiction")]
pub struct InverseKinematics {
    inner: Mutex<control::InverseKinematics>,
    model: Py<Model>,
    joints: Vec<String>,
    site: String,
    speed_limits: Option<Vec<f64>>,
    settings: IkSettings,
}

#[pymethods]
impl InverseKinematics {
    #[new]
    #[pyo3(signature = (model, joints, site, speed_limits=None, gain=10.0, damping=0.02, length=0.1, *, regular=0.03,
                        weights=None, linear_speed=1.0, angular_speed=3.0, posture=None, posture_rate=1.0))]
    fn new(
        model: Py<Model>,
        joints: Vec<String>,
        site: String,
        speed_limits: Option<Vec<f64>>,
        gain: f64,
        damping: f64,
        length: f64,
        regular: f64,
        weights: Option<&Bound<'_, PyAny>>,
        linear_speed: f64,
        angular_speed: f64,
        posture: Option<&Bound<'_, PyAny>>,
        posture_rate: f64,
    ) -> PyResult<Self> {
        let inner = &model.get().inner;
        let chosen = chosen(inner, &joints, speed_limits.as_deref())?;
        let weights = match weights {
            Some(given) => *finite_vector("weights", given, 6)?.first_chunk::<6>().expect("six numbers"),
            None => IkSettings::default().weights,
        };
        let posture = match posture {
            Some(given) => Some((finite_vector("posture", given, joints.len())?.to_vec(), posture_rate)),
            None => None,
        };
        let settings =
            IkSettings { gain, damping, length, regular, weights, linear_speed, angular_speed, posture };
        let found = control::InverseKinematics::of_site(inner, chosen, &site, settings.clone());
        let inner = Mutex::new(found.map_err(input_error)?);
        Ok(Self { inner, model, joints, site, speed_limits, settings })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let s = &self.settings;
        let limits = self.speed_limits.clone();
        let arguments =
            (self.model.clone_ref(py), &self.joints, &self.site, limits, s.gain, s.damping, s.length);
        let keywords = PyDict::new(py);
        keywords.set_item("regular", s.regular)?;
        keywords.set_item("weights", s.weights)?;
        keywords.set_item("linear_speed", s.linear_speed)?;
        keywords.set_item("angular_speed", s.angular_speed)?;
        if let Some((posture, rate)) = &s.posture {
            keywords.set_item("posture", posture)?;
            keywords.set_item("posture_rate", rate)?;
        }
        Ok((arguments.into_pyobject(py)?, keywords))
    }

    /// Pose of the site in the world.
    ///
    /// Parameters
    /// ----------
    /// qpos : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// tuple of numpy.ndarray, numpy.ndarray
    ///     Position (3,), m, and quaternion (4,), w first.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If qpos does not fit the model.
    fn pose<'py>(&self, py: Python<'py>, qpos: &Bound<'py, PyAny>) -> PyResult<(Array<'py>, Array<'py>)> {
        let model = &self.model.get().inner;
        let q = finite_vector("qpos", qpos, model.nq())?;
        let state = model.default_state();
        Ok(place(py, &self.lock().pose(model, &q, &state.mocap)))
    }

    /// Joint velocities that move the site towards a pose.
    ///
    /// Parameters
    /// ----------
    /// qpos : array_like
    ///     Positions, shape (nq,).
    /// position, quaternion : array_like
    ///     Target pose in the world, m, shape (3,), and w first, shape (4,).
    /// twist : array_like, optional
    ///     Velocity of the target, [angular; linear], rad/s and m/s in world axes, shape (6,); zero by default.
    /// period : float, optional
    ///     Time for which the velocities are held, s; joint limits are kept over it.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (joints,), m/s or rad/s.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit.
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
        check_period(period)?;
        let model = &self.model.get().inner;
        let q = finite_vector("qpos", qpos, model.nq())?;
        let mut target = PosePoint::rest(pose_of(position, quaternion)?);
        if let Some(twist) = twist {
            target.twist = Vector6::from_row_slice(&finite_vector("twist", twist, 6)?);
        }
        let state = model.default_state();
        let mut inner = self.lock();
        let mut v = vec![0.0; inner.joints().len()];
        inner.solve(model, &q, &state.mocap, &target, period, &mut v).map_err(InputError::new_err)?;
        Ok(PyArray1::from_slice(py, &v))
    }

    /// Joint positions that put the site at a pose, searched from given positions within the joint limits.
    ///
    /// Parameters
    /// ----------
    /// qpos : array_like
    ///     Positions to start from, shape (nq,).
    /// position, quaternion : array_like
    ///     Target pose in the world, m, shape (3,), and w first, shape (4,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray or None
    ///     Shape (joints,), m or rad; None if the search does not reach the pose.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit.
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
