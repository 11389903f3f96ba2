//! Tetrahedra of an octree: the body-centred cubic lattice, graded (Labelle and Shewchuk 2007).
//!
//! Vertices are corners and centres of leaves. Across a face between leaves of one size, four tetrahedra
//! lie around the line of the two centres, one for each edge of the face, or two where the edge is halved
//! by smaller leaves. A face next to smaller leaves is cut into four squares, each with the diagonal
//! through the middle of the face, from both sides.

use super::octree::{Leaf, Octree};
use crate::V3;
use crate::solid::check::six_volume;
use std::collections::HashMap;

/// The lattice as plain tetrahedra, positively oriented.
#[derive(Debug, Default)]
pub(super) struct Lattice {
    pub(super) vertices: Vec<V3>,
    pub(super) tets: Vec<[u32; 4]>,
}

/// All tetrahedra for which `keep` holds of one of their corners (by vertex number).
pub(super) fn lattice(tree: &Octree, inside: impl Fn(&V3) -> bool) -> (Lattice, Vec<bool>) {
    let mut builder = Builder { tree, number: HashMap::new(), points: Vec::new() };
    let leaves: Vec<Leaf> = tree.leaves().collect();
    for leaf in &leaves {
        builder.vertex(leaf.center());
        for k in 0..8u32 {
            builder.vertex(std::array::from_fn(|axis| leaf.corner[axis] + leaf.size * (k >> axis & 1)));
        }
    }
    let signs: Vec<bool> = builder.points.iter().map(|&p| inside(&tree.position(p))).collect();
    let mut tets: Vec<[u32; 4]> = Vec::new();
    let mut add = |t: [u32; 4]| {
        if t.iter().any(|&i| signs[i as usize]) {
            tets.push(t);
        }
    };
    for leaf in &leaves {
        for axis in 0..3 {
            for side in [1, -1] {
                builder.face(leaf, axis, side, &mut add);
            }
        }
    }
    // Only vertices in use, in the order they were met.
    let mut renumber = vec![u32::MAX; builder.points.len()];
    tets.iter().flatten().for_each(|&i| renumber[i as usize] = 0);
    let mut out = Lattice::default();
    let mut kept_signs = Vec::new();
    for (i, n) in renumber.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
        *n = out.vertices.len() as u32;
        out.vertices.push(tree.position(builder.points[i]));
        kept_signs.push(signs[i]);
    }
    out.tets = tets;
    for t in &mut out.tets {
        *t = t.map(|i| renumber[i as usize]);
        if six_volume(&t.map(|i| out.vertices[i as usize])) < 0.0 {
            t.swap(2, 3);
        }
    }
    (out, kept_signs)
}

struct Builder<'a> {
    tree: &'a Octree,
    number: HashMap<[u32; 3], u32>,
    points: Vec<[u32; 3]>,
}

impl Builder<'_> {
    fn vertex(&mut self, p: [u32; 3]) -> u32 {
        *self.number.entry(p).or_insert_with(|| {
            self.points.push(p);
            self.points.len() as u32 - 1
        })
    }

    fn at(&self, p: [u32; 3]) -> Option<u32> {
        self.number.get(&p).copied()
    }

    /// Tetrahedra between a leaf's centre and one of its faces.
    fn face(&self, leaf: &Leaf, axis: usize, side: i32, add: &mut impl FnMut([u32; 4])) {
        let direction = std::array::from_fn(|k| if k == axis { side } else { 0 });
        let Some(other) = self.tree.neighbour(leaf, direction) else { return };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let size = leaf.size;
        let corner = |i: u32, j: u32| {
            let mut p = leaf.corner;
            p[axis] += if side > 0 { size } else { 0 };
            p[u] += i * size / 2;
            p[v] += j * size / 2;
            p
        };
        let vertex = |i, j| self.at(corner(i, j));
        let Some(center) = self.at(leaf.center()) else { return };
        let mut tet = |a: Option<u32>, b: Option<u32>, c: Option<u32>| {
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                add([center, a, b, c]);
            }
        };
        if other.size == size {
            if side < 0 {
                return; // once for both
            }
            let opposite = self.at(other.center());
            let ring = [(0, 0), (2, 0), (2, 2), (0, 2)];
            for k in 0..4 {
                let ((a, b), (c, d)) = (ring[k], ring[(k + 1) % 4]);
                let middle = vertex((a + c) / 2, (b + d) / 2);
                if middle.is_some() {
                    tet(opposite, vertex(a, b), middle);
                    tet(opposite, middle, vertex(c, d));
                } else {
                    tet(opposite, vertex(a, b), vertex(c, d));
                }
            }
        } else if other.size < size {
            for (i, j) in [(0, 0), (2, 0), (0, 2), (2, 2)] {
                tet(vertex(i, j), vertex(1, j), vertex(1, 1));
                tet(vertex(i, j), vertex(1, 1), vertex(i, 1));
            }
        } else {
            // The middle of the larger face is one of our corners; the diagonal goes through it.
            let middle = [u, v].map(|k| other.corner[k] + other.size / 2);
            let i = if leaf.corner[u] == middle[0] { 0 } else { 2 };
            let j = if leaf.corner[v] == middle[1] { 0 } else { 2 };
            tet(vertex(i, j), vertex(2 - i, j), vertex(2 - i, 2 - j));
            tet(vertex(i, j), vertex(2 - i, 2 - j), vertex(i, 2 - j));
        }
    }
}
