//! Which directions are normals of a triangle surface.

use super::super::core::highest;
use crate::{TriangleMesh, V3};

/// Sine of the angle by which a corner may miss being a local extreme.
const SLACK: f64 = 1e-6;
/// Cosine above which a direction is taken for a face's normal (1e-5 radian: rounding of the vertices).
pub(super) const SNAP: f64 = 1.0 - 1e-10;

/// Whether `n` is a normal of the surface at the corner of `face` furthest along it, or at an edge there. It may lie in the face:
/// the normal of an edge lies in faces square to it.
pub(super) fn is_surface_normal(mesh: &TriangleMesh, face: usize, n: &V3) -> bool {
    let along = mesh.normals()[face].dot(n);
    if along >= SNAP {
        return true;
    }
    let corners = mesh.corners(face);
    let top = highest(&corners, n);
    along >= -SLACK
        && (mesh.is_local_extreme(mesh.faces()[face][top], n, SLACK)
            || [top, (top + 2) % 3].into_iter().any(|k| is_edge_normal(mesh, face, &corners, k, n)))
}

/// Whether `n`, which points away from `face`, is square to its edge `k` and points away from the face across it, too. The
/// surface may rise beyond the ends of the edge.
fn is_edge_normal(mesh: &TriangleMesh, face: usize, corners: &[V3; 3], k: usize, n: &V3) -> bool {
    let level = |e: V3| e.dot(n).powi(2) <= SLACK * SLACK * e.norm_squared();
    if !level(corners[(k + 1) % 3] - corners[k]) {
        return false;
    }
    let Some(across) = mesh.neighbour(face, k) else { return true };
    mesh.corners(across).iter().all(|c| {
        let e = c - corners[k];
        e.dot(n) <= 0.0 || level(e)
    })
}
