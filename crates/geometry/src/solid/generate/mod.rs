//! Tetrahedra and extents of shapes.
//!
//! Every generator fills a [`RawSolid`]; `prism` is the one building block besides the plain
//! tetrahedron: it splits a triangular prism, possibly with collapsed edges, so that neighbours agree
//! on the diagonals they share.
//!
//! | file | |
//! |---|---|
//! | `cuboid.rs` | box |
//! | `cylinder.rs` | cylinder and capsule |
//! | `geodesic.rs` | sphere and ellipsoid |

mod cuboid;
mod cylinder;
mod geodesic;

use super::SolidError;
use super::check::six_volume;
use crate::{Shape, V3};

/// Where the vertices of a curved surface lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fit {
    /// Scaled so that the mesh has the volume of the shape: facets cut the true surface, and the mean
    /// error of the depth vanishes. The default.
    #[default]
    EqualVolume,
    /// On the true surface, facets inside (Drake's choice).
    Inscribed,
}

/// How shapes are meshed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshOptions {
    /// Target edge length on curved surfaces, m. Flat ones need no resolution: their fields are exact.
    pub resolution_hint: f64,
    /// Where the vertices of curved surfaces lie.
    pub fit: Fit,
    /// Split the flat ends of cylinders by concentric rings of about the resolution hint. Fields and
    /// frictionless forces do not change; friction under a turning end is resolved better.
    pub rings: bool,
}

impl Default for MeshOptions {
    /// Drake's default hint of 2 cm.
    fn default() -> Self {
        Self { resolution_hint: 0.02, fit: Fit::EqualVolume, rings: false }
    }
}

impl MeshOptions {
    /// The default with another resolution hint (m).
    pub fn with_hint(resolution_hint: f64) -> Self {
        Self { resolution_hint, ..Self::default() }
    }
}

/// Most elements a hint may ask for.
const MOST: usize = 1_000_000;

/// A mesh before it is checked.
#[derive(Debug, Clone, Default)]
pub struct RawSolid {
    /// Vertices, m.
    pub vertices: Vec<V3>,
    /// Tetrahedra, positively oriented.
    pub tets: Vec<[u32; 4]>,
    /// Extent at the vertices.
    pub extents: Vec<f64>,
}

impl RawSolid {
    fn vertex(&mut self, p: V3, extent: f64) -> u32 {
        self.vertices.push(p);
        self.extents.push(extent);
        self.vertices.len() as u32 - 1
    }

    /// Adds a tetrahedron in positive orientation, unless corners coincide.
    fn tet(&mut self, mut t: [u32; 4]) {
        if (0..4).any(|i| (0..i).any(|j| t[i] == t[j])) {
            return;
        }
        if six_volume(&t.map(|i| self.vertices[i as usize])) < 0.0 {
            t.swap(2, 3);
        }
        self.tets.push(t);
    }

    /// Splits the prism with triangles `a` and `b` (edges a_i b_i). Each quadrilateral is cut along the
    /// diagonal through its lowest vertex number, so that prisms which share it agree; corners may
    /// coincide (wedges, pyramids).
    fn prism(&mut self, a: [u32; 3], b: [u32; 3]) {
        let v = [a[0], a[1], a[2], b[0], b[1], b[2]];
        let low = (0..6).min_by_key(|&i| v[i]).unwrap_or(0);
        // Turn the prism so that the lowest vertex comes first.
        const TURN: [[usize; 6]; 6] = [
            [0, 1, 2, 3, 4, 5],
            [1, 2, 0, 4, 5, 3],
            [2, 0, 1, 5, 3, 4],
            [3, 5, 4, 0, 2, 1],
            [4, 3, 5, 1, 0, 2],
            [5, 4, 3, 2, 1, 0],
        ];
        let w = TURN[low].map(|i| v[i]);
        if w[1].min(w[5]) < w[2].min(w[4]) {
            self.tet([w[0], w[1], w[2], w[5]]);
            self.tet([w[0], w[1], w[5], w[4]]);
        } else {
            self.tet([w[0], w[1], w[2], w[4]]);
            self.tet([w[0], w[4], w[2], w[5]]);
        }
        self.tet([w[0], w[4], w[5], w[3]]);
    }

    fn volume(&self) -> f64 {
        self.tets.iter().map(|t| six_volume(&t.map(|i| self.vertices[i as usize]))).sum::<f64>() / 6.0
    }
}

/// Segments around a circle of `radius` for the hint, at least 8.
fn segments(radius: f64, options: &MeshOptions, shape: &'static str) -> Result<usize, SolidError> {
    // A hint of exactly circumference / n gives n, whatever rounding says.
    let n = (std::f64::consts::TAU * radius / options.resolution_hint * (1.0 - 1e-12)).ceil();
    if n > MOST as f64 / 16.0 {
        let count = if n < 1e15 { n as usize } else { usize::MAX };
        return Err(SolidError::TooFine { hint: options.resolution_hint, count, shape });
    }
    Ok((n as usize).max(8))
}

/// Tetrahedra and extents of a shape.
pub fn generate(shape: &Shape, options: &MeshOptions) -> Result<RawSolid, SolidError> {
    let hint = options.resolution_hint;
    if !(hint > 0.0 && hint.is_finite()) {
        return Err(SolidError::NotPositive { what: "resolution hint", value: hint, unit: "m" });
    }
    match shape {
        Shape::Sphere { radius } => geodesic::ellipsoid(&V3::repeat(*radius), options, "sphere"),
        Shape::Ellipsoid { radii } => geodesic::ellipsoid(radii, options, "ellipsoid"),
        Shape::Box { half_extents } => Ok(cuboid::cuboid(half_extents)),
        Shape::Cylinder { radius, half_length } => cylinder::cylinder(*radius, *half_length, options),
        Shape::Capsule { radius, half_length } => cylinder::capsule(*radius, *half_length, options),
        Shape::Convex(hull) => {
            let triangles: Vec<[u32; 3]> = hull.triangles().collect();
            Ok(star(hull.vertices(), &triangles, hull.interior()))
        }
        Shape::HalfSpace => Err(SolidError::NoMesh {
            shape: "half-space",
            remedy: "has no mesh: use the half-space variants of ContactSolid",
        }),
        Shape::HeightField(_) => Err(SolidError::NoMesh {
            shape: "height field",
            remedy: "has no pressure field of its own: use it as a rigid surface, or give tetrahedra",
        }),
        Shape::Mesh(_) => Err(SolidError::NoMesh {
            shape: "triangle mesh",
            remedy: "has no pressure field of its own: give tetrahedra with a field, use its convex hull, \
                     or use it as a rigid surface",
        }),
    }
}

/// Tetrahedra from the centre of volume of a convex surface to its triangles; e = 1 at the centre.
fn star(surface: &[V3], triangles: &[[u32; 3]], inside: V3) -> RawSolid {
    let (mut six, mut moment) = (0.0, V3::zeros());
    for t in triangles {
        let [a, b, c] = t.map(|i| surface[i as usize]);
        let v = six_volume(&[inside, a, b, c]);
        six += v;
        moment += (inside + a + b + c) * (0.25 * v);
    }
    let mut raw = RawSolid { vertices: surface.to_vec(), extents: vec![0.0; surface.len()], tets: vec![] };
    let center = raw.vertex(moment / six, 1.0);
    for t in triangles {
        raw.tet([center, t[0], t[1], t[2]]);
    }
    raw
}
