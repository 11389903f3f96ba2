//! The solves of a step. One suffices, unless its solution shows that something it was assembled with does not hold:
//!
//! | solved again for | file |
//! |---|---|
//! | limits without a row that the solution reaches | `assemble.rs` |
//! | errors of equalities that are held first and corrected then | `stiction_convex::correction` |
//! | friction of contacts whose normal force came or went | `late_friction.rs` |
//! | ball joints that end beyond their limits | `../forces/joint_limits.rs` |
//! | contact points that travel over a turning body | `travel.rs` |
//! | bodies that pass through each other on their way | `sweep/` |

use super::assemble::{Assembly, Parts};
use super::late_friction::{Changed, LateFriction};
use super::report::StepReport;
use super::sweep::{self, Sweep};
use super::timer::Timer;
use super::travel::{self, Travel};
use crate::error::StepError;
use crate::forces::joint_limits::TURN_PASSES;
use crate::state::State;
use stiction_convex::{ProblemError, Solver};
use stiction_model::ContactCalibration;
use stiction_multibody::QuaternionStep;

/// The problem of a step while it is solved.
pub(super) struct Passes<'a> {
    /// What the problem was assembled from.
    pub parts: Parts<'a>,
    /// The state before the step, without its impacts.
    pub state: &'a State,
    pub assembly: &'a mut Assembly,
    pub solver: &'a mut Solver,
    /// Where the next solve begins.
    pub start: &'a mut [f64],
    /// q⁺ of the last solve.
    pub q_next: &'a mut [f64],
    pub report: &'a mut StepReport,
    pub timer: Timer<'a>,
}

impl Passes<'_> {
    /// Solves the problem, and again for friction and the limits of ball joints.
    pub fn solve(&mut self, late: &mut LateFriction) -> Result<(), ProblemError> {
        self.with_limits()?;
        if self.assembly.problem.contact_count() > 0 {
            self.with_friction(late)?;
        }
        self.advance()
    }

    /// Solves again as long as contacts travel over turning bodies by more than their laws recover.
    pub fn follow_travel(&mut self, travel: &mut Travel) -> Result<(), ProblemError> {
        let Parts { model, options, touching, .. } = self.parts;
        if !Travel::applies(model, options, self.assembly, touching.points) {
            return Ok(());
        }
        for pass in 0..=travel::PASSES {
            let last = pass == travel::PASSES;
            if !travel.correct(&self.parts, self.assembly, self.solver, self.q_next, last, self.report)? {
                break;
            }
            self.again()?;
            self.advance()?;
        }
        Ok(())
    }

    /// Whether the solution is finite.
    pub fn check_finite(&mut self) -> Result<(), StepError> {
        self.timer.stage(&mut self.report.seconds.solve);
        let bad = self.solver.velocities().iter().position(|x| !x.is_finite());
        let Some(dof) = bad.or_else(|| self.q_next.iter().position(|x| !x.is_finite()).map(|_| 0)) else {
            return Ok(());
        };
        let what = format!("the velocity of joint \"{}\"", self.parts.model.joint_of(dof));
        Err(StepError::NotFinite { time: self.state.time, what, last_good: Box::new(self.state.clone()) })
    }

    /// Looks for bodies that pass through each other on the way to q⁺, and adds rows for them. Returns whether the step is solved.
    pub fn examine_motion(&mut self, sweep: &mut Sweep, pass: usize) -> Result<bool, ProblemError> {
        let Parts { model, options, kinematics, touching, dt, .. } = self.parts;
        let v = self.solver.velocities();
        let met = match options.speculative {
            true => {
                let motion = (v, &*self.q_next, dt);
                sweep.add(model, self.state, (kinematics, touching), motion, pass, self.assembly)?
            }
            false => 0,
        };
        if pass == sweep::PASSES {
            // The last ones are in no solve.
            sweep.drop_last(met);
        }
        let done = met == 0 || pass == sweep::PASSES;
        if done && (met > 0 || sweep.is_unresolved()) {
            sweep.hold_back(model, self.state, kinematics, (v, self.q_next, dt));
        }
        if !done {
            self.start.copy_from_slice(v);
        }
        self.timer.stage(&mut self.report.seconds.advance);
        self.timer.lap(|p| &mut p.advance);
        Ok(done)
    }

    /// Solves again where friction was limited by other normal forces than those just found.
    fn with_friction(&mut self, late: &mut LateFriction) -> Result<(), ProblemError> {
        for _ in 1..self.parts.calibration.friction_passes {
            self.friction_pass()?;
        }
        // A calibrated contact has the passes it was fitted with.
        if *self.parts.calibration != ContactCalibration::default() {
            return Ok(());
        }
        for _ in 0..self.parts.options.friction_passes {
            let changed = late.correct(&self.parts, self.assembly, self.solver)?;
            if changed == Changed::Nothing {
                break;
            }
            self.report.friction_passes += 1;
            if changed == Changed::Limits && !self.solver.needs_correction() {
                self.again_for_friction()?;
            } else {
                self.again()?;
            }
        }
        Ok(())
    }

    /// Solves again from the last solution.
    fn again(&mut self) -> Result<(), ProblemError> {
        self.start.copy_from_slice(self.solver.velocities());
        self.with_limits()
    }

    /// Solves the last problem again after only limits of friction changed, and with more limits of joints if the solution reaches
    /// them.
    fn again_for_friction(&mut self) -> Result<(), ProblemError> {
        let solve = self.solver.solve_for_friction(&self.assembly.problem);
        self.report.take(solve);
        self.timer.solved(solve);
        let limits = &self.parts.model.compiled().limits;
        if self.assembly.add_reached_limits(limits, self.solver.velocities())? {
            self.again()?;
        }
        Ok(())
    }

    /// Solves the problem with all limits, and again if errors of equalities need the second pass.
    fn with_limits(&mut self) -> Result<(), ProblemError> {
        self.with_rows()?;
        if self.solver.needs_correction() {
            self.assembly.problem.correct(self.solver.row_velocities(), self.solver.row_impulses());
            self.start.copy_from_slice(self.solver.velocities());
            self.with_rows()?;
            self.assembly.problem.hold();
        }
        Ok(())
    }

    /// Solves the problem, and again if the solution reaches limits without rows.
    fn with_rows(&mut self) -> Result<(), ProblemError> {
        loop {
            let solve = self.solver.solve(&self.assembly.problem, self.start)?;
            self.report.take(solve);
            self.timer.solved(solve);
            let limits = &self.parts.model.compiled().limits;
            if !self.assembly.add_reached_limits(limits, self.solver.velocities())? {
                return Ok(());
            }
            self.start.copy_from_slice(self.solver.velocities());
        }
    }

    /// Solves again with friction limited by the normal impulses just found.
    fn friction_pass(&mut self) -> Result<(), ProblemError> {
        let Assembly { problem, places, .. } = &mut *self.assembly;
        for (contact, impulse) in self.solver.contact_impulses().iter().enumerate() {
            let normal = places[contact].frame.column(2).dot(impulse);
            problem.set_lagged_impulse(contact, normal.max(0.0))?;
        }
        self.again()
    }

    /// Positions after the step, q ⊕ δt v⁺. Solves again as long as ball joints turn beyond their limits.
    fn advance(&mut self) -> Result<(), ProblemError> {
        let Parts { model, state, kinematics, dt, .. } = self.parts;
        let (limits, multibody) = (&model.compiled().limits, model.multibody());
        for pass in 0..=TURN_PASSES {
            let v = self.solver.velocities();
            multibody.integrate(&state.q, v, dt, QuaternionStep::Projected, self.q_next);
            if limits.balls.is_empty() {
                break;
            }
            let (from, v) = ((&state.q[..], &*self.q_next), (&kinematics.v[..], v, dt));
            let Assembly { problem, log, .. } = &mut *self.assembly;
            if !limits.add_turned(multibody, from, v, problem, &mut log.turned)? {
                break;
            }
            if pass == TURN_PASSES {
                self.report.converged = false;
                break;
            }
            self.again()?;
        }
        Ok(())
    }
}
