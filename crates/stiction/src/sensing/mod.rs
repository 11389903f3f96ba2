//! Measurements: sensors of the model, tactile grids, inputs of controllers.
//!
//! | file | what |
//! |---|---|
//! | `sensors.rs` | each kind of sensor: readings of a state and of the forces of a step |
//! | `contacts.rs` | sensors of contacts |
//! | `distances.rs` | sensors of distances between geoms |
//! | `readings.rs` | forces on each body in the last step, for force sensors |
//! | `instant.rs` | readings at a state, without a step |
//! | `tactile.rs` | pressure and shear on a grid fixed to a body |

pub(crate) mod contacts;
pub(crate) mod distances;
mod instant;
pub(crate) mod readings;
pub(crate) mod sensors;
pub mod tactile;
