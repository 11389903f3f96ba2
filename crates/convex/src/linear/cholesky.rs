//! Numeric block Cholesky factorisation H = L D Lᵀ on a [`Symbolic`] pattern, right-looking:
//!
//! ```text
//! for each column j:   L_jj D_j L_jjᵀ = H_jj
//!                      X_i = H_ij L_jj⁻ᵀ,   L_ij = X_i D_j⁻¹        for each row i below
//!                      H_ik -= X_i L_kjᵀ                             for each pair i ≥ k below
//! ```

use super::branches::Branches;
use super::kernels::{self, block6, block6_mut};
use super::symbolic::{SMALL, Symbolic};
use stiction_base::fused::Fused;

/// A factor H = L D Lᵀ, L unit lower triangular and D diagonal, and the storage in which H is assembled.
#[derive(Debug, Default, Clone)]
pub struct BlockCholesky {
    /// Pattern of H and L.
    pub symbolic: Symbolic,
    /// Lower blocks of H before [`Self::factor`], of L after it.
    pub values: Vec<f64>,
    inv_d: Vec<f64>,
    /// L D of the current column.
    panel: Vec<f64>,
    work: Vec<f64>,
    /// Factors of the diagonal blocks of more than six, in their own order.
    pub branches: Vec<Branches>,
}

impl BlockCholesky {
    /// Prepares for a pattern; see [`Symbolic::analyze`]. `parents` has for every scalar its parent within its block, see
    /// [`super::branches`]; blocks of at most six ignore it.
    pub fn analyze(&mut self, sizes: &[u32], edges: &[(u32, u32)], parents: &[u32]) -> bool {
        let kept = self.symbolic.analyze(sizes, edges);
        let (mut count, mut dof) = (0, 0);
        for &size in sizes {
            let end = dof + size as usize;
            if size > SMALL {
                if self.branches.len() == count {
                    self.branches.push(Branches::default());
                }
                self.branches[count].analyze(&parents[dof..end]);
                count += 1;
            }
            dof = end;
        }
        self.values.resize(self.symbolic.value_count(), 0.0);
        self.inv_d.resize(self.symbolic.dofs(), 0.0);
        self.panel.resize(self.symbolic.largest_column(), 0.0);
        self.work.resize(self.symbolic.dofs(), 0.0);
        kept
    }

    /// Factors the assembled values in place. Returns how many pivots had to be raised (rounding).
    pub fn factor(&mut self) -> usize {
        let s = &self.symbolic;
        // The diagonal before elimination is the reference for the pivot floor.
        for j in 0..s.block_count() {
            let (n, from, to) = (s.size_at[j] as usize, s.diagonal[j] as usize, s.start_at[j] as usize);
            for k in 0..n {
                self.inv_d[to + k] = self.values[from + k + n * k];
            }
        }
        if s.uniform6 { self.factor_6() } else { self.factor_any() }
    }

    fn factor_6(&mut self) -> usize {
        const B: usize = kernels::BLOCK6;
        let s = &self.symbolic;
        let (mut raised, mut update) = (0, 0);
        for j in 0..s.block_count() {
            let (start, end) = (s.diagonal[j] as usize, s.diagonal[j + 1] as usize);
            let (column, later) = self.values[start..].split_at_mut(end - start);
            let (diag, below) = column.split_at_mut(B);
            let diag = block6_mut(diag, 0);
            let inv_d: &mut [f64; 6] = (&mut self.inv_d[6 * j..6 * j + 6]).try_into().expect("six");
            raised += kernels::ldl_6(diag, inv_d);
            let panel = &mut self.panel[..below.len()];
            for (block, x) in below.chunks_exact_mut(B).zip(panel.chunks_exact_mut(B)) {
                kernels::solve_right_6(block6_mut(block, 0), block6_mut(x, 0), diag, inv_d);
            }
            let count = below.len() / B;
            for k in 0..count {
                let b = block6(below, k * B);
                let targets = &s.targets[update..update + count - k];
                update += count - k;
                for (x, &target) in panel[k * B..].chunks_exact(B).zip(targets) {
                    kernels::sub_abt_6(block6_mut(later, target as usize - end), block6(x, 0), b);
                }
            }
        }
        raised
    }

    fn factor_any(&mut self) -> usize {
        let s = &self.symbolic;
        let (mut raised, mut update) = (0, 0);
        for j in 0..s.block_count() {
            let (n, dof) = (s.size_at[j] as usize, s.start_at[j] as usize);
            let (start, end) = (s.diagonal[j] as usize, s.diagonal[j + 1] as usize);
            let (column, later) = self.values[start..].split_at_mut(end - start);
            let (diag, below) = column.split_at_mut(n * n);
            let inv_d = &mut self.inv_d[dof..dof + n];
            let mut branches = s.large[j].map(|b| &mut self.branches[b as usize]);
            raised += match &mut branches {
                None => kernels::ldl(diag, inv_d, n),
                Some(branches) => branches.factor(diag, inv_d),
            };
            let range = s.column[j] as usize..s.column[j + 1] as usize;
            let at = |i: usize| s.offsets[i] as usize - start - n * n;
            let rows = |i: usize| s.size_at[s.rows[i] as usize] as usize;
            for i in range.clone() {
                let block = &mut below[at(i)..at(i) + n * rows(i)];
                match &branches {
                    None => kernels::solve_right(block, diag, rows(i), n),
                    Some(branches) => branches.solve_right(block, rows(i)),
                }
                self.panel[at(i)..at(i) + n * rows(i)].copy_from_slice(block);
                kernels::scale_columns(block, inv_d, rows(i));
            }
            for k in range.clone() {
                let b = &below[at(k)..at(k) + n * rows(k)];
                for i in k..range.end {
                    let target = s.targets[update] as usize - end;
                    update += 1;
                    let x = &self.panel[at(i)..at(i) + n * rows(i)];
                    let c = &mut later[target..target + rows(i) * rows(k)];
                    if n == 6 && x.len() == kernels::BLOCK6 && b.len() == kernels::BLOCK6 {
                        kernels::sub_abt_6(block6_mut(c, 0), block6(x, 0), block6(b, 0));
                    } else {
                        kernels::sub_abt(c, x, b, rows(i), rows(k), n);
                    }
                }
            }
        }
        raised
    }

    /// y = H x with the assembled values (before [`Self::factor`]), in the blocks' own order.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        let s = &self.symbolic;
        y.fill(0.0);
        for j in 0..s.block_count() {
            let (n, diag, at) =
                (s.size_at[j] as usize, s.diagonal[j] as usize, s.dof[s.order[j] as usize] as usize);
            for c in 0..n {
                for r in c..n {
                    let h = self.values[diag + r + n * c];
                    y[at + r] += h * x[at + c];
                    if r != c {
                        y[at + c] += h * x[at + r];
                    }
                }
            }
            for i in s.column[j] as usize..s.column[j + 1] as usize {
                let (row, block) = (s.rows[i] as usize, s.offsets[i] as usize);
                let (m, to) = (s.size_at[row] as usize, s.dof[s.order[row] as usize] as usize);
                for c in 0..n {
                    for r in 0..m {
                        let h = self.values[block + r + m * c];
                        y[to + r] += h * x[at + c];
                        y[at + c] += h * x[to + r];
                    }
                }
            }
        }
    }

    /// Solves H x = b in place; `x` is laid out in the blocks' own order.
    pub fn solve(&mut self, x: &mut [f64]) {
        let s = &self.symbolic;
        let w = &mut self.work;
        for j in 0..s.block_count() {
            let (n, at, from) =
                (s.size_at[j] as usize, s.start_at[j] as usize, s.dof[s.order[j] as usize] as usize);
            w[at..at + n].copy_from_slice(&x[from..from + n]);
        }
        if s.uniform6 {
            substitute::<true>(s, &self.branches, &self.values, &self.inv_d, w);
        } else {
            substitute::<false>(s, &self.branches, &self.values, &self.inv_d, w);
        }
        for j in 0..s.block_count() {
            let (n, at, to) =
                (s.size_at[j] as usize, s.start_at[j] as usize, s.dof[s.order[j] as usize] as usize);
            x[to..to + n].copy_from_slice(&w[at..at + n]);
        }
    }
}

/// Forward and back substitution in elimination order; `SIX` requires that every block is 6×6.
fn substitute<const SIX: bool>(
    s: &Symbolic,
    branches: &[Branches],
    values: &[f64],
    inv_d: &[f64],
    w: &mut [f64],
) {
    let size = |j: usize| if SIX { 6 } else { s.size_at[j] as usize };
    let large = |j: usize| if SIX { None } else { s.large[j].map(|b| &branches[b as usize]) };
    for j in 0..s.block_count() {
        let (n, at, diag) = (size(j), s.start_at[j] as usize, s.diagonal[j] as usize);
        let l = &values[diag..diag + n * n];
        let (head, tail) = w.split_at_mut(at + n);
        let x = &mut head[at..];
        if let Some(branches) = large(j) {
            branches.forward(x);
        } else {
            for k in 0..n {
                for r in k + 1..n {
                    x[r] = l[r + n * k].fused(-x[k], x[r]);
                }
            }
        }
        for i in s.column[j] as usize..s.column[j + 1] as usize {
            let (row, block) = (s.rows[i] as usize, s.offsets[i] as usize);
            let m = size(row);
            let to = s.start_at[row] as usize - at - n;
            kernels::sub_ax(&mut tail[to..to + m], &values[block..block + m * n], x, m, n);
        }
    }
    for j in (0..s.block_count()).rev() {
        let (n, at, diag) = (size(j), s.start_at[j] as usize, s.diagonal[j] as usize);
        let l = &values[diag..diag + n * n];
        let (head, tail) = w.split_at_mut(at + n);
        let x = &mut head[at..];
        for k in 0..n {
            x[k] *= inv_d[at + k];
        }
        for i in s.column[j] as usize..s.column[j + 1] as usize {
            let (row, block) = (s.rows[i] as usize, s.offsets[i] as usize);
            let m = size(row);
            let from = s.start_at[row] as usize - at - n;
            kernels::sub_atx(x, &values[block..block + m * n], &tail[from..from + m], m, n);
        }
        if let Some(branches) = large(j) {
            branches.backward(x);
            continue;
        }
        for k in (0..n).rev() {
            let mut sum = x[k];
            for r in k + 1..n {
                sum = l[r + n * k].fused(-x[r], sum);
            }
            x[k] = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn block_factor_solves_what_the_dense_one_solves(
            sizes in prop::collection::vec(prop_oneof![Just(6u32), 1u32..12], 1..12),
            six in any::<bool>(),
            picks in prop::collection::vec((0usize..12, 0usize..12), 0..20),
            seed in prop::collection::vec(-1.0f64..1.0, 600),
        ) {
            let sizes: Vec<u32> = if six { vec![6; sizes.len()] } else { sizes };
            let n = sizes.len();
            let mut edges: Vec<(u32, u32)> = picks.iter().map(|&(a, b)| (a % n, b % n)).filter(|(a, b)| a != b)
                .map(|(a, b)| (a.max(b) as u32, a.min(b) as u32)).collect();
            edges.sort_unstable();
            edges.dedup();
            let starts: Vec<usize> = sizes.iter().scan(0, |s, &k| { let at = *s; *s += k as usize; Some(at) }).collect();
            let dofs: usize = sizes.iter().map(|&k| k as usize).sum();
            let mut next = { let mut i = 0; move || { i = (i + 7) % seed.len(); seed[i] } };
            let mut h = DMatrix::<f64>::zeros(dofs, dofs);
            let blocks: Vec<(usize, usize)> = (0..n).map(|b| (b, b)).chain(edges.iter().map(|&(r, c)| (r as usize, c as usize))).collect();
            for &(r, c) in &blocks {
                for i in 0..sizes[r] as usize { for j in 0..sizes[c] as usize {
                    let x = next();
                    h[(starts[r] + i, starts[c] + j)] = x;
                    h[(starts[c] + j, starts[r] + i)] = x;
                } }
            }
            for i in 0..dofs { h[(i, i)] = 1.0 + h.row(i).iter().map(|x| x.abs()).sum::<f64>(); }
            let mut f = BlockCholesky::default();
            let chains: Vec<u32> = sizes.iter().flat_map(|&n| (0..n).map(|k| k.wrapping_sub(1))).collect();
            f.analyze(&sizes, &edges, &chains);
            f.values.fill(0.0);
            for &(r, c) in &blocks {
                let (at, rows_of_r) = if r == c { (f.symbolic.diagonal_offset(r), true) } else { f.symbolic.coupling_offset(r, c) };
                let (br, bc) = if rows_of_r { (r, c) } else { (c, r) };
                for j in 0..sizes[bc] as usize { for i in 0..sizes[br] as usize {
                    f.values[at + i + sizes[br] as usize * j] = h[(starts[br] + i, starts[bc] + j)];
                } }
            }
            prop_assert_eq!(f.factor(), 0);
            let x = DVector::from_fn(dofs, |i, _| (i as f64 * 0.7).sin());
            let mut b = (&h * &x).as_slice().to_vec();
            f.solve(&mut b);
            for i in 0..dofs { prop_assert!((b[i] - x[i]).abs() < 1e-11, "{} {} {}", i, b[i], x[i]); }
        }
    }

    #[test]
    fn a_chain_is_ordered_without_fill() {
        let sizes = vec![6; 50];
        let edges: Vec<(u32, u32)> = (1..50).map(|i| (i, i - 1)).collect();
        let mut f = BlockCholesky::default();
        assert!(!f.analyze(&sizes, &edges, &[]));
        assert_eq!(f.symbolic.rows.len(), 49);
        assert!(f.analyze(&sizes, &edges, &[]), "the same pattern is kept");
    }

    #[test]
    fn a_pivot_lost_to_rounding_is_raised_and_counted() {
        let mut f = BlockCholesky::default();
        f.analyze(&[2], &[], &[]);
        f.values.copy_from_slice(&[1e20, 1e20, 1e20, 1e20]);
        assert_eq!(f.factor(), 1);
        let mut x = [1.0, 0.0];
        f.solve(&mut x);
        assert!(x.iter().all(|v| v.is_finite()) && x[0] > 0.0);
    }
}
