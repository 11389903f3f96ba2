//! Errors in the definition of a problem.

use thiserror::Error;

/// Reason why a part of a problem was rejected. The problem is then unchanged.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProblemError {
    /// A slice has the wrong length.
    #[error("{what} has {found} numbers where {expected} are needed")]
    Length {
        /// Name of the slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it must have.
        expected: usize,
    },
    /// An index is out of range.
    #[error("{what} {index} does not exist (there are {count}); add it to the problem first")]
    Index {
        /// Kind of item.
        what: &'static str,
        /// The index given.
        index: usize,
        /// Number of items.
        count: usize,
    },
    /// A number is out of its range or not finite.
    #[error("{what} is {value}, but must be {must}")]
    Value {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The condition it breaks.
        must: &'static str,
    },
    /// A diagonal entry of A is not positive.
    #[error(
        "A of clique {clique} has {value} on its diagonal at {index}; every dof needs positive inertia (armature helps)"
    )]
    NotPositive {
        /// The clique.
        clique: usize,
        /// Row within the clique.
        index: usize,
        /// The entry.
        value: f64,
    },
    /// A contact or row was added before any pair.
    #[error("a contact belongs to the pair added last, but no pair was added")]
    NoPair,
    /// A link was added to a free body.
    #[error(
        "clique {0} is a free body and has no links; use the body that add_free_body returned, which moves all that is welded to it"
    )]
    LinkOfFreeBody(usize),
    /// SAP has its own normal law.
    #[error("the SAP model has its own normal law; use Lagged or Similar with {0}")]
    LawNotForSap(&'static str),
}

/// Rejects non-finite numbers and numbers that violate a condition.
pub(crate) fn require(
    ok: bool,
    what: &'static str,
    value: f64,
    must: &'static str,
) -> Result<(), ProblemError> {
    if ok && !value.is_nan() { Ok(()) } else { Err(ProblemError::Value { what, value, must }) }
}
