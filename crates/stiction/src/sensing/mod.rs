//! What is measured: sensors of the model, tactile grids, what controllers read.
//!
//! | file | what |
//! |---|---|
//! | `sensors.rs` | each kind of sensor: what it reads of a state and of the forces of a step |
//! | `contacts.rs` | sensors of contacts |
//! | `distances.rs` | sensors of distances between geoms |
//! | `readings.rs` | what acted on each body in the last step, from which forces are read |
//! | `instant.rs` | readings at a state, without a step |
//! | `tactile.rs` | pressure and shear on a grid fixed to a body |

pub(crate) mod contacts;
pub(crate) mod distances;
mod instant;
pub(crate) mod readings;
pub(crate) mod sensors;
pub mod tactile;
