//! The Similar model's stiff cones.
//!
//! A stiff contact of the Similar model is a stiff cone z(v) = v_n − μ‖v_t‖_s ≥ v̂. Newton's steps follow its
//! tangent planes; the curvature they leave out, times the stiffness, makes the line search cut them to
//! nothing. Where plain Newton is not done soon, the problem is solved through its dual, by the method of
//! multipliers: each normal law n is put in series with a spring ρ that carries the impulse p₀ of the last
//! stage at rest,
//!
//! ```text
//! p = n(y),   p = p₀ + ρ (y − z)                                  ([`crate::packet`])
//! repeat      minimise with p in place of n (a few iterations, from the last stage's v)
//!             p₀ ← p,   and ρ grows
//!             from here, plain Newton: done if it meets the tolerance
//! ```
//!
//! Each stage is a convex problem no stiffer than ρ, and when p stops changing, y = z: the solution is that
//! of the problem stated. Only the plain problem's test ends the solve.

use super::SolverSettings;
use super::evaluate::{add_impulse, point_velocity, range};
use super::island::Island;
use super::newton::Run;
use super::report::Criterion;
use super::timer::Timer;
use crate::lanes::F4;
use crate::packet::Hessian;
use crate::problem::Problem;
use crate::spatial::{PairSum, cross, v3};

/// Iterations of plain Newton before the stages, and after each of them.
const PLAIN: [usize; 2] = [20, 6];
/// Plain Newton is worth a try after a stage where its residual is below this part of its scale.
const NEAR: f64 = 0.5;
/// First iterations of a stage; doubled when they do not suffice.
const STAGE: usize = 12;
/// ρ of the first stage in effective masses, and its growth.
const FIRST: f64 = 1e2;
const GROWTH: f64 = 10.0;
/// Tolerance of the first stage, and how it tightens.
const TOLERANCE: [f64; 2] = [1e-2, 0.3];
/// Stages after which ρ no longer grows anywhere, and ends of plain Newton by rounding, that suffice.
const ENOUGH: usize = 4;
const ROUNDED: usize = 3;
/// Most stages.
const STAGES: usize = 100;
/// Iterations kept for a last plain try.
const RESERVE: usize = 60;

impl Island {
    /// Solves an island of the Similar model from u.
    pub fn solve_similar(
        &mut self,
        problem: &Problem,
        settings: &SolverSettings,
        timer: &mut Timer,
    ) -> Criterion {
        let run = Run { limit: PLAIN[0], ..Run::default() };
        let plain = self.iterate(problem, settings, timer, run);
        if plain == Criterion::Optimality || self.packets.is_empty() {
            return self.last_try(plain, problem, settings, timer);
        }
        self.weigh_contacts();
        let (mut rho, mut limit, mut tolerance) = (FIRST, STAGE, TOLERANCE[0]);
        let (mut saturated, mut rounded) = (0, 0);
        let (mut fresh, mut staged, mut growth) = (true, false, GROWTH);
        for _ in 0..STAGES {
            if self.report.iterations + RESERVE >= settings.max_iterations {
                break;
            }
            if fresh {
                let mut grew = false;
                for packet in &mut self.packets {
                    grew |= packet.stiffen(rho);
                }
                saturated += usize::from(!grew && growth == GROWTH);
                if saturated > ENOUGH {
                    break;
                }
            }
            self.shifted = true;
            let loose = SolverSettings {
                relative_tolerance: tolerance.max(settings.relative_tolerance),
                ..*settings
            };
            let stage = self.iterate(problem, &loose, timer, Run { limit, ..Run::default() });
            self.shifted = false;
            fresh = stage.converged();
            match stage {
                Criterion::NonFinite => return stage,
                _ if fresh => {}
                // Too stiff a spring for the masses that really move: back, and softer.
                _ if staged => {
                    rho /= growth;
                    growth = growth.sqrt();
                    fresh = true;
                    self.back_to_stage(problem);
                    limit = 2 * limit.min(settings.max_iterations);
                    continue;
                }
                _ => {
                    limit = 2 * limit.min(settings.max_iterations);
                    continue;
                }
            }
            (limit, staged) = (STAGE, true);
            self.u_stage.copy_from_slice(&self.u);
            for packet in &mut self.packets {
                packet.shift();
            }
            match self.polish(problem, settings, timer) {
                Criterion::Optimality => return Criterion::Optimality,
                Criterion::Rounding if rounded + 1 == ROUNDED => return Criterion::Rounding,
                Criterion::Rounding => rounded += 1,
                _ => {}
            }
            self.back_to_stage(problem);
            rho *= growth;
            tolerance *= TOLERANCE[1];
        }
        self.last_try(Criterion::IterationLimit, problem, settings, timer)
    }

    /// Takes the contacts' effective masses from A and its rows instead of from A's diagonal: links that hold each other
    /// up are far lighter, or heavier, than the latter says, and a spring ρ that is too stiff for them makes Newton creep.
    fn weigh_contacts(&mut self) {
        for (pair, sum) in self.pairs.iter().zip(&mut self.sums) {
            *sum = PairSum::default();
            for r in range(&pair.rows) {
                let row = &self.pair_rows[r];
                sum.add_row(&row.direction, 0.0, row.law.evaluate_from(self.row_argument[r]).hessian);
            }
        }
        self.assemble();
        self.factor.factor();
        for p in 0..self.pairs.len() {
            for packet in range(&self.pairs[p].packets) {
                for lane in 0..F4::LANES {
                    let Some(r) = self.packets[packet].arm(lane) else { continue };
                    let mut w = 0.0;
                    for i in 0..3 {
                        let force = v3(|k| f64::from(u8::from(k == i)));
                        let [x, y, z] = cross(r, force);
                        let wrench = [x, y, z, force[0], force[1], force[2]];
                        self.step.fill(0.0);
                        add_impulse(&self.pairs[p], &self.columns, &wrench, &mut self.step);
                        self.factor.solve(&mut self.step);
                        w += point_velocity(&self.twist_of(&self.pairs[p], &self.step), r)[i];
                    }
                    if w > 0.0 && w.is_finite() {
                        self.packets[packet].set_mass(lane, 3.0 / w);
                    }
                }
            }
        }
    }

    /// Back to the solution of the last stage.
    fn back_to_stage(&mut self, problem: &Problem) {
        self.u.copy_from_slice(&self.u_stage);
        self.place(problem);
        for packet in &mut self.packets {
            packet.restore();
        }
    }

    /// Plain Newton from the solution of a stage.
    fn polish(&mut self, problem: &Problem, settings: &SolverSettings, timer: &mut Timer) -> Criterion {
        let finite = self.evaluate_laws(problem, Hessian::PrimalDual);
        self.evaluate_gradient();
        if let Some(criterion) = self.test(finite, settings) {
            return criterion;
        }
        if self.report.residual > NEAR * self.report.scale {
            return Criterion::IterationLimit;
        }
        let run = Run { limit: PLAIN[1], first: Hessian::PrimalDual, ..Run::default() };
        self.iterate(problem, settings, timer, run)
    }

    /// Plain Newton without a limit of its own, unless the solve is done.
    fn last_try(
        &mut self,
        so_far: Criterion,
        problem: &Problem,
        settings: &SolverSettings,
        timer: &mut Timer,
    ) -> Criterion {
        match so_far {
            Criterion::IterationLimit => self.iterate(problem, settings, timer, Run::default()),
            done => done,
        }
    }
}
