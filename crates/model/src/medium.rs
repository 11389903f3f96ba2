//! The medium around the bodies, such as air or water.

use crate::{Pose, Vec3};
use serde::{Deserialize, Serialize};

/// A medium without boundaries that moves with one velocity everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Medium {
    /// Density, kg/m³.
    pub density: f64,
    /// Viscosity, Pa s.
    pub viscosity: f64,
    /// Its velocity in the world, m/s.
    pub wind: Vec3,
}

impl Medium {
    /// Whether it exerts forces.
    pub fn acts(&self) -> bool {
        self.density > 0.0 || self.viscosity > 0.0
    }
}

/// An ellipsoid in place of a geom, for the forces of the medium on it (MuJoCo's `fluidshape`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImmersedEllipsoid {
    /// Pose of its axes in the body.
    pub pose: Pose,
    /// Semi-axes, m.
    pub radii: Vec3,
    /// Coefficients of blunt drag, slender drag, angular drag, Kutta lift and Magnus lift.
    pub coefficients: [f64; 5],
}
