//! Contact points between two features that face each other along a normal.

use super::{MAX_POINTS, reduce::reduce};
use crate::V3;

/// Distance of points that count as one, relative to the extent of the manifold.
pub(crate) const MERGE: f64 = 1e-6;

/// A point of the manifold: on the surface of a, and the gap to b along the normal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GapPoint {
    pub a: V3,
    pub gap: f64,
}

/// Working memory of [`intersect`].
#[derive(Debug, Default)]
pub(crate) struct ManifoldScratch {
    pub feature_a: Vec<V3>,
    pub feature_b: Vec<V3>,
    /// Corners as (along t1, along t2, along n).
    flat_a: Vec<V3>,
    flat_b: Vec<V3>,
    clipped: Vec<V3>,
    pub points: Vec<GapPoint>,
    areas: Vec<f64>,
}

/// Two unit vectors that complete `n` to a right-handed frame.
pub(crate) fn tangents(n: &V3) -> (V3, V3) {
    // Duff et al. 2017: continuous except across n.z = 0.
    let s = 1f64.copysign(n.z);
    let a = -1.0 / (s + n.z);
    let b = n.x * n.y * a;
    (V3::new(1.0 + s * n.x * n.x * a, s * b, -s * n.x), V3::new(b, s + n.y * n.y * a, -n.y))
}

/// Fills `scratch.points` with the corners of the intersection of the two features, projected along `n`,
/// whose gap is at most `limit`. `normal_a`, `normal_b` are the outward normals of polygons,
/// `round` the radii with which surfaces curve away from segments.
pub(crate) fn intersect(
    scratch: &mut ManifoldScratch,
    n: &V3,
    normal_a: &V3,
    normal_b: &V3,
    round: [f64; 2],
    limit: f64,
) {
    let ManifoldScratch { feature_a, feature_b, flat_a, flat_b, clipped, points, areas } = scratch;
    points.clear();
    let (t1, t2) = tangents(n);
    let o = feature_a[0];
    let flatten = |from: &[V3], to: &mut Vec<V3>| {
        to.clear();
        to.extend(from.iter().map(|p| {
            let q = p - o;
            V3::new(q.dot(&t1), q.dot(&t2), q.dot(n))
        }));
    };
    flatten(feature_a, flat_a);
    flatten(feature_b, flat_b);
    let mut add = |x: f64, y: f64, z_a: f64, z_b: f64| {
        if z_b - z_a <= limit {
            points.push(GapPoint { a: o + t1 * x + t2 * y + n * z_a, gap: z_b - z_a });
        }
    };
    match (flat_a.len(), flat_b.len()) {
        (3.., _) => {
            // Clip b by a, read a's height from its plane.
            let slope = slope(normal_a, n, &t1, &t2);
            flat_b.reverse(); // b faces the other way
            clip(flat_b, flat_a, clipped);
            for p in flat_b.iter() {
                add(p.x, p.y, slope.0 * p.x + slope.1 * p.y, p.z);
            }
        }
        (1..=2, 3..) => {
            let slope = slope(normal_b, n, &t1, &t2);
            flat_b.reverse();
            let z0 = flat_b[0];
            clip(flat_a, flat_b, clipped);
            for p in flat_a.iter() {
                add(p.x, p.y, p.z, z0.z + slope.0 * (p.x - z0.x) + slope.1 * (p.y - z0.y));
            }
        }
        (2, 2) => overlap_of_segments([flat_a[0], flat_a[1]], [flat_b[0], flat_b[1]], round, add),
        _ => {}
    }
    merge_neighbours(points);
    if points.len() > MAX_POINTS {
        reduce(points, n, MAX_POINTS, areas);
    }
}

/// Merges corners that clipping has put (almost) on top of each other, keeping the deeper one.
fn merge_neighbours(points: &mut Vec<GapPoint>) {
    let size = points.iter().map(|p| (p.a - points[0].a).norm_squared()).fold(0.0, f64::max);
    let same =
        |p: &GapPoint, q: &GapPoint| (p.a - q.a).norm_squared() <= MERGE * MERGE * (size + p.gap * p.gap);
    points.dedup_by(|next, kept| {
        let merge = same(next, kept);
        if merge && next.gap < kept.gap {
            *kept = *next;
        }
        merge
    });
    if let [first, .., last] = points[..]
        && same(&first, &last)
    {
        points[0] = if last.gap < first.gap { last } else { first };
        points.pop();
    }
}

/// Height gradient over (t1, t2) of a plane with normal `m`.
fn slope(m: &V3, n: &V3, t1: &V3, t2: &V3) -> (f64, f64) {
    let c = m.dot(n);
    (-m.dot(t1) / c, -m.dot(t2) / c)
}

/// Clips a polygon or segment by a convex counter-clockwise polygon, in the plane of x and y.
fn clip(subject: &mut Vec<V3>, by: &[V3], spare: &mut Vec<V3>) {
    for k in 0..by.len() {
        let (p, q) = (by[k], by[(k + 1) % by.len()]);
        let side = |v: &V3| (q.x - p.x) * (v.y - p.y) - (q.y - p.y) * (v.x - p.x);
        spare.clear();
        let n = subject.len();
        let edges = if n == 2 { 1 } else { n };
        if n == 1 {
            if side(&subject[0]) >= 0.0 {
                spare.push(subject[0]);
            }
        } else {
            if n == 2 && side(&subject[0]) >= 0.0 {
                spare.push(subject[0]);
            }
            for i in 0..edges {
                let (u, v) = (subject[i], subject[(i + 1) % n]);
                let (su, sv) = (side(&u), side(&v));
                if (su < 0.0) != (sv < 0.0) {
                    spare.push(u + (v - u) * (su / (su - sv)));
                }
                if sv >= 0.0 {
                    spare.push(v);
                }
            }
        }
        std::mem::swap(subject, spare);
        if subject.is_empty() {
            return;
        }
    }
}

/// Ends of the stretch that two nearly parallel segments share.
///
/// The segments are lines on surfaces that curve away sideways with radii `round`. Where they are apart by d
/// sideways, the surfaces face each other at a point between, each a little back from its line.
fn overlap_of_segments(a: [V3; 2], b: [V3; 2], round: [f64; 2], mut add: impl FnMut(f64, f64, f64, f64)) {
    let (da, db) = ((a[1] - a[0]).xy(), (b[1] - b[0]).xy());
    let (la, lb) = (da.norm(), db.norm());
    // Crossing at more than about six degrees is a point contact.
    if la == 0.0 || lb == 0.0 || (da.x * db.y - da.y * db.x).abs() > 0.1 * la * lb {
        return;
    }
    let along = |p: &V3| (p.xy() - a[0].xy()).dot(&da) / (la * la);
    let (s0, s1) = (along(&b[0]), along(&b[1]));
    if s0 == s1 {
        return;
    }
    let (lo, hi) = (s0.min(s1).max(0.0), s0.max(s1).min(1.0));
    if lo > hi {
        return;
    }
    let sum = round[0] + round[1];
    for s in [lo, hi] {
        let t = (s - s0) / (s1 - s0);
        let (pa, pb) = (a[0] + (a[1] - a[0]) * s, b[0] + (b[1] - b[0]) * t);
        let aside = (pb - pa).xy();
        let d = aside.norm();
        if d >= sum.max(1e-9 * la) {
            continue; // they do not face each other
        }
        let share = if sum > 0.0 { round.map(|r| r / sum) } else { [0.5; 2] };
        let [back_a, back_b] = [0, 1].map(|i| {
            let x = share[i] * d;
            round[i] - (round[i] * round[i] - x * x).max(0.0).sqrt()
        });
        add(pa.x + share[0] * aside.x, pa.y + share[0] * aside.y, pa.z - back_a, pb.z + back_b);
    }
}
