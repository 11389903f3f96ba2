//! What acts on joints: springs, damping, gravity compensation, actuators, dry friction, limits, applied forces.
//!
//! All of it is honoured as a force that is a function of state. A limit with a stiffness pushes with k x; one without, which
//! the discrete method makes near-rigid, is given the stiffness that lets the joint's own inertia bounce off in
//! [`LIMIT_TIME`], and dissipation. Couplings between joints or bodies (equalities) are refused when a simulation is made.

use crate::model::{Compiled, Model};
use crate::state::State;
use nalgebra::{Unit, UnitQuaternion};
use stiction_multibody::{MassMatrix, Workspace};

/// Half a period of a joint's own inertia on its limit where the model gives no stiffness, s.
pub const LIMIT_TIME: f64 = 5e-3;

/// Dissipation of such a limit, s/m or s/rad.
const LIMIT_DISSIPATION: f64 = 2.0;

/// Stiffness and dissipation of a limit.
#[derive(Clone, Copy)]
struct LimitLaw {
    stiffness: f64,
    dissipation: f64,
}

impl LimitLaw {
    /// Force at depth `x` (m or rad) that grows at `rate`.
    fn force(&self, x: f64, rate: f64) -> f64 {
        if x > 0.0 { self.stiffness * x * (1.0 + self.dissipation * rate).max(0.0) } else { 0.0 }
    }
}

/// Joint forces other than contact.
pub(crate) struct JointForces {
    limits: Vec<LimitLaw>,
    ball_limits: Vec<LimitLaw>,
}

impl JointForces {
    pub fn new(model: &Model) -> Self {
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let mut workspace = Workspace::new(multibody);
        let mut mass = MassMatrix::new(multibody);
        multibody.positions(model.default_q(), &mut workspace);
        multibody.mass_matrix(&mut workspace, &mut mass);
        let law = |stiffness: Option<f64>, v: usize| match stiffness {
            Some(stiffness) => LimitLaw { stiffness, dissipation: 0.0 },
            None => LimitLaw {
                stiffness: mass.get(v, v) * (std::f64::consts::PI / LIMIT_TIME).powi(2),
                dissipation: LIMIT_DISSIPATION,
            },
        };
        Self {
            limits: compiled.limits.iter().map(|l| law(l.stiffness, l.v)).collect(),
            ball_limits: compiled.ball_limits.iter().map(|l| law(l.stiffness, l.v)).collect(),
        }
    }

    /// Writes all joint forces but those of springs and contact to `out`, those of springs to `springs`.
    pub fn compute(
        &self,
        compiled: &Compiled,
        state: &State,
        workspace: &mut Workspace,
        q: &[f64],
        v: &[f64],
        dry_cutoff: f64,
        out: &mut [f64],
        springs: &mut [f64],
    ) {
        let multibody = &compiled.multibody;
        multibody.spring_forces(q, springs);
        for (((out, applied), damping), v) in
            out.iter_mut().zip(&state.applied).zip(multibody.damping()).zip(v)
        {
            *out = applied - damping * v;
        }
        multibody.add_gravity_compensation(workspace, out);
        for (row, &ctrl) in state.ctrl.iter().enumerate() {
            compiled.drives.add_joint_force(row, q, v, ctrl, out);
        }
        for &(i, force) in &compiled.dry_friction {
            out[i] -= force * v[i] / (v[i] * v[i] + dry_cutoff * dry_cutoff).sqrt();
        }
        for (limit, law) in compiled.limits.iter().zip(&self.limits) {
            out[limit.v] += law.force(limit.lower - q[limit.q], -v[limit.v]);
            out[limit.v] -= law.force(q[limit.q] - limit.upper, v[limit.v]);
        }
        for (limit, law) in compiled.ball_limits.iter().zip(&self.ball_limits) {
            let p = &q[limit.q..limit.q + 4];
            let turn = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(p[0], p[1], p[2], p[3]));
            let Some((axis, angle)) = Unit::try_new_and_get(turn.scaled_axis(), 1e-9) else { continue };
            // The angle's rate is the angular velocity along the axis, which has the same components in both frames.
            let rate = (0..3).map(|k| axis[k] * v[limit.v + k]).sum();
            let force = law.force(angle - limit.upper, rate);
            for k in 0..3 {
                out[limit.v + k] -= force * axis[k];
            }
        }
    }
}
