//! Contact between geoms: materials of a pair, patches, quadrature and what a step reports.

pub(crate) mod calibration;
pub mod patches;
pub(crate) mod quadrature;
pub mod result;

pub use result::*;
