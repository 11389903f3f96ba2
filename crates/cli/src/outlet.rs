//! Output paths, checked before the work begins: nothing is computed for a path that cannot be written.

use crate::failure::Failure;
use std::fs::{self, OpenOptions};
use std::path::Path;
use stiction_base::whole_file;

/// Creates the folder of an option if it does not exist, and checks that files can be created in it.
pub fn folder(path: &Path, option: &str) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|e| {
        let folder = path.display();
        Failure::work(format!("cannot create the folder {folder}: {e}; choose another {option}"))
    })?;
    file(&path.join(format!(".stiction-{}", std::process::id())), option)
}

/// Checks that the file of an option can be written; an existing file keeps its content.
pub fn file(path: &Path, option: &str) -> Result<(), Failure> {
    let was_there = path.exists();
    let opened = OpenOptions::new().append(true).create(true).open(path);
    let tried = opened.and_then(|_| if was_there { Ok(()) } else { fs::remove_file(path) });
    tried.map_err(|e| unwritten(path, option, &e))
}

/// Checks that the file of an option is none of the files that the command reads.
pub fn not_an_input(path: &Path, option: &str, inputs: &[&Path]) -> Result<(), Failure> {
    let place = |path: &Path| fs::canonicalize(path).ok();
    match inputs.iter().find(|input| place(input).is_some_and(|input| Some(input) == place(path))) {
        Some(_) => Err(Failure::input(format!(
            "{} is read by this command; choose another {option}",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Writes the file of an option, whole or not at all.
pub fn write(path: &Path, bytes: &[u8], option: &str) -> Result<(), Failure> {
    whole_file::write(path, bytes).map_err(|e| unwritten(path, option, &e))
}

/// The error for a file that cannot be written.
fn unwritten(path: &Path, option: &str, error: &std::io::Error) -> Failure {
    Failure::work(format!("cannot write {}: {error}; choose another {option}", path.display()))
}
