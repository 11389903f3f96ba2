//! Actuators: what one control input drives.

use crate::Source;
use serde::{Deserialize, Serialize};

/// The part of the model that an actuator drives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Transmission {
    /// A joint. Its length is `gear[0] · q` for joints of one coordinate. For a ball joint the gear is an
    /// axis in the child frame and the length is the rotation vector along it; for a free joint the gear
    /// is a wrench [force in world axes; torque in body axes] and the length is 0.
    Joint {
        /// Index of the body that has the joint.
        body: usize,
        /// Index of the joint within the body's list.
        joint: usize,
        /// Force on each velocity coordinate per unit of actuator force.
        gear: [f64; 6],
    },
    /// A joint, with the gear of ball and free joints in the parent's axes.
    JointInParent {
        /// Index of the body that has the joint.
        body: usize,
        /// Index of the joint within the body's list.
        joint: usize,
        /// As for [`Transmission::Joint`], in the parent's axes.
        gear: [f64; 6],
    },
    /// A tendon. Its length is `gear` times the tendon's.
    Tendon {
        /// Index of the tendon.
        tendon: usize,
        /// Tendon force per unit of actuator force.
        gear: f64,
    },
    /// A wrench at a site. Without a reference its length is 0; with one, the motion counts relative to the
    /// reference site and the length is the gear times [position; rotation vector] in it.
    Site {
        /// Index of the site.
        site: usize,
        /// Index of the site relative to which it acts.
        reference: Option<usize>,
        /// [force; torque] per unit of actuator force, in the axes of the reference or else of the site.
        gear: [f64; 6],
    },
    /// A slider that pushes a crank through a rod. Its length is `gear` times the slider's position.
    SliderCrank {
        /// Index of the site whose z-axis is the slider's axis.
        slider: usize,
        /// Index of the site where the rod meets the crank.
        crank: usize,
        /// Length of the rod, m.
        rod: f64,
        /// Slider force per unit of actuator force.
        gear: f64,
    },
    /// Adhesion: the force pulls the body against whatever it touches, shared by its contacts.
    Body {
        /// Index of the body.
        body: usize,
        /// Pull per unit of actuator force.
        gear: f64,
    },
}

/// How the activation of an actuator follows its control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Dynamics {
    /// There is no activation: the control acts at once.
    #[default]
    None,
    /// ȧ = ctrl.
    Integrator,
    /// ȧ = (ctrl − a)/time, by Euler's step, which ends at ctrl where the step is longer than `time`.
    Filter {
        /// Time constant, s.
        time: f64,
    },
    /// As [`Dynamics::Filter`], integrated exactly for a control held over the step.
    ExactFilter {
        /// Time constant, s.
        time: f64,
    },
    /// Muscle excitation: rises faster than it falls, slower the stronger it is (Millard 2013).
    Muscle {
        /// Time constant of activation, s.
        rise: f64,
        /// Time constant of deactivation, s.
        fall: f64,
        /// Width of the change between the two, in units of control; 0 for a sudden one.
        smoothing: f64,
    },
}

/// The force of a muscle: active force–length–velocity and passive force–length curves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Muscle {
    /// Operating range of lengths in units of the optimal length.
    pub range: [f64; 2],
    /// Peak active force at rest, N; if negative it is `scale` over the acceleration that a unit force
    /// gives at the default positions.
    pub force: f64,
    /// See `force`.
    pub scale: f64,
    /// Shortest length with active force, in optimal lengths.
    pub shortest: f64,
    /// Longest length with active force, in optimal lengths.
    pub longest: f64,
    /// Speed of shortening without load, in optimal lengths per second.
    pub fastest: f64,
    /// Passive force at the longest length, in units of the peak force.
    pub passive: f64,
    /// Largest active force while lengthening, in units of the peak force.
    pub lengthening: f64,
    /// Lengths of the transmission that `range` corresponds to; `None` derives them from the joints' limits.
    pub length_range: Option<[f64; 2]>,
}

/// An actuator with an affine law:
///
/// force = (gain · \[1, length, velocity\]) · input + bias · \[1, length, velocity\],
/// limited to `force_range`, or with the law of a muscle. The input is the control, or the activation
/// where there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Actuator {
    /// Name; unique in the world.
    pub name: String,
    /// The part of the model it drives.
    pub transmission: Transmission,
    /// Gain coefficients: force per input.
    pub gain: [f64; 3],
    /// Bias coefficients.
    pub bias: [f64; 3],
    /// Damping as a share of the critical one, in place of a damping −`bias[2]`: for the inertia that a force along the
    /// transmission feels at the default positions while everything is free to move.
    pub damping_ratio: Option<f64>,
    /// The law of a muscle, in place of the affine one.
    pub muscle: Option<Muscle>,
    /// How its activation follows the control.
    pub dynamics: Dynamics,
    /// Range the activation is clamped to.
    pub activation_range: Option<[f64; 2]>,
    /// Whether the force takes the activation of the end of the step in place of that of its beginning.
    pub early: bool,
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
            damping_ratio: None,
            muscle: None,
            dynamics: Dynamics::None,
            activation_range: None,
            early: false,
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

    /// Whether it has an activation.
    pub fn activates(&self) -> bool {
        self.dynamics != Dynamics::None
    }
}
