//! The momentum balance without constraints: A and p of the convex problem, and v*.
//!
//! Joint damping D, joint springs K and unlimited servos are linear in v and taken implicitly:
//!
//! ```text
//! M (v − v₀) = δt [τ − bias − K (q₀ + δt v − rest) − D v]
//! A v* = M v₀ + δt [τ − bias − K (q₀ − rest)],    A = M + δt D + δt² K
//! p = A (v* − v₀) = δt [τ − bias − K (q₀ − rest)] − (A − M) v₀
//! ```
//!
//! (`theory` section 1.) The bias, gravity and Coriolis forces, is taken at (q₀, v₀) in trees, and as the mean over the step for
//! bodies that float alone (`stiction_multibody::floating`), whose spin then keeps its energy at any speed. Limited servos are not linear; they become rows of the problem and are left out here.

use crate::actuation::Servo;
use crate::assemble::Touching;
use crate::compiled::Model;
use crate::error::{InputError, StepError};
use crate::moments::{Moments, Place};
use crate::state::State;
use crate::transmission::Link;
use nalgebra::{Vector3, Vector6};
use stiction_model::{Pose, Vec3};
use stiction_multibody::{Factor, MassMatrix, Workspace};

/// Metres or radians a step beyond which a mass matrix that cannot be factored is put down to the motion.
pub const RUNAWAY: f64 = 1e3;

/// Kinematics and free motion at the beginning of a step.
pub(crate) struct FreeMotion {
    pub workspace: Workspace,
    pub mass: MassMatrix,
    /// Poses of all bodies.
    pub x_wb: Vec<Pose>,
    /// What A has beyond M, on its diagonal.
    pub added: Vec<f64>,
    /// Impulse of everything but constraints, A (v* − v₀); zero where a joint is locked.
    pub applied: Vec<f64>,
    /// Free velocities v*.
    pub v_star: Vec<f64>,
    /// Previous velocities, zero where a joint is locked.
    pub v0: Vec<f64>,
    /// Lengths and moment arms of the tendons.
    pub tendons: Moments,
    /// Lengths and moment arms of the actuators.
    pub drives: Moments,
    /// The law of each actuator over the step.
    pub servos: Vec<Servo>,
    /// For each coupling how fast the bodies' points and turns part while no joint accelerates, m/s² and rad/s²; nought for
    /// those of joints and tendons.
    pub bends: Vec<[f64; 2]>,
    factor: Factor,
    scratch: Vec<f64>,
}

impl FreeMotion {
    pub fn new(model: &Model) -> Self {
        let (multibody, compiled) = (model.multibody(), model.compiled());
        let nv = multibody.nv();
        Self {
            workspace: Workspace::new(multibody),
            mass: MassMatrix::new(multibody),
            x_wb: vec![Pose::identity(); multibody.body_count()],
            added: vec![0.0; nv],
            applied: vec![0.0; nv],
            v_star: vec![0.0; nv],
            v0: vec![0.0; nv],
            tendons: Moments::new(&compiled.tendons.pattern),
            drives: compiled.drives.moments(multibody),
            servos: vec![Servo::default(); compiled.drives.drives.len()],
            bends: vec![[0.0; 2]; compiled.world.equalities.len()],
            factor: Factor::new(multibody),
            scratch: vec![0.0; nv],
        }
    }

    /// Poses, velocities, mass matrix, tendons and transmissions at `state`.
    pub fn kinematics(&mut self, model: &Model, state: &State) {
        let multibody = model.multibody();
        for (k, mocap) in state.mocap.iter().enumerate() {
            self.workspace.set_mocap(k, &mocap.pose, &Vector6::from(mocap.twist));
        }
        self.v0.copy_from_slice(&state.v);
        for (v, &locked) in self.v0.iter_mut().zip(multibody.locked()) {
            if locked {
                *v = 0.0;
            }
        }
        multibody.positions(&state.q, &mut self.workspace);
        multibody.velocities(&self.v0, &mut self.workspace);
        multibody.mass_matrix(&mut self.workspace, &mut self.mass);
        for (body, pose) in self.x_wb.iter_mut().enumerate() {
            *pose = multibody.pose(&self.workspace, body);
        }
        let compiled = model.compiled();
        let place = Place { compiled, state, workspace: &self.workspace, x_wb: &self.x_wb };
        compiled.links(&place, &mut self.tendons, &mut self.drives);
        if compiled.tendons.heavy {
            compiled.tendons.drifts(
                &compiled.world,
                multibody,
                &self.x_wb,
                &mut self.workspace,
                &mut self.tendons,
            );
        }
        if compiled.world.equalities.iter().any(|e| e.bodies().is_some()) {
            self.scratch.fill(0.0);
            multibody.accelerations(&self.scratch, &mut self.workspace);
            for (k, equality) in compiled.world.equalities.iter().enumerate() {
                let Some([(a, p_a), (b, p_b)]) = equality.bodies() else { continue };
                let (a, b) = (self.drift(model, a, &p_a), self.drift(model, b, &p_b));
                // Two frames that turn about different axes also part at ω_a × ω_b.
                self.bends[k] = [(b.0 - a.0).norm(), (b.1 - a.1).norm() + b.2.cross(&a.2).norm()];
            }
        }
    }

    /// Acceleration of a point (in its body's frame), angular acceleration and angular velocity of the body, as last set.
    fn drift(
        &self,
        model: &Model,
        body: usize,
        point: &Vector3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
        let part = |x: &Vector6<f64>, at: usize| -> Vector3<f64> { x.fixed_rows::<3>(at).into() };
        let twist = model.multibody().twist(&self.workspace, body);
        let acceleration = model.multibody().acceleration(&self.workspace, body);
        let (w, alpha, arm) = (part(&twist, 0), part(&acceleration, 0), self.x_wb[body].rotation * point);
        (part(&acceleration, 3) + alpha.cross(&arm) + w.cross(&w.cross(&arm)), alpha, w)
    }

    /// What A has beyond M, and in `v_star` the generalised forces but for limited servos; without Coriolis forces and
    /// gravity if not `with_bias`.
    pub fn forces(&mut self, model: &Model, state: &State, dt: f64, touching: Touching, with_bias: bool) {
        let (multibody, drives) = (model.multibody(), &model.compiled().drives.drives);
        let rest = multibody.damping().iter().zip(multibody.stiffness());
        for (added, (damping, stiffness)) in self.added.iter_mut().zip(rest) {
            *added = dt * (damping + dt * stiffness);
        }
        let force = &mut self.v_star;
        force.fill(0.0);
        if with_bias {
            multibody.mean_bias(&mut self.workspace, &self.v0, dt, force);
        }
        multibody.spring_forces(&state.q, &mut self.scratch);
        for ((f, spring), applied) in force.iter_mut().zip(&self.scratch).zip(&state.applied) {
            *f = applied + spring - *f;
        }
        multibody.add_gravity_compensation(&mut self.workspace, force);
        for (row, (drive, &ctrl)) in drives.iter().zip(&state.ctrl).enumerate() {
            let (length, rate) = (self.drives.lengths[row], self.drives.rate(row, &self.v0));
            let servo = drive.servo(length, rate, drive.input(ctrl, &state.activation, dt));
            self.servos[row] = servo;
            let arms = self.drives.row(row);
            if let Link::Adhesion { body, gear } = drive.link {
                let pull = gear * servo.force.clamp(drive.force_range[0], drive.force_range[1]);
                touching.adhere(model.compiled(), &self.workspace, body, pull, force);
            } else if drive.needs_row(&servo, arms.len()) {
                // The middle of the range is a constant; the row carries the rest (see `assemble`).
                let middle =
                    if drive.limited() { 0.5 * (drive.force_range[0] + drive.force_range[1]) } else { 0.0 };
                arms.iter().for_each(|&(i, arm)| force[i] += arm * middle);
            } else {
                let slope = dt * servo.proportional + servo.derivative;
                for &(i, arm) in arms {
                    force[i] += arm * (servo.force - slope * self.drives.biases[row]);
                    self.added[i] += arm * arm * dt * slope;
                }
            }
        }
    }

    /// A's diagonal part and v*, for a step of `dt` in which these things touch.
    pub fn solve(
        &mut self,
        model: &Model,
        state: &State,
        dt: f64,
        touching: Touching,
    ) -> Result<(), StepError> {
        // v_star collects the force first, then the momentum, then the velocity.
        self.forces(model, state, dt, touching, true);
        // A (v* − v₀) = δt f − (A − M) v₀.
        for (i, &locked) in model.multibody().locked().iter().enumerate() {
            self.applied[i] = if locked { 0.0 } else { dt * self.v_star[i] - self.added[i] * self.v0[i] };
        }
        self.mass.multiply(&self.v0, &mut self.scratch);
        for (f, momentum) in self.v_star.iter_mut().zip(&self.scratch) {
            *f = momentum + dt * *f;
        }
        if !self.factor.compute(&self.mass, &self.added) {
            // What has run away overflows here first; no mass or armature would help.
            if let Some(dof) = self.v0.iter().position(|v| v.abs() * dt > RUNAWAY) {
                let (joint, speed) = (model.joint_of(dof), self.v0[dof].abs());
                let what =
                    format!("joint \"{joint}\" had reached {speed:.1e} m/s or rad/s, too fast for its step");
                return Err(StepError::NotFinite {
                    time: state.time,
                    what,
                    last_good: Box::new(state.clone()),
                });
            }
            let pivots = self.factor.inverse_diagonal();
            let dof = pivots.iter().position(|d| !(d.is_finite() && *d > 0.0)).unwrap_or(0);
            return Err(InputError::Singular { dof, joint: model.joint_of(dof) }.into());
        }
        self.factor.solve(&mut self.v_star);
        Ok(())
    }

    /// Motion of body B relative to body A at the beginning of the step, prescribed motion of the bodies
    /// included: velocity at the world's origin, and angular velocity, world axes.
    pub fn relative_twist(&self, model: &Model, bodies: (u32, u32)) -> (Vec3, Vec3) {
        let multibody = model.multibody();
        let at_origin = |body: u32| {
            let twist = multibody.twist(&self.workspace, body as usize);
            let angular: Vec3 = twist.fixed_rows::<3>(0).into();
            let linear: Vec3 = twist.fixed_rows::<3>(3).into();
            (linear - angular.cross(&multibody.origin(&self.workspace, body as usize)), angular)
        };
        let (a, b) = (at_origin(bodies.0), at_origin(bodies.1));
        (b.0 - a.0, b.1 - a.1)
    }
}
