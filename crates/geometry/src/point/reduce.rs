//! Fewer points without losing the area they span.

use super::MAX_POINTS;
use super::manifold::GapPoint;
use crate::V3;

/// Leaves at most `keep` corners of a convex polygon of points given in order: again and again the
/// corner whose removal costs the least area goes, but never the deepest.
pub(crate) fn reduce(points: &mut Vec<GapPoint>, n: &V3, keep: usize) {
    while points.len() > keep {
        let count = points.len();
        let deepest = deepest(points);
        let mut least = (f64::INFINITY, 0);
        for k in 0..count {
            if k == deepest {
                continue;
            }
            let (p, q, r) = (points[(k + count - 1) % count].a, points[k].a, points[(k + 1) % count].a);
            let area = (q - p).cross(&(r - q)).dot(n).abs();
            if area < least.0 {
                least = (area, k);
            }
        }
        points.remove(least.1);
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

/// The outline of points of one plane: at most [`MAX_POINTS`] corners of their convex hull, those nearer to each other than
/// `near` taken for one, and always the deepest.
pub(crate) fn outline(points: &mut Vec<GapPoint>, n: &V3, near: f64, spare: &mut Vec<GapPoint>) {
    if points.len() < 2 {
        return;
    }
    let lowest = points[deepest(points)];
    hull_2d(points, n, spare);
    merge(points, near);
    let gap = points[deepest(points)].gap;
    let size = points.iter().map(|p| (p.a - points[0].a).norm()).fold(0.0, f64::max);
    if gap <= lowest.gap + 1e-9 * lowest.gap.abs() + 1e-12 * size {
        return reduce(points, n, MAX_POINTS);
    }
    reduce(points, n, MAX_POINTS - 1);
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
/// `spare` is working memory.
fn hull_2d(points: &mut Vec<GapPoint>, n: &V3, spare: &mut Vec<GapPoint>) {
    let (t1, t2) = super::manifold::tangents(n);
    let xy = |p: &GapPoint| (p.a.dot(&t1), p.a.dot(&t2));
    points.sort_unstable_by(|p, q| {
        let ((px, py), (qx, qy)) = (xy(p), xy(q));
        px.total_cmp(&qx).then(py.total_cmp(&qy)).then(p.gap.total_cmp(&q.gap))
    });
    let size = points.iter().map(|p| (p.a - points[0].a).norm_squared()).fold(0.0, f64::max);
    points.dedup_by(|p, q| {
        // Sorted by gap among equals: the deeper one stays.
        (p.a - q.a).norm_squared() <= 1e-16 * (size + p.a.norm_squared())
    });
    if points.len() < 3 {
        return;
    }
    let turn = |o: &GapPoint, p: &GapPoint, q: &GapPoint| {
        let ((ox, oy), (px, py), (qx, qy)) = (xy(o), xy(p), xy(q));
        (px - ox) * (qy - oy) - (py - oy) * (qx - ox)
    };
    spare.clear();
    // Monotone chain: lower hull forward, upper hull backward.
    for pass in 0..2 {
        let floor = spare.len() + 1;
        for k in 0..points.len() {
            let p = if pass == 0 { points[k] } else { points[points.len() - 1 - k] };
            while spare.len() > floor
                && turn(&spare[spare.len() - 2], &spare[spare.len() - 1], &p) <= 1e-12 * size
            {
                spare.pop();
            }
            spare.push(p);
        }
        spare.pop();
    }
    std::mem::swap(points, spare);
}
