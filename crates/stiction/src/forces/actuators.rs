//! Actuators: servos, motors and muscles.
//!
//! An actuator's force along its length l is u = (g · [1, l, l̇]) a + b · [1, l, l̇], clamped to its range, with a
//! the control or the activation that follows it. At a given input this is u = u₀ − K_p l − K_d l̇. If K_p, K_d ≥ 0,
//! the law is implicit (l = l₀ + δt l̇), which keeps stiff servos on light joints stable. A negative slope would not
//! be convex and is evaluated at the beginning of the step. A muscle's curves are linearised in the same way.
//!
//! In a step, a law without limits on a single coordinate contributes to A and the forces. Other laws become rows.
//!
//! The activation at the beginning of the step determines the force. It then follows the control over the step.

use super::adhesion::adhere;
use super::{At, Force, Implicit, StepAt};
use crate::derivatives::joints::{DifferentiatedStep, slope};
use crate::error::LoadError;
use crate::forces::moments::{Moments, Pattern};
use crate::forces::muscle::{CompiledMuscle, activation_rate};
use crate::forces::transmission::{self, Link};
use crate::methods::support::{Feature, MethodKind, Support};
use crate::model::Model;
use crate::step::assemble::Rows;
use nalgebra::DMatrix;
use stiction_convex::{ProblemError, RowLaw};
use stiction_model::{Actuator, Dynamics, Transmission, World};
use stiction_multibody::Multibody;

/// An actuator in coordinates.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    pub link: Link,
    pub gain: [f64; 3],
    pub bias: [f64; 3],
    pub muscle: Option<CompiledMuscle>,
    pub dynamics: Dynamics,
    /// Index of its activation in the state.
    pub activation: Option<usize>,
    pub activation_range: [f64; 2],
    pub early: bool,
    /// Period of a servo whose length is an angle in space, in units of length. Setpoints that differ by a period
    /// are equal.
    pub turn: Option<f64>,
    pub control_range: [f64; 2],
    /// Force range, including the joint's effort limit; infinite if there is none.
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
    /// Its input over a step of `dt`: the control or the activation.
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
            // Euler step, limited by the input: a filter faster than the step reaches the input at its end.
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

    /// Whether its length changes with motion, rather than being zero by definition.
    fn measures(&self) -> bool {
        !matches!(self.link, Link::Coordinates | Link::Adhesion { .. } | Link::Site { reference: None, .. })
            && !matches!(self.link, Link::Turn { measured: false, .. })
    }

    /// Whether the force is limited.
    pub fn limited(&self) -> bool {
        self.force_range[0].is_finite() || self.force_range[1].is_finite()
    }

    /// Middle and half of the force range; the middle is zero and the half infinite where there is none.
    fn range(&self) -> (f64, f64) {
        let [low, high] = self.force_range;
        if self.limited() { (0.5 * (low + high), 0.5 * (high - low)) } else { (0.0, f64::INFINITY) }
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
    /// Constant moment arms of each drive.
    constant: Vec<Vec<(usize, f64)>>,
}

impl Drives {
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
            // The nearest setpoint is defined only if the control is a position.
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

    /// Moments with the constant arms filled in.
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

/// Message that names the first actuator of a kind.
fn find(world: &World, what: &str, is: fn(&Actuator) -> bool) -> Option<String> {
    let actuator = world.actuators.iter().find(|a| is(a))?;
    Some(format!("{}: actuator \"{}\" {what}", actuator.source, actuator.name))
}

const FEATURES: [Feature; 4] = [
    Feature {
        name: "actuators on joints",
        find: |world, _| {
            let on_joint = |a: &Actuator| matches!(a.transmission, Transmission::Joint { .. });
            find(world, "drives a joint", on_joint)
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Learned, "remove it")
            .without(MethodKind::Rigid, "remove it")
            .note(MethodKind::Derivatives, "on ball and free joints by differences")
            .note(MethodKind::Gpu, "of one coordinate"),
    },
    Feature {
        name: "actuators on tendons, sites and slider-cranks",
        find: |world, _| {
            let elsewhere = |a: &Actuator| {
                !matches!(a.transmission, Transmission::Joint { .. } | Transmission::Body { .. })
            };
            find(world, "does not act on a joint", elsewhere)
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Continuous, "drive joints directly")
            .without(MethodKind::Learned, "remove it")
            .without(MethodKind::Rigid, "remove it")
            .note(MethodKind::Derivatives, "by differences")
            .without(MethodKind::Gpu, "drive joints directly"),
    },
    Feature {
        name: "activations and muscles",
        find: |world, _| {
            let activates = |a: &Actuator| a.dynamics != Dynamics::None || a.muscle.is_some();
            find(world, "has an activation or is a muscle", activates)
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Continuous, "drive joints directly")
            .without(MethodKind::Learned, "remove it")
            .without(MethodKind::Rigid, "remove it")
            .note(MethodKind::Derivatives, "muscles by differences")
            .without(MethodKind::Gpu, "drive joints directly"),
    },
    Feature {
        name: "adhesion",
        find: |world, _| {
            let adhesion = |a: &Actuator| matches!(a.transmission, Transmission::Body { .. });
            find(world, "pulls on whatever its body touches", adhesion)
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Continuous, "remove it")
            .without(MethodKind::Learned, "remove it")
            .without(MethodKind::Rigid, "remove it")
            .without(MethodKind::Derivatives, "remove it")
            .without(MethodKind::Gpu, "remove it"),
    },
];

pub(crate) struct Actuators;

impl Force for Actuators {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn implicit(&self, at: &mut At, step: &mut Implicit) {
        let (compiled, state, kinematics, dt) = (at.compiled, at.state, &*at.kinematics, step.dt);
        let moments = &kinematics.transmissions;
        for (row, (drive, &ctrl)) in compiled.drives.drives.iter().zip(&state.ctrl).enumerate() {
            let (length, rate) = (moments.lengths[row], moments.rate(row, &kinematics.v));
            let servo = drive.servo(length, rate, drive.input(ctrl, &state.activation, dt));
            step.servos[row] = servo;
            let arms = moments.row(row);
            if let Link::Adhesion { body, gear } = drive.link {
                let pull = gear * servo.force.clamp(drive.force_range[0], drive.force_range[1]);
                adhere(compiled, &kinematics.workspace, step.touching, body, pull, step.force);
            } else if drive.needs_row(&servo, arms.len()) {
                // The middle of the range is a constant force. The row carries the remainder.
                let middle = drive.range().0;
                arms.iter().for_each(|&(i, arm)| step.force[i] += arm * middle);
            } else {
                let slope = dt * servo.proportional + servo.derivative;
                for &(i, arm) in arms {
                    step.force[i] += arm * (servo.force - slope * moments.biases[row]);
                    step.added[i] += arm * arm * dt * slope;
                }
            }
        }
    }

    /// Rows of actuators that are limited, or whose implicit part couples coordinates.
    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        let moments = &at.kinematics.transmissions;
        for (row, (drive, servo)) in at.compiled.drives.drives.iter().zip(at.servos).enumerate() {
            let arms = moments.row(row);
            if matches!(drive.link, Link::Adhesion { .. }) || !drive.needs_row(servo, arms.len()) {
                continue; // part of A and the forces
            }
            let (middle, half) = drive.range();
            let law = RowLaw::Pd {
                proportional: servo.proportional,
                derivative: servo.derivative,
                position_error: 0.0,
                target_velocity: 0.0,
                feed_forward: servo.force - middle,
                effort_limit: half,
            };
            rows.problem.add_row(arms, moments.biases[row], law)?;
        }
        Ok(())
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        let (drives, moments) = (&at.compiled.drives.drives, &at.kinematics.transmissions);
        for (row, (drive, &ctrl)) in drives.iter().zip(&at.state.ctrl).enumerate() {
            // An early activation is the activation at the end of a step, which does not exist here.
            let input = drive.input(ctrl, &at.state.activation, 0.0);
            let force = drive.force(moments.lengths[row], moments.rate(row, &at.kinematics.v), input);
            moments.row(row).iter().for_each(|&(i, arm)| out[i] += arm * force);
        }
    }

    fn has_derivatives(&self, model: &Model) -> bool {
        let plain = |d: &Drive| {
            d.muscle.is_none() && d.gain[1..] == [0.0, 0.0] && matches!(d.link, Link::Coordinate { .. })
        };
        model.compiled().drives.drives.iter().all(plain)
    }

    /// A servo on a coordinate has −γ g in the residual, γ = δt clamp(u₀ − (δt K_p + K_d) g v⁺) and
    /// u₀ = gain · input + b₁ g q + b₂ g v, g its gear.
    fn derivatives(&self, step: &DifferentiatedStep, rhs: &mut DMatrix<f64>) {
        let drives = &step.model.compiled().drives.drives;
        let (dt, state, columns) = (step.dt, step.state, step.columns);
        for (row, drive) in drives.iter().enumerate() {
            let servo = &step.free.servos[row];
            let &[(k, gear)] = step.kinematics.transmissions.row(row) else { continue };
            if drive.limited() {
                let [low, high] = drive.force_range;
                let force = servo.force - (dt * servo.proportional + servo.derivative) * gear * step.v[k];
                if !(low..=high).contains(&force) {
                    continue;
                }
            }
            // An implicit slope uses the final velocity and does not depend on the initial one.
            let by_rate = if servo.derivative > 0.0 { 0.0 } else { drive.bias[2] };
            rhs[(k, k)] -= dt * gear * drive.bias[1] * gear;
            rhs[(k, columns.velocity(k))] -= dt * gear * by_rate * gear;
            let ctrl = state.ctrl[row];
            let by_ctrl = slope(ctrl, |ctrl| drive.input(ctrl, &state.activation, dt));
            rhs[(k, columns.control(row))] -= dt * gear * drive.gain[0] * by_ctrl;
            if let Some(i) = drive.activation {
                let mut activation = state.activation.clone();
                let by_activation = slope(state.activation[i], |a| {
                    activation[i] = a;
                    drive.input(ctrl, &activation, dt)
                });
                rhs[(k, columns.activation(i))] -= dt * gear * drive.gain[0] * by_activation;
            }
        }
    }
}
