//! Many worlds of one model, stepped on a GPU: [`GpuBatch`].
//!
//! ```
//! use stiction::{Model, Options};
//! use stiction_gpu::{Device, GpuBatch, Room};
//!
//! let model = Model::from_scene("clutter")?;
//! let options = Options { speculative: false, ..Options::for_model(&model) };
//! // `Device::Gpu(0)` is the first GPU; the host runs the same source without one.
//! let mut batch = GpuBatch::new(&model, 2, options, Device::Host, Room::default())?;
//! let report = batch.step(5)?;
//! assert_eq!(report.unconverged, 0);
//! assert_eq!(batch.positions()?.len(), 2 * model.nq());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | open | for |
//! |---|---|
//! | [`batch`] | the worlds: states, controls, steps, reports |
//! | `backend.rs` | arrays and steps on the host |
//! | `device.rs` | the same on a GPU (feature `cuda`) |
//! | `kernels/` | what a step does, in C++ for both |
//!
//! The kernels are compiled twice from one source: for the GPU by NVRTC when the first batch is made, for the host by the system's
//! compiler when the crate is built. The tests compare the host build with [`stiction::Simulation`], so that every kernel runs
//! without a GPU.

mod backend;
pub mod batch;
#[cfg(feature = "cuda")]
mod device;
mod error;

pub use batch::{Device, GpuBatch, Report, Room};
pub use error::GpuError;
