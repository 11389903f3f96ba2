//! Which outer faces are soft, and how far below them a point lies.

use super::options::{Boundary, Region};
use crate::V3;
use crate::mesher::{MeshingError, TetMesh};
use crate::surface::tree::SurfaceTree;

/// Outer faces by kind, and what they make of their vertices.
pub(super) struct BoundaryFaces {
    pub(super) soft_faces: Vec<[u32; 3]>,
    /// Vertices of soft faces.
    pub(super) soft: Vec<bool>,
    /// Vertices of rigid faces that touch no soft one.
    pub(super) rigid: Vec<bool>,
}

/// Sorts the outer faces.
pub(super) fn boundary(
    mesh: &TetMesh,
    regions: &[(Region, Boundary)],
) -> Result<BoundaryFaces, MeshingError> {
    let count = mesh.vertices.len();
    let mut out =
        BoundaryFaces { soft_faces: Vec::new(), soft: vec![false; count], rigid: vec![false; count] };
    for f in mesh.surface() {
        let [a, b, c] = f.map(|i| mesh.vertices[i as usize]);
        let (middle, normal) = ((a + b + c) / 3.0, (b - a).cross(&(c - a)));
        let kind =
            regions.iter().rev().find(|(r, _)| r.holds(&middle, &normal)).map_or(Boundary::Soft, |r| r.1);
        match kind {
            Boundary::Soft => {
                out.soft_faces.push(f);
                f.iter().for_each(|&i| out.soft[i as usize] = true);
            }
            Boundary::Rigid => f.iter().for_each(|&i| out.rigid[i as usize] = true),
            Boundary::Insulated => {}
        }
    }
    if out.soft_faces.is_empty() {
        return Err(MeshingError::Field(
            "no part of the surface is left soft, so there is nowhere to begin; make the regions smaller"
                .into(),
        ));
    }
    // Where soft meets rigid, contact still begins with no pressure.
    for (r, s) in out.rigid.iter_mut().zip(&out.soft) {
        *r &= !*s;
    }
    Ok(out)
}

/// Distances from the soft faces.
pub(super) struct Depths {
    tree: SurfaceTree,
}

impl Depths {
    pub(super) fn new(mesh: &TetMesh, boundary: &BoundaryFaces) -> Self {
        Self { tree: SurfaceTree::new(&mesh.vertices, &boundary.soft_faces) }
    }

    /// Depth of each point.
    pub(super) fn soft(&self, points: &[V3]) -> Vec<f64> {
        points.iter().map(|p| self.of(p)).collect()
    }

    pub(super) fn of(&self, p: &V3) -> f64 {
        self.tree.nearest(p, f64::INFINITY).map_or(0.0, |n| n.distance)
    }

    /// Radius, at least `depth` and at most `most`, of the largest ball inside that touches the surface where it is
    /// nearest to `p`: a large ball there shrinks until nothing of the surface lies in it.
    pub(super) fn ball(&self, p: &V3, depth: f64, most: f64) -> f64 {
        let Some(touch) = self.tree.nearest(p, f64::INFINITY).map(|n| n.point) else { return depth };
        let Some(n) = (p - touch).try_normalize(1e-12 * most) else { return depth };
        let mut radius = most.max(depth);
        for _ in 0..32 {
            let center = touch + n * radius;
            let Some(inside) = self.tree.nearest(&center, radius * (1.0 - 1e-6)) else { break };
            // The ball through both points with its centre on the normal.
            let way = inside.point - touch;
            let across = n.dot(&way);
            if across <= 0.0 {
                break;
            }
            radius = (way.norm_squared() / (2.0 * across)).max(depth);
            if radius == depth {
                break;
            }
        }
        radius
    }
}
