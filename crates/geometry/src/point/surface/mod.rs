//! Triangle surfaces (meshes, height fields) against convex shapes; `two_meshes.rs` has those against each other.
//!
//! A triangle alone would push along its rim, which on a surface is mostly not a rim at all. So a triangle may push only
//! along normals of the surface ([`normals`]): its own, or one for which its corner furthest along it is a local extreme of
//! the whole surface. A box that slides over a flat triangulated floor feels the floor's normal and nothing else; a box on a
//! convex edge feels the edge.
//!
//! | step | file |
//! |---|---|
//! | 1. Every face near the shape gets its own best axis, kept if it is a normal of the surface. | `faces.rs` |
//! | 2. The other faces take the best of the surface normals at hand: their own, those of the faces around their corners, and those of step 1. They give no point if a shallower push of step 1 separates them as well. | `faces.rs` |
//! | 3. Points are dropped that a shallower push along another normal separates as well. | `faces.rs` |
//! | (Spheres need none of this: the nearest point of every face.) | `sphere.rs` |
//! | 4. Claims of overlap are checked on closed meshes; a shape that goes through faces or is wholly inside without such a claim gets a way out. | `overlap.rs` |
//! | 5. Points with one normal are merged to the outline of their union; points that faces on both sides of an edge found alike become one. | `merge.rs` |
//! | (The shape in the frame of the mesh.) | `placed.rs` |
//!
//! Faces are one-sided. For a shape whose centre is in front of it, a face counts as solid behind, so that a corner that
//! slides under it sideways is still found. A face with the shape's centre behind it (deep overlap, or the far wall of a thin
//! plate) counts only if no other does, and then only along the direction of least depth. Terrain is solid down to its bottom:
//! every face above a shape counts as one in front of which it is, so that a body pressed below the surface comes up again.

mod faces;
mod merge;
mod normals;
mod overlap;
mod placed;
mod sphere;
pub(super) mod two_meshes;

use super::convex::Axis;
use super::core::Core;
use super::manifold::GapPoint;
use super::reduce::OutlineScratch;
use super::{Frame, Scratch, Sink};
use crate::{Aabb, Shape, TriangleMesh, V3};
use placed::{Placed, bounds};

/// Cosine above which two normals are merged to one group (half a milliradian).
const SAME: f64 = 1.0 - 1e-7;
/// Share of the shape's size up to which an overlap is not questioned: stiff bodies rest less deep than what rounding moves
/// their faces (`what_rests_on_a_closed_mesh_is_felt_however_little_it_sinks_in`).
const SHALLOW: f64 = 1e-4;
/// Share of the size within which two points are one, if the shape is flat: its corners stay where they are.
const SAME_CORNER: f64 = 1e-7;

/// A contact point before merging, in the frame of the mesh.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    n: V3,
    point: GapPoint,
    face: usize,
    /// Whether the centre of the shape lies in front of the contact plane.
    in_front: bool,
}

/// A face near the shape.
#[derive(Debug, Clone, Copy)]
struct Near {
    face: usize,
    /// Its best axis, if that is a normal of the surface.
    direct: Option<Axis>,
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct SurfaceScratch {
    faces: Vec<usize>,
    near: Vec<Near>,
    /// Normals of direct axes, each once, with the least distance along them.
    normals: Vec<(V3, f64)>,
    candidates: Vec<Candidate>,
    /// Faces that the shape goes through.
    crossings: Vec<[V3; 3]>,
    group: Vec<GapPoint>,
    outline: OutlineScratch,
    /// For two surfaces.
    pair: two_meshes::PairScratch,
}

/// Contact points of a convex shape (first) with a surface, of terrain if that is solid down to a bottom (local z).
pub(crate) fn contacts(
    (shape, xs): (&Shape, &Frame),
    (mesh, xm, bottom): (&TriangleMesh, &Frame, Option<f64>),
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let Some((core, radius)) = Core::of(shape) else { return };
    let x = xm.relative(xs);
    let reach = radius + sink.margin;
    let mut faces = std::mem::take(&mut scratch.surface.faces);
    faces.clear();
    let mut around = bounds(&core, &x);
    // Of the smaller of the two: normals that count as one move the points of a round shape about by so much.
    let half = |b: &Aabb| 0.5 * (b.max - b.min).norm();
    let share = if core.is_curved() { (2.0 * (1.0 - SAME)).sqrt() } else { SAME_CORNER };
    let size = half(&around).min(half(&mesh.aabb()));
    let same_point = share * size;
    around = around.grown(reach.max(0.0));
    let under_terrain = bottom.is_some_and(|bottom| x.point(&core.center()).z >= bottom);
    if under_terrain {
        around.max.z = around.max.z.max(mesh.aabb().max.z);
    }
    let shape = Placed { core, x, radius, reach, under_terrain };
    if under_terrain {
        mesh.bvh().query(&around, |f| faces.push(f));
    } else {
        mesh.bvh().walk(|b| b.overlaps(&around) && shape.is_near(b), |f| faces.push(f));
    }
    faces.sort_unstable();
    scratch.surface.candidates.clear();
    if let Core::Point = core {
        sphere::face_points(mesh, &faces, &shape, &mut scratch.surface.candidates);
    } else {
        faces::points(mesh, &faces, &shape, scratch);
    }
    overlap::check(mesh, &faces, &shape, SHALLOW * size, scratch);
    scratch.surface.faces = faces;
    merge::emit(radius, same_point, xm, &mut scratch.surface, sink);
}
