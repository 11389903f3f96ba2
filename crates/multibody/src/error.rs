//! Errors in the compilation of a world.

use stiction_model::{ModelError, Source};

/// A world that cannot be compiled into a [`crate::Multibody`], or whose accelerations are undetermined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MultibodyError {
    /// The description is invalid.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Bodies are not listed depth first, so coordinates of one tree would not be contiguous.
    #[error(
        "{place}: body \"{body}\" stands apart from its parent; list bodies depth first \
         (each body directly after its parent or after a complete branch of it)"
    )]
    NotDepthFirst {
        /// The body that is out of order.
        body: String,
        /// Source location.
        place: Source,
    },
    /// A coordinate moves no inertia, so forces do not determine its acceleration. Returned by
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
        /// Source location.
        place: Source,
    },
}

impl MultibodyError {
    /// Source location of an item, or its kind if it was created by a program.
    pub(crate) fn place(source: &Source, fallback: String) -> Source {
        let mut place = source.clone();
        if place.element.is_empty() {
            place.element = fallback;
        }
        place
    }
}
