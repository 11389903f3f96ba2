//! Errors of recorded data.

use std::path::PathBuf;

/// Recordings that cannot be used. Every message names the file and what to do.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The file cannot be opened, read or written.
    #[error("{file}: {error}; {remedy}")]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's message.
        error: std::io::Error,
        /// What to do.
        remedy: &'static str,
    },
    /// The file is not what its name says, or is damaged.
    #[error("{file}: {what}")]
    File {
        /// The file.
        file: PathBuf,
        /// What is wrong and what to do.
        what: String,
    },
    /// Rows that do not make tosses of this model.
    #[error("{file}: row {row}: {what}")]
    Row {
        /// The file.
        file: PathBuf,
        /// The row: of a CSV file its line, from 1; of an array its index, from 0.
        row: usize,
        /// What is wrong and what to do.
        what: String,
    },
}

impl DataError {
    /// A damaged or mismatched file.
    pub fn file(file: &std::path::Path, what: impl Into<String>) -> Self {
        Self::File { file: file.into(), what: what.into() }
    }

    /// A file that cannot be read.
    pub fn unread(file: &std::path::Path, error: std::io::Error) -> Self {
        let remedy = match error.kind() {
            std::io::ErrorKind::NotFound => "check the name and the folder",
            _ => "check that it is a file and that you may read it",
        };
        Self::Io { file: file.into(), error, remedy }
    }

    /// A file that cannot be written.
    pub fn unwritten(file: &std::path::Path, error: std::io::Error) -> Self {
        Self::Io { file: file.into(), error, remedy: "choose another place to write to" }
    }
}
