//! Velocity of surfaces that move relative to their bodies (belts).

use crate::model::geom_id::GeomPair;
use crate::model::{CollidingGeomId, Compiled};
use nalgebra::{Point3, Vector3, Vector6};
use stiction_model::Pose;

/// Whether a geom's surface moves relative to its body.
pub(crate) fn moves(compiled: &Compiled, geom: CollidingGeomId) -> bool {
    compiled.described(geom).surface_velocity.is_some()
}

/// Velocity field of a geom's surface relative to its body, as a twist [angular; linear] about a world point, world axes.
pub(crate) fn surface_twist(
    compiled: &Compiled,
    x_wb: &[Pose],
    geom: CollidingGeomId,
    p_wq: &Vector3<f64>,
) -> Vector6<f64> {
    let described = compiled.described(geom);
    let Some(twist) = described.surface_velocity else { return Vector6::zeros() };
    let x_wb = &x_wb[described.body];
    let p_bq = x_wb.inverse_transform_point(&Point3::from(*p_wq)).coords;
    let w = Vector3::new(twist[0], twist[1], twist[2]);
    let v = x_wb.rotation * (Vector3::new(twist[3], twist[4], twist[5]) + w.cross(&p_bq));
    let w = x_wb.rotation * w;
    Vector6::new(w.x, w.y, w.z, v.x, v.y, v.z)
}

/// Velocity of B's surface relative to A's at a world point, world axes, beyond that of the bodies.
pub(crate) fn relative(
    compiled: &Compiled,
    x_wb: &[Pose],
    (a, b): GeomPair,
    p_wq: &Vector3<f64>,
) -> Vector3<f64> {
    let of = |geom| -> Vector3<f64> { surface_twist(compiled, x_wb, geom, p_wq).fixed_rows::<3>(3).into() };
    of(b) - of(a)
}
