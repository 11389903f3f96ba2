//! Staged solution for the stiff cones of the Similar model.
//!
//! A stiff contact of the Similar model is a stiff cone z(v) = v_n − μ‖v_t‖_s ≥ v̂. Newton's steps follow its
//! tangent planes; the neglected curvature, times the stiffness, makes the line search steps very short. If plain
//! Newton does not converge quickly, the problem is solved through its dual, by the method of multipliers: each
//! normal law n is put in series with a spring ρ that carries the impulse p₀ of the last stage at rest,
//!
//! ```text
//! p = n(y),   p = p₀ + ρ (y − z)                                  ([`crate::packet`])
//! repeat      minimise with p in place of n (a few iterations, from the last stage's v)
//!             p₀ ← p,   and ρ grows
//!             from here, plain Newton: done if it meets the tolerance
//! ```
//!
//! Each stage is a convex problem no stiffer than ρ, and when p stops changing, y = z: the solution is that of the
//! original problem. Only the optimality test of the original problem ends the solve.

use super::SolverSettings;
use super::evaluate::{add_impulse, point_velocity, range};
use super::island::Island;
use super::newton::Run;
use super::report::Criterion;
use super::timer::Timer;
use crate::lanes::F4;
use crate::packet::{Hessian, Packet};
use crate::problem::Problem;
use crate::spatial::{PairSum, V3, cross, v3};

/// Parameters of the stages, each with the effect of halving and doubling it: mean (worst) Newton iterations of 1000
/// towers with masses over six orders and contacts up to 1e12 N/m, printed by
/// `STICTION_TEST_SCALE=4 cargo test --release -p stiction-convex --lib stages_of -- --nocapture`.
///
/// | entry | halved | used | doubled |
/// |---|---|---|---|
/// | `plain_first` | 34.9 (142) | 31.2 (156) | 30.3 (172) |
/// | `plain_between` | 31.2 (156) | 31.2 (156) | 31.2 (156) |
/// | `near` | 31.2 (156) | 31.2 (156) | 34.0 (190) |
/// | `stage` | 37.7 (297) | 31.2 (156) | 30.8 (144) |
/// | `rho` | 31.8 (149) | 31.2 (156) | 30.6 (156) |
/// | `growth` | 32.7 (166) | 31.2 (156) | 30.5 (151) |
/// | `tolerance` | 31.4 (156) | 31.2 (156) | 30.9 (155) |
/// | `tightening` | 31.6 (157) | 31.2 (156) | 30.6 (150) |
/// | `saturated` | 31.0 (156) | 31.2 (156) | 31.3 (156) |
/// | `rounded` | 31.2 (156) | 31.2 (156) | 31.2 (156) |
/// | `reserve` | 31.2 (156) | 31.2 (156) | 31.2 (156) |
///
/// No parameter is sensitive. The last two end solves that would not converge otherwise. None of these towers needs
/// them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StageRules {
    /// Iterations of plain Newton before the stages.
    pub plain_first: usize,
    /// Iterations of plain Newton after each stage.
    pub plain_between: usize,
    /// Plain Newton is tried after a stage if its residual is below this part of its scale.
    pub near: f64,
    /// First iterations of a stage; doubled when they do not suffice.
    pub stage: usize,
    /// ρ of the first stage in effective masses.
    pub rho: f64,
    /// Growth of ρ from stage to stage.
    pub growth: f64,
    /// Relative tolerance of the first stage.
    pub tolerance: f64,
    /// Factor of the tolerance from stage to stage.
    pub tightening: f64,
    /// Number of stages with saturated ρ before the stages end.
    pub saturated: usize,
    /// Number of times that plain Newton may end by rounding before the solve ends.
    pub rounded: usize,
    /// Iterations reserved for a last attempt of plain Newton.
    pub reserve: usize,
}

/// Maximum number of stages. The iteration limit is reached first.
const STAGES: usize = 100;

impl StageRules {
    /// Parameters of every solve.
    pub const USED: Self = Self {
        plain_first: 20,
        plain_between: 6,
        near: 0.5,
        stage: 12,
        rho: 1e2,
        growth: 10.0,
        tolerance: 1e-2,
        tightening: 0.3,
        saturated: 4,
        rounded: 3,
        reserve: 60,
    };
}

impl Island {
    /// Solves an island of the Similar model from u.
    pub fn solve_similar(
        &mut self,
        problem: &Problem,
        settings: &SolverSettings,
        rules: &StageRules,
        timer: &mut Timer,
    ) -> Criterion {
        let run = Run { limit: rules.plain_first, ..Run::default() };
        let plain = self.iterate(problem, settings, timer, run);
        if plain == Criterion::Optimality || self.packets.is_empty() && self.turning.is_empty() {
            return self.last_try(plain, problem, settings, timer);
        }
        self.weigh_contacts();
        let (mut rho, mut limit, mut tolerance) = (rules.rho, rules.stage, rules.tolerance);
        let (mut saturated, mut rounded) = (0, 0);
        let (mut fresh, mut staged, mut growth) = (true, false, rules.growth);
        for _ in 0..STAGES {
            if self.report.iterations + rules.reserve >= settings.max_iterations {
                break;
            }
            if fresh {
                let mut grew = false;
                self.packets.iter_mut().for_each(|packet| grew |= packet.stiffen(rho));
                self.turning.iter_mut().for_each(|packet| grew |= packet.stiffen(rho));
                saturated += usize::from(!grew && growth == rules.growth);
                if saturated > rules.saturated {
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
                // The spring is too stiff for the effective masses: restore the last stage and use a softer spring.
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
            (limit, staged) = (rules.stage, true);
            self.u_stage.copy_from_slice(&self.u);
            self.packets.iter_mut().for_each(Packet::shift);
            self.turning.iter_mut().for_each(Packet::shift);
            match self.polish(problem, settings, rules, timer) {
                Criterion::Optimality => return Criterion::Optimality,
                Criterion::Rounding if rounded + 1 == rules.rounded => return Criterion::Rounding,
                Criterion::Rounding => rounded += 1,
                _ => {}
            }
            self.back_to_stage(problem);
            rho *= growth;
            tolerance *= rules.tightening;
        }
        self.last_try(Criterion::IterationLimit, problem, settings, timer)
    }

    /// Takes the contacts' effective masses from A and its rows instead of from A's diagonal: links that support
    /// each other can be far lighter or heavier than the latter indicates, and a spring ρ that is too stiff slows
    /// Newton's method.
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
                    let mass = self.effective_mass(p, r);
                    mass.into_iter().for_each(|mass| self.packets[packet].set_mass(lane, mass));
                }
            }
            for packet in range(&self.pairs[p].turning) {
                for lane in 0..F4::LANES {
                    let Some(r) = self.turning[packet].arm(lane) else { continue };
                    let mass = self.effective_mass(p, r);
                    mass.into_iter().for_each(|mass| self.turning[packet].set_mass(lane, mass));
                }
            }
        }
    }

    /// 3/tr(J H⁻¹ Jᵀ) at `r` from the point of pair `p`, with the factor of H.
    fn effective_mass(&mut self, p: usize, r: V3) -> Option<f64> {
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
        (w > 0.0 && w.is_finite()).then(|| 3.0 / w)
    }

    /// Restores the solution of the last stage.
    fn back_to_stage(&mut self, problem: &Problem) {
        self.u.copy_from_slice(&self.u_stage);
        self.place(problem);
        self.packets.iter_mut().for_each(Packet::restore);
        self.turning.iter_mut().for_each(Packet::restore);
    }

    /// Plain Newton from the solution of a stage.
    fn polish(
        &mut self,
        problem: &Problem,
        settings: &SolverSettings,
        rules: &StageRules,
        timer: &mut Timer,
    ) -> Criterion {
        let finite = self.evaluate_laws(problem, Hessian::PrimalDual);
        self.evaluate_gradient();
        if let Some(criterion) = self.test(finite, settings) {
            return criterion;
        }
        if self.report.residual > rules.near * self.report.scale {
            return Criterion::IterationLimit;
        }
        let run = Run { limit: rules.plain_between, first: Hessian::PrimalDual, ..Run::default() };
        self.iterate(problem, settings, timer, run)
    }

    /// Plain Newton without its own iteration limit, unless the solve is done.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactSettings;
    use crate::friction::FrictionModel;
    use crate::problem::{ContactEntry, frame_from_normal};
    use crate::solver::compile::Compiler;
    use nalgebra::{Matrix3, Vector3, Vector6};
    use stiction_base::random::Random;

    /// A tower of two to six bodies with masses over six orders, contacts of 1e3 to 1e12 N/m, thrown at up to 10 m/s.
    fn tower(seed: u64) -> Problem {
        let mut random = Random::new(seed);
        let mut next = || random.sym();
        let regularization = if seed.is_multiple_of(2) { 0.0 } else { 1e-3 };
        let settings =
            ContactSettings { model: FrictionModel::Similar, regularization, ..Default::default() };
        let dt = 10f64.powf(-2.75 + 1.25 * next());
        let mut problem = Problem::new(dt, settings).unwrap();
        let (stiffness, mu) = (10f64.powf(7.5 + 4.5 * next()), 1.0 + next());
        let (speed, dissipation) = (5.0 * (1.0 + next()), 50.0 * (1.0 + next()));
        let mut below = None;
        for i in 0..2 + seed % 5 {
            let m = 10f64.powf(3.0 * next());
            let a: [f64; 36] =
                std::array::from_fn(|k| if k % 7 > 0 { 0.0 } else { m * if k < 21 { 1.0 } else { 1e-3 } });
            let v0: [f64; 6] = std::array::from_fn(|_| speed * next());
            let weight = [0.0, 0.0, -m * 9.81 * dt, 0.0, 0.0, 0.0];
            let centre = Vector3::new(0.0, 0.0, 0.1 * i as f64);
            let body = problem.add_free_body(&a, &weight, &v0, &Matrix3::identity(), centre).unwrap();
            problem.add_pair(below, Some(body), centre - 0.05 * Vector3::z(), Vector6::zeros()).unwrap();
            for corner in [(0.05, 0.0), (0.0, 0.05), (-0.05, 0.0), (0.0, -0.05)] {
                let normal = Vector3::new(0.3 * next(), 0.3 * next(), 1.0).normalize();
                let r = Vector3::new(corner.0, corner.1, 0.0);
                let mut entry =
                    ContactEntry::point(r, frame_from_normal(&normal), 1e-4 * (next() + 0.5), stiffness, mu);
                entry.dissipation = dissipation;
                problem.add_contact(entry).unwrap();
            }
            below = Some(body);
        }
        problem
    }

    /// Mean and worst iterations over a number of towers, and how many did not converge.
    fn iterations(rules: &StageRules, towers: u64) -> (f64, usize, usize) {
        let (mut total, mut worst, mut failed) = (0, 0, 0);
        let (mut compiler, mut islands) = (Compiler::default(), Vec::new());
        for seed in 0..towers {
            let problem = tower(seed);
            assert_eq!(compiler.compile(&problem, &mut islands), 1);
            let island = &mut islands[0];
            let mut u = std::mem::take(&mut island.u);
            island.to_local(problem.previous_velocities(), &mut u);
            island.u = u;
            island.solve_by(&problem, &SolverSettings::default(), rules);
            total += island.report.iterations;
            worst = worst.max(island.report.iterations);
            failed += usize::from(!island.report.criterion.converged());
        }
        (total as f64 / towers as f64, worst, failed)
    }

    /// Prints the table at [`StageRules`]: no entry may be much better halved or doubled.
    #[test]
    fn stages_of_stiff_towers_take_fewest_iterations_with_the_rules_used() {
        type Change = fn(&mut StageRules, f64);
        let changes: [(&str, Change); 11] = [
            ("plain_first", |r, by| r.plain_first = (r.plain_first as f64 * by) as usize),
            ("plain_between", |r, by| r.plain_between = (r.plain_between as f64 * by) as usize),
            ("near", |r, by| r.near *= by),
            ("stage", |r, by| r.stage = (r.stage as f64 * by) as usize),
            ("rho", |r, by| r.rho *= by),
            ("growth", |r, by| r.growth *= by),
            ("tolerance", |r, by| r.tolerance *= by),
            ("tightening", |r, by| r.tightening *= by),
            ("saturated", |r, by| r.saturated = (r.saturated as f64 * by) as usize),
            ("rounded", |r, by| r.rounded = (r.rounded as f64 * by).ceil() as usize),
            ("reserve", |r, by| r.reserve = (r.reserve as f64 * by) as usize),
        ];
        let scale = std::env::var("STICTION_TEST_SCALE").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
        let towers = 250 * scale;
        let (used, worst, failed) = iterations(&StageRules::USED, towers);
        println!("| entry | halved | used | doubled |\n|---|---|---|---|");
        assert_eq!(failed, 0);
        for (name, change) in changes {
            let with = |by: f64| {
                let mut rules = StageRules::USED;
                change(&mut rules, by);
                iterations(&rules, towers)
            };
            let (half, double) = (with(0.5), with(2.0));
            let show = |(mean, worst, failed): (f64, usize, usize)| match failed {
                0 => format!("{mean:.1} ({worst})"),
                n => format!("{mean:.1} ({worst}), {n} fail"),
            };
            println!("| `{name}` | {} | {} | {} |", show(half), show((used, worst, failed)), show(double));
            assert!(used <= 1.15 * half.0.min(double.0), "{name}: {used} {half:?} {double:?}");
        }
    }
}
