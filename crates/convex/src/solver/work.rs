//! Energy balance of a step.
//!
//! From A (v − v₀) = p + Jᵀγ + r, p the impulse of applied forces, r the residual within the tolerance, and v·A(v −
//! v₀) = ½v·Av − ½v₀·Av₀ + ½‖v − v₀‖²_A:
//!
//! ```text
//! ½v·Av − ½v₀·Av₀  =  v·p  +  v·Jᵀγ  −  ½‖v − v₀‖²_A  +  v·r
//! kinetic             forces           impulses   numerical         residual
//! ```
//!
//! The numerical term is never negative: an implicit step dissipates it. The work of the impulses is bounded by the
//! energy stored in the contacts, see `docs/contact.md`.

use super::Solver;
use crate::problem::Problem;

/// Energies of one step with the step's own mass matrix, J: see the top of this file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// Change of kinetic energy.
    pub kinetic: f64,
    /// Work of all forces except constraints, at the new velocities.
    pub forces: f64,
    /// Work of contacts and rows, at the new velocities.
    pub impulses: f64,
    /// ½‖v − v₀‖²_A, dissipated by the implicit step.
    pub numerical: f64,
}

impl Work {
    /// Energy added or removed by the solver's tolerance.
    pub fn residual(&self) -> f64 {
        self.kinetic - (self.forces + self.impulses - self.numerical)
    }
}

impl Solver {
    /// Energies of the last solve, which must have been of this same problem.
    pub fn work(&self, problem: &Problem) -> Work {
        let mut work = Work::default();
        for clique in &problem.cliques {
            let (n, dof) = (clique.n, clique.dof);
            let (v, v0, applied) = (&self.v[dof..], &problem.v0[dof..], &problem.applied[dof..]);
            for i in 0..n {
                work.forces += v[i] * applied[i];
                for j in 0..n {
                    let a = problem.a[clique.a + i + n * j];
                    work.kinetic += 0.5 * a * (v[i] - v0[i]) * (v[j] + v0[j]);
                    work.numerical += 0.5 * a * (v[i] - v0[i]) * (v[j] - v0[j]);
                }
            }
        }
        for island in &self.islands[..self.island_count] {
            work.impulses += island.u.iter().zip(&island.constraint_impulse).map(|(u, g)| u * g).sum::<f64>();
        }
        work
    }
}
