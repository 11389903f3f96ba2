//! Event-driven rigid motion of a few bodies: on to the next impact.
//!
//! Between impacts contacts that touch keep touching or come apart: a step solves the friction problem over them
//! (`stiction_rigid::friction`), at the velocities of free motion. A contact that arrives with more than a small speed
//! is an impact: its time is found by bisection, and the motion stops there, before anything has been done about it.
//! Everything that then touches within the tolerance takes part.

use super::touching::{RigidContactError, RigidContacts, TouchKind, Touching};
use crate::contact::patches::PatchSet;
use crate::contact::query::Touching as Near;
use crate::error::StepError;
use crate::methods::support::{MethodKind, refusal};
use crate::model::Model;
use crate::state::State;
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::Kinematics;
use nalgebra::DVector;
use stiction_multibody::QuaternionStep;
use stiction_rigid::{FrictionShape, solve_friction};

/// Cross-sections of the friction cone: where pivoting fails with one, the next is tried.
const SHAPES: [FrictionShape; 4] = [
    FrictionShape::Polygon(16),
    FrictionShape::Polygon(12),
    FrictionShape::Polygon(8),
    FrictionShape::Pyramid,
];

/// Contacts that a step takes at most: pivoting takes seconds beyond.
const MOST: usize = 12;

/// How motion between impacts is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlightOptions {
    /// Length of a step, s.
    pub step: f64,
    /// Distance at which bodies touch, m.
    pub touch: f64,
    /// Approach speed from which on an arriving contact is an impact, m/s; slower ones just close.
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
    /// Makes ready to move a model.
    pub fn new(model: &Model, options: FlightOptions) -> Result<Self, RigidContactError> {
        model.check_rigid(options.touch)?;
        for (what, value) in [("step", options.step), ("speed", options.speed)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(RigidContactError::Option { what, value, allowed: "a positive number" });
            }
        }
        if let Some(reason) = refusal(model.world(), MethodKind::Rigid) {
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

    /// Moves `state` on until something hits something, and returns what touches there; none if `end` (s) comes first.
    /// The velocities of `state` are then those before the impact: give it others to go on.
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
        // Only adhesion asks what touches, and it is not supported here.
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
            // Overlap is worked off over some steps; a gap may close.
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
        let mut share = 1.0;
        if self.hits(state, &v, dt)? {
            // The first moment at which something arrives, to the last bit that matters.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if self.hits(state, &v, middle * dt)? { high = middle } else { low = middle }
            }
            share = high;
        }
        self.integrate(state, &v, share * dt);
        state.q.copy_from_slice(&self.next);
        state.v.copy_from_slice(v.as_slice());
        state.time += share * dt;
        Ok(())
    }

    fn integrate(&mut self, state: &State, v: &DVector<f64>, dt: f64) {
        let how = QuaternionStep::Exponential;
        self.model.multibody().integrate(&state.q, v.as_slice(), dt, how, &mut self.next);
    }

    /// Whether, `dt` later, something touches that approaches at more than the speed of an impact.
    fn hits(&mut self, state: &State, v: &DVector<f64>, dt: f64) -> Result<bool, RigidContactError> {
        self.integrate(state, v, dt);
        let next = std::mem::take(&mut self.next);
        // Half the tolerance: what arrives there touches within the whole of it.
        let at = (next.as_slice(), v.as_slice());
        let touching = self.contacts.touching(&self.model, state, at, 0.5 * self.options.touch);
        self.next = next;
        Ok(self.approaches(&touching?))
    }
}
