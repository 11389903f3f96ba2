//! The mass matrix by the composite-rigid-body algorithm (CRBA).
//!
//! From the leaves to the roots the inertias add up to those of whole branches, Ic. A column of the
//! matrix is then F = Ic S_j dotted with the columns of the joints above j:
//!
//! ```text
//! M_jj = S_j · F + armature_j        M_ij = S_i · F  for i before j        0 for other branches
//! ```

use crate::Multibody;
use crate::multibody::{Motion, Node};
use crate::spatial::{RigidInertia, V6, cross, dot6, fma, scale3};
use crate::workspace::{Frame, Workspace};
use nalgebra::DMatrix;
use std::ops::Range;

/// The mass matrix: for each tree a dense block of which the lower triangle is stored.
#[derive(Clone, Debug)]
pub struct MassMatrix {
    /// For each tree its velocity coordinates and where its block starts.
    pub(crate) blocks: Vec<(Range<usize>, usize)>,
    /// Tree of each velocity coordinate.
    pub(crate) tree_of: Vec<usize>,
    pub(crate) data: Vec<f64>,
}

impl MassMatrix {
    /// A zero matrix of the right shape.
    pub fn new(multibody: &Multibody) -> Self {
        let (mut blocks, mut tree_of, mut size) = (Vec::new(), Vec::new(), 0);
        for (t, tree) in multibody.trees().iter().enumerate() {
            blocks.push((tree.v.clone(), size));
            tree_of.resize(tree.v.end, t);
            size += tree.v.len() * tree.v.len();
        }
        Self { blocks, tree_of, data: vec![0.0; size] }
    }

    /// Number of rows.
    pub fn nv(&self) -> usize {
        self.tree_of.len()
    }

    /// The element in row `i` and column `j`.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let tree = self.tree_of[i];
        if self.tree_of[j] != tree {
            return 0.0;
        }
        let (range, start) = &self.blocks[tree];
        let (i, j) = (i.max(j) - range.start, i.min(j) - range.start);
        self.data[start + i * range.len() + j]
    }

    /// The block of one tree, n×n numbers row after row. Only the elements on and below the diagonal
    /// are meaningful; those above are zero.
    pub fn lower_block(&self, tree: usize) -> &[f64] {
        let (range, start) = &self.blocks[tree];
        &self.data[*start..start + range.len() * range.len()]
    }

    /// Row `i` from the first coordinate of its tree to the diagonal, and that first coordinate.
    pub(crate) fn row(&self, i: usize) -> (&[f64], usize) {
        let (range, start) = &self.blocks[self.tree_of[i]];
        let begin = start + (i - range.start) * range.len();
        (&self.data[begin..begin + i - range.start + 1], range.start)
    }

    /// The whole matrix. Allocates.
    pub fn to_dense(&self) -> DMatrix<f64> {
        DMatrix::from_fn(self.nv(), self.nv(), |i, j| self.get(i, j))
    }

    /// ½ xᵀ M x, summed by four lanes.
    pub fn energy(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.nv(), "a vector of nv numbers");
        let mut energy = 0.0;
        for (range, start) in &self.blocks {
            let (n, x) = (range.len(), &x[range.clone()]);
            for i in 0..n {
                let (row, pivot) =
                    (&self.data[start + i * n..start + i * n + i], self.data[start + i * n + i]);
                let mut sum = [0.0; 4];
                let (fours, rest) = row.as_chunks::<4>();
                let (x_fours, x_rest) = x[..i].as_chunks::<4>();
                for (m, x) in fours.iter().zip(x_fours) {
                    for lane in 0..4 {
                        sum[lane] = fma(m[lane], x[lane], sum[lane]);
                    }
                }
                let last: f64 = rest.iter().zip(x_rest).map(|(m, x)| m * x).sum();
                let below = (sum[0] + sum[1]) + (sum[2] + sum[3]) + last;
                energy += x[i] * (0.5 * pivot * x[i] + below);
            }
        }
        energy
    }

    /// An upper bound of ½ xᵀ M x: the matrix is positive definite, so |M_ij|² ≤ M_ii M_jj and the sum is at most
    /// ½ (Σ √M_ii |x_i|)² in each tree.
    pub fn energy_bound(&self, x: &[f64]) -> f64 {
        assert_eq!(x.len(), self.nv(), "a vector of nv numbers");
        let of_tree = |(range, start): &(Range<usize>, usize)| {
            let (n, x) = (range.len(), &x[range.clone()]);
            let sum: f64 = (0..n).map(|i| self.data[start + i * (n + 1)].sqrt() * x[i].abs()).sum();
            0.5 * sum * sum
        };
        self.blocks.iter().map(of_tree).sum()
    }

    /// The sum of the diagonal.
    pub fn trace(&self) -> f64 {
        let of_tree = |(range, start): &(Range<usize>, usize)| {
            let n = range.len();
            (0..n).map(|i| self.data[start + i * (n + 1)]).sum::<f64>()
        };
        self.blocks.iter().map(of_tree).sum()
    }

    /// out = M x.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        assert_eq!(x.len(), self.nv(), "a vector of nv numbers");
        assert_eq!(out.len(), self.nv(), "a vector of nv numbers");
        for (range, start) in &self.blocks {
            let n = range.len();
            let (x, out) = (&x[range.clone()], &mut out[range.clone()]);
            out.fill(0.0);
            for i in 0..n {
                let row = &self.data[start + i * n..start + i * n + i];
                let (before, rest) = out.split_at_mut(i);
                let mut sum = self.data[start + i * n + i] * x[i];
                for ((m, x_j), out_j) in row.iter().zip(x).zip(before) {
                    sum += m * x_j;
                    *out_j += m * x[i];
                }
                rest[0] += sum;
            }
        }
    }
}

impl Multibody {
    /// Computes the mass matrix at the positions set before, with armature and rotor inertia on its
    /// diagonal. Locked joints are treated like any other joint here.
    pub fn mass_matrix(&self, ws: &mut Workspace, out: &mut MassMatrix) {
        assert_eq!(out.nv(), self.nv(), "a mass matrix made for this multibody");
        self.world_inertias(ws);
        ws.composite.copy_from_slice(&ws.inertias);
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases).rev() {
            let composite = ws.composite[i];
            let (range, start) = &out.blocks[node.tree];
            let (first, n) = (range.start, range.len());
            if node.motion == Motion::Free && n == 6 {
                let armature = &self.armature[node.v..node.v + 6];
                free_body(node, &ws.frames[i], armature, &mut out.data[*start..start + 36]);
                continue;
            }
            for j in node.v..node.v + node.nv {
                let force: V6 = composite.apply(&ws.s[j]);
                let begin = start + (j - first) * n;
                let row = &mut out.data[begin..begin + n];
                row[j - first] = dot6(&ws.s[j], &force) + self.armature[j];
                for run in self.ancestors(j) {
                    project(&mut row[run.start - first..run.end - first], &ws.s[run.clone()], &force);
                }
            }
            if !node.root {
                ws.composite[node.parent].add(&composite);
            }
        }
    }

    /// The inertia each node carries, in world axes about O; kept until the positions change.
    pub(crate) fn world_inertias(&self, ws: &mut Workspace) {
        if ws.inertias_ready {
            return;
        }
        ws.inertias_ready = true;
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            if node.has_inertia() {
                let frame = &ws.frames[i];
                ws.inertias[i] = RigidInertia::new(node.mass, frame.com, &frame.rot, &node.rotational);
            }
        }
    }
}

/// The block of a single free body. In body axes its inertia about its origin is constant:
///
/// ```text
/// M = [m 1, −m c× R; (−m c× R)ᵀ, I_C + m (c·c 1 − c cᵀ)]        c the centre of mass from the origin
/// ```
fn free_body(node: &Node, frame: &Frame, armature: &[f64], block: &mut [f64]) {
    let (m, [x, y, z], i) = (node.mass, node.com, &node.rotational);
    let (xy, xz, yz) = (i[3] - m * x * y, i[4] - m * x * z, i[5] - m * y * z);
    let about_origin = [
        [i[0] + m * (y * y + z * z), 0.0, 0.0],
        [xy, i[1] + m * (x * x + z * z), 0.0],
        [xz, yz, i[2] + m * (x * x + y * y)],
    ];
    let (rot, moment) = (&frame.rot, scale3(m, frame.com));
    for k in 0..3 {
        block[7 * k] = m + armature[k];
        let row = &mut block[6 * (3 + k)..6 * (3 + k) + 6];
        row[..3].copy_from_slice(&cross([rot[k], rot[3 + k], rot[6 + k]], moment));
        row[3..].copy_from_slice(&about_origin[k]);
        row[3 + k] += armature[3 + k];
    }
}

/// Each column dotted with `force`.
#[inline(never)]
fn project(out: &mut [f64], columns: &[V6], force: &V6) {
    for (out, s) in out.iter_mut().zip(columns) {
        *out = dot6(s, force);
    }
}
