//! Lengths and moment arms of tendons along paths.
//!
//! The length of a straight segment from p to p′ changes at the rate u · (v(p′) − v(p)), where u is its direction.
//! If the path wraps around a geom, the tangent points minimise its length, so to first order their sliding along
//! the geom does not change the length. They are treated as fixed to the geom's body, and the segment between them
//! contributes nothing.

use crate::forces::moments::{Moments, Place};
use nalgebra::Vector3;
use stiction_geometry::wrap::{Round, wrap};
use stiction_model::{PathStage, Pose, Shape, Tendon, TendonPath, World};

/// A part of a path.
pub(crate) enum Part {
    /// A straight line between points of two bodies, world.
    Straight { from: (usize, Vector3<f64>), to: (usize, Vector3<f64>) },
    /// A segment along a geom, of this length.
    Along(f64),
}

/// Visits the parts of a path, each with the divisor of its branch.
pub(crate) fn walk(stages: &[PathStage], world: &World, x_wb: &[Pose], mut visit: impl FnMut(Part, f64)) {
    let mut divisor = 1.0;
    let mut last: Option<(usize, Vector3<f64>)> = None;
    let mut around: Option<(usize, Option<usize>)> = None;
    for stage in stages {
        match *stage {
            PathStage::Pulley { divisor: d } => (divisor, last, around) = (d, None, None),
            PathStage::Wrap { geom, side } => around = Some((geom, side)),
            PathStage::Site { site } => {
                let here = (world.sites[site].body, site_point(world, x_wb, site));
                if let Some(before) = last {
                    let wrapped =
                        around.and_then(|(geom, side)| wrapped(geom, side, &before.1, &here.1, world, x_wb));
                    match wrapped {
                        None => visit(Part::Straight { from: before, to: here }, divisor),
                        Some((body, first, end, length)) => {
                            visit(Part::Straight { from: before, to: (body, first) }, divisor);
                            visit(Part::Along(length), divisor);
                            visit(Part::Straight { from: (body, end), to: here }, divisor);
                        }
                    }
                }
                (last, around) = (Some(here), None);
            }
        }
    }
}

/// Adds the length of a path and its gradient to row `t`.
pub(super) fn add_path(stages: &[PathStage], t: usize, place: &Place, out: &mut Moments) {
    walk(stages, &place.compiled.world, place.x_wb, |part, divisor| match part {
        Part::Along(length) => out.lengths[t] += length / divisor,
        Part::Straight { from, to } => piece(from, to, divisor, t, place, out),
    });
}

/// Visits the forces on bodies, (body, point, force) in the world, for a lengthening force `f` along a path.
pub(crate) fn pulls(
    tendon: &Tendon,
    world: &World,
    x_wb: &[Pose],
    f: f64,
    mut visit: impl FnMut(usize, &Vector3<f64>, &Vector3<f64>),
) {
    let TendonPath::Spatial { stages } = &tendon.path else { return };
    walk(stages, world, x_wb, |part, divisor| {
        if let Part::Straight { from, to } = part
            && let Some(u) = (to.1 - from.1).try_normalize(1e-300)
        {
            let force = u * (f / divisor);
            visit(to.0, &to.1, &force);
            visit(from.0, &from.1, &-force);
        }
    });
}

fn site_point(world: &World, x_wb: &[Pose], site: usize) -> Vector3<f64> {
    let site = &world.sites[site];
    (x_wb[site.body] * nalgebra::Point3::from(site.pose.translation.vector)).coords
}

/// Body, two points and length of the segment of a path on a geom.
fn wrapped(
    geom: usize,
    side: Option<usize>,
    from: &Vector3<f64>,
    to: &Vector3<f64>,
    world: &World,
    x_wb: &[Pose],
) -> Option<(usize, Vector3<f64>, Vector3<f64>, f64)> {
    let geom = &world.geoms[geom];
    let x_wg = x_wb[geom.body] * geom.pose;
    let round = match geom.shape {
        Shape::Sphere { radius } => Round::Sphere(radius),
        Shape::Cylinder { radius, .. } => Round::Cylinder(radius),
        _ => return None, // validated
    };
    let local = |p: &Vector3<f64>| x_wg.inverse_transform_point(&(*p).into()).coords;
    let side = side.map(|s| local(&site_point(world, x_wb, s)));
    let found = wrap(round, &local(from), &local(to), side.as_ref())?;
    let back = |p: Vector3<f64>| (x_wg * nalgebra::Point3::from(p)).coords;
    Some((geom.body, back(found.first), back(found.last), found.length))
}

/// A straight segment between points of two bodies.
fn piece(
    (body_a, p_a): (usize, Vector3<f64>),
    (body_b, p_b): (usize, Vector3<f64>),
    divisor: f64,
    t: usize,
    place: &Place,
    out: &mut Moments,
) {
    let along = p_b - p_a;
    let length = along.norm();
    out.lengths[t] += length / divisor;
    // Points of one body keep their distance. Coincident points have no direction.
    if body_a != body_b && length > 1e-300 {
        let pull = along / (length * divisor);
        out.add_pull(t, place, [(body_b, &p_b), (body_a, &p_a)], &pull);
    }
}
