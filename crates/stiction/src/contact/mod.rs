//! Contact between geoms: detection, entries of the convex problem, and results of a step.
//!
//! | file | what |
//! |---|---|
//! | `query.rs` | the contact query of a step: points and patches |
//! | `interior.rs` | points on faces inside a body of several geoms, which do not count |
//! | `patches.rs` | contact patches: polygons with pressure |
//! | `quadrature.rs` | quadrature points of a polygon |
//! | `entries.rs` | from points and polygons to contact entries: stiffness, dissipation, friction |
//! | `load.rs` | what a contact may have to carry, for the limits of its stiffness |
//! | `calibration.rs` | contact entries under a calibrated contact |
//! | `file_softness.rs` | contact points as soft as MuJoCo makes them |
//! | `surface_velocity.rs` | belts |
//! | `turning.rs` | friction by direction, torsional and rolling friction of points |
//! | `result.rs` | contact points after a step |
//! | `patch_view.rs` | contact patches after a step |
//! | `patch_faults.rs` | unreliable patches and their causes |
//! | `patch_springs.rs` | tangential springs of whole patches |
//!
//! Friction itself, the law of one entry, is in `stiction_convex::friction`.

pub(crate) mod calibration;
pub(crate) mod entries;
pub(crate) mod file_softness;
pub(crate) mod interior;
pub(crate) mod load;
pub(crate) mod patch_faults;
pub(crate) mod patch_springs;
pub(crate) mod patch_view;
pub(crate) mod patches;
pub(crate) mod quadrature;
pub(crate) mod query;
pub mod result;
pub(crate) mod surface_velocity;
pub(crate) mod turning;

pub use patch_view::{ContactPatch, FaceView, PatchView};
pub use result::{Contact, PairWrench, body_wrenches, pair_wrenches};
