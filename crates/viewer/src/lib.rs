//! Live and recorded 3-D pages of a simulation.
//!
//! ```text
//! Simulation ──capture──► chunks ──┬── record ──► out.html   the page with its data inside; opens by double click
//!              (a copy)  (bytes)   │   (thread)   out.mcap   for robotics log tools
//!                                  └── live ────► tabs       the same chunks over WebSockets, commands back
//! ```
//!
//! ```
//! use stiction::{Model, Options, Simulation};
//! use stiction_viewer::{RecordOptions, Recorder};
//!
//! let model = Model::from_scene("double_pendulum")?;
//! let mut simulation = Simulation::new(&model, Options::default())?;
//! let path = std::env::temp_dir().join(format!("stiction-doc-{}.html", std::process::id()));
//! let mut recorder = Recorder::create(&simulation, "pendulum", &[&path], &RecordOptions::default())?;
//! for _ in 0..200 {
//!     simulation.step(1)?;
//!     recorder.observe(&simulation)?; // a frame sixty times a simulated second
//! }
//! recorder.finish(Some(&simulation))?;
//! let recording = stiction_viewer::read::html(&std::fs::read_to_string(&path)?)?;
//! assert_eq!(recording.frames.len(), 13); // the start, and sixty a second for 0.2 s
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | open | for |
//! |---|---|
//! | [`appearance`] | which geoms a picture shows |
//! | [`decimate`] | meshes with fewer triangles, for pictures |
//! | [`capture`] | a simulation as bytes: the scene, its buffers, frames |
//! | [`channels`] | the numbers that are plotted |
//! | [`chunk`] | the framing that everything shares |
//! | [`record`] | files written beside a run |
//! | [`read`] | recordings back into numbers |
//! | [`live`] | the server of the live page, and a simulation that follows its commands |
//! | [`page`] | the built page, and where data goes into it |
//! | [`message`] | what a page may ask for |
//! | [`push`] | pulling a body with the mouse |
//! | `scene.rs` | the scene and its buffers |
//!
//! Without the feature `files` there are frames alone, for systems without files and threads.
//!
//! The format is in `docs/recording.md`. Nothing here solves anything: what is shown is what
//! [`stiction::Simulation`] tells.

pub mod appearance;
pub mod capture;
pub mod channels;
pub mod chunk;
pub mod decimate;
pub mod error;
#[cfg(feature = "files")]
pub mod live;
pub mod message;
#[cfg(feature = "files")]
pub mod page;
pub mod push;
#[cfg(feature = "files")]
pub mod read;
#[cfg(feature = "files")]
pub mod record;
mod scene;

pub use capture::Capture;
pub use channels::{JointChoice, UserChannel, UserLog};
pub use error::{LiveError, ReadError, RecordError};
#[cfg(feature = "files")]
pub use live::{Live, LiveOptions, Widget};
#[cfg(feature = "files")]
pub use record::{RecordOptions, Recorded, Recorder};
