//! Binary tree of boxes in a body's own frame, walked in pairs under a relative pose.
//!
//! A solid keeps several boxes a node, one for each *level*: the part of the node's tetrahedra whose
//! extent is at most the level's. Shallow contact then sees thin shells instead of tetrahedra that reach
//! to the middle of the body. Levels only decide how many pairs are looked at, never a result.

use super::linear::Pose;
use crate::{Aabb, M3, V3};

const LEAF: u32 = 1 << 31;
const STACK: usize = 160;

/// Centre and half extents; an empty box has half extents below any separation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxNode {
    pub(crate) center: V3,
    pub(crate) half: V3,
}

const NOTHING: f64 = -1e300;

impl BoxNode {
    fn new(b: &Aabb) -> Self {
        if is_empty(b) {
            return Self { center: V3::zeros(), half: V3::repeat(NOTHING) };
        }
        Self { center: b.center(), half: b.half() }
    }
}

fn is_empty(b: &Aabb) -> bool {
    b.min.x > b.max.x
}

/// The tree. Item numbers are leaf numbers: the owner reorders its items by [`Tree::build`]'s permutation.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// Left child (the right one follows), or `LEAF | item`.
    link: Vec<u32>,
    levels: Vec<Vec<BoxNode>>,
}

impl Tree {
    /// Builds over items with one box per level, tightest level first; also returns `order`, where
    /// `order[new] = old` item number.
    pub(crate) fn build(boxes: &[Vec<Aabb>]) -> (Self, Vec<u32>) {
        let n = boxes[0].len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let centers: Vec<V3> = (0..n)
            .map(|i| {
                let tightest = boxes.iter().map(|l| l[i]).find(|b| !is_empty(b));
                tightest.map_or(V3::zeros(), |b| b.center())
            })
            .collect();
        let mut tree = Self { link: vec![LEAF], levels: vec![vec![]; boxes.len()] };
        if n > 0 {
            tree.split(0, 0, n, &mut order, &centers);
        }
        for (level, items) in boxes.iter().enumerate() {
            let mut corners = vec![Aabb::EMPTY; tree.link.len()];
            for node in (0..tree.link.len()).rev() {
                let l = tree.link[node];
                corners[node] = if n == 0 {
                    Aabb::EMPTY
                } else if l & LEAF != 0 {
                    items[order[(l & !LEAF) as usize] as usize]
                } else {
                    corners[l as usize].union(&corners[l as usize + 1])
                };
            }
            tree.levels[level] = corners.iter().map(BoxNode::new).collect();
        }
        (tree, order)
    }

    fn split(&mut self, node: usize, from: usize, to: usize, order: &mut [u32], centers: &[V3]) {
        if to - from == 1 {
            self.link[node] = LEAF | from as u32;
            return;
        }
        let range = &mut order[from..to];
        let spread = Aabb::of_points(range.iter().map(|&i| &centers[i as usize]));
        let axis = spread.half().imax();
        let half = range.len() / 2;
        range.select_nth_unstable_by(half, |&i, &j| {
            centers[i as usize][axis].total_cmp(&centers[j as usize][axis]).then(i.cmp(&j))
        });
        let child = self.link.len();
        self.link.extend([0, 0]);
        self.link[node] = child as u32;
        self.split(child, from, from + half, order, centers);
        self.split(child + 1, from + half, to, order, centers);
    }

    /// The box around everything at a level.
    pub(crate) fn root(&self, level: usize) -> &BoxNode {
        &self.levels[level][0]
    }

    /// Calls `visit(item)` in rising order for items whose box meets `lower <= n.r - d <= upper`.
    #[inline]
    pub(crate) fn slab(
        &self,
        level: usize,
        n: &V3,
        d: f64,
        lower: f64,
        upper: f64,
        mut visit: impl FnMut(u32),
    ) {
        let boxes = &self.levels[level];
        let abs = n.abs();
        let mut stack = [0u32; STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let node = stack[top];
            let b = &boxes[node as usize];
            let (s, r) = (n.dot(&b.center) - d, abs.dot(&b.half));
            if s - r > upper || s + r < lower {
                continue;
            }
            let l = self.link[node as usize];
            if l & LEAF != 0 {
                visit(l & !LEAF);
            } else {
                stack[top] = l + 1;
                stack[top + 1] = l;
                top += 2;
            }
        }
    }

    /// Calls `visit(item of a, item of b)` for every pair of leaves whose boxes, each grown by half of
    /// `gap`, are not separated by a face direction of either box. `x_ab` is the pose of b in a.
    #[inline]
    pub(crate) fn pairs(
        a: &Tree,
        level_a: usize,
        b: &Tree,
        level_b: usize,
        x_ab: &Pose,
        gap: f64,
        mut visit: impl FnMut(u32, u32),
    ) {
        let (boxes_a, boxes_b) = (&a.levels[level_a], &b.levels[level_b]);
        // Parallel axes make products of directions round to either side: a relative pad covers it.
        let abs = x_ab.r.abs().add_scalar(1e-12);
        let mut stack = [(0u32, 0u32); STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (na, nb) = stack[top];
            let (ba, bb) = (&boxes_a[na as usize], &boxes_b[nb as usize]);
            if separated(ba, bb, x_ab, &abs, gap) {
                continue;
            }
            let (la, lb) = (a.link[na as usize], b.link[nb as usize]);
            let (leaf_a, leaf_b) = (la & LEAF != 0, lb & LEAF != 0);
            if leaf_a && leaf_b {
                visit(la & !LEAF, lb & !LEAF);
            } else if leaf_b || (!leaf_a && ba.half.sum() >= bb.half.sum()) {
                stack[top] = (la + 1, nb);
                stack[top + 1] = (la, nb);
                top += 2;
            } else {
                stack[top] = (na, lb + 1);
                stack[top + 1] = (na, lb);
                top += 2;
            }
        }
    }

    /// How far two bodies' root boxes overlap at most, seen along the six face directions (negative when
    /// apart): a bound on how deep any point of both lies in either.
    pub(crate) fn root_overlap(a: &Tree, b: &Tree, x_ab: &Pose) -> f64 {
        let (level_a, level_b) = (a.levels.len() - 1, b.levels.len() - 1);
        let (ba, bb) = (a.root(level_a), b.root(level_b));
        let abs = x_ab.r.abs();
        let t = x_ab.point(&bb.center) - ba.center;
        let da = ba.half + abs * bb.half - t.abs();
        let db = bb.half + abs.transpose() * ba.half - x_ab.r.tr_mul(&t).abs();
        da.min().min(db.min())
    }
}

#[inline]
fn separated(a: &BoxNode, b: &BoxNode, x_ab: &Pose, abs: &M3, gap: f64) -> bool {
    let t = x_ab.point(&b.center) - a.center;
    let ra = a.half + abs * b.half;
    if (t.x.abs() > ra.x + gap) | (t.y.abs() > ra.y + gap) | (t.z.abs() > ra.z + gap) {
        return true;
    }
    let s = x_ab.r.tr_mul(&t);
    let rb = b.half + abs.tr_mul(&a.half);
    (s.x.abs() > rb.x + gap) | (s.y.abs() > rb.y + gap) | (s.z.abs() > rb.z + gap)
}
