//! What can go wrong with recordings.

use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

/// Why a recording could not be made or went no further.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file could not be created.
    #[error("cannot create {}: {error}; choose a folder that exists and may be written to", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// Writing failed.
    #[error(
        "cannot write {}: {error}; what was written before stays readable ({} frames). Free some space, or record \
         elsewhere or at a lower rate",
        path.display(), frames
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// Frames that are safely in it.
        frames: u64,
        /// What the system said.
        error: io::Error,
    },
    /// The name of the file says no known format.
    #[error("cannot record to {}: end its name in .html (opens in a browser) or .mcap (robotics log tools)", .0.display())]
    Extension(PathBuf),
    /// The rate is not a positive number.
    #[error("a frame rate of {0} is not allowed: give a positive number of frames per simulated second")]
    Rate(f64),
    /// A joint to plot does not exist.
    #[error("there is no joint \"{name}\" to record; the model has: {known}")]
    Joint {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A channel of the user's has no name, or one that is there already.
    #[error("a channel called \"{0}\" is not possible: give each channel a name of its own")]
    Channel(String),
    /// A number was logged to a channel that was not announced.
    #[error(
        "there is no channel \"{name}\" to log to; announce it when the recording begins. There are: {known}"
    )]
    Log {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The simulation is of another model than the recording.
    #[error("the recording was begun with another model: stop it and begin a new one")]
    OtherModel,
    /// The recording ended by an error that was already told.
    #[error("the recording to {} ended at an earlier error: begin a new one", .0.display())]
    Ended(PathBuf),
}

/// Why a live page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The address cannot be listened on.
    #[error(
        "cannot listen on {address}, port {port}: {error}; choose another port (0 takes a free one) or address"
    )]
    Listen {
        /// The address.
        address: IpAddr,
        /// The port.
        port: u16,
        /// What the system said.
        error: io::Error,
    },
    /// The rate is out of range.
    #[error("a frame rate of {0} is not allowed: give a positive number up to 1000")]
    Rate(f64),
    /// The channels cannot be had.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Why bytes are no recording.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No data block.
    #[error(
        "the file has no recording in it: it is another page, or its run was killed before the first block"
    )]
    Empty,
    /// A block or a chunk is damaged.
    #[error("the recording is damaged: {0}")]
    Damaged(String),
    /// Another version.
    #[error("the recording has version {found} of the format, this program reads version {known}")]
    Version {
        /// What the file says.
        found: String,
        /// What is read.
        known: u32,
    },
}
