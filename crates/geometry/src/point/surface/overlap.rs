//! Step 4: whether the shape overlaps the solid at all, and a way out if no face gave one.
//!
//! Candidates claim an overlap where their gap is negative. The claim of a single face can be wrong: beyond a sharp edge a
//! shape is below the plane of a face and still outside, and the far side of a thin wall has the shape's centre behind it. Only
//! the core counts here, so that the result does not depend on radius and margin.
//!
//! | row | surface | claims of overlap | core crosses a face | core is inside | verdict | test that fails without the row |
//! |---|---|---|---|---|---|---|
//! | 1 | open | any | – | – | keep all | `what_is_pressed_below_terrain_is_pushed_up_as_deep_as_it_is` |
//! | 2 | closed | in front, shallow | – | – | keep all | `what_rests_on_a_closed_mesh_is_felt_however_little_it_sinks_in` |
//! | 3 | closed | in front, deep | yes | – | keep all | `a_closed_cube_of_triangles_touches_as_the_solid_cube` and seven more |
//! | 4 | closed | in front, deep | no | yes | keep all | `a_rod_inside_both_arms_of_a_body_is_felt_though_it_meets_no_face` |
//! | 5 | any | only from behind | yes, or: | yes | keep those from behind | `a_sphere_deep_inside_a_mesh_leaves_the_shortest_way` |
//! | 6 | any | none | yes, or: | yes | push out | `a_shape_swallowed_by_a_closed_mesh_is_pushed_out` |
//! | 7 | any | the rest | no | no | keep what is apart | `a_box_beyond_a_sharp_edge_is_not_felt` |
//!
//! An open surface has no inside: there a face with the shape's centre behind it has to do.

use super::super::core::highest;
use super::super::gjk::{Outcome, distance, on_triangle};
use super::super::manifold::GapPoint;
use super::super::{Scratch, convex};
use super::placed::{Placed, bounds};
use super::{Candidate, SurfaceScratch};
use crate::ray::surface;
use crate::{Aabb, TriangleMesh, V3};

/// What becomes of the candidates.
enum Verdict {
    KeepAll,
    /// Those that claim overlap with the shape's centre behind their face.
    KeepBehind,
    /// Those in front that claim no overlap.
    KeepApart,
    PushOut(Candidate),
}

/// Drops candidates whose claim of overlap is false, and adds one if the shape overlaps without any. Overlaps of at most
/// `shallow` are not questioned.
pub(super) fn check(
    mesh: &TriangleMesh,
    faces: &[usize],
    shape: &Placed,
    shallow: f64,
    scratch: &mut Scratch,
) {
    let verdict = verdict(mesh, faces, shape, shallow, scratch);
    let candidates = &mut scratch.surface.candidates;
    match verdict {
        Verdict::KeepAll => {}
        Verdict::KeepBehind => candidates.retain(|c| !c.in_front && c.point.gap < 0.0),
        Verdict::KeepApart => candidates.retain(|c| c.in_front && c.point.gap >= 0.0),
        Verdict::PushOut(way) => candidates.push(way),
    }
}

/// The table at the head of this file.
fn verdict(
    mesh: &TriangleMesh,
    faces: &[usize],
    shape: &Placed,
    shallow: f64,
    scratch: &mut Scratch,
) -> Verdict {
    let closed = mesh.is_watertight();
    let claims = |in_front: bool, depth: f64| {
        scratch.surface.candidates.iter().any(|c| c.in_front == in_front && c.point.gap < -depth)
    };
    let (in_front, deep, behind) = (claims(true, 0.0), claims(true, shallow), claims(false, 0.0));
    // Rows 1 and 2.
    if !closed && (in_front || behind) || closed && in_front && !deep {
        return Verdict::KeepAll;
    }
    // Row 3.
    if in_front && faces.iter().any(|&f| crosses(mesh, f, shape)) {
        return Verdict::KeepAll;
    }
    let way_out = way_out_of_faces(mesh, faces, shape, scratch);
    match way_out.or_else(|| way_out_from_inside(mesh, shape).filter(|_| closed)) {
        // Rows 4 to 7.
        Some(_) if in_front => Verdict::KeepAll,
        Some(_) if behind => Verdict::KeepBehind,
        Some(way) => Verdict::PushOut(way),
        None => Verdict::KeepApart,
    }
}

/// Whether the core goes through a face.
fn crosses(mesh: &TriangleMesh, face: usize, shape: &Placed) -> bool {
    let (corners, normal) = (mesh.corners(face), mesh.normals()[face]);
    let plane = normal.dot(&corners[0]);
    // Most are not crossed: those whose plane the core is on one side of.
    shape.low_along(&normal) < plane
        && plane < -shape.low_along(&-normal)
        && matches!(distance(&shape.pair(corners), 0.0), Outcome::Overlap(_))
}

/// The way out of faces that the shape goes through, though it faces none of them: a rod stuck in a wall at a slant. It leaves
/// along the face normal that needs the shortest translation to have all those faces behind it, pushed at the mean of where it
/// meets them. Behind an open surface there is no inside.
fn way_out_of_faces(
    mesh: &TriangleMesh,
    faces: &[usize],
    shape: &Placed,
    scratch: &mut Scratch,
) -> Option<Candidate> {
    let Scratch { surface: SurfaceScratch { crossings, .. }, penetration, .. } = scratch;
    crossings.clear();
    let (closed, around) = (shape.under_terrain || mesh.is_watertight(), bounds(&shape.core, &shape.x));
    let mut middle = V3::zeros();
    for &face in faces {
        let (corners, normal) = (mesh.corners(face), mesh.normals()[face]);
        let in_front = normal.dot(&(shape.center() - corners[0])) > 0.0;
        if (closed || in_front)
            && crosses(mesh, face, shape)
            && let Some(axis) = convex::axis(&shape.pair(corners), 0.0, &normal, penetration)
        {
            crossings.push(corners);
            middle += axis.a.sup(&around.min).inf(&around.max);
        }
    }
    if crossings.is_empty() {
        return None;
    }
    let gap = |n: &V3| {
        let tops = crossings.iter().map(|corners| corners[highest(corners, n)].dot(n));
        shape.low_along(n) - tops.fold(f64::NEG_INFINITY, f64::max)
    };
    let ways = faces.iter().map(|&f| (f, gap(&mesh.normals()[f])));
    let (face, gap) = ways.max_by(|p, q| p.1.total_cmp(&q.1))?;
    let point = GapPoint { a: middle / crossings.len() as f64, gap };
    Some(Candidate { n: mesh.normals()[face], point, face, in_front: true })
}

/// The way out of a closed mesh for a shape that is inside without going through a face: the shortest from its centre, until all
/// of it is outside.
fn way_out_from_inside(mesh: &TriangleMesh, shape: &Placed) -> Option<Candidate> {
    let (c, all) = (shape.center(), mesh.aabb());
    if c != c.sup(&all.min).inf(&all.max) {
        return None;
    }
    let to_box = |b: &Aabb| (c - c.sup(&b.min).inf(&b.max)).norm_squared();
    let to_face = |f: usize| {
        let [p, q, r] = mesh.corners(f);
        on_triangle(&(p - c), &(q - c), &(r - c)).0
    };
    let (face, square) = mesh.bvh().nearest(f64::INFINITY, to_box, |f| to_face(f).norm_squared())?;
    // The nearest point may lie on an edge whose faces disagree on what is inside; a ray to the middle of a face does not.
    let [p, q, r] = mesh.corners(face);
    let way = (p + q + r) / 3.0 - c;
    let length = way.norm();
    let (_, normal) = surface(&c, &(way / length), 1.001 * length, mesh)?;
    if square == 0.0 || normal.dot(&way) <= 0.0 {
        return None;
    }
    let (d, depth) = (to_face(face), square.sqrt());
    let n = d / depth;
    let local = shape.x.local_dir(&n);
    let lowest = (shape.core.support(&-local) - shape.core.center()).dot(&local);
    let point = GapPoint { a: c + d, gap: lowest - depth };
    Some(Candidate { n, point, face, in_front: true })
}
