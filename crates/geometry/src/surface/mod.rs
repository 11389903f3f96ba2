//! Closed surfaces: what bounds a solid, repaired where that is safe, and the questions a mesher asks of it.
//!
//! ```text
//!   triangles from anywhere -> repair -> ClosedSurface + SurfaceReport (what was found, what was done)
//!   ClosedSurface: inside(p), distance(p), nearest point, crossings of a segment, wall thickness
//! ```
//!
//! Inside is where the generalised winding number exceeds one half, so that small gaps, overlapping shells
//! and self-intersections still have an inside; faces are first turned to agree.
//!
//! | also here | |
//! |---|---|
//! | `report.rs` | faults and repairs |
//! | `shapes.rs` | surfaces made by code |
//! | `topology.rs` | neighbours on a surface |
//! | `tree.rs` | nearest point, winding number, crossings |
//! | `triangle.rs` | one triangle |

mod error;
mod repair;
mod report;
pub mod shapes;
mod topology;
pub(crate) use topology::Groups;
pub(crate) mod tree;
pub(crate) mod triangle;

pub use error::SurfaceError;
pub use report::SurfaceReport;

use crate::{Aabb, V3};
use tree::{Nearest, SurfaceTree};

/// A surface that bounds a solid, faces counter-clockwise seen from outside. Metres.
#[derive(Debug, Clone)]
pub struct ClosedSurface {
    vertices: Vec<V3>,
    faces: Vec<[u32; 3]>,
    normals: Vec<V3>,
    volume: f64,
    area: f64,
    /// Whether shells overlap: inner faces then bound nothing.
    overlaps: bool,
    pub(crate) tree: SurfaceTree,
}

impl ClosedSurface {
    /// From triangles, with repairs; the report says what was found and what was done.
    pub fn new(vertices: &[V3], faces: &[[u32; 3]]) -> Result<(Self, SurfaceReport), SurfaceError> {
        let (vertices, faces, report) = repair::repair(vertices, faces)?;
        let tree = SurfaceTree::new(&vertices, &faces);
        let cross = |f: &[u32; 3]| {
            let [a, b, c] = f.map(|i| vertices[i as usize]);
            (b - a).cross(&(c - a))
        };
        let normals: Vec<V3> =
            faces.iter().map(|f| cross(f).try_normalize(1e-300).unwrap_or_default()).collect();
        let area = faces.iter().map(|f| cross(f).norm()).sum::<f64>() / 2.0;
        let volume = topology::signed_volume(&vertices, &faces);
        let overlaps = report.self_intersections > 0 || report.filled_shells > 0;
        Ok((Self { vertices, faces, normals, volume, area, overlaps, tree }, report))
    }

    /// Vertices after repair.
    pub fn vertices(&self) -> &[V3] {
        &self.vertices
    }

    /// Faces after repair.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Unit normals of the faces, outwards; zero for a face without area.
    pub fn normals(&self) -> &[V3] {
        &self.normals
    }

    /// Enclosed volume, m^3, or `None` where shells overlap and a sum over faces would count twice.
    pub fn volume(&self) -> Option<f64> {
        (!self.overlaps).then_some(self.volume)
    }

    /// Area of all faces, m^2.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Box around it.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds()
    }

    /// Corners of a face.
    pub fn corners(&self, face: usize) -> [V3; 3] {
        self.faces[face].map(|i| self.vertices[i as usize])
    }

    /// Whether a point lies inside.
    pub fn contains(&self, p: &V3) -> bool {
        self.tree.winding(p) > 0.5
    }

    /// Distance to the surface, m.
    pub fn distance(&self, p: &V3) -> f64 {
        self.nearest(p).distance
    }

    /// Depth below the surface, m: negative outside.
    pub fn depth(&self, p: &V3) -> f64 {
        if self.contains(p) { self.distance(p) } else { -self.distance(p) }
    }

    pub(crate) fn nearest(&self, p: &V3) -> Nearest {
        let none = Nearest { face: 0, point: *p, distance: f64::INFINITY };
        self.tree.nearest(p, f64::INFINITY).unwrap_or(none)
    }

    /// Whether the wall of a given thickness below a point is a rod rather than a sheet: from its middle, some side
    /// way out is not much longer.
    pub(crate) fn is_rod(&self, face: usize, p: &V3, thickness: f64, hits: &mut Vec<(f64, u32)>) -> bool {
        let n = self.normals[face];
        let middle = p - n * (0.5 * thickness);
        let u = n.cross(&if n.x.abs() < 0.7 { V3::x() } else { V3::y() }).normalize();
        let v = n.cross(&u);
        let mut way = |d: V3| {
            self.tree.crossings(&middle, &(middle + d * (1.5 * thickness)), hits);
            hits.first().map_or(f64::INFINITY, |h| h.0 * 1.5 * thickness)
        };
        let diagonal = [u, v, (u + v).normalize(), (u - v).normalize()];
        diagonal.into_iter().any(|d| way(d) + way(-d) < 1.5 * thickness)
    }

    /// Thickness of the wall below a point of a face: how far it is along the inward normal to a face that
    /// looks the other way (within 60 degrees); infinite if there is none within `limit`.
    pub(crate) fn thickness(&self, face: usize, p: &V3, limit: f64, hits: &mut Vec<(f64, u32)>) -> f64 {
        let n = self.normals[face];
        if n == V3::zeros() {
            return f64::INFINITY;
        }
        let start = p - n * (1e-7 * limit);
        self.tree.crossings(&start, &(p - n * limit), hits);
        for &(t, f) in hits.iter() {
            let other = self.normals[f as usize];
            if f as usize == face || other.dot(&n) >= 0.0 {
                continue;
            }
            if self.overlaps && self.contains(&(p - n * ((t + 1e-5) * limit))) {
                continue; // an inner face of overlapping shells
            }
            return if other.dot(&n) < -0.5 { t * limit } else { f64::INFINITY };
        }
        f64::INFINITY
    }
}
