//! Errors of shapes, with remedies.

use thiserror::Error;

/// A shape or a set of geoms that cannot be built. Every message names the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GeometryError {
    /// A size that must be a positive finite number is not.
    #[error("{shape}: {what} is {value}; give a positive, finite length in metres")]
    BadSize {
        /// Shape kind.
        shape: &'static str,
        /// Which size.
        what: &'static str,
        /// The offending value.
        value: f64,
    },
    /// A coordinate is NaN or infinite.
    #[error("{shape}: vertex {index} is not finite; repair or re-export the data")]
    NotFinite {
        /// Shape kind.
        shape: &'static str,
        /// Index of the vertex.
        index: usize,
    },
    /// Points that span no volume have no convex hull.
    #[error(
        "convex hull: the {count} points span no volume ({reason}); give points that do not lie in one \
         plane, or use a triangle mesh for a flat surface"
    )]
    FlatHull {
        /// Number of points given.
        count: usize,
        /// Why no hull came out.
        reason: String,
    },
    /// A face refers to a vertex that does not exist.
    #[error("triangle mesh: face {face} uses vertex {vertex}, but there are only {count} vertices")]
    BadFace {
        /// Index of the face.
        face: usize,
        /// The vertex it names.
        vertex: usize,
        /// Number of vertices.
        count: usize,
    },
    /// A mesh without a face of positive area.
    #[error("triangle mesh: no face has a positive area; check the units and the face list")]
    EmptyMesh,
    /// A height field whose array does not fit its grid.
    #[error(
        "height field: {rows} x {columns} samples need {expected} heights, got {got}; rows and columns must be at least 2"
    )]
    BadGrid {
        /// Samples along y.
        rows: usize,
        /// Samples along x.
        columns: usize,
        /// rows * columns.
        expected: usize,
        /// Length of the array.
        got: usize,
    },
    /// Mass of something that has no volume.
    #[error("{shape}: volume is not defined ({reason}); give mass and inertia explicitly")]
    NoVolume {
        /// Shape kind.
        shape: &'static str,
        /// Why there is none.
        reason: String,
    },
    /// A geom names a pose or a margin that is not finite.
    #[error("geom {geom}: {what} is not finite")]
    BadGeom {
        /// Index of the geom.
        geom: usize,
        /// Which input.
        what: &'static str,
    },
    /// A collision rule names a geom that does not exist.
    #[error("collision rules: pair ({a}, {b}) names a geom or body out of range ({count} known)")]
    BadRule {
        /// First index.
        a: usize,
        /// Second index.
        b: usize,
        /// Number of geoms or bodies.
        count: usize,
    },
    /// Convex decomposition found nothing solid.
    #[error(
        "convex decomposition: no solid part was found ({reason}); close the surface or raise the resolution"
    )]
    Decomposition {
        /// The reason.
        reason: String,
    },
}
