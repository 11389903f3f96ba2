//! Penetration depth of overlapping convex cores: the face of the Minkowski difference M = A - B nearest
//! to the origin, found by growing a polytope inside M (expanding polytope algorithm).

use super::gjk::{CorePair, Simplex, Vertex};
use crate::V3;

/// Penetration of two cores, frame of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Penetration {
    /// Unit normal from A into B: moving B by `depth * n` separates.
    pub n: V3,
    pub depth: f64,
    /// Witness point on A.
    pub a: V3,
    /// Whether a flat face of M was met exactly.
    pub exact: bool,
}

#[derive(Debug, Clone, Copy)]
struct Face {
    v: [u32; 3],
    n: V3,
    d: f64,
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct Epa {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    horizon: Vec<[u32; 2]>,
    /// For [`super::polish`].
    pub polygon: Vec<V3>,
}

const MAX_ITERATIONS: usize = 160;
const MAX_FACES: usize = 1024;

impl Epa {
    /// Depth and direction of the shortest separating translation. `fallback` is the normal used
    /// when M is flat and has no inside. Polytopes end with an exact face; on curved shapes the search ends
    /// when the depth is known to `tolerance` (relative to the size of M), and [`super::polish`] does the rest. The
    /// tolerance also bounds the jump of the depth where two directions are equally good.
    pub fn penetration(
        &mut self,
        pair: &CorePair,
        simplex: &Simplex,
        fallback: &V3,
        tolerance: f64,
    ) -> Penetration {
        self.vertices.clear();
        self.faces.clear();
        self.vertices.extend_from_slice(&simplex.v[..simplex.n]);
        if let Err(flat) = self.complete_tetrahedron(pair) {
            let n = flat.map_or(*fallback, |n| if n.dot(fallback) < 0.0 { -n } else { n });
            let s = pair.support(&n);
            return Penetration { n, depth: s.w.dot(&n).max(0.0), a: s.a, exact: true };
        }
        let scale = self.vertices.iter().map(|v| v.w.norm()).fold(0.0, f64::max);
        for t in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
            self.add_face(t, scale);
        }
        // The tightest upper bound seen: the support plane of the best face so far.
        let mut best: Option<(f64, Face)> = None;
        for _ in 0..MAX_ITERATIONS {
            let Some(f) = self.faces.iter().copied().min_by(|x, y| x.d.total_cmp(&y.d)) else { break };
            if !f.d.is_finite() {
                break;
            }
            let w = pair.support(&f.n);
            let upper = w.w.dot(&f.n);
            if best.as_ref().is_none_or(|b| upper < b.0) {
                best = Some((upper, f));
            }
            if upper - f.d <= tolerance * scale || !self.expand(w, scale) {
                break;
            }
        }
        match best {
            Some((depth, f)) => self.witness(&f, depth, scale),
            None => {
                let s = pair.support(fallback);
                Penetration { n: *fallback, depth: s.w.dot(fallback).max(0.0), a: s.a, exact: true }
            }
        }
    }

    /// Witness on the triangle under which the origin lies: a flat face of M consists of several, all at
    /// the same distance.
    fn witness(&self, f: &Face, depth: f64, scale: f64) -> Penetration {
        let foot = f.n * f.d;
        let mut best = (f64::INFINITY, V3::zeros());
        let coplanar = |g: &&Face| (g.d - f.d).abs() <= 1e-10 * scale && g.n.dot(&f.n) > 1.0 - 1e-12;
        for g in std::iter::once(f).chain(self.faces.iter().filter(coplanar)) {
            let [p, q, r] = g.v.map(|i| self.vertices[i as usize]);
            let (off, w) = super::gjk::on_triangle(&(p.w - foot), &(q.w - foot), &(r.w - foot));
            if off.norm_squared() < best.0 {
                best = (off.norm_squared(), p.a * w[0] + q.a * w[1] + r.a * w[2]);
            }
        }
        Penetration { n: f.n, depth, a: best.1, exact: depth - f.d <= 1e-12 * scale }
    }

    /// Adds support points until four vertices span a volume, outward faces [0, 1, 2] and so on.
    /// `Err` carries the normal of a flat M, or nothing if M is even thinner.
    fn complete_tetrahedron(&mut self, pair: &CorePair) -> Result<(), Option<V3>> {
        let size = [V3::x(), V3::y(), V3::z()]
            .iter()
            .map(|d| (pair.support(d).w - pair.support(&-d).w).dot(d))
            .fold(0.0, f64::max);
        let axes = [V3::x(), V3::y(), V3::z(), -V3::x(), -V3::y(), -V3::z()];
        let tiny = 1e-9 * size;
        if self.vertices.len() == 4 {
            let p = [0, 1, 2, 3].map(|i: usize| self.vertices[i].w);
            let n = (p[1] - p[0]).cross(&(p[2] - p[0]));
            if (p[3] - p[0]).dot(&n).abs() <= tiny * n.norm() {
                self.vertices.truncate(3);
            }
        }
        if self.vertices.len() == 3 {
            let p = [0, 1, 2].map(|i: usize| self.vertices[i].w);
            if (p[1] - p[0]).cross(&(p[2] - p[0])).norm() <= tiny * (p[1] - p[0]).norm() {
                self.vertices.truncate(2);
            }
        }
        if self.vertices.len() == 2 && (self.vertices[1].w - self.vertices[0].w).norm() <= tiny {
            self.vertices.truncate(1);
        }
        if self.vertices.len() == 1 {
            let p = self.vertices[0].w;
            let far = axes
                .iter()
                .map(|d| pair.support(d))
                .max_by(|x, y| (x.w - p).norm_squared().total_cmp(&(y.w - p).norm_squared()));
            self.vertices.extend(far.filter(|v| (v.w - p).norm() > tiny));
        }
        if self.vertices.len() == 2 {
            let p = self.vertices[0].w;
            let u = (self.vertices[1].w - p).normalize();
            let off = |v: &Vertex| ((v.w - p) - u * u.dot(&(v.w - p))).norm_squared();
            let e = u.cross(&axes[u.iamin()]).normalize();
            let f = u.cross(&e);
            let far = [e, -e, f, -f].iter().map(|d| pair.support(d)).max_by(|x, y| off(x).total_cmp(&off(y)));
            self.vertices.extend(far.filter(|v| off(v).sqrt() > tiny));
        }
        if self.vertices.len() < 3 {
            return Err(None);
        }
        let p = [0, 1, 2].map(|i: usize| self.vertices[i].w);
        let n = (p[1] - p[0]).cross(&(p[2] - p[0])).normalize();
        if self.vertices.len() == 3 {
            let height = |v: &Vertex| (v.w - p[0]).dot(&n).abs();
            // Towards the origin's side first; it must end up inside.
            let (above, below) = (pair.support(&n), pair.support(&-n));
            let side = -p[0].dot(&n);
            let first = if side > tiny || (side >= -tiny && height(&above) >= height(&below)) {
                above
            } else {
                below
            };
            if height(&first) <= tiny {
                return Err(Some(n));
            }
            self.vertices.push(first);
        }
        if (self.vertices[3].w - p[0]).dot(&n) > 0.0 {
            self.vertices.swap(1, 2);
        }
        Ok(())
    }

    fn add_face(&mut self, v: [u32; 3], scale: f64) {
        let [p, q, r] = v.map(|i| self.vertices[i as usize].w);
        let (pq, pr) = (q - p, r - p);
        let n = pq.cross(&pr);
        let len = n.norm();
        // A sliver keeps the surface closed but is never expanded.
        let sliver = len <= 1e-12 * scale * pq.norm().max(pr.norm()) || len == 0.0;
        let n = if len > 0.0 { n / len } else { V3::zeros() };
        let d = if sliver { f64::INFINITY } else { n.dot(&p) };
        self.faces.push(Face { v, n, d });
    }

    /// Grows the polytope by a vertex; false when that changes nothing.
    fn expand(&mut self, w: Vertex, scale: f64) -> bool {
        let id = self.vertices.len() as u32;
        self.horizon.clear();
        let (vertices, horizon) = (&self.vertices, &mut self.horizon);
        let before = self.faces.len();
        self.faces.retain(|f| {
            let p = vertices[f.v[0] as usize].w;
            let visible = f.n.dot(&(w.w - p)) > 1e-13 * scale;
            if visible {
                for k in 0..3 {
                    let (i, j) = (f.v[k], f.v[(k + 1) % 3]);
                    match horizon.iter().position(|e| *e == [j, i]) {
                        Some(at) => {
                            horizon.swap_remove(at);
                        }
                        None => horizon.push([i, j]),
                    }
                }
            }
            !visible
        });
        // A broken horizon (rounding on slivers) would only spread: stop with what is known.
        if self.faces.len() == before || self.horizon.len() < 3 || self.faces.len() > MAX_FACES {
            return false;
        }
        self.vertices.push(w);
        for k in 0..self.horizon.len() {
            let [i, j] = self.horizon[k];
            self.add_face([i, j, id], scale);
        }
        true
    }
}
