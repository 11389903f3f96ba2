//! The motion of a pair within a step, and where on it the pair meets.

use super::overlap::{Overlap, OverlapScratch};
use super::size::{Size, pair_width};
use crate::model::Compiled;
use crate::model::geom_id::GeomPair;
use nalgebra::{Point3, Vector3};
use stiction_geometry::ContactPoint;
use stiction_model::Pose;

/// Largest number of poses at which a pair is examined. What is left of its motion then counts as too deep.
const POSES: usize = 4096;

/// Depth in h from which a pair that begins a step so deep is left to its contact: bodies that were put into each other, or that
/// equalities hold there. No step ends so.
const TOO_DEEP: f64 = 3.5;

/// Part of a depth by which that of the same poses may differ.
const ROUNDING: f64 = 1e-6;

/// Part of w up to which an overlap that the motion leaves again is not felt, if the pair is not in contact deeper elsewhere.
pub(super) const GHOST: f64 = 1e-3;

/// Motion of a body within a step.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    /// Of its origin.
    pub shift: Vector3<f64>,
    /// Angle, rad.
    pub turn: f64,
}

impl Motion {
    pub fn new(x0: &Pose, x1: &Pose) -> Self {
        Self {
            shift: x1.translation.vector - x0.translation.vector,
            turn: x0.rotation.angle_to(&x1.rotation),
        }
    }

    /// Bound on the motion of a geom's points.
    pub fn of(&self, size: &Size) -> f64 {
        self.shift.norm() + self.turn * size.reach
    }
}

/// The motions of two geoms within a step, from the poses of their bodies at its beginning and end.
pub(super) struct Path<'a> {
    geoms: (usize, usize),
    overlap: Overlap<'a>,
    x_bg: [&'a Pose; 2],
    begin: [&'a Pose; 2],
    end: [&'a Pose; 2],
    /// An eighth of the pair's width, m.
    pub h: f64,
    /// Bound on the relative motion of their points, m.
    pub travel: f64,
    /// Distances are known before the shapes touch; those of surfaces are not.
    far_sighted: bool,
    pub patch: bool,
    /// Overlap that does not count if the motion leaves it again, m.
    ghost: f64,
    /// Depth above which the pair may not go, m.
    limit: f64,
    /// The pair overlaps at the beginning of the step.
    in_touch: bool,
}

/// Where a pair overlaps too deeply on its way.
pub(super) struct Meeting {
    pub fraction: f64,
    /// How deep it may be at the end of the step, m.
    pub allowed: f64,
    /// The depth on the way is beyond the limit.
    pub deep: bool,
    /// The motion up to this fraction stays within the limit.
    pub safe: f64,
}

impl<'a> Path<'a> {
    /// The motion of a pair whose overlap up to `depth` is that of bodies in contact.
    pub fn new(
        compiled: &'a Compiled,
        sizes: &[Size],
        pair: GeomPair,
        (x_begin, x_end): (&'a [Pose], &'a [Pose]),
        depth: f64,
    ) -> Self {
        let (a, b) = (pair.0.index(), pair.1.index());
        let [ga, gb] = [pair.0, pair.1].map(|g| compiled.geom(g));
        let [ma, mb] = [ga, gb].map(|g| Motion::new(&x_begin[g.body], &x_end[g.body]));
        let width = pair_width(&sizes[a], &sizes[b]);
        let turn = ma.turn * sizes[a].reach + mb.turn * sizes[b].reach;
        let h = 0.125 * width;
        Self {
            geoms: (a, b),
            overlap: Overlap::new(compiled, pair),
            x_bg: [&ga.x_bg, &gb.x_bg],
            begin: [&x_begin[ga.body], &x_begin[gb.body]],
            end: [&x_end[ga.body], &x_end[gb.body]],
            h,
            travel: (mb.shift - ma.shift).norm() + turn,
            far_sighted: [a, b].iter().all(|&g| sizes[g].convex || sizes[g].plane),
            patch: compiled.geoms.makes_patch(a, b),
            ghost: (GHOST * width).max(1.5 * depth).min(2.0 * h),
            limit: 3.0 * h,
            in_touch: false,
        }
    }

    /// Whether nothing is found on the way of a pair that begins so deep: it ends no deeper than it may wherever it goes, or it is
    /// left to its contact.
    pub fn is_harmless(&self, begins: f64) -> bool {
        self.far_sighted
            && (begins + self.travel <= 2.0 * self.h || begins > TOO_DEEP * self.h * (1.0 + ROUNDING))
    }

    /// Angles by which the two bodies turn, rad.
    pub fn turns(&self) -> [f64; 2] {
        [0, 1].map(|k| self.begin[k].rotation.angle_to(&self.end[k].rotation))
    }

    /// Poses of the two bodies at a fraction of the motion.
    fn bodies(&self, s: f64) -> [Pose; 2] {
        [0, 1].map(|k| between(self.begin[k], self.end[k], s))
    }

    /// Writes the pair's points at poses of the bodies, those apart up to `margin`. Returns their least distance.
    fn look(
        &self,
        bodies: &[Pose; 2],
        margin: f64,
        scratch: &mut OverlapScratch,
        points: &mut Vec<ContactPoint>,
    ) -> f64 {
        points.clear();
        let [x_a, x_b] = [0, 1].map(|k| bodies[k] * self.x_bg[k]);
        let apart = self.overlap.gap_of_boxes(&x_a, &x_b);
        if apart > 0.0 {
            return apart;
        }
        self.overlap.find(&x_a, &x_b, margin, scratch, points);
        let nearest = points.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
        // Without points, they are apart. How far is not known of a surface.
        if nearest == f64::INFINITY { margin.max(f64::MIN_POSITIVE) } else { nearest }
    }

    /// Goes along the motion from a fraction on, and stops where the pair overlaps if it goes too deep from there: `points` are then
    /// those of this pose. With `deep_only` it stops only beyond the limit.
    pub fn march(
        &mut self,
        from: f64,
        deep_only: bool,
        scratch: &mut OverlapScratch,
        points: &mut Vec<ContactPoint>,
    ) -> Option<Meeting> {
        let (mut s, mut safe) = (from, from);
        let mut passes_by = false;
        for _ in 0..POSES {
            let bodies = self.bodies(s);
            let left = (1.0 - s) * self.travel;
            let nearest = self.look(&bodies, if self.far_sighted { left } else { 0.0 }, scratch, points);
            if nearest > left || self.far_sighted && points.is_empty() && nearest == left {
                return None;
            }
            if nearest <= 0.0 {
                if s == 0.0 {
                    if -nearest > TOO_DEEP * self.h {
                        return None;
                    }
                    self.limit = self.limit.max(-nearest * (1.0 + ROUNDING));
                    self.in_touch = true;
                }
                let allowed = if self.patch || self.in_touch { 2.0 * self.h } else { 0.0 };
                let found = |deep: bool| Meeting { fraction: s, allowed, deep, safe };
                if -nearest > self.limit {
                    points.retain(|p| p.distance < -2.0 * self.h);
                    self.name(points);
                    return Some(found(true));
                }
                let ends_deep =
                    |p: &ContactPoint| p.distance <= 0.0 && self.end_of(p, &bodies) < -2.0 * self.h;
                if !deep_only && !passes_by && points.iter().any(ends_deep) {
                    points.retain(ends_deep);
                    let known = points.len();
                    passes_by = self.passes_by(s, scratch, points);
                    points.truncate(known);
                    if !passes_by {
                        self.name(points);
                        return Some(found(false));
                    }
                }
            }
            safe = s;
            if s >= 1.0 {
                return None;
            }
            s = (s + (nearest.max(0.0) + self.h) / self.travel).min(1.0);
        }
        Some(Meeting { fraction: s, allowed: 0.0, deep: true, safe })
    }

    /// Distance along a point's normal at which its two material points end.
    fn end_of(&self, p: &ContactPoint, bodies: &[Pose; 2]) -> f64 {
        let at = Point3::from(0.5 * (p.p_wa + p.p_wb));
        let [a, b] = [0, 1].map(|k| (self.end[k] * bodies[k].inverse_transform_point(&at)).coords);
        p.distance + p.normal_w.dot(&(b - a))
    }

    /// Whether the overlap is nowhere more than what does not count on the rest of the way: a body that slides over the seam of two
    /// others, or past an edge. `points` has more behind those that it had.
    fn passes_by(&self, from: f64, scratch: &mut OverlapScratch, points: &mut Vec<ContactPoint>) -> bool {
        let (known, mut s) = (points.len(), from);
        for _ in 0..POSES {
            let bodies = self.bodies(s);
            let [x_a, x_b] = [0, 1].map(|k| bodies[k] * self.x_bg[k]);
            points.truncate(known);
            self.overlap.find(&x_a, &x_b, 0.0, scratch, points);
            let depth = points[known..].iter().map(|p| -p.distance).fold(0.0, f64::max);
            if depth > self.ghost {
                return false;
            }
            if s >= 1.0 {
                return true;
            }
            s = (s + self.h / self.travel).min(1.0);
        }
        false
    }

    fn name(&self, points: &mut [ContactPoint]) {
        for p in points {
            (p.geom_a, p.geom_b) = self.geoms;
        }
    }
}

/// A pose between two: origins along lines, orientations along great arcs.
pub(super) fn between(x0: &Pose, x1: &Pose, s: f64) -> Pose {
    if s <= 0.0 {
        return *x0;
    }
    if s >= 1.0 {
        return *x1;
    }
    let origin = x0.translation.vector.lerp(&x1.translation.vector, s);
    let turn = x0.rotation.try_slerp(&x1.rotation, s, 1e-12).unwrap_or(x0.rotation);
    Pose::from_parts(origin.into(), turn)
}
