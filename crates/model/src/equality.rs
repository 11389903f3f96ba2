//! Couplings between joints and bodies.

use crate::{Pose, Source, Vec3};
use serde::{Deserialize, Serialize};

/// The kinds of equality constraints.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum EqualityKind {
    /// q₁ − r₁ = c₀ + c₁ d + c₂ d² + c₃ d³ + c₄ d⁴ with d = q₂ − r₂ (r the joints' references),
    /// or q₁ − r₁ = c₀ without a second joint. Joints are (body, index in its list) with one
    /// coordinate each.
    Joint {
        /// The joint that follows.
        first: (usize, usize),
        /// The joint that leads.
        second: Option<(usize, usize)>,
        /// The polynomial's coefficients.
        coefficients: [f64; 5],
    },
    /// L₁ − l₁ = c₀ + c₁ d + c₂ d² + c₃ d³ + c₄ d⁴ with d = L₂ − l₂, L the tendons' lengths and l those at
    /// the default positions, or L₁ − l₁ = c₀ without a second tendon.
    Tendon {
        /// Index of the tendon that follows.
        first: usize,
        /// Index of the tendon that leads.
        second: Option<usize>,
        /// The polynomial's coefficients.
        coefficients: [f64; 5],
    },
    /// A point of body A and a point of body B coincide.
    Connect {
        /// Body A.
        body_a: usize,
        /// Body B.
        body_b: usize,
        /// The point in A's frame, m.
        point_a: Vec3,
        /// The point in B's frame, m.
        point_b: Vec3,
    },
    /// Body B keeps a pose in body A.
    Weld {
        /// Body A.
        body_a: usize,
        /// Body B.
        body_b: usize,
        /// Pose of B in A.
        pose_ab: Pose,
        /// A point in B's frame at which positions are compared, m.
        point_b: Vec3,
    },
    /// A point of A and a point of B keep a distance.
    Distance {
        /// Body A.
        body_a: usize,
        /// Body B.
        body_b: usize,
        /// The point in A's frame, m.
        point_a: Vec3,
        /// The point in B's frame, m.
        point_b: Vec3,
        /// The distance, m.
        distance: f64,
    },
}

/// A coupling, near-rigid unless a stiffness is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equality {
    /// Name; may be empty.
    pub name: String,
    /// The constraint.
    pub kind: EqualityKind,
    /// Whether it acts.
    pub active: bool,
    /// Stiffness (N/m or N m/rad); `None` means near-rigid.
    pub stiffness: Option<f64>,
    /// Relaxation time of its damping, s; used with a stiffness.
    pub relaxation_time: f64,
    /// Where it came from.
    pub source: Source,
}

impl Equality {
    /// The two bodies that it holds together and the points of each, in its frame, that belong together; `None` if it couples
    /// joints or tendons.
    pub fn bodies(&self) -> Option<[(usize, Vec3); 2]> {
        match self.kind {
            EqualityKind::Connect { body_a, body_b, point_a, point_b }
            | EqualityKind::Distance { body_a, body_b, point_a, point_b, .. } => {
                Some([(body_a, point_a), (body_b, point_b)])
            }
            EqualityKind::Weld { body_a, body_b, pose_ab, point_b } => {
                Some([(body_a, pose_ab.transform_point(&point_b.into()).coords), (body_b, point_b)])
            }
            EqualityKind::Joint { .. } | EqualityKind::Tendon { .. } => None,
        }
    }
}
