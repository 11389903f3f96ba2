//! Bushings: springs and dampers in all six directions between two bodies.

use crate::{Pose, Source, Vec3};
use serde::{Deserialize, Serialize};

/// Six springs with dampers between a frame A on one body and a frame C on another, as rubber joins two parts.
///
/// Torques go by the roll, pitch and yaw angles q of C in A, R_AC = Rz(q₂) Ry(q₁) Rx(q₀): −(k q + d q̇) for each angle.
/// Forces go by the position of C's origin from A's, in the frame B whose origin is half-way between the two and whose axes
/// are half-way turned from A's to C's: −(k x + d ẋ) along each axis of B. Force and torque act on C at B's origin, and the
/// opposite on A. Angles are undefined at a pitch of a right angle, which a bushing must be stiff enough to stay away from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bushing {
    /// Name; may be empty.
    pub name: String,
    /// Index of the body that carries frame A.
    pub body_a: usize,
    /// Pose of frame A in its body.
    pub frame_a: Pose,
    /// Index of the body that carries frame C.
    pub body_c: usize,
    /// Pose of frame C in its body.
    pub frame_c: Pose,
    /// Stiffness against roll, pitch and yaw, N m/rad; zero or more.
    pub torque_stiffness: Vec3,
    /// Damping of roll, pitch and yaw, N m s/rad; zero or more.
    pub torque_damping: Vec3,
    /// Stiffness along x, y and z of the half-way frame, N/m; zero or more.
    pub force_stiffness: Vec3,
    /// Damping along x, y and z of the half-way frame, N s/m; zero or more.
    pub force_damping: Vec3,
    /// Where it came from.
    pub source: Source,
}

impl Bushing {
    /// A bushing between the frames of two bodies that resists nothing yet.
    pub fn new(name: impl Into<String>, body_a: usize, body_c: usize) -> Self {
        Self {
            name: name.into(),
            body_a,
            frame_a: Pose::identity(),
            body_c,
            frame_c: Pose::identity(),
            torque_stiffness: Vec3::zeros(),
            torque_damping: Vec3::zeros(),
            force_stiffness: Vec3::zeros(),
            force_damping: Vec3::zeros(),
            source: Source::default(),
        }
    }
}
