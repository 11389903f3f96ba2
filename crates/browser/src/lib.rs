//! The whole simulator as one WebAssembly module, which a page runs in a worker: `cargo xtask web site`.
//!
//! ```text
//! worker of the page ── JSON ───► abi ──► running ──► Simulation
//!                    ◄─ chunks ──                      frames in the format of recordings
//! ```
//!
//! | open | for |
//! |---|---|
//! | [`running`] | a model loaded from a name or from files in memory, and its simulation |
//! | [`settings`] | what the sliders change: friction, stiffness, gravity, step, contact model |
//! | [`abi`] | the functions that the page calls |
//!
//! Nothing here keeps time: the worker has the clock and says when a step is due. The module imports nothing from the page.

pub mod abi;
pub mod running;
pub mod settings;

pub use running::{Request, Running};
pub use settings::Settings;
