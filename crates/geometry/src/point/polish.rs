//! The last digits of a penetration between curved shapes, whose direction the polytope search knows roughly.
//!
//! The depth along a direction n is h(n) = n . w(n), with w(n) the vertex of M = A - B furthest along n, and the
//! penetration is its least value over unit vectors. Three ways, the cheapest first, each with a proof of optimality:
//!
//! - **a flat face**: n is the face's normal and the other shape's deepest point lies over the face;
//! - **smooth on both sides**: Newton's method on the tangential part of w(n), which vanishes at the
//!   optimum; its derivative is the Hessian of h less h itself;
//! - **anything else** (an edge against a curved side): B is moved out along n a little further than needed, and the
//!   nearest points of the now separate shapes give a better n. Where M is a ball of radius R
//!   the error of n shrinks by s / (s + R - depth) each time, with s the move: fast when the overlap is shallow.

use super::Frame;
use super::epa::Penetration;
use super::features::facing;
use super::gjk::{CorePair, Outcome, distance};
use super::manifold::tangents;
use crate::V3;

/// Clearance of the moved shape, as a part of the width of M.
const CLEARANCE: f64 = 0.01;

/// The optimum near `start`. `polygon` is working memory; `slack` is how well `start.depth` is known.
pub(crate) fn polish(pair: &CorePair, start: Penetration, slack: f64, polygon: &mut Vec<V3>) -> Penetration {
    let width = start.depth - pair.support(&-start.n).w.dot(&start.n);
    flat_face(pair, &start, slack * width, polygon)
        .or_else(|| newton(pair, &start, width))
        .unwrap_or_else(|| by_distance(pair, start, width))
}

fn flat_face(pair: &CorePair, start: &Penetration, slack: f64, polygon: &mut Vec<V3>) -> Option<Penetration> {
    let at_origin = Frame { r: nalgebra::Matrix3::identity(), p: V3::zeros() };
    for face_of_a in [true, false] {
        let n = if face_of_a {
            facing(&pair.a, &start.n, &at_origin, polygon)
        } else {
            -facing(&pair.b, &-pair.x_ab.local_dir(&start.n), &pair.x_ab, polygon)
        };
        if polygon.len() < 3 {
            continue;
        }
        let s = pair.support(&n);
        let depth = s.w.dot(&n);
        let b = s.a - s.w;
        let over = if face_of_a { b } else { s.a };
        let outward = if face_of_a { n } else { -n };
        let inside = (0..polygon.len()).all(|k| {
            let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            (q - p).cross(&(over - p)).dot(&outward) >= 0.0
        });
        if inside && depth <= start.depth + slack {
            return Some(Penetration {
                n,
                depth,
                a: if face_of_a { b + n * depth } else { s.a },
                exact: true,
            });
        }
    }
    None
}

fn newton(pair: &CorePair, start: &Penetration, width: f64) -> Option<Penetration> {
    const STEP: f64 = 1e-5;
    let (mut n, mut last) = (start.n, f64::INFINITY);
    for _ in 0..8 {
        let s = pair.support(&n);
        let h = s.w.dot(&n);
        let (t1, t2) = tangents(&n);
        let r = [s.w.dot(&t1), s.w.dot(&t2)];
        let error = r[0].hypot(r[1]);
        if error <= 1e-11 * width {
            return (h <= start.depth + 1e-12 * width).then_some(Penetration {
                n,
                depth: h,
                a: s.a,
                exact: true,
            });
        }
        if error > 0.5 * last {
            return None; // a kink, or too far off
        }
        last = error;
        let slope = |t: &V3| (pair.support(&(n + t * STEP)).w - s.w) / STEP;
        let (d1, d2) = (slope(&t1), slope(&t2));
        let (a, b, c) = (d1.dot(&t1) - h, 0.5 * (d1.dot(&t2) + d2.dot(&t1)), d2.dot(&t2) - h);
        let det = a * c - b * b;
        if !(a > 0.0 && det > 0.0) {
            return None;
        }
        let (x, y) = ((b * r[1] - c * r[0]) / det, (b * r[0] - a * r[1]) / det);
        n = (n + t1 * x + t2 * y).normalize();
    }
    None
}

fn by_distance(pair: &CorePair, start: Penetration, width: f64) -> Penetration {
    let mut best = start;
    for _ in 0..24 {
        let mut moved = *pair;
        moved.x_ab.p += best.n * (best.depth + CLEARANCE * width);
        let Outcome::Apart { n, a, .. } = distance(&moved, f64::INFINITY) else { break };
        let depth = pair.support(&n).w.dot(&n);
        if depth > best.depth + 1e-12 * width {
            break;
        }
        let change = (n - best.n).norm_squared();
        best = Penetration { n, depth, a, exact: false };
        // The next change would be at the level of rounding.
        if change < 1e-15 {
            break;
        }
    }
    best
}
