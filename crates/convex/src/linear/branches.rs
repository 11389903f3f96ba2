//! The factor of one large diagonal block with the sparsity of a tree of joints: H = Lᵀ D L.
//!
//! Coordinates are eliminated from the last to the first. Every nonzero H_kj joins k with one of its ancestors j in a
//! forest of parents (each parent before its children), and so does every nonzero of L: no other entry is stored. A
//! constraint between two branches of a tree, such as a contact between two arms, merges them into one branch
//! ([`join`]).
//!
//! ```text
//! for i from the last:   H_ij −= L_ki D_k L_kj   for every k below i, for j = i and above
//!                        D_i = H_ii,   L_ij = H_ij / D_i
//! ```
//!
//! A row is stored packed: its entries along the path from the root, then zeros up to a multiple of four; D is apart. The
//! path of i is the beginning of the path of every k below it, so packed rows align, and the inner loops run over
//! contiguous memory, four numbers at a time, with the current row in registers.

use super::kernels::invert_pivot;
use crate::lanes::F4;
use crate::number::Number;
use stiction_base::fused::Fused;

/// Parent index of a root coordinate.
pub const ROOT: u32 = u32::MAX;
const LANES: usize = F4::LANES;

/// Places coordinates `x` and `y` on one path by merging their paths to the root.
pub fn join(parent: &mut [u32], x: u32, y: u32) {
    let (mut low, mut high) = (x.min(y), x.max(y));
    while low != high {
        let above = parent[high as usize];
        if above != ROOT && above >= low {
            high = above;
            continue;
        }
        parent[high as usize] = low;
        if above == ROOT {
            return;
        }
        (low, high) = (above, low);
    }
}

/// Pattern and numbers of one block's factor.
#[derive(Debug, Default, Clone)]
pub struct Branches {
    /// The key: parent of each coordinate.
    parent: Vec<u32>,
    /// Start of the packed row of each coordinate, in units of four, including space for the diagonal.
    start: Vec<u32>,
    /// The coordinates along the rows; zero in the padding.
    path: Vec<[u32; LANES]>,
    rows: Vec<[f64; LANES]>,
    /// D L, packed as L is.
    scaled: Vec<[f64; LANES]>,
    /// Place of each coordinate in its own path.
    depth: Vec<u32>,
    /// Where the rows of the coordinates below each one start, last first, and where these lists start.
    below: Vec<u32>,
    below_start: Vec<u32>,
}

impl Branches {
    /// Prepares for a pattern.
    pub fn analyze(&mut self, parent: &[u32]) {
        if self.parent == parent {
            return;
        }
        let n = parent.len();
        self.parent.clear();
        self.parent.extend_from_slice(parent);
        self.depth.clear();
        for &above in parent {
            let depth = if above == ROOT { 0 } else { self.depth[above as usize] + 1 };
            self.depth.push(depth);
        }
        self.start.clear();
        self.path.clear();
        for k in 0..n {
            self.start.push(self.path.len() as u32);
            let begin = self.path.len();
            self.path.resize(begin + self.depth[k] as usize / LANES + 1, [0; LANES]);
            let mut at = parent[k];
            while at != ROOT {
                let place = self.depth[at as usize] as usize;
                self.path[begin + place / LANES][place % LANES] = at;
                at = parent[at as usize];
            }
        }
        self.start.push(self.path.len() as u32);
        self.rows.clear();
        self.rows.resize(self.path.len(), [0.0; LANES]);
        self.scaled.clear();
        self.scaled.resize(self.path.len(), [0.0; LANES]);
        self.below.clear();
        self.below_start.clear();
        for i in 0..n as u32 {
            self.below_start.push(self.below.len() as u32);
            let first = self.below.len();
            for k in i + 1..n as u32 {
                // A coordinate is below i if its parent is, or is i.
                let above = parent[k as usize];
                if above == i || self.below[first..].contains(&above) {
                    self.below.push(k);
                }
            }
            let start = &self.start;
            self.below[first..].reverse();
            self.below[first..].iter_mut().for_each(|k| *k = start[*k as usize]);
        }
        self.below_start.push(self.below.len() as u32);
    }

    /// Factors a column-major n×n block, of which it reads the pattern's entries on and below the diagonal. `inv_d` is as
    /// for [`super::kernels::ldl`]. Returns how many pivots were raised.
    pub fn factor(&mut self, block: &[f64], inv_d: &mut [f64]) -> usize {
        let n = self.parent.len();
        let mut raised = 0;
        for i in (0..n).rev() {
            let (begin, end) = (self.start[i] as usize, self.start[i + 1] as usize);
            let depth = self.depth[i] as usize;
            let (row, path) =
                (self.rows[begin..end].as_flattened_mut(), self.path[begin..end].as_flattened());
            for (entry, &j) in row[..depth].iter_mut().zip(path) {
                *entry = block[i + n * j as usize];
            }
            row[depth] = block[i + n * i];
            let mut at = begin;
            while at + 4 <= end {
                self.subtract::<4>(i, at);
                at += 4;
            }
            match end - at {
                3 => self.subtract::<3>(i, at),
                2 => self.subtract::<2>(i, at),
                1 => self.subtract::<1>(i, at),
                _ => {}
            }
            let pivot = self.rows[end - 1][depth % LANES];
            let inverse = invert_pivot(pivot, inv_d[i], &mut raised);
            inv_d[i] = inverse;
            for (row, scaled) in self.rows[begin..end].iter_mut().zip(&mut self.scaled[begin..end]) {
                *scaled = *row;
                *row = (F4(*row) * F4::constant(inverse)).0;
            }
            let last = &mut self.rows[end - 1];
            for lane in 0..LANES {
                last[lane] = if lane < depth % LANES { last[lane] } else { 0.0 };
            }
        }
        raised
    }

    /// Subtracts the contributions of the coordinates below row i from W groups of four, starting at `at`.
    #[inline(always)]
    fn subtract<const W: usize>(&mut self, i: usize, at: usize) {
        let end = self.start[i + 1] as usize;
        let (done, later) = self.rows.split_at_mut(end);
        let skip = at - self.start[i] as usize;
        let target: &mut [[f64; LANES]; W] = (&mut done[at..at + W]).try_into().expect("W fours");
        let mut sum = target.map(F4);
        let (depth, scaled) = (self.depth[i] as usize, self.scaled.as_flattened());
        for &k in &self.below[self.below_start[i] as usize..self.below_start[i + 1] as usize] {
            let scale = F4::constant(scaled[LANES * k as usize + depth]);
            let (fours, _) = later[k as usize - end + skip..].split_first_chunk::<W>().expect("W fours");
            for w in 0..W {
                sum[w] = sum[w].less(scale, F4(fours[w]));
            }
        }
        *target = sum.map(|x| x.0);
    }

    /// Operations of a factorisation, and the numbers it stores.
    pub fn operations(&self) -> (f64, f64) {
        let entries = self.depth.iter().map(|&d| f64::from(d + 1));
        (entries.clone().map(|d| d * d).sum(), entries.sum())
    }

    /// Row k of L and its path.
    #[inline(always)]
    fn row(&self, k: usize) -> (&[[f64; LANES]], &[[u32; LANES]]) {
        let range = self.start[k] as usize..self.start[k + 1] as usize;
        (&self.rows[range.clone()], &self.path[range])
    }

    /// x := L⁻ᵀ x.
    pub fn forward(&self, x: &mut [f64]) {
        for k in (0..self.parent.len()).rev() {
            let (row, path) = self.row(k);
            let x_k = -x[k];
            for (l, j) in row.iter().zip(path) {
                for lane in 0..LANES {
                    let x = &mut x[j[lane] as usize];
                    *x = l[lane].fused(x_k, *x);
                }
            }
        }
    }

    /// x := L⁻¹ x.
    pub fn backward(&self, x: &mut [f64]) {
        for k in 0..self.parent.len() {
            let (row, path) = self.row(k);
            let mut sum = F4::default();
            for (l, j) in row.iter().zip(path) {
                sum = sum.plus(F4(*l), F4(j.map(|j| x[j as usize])));
            }
            x[k] -= sum.sum();
        }
    }

    /// X := X L⁻¹ for an m×n block X, column-major.
    pub fn solve_right(&self, x: &mut [f64], m: usize) {
        for k in (1..self.parent.len()).rev() {
            let (row, path) = self.row(k);
            let (above, column) = x.split_at_mut(m * k);
            for (l, &j) in row.as_flattened().iter().zip(path.as_flattened()).take(self.depth[k] as usize) {
                let target = &mut above[m * j as usize..m * j as usize + m];
                for (t, c) in target.iter_mut().zip(&column[..m]) {
                    *t = c.fused(-l, *t);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn above(parent: &[u32], k: u32, j: u32) -> bool {
        k == j || parent[k as usize] != ROOT && above(parent, parent[k as usize], j)
    }

    proptest! {
        #[test]
        fn joined_coordinates_lie_on_one_path_and_nothing_is_torn_apart(
            picks in prop::collection::vec(0u32..40, 2..40),
            pairs in prop::collection::vec((0u32..40, 0u32..40), 0..8),
        ) {
            let n = picks.len() as u32;
            let mut parent: Vec<u32> =
                picks.iter().enumerate().map(|(k, &p)| if (p as usize) < k { p } else { ROOT }).collect();
            let before = parent.clone();
            for &(x, y) in &pairs {
                join(&mut parent, x % n, y % n);
            }
            for &(x, y) in &pairs {
                let (x, y) = ((x % n).max(y % n), (x % n).min(y % n));
                prop_assert!(above(&parent, x, y));
            }
            for k in 0..n {
                prop_assert!(parent[k as usize] == ROOT || parent[k as usize] < k);
                for j in 0..k {
                    prop_assert!(!above(&before, k, j) || above(&parent, k, j));
                }
            }
        }

        #[test]
        fn a_factor_along_branches_solves_what_the_dense_one_solves(
            picks in prop::collection::vec(0u32..30, 7..30),
            numbers in prop::collection::vec(-1.0f64..1.0, 900),
        ) {
            let n = picks.len();
            let parent: Vec<u32> =
                picks.iter().enumerate().map(|(k, &p)| if (p as usize) < k { p } else { ROOT }).collect();
            let mut h = nalgebra::DMatrix::<f64>::zeros(n, n);
            for k in 0..n {
                for j in 0..k {
                    if above(&parent, k as u32, j as u32) {
                        h[(k, j)] = numbers[k + n * j];
                        h[(j, k)] = h[(k, j)];
                    }
                }
            }
            for k in 0..n { h[(k, k)] = 1.0 + h.row(k).iter().map(|x| x.abs()).sum::<f64>(); }
            let mut f = Branches::default();
            f.analyze(&parent);
            let mut inv_d: Vec<f64> = (0..n).map(|k| h[(k, k)]).collect();
            prop_assert_eq!(f.factor(h.as_slice(), &mut inv_d), 0);
            let x = nalgebra::DVector::from_fn(n, |i, _| (i as f64 * 0.7).sin());
            let mut b = (&h * &x).as_slice().to_vec();
            // The same as one row of a block: X L⁻¹.
            let mut block = b.clone();
            f.solve_right(&mut block, 1);
            f.forward(&mut b);
            for i in 0..n { prop_assert!((b[i] - block[i]).abs() < 1e-12); }
            for (b, d) in b.iter_mut().zip(&inv_d) { *b *= d; }
            f.backward(&mut b);
            for i in 0..n { prop_assert!((b[i] - x[i]).abs() < 1e-11, "{} {} {}", i, b[i], x[i]); }
        }
    }
}
