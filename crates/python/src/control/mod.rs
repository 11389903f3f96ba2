//! Trajectories, inverse kinematics and ready controllers, and what a Python controller may read besides the state.
//!
//! ```text
//! paths   keyframe trajectories      inverse_kinematics   one site, some joints
//! ready   controllers that run without the interpreter
//! measured   what functions get as their fourth argument
//! ```

mod inverse_kinematics;
mod measured;
mod paths;
mod ready;

pub use inverse_kinematics::InverseKinematics;
pub use measured::Measured;
pub use paths::{JointPath, PosePath};
pub use ready::{GripForce, JointTracking, PoseTracking, ready};

use crate::arrays::finite_vector;
use crate::errors::{InputError, input_error};
use crate::mocap::rotation;
use nalgebra::Vector3;
use numpy::PyArray1;
use pyo3::prelude::*;
use stiction::control::Joints;
use stiction::model::Pose;

type Array<'py> = Bound<'py, PyArray1<f64>>;

/// Joints by name, with other limits of speed than the model's if so.
fn chosen(model: &stiction::Model, names: &[String], speeds: Option<&[f64]>) -> PyResult<Joints> {
    let joints = Joints::new(model, names).map_err(input_error)?;
    match speeds {
        Some(speeds) => joints.with_speed_limits(speeds).map_err(input_error),
        None => Ok(joints),
    }
}

/// Zero or a positive number of seconds.
pub fn check_period(period: f64) -> PyResult<()> {
    if period >= 0.0 && period.is_finite() {
        return Ok(());
    }
    let text = format!("period = {period}: give zero (every step) or a positive number of seconds");
    Err(InputError::new_err(text))
}

fn pose(position: &[f64], quaternion: &[f64]) -> PyResult<Pose> {
    let ([x, y, z], [w, i, j, k]) = (position, quaternion) else {
        return Err(InputError::new_err(
            "give poses as positions of 3 numbers and quaternions of 4, w first",
        ));
    };
    Ok(Pose::from_parts(Vector3::new(*x, *y, *z).into(), rotation(&[*w, *i, *j, *k])?))
}

fn pose_of(position: &Bound<'_, PyAny>, quaternion: &Bound<'_, PyAny>) -> PyResult<Pose> {
    pose(&finite_vector("position", position, 3)?, &finite_vector("quaternion", quaternion, 4)?)
}

fn place<'py>(py: Python<'py>, pose: &Pose) -> (Array<'py>, Array<'py>) {
    let q = pose.rotation;
    let p = PyArray1::from_slice(py, pose.translation.vector.as_slice());
    (p, PyArray1::from_slice(py, &[q.w, q.i, q.j, q.k]))
}
