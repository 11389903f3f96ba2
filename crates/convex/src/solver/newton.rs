//! Newton's method with exact line search on one island.
//!
//! ```text
//! repeat   evaluate laws and gradient
//!          stop if ‖D∇ℓ‖ ≤ ε_a + ε_r max(‖D A (u − u*)‖, ‖D Jᵀγ‖) + ε_f ‖D A u‖
//!          assemble and factor H,   Δu = −H⁻¹∇ℓ
//!          α from ℓ′(α) = 0,        u += α Δu
//!          at the level of rounding, go on only while the residual still falls
//! ```

use super::SolverSettings;
use super::evaluate::{dot6, multiply, range};
use super::island::Island;
use super::line_search::{self, LineValue};
use super::report::Criterion;
use super::similar::StageRules;
use super::timer::Timer;
use crate::friction::FrictionModel;
use crate::packet::{self, Hessian, Kind};
use crate::problem::Problem;
use stiction_base::fused::Fused;

/// ε_f of the optimality test: relative rounding error of a momentum.
const FLOOR: f64 = 1e-13;
/// Iterations in a row that do not halve the residual, below the level of rounding, that end a solve.
const STALE: usize = 2;
/// ℓ′ below this part of the sizes of its terms is rounding.
const LINE_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Below this multiple of the rounding level, a failed line search is attributed to rounding.
const NEAR: f64 = 1e4;

/// Settings of Newton's iteration.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// It ends as soon as all laws are defined.
    pub until_feasible: bool,
    /// Iterations after which it ends as soon as one does not halve the residual; the limit of the whole solve is
    /// another.
    pub limit: usize,
    /// Hessian of the first iteration.
    pub first: Hessian,
}

impl Default for Run {
    fn default() -> Self {
        Self { until_feasible: false, limit: usize::MAX, first: Hessian::First }
    }
}

impl Island {
    /// Solves from the coordinates in `u`. Returns a report. `u` is the best velocity found.
    pub fn solve(&mut self, problem: &Problem, settings: &SolverSettings) {
        self.solve_by(problem, settings, &StageRules::USED);
    }

    /// The same with other rules for the stages of the Similar model.
    pub fn solve_by(&mut self, problem: &Problem, settings: &SolverSettings, rules: &StageRules) {
        let mut timer = Timer::new(settings.timings);
        self.stand_in = None;
        self.shifted = false;
        self.place(problem);
        self.report.criterion = if self.make_feasible(problem, settings, &mut timer) {
            if problem.settings.model == FrictionModel::Similar && !settings.exact_hessian {
                self.solve_similar(problem, settings, rules, &mut timer)
            } else {
                self.iterate(problem, settings, &mut timer, Run::default())
            }
        } else {
            Criterion::Infeasible
        };
    }

    /// Barriers need a start inside their domain. If the guess is outside, barriers are replaced by increasingly
    /// stiff springs into the domain, and Newton's method runs until a velocity inside is found.
    fn make_feasible(&mut self, problem: &Problem, settings: &SolverSettings, timer: &mut Timer) -> bool {
        if self.contacts.iter().all(|c| c.lower_bound == f64::NEG_INFINITY) {
            return true;
        }
        // First stiffness: it stops the heaviest dof within the step.
        let heaviest = self.cliques.iter().flat_map(|c| (0..c.n).map(move |i| c.a + i * (c.n + 1)));
        let mass = heaviest.map(|i| self.a[i as usize]).fold(0.0, f64::max);
        let mut stiffness = 1e2 * mass / (problem.dt * problem.dt);
        for _ in 0..4 {
            self.stand_in = Some(stiffness);
            self.iterate(problem, settings, timer, Run { until_feasible: true, ..Run::default() });
            self.stand_in = None;
            if self.in_domain() {
                return true;
            }
            stiffness *= 1e3;
        }
        false
    }

    /// Whether all laws are defined at the velocities evaluated last.
    fn in_domain(&self) -> bool {
        self.contacts.iter().zip(&self.contact_velocity).all(|(c, &v)| c.in_domain(v))
    }

    /// Newton's iteration from u.
    pub fn iterate(
        &mut self,
        problem: &Problem,
        settings: &SolverSettings,
        timer: &mut Timer,
        run: Run,
    ) -> Criterion {
        let most = self.report.iterations.saturating_add(run.limit);
        let (mut stale, mut best) = (0, f64::INFINITY);
        let mut hessian = run.first;
        loop {
            if settings.exact_hessian {
                hessian = Hessian::Exact;
            }
            let finite = self.evaluate_laws(problem, hessian);
            hessian = Hessian::PrimalDual;
            self.evaluate_gradient();
            let criterion = self.test(finite, settings);
            timer.lap(&mut self.report.seconds.evaluate);
            if run.until_feasible && self.in_domain() {
                return Criterion::Optimality;
            }
            if let Some(criterion) = criterion {
                return criterion;
            }
            if self.report.residual <= 0.5 * best {
                (best, stale) = (self.report.residual, 0);
            } else {
                stale += 1;
                if stale >= STALE {
                    let level = self.rounding_level();
                    if self.report.residual <= level {
                        self.report.rounding = Some(level);
                        return Criterion::Rounding;
                    }
                }
            }
            let limited = self.report.iterations >= most && stale > 0;
            if limited || self.report.iterations >= settings.max_iterations {
                return Criterion::IterationLimit;
            }
            self.report.iterations += 1;
            self.assemble();
            timer.lap(&mut self.report.seconds.assemble);
            self.report.raised_pivots += self.factor.factor();
            timer.lap(&mut self.report.seconds.factor);
            for i in 0..self.step.len() {
                self.step[i] = -self.gradient[i];
            }
            self.factor.solve(&mut self.step);
            timer.lap(&mut self.report.seconds.substitute);
            self.advance(problem, settings);
            timer.lap(&mut self.report.seconds.line_search);
        }
    }

    /// The optimality test. It also rejects non-finite numbers.
    ///
    /// The SAP paper compares with the momentum ‖D A u‖, which depends on the observer's frame: fast-moving systems
    /// would be solved inaccurately. The change of momentum relative to the free motion u* and the impulses do not
    /// depend on the frame. The momentum only sets a rounding floor.
    pub fn test(&mut self, finite: bool, settings: &SolverSettings) -> Option<Criterion> {
        // Sums by four lanes; A u = A (u − u*) + p + A u0.
        const LANES: usize = 4;
        let zero = [0.0; LANES];
        let (mut residual, mut change, mut impulse) = (zero, zero, zero);
        let mut momentum = zero;
        for i in 0..self.u.len() {
            let (lane, d) = (i % LANES, self.d[i]);
            let a_u = self.momentum_change[i] + (self.applied[i] + self.momentum0[i]);
            let (g, c) = (d * self.gradient[i], d * self.momentum_change[i]);
            let (j, m) = (d * self.constraint_impulse[i], d * a_u);
            residual[lane] += g * g;
            change[lane] += c * c;
            impulse[lane] += j * j;
            momentum[lane] += m * m;
        }
        let total = |x: [f64; LANES]| (x[0] + x[2]) + (x[1] + x[3]);
        let residual = total(residual).sqrt();
        let scale = total(change).max(total(impulse)).sqrt();
        let floor = FLOOR * total(momentum).sqrt();
        self.report.residual = residual;
        self.report.scale = scale;
        if !finite || !residual.is_finite() {
            return Some(Criterion::NonFinite);
        }
        (residual <= settings.absolute_tolerance + settings.relative_tolerance * scale + floor)
            .then_some(Criterion::Optimality)
    }

    /// Line search along `step`, and the step.
    fn advance(&mut self, problem: &Problem, settings: &SolverSettings) {
        // Terms of A on the line: Δuᵀ A (u − u*) and Δuᵀ A Δu.
        let (mut slope_a, mut curvature_a) = (0.0, 0.0);
        for c in &self.cliques {
            let (n, dof, a) = (c.n as usize, c.dof as usize, c.a as usize);
            let out = &mut self.a_step[dof..dof + n];
            multiply(&self.a[a..a + n * n], &self.step[dof..dof + n], out, n);
            for i in dof..dof + n {
                slope_a += self.step[i] * self.momentum_change[i];
                curvature_a += self.step[i] * self.a_step[i];
            }
        }
        let (mut slope0, mut size) = (0.0, 0.0);
        for i in 0..self.step.len() {
            slope0 += self.gradient[i] * self.step[i];
            size += ((self.momentum_change[i].abs() + self.constraint_impulse[i].abs()) * self.step[i]).abs();
        }
        let kind = self.kind(problem.settings.model);
        for p in 0..self.pairs.len() {
            let pair = &self.pairs[p];
            let twist = self.twist_of(pair, &self.step);
            let (packets, springs) = (range(&pair.packets), range(&pair.springs));
            packet::step(&mut self.packets[packets.clone()], kind, &twist, &mut self.lines[packets]);
            let lines = &mut self.spring_lines[springs.clone()];
            packet::step(&mut self.springs[springs], Kind::Spring, &twist, lines);
            let (turning, springs) = (range(&pair.turning), range(&pair.turning_springs));
            let lines = &mut self.turning_lines[turning.clone()];
            packet::step(&mut self.turning[turning], kind, &twist, lines);
            let lines = &mut self.turning_spring_lines[springs.clone()];
            packet::step(&mut self.turning_springs[springs], Kind::Spring, &twist, lines);
            for c in range(&pair.contacts) {
                let contact = &self.contacts[c];
                self.contact_step[c] = contact.velocity(&twist);
            }
            for r in range(&pair.rows) {
                self.row_step[r] = dot6(&self.pair_rows[r].direction, &twist);
            }
        }
        let first = self.pair_rows.len();
        for (r, row) in self.rows.iter().enumerate() {
            let entries = &self.row_entries[range(&row.entries)];
            self.row_step[first + r] = entries.iter().map(|&(dof, c)| c * self.step[dof as usize]).sum();
        }
        // If ℓ′ along the line is only rounding error, the full Newton step is better.
        let mut alpha = 1.0;
        let noise = -slope0 <= LINE_ROUNDING * size;
        if !noise || !self.line(problem, 1.0, slope_a, curvature_a).slope.is_finite() {
            let (found, slope, evaluations) = line_search::exact(slope0, settings.line_tolerance, |alpha| {
                self.line(problem, alpha, slope_a, curvature_a)
            });
            self.report.line_evaluations += evaluations;
            // The bracket vanished before the tolerance was reached. Near the solution ℓ′ is rounding error here as
            // well.
            let met = slope.abs() <= settings.line_tolerance * slope0.abs() || found >= line_search::LONGEST;
            if met || self.report.residual > NEAR * self.rounding_level() {
                alpha = found;
            }
        }
        self.follow(problem, alpha);
    }

    /// ℓ′ and ℓ″ at α along the step.
    fn line(&self, problem: &Problem, alpha: f64, slope_a: f64, curvature_a: f64) -> LineValue {
        let kind = self.kind(problem.settings.model);
        let (mut slope, mut curvature) = (slope_a + alpha * curvature_a, curvature_a);
        let kinds = [
            (&self.lines, kind),
            (&self.spring_lines, Kind::Spring),
            (&self.turning_lines, kind),
            (&self.turning_spring_lines, Kind::Spring),
        ];
        for (lines, kind) in kinds {
            let value = packet::line(lines, kind, alpha);
            slope += value.slope;
            curvature += value.curvature;
        }
        for (c, contact) in self.contacts.iter().enumerate() {
            let (v, dv) = (self.contact_velocity[c], self.contact_step[c]);
            let at = std::array::from_fn(|i| alpha.fused(dv[i], v[i]));
            if self.stand_in.is_none() && !contact.in_domain(at) {
                return LineValue { slope: f64::INFINITY, curvature: f64::INFINITY };
            }
            let value = contact.evaluate(problem, self.stand_in, at);
            slope -= dot6(&value.impulse, &dv);
            curvature += (0..6).map(|i| dot6(&value.hessian[i], &dv) * dv[i]).sum::<f64>();
        }
        let laws = self.pair_rows.iter().map(|r| &r.law).chain(self.rows.iter().map(|r| &r.law));
        for (r, law) in laws.enumerate() {
            let dv = self.row_step[r];
            let value = law.evaluate_from(alpha.fused(dv, self.row_argument[r]));
            slope -= value.impulse * dv;
            curvature += value.hessian * dv * dv;
        }
        LineValue { slope, curvature }
    }
}
