//! Which surface is seen at each sample of a picture: triangles and planes against a buffer of depths.
//!
//! Depth is kept as its inverse, which is linear on the screen; larger is nearer. Bands of rows are filled independently
//! of each other, so the result does not depend on the number of threads. Of surfaces at the same depth the first is seen.

use crate::surface::Corner;
use crate::threads::drawing;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Rows of a band.
const BAND: usize = 16;

/// Where in a pixel the samples lie: one in the middle, or four whose rows and columns all differ.
pub fn samples(count: usize) -> &'static [[f32; 2]] {
    const ONE: [[f32; 2]; 1] = [[0.5, 0.5]];
    const FOUR: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
    if count == 1 { &ONE } else { &FOUR }
}

/// How points become places on the screen.
#[derive(Clone, Copy, Debug)]
pub enum Projection {
    /// Focal lengths and centre, pixels; nothing nearer than `near` is seen.
    Perspective { focal: [f32; 2], center: [f32; 2], near: f32 },
    /// Pixels a metre, and centre; depths are measured from z = 0 and their "inverse" is z itself.
    Parallel { scale: f32, center: [f32; 2] },
}

/// A linear function of the place on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Linear {
    x: f32,
    y: f32,
    constant: f32,
}

impl Linear {
    pub fn new(x: f32, y: f32, constant: f32) -> Self {
        Self { x, y, constant }
    }

    pub fn at(&self, [x, y]: [f32; 2]) -> f32 {
        self.x * x + self.y * y + self.constant
    }
}

/// A triangle on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Index of what it belongs to.
    pub owner: u32,
    /// What is interpolated between its corners: normals in the owner's frame, or colours.
    values: [Vector3<f32>; 3],
    /// Shares of the second and third corner; those of the first are the rest.
    shares: [Linear; 2],
    /// Inverse depths of the corners.
    inverse_depths: [f32; 3],
    inverse_depth: Linear,
    /// First and last row and column, pixels.
    columns: [i32; 2],
    rows: [i32; 2],
    /// Whether its back is seen.
    turned: bool,
}

impl Triangle {
    /// The value at a place, in perspective.
    pub fn value(&self, place: [f32; 2]) -> Vector3<f32> {
        let [second, third] = self.shares.map(|s| s.at(place));
        let weights = [1.0 - second - third, second, third];
        let sum: Vector3<f32> = (0..3).map(|k| self.values[k] * (weights[k] * self.inverse_depths[k])).sum();
        sum / self.inverse_depth.at(place)
    }

    /// Normal at a place, turned towards the eye; not of unit length.
    pub fn normal(&self, place: [f32; 2]) -> Vector3<f32> {
        if self.turned { -self.value(place) } else { self.value(place) }
    }
}

/// Triangles and planes to be seen.
#[derive(Default)]
pub struct Geometry {
    pub triangles: Vec<Triangle>,
    pub planes: Vec<Plane>,
}

/// A plane without bounds: it is seen where its inverse depth is positive.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// Index of what it belongs to.
    pub owner: u32,
    pub inverse_depth: Linear,
}

/// What is seen at a sample: nothing, a triangle or a plane.
pub type Seen = u32;
pub const NOTHING: Seen = 0;

impl Geometry {
    /// Triangle behind a value of [`Seen`].
    pub fn triangle(&self, seen: Seen) -> Option<&Triangle> {
        self.triangles.get((seen as usize).wrapping_sub(1))
    }

    /// Index of what is seen.
    pub fn owner(&self, seen: Seen) -> u32 {
        match self.triangle(seen) {
            Some(triangle) => triangle.owner,
            None => self.planes[seen as usize - 1 - self.triangles.len()].owner,
        }
    }

    /// Adds triangles whose corners are given in the frame of the eye (it looks along −z).
    pub fn push(
        &mut self,
        owner: u32,
        corners: &[Corner],
        in_eye: &[Vector3<f32>],
        triangles: &[[u32; 3]],
        two_sided: bool,
        projection: &Projection,
        size: [usize; 2],
    ) {
        let corner = |i: u32| (in_eye[i as usize], corners[i as usize].normal);
        for indices in triangles {
            let corners = indices.map(corner);
            let Projection::Perspective { near, .. } = *projection else {
                self.add(owner, corners, two_sided, projection, size);
                continue;
            };
            let behind = corners.iter().filter(|(p, _)| -p.z < near).count();
            match behind {
                0 => self.add(owner, corners, two_sided, projection, size),
                3 => {}
                _ => {
                    let (cut, count) = clip(&corners, near);
                    for k in 2..count {
                        self.add(owner, [cut[0], cut[k - 1], cut[k]], two_sided, projection, size);
                    }
                }
            }
        }
    }

    fn add(
        &mut self,
        owner: u32,
        corners: [InEye; 3],
        two_sided: bool,
        projection: &Projection,
        [width, height]: [usize; 2],
    ) {
        let on_screen = corners.map(|(p, _)| match *projection {
            Projection::Perspective { focal, center, .. } => {
                let inverse = -1.0 / p.z;
                [center[0] + focal[0] * p.x * inverse, center[1] - focal[1] * p.y * inverse, inverse]
            }
            Projection::Parallel { scale, center } => [center[0] + scale * p.x, center[1] - scale * p.y, p.z],
        });
        let [a, b, c] = on_screen;
        // Rows count downwards, so that a front has a negative area.
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let turned = area > 0.0;
        if area == 0.0 || !area.is_finite() || (turned && !two_sided) {
            return;
        }
        let limits = |k: usize, most: usize| {
            let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
            [(low.floor().max(0.0)) as i32, (high.floor().min(most as f32 - 1.0)) as i32]
        };
        let (columns, rows) = (limits(0, width), limits(1, height));
        if columns[0] > columns[1] || rows[0] > rows[1] {
            return;
        }
        // Share of the corner opposite to the side from p to q.
        let share = |p: [f32; 3], q: [f32; 3]| {
            let (x, y) = ((p[1] - q[1]) / area, (q[0] - p[0]) / area);
            Linear::new(x, y, -(x * p[0] + y * p[1]))
        };
        let shares = [share(c, a), share(a, b)];
        let inverse_depths = [a[2], b[2], c[2]];
        let slope = |f: fn(&Linear) -> f32| (b[2] - a[2]) * f(&shares[0]) + (c[2] - a[2]) * f(&shares[1]);
        let inverse_depth = Linear::new(slope(|s| s.x), slope(|s| s.y), a[2] + slope(|s| s.constant));
        let values = corners.map(|(_, value)| value);
        self.triangles.push(Triangle {
            owner,
            values,
            shares,
            inverse_depths,
            inverse_depth,
            columns,
            rows,
            turned,
        });
    }
}

/// A corner in the frame of the eye, and its value.
type InEye = (Vector3<f32>, Vector3<f32>);

/// The part of a triangle in front of the near plane: up to four corners.
fn clip(corners: &[InEye; 3], near: f32) -> ([InEye; 4], usize) {
    let (mut kept, mut count) = ([corners[0]; 4], 0);
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        let (before, after) = (-p.0.z - near, -q.0.z - near);
        if before >= 0.0 {
            kept[count] = p;
            count += 1;
        }
        if (before >= 0.0) != (after >= 0.0) {
            let t = before / (before - after);
            kept[count] = (p.0 + t * (q.0 - p.0), p.1 + t * (q.1 - p.1));
            count += 1;
        }
    }
    (kept, count)
}

/// What is seen at every sample of a picture, and how near it is.
#[derive(Default)]
pub struct Visibility {
    pub width: usize,
    pub height: usize,
    /// Samples of a pixel.
    pub count: usize,
    /// What is seen, row by row, pixel by pixel, sample by sample.
    pub seen: Vec<Seen>,
    /// Its inverse depth.
    pub inverse_depth: Vec<f32>,
    /// Triangles of each band.
    bands: Vec<Vec<u32>>,
}

impl Visibility {
    /// Fills the buffers. Only what lies between `behind` and `before` is seen, if they are given: it must be nearer
    /// than the first and farther than the second.
    pub fn fill(
        &mut self,
        geometry: &Geometry,
        [width, height]: [usize; 2],
        count: usize,
        behind: Option<&Visibility>,
        before: Option<&Visibility>,
    ) {
        (self.width, self.height, self.count) = (width, height, count);
        let total = width * height * count;
        self.seen.clear();
        self.seen.resize(total, NOTHING);
        self.inverse_depth.clear();
        self.inverse_depth.resize(total, f32::NEG_INFINITY);
        self.bands.iter_mut().for_each(Vec::clear);
        self.bands.resize(height.div_ceil(BAND), Vec::new());
        for (t, triangle) in geometry.triangles.iter().enumerate() {
            for band in triangle.rows[0] as usize / BAND..=triangle.rows[1] as usize / BAND {
                self.bands[band].push(t as u32);
            }
        }
        let long = width * count * BAND;
        let places = samples(count);
        let bands = &self.bands;
        let seen = self.seen.par_chunks_mut(long).zip(self.inverse_depth.par_chunks_mut(long));
        drawing(|| {
            seen.enumerate().for_each(|(band, (seen, inverse_depth))| {
                let first = band * BAND;
                let rows = first as i32..(first + BAND).min(height) as i32;
                let start = first * width * count;
                let mut visit = |value: Seen, at: usize, w: f32| {
                    let visible = w > inverse_depth[at]
                        && behind.is_none_or(|v| w > v.inverse_depth[start + at])
                        && before.is_none_or(|v| w < v.inverse_depth[start + at]);
                    if visible {
                        seen[at] = value;
                        inverse_depth[at] = w;
                    }
                };
                for (k, plane) in geometry.planes.iter().enumerate() {
                    let value = (geometry.triangles.len() + k + 1) as Seen;
                    for row in rows.clone() {
                        for column in 0..width {
                            for (s, [dx, dy]) in places.iter().enumerate() {
                                let w = plane.inverse_depth.at([column as f32 + dx, row as f32 + dy]);
                                if w > 0.0 {
                                    visit(value, ((row as usize - first) * width + column) * count + s, w);
                                }
                            }
                        }
                    }
                }
                for &t in &bands[band] {
                    let triangle = &geometry.triangles[t as usize];
                    for row in rows.start.max(triangle.rows[0])..rows.end.min(triangle.rows[1] + 1) {
                        let line = (row as usize - first) * width;
                        for column in triangle.columns[0]..=triangle.columns[1] {
                            for (s, [dx, dy]) in places.iter().enumerate() {
                                let place = [column as f32 + dx, row as f32 + dy];
                                let [second, third] = triangle.shares.map(|share| share.at(place));
                                if second >= 0.0 && third >= 0.0 && second + third <= 1.0 {
                                    let w = triangle.inverse_depth.at(place);
                                    visit(t + 1, (line + column as usize) * count + s, w);
                                }
                            }
                        }
                    }
                }
            });
        });
    }

    /// First sample of a pixel.
    pub fn index(&self, column: usize, row: usize) -> usize {
        (row * self.width + column) * self.count
    }
}
