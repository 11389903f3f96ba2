//! Joints: how a body may move relative to its parent.

use crate::{Source, Vec3};
use serde::{Deserialize, Serialize};

/// The kinds of joints. Axes are unit vectors in the frame of the child body.
///
/// Positions and velocities are laid out as MuJoCo lays out `qpos` and `qvel`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// Rotation about one axis: q is the angle in rad.
    Hinge {
        /// Axis of rotation.
        axis: Vec3,
    },
    /// Translation along one axis: q in m.
    Slide {
        /// Direction of translation.
        axis: Vec3,
    },
    /// Rotation with proportional translation: q is the angle in rad.
    Screw {
        /// Axis of rotation and translation.
        axis: Vec3,
        /// Translation per full turn, m.
        pitch: f64,
    },
    /// Translation along, then rotation about one axis: q = [m, rad].
    Cylindrical {
        /// The common axis.
        axis: Vec3,
    },
    /// Rotation about a first axis, then about a second one carried by the first: q = [rad, rad].
    Universal {
        /// First axis, fixed in the parent.
        first: Vec3,
        /// Second axis, fixed in the child.
        second: Vec3,
    },
    /// Translation along x and y of a plane, then rotation about its normal: q = [m, m, rad].
    Planar {
        /// First direction in the plane.
        x: Vec3,
        /// Second direction in the plane, orthogonal to `x`.
        y: Vec3,
    },
    /// Any rotation about the anchor: q = unit quaternion, w first; v = angular velocity in the
    /// child frame.
    Ball,
    /// Any motion: q = [x y z, qw qx qy qz] in the world; v = [velocity of the body origin in
    /// world axes, angular velocity in body axes]. Only for children of the world, as their only joint.
    Free,
}

impl JointKind {
    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        match self {
            Self::Ball => 4,
            Self::Free => 7,
            other => other.nv(),
        }
    }

    /// Number of velocity coordinates.
    pub fn nv(&self) -> usize {
        match self {
            Self::Hinge { .. } | Self::Slide { .. } | Self::Screw { .. } => 1,
            Self::Cylindrical { .. } | Self::Universal { .. } => 2,
            Self::Planar { .. } | Self::Ball => 3,
            Self::Free => 6,
        }
    }

    /// Whether a velocity coordinate turns the body (rad/s), or moves it along (m/s).
    pub fn turns(&self, coordinate: usize) -> bool {
        match self {
            Self::Hinge { .. } | Self::Screw { .. } | Self::Universal { .. } | Self::Ball => true,
            Self::Slide { .. } => false,
            Self::Cylindrical { .. } => coordinate == 1,
            Self::Planar { .. } => coordinate == 2,
            Self::Free => coordinate >= 3,
        }
    }

    /// Whether it moves bodies along, besides turning them.
    pub fn translates(&self) -> bool {
        matches!(self, Self::Screw { .. }) || (0..self.nv()).any(|k| !self.turns(k))
    }

    /// The word used for this kind in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Hinge { .. } => "hinge",
            Self::Slide { .. } => "slide",
            Self::Screw { .. } => "screw",
            Self::Cylindrical { .. } => "cylindrical",
            Self::Universal { .. } => "universal",
            Self::Planar { .. } => "planar",
            Self::Ball => "ball",
            Self::Free => "free",
        }
    }
}

/// Properties of one velocity coordinate. Units are N, m for translations, N m, rad for rotations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dof {
    /// Viscous damping, force per velocity.
    pub damping: f64,
    /// Spring stiffness, force per displacement. A ball joint uses the value of its first
    /// coordinate for a rotational spring towards its reference orientation; a free joint uses the
    /// first for its position and the fourth for its orientation.
    pub stiffness: f64,
    /// Position at which the spring is relaxed.
    pub rest: f64,
    /// Inertia added on the diagonal of the mass matrix, as seen at the joint.
    pub armature: f64,
    /// Inertia of the motor's rotor; adds `gear_ratio²` times itself on the diagonal.
    pub rotor_inertia: f64,
    /// Turns of the rotor per turn of the joint.
    pub gear_ratio: f64,
    /// Dry friction: the largest force it takes to start moving.
    pub friction: f64,
    /// Smallest position, or −∞. Ignored for the coordinates of a free joint.
    pub lower: f64,
    /// Largest position, or +∞. For a ball joint the first coordinate's value bounds the angle of
    /// rotation.
    pub upper: f64,
    /// Largest speed, or +∞.
    pub velocity_limit: f64,
    /// Largest actuation force, or +∞.
    pub effort_limit: f64,
    /// Largest acceleration, or +∞; kept for planners, no effect in simulation.
    pub acceleration_limit: f64,
}

impl Default for Dof {
    fn default() -> Self {
        Self {
            damping: 0.0,
            stiffness: 0.0,
            rest: 0.0,
            armature: 0.0,
            rotor_inertia: 0.0,
            gear_ratio: 1.0,
            friction: 0.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            velocity_limit: f64::INFINITY,
            effort_limit: f64::INFINITY,
            acceleration_limit: f64::INFINITY,
        }
    }
}

/// A joint between a body and its parent, or the joint before it on the same body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Name; unique in the world.
    pub name: String,
    /// The motion it allows.
    pub kind: JointKind,
    /// A point on the axis, or the centre of rotation, in the body frame, m.
    pub anchor: Vec3,
    /// One entry for each velocity coordinate.
    pub dofs: Vec<Dof>,
    /// Position at which the body has the pose given in the file: one value for each position
    /// coordinate of joints without a quaternion (then the motion is that of q − reference),
    /// empty for ball and free joints.
    pub reference: Vec<f64>,
    /// Compliance of the limits; `None` means near-rigid.
    pub limit_stiffness: Option<f64>,
    /// True if the joint is held where it is: its velocity is zero whatever acts on it.
    pub locked: bool,
    /// Where it came from.
    pub source: Source,
}

impl Joint {
    /// A joint of this kind at the body origin, without friction, limits or springs.
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        let quaternion = matches!(kind, JointKind::Ball | JointKind::Free);
        Self {
            name: name.into(),
            kind,
            anchor: Vec3::zeros(),
            dofs: vec![Dof::default(); kind.nv()],
            reference: if quaternion { Vec::new() } else { vec![0.0; kind.nq()] },
            limit_stiffness: None,
            locked: false,
            source: Source::default(),
        }
    }
}
