//! The pairs whose motion within a step is looked at.

use super::overlap::can_be_told;
use super::path::Motion;
use super::size::{Size, pair_width};
use crate::contact::query::Touching;
use crate::model::Compiled;
use crate::model::geom_id::{CollidingGeomId, GeomPair, geoms_of};
use stiction_geometry::{Aabb, Geom};
use stiction_model::Pose;

/// A pair to be looked at.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) struct Candidate {
    pub pair: GeomPair,
    /// Depth of contacts that one of its bodies has at the beginning of the step, m.
    pub depth: f64,
    /// Depth of its own points at the beginning of the step, m, if they made it a candidate.
    pub begins: Option<f64>,
}

/// Finds the pairs to be looked at: those that move far and whose boxes meet on the way.
#[derive(Default)]
pub(super) struct Candidates {
    pub list: Vec<Candidate>,
    /// Depth of the deepest contact of each body, m.
    depths: Vec<f64>,
    /// Boxes around the motions of geoms, in the order of their lower ends.
    boxes: Vec<Aabb>,
    order: Vec<u32>,
    moving: Vec<bool>,
}

impl Candidates {
    /// The contacts at the beginning of the step. Whether a pair of them is so deep that it must be looked at however slowly it
    /// moves: deeper than w/8.
    pub fn begin(&mut self, compiled: &Compiled, sizes: &[Size], soft: bool, touching: Touching) -> bool {
        let geoms = compiled.geoms.geoms();
        self.depths.clear();
        self.depths.resize(compiled.world.bodies.len(), 0.0);
        self.list.clear();
        let patches = touching.patches.patches.iter().map(|p| (p.geoms, touching.patches.depth(p), false));
        let points = touching.points.iter().map(|p| (geoms_of(p), -p.distance, true));
        for (pair, depth, point) in points.chain(patches) {
            let (a, b) = (pair.0.index(), pair.1.index());
            for geom in [a, b] {
                let of_body = &mut self.depths[geoms[geom].body];
                *of_body = of_body.max(depth);
            }
            // Beyond a plane there is no other side: softness may let a body go deep.
            if !(soft && (sizes[a].plane || sizes[b].plane))
                && depth > 0.125 * pair_width(&sizes[a], &sizes[b])
            {
                match self.list.last_mut().filter(|l| l.pair == pair) {
                    Some(known) => known.begins = known.begins.map(|deepest| deepest.max(depth)),
                    None => self.list.push(Candidate { pair, depth, begins: point.then_some(depth) }),
                }
            }
        }
        !self.list.is_empty()
    }

    /// Adds the pairs that move far between two sets of poses to those that are deep.
    pub fn find(
        &mut self,
        compiled: &Compiled,
        sizes: &[Size],
        soft: bool,
        x_begin: &[Pose],
        x_end: &[Pose],
    ) {
        let geoms = compiled.geoms.geoms();
        let Self { list, depths, boxes, order, moving } = self;
        let motion = |geom: &Geom| Motion::new(&x_begin[geom.body], &x_end[geom.body]);
        moving.clear();
        moving.extend(geoms.iter().zip(sizes).map(|(geom, size)| size.moves_far(motion(geom).of(size))));
        if !moving.contains(&true) {
            return;
        }
        boxes.clear();
        for (geom, size) in geoms.iter().zip(sizes) {
            let motion = motion(geom);
            let at = geom.shape.aabb(&(x_begin[geom.body] * geom.x_bg));
            let moved = Aabb { min: at.min + motion.shift, max: at.max + motion.shift };
            boxes.push(at.union(&moved).grown(motion.turn * size.reach));
        }
        // Sorted along the axis on which they are spread most.
        let finite = boxes.iter().filter(|b| b.min.x.is_finite());
        let spread = finite.fold(Aabb::EMPTY, |all, b| {
            let c = b.center();
            all.union(&Aabb { min: c, max: c })
        });
        let axis = (spread.max - spread.min).imax();
        order.clear();
        order.extend(0..geoms.len() as u32);
        let low = |g: u32| boxes[g as usize].min[axis];
        order.sort_unstable_by(|&a, &b| low(a).total_cmp(&low(b)).then(a.cmp(&b)));
        let known = list.len();
        for (k, &a) in order.iter().enumerate() {
            let high = boxes[a as usize].max[axis];
            for &b in order[k + 1..].iter().take_while(|&&b| low(b) <= high) {
                let (a, b) = (a.min(b) as usize, a.max(b) as usize);
                if !(moving[a] || moving[b])
                    || (soft && (sizes[a].plane || sizes[b].plane))
                    || !boxes[a].overlaps(&boxes[b])
                    || !compiled.geoms.tests_pair(a, b)
                {
                    continue;
                }
                let pair = (CollidingGeomId::new(a), CollidingGeomId::new(b));
                if list[..known].iter().any(|l| l.pair == pair) {
                    continue;
                }
                let [body_a, body_b] = [a, b].map(|g| geoms[g].body);
                let [ma, mb] = [body_a, body_b].map(|body| Motion::new(&x_begin[body], &x_end[body]));
                let turn = ma.turn * sizes[a].reach + mb.turn * sizes[b].reach;
                let travel = (mb.shift - ma.shift).norm() + turn;
                let meets = || {
                    let at = |g: usize| geoms[g].shape.aabb(&(x_begin[geoms[g].body] * geoms[g].x_bg));
                    let (at_a, at_b, shift) = (at(a), at(b), mb.shift - ma.shift);
                    let moved = Aabb { min: at_b.min + shift, max: at_b.max + shift };
                    at_a.overlaps(&at_b.union(&moved).grown(turn))
                };
                let told = can_be_told(compiled, pair);
                if told && travel > 0.25 * pair_width(&sizes[a], &sizes[b]) && meets() {
                    let depth = depths[body_a].max(depths[body_b]);
                    list.push(Candidate { pair, depth, begins: None });
                }
            }
        }
        list[known..].sort_unstable_by_key(|l| l.pair);
    }

    /// Keeps only the pairs that are deep at the beginning of the step.
    pub fn forget_found(&mut self, deep: usize) {
        self.list.truncate(deep);
    }
}
