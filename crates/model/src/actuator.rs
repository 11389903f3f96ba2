//! Actuators: what one control input drives.

use crate::Source;
use serde::{Deserialize, Serialize};

/// What an actuator acts on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Transmission {
    /// A joint. Its length is `gear[0] · q` for joints of one coordinate; for joints of several the
    /// gear is a direction in velocity space and the length is 0.
    Joint {
        /// Index of the body that has the joint.
        body: usize,
        /// Index of the joint within the body's list.
        joint: usize,
        /// Force on each velocity coordinate per unit of actuator force.
        gear: [f64; 6],
    },
}

/// An actuator with an affine law:
///
/// force = (gain · \[1, length, velocity\]) · ctrl + bias · \[1, length, velocity\],
/// limited to `force_range`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actuator {
    /// Name; unique in the world.
    pub name: String,
    /// What it acts on.
    pub transmission: Transmission,
    /// Gain coefficients: force per control.
    pub gain: [f64; 3],
    /// Bias coefficients.
    pub bias: [f64; 3],
    /// Range the control is clamped to.
    pub control_range: Option<[f64; 2]>,
    /// Range the force is clamped to.
    pub force_range: Option<[f64; 2]>,
    /// Where it came from.
    pub source: Source,
}

impl Actuator {
    /// A motor: force = ctrl.
    pub fn motor(name: impl Into<String>, transmission: Transmission) -> Self {
        Self {
            name: name.into(),
            transmission,
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            control_range: None,
            force_range: None,
            source: Source::default(),
        }
    }

    /// A position servo: force = kp (ctrl − length) − kv velocity.
    pub fn position(name: impl Into<String>, transmission: Transmission, kp: f64, kv: f64) -> Self {
        Self { gain: [kp, 0.0, 0.0], bias: [0.0, -kp, -kv], ..Self::motor(name, transmission) }
    }

    /// A velocity servo: force = kv (ctrl − velocity).
    pub fn velocity(name: impl Into<String>, transmission: Transmission, kv: f64) -> Self {
        Self { gain: [kv, 0.0, 0.0], bias: [0.0, 0.0, -kv], ..Self::motor(name, transmission) }
    }
}
