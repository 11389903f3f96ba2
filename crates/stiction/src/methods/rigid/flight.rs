//! Event-driven rigid motion of a few bodies up to the next impact.
//!
//! Between impacts, contacts persist or separate: a step solves their friction problem (`stiction_rigid::friction`)
//! at the velocities of free motion. A new contact with more than a small approach speed is an impact. Its time is
//! found by bisection, and the motion stops there, before the impact is resolved. All contacts within the tolerance
//! take part in the impact.

use super::arrival::arrival;
use super::touching::{RigidContactError, RigidContacts, TouchKind, Touching};
use crate::contact::patches::PatchSet;
use crate::contact::query::Touching as Near;
use crate::error::StepError;
use crate::methods::support::{MethodKind, refusal};
use crate::model::Model;
use crate::options::Options;
use crate::state::State;
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::Kinematics;
use nalgebra::DVector;
use stiction_multibody::QuaternionStep;
use stiction_rigid::{FrictionShape, solve_friction};

/// Cross-sections of the friction cone. If pivoting fails with one, the next one is tried.
const SHAPES: [FrictionShape; 4] = [
    FrictionShape::Polygon(16),
    FrictionShape::Polygon(12),
    FrictionShape::Polygon(8),
    FrictionShape::Pyramid,
];

/// Maximum number of contacts in a step. Pivoting takes seconds beyond it.
const MOST: usize = 12;

/// Settings of the motion between impacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlightOptions {
    /// Length of a step, s.
    pub step: f64,
    /// Distance at which bodies touch, m.
    pub touch: f64,
    /// Approach speed above which a new contact is an impact, m/s. Slower contacts close without an impact.
    pub speed: f64,
}

impl Default for FlightOptions {
    fn default() -> Self {
        Self { step: 1e-3, touch: 1e-6, speed: 0.02 }
    }
}

/// Rigid motion of a model.
pub struct Flight {
    model: Model,
    options: FlightOptions,
    contacts: RigidContacts,
    kinematics: Kinematics,
    free: FreeMotion,
    next: Vec<f64>,
}

impl Flight {
    /// Creates the motion of a model.
    pub fn new(model: &Model, options: FlightOptions) -> Result<Self, RigidContactError> {
        model.check_rigid(options.touch)?;
        for (what, value) in [("step", options.step), ("speed", options.speed)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(RigidContactError::Option { what, value, allowed: "a positive number" });
            }
        }
        if let Some(reason) = refusal(model.world(), &Options::default(), MethodKind::Rigid) {
            return Err(RigidContactError::Unsupported(reason));
        }
        Ok(Self {
            model: model.clone(),
            options,
            contacts: RigidContacts::new(model),
            kinematics: Kinematics::new(model.compiled()),
            free: FreeMotion::new(model),
            next: vec![0.0; model.nq()],
        })
    }

    /// Advances `state` to the next impact and returns the contacts there, or `None` if `end` (s) is reached first.
    /// The velocities of `state` are those before the impact. Replace them with the velocities after the impact to
    /// continue.
    pub fn next_impact(
        &mut self,
        state: &mut State,
        end: f64,
    ) -> Result<Option<Touching>, RigidContactError> {
        self.model.check_state(state)?;
        loop {
            let touching = self.touching_now(state)?;
            if self.approaches(&touching) {
                return Ok(Some(touching));
            }
            let left = end - state.time;
            if left <= 1e-12 * end.abs().max(1e-3) {
                return Ok(None);
            }
            self.step(state, &touching, self.options.step.min(left))?;
        }
    }

    fn touching_now(&mut self, state: &State) -> Result<Touching, RigidContactError> {
        self.contacts.touching(&self.model, state, (&state.q, &state.v), self.options.touch)
    }

    fn approaches(&self, touching: &Touching) -> bool {
        let u = touching.instant.contact_velocity();
        (0..touching.kinds.len()).any(|c| u[3 * c + 2] < -self.options.speed)
    }

    /// One step, shortened to the first impact in it.
    fn step(&mut self, state: &mut State, touching: &Touching, dt: f64) -> Result<(), RigidContactError> {
        self.kinematics.at(self.model.compiled(), state);
        self.free.begin(&self.model, &mut self.kinematics);
        // Only adhesion depends on contacts, and it is not supported here.
        let nothing = Near { points: &[], patches: &PatchSet::default() };
        let gathered = self.free.gather(&self.model, state, &mut self.kinematics, nothing, dt);
        gathered.map_err(|e| match e {
            StepError::Input(error) => RigidContactError::Input(error),
            other => RigidContactError::Contact { time: state.time, reason: other.to_string() },
        })?;
        let mut v_free = DVector::zeros(self.model.nv());
        self.free.velocities(&self.kinematics, v_free.as_mut_slice());
        let v = if touching.kinds.is_empty() {
            v_free
        } else if touching.kinds.len() > MOST {
            let reason =
                format!("{} contacts touch, and pivoting takes {MOST} at most", touching.kinds.len());
            return Err(RigidContactError::Contact { time: state.time, reason });
        } else {
            let instant = touching.instant.clone().with_velocity(v_free)?;
            let mut problem = instant.friction_problem(SHAPES[0]);
            // Overlap is corrected over several steps. A gap may close.
            for (c, kind) in touching.kinds.iter().enumerate() {
                if let TouchKind::Point { contact, .. } = kind {
                    let share = if contact.distance < 0.0 { 0.2 } else { 1.0 };
                    problem.velocity[3 * c + 2] += share * contact.distance / dt;
                }
            }
            let mut solution = solve_friction(&problem);
            for shape in &SHAPES[1..] {
                if solution.is_err() {
                    problem.shape = *shape;
                    solution = solve_friction(&problem);
                }
            }
            let solution = solution
                .map_err(|e| RigidContactError::Contact { time: state.time, reason: e.to_string() })?;
            instant.velocity_after(&solution.impulse)
        };
        let mut length = dt;
        if self.hits(state, &v, dt)? {
            length = arrival(dt, |h| self.hits(state, &v, h))?;
        }
        self.integrate(state, &v, length);
        state.q.copy_from_slice(&self.next);
        state.v.copy_from_slice(v.as_slice());
        state.time += length;
        Ok(())
    }

    fn integrate(&mut self, state: &State, v: &DVector<f64>, dt: f64) {
        let how = QuaternionStep::Exponential;
        self.model.multibody().integrate(&state.q, v.as_slice(), dt, how, &mut self.next);
    }

    /// Whether a contact after `dt` has more than the approach speed of an impact.
    fn hits(&mut self, state: &State, v: &DVector<f64>, dt: f64) -> Result<bool, RigidContactError> {
        self.integrate(state, v, dt);
        let next = std::mem::take(&mut self.next);
        // Half the tolerance, so that these contacts are within the full tolerance.
        let at = (next.as_slice(), v.as_slice());
        let touching = self.contacts.touching(&self.model, state, at, 0.5 * self.options.touch);
        self.next = next;
        Ok(self.approaches(&touching?))
    }
}
