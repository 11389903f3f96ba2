//! Contacts on faces that are inside a body made of several geoms: they do not count.
//!
//! The surface of such a body is that of the union of its geoms. A box that slides over a floor of tiles, δ deep, meets the side of
//! the next tile; while it is in it by less than δ, the least translation out of this tile alone is back where it came
//! from, and the box would be stopped by a face that is covered by the tile it slides on. A point of contact with a geom is on the
//! surface of the union only if a point just in front of it is outside the other geoms of the body. A pair all of whose points are not
//! is left out, if the other geom touches one of those that cover them: that one carries it.
//!
//! What covers is convex, or solid below: of triangle surfaces it is not known where they are solid.

use crate::model::Compiled;
use stiction_geometry::point::{Scratch, is_near};
use stiction_geometry::{ContactPoint, Geom, ShapeKind};
use stiction_model::Pose;

/// How far in front of a point, beyond its depth, and how far outside the cover it may be, m.
const IN_FRONT: f64 = 1e-6;
const OUTSIDE: f64 = 1e-9;

/// The points of a pair, seen from the other geom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The geom that touches the body.
    other: u32,
    /// The body's group, and its geom.
    group: u32,
    geom: u32,
    /// First and last point of the pair.
    first: u32,
    end: u32,
}

/// Finds contacts on covered faces.
#[derive(Default)]
pub(crate) struct Interior {
    /// For each colliding geom the rigid group that it is part of, if that has several geoms.
    groups: Vec<Option<u32>>,
    any: bool,
    sides: Vec<Side>,
    /// Pairs to leave out, by their first points.
    covered: Vec<u32>,
    points: Vec<ContactPoint>,
}

/// For each colliding geom the rigid group that it is part of, if that has several geoms.
pub(crate) fn groups(compiled: &Compiled) -> Vec<Option<u32>> {
    let bodies = &compiled.world.bodies;
    // Bodies without joints are part of their parent.
    let mut of_body: Vec<u32> = (0..bodies.len() as u32).collect();
    for (body, described) in bodies.iter().enumerate() {
        if let (Some(parent), true, false) = (described.parent, described.joints.is_empty(), described.mocap)
        {
            of_body[body] = of_body[parent];
        }
    }
    let geoms = compiled.geoms.geoms();
    let mut counts = vec![0; bodies.len()];
    geoms.iter().for_each(|g| counts[of_body[g.body] as usize] += 1);
    let group = |g: &Geom| Some(of_body[g.body]).filter(|&k| counts[k as usize] > 1);
    geoms.iter().map(group).collect()
}

impl Interior {
    pub fn new(compiled: &Compiled) -> Self {
        let groups = groups(compiled);
        Self { any: groups.iter().any(Option::is_some), groups, ..Self::default() }
    }

    /// Removes the points on covered faces. `points` are in the order of their pairs.
    pub fn drop_covered(
        &mut self,
        geoms: &[Geom],
        x_wb: &[Pose],
        scratch: &mut Scratch,
        points: &mut Vec<ContactPoint>,
    ) {
        if !self.any || points.is_empty() {
            return;
        }
        self.sides.clear();
        let mut first = 0;
        for run in points.chunk_by(|p, q| (p.geom_a, p.geom_b) == (q.geom_a, q.geom_b)) {
            let (a, b) = (run[0].geom_a, run[0].geom_b);
            let end = first + run.len() as u32;
            for (geom, other) in [(a, b), (b, a)] {
                if let Some(group) = self.groups[geom] {
                    self.sides.push(Side { other: other as u32, group, geom: geom as u32, first, end });
                }
            }
            first = end;
        }
        if self.sides.len() < 2 {
            return;
        }
        self.sides.sort_unstable();
        self.covered.clear();
        for k in 0..self.sides.len() {
            let side = self.sides[k];
            let same = |s: &Side| (s.other, s.group) == (side.other, side.group);
            let from = self.sides[..k].iter().rposition(|s| !same(s)).map_or(0, |k| k + 1);
            let until = self.sides[k..].iter().position(|s| !same(s)).map_or(self.sides.len(), |n| k + n);
            if until - from < 2 {
                continue;
            }
            let run = &points[side.first as usize..side.end as usize];
            let covers = |cover: &Side| {
                let shape = &geoms[cover.geom as usize];
                let kind = shape.shape.kind();
                let solid =
                    kind.is_bounded_convex() || matches!(kind, ShapeKind::HalfSpace | ShapeKind::HeightField);
                let x = x_wb[shape.body] * shape.x_bg;
                solid
                    && cover.geom != side.geom
                    && !self.covered.contains(&cover.first)
                    && run.iter().all(|p| {
                        let (at, out) = match p.geom_a == side.geom as usize {
                            true => (p.p_wa, p.normal_w),
                            false => (p.p_wb, -p.normal_w),
                        };
                        let probe = at + out * (IN_FRONT + (-p.distance).max(0.0));
                        is_near((&shape.shape, &x), &probe, OUTSIDE, scratch, &mut self.points)
                    })
            };
            if self.sides[from..until].iter().any(covers) {
                self.covered.push(side.first);
            }
        }
        if self.covered.is_empty() {
            return;
        }
        self.covered.sort_unstable();
        let (mut index, mut pair, mut start) = (0, None, 0);
        points.retain(|p| {
            if pair != Some((p.geom_a, p.geom_b)) {
                (pair, start) = (Some((p.geom_a, p.geom_b)), index);
            }
            index += 1;
            self.covered.binary_search(&start).is_err()
        });
    }
}
