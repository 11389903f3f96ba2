//! Terrain over a regular grid.

use crate::{GeometryError, TriangleMesh, V3};

/// A height field: heights over a regular grid in the xy plane centred on the origin, solid below.
///
/// Each cell is two triangles, split along the diagonal from its lower left to its upper right
/// sample. Contact with it is contact with that surface; what is below it, down to a [base](Self::with_base), is pushed up
/// through it.
#[derive(Debug, Clone)]
pub struct HeightField {
    rows: usize,
    columns: usize,
    mesh: TriangleMesh,
    bottom: f64,
}

impl HeightField {
    /// Heights (metres) row by row: `heights[r * columns + c]` lies at
    /// x = size_x (c / (columns - 1) - 1/2), y = size_y (r / (rows - 1) - 1/2).
    pub fn new(
        rows: usize,
        columns: usize,
        size_x: f64,
        size_y: f64,
        heights: &[f64],
    ) -> Result<Self, GeometryError> {
        let expected = rows * columns;
        if rows < 2 || columns < 2 || heights.len() != expected {
            return Err(GeometryError::BadGrid { rows, columns, expected, got: heights.len() });
        }
        for (what, value) in [("size_x", size_x), ("size_y", size_y)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(GeometryError::BadSize { shape: "height field", what, value });
            }
        }
        let at = |i: usize, n: usize, size: f64| size * (i as f64 / (n - 1) as f64 - 0.5);
        let vertices = (0..expected)
            .map(|i| V3::new(at(i % columns, columns, size_x), at(i / columns, rows, size_y), heights[i]))
            .collect();
        let mut faces = Vec::with_capacity(2 * (rows - 1) * (columns - 1));
        for r in 0..rows - 1 {
            for c in 0..columns - 1 {
                let i = (r * columns + c) as u32;
                let (right, up, diagonal) = (i + 1, i + columns as u32, i + columns as u32 + 1);
                faces.push([i, right, diagonal]);
                faces.push([i, diagonal, up]);
            }
        }
        let mesh = TriangleMesh::new(vertices, faces)?;
        let bottom = mesh.aabb().min.z.min(0.0);
        Ok(Self { rows, columns, mesh, bottom })
    }

    /// The same, solid down to `base` (m) below z = 0 or below its lowest point, whichever is lower. Without, only what
    /// touches the surface feels it.
    pub fn with_base(mut self, base: f64) -> Self {
        if base > 0.0 && base.is_finite() {
            self.bottom = self.mesh.aabb().min.z.min(0.0) - base;
        }
        self
    }

    /// Height down to which it is solid, m.
    pub fn bottom(&self) -> f64 {
        self.bottom
    }

    /// Samples along y.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Samples along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The surface as triangles, normals up.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }
}
