//! The solver: islands, Newton's method, results.
//!
//! ```text
//! Problem ──compile──▶ islands ──newton──▶ u, impulses ──▶ results
//! ```
//!
//! | file | what |
//! |---|---|
//! | `islands` | which cliques are solved together |
//! | `compile`, `compile_contact` | problem → islands; everything that does not change with v |
//! | `island` | the compiled island and its state |
//! | `evaluate` | laws and gradient |
//! | `assemble` | Hessian |
//! | `branching` | which branches of a robot its constraints couple |
//! | `columns` | Jacobians of robots' contacts by their columns that are not zero |
//! | `newton` | the iteration and its stopping rules |
//! | `similar` | stages for the stiff cones of the Similar model |
//! | `line_search` | root of ℓ′ along a line |
//! | `late_friction` | contacts whose friction waits for a normal impulse |
//! | `unconstrained` | cliques without constraints |
//! | `hessian` | H at the solution, for derivatives and the condition number |
//! | [`flops`] | operation counts of a solve |
//! | [`work`] | energy balance of a step |
//! | [`report`] | report of a solve: criterion, residual, iterations, times |
//! | `timer.rs` | times of the stages of a solve |
//! | `transform.rs` | shifts of matrices and Delassus estimates |

mod assemble;
mod branching;
mod columns;
mod compile;
mod compile_contact;
mod evaluate;
pub mod flops;
mod hessian;
mod island;
mod islands;
mod late_friction;
mod line_search;
mod newton;
pub mod report;
mod similar;
mod timer;
mod transform;
mod unconstrained;
pub mod work;

use crate::error::{ProblemError, require};
use crate::friction::spring::SpringLaw;
use crate::problem::{PairId, Problem};
use crate::spatial::{V3, add, dot, shift_wrench, sub, v3};
use compile::Compiler;
pub(crate) use compile_contact::{PairContext, compile_law, delassus_bound, delassus_estimate};
use evaluate::{frame_axes, point_velocity};
use island::{Island, PackedContact, PackedSpring};
pub(crate) use line_search::LineValue;
use nalgebra::{Vector3, Vector6};
use report::{IslandReport, SolveReport};
use std::ops::Range;
use timer::Timer;
use unconstrained::FreeCliques;

/// Tolerances and limits of the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverSettings {
    /// ε_r of the optimality test ‖D∇ℓ‖ ≤ ε_a + ε_r max(‖D A (v − v*)‖, ‖D Jᵀγ‖), D = diag(A)^(−½), for which a
    /// free body counts its world twist. (The SAP paper uses A v instead of A (v − v*), so its tolerance grows with
    /// speed. Here only a rounding floor of 1e−13 ‖D A v‖ grows with speed.)
    pub relative_tolerance: f64,
    /// ε_a of the optimality test, √J.
    pub absolute_tolerance: f64,
    /// Maximum number of Newton iterations of an island.
    pub max_iterations: usize,
    /// Newton's method with the true Hessian of ℓ, as published, instead of the primal–dual one of `packet`. For
    /// comparison: it takes more iterations.
    pub exact_hessian: bool,
    /// Line searches end at |ℓ′(α)| ≤ this · |ℓ′(0)|.
    pub line_tolerance: f64,
    /// Take stage times.
    pub timings: bool,
    /// Estimate the condition number at the solution (one more factorisation per island).
    pub condition: bool,
}

impl Default for SolverSettings {
    /// ε_r = 1e−6, ε_a = 1e−14, 500 iterations.
    fn default() -> Self {
        Self {
            relative_tolerance: 1e-6,
            absolute_tolerance: 1e-14,
            max_iterations: 500,
            exact_hessian: false,
            line_tolerance: 1e-1,
            timings: false,
            condition: false,
        }
    }
}

/// Turning of a contact whose friction resists it, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// The contact.
    pub contact: usize,
    /// Impulsive torque about the contact on body b, N m s.
    pub torque: Vector3<f64>,
    /// Angular velocity of b relative to a, rad/s.
    pub velocity: Vector3<f64>,
    /// Turn that a tangential spring holds at the end of the step, rad.
    pub turned: Vector3<f64>,
}

/// The solver of [`Problem`]s, its memory, and the results of the last solve.
#[derive(Debug, Default)]
pub struct Solver {
    settings: SolverSettings,
    compiler: Compiler,
    islands: Vec<Island>,
    island_count: usize,
    report: SolveReport,
    v: Vec<f64>,
    contact_impulses: Vec<Vector3<f64>>,
    contact_velocities: Vec<Vector3<f64>>,
    stretches: Vec<Vector3<f64>>,
    turns: Vec<Turn>,
    row_impulses: Vec<f64>,
    row_velocities: Vec<f64>,
    pair_wrenches: Vec<Vector6<f64>>,
    unconstrained: FreeCliques,
    factored: bool,
}

impl Solver {
    /// A solver with the given settings.
    pub fn new(settings: SolverSettings) -> Result<Self, ProblemError> {
        let mut solver = Self::default();
        solver.set(settings)?;
        Ok(solver)
    }

    /// Changes the settings.
    pub fn set(&mut self, settings: SolverSettings) -> Result<(), ProblemError> {
        let must = "at least 0 and finite";
        let (r, a, l) = (settings.relative_tolerance, settings.absolute_tolerance, settings.line_tolerance);
        require(r >= 0.0 && r.is_finite(), "relative tolerance", r, must)?;
        require(a >= 0.0 && a.is_finite(), "absolute tolerance", a, must)?;
        require((0.0..1.0).contains(&l), "line tolerance", l, "at least 0 and below 1")?;
        self.settings = settings;
        Ok(())
    }

    /// The settings.
    pub fn settings(&self) -> &SolverSettings {
        &self.settings
    }

    /// Solves the problem from the guess `v_guess` (one number a dof, for instance the previous velocities)
    /// and keeps the results until the next solve.
    pub fn solve(&mut self, problem: &Problem, v_guess: &[f64]) -> Result<&SolveReport, ProblemError> {
        let (found, expected) = (v_guess.len(), problem.dof_count());
        if found != expected {
            return Err(ProblemError::Length { what: "the guess", found, expected });
        }
        let mut timer = Timer::new(self.settings.timings);
        self.factored = false;
        self.island_count = self.compiler.compile(problem, &mut self.islands);
        for island in &mut self.islands[..self.island_count] {
            let mut u = std::mem::take(&mut island.u);
            island.to_local(v_guess, &mut u);
            island.u = u;
            island.due = true;
        }
        let mut compile = 0.0;
        timer.lap(&mut compile);
        self.run(problem);
        self.report.seconds.compile += compile;
        Ok(&self.report)
    }

    /// Solves the islands that are due, and collects the results.
    fn run(&mut self, problem: &Problem) {
        let mut timer = Timer::new(self.settings.timings);
        self.report = SolveReport::default();
        let settings = &self.settings;
        let run = |island: &mut Island| {
            if !island.due {
                return;
            }
            island.solve(problem, settings);
            if settings.timings {
                island.report.flops = island.flops();
            }
            if settings.condition {
                island.report.condition = Some(hessian::condition(island, problem));
            }
        };
        let islands = &mut self.islands[..self.island_count];
        #[cfg(feature = "parallel")]
        {
            use rayon::prelude::*;
            islands.par_iter_mut().for_each(run);
        }
        #[cfg(not(feature = "parallel"))]
        islands.iter_mut().for_each(run);
        timer.lap(&mut 0.0);
        self.collect(problem);
        timer.lap(&mut self.report.seconds.output);
    }

    /// Islands' results into the problem's order.
    fn collect(&mut self, problem: &Problem) {
        self.v.clear();
        self.v.resize(problem.dof_count(), 0.0);
        self.report.raised_pivots += self.unconstrained.factor(problem, &self.compiler.island_of);
        self.unconstrained.velocities(problem, &mut self.v);
        self.contact_impulses.clear();
        self.contact_impulses.resize(problem.contacts.len(), Vector3::zeros());
        self.contact_velocities.clear();
        self.contact_velocities.resize(problem.contacts.len(), Vector3::zeros());
        self.stretches.clear();
        self.stretches.resize(problem.contacts.len(), Vector3::zeros());
        self.turns.clear();
        self.row_impulses.clear();
        self.row_impulses.resize(problem.rows.len(), 0.0);
        self.row_velocities.clear();
        self.row_velocities.resize(problem.rows.len(), 0.0);
        self.pair_wrenches.clear();
        self.pair_wrenches.resize(problem.pairs.len(), Vector6::zeros());
        let islands = std::mem::take(&mut self.islands);
        for island in &islands[..self.island_count] {
            island.to_global(&island.u, &mut self.v);
            self.report.take(&island.report);
            for contact in &island.packed {
                let (at, lane) = (contact.global as usize, contact.lane as usize);
                let packet = &island.packets[contact.packet as usize];
                self.contact_impulses[at] = packet.impulse(lane).0.into();
                self.contact_velocities[at] = packet.velocity(lane).into();
            }
            for contact in &island.packed_springs {
                let (at, lane) = (contact.place.global as usize, contact.place.lane as usize);
                let packet = &island.springs[contact.place.packet as usize];
                let axes = frame_axes(problem, contact.place.global);
                let [x, y, ..] = contact.spring.equivalent_velocity();
                let v = sub(packet.velocity(lane), in_plane(&axes, [x, y]));
                self.contact_impulses[at] = packet.impulse(lane).0.into();
                self.contact_velocities[at] = v.into();
                let stretch = contact.spring.stretch_after([dot(axes[0], v), dot(axes[1], v)]);
                self.stretches[at] = in_plane(&axes, stretch).into();
            }
            for (c, contact) in island.contacts.iter().enumerate() {
                let at = contact.global as usize;
                let (axes, v) = (&contact.axes, island.contact_velocity[c]);
                let (impulse, torque) = contact.in_world(island.contact_impulse[c]);
                self.contact_impulses[at] = impulse.into();
                self.contact_velocities[at] = contact.in_world(v).0.into();
                if contact.law.ellipse.is_some() {
                    self.add_turn(problem, at, torque, contact.law.spring.as_ref(), contact.in_world(v));
                } else if let Some(spring) = &contact.law.spring {
                    self.stretches[at] = in_plane(axes, spring.stretch_after([v[0], v[1]])).into();
                }
            }
            self.collect_turning(problem, island);
            let rows = island.pair_rows.iter().map(|r| r.global).chain(island.rows.iter().map(|r| r.global));
            for (r, at) in rows.enumerate() {
                self.row_impulses[at as usize] = island.row_impulse[r];
            }
            island.row_velocities(&mut self.row_velocities);
            for (pair, sum) in island.pairs.iter().zip(&island.sums) {
                // Back to the caller's point.
                let wrench = shift_wrench(sum.wrench, sub([0.0; 3], pair.shift));
                self.pair_wrenches[pair.global as usize] = wrench.into();
            }
        }
        self.islands = islands;
    }

    /// Results of the packets of contacts with an ellipse.
    fn collect_turning(&mut self, problem: &Problem, island: &Island) {
        if island.packed_turning.is_empty() && island.packed_turning_springs.is_empty() {
            return;
        }
        let (mut plain, mut sprung) = (island.packed_turning.iter(), island.packed_turning_springs.iter());
        for pair in &island.pairs {
            let within = |range: &Range<u32>, place: &PackedContact| range.contains(&place.packet);
            let twist = island.twist_with_bias(pair);
            let motion = |at: usize| {
                let entry = &problem.contacts[at];
                let u = point_velocity(&twist, sub(entry.r.into(), pair.shift));
                (add(u, entry.bias.into()), [twist[0], twist[1], twist[2]])
            };
            while let Some(place) = plain.as_slice().first().filter(|p| within(&pair.turning, p)) {
                plain.next();
                let (at, packet) = (place.global as usize, &island.turning[place.packet as usize]);
                let (impulse, torque) = packet.impulse(place.lane as usize);
                self.contact_impulses[at] = impulse.into();
                self.add_turn(problem, at, torque, None, motion(at));
            }
            let springs = &pair.turning_springs;
            while let Some(PackedSpring { place, spring }) =
                sprung.as_slice().first().filter(|p| within(springs, &p.place))
            {
                sprung.next();
                let (at, packet) = (place.global as usize, &island.turning_springs[place.packet as usize]);
                let (impulse, torque) = packet.impulse(place.lane as usize);
                self.contact_impulses[at] = impulse.into();
                self.add_turn(problem, at, torque, Some(spring), motion(at));
            }
        }
    }

    /// Result of a contact with an ellipse: its torque, and its velocity and angular velocity in world axes.
    fn add_turn(
        &mut self,
        problem: &Problem,
        contact: usize,
        torque: V3,
        spring: Option<&SpringLaw>,
        (v, omega): (V3, V3),
    ) {
        self.contact_velocities[contact] = v.into();
        let axes = frame_axes(problem, contact as u32);
        let mut turned = Vector3::zeros();
        if let (Some(spring), Some(ellipse)) = (spring, &problem.contacts[contact].ellipse) {
            let frame = |x: V3| v3(|i| dot(axes[i], x));
            let [x, y, spin, roll_x, roll_y] =
                ellipse.unscaled(spring.slip_after(ellipse.slip(frame(v), frame(omega))));
            self.stretches[contact] = in_plane(&axes, [x, y]).into();
            let roll = in_plane(&axes, [roll_x, roll_y]);
            turned = v3(|i| roll[i] + axes[2][i] * spin).into();
        }
        self.turns.push(Turn { contact, torque: torque.into(), velocity: omega.into(), turned });
    }

    /// Report of the last solve.
    pub fn report(&self) -> &SolveReport {
        &self.report
    }

    /// Reports of the islands of the last solve, numbered by their lowest clique.
    pub fn island_reports(&self) -> impl ExactSizeIterator<Item = &IslandReport> {
        self.islands[..self.island_count].iter().map(|i| &i.report)
    }

    /// Velocities v, one a dof.
    pub fn velocities(&self) -> &[f64] {
        &self.v
    }

    /// Impulse of each contact on body b, world axes, N s.
    pub fn contact_impulses(&self) -> &[Vector3<f64>] {
        &self.contact_impulses
    }

    /// Velocity of b relative to a at each contact, world axes, m/s.
    pub fn contact_velocities(&self) -> &[Vector3<f64>] {
        &self.contact_velocities
    }

    /// The contacts that acted with less than their stiffness in the last solve, and the part of it with which they did.
    pub fn capped(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let islands = self.islands[..self.island_count].iter();
        islands.flat_map(|island| island.capped.iter().map(|&(contact, share)| (contact as usize, share)))
    }

    /// Tangential stretch of each contact with a spring at the end of the step, world axes, m.
    pub fn stretches(&self) -> &[Vector3<f64>] {
        &self.stretches
    }

    /// Turning of the contacts with an ellipse, in no order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Slip speed at which each plain contact of the last solve goes from sticking to sliding, m/s: ε of ICF eq. 44, or
    /// σ w μ γ_n for SAP (eq. 42). Contacts without a plain law have no number.
    pub fn transition_slips(&self, problem: &Problem) -> Vec<Option<f64>> {
        let mut slips = vec![None; self.contact_impulses.len()];
        for island in &self.islands[..self.island_count] {
            for contact in &island.packed {
                let packet = &island.packets[contact.packet as usize];
                let slip = packet.transition(contact.lane as usize, problem.settings.model);
                slips[contact.global as usize] = Some(slip);
            }
        }
        slips
    }

    /// Whether equalities have errors that need a second pass: [`Problem::correct`].
    pub fn needs_correction(&self) -> bool {
        self.compiler.held
    }

    /// Impulse of each row along its direction.
    pub fn row_impulses(&self) -> &[f64] {
        &self.row_impulses
    }

    /// Velocity of each row.
    pub fn row_velocities(&self) -> &[f64] {
        &self.row_velocities
    }

    /// Impulsive wrench [torque; force] of each pair on body b about the pair's point, world axes, N m s and N s.
    pub fn pair_wrenches(&self) -> &[Vector6<f64>] {
        &self.pair_wrenches
    }

    /// Impulsive wrench of one pair, zero if there is no such pair.
    pub fn pair_wrench(&self, pair: PairId) -> Vector6<f64> {
        self.pair_wrenches.get(pair.0 as usize).copied().unwrap_or_default()
    }
}

/// A vector in the tangent plane of a contact frame, in world axes.
fn in_plane(axes: &[V3; 3], [x, y]: [f64; 2]) -> V3 {
    v3(|i| axes[0][i] * x + axes[1][i] * y)
}
