//! A polytope inside the Minkowski difference M = A - B that grows towards the face of M nearest to the origin (expanding
//! polytope algorithm). Its nearest face is a lower bound of the penetration depth.

use super::gjk::{CorePair, Simplex, Vertex};
use crate::V3;

/// A triangle of the polytope: corners, outward unit normal, distance of its plane from the origin.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    v: [u32; 3],
    pub n: V3,
    pub d: f64,
}

/// The polytope; memory is reused.
#[derive(Debug, Default)]
pub(crate) struct Polytope {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    horizon: Vec<[u32; 2]>,
    /// Size of M, for tolerances.
    pub scale: f64,
}

const MAX_FACES: usize = 1024;

impl Polytope {
    /// A tetrahedron that contains the simplex of a search that ended in overlap. `Err` carries the normal of a flat M, or
    /// nothing if M is even thinner.
    pub fn start(&mut self, pair: &CorePair, simplex: &Simplex) -> Result<(), Option<V3>> {
        self.vertices.clear();
        self.faces.clear();
        self.vertices.extend_from_slice(&simplex.v[..simplex.n]);
        self.complete_tetrahedron(pair)?;
        self.scale = self.vertices.iter().map(|v| v.w.norm()).fold(0.0, f64::max);
        for t in [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] {
            self.add_face(t);
        }
        Ok(())
    }

    /// The face nearest to the origin that can still be expanded.
    pub fn nearest(&self) -> Option<Face> {
        let mut faces = self.faces.iter();
        let mut best = faces.next()?;
        for f in faces {
            if f.d < best.d {
                best = f;
            }
        }
        best.d.is_finite().then_some(*best)
    }

    /// Witness on A for the foot of the origin on a face of M. Such a face consists of several triangles, all at the same
    /// distance; the foot lies in one of them.
    pub fn witness(&self, f: &Face) -> V3 {
        let foot = f.n * f.d;
        let mut best = (f64::INFINITY, V3::zeros());
        let coplanar = |g: &&Face| (g.d - f.d).abs() <= 1e-10 * self.scale && g.n.dot(&f.n) > 1.0 - 1e-12;
        for g in std::iter::once(f).chain(self.faces.iter().filter(coplanar)) {
            let [p, q, r] = g.v.map(|i| self.vertices[i as usize]);
            let (off, w) = super::gjk::on_triangle(&(p.w - foot), &(q.w - foot), &(r.w - foot));
            if off.norm_squared() < best.0 {
                best = (off.norm_squared(), p.a * w[0] + q.a * w[1] + r.a * w[2]);
            }
        }
        best.1
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

    fn add_face(&mut self, v: [u32; 3]) {
        let [p, q, r] = v.map(|i| self.vertices[i as usize].w);
        let (pq, pr) = (q - p, r - p);
        let n = pq.cross(&pr);
        let len = n.norm();
        // A sliver keeps the surface closed but is never expanded.
        let sliver = len <= 1e-12 * self.scale * pq.norm().max(pr.norm()) || len == 0.0;
        let n = if len > 0.0 { n / len } else { V3::zeros() };
        let d = if sliver { f64::INFINITY } else { n.dot(&p) };
        self.faces.push(Face { v, n, d });
    }

    /// Grows the polytope by a vertex; false when that changes nothing.
    pub fn expand(&mut self, w: Vertex) -> bool {
        let (id, scale) = (self.vertices.len() as u32, self.scale);
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
            self.add_face([i, j, id]);
        }
        true
    }
}
