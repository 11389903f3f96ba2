//! What can go wrong with a contact, and with a file of weights.

use stiction_rigid::lcp::LcpError;

/// A contact that cannot be answered. The message names the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LawError {
    /// No point touches.
    #[error("the patch has no points: ask the law only where something touches")]
    NoPoints,
    /// A number that is NaN or infinite, or a mass or inertia that is not positive.
    #[error("{what} is not usable: it must be finite{}", if *positive { " and positive" } else { "" })]
    Number {
        /// Which quantity.
        what: &'static str,
        /// Whether it must be positive.
        positive: bool,
    },
    /// A frame that is not a rotation.
    #[error("the patch's frame is not a rotation: give orthonormal columns t1, t2, n")]
    Frame,
    /// The normal problem has no answer, not even without friction.
    #[error("the normal impulses of a patch cannot be solved: {0}")]
    Normal(#[from] LcpError),
    /// Matrices of a chain that do not fit together.
    #[error("{what} has {given} rows, {needed} are needed")]
    Shape {
        /// Which matrix.
        what: &'static str,
        /// Its rows.
        given: usize,
        /// The rows needed.
        needed: usize,
    },
    /// A mass matrix that cannot be inverted.
    #[error("the mass matrix of the upstream links is singular: give every link mass")]
    SingularMass,
}

/// A file of weights that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// Not safetensors, or cut short.
    #[error("the weights are not a readable safetensors file: {0}")]
    Corrupt(String),
    /// Safetensors of something else.
    #[error("the file holds no contact law ({0}): give one written by `stiction learn train`")]
    Foreign(String),
    /// A law of another version.
    #[error(
        "the law has version {given} and this program reads version {known}: train it again or update the program"
    )]
    Version {
        /// Version of the file.
        given: u64,
        /// Version known here.
        known: u64,
    },
    /// A tensor that is missing.
    #[error("the law lacks the tensor \"{0}\": the file is incomplete")]
    Missing(String),
    /// A tensor of the wrong size or type.
    #[error(
        "the tensor \"{name}\" is {given}, it should be {needed}: the file does not fit this version's features"
    )]
    Tensor {
        /// Its name.
        name: String,
        /// What it is.
        given: String,
        /// What it should be.
        needed: String,
    },
    /// A value that is not allowed.
    #[error("\"{name}\" holds {value}: {allowed}")]
    Value {
        /// The tensor or setting.
        name: String,
        /// The value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
}
