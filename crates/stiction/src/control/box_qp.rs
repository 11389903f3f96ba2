//! min ½ xᵀ H x − gᵀ x within lo ≤ x ≤ hi, for a few unknowns and H positive definite.
//!
//! A primal active-set method (Nocedal & Wright, Numerical Optimization, ch. 16.5, for bounds): every iterate is
//! within the bounds, active bounds are met exactly, and each active set is visited at most once, so the method
//! terminates.

use nalgebra::DMatrix;

/// The problem and the buffers of its solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoxQp {
    pub h: DMatrix<f64>,
    pub g: Vec<f64>,
    pub lo: Vec<f64>,
    pub hi: Vec<f64>,
    /// The solution.
    pub x: Vec<f64>,
    fixed: Vec<bool>,
    free: Vec<usize>,
    factor: DMatrix<f64>,
    y: Vec<f64>,
}

impl BoxQp {
    pub fn new(n: usize) -> Self {
        Self {
            h: DMatrix::zeros(n, n),
            g: vec![0.0; n],
            lo: vec![0.0; n],
            hi: vec![0.0; n],
            x: vec![0.0; n],
            fixed: vec![false; n],
            free: Vec::with_capacity(n),
            factor: DMatrix::zeros(n, n),
            y: vec![0.0; n],
        }
    }

    /// Solves the problem and returns the number of active bounds. Returns `None` if H is not positive definite; x
    /// is still within the bounds.
    pub fn solve(&mut self) -> Option<usize> {
        let n = self.x.len();
        for i in 0..n {
            self.x[i] = 0.0f64.clamp(self.lo[i], self.hi[i]);
            self.fixed[i] = self.lo[i] >= self.hi[i];
        }
        // Each iteration activates a bound or ends at the minimum for an active set. No active set repeats.
        for _ in 0..64 * (n + 1) {
            self.free.clear();
            self.free.extend((0..n).filter(|&i| !self.fixed[i]));
            if !self.solve_free() {
                return None;
            }
            let mut step = 1.0;
            let mut blocking = None;
            for (k, &i) in self.free.iter().enumerate() {
                let (to, bound) = (self.y[k], if self.y[k] < self.x[i] { self.lo[i] } else { self.hi[i] });
                if (to < self.lo[i] || to > self.hi[i]) && to != self.x[i] {
                    let share = (bound - self.x[i]) / (to - self.x[i]);
                    if share < step {
                        (step, blocking) = (share, Some((i, bound)));
                    }
                }
            }
            for (k, &i) in self.free.iter().enumerate() {
                self.x[i] = (self.x[i] + step * (self.y[k] - self.x[i])).clamp(self.lo[i], self.hi[i]);
            }
            if let Some((i, bound)) = blocking {
                self.x[i] = bound;
                self.fixed[i] = true;
            } else if let Some(i) = self.releasable() {
                self.fixed[i] = false;
            } else {
                return Some(self.fixed.iter().filter(|f| **f).count());
            }
        }
        None
    }

    /// The active bound whose release decreases the cost fastest.
    fn releasable(&self) -> Option<usize> {
        let n = self.x.len();
        let mut worst = (0.0, None);
        for i in (0..n).filter(|&i| self.fixed[i] && self.lo[i] < self.hi[i]) {
            let slope = (0..n).map(|j| self.h[(i, j)] * self.x[j]).sum::<f64>() - self.g[i];
            let gain = if self.x[i] <= self.lo[i] { -slope } else { slope };
            let scale = self.g[i].abs() + (0..n).map(|j| (self.h[(i, j)] * self.x[j]).abs()).sum::<f64>();
            if gain > 1e-12 * scale && gain > worst.0 {
                worst = (gain, Some(i));
            }
        }
        worst.1
    }

    /// Writes the optimal values of the free unknowns to `y`, with the others fixed, by Cholesky factorisation.
    fn solve_free(&mut self) -> bool {
        let (n, free) = (self.x.len(), &self.free);
        for (r, &i) in free.iter().enumerate() {
            let held: f64 = (0..n).filter(|&j| self.fixed[j]).map(|j| self.h[(i, j)] * self.x[j]).sum();
            self.y[r] = self.g[i] - held;
            for (c, &j) in free.iter().enumerate().take(r + 1) {
                let sum: f64 = (0..c).map(|k| self.factor[(r, k)] * self.factor[(c, k)]).sum();
                let value = self.h[(i, j)] - sum;
                if r == c {
                    if value.is_nan() || value <= 0.0 {
                        return false;
                    }
                    self.factor[(r, r)] = value.sqrt();
                } else {
                    self.factor[(r, c)] = value / self.factor[(c, c)];
                }
            }
        }
        for r in 0..free.len() {
            let sum: f64 = (0..r).map(|k| self.factor[(r, k)] * self.y[k]).sum();
            self.y[r] = (self.y[r] - sum) / self.factor[(r, r)];
        }
        for r in (0..free.len()).rev() {
            let sum: f64 = (r + 1..free.len()).map(|k| self.factor[(k, r)] * self.y[k]).sum();
            self.y[r] = (self.y[r] - sum) / self.factor[(r, r)];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::BoxQp;
    use nalgebra::DMatrix;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_solution_meets_the_optimality_conditions(
            entries in proptest::collection::vec(-1.0f64..1.0, 36),
            g in proptest::collection::vec(-3.0f64..3.0, 6),
            bounds in proptest::collection::vec((-1.0f64..0.5, 0.0f64..1.0), 6),
        ) {
            let root = DMatrix::from_vec(6, 6, entries);
            let mut qp = BoxQp::new(6);
            qp.h = &root * root.transpose() + DMatrix::identity(6, 6) * 1e-3;
            qp.g.clone_from(&g);
            for (i, (lo, width)) in bounds.iter().enumerate() {
                (qp.lo[i], qp.hi[i]) = (*lo, lo + width);
            }
            prop_assert!(qp.solve().is_some());
            for i in 0..6 {
                let slope = (0..6).map(|j| qp.h[(i, j)] * qp.x[j]).sum::<f64>() - qp.g[i];
                prop_assert!(qp.x[i] >= qp.lo[i] && qp.x[i] <= qp.hi[i]);
                // The cost decreases only towards the outside of the box.
                if qp.x[i] > qp.lo[i] {
                    prop_assert!(slope <= 1e-8, "{i}: {slope}");
                }
                if qp.x[i] < qp.hi[i] {
                    prop_assert!(slope >= -1e-8, "{i}: {slope}");
                }
            }
        }
    }
}
