//! Solids with a pressure field: what compliant bodies are made of, for contact patches.
//!
//! A [`Solid`] is a tetrahedral mesh with an *extent* e at every vertex, 0 on the surface and 1 at the
//! core (the medial axis of the primitives), linear inside each tetrahedron. The pressure is p = E e with
//! the hydroelastic modulus E in Pa (PFC eq. 5.1). On tetrahedron b it is kept as
//!
//! ```text
//!     p(r) = grad_b . r + s_b          r in the solid's frame                (theory: linear fields)
//! ```
//!
//! | shape | tetrahedra | field | exact |
//! |---|---|---|---|
//! | sphere, ellipsoid | centre to a geodesic surface | 1 at the centre | along every ray |
//! | box | corners to the medial rectangle, 12 to 24 of them | distance / smallest half extent | everywhere |
//! | cylinder | rim to the medial segment or disc | distance / min(radius, half length) | but for the facets |
//! | capsule | surface to the medial segment | distance / radius | but for the facets |
//! | any closed surface | by the mesher ([`fill`]) | [`crate::field`] | to second order |
//! | convex hull | centre of volume to the faces | 1 at the centre | along every ray |
//! | half-space | none: p = E depth / thickness | linear | everywhere |
//!
//! The conventions are Drake's, so that numbers compare: e = 1 on the medial axis, the half-space has a
//! slab thickness. Curved shapes are meshed with the volume of the true shape ([`Fit::EqualVolume`]), which
//! makes forces second order accurate with a small constant; [`Fit::Inscribed`] puts the vertices on the
//! true surface.
//!
//! A [`RigidMesh`] is the triangle surface of a body that does not yield.
//!
//! Open first: [`Solid::from_shape`], [`Solid::from_tets`], [`RigidMesh::from_shape`].
//!
//! | also here | |
//! |---|---|
//! | `cell.rs` | one tetrahedron as the contact kernels need it |
//! | `check.rs` | checks and repairs of tetrahedra |
//! | `generate/` | tetrahedra of simple shapes |
//! | `rigid.rs` | the surface of a rigid body |
//! | `tree.rs` | boxes around cells |
//! | `wide.rs` | the same, four at a time |

mod cell;
pub(crate) mod check;
mod error;
mod fill;
pub mod generate;
pub(crate) mod linear;
mod mesh;
mod rigid;
pub(crate) mod tree;
mod wide;

pub(crate) use cell::{Axes, Cell, Lanes, MovedCell, NO_FACE, linear_field};
pub use check::SolidReport;
pub use error::SolidError;
pub use fill::{FillOptions, FillReport, Filled, fill};
pub use generate::{Fit, MeshOptions};
pub(crate) use mesh::Layer;
pub use mesh::Solid;
pub(crate) use rigid::Facet;
pub use rigid::RigidMesh;
