//! Everything that acts besides contact, one file each.

pub(crate) mod actuators;
pub(crate) mod bushings;
pub(crate) mod moments;
pub(crate) mod muscle;
pub(crate) mod tendons;
pub(crate) mod transmission;
