//! Poses and velocities of bodies that are moved from outside.

use crate::arrays::{Table, finite_vector, three};
use crate::errors::InputError;
use crate::model::{Model, unknown};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
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

/// What a user gave for some worlds: positions in m, quaternions with w first, velocities in world axes; each for all of
/// them or one row a world.
pub fn states(
    position: &Bound<'_, PyAny>,
    quaternion: Option<&Bound<'_, PyAny>>,
    angular_velocity: Option<&Bound<'_, PyAny>>,
    linear_velocity: Option<&Bound<'_, PyAny>>,
    count: usize,
) -> PyResult<Vec<MocapState>> {
    let table = |what, values: Option<&Bound<'_, PyAny>>, width| {
        values.map(|values| Table::read(what, values, count, width)).transpose()
    };
    let position = Table::read("position", position, count, 3)?;
    let quaternion = table("quaternion", quaternion, 4)?;
    let w = table("angular_velocity", angular_velocity, 3)?;
    let v = table("linear_velocity", linear_velocity, 3)?;
    let of = |table: &Option<Table>, k| {
        table.as_ref().map_or(Vector3::zeros(), |t| Vector3::from_row_slice(t.row(k)))
    };
    let state = |k| {
        let turn = quaternion.as_ref().map_or(Ok(UnitQuaternion::identity()), |q| rotation(q.row(k)))?;
        let (w, v) = (of(&w, k), of(&v, k));
        Ok(MocapState {
            pose: Pose::from_parts(Vector3::from_row_slice(position.row(k)).into(), turn),
            twist: [w.x, w.y, w.z, v.x, v.y, v.z],
        })
    };
    (0..count).map(state).collect()
}

/// The same for one simulation.
pub fn state(
    position: &Bound<'_, PyAny>,
    quaternion: Option<&Bound<'_, PyAny>>,
    angular_velocity: Option<&Bound<'_, PyAny>>,
    linear_velocity: Option<&Bound<'_, PyAny>>,
) -> PyResult<MocapState> {
    let position = Vector3::from(three("position", Some(position))?);
    let turn = match quaternion {
        Some(given) => rotation(&finite_vector("quaternion", given, 4)?)?,
        None => UnitQuaternion::identity(),
    };
    let ([a, b, c], [x, y, z]) =
        (three("angular_velocity", angular_velocity)?, three("linear_velocity", linear_velocity)?);
    Ok(MocapState { pose: Pose::from_parts(position.into(), turn), twist: [a, b, c, x, y, z] })
}

/// A rotation from four numbers, w first.
pub fn rotation(q: &[f64]) -> PyResult<UnitQuaternion<f64>> {
    UnitQuaternion::try_new(Quaternion::new(q[0], q[1], q[2], q[3]), 1e-12)
        .ok_or_else(|| InputError::new_err("quaternion has no length: give a rotation, w first"))
}
