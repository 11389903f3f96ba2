//! Errors of compiling a world.

use stiction_model::{ModelError, Source};

/// A world that cannot be compiled into a [`crate::Multibody`], or cannot be accelerated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MultibodyError {
    /// The description itself is at fault.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Bodies are not listed depth first, so coordinates of one tree would not lie together.
    #[error(
        "{place}: body \"{body}\" stands apart from its parent; list bodies depth first \
         (each body directly after its parent or after a complete branch of it)"
    )]
    NotDepthFirst {
        /// The body that comes out of order.
        body: String,
        /// Where it stands.
        place: Source,
    },
    /// A coordinate moves nothing that resists it, so forces do not determine its acceleration. Said by
    /// [`crate::Multibody::check_inertia`].
    #[error(
        "{place}: joint \"{joint}\" moves no inertia of its own along its coordinate {coordinate}: what it \
         carries has no inertia about its axis, or another joint already moves it the same way; give the \
         body mass and rotational inertia, give the joint armature, or fix it"
    )]
    NoInertia {
        /// The joint.
        joint: String,
        /// The coordinate within the joint, counted from 0.
        coordinate: usize,
        /// Where it stands.
        place: Source,
    },
}

impl MultibodyError {
    /// Where an item came from, or what it is if it came from a program.
    pub(crate) fn place(source: &Source, fallback: String) -> Source {
        let mut place = source.clone();
        if place.element.is_empty() {
            place.element = fallback;
        }
        place
    }
}
