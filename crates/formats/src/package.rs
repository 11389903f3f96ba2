//! Finding the files that a model names: relative, `file://`, `package://` and `model://`.

use crate::files::{Files, file_name, folder, join};
use crate::text::decode;
use crate::xml;

/// Where files are looked for.
pub struct Finder<'a> {
    /// Access to files.
    pub files: &'a dyn Files,
    /// Folder of the model file.
    pub model_dir: &'a str,
    /// Folders that hold packages or are one.
    pub package_paths: &'a [String],
}

impl Finder<'_> {
    /// The path of a file that a model names, or the reason why there is none.
    pub fn find(&self, uri: &str) -> Result<String, String> {
        if let Some(path) = uri.strip_prefix("file://") {
            // Some files write a path from the model's folder as if it were absolute.
            let beside = join(self.model_dir, path.trim_start_matches('/'));
            let lost = !self.files.exists(path) && self.files.exists(&beside);
            return Ok(if lost { beside } else { join(self.model_dir, path) });
        }
        if uri.starts_with("http://") || uri.starts_with("https://") {
            return Err(format!(
                "{uri} is on the network, from which nothing is fetched; download it and give its path"
            ));
        }
        let Some(rest) = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://")) else {
            return Ok(join(self.model_dir, uri));
        };
        let (package, inside) = rest.split_once('/').unwrap_or((rest, ""));
        let mut tried = Vec::new();
        for dir in self.package_paths {
            tried.extend(self.candidates(dir, package, inside));
        }
        // Packages lie around the model file: look in each folder above it.
        let mut dir = self.files.canonical(if self.model_dir.is_empty() { "." } else { self.model_dir });
        for _ in 0..64 {
            tried.extend(self.candidates(&dir, package, inside));
            let up = folder(&dir).to_string();
            if up == dir || up.is_empty() {
                break;
            }
            dir = up;
        }
        tried.iter().find(|p| self.files.exists(p)).cloned().ok_or_else(|| {
            format!(
                "{uri} was not found; give the folder of the package \"{package}\" in package_paths (--package-path)"
            )
        })
    }

    /// A file of the same path inside a folder around the model that is no package by name: packages are often unpacked
    /// under another name and without their `package.xml`.
    pub fn guess(&self, uri: &str) -> Option<String> {
        let rest = uri.strip_prefix("package://").or_else(|| uri.strip_prefix("model://"))?;
        let (_, inside) = rest.split_once('/').filter(|(_, inside)| !inside.is_empty())?;
        let mut dir = self.files.canonical(if self.model_dir.is_empty() { "." } else { self.model_dir });
        for _ in 0..3 {
            let path = join(&dir, inside);
            if !self.files.exists(&join(&dir, "package.xml")) && self.files.exists(&path) {
                return Some(path);
            }
            dir = folder(&dir).to_string();
        }
        None
    }

    fn candidates(&self, dir: &str, package: &str, inside: &str) -> Vec<String> {
        let mut paths = vec![join(&join(dir, package), inside)];
        let dir_name = file_name(dir.trim_end_matches('/'));
        if dir_name == package || self.package_name(dir).as_deref() == Some(package) {
            paths.push(join(dir, inside));
        }
        paths
    }

    /// The name that a folder's `package.xml` gives.
    fn package_name(&self, dir: &str) -> Option<String> {
        let path = join(dir, "package.xml");
        if !self.files.exists(&path) {
            return None;
        }
        let text = decode(self.files.read(&path).ok()?).ok()?;
        Some(xml::parse(&text, &path).ok()?.child("name")?.text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    #[test]
    fn packages_are_found_by_path_name_and_manifest() {
        let files = Memory::default()
            .with("ws/arm/meshes/a.stl", "")
            .with("other/weird/package.xml", "<package><name>tool</name></package>")
            .with("other/weird/b.stl", "");
        let none: [String; 0] = [];
        let near = Finder { files: &files, model_dir: "ws/arm/urdf", package_paths: &none };
        assert_eq!(near.find("package://arm/meshes/a.stl").unwrap(), "ws/arm/meshes/a.stl");
        assert_eq!(near.find("../meshes/a.stl").unwrap(), "ws/arm/urdf/../meshes/a.stl");
        assert!(near.find("package://tool/b.stl").unwrap_err().contains("package_paths"));
        // Under another name: only where nothing else is found, and only beside the model.
        assert_eq!(near.guess("package://arm_support/meshes/a.stl").unwrap(), "ws/arm/meshes/a.stl");
        assert_eq!(near.guess("package://arm_support/meshes/b.stl"), None);
        assert_eq!(near.guess("package://arm_support"), None);
        let beside = Finder { files: &files, model_dir: "other/weird", package_paths: &none };
        assert_eq!(beside.guess("package://gone/b.stl"), None, "a package with a name of its own");
        for path in ["ws", "ws/arm"] {
            let paths = [path.to_string(), "other/weird".to_string()];
            let far = Finder { files: &files, model_dir: "elsewhere", package_paths: &paths };
            assert_eq!(far.find("package://arm/meshes/a.stl").unwrap(), "ws/arm/meshes/a.stl");
            assert_eq!(far.find("package://tool/b.stl").unwrap(), "other/weird/b.stl");
        }
    }
}
