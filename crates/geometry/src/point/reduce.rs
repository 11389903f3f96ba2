//! Fewer points without losing the area they span.

use super::MAX_POINTS;
use super::manifold::GapPoint;
use crate::V3;

/// Leaves at most `keep` corners of a convex polygon of points given in order: again and again the
/// corner whose removal costs the least area goes, but never the deepest.
pub(crate) fn reduce(points: &mut Vec<GapPoint>, n: &V3, keep: usize, areas: &mut Vec<f64>) {
    if points.len() <= keep {
        return;
    }
    let area = |points: &[GapPoint], k: usize| {
        let count = points.len();
        let (p, q, r) = (points[(k + count - 1) % count].a, points[k].a, points[(k + 1) % count].a);
        (q - p).cross(&(r - q)).dot(n).abs()
    };
    let mut deepest = deepest(points);
    areas.clear();
    areas.extend((0..points.len()).map(|k| area(points, k)));
    while points.len() > keep {
        let mut least = (f64::INFINITY, 0);
        for (k, &area) in areas.iter().enumerate() {
            if area < least.0 && k != deepest {
                least = (area, k);
            }
        }
        let gone = least.1;
        points.remove(gone);
        areas.remove(gone);
        if gone == deepest {
            deepest = self::deepest(points); // no area is finite
        } else if gone < deepest {
            deepest -= 1;
        }
        // Only its neighbours have other areas now.
        let count = points.len();
        for k in [(gone + count - 1) % count, gone % count] {
            areas[k] = area(points, k);
        }
    }
}

/// Index of the point with the smallest gap (the first of several).
pub(crate) fn deepest(points: &[GapPoint]) -> usize {
    let mut best = 0;
    for (k, p) in points.iter().enumerate() {
        if p.gap < points[best].gap {
            best = k;
        }
    }
    best
}

/// A point with its coordinates in its plane.
#[derive(Debug, Clone, Copy)]
struct Flat {
    x: f64,
    y: f64,
    point: GapPoint,
}

/// Working memory of [`outline`].
#[derive(Debug, Default)]
pub(crate) struct OutlineScratch {
    flat: Vec<Flat>,
    chain: Vec<Flat>,
    areas: Vec<f64>,
}

/// The outline of points of one plane: at most [`MAX_POINTS`] corners of their convex hull, those nearer to each other than
/// `near` taken for one, and always the deepest.
pub(crate) fn outline(points: &mut Vec<GapPoint>, n: &V3, near: f64, scratch: &mut OutlineScratch) {
    if points.len() < 2 {
        return;
    }
    let lowest = points[deepest(points)];
    hull_2d(points, n, scratch);
    if near > 0.0 {
        merge(points, near);
    }
    let gap = points[deepest(points)].gap;
    let size = points.iter().map(|p| (p.a - points[0].a).norm()).fold(0.0, f64::max);
    if gap <= lowest.gap + 1e-9 * lowest.gap.abs() + 1e-12 * size {
        return reduce(points, n, MAX_POINTS, &mut scratch.areas);
    }
    reduce(points, n, MAX_POINTS - 1, &mut scratch.areas);
    points.retain(|p| (p.a - lowest.a).norm_squared() > near * near);
    points.push(lowest);
}

/// Of points nearer to each other than `near` leaves the deepest.
fn merge(points: &mut Vec<GapPoint>, near: f64) {
    let mut kept = 0;
    for k in 0..points.len() {
        let p = points[k];
        match points[..kept].iter_mut().find(|q| (p.a - q.a).norm_squared() <= near * near) {
            Some(q) if p.gap < q.gap => *q = p,
            Some(_) => {}
            None => {
                points[kept] = p;
                kept += 1;
            }
        }
    }
    points.truncate(kept);
}

/// Orders points of one plane as the corners of their convex hull seen against `n`, dropping the rest.
fn hull_2d(points: &mut Vec<GapPoint>, n: &V3, scratch: &mut OutlineScratch) {
    let OutlineScratch { flat, chain, .. } = scratch;
    let (t1, t2) = super::manifold::tangents(n);
    flat.clear();
    flat.extend(points.iter().map(|&point| Flat { x: point.a.dot(&t1), y: point.a.dot(&t2), point }));
    flat.sort_unstable_by(|p, q| {
        p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.point.gap.total_cmp(&q.point.gap))
    });
    let first = flat[0].point.a;
    let size = flat.iter().map(|p| (p.point.a - first).norm_squared()).fold(0.0, f64::max);
    flat.dedup_by(|p, q| {
        let (p, q) = (p.point.a, q.point.a);
        // Sorted by gap among equals: the deeper one stays.
        (p - q).norm_squared() <= 1e-16 * (size + p.norm_squared())
    });
    if flat.len() >= 3 {
        let turn = |o: &Flat, p: &Flat, q: &Flat| (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
        chain.clear();
        // Monotone chain: lower hull forward, upper hull backward.
        for pass in 0..2 {
            let floor = chain.len() + 1;
            for k in 0..flat.len() {
                let p = if pass == 0 { flat[k] } else { flat[flat.len() - 1 - k] };
                while chain.len() > floor
                    && turn(&chain[chain.len() - 2], &chain[chain.len() - 1], &p) <= 1e-12 * size
                {
                    chain.pop();
                }
                chain.push(p);
            }
            chain.pop();
        }
        std::mem::swap(flat, chain);
    }
    points.clear();
    points.extend(flat.iter().map(|p| p.point));
}
