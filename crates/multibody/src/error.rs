//! What can go wrong when a world is compiled.

use stiction_model::ModelError;

/// A world that cannot be compiled into a [`crate::Multibody`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MultibodyError {
    /// The description itself is at fault.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Bodies are not listed depth first, so coordinates of one tree would not lie together.
    #[error(
        "{place}: body \"{body}\" does not follow its parent's other descendants; list bodies depth first \
         (each body directly after its parent or after a complete branch of it)"
    )]
    NotDepthFirst {
        /// The body that comes out of order.
        body: String,
        /// Where it stands.
        place: stiction_model::Source,
    },
    /// A coordinate moves nothing that resists it.
    #[error(
        "{place}: joint \"{joint}\" moves no inertia along its coordinate {coordinate}: the mass it carries \
         is a point on its axis; give the body rotational inertia or the joint armature"
    )]
    NoInertia {
        /// The joint.
        joint: String,
        /// The coordinate within the joint, counted from 0.
        coordinate: usize,
        /// Where it stands.
        place: stiction_model::Source,
    },
}
