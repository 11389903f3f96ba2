//! Gripper closing to a given force.
//!
//! A motor drives the finger (or two, coupled by the model). With f the normal force on the pads, f_d the desired
//! force, and ẋ the closing speed,
//!
//! ```text
//! touching   u = n f_d + i − c ẋ      i ← i + T k (n f_d − Σ f)      n pads
//! apart      u = i + c (s − ẋ)        i ← i + T k c (s − ẋ)          closes at the speed s
//! ```
//!
//! with i within ± n f_d. The first term alone would suffice for a finger without friction, slope and inertia. The
//! integral compensates for these. Its value from the approach is kept when contact begins.

use crate::Model;
use crate::control::controller::{Controller, Sample, positive_period};
use crate::control::joint_path::{JointPath, JointPoint};
use crate::control::joints::{Drive, Joints};
use crate::control::senses::{Part, Senses};
use crate::error::InputError;

/// Gains of the grip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripGains {
    /// k: rate of the integral, 1/s.
    pub integral: f64,
    /// c: damping, N s/m.
    pub damping: f64,
    /// s: speed of closing before contact, m/s.
    pub speed: f64,
}

impl Default for GripGains {
    fn default() -> Self {
        Self { integral: 10.0, damping: 20.0, speed: 0.1 }
    }
}

/// Force feedback of a gripper from contact results. Requires [`Senses::touches`](crate::control::Senses::touches).
#[derive(Clone, Debug)]
pub struct GripForce {
    actuator: usize,
    v: usize,
    q: usize,
    scale: f64,
    offset: f64,
    /// +1 if the joint's position grows as the finger closes.
    closing: f64,
    pads: Vec<Part>,
    gains: GripGains,
}

impl GripForce {
    /// Creates a grip for the slide `joint`, which must have a motor. `closing` is +1 if its position grows as the
    /// gripper closes, −1 if it decreases. `pads` are the parts whose contact forces are measured: the fingers of
    /// one gripper.
    pub fn new(
        model: &Model,
        joint: &str,
        closing: f64,
        pads: Vec<Part>,
        gains: GripGains,
    ) -> Result<Self, InputError> {
        let joints = Joints::new(model, &[joint])?;
        joints.need("motor", |d| matches!(d, Drive::Motor { .. }))?;
        let numbers = [gains.integral, gains.damping, gains.speed];
        if pads.is_empty() || closing.abs() != 1.0 || numbers.iter().any(|x| !(*x >= 0.0 && x.is_finite())) {
            let text = "a grip needs pads, a direction of closing of 1 or −1 and gains that are not negative";
            return Err(InputError::Control(text.into()));
        }
        let chosen = joints.iter().next().expect("one joint was chosen");
        let (Drive::Motor { scale, offset }, Some(actuator)) = (chosen.drive, chosen.actuator) else {
            return Err(InputError::Control(format!("joint \"{joint}\" has no motor")));
        };
        Ok(Self { actuator, v: chosen.v, q: chosen.q, scale, offset, closing, pads, gains })
    }

    /// Sum of the normal forces on the pads in the last step, N.
    pub fn felt(&self, sample: &Sample<'_>) -> Result<f64, String> {
        self.pads.iter().map(|pad| sample.normal_force(*pad, Part::Any)).sum()
    }

    /// Writes the control of the finger's motor so that each pad presses with `force` (N). The caller stores
    /// `integral` (N) in its memory; it is 0 at first.
    pub fn press(
        &self,
        sample: &Sample<'_>,
        force: f64,
        period: f64,
        ctrl: &mut [f64],
        integral: &mut f64,
    ) -> Result<f64, String> {
        let felt = self.felt(sample)?;
        let wanted = force * self.pads.len() as f64;
        let speed = self.closing * sample.v[self.v];
        let GripGains { integral: rate, damping, .. } = self.gains;
        let lag = damping * (self.gains.speed - speed);
        let (missing, push) = if felt > 0.0 { (wanted - felt, wanted - damping * speed) } else { (lag, lag) };
        *integral = (*integral + period * rate * missing).clamp(-wanted, wanted);
        let push = push + *integral;
        ctrl[self.actuator] = (self.closing * push - self.offset) / self.scale;
        Ok(felt)
    }

    /// Moves the finger's joint towards a position (m), ignoring contact, at no more than the closing speed.
    pub fn move_to(&self, sample: &Sample<'_>, position: f64, ctrl: &mut [f64]) {
        let (c, s) = (self.gains.damping, self.gains.speed);
        // Ten times the error per second, no faster than allowed.
        let wanted = (10.0 * (position - sample.q[self.q])).clamp(-s, s);
        ctrl[self.actuator] = (c * (wanted - sample.v[self.v]) - self.offset) / self.scale;
    }
}

/// A controller that presses with a force over time. Its memory contains the integral (N) and the sum of the
/// measured forces (N).
pub struct GripTracking {
    grip: GripForce,
    force: JointPath,
    period: f64,
    wanted: JointPoint,
}

impl GripTracking {
    /// Presses on each pad with `force`, a path with one number a keyframe (N), called every `period` seconds, which must be
    /// positive: it is the step of the integral.
    pub fn new(grip: GripForce, force: JointPath, period: f64) -> Result<Self, InputError> {
        let period = positive_period(period, "gripping by force")?;
        let mut wanted = JointPoint::default();
        force.at(force.end(), &mut wanted);
        match wanted.q.len() {
            1 => Ok(Self { grip, force, period, wanted }),
            given => Err(InputError::Length { what: "a keyframe of the grip's force", given, needed: 1 }),
        }
    }
}

impl Controller for GripTracking {
    fn period(&self) -> f64 {
        self.period
    }

    fn senses(&self) -> Senses {
        Senses::touches()
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        memory.resize(2, 0.0);
        self.force.at(sample.time, &mut self.wanted);
        let force = self.wanted.q[0].max(0.0);
        memory[1] = self.grip.press(sample, force, self.period, ctrl, &mut memory[0])?;
        Ok(())
    }
}
