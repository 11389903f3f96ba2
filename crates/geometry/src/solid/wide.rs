//! A tree four boxes at a time: one step compares four children with a slab, each in a lane.

use super::cell::{Lanes, fma};
use super::tree::{BoxNode, LEAF, STACK};
use crate::V3;

/// A lane without a child.
const NOTHING: u32 = u32::MAX;

/// Up to four boxes, by axis, and what they hold: `LEAF | item`, or the node of their parts.
#[derive(Debug, Clone)]
struct Four {
    center: [Lanes; 3],
    half: [Lanes; 3],
    link: [u32; 4],
}

/// The tree; its items are in the order of the binary one that it is made of.
#[derive(Debug, Clone)]
pub(super) struct WideTree {
    nodes: Vec<Four>,
}

impl WideTree {
    /// From a binary tree: left children or leaves, see [`super::tree::Tree`], and boxes.
    pub(super) fn new(link: &[u32], boxes: &[BoxNode]) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        let root = link[0];
        tree.add(if root & LEAF != 0 { vec![0] } else { vec![root, root + 1] }, link, boxes);
        tree
    }

    /// Adds the node of two children, or of their children, and everything below; returns its index.
    fn add(&mut self, children: Vec<u32>, link: &[u32], boxes: &[BoxNode]) -> u32 {
        let below = |&c: &u32| {
            let l = link[c as usize];
            if l & LEAF != 0 { vec![c] } else { vec![l, l + 1] }
        };
        let children: Vec<u32> = children.iter().flat_map(below).collect();
        let mut four = Four { center: [[0.0; 4]; 3], half: [[0.0; 4]; 3], link: [NOTHING; 4] };
        for (lane, child) in children.iter().enumerate() {
            let b = &boxes[*child as usize];
            for axis in 0..3 {
                four.center[axis][lane] = b.center[axis];
                four.half[axis][lane] = b.half[axis];
            }
        }
        let node = self.nodes.len();
        self.nodes.push(four);
        for (lane, child) in children.iter().enumerate() {
            let l = link[*child as usize];
            self.nodes[node].link[lane] =
                if l & LEAF != 0 { l } else { self.add(vec![l, l + 1], link, boxes) };
        }
        node as u32
    }

    /// Calls `visit(item)` for items whose box meets `lower <= n.r - d <= upper`, from left to right.
    #[inline]
    pub(super) fn slab(&self, n: &V3, d: f64, lower: f64, upper: f64, mut visit: impl FnMut(u32)) {
        let abs = n.abs();
        let mut stack = [0u32; STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let at = stack[top];
            if at & LEAF != 0 {
                visit(at & !LEAF);
                continue;
            }
            let Four { center, half, link } = &self.nodes[at as usize];
            let s = fma(&center[2], n.z, &fma(&center[1], n.y, &fma(&center[0], n.x, &[-d; 4])));
            let r = fma(&half[2], abs.z, &fma(&half[1], abs.y, &fma(&half[0], abs.x, &[0.0; 4])));
            let mut apart = [0.0; 4];
            for i in 0..4 {
                let (over, under) = (s[i] - r[i] - upper, lower - (s[i] + r[i]));
                apart[i] = if over > under { over } else { under };
            }
            for i in (0..4).rev() {
                stack[top] = link[i];
                top += usize::from((apart[i] <= 0.0) & (link[i] != NOTHING));
            }
        }
    }
}
