//! NumPy's `.npz` archives: a zip file with one `.npy` a name, as `np.savez` and `np.savez_compressed` write it.

use crate::error::DataError;
use crate::npy::Array;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;

/// Named arrays.
pub type Arrays = BTreeMap<String, Array>;

/// Largest member that is read, bytes.
const MOST: u64 = 1 << 31;

/// Reads an archive from the bytes of a file; `file` is for messages.
pub fn from_npz(bytes: &[u8], file: &Path) -> Result<Arrays, DataError> {
    let damaged =
        |what: String| DataError::file(file, format!("it is no .npz archive, or a damaged one: {what}"));
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| damaged(e.to_string()))?;
    let mut arrays = Arrays::new();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(|e| damaged(e.to_string()))?;
        let name = member.name().map_err(|e| damaged(e.to_string()))?.into_owned();
        let Some(name) = name.strip_suffix(".npy").map(str::to_string) else { continue };
        if member.size() > MOST {
            return Err(damaged(format!("its array {name} claims {} bytes", member.size())));
        }
        let mut content = Vec::new();
        // What a member says of its size is not believed: the bound holds for what comes out.
        let read = member.by_ref().take(MOST).read_to_end(&mut content);
        read.map_err(|e| damaged(format!("its array {name}: {e}")))?;
        let array = Array::from_npy(&content, file)
            .map_err(|e| DataError::file(file, format!("its array {name}: {e}")))?;
        arrays.insert(name, array);
    }
    Ok(arrays)
}

/// The archive as the bytes of a file, compressed; the same arrays give the same bytes.
pub fn to_npz(arrays: &Arrays) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
    for (name, array) in arrays {
        let begun = writer.start_file(format!("{name}.npy"), options);
        begun.expect("names of arrays are short and differ");
        writer.write_all(&array.to_npy()).expect("memory takes every byte");
    }
    writer.finish().expect("memory takes every byte").into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn example() -> Arrays {
        let mut arrays = Arrays::new();
        arrays.insert("header".into(), Array::text("{\"version\":1}"));
        arrays.insert("q".into(), Array::table(7, (0..70).map(f64::from).collect()));
        arrays
    }

    #[test]
    fn an_archive_reads_back_and_is_the_same_twice() {
        let bytes = to_npz(&example());
        assert_eq!(from_npz(&bytes, Path::new("a.npz")).expect("it reads"), example());
        assert_eq!(bytes, to_npz(&example()));
    }

    proptest! {
        #[test]
        fn damaged_archives_are_refused_not_panicked_over(cut in 0usize..600) {
            let mut bytes = to_npz(&example());
            let whole = bytes.len();
            bytes.truncate(cut.min(whole - 1));
            prop_assert!(from_npz(&bytes, Path::new("a.npz")).is_err());
        }

        #[test]
        fn a_changed_byte_never_panics(at in 0usize..600, byte in any::<u8>()) {
            let mut bytes = to_npz(&example());
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = from_npz(&bytes, Path::new("a.npz"));
        }
    }
}
