//! A kitchen for the velocity-level paper's demonstrations: a gripper with bubble fingers, a spatula on a stand, a stove
//! and a pancake, written as MJCF.
//!
//! | open | for |
//! |---|---|
//! | `grid.rs` | resolutions of the meshes |
//! | `gripper.rs` | the hand: two bubbles that close on what is between them |
//! | `spatula.rs`, `stove.rs` | the spatula, and where its blade is; its stand, the stove, the pancake |
//! | `arm.rs` | the arm |
//! | `cook.rs` | who moves it all: keyframes, inverse kinematics, force feedback |
//! | `patch.rs` | the shape of a contact patch |
//!
//! Soft are the bubbles (E_h = 1e5 Pa) and the pancake (E_h = 1e4 Pa, VLP V-B); everything else is rigid. Who is touched
//! by a soft thing gets a patch, rigid things touch each other at points.

pub mod arm;
pub mod cook;
pub mod grid;
pub mod gripper;
pub mod patch;
pub mod spatula;
pub mod stove;

pub use grid::Grid;
