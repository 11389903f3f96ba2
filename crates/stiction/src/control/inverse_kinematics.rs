//! Differential inverse kinematics: joint velocities that move a frame as wanted, within the joints' limits.
//!
//! ```text
//! min  Σᵢ wᵢ² (J v − V)ᵢ² + λ² |v − v_p|²     V = V_d + k e,  e = [log(R_d Rᵀ); p_d − p]
//! s.t. −s ≤ v ≤ s                             speeds
//!      lower ≤ q + T v ≤ upper                positions at the next sample
//! ```
//!
//! with rows i along the axes of the wanted frame, angles weighed by a length (m/rad), and v_p a pull towards a posture.
//! λ is the damping that keeps velocities bounded near singular positions (Nakamura & Hanafusa 1986): with σ the smallest
//! singular value of the weighed J, λ² = λ₀² (1 − σ²/ε²) below ε and a floor of (λ₀/100)² everywhere. The bounds are
//! kept exactly: velocities to the last bit, positions to one rounding.

use crate::Model;
use crate::control::box_qp::BoxQp;
use crate::control::joints::Joints;
use crate::control::pose_path::PosePoint;
use crate::error::InputError;
use crate::state::MocapState;
use nalgebra::{Matrix6, Vector3, Vector6};
use stiction_model::Pose;
use stiction_multibody::Workspace;

/// How the frame is to follow.
#[derive(Clone, Debug, PartialEq)]
pub struct IkSettings {
    /// k: rate at which an error of pose is worked off, 1/s.
    pub gain: f64,
    /// λ₀: how much a joint's velocity costs at singular positions, in m/s of error per rad/s: an error of 1 m/s asks for
    /// 1/(2 λ₀) rad/s at most.
    pub damping: f64,
    /// ε: smallest singular value from which on a position counts as regular and is not damped, m/rad.
    pub regular: f64,
    /// What an error of a radian counts as, m.
    pub length: f64,
    /// Weights of [angular; linear] errors along the axes of the wanted frame; 0 leaves one free.
    pub weights: [f64; 6],
    /// Most linear speed asked for, m/s.
    pub linear_speed: f64,
    /// Most angular speed asked for, rad/s.
    pub angular_speed: f64,
    /// Positions that the joints tend to where the frame leaves them free, with a rate, 1/s.
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

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkSolution {
    /// Distance from the wanted position before the motion, m.
    pub position_error: f64,
    /// Angle from the wanted orientation before the motion, rad.
    pub angle_error: f64,
    /// How many joints are at a limit of speed or position.
    pub limited: usize,
}

/// Differential inverse kinematics of a frame fixed to a body, by a choice of joints.
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
    /// Of the frame at `x_bf` in body number `body`. Fails if no chosen joint moves the body, or for settings out of range.
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

    /// Of a site, by name.
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
        for (k, mocap) in mocap.iter().enumerate() {
            self.workspace.set_mocap(k, &mocap.pose, &mocap.twist.into());
        }
        model.multibody().positions(q, &mut self.workspace);
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
        // Rows in the axes of the wanted frame, with their weights.
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
            // Back into the limits no faster than the joint may move.
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

    /// Joint positions (one a joint) that put the frame at `pose`, searched from all coordinates at `q`, within the limits;
    /// for planning. None if it is not reached to a micrometre and a microradian within 200 iterations.
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

/// λ² with the Gram matrix J Jᵀ of the weighed Jacobian, whose rank is `rank` at regular positions.
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
