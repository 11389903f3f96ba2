//! Changed properties of joints and of the actuators that drive them.

use serde::{Deserialize, Serialize};
use stiction_model::{Actuator, Muscle, World};

/// Changed properties of a joint, of all its coordinates. Omitted properties keep their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointChange {
    /// Viscous damping, N s/m or N m s/rad.
    pub damping: Option<f64>,
    /// Dry friction, N or N m.
    pub friction_loss: Option<f64>,
    /// Inertia added on the diagonal of the mass matrix, kg or kg m².
    pub armature: Option<f64>,
}

impl JointChange {
    pub(super) fn merge(&mut self, new: &Self) {
        self.damping = new.damping.or(self.damping);
        self.friction_loss = new.friction_loss.or(self.friction_loss);
        self.armature = new.armature.or(self.armature);
    }

    pub(super) fn apply(&self, world: &mut World, (body, index): (usize, usize)) -> Result<(), String> {
        let joint = world.bodies.get_mut(body).and_then(|body| body.joints.get_mut(index));
        let Some(joint) = joint else { return Err(format!("body {body} has no joint {index}")) };
        for (what, value) in
            [("damping", self.damping), ("friction_loss", self.friction_loss), ("armature", self.armature)]
        {
            let Some(value) = value else { continue };
            if !(value >= 0.0 && value.is_finite()) {
                return Err(format!(
                    "{what} of \"{}\" = {value}: give zero or a positive number",
                    joint.name
                ));
            }
            for dof in &mut joint.dofs {
                let property = match what {
                    "damping" => &mut dof.damping,
                    "friction_loss" => &mut dof.friction,
                    _ => &mut dof.armature,
                };
                *property = value;
            }
        }
        Ok(())
    }
}

/// Changed properties of an actuator. Omitted properties keep their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ActuatorChange {
    /// Gain of a position servo, N/m or N m/rad of its length. A damping that the file gives as a ratio keeps the ratio.
    pub kp: Option<f64>,
    /// Gain of a velocity servo, or damping of a position servo in place of what the file gives, N s/m or N m s/rad.
    pub kv: Option<f64>,
    /// Factor on the force that the actuator exerts at any control, length and rate, its limits included. Relative to the
    /// model that is varied, and after `kp` and `kv`.
    pub strength: Option<f64>,
}

/// What the control of an actuator with an affine law means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActuatorLaw {
    /// A force: gain · ctrl.
    Motor,
    /// A target length: kp (ctrl − length) − kv · rate.
    Position,
    /// A target rate: kv (ctrl − rate).
    Velocity,
    /// Another one.
    Other,
}

impl ActuatorLaw {
    /// The word for it in Python.
    pub fn word(self) -> &'static str {
        match self {
            Self::Motor => "motor",
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Other => "other",
        }
    }

    /// The law of an actuator.
    pub fn of(actuator: &Actuator) -> Self {
        let (gain, bias) = (actuator.gain, actuator.bias);
        if actuator.muscle.is_some() || gain[1] != 0.0 || gain[2] != 0.0 || bias[0] != 0.0 {
            return Self::Other;
        }
        match bias {
            [_, 0.0, 0.0] => Self::Motor,
            [_, length, _] if length != 0.0 && length == -gain[0] => Self::Position,
            [_, 0.0, rate] if rate == -gain[0] => Self::Velocity,
            _ => Self::Other,
        }
    }
}

impl ActuatorChange {
    pub(super) fn merge(&mut self, new: &Self) {
        self.kp = new.kp.or(self.kp);
        self.kv = new.kv.or(self.kv);
        self.strength = new.strength.or(self.strength);
    }

    pub(super) fn apply(&self, world: &mut World, index: usize) -> Result<(), String> {
        let count = world.actuators.len();
        let Some(actuator) = world.actuators.get_mut(index) else {
            return Err(format!("there is no actuator {index}: there are {count}, counted from 0"));
        };
        for (what, value) in [("kp", self.kp), ("kv", self.kv), ("strength", self.strength)] {
            if let Some(value) = value.filter(|v| !(*v >= 0.0 && v.is_finite())) {
                let name = &actuator.name;
                return Err(format!("{what} of \"{name}\" = {value}: give zero or a positive number"));
            }
        }
        let law = ActuatorLaw::of(actuator);
        if let Some(kp) = self.kp {
            if law != ActuatorLaw::Position {
                return Err(format!(
                    "\"{}\" is no position servo and has no kp: give a factor on its strength instead",
                    actuator.name
                ));
            }
            (actuator.gain[0], actuator.bias[1]) = (kp, -kp);
        }
        match (self.kv, law) {
            (None, _) => {}
            (Some(kv), ActuatorLaw::Position) => (actuator.bias[2], actuator.damping_ratio) = (-kv, None),
            (Some(kv), ActuatorLaw::Velocity) => (actuator.gain[0], actuator.bias[2]) = (kv, -kv),
            (Some(_), _) => {
                return Err(format!(
                    "\"{}\" is no position or velocity servo and has no kv: give a factor on its strength instead",
                    actuator.name
                ));
            }
        }
        if let Some(factor) = self.strength {
            strengthen(actuator, factor);
        }
        Ok(())
    }
}

fn strengthen(actuator: &mut Actuator, factor: f64) {
    actuator.gain.iter_mut().chain(&mut actuator.bias).for_each(|c| *c *= factor);
    actuator.force_range.iter_mut().flatten().for_each(|c| *c *= factor);
    if let Some(Muscle { force, scale, .. }) = &mut actuator.muscle {
        // A negative peak force asks for `scale`.
        *(if *force < 0.0 { scale } else { force }) *= factor;
    }
}
