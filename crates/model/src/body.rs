//! Rigid bodies and their mass properties.

use crate::{Joint, Pose, Source, Vec3};
use nalgebra::{Matrix3, UnitQuaternion};
use serde::{Deserialize, Serialize};

/// Mass, centre of mass and rotational inertia of a body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass from the body origin, in the body frame, m.
    pub com: Vec3,
    /// Rotational inertia about the centre of mass, in body axes, kg m².
    pub rotational: Matrix3<f64>,
}

impl Inertia {
    /// No mass at all, as the world body and frames have.
    pub fn zero() -> Self {
        Self { mass: 0.0, com: Vec3::zeros(), rotational: Matrix3::zeros() }
    }

    /// Whether it resists turning about every axis: all principal moments are positive.
    pub fn resists_turning(&self) -> bool {
        // All leading minors are positive.
        let m = &self.rotational;
        m[(0, 0)] > 0.0
            && m[(0, 0)] * m[(1, 1)] > m[(0, 1)] * m[(1, 0)]
            && m.determinant() > 1e-12 * m[(0, 0)] * m[(1, 1)] * m[(2, 2)].abs()
    }

    /// The least principal moment, kg m², if it is negative beyond rounding: the mass matrix is then
    /// positive definite only if the inertia of other bodies makes up for it.
    pub fn negative_moment(&self) -> Option<f64> {
        let least = self.rotational.symmetric_eigenvalues().min();
        (least < -1e-9 * self.rotational.abs().max()).then_some(least)
    }

    /// The principal moments in rising order, kg m², if the two smaller ones add up to less than the
    /// largest: no rigid body has such an inertia, though its mass matrix can be positive definite.
    pub fn broken_triangle(&self) -> Option<[f64; 3]> {
        if !self.rotational.iter().all(|x| x.is_finite()) {
            return None;
        }
        let mut principal: [f64; 3] = self.rotational.symmetric_eigenvalues().into();
        principal.sort_by(f64::total_cmp);
        let [a, b, c] = principal;
        // Files round to about six digits.
        (a + b < c * (1.0 - 1e-5)).then_some(principal)
    }
}

/// A rigid body, a child of another one through its joints in sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Name; unique in the world.
    pub name: String,
    /// Index of the parent body, smaller than this body's own; `None` only for the world, body 0.
    pub parent: Option<usize>,
    /// Pose in the parent's frame when every joint is at its reference position. With a free joint
    /// it is the default position in the world.
    pub pose: Pose,
    /// Joints from the parent to this body, applied in order; none means welded to the parent.
    pub joints: Vec<Joint>,
    /// Mass properties in the body frame.
    pub inertia: Inertia,
    /// Orientation in the body frame of the principal axes that sensors speak in: their order and signs are a choice.
    pub inertial_axes: UnitQuaternion<f64>,
    /// Share of the body's weight that is cancelled: 0 none, 1 all.
    pub gravity_compensation: f64,
    /// True if the pose is prescribed from outside (motion capture); such a body is a joint-free
    /// child of the world, and its mass has no effect.
    pub mocap: bool,
    /// Where it came from.
    pub source: Source,
}

impl Body {
    /// A massless body welded to `parent` at its origin.
    pub fn new(name: impl Into<String>, parent: usize) -> Self {
        Self {
            name: name.into(),
            parent: Some(parent),
            pose: Pose::identity(),
            joints: Vec::new(),
            inertia: Inertia::zero(),
            inertial_axes: UnitQuaternion::identity(),
            gravity_compensation: 0.0,
            mocap: false,
            source: Source::default(),
        }
    }
}
