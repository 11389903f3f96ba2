//! `stiction.JointPath` and `PosePath`: trajectories through keyframes.

use super::{Array, place, pose};
use crate::arrays::{numbers_of, shape_text, vector};
use crate::errors::{InputError, input_error};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stiction::control::{self, JointPoint};
use stiction::model::Pose;

/// A trajectory of joints through keyframes. Before the first and after the last keyframe, its position is constant.
///
/// Parameters
/// ----------
/// times : array_like
///     Times of the keyframes, s, increasing, shape (n,).
/// points : array_like
///     Positions at the keyframes, rad or m, shape (n, joints).
/// kind : str, optional
///     "minimum-jerk" stops at every keyframe; "cubic" passes through them without stopping, with continuous acceleration, and is
///     at rest at both ends.
///
/// Raises
/// ------
/// ValueError
///     For shapes that do not fit, times that do not increase, or an unknown kind.
#[pyclass(frozen, module = "stiction")]
pub struct JointPath {
    pub(super) inner: control::JointPath,
    times: Vec<f64>,
    points: Vec<Vec<f64>>,
    kind: String,
}

#[pymethods]
impl JointPath {
    #[new]
    #[pyo3(signature = (times, points, kind="minimum-jerk"))]
    fn new(times: &Bound<'_, PyAny>, points: &Bound<'_, PyAny>, kind: &str) -> PyResult<Self> {
        let times = vector("times", times)?.to_vec();
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

    /// The trajectory at a time.
    ///
    /// Parameters
    /// ----------
    /// time : float
    ///     s.
    ///
    /// Returns
    /// -------
    /// tuple of numpy.ndarray, numpy.ndarray, numpy.ndarray
    ///     Positions (rad or m), velocities (rad/s or m/s) and accelerations (rad/s² or m/s²), each of shape (joints,).
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

/// A trajectory of poses through keyframes. Before the first and after the last keyframe, its pose is constant.
///
/// Parameters
/// ----------
/// times : array_like
///     Times of the keyframes, s, increasing, shape (n,).
/// positions : array_like
///     In the world, m, shape (n, 3).
/// quaternions : array_like
///     Orientations, w first, shape (n, 4).
/// kind : str, optional
///     "minimum-jerk" moves on straight lines and rotates about one axis between keyframes, and stops at each; "cubic" passes
///     through them without stopping and is at rest at both ends.
///
/// Raises
/// ------
/// ValueError
///     For shapes that do not fit, times that do not increase, or an unknown kind.
#[pyclass(frozen, module = "stiction")]
pub struct PosePath {
    pub(super) inner: control::PosePath,
    times: Vec<f64>,
    poses: (Vec<Vec<f64>>, Vec<Vec<f64>>),
    kind: String,
}

#[pymethods]
impl PosePath {
    #[new]
    #[pyo3(signature = (times, positions, quaternions, kind="minimum-jerk"))]
    fn new(
        times: &Bound<'_, PyAny>,
        positions: &Bound<'_, PyAny>,
        quaternions: &Bound<'_, PyAny>,
        kind: &str,
    ) -> PyResult<Self> {
        let times = vector("times", times)?.to_vec();
        let (positions, quaternions) = (rows("positions", positions)?, rows("quaternions", quaternions)?);
        let poses = poses(&positions, &quaternions)?;
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

    /// A minimum-jerk path through poses whose times follow from peak speeds.
    ///
    /// Parameters
    /// ----------
    /// start : float
    ///     Time of the first keyframe, s.
    /// positions, quaternions : array_like
    ///     As for PosePath.
    /// linear_speed, angular_speed : float
    ///     Peak speeds, m/s and rad/s.
    ///
    /// Returns
    /// -------
    /// PosePath
    ///     A stiction.PosePath.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For shapes that do not fit or speeds that are not positive.
    #[staticmethod]
    fn at_speed(
        start: f64,
        positions: &Bound<'_, PyAny>,
        quaternions: &Bound<'_, PyAny>,
        linear_speed: f64,
        angular_speed: f64,
    ) -> PyResult<Self> {
        let (positions, quaternions) = (rows("positions", positions)?, rows("quaternions", quaternions)?);
        let poses = poses(&positions, &quaternions)?;
        let inner =
            control::PosePath::at_speed(start, &poses, linear_speed, angular_speed).map_err(input_error)?;
        let times = inner.times().to_vec();
        Ok(Self { inner, times, poses: (positions, quaternions), kind: "minimum-jerk".into() })
    }

    /// Times of the keyframes, s, shape (n,).
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Array<'py> {
        PyArray1::from_slice(py, &self.times)
    }

    /// The trajectory at a time.
    ///
    /// Parameters
    /// ----------
    /// time : float
    ///     s.
    ///
    /// Returns
    /// -------
    /// tuple of numpy.ndarray, numpy.ndarray, numpy.ndarray
    ///     Position (3,), m, quaternion (4,), w first, and twist (6,), [angular; linear], rad/s and m/s in world axes.
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

/// Poses from rows of positions and of quaternions.
fn poses(positions: &[Vec<f64>], quaternions: &[Vec<f64>]) -> PyResult<Vec<Pose>> {
    if positions.len() != quaternions.len() {
        return Err(InputError::new_err(format!(
            "{} positions and {} quaternions: give as many of one as of the other",
            positions.len(),
            quaternions.len()
        )));
    }
    positions.iter().zip(quaternions).map(|(p, q)| pose(p, q)).collect()
}

fn unknown_kind(kind: &str) -> PyErr {
    InputError::new_err(format!("kind = \"{kind}\": choose minimum-jerk or cubic"))
}

/// The rows of a table of numbers.
fn rows(what: &str, values: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<f64>>> {
    let (shape, data) = numbers_of(what, values)?;
    let [_, width] = shape[..] else {
        return Err(InputError::new_err(format!(
            "{what} has shape {}: give a table with one row a keyframe",
            shape_text(&shape)
        )));
    };
    Ok(data.chunks(width.max(1)).map(<[f64]>::to_vec).collect())
}
