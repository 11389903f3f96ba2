//! Cliques without constraints: v = v0 + A⁻¹ p, p the impulse of applied forces.

use crate::linear::kernels;
use crate::problem::Problem;

/// Factors of A for cliques without constraints.
#[derive(Debug, Default)]
pub struct FreeCliques {
    /// (first dof, n, first value, first inverse of D).
    cliques: Vec<(usize, usize, usize, usize)>,
    values: Vec<f64>,
    inv_d: Vec<f64>,
}

impl FreeCliques {
    /// Factors A of the cliques that belong to no island. Returns how many pivots were raised.
    pub fn factor(&mut self, problem: &Problem, island_of: &[u32]) -> usize {
        self.cliques.clear();
        self.values.clear();
        self.inv_d.clear();
        let mut raised = 0;
        for (clique, _) in problem.cliques.iter().zip(island_of).filter(|(_, island)| **island == u32::MAX) {
            let (n, at, diagonal) = (clique.n, self.values.len(), self.inv_d.len());
            self.cliques.push((clique.dof, n, at, diagonal));
            self.values.extend_from_slice(&problem.a[clique.a..clique.a + n * n]);
            self.inv_d.extend((0..n).map(|i| problem.a[clique.a + i + n * i]));
            let (values, inv_d) = (&mut self.values[at..], &mut self.inv_d[diagonal..]);
            raised += match (<&mut [f64; 36]>::try_from(&mut *values), <&mut [f64; 6]>::try_from(&mut *inv_d))
            {
                (Ok(values), Ok(inv_d)) => kernels::ldl_6(values, inv_d),
                _ => kernels::ldl(values, inv_d, n),
            };
        }
        raised
    }

    /// Solves A x = b in place for these cliques.
    pub fn solve(&self, x: &mut [f64]) {
        for &(dof, n, at, diagonal) in &self.cliques {
            let (l, inv) = (&self.values[at..at + n * n], &self.inv_d[diagonal..diagonal + n]);
            let x = &mut x[dof..dof + n];
            for k in 0..n {
                for r in k + 1..n {
                    x[r] -= l[r + n * k] * x[k];
                }
            }
            for k in (0..n).rev() {
                x[k] *= inv[k];
                for r in k + 1..n {
                    x[k] -= l[r + n * k] * x[r];
                }
            }
        }
    }

    /// Velocities v0 + A⁻¹ p of these cliques.
    pub fn velocities(&self, problem: &Problem, v: &mut [f64]) {
        for &(dof, n, ..) in &self.cliques {
            v[dof..dof + n].copy_from_slice(&problem.applied[dof..dof + n]);
        }
        self.solve(v);
        for &(dof, n, ..) in &self.cliques {
            for i in dof..dof + n {
                v[i] += problem.v0[i];
            }
        }
    }
}
