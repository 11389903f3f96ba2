//! What can be wrong with an impact, and what an answer may be instead of a set.

use stiction_rigid::RigidError;

/// An impact that cannot be computed. The message names the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImpactError {
    /// The instant itself cannot be made.
    #[error(transparent)]
    Rigid(#[from] RigidError),
    /// Friction that differs between the two tangents.
    #[error(
        "contact {contact} has friction {} along one tangent and {} along the other: \
         an impact needs one coefficient for all directions", friction[0], friction[1]
    )]
    Anisotropic {
        /// Which contact.
        contact: usize,
        /// The two coefficients.
        friction: [f64; 2],
    },
    /// Bodies that cannot move approach each other.
    #[error(
        "contact {contact} approaches at {speed:.3e} m/s between bodies that no impulse can move: \
         check locked joints and bodies moved from outside"
    )]
    Immovable {
        /// Which contact.
        contact: usize,
        /// Its approach speed.
        speed: f64,
    },
    /// More contacts than this code enumerates.
    #[error(
        "there are {given} contacts, and at most {most} are taken: give fewer, or a smaller touch tolerance"
    )]
    TooMany {
        /// How many there are.
        given: usize,
        /// How many are taken.
        most: usize,
    },
    /// A bound from outside could not be computed.
    #[error("the outer bound could not be computed: {reason}; scale the problem, or do without the bound")]
    Outer {
        /// Why.
        reason: String,
    },
    /// No solution came to its end.
    #[error(
        "none of {dropped} solutions came to its end: allow larger steps (cap), or see whether contacts can jam"
    )]
    Dropped {
        /// How many were tried.
        dropped: usize,
    },
    /// An option out of its range.
    #[error("{option} = {value} is not allowed: give {allowed}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
}
