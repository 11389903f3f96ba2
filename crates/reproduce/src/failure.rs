//! Why a reproduction could not be carried out.

use std::fmt;

/// A reproduction that ended before its checks; a check that does not hold is no failure but a result.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// What went wrong.
    pub fn work(error: impl fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}
