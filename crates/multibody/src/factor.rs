//! The sparse factor M = Lᵀ D L of the mass matrix.
//!
//! Eliminating coordinates from the leaves to the roots creates no fill: L_kj ≠ 0 only where j lies on
//! the path from k to its root (Featherstone's branch-induced sparsity). For each k from the last:
//!
//! ```text
//! for i on the path above k:   a = M_ki / M_kk;   M_ij −= a M_kj for j = i and above;   L_ki = a
//! ```
//!
//! A row is stored packed: its entries along the path from the root, diagonal last. The path of i is the
//! beginning of the path of every k below it, so the packed rows of i and k line up and the inner loop
//! runs over plain memory.
//!
//! Locked coordinates are left out: their rows and columns are dropped and their solution is zero.

use crate::Multibody;
use crate::mass::MassMatrix;
use crate::spatial::fma;

/// The LᵀDL factor of a mass matrix, possibly with an added diagonal.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Packed rows: L along the path, then D, which `inverse` inverts.
    rows: Vec<f64>,
    /// Where each row starts; one more entry than rows.
    start: Vec<usize>,
    /// The coordinates along each row, itself last.
    path: Vec<usize>,
    /// 1/D; zero for locked coordinates.
    inverse: Vec<f64>,
    locked: Vec<bool>,
    any_locked: bool,
}

impl Factor {
    /// A factor of the right shape, of nothing yet: it solves to zero.
    pub fn new(multibody: &Multibody) -> Self {
        let (mut start, mut path) = (vec![0], Vec::new());
        for k in 0..multibody.nv() {
            path.extend(multibody.ancestors(k).iter().cloned().flatten());
            path.push(k);
            start.push(path.len());
        }
        let locked = multibody.locked().to_vec();
        Self {
            rows: vec![0.0; path.len()],
            start,
            path,
            inverse: vec![0.0; multibody.nv()],
            any_locked: locked.contains(&true),
            locked,
        }
    }

    /// Factors `mass` + diag(`added`), where `added` (nv numbers, or empty for none) holds for instance
    /// δt · damping + δt² · stiffness. False if a pivot is not positive: the matrix is singular there.
    pub fn compute(&mut self, mass: &MassMatrix, added: &[f64]) -> bool {
        let nv = self.inverse.len();
        assert_eq!(mass.nv(), nv, "a mass matrix of the same multibody");
        assert!(added.is_empty() || added.len() == nv, "an added diagonal of nv numbers");
        for k in 0..nv {
            let (row, first) = mass.row(k);
            let range = self.start[k]..self.start[k + 1];
            for (entry, &j) in self.rows[range.clone()].iter_mut().zip(&self.path[range]) {
                *entry = row[j - first];
            }
        }
        for (k, d) in added.iter().enumerate() {
            self.rows[self.start[k + 1] - 1] += d;
        }
        if self.any_locked {
            self.drop_locked();
        }
        let mut sound = true;
        for k in (0..nv).rev() {
            let (above, row) = self.rows.split_at_mut(self.start[k]);
            let path = &self.path[self.start[k]..self.start[k + 1]];
            let row = &mut row[..path.len()];
            let last = path.len() - 1;
            sound &= row[last] > 0.0;
            let inverse = 1.0 / row[last];
            self.inverse[k] = inverse;
            for p in (0..last).rev() {
                let a = row[p] * inverse;
                let begin = self.start[path[p]];
                for (m, x) in above[begin..begin + p + 1].iter_mut().zip(&row[..p + 1]) {
                    *m = fma(-a, *x, *m);
                }
                row[p] = a;
            }
        }
        if self.any_locked {
            for (inverse, _) in self.inverse.iter_mut().zip(&self.locked).filter(|(_, locked)| **locked) {
                *inverse = 0.0;
            }
        }
        sound
    }

    /// Replaces rows and columns of locked coordinates by those of the identity.
    fn drop_locked(&mut self) {
        for k in 0..self.inverse.len() {
            for e in self.start[k]..self.start[k + 1] {
                let j = self.path[e];
                if self.locked[k] || self.locked[j] {
                    self.rows[e] = if j == k { 1.0 } else { 0.0 };
                }
            }
        }
    }

    /// Solves for x in place: x ← (Lᵀ D L)⁻¹ x. Locked coordinates become zero.
    pub fn solve(&self, x: &mut [f64]) {
        let nv = self.inverse.len();
        assert_eq!(x.len(), nv, "a vector of nv numbers");
        for k in (0..nv).rev() {
            let x_k = x[k];
            let range = self.start[k]..self.start[k + 1] - 1;
            for (l, &j) in self.rows[range.clone()].iter().zip(&self.path[range]) {
                x[j] = fma(-x_k, *l, x[j]);
            }
        }
        for k in 0..nv {
            let mut sum = x[k] * self.inverse[k];
            let range = self.start[k]..self.start[k + 1] - 1;
            for (l, &j) in self.rows[range.clone()].iter().zip(&self.path[range]) {
                sum = fma(-x[j], *l, sum);
            }
            x[k] = sum;
        }
    }

    /// 1/D: the inverse of each pivot, zero for locked coordinates.
    pub fn inverse_diagonal(&self) -> &[f64] {
        &self.inverse
    }
}
