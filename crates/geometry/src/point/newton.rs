//! The normal between two cores by Newton's method, from a direction that is known roughly.
//!
//! With h(n) = n . w(n), where w(n) is the vertex of M = A - B furthest along n, the penetration is the least value of h over
//! unit vectors, and if the cores are apart, -h is greatest along the normal and is the distance. Either way the part of w(n)
//! across n vanishes. Near the solution the surface of each core is one of a few pieces: a corner, an edge, an ellipsoid, the
//! rim or the side of a cylinder. An edge only counts along normals square to it; each takes away one of the two directions in
//! which n can turn. The derivative of w(n) is the sum of the Hessians of the pieces' support functions, and that of its part
//! across n is this less h.
//!
//! A result is handed out only if the whole cores, not just the pieces, have that value of h, so that it does not depend on where
//! the iteration began.

use super::Frame;
use super::core::Core;
use super::gjk::{CorePair, Vertex};
use super::manifold::tangents;
use super::penetration::Penetration;
use crate::V3;

/// Part of a core's surface, in the core's frame.
#[derive(Clone, Copy)]
enum Piece {
    Corner(V3),
    /// From one end to the other.
    Edge(V3, V3),
    Ellipsoid(V3),
    /// Radius and height of a circle about z.
    Rim(f64, f64),
    /// Side of a cylinder: radius and half length.
    Side(f64, f64),
}

/// A piece seen along a unit vector n, in the frame of A.
struct Seen<'a> {
    piece: Piece,
    frame: &'a Frame,
    /// n in the frame of the piece, pointing outward.
    n: V3,
    /// Furthest point, for edges one end.
    point: V3,
}

impl Piece {
    /// The piece of `core` that the furthest points found so far lie on, `None` if it is flat or not clear.
    fn of(core: &Core, found: &[V3], n: &V3) -> Option<Self> {
        let other = || found.iter().find(|p| **p != found[0]);
        Some(match core {
            Core::Point => Piece::Corner(V3::zeros()),
            Core::Ellipsoid(radii) => Piece::Ellipsoid(*radii),
            Core::Cylinder(r, h) => {
                if found.iter().any(|p| p.z > 0.0) && found.iter().any(|p| p.z < 0.0) {
                    Piece::Side(*r, *h)
                } else {
                    Piece::Rim(*r, h.copysign(n.z))
                }
            }
            _ => match other() {
                None => Piece::Corner(found[0]),
                Some(b) if found.iter().all(|p| *p == found[0] || p == b) => Piece::Edge(found[0], *b),
                Some(_) => return None,
            },
        })
    }

    fn edge(&self) -> Option<V3> {
        match self {
            Piece::Edge(p, q) => Some(q - p),
            Piece::Side(_, h) => Some(V3::new(0.0, 0.0, 2.0 * h)),
            _ => None,
        }
    }

    /// `n` points out of the core, in the frame of `frame`'s target.
    fn seen<'a>(self, n: &V3, frame: &'a Frame) -> Option<Seen<'a>> {
        let n = frame.local_dir(n);
        let across = |r: f64, z: f64| {
            let s = n.x.hypot(n.y);
            (s > 1e-9).then(|| V3::new(r * n.x / s, r * n.y / s, z))
        };
        let point = match self {
            Piece::Corner(p) | Piece::Edge(p, _) => p,
            Piece::Ellipsoid(radii) => crate::shape::ellipsoid_support(&radii, &n),
            Piece::Rim(r, z) => across(r, z)?,
            Piece::Side(r, h) => across(r, -h)?,
        };
        Some(Seen { piece: self, frame, n, point: frame.point(&point) })
    }
}

impl Seen<'_> {
    /// s . H t with the Hessian H of the support function at n, for s and t square to n.
    fn curvature(&self, s: &V3, t: &V3) -> f64 {
        match self.piece {
            Piece::Corner(_) | Piece::Edge(..) => 0.0,
            Piece::Ellipsoid(radii) => {
                let e = |d: &V3| radii.component_mul(&self.frame.local_dir(d));
                let m = radii.component_mul(&self.n);
                let (s, t, size) = (e(s), e(t), m.norm());
                (s.dot(&t) - s.dot(&m) * t.dot(&m) / (size * size)) / size
            }
            Piece::Rim(r, _) | Piece::Side(r, _) => {
                let (s, t) = (self.frame.local_dir(s), self.frame.local_dir(t));
                let square = self.n.x * self.n.x + self.n.y * self.n.y;
                let turn = |d: &V3| self.n.x * d.y - self.n.y * d.x;
                r * turn(&s) * turn(&t) / (square * square.sqrt())
            }
        }
    }
}

/// The normal near `n`, given vertices of M around it; `width` is the size of M. `None` if the iteration does not
/// lead to one.
pub(crate) fn normal(pair: &CorePair, near: &[Vertex], n: &V3, width: f64) -> Option<Penetration> {
    let at_origin = Frame { r: nalgebra::Matrix3::identity(), p: V3::zeros() };
    let mut found = [[V3::zeros(); 4]; 2];
    for (k, v) in near.iter().enumerate() {
        found[0][k] = v.a;
        found[1][k] = v.b;
    }
    let piece_a = Piece::of(&pair.a, &found[0][..near.len()], n)?;
    let piece_b = Piece::of(&pair.b, &found[1][..near.len()], &-pair.x_ab.local_dir(n))?;
    let (edge_a, edge_b) = (piece_a.edge(), piece_b.edge().map(|e| pair.x_ab.r * e));
    let mut n = match (edge_a, edge_b) {
        (Some(u), Some(v)) => {
            let across = u.cross(&v);
            if across.norm_squared() < 1e-8 * u.norm_squared() * v.norm_squared() {
                return None;
            }
            across * across.dot(n).signum()
        }
        (Some(u), None) | (None, Some(u)) => n - u * (u.dot(n) / u.norm_squared()),
        (None, None) => *n,
    }
    .try_normalize(1e-12)?;
    for _ in 0..8 {
        let a = piece_a.seen(&n, &at_origin)?;
        let b = piece_b.seen(&-n, &pair.x_ab)?;
        let w = a.point - b.point;
        let h = n.dot(&w);
        let curvature = |s: &V3, t: &V3| a.curvature(s, t) + b.curvature(s, t);
        let turn = match (edge_a, edge_b) {
            (Some(_), Some(_)) => V3::zeros(),
            (Some(u), None) | (None, Some(u)) => {
                let t = n.cross(&u.normalize());
                let slope = curvature(&t, &t) - h;
                if slope <= 0.0 || slope.is_nan() {
                    return None;
                }
                t * (-w.dot(&t) / slope)
            }
            (None, None) => {
                let (s, t) = tangents(&n);
                let (x, y) = (w.dot(&s), w.dot(&t));
                let (p, q, r) = (curvature(&s, &s) - h, curvature(&s, &t), curvature(&t, &t) - h);
                let det = p * r - q * q;
                if !(p > 0.0 && det > 0.0) {
                    return None;
                }
                s * ((q * y - r * x) / det) + t * ((q * x - p * y) / det)
            }
        };
        let change = turn.norm_squared();
        if change >= 0.25 || change.is_nan() {
            return None;
        }
        n = (n + turn).normalize();
        // The next change would be at the level of rounding.
        if change < 1e-16 {
            return checked(pair, piece_a, piece_b, &n, width);
        }
    }
    None
}

/// The normal if the whole cores have it, with the point on A.
fn checked(pair: &CorePair, piece_a: Piece, piece_b: Piece, n: &V3, width: f64) -> Option<Penetration> {
    let at_origin = Frame { r: nalgebra::Matrix3::identity(), p: V3::zeros() };
    let a = piece_a.seen(n, &at_origin)?.point;
    let b = piece_b.seen(&-n, &pair.x_ab)?.point;
    let w = a - b;
    let depth = pair.support(n).w.dot(n);
    if depth > w.dot(n) + 1e-13 * width {
        return None;
    }
    // Where along their edges the two face each other.
    let inside = |s: f64| (-1e-9..=1.0 + 1e-9).contains(&s).then_some(s.clamp(0.0, 1.0));
    let along = match (piece_a.edge(), piece_b.edge().map(|e| pair.x_ab.r * e)) {
        (None, None) => V3::zeros(),
        (Some(u), None) => u * inside(-w.dot(&u) / u.norm_squared())?,
        (None, Some(v)) => {
            inside(w.dot(&v) / v.norm_squared())?;
            V3::zeros()
        }
        (Some(u), Some(v)) => {
            // (w + s u - t v) . u = (w + s u - t v) . v = 0
            let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
            let det = uu * vv - uv * uv;
            inside((w.dot(&v) * uu - w.dot(&u) * uv) / det)?;
            u * inside((w.dot(&v) * uv - w.dot(&u) * vv) / det)?
        }
    };
    Some(Penetration { n: *n, depth, a: a + along })
}
