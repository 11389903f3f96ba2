//! Surface data that geoms refer to.

use crate::{Source, Vec3};
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
    /// Where it came from.
    pub source: Source,
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
