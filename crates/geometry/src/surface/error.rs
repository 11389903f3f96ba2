//! Why a surface bounds no solid.

use thiserror::Error;

/// A surface that cannot be filled. Every message names the place and the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SurfaceError {
    /// A coordinate is NaN or infinite.
    #[error("surface: vertex {vertex} is not finite; repair or re-export the mesh")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A face names a vertex that does not exist.
    #[error("surface: face {face} refers to vertex {vertex}, but there are {count}")]
    BadIndex {
        /// Index of the face.
        face: usize,
        /// The index it refers to.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// No faces, or none with area, or no volume.
    #[error("surface: it encloses no volume ({what}); a solid needs a closed surface")]
    Empty {
        /// The missing part.
        what: &'static str,
    },
    /// Faces cannot be turned to agree with their neighbours.
    #[error(
        "surface: its faces cannot be turned to agree (a one-sided surface, like a Moebius strip), near {at:?} m; \
         cut it there or model the thickness"
    )]
    NotOrientable {
        /// Where.
        at: [f64; 3],
    },
    /// Holes too large to close by guessing.
    #[error(
        "surface: it is open: {holes} holes are too large to close by guessing, the largest with a rim of \
         {rim:.4} m near {at:?} m; close them in the tool the mesh came from"
    )]
    Open {
        /// Number of such holes.
        holes: usize,
        /// Length of the longest rim, m.
        rim: f64,
        /// A point of that rim.
        at: [f64; 3],
    },
}
