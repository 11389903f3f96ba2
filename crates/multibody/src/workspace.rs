//! Quantities that depend on the state: sized once from a [`Multibody`], refilled by its functions.

use crate::multibody::{Multibody, quat_of};
use crate::spatial::{M3, Quat, RigidInertia, V3, V6, matrix};
use nalgebra::Vector6;
use stiction_model::{Pose, Vec3};

/// Frame of one node. Positions are from the reference point of its tree; of a base, from the world
/// origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub quat: Quat,
    pub rot: M3,
    pub origin: V3,
    /// Centre of the mass the node carries.
    pub com: V3,
}

/// Scratch and results for one state of a [`Multibody`]. It always contains a consistent state. A new workspace is
/// at the default positions at rest.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Acceleration of gravity used by the dynamics, m/s², world axes.
    pub gravity: Vec3,
    /// Sine and cosine of half the angle of each node that turns about an axis.
    pub(crate) half_turns: Vec<(f64, f64)>,
    pub(crate) frames: Vec<Frame>,
    /// Reference point of each tree in the world.
    pub(crate) origins: Vec<V3>,
    /// Motion of each base: angular velocity, velocity of its origin.
    pub(crate) base_twists: Vec<V6>,
    /// Motion-subspace column of each velocity coordinate.
    pub(crate) s: Vec<V6>,
    /// Motion of each node, and its velocity-product acceleration.
    pub(crate) v: Vec<V6>,
    pub(crate) c: Vec<V6>,
    /// Acceleration of each node.
    pub(crate) a: Vec<V6>,
    /// Force on each node.
    pub(crate) f: Vec<V6>,
    /// Inertia carried by each node, valid when `inertias_ready`.
    pub(crate) inertias: Vec<RigidInertia>,
    pub(crate) inertias_ready: bool,
    pub(crate) composite: Vec<RigidInertia>,
    pub(crate) articulated: Vec<crate::forward::ArticulatedInertia>,
    /// Per velocity coordinate, for forward dynamics: IA S, 1/(Sᵀ IA S + armature), and u.
    pub(crate) u: Vec<V6>,
    pub(crate) inv_d: Vec<f64>,
    pub(crate) rest: Vec<f64>,
}

impl Workspace {
    /// A workspace for `multibody` at its default positions, at rest.
    pub fn new(multibody: &Multibody) -> Self {
        let (nodes, nv) = (multibody.nodes.len(), multibody.nv());
        let identity = Frame {
            quat: [1.0, 0.0, 0.0, 0.0],
            rot: matrix([1.0, 0.0, 0.0, 0.0]),
            origin: [0.0; 3],
            com: [0.0; 3],
        };
        let mut this = Self {
            gravity: multibody.gravity,
            half_turns: vec![(0.0, 1.0); nodes],
            frames: vec![identity; nodes],
            origins: vec![[0.0; 3]; multibody.trees.len()],
            base_twists: vec![[0.0; 6]; multibody.bases],
            s: vec![[0.0; 6]; nv],
            v: vec![[0.0; 6]; nodes],
            c: vec![[0.0; 6]; nodes],
            a: vec![[0.0; 6]; nodes],
            f: vec![[0.0; 6]; nodes],
            inertias: vec![RigidInertia::default(); nodes],
            inertias_ready: false,
            composite: vec![RigidInertia::default(); nodes],
            articulated: vec![Default::default(); nodes],
            u: vec![[0.0; 6]; nv],
            inv_d: vec![0.0; nv],
            rest: vec![0.0; nv],
        };
        for (base, pose) in multibody.base_poses.iter().enumerate() {
            this.set_base(base, pose, [0.0; 6]);
        }
        multibody.positions(multibody.default_q(), &mut this);
        this
    }

    /// Prescribes the motion of the mocap body number `k` (see [`Multibody::mocap_bodies`]): its pose in
    /// the world and its twist [angular; linear of its origin] in world axes. Call
    /// [`Multibody::positions`] and [`Multibody::velocities`] afterwards if a tree is attached to it.
    pub fn set_mocap(&mut self, k: usize, pose: &Pose, twist: &Vector6<f64>) {
        assert!(k + 1 < self.base_twists.len(), "there is no mocap body number {k}");
        self.set_base(k + 1, pose, (*twist).into());
    }

    fn set_base(&mut self, base: usize, pose: &Pose, twist: V6) {
        let quat = quat_of(&pose.rotation);
        let origin = pose.translation.vector.into();
        self.frames[base] = Frame { quat, rot: matrix(quat), origin, com: origin };
        self.base_twists[base] = twist;
    }
}
