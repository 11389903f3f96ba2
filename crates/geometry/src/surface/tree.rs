//! A tree over triangles that answers what a mesher asks: nearest point, winding number, crossings.

use super::triangle::{closest_point, crosses_segment, solid_angle};
use crate::{Aabb, V3};

const LEAF_SIZE: usize = 4;
/// A cluster of triangles seen from farther than this many of its radii acts as one dipole.
const FAR: f64 = 2.3;
const STACK: usize = 128;

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// Left child (the right one follows); 0 for a leaf.
    child: u32,
    first: u32,
    count: u32,
    /// Sum of area times normal.
    dipole: V3,
    /// Centre of area, and the ball around it that holds the triangles.
    center: V3,
    radius: f64,
}

/// The tree. Faces keep the numbers they were given with.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceTree {
    nodes: Vec<Node>,
    corners: Vec<[V3; 3]>,
    faces: Vec<u32>,
}

/// The nearest point of a surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    pub(crate) face: u32,
    pub(crate) point: V3,
    pub(crate) distance: f64,
}

impl SurfaceTree {
    pub(crate) fn new(vertices: &[V3], faces: &[[u32; 3]]) -> Self {
        let corners: Vec<[V3; 3]> = faces.iter().map(|f| f.map(|i| vertices[i as usize])).collect();
        let centers: Vec<V3> = corners.iter().map(|c| (c[0] + c[1] + c[2]) / 3.0).collect();
        let mut order: Vec<u32> = (0..faces.len() as u32).collect();
        let blank = Node {
            bounds: Aabb::EMPTY,
            child: 0,
            first: 0,
            count: 0,
            dipole: V3::zeros(),
            center: V3::zeros(),
            radius: 0.0,
        };
        let mut nodes = vec![blank];
        let mut stack = vec![(0usize, 0usize, faces.len())];
        while let Some((node, from, to)) = stack.pop() {
            (nodes[node].first, nodes[node].count) = (from as u32, (to - from) as u32);
            if to - from <= LEAF_SIZE {
                continue;
            }
            let range = &mut order[from..to];
            let axis = Aabb::of_points(range.iter().map(|&i| &centers[i as usize])).half().imax();
            let half = range.len() / 2;
            range.select_nth_unstable_by(half, |&i, &j| {
                centers[i as usize][axis].total_cmp(&centers[j as usize][axis]).then(i.cmp(&j))
            });
            let child = nodes.len();
            nodes.extend([blank, blank]);
            nodes[node].child = child as u32;
            stack.extend([(child, from, from + half), (child + 1, from + half, to)]);
        }
        for node in nodes.iter_mut() {
            let range = &order[node.first as usize..(node.first + node.count) as usize];
            let (mut area, mut weighted) = (0.0, V3::zeros());
            for &f in range {
                let [a, b, c] = corners[f as usize];
                let n = (b - a).cross(&(c - a)) * 0.5;
                node.dipole += n;
                area += n.norm();
                weighted += centers[f as usize] * n.norm();
                node.bounds = node.bounds.union(&Aabb::of_points(&corners[f as usize]));
            }
            node.center = if area > 0.0 { weighted / area } else { node.bounds.center() };
            let far = range.iter().flat_map(|&f| corners[f as usize]).map(|v| (v - node.center).norm());
            node.radius = far.fold(0.0, f64::max);
        }
        let corners = order.iter().map(|&f| corners[f as usize]).collect();
        Self { nodes, corners, faces: order }
    }

    pub(crate) fn bounds(&self) -> Aabb {
        self.nodes[0].bounds
    }

    fn leaf(&self, node: &Node) -> impl Iterator<Item = (u32, &[V3; 3])> {
        let range = node.first as usize..(node.first + node.count) as usize;
        self.faces[range.clone()].iter().copied().zip(&self.corners[range])
    }

    /// Nearest point within `limit`; of equally near faces the one with the lowest number.
    pub(crate) fn nearest(&self, p: &V3, limit: f64) -> Option<Nearest> {
        let mut best: Option<(u32, V3)> = None;
        let mut least = limit * limit;
        let mut stack = [(0u32, 0.0f64); STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (n, bound) = stack[top];
            if bound > least {
                continue;
            }
            let node = &self.nodes[n as usize];
            if node.child == 0 {
                for (face, c) in self.leaf(node) {
                    let q = closest_point(p, c);
                    let d = (p - q).norm_squared();
                    if d < least || (d == least && best.is_none_or(|b| face < b.0)) {
                        (least, best) = (d, Some((face, q)));
                    }
                }
                continue;
            }
            let bounds =
                [node.child, node.child + 1].map(|c| (c, box_distance(&self.nodes[c as usize].bounds, p)));
            let [near, far] = if bounds[0].1 <= bounds[1].1 { bounds } else { [bounds[1], bounds[0]] };
            stack[top] = far;
            stack[top + 1] = near;
            top += 2;
        }
        best.map(|(face, point)| Nearest { face, point, distance: least.sqrt() })
    }

    /// Generalised winding number: 1 inside a closed surface, 0 outside, in between near holes
    /// (Jacobson, Kavan, Sorkine-Hornung 2013); far clusters count as dipoles (Barill et al. 2018).
    pub(crate) fn winding(&self, p: &V3) -> f64 {
        let mut sum = 0.0;
        let mut stack = [0u32; STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let node = &self.nodes[stack[top] as usize];
            let r = node.center - p;
            let d2 = r.norm_squared();
            if d2 > (FAR * node.radius).powi(2) {
                sum += node.dipole.dot(&r) / (d2 * d2.sqrt());
            } else if node.child == 0 {
                sum += self.leaf(node).map(|(_, c)| solid_angle(p, c)).sum::<f64>();
            } else {
                stack[top] = node.child + 1;
                stack[top + 1] = node.child;
                top += 2;
            }
        }
        sum / (4.0 * std::f64::consts::PI)
    }

    /// Crossings of the segment from `a` to `b`, as (fraction, face), in order.
    pub(crate) fn crossings(&self, a: &V3, b: &V3, out: &mut Vec<(f64, u32)>) {
        out.clear();
        let segment = Aabb::of_points([a, b]);
        let d = b - a;
        let enter = |bounds: &Aabb| bounds.overlaps(&segment) && line_meets_box(bounds, a, &d);
        self.walk(enter, |face, c| {
            if let Some(t) = crosses_segment(a, &d, c) {
                out.push((t, face));
            }
        });
        out.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    }

    /// Calls `visit(face, corners)` for faces below boxes for which `enter` holds.
    pub(crate) fn walk(&self, enter: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(u32, &[V3; 3])) {
        let mut stack = [0u32; STACK];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let node = &self.nodes[stack[top] as usize];
            if !enter(&node.bounds) {
                continue;
            }
            if node.child == 0 {
                self.leaf(node).for_each(|(face, c)| visit(face, c));
            } else {
                stack[top] = node.child + 1;
                stack[top + 1] = node.child;
                top += 2;
            }
        }
    }
}

fn box_distance(b: &Aabb, p: &V3) -> f64 {
    let d = (b.min - p).sup(&(p - b.max)).sup(&V3::zeros());
    d.norm_squared()
}

/// Whether the segment a + t d, t in [0, 1], meets a box (slabs, padded for rounding).
fn line_meets_box(b: &Aabb, a: &V3, d: &V3) -> bool {
    let (mut low, mut high) = (-1e-9f64, 1.0f64 + 1e-9);
    for k in 0..3 {
        if d[k] != 0.0 {
            let (t0, t1) = ((b.min[k] - a[k]) / d[k], (b.max[k] - a[k]) / d[k]);
            low = low.max(t0.min(t1) - 1e-9);
            high = high.min(t0.max(t1) + 1e-9);
        } else if a[k] < b.min[k] || a[k] > b.max[k] {
            return false;
        }
    }
    low <= high
}
