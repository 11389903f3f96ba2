//! The sparse factor M = Lᵀ D L of the mass matrix.
//!
//! Eliminating coordinates from the leaves to the roots creates no fill: L_kj ≠ 0 only where j lies on
//! the path from k to its root (Featherstone's branch-induced sparsity). For each i from the last:
//!
//! ```text
//! M_ij −= L_ki D_k L_kj for every k below i, for j = i and above;   D_i = M_ii;   L_ij = M_ij / D_i
//! ```
//!
//! A row is stored packed: its entries along the path from the root, then zeros up to a multiple of four.
//! The path of i is the beginning of the path of every k below it, so the packed rows of i and k align and the inner
//! loop runs over contiguous memory, four numbers at a time.
//!
//! Locked coordinates are excluded: their rows and columns are dropped and their solution is zero.

use crate::Multibody;
use crate::mass::MassMatrix;
use crate::spatial::fma;

const LANES: usize = 4;
type Four = [f64; LANES];

/// The LᵀDL factor of a mass matrix, possibly with an added diagonal.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Packed rows of L.
    rows: Vec<Four>,
    /// The coordinates along each row, itself last, zero in the padding.
    path: Vec<[usize; LANES]>,
    /// Where each row starts; one more entry than rows.
    start: Vec<usize>,
    /// Number of coordinates above each one.
    depth: Vec<usize>,
    /// The end of the coordinates below each one, which follow it.
    branch_end: Vec<usize>,
    /// D L, packed as L is.
    scaled: Vec<Four>,
    /// 1/D; zero for locked coordinates.
    inverse: Vec<f64>,
    locked: Vec<bool>,
    any_locked: bool,
}

impl Factor {
    /// An empty factor of the right shape. Its solutions are zero.
    pub fn new(multibody: &Multibody) -> Self {
        let nv = multibody.nv();
        let (mut start, mut path, mut depth) = (vec![0], Vec::new(), Vec::new());
        let mut branch_end: Vec<usize> = (1..=nv).collect();
        for k in 0..nv {
            let mut along: Vec<usize> = multibody.ancestors(k).iter().cloned().flatten().collect();
            along.iter().for_each(|&j| branch_end[j] = k + 1);
            depth.push(along.len());
            along.push(k);
            path.extend(along.chunks(LANES).map(|c| std::array::from_fn(|i| *c.get(i).unwrap_or(&0))));
            start.push(path.len());
        }
        let locked = multibody.locked().to_vec();
        Self {
            rows: vec![[0.0; LANES]; path.len()],
            scaled: vec![[0.0; LANES]; path.len()],
            path,
            start,
            depth,
            branch_end,
            inverse: vec![0.0; nv],
            any_locked: locked.contains(&true),
            locked,
        }
    }

    /// Factors `mass` + diag(`added`), where `added` (nv numbers, or empty for none) holds for instance
    /// δt · damping + δt² · stiffness. Returns false if a pivot is not positive: the matrix is singular there.
    pub fn compute(&mut self, mass: &MassMatrix, added: &[f64]) -> bool {
        let nv = self.inverse.len();
        assert_eq!(mass.nv(), nv, "a mass matrix of the same multibody");
        assert!(added.is_empty() || added.len() == nv, "an added diagonal of nv numbers");
        let mut sound = true;
        for i in (0..nv).rev() {
            self.load(mass, added, i);
            let (begin, end) = (self.start[i], self.start[i + 1]);
            let mut at = begin;
            while at + 3 <= end {
                self.subtract::<3>(i, at);
                at += 3;
            }
            match end - at {
                2 => self.subtract::<2>(i, at),
                1 => self.subtract::<1>(i, at),
                _ => {}
            }
            let pivot = self.rows[end - 1][self.depth[i] % LANES];
            sound &= pivot > 0.0;
            let inverse = 1.0 / pivot;
            self.inverse[i] = inverse;
            for (row, scaled) in self.rows[begin..end].iter_mut().zip(&mut self.scaled[begin..end]) {
                *scaled = *row;
                for lane in 0..LANES {
                    row[lane] *= inverse;
                }
            }
            let last = &mut self.rows[end - 1];
            for lane in 0..LANES {
                last[lane] = if lane < self.depth[i] % LANES { last[lane] } else { 0.0 };
            }
        }
        if self.any_locked {
            for (inverse, _) in self.inverse.iter_mut().zip(&self.locked).filter(|(_, locked)| **locked) {
                *inverse = 0.0;
            }
        }
        sound
    }

    /// Row i of the matrix, diagonal last; rows and columns of locked coordinates are those of the identity.
    fn load(&mut self, mass: &MassMatrix, added: &[f64], i: usize) {
        let (row, first) = mass.row(i);
        let packed = self.rows[self.start[i]..self.start[i + 1]].as_flattened_mut();
        let path = self.path[self.start[i]..self.start[i + 1]].as_flattened();
        let depth = self.depth[i];
        for (entry, &j) in packed.iter_mut().zip(&path[..=depth]) {
            *entry = row[j - first];
        }
        packed[depth] += added.get(i).copied().unwrap_or(0.0);
        if self.any_locked {
            for (entry, &j) in packed.iter_mut().zip(&path[..=depth]) {
                if self.locked[i] || self.locked[j] {
                    *entry = if j == i { 1.0 } else { 0.0 };
                }
            }
        }
    }

    /// Subtracts the contributions of the coordinates below row i from W groups of four, starting at `at`.
    #[inline(always)]
    fn subtract<const W: usize>(&mut self, i: usize, at: usize) {
        let (skip, depth, scaled) = (at - self.start[i], self.depth[i], self.scaled.as_flattened());
        let mut sum: [Four; W] = self.rows[at..at + W].try_into().expect("W fours");
        for &start in &self.start[i + 1..self.branch_end[i]] {
            let scale = -scaled[LANES * start + depth];
            let (other, _) = self.rows[start + skip..].split_first_chunk::<W>().expect("W fours");
            for w in 0..W {
                let mut four = sum[w];
                for lane in 0..LANES {
                    four[lane] = fma(scale, other[w][lane], four[lane]);
                }
                sum[w] = four;
            }
        }
        *self.rows[at..].first_chunk_mut::<W>().expect("W fours") = sum;
    }

    /// Row k of L and the coordinates it reaches.
    fn row(&self, k: usize) -> (&[Four], &[[usize; LANES]]) {
        let range = self.start[k]..self.start[k + 1];
        (&self.rows[range.clone()], &self.path[range])
    }

    /// Solves for x in place: x ← (Lᵀ D L)⁻¹ x. Locked coordinates become zero.
    pub fn solve(&self, x: &mut [f64]) {
        let nv = self.inverse.len();
        assert_eq!(x.len(), nv, "a vector of nv numbers");
        for k in (0..nv).rev() {
            let x_k = x[k];
            let (row, path) = self.row(k);
            for (l, j) in row.iter().zip(path) {
                for lane in 0..LANES {
                    x[j[lane]] = fma(-x_k, l[lane], x[j[lane]]);
                }
            }
        }
        for k in 0..nv {
            let mut sum = [0.0; LANES];
            let (row, path) = self.row(k);
            for (l, j) in row.iter().zip(path) {
                for lane in 0..LANES {
                    sum[lane] = fma(x[j[lane]], l[lane], sum[lane]);
                }
            }
            x[k] = x[k] * self.inverse[k] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
        }
    }

    /// 1/D: the inverse of each pivot, zero for locked coordinates.
    pub fn inverse_diagonal(&self) -> &[f64] {
        &self.inverse
    }
}
