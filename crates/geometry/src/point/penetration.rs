//! Penetration of overlapping convex cores.
//!
//! A polytope that grows inside M = A - B (`epa.rs`) bounds the depth from below. Between polytopes it ends with a face of M. On
//! curved shapes it would need hundreds of faces, so the direction is refined on the way and its optimum put into the polytope,
//! which then has little left to do but to prove that no other direction is shallower. Contacts are shallow: if one of the shapes
//! were a little smaller they would be apart, and the direction between them then is where refinement starts.
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
use super::epa::Polytope;
use super::features::facing;
use super::gjk::{CorePair, Outcome, Simplex, Vertex, search};
use super::manifold::tangents;
use super::newton;
use crate::V3;

/// Clearance of the moved shape, as a part of the width of M.
const CLEARANCE: f64 = 0.01;
/// What is taken off the smaller shape in search of a first direction, as a part of its size.
const SHRINK: f64 = 0.05;
/// Relative gap of the bounds of a squared distance at which its direction is known roughly.
const ROUGH: f64 = 1e-3;
/// Half angle of the pyramid by which the polytope covers an optimum.
const RING: f64 = 4e-4;
/// Bounds nearer to each other than this, relative to the size of M, are worth a refinement.
const NEAR: f64 = 0.01;
/// How well the shallowest direction is told from others on curved shapes, as a part of the depth.
const SURE: f64 = 1e-6;
const MAX_ITERATIONS: usize = 160;

/// Penetration of two cores, frame of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Penetration {
    /// Unit normal from A into B: moving B by `depth * n` separates.
    pub n: V3,
    pub depth: f64,
    /// Witness point on A.
    pub a: V3,
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct PenetrationScratch {
    polytope: Polytope,
    polygon: Vec<V3>,
}

/// Depth and direction of the shortest translation that separates two overlapping cores. `fallback` is the normal used if M is
/// flat and has no inside.
///
/// Polytopes end with an exact face. On curved shapes the depth is that of an optimum to rounding, and no other direction has a
/// depth less by more than a part of [`SURE`]: that bounds the jump where two directions are equally good. It is a part of the
/// depth, not of the size of M: what rests on a stiff floor is less than 1e-7 of its size deep, and at the floor's edge the
/// normal sideways would be as good as the one upward.
pub(crate) fn penetration(
    pair: &CorePair,
    simplex: &Simplex,
    fallback: &V3,
    scratch: &mut PenetrationScratch,
) -> Penetration {
    let PenetrationScratch { polytope, polygon } = scratch;
    let along = |n: V3| {
        let s = pair.support(&n);
        Penetration { n, depth: s.w.dot(&n), a: s.a }
    };
    if let Err(flat) = polytope.start(pair, simplex) {
        let p = along(flat.map_or(*fallback, |n| if n.dot(fallback) < 0.0 { -n } else { n }));
        return Penetration { depth: p.depth.max(0.0), ..p };
    }
    let curved = pair.a.is_curved() || pair.b.is_curved();
    let rounding = 1e-12 * polytope.scale;
    let slack = |depth: f64| rounding + if curved { SURE * depth } else { 0.0 };
    // The shallowest direction so far, and the shallowest one refined.
    let (mut rough, mut best): (Option<Penetration>, Option<Penetration>) = (None, None);
    if curved && let Some((n, near)) = shallow_direction(pair) {
        let p = refine(pair, along(n), near.vertices(), polygon);
        cover(pair, &p, polytope);
        best = Some(p.penetration);
    }
    for _ in 0..MAX_ITERATIONS {
        let Some(f) = polytope.nearest() else { break };
        if best.is_some_and(|b| f.d >= b.depth - slack(b.depth)) {
            break;
        }
        let s = pair.support(&f.n);
        let upper = s.w.dot(&f.n);
        if upper - f.d <= rounding {
            return Penetration { n: f.n, depth: upper, a: polytope.witness(&f) };
        }
        if rough.is_none_or(|r| upper < r.depth) {
            rough = Some(Penetration { n: f.n, depth: upper, a: s.a });
        }
        let grown = polytope.expand(s);
        if curved
            && upper - f.d <= NEAR * polytope.scale
            && best.is_none_or(|b| upper < b.depth - slack(b.depth))
        {
            let p = refine(pair, Penetration { n: f.n, depth: upper, a: s.a }, &[s], polygon);
            cover(pair, &p, polytope);
            best = Some(p.penetration);
        } else if !grown {
            break;
        }
    }
    match (best, rough) {
        (Some(b), _) => b,
        (None, Some(r)) => refine(pair, r, &[pair.support(&r.n)], polygon).penetration,
        (None, None) => along(*fallback),
    }
}

/// The normal between two cores that are apart by hardly anything; their depth is negative.
pub(crate) fn close_normal(pair: &CorePair, n: V3, scratch: &mut PenetrationScratch) -> Penetration {
    let s = pair.support(&n);
    let start = Penetration { n, depth: s.w.dot(&n), a: s.a };
    refine(pair, start, &[s], &mut scratch.polygon).penetration
}

/// The direction between the two, roughly, if one of them were a little smaller, unless they overlap even then. With vertices of
/// M around it.
fn shallow_direction(pair: &CorePair) -> Option<(V3, Simplex)> {
    let (a, b) = (pair.a.breadth(), pair.b.breadth());
    let (keep_a, keep_b) = match (a > 0.0, b > 0.0) {
        (true, false) => (1.0 - SHRINK, 1.0),
        (true, true) if a < b => (1.0 - SHRINK, 1.0),
        (_, true) => (1.0, 1.0 - SHRINK),
        (false, false) => return None,
    };
    let (ca, cb) = (pair.a.center(), pair.x_ab.point(&pair.b.center()));
    let offset = (ca - cb) - (ca * keep_a - cb * keep_b);
    let support = |d: &V3| {
        let a = pair.a.support(d);
        let b = pair.b.support(&-pair.x_ab.local_dir(d));
        Vertex { w: a * keep_a - pair.x_ab.point(&b) * keep_b + offset, a, b }
    };
    let start = if cb == ca { V3::x() } else { cb - ca };
    let mut found = None;
    search(support, &start, f64::INFINITY, |s, gap| {
        if gap > ROUGH {
            return None;
        }
        found = Some((-s.nearest().normalize(), *s));
        Some(Outcome::Far)
    });
    found
}

/// Puts the optimum and four points of M around it into the polytope: its faces there are no deeper inside than the
/// tolerance, and others are seen from the origin at a distance of at least the depth if the overlap is shallow. A face through
/// the optimum tilted by e is nearer to the origin by depth e² / 2. A chord of M over the angles e to b, with R the radius of
/// curvature, gains R e b / 2 in distance over one from the optimum itself, which is nearer to the origin than the optimum by
/// depth b² / 8; so deeper overlaps get wider rings, too.
fn cover(pair: &CorePair, optimum: &Optimum, polytope: &mut Polytope) {
    let p = &optimum.penetration;
    let (t1, t2) = tangents(&p.n);
    polytope.expand(pair.support(&p.n));
    if optimum.certain {
        let w = p.n * p.depth;
        polytope.expand(Vertex { w, a: p.a, b: pair.x_ab.local(&(p.a - w)) });
    }
    let mut ring = RING;
    loop {
        for t in [t1, t2, -t1, -t2] {
            polytope.expand(pair.support(&(p.n + t * ring)));
        }
        if 30.0 * ring * polytope.scale >= p.depth || ring > 0.01 {
            return;
        }
        ring *= 12.0;
    }
}

/// Result of [`refine`].
struct Optimum {
    penetration: Penetration,
    /// Whether the point `depth * n` is known to lie on M, which makes n a normal of M there.
    certain: bool,
}

/// The optimum near `start`, given vertices of M around it.
fn refine(pair: &CorePair, start: Penetration, near: &[Vertex], polygon: &mut Vec<V3>) -> Optimum {
    let width = start.depth - pair.support(&-start.n).w.dot(&start.n);
    // What is deeper than the start is some other optimum, or none.
    let most = start.depth + 1e-12 * width;
    flat_face(pair, &start, most, polygon)
        .or_else(|| newton::normal(pair, near, &start.n, width).filter(|p| p.depth <= most))
        .map(|penetration| Optimum { penetration, certain: true })
        .unwrap_or_else(|| by_distance(pair, start, most, width))
}

fn flat_face(pair: &CorePair, start: &Penetration, most: f64, polygon: &mut Vec<V3>) -> Option<Penetration> {
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
        if inside && depth <= most {
            return Some(Penetration { n, depth, a: if face_of_a { b + n * depth } else { s.a } });
        }
    }
    None
}

fn by_distance(pair: &CorePair, start: Penetration, most: f64, width: f64) -> Optimum {
    let mut best = start;
    for _ in 0..24 {
        let away = best.n * (best.depth + CLEARANCE * width);
        let moved = |d: &V3| {
            let s = pair.support(d);
            Vertex { w: s.w - away, ..s }
        };
        let (mut tries, mut end) = ([1e-2, 1e-5].into_iter().peekable(), None);
        let outcome = search(moved, &best.n, f64::INFINITY, |s, gap| {
            tries.next_if(|t| gap <= *t)?;
            let n = -s.nearest().normalize();
            end = newton::normal(pair, s.vertices(), &n, width).filter(|p| p.depth <= most);
            end.map(|_| Outcome::Far)
        });
        if let Some(penetration) = end {
            return Optimum { penetration, certain: true };
        }
        let Outcome::Apart { n, a, .. } = outcome else { break };
        let depth = pair.support(&n).w.dot(&n);
        if depth > best.depth + 1e-12 * width {
            break;
        }
        let change = (n - best.n).norm_squared();
        best = Penetration { n, depth, a };
        // The next change would be at the level of rounding.
        if change < 1e-14 {
            break;
        }
    }
    Optimum { penetration: best, certain: false }
}
