//! Why a surface was not filled.

use crate::surface::SurfaceError;
use thiserror::Error;

/// A surface that cannot be meshed, or not well enough. Every message names the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MeshingError {
    /// The surface itself is at fault.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// A number that must be positive is not.
    #[error("mesher: the {what} is {value}; give a positive, finite number (m)")]
    NotPositive {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// More cells than allowed.
    #[error(
        "mesher: a resolution of {resolution} m takes more than {most} cells ({leaves} and counting); use a coarser \
         one, or allow more cells"
    )]
    TooFine {
        /// The resolution.
        resolution: f64,
        /// Cells so far.
        leaves: usize,
        /// The limit.
        most: usize,
    },
    /// No cell lies inside.
    #[error("mesher: nothing of the solid is as thick as the resolution of {resolution} m; use a finer one")]
    Nothing {
        /// The resolution.
        resolution: f64,
    },
    /// Walls too thin for the smallest cells.
    #[error(
        "mesher: {part:.1} % of the surface was lost, first near {at:?} m, where the wall is {thickness:.2e} m thick and \
         the resolution {resolution:.2e} m; use a resolution of about {remedy:.2e} m, or a thicker wall"
    )]
    LostWalls {
        /// Part of the surface's area that no face of the mesh comes near, percent.
        part: f64,
        /// Where.
        at: [f64; 3],
        /// Thickness measured there, m.
        thickness: f64,
        /// The resolution, m.
        resolution: f64,
        /// One that would do, m.
        remedy: f64,
    },
    /// The mesh is worse than the floor.
    #[error(
        "mesher: {what} is {value:.4}, the floor is {floor}; use a finer resolution or repair the surface{place}"
    )]
    BelowFloor {
        /// The measured quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The limit.
        floor: f64,
        /// Where, if known.
        place: String,
    },
    /// A field could not be made.
    #[error("field: {0}")]
    Field(String),
}
