//! `docs/architecture.md` says what is true: its table of crates, the order they may use each other in, the files it names and
//! its dependencies are compared with the tree.

use crate::project;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn page() -> String {
    fs::read_to_string(project::root().join("docs/architecture.md")).unwrap()
}

/// Folders with a manifest, and the names that the manifest depends on: for the library, and for tests and builds.
fn manifests() -> BTreeMap<String, [BTreeSet<String>; 2]> {
    let mut folders = vec!["xtask".to_owned(), "examples/rust".to_owned()];
    for entry in fs::read_dir(project::root().join("crates")).unwrap().flatten() {
        folders.push(format!("crates/{}", entry.file_name().to_string_lossy()));
    }
    folders.into_iter().map(|folder| (folder.clone(), dependencies(&folder))).collect()
}

/// Names in the tables `dependencies`, and in `dev-dependencies` and `build-dependencies`.
fn dependencies(folder: &str) -> [BTreeSet<String>; 2] {
    let text = fs::read_to_string(project::root().join(folder).join("Cargo.toml")).unwrap();
    let (mut found, mut section) = ([BTreeSet::new(), BTreeSet::new()], String::new());
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            name.trim_end_matches(']').clone_into(&mut section);
        } else if let Some((key, _)) = line.split_once('=').filter(|_| section.ends_with("dependencies")) {
            let name = key.split('.').next().unwrap_or(key).trim();
            found[usize::from(section != "dependencies")].insert(name.to_owned());
        }
    }
    found
}

fn package(folder: &str) -> String {
    let text = fs::read_to_string(project::root().join(folder).join("Cargo.toml")).unwrap();
    let line = text.lines().find(|l| l.starts_with("name = ")).unwrap();
    line.split('"').nth(1).unwrap().to_owned()
}

/// Rows of the tables of a part of the page, as their cells without backticks.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines =
        text.lines().filter(|l| l.starts_with("| ") && !l.starts_with("| folder") && !l.starts_with("| dep"));
    lines.map(|l| l.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect()).collect()
}

/// The folders with a package of their own, in the order of the page's table.
fn listed() -> Vec<(String, String)> {
    let page = page();
    let table = page.split("## The way of one step").next().unwrap();
    let mut found = Vec::new();
    for row in rows(table) {
        for folder in row[0].split(", ").map(|f| f.trim_end_matches('/')) {
            assert!(project::root().join(folder).is_dir(), "the page names {folder}, which is not there");
            if project::root().join(folder).join("Cargo.toml").exists() {
                found.push((folder.to_owned(), row[1].clone()));
            }
        }
    }
    found
}

#[test]
fn every_crate_is_in_the_table_under_its_name() {
    let listed = listed();
    for (folder, name) in &listed {
        assert_eq!(&package(folder), name, "{folder}");
    }
    let named: BTreeSet<_> = listed.iter().map(|(folder, _)| folder.clone()).collect();
    assert_eq!(named, manifests().into_keys().collect());
}

#[test]
fn a_crate_uses_only_those_above_it() {
    let listed = listed();
    let order: Vec<&str> = listed.iter().map(|(_, name)| name.as_str()).collect();
    for (at, (folder, name)) in listed.iter().enumerate() {
        for used in dependencies(folder)[0].iter().filter(|used| used.starts_with("stiction")) {
            let above = order[..at].contains(&used.as_str());
            assert!(above, "{name} uses {used}, which stands below it in docs/architecture.md");
        }
    }
}

#[test]
fn every_file_that_the_page_names_is_there() {
    let (page, root) = (page(), project::root());
    let (text, _) = page.split_once("## Dependencies").unwrap();
    let mut looked = 0;
    for word in text.split('`').skip(1).step_by(2) {
        let is_path = word.ends_with(".rs") || word.ends_with('/') || word.contains("crates/");
        if !is_path || word.contains(' ') {
            continue;
        }
        // A bare name is a file of the simulator; `schema.rs` is one of each format.
        let places = [
            root.join(word),
            root.join("crates/stiction/src").join(word),
            root.join("crates/formats/src/mjcf").join(word),
        ];
        assert!(
            places.iter().any(|p| Path::exists(p)),
            "docs/architecture.md names `{word}`, which is not there"
        );
        looked += 1;
    }
    assert!(looked > 20, "{looked}");
}

#[test]
fn every_dependency_is_listed_with_why_and_who_uses_it() {
    let page = page();
    let (_, part) = page.split_once("## Dependencies").unwrap();
    let listed: BTreeMap<String, String> = rows(part)
        .into_iter()
        .map(|row| {
            assert!(row.len() == 4 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
            (row[0].clone(), row[1].clone())
        })
        .collect();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (folder, [own, others]) in manifests() {
        let name = folder.rsplit('/').next().unwrap().to_owned();
        for dependency in own.union(&others).filter(|d| !d.starts_with("stiction")) {
            let who = used.entry(dependency.clone()).or_default();
            if own.contains(dependency) || !matches!(dependency.as_str(), "proptest" | "rayon") {
                who.insert(name.clone());
            }
        }
    }
    let names = |map: &BTreeMap<String, _>| map.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(listed.keys().cloned().collect::<BTreeSet<_>>(), names(&used), "listed and used");
    for (dependency, users) in used {
        let said = &listed[&dependency];
        let everybody = said.starts_with("all ") || said == "tests";
        let said: BTreeSet<String> = said.split(", ").map(str::to_owned).collect();
        assert!(everybody || said == users, "{dependency}: the page says {said:?}, the manifests {users:?}");
    }
    // The workspace lists none that nobody uses.
    let workspace = fs::read_to_string(project::root().join("Cargo.toml")).unwrap();
    let (_, table) = workspace.split_once("[workspace.dependencies]").unwrap();
    for line in table.split("\n[").next().unwrap().lines().filter(|l| l.contains(" = ")) {
        let name = line.split(" = ").next().unwrap();
        assert!(name.starts_with("stiction") || listed.contains_key(name), "nobody uses {name}");
    }
}
