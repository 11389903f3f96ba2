//! Spheres against the faces of a surface.

use super::super::Frame;
use super::super::gjk::on_triangle;
use super::super::manifold::GapPoint;
use super::Candidate;
use super::normals::{SNAP, is_surface_normal};
use super::placed::Placed;
use crate::{TriangleMesh, V3};

/// The nearest point of every face, if the sphere sees the surface from outside there.
pub(super) fn face_points(
    mesh: &TriangleMesh,
    faces: &[usize],
    shape: &Placed,
    candidates: &mut Vec<Candidate>,
) {
    let Placed { radius, reach, x: Frame { p: c, .. }, .. } = shape;
    let (radius, reach) = (*radius, *reach);
    let mut nearest: Option<(f64, V3, usize)> = None;
    for &f in faces {
        let [p, q, r] = mesh.corners(f);
        let (d, w) = on_triangle(&(p - c), &(q - c), &(r - c)); // from the centre to the face
        let length = d.norm();
        if nearest.as_ref().is_none_or(|b| length < b.0) {
            nearest = Some((length, d, f));
        }
        let side = mesh.normals()[f].dot(&(c - p));
        if side < 0.0 && shape.under_terrain && above(&[p, q, r], c) {
            let n = mesh.normals()[f];
            candidates.push(Candidate {
                n,
                point: GapPoint { a: c - n * side, gap: side },
                face: f,
                in_front: true,
            });
            continue;
        }
        if length > reach || side < 0.0 {
            continue;
        }
        let flat = w.iter().all(|&w| w > 0.0) || -d.dot(&mesh.normals()[f]) >= SNAP * length;
        let n = if flat || length <= 1e-12 * radius { mesh.normals()[f] } else { -d / length };
        if flat || is_surface_normal(mesh, f, &n) {
            let point = GapPoint {
                a: if flat { c - n * side } else { c + d },
                gap: if flat { side } else { length },
            };
            candidates.push(Candidate { n, point, face: f, in_front: true });
        }
    }
    // The centre is below the surface: out the shortest way. At a sharp edge other faces that see it in front are as near.
    if let Some((length, d, f)) = nearest
        && candidates.is_empty()
        && faces.iter().all(|&f| {
            let [p, q, r] = mesh.corners(f);
            let to = on_triangle(&(p - c), &(q - c), &(r - c)).0;
            to.norm() > length * (1.0 + 1e-9) || mesh.normals()[f].dot(&to) > 0.0
        })
    {
        let n = if length > 0.0 { d / length } else { mesh.normals()[f] };
        candidates.push(Candidate {
            n,
            point: GapPoint { a: c + d, gap: -length },
            face: f,
            in_front: false,
        });
    }
}

/// Whether a triangle is above or below a point: seen from above, it contains it.
fn above([p, q, r]: &[V3; 3], c: &V3) -> bool {
    let turn = |a: &V3, b: &V3| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    turn(p, q) >= 0.0 && turn(q, r) >= 0.0 && turn(r, p) >= 0.0
}
