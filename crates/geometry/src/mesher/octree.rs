//! An octree whose leaves are as small as the surface asks and grow inwards.
//!
//! Coordinates are integers: a finest leaf is [`FINEST`] units wide, so corners and centres of all leaves
//! are integer points. Leaves that share a face or an edge differ by a factor of two at most.

use super::MeshingError;
use crate::surface::ClosedSurface;
use crate::{Aabb, V3};

/// Width of the smallest leaf in units.
const FINEST: u32 = 2;

#[derive(Debug, Clone, Copy)]
struct Node {
    corner: [u32; 3],
    size: u32,
    /// First of eight children, 0 for a leaf.
    children: u32,
}

/// How small the leaves have to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizing {
    /// Largest leaf at the surface, m.
    pub(super) surface: f64,
    /// Largest leaf anywhere inside, m.
    pub(super) interior: f64,
    /// Times a leaf at the surface may be halved for a thin wall.
    pub(super) refinements: u32,
    /// Leaves wanted through a wall.
    pub(super) leaves_through: f64,
    /// Most leaves.
    pub(super) most: usize,
}

/// The tree.
#[derive(Debug)]
pub(super) struct Octree {
    nodes: Vec<Node>,
    root: u32,
    origin: V3,
    unit: f64,
}

/// A leaf by its lowest corner and width, in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) corner: [u32; 3],
    pub(super) size: u32,
}

impl Leaf {
    pub(super) fn center(&self) -> [u32; 3] {
        self.corner.map(|c| c + self.size / 2)
    }
}

impl Octree {
    /// Around a surface; `cores` are further surfaces to be resolved by leaves of the given size.
    pub(super) fn build(
        surface: &ClosedSurface,
        core: Option<&ClosedSurface>,
        sizing: &Sizing,
    ) -> Result<Self, MeshingError> {
        let bounds = surface.bounds();
        let extent = 2.0 * bounds.half().max() + 4.0 * sizing.surface;
        let levels = (extent / sizing.surface).log2().ceil().max(0.0) as u32;
        let total = levels + sizing.refinements;
        if total > 24 {
            return Err(MeshingError::TooFine {
                resolution: sizing.surface,
                leaves: usize::MAX,
                most: sizing.most,
            });
        }
        let finest = sizing.surface / f64::from(1u32 << sizing.refinements);
        let unit = finest / f64::from(FINEST);
        let root = FINEST << total;
        // Off the middle by a little, so that faces of the surface seldom fall on lattice planes.
        let shift = V3::new(0.137, 0.211, 0.173) * sizing.surface;
        let origin = bounds.center() - V3::repeat(0.5 * f64::from(root) * unit) + shift;
        let mut tree =
            Self { nodes: vec![Node { corner: [0; 3], size: root, children: 0 }], root, origin, unit };
        let mut walls = Walls::new(surface, sizing);
        let all: Vec<u32> = (0..surface.faces().len() as u32).collect();
        let inner: Vec<u32> = (0..core.map_or(0, |c| c.faces().len()) as u32).collect();
        tree.refine(0, &all, &inner, surface, core, sizing, &mut walls)?;
        tree.balance(sizing)?;
        Ok(tree)
    }

    fn refine(
        &mut self,
        node: usize,
        faces: &[u32],
        inner: &[u32],
        surface: &ClosedSurface,
        core: Option<&ClosedSurface>,
        sizing: &Sizing,
        walls: &mut Walls,
    ) -> Result<(), MeshingError> {
        let Node { corner, size, .. } = self.nodes[node];
        let width = f64::from(size) * self.unit;
        let center = self.position(corner) + V3::repeat(0.5 * width);
        // A leaf beyond the surface by a quarter of its width still meets its cuts.
        let reach = 0.75 * width;
        let near: Vec<u32> =
            faces.iter().copied().filter(|&f| meets_cube(surface, f as usize, &center, reach)).collect();
        let near_core: Vec<u32> = match core {
            Some(core) => {
                inner.iter().copied().filter(|&f| meets_cube(core, f as usize, &center, reach)).collect()
            }
            None => Vec::new(),
        };
        if size <= FINEST {
            return Ok(());
        }
        let tolerance = 1.0 + 1e-9;
        let split = if near.is_empty() {
            let target =
                if near_core.is_empty() { sizing.interior } else { sizing.surface.min(sizing.interior) };
            width > target * tolerance && surface.contains(&center)
        } else {
            width > sizing.surface * tolerance || width > walls.target(surface, &near, &center) * tolerance
        };
        if !split {
            return Ok(());
        }
        let children = self.split(node, sizing)?;
        for k in 0..8 {
            self.refine(children + k, &near, &near_core, surface, core, sizing, walls)?;
        }
        Ok(())
    }

    fn split(&mut self, node: usize, sizing: &Sizing) -> Result<usize, MeshingError> {
        let Node { corner, size, .. } = self.nodes[node];
        let children = self.nodes.len();
        if children > sizing.most * 2 {
            let error =
                MeshingError::TooFine { resolution: sizing.surface, leaves: children, most: sizing.most };
            return Err(error);
        }
        self.nodes[node].children = children as u32;
        let half = size / 2;
        for k in 0..8u32 {
            let corner = std::array::from_fn(|axis| corner[axis] + half * (k >> axis & 1));
            self.nodes.push(Node { corner, size: half, children: 0 });
        }
        Ok(children)
    }

    /// Splits leaves until those that share a face or an edge differ by a factor of two at most.
    fn balance(&mut self, sizing: &Sizing) -> Result<(), MeshingError> {
        let mut queue: Vec<Leaf> = self.leaves().collect();
        while let Some(leaf) = queue.pop() {
            for direction in NEIGHBOURS {
                let Some(point) = self.across(&leaf, direction) else { continue };
                loop {
                    let node = self.locate(point);
                    if self.nodes[node].size <= 2 * leaf.size {
                        break;
                    }
                    let children = self.split(node, sizing)?;
                    queue.extend((0..8).map(|k| self.leaf(children + k)));
                }
            }
        }
        Ok(())
    }

    fn leaf(&self, node: usize) -> Leaf {
        Leaf { corner: self.nodes[node].corner, size: self.nodes[node].size }
    }

    /// Leaves, in the order they were made.
    pub(super) fn leaves(&self) -> impl Iterator<Item = Leaf> + '_ {
        (0..self.nodes.len()).filter(|&n| self.nodes[n].children == 0).map(|n| self.leaf(n))
    }

    /// A point just beyond a leaf's side, `None` outside of the root.
    fn across(&self, leaf: &Leaf, direction: [i32; 3]) -> Option<[u32; 3]> {
        let mut point = leaf.center();
        for axis in 0..3 {
            let moved = i64::from(point[axis]) + i64::from(direction[axis]) * i64::from(leaf.size / 2 + 1);
            if moved < 0 || moved >= i64::from(self.root) {
                return None;
            }
            point[axis] = moved as u32;
        }
        Some(point)
    }

    /// The leaf across a face (or an edge).
    pub(super) fn neighbour(&self, leaf: &Leaf, direction: [i32; 3]) -> Option<Leaf> {
        self.across(leaf, direction).map(|p| self.leaf(self.locate(p)))
    }

    fn locate(&self, point: [u32; 3]) -> usize {
        let mut node = 0;
        loop {
            let Node { corner, size, children } = self.nodes[node];
            if children == 0 {
                return node;
            }
            let half = size / 2;
            let k = (0..3).fold(0, |k, axis| k | usize::from(point[axis] >= corner[axis] + half) << axis);
            node = children as usize + k;
        }
    }

    /// Metres of an integer point.
    pub(super) fn position(&self, point: [u32; 3]) -> V3 {
        self.origin + V3::from(point.map(f64::from)) * self.unit
    }
}

/// Faces and edges of a cube.
const NEIGHBOURS: [[i32; 3]; 18] = [
    [1, 0, 0],
    [-1, 0, 0],
    [0, 1, 0],
    [0, -1, 0],
    [0, 0, 1],
    [0, 0, -1],
    [1, 1, 0],
    [1, -1, 0],
    [-1, 1, 0],
    [-1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [-1, 0, 1],
    [-1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
    [0, -1, 1],
    [0, -1, -1],
];

/// Whether a face may meet a cube: by its box and by its plane.
fn meets_cube(surface: &ClosedSurface, face: usize, center: &V3, reach: f64) -> bool {
    let c = surface.corners(face);
    let bounds = Aabb::of_points(&c);
    let outside = (0..3).any(|k| bounds.min[k] > center[k] + reach || bounds.max[k] < center[k] - reach);
    let n = surface.normals()[face];
    !outside && n.dot(&(center - c[0])).abs() <= reach * n.abs().sum()
}

/// Cell sizes that walls ask for: below faces, measured once each, and below the points nearest to leaves.
struct Walls {
    of_face: Vec<f64>,
    limit: f64,
    cells: f64,
    hits: Vec<(f64, u32)>,
}

/// Cells through a rod, for one through a sheet.
const ROD: f64 = 2.0;

impl Walls {
    fn new(surface: &ClosedSurface, sizing: &Sizing) -> Self {
        Self {
            of_face: vec![f64::NAN; surface.faces().len()],
            // Thicker walls ask for nothing.
            limit: sizing.surface * sizing.leaves_through * ROD * 1.01,
            cells: sizing.leaves_through,
            hits: Vec::new(),
        }
    }

    fn size(&mut self, surface: &ClosedSurface, face: usize, p: &V3) -> f64 {
        let thickness = surface.thickness(face, p, self.limit, &mut self.hits);
        if !thickness.is_finite() {
            return f64::INFINITY;
        }
        let rod = surface.is_rod(face, p, thickness, &mut self.hits);
        thickness / if rod { ROD * self.cells } else { self.cells }
    }

    /// Leaf size that walls near a leaf ask for.
    fn target(&mut self, surface: &ClosedSurface, faces: &[u32], center: &V3) -> f64 {
        let nearest = surface.nearest(center);
        let mut least = self.size(surface, nearest.face as usize, &nearest.point);
        for &f in faces.iter().take(16) {
            let c = surface.corners(f as usize);
            let middle = (c[0] + c[1] + c[2]) / 3.0;
            if self.of_face[f as usize].is_nan() {
                self.of_face[f as usize] = self.size(surface, f as usize, &middle);
            }
            // The middle of a large face may be far away.
            if (middle - center).norm() < 2.0 * self.limit {
                least = least.min(self.of_face[f as usize]);
            }
        }
        least
    }
}
