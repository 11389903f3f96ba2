//! Ready-made controllers: joints along a path, and a frame along a path of poses.

use crate::Model;
use crate::control::controller::{Controller, Sample, positive_period};
use crate::control::inverse_kinematics::{IkSettings, IkSolution, InverseKinematics};
use crate::control::joint_path::{JointPath, JointPoint};
use crate::control::joints::Joints;
use crate::control::law::{JointControlLaw, JointLaw};
use crate::control::pose_path::{PosePath, PosePoint};
use crate::error::InputError;

/// Joints follow a path in joint space.
pub struct JointTracking {
    law: JointLaw,
    path: JointPath,
    period: f64,
    reference: JointPoint,
}

impl JointTracking {
    /// Calls the law every `period` seconds (0: every step). Fails if path and joints differ in number.
    pub fn new(law: JointLaw, path: JointPath, period: f64) -> Result<Self, InputError> {
        let mut reference = JointPoint::default();
        path.at(path.end(), &mut reference);
        let (given, needed) = (reference.q.len(), law.joints().len());
        if given != needed {
            return Err(InputError::Length { what: "a keyframe of the path", given, needed });
        }
        Ok(Self { law, path, period, reference })
    }
}

impl Controller for JointTracking {
    fn period(&self) -> f64 {
        self.period
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        _memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        self.path.at(sample.time, &mut self.reference);
        self.law.apply(sample, &self.reference, ctrl)
    }
}

/// Tracks desired poses of a frame by differential inverse kinematics. [`PoseTracking`] uses it, and so can
/// controllers that compute their targets online.
///
/// The caller stores the reference joint positions in the controller's memory. The memory is empty at first, and the
/// positions are taken from the sample. Afterwards it has one position per joint. Inverse kinematics works on this
/// reference, not on the measured positions, so it is smooth and independent of the load. The joint law makes the
/// joints track it.
pub struct PoseServo {
    ik: InverseKinematics,
    law: JointLaw,
    q: Vec<f64>,
    reference: JointPoint,
    before: Vec<f64>,
}

impl PoseServo {
    /// Tracks a site with joints under a control law.
    pub fn new(
        model: &Model,
        joints: &Joints,
        site: &str,
        settings: IkSettings,
        law: JointControlLaw,
    ) -> Result<Self, InputError> {
        let ik = InverseKinematics::of_site(model, joints.clone(), site, settings)?;
        let law = JointLaw::new(model, joints.clone(), law)?;
        let reference = JointPoint::rest(&vec![0.0; joints.len()]);
        Ok(Self { ik, law, q: Vec::new(), before: vec![0.0; joints.len()], reference })
    }

    /// The inverse kinematics.
    pub fn ik(&mut self) -> &mut InverseKinematics {
        &mut self.ik
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.reference.q.len()
    }

    /// Whether there is no joint.
    pub fn is_empty(&self) -> bool {
        self.reference.q.is_empty()
    }

    /// Pose of the frame at the reference in `memory`, or at the sample if the memory is empty.
    pub fn reference_pose(&mut self, sample: &Sample<'_>, memory: &[f64]) -> stiction_model::Pose {
        self.place(sample, memory);
        self.ik.pose(sample.model, &self.q, sample.mocap)
    }

    fn place(&mut self, sample: &Sample<'_>, memory: &[f64]) {
        self.q.clear();
        self.q.extend_from_slice(sample.q);
        for (joint, q) in self.ik.joints().iter().zip(memory) {
            self.q[joint.q] = *q;
        }
    }

    /// Writes the controls that move the frame to `target`, and advances the reference in `memory` (positions, then
    /// velocities, one per joint) to the next sample. It is called every `period` seconds.
    pub fn follow(
        &mut self,
        sample: &Sample<'_>,
        target: &PosePoint,
        period: f64,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<IkSolution, String> {
        let n = self.len();
        if memory.len() < 2 * n {
            memory.clear();
            memory.extend(self.ik.joints().iter().map(|j| sample.q[j.q]));
            memory.resize(2 * n, 0.0);
        }
        self.place(sample, &memory[..n]);
        self.before.copy_from_slice(&memory[n..2 * n]);
        let solution =
            self.ik.solve(sample.model, &self.q, sample.mocap, target, period, &mut self.reference.v)?;
        for (i, joint) in self.ik.joints().iter().enumerate() {
            let v = self.reference.v[i];
            self.reference.q[i] = memory[i];
            self.reference.a[i] = if period > 0.0 { (v - self.before[i]) / period } else { 0.0 };
            // The bound on v holds up to rounding.
            memory[i] =
                (memory[i] + period * v).clamp(joint.lower.min(memory[i]), joint.upper.max(memory[i]));
            memory[n + i] = v;
        }
        self.law.apply(sample, &self.reference, ctrl)?;
        Ok(solution)
    }
}

/// A frame follows a path of poses.
pub struct PoseTracking {
    servo: PoseServo,
    path: PosePath,
    period: f64,
}

impl PoseTracking {
    /// Called every `period` seconds, which must be positive: it is the step of the reference.
    pub fn new(servo: PoseServo, path: PosePath, period: f64) -> Result<Self, InputError> {
        let period = positive_period(period, "tracking a pose")?;
        Ok(Self { servo, path, period })
    }
}

impl Controller for PoseTracking {
    fn period(&self) -> f64 {
        self.period
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        let target = self.path.at(sample.time);
        self.servo.follow(sample, &target, self.period, ctrl, memory).map(|_| ())
    }
}
