//! Files that are read as a whole, up to a size: a device that never ends must not fill the memory.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// The content of a file or pipe of at most [`MAX_FILE_BYTES`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if is_device(&meta) {
        return Err(io::Error::other("it is a device, not a file"));
    }
    let large = || {
        let message = format!("it is larger than {} MiB, the most that is read", MAX_FILE_BYTES >> 20);
        io::Error::other(message)
    };
    if meta.len() > MAX_FILE_BYTES {
        return Err(large());
    }
    // Some files are longer than they say.
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(large()) } else { Ok(bytes) }
}

/// The same as text.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}

#[cfg(unix)]
fn is_device(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = meta.file_type();
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_folders_and_files_that_are_too_large_are_refused() {
        let path = std::env::temp_dir().join(format!("stiction-bounded-{}", std::process::id()));
        std::fs::write(&path, "text").unwrap();
        assert_eq!(read_text(&path).unwrap(), "text");
        // Without content, so that it takes no room.
        File::options().write(true).open(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("1024 MiB"));
        std::fs::remove_file(&path).unwrap();
        assert!(read(&std::env::temp_dir()).is_err());
        #[cfg(target_os = "linux")]
        for device in ["/dev/zero", "/dev/urandom", "/dev/kmsg"].map(Path::new) {
            assert!(!device.exists() || read(device).is_err(), "{}", device.display());
        }
    }
}
