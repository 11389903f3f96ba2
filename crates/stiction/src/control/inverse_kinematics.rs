//! Differential inverse kinematics: joint velocities for a desired motion of a frame, within the joint limits.
//!
//! ```text
//! min  Σᵢ wᵢ² (J v − V)ᵢ² + λ² |v − v_p|²     V = V_d + k e,  e = [log(R_d Rᵀ); p_d − p]
//! s.t. −s ≤ v ≤ s                             speeds
//!      lower ≤ q + T v ≤ upper                positions at the next sample
//! ```
//!
//! with rows i along the axes of the desired frame, angles weighted by a length (m/rad), and v_p a velocity towards
//! a posture. λ is the damping that keeps velocities bounded near singular configurations (Nakamura & Hanafusa
//! 1986): with σ the smallest singular value of the weighted J, λ² = λ₀² (1 − σ²/ε²) below ε and a floor of
//! (λ₀/100)² everywhere. Velocity bounds hold exactly, position bounds to one rounding.

use crate::Model;
use crate::control::box_qp::BoxQp;
use crate::control::joints::Joints;
use crate::control::pose_path::PosePoint;
use crate::error::InputError;
use crate::state::MocapState;
use crate::step::kinematics::place;
use nalgebra::{Matrix6, Vector3, Vector6};
use stiction_model::Pose;
use stiction_multibody::Workspace;

/// Settings of differential inverse kinematics.
#[derive(Clone, Debug, PartialEq)]
pub struct IkSettings {
    /// k: rate at which a pose error is corrected, 1/s.
    pub gain: f64,
    /// λ₀: cost of a joint's velocity at singular configurations, in m/s of error per rad/s. An error of 1 m/s gives
    /// at most 1/(2 λ₀) rad/s.
    pub damping: f64,
    /// ε: smallest singular value above which a configuration is regular and not damped, m/rad.
    pub regular: f64,
    /// Length by which angular errors are weighted, m/rad.
    pub length: f64,
    /// Weights of [angular; linear] errors along the axes of the desired frame; 0 leaves an axis free.
    pub weights: [f64; 6],
    /// Maximum commanded linear speed, m/s.
    pub linear_speed: f64,
    /// Maximum commanded angular speed, rad/s.
    pub angular_speed: f64,
    /// Posture for the redundant joint motion, with a rate, 1/s.
    pub posture: Option<(Vec<f64>, f64)>,
}

impl Default for IkSettings {
    fn default() -> Self {
        Self {
            gain: 10.0,
            damping: 0.02,
            regular: 0.03,
            length: 0.1,
            weights: [1.0; 6],
            linear_speed: 1.0,
            angular_speed: 3.0,
            posture: None,
        }
    }
}

/// Result of one solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkSolution {
    /// Distance from the desired position before the motion, m.
    pub position_error: f64,
    /// Angle from the desired orientation before the motion, rad.
    pub angle_error: f64,
    /// Number of joints at a speed or position limit.
    pub limited: usize,
}

/// Differential inverse kinematics of a body-fixed frame, with a selection of joints.
pub struct InverseKinematics {
    joints: Joints,
    body: usize,
    x_bf: Pose,
    settings: IkSettings,
    workspace: Workspace,
    columns: Vec<[f64; 6]>,
    /// First velocity coordinate of the body's tree.
    first: usize,
    qp: BoxQp,
}

impl InverseKinematics {
    /// Inverse kinematics of the frame at `x_bf` in body `body`. Fails if no selected joint moves the body, or if a
    /// setting is out of range.
    pub fn new(
        model: &Model,
        joints: Joints,
        body: usize,
        x_bf: Pose,
        settings: IkSettings,
    ) -> Result<Self, InputError> {
        let refuse = |what: &str| Err(InputError::Control(format!("inverse kinematics: {what}")));
        let multibody = model.multibody();
        let tree = (body < multibody.body_count()).then(|| multibody.body_tree(body)).flatten();
        let Some(tree) = tree else {
            return refuse("the body is fixed or does not exist; choose one that joints move");
        };
        let range = multibody.trees()[tree].v.clone();
        if let Some(joint) = joints.iter().find(|j| !range.contains(&j.v)) {
            return refuse(&format!("joint \"{}\" belongs to another tree than the frame", joint.name));
        }
        let numbers = [settings.gain, settings.linear_speed, settings.angular_speed];
        if numbers.iter().any(|x| x.is_nan() || *x < 0.0)
            || !(settings.damping > 0.0 && settings.length > 0.0)
        {
            return refuse("gain and speeds must not be negative, damping and length must be positive");
        }
        if let Some((posture, _)) = settings.posture.as_ref().filter(|p| p.0.len() != joints.len()) {
            let (given, needed) = (posture.len(), joints.len());
            return Err(InputError::Length { what: "posture", given, needed });
        }
        Ok(Self {
            qp: BoxQp::new(joints.len()),
            joints,
            body,
            x_bf,
            settings,
            workspace: Workspace::new(multibody),
            columns: vec![[0.0; 6]; range.len()],
            first: range.start,
        })
    }

    /// Inverse kinematics of a site, by name.
    pub fn of_site(
        model: &Model,
        joints: Joints,
        site: &str,
        settings: IkSettings,
    ) -> Result<Self, InputError> {
        let site = &model.world().sites[model.site_index(site)?];
        Self::new(model, joints, site.body, site.pose, settings)
    }

    /// The joints.
    pub fn joints(&self) -> &Joints {
        &self.joints
    }

    /// Pose of the frame in the world with all coordinates at `q`.
    pub fn pose(&mut self, model: &Model, q: &[f64], mocap: &[MocapState]) -> Pose {
        place(model.multibody(), mocap, q, &mut self.workspace);
        model.multibody().pose(&self.workspace, self.body) * self.x_bf
    }

    /// Velocities of the joints, into `v` (one a joint), from all coordinates at `q`, to be held for `period` (s).
    pub fn solve(
        &mut self,
        model: &Model,
        q: &[f64],
        mocap: &[MocapState],
        target: &PosePoint,
        period: f64,
        v: &mut [f64],
    ) -> Result<IkSolution, String> {
        let x_wf = self.pose(model, q, mocap);
        let (settings, p) = (&self.settings, x_wf.translation.vector);
        model.multibody().body_jacobian(&self.workspace, self.body, &p, &mut self.columns);
        let turn = (target.pose.rotation * x_wf.rotation.inverse()).scaled_axis();
        let shift = target.pose.translation.vector - p;
        let (w_d, v_d) = (target.twist.fixed_rows::<3>(0), target.twist.fixed_rows::<3>(3));
        let wanted_w = cap(w_d + settings.gain * turn, settings.angular_speed);
        let wanted_v = cap(v_d + settings.gain * shift, settings.linear_speed);
        let back = target.pose.rotation.inverse();
        // Rows in the axes of the desired frame, with their weights.
        let row = |w: Vector3<f64>, v: Vector3<f64>| {
            let (w, v) = (settings.length * (back * w), back * v);
            Vector6::new(w.x, w.y, w.z, v.x, v.y, v.z).component_mul(&Vector6::from(settings.weights))
        };
        let wanted = row(wanted_w, wanted_v);
        let column = |joint: usize| {
            let c = &self.columns[joint - self.first];
            row(Vector3::new(c[0], c[1], c[2]), Vector3::new(c[3], c[4], c[5]))
        };
        let mut gram = Matrix6::zeros();
        for joint in self.joints.iter() {
            let c = column(joint.v);
            gram += c * c.transpose();
        }
        let rank = settings.weights.iter().filter(|w| **w != 0.0).count().min(self.joints.len());
        let cost = damping(settings, &gram, rank);
        for (i, a) in self.joints.iter().enumerate() {
            let ca = column(a.v);
            let pull = settings.posture.as_ref().map_or(0.0, |(q0, rate)| rate * (q0[i] - q[a.q]));
            self.qp.g[i] = ca.dot(&wanted) + cost * pull;
            for (j, b) in self.joints.iter().enumerate().take(i + 1) {
                let h = ca.dot(&column(b.v)) + if i == j { cost } else { 0.0 };
                (self.qp.h[(i, j)], self.qp.h[(j, i)]) = (h, h);
            }
            // The return into the limits respects the speed limit.
            let bound =
                |end: f64| if period > 0.0 { (end - q[a.q]) / period } else { end.signum() * a.speed };
            self.qp.lo[i] = bound(a.lower).clamp(-a.speed, a.speed);
            self.qp.hi[i] = bound(a.upper).clamp(-a.speed, a.speed);
        }
        let Some(limited) = self.qp.solve() else {
            return Err("inverse kinematics has no solution: the state or the target is not finite".into());
        };
        v.copy_from_slice(&self.qp.x);
        Ok(IkSolution { position_error: shift.norm(), angle_error: turn.norm(), limited })
    }

    /// Joint positions (one a joint) that put the frame at `pose`, within the limits, for planning. The search
    /// starts from the coordinates `q`. Returns `None` if the error exceeds a micrometre or a microradian after 200
    /// iterations.
    pub fn reach(&mut self, model: &Model, q: &[f64], mocap: &[MocapState], pose: &Pose) -> Option<Vec<f64>> {
        let (mut q, mut v) = (q.to_vec(), vec![0.0; self.joints.len()]);
        let kept = self.settings.clone();
        self.settings =
            IkSettings { gain: 1.0, linear_speed: 0.2, angular_speed: 0.5, posture: None, ..kept.clone() };
        let target = PosePoint { pose: *pose, twist: Vector6::zeros() };
        let mut found = false;
        for _ in 0..200 {
            let Ok(solution) = self.solve(model, &q, mocap, &target, 1.0, &mut v) else { break };
            found = solution.position_error < 1e-6 && solution.angle_error < 1e-6;
            if found {
                break;
            }
            for (joint, v) in self.joints.iter().zip(&v) {
                q[joint.q] = (q[joint.q] + v).clamp(joint.lower, joint.upper);
            }
        }
        self.settings = kept;
        found.then(|| self.joints.iter().map(|j| q[j.q]).collect())
    }
}

/// λ² from the Gram matrix J Jᵀ of the weighted Jacobian, which has rank `rank` at regular configurations.
fn damping(settings: &IkSettings, gram: &Matrix6<f64>, rank: usize) -> f64 {
    let mut squares = gram.symmetric_eigenvalues();
    squares.as_mut_slice().sort_unstable_by(|a, b| b.total_cmp(a));
    let least = squares[rank.max(1) - 1].max(0.0) / (settings.regular * settings.regular);
    settings.damping * settings.damping * (1e-4 + (1.0 - least).max(0.0))
}

fn cap(v: Vector3<f64>, most: f64) -> Vector3<f64> {
    let length = v.norm();
    if length > most { v * (most / length) } else { v }
}
