//! A selection of joints with their actuators and limits.

use crate::Model;
use crate::error::InputError;
use stiction_model::{Dynamics, Transmission};

/// Command type of a joint's actuator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// Force along the joint = `scale` · ctrl + `offset`.
    Motor {
        /// Joint force per unit of control.
        scale: f64,
        /// Joint force at zero control.
        offset: f64,
    },
    /// A position servo: actuator force kp (ctrl − length) − kv rate, with length = `gear` · q.
    Servo {
        /// Actuator force per length, N/m or N m/rad.
        kp: f64,
        /// Actuator force per rate.
        kv: f64,
        /// Length per joint position, and joint force per actuator force.
        gear: f64,
    },
    /// No actuator, or an actuator of another type.
    Other,
}

/// One of the joints.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenJoint {
    /// Name.
    pub name: String,
    /// Its index in q.
    pub q: usize,
    /// Its index in v.
    pub v: usize,
    /// Smallest position, rad or m; may be −∞.
    pub lower: f64,
    /// Largest position; may be +∞.
    pub upper: f64,
    /// Largest speed, rad/s or m/s; may be +∞.
    pub speed: f64,
    /// The actuator's index in `ctrl`, if there is one.
    pub actuator: Option<usize>,
    /// Its command type.
    pub drive: Drive,
}

/// Hinges and slides selected by name, in the given order.
#[derive(Clone, Debug, PartialEq)]
pub struct Joints {
    joints: Vec<ChosenJoint>,
}

impl Joints {
    /// The joints of these names. Each must be a hinge or a slide. If a joint has several actuators, the first one
    /// is used.
    pub fn new<S: AsRef<str>>(model: &Model, names: &[S]) -> Result<Self, InputError> {
        let joint = |name: &S| {
            let name = name.as_ref();
            let info = &model.multibody().joints()[model.joint_index(name)?];
            if info.v.len() != 1 || info.locked {
                let reason = "it is locked or not a hinge or slide; choose joints of one coordinate";
                return Err(InputError::Control(format!("joint \"{name}\": {reason}")));
            }
            let dof = &model.multibody().dofs()[info.v.start];
            let actuators = &model.world().actuators;
            let on_joint = |t: &Transmission| match *t {
                Transmission::Joint { body, joint, .. } | Transmission::JointInParent { body, joint, .. } => {
                    (body, joint) == (info.body, info.index)
                }
                _ => false,
            };
            let actuator = actuators.iter().position(|a| on_joint(&a.transmission));
            Ok(ChosenJoint {
                name: name.into(),
                q: info.q.start,
                v: info.v.start,
                lower: dof.lower,
                upper: dof.upper,
                speed: dof.velocity_limit,
                actuator,
                drive: actuator.map_or(Drive::Other, |a| drive(&actuators[a])),
            })
        };
        Ok(Self { joints: names.iter().map(joint).collect::<Result<_, _>>()? })
    }

    /// Replaces the speed limits of the model, rad/s or m/s (MJCF has none).
    pub fn with_speed_limits(mut self, speeds: &[f64]) -> Result<Self, InputError> {
        let (given, needed) = (speeds.len(), self.len());
        if given != needed {
            return Err(InputError::Length { what: "speed limits", given, needed });
        }
        for (index, (joint, &speed)) in self.joints.iter_mut().zip(speeds).enumerate() {
            if speed.is_nan() || speed <= 0.0 {
                return Err(InputError::NotFinite { what: "positive speed limits", index, value: speed });
            }
            joint.speed = speed;
        }
        Ok(self)
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there are no joints.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// The joints.
    pub fn iter(&self) -> std::slice::Iter<'_, ChosenJoint> {
        self.joints.iter()
    }

    /// Their positions among all positions `q`.
    pub fn positions(&self, q: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.joints.iter().map(|j| q[j.q]));
    }

    /// Checks that every joint has a drive of the given kind. The error names the joint and the remedy.
    pub(crate) fn need(&self, what: &str, fits: impl Fn(&Drive) -> bool) -> Result<(), InputError> {
        match self.joints.iter().find(|j| j.actuator.is_none() || !fits(&j.drive)) {
            None => Ok(()),
            Some(j) => Err(InputError::Control(format!(
                "joint \"{}\" has no {what}: add one to the model, or choose another law",
                j.name
            ))),
        }
    }
}

fn drive(actuator: &stiction_model::Actuator) -> Drive {
    let gear = match actuator.transmission {
        Transmission::Joint { gear, .. } | Transmission::JointInParent { gear, .. } => gear[0],
        _ => 0.0,
    };
    let [g0, g1, g2] = actuator.gain;
    let [b0, b1, b2] = actuator.bias;
    let plain = actuator.muscle.is_none() && actuator.dynamics == Dynamics::None && g1 == 0.0 && g2 == 0.0;
    if !plain || gear == 0.0 || g0 == 0.0 {
        Drive::Other
    } else if b1 == 0.0 && b2 == 0.0 {
        Drive::Motor { scale: gear * g0, offset: gear * b0 }
    } else if b0 == 0.0 && b1 == -g0 && b2 <= 0.0 {
        Drive::Servo { kp: g0, kv: -b2, gear }
    } else {
        Drive::Other
    }
}
