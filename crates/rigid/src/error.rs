//! Errors of an instant.

/// An instant that cannot be made. The message names the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigidError {
    /// The mass matrix cannot be inverted.
    #[error(
        "the mass matrix is singular at velocity coordinate {dof}: an impulse there would have no finite answer; \
         give what it moves mass or armature"
    )]
    SingularMass {
        /// The first velocity coordinate without inertia of its own.
        dof: usize,
    },
    /// A friction coefficient below zero or not finite.
    #[error("contact {contact} has friction {value}: give a finite number, zero or more")]
    Friction {
        /// Which contact.
        contact: usize,
        /// Its coefficient.
        value: f64,
    },
    /// A normal that is not a direction.
    #[error("contact {contact} has a frame that is not a rotation: give a unit normal")]
    Frame {
        /// Which contact.
        contact: usize,
    },
    /// Arrays that do not fit together.
    #[error("{what} has {given} entries, {needed} are needed")]
    Shape {
        /// Which array.
        what: &'static str,
        /// Its size.
        given: usize,
        /// The size needed.
        needed: usize,
    },
    /// A number that is NaN or infinite.
    #[error("{what} holds a number that is not finite: check the state")]
    NotFinite {
        /// Where.
        what: &'static str,
    },
    /// A body that does not exist.
    #[error("contact {contact} is on body {body}, and there are {bodies} bodies")]
    Body {
        /// Which contact.
        contact: usize,
        /// The body asked for.
        body: usize,
        /// Number of bodies, the world included.
        bodies: usize,
    },
}
