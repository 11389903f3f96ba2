//! Any two bounded convex shapes: GJK or EPA for the axis, facing features for the points.

use super::core::Core;
use super::gjk::{CorePair, Outcome, distance};
use super::penetration::{PenetrationScratch, close_normal, penetration};
use super::{Frame, Scratch, Sink, features, manifold, reduce};
use crate::{Shape, V3};

/// Part of their size below which curved shapes are so close that the direction between their nearest points is rounding.
const CLOSE: f64 = 1e-4;

/// The best axis between two shapes in the frame of the first; the witness lies on the first core.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    pub n: V3,
    /// Distance of the cores, negative in overlap.
    pub distance: f64,
    pub a: V3,
}

/// Axis of a pair of cores unless they are further apart than `limit`. In overlap `fallback` (frame of a, unit) is
/// the normal of last resort.
pub(crate) fn axis(
    pair: &CorePair,
    limit: f64,
    fallback: &V3,
    scratch: &mut PenetrationScratch,
) -> Option<Axis> {
    match distance(pair, limit.max(0.0)) {
        Outcome::Far => None,
        Outcome::Apart { n, distance, a } => {
            let curved = pair.a.is_curved() || pair.b.is_curved();
            if curved && distance <= CLOSE * (a.norm() + pair.x_ab.p.norm()) {
                let p = close_normal(pair, n, scratch);
                return Some(Axis { n: p.n, distance: -p.depth, a: p.a });
            }
            Some(Axis { n, distance, a })
        }
        Outcome::Overlap(simplex) => {
            let p = penetration(pair, &simplex, fallback, scratch);
            Some(Axis { n: p.n, distance: -p.depth, a: p.a })
        }
    }
}

/// Contact points of two convex shapes.
pub(crate) fn contacts(
    (sa, xa): (&Shape, &Frame),
    (sb, xb): (&Shape, &Frame),
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let (Some((a, ra)), Some((b, rb))) = (Core::of(sa), Core::of(sb)) else { return };
    let x_ab = xa.relative(xb);
    let limit = sink.margin + ra + rb;
    let fallback = (x_ab.point(&b.center()) - a.center()).try_normalize(1e-12).unwrap_or(V3::z());
    let pair = CorePair { a, b, x_ab };
    let Some(axis) = axis(&pair, limit, &fallback, &mut scratch.penetration) else { return };
    if axis.distance > limit {
        return;
    }
    emit(&pair, &axis, (ra, rb), xa, &mut scratch.manifold, sink);
}

/// Builds the manifold along a given axis and hands the points over in world coordinates.
pub(crate) fn emit(
    pair: &CorePair,
    axis: &Axis,
    (ra, rb): (f64, f64),
    xa: &Frame,
    scratch: &mut manifold::ManifoldScratch,
    sink: &mut Sink,
) {
    let limit = sink.margin + ra + rb;
    let at_origin = Frame { r: nalgebra::Matrix3::identity(), p: V3::zeros() };
    let n = axis.n;
    let normal_a = features::facing(&pair.a, &n, &at_origin, &mut scratch.feature_a);
    let normal_b = features::facing(&pair.b, &-pair.x_ab.local_dir(&n), &pair.x_ab, &mut scratch.feature_b);
    let round = [pair.a.side_radius(ra), pair.b.side_radius(rb)];
    manifold::intersect(scratch, &n, &normal_a, &normal_b, round, limit);
    let n_w = xa.r * n;
    let mut push = |a: &V3, gap: f64| {
        let distance = gap - ra - rb;
        let p_wa = xa.point(a) + n_w * ra;
        sink.push(n_w, p_wa, p_wa + n_w * distance, distance);
    };
    let points = &scratch.points;
    let missing = points.is_empty() || {
        let gap = points[reduce::deepest(points)].gap;
        gap > axis.distance + 1e-9 * (axis.distance.abs() + axis.a.norm())
    };
    if missing {
        push(&axis.a, axis.distance);
    }
    for p in points {
        push(&p.a, p.gap);
    }
}
