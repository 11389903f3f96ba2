//! Restitution: impacts of contact points whose material asks for one, as jumps of velocity at the beginning of a step.
//!
//! ```text
//! w       ½ (v₀ + v*): the velocity at the time of the positions; v* the free motion of the step
//! repeat  S   contacts that touch, or would within the step, and approach faster than their threshold
//!         w⁺  min ½ (w⁺ − w)ᵀ A (w⁺ − w)  with  J_n w⁺ ≥ −e J_n w  and friction for S alone
//! until   S is empty
//! step    from v₀ + w⁺ − w in place of v₀
//! ```
//!
//! A contact takes part only while it approaches, so impacts travel through bodies that touch one after the other, as in
//! Newton's cradle. The work of a contact's impulse is γ (u + u⁺)/2, u its relative velocity: with u⁺ = −e u < 0 it is −γ_n (1 − e)|u|/2
//! along every normal of S, whatever restitutions meet. So impacts without friction never add energy, and with e = 1 they
//! keep it. Friction that reverses slip can make the sum positive; then the restitutions of S are scaled down until it is not,
//! which their zero guarantees, because the problem is then dissipative.
//!
//! Half of the step's free motion belongs before the positions and half after them: a ball with e = 1 leaves with the velocity
//! at which it came, and ½ v² + g z − ½ g δt v, the energy that symplectic steps keep, stays the same.
//!
//! Threshold: a body at rest approaches with half of what the step adds. An approach of less than twice the free change of
//! velocity of the contact, of gravity alone, or of the stiction tolerance, is no impact.

use crate::model::Compiled;
use crate::state::State;
use crate::step::assemble::Assembly;
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::Kinematics;
use crate::step::report::StepReport;
use nalgebra::Vector3;
use stiction_convex::{Bounce, ContactSettings, Problem, ProblemError, Solver, SolverSettings};

/// Largest number of impacts of a step one after the other; what still approaches is stopped without a bounce.
const MOST: usize = 100;

/// Solves of one impact in which friction learns the normal impulses.
const FRICTION_PASSES: usize = 3;

/// Halvings of restitutions that would add energy, before they are zero.
const HALVINGS: usize = 5;

/// Threshold over the change of velocity that a step brings.
pub(crate) const REST: f64 = 2.0;

/// Restitution of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Restitution {
    /// e.
    pub coefficient: f64,
    /// Approach up to which there is none, m/s.
    pub threshold: f64,
    /// The distance at the beginning of the step, m.
    pub distance: f64,
}

/// The least approach of an impact under gravity; bodies slower than the stiction tolerance count as at rest.
pub(crate) fn resting_speed(compiled: &Compiled, settings: &ContactSettings, dt: f64) -> f64 {
    (REST * compiled.world.options.gravity.norm() * dt).max(settings.stiction_tolerance)
}

/// Memory of the impacts of a step.
pub(crate) struct Impact {
    problem: Problem,
    solver: Solver,
    w: Vec<f64>,
    start: Vec<f64>,
    bounces: Vec<Bounce>,
    /// Velocity after the impact and friction coefficient of each bounce.
    laws: Vec<(f64, f64)>,
    at_start: Vec<Vector3<f64>>,
    free: Vec<Vector3<f64>>,
    before: Vec<Vector3<f64>>,
    after: Vec<Vector3<f64>>,
    /// The state after the impacts.
    pub state: State,
    /// The kinematics are those of this state.
    pub moved: bool,
    /// Energy that friction and normal impulses took, J.
    pub loss: [f64; 2],
    /// Impulses of the impacts on each contact of the step's problem; empty if there were none.
    pub impulses: Vec<Vector3<f64>>,
}

impl Impact {
    pub fn new() -> Self {
        let settings = SolverSettings { relative_tolerance: 1e-9, ..SolverSettings::default() };
        Self {
            problem: Problem::new(1e-3, ContactSettings::default()).expect("a step that is allowed"),
            solver: Solver::new(settings).expect("settings that are allowed"),
            w: Vec::new(),
            start: Vec::new(),
            bounces: Vec::new(),
            laws: Vec::new(),
            at_start: Vec::new(),
            free: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            state: State::empty(0.0),
            moved: false,
            loss: [0.0; 2],
            impulses: Vec::new(),
        }
    }

    /// Forgets the impacts of the last step.
    pub fn clear(&mut self) {
        self.impulses.clear();
        self.loss = [0.0; 2];
    }

    /// Finds the impacts at the beginning of a step. Returns whether there were any; `state` then is the state after them.
    pub fn apply(
        &mut self,
        compiled: &Compiled,
        kinematics: &Kinematics,
        free: &FreeMotion,
        assembly: &Assembly,
        state: &State,
        report: &mut StepReport,
    ) -> Result<bool, ProblemError> {
        self.impulses.clear();
        self.loss = [0.0; 2];
        if assembly.places.iter().all(|place| place.restitution.is_none()) {
            return Ok(false);
        }
        let (v0, dt) = (&kinematics.v, assembly.problem.time_step());
        self.w.resize(v0.len(), 0.0);
        free.velocities(kinematics, &mut self.w);
        assembly.problem.contact_velocities(v0, &mut self.at_start);
        assembly.problem.contact_velocities(&self.w, &mut self.free);
        self.w.iter_mut().zip(v0).for_each(|(w, v)| *w = 0.5 * (*w + v));
        self.start.clone_from(&self.w);
        let rest = resting_speed(compiled, assembly.problem.settings(), dt);
        for _ in 0..MOST {
            assembly.problem.contact_velocities(&self.w, &mut self.before);
            self.bounces.clear();
            self.laws.clear();
            for (contact, place) in assembly.places.iter().enumerate() {
                let Some(law) = place.restitution else { continue };
                let n = place.frame.column(2);
                let approach = -n.dot(&self.before[contact]);
                let change = REST * n.dot(&(self.free[contact] - self.at_start[contact])).abs();
                if approach > law.threshold.max(rest).max(change) && law.distance < dt * approach {
                    let target = law.coefficient * approach;
                    self.bounces.push(Bounce { contact, target, friction: 0.0 });
                    self.laws.push((target, place.friction));
                }
            }
            if self.bounces.is_empty() {
                break;
            }
            self.impulses.resize(assembly.places.len(), Vector3::zeros());
            self.once(assembly)?;
            report.impacts += self.bounces.len() as u64;
        }
        if self.impulses.is_empty() {
            return Ok(false);
        }
        self.state.copy_from(state);
        for (i, v) in self.state.v.iter_mut().enumerate() {
            *v += self.w[i] - self.start[i];
        }
        self.moved = true;
        Ok(true)
    }

    /// The contacts that took part have come to rest or move apart.
    pub fn rest(&self, assembly: &mut Assembly) {
        let bounced = self.impulses.iter().enumerate().filter(|(_, p)| **p != Vector3::zeros());
        bounced.for_each(|(contact, _)| assembly.problem.rest_contact(contact));
    }

    /// One impact of the present bounces.
    fn once(&mut self, assembly: &Assembly) -> Result<(), ProblemError> {
        let mut scale = 1.0;
        for halving in 0..=HALVINGS {
            let last = halving == HALVINGS;
            self.bounces.iter_mut().zip(&self.laws).for_each(|(bounce, (target, _))| {
                bounce.target = if last { 0.0 } else { scale * target };
                bounce.friction = 0.0;
            });
            let rubs = self.laws.iter().any(|(_, mu)| *mu > 0.0);
            for _ in 0..if rubs { 1 + FRICTION_PASSES } else { 1 } {
                assembly.problem.impact(&self.w, &self.bounces, &mut self.problem);
                self.solver.solve(&self.problem, &self.w)?;
                for (i, (bounce, (_, mu))) in self.bounces.iter_mut().zip(&self.laws).enumerate() {
                    bounce.friction = if *mu > 0.0 { self.solver.row_impulses()[i].max(0.0) } else { 0.0 };
                }
            }
            if !rubs || last || self.work(assembly) <= 0.0 {
                break;
            }
            scale *= 0.5;
        }
        assembly.problem.contact_velocities(self.solver.velocities(), &mut self.after);
        for i in 0..self.bounces.len() {
            let (impulse, contact) = (self.impulse(assembly, i), self.bounces[i].contact);
            let n = assembly.places[contact].frame.column(2).into_owned();
            let mean = 0.5 * (self.before[contact] + self.after[contact]);
            let friction = impulse - n * n.dot(&impulse);
            let rubbed = f64::max(-friction.dot(&mean), -friction.dot(&self.after[contact]));
            self.loss[0] += rubbed;
            self.loss[1] -= impulse.dot(&mean) + rubbed;
            self.impulses[contact] += impulse;
        }
        self.w.copy_from_slice(self.solver.velocities());
        Ok(())
    }

    /// Impulse of a bounce in the last solve.
    fn impulse(&self, assembly: &Assembly, bounce: usize) -> Vector3<f64> {
        let n = assembly.places[self.bounces[bounce].contact].frame.column(2).into_owned();
        n * self.solver.row_impulses()[bounce] + self.solver.contact_impulses()[bounce]
    }

    /// Work of the impulses, J.
    fn work(&mut self, assembly: &Assembly) -> f64 {
        assembly.problem.contact_velocities(self.solver.velocities(), &mut self.after);
        let mean = |contact: usize| 0.5 * (self.before[contact] + self.after[contact]);
        (0..self.bounces.len()).map(|i| self.impulse(assembly, i).dot(&mean(self.bounces[i].contact))).sum()
    }
}
