//! Errors of reading, always with the place.

use stiction_base::plain::Plain;
use stiction_model::{ModelError, Source, Warning};

/// A file that cannot be turned into a world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FormatError {
    /// A file could not be read.
    #[error("{}: {}", Plain(path), Plain(reason))]
    File {
        /// The path as it was asked for.
        path: String,
        /// Why it could not be read, and what to do.
        reason: String,
    },
    /// The text is not well-formed XML.
    #[error("{}:{line}: {}", Plain(file), Plain(message))]
    Syntax {
        /// File name.
        file: String,
        /// Line, counted from 1.
        line: u32,
        /// The error and the remedy.
        message: String,
    },
    /// An element or attribute says something that cannot be.
    #[error("{place}: {}", Plain(message))]
    Invalid {
        /// Where it stands.
        place: Source,
        /// The error and the remedy.
        message: String,
    },
    /// Something is not honoured, and the caller asked for strictness.
    #[error("{0} (an error because strict reading was asked for)")]
    Strict(Warning),
    /// The file was read but describes a world that cannot be simulated.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Result of reading.
pub type Read<T> = Result<T, FormatError>;
