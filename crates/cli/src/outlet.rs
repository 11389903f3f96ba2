//! Where results go, looked at before the work begins: nothing is computed for a place that cannot be written to.

use crate::failure::Failure;
use std::fs::{self, OpenOptions};
use std::path::Path;

/// Makes the folder that `option` names unless it is there, and tries whether files can be made in it.
pub fn folder(path: &Path, option: &str) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|e| {
        let folder = path.display();
        Failure::work(format!("cannot create the folder {folder}: {e}; choose another {option}"))
    })?;
    file(&path.join(format!(".stiction-{}", std::process::id())), option)
}

/// Tries whether the file that `option` names can be written; one that is there keeps what it holds.
pub fn file(path: &Path, option: &str) -> Result<(), Failure> {
    let was_there = path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    let tried = opened.and_then(|_| if was_there { Ok(()) } else { fs::remove_file(path) });
    tried.map_err(|e| unwritten(path, option, &e))
}

/// Writes a file that `option` names.
pub fn write(path: &Path, bytes: &[u8], option: &str) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|e| unwritten(path, option, &e))
}

/// What to say of a file that could not be written.
fn unwritten(path: &Path, option: &str, error: &std::io::Error) -> Failure {
    Failure::work(format!("cannot write {}: {error}; choose another {option}", path.display()))
}
