//! Sharp edges and corners of the surface, and the mesh vertices that stand for them.

use crate::surface::ClosedSurface;
use crate::{Aabb, Bvh, V3};

/// Why a vertex of the mesh stays in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// Inside: nothing.
    Free,
    /// On the surface.
    Surface,
    /// On a sharp edge.
    Crease,
    /// On a corner, or not to be moved for another reason.
    Fixed,
}

/// Sharp edges and corners.
#[derive(Debug)]
pub(super) struct Features {
    segments: Vec<[V3; 2]>,
    tree: Bvh,
    pub(super) corners: Vec<V3>,
}

impl Features {
    /// Edges where the surface turns by more than `angle` degrees; corners are where such edges end, meet
    /// or turn.
    pub(super) fn new(surface: &ClosedSurface, angle: f64) -> Self {
        let mut sides: Vec<((u32, u32), u32)> = Vec::with_capacity(3 * surface.faces().len());
        for (f, v) in surface.faces().iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (v[k], v[(k + 1) % 3]);
                sides.push(((a.min(b), a.max(b)), f as u32));
            }
        }
        sides.sort_unstable();
        let least = angle.to_radians().cos();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            let n = |k: usize| surface.normals()[group[k].1 as usize];
            if group.len() == 2 && n(0) != V3::zeros() && n(1) != V3::zeros() && n(0).dot(&n(1)) < least {
                edges.push(group[0].0);
            }
        }
        let vertex = |i: u32| surface.vertices()[i as usize];
        let mut at: Vec<(u32, u32)> = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        at.sort_unstable();
        let mut corners = Vec::new();
        for group in at.chunk_by(|x, y| x.0 == y.0) {
            let way = |k: usize| (vertex(group[k].1) - vertex(group[k].0)).normalize();
            if group.len() != 2 || way(0).dot(&way(1)) > -0.7 {
                corners.push(vertex(group[0].0));
            }
        }
        let segments: Vec<[V3; 2]> = edges.iter().map(|&(a, b)| [vertex(a), vertex(b)]).collect();
        let boxes: Vec<Aabb> = segments.iter().map(Aabb::of_points).collect();
        Self { tree: Bvh::new(&boxes), segments, corners }
    }

    /// The nearest point of a sharp edge within `limit`.
    pub(super) fn nearest(&self, p: &V3, limit: f64) -> Option<V3> {
        let bound = |b: &Aabb| (b.min - p).sup(&(p - b.max)).sup(&V3::zeros()).norm_squared();
        let cost = |i: usize| (self.point(i, p) - p).norm_squared();
        self.tree.nearest(limit * limit, bound, cost).map(|(i, _)| self.point(i, p))
    }

    fn point(&self, i: usize, p: &V3) -> V3 {
        let [a, b] = self.segments[i];
        let d = b - a;
        let length = d.norm_squared();
        a + d * if length > 0.0 { ((p - a).dot(&d) / length).clamp(0.0, 1.0) } else { 0.0 }
    }
}
