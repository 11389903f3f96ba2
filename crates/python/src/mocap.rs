//! Poses and velocities of bodies that are moved from outside.

use crate::arrays::{finite_vector, three};
use crate::model::{Model, unknown};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use stiction::model::Pose;
use stiction::state::MocapState;

/// The number of a mocap body among the model's, by its name or id.
pub fn number(model: &Model, body: &Bound<'_, PyAny>) -> PyResult<usize> {
    let id = model.body(body)?;
    let (mocap, bodies) = (model.inner.multibody().mocap_bodies(), &model.inner.world().bodies);
    mocap.iter().position(|&m| m == id).ok_or_else(|| {
        unknown("mocap body", &bodies[id].name, mocap.iter().map(|&m| bodies[m].name.as_str()))
    })
}

/// What a user gave: position in m, quaternion with w first, velocities in world axes.
pub fn state(
    position: &Bound<'_, PyAny>,
    quaternion: Option<&Bound<'_, PyAny>>,
    angular_velocity: Option<&Bound<'_, PyAny>>,
    linear_velocity: Option<&Bound<'_, PyAny>>,
) -> PyResult<MocapState> {
    let position = Vector3::from(three("position", Some(position))?);
    let rotation = match quaternion {
        None => UnitQuaternion::identity(),
        Some(given) => {
            let q = finite_vector("quaternion", given, 4)?;
            let quaternion = Quaternion::new(q[0], q[1], q[2], q[3]);
            UnitQuaternion::try_new(quaternion, 1e-12)
                .ok_or_else(|| PyValueError::new_err("quaternion has no length: give a rotation, w first"))?
        }
    };
    let w = three("angular_velocity", angular_velocity)?;
    let v = three("linear_velocity", linear_velocity)?;
    Ok(MocapState {
        pose: Pose::from_parts(position.into(), rotation),
        twist: [w[0], w[1], w[2], v[0], v[1], v[2]],
    })
}
