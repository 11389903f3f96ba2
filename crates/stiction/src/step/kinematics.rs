//! Kinematics at a state: the first stage of a step and of all other queries about a state.
//!
//! Poses of all bodies, their twists, and the lengths and moment arms of tendons and actuators. Callers compute only
//! the parts that they need: [`Kinematics::positions`] for poses, [`Kinematics::lengths`] for tendons too,
//! [`Kinematics::at`] for everything.

use crate::forces::moments::{Moments, Place};
use crate::model::Compiled;
use crate::state::{MocapState, State};
use nalgebra::{Vector3, Vector6};
use stiction_model::Pose;
use stiction_multibody::{Multibody, Workspace};

/// Poses, velocities and lengths at a state.
pub(crate) struct Kinematics {
    /// Motion subspaces, poses and twists in the form of the multibody algorithms.
    pub workspace: Workspace,
    /// Poses of all bodies.
    pub x_wb: Vec<Pose>,
    /// Velocities; zero for locked joints.
    pub v: Vec<f64>,
    /// Lengths and moment arms of the tendons.
    pub tendons: Moments,
    /// Lengths and moment arms of the actuators.
    pub transmissions: Moments,
    /// For each equality between bodies, the separation acceleration of its points and axes at zero joint
    /// acceleration, m/s² and rad/s²; filled by [`Kinematics::drifts`].
    pub coupling_drifts: Vec<[f64; 2]>,
    at_rest: Vec<f64>,
}

impl Kinematics {
    pub fn new(compiled: &Compiled) -> Self {
        let multibody = &compiled.multibody;
        Self {
            workspace: Workspace::new(multibody),
            x_wb: vec![Pose::identity(); multibody.body_count()],
            v: vec![0.0; multibody.nv()],
            tendons: Moments::new(&compiled.tendons.pattern),
            transmissions: compiled.drives.moments(multibody),
            coupling_drifts: vec![[0.0; 2]; compiled.world.equalities.len()],
            at_rest: vec![0.0; multibody.nv()],
        }
    }

    /// Poses at positions `q`.
    pub fn positions(&mut self, compiled: &Compiled, mocap: &[MocapState], q: &[f64]) {
        let multibody = &compiled.multibody;
        place(multibody, mocap, q, &mut self.workspace);
        for (body, pose) in self.x_wb.iter_mut().enumerate() {
            *pose = multibody.pose(&self.workspace, body);
        }
    }

    /// Twists at velocities `v`, at the positions set last. A locked joint does not move.
    pub fn velocities(&mut self, compiled: &Compiled, v: &[f64]) {
        let multibody = &compiled.multibody;
        self.v.copy_from_slice(v);
        for (v, &locked) in self.v.iter_mut().zip(multibody.locked()) {
            if locked {
                *v = 0.0;
            }
        }
        multibody.velocities(&self.v, &mut self.workspace);
    }

    /// Poses, lengths and moment arms at positions `q`.
    pub fn lengths(&mut self, compiled: &Compiled, mocap: &[MocapState], q: &[f64]) {
        self.positions(compiled, mocap, q);
        let place = Place { compiled, q, mocap, workspace: &self.workspace, x_wb: &self.x_wb };
        if !compiled.world.tendons.is_empty() {
            compiled.tendons.update(&place, &mut self.tendons);
        }
        for (row, drive) in compiled.drives.drives.iter().enumerate() {
            drive.link.update(row, &place, &self.tendons, &mut self.transmissions);
        }
    }

    /// Poses, twists, lengths and moment arms at `state`.
    pub fn at(&mut self, compiled: &Compiled, state: &State) -> &mut Self {
        self.lengths(compiled, &state.mocap, &state.q);
        self.velocities(compiled, &state.v);
        self
    }

    /// Accelerations of tendons with inertia and of equalities between bodies at zero joint acceleration, at the
    /// last state.
    pub fn drifts(&mut self, compiled: &Compiled) {
        let (world, multibody) = (&compiled.world, &compiled.multibody);
        if compiled.tendons.heavy {
            compiled.tendons.drifts(world, multibody, &self.x_wb, &mut self.workspace, &mut self.tendons);
        }
        if world.equalities.iter().any(|e| e.bodies().is_some()) {
            multibody.accelerations(&self.at_rest, &mut self.workspace);
            for (k, equality) in world.equalities.iter().enumerate() {
                let Some([(a, p_a), (b, p_b)]) = equality.bodies() else { continue };
                let (a, b) = (self.drift(compiled, a, &p_a), self.drift(compiled, b, &p_b));
                // Two frames that rotate about different axes also separate at ω_a × ω_b.
                self.coupling_drifts[k] = [(b.0 - a.0).norm(), (b.1 - a.1).norm() + b.2.cross(&a.2).norm()];
            }
        }
    }

    /// Acceleration of a point (in its body's frame), angular acceleration and angular velocity of the body, as last set.
    fn drift(
        &self,
        compiled: &Compiled,
        body: usize,
        point: &Vector3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
        let (multibody, arm) = (&compiled.multibody, self.x_wb[body].rotation * point);
        let (alpha, a) = acceleration_at(multibody, &self.workspace, body, &arm);
        (a, alpha, parts(&multibody.twist(&self.workspace, body)).0)
    }

    /// Whether a body that no joint moves has a velocity, as one that is moved from outside.
    pub fn is_led(&self, compiled: &Compiled, body: usize) -> bool {
        let multibody = &compiled.multibody;
        multibody.body_tree(body).is_none() && multibody.twist(&self.workspace, body) != Vector6::zeros()
    }

    /// World position of a point fixed to a body.
    pub fn point(&self, body: usize, p_b: &Vector3<f64>) -> Vector3<f64> {
        (self.x_wb[body] * nalgebra::Point3::from(*p_b)).coords
    }

    /// Motion of body B relative to body A, including prescribed motion: velocity at the world's origin, and angular
    /// velocity, world axes.
    pub fn relative_twist(&self, compiled: &Compiled, bodies: (u32, u32)) -> (Vector3<f64>, Vector3<f64>) {
        let multibody = &compiled.multibody;
        let at_origin = |body: u32| {
            let (angular, linear) = parts(&multibody.twist(&self.workspace, body as usize));
            (linear - angular.cross(&multibody.origin(&self.workspace, body as usize)), angular)
        };
        let (a, b) = (at_origin(bodies.0), at_origin(bodies.1));
        (b.0 - a.0, b.1 - a.1)
    }
}

/// Poses of mocap bodies and of all others at positions `q`, in a workspace of its own.
pub(crate) fn place(multibody: &Multibody, mocap: &[MocapState], q: &[f64], workspace: &mut Workspace) {
    for (k, mocap) in mocap.iter().enumerate() {
        workspace.set_mocap(k, &mocap.pose, &Vector6::from(mocap.twist));
    }
    multibody.positions(q, workspace);
}

/// Angular and linear part of a spatial vector.
pub(crate) fn parts(x: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (x.fixed_rows::<3>(0).into(), x.fixed_rows::<3>(3).into())
}

/// A twist about a point at `arm` from the one it is about: v + ω × arm.
pub(crate) fn shifted(twist: &Vector6<f64>, arm: &Vector3<f64>) -> Vector6<f64> {
    let (w, v) = parts(twist);
    let v = v + w.cross(arm);
    Vector6::new(w.x, w.y, w.z, v.x, v.y, v.z)
}

/// Twist of a body about a world point.
pub(crate) fn twist_at(
    multibody: &Multibody,
    workspace: &Workspace,
    body: usize,
    point: &Vector3<f64>,
) -> Vector6<f64> {
    shifted(&multibody.twist(workspace, body), &(point - multibody.origin(workspace, body)))
}

/// Angular acceleration of a body, and acceleration of its point at `arm` (world axes) from its origin:
/// a + α × arm + ω × (ω × arm).
pub(crate) fn acceleration_at(
    multibody: &Multibody,
    workspace: &Workspace,
    body: usize,
    arm: &Vector3<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    let (w, _) = parts(&multibody.twist(workspace, body));
    let (alpha, a) = parts(&multibody.acceleration(workspace, body));
    (alpha, a + alpha.cross(arm) + w.cross(&w.cross(arm)))
}

/// Twist of a body about a world point due to the prescribed motion of its ancestors. `None` if none is prescribed.
pub(crate) fn prescribed_twist(
    compiled: &Compiled,
    mocap: &[MocapState],
    body: usize,
    point: &Vector3<f64>,
) -> Option<Vector6<f64>> {
    let mocap = &mocap[compiled.base_mocap[body]?];
    Some(shifted(&Vector6::from(mocap.twist), &(point - mocap.pose.translation.vector)))
}
