//! The momentum balance without constraints and contact: A and p of the convex problem, the third stage of a step.
//!
//! Joint damping D, joint springs K and unlimited servos are linear in v and implicit:
//!
//! ```text
//! M (v − v₀) = δt [τ − bias − K (q₀ + δt v − rest) − D v]
//! A (v − v₀) = p,    A = M + δt D + δt² K,    p = δt [τ − bias − K (q₀ − rest)] − (A − M) v₀
//! ```
//!
//! (`theory` section 1.) The contribution of each force to A and τ is in its own file ([`crate::forces`]). Laws that
//! are not linear in v become rows of the problem.

use crate::contact::query::Touching;
use crate::error::{InputError, StepError};
use crate::forces::actuators::Servo;
use crate::forces::{self, At, Force, Implicit};
use crate::model::Model;
use crate::state::State;
use crate::step::kinematics::Kinematics;
use crate::step::not_finite;
use stiction_multibody::{Factor, MassMatrix};

/// Displacement per step, m or rad, above which a failed factorisation of the mass matrix is attributed to the
/// motion.
pub const RUNAWAY: f64 = 1e3;

/// Speeds and impulses beyond this have no finite energy.
const OVERFLOW: f64 = 1e150;

/// Forces and free motion of a step.
pub(crate) struct FreeMotion {
    pub mass: MassMatrix,
    /// Diagonal of A − M.
    pub added: Vec<f64>,
    /// Impulse p of all forces except constraints and contact, N s or N m s; zero for locked joints.
    pub impulse: Vec<f64>,
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
            impulse: vec![0.0; nv],
            servos: vec![Servo::default(); model.compiled().drives.drives.len()],
            factor: Factor::new(multibody),
            scratch: vec![0.0; nv],
        }
    }

    /// The mass matrix, which does not depend on the length of the step.
    pub fn begin(&mut self, model: &Model, kinematics: &mut Kinematics) {
        model.multibody().mass_matrix(&mut kinematics.workspace, &mut self.mass);
    }

    /// Computes the diagonal of A − M, and in `impulse` the generalised forces of the forces selected by `which`.
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
        self.impulse.fill(0.0);
        let compiled = model.compiled();
        let mut at = At { compiled, state, q: &state.q, kinematics, stiction_tolerance: 0.0 };
        let Self { added, impulse, servos, scratch, .. } = self;
        let mut step = Implicit { dt, added, force: impulse, servos, touching, scratch };
        for force in forces::all().into_iter().filter(|f| which(*f)) {
            force.implicit(&mut at, &mut step);
        }
    }

    /// A's diagonal part and p, for a step of `dt` with these contacts. Fails if a coordinate has no inertia or
    /// damping.
    pub fn gather(
        &mut self,
        model: &Model,
        state: &State,
        kinematics: &mut Kinematics,
        touching: Touching,
        dt: f64,
    ) -> Result<(), StepError> {
        for force in forces::all() {
            force.check(model.compiled(), kinematics)?;
        }
        self.gather_forces(model, state, kinematics, touching, dt, |_| true);
        let v0 = &kinematics.v;
        for (i, &locked) in model.multibody().locked().iter().enumerate() {
            self.impulse[i] = if locked { 0.0 } else { dt * self.impulse[i] - self.added[i] * v0[i] };
        }
        let overflows = |x: &f64| x.is_nan() || x.abs() >= OVERFLOW;
        if let Some(dof) = v0.iter().zip(&self.impulse).position(|(v, p)| overflows(v) || overflows(p)) {
            let what = format!("the force on joint \"{}\" is too large for its square", model.joint_of(dof));
            return Err(not_finite(model, kinematics, self, dt, state, &what));
        }
        if self.factor.compute(&self.mass, &self.added) {
            return Ok(());
        }
        // A diverged state overflows here first. More mass or armature would not help.
        if v0.iter().any(|v| v.abs() * dt > RUNAWAY) {
            return Err(not_finite(model, kinematics, self, dt, state, &"the mass matrix"));
        }
        let pivots = self.factor.inverse_diagonal();
        let dof = pivots.iter().position(|d| !(d.is_finite() && *d > 0.0)).unwrap_or(0);
        Err(InputError::Singular { dof, joint: model.joint_of(dof) }.into())
    }

    /// The velocities v* = v₀ + A⁻¹ p at the end of a step without constraints and contact.
    pub fn velocities(&self, kinematics: &Kinematics, out: &mut [f64]) {
        out.copy_from_slice(&self.impulse);
        self.factor.solve(out);
        out.iter_mut().zip(&kinematics.v).for_each(|(v, v0)| *v += v0);
    }

    /// Solves A x = b in place, with A of the last step.
    pub fn solve(&self, x: &mut [f64]) {
        self.factor.solve(x);
    }
}
