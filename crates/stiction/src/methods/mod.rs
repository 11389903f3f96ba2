//! Methods of stepping.

pub mod continuous;
pub mod learned;
pub mod rigid;
