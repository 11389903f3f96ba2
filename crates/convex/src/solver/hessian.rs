//! Access to the Hessian at the solution, for derivatives of the step.
//!
//! By the implicit function theorem dv/dp = −H⁻¹ ∂²ℓ/∂v∂p at the solution; H = A + JᵀGJ is symmetric, so that
//! one factor serves both forward and adjoint sensitivities.

use super::Solver;
use super::island::Island;
use crate::error::ProblemError;
use crate::packet::Hessian;
use crate::problem::Problem;

impl Solver {
    /// Evaluates and factors H = A + JᵀGJ at the velocities of the last solve, which must have been of this
    /// same problem.
    pub fn factor_at_solution(&mut self, problem: &Problem) -> Result<(), ProblemError> {
        let (found, expected) = (self.v.len(), problem.dof_count());
        if found != expected {
            return Err(ProblemError::Length { what: "the last solution", found, expected });
        }
        for island in &mut self.islands[..self.island_count] {
            island.evaluate_laws(problem, Hessian::Exact);
            island.assemble();
            island.factor.factor();
        }
        self.factored = true;
        Ok(())
    }

    /// Solves H x = b in place, one number a dof, with the factor of [`Solver::factor_at_solution`].
    pub fn solve_hessian(&mut self, x: &mut [f64]) -> Result<(), ProblemError> {
        let (found, expected) = (x.len(), self.v.len());
        if found != expected || !self.factored {
            return Err(ProblemError::Length {
                what: "the right-hand side (after factor_at_solution)",
                found,
                expected,
            });
        }
        for island in &mut self.islands[..self.island_count] {
            let mut local = std::mem::take(&mut island.step);
            island.to_local(x, &mut local);
            if local.iter().all(|x| *x == 0.0) {
                island.step = local;
                continue; // many right-hand sides concern only other islands
            }
            island.factor.solve(&mut local);
            island.to_global(&local, x);
            island.step = local;
        }
        self.unconstrained.solve(x);
        Ok(())
    }

    /// Impulses Jᵀγ of all constraints of a problem at velocities `v`, one number per dof. `v` need not be the
    /// solution. Clears the last solve.
    pub fn constraint_impulse_at(
        &mut self,
        problem: &Problem,
        v: &[f64],
        out: &mut [f64],
    ) -> Result<(), ProblemError> {
        for found in [v.len(), out.len()] {
            if found != problem.dof_count() {
                let expected = problem.dof_count();
                return Err(ProblemError::Length { what: "velocities and impulses", found, expected });
            }
        }
        self.v.clear();
        self.factored = false;
        self.island_count = self.compiler.compile(problem, &mut self.islands);
        out.fill(0.0);
        for island in &mut self.islands[..self.island_count] {
            let mut u = std::mem::take(&mut island.u);
            island.to_local(v, &mut u);
            island.u = u;
            island.stand_in = None;
            island.shifted = false;
            island.place(problem);
            island.evaluate_laws(problem, Hessian::Exact);
            island.evaluate_gradient();
            island.to_global(&island.constraint_impulse, out);
        }
        Ok(())
    }
}

/// Estimate of the 2-norm condition number of D H D at the current u, by a few steps of power iteration on H
/// and on its inverse. Leaves H factored.
pub fn condition(island: &mut Island, problem: &Problem) -> f64 {
    const STEPS: usize = 12;
    island.evaluate_laws(problem, Hessian::Exact);
    island.assemble();
    let n = island.dofs();
    // D in u: the diagonal of the rotated A, which is as good a scale.
    let mut scale = vec![0.0; n];
    for c in &island.cliques {
        for i in 0..c.n as usize {
            scale[c.dof as usize + i] = island.a[c.a as usize + i * (c.n as usize + 1)].sqrt();
        }
    }
    let start: Vec<f64> = (0..n).map(|i| 1.0 + 0.5 * (i as f64 * 1.618).sin()).collect();
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (mut x, mut y) = (start.clone(), vec![0.0; n]);
    let mut largest = 1.0;
    for _ in 0..STEPS {
        let length = norm(&x);
        x.iter_mut().zip(&scale).for_each(|(x, s)| *x /= length * s);
        island.factor.multiply(&x, &mut y);
        x.iter_mut().zip(y.iter().zip(&scale)).for_each(|(x, (y, s))| *x = y / s);
        largest = norm(&x);
    }
    island.factor.factor();
    let mut x = start;
    let mut smallest = 1.0;
    for _ in 0..STEPS {
        let length = norm(&x);
        x.iter_mut().zip(&scale).for_each(|(x, s)| *x *= s / length);
        island.factor.solve(&mut x);
        x.iter_mut().zip(&scale).for_each(|(x, s)| *x *= s);
        smallest = 1.0 / norm(&x);
    }
    largest / smallest
}
