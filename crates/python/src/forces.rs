//! Forces and torques on bodies, as `apply_force` of simulations and batches takes them.

use crate::arrays::{Table, three};
use crate::errors::{InputError, input_error};
use nalgebra::Vector3;
use pyo3::prelude::*;

/// The arguments after the body, as they were given.
pub struct Given<'a, 'py> {
    pub force: Option<&'a Bound<'py, PyAny>>,
    pub point: Option<&'a Bound<'py, PyAny>>,
    pub torque: Option<&'a Bound<'py, PyAny>>,
    pub frame: &'a str,
}

/// What pushes a body of one world.
pub struct Push {
    force: Vector3<f64>,
    torque: Vector3<f64>,
    /// Where; none is the body's origin.
    point: Option<Vector3<f64>>,
    /// Whether all of it is in the body's frame rather than the world's.
    of_body: bool,
}

/// Reads the arguments for one simulation.
pub fn read(given: &Given<'_, '_>) -> PyResult<Push> {
    Ok(Push {
        of_body: of_body(given)?,
        force: three("force", given.force)?.into(),
        torque: three("torque", given.torque)?.into(),
        point: given.point.map(|point| three("point", Some(point))).transpose()?.map(Vector3::from),
    })
}

/// The same for some worlds of a batch: each may be given for all of them, or one row each.
pub fn read_rows(given: &Given<'_, '_>, count: usize) -> PyResult<Vec<Push>> {
    let of_body = of_body(given)?;
    let table = |what, values: Option<&Bound<'_, PyAny>>| {
        values.map(|values| Table::read(what, values, count, 3)).transpose()
    };
    let (force, torque, point) =
        (table("force", given.force)?, table("torque", given.torque)?, table("point", given.point)?);
    let row =
        |table: &Option<Table>, k: usize| table.as_ref().map(|table| Vector3::from_row_slice(table.row(k)));
    Ok((0..count)
        .map(|k| Push {
            of_body,
            force: row(&force, k).unwrap_or_default(),
            torque: row(&torque, k).unwrap_or_default(),
            point: row(&point, k),
        })
        .collect())
}

fn of_body(given: &Given<'_, '_>) -> PyResult<bool> {
    if given.force.is_none() && given.torque.is_none() {
        return Err(InputError::new_err("give a force (N), a torque (N m), or both"));
    }
    match given.frame {
        "world" => Ok(false),
        "body" => Ok(true),
        other => Err(InputError::new_err(format!("frame = \"{other}\": choose world or body"))),
    }
}

impl Push {
    /// Adds it to the forces applied in a simulation.
    pub fn apply(&self, simulation: &mut stiction::Simulation, body: usize) -> PyResult<()> {
        let x_wb = simulation.poses()[body];
        let origin = x_wb.translation.vector;
        let (torque, force, point) = if self.of_body {
            let point = self.point.map_or(origin, |p| x_wb.transform_point(&p.into()).coords);
            (x_wb.rotation * self.torque, x_wb.rotation * self.force, point)
        } else {
            (self.torque, self.force, self.point.unwrap_or(origin))
        };
        simulation.apply_wrench(body, torque, force, point).map_err(input_error)
    }
}
