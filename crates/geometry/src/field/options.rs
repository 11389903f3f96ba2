//! Options of pressure fields.

use super::Stiffening;
use crate::V3;
use crate::mesher::MeshingError;
use crate::surface::ClosedSurface;

/// The equation that gives the extent.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldKind {
    /// Depth below the soft faces over the half thickness, or between the soft faces and the core.
    Distance,
    /// Laplace's equation between the soft faces and what is rigid (PFC eq. 5.2 without source).
    Laplace,
    /// Poisson's equation with a constant source, normalised; Laplace's if there is something rigid.
    Poisson,
    /// Given at the vertices, 0 on the surface to 1 at the core.
    Values(Vec<f64>),
}

/// The rigid inside.
#[derive(Debug, Clone, Default)]
pub enum Core {
    /// None: soft all through.
    #[default]
    None,
    /// Everything deeper than this, m; thinner parts get a core at 60 % of their half thickness.
    Depth(f64),
    /// The surface that encloses the core.
    Surface(Box<ClosedSurface>),
}

/// The length by which a field without core is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalization {
    /// The half thickness of the part around: a thin leg is not soft because the body is thick.
    #[default]
    Local,
    /// The largest value of all, as for the primitives.
    Global,
}

/// The boundary condition on a part of the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// e = 0: where contact is expected.
    Soft,
    /// e = 1: glued to something rigid.
    Rigid,
    /// No flux: sides, where e is what it is.
    Insulated,
}

/// A part of the surface.
#[derive(Debug, Clone, PartialEq)]
pub enum Region {
    /// Faces whose outward normal is within an angle (degrees) of a direction.
    Facing {
        /// The direction, any length.
        direction: V3,
        /// Degrees.
        angle: f64,
    },
    /// Faces whose middle lies in a box.
    Within {
        /// Lowest corner, m.
        min: V3,
        /// Highest corner, m.
        max: V3,
    },
}

impl Region {
    /// From text: `+x`, `-x`, … for faces that look that way within 45 degrees, `sides` for those that look along x or
    /// y, or a box `x0,y0,z0,x1,y1,z1` in m.
    pub fn named(text: &str) -> Result<Vec<Self>, MeshingError> {
        let facing = |direction: V3| Self::Facing { direction, angle: 45.0 };
        let direction = match text.trim_start_matches(['+', '-']) {
            "x" => Some(V3::x()),
            "y" => Some(V3::y()),
            "z" => Some(V3::z()),
            _ => None,
        };
        if let Some(direction) = direction {
            return Ok(vec![facing(if text.starts_with('-') { -direction } else { direction })]);
        }
        if text == "sides" {
            return Ok([V3::x(), -V3::x(), V3::y(), -V3::y()].map(facing).into());
        }
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|x| x.trim().parse::<f64>()).collect();
        match numbers.as_deref() {
            Ok(&[a, b, c, d, e, f]) => {
                Ok(vec![Self::Within { min: V3::new(a, b, c), max: V3::new(d, e, f) }])
            }
            _ => Err(MeshingError::Field(format!(
                "\"{text}\" is no region: give +x, -x, +y, -y, +z, -z, sides, or a box x0,y0,z0,x1,y1,z1"
            ))),
        }
    }

    /// Whether a face with this middle and normal belongs to it.
    pub fn holds(&self, middle: &V3, normal: &V3) -> bool {
        match self {
            Self::Facing { direction, angle } => normal.angle(direction) <= angle.to_radians(),
            Self::Within { min, max } => (0..3).all(|k| (min[k]..=max[k]).contains(&middle[k])),
        }
    }
}

/// How the field is made.
#[derive(Debug, Clone)]
pub struct FieldOptions {
    /// The equation.
    pub kind: FieldKind,
    /// The rigid inside.
    pub core: Core,
    /// The length by which fields without core are divided.
    pub normalization: Normalization,
    /// Parts of the surface that are not soft; of several that hold, the last counts.
    pub regions: Vec<(Region, Boundary)>,
    /// M(e).
    pub stiffening: Stiffening,
    /// Largest relative error of p by its being linear between layers.
    pub layer_tolerance: f64,
}

impl Default for FieldOptions {
    fn default() -> Self {
        Self {
            kind: FieldKind::Distance,
            core: Core::None,
            normalization: Normalization::Local,
            regions: Vec::new(),
            stiffening: Stiffening::Linear,
            layer_tolerance: 0.05,
        }
    }
}
