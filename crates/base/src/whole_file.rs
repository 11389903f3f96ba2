//! Files that are written whole or not at all.
//!
//! The content goes into a temporary file in the same folder, is brought to the disk, and then takes the place of what was
//! there under its name. Whoever reads sees the old file or the new one. If the disk is full or the program is killed, the old
//! one is still there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A file that takes its place when it is complete; dropped before, it leaves nothing.
///
/// A pipe, a terminal or another device is written to directly.
#[derive(Debug)]
pub struct WholeFile {
    file: File,
    /// The temporary file and the place it goes to.
    places: Option<(PathBuf, PathBuf)>,
}

impl WholeFile {
    /// Begins a file. Fails if it could not take its place: the folder does not exist or may not be written to, an existing file
    /// may not be changed, or the path is a folder.
    pub fn create(path: &Path) -> io::Result<Self> {
        // What a link points to is replaced, not the link.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let before = fs::metadata(&place).ok();
        if before.is_some() {
            let file = OpenOptions::new().write(true).open(&place)?;
            if !file.metadata()?.is_file() {
                return Ok(Self { file, places: None });
            }
        }
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = place.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{}.part", std::process::id(), COUNT.fetch_add(1, Relaxed)));
        let part = place.with_file_name(hidden);
        let file = OpenOptions::new().write(true).create_new(true).open(&part)?;
        let whole = Self { file, places: Some((part, place)) };
        if let Some(before) = before {
            whole.file.set_permissions(before.permissions())?;
        }
        Ok(whole)
    }

    /// Brings the content to the disk and puts the file into its place.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((part, place)) = &self.places else { return Ok(()) };
        self.file.sync_all()?;
        fs::rename(part, place)?;
        // So that the new name survives a power cut too, where folders can be synced.
        #[cfg(unix)]
        if let Some(folder) = place.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        self.places = None;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for WholeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some((part, _)) = &self.places {
            let _ = fs::remove_file(part);
        }
    }
}

/// Writes a whole file.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new empty folder.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stiction-whole-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        names.collect()
    }

    #[test]
    fn a_file_that_is_not_finished_leaves_the_old_one() {
        let folder = folder("old");
        let path = folder.join("state");
        write(&path, b"old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half of the ne").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old", "while it is written");
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(&folder), ["state"], "nothing is left beside it");
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&folder), ["state"]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error_and_devices_are_written_to() {
        assert!(write(Path::new("/dev/full"), b"x").is_err());
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(write(&folder("none").join("no/such/folder"), b"x").is_err());
        assert!(write(&std::env::temp_dir(), b"x").is_err(), "a folder");
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = folder("links");
        let (path, link) = (folder.join("file"), folder.join("link"));
        write(&path, b"old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        fs::remove_dir_all(&folder).unwrap();
    }
}
