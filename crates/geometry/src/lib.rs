//! Shapes, and what touches what, given poses. Knows nothing of forces, time or files.
//!
//! ```text
//!   Shape, ConvexHull, TriangleMesh, HeightField   what a body is made of    shape.rs, hull.rs, mesh.rs, height_field.rs
//!   MassProperties, convex_decomposition           computed from shapes      mass.rs, decompose.rs
//!   GeomSet: shapes on bodies + collision rules    built once, shared        geoms.rs, rules.rs
//!   Proximity: poses, boxes, candidate pairs       one per simulation        proximity.rs, broad.rs, aabb.rs, bvh.rs
//!   ContactPoint                                   contact points            point/
//!   RayHit, wrap                                   rays, tendons on geoms    ray.rs, wrap.rs
//!   Solid, RigidMesh                               bodies with a pressure    solid/
//!   contact_patch -> PatchFace                     contact patches           patch/
//!   ClosedSurface -> TetMesh -> extents            solids from any surface   surface/, mesher/, field/
//! ```
//!
//! Open [`Proximity`] first: `update(x_wb)` takes body poses, `contacts(margin, out)` appends the
//! contact points in canonical order. The narrow phase is `point/`, one file for each family of pairs;
//! [`point::contact_pair`] asks about a single pair of shapes without a world.
//!
//! Bodies with a pressure field touch in patches: [`patch::contact_patch`] takes a pair of
//! [`patch::ContactSolid`]s, made from a [`Shape`] or from tetrahedra ([`solid`]), at two poses.
//!
//! Lengths are metres, poses `x_wb` map body coordinates to world coordinates. Distances are
//! negative in overlap, normals are unit vectors from geom `a` into geom `b`.
//!
//! Results are a function of the poses alone. What is kept between calls (candidate pairs, the tree of
//! boxes) only decides which pairs are looked at, and every pair passes the same exact box test.
//!
//! | also here | |
//! |---|---|
//! | `support_table.rs` | which vertices of a hull can be furthest along a direction |
//! | `parry.rs` | convex hulls and decomposition: the only user of parry |
//! | `quickhull.rs` | convex hulls as triangles, also of many points in one plane |

mod aabb;
mod broad;
mod bvh;
mod decompose;
mod error;
pub mod field;
mod geoms;
mod height_field;
mod hull;
mod mass;
mod mesh;
pub mod mesher;
mod parry;
pub mod patch;
pub mod point;
mod proximity;
pub mod quickhull;
mod ray;
mod rules;
mod shape;
pub mod solid;
mod support_table;
pub mod surface;
pub mod wrap;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use decompose::{DecompositionError, DecompositionOptions, convex_decomposition, decomposition_error};
pub use error::GeometryError;
pub use geoms::{Geom, GeomSet, UnsupportedPair};
pub use height_field::HeightField;
pub use hull::ConvexHull;
pub use mass::MassProperties;
pub use mesh::TriangleMesh;
pub use point::ContactPoint;
pub use proximity::{Proximity, ProximityStats};
pub use ray::RayHit;
pub use rules::{BodyRule, CollisionRules};
pub use shape::{Shape, ShapeKind};

pub(crate) type V3 = nalgebra::Vector3<f64>;
pub(crate) type M3 = nalgebra::Matrix3<f64>;
pub(crate) type Iso = nalgebra::Isometry3<f64>;
