//! Box against box: fifteen separating axes, then a parallelogram clipped by a rectangle.
//!
//! Everything happens in the frame of box a. In overlap the best axis n is that of the face of the
//! Minkowski difference nearest to the origin, whose foot lies inside that face; hence the deepest point is always
//! a corner of the clipped polygon, and its gap is the depth along n. Apart, that certifies the
//! distance; where it fails (corner against corner or edge) GJK takes over.

use super::manifold::MERGE;
use super::{Frame, Scratch, Sink, convex};
use crate::{Shape, V3};

/// Contact points of two boxes given by half extents and poses.
pub(crate) fn contacts(
    (ha, xa): (&V3, &Frame),
    (hb, xb): (&V3, &Frame),
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let x = xa.relative(xb);
    let Some((n, s)) = best_axis(ha, hb, &x, sink.margin) else { return };
    let mut polygon = Polygon::default();
    let k = n.iamax();
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let sign = 1f64.copysign(n[k]);
    facing_parallelogram(ha, hb, &x, &n, (i, j, k), sign, &mut polygon);
    polygon.clip(ha[i], ha[j]);
    polygon.merge(MERGE * (ha.max() + hb.max()));
    let corners = &polygon.v[..polygon.n];
    let least = corners.iter().map(|w| w[2]).fold(f64::INFINITY, f64::min);
    let tolerance = 1e-9 * (ha[k] + hb.max());
    if least > s + tolerance {
        if s > 0.0 {
            let (sa, sb) = (Shape::Box { half_extents: *ha }, Shape::Box { half_extents: *hb });
            return convex::contacts((&sa, xa), (&sb, xb), scratch, sink);
        }
        // Rounding lost the deepest corner: the middle of the two support points, on a.
        let a = n.zip_map(ha, |c, h| h.copysign(c));
        let b = x.point(&-x.local_dir(&n).zip_map(hb, |c, h| h.copysign(c))) - n * s;
        let n_w = xa.r * n;
        let p = xa.point(&(0.5 * (a + b)));
        sink.push(n_w, p, p + n_w * s, s);
    }
    let n_w = xa.r * n;
    let base = xa.p + xa.r.column(k) * (sign * ha[k]);
    let (u, v) = (xa.r.column(i), xa.r.column(j));
    for w in corners {
        if w[2] <= sink.margin {
            let p = base + u * w[0] + v * w[1];
            sink.push(n_w, p, p + n_w * w[2], w[2]);
        }
    }
}

/// Axis of largest separation (from a to b, frame of a) and the separation along it, or nothing when that
/// exceeds the margin.
#[inline]
fn best_axis(ha: &V3, hb: &V3, x: &Frame, margin: f64) -> Option<(V3, f64)> {
    let (r, t) = (&x.r, &x.p);
    let q = r.abs();
    let sa = t.abs() - ha - q * hb;
    let tb = r.tr_mul(t);
    let sb = tb.abs() - hb - q.tr_mul(ha);
    let (ka, kb) = (sa.imax(), sb.imax());
    if sa[ka] > margin || sb[kb] > margin {
        return None;
    }
    let tie = 1e-12 * (ha.max() + hb.max());
    let mut best = sa[ka];
    let mut n = V3::zeros();
    if sb[kb] > best + tie {
        best = sb[kb];
        n = r.column(kb) * 1f64.copysign(tb[kb]);
    } else {
        n[ka] = 1f64.copysign(t[ka]);
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            // l = e_i x b_j
            let len2 = 1.0 - r[(i, j)] * r[(i, j)];
            if len2 < 1e-14 {
                continue;
            }
            let along = t[i2] * r[(i1, j)] - t[i1] * r[(i2, j)];
            let reach_a = ha[i1] * q[(i2, j)] + ha[i2] * q[(i1, j)];
            let reach_b = hb[j1] * q[(i, j2)] + hb[j2] * q[(i, j1)];
            let s = along.abs() - reach_a - reach_b;
            // s / |l| > best, without the root.
            let better = if s < 0.0 {
                best < 0.0 && s * s < best * best * len2
            } else {
                best < 0.0 || s * s > best * best * len2
            };
            if !better {
                continue;
            }
            // Again with the unit axis: for nearly parallel edges the quotient above cancels.
            let mut l = V3::zeros();
            (l[i1], l[i2]) = (-r[(i2, j)], r[(i1, j)]);
            let l = l * (1f64.copysign(along) / l.norm());
            let s = t.dot(&l) - l.abs().dot(ha) - r.tr_mul(&l).abs().dot(hb);
            if s > margin {
                return None;
            }
            if s > best + tie {
                best = s;
                n = l;
            }
        }
    }
    Some((n, best))
}

/// Corners (u, v, gap) in the plane of a face.
#[derive(Default)]
struct Polygon {
    v: [[f64; 3]; 8],
    n: usize,
}

/// The face of b towards a, projected along n on a's face with normal axis k.
#[inline]
fn facing_parallelogram(
    ha: &V3,
    hb: &V3,
    x: &Frame,
    n: &V3,
    (i, j, k): (usize, usize, usize),
    sign: f64,
    out: &mut Polygon,
) {
    let nb = x.local_dir(n);
    let m = nb.iamax();
    let (m1, m2) = ((m + 1) % 3, (m + 2) % 3);
    let c = x.p - x.r.column(m) * hb[m].copysign(nb[m]);
    let inverse = 1.0 / n[k].abs();
    let (slope_i, slope_j) = (n[i], n[j]);
    // (u, v, gap) of a vector; only the centre sees the offset of the plane.
    let project = |q: &V3, offset: f64| {
        let g = (q[k] * sign - offset) * inverse;
        [q[i] - g * slope_i, q[j] - g * slope_j, g]
    };
    let c = project(&c, ha[k]);
    let e = project(&(x.r.column(m1) * hb[m1]), 0.0);
    let f = project(&(x.r.column(m2) * hb[m2]), 0.0);
    for (w, (a, b)) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].into_iter().enumerate() {
        for d in 0..3 {
            out.v[w][d] = c[d] + a * e[d] + b * f[d];
        }
    }
    out.n = 4;
}

impl Polygon {
    /// Clips by |u| <= hu, |v| <= hv.
    #[inline]
    fn clip(&mut self, hu: f64, hv: f64) {
        for (axis, h) in [(0, hu), (1, hv)] {
            for sign in [1.0, -1.0] {
                self.clip_side(axis, sign, h);
            }
        }
    }

    /// Keeps sign * v[axis] <= h.
    #[inline]
    fn clip_side(&mut self, axis: usize, sign: f64, h: f64) {
        let n = self.n;
        let out = |w: &[f64; 3]| sign * w[axis] - h;
        if self.v[..n].iter().all(|w| out(w) <= 0.0) {
            return;
        }
        let old = self.v;
        self.n = 0;
        for k in 0..n {
            let (p, q) = (&old[k], &old[if k + 1 == n { 0 } else { k + 1 }]);
            let (sp, sq) = (out(p), out(q));
            if sp <= 0.0 {
                self.push(*p);
            }
            if (sp < 0.0 && sq > 0.0) || (sp > 0.0 && sq < 0.0) {
                let t = sp / (sp - sq);
                let mut w = [0.0; 3];
                for d in 0..3 {
                    w[d] = p[d] + (q[d] - p[d]) * t;
                }
                w[axis] = sign * h;
                self.push(w);
            }
        }
    }

    /// Merges neighbours nearer than `tolerance`, keeping the deeper one.
    #[inline]
    fn merge(&mut self, tolerance: f64) {
        let mut k = 0;
        while self.n > 1 && k < self.n {
            let next = if k + 1 == self.n { 0 } else { k + 1 };
            let (p, q) = (self.v[k], self.v[next]);
            if (p[0] - q[0]).abs() > tolerance || (p[1] - q[1]).abs() > tolerance {
                k += 1;
                continue;
            }
            self.v[k] = if q[2] < p[2] { q } else { p };
            self.v.copy_within(next + 1..self.n, next);
            self.n -= 1;
        }
    }

    #[inline]
    fn push(&mut self, w: [f64; 3]) {
        // Two convex quadrilaterals meet in at most eight corners.
        if self.n < 8 {
            self.v[self.n] = w;
            self.n += 1;
        }
    }
}
