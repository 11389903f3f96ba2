//! Errors of solids, with remedies.

use thiserror::Error;

/// A solid that cannot be built. Every message names the remedy.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolidError {
    /// Arrays of different length.
    #[error("solid: {vertices} vertices but {values} field values; give one value a vertex")]
    Length {
        /// Number of vertices.
        vertices: usize,
        /// Number of values.
        values: usize,
    },
    /// No tetrahedron.
    #[error("solid: there is no tetrahedron; give at least one")]
    Empty,
    /// A coordinate or value is NaN or infinite.
    #[error("solid: {what} of vertex {vertex} is not finite; repair or re-export the data")]
    NotFinite {
        /// Position or field value.
        what: &'static str,
        /// Index of the vertex.
        vertex: usize,
    },
    /// A tetrahedron names a vertex that does not exist, or the same one twice.
    #[error(
        "solid: tetrahedron {tet} uses vertices {corners:?}; they must be four different numbers below {count}"
    )]
    BadIndex {
        /// Index of the tetrahedron.
        tet: usize,
        /// Its corners.
        corners: [u32; 4],
        /// Number of vertices.
        count: usize,
    },
    /// A tetrahedron without volume.
    #[error("solid: tetrahedron {tet} is flat (volume {volume:.3e} m^3); remove it or remesh")]
    Flat {
        /// Index of the tetrahedron.
        tet: usize,
        /// Its volume.
        volume: f64,
    },
    /// A field value outside of [0, 1].
    #[error(
        "solid: extent of vertex {vertex} is {value}; the field must lie between 0 (surface) and 1 (core): \
         divide it by its largest value and put the scale into the modulus"
    )]
    Extent {
        /// Index of the vertex.
        vertex: usize,
        /// The value.
        value: f64,
    },
    /// The field is zero everywhere.
    #[error(
        "solid: the field is zero at every vertex, so it could never push; give inner vertices a positive extent"
    )]
    NoField,
    /// A face shared by more than two tetrahedra, or by two on the same side.
    #[error("solid: face {face:?} of tetrahedron {tet} is shared by overlapping tetrahedra; remesh")]
    Overlap {
        /// Index of one of the tetrahedra.
        tet: usize,
        /// Vertices of the face.
        face: [u32; 3],
    },
    /// A number that must be positive and finite is not.
    #[error("solid: {what} is {value}; give a positive, finite number ({unit})")]
    NotPositive {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// The resolution hint asks for an absurd mesh.
    #[error(
        "solid: resolution hint {hint} m needs about {count} elements for this {shape}; use a coarser hint"
    )]
    TooFine {
        /// The hint.
        hint: f64,
        /// Elements it would take.
        count: usize,
        /// Shape kind.
        shape: &'static str,
    },
    /// A shape without a volume mesh of its own.
    #[error("solid: a {shape} {remedy}")]
    NoMesh {
        /// Shape kind.
        shape: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
}
