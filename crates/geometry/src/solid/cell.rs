//! One tetrahedron with everything the contact kernels ask of it, in the solid's frame.

use super::linear::{Field, Pose};
use crate::{Aabb, V3};
use stiction_base::fused::Fused;

/// `Cell::zero_face` of a tetrahedron without a face of zero pressure.
pub(crate) const NO_FACE: usize = 4;

/// Vertices are numbered such that a face of zero pressure is opposite the last one.
pub(crate) const LAST: usize = 3;

/// Four numbers that the compiler takes in one instruction.
pub(crate) type Lanes = [f64; 4];

/// `a * x + b`, lane by lane.
#[inline(always)]
pub(crate) fn fma(a: &Lanes, x: f64, b: &Lanes) -> Lanes {
    let mut out = *b;
    for i in 0..4 {
        out[i] = a[i].fused(x, b[i]);
    }
    out
}

/// A tetrahedron. Face i is opposite vertex i; its plane has `n . r - d <= 0` inside.
///
/// Coordinates lie by axis, so that the four vertices, or the four faces, are lanes of one instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    /// x, y and z of the vertices.
    pub(crate) v: [Lanes; 3],
    /// Pressure at the vertices, Pa.
    pub(crate) p: Lanes,
    pub(crate) field: Field,
    /// |grad p|, Pa/m.
    pub(crate) slope: f64,
    /// The face on which p = 0, [`LAST`] or [`NO_FACE`]. If there were two the field would vanish.
    pub(crate) zero_face: usize,
    /// Edges from the apex grow by this times the margin when the cell is extended beyond its zero face
    /// to the pressure `-slope * margin`; 0 without a zero face.
    pub(crate) stretch: f64,
    /// Number of the tetrahedron in the mesh.
    pub(crate) id: u32,
    /// x, y and z of the faces' normals.
    pub(crate) n: [Lanes; 3],
    pub(crate) d: Lanes,
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
    /// From positively oriented corners, which may be numbered anew.
    pub(crate) fn new(mut v: [V3; 4], mut p: [f64; 4], id: u32) -> Self {
        let apex = (0..4).find(|&i| p[i] > 0.0 && (0..4).all(|j| j == i || p[j] == 0.0));
        if let Some(apex) = apex.filter(|&apex| apex != LAST) {
            // Two exchanges keep the orientation.
            let others = if apex == 0 { (1, 2) } else { (0, 3 - apex) };
            for (i, j) in [(apex, LAST), others] {
                v.swap(i, j);
                p.swap(i, j);
            }
        }
        let field = linear_field(&v, &p);
        const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];
        let n = FACES.map(|[a, b, c]| (v[b] - v[a]).cross(&(v[c] - v[a])).normalize());
        let d = std::array::from_fn(|i| n[i].dot(&v[FACES[i][0]]));
        let zero_face = if apex.is_some() { LAST } else { NO_FACE };
        let slope = field.grad.norm();
        let stretch = if apex.is_some() { slope / p[LAST] } else { 0.0 };
        let lanes = |v: [V3; 4]| std::array::from_fn(|axis| v.map(|v| v[axis]));
        Self { v: lanes(v), p, field, slope, n: lanes(n), d, zero_face, stretch, id }
    }

    /// Vertex `i`.
    #[inline]
    pub(crate) fn vertex(&self, i: usize) -> V3 {
        V3::new(self.v[0][i], self.v[1][i], self.v[2][i])
    }

    /// The vertices.
    #[inline]
    pub(crate) fn vertices(&self) -> [V3; 4] {
        [self.vertex(0), self.vertex(1), self.vertex(2), self.vertex(3)]
    }

    /// Normal and offset of face `i`.
    #[inline]
    pub(crate) fn face(&self, i: usize) -> (V3, f64) {
        (V3::new(self.n[0][i], self.n[1][i], self.n[2][i]), self.d[i])
    }

    /// Values at the vertices of a linear field in the cell's frame.
    #[inline]
    pub(crate) fn sample(&self, f: &Field) -> Lanes {
        sample(&self.v, f)
    }

    /// How far a point is above each face, with the bits of `n . p - d`.
    #[inline]
    pub(crate) fn above(&self, p: &V3) -> Lanes {
        let [x, y, z] = &self.n;
        let mut out = self.d;
        for i in 0..4 {
            out[i] = (x[i] * p.x + y[i] * p.y) + z[i] * p.z - self.d[i];
        }
        out
    }

    /// The cell in another frame: `x` is the pose of its own there.
    #[inline]
    pub(crate) fn moved(&self, x: &Pose) -> MovedCell {
        let mut v = [[0.0; 4]; 3];
        for axis in 0..3 {
            let sum = fma(&self.v[0], x.r[(axis, 0)], &[x.p[axis]; 4]);
            v[axis] = fma(&self.v[2], x.r[(axis, 2)], &fma(&self.v[1], x.r[(axis, 1)], &sum));
        }
        MovedCell { v, field: self.field.moved(x) }
    }

    /// Smallest and largest value along `axes` over the part with pressures in a range, or over more.
    #[inline]
    pub(crate) fn interval(&self, axes: &Axes, range: (f64, f64)) -> (Lanes, Lanes) {
        let at = |i: usize| axes.along(&self.vertex(i));
        let [a, b, c, apex] = [at(0), at(1), at(2), at(LAST)];
        // Between two copies of the zero face on the way to the apex; all of the cell if there is none.
        let (t0, t1) = if self.zero_face == NO_FACE {
            (0.0, 1.0)
        } else {
            let inverse = 1.0 / self.p[LAST];
            (range.0.max(0.0) * inverse, (range.1 * inverse).min(1.0))
        };
        let (mut low, mut high) = ([0.0; 4], [0.0; 4]);
        for k in 0..4 {
            let (l, h) = (least(least(a[k], b[k]), c[k]), most(most(a[k], b[k]), c[k]));
            let (up, down) = (apex[k] - l, apex[k] - h);
            low[k] = least(up.fused(t0, l), up.fused(t1, l));
            high[k] = most(down.fused(t0, h), down.fused(t1, h));
        }
        (low, high)
    }

    /// Values of a linear function at the vertices of the extended cell, from those at the vertices.
    #[inline]
    pub(crate) fn extend(&self, h: &mut Lanes, margin: f64) {
        if margin > 0.0 && self.zero_face != NO_FACE {
            let (apex, grow) = (h[LAST], 1.0 + self.stretch * margin);
            *h = h.map(|x| apex + (x - apex) * grow);
            h[LAST] = apex;
        }
    }

    /// Vertices of the extended cell: beyond the zero face to where the pressure is `-slope * margin`.
    /// The other faces keep their planes.
    #[inline]
    pub(crate) fn extended(&self, v: &[Lanes; 3], margin: f64) -> [V3; 4] {
        let mut v = *v;
        if margin > 0.0 && self.zero_face != NO_FACE {
            v.iter_mut().for_each(|x| self.extend(x, margin));
        }
        [0, 1, 2, 3].map(|i| V3::new(v[0][i], v[1][i], v[2][i]))
    }

    /// Box of the part with pressure between `low` and `high`, if there is one.
    pub(crate) fn layer_box(&self, low: f64, high: f64) -> Option<Aabb> {
        let (v, mut bounds) = (self.vertices(), Aabb::EMPTY);
        let mut add = |p: V3| bounds = bounds.union(&Aabb { min: p, max: p });
        for i in 0..4 {
            if (low..=high).contains(&self.p[i]) {
                add(v[i]);
            }
            for j in 0..4 {
                for level in [low, high] {
                    if self.p[i] < level && level < self.p[j] {
                        let t = (level - self.p[i]) / (self.p[j] - self.p[i]);
                        add(v[i] + (v[j] - v[i]) * t);
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
        if self.zero_face == NO_FACE {
            return 0.0;
        }
        let v = self.vertices();
        v.iter().map(|u| (u - v[LAST]).norm()).fold(0.0, f64::max) * self.stretch
    }
}

/// The smaller of two numbers: one instruction, other than `f64::min`, which minds NaN.
#[inline(always)]
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger of two numbers.
#[inline(always)]
fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Values of a linear field at four points.
#[inline]
fn sample([x, y, z]: &[Lanes; 3], f: &Field) -> Lanes {
    fma(z, f.grad.z, &fma(y, f.grad.y, &fma(x, f.grad.x, &[f.offset; 4])))
}

/// The part of a cell that depends on the frame, in the frame of another body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovedCell {
    /// x, y and z of the vertices.
    pub(crate) v: [Lanes; 3],
    pub(crate) field: Field,
}

impl MovedCell {
    /// Values at the vertices of a linear field in the other body's frame.
    #[inline]
    pub(crate) fn sample(&self, f: &Field) -> Lanes {
        sample(&self.v, f)
    }
}

/// Three directions, by component; the fourth lane is empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes([Lanes; 3]);

impl Axes {
    pub(crate) fn new(axes: &[V3; 3]) -> Self {
        Self(std::array::from_fn(|i| [axes[0][i], axes[1][i], axes[2][i], 0.0]))
    }

    /// A point along the directions.
    #[inline]
    pub(crate) fn along(&self, p: &V3) -> Lanes {
        let [x, y, z] = &self.0;
        fma(z, p.z, &fma(y, p.y, &fma(x, p.x, &[0.0; 4])))
    }

    /// Smallest and largest value along the directions over a triangle.
    #[inline]
    pub(crate) fn interval(&self, triangle: &[V3; 3]) -> (Lanes, Lanes) {
        let [a, b, c] = triangle;
        let (a, b, c) = (self.along(a), self.along(b), self.along(c));
        let (mut low, mut high) = ([0.0; 4], [0.0; 4]);
        for k in 0..4 {
            low[k] = least(least(a[k], b[k]), c[k]);
            high[k] = most(most(a[k], b[k]), c[k]);
        }
        (low, high)
    }
}
