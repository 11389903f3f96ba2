//! The patch of one pair of solids: what they are, which way round, and the sums over the faces.

use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use super::faces::{Patch, PatchFaces, PatchOptions};
use super::pair_kinds::{self, PatchScratch};
use super::sink::{Sink, Sums};
use crate::solid::linear::Pose;
use crate::solid::{MeshOptions, RigidMesh, Solid, SolidError};
use crate::{Shape, V3};

/// A geom as patch contact sees it, in the geom's frame.
#[derive(Debug, Clone)]
pub enum ContactSolid {
    /// Tetrahedra with a pressure field.
    Compliant(Arc<Solid>),
    /// All points with z <= 0; the pressure is modulus / thickness times the depth.
    CompliantHalfSpace {
        /// Hydroelastic modulus, Pa.
        modulus: f64,
        /// Thickness of the compliant slab, m.
        thickness: f64,
    },
    /// A surface that does not yield.
    Rigid(Arc<RigidMesh>),
    /// All points with z <= 0, not yielding.
    RigidHalfSpace,
}

/// Why there can be no patch between two solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PatchError {
    /// Neither body has a pressure field.
    #[error(
        "both bodies are rigid, so no pressure field carries the contact; use point contact, or make one compliant"
    )]
    BothRigid,
    /// Two half-spaces.
    #[error("two half-spaces overlap without bound; give one of the bodies a bounded shape")]
    BothHalfSpaces,
}

impl ContactSolid {
    /// A compliant body of any shape with a field of its own; `slab_thickness` (m) is for half-spaces only.
    pub fn compliant(
        shape: &Shape,
        modulus: f64,
        slab_thickness: f64,
        mesh: &MeshOptions,
    ) -> Result<Self, SolidError> {
        match shape {
            Shape::HalfSpace => Self::compliant_half_space(modulus, slab_thickness),
            _ => Ok(Self::Compliant(Arc::new(Solid::from_shape(shape, modulus, mesh)?))),
        }
    }

    /// A rigid body of any shape.
    pub fn rigid(shape: &Shape, mesh: &MeshOptions) -> Result<Self, SolidError> {
        match shape {
            Shape::HalfSpace => Ok(Self::RigidHalfSpace),
            _ => Ok(Self::Rigid(Arc::new(RigidMesh::from_shape(shape, mesh)?))),
        }
    }

    /// A compliant half-space, sizes checked.
    pub fn compliant_half_space(modulus: f64, thickness: f64) -> Result<Self, SolidError> {
        for (what, value, unit) in
            [("hydroelastic modulus", modulus, "Pa"), ("slab thickness", thickness, "m")]
        {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SolidError::NotPositive { what, value, unit });
            }
        }
        Ok(Self::CompliantHalfSpace { modulus, thickness })
    }

    /// Whether the body has a pressure field.
    pub fn is_compliant(&self) -> bool {
        matches!(self, Self::Compliant(_) | Self::CompliantHalfSpace { .. })
    }

    /// Whether the body is a half-space.
    pub fn is_half_space(&self) -> bool {
        matches!(self, Self::RigidHalfSpace | Self::CompliantHalfSpace { .. })
    }

    /// Hydroelastic modulus, Pa; infinite for rigid bodies.
    pub fn modulus(&self) -> f64 {
        match self {
            Self::Compliant(s) => s.modulus(),
            Self::CompliantHalfSpace { modulus, .. } => *modulus,
            _ => f64::INFINITY,
        }
    }

    /// How far the surface yields to a pressure, m/Pa: characteristic length over modulus; zero for rigid bodies.
    pub fn compliance(&self) -> f64 {
        match self {
            Self::Compliant(s) => s.characteristic_length() / s.modulus(),
            Self::CompliantHalfSpace { modulus, thickness } => thickness / modulus,
            _ => 0.0,
        }
    }

    /// Whether the pair makes patches, and if not, why.
    pub fn check_pair(a: &Self, b: &Self) -> Result<(), PatchError> {
        if a.is_half_space() && b.is_half_space() {
            Err(PatchError::BothHalfSpaces)
        } else if !a.is_compliant() && !b.is_compliant() {
            Err(PatchError::BothRigid)
        } else {
            Ok(())
        }
    }
}

/// Appends the faces between solids a and b at poses `x_wa`, `x_wb` to `out` and returns the patch.
///
/// Fails only for pairs that can have no patch, see [`ContactSolid::check_pair`]. Allocates nothing once
/// `scratch` and `out` have grown to their size.
pub fn contact_patch(
    a: &ContactSolid,
    x_wa: &Isometry3<f64>,
    b: &ContactSolid,
    x_wb: &Isometry3<f64>,
    options: &PatchOptions,
    scratch: &mut PatchScratch,
    out: &mut PatchFaces,
) -> Result<Patch, PatchError> {
    use ContactSolid::{Compliant, CompliantHalfSpace, Rigid, RigidHalfSpace};
    ContactSolid::check_pair(a, b)?;
    let first = out.faces.len();
    // The frame of one bounded body is the working frame.
    let a_works = matches!(
        (a, b),
        (Compliant(_), CompliantHalfSpace { .. } | Rigid(_) | RigidHalfSpace)
            | (Rigid(_), CompliantHalfSpace { .. })
    );
    let (x_ww, one, other) = if a_works { (x_wa, a, b) } else { (x_wb, b, a) };
    let x_wo = if a_works { x_wb } else { x_wa };
    // Pose of the other body in the working body.
    let x = Pose::relative(x_ww, x_wo);
    let mut sink = Sink::new(options, out, Pose::new(x_ww), a_works);
    let mut swallowed = false;
    match (one, other) {
        (Compliant(s), Compliant(o)) => pair_kinds::solid_solid(o, s, &x, &mut sink, scratch),
        (Compliant(s), Rigid(o)) => {
            swallowed = pair_kinds::rigid_solid(o, s, &x, !a_works, &mut sink, scratch);
        }
        (Compliant(s), RigidHalfSpace) => {
            swallowed = pair_kinds::plane_solid(s, &x, !a_works, &mut sink, scratch);
        }
        (Compliant(s), CompliantHalfSpace { modulus, thickness }) => {
            pair_kinds::half_space_solid(s, modulus / thickness, &x, a_works, &mut sink, scratch);
        }
        (Rigid(m), CompliantHalfSpace { modulus, thickness }) => {
            pair_kinds::half_space_rigid(m, modulus / thickness, &x, a_works, &mut sink, scratch);
        }
        // Ruled out by check_pair and the choice of the working body.
        _ => return Err(PatchError::BothRigid),
    }
    let mut sums = sink.sums;
    super::mutated::mutate(out, first, &mut sums);
    let modulus = a.modulus().min(b.modulus());
    let middle = 0.5 * (x_wa.translation.vector + x_wb.translation.vector);
    let faces = first..out.faces.len();
    Ok(summary(&sums, &Pose::new(x_ww), faces, modulus, middle, swallowed))
}

fn summary(
    s: &Sums,
    x: &Pose,
    faces: std::ops::Range<usize>,
    modulus: f64,
    middle: V3,
    swallowed: bool,
) -> Patch {
    let centroid = if s.area > 0.0 { s.first_moment / s.area } else { x.inverse().point(&middle) };
    let center = if s.pressure > 0.0 { s.pressure_moment / s.pressure } else { centroid };
    Patch {
        faces,
        area: s.area,
        centroid: x.point(&centroid),
        center_of_pressure: x.point(&center),
        force: x.vector(&s.force),
        moment: x.vector(&(s.moment - centroid.cross(&s.force))),
        pressure_integral: s.pressure,
        peak_pressure: s.peak,
        peak_extent: s.peak / modulus,
        coincident: s.coincident,
        swallowed,
    }
}
