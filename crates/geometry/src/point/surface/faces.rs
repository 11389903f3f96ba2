//! Steps 1 to 3: along which normals the faces push, and at which points.

use super::super::convex::{self, Axis};
use super::super::core::{Core, highest};
use super::super::gjk::CorePair;
use super::super::manifold::{self, GapPoint};
use super::super::{Frame, Scratch, features};
use super::normals::{SNAP, is_surface_normal};
use super::placed::Placed;
use super::{Candidate, Near, SAME, SurfaceScratch};
use crate::{TriangleMesh, V3};

/// Candidates of all faces near the shape.
pub(super) fn points(mesh: &TriangleMesh, faces: &[usize], shape: &Placed, scratch: &mut Scratch) {
    best_axes(mesh, faces, shape, scratch);
    for k in 0..scratch.surface.near.len() {
        let near = scratch.surface.near[k];
        if let Some(n) = surface_axis(mesh, &near, shape, &scratch.surface.normals) {
            face_points(mesh, &near, &n, shape, scratch);
        }
    }
    drop_separated(mesh, shape, &mut scratch.surface);
}

/// Step 1: the best axis of every face within reach.
fn best_axes(mesh: &TriangleMesh, faces: &[usize], shape: &Placed, scratch: &mut Scratch) {
    let SurfaceScratch { near, normals, .. } = &mut scratch.surface;
    near.clear();
    normals.clear();
    for &face in faces {
        let corners = mesh.corners(face);
        let normal = mesh.normals()[face];
        let gap = shape.gap_along(&corners, &normal);
        if gap > shape.reach {
            continue;
        }
        let in_front = shape.under_terrain || normal.dot(&(shape.center() - corners[0])) > 0.0;
        if in_front && !mesh.is_at_rim(face) {
            // No edge to touch: only the face's own normal can be one of the surface.
            near.push(Near { face, direct: None });
            continue;
        }
        let mut find = |a: Core| {
            let pair = CorePair { a, b: shape.core, x_ab: shape.x };
            let mut axis = convex::axis(&pair, shape.reach, &normal, &mut scratch.penetration)?;
            if normal.dot(&axis.n) >= SNAP {
                (axis.n, axis.distance) = (normal, gap);
            }
            Some(axis)
        };
        let mut axis = find(Core::Triangle(corners));
        // A shape beside a sharp edge is not in the solid behind the face.
        let beside = |a: &Axis| a.distance > 0.0 && is_surface_normal(mesh, face, &a.n);
        if in_front && gap < 0.0 && !axis.as_ref().is_some_and(beside) {
            axis = find(Core::Prism(corners, normal * -mesh.thickness(face).min(-gap)));
        }
        let Some(axis) = axis else { continue };
        let direct = is_surface_normal(mesh, face, &axis.n).then_some(axis);
        near.push(Near { face, direct });
        if direct.is_some() {
            match normals.iter_mut().find(|m| m.0.dot(&axis.n) >= SAME) {
                Some(m) => m.1 = m.1.min(axis.distance),
                None => normals.push((axis.n, axis.distance)),
            }
        }
    }
}

/// Step 2: the surface normal along which a face pushes, if any is within reach.
fn surface_axis(mesh: &TriangleMesh, near: &Near, shape: &Placed, normals: &[(V3, f64)]) -> Option<V3> {
    if let Some(axis) = near.direct {
        return Some(axis.n);
    }
    let corners = mesh.corners(near.face);
    let mut n = mesh.normals()[near.face];
    let mut best = shape.gap_along(&corners, &n);
    let mut consider = |m: &V3| {
        let gap = shape.gap_along(&corners, m);
        if gap > best + 1e-12 * gap.abs() && is_surface_normal(mesh, near.face, m) {
            (best, n) = (gap, *m);
        }
    };
    if mesh.is_at_rim(near.face) {
        for v in mesh.faces()[near.face] {
            mesh.fan(v as usize).iter().for_each(|&f| consider(&mesh.normals()[f as usize]));
        }
        normals.iter().for_each(|m| consider(&m.0));
    }
    // A shallower push of another part of the surface separates this face, too: the tread of a stair when the shape leans
    // into the riser (`leaning_into_a_riser_of_fine_stairs_pushes_back_not_up`).
    let separated = |m: &(V3, f64)| m.1 > best && shape.gap_along(&corners, &m.0) >= m.1 - 1e-9 * m.1.abs();
    (best <= shape.reach && !normals.iter().any(separated)).then_some(n)
}

/// Points between a face and the shape along `n`.
fn face_points(mesh: &TriangleMesh, near: &Near, n: &V3, shape: &Placed, scratch: &mut Scratch) {
    let at_origin = Frame { r: nalgebra::Matrix3::identity(), p: V3::zeros() };
    let corners = mesh.corners(near.face);
    let m = &mut scratch.manifold;
    let normal_a = features::facing(&Core::Triangle(corners), n, &at_origin, &mut m.feature_a);
    let normal_b = features::facing(&shape.core, &-shape.x.local_dir(n), &shape.x, &mut m.feature_b);
    let round = [0.0, shape.core.side_radius(shape.radius)];
    manifold::intersect(m, n, &normal_a, &normal_b, round, shape.reach);
    let in_front = shape.under_terrain || (shape.center() - corners[highest(&corners, n)]).dot(n) >= 0.0;
    let least = m.points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    let candidates = &mut scratch.surface.candidates;
    if let Some(Axis { distance, a, .. }) = near.direct
        && distance <= shape.reach
        && least > distance + 1e-9 * (distance.abs() + shape.radius)
    {
        candidates.push(Candidate { n: *n, point: GapPoint { a, gap: distance }, face: near.face, in_front });
    }
    candidates.extend(m.points.iter().map(|&point| Candidate { n: *n, point, face: near.face, in_front }));
}

/// Step 3: drops candidates that a shallower push along another normal separates as well. A wall that a small body pokes is
/// deep along most of that body's normals, and shallow along its own
/// (`a_body_that_is_not_convex_is_no_deeper_in_a_large_wall_than_it_pokes`).
fn drop_separated(mesh: &TriangleMesh, shape: &Placed, scratch: &mut SurfaceScratch) {
    let SurfaceScratch { candidates, normals, .. } = scratch;
    normals.clear();
    for c in candidates.iter().filter(|c| c.in_front) {
        match normals.iter_mut().find(|m| m.0.dot(&c.n) >= SAME) {
            Some(m) => m.1 = m.1.min(c.point.gap),
            None => normals.push((c.n, c.point.gap)),
        }
    }
    if normals.len() < 2 {
        return;
    }
    let depth = |n: &V3| normals.iter().find(|m| m.0.dot(n) >= SAME).map_or(0.0, |m| m.1);
    candidates.retain(|c| {
        let (own, corners) = (depth(&c.n), mesh.corners(c.face));
        if own >= 0.0 {
            return true;
        }
        let separates = |m: &(V3, f64)| {
            m.1 > own + 1e-9 * own.abs() && shape.gap_along(&corners, &m.0) >= m.1 - 1e-9 * m.1.abs()
        };
        !c.in_front || !normals.iter().any(separates)
    });
}
