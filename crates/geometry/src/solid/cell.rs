//! One tetrahedron with everything the contact kernels ask of it, in the solid's frame.

use super::linear::Field;
use crate::{Aabb, V3};

/// `Cell::zero_face` of a tetrahedron without a face of zero pressure.
pub(crate) const NO_FACE: usize = 4;

/// A tetrahedron. Face i is opposite vertex i; its plane has `n . r - d <= 0` inside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) v: [V3; 4],
    /// Pressure at the vertices, Pa.
    pub(crate) p: [f64; 4],
    pub(crate) field: Field,
    /// |grad p|, Pa/m.
    pub(crate) slope: f64,
    pub(crate) n: [V3; 4],
    pub(crate) d: [f64; 4],
    /// The face on which p = 0, or [`NO_FACE`]. If there were two the field would vanish.
    pub(crate) zero_face: usize,
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
        Self { v, p, field, slope: field.grad.norm(), n, d, zero_face, id }
    }

    /// Box of the part with pressure at most `limit`.
    pub(crate) fn shell(&self, limit: f64) -> Aabb {
        let mut c = Aabb::EMPTY;
        let mut add = |p: V3| c = c.union(&Aabb { min: p, max: p });
        for i in 0..4 {
            if self.p[i] <= limit {
                add(self.v[i]);
            }
            for j in 0..i {
                let (lo, hi) = if self.p[i] < self.p[j] { (i, j) } else { (j, i) };
                if self.p[lo] <= limit && limit < self.p[hi] {
                    let t = (limit - self.p[lo]) / (self.p[hi] - self.p[lo]);
                    add(self.v[lo] + (self.v[hi] - self.v[lo]) * t);
                }
            }
        }
        c
    }

    /// How far the field's extension beyond the zero face moves a vertex for each metre of distance
    /// from that face: the longest edge from the apex over the height.
    pub(crate) fn flare(&self) -> f64 {
        let k = self.zero_face;
        if k == NO_FACE {
            return 0.0;
        }
        let longest = (0..4).map(|i| (self.v[i] - self.v[k]).norm()).fold(0.0, f64::max);
        longest * self.slope / self.p[k]
    }

    /// The tetrahedron extended beyond its zero face to where the pressure is `-slope * margin`:
    /// corners and pressures. The other faces keep their planes.
    #[inline]
    pub(crate) fn extended(&self, margin: f64) -> ([V3; 4], [f64; 4]) {
        let k = self.zero_face;
        let apex = self.v[k];
        let low = -self.slope * margin;
        let stretch = 1.0 - low / self.p[k];
        let v = std::array::from_fn(|i| if i == k { apex } else { apex + (self.v[i] - apex) * stretch });
        (v, std::array::from_fn(|i| if i == k { self.p[k] } else { low }))
    }
}
