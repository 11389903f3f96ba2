//! Where bytes come from: the file system, a table in memory, or nowhere.

use std::collections::BTreeMap;

/// Access to files by path; paths use `/` and are relative to wherever the implementation says.
pub trait Files {
    /// The whole content of a file, or the reason why it cannot be had.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// Whether a file or folder is there.
    fn exists(&self, path: &str) -> bool;

    /// The same path without relative parts, to recognise a file under two names.
    fn canonical(&self, path: &str) -> String {
        normalize(path)
    }
}

pub use stiction_base::bounded_file::MAX_FILE_BYTES;

/// The operating system's files.
#[cfg(feature = "fs")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

#[cfg(feature = "fs")]
impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let meta = std::fs::metadata(path).map_err(|e| format!("cannot be read ({e})"))?;
        if meta.is_dir() {
            return Err("is a folder, not a file".into());
        }
        if !meta.is_file() {
            return Err("is a device or a pipe, not a file".into());
        }
        let read = stiction_base::bounded_file::read(std::path::Path::new(path));
        read.map_err(|e| format!("cannot be read ({e})"))
    }

    fn exists(&self, path: &str) -> bool {
        std::path::Path::new(path).exists()
    }

    fn canonical(&self, path: &str) -> String {
        std::fs::canonicalize(path).map_or_else(|_| normalize(path), |p| p.to_string_lossy().into_owned())
    }
}

/// Files held in memory by path, for programs without a file system and for tests.
#[derive(Clone, Debug, Default)]
pub struct Memory(pub BTreeMap<String, Vec<u8>>);

impl Memory {
    /// Adds a file.
    pub fn with(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.0.insert(normalize(path), content.into());
        self
    }
}

impl Files for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(&normalize(path)).cloned().ok_or_else(|| "is not among the given files".into())
    }

    fn exists(&self, path: &str) -> bool {
        let path = normalize(path);
        let folder = format!("{path}/");
        self.0.contains_key(&path) || self.0.keys().any(|k| k.starts_with(&folder))
    }
}

/// `dir/file`, unless `file` is absolute.
pub(crate) fn join(dir: &str, file: &str) -> String {
    let absolute = file.starts_with('/') || file.starts_with('\\') || file.get(1..3) == Some(":\\");
    if absolute || dir.is_empty() {
        file.to_string()
    } else {
        format!("{}/{file}", dir.trim_end_matches(['/', '\\']))
    }
}

/// The folder part of a path; empty for a bare name.
pub(crate) fn folder(path: &str) -> &str {
    match path.rfind(['/', '\\']) {
        Some(0) => &path[..1],
        Some(end) => &path[..end],
        None => "",
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or(path, |i| &path[i + 1..])
}

/// The extension in lower case, without the dot.
pub(crate) fn extension(path: &str) -> String {
    let name = file_name(path);
    name.rfind('.').map_or(String::new(), |i| name[i + 1..].to_ascii_lowercase())
}

/// Removes `.` and `..` where possible and uses `/`.
pub(crate) fn normalize(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_and_put_together() {
        assert_eq!(normalize("a/./b/../c.xml"), "a/c.xml");
        assert_eq!(normalize("../a"), "../a");
        assert_eq!(normalize("/a//b/"), "/a/b");
        assert_eq!(join("meshes/", "a.stl"), "meshes/a.stl");
        assert_eq!(join("meshes", "/abs/a.stl"), "/abs/a.stl");
        assert_eq!(folder("a/b.xml"), "a");
        assert_eq!(folder("b.xml"), "");
        assert_eq!(extension("x/Y.STL"), "stl");
    }
}
