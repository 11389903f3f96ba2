//! Models written for other programs.

use crate::errors::{FileError, InputError, ModelError};
use pyo3::prelude::*;
use std::path::Path;
use stiction::{Format, export};

/// Writes a model and the files beside it; what the format cannot say.
pub fn save(model: &stiction::Model, path: &Path) -> PyResult<Vec<String>> {
    let format = match path.extension().and_then(|e| e.to_str()) {
        Some("xml" | "mjcf") => Format::Mjcf,
        Some("urdf") => Format::Urdf,
        _ => {
            return Err(InputError::new_err(format!(
                "{}: give a name that ends in .xml (MJCF) or .urdf",
                path.display()
            )));
        }
    };
    let written = export(model.world(), format).map_err(|e| ModelError::new_err(e.to_string()))?;
    let write = |path: &Path, bytes: &[u8]| {
        stiction_base::whole_file::write(path, bytes)
            .map_err(|e| FileError::new_err(format!("{}: {e}", path.display())))
    };
    for (name, bytes) in &written.files {
        write(&path.with_file_name(name), bytes)?;
    }
    write(path, written.text.as_bytes())?;
    Ok(written.losses)
}
