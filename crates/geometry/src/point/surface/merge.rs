//! Step 5: candidates with one normal become the outline of their union.

use super::super::reduce::outline;
use super::super::{Frame, Sink};
use super::{SAME, SurfaceScratch};
use crate::V3;

/// Merges candidates by normal, and points nearer to each other than `same_point`, and hands them over.
pub(super) fn emit(radius: f64, same_point: f64, xm: &Frame, scratch: &mut SurfaceScratch, sink: &mut Sink) {
    let SurfaceScratch { candidates, group, outline: spare, .. } = scratch;
    if candidates.iter().any(|c| c.in_front) {
        candidates.retain(|c| c.in_front);
    } else if let Some(shallow) =
        candidates.iter().copied().max_by(|p, q| p.point.gap.total_cmp(&q.point.gap))
    {
        // All of them have the centre behind their face: the direction of least depth.
        let depth = |n: &V3| {
            candidates
                .iter()
                .filter(|c| c.n.dot(n) >= SAME)
                .map(|c| c.point.gap)
                .fold(f64::INFINITY, f64::min)
        };
        let n = candidates
            .iter()
            .map(|c| c.n)
            .fold(shallow.n, |best, n| if depth(&n) > depth(&best) { n } else { best });
        candidates.retain(|c| c.n.dot(&n) >= SAME);
    }
    while let Some(first) = candidates.first() {
        let n = first.n;
        group.clear();
        // Take this normal's points out, keep the order of the rest.
        let mut kept = 0;
        for k in 0..candidates.len() {
            if candidates[k].n.dot(&n) >= SAME {
                group.push(candidates[k].point);
            } else {
                candidates[kept] = candidates[k];
                kept += 1;
            }
        }
        candidates.truncate(kept);
        outline(group, &n, same_point, spare);
        let n_w = xm.r * n;
        for p in group.iter() {
            let distance = p.gap - radius;
            let p_mesh = xm.point(&p.a);
            sink.push(-n_w, p_mesh + n_w * distance, p_mesh, distance);
        }
    }
}
