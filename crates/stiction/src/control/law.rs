//! Control laws: from joint references to controls.
//!
//! ```text
//! Servo              ctrl = q_d                                   the model's position servos track it
//! ServoFeedForward   ctrl = q_d + (kv v_d + τ_d)/kp,              τ_d = M(q) a_d + bias(q, v) − passive(q, v)
//! Pd                 τ = Kp (q_d − q) + Kd (v_d − v) [+ g(q)]     motors; g compensates gravity and springs
//! InverseDynamics    τ = M(q) (a_d + Kp (q_d − q) + Kd (v_d − v)) + bias(q, v) − passive(q, v)
//! ```
//!
//! With inverse dynamics the error obeys ë + Kd ė + Kp e = 0 for any mass matrix, so Kp is in 1/s² and Kd in 1/s.
//! With PD they are in N m/rad and N m s/rad. Torques on motors are held between samples and act as explicit
//! feedback: with sample period T they are stable for Kd T well below the joint's inertia (Pd) or below 1
//! (InverseDynamics). Servos of the model are part of the convex step and stable at any gain.
//!
//! The law does not know masses outside the model, such as a load in the hand. They cause a position error.

use crate::Model;
use crate::control::controller::Sample;
use crate::control::joint_path::JointPoint;
use crate::control::joints::{Drive, Joints};
use crate::error::InputError;
use crate::step::kinematics::place;
use stiction_multibody::Workspace;

/// Feedback gains of a joint. The units depend on the law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Kp, on the error of position.
    pub stiffness: f64,
    /// Kd, on the error of velocity.
    pub damping: f64,
}

impl Gains {
    /// Gains of inverse dynamics with this natural frequency (rad/s) and critical damping.
    pub fn critical(frequency: f64) -> Self {
        Self { stiffness: frequency * frequency, damping: 2.0 * frequency }
    }
}

/// Kind of control law; see the [module](crate::control::law).
#[derive(Clone, Debug, PartialEq)]
pub enum JointControlLaw {
    /// Positions to servos.
    Servo,
    /// Positions to servos, with feed-forward.
    ServoFeedForward,
    /// Proportional and derivative feedback as torques of motors.
    Pd {
        /// One for all joints, or one each.
        gains: Vec<Gains>,
        /// Adds the torques that compensate gravity and joint springs.
        gravity: bool,
    },
    /// Computed torque of motors.
    InverseDynamics {
        /// One for all joints, or one each.
        gains: Vec<Gains>,
    },
}

/// A control law for a selection of joints, with its buffers.
pub struct JointLaw {
    joints: Joints,
    law: JointControlLaw,
    workspace: Workspace,
    acceleration: Vec<f64>,
    torque: Vec<f64>,
    passive: Vec<f64>,
}

impl JointLaw {
    /// Fails if a joint has no actuator for these commands, or if the number of gains is neither one nor the number
    /// of joints.
    pub fn new(model: &Model, joints: Joints, law: JointControlLaw) -> Result<Self, InputError> {
        match &law {
            JointControlLaw::Servo | JointControlLaw::ServoFeedForward => {
                joints.need("position servo", |d| matches!(d, Drive::Servo { .. }))?;
            }
            JointControlLaw::Pd { gains, .. } | JointControlLaw::InverseDynamics { gains } => {
                joints.need("motor", |d| matches!(d, Drive::Motor { .. }))?;
                let (given, needed) = (gains.len(), joints.len());
                if given != 1 && given != needed {
                    return Err(InputError::Length { what: "gains", given, needed });
                }
                let number = |g: &Gains| [g.stiffness, g.damping];
                if let Some(&value) = gains.iter().flat_map(number).find(|g| !g.is_finite()).as_ref() {
                    return Err(InputError::NotFinite { what: "gains", index: 0, value });
                }
            }
        }
        let nv = model.nv();
        Ok(Self {
            joints,
            law,
            workspace: Workspace::new(model.multibody()),
            acceleration: vec![0.0; nv],
            torque: vec![0.0; nv],
            passive: vec![0.0; nv],
        })
    }

    /// The joints.
    pub fn joints(&self) -> &Joints {
        &self.joints
    }

    /// Writes the controls of these joints for tracking `reference` (one entry per joint).
    pub fn apply(
        &mut self,
        sample: &Sample<'_>,
        reference: &JointPoint,
        ctrl: &mut [f64],
    ) -> Result<(), String> {
        let n = self.joints.len();
        if reference.q.len() != n || reference.v.len() != n || reference.a.len() != n {
            return Err(format!("a reference of {} joints was given to a law of {n}", reference.q.len()));
        }
        match &self.law {
            JointControlLaw::Servo => {}
            JointControlLaw::ServoFeedForward => {
                self.acceleration.fill(0.0);
                for (joint, a) in self.joints.iter().zip(&reference.a) {
                    self.acceleration[joint.v] = *a;
                }
                self.inverse_dynamics(sample);
            }
            JointControlLaw::Pd { gravity, .. } => {
                self.torque.fill(0.0);
                if *gravity {
                    self.place(sample);
                    sample.model.multibody().gravity_forces(&mut self.workspace, &mut self.torque);
                    self.add_passive(sample, false);
                }
                self.feedback(sample, reference);
                for joint in self.joints.iter() {
                    self.torque[joint.v] += self.acceleration[joint.v];
                }
            }
            JointControlLaw::InverseDynamics { .. } => {
                self.acceleration.fill(0.0);
                self.feedback(sample, reference);
                for (joint, a) in self.joints.iter().zip(&reference.a) {
                    self.acceleration[joint.v] += a;
                }
                self.inverse_dynamics(sample);
            }
        }
        for (k, joint) in self.joints.iter().enumerate() {
            let Some(actuator) = joint.actuator else { continue };
            ctrl[actuator] = match joint.drive {
                Drive::Motor { scale, offset } => (self.torque[joint.v] - offset) / scale,
                Drive::Servo { kp, kv, gear } if self.law == JointControlLaw::ServoFeedForward => {
                    gear * reference.q[k] + (kv * gear * reference.v[k] + self.torque[joint.v] / gear) / kp
                }
                Drive::Servo { gear, .. } => gear * reference.q[k],
                Drive::Other => continue, // rejected when the law was created
            };
        }
        Ok(())
    }

    /// Forces along the joints at the last call, N or N m: the command for motors, the feed-forward for servos.
    pub fn torques(&self) -> impl Iterator<Item = f64> + '_ {
        self.joints.iter().map(|joint| self.torque[joint.v])
    }

    /// Kp (q_d − q) + Kd (v_d − v) of each joint, into `acceleration`.
    fn feedback(&mut self, sample: &Sample<'_>, reference: &JointPoint) {
        let (JointControlLaw::Pd { gains, .. } | JointControlLaw::InverseDynamics { gains }) = &self.law
        else {
            return;
        };
        for (k, joint) in self.joints.iter().enumerate() {
            let gains = gains[k.min(gains.len() - 1)];
            let (e, rate) = (reference.q[k] - sample.q[joint.q], reference.v[k] - sample.v[joint.v]);
            self.acceleration[joint.v] = gains.stiffness * e + gains.damping * rate;
        }
    }

    fn place(&mut self, sample: &Sample<'_>) {
        place(sample.model.multibody(), sample.mocap, sample.q, &mut self.workspace);
    }

    /// Torques for `acceleration` at the sample.
    fn inverse_dynamics(&mut self, sample: &Sample<'_>) {
        let multibody = sample.model.multibody();
        self.place(sample);
        multibody.velocities(sample.v, &mut self.workspace);
        multibody.inverse_dynamics(&mut self.workspace, &self.acceleration, &mut self.torque);
        self.add_passive(sample, true);
    }

    /// Minus the forces of springs, gravity compensation and optionally damping.
    fn add_passive(&mut self, sample: &Sample<'_>, damping: bool) {
        let multibody = sample.model.multibody();
        self.passive.fill(0.0);
        multibody.add_spring_forces(sample.q, &mut self.passive);
        multibody.add_gravity_compensation(&mut self.workspace, &mut self.passive);
        for (k, torque) in self.torque.iter_mut().enumerate() {
            let lost = if damping { multibody.damping()[k] * sample.v[k] } else { 0.0 };
            *torque -= self.passive[k] - lost;
        }
    }
}
