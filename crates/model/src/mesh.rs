//! Surfaces and solids that geoms refer to.

use crate::{Pose, Source, Vec3};
use serde::{Deserialize, Serialize};

/// A triangle mesh.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// Name of the asset.
    pub name: String,
    /// Vertex positions in the geom's frame, m.
    pub vertices: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// What fills the surface, if the file gives it; the triangles are then its outer faces.
    pub tetrahedra: Option<Tetrahedra>,
    /// The frame that sensors on a geom with this mesh speak in, in the geom's frame: in MJCF the mesh's centre of mass and
    /// principal axes.
    pub frame: Pose,
    /// Where it came from.
    pub source: Source,
}

/// Tetrahedra that fill a mesh, for compliant geoms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tetrahedra {
    /// Indices of each tetrahedron's corners into the mesh's vertices, as given: some may be inside out.
    pub cells: Vec<[u32; 4]>,
    /// Extent of the pressure field at each vertex, 0 on the surface to 1 at the core; `None` if nothing was said.
    pub extents: Option<Vec<f64>>,
    /// Pressure where the extent is 1, Pa, if the field was given as a pressure. A geom's own modulus wins.
    pub modulus: Option<f64>,
}

/// Heights over a rectangle in the xy plane, z up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeightField {
    /// Name of the asset.
    pub name: String,
    /// Number of rows, along y.
    pub rows: usize,
    /// Number of columns, along x.
    pub columns: usize,
    /// Half-extents in x and y, m.
    pub half_extents: [f64; 2],
    /// Heights, row by row from the smallest y, m.
    pub heights: Vec<f64>,
    /// Thickness of the solid below height 0, m.
    pub base: f64,
    /// Where it came from.
    pub source: Source,
}
