//! One capped step: all contacts at once, by Gauss–Seidel over exact single-contact solves and Newton's method.
//!
//! ```text
//! u⁺ = u + W λ       0 ≤ λ_n ≤ λ̄       λ_n u_n⁺ ≤ 0 (u_n⁺ ≥ 0 below the cap)      λ_t ∈ −μ λ_n Unit(u_t⁺)
//! ```
//!
//! It is a backward Euler step of the inclusion (MFI eq. 16–18): the forces are those that Coulomb's law allows
//! at the velocity the step ends with. Energy cannot rise: K⁺ − K = λ·u⁺ − ½ λᵀWλ and λ·u⁺ ≤ 0.

use crate::check::Residuals;
use crate::local::Block;
use crate::newton::Newton;
use crate::problem::Problem;
use nalgebra::{DMatrix, DVector, Vector2};
use stiction_rigid::{FrictionProblem, FrictionShape, solve_friction};

/// Rounds of Gauss–Seidel, sweeps and damping each; after each Newton's method is tried. Damping breaks cycles.
const ROUNDS: [(usize, f64); 4] = [(24, 1.0), (60, 1.0), (60, 0.5), (300, 0.5)];
/// Corners of the cones that the complementarity solver is asked with, one after another.
const CORNERS: [usize; 4] = [8, 16, 32, 64];
/// Change of velocity in a sweep at which the step is solved.
const STILL: f64 = 1e-12;
/// Residual at which a step counts as solved.
const SOLVED: f64 = 5e-9;

/// The blocks of a problem and room to step.
pub(crate) struct Stepper<'a> {
    pub problem: &'a Problem,
    blocks: Blocks,
    /// Velocity at the beginning of the step.
    start: Vec<f64>,
    /// Velocity now.
    pub u: Vec<f64>,
    /// Impulse of the step.
    pub lambda: Vec<f64>,
    kept: Vec<f64>,
    newton: Newton,
}

enum Blocks {
    Planar(Vec<Block<1>>),
    Spatial(Vec<Block<2>>),
}

impl<'a> Stepper<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let (n, side) = (problem.rows(), problem.side());
        let at = |c: usize| move |i: usize, j: usize| problem.w[(c * side + i) * n + c * side + j];
        let m = problem.contacts();
        let blocks = if problem.tangents == 1 {
            Blocks::Planar((0..m).map(|c| Block::new(at(c), problem.mu[c])).collect())
        } else {
            Blocks::Spatial((0..m).map(|c| Block::new(at(c), problem.mu[c])).collect())
        };
        Self {
            problem,
            blocks,
            start: problem.u.clone(),
            u: problem.u.clone(),
            lambda: vec![0.0; n],
            kept: vec![0.0; n],
            newton: Newton::default(),
        }
    }

    /// Goes back to the beginning of the impact.
    pub fn reset(&mut self) {
        self.u.copy_from_slice(&self.problem.u);
        self.lambda.fill(0.0);
    }

    /// Takes a step with these caps. Leaves the impulse in `lambda` and the velocity after it in `u`. False if
    /// nothing solved it; `u` is then as before. The complementarity solver is asked only if `thorough`.
    pub fn step(&mut self, caps: &[f64], thorough: bool) -> bool {
        self.start.copy_from_slice(&self.u);
        // What the last step took is a good guess for this one.
        for (c, l) in self.lambda.chunks_exact_mut(self.problem.side()).enumerate() {
            let n = l[self.problem.tangents];
            let share = if n > caps[c] { caps[c] / n } else { 1.0 };
            for x in l.iter_mut() {
                *x *= share;
            }
        }
        self.refresh();
        let solved = self.relax(caps)
            || thorough
                && CORNERS.iter().any(|&corners| {
                    self.hand_over(caps, corners);
                    self.refresh();
                    self.solved(caps) || self.relax(caps)
                });
        if !solved {
            self.u.copy_from_slice(&self.start);
            self.lambda.fill(0.0);
        }
        solved
    }

    /// Gauss–Seidel and Newton's method by turns, from the present impulse.
    fn relax(&mut self, caps: &[f64]) -> bool {
        for (sweeps, damping) in ROUNDS {
            let done = self.sweep(caps, sweeps, damping);
            // The velocity again from the impulse: no rounding gathers.
            self.refresh();
            if done || self.solved(caps) {
                return true;
            }
            // Newton from here, and back if the modes were wrong.
            self.kept.copy_from_slice(&self.lambda);
            self.newton.improve(self.problem, caps, &self.start, &mut self.lambda, &mut self.u);
            if self.solved(caps) {
                return true;
            }
            self.lambda.copy_from_slice(&self.kept);
            self.refresh();
        }
        false
    }

    fn sweep(&mut self, caps: &[f64], sweeps: usize, damping: f64) -> bool {
        let (problem, u, lambda) = (self.problem, &mut self.u, &mut self.lambda);
        match &self.blocks {
            Blocks::Planar(blocks) => sweep(problem, blocks, caps, u, lambda, sweeps, damping),
            Blocks::Spatial(blocks) => sweep(problem, blocks, caps, u, lambda, sweeps, damping),
        }
    }

    /// Whether impulse and velocity obey the law and the caps, sweeps ended or not.
    pub fn solved(&self, caps: &[f64]) -> bool {
        let p = self.problem;
        let left = (0..p.contacts()).map(|c| {
            let (n, u_n) = (self.lambda[c * p.side() + p.tangents], p.normal(&self.u, c));
            // Below its cap a contact does not approach.
            if n < caps[c] * (1.0 - 1e-9) { -u_n } else { 0.0 }
        });
        left.fold(Residuals::of(p, &self.lambda, &self.u).worst(), f64::max) <= SOLVED
    }

    fn refresh(&mut self) {
        let n = self.problem.rows();
        self.u.copy_from_slice(&self.start);
        for (k, &l) in self.lambda.iter().enumerate() {
            if l != 0.0 {
                // W is symmetric: row k is column k.
                for (u, w) in self.u.iter_mut().zip(&self.problem.w[k * n..(k + 1) * n]) {
                    *u += l * w;
                }
            }
        }
    }

    /// The same step as a linear complementarity problem; in space with a cone of this many corners, a start
    /// from which the round one is found.
    fn hand_over(&mut self, caps: &[f64], corners: usize) {
        let p = self.problem;
        let (n, side, m) = (p.rows(), p.side(), p.contacts());
        let place = |k: usize| 3 * (k / side) + if k % side == p.tangents { 2 } else { k % side };
        let mut delassus = DMatrix::zeros(3 * m, 3 * m);
        let mut velocity = DVector::zeros(3 * m);
        for i in 0..n {
            velocity[place(i)] = self.start[i];
            for j in 0..n {
                delassus[(place(i), place(j))] = p.w[i * n + j];
            }
        }
        let shape = if p.tangents == 1 { FrictionShape::Pyramid } else { FrictionShape::Polygon(corners) };
        let friction =
            p.mu.iter()
                .map(|&mu| if p.tangents == 1 { Vector2::new(mu, 0.0) } else { Vector2::repeat(mu) })
                .collect();
        let problem = FrictionProblem { delassus, velocity, friction, cap: Some(caps.to_vec()), shape };
        let Ok(solution) = solve_friction(&problem) else { return };
        for i in 0..n {
            self.lambda[i] = solution.impulse[place(i)];
        }
    }
}

/// Sweeps from the present u = u_start + W λ until nothing moves; false at the limit.
fn sweep<const T: usize>(
    problem: &Problem,
    blocks: &[Block<T>],
    caps: &[f64],
    u: &mut [f64],
    lambda: &mut [f64],
    limit: usize,
    damping: f64,
) -> bool {
    let (n, side) = (problem.rows(), T + 1);
    for _ in 0..limit {
        let mut moved: f64 = 0.0;
        for (c, block) in blocks.iter().enumerate() {
            let at = c * side;
            // Without its own impulse.
            let mut b = [0.0; 3];
            for i in 0..side {
                let row = &problem.w[(at + i) * n + at..(at + i) * n + at + side];
                b[i] = u[at + i];
                for j in 0..side {
                    b[i] -= row[j] * lambda[at + j];
                }
            }
            let (t, normal) = block.solve(std::array::from_fn(|k| b[k]), b[T], caps[c]);
            let mut change = [0.0; 3];
            for k in 0..T {
                change[k] = damping * (t[k] - lambda[at + k]);
            }
            change[T] = damping * (normal - lambda[at + T]);
            for (k, &d) in change.iter().enumerate().take(side) {
                if d == 0.0 {
                    continue;
                }
                lambda[at + k] += d;
                let row = &problem.w[(at + k) * n..(at + k + 1) * n];
                moved = moved.max((d * row[at + k]).abs());
                for (u, w) in u.iter_mut().zip(row) {
                    *u += d * w;
                }
            }
        }
        if moved <= STILL * damping || blocks.len() == 1 {
            return true;
        }
    }
    false
}
