//! The triangle surface of a rigid body.

use super::generate::{MeshOptions, generate};
use super::tree::Tree;
use super::{SolidError, check};
use crate::{Aabb, Shape, V3};

/// One triangle with its outward unit normal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facet {
    pub(crate) v: [V3; 3],
    pub(crate) n: V3,
    pub(crate) id: u32,
}

/// A rigid body's surface, triangles counter-clockwise seen from outside, in its own frame.
#[derive(Debug, Clone)]
pub struct RigidMesh {
    vertices: Vec<V3>,
    triangles: Vec<[u32; 3]>,
    pub(crate) facets: Vec<Facet>,
    pub(crate) tree: Tree,
    pub(crate) radius: f64,
}

impl RigidMesh {
    /// The surface of a shape; curved ones are tessellated like the solids of [`super::Solid::from_shape`].
    ///
    /// Fails for a half-space (it is treated analytically).
    pub fn from_shape(shape: &Shape, options: &MeshOptions) -> Result<Self, SolidError> {
        if let Some(mesh) = shape.surface() {
            return Self::from_triangles(mesh.vertices().to_vec(), mesh.faces().to_vec());
        }
        let raw = generate(shape, options)?;
        let checked = check::check(&raw.vertices, raw.tets, &raw.extents)?;
        // Only the outer vertices, in their old order.
        let mut number = vec![u32::MAX; raw.vertices.len()];
        checked.surface.iter().flatten().for_each(|&i| number[i as usize] = 0);
        let mut vertices = Vec::new();
        for (i, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
            *n = vertices.len() as u32;
            vertices.push(raw.vertices[i]);
        }
        let triangles = checked.surface.iter().map(|f| f.map(|i| number[i as usize])).collect();
        Self::from_triangles(vertices, triangles)
    }

    /// A surface from triangles. Triangles without area are left out.
    pub fn from_triangles(vertices: Vec<V3>, triangles: Vec<[u32; 3]>) -> Result<Self, SolidError> {
        if let Some(vertex) = vertices.iter().position(|v| !v.iter().all(|c| c.is_finite())) {
            return Err(SolidError::NotFinite { what: "position", vertex });
        }
        let count = vertices.len();
        let mut facets = Vec::with_capacity(triangles.len());
        for (k, t) in triangles.iter().enumerate() {
            if t.iter().any(|&i| i as usize >= count) {
                return Err(SolidError::BadIndex { tet: k, corners: [t[0], t[1], t[2], u32::MAX], count });
            }
            let v = t.map(|i| vertices[i as usize]);
            let n = (v[1] - v[0]).cross(&(v[2] - v[0]));
            let longest = (0..3).map(|i| (v[i] - v[(i + 1) % 3]).norm_squared()).fold(0.0, f64::max);
            if n.norm() > 1e-14 * longest {
                facets.push(Facet { v, n: n.normalize(), id: k as u32 });
            }
        }
        if facets.is_empty() {
            return Err(SolidError::Empty);
        }
        let items: Vec<(u32, Aabb)> =
            facets.iter().enumerate().map(|(i, f)| (i as u32, Aabb::of_points(&f.v))).collect();
        let tree = Tree::build(&items);
        let center = tree.root().center;
        let radius = facets.iter().flat_map(|f| f.v).map(|v| (v - center).norm()).fold(0.0, f64::max);
        Ok(Self { vertices, triangles, facets, tree, radius })
    }

    /// Vertices.
    pub fn vertices(&self) -> &[V3] {
        &self.vertices
    }

    /// Triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether a point (mesh frame) lies inside: going up (+z) from it, more faces that look up than faces
    /// that look down are crossed. Open surfaces such as terrain count as solid below.
    pub fn contains(&self, p: &V3) -> bool {
        let mut winding = 0;
        self.tree.slab(&V3::x(), p.x, 0.0, 0.0, |i| {
            let f = &self.facets[i as usize];
            // Crossing number in the xy plane; edges are half-open, so a point on one belongs to one side.
            let mut inside = false;
            for k in 0..3 {
                let (a, b) = (&f.v[k], &f.v[(k + 1) % 3]);
                let (a, b) = if a.y < b.y { (a, b) } else { (b, a) };
                if (a.y <= p.y) && (p.y < b.y) {
                    let x = a.x + (b.x - a.x) * ((p.y - a.y) / (b.y - a.y));
                    inside ^= p.x < x;
                }
            }
            // Height of the face above the point, times the upward part of its normal.
            let above = f.n.dot(&(f.v[0] - p));
            if inside && above * f.n.z > 0.0 {
                winding += if f.n.z > 0.0 { 1 } else { -1 };
            }
        });
        winding > 0
    }
}
