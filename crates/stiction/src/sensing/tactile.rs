//! Tactile grids: pressure and shear of contact patches on a grid of cells fixed to a body.
//!
//! ```text
//!        y ^  rows        The grid lies in the x-y plane of its frame, centred at its origin, z out of the skin
//!          | +--+--+--+   towards what touches it. Each polygon of a patch is projected along z onto the grid and
//!          | +--+--+--+   shares its force among the cells it covers.
//!          | +--+--+--+
//!          +-----------> x  columns
//! ```
//!
//! The sum of pressure times cell area is therefore the normal force of the polygons that lie over the grid and face
//! it, and shear sums to their tangential force. Both hold to rounding, at any resolution. Inside a polygon the
//! traction is distributed as the pressure field at the beginning of the step. Polygons that face away from the grid
//! (the other side of a finger) are ignored.

use crate::contact::patch_view::SolvedPatches;
use crate::error::InputError;
use crate::model::Compiled;
use crate::simulation::Simulation;
use nalgebra::{Vector2, Vector3};
use serde::{Deserialize, Serialize};
use stiction_model::Pose;

/// Maximum number of corners of a patch polygon after clipping to a cell: eight, and one for each side.
const CORNERS: usize = 16;
/// Maximum number of cells of a grid.
const MAX_CELLS: usize = 1 << 24;

/// A grid of sensing cells fixed to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct TactileGrid {
    body: usize,
    x_bg: Pose,
    size: [f64; 2],
    rows: usize,
    columns: usize,
}

/// Reading of a grid. Cell (row, column) is entry `row * columns + column`; row 0 is at the smallest y, column 0 at
/// the smallest x.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TactileImage {
    /// Number of rows, along y.
    pub rows: usize,
    /// Number of columns, along x.
    pub columns: usize,
    /// Force into the skin (along −z) over the cell's area, Pa.
    pub pressure: Vec<f64>,
    /// Force along the skin's x and y over the cell's area, Pa.
    pub shear: Vec<[f64; 2]>,
}

impl TactileGrid {
    /// A grid on body `body`, in its x–y plane at `x_bg` in the body frame, `size` in x and y (m).
    ///
    /// Fails if a size is not positive or there is no cell.
    pub fn new(
        body: usize,
        x_bg: Pose,
        size: [f64; 2],
        rows: usize,
        columns: usize,
    ) -> Result<Self, InputError> {
        if let Some(index) = size.iter().position(|s| !(*s > 0.0 && s.is_finite())) {
            return Err(InputError::TactileGrid(format!(
                "its size is {} m: give a positive, finite width and height",
                size[index]
            )));
        }
        if !rows.checked_mul(columns).is_some_and(|n| (1..=MAX_CELLS).contains(&n)) {
            return Err(InputError::TactileGrid(format!(
                "it has {rows} rows and {columns} columns: give at least one of each and at most {MAX_CELLS} cells"
            )));
        }
        let place = x_bg.translation.vector.iter().chain(x_bg.rotation.coords.iter());
        if place.into_iter().any(|x| !x.is_finite()) {
            return Err(InputError::TactileGrid("its pose is not finite".into()));
        }
        Ok(Self { body, x_bg, size, rows, columns })
    }

    /// The same grid on another body.
    pub fn on_body(&self, body: usize) -> Self {
        Self { body, ..self.clone() }
    }

    /// Pose of the grid in the body frame.
    pub fn pose(&self) -> &Pose {
        &self.x_bg
    }

    /// Width along x and height along y, m.
    pub fn size(&self) -> [f64; 2] {
        self.size
    }

    /// Number of rows, along y, and of columns, along x.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Index of the body to which it is fixed.
    pub fn body(&self) -> usize {
        self.body
    }

    /// Area of a cell, m².
    pub fn cell_area(&self) -> f64 {
        self.size[0] * self.size[1] / (self.rows * self.columns) as f64
    }

    /// Reading of the grid in the last step.
    pub fn sample(&self, simulation: &Simulation) -> TactileImage {
        let mut image = TactileImage::default();
        self.sample_into(simulation, &mut image);
        image
    }

    /// Like [`TactileGrid::sample`], but reuses the buffers of `image`.
    pub fn sample_into(&self, simulation: &Simulation, image: &mut TactileImage) {
        let (patches, x_wb) = simulation.solved_patches();
        self.feel(simulation.model().compiled(), patches, x_wb, image);
    }

    /// Reading of the grid for patches found with the bodies at `x_wb`.
    pub(crate) fn feel(
        &self,
        compiled: &Compiled,
        patches: SolvedPatches,
        x_wb: &[Pose],
        image: &mut TactileImage,
    ) {
        (image.rows, image.columns) = (self.rows, self.columns);
        image.pressure.clear();
        image.pressure.resize(self.rows * self.columns, 0.0);
        image.shear.clear();
        image.shear.resize(self.rows * self.columns, [0.0; 2]);
        let Some(x_wb) = x_wb.get(self.body).filter(|_| patches.complete()) else { return };
        let x_wg = x_wb * self.x_bg;
        let set = patches.found;
        for found in &set.patches {
            let (body_a, body_b) = (compiled.geom(found.geoms.0).body, compiled.geom(found.geoms.1).body);
            let sign = match self.body {
                body if body == body_b => 1.0,
                body if body == body_a => -1.0,
                _ => continue,
            };
            for index in found.patch.faces.clone() {
                let (face, result) = (&set.faces.faces[index], &patches.results[index]);
                // The normal points into B: against the skin of B, out of the skin of A.
                let outward = -sign * x_wg.inverse_transform_vector(&face.normal).z;
                let force = sign * x_wg.inverse_transform_vector(&result.force);
                if outward <= 0.0 || force == Vector3::zeros() {
                    continue;
                }
                let range = set.faces.vertex_range(index);
                let pressures = &set.faces.vertex_pressure[range.clone()];
                let plain = pressures.iter().any(|p| *p < 0.0) || pressures.iter().all(|p| *p == 0.0);
                let project = |p: &Vector3<f64>| x_wg.inverse_transform_point(&(*p).into()).coords.xy();
                let mut polygon = Polygon::default();
                for (corner, &pressure) in set.faces.vertices[range].iter().zip(pressures) {
                    let p = project(corner);
                    polygon.push(Vector3::new(p.x, p.y, if plain { 1.0 } else { pressure }));
                }
                self.share(&polygon, project(&face.centroid), &force, image);
            }
        }
    }

    /// Distributes a force over the cells covered by a polygon in the grid's plane, in proportion to the weight on
    /// them.
    fn share(
        &self,
        polygon: &Polygon,
        centroid: Vector2<f64>,
        force: &Vector3<f64>,
        image: &mut TactileImage,
    ) {
        let cell = [self.size[0] / self.columns as f64, self.size[1] / self.rows as f64];
        let counts = [self.columns, self.rows];
        let mut add = |column: usize, row: usize, share: f64| {
            let (k, scale) = (row * self.columns + column, share / self.cell_area());
            image.pressure[k] -= scale * force.z;
            image.shear[k][0] += scale * force.x;
            image.shear[k][1] += scale * force.y;
        };
        // Cell coordinates: the grid covers 0 to `counts`.
        let place = |p: f64, axis: usize| (p + 0.5 * self.size[axis]) / cell[axis];
        let total = polygon.weight();
        if polygon.area() <= 1e-9 * self.cell_area() || total <= 0.0 {
            // A tiny polygon or one seen edge-on is assigned to the cell below its centre.
            let [x, y] = [0, 1].map(|axis| place(centroid[axis], axis).floor());
            if x >= 0.0 && y >= 0.0 && x < counts[0] as f64 && y < counts[1] as f64 {
                add(x as usize, y as usize, 1.0);
            }
            return;
        }
        let range = |axis: usize| {
            let (low, high) = polygon.bounds(axis);
            let last = place(high, axis).ceil().clamp(0.0, counts[axis] as f64) as usize;
            place(low, axis).floor().clamp(0.0, counts[axis] as f64) as usize..last
        };
        for row in range(1) {
            let low = row as f64 * cell[1] - 0.5 * self.size[1];
            let strip = polygon.above(1, low, 1.0).above(1, low + cell[1], -1.0);
            for column in range(0) {
                let low = column as f64 * cell[0] - 0.5 * self.size[0];
                let piece = strip.above(0, low, 1.0).above(0, low + cell[0], -1.0);
                add(column, row, piece.weight() / total);
            }
        }
    }
}

impl TactileImage {
    /// Pressure of a cell, Pa.
    pub fn pressure_at(&self, row: usize, column: usize) -> f64 {
        self.pressure[row * self.columns + column]
    }
}

/// A convex polygon in the plane, on the stack. The third coordinate is a weight, linear over it.
#[derive(Clone, Copy)]
struct Polygon {
    corners: [Vector3<f64>; CORNERS],
    count: usize,
}

impl Default for Polygon {
    fn default() -> Self {
        Self { corners: [Vector3::zeros(); CORNERS], count: 0 }
    }
}

impl Polygon {
    fn push(&mut self, corner: Vector3<f64>) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }

    fn corners(&self) -> &[Vector3<f64>] {
        &self.corners[..self.count]
    }

    /// Sum over the triangles of a fan: `value` of the corners' weights times area.
    fn sum(&self, value: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let Some((first, rest)) = self.corners().split_first() else { return 0.0 };
        let triangle = |w: &[Vector3<f64>]| {
            let area = 0.5 * (w[0] - first).xy().perp(&(w[1] - first).xy());
            area * value(first.z, w[0].z, w[1].z)
        };
        rest.windows(2).map(triangle).sum::<f64>().abs()
    }

    fn area(&self) -> f64 {
        self.sum(|_, _, _| 1.0)
    }

    /// Integral of the weight.
    fn weight(&self) -> f64 {
        self.sum(|a, b, c| (a + b + c) / 3.0)
    }

    fn bounds(&self, axis: usize) -> (f64, f64) {
        let values = self.corners().iter().map(|c| c[axis]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    }

    /// The part where `sign` times the coordinate is at least `sign` times `level`.
    fn above(&self, axis: usize, level: f64, sign: f64) -> Self {
        let mut out = Self::default();
        let height = |p: &Vector3<f64>| sign * (p[axis] - level);
        for (k, p) in self.corners().iter().enumerate() {
            let q = &self.corners[(k + 1) % self.count];
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                out.push(*p);
            }
            if (hp < 0.0) != (hq < 0.0) {
                out.push(p + (q - p) * (hp / (hp - hq)));
            }
        }
        out
    }
}
