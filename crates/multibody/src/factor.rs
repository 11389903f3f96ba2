//! The sparse factor M = Lᵀ D L of the mass matrix.
//!
//! Eliminating coordinates from the leaves to the roots creates no fill: L_kj ≠ 0 only where j lies on
//! the path from k to its root (Featherstone's branch-induced sparsity). For each k from the last:
//!
//! ```text
//! for i on the path above k:   a = M_ki / M_kk;   M_ij −= a M_kj for j = i and above;   L_ki = a
//! ```
//!
//! Locked coordinates are left out: their rows and columns are dropped and their solution is zero.

use crate::Multibody;
use crate::mass::MassMatrix;
use crate::spatial::fma;

/// The LᵀDL factor of a mass matrix, possibly with an added diagonal.
#[derive(Clone, Debug)]
pub struct Factor {
    /// L below the diagonal, in the layout of the mass matrix.
    lower: MassMatrix,
    /// 1/D; zero for locked coordinates.
    inverse_diagonal: Vec<f64>,
    row: Vec<f64>,
}

impl Factor {
    /// A factor of the right shape, of nothing yet.
    pub fn new(multibody: &Multibody) -> Self {
        let lower = MassMatrix::new(multibody);
        let nv = lower.nv();
        Self { lower, inverse_diagonal: vec![0.0; nv], row: vec![0.0; nv] }
    }

    /// Factors `mass` + diag(`added`), where `added` (nv numbers, or empty for none) holds for instance
    /// δt · damping + δt² · stiffness. False if a pivot is not positive: the matrix is singular there.
    pub fn compute(&mut self, multibody: &Multibody, mass: &MassMatrix, added: &[f64]) -> bool {
        assert_eq!(self.lower.nv(), multibody.nv(), "a factor made for this multibody");
        assert_eq!(mass.nv(), multibody.nv(), "a mass matrix made for this multibody");
        assert!(added.is_empty() || added.len() == mass.nv(), "an added diagonal of nv numbers");
        self.lower.data.copy_from_slice(&mass.data);
        let mut sound = true;
        for (range, start) in &self.lower.blocks {
            let (first, n) = (range.start, range.len());
            let block = &mut self.lower.data[*start..start + n * n];
            if !added.is_empty() {
                for i in 0..n {
                    block[i * n + i] += added[first + i];
                }
            }
            for k in (0..n).rev() {
                let runs = multibody.ancestors(first + k);
                let (above, row_k) = block.split_at_mut(k * n);
                let row_k = &mut row_k[..=k];
                if multibody.locked[first + k] {
                    row_k.fill(0.0);
                    self.inverse_diagonal[first + k] = 0.0;
                    continue;
                }
                sound &= row_k[k] > 0.0;
                let inverse = 1.0 / row_k[k];
                self.inverse_diagonal[first + k] = inverse;
                let scaled = &mut self.row[..k];
                for run in runs {
                    for i in run.start - first..run.end - first {
                        if multibody.locked[first + i] {
                            row_k[i] = 0.0;
                        }
                        scaled[i] = row_k[i] * inverse;
                    }
                }
                for run in runs {
                    for i in run.start - first..run.end - first {
                        let a = scaled[i];
                        let row_i = &mut above[i * n..i * n + i + 1];
                        row_i[i] = fma(-a, row_k[i], row_i[i]);
                        for inner in multibody.ancestors(first + i) {
                            let columns = inner.start - first..inner.end - first;
                            for (m, x) in row_i[columns.clone()].iter_mut().zip(&row_k[columns]) {
                                *m = fma(-a, *x, *m);
                            }
                        }
                    }
                }
                for run in runs {
                    let columns = run.start - first..run.end - first;
                    row_k[columns.clone()].copy_from_slice(&scaled[columns]);
                }
            }
        }
        sound
    }

    /// Solves for x in place: x ← (Lᵀ D L)⁻¹ x. Locked coordinates become zero.
    pub fn solve(&self, multibody: &Multibody, x: &mut [f64]) {
        assert_eq!(x.len(), self.inverse_diagonal.len(), "a vector of nv numbers");
        for (range, start) in &self.lower.blocks {
            let (first, n) = (range.start, range.len());
            let row = |k: usize| &self.lower.data[start + k * n..start + k * n + k];
            for k in (0..n).rev() {
                let x_k = x[first + k];
                for run in multibody.ancestors(first + k) {
                    let entries = &row(k)[run.start - first..run.end - first];
                    for (x_i, l) in x[run.clone()].iter_mut().zip(entries) {
                        *x_i = fma(-x_k, *l, *x_i);
                    }
                }
            }
            for (x, inverse) in x[range.clone()].iter_mut().zip(&self.inverse_diagonal[range.clone()]) {
                *x *= inverse;
            }
            for k in 0..n {
                let mut sum = x[first + k];
                for run in multibody.ancestors(first + k) {
                    let entries = &row(k)[run.start - first..run.end - first];
                    for (x_i, l) in x[run.clone()].iter().zip(entries) {
                        sum = fma(-*x_i, *l, sum);
                    }
                }
                x[first + k] = sum;
            }
        }
    }

    /// 1/D: the inverse of each pivot, zero for locked coordinates.
    pub fn inverse_diagonal(&self) -> &[f64] {
        &self.inverse_diagonal
    }
}
