//! Distance between convex cores: the point of the Minkowski difference M = A - B nearest to the origin
//! (Gilbert, Johnson and Keerthi), refined until the support plane certifies it.

use super::core::Core;
use super::{Frame, newton};
use crate::V3;

/// A vertex w = a - b of M, in the frame of A, with the points it comes from, each in the frame of its core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vertex {
    pub w: V3,
    pub a: V3,
    pub b: V3,
}

/// A pair of cores, B at pose `x_ab` in the frame of A.
#[derive(Clone, Copy)]
pub(crate) struct CorePair<'a> {
    pub a: Core<'a>,
    pub b: Core<'a>,
    pub x_ab: Frame,
}

impl CorePair<'_> {
    /// The vertex of M furthest along `d`.
    #[inline]
    pub fn support(&self, d: &V3) -> Vertex {
        let a = self.a.support(d);
        let b = self.b.support(&-self.x_ab.local_dir(d));
        Vertex { w: a - self.x_ab.point(&b), a, b }
    }
}

/// The vertices of M around the nearest point, with its barycentric coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Simplex {
    pub v: [Vertex; 4],
    pub n: usize,
    weight: [f64; 4],
}

/// What GJK found.
#[expect(clippy::large_enum_variant, reason = "a box would allocate in every query")]
pub(crate) enum Outcome {
    /// Further apart than asked about.
    Far,
    /// Apart: unit normal from A to B, distance, witness point on A (frame of A).
    Apart { n: V3, distance: f64, a: V3 },
    /// Touching or overlapping; the simplex is where the search ended.
    Overlap(Simplex),
}

/// Distance below which cores count as touching, relative to their size.
const TOUCH: f64 = 1e-10;

/// Distance of two cores, if not above `limit`.
pub(crate) fn distance(pair: &CorePair, limit: f64) -> Outcome {
    let mut d = pair.x_ab.point(&pair.b.center()) - pair.a.center();
    if d.norm_squared() == 0.0 {
        d = -V3::x();
    }
    if !(pair.a.is_curved() || pair.b.is_curved()) {
        return search(|d| pair.support(d), &d, limit, |_, _| None);
    }
    let mut tries = [1e-2, 1e-5].into_iter().peekable();
    search(
        |d| pair.support(d),
        &d,
        limit,
        |s, gap| {
            tries.next_if(|t| gap <= *t)?;
            let p = newton::normal(pair, s.vertices(), &-s.nearest().normalize(), s.v[0].w.norm())?;
            Some(if p.depth < -limit {
                Outcome::Far
            } else if p.depth < 0.0 {
                Outcome::Apart { n: p.n, distance: -p.depth, a: p.a }
            } else {
                return None;
            })
        },
    )
}

/// Distance of the body with the given support function from the origin, if not above `limit`. `start` points from the body
/// to the origin, roughly. `finish` may end the search early; it gets the simplex and the relative gap between the bounds of the
/// squared distance.
pub(crate) fn search(
    support: impl Fn(&V3) -> Vertex,
    start: &V3,
    limit: f64,
    mut finish: impl FnMut(&Simplex, f64) -> Option<Outcome>,
) -> Outcome {
    let first = support(start);
    let mut s = Simplex { v: [first; 4], n: 1, weight: [1.0, 0.0, 0.0, 0.0] };
    let mut v = first.w;
    let mut scale = first.w.norm();
    for _ in 0..128 {
        let vv = v.norm_squared();
        if vv <= (TOUCH * scale).powi(2) {
            return Outcome::Overlap(s);
        }
        let w = support(&-v);
        scale = scale.max(w.w.norm());
        let vw = v.dot(&w.w);
        // v.w/|v| bounds the distance from below.
        if vw > 0.0 && vw * vw > limit * limit * vv && limit >= 0.0 {
            return Outcome::Far;
        }
        let known = s.v[..s.n].iter().any(|x| x.w == w.w);
        if known || vv - vw <= 1e-14 * vv {
            break;
        }
        if vw > 0.0
            && let Some(outcome) = finish(&s, (vv - vw) / vv)
        {
            return outcome;
        }
        let before = s;
        s.v[s.n] = w;
        s.n += 1;
        let next = s.reduce(vw > 0.0);
        if s.n == 4 {
            return Outcome::Overlap(s);
        }
        if next.norm_squared() >= vv {
            // Rounding: no further progress.
            s = before;
            break;
        }
        v = next;
    }
    let a = (0..s.n).map(|i| s.weight[i] * s.v[i].a).sum();
    let distance = v.norm();
    if distance > limit {
        return Outcome::Far;
    }
    Outcome::Apart { n: -v / distance, distance, a }
}

impl Simplex {
    pub fn vertices(&self) -> &[Vertex] {
        &self.v[..self.n]
    }

    /// The point nearest to the origin.
    pub fn nearest(&self) -> V3 {
        (0..self.n).map(|i| self.weight[i] * self.v[i].w).sum()
    }

    /// Keeps the vertices around the point nearest to the origin and returns that point.
    /// All four stay when the origin is inside, which rounding shall not claim when it is known `outside`.
    fn reduce(&mut self, outside: bool) -> V3 {
        match self.n {
            1 => {
                self.weight[0] = 1.0;
                self.v[0].w
            }
            2 => {
                let (v, w) = on_segment(&self.v[0].w, &self.v[1].w);
                self.keep(&[0, 1], &w);
                v
            }
            3 => {
                let (v, w) = on_triangle(&self.v[0].w, &self.v[1].w, &self.v[2].w);
                self.keep(&[0, 1, 2], &w);
                v
            }
            _ => self.reduce_tetrahedron(outside),
        }
    }

    fn keep(&mut self, index: &[usize], weight: &[f64]) {
        let old = self.v;
        self.n = 0;
        for (&i, &w) in index.iter().zip(weight) {
            if w > 0.0 {
                self.v[self.n] = old[i];
                self.weight[self.n] = w;
                self.n += 1;
            }
        }
    }

    fn reduce_tetrahedron(&mut self, outside: bool) -> V3 {
        const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
        let p = [self.v[0].w, self.v[1].w, self.v[2].w, self.v[3].w];
        let mut best: Option<(f64, V3, [usize; 3], [f64; 3])> = None;
        let mut inside = true;
        for [i, j, k, o] in FACES {
            let n = (p[j] - p[i]).cross(&(p[k] - p[i]));
            let (origin, opposite) = (-p[i].dot(&n), (p[o] - p[i]).dot(&n));
            // Outside of this face, or the tetrahedron is flat and decides nothing.
            let flat = opposite.abs() <= 1e-13 * n.norm() * (p[o] - p[i]).norm();
            if origin * opposite < 0.0 || flat || outside {
                inside = false;
                let (v, w) = on_triangle(&p[i], &p[j], &p[k]);
                if best.as_ref().is_none_or(|b| v.norm_squared() < b.0) {
                    best = Some((v.norm_squared(), v, [i, j, k], w));
                }
            }
        }
        match best {
            Some((_, v, index, w)) if !inside => {
                self.keep(&index, &w);
                v
            }
            _ => V3::zeros(),
        }
    }
}

fn on_segment(a: &V3, b: &V3) -> (V3, [f64; 2]) {
    let ab = b - a;
    let len = ab.norm_squared();
    let t = if len > 0.0 { (-a.dot(&ab) / len).clamp(0.0, 1.0) } else { 0.0 };
    (a + t * ab, [1.0 - t, t])
}

/// Nearest point of a triangle to the origin with barycentric coordinates, by Voronoi regions.
///
/// The foot of the origin on the plane comes first and the regions are told relative to it: for a small
/// triangle far away, the regions told from the origin itself would drown in cancellation.
pub(crate) fn on_triangle(a: &V3, b: &V3, c: &V3) -> (V3, [f64; 3]) {
    let n = (b - a).cross(&(c - a));
    let nn = n.norm_squared();
    let longest = (b - a).norm_squared().max((c - a).norm_squared());
    if nn <= 1e-24 * longest * longest {
        // A sliver: its nearest point lies on an edge.
        let edges = [(on_segment(a, b), 0), (on_segment(a, c), 1), (on_segment(b, c), 2)];
        let nearer = |x: &V3, y: &V3| x.norm_squared() < y.norm_squared();
        let best = edges.into_iter().fold(edges[0], |m, e| if nearer(&e.0.0, &m.0.0) { e } else { m });
        let ((v, [s, t]), e) = best;
        return (v, [[s, t, 0.0], [s, 0.0, t], [0.0, s, t]][e]);
    }
    let foot = n * (a.dot(&n) / nn);
    let (p, q, r) = (a - foot, b - foot, c - foot);
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(&p), -ac.dot(&p));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, [1.0, 0.0, 0.0]);
    }
    let (d3, d4) = (-ab.dot(&q), -ac.dot(&q));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, [0.0, 1.0, 0.0]);
    }
    let (d5, d6) = (-ab.dot(&r), -ac.dot(&r));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, [0.0, 0.0, 1.0]);
    }
    // Areas of the triangles that the foot spans with the edges.
    let (wa, wb, wc) = (q.cross(&r).dot(&n), r.cross(&p).dot(&n), p.cross(&q).dot(&n));
    if wc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let (v, [s, t]) = on_segment(a, b);
        return (v, [s, t, 0.0]);
    }
    if wb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let (v, [s, t]) = on_segment(a, c);
        return (v, [s, 0.0, t]);
    }
    if wa <= 0.0 && d4 >= d3 && d5 >= d6 {
        let (v, [s, t]) = on_segment(b, c);
        return (v, [0.0, s, t]);
    }
    let sum = wa + wb + wc;
    let w = [wa / sum, wb / sum, wc / sum];
    // Not the foot itself: on slivers its error leaves the triangle, that of the weights stays inside.
    (a * w[0] + b * w[1] + c * w[2], w)
}
