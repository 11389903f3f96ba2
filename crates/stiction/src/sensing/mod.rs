//! What is measured.

pub(crate) mod contacts;
pub(crate) mod distances;
pub(crate) mod readings;
pub(crate) mod sensors;
pub mod tactile;
