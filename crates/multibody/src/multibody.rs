//! The compiled trees: data that is constant during a simulation.

use crate::MultibodyError;
use crate::spatial::{Quat, V3};
use nalgebra::{Quaternion, UnitQuaternion};
use std::ops::Range;
use stiction_model::{Dof, JointKind, Pose, Vec3};

/// Motion of a node relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Motion {
    /// World or mocap body: a frame with prescribed motion.
    Base,
    /// Rotation about the axis, with a translation of `lead` metres per radian along it (0: a hinge).
    Screw,
    /// Translation along the axis.
    Slide,
    /// Any rotation.
    Ball,
    /// Any pose in the world.
    Free,
}

/// A frame that one primitive joint moves. Its origin lies on the joint's axis and its axes are those
/// of the body the joint belongs to; bodies are fixed to nodes. The last joint of a body carries the
/// inertia of that body and of everything welded to it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub motion: Motion,
    /// Its parent node; smaller than its own index.
    pub parent: usize,
    /// True for the first node of a tree.
    pub root: bool,
    pub tree: usize,
    /// First position and velocity coordinate, and the number of velocity coordinates.
    pub q: usize,
    pub v: usize,
    pub nv: usize,
    /// Rotation and origin in the parent node at zero displacement.
    pub turn: Quat,
    pub offset: V3,
    /// `turn` ⊗ (0, axis): with it the rotation by θ is cos(θ/2) `turn` + sin(θ/2) `turn_axis`.
    pub turn_axis: Quat,
    pub axis: V3,
    pub lead: f64,
    /// The displacement is q − `reference`.
    pub reference: f64,
    /// Inertia carried, about the centre of mass in node axes: xx, yy, zz, xy, xz, yz.
    pub mass: f64,
    pub com: V3,
    pub rotational: [f64; 6],
    /// Mass whose weight is cancelled, and its first moment in node axes.
    pub compensated_mass: f64,
    pub compensated_moment: V3,
}

impl Node {
    /// Whether it carries mass, or rotational inertia that files give to bodies without mass.
    pub fn has_inertia(&self) -> bool {
        self.mass != 0.0 || self.rotational != [0.0; 6]
    }
}

/// Node and pose to which a body is fixed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mount {
    pub node: usize,
    /// Pose of the body in the node.
    pub turn: Option<Quat>,
    pub offset: V3,
}

/// A tree of bodies: one joint on a fixed or prescribed body, and all its descendants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its position coordinates.
    pub q: Range<usize>,
    /// Its velocity coordinates.
    pub v: Range<usize>,
    /// The body its first joint moves.
    pub root_body: usize,
}

/// One joint of the description: its coordinates and kind.
#[derive(Clone, Debug, PartialEq)]
pub struct JointInfo {
    /// Name.
    pub name: String,
    /// The body it moves.
    pub body: usize,
    /// Its index in that body's list of joints.
    pub index: usize,
    /// Kind, with axes in the body frame.
    pub kind: JointKind,
    /// Its position coordinates.
    pub q: Range<usize>,
    /// Its velocity coordinates.
    pub v: Range<usize>,
    /// Compliance of its limits; `None` means near-rigid.
    pub limit_stiffness: Option<f64>,
    /// True if it is locked.
    pub locked: bool,
}

/// Trees of rigid bodies, compiled from a world by [`Multibody::new`]. It is immutable and can be shared.
#[derive(Clone, Debug)]
pub struct Multibody {
    pub(crate) nodes: Vec<Node>,
    /// Number of nodes at the front whose frames are given: the world, then the mocap bodies.
    pub(crate) bases: usize,
    pub(crate) base_poses: Vec<Pose>,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) body_names: Vec<String>,
    pub(crate) body_masses: Vec<f64>,
    pub(crate) body_trees: Vec<Option<usize>>,
    pub(crate) mocap_bodies: Vec<usize>,
    pub(crate) trees: Vec<Tree>,
    /// The nodes of each tree.
    pub(crate) tree_nodes: Vec<Range<usize>>,
    pub(crate) joints: Vec<JointInfo>,
    pub(crate) dofs: Vec<Dof>,
    pub(crate) parent_dof: Vec<Option<usize>>,
    /// For each velocity coordinate, the ranges of its ancestor coordinates, excluding itself.
    pub(crate) runs: Vec<Range<usize>>,
    pub(crate) run_start: Vec<usize>,
    /// For each node, the ranges of coordinates that move it, including its own.
    pub(crate) node_runs: Vec<Range<usize>>,
    pub(crate) node_run_start: Vec<usize>,
    pub(crate) locked: Vec<bool>,
    pub(crate) armature: Vec<f64>,
    pub(crate) damping: Vec<f64>,
    pub(crate) stiffness: Vec<f64>,
    pub(crate) default_q: Vec<f64>,
    pub(crate) gravity: Vec3,
    pub(crate) compensates: bool,
    pub(crate) springs: bool,
    /// Reason why forward dynamics has no solution, if any.
    pub(crate) no_inertia: Option<MultibodyError>,
}

impl Multibody {
    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        self.default_q.len()
    }

    /// Number of velocity coordinates.
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// Number of bodies, including the world.
    pub fn body_count(&self) -> usize {
        self.mounts.len()
    }

    /// Name of a body.
    pub fn body_name(&self, body: usize) -> &str {
        &self.body_names[body]
    }

    /// Mass of a body alone, kg.
    pub fn body_mass(&self, body: usize) -> f64 {
        self.body_masses[body]
    }

    /// Mass of all bodies, moving or not, kg.
    pub fn total_mass(&self) -> f64 {
        self.body_masses.iter().sum()
    }

    /// The tree a body belongs to; `None` for bodies fixed to the world or to a mocap body.
    pub fn body_tree(&self, body: usize) -> Option<usize> {
        self.body_trees[body]
    }

    /// The trees, in the order of their coordinates, which are contiguous and cover all coordinates.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// The joints of the description in the order of their coordinates.
    pub fn joints(&self) -> &[JointInfo] {
        &self.joints
    }

    /// Bodies with prescribed motion; the position in this list is the index `k` of [`crate::Workspace::set_mocap`].
    pub fn mocap_bodies(&self) -> &[usize] {
        &self.mocap_bodies
    }

    /// Properties of each velocity coordinate, as described.
    pub fn dofs(&self) -> &[Dof] {
        &self.dofs
    }

    /// True for each velocity coordinate of a locked joint.
    pub fn locked(&self) -> &[bool] {
        &self.locked
    }

    /// Armature plus gear_ratio² · rotor_inertia of each velocity coordinate; part of the mass matrix.
    pub fn armature(&self) -> &[f64] {
        &self.armature
    }

    /// Damping coefficient of each velocity coordinate: the passive force is −damping · v.
    pub fn damping(&self) -> &[f64] {
        &self.damping
    }

    /// Spring stiffness of each velocity coordinate, rotational springs of ball and free joints spread
    /// over their coordinates. To first order the passive force changes by −stiffness · dt · v in dt.
    pub fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    /// Positions at which every body has the pose of the description.
    pub fn default_q(&self) -> &[f64] {
        &self.default_q
    }

    /// Gravity of the description, m/s²; a workspace starts with it.
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// The ranges of velocity coordinates that move a body: the columns of its Jacobian that are not
    /// structurally zero.
    pub fn body_dofs(&self, body: usize) -> &[Range<usize>] {
        self.node_dofs(self.mounts[body].node)
    }

    pub(crate) fn node_dofs(&self, node: usize) -> &[Range<usize>] {
        &self.node_runs[self.node_run_start[node]..self.node_run_start[node + 1]]
    }

    /// The parent velocity coordinate of `dof`, `None` for the first of a tree: the mass matrix couples a coordinate
    /// with those it reaches this way, and with those that reach it.
    pub fn parent_dof(&self, dof: usize) -> Option<usize> {
        self.parent_dof[dof]
    }

    #[inline(always)]
    pub(crate) fn ancestors(&self, dof: usize) -> &[Range<usize>] {
        &self.runs[self.run_start[dof]..self.run_start[dof + 1]]
    }
}

pub(crate) fn quat_of(rotation: &UnitQuaternion<f64>) -> Quat {
    [rotation.w, rotation.i, rotation.j, rotation.k]
}

pub(crate) fn unit_quaternion(q: Quat) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(q[0], q[1], q[2], q[3]))
}
