//! Binary tree of boxes: shared by triangle meshes (built once) and the broad phase (leaves move).
//!
//! Built by median splits, so its depth is the logarithm of the item count and a fixed stack is
//! enough to walk it. Moving a leaf grows its ancestors; the owner rebuilds when [`Bvh::slack`] says the
//! boxes have grown too loose. The tree's shape never decides a result, only how fast it is found.

use crate::{Aabb, V3};

const LEAF: u32 = u32::MAX;
const STACK: usize = 72;

#[derive(Debug, Clone, Copy)]
struct Node {
    aabb: Aabb,
    /// Left child, the right one follows it; `LEAF` for a leaf.
    child: u32,
    /// Item of a leaf.
    item: u32,
    parent: u32,
}

/// A bounding volume tree over items `0..len`.
#[derive(Debug, Clone, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
    leaf_of: Vec<u32>,
    order: Vec<u32>,
    built_area: f64,
    area: f64,
}

impl Bvh {
    /// Tree over boxes.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut bvh = Self::default();
        bvh.rebuild(boxes);
        bvh
    }

    /// Builds anew over the same or other boxes, reusing memory.
    pub fn rebuild(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        self.leaf_of.clear();
        self.leaf_of.resize(boxes.len(), LEAF);
        if boxes.is_empty() {
            return;
        }
        self.nodes.reserve(2 * boxes.len());
        let root = Node { aabb: Aabb::EMPTY, child: LEAF, item: 0, parent: LEAF };
        self.nodes.push(root);
        self.build(0, 0, boxes.len(), boxes);
        self.built_area = self.nodes.iter().map(|n| n.aabb.half_area()).sum();
        self.area = self.built_area;
    }

    fn build(&mut self, node: usize, from: usize, to: usize, boxes: &[Aabb]) {
        let range = &mut self.order[from..to];
        let aabb = range.iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
        self.nodes[node].aabb = aabb;
        if range.len() == 1 {
            let item = range[0];
            self.nodes[node].item = item;
            self.leaf_of[item as usize] = node as u32;
            return;
        }
        let twice_center = |i: u32| -> V3 { boxes[i as usize].min + boxes[i as usize].max };
        let spread = range.iter().fold(Aabb::EMPTY, |b, &i| {
            let c = twice_center(i);
            b.union(&Aabb { min: c, max: c })
        });
        let axis = (spread.max - spread.min).imax();
        let half = range.len() / 2;
        range.select_nth_unstable_by(half, |&i, &j| {
            twice_center(i)[axis].total_cmp(&twice_center(j)[axis]).then(i.cmp(&j))
        });
        let child = self.nodes.len() as u32;
        let blank = Node { aabb: Aabb::EMPTY, child: LEAF, item: 0, parent: node as u32 };
        self.nodes.extend([blank, blank]);
        self.nodes[node].child = child;
        self.build(child as usize, from, from + half, boxes);
        self.build(child as usize + 1, from + half, to, boxes);
    }

    /// Gives an item a new box and grows or shrinks the boxes above it.
    pub fn move_leaf(&mut self, item: usize, aabb: Aabb) {
        let mut n = self.leaf_of[item] as usize;
        self.set(n, aabb);
        while self.nodes[n].parent != LEAF {
            n = self.nodes[n].parent as usize;
            let c = self.nodes[n].child as usize;
            let union = self.nodes[c].aabb.union(&self.nodes[c + 1].aabb);
            if union == self.nodes[n].aabb {
                return;
            }
            self.set(n, union);
        }
    }

    fn set(&mut self, n: usize, aabb: Aabb) {
        self.area += aabb.half_area() - self.nodes[n].aabb.half_area();
        self.nodes[n].aabb = aabb;
    }

    /// How much larger the sum of box surfaces is than when the tree was built (1 = as built).
    pub fn slack(&self) -> f64 {
        if self.built_area > 0.0 { self.area / self.built_area } else { 1.0 }
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.leaf_of.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.leaf_of.is_empty()
    }

    /// Box around everything.
    pub fn root(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |n| n.aabb)
    }

    /// Calls `visit` for every item whose box overlaps `aabb`.
    #[inline]
    pub fn query(&self, aabb: &Aabb, visit: impl FnMut(usize)) {
        self.walk(|b| b.overlaps(aabb), visit);
    }

    /// Calls `visit` for every item below boxes for which `enter` holds.
    #[inline]
    pub fn walk(&self, enter: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(usize)) {
        if self.nodes.is_empty() || !enter(&self.nodes[0].aabb) {
            return;
        }
        let mut stack = [0u32; STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let node = &self.nodes[stack[top] as usize];
            if node.child == LEAF {
                visit(node.item as usize);
                continue;
            }
            for c in [node.child + 1, node.child] {
                if enter(&self.nodes[c as usize].aabb) {
                    stack[top] = c;
                    top += 1;
                }
            }
        }
    }

    /// Calls `visit` for every pair of an item of this tree and one of `other` below boxes that `meet`. `stack` is working memory.
    pub(crate) fn pairs(
        &self,
        other: &Self,
        meet: impl Fn(&Aabb, &Aabb) -> bool,
        stack: &mut Vec<(u32, u32)>,
        mut visit: impl FnMut(usize, usize),
    ) {
        stack.clear();
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            stack.push((0, 0));
        }
        while let Some((i, j)) = stack.pop() {
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if !meet(&a.aabb, &b.aabb) {
                continue;
            }
            match (a.child, b.child) {
                (LEAF, LEAF) => visit(a.item as usize, b.item as usize),
                (LEAF, c) => stack.extend([(i, c + 1), (i, c)]),
                (c, LEAF) => stack.extend([(c + 1, j), (c, j)]),
                // The larger one is split.
                (c, _) if a.aabb.half_area() >= b.aabb.half_area() => stack.extend([(c + 1, j), (c, j)]),
                (_, c) => stack.extend([(i, c + 1), (i, c)]),
            }
        }
    }

    /// The item that minimises `cost`, with `bound(box)` a lower bound of the cost of all items in a box.
    /// Ties go to the lowest index. Returns `(item, cost)`; `None` when nothing is below `limit`.
    pub fn nearest(
        &self,
        limit: f64,
        bound: impl Fn(&Aabb) -> f64,
        mut cost: impl FnMut(usize) -> f64,
    ) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        let mut limit = limit;
        if self.nodes.is_empty() {
            return None;
        }
        let mut stack = [(0u32, 0.0f64); STACK];
        stack[0] = (0, bound(&self.nodes[0].aabb));
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (n, b) = stack[top];
            if b > limit {
                continue;
            }
            let node = &self.nodes[n as usize];
            if node.child == LEAF {
                let item = node.item as usize;
                let c = cost(item);
                if c < limit || (c == limit && c.is_finite() && best.is_none_or(|(i, _)| item < i)) {
                    limit = c;
                    best = Some((item, c));
                }
                continue;
            }
            let (l, r) = (node.child, node.child + 1);
            let (bl, br) = (bound(&self.nodes[l as usize].aabb), bound(&self.nodes[r as usize].aabb));
            let (near, far) = if bl <= br { ((l, bl), (r, br)) } else { ((r, br), (l, bl)) };
            stack[top] = far;
            stack[top + 1] = near;
            top += 2;
        }
        best
    }
}
