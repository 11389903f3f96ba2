//! Actuators and joint limits, compiled to coordinates.
//!
//! An actuator's force along its length l is u = (g · [1, l, l̇]) ctrl + b · [1, l, l̇], clamped to its
//! range. At a given control this is u = u₀ − K_p l − K_d l̇. Where K_p, K_d ≥ 0 the law is taken implicitly
//! (l = l₀ + δt l̇), which keeps stiff servos on light joints stable; a negative slope would not be convex
//! and is evaluated at the beginning of the step.

use crate::error::LoadError;
use stiction_model::{Transmission, World};
use stiction_multibody::Multibody;

/// An actuator in coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    /// Force on each velocity coordinate per unit of actuator force.
    pub gear: Vec<(usize, f64)>,
    /// Position coordinate and gear that give the length, for joints of one coordinate.
    pub length: Option<(usize, f64)>,
    pub gain: [f64; 3],
    pub bias: [f64; 3],
    pub control_range: [f64; 2],
    /// Force range, the joint's effort limit included; infinite if there is none.
    pub force_range: [f64; 2],
}

/// A drive at one state and control: u(l̇) = clamp(force − (δt K_p + K_d) l̇, range).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Servo {
    /// Force at zero velocity, N or N m.
    pub force: f64,
    /// K_p ≥ 0.
    pub proportional: f64,
    /// K_d ≥ 0.
    pub derivative: f64,
}

impl Drive {
    /// The law at positions `q`, velocities `v` and control `ctrl`.
    pub fn servo(&self, q: &[f64], v: &[f64], ctrl: f64) -> Servo {
        let u = ctrl.clamp(self.control_range[0], self.control_range[1]);
        let length = self.length.map_or(0.0, |(i, gear)| gear * q[i]);
        let slope: [f64; 3] = std::array::from_fn(|k| self.gain[k] * u + self.bias[k]);
        let mut force = slope[0] + slope[1] * length;
        let mut servo = Servo { force, proportional: 0.0, derivative: 0.0 };
        if self.length.is_some() && slope[1] < 0.0 {
            servo.proportional = -slope[1];
        }
        if slope[2] < 0.0 {
            servo.derivative = -slope[2];
        } else if slope[2] > 0.0 {
            force += slope[2] * self.gear.iter().map(|&(i, g)| g * v[i]).sum::<f64>();
        }
        servo.force = force;
        servo
    }

    /// The force at positions `q`, velocities `v` and control `ctrl`, within its range, N or N m.
    pub fn force(&self, q: &[f64], v: &[f64], ctrl: f64) -> f64 {
        let servo = self.servo(q, v, ctrl);
        let rate: f64 = self.gear.iter().map(|&(i, g)| g * v[i]).sum();
        (servo.force - servo.derivative * rate).clamp(self.force_range[0], self.force_range[1])
    }

    /// Whether the force is limited.
    pub fn limited(&self) -> bool {
        self.force_range[0].is_finite() || self.force_range[1].is_finite()
    }
}

/// Compiles the actuators of a world.
pub(crate) fn compile_drives(world: &World, multibody: &Multibody) -> Result<Vec<Drive>, LoadError> {
    world
        .actuators
        .iter()
        .map(|actuator| {
            let Transmission::Joint { body, joint, gear } = actuator.transmission else {
                return Err(LoadError::Shape {
                    place: format!("{}: actuator \"{}\"", actuator.source, actuator.name),
                    reason: "only actuators on joints are simulated".into(),
                });
            };
            let info = multibody.joints().iter().find(|j| j.body == body && j.index == joint);
            let info = info.expect("a validated actuator drives an existing joint");
            let coordinates = info.v.clone().zip(gear).filter(|(_, g)| *g != 0.0).collect::<Vec<_>>();
            let single = info.q.len() == 1;
            let mut force_range = actuator.force_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
            if single && gear[0] != 0.0 {
                let effort = multibody.dofs()[info.v.start].effort_limit / gear[0].abs();
                force_range = [force_range[0].max(-effort), force_range[1].min(effort)];
            }
            if force_range[0].is_finite() != force_range[1].is_finite() {
                return Err(LoadError::Shape {
                    place: format!("{}: actuator \"{}\"", actuator.source, actuator.name),
                    reason: "its force range has one infinite end; give two finite ends or none".into(),
                });
            }
            Ok(Drive {
                gear: coordinates,
                length: single.then_some((info.q.start, gear[0])),
                gain: actuator.gain,
                bias: actuator.bias,
                control_range: actuator.control_range.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
                force_range,
            })
        })
        .collect()
}

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
