//! Actuators and joint limits, compiled to coordinates.
//!
//! An actuator's force along its length l is u = (g · [1, l, l̇]) a + b · [1, l, l̇], clamped to its range, with a
//! the control or the activation that follows it. At a given input this is u = u₀ − K_p l − K_d l̇. Where
//! K_p, K_d ≥ 0 the law is taken implicitly (l = l₀ + δt l̇), which keeps stiff servos on light joints stable; a
//! negative slope would not be convex and is evaluated at the beginning of the step. A muscle's curves are taken
//! by their tangents in the same way.
//!
//! An activation acts as it is at the beginning of the step, and then follows the control over the step.

use crate::error::LoadError;
use crate::forces::moments::{Moments, Pattern};
use crate::forces::muscle::{CompiledMuscle, activation_rate};
use crate::forces::transmission::{self, Link};
use nalgebra::{Quaternion, UnitQuaternion};
use stiction_model::{Dynamics, Transmission, World};
use stiction_multibody::Multibody;

/// An actuator in coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    pub link: Link,
    pub gain: [f64; 3],
    pub bias: [f64; 3],
    pub muscle: Option<CompiledMuscle>,
    pub dynamics: Dynamics,
    /// Place of its activation in the state.
    pub activation: Option<usize>,
    pub activation_range: [f64; 2],
    pub early: bool,
    /// The turn, in units of length, of a servo whose length is an angle in space: setpoints a turn apart are the same.
    pub turn: Option<f64>,
    pub control_range: [f64; 2],
    /// Force range, the joint's effort limit included; infinite if there is none.
    pub force_range: [f64; 2],
}

/// A drive at one state and control: u(l̇) = clamp(force − (δt K_p + K_d) l̇, range).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Servo {
    /// Force at zero velocity, N or N m.
    pub force: f64,
    /// K_p ≥ 0.
    pub proportional: f64,
    /// K_d ≥ 0.
    pub derivative: f64,
}

impl Drive {
    /// What drives it over a step of `dt`: the control, or the activation.
    pub fn input(&self, ctrl: f64, activations: &[f64], dt: f64) -> f64 {
        match self.activation {
            None => ctrl.clamp(self.control_range[0], self.control_range[1]),
            Some(i) if self.early => self.next_activation(ctrl, activations[i], dt),
            Some(i) => activations[i],
        }
    }

    /// The activation after a step of `dt` under a control held over it.
    pub fn next_activation(&self, ctrl: f64, activation: f64, dt: f64) -> f64 {
        let ctrl = ctrl.clamp(self.control_range[0], self.control_range[1]);
        let change = match self.dynamics {
            Dynamics::None => 0.0,
            Dynamics::Integrator => dt * ctrl,
            // Euler's step, but never beyond the input: a filter faster than the step has arrived by its end.
            Dynamics::Filter { time } => (dt / time).min(1.0) * (ctrl - activation),
            Dynamics::ExactFilter { time } => (ctrl - activation) * -(-dt / time).exp_m1(),
            Dynamics::Muscle { rise, fall, smoothing } => {
                dt * activation_rate(ctrl, activation, rise, fall, smoothing)
            }
        };
        (activation + change).clamp(self.activation_range[0], self.activation_range[1])
    }

    /// The law at a length and rate, and an input.
    pub fn servo(&self, length: f64, rate: f64, input: f64) -> Servo {
        let input = self.turn.map_or(input, |turn| input - turn * ((input - length) / turn).round());
        let (at, by_length, by_rate) = match &self.muscle {
            Some(muscle) => muscle.force(length, rate, input),
            None => {
                let slope: [f64; 3] = std::array::from_fn(|k| self.gain[k] * input + self.bias[k]);
                (slope[0] + slope[1] * length + slope[2] * rate, slope[1], slope[2])
            }
        };
        let mut servo = Servo { force: at, ..Servo::default() };
        if by_length < 0.0 && self.measures() {
            servo.proportional = -by_length;
        }
        if by_rate < 0.0 {
            servo.derivative = -by_rate;
            servo.force -= by_rate * rate;
        }
        servo
    }

    /// Force at a length, rate and input, clamped.
    pub fn force(&self, length: f64, rate: f64, input: f64) -> f64 {
        let servo = self.servo(length, rate, input);
        (servo.force - servo.derivative * rate).clamp(self.force_range[0], self.force_range[1])
    }

    /// Whether its length changes as it moves, rather than being nought by definition.
    fn measures(&self) -> bool {
        !matches!(self.link, Link::Coordinates | Link::Adhesion { .. } | Link::Site { reference: None, .. })
            && !matches!(self.link, Link::Turn { measured: false, .. })
    }

    /// Whether the force is limited.
    pub fn limited(&self) -> bool {
        self.force_range[0].is_finite() || self.force_range[1].is_finite()
    }

    /// Whether the law at `servo` becomes a row of the problem; otherwise it is part of A and v*.
    pub fn needs_row(&self, servo: &Servo, coordinates: usize) -> bool {
        self.limited() || (coordinates != 1 && servo.proportional + servo.derivative > 0.0)
    }
}

/// The actuators of a world.
#[derive(Default)]
pub(crate) struct Drives {
    pub drives: Vec<Drive>,
    pub pattern: Pattern,
    /// For each drive the arms that never change.
    constant: Vec<Vec<(usize, f64)>>,
}

impl Drives {
    /// Adds the joint forces of actuator `row` at positions `q`, velocities `v` and control `ctrl` to `out`, for an actuator
    /// that acts on a joint and has no activation.
    pub fn add_joint_force(&self, row: usize, q: &[f64], v: &[f64], ctrl: f64, out: &mut [f64]) {
        let drive = &self.drives[row];
        let turned: [(usize, f64); 3];
        let (length, arms): (f64, &[(usize, f64)]) = match drive.link {
            Link::Coordinate { q: i, gear } => (gear * q[i], &self.constant[row]),
            Link::Turn { q: i, v: dof, gear, .. } => {
                let turn = Quaternion::new(q[i], q[i + 1], q[i + 2], q[i + 3]);
                turned = std::array::from_fn(|k| (dof + k, gear[k]));
                (gear.dot(&UnitQuaternion::from_quaternion(turn).scaled_axis()), &turned)
            }
            _ => (0.0, &self.constant[row]),
        };
        let rate = arms.iter().map(|&(i, arm)| arm * v[i]).sum();
        let force = drive.force(length, rate, drive.input(ctrl, &[], 0.0));
        arms.iter().for_each(|&(i, arm)| out[i] += arm * force);
    }

    /// Compiles the actuators; `tendons` are any moments of the world's tendons.
    pub fn new(world: &World, multibody: &Multibody, tendons: &Moments) -> Result<Self, LoadError> {
        let mut this = Self { pattern: Pattern::new(), ..Self::default() };
        let mut activations = 0..;
        for actuator in &world.actuators {
            let (link, constant) =
                transmission::compile(&actuator.transmission, world, multibody, tendons, &mut this.pattern);
            let mut force_range = actuator.force_range.unwrap_or(EVERYTHING);
            let outer = match actuator.transmission {
                Transmission::Joint { body, joint, gear }
                | Transmission::JointInParent { body, joint, gear } => {
                    let dof = &world.bodies[body].joints[joint].dofs[0];
                    let single = matches!(link, Link::Coordinate { .. });
                    single.then_some(([-dof.effort_limit, dof.effort_limit], gear[0]))
                }
                Transmission::Tendon { tendon, gear } => {
                    world.tendons[tendon].actuator_force_range.map(|range| (range, gear))
                }
                _ => None,
            };
            if let Some((range, gear)) = outer.filter(|(_, gear)| *gear != 0.0) {
                let ends = [range[0] / gear, range[1] / gear];
                let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                force_range = [force_range[0].max(low), force_range[1].min(high)];
            }
            if force_range[0].is_finite() != force_range[1].is_finite() || force_range[0] > force_range[1] {
                return Err(LoadError::Shape {
                    place: format!("{}: actuator \"{}\"", actuator.source, actuator.name),
                    reason: "its force range is empty or has one infinite end; give two finite ends or none"
                        .into(),
                });
            }
            // Only where the control is a position does it make sense to speak of the nearest one.
            let servo = actuator.gain[0] != 0.0 && actuator.bias[1] == -actuator.gain[0];
            let axis = match link {
                Link::Turn { gear, measured: true, .. } => gear.norm(),
                Link::Site { reference: Some(_), force, torque, .. } if force.norm() == 0.0 => torque.norm(),
                _ => 0.0,
            };
            let turn = (servo && axis > 0.0).then_some(std::f64::consts::TAU * axis);
            this.constant.push(constant);
            this.drives.push(Drive {
                link,
                gain: actuator.gain,
                bias: actuator.bias,
                muscle: None,
                dynamics: actuator.dynamics,
                activation: actuator.activates().then(|| activations.next().expect("counts on")),
                activation_range: actuator.activation_range.unwrap_or(EVERYTHING),
                early: actuator.early,
                turn,
                control_range: actuator.control_range.unwrap_or(EVERYTHING),
                force_range,
            });
        }
        Ok(this)
    }

    /// Moments with the arms that never change filled in.
    pub fn moments(&self, multibody: &Multibody) -> Moments {
        let mut moments = Moments::new(&self.pattern);
        let locked = multibody.locked();
        for (row, constant) in self.constant.iter().enumerate() {
            for &(dof, arm) in constant {
                let arms = moments.row_mut(row);
                let at = arms.partition_point(|&(d, _)| d < dof);
                arms[at].1 = if locked[dof] { 0.0 } else { arm };
            }
        }
        moments
    }

    /// Activations after a step of `dt`.
    pub fn advance(&self, ctrl: &[f64], activations: &mut [f64], dt: f64) {
        for (drive, &ctrl) in self.drives.iter().zip(ctrl) {
            if let Some(i) = drive.activation {
                activations[i] = drive.next_activation(ctrl, activations[i], dt);
            }
        }
    }
}

const EVERYTHING: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// A coordinate with position limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedCoordinate {
    pub q: usize,
    pub v: usize,
    pub lower: f64,
    pub upper: f64,
    pub stiffness: Option<f64>,
}

/// A ball joint whose angle of rotation is bounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedBall {
    pub q: usize,
    pub v: usize,
    pub upper: f64,
    pub stiffness: Option<f64>,
}

/// Limits of all joints.
pub(crate) fn compile_limits(multibody: &Multibody) -> (Vec<LimitedCoordinate>, Vec<LimitedBall>) {
    let (mut coordinates, mut balls) = (Vec::new(), Vec::new());
    for joint in multibody.joints() {
        let stiffness = joint.limit_stiffness;
        let dofs = &multibody.dofs()[joint.v.clone()];
        match joint.q.len() {
            4 if dofs[0].upper.is_finite() => {
                balls.push(LimitedBall {
                    q: joint.q.start,
                    v: joint.v.start,
                    upper: dofs[0].upper,
                    stiffness,
                });
            }
            4 | 7 => {}
            _ => {
                for ((q, v), dof) in joint.q.clone().zip(joint.v.clone()).zip(dofs) {
                    if dof.lower.is_finite() || dof.upper.is_finite() {
                        let (lower, upper) = (dof.lower, dof.upper);
                        coordinates.push(LimitedCoordinate { q, v, lower, upper, stiffness });
                    }
                }
            }
        }
    }
    (coordinates, balls)
}
