//! What can go wrong.

use stiction::OptionError;

/// A batch that cannot be made or stepped.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// A model or options that steps on a GPU do not support: one line for each thing.
    #[error(transparent)]
    Unsupported(#[from] OptionError),
    /// A library that is not there.
    #[error(
        "{0} cannot be loaded: install NVIDIA's driver and CUDA's NVRTC (`pip install nvidia-cuda-nvrtc-cu12`), or choose the host"
    )]
    Missing(&'static str),
    /// A build without the part for GPUs.
    #[error("this build has no part for GPUs: build with the feature `cuda`, or choose the host")]
    NotBuilt,
    /// The kernels do not compile here.
    #[error("the kernels do not compile on this machine: {0}")]
    Compile(String),
    /// The driver refused.
    #[error("the GPU failed: {0}")]
    Driver(String),
    /// Not enough memory.
    #[error(
        "{worlds} worlds of {bytes} bytes do not fit the GPU's memory: make fewer, or give less room for contacts"
    )]
    Memory {
        /// How many.
        worlds: usize,
        /// Memory of one.
        bytes: usize,
    },
    /// An array of the wrong length.
    #[error("{what} has {given} numbers, this batch needs {needed}")]
    Length {
        /// Which.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The length needed.
        needed: usize,
    },
    /// There is no such world.
    #[error("there is no world {0}")]
    World(usize),
}
