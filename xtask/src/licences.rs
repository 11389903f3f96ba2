//! `cargo xtask licences`: the texts of the licences of all crates that the Python package is compiled with, as the wheel carries
//! them (`crates/python/THIRD_PARTY`). If a crate offers the MIT licence, that one is used.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::project;
use crate::stage::{Failure, Outcome};

pub fn run(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err(Failure::usage("usage: cargo xtask licences"));
    }
    let crates = crates()?;
    let mut texts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut list = String::new();
    for one in &crates {
        let mut numbers = Vec::new();
        for text in texts_of(one)? {
            let next = texts.len() + 1;
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            numbers.push(texts.entry(words).or_insert((next, text)).0);
        }
        let numbers = numbers.iter().map(|n| format!("[{n}]")).collect::<Vec<_>>().join(" ");
        let _ = writeln!(list, "{one} {numbers}");
    }
    let mut page = format!("{HEAD}\n{list}");
    let mut texts: Vec<_> = texts.into_values().collect();
    texts.sort();
    for (number, text) in &texts {
        let _ = write!(page, "\n[{number}]\n\n{}\n", text.trim_end());
    }
    let path = page_path();
    fs::write(&path, page).map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))?;
    println!("{}: {} crates, {} texts", path.display(), crates.len(), texts.len());
    Ok(())
}

const HEAD: &str = "The crates that Stiction's Python package is compiled with, their licences, and the texts of those, by number.\n";

fn page_path() -> PathBuf {
    project::root().join("crates/python/THIRD_PARTY")
}

/// A third-party crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    licence: String,
}

impl std::fmt::Display for Crate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} ({})", self.name, self.version, self.licence)
    }
}

/// All crates that are linked into the Python package on this kind of machine, by name.
fn crates() -> Outcome<Vec<Crate>> {
    let mut tree = project::cargo();
    tree.args(["tree", "--locked", "--package", "stiction-python", "--edges", "normal", "--prefix", "none"]);
    tree.args(["--format", "{p}|{l}"]).current_dir(project::root());
    let output = tree.output().map_err(|e| Failure::work(format!("cannot run cargo tree: {e}")))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::work(format!("cargo tree failed: {message}")));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut crates: Vec<Crate> = text.lines().filter_map(listed).collect();
    crates.sort();
    crates.dedup();
    Ok(crates)
}

/// A line `name v1.2.3|MIT`; none for crates of this project, which have their folder behind the version.
fn listed(line: &str) -> Option<Crate> {
    let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
    let package = package.replace(" (proc-macro)", "");
    let (name, version) = package.split_once(" v")?;
    let plain = !version.contains(' ');
    plain.then(|| Crate { name: name.into(), version: version.into(), licence: licence.replace('/', " OR ") })
}

/// The texts to carry for a crate, from its sources.
fn texts_of(one: &Crate) -> Outcome<Vec<String>> {
    let folder = sources(one)?;
    let mut files = Vec::new();
    let entries =
        fs::read_dir(&folder).map_err(|e| Failure::work(format!("cannot read {}: {e}", folder.display())))?;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()) {
        let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().to_ascii_lowercase());
        if ["licen", "copying", "copyright", "notice", "unlicense"]
            .iter()
            .any(|start| name.starts_with(start))
        {
            files.push((name, path));
        }
    }
    files.sort();
    let offers_mit = one.licence.split(" OR ").any(|l| l.trim_matches(['(', ')']) == "MIT");
    if offers_mit && files.iter().any(|(name, _)| name.contains("mit")) {
        files.retain(|(name, _)| name.contains("mit") || !name.starts_with("licen"));
    }
    if files.is_empty() {
        // The package has no text: its manifest names the licence and the authors.
        return Ok(vec![format!("{}: {}, by its authors ({})", one.name, one.licence, authors(&folder))]);
    }
    files.iter().map(|(_, path)| read(path)).collect()
}

fn read(path: &Path) -> Outcome<String> {
    let bytes = fs::read(path).map_err(|e| Failure::work(format!("cannot read {}: {e}", path.display())))?;
    Ok(String::from_utf8_lossy(&bytes).replace('\r', ""))
}

/// Where cargo unpacked a crate.
fn sources(one: &Crate) -> Outcome<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let registries = fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten();
    let mut folders = registries.map(|r| r.path().join(format!("{}-{}", one.name, one.version)));
    folders.find(|folder| folder.is_dir()).ok_or_else(|| {
        Failure::work(format!("the sources of {} are not in {}: build once", one.name, home.display()))
    })
}

/// The authors that the manifest names.
fn authors(folder: &Path) -> String {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let list = manifest.split("\nauthors = [").nth(1).and_then(|rest| rest.split(']').next());
    let names = list.unwrap_or("").split('"').skip(1).step_by(2).collect::<Vec<_>>();
    if names.is_empty() { "see its repository".into() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page is that of Linux; other systems need a few crates more.
    #[test]
    #[cfg(target_os = "linux")]
    fn the_wheel_carries_the_licence_of_every_crate_in_it() {
        let page = fs::read_to_string(page_path()).unwrap();
        let (list, _) = page[HEAD.len()..].split_once("\n\n").unwrap();
        let carried: Vec<&str> = list.trim().lines().map(|l| l.split(" [").next().unwrap()).collect();
        let linked: Vec<String> = crates().unwrap().iter().map(Crate::to_string).collect();
        assert_eq!(carried, linked, "run `cargo xtask licences`");
    }

    #[test]
    fn lines_of_cargo_tree_are_understood() {
        let plain = listed("glam v0.30.9|MIT OR Apache-2.0 (*)").unwrap();
        assert_eq!(plain.to_string(), "glam 0.30.9 (MIT OR Apache-2.0)");
        assert_eq!(listed("paste v1.0.15 (proc-macro)|MIT/Apache-2.0").unwrap().licence, "MIT OR Apache-2.0");
        assert_eq!(listed("stiction v0.1.0 (/somewhere)|MIT OR Apache-2.0"), None);
    }
}
