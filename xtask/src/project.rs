//! Paths of the project, and calls of cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository root, as an absolute path.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies one folder below the root")
}

/// Private files that can be deleted at any time: the peers' environment, tools.
pub fn cache() -> PathBuf {
    root().join(".cache")
}

/// The folder cargo builds into.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// The cargo that runs this xtask.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
