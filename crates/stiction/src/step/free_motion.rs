//! The momentum balance without constraints and contact: A and v* of the convex problem, the third value of a step.
//!
//! Joint damping D, joint springs K and unlimited servos are linear in v and taken implicitly:
//!
//! ```text
//! M (v − v₀) = δt [τ − bias − K (q₀ + δt v − rest) − D v]
//! A v* = M v₀ + δt [τ − bias − K (q₀ − rest)],    A = M + δt D + δt² K
//! ```
//!
//! (`theory` section 1.) What each force adds to A and to τ is in its own file ([`crate::forces`]); laws that are not linear in v
//! become rows of the problem instead.

use crate::contact::query::Touching;
use crate::error::{InputError, StepError};
use crate::forces::actuators::Servo;
use crate::forces::{self, At, Force, Implicit};
use crate::model::Model;
use crate::state::State;
use crate::step::kinematics::Kinematics;
use stiction_multibody::{Factor, MassMatrix};

/// Metres or radians a step beyond which a mass matrix that cannot be factored is put down to the motion.
pub const RUNAWAY: f64 = 1e3;

/// Forces and free motion of a step.
pub(crate) struct FreeMotion {
    pub mass: MassMatrix,
    /// What A has beyond M, on its diagonal.
    pub added: Vec<f64>,
    /// Free velocities v*.
    pub v_star: Vec<f64>,
    /// The law of each actuator over the step.
    pub servos: Vec<Servo>,
    factor: Factor,
    scratch: Vec<f64>,
}

impl FreeMotion {
    pub fn new(model: &Model) -> Self {
        let multibody = model.multibody();
        let nv = multibody.nv();
        Self {
            mass: MassMatrix::new(multibody),
            added: vec![0.0; nv],
            v_star: vec![0.0; nv],
            servos: vec![Servo::default(); model.compiled().drives.drives.len()],
            factor: Factor::new(multibody),
            scratch: vec![0.0; nv],
        }
    }

    /// The mass matrix: what does not depend on the length of the step.
    pub fn begin(&mut self, model: &Model, kinematics: &mut Kinematics) {
        model.multibody().mass_matrix(&mut kinematics.workspace, &mut self.mass);
    }

    /// What A has beyond M, and in `v_star` the generalised forces of the forces that `which` lets pass.
    pub fn gather_forces(
        &mut self,
        model: &Model,
        state: &State,
        kinematics: &mut Kinematics,
        touching: Touching,
        dt: f64,
        which: impl Fn(&dyn Force) -> bool,
    ) {
        self.added.fill(0.0);
        self.v_star.fill(0.0);
        let compiled = model.compiled();
        let mut at = At { compiled, state, q: &state.q, kinematics, stiction_tolerance: 0.0 };
        let Self { added, v_star, servos, scratch, .. } = self;
        let mut step = Implicit { dt, added, force: v_star, servos, touching, scratch };
        for force in forces::all().into_iter().filter(|f| which(*f)) {
            force.implicit(&mut at, &mut step);
        }
    }

    /// A's diagonal part and v*, for a step of `dt` in which these things touch.
    pub fn gather(
        &mut self,
        model: &Model,
        state: &State,
        kinematics: &mut Kinematics,
        touching: Touching,
        dt: f64,
    ) -> Result<&Self, StepError> {
        for force in forces::all() {
            force.check(model.compiled(), kinematics)?;
        }
        // v_star collects the force first, then the momentum, then the velocity.
        self.gather_forces(model, state, kinematics, touching, dt, |_| true);
        let v0 = &kinematics.v;
        self.mass.multiply(v0, &mut self.scratch);
        for (f, momentum) in self.v_star.iter_mut().zip(&self.scratch) {
            *f = momentum + dt * *f;
        }
        if !self.factor.compute(&self.mass, &self.added) {
            // What has run away overflows here first; no mass or armature would help.
            if let Some(dof) = v0.iter().position(|v| v.abs() * dt > RUNAWAY) {
                let (joint, speed) = (model.joint_of(dof), v0[dof].abs());
                let what =
                    format!("joint \"{joint}\" had reached {speed:.1e} m/s or rad/s, too fast for its step");
                let last_good = Box::new(state.clone());
                return Err(StepError::NotFinite { time: state.time, what, last_good });
            }
            let pivots = self.factor.inverse_diagonal();
            let dof = pivots.iter().position(|d| !(d.is_finite() && *d > 0.0)).unwrap_or(0);
            return Err(InputError::Singular { dof, joint: model.joint_of(dof) }.into());
        }
        self.factor.solve(&mut self.v_star);
        Ok(self)
    }
}
