//! Binary tree of boxes in a body's own frame.
//!
//! A solid has one tree for each *layer*, an interval of extents, over the parts of its tetrahedra in
//! that layer. Shallow contact then sees thin shells instead of tetrahedra that reach to the middle of the
//! body, and since p_a = p_b on the contact surface, only layers with a pressure in common are
//! compared. Layers only decide how many pairs are looked at, never a result.

use super::linear::Pose;
use super::wide::WideTree;
use crate::{Aabb, V3};

pub(super) const LEAF: u32 = 1 << 31;
pub(super) const STACK: usize = 160;

/// Centre and half extents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxNode {
    pub(crate) center: V3,
    pub(crate) half: V3,
}

/// The tree over a non-empty list of items.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    /// Left child (the right one follows), or `LEAF | item`.
    link: Vec<u32>,
    boxes: Vec<BoxNode>,
    /// The same once more, for slabs.
    wide: WideTree,
}

impl Tree {
    /// Builds over items, given as `(item, box)`.
    pub(crate) fn build(items: &[(u32, Aabb)]) -> Self {
        let mut order: Vec<u32> = (0..items.len() as u32).collect();
        let centers: Vec<V3> = items.iter().map(|i| i.1.center()).collect();
        let mut link = vec![0];
        split(&mut link, 0, 0, items.len(), &mut order, &centers);
        // Children come after their parents.
        let mut bounds = vec![Aabb::EMPTY; link.len()];
        for node in (0..link.len()).rev() {
            let l = link[node];
            if l & LEAF != 0 {
                let (item, b) = items[order[(l & !LEAF) as usize] as usize];
                link[node] = LEAF | item;
                bounds[node] = b;
            } else {
                bounds[node] = bounds[l as usize].union(&bounds[l as usize + 1]);
            }
        }
        let boxes: Vec<BoxNode> =
            bounds.iter().map(|b| BoxNode { center: b.center(), half: b.half() }).collect();
        Self { wide: WideTree::new(&link, &boxes), link, boxes }
    }

    /// Items from left to right.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = u32> + '_ {
        let mut stack = vec![0u32];
        std::iter::from_fn(move || {
            while let Some(n) = stack.pop() {
                let l = self.link[n as usize];
                if l & LEAF != 0 {
                    return Some(l & !LEAF);
                }
                stack.extend([l + 1, l]);
            }
            None
        })
    }

    /// The box around everything.
    pub(crate) fn root(&self) -> &BoxNode {
        &self.boxes[0]
    }

    /// Calls `visit(item)` for items whose box meets `lower <= n.r - d <= upper`, from left to right.
    #[inline]
    pub(crate) fn slab(&self, n: &V3, d: f64, lower: f64, upper: f64, visit: impl FnMut(u32)) {
        self.wide.slab(n, d, lower, upper, visit);
    }

    /// Calls `visit(item of self, item of other)` for items whose boxes come within `gap` of each other, as far as the faces'
    /// directions of the boxes tell; `x_os` is the pose of this tree's frame in the other's. `moved` is scratch.
    pub(crate) fn meet(
        &self,
        other: &Tree,
        x_os: &Pose,
        gap: f64,
        moved: &mut Vec<BoxNode>,
        mut visit: impl FnMut(u32, u32),
    ) {
        let abs = x_os.r.abs();
        let root = (self.root(), other.root());
        // A pad for rounding.
        let size = root.0.center.norm() + root.0.half.norm() + root.1.center.norm() + root.1.half.norm();
        let reach = gap + 1e-13 * (size + x_os.p.norm());
        // This tree's boxes in the other's frame, grown by the gap.
        moved.clear();
        moved.extend(
            self.boxes
                .iter()
                .map(|b| BoxNode { center: x_os.point(&b.center), half: (abs * b.half).add_scalar(reach) }),
        );
        let mut stack = [(0u32, 0u32); STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (i, j) = stack[top];
            let (s, o) = (&moved[i as usize], &other.boxes[j as usize]);
            let t = o.center - s.center;
            let within = |k: usize| t[k].abs() <= s.half[k] + o.half[k];
            if !(within(0) & within(1) & within(2)) {
                continue;
            }
            let (l, m) = (self.link[i as usize], other.link[j as usize]);
            // The larger box is opened.
            let children = match (l & LEAF != 0, m & LEAF != 0) {
                (true, true) => {
                    // Along this tree's own axes, too.
                    let (t, own) = (x_os.r.tr_mul(&t).abs(), self.boxes[i as usize].half);
                    if (t - own - abs.tr_mul(&o.half)).max() <= reach {
                        visit(l & !LEAF, m & !LEAF);
                    }
                    continue;
                }
                (false, false) if s.half.sum() > o.half.sum() => [(l, j), (l + 1, j)],
                (false, true) => [(l, j), (l + 1, j)],
                (_, false) => [(i, m), (i, m + 1)],
            };
            stack[top..top + 2].copy_from_slice(&children);
            top += 2;
        }
    }

    /// Number of items.
    pub(crate) fn len(&self) -> usize {
        self.link.len().div_ceil(2)
    }
}

/// Halves `order[from..to]` along its widest axis, down to single items.
fn split(link: &mut Vec<u32>, node: usize, from: usize, to: usize, order: &mut [u32], centers: &[V3]) {
    if to - from == 1 {
        link[node] = LEAF | from as u32;
        return;
    }
    let range = &mut order[from..to];
    let spread = Aabb::of_points(range.iter().map(|&i| &centers[i as usize]));
    let axis = spread.half().imax();
    let half = range.len() / 2;
    range.select_nth_unstable_by(half, |&i, &j| {
        centers[i as usize][axis].total_cmp(&centers[j as usize][axis]).then(i.cmp(&j))
    });
    let child = link.len();
    link.extend([0, 0]);
    link[node] = child as u32;
    split(link, child, from, from + half, order, centers);
    split(link, child + 1, from + half, to, order, centers);
}
