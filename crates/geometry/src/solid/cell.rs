//! One tetrahedron with everything the contact kernels ask of it, in the solid's frame.

use super::linear::Field;
use crate::{Aabb, V3};

/// `Cell::zero_face` of a tetrahedron without a face of zero pressure.
pub(crate) const NO_FACE: usize = 4;

/// A tetrahedron. Face i is opposite vertex i; its plane has `n . r - d <= 0` inside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) v: [V3; 4],
    /// Coordinates of the vertices once more, by axis: four lanes of one instruction.
    lanes: [[f64; 4]; 3],
    /// Pressure at the vertices, Pa.
    pub(crate) p: [f64; 4],
    pub(crate) field: Field,
    /// |grad p|, Pa/m.
    pub(crate) slope: f64,
    pub(crate) n: [V3; 4],
    pub(crate) d: [f64; 4],
    /// The face on which p = 0, or [`NO_FACE`]. If there were two the field would vanish.
    pub(crate) zero_face: usize,
    /// Edges from the apex grow by this times the margin when the cell is extended beyond its zero face
    /// to the pressure `-slope * margin`; 0 without a zero face.
    pub(crate) stretch: f64,
    /// Number of the tetrahedron in the mesh.
    pub(crate) id: u32,
}

/// Gradient and offset of the linear function with values `f` at the corners `v` of a tetrahedron.
pub(crate) fn linear_field(v: &[V3; 4], f: &[f64; 4]) -> Field {
    let (e1, e2, e3) = (v[1] - v[0], v[2] - v[0], v[3] - v[0]);
    let det = e1.dot(&e2.cross(&e3));
    let grad =
        (e2.cross(&e3) * (f[1] - f[0]) + e3.cross(&e1) * (f[2] - f[0]) + e1.cross(&e2) * (f[3] - f[0])) / det;
    Field { grad, offset: f[0] - grad.dot(&v[0]) }
}

impl Cell {
    /// From positively oriented corners.
    pub(crate) fn new(v: [V3; 4], p: [f64; 4], id: u32) -> Self {
        let field = linear_field(&v, &p);
        const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        let n = FACES.map(|[a, b, c]| (v[b] - v[a]).cross(&(v[c] - v[a])).normalize());
        let d = std::array::from_fn(|i| n[i].dot(&v[FACES[i][0]]));
        let zero_face =
            (0..4).find(|&i| p[i] > 0.0 && (0..4).all(|j| j == i || p[j] == 0.0)).unwrap_or(NO_FACE);
        let slope = field.grad.norm();
        let stretch = if zero_face == NO_FACE { 0.0 } else { slope / p[zero_face] };
        let lanes = std::array::from_fn(|axis| v.map(|v| v[axis]));
        Self { v, lanes, p, field, slope, n, d, zero_face, stretch, id }
    }

    /// Values at the vertices of a linear field in the cell's frame.
    #[inline]
    pub(crate) fn sample(&self, f: &Field) -> [f64; 4] {
        let [x, y, z] = &self.lanes;
        let (gx, gy, gz) = (f.grad.x, f.grad.y, f.grad.z);
        std::array::from_fn(|i| gx * x[i] + gy * y[i] + gz * z[i] + f.offset)
    }

    /// Smallest and largest value of `axis . r` over the part with pressures in a range, or over more.
    #[inline]
    pub(crate) fn interval(&self, axis: &V3, range: (f64, f64)) -> (f64, f64) {
        let mut x = self.sample(&Field { grad: *axis, offset: 0.0 });
        let min = |x: &[f64; 4]| x[0].min(x[1]).min(x[2].min(x[3]));
        let max = |x: &[f64; 4]| x[0].max(x[1]).max(x[2].max(x[3]));
        let k = self.zero_face;
        if k == NO_FACE {
            return (min(&x), max(&x));
        }
        // Between two copies of the zero face on the way to the apex.
        let apex = x[k];
        let (t0, t1) = (range.0.max(0.0) / self.p[k], (range.1 / self.p[k]).min(1.0));
        x[k] = x[(k + 1) & 3];
        let (low, high) = (min(&x), max(&x));
        let (l0, l1) = (low + (apex - low) * t0, low + (apex - low) * t1);
        let (h0, h1) = (high + (apex - high) * t0, high + (apex - high) * t1);
        (l0.min(l1), h0.max(h1))
    }

    /// Values of a linear function at the vertices of the extended cell, from those at the vertices.
    #[inline]
    pub(crate) fn extend(&self, h: &mut [f64; 4], margin: f64) {
        if margin > 0.0 && self.zero_face != NO_FACE {
            let apex = h[self.zero_face];
            let grow = 1.0 + self.stretch * margin;
            *h = h.map(|x| apex + (x - apex) * grow);
            h[self.zero_face] = apex;
        }
    }

    /// Vertices of the extended cell: beyond the zero face to where the pressure is `-slope * margin`.
    /// The other faces keep their planes.
    #[inline]
    pub(crate) fn extended(&self, margin: f64) -> [V3; 4] {
        if margin > 0.0 && self.zero_face != NO_FACE {
            let apex = self.v[self.zero_face];
            let grow = 1.0 + self.stretch * margin;
            let mut v = self.v;
            for v in &mut v {
                *v = apex + (*v - apex) * grow;
            }
            v[self.zero_face] = apex;
            return v;
        }
        self.v
    }

    /// Box of the part with pressure between `low` and `high`, if there is one.
    pub(crate) fn layer_box(&self, low: f64, high: f64) -> Option<Aabb> {
        let mut bounds = Aabb::EMPTY;
        let mut add = |p: V3| bounds = bounds.union(&Aabb { min: p, max: p });
        for i in 0..4 {
            if (low..=high).contains(&self.p[i]) {
                add(self.v[i]);
            }
            for j in 0..4 {
                for level in [low, high] {
                    if self.p[i] < level && level < self.p[j] {
                        let t = (level - self.p[i]) / (self.p[j] - self.p[i]);
                        add(self.v[i] + (self.v[j] - self.v[i]) * t);
                    }
                }
            }
        }
        // A pad for rounding in the cuts.
        (bounds.min.x <= bounds.max.x).then(|| bounds.grown(1e-12 * (bounds.half().norm() + 1e-3)))
    }

    /// How far the field's extension beyond the zero face moves a vertex for each metre of distance
    /// from that face: the longest edge from the apex over the height.
    pub(crate) fn flare(&self) -> f64 {
        let k = self.zero_face;
        if k == NO_FACE {
            return 0.0;
        }
        let longest = (0..4).map(|i| (self.v[i] - self.v[k]).norm()).fold(0.0, f64::max);
        longest * self.stretch
    }
}
