//! Checks that `docs/architecture.md` agrees with the tree: its table of crates and the order in which they may depend on
//! each other, the parts of `crates/stiction/src`, the stages of a step, the files it names and the table of
//! dependencies. Also that the header of every file that has modules lists them.

use crate::project;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Headings of the page that the checks read.
const STEP: &str = "## The way of one step";
const INSIDE: &str = "## Inside `crates/stiction`";
const DEPENDENCIES: &str = "## Dependencies";

fn page() -> String {
    fs::read_to_string(project::root().join("docs/architecture.md")).unwrap()
}

/// The text under a heading, up to the next one of the same level.
fn section(page: &str, heading: &str) -> String {
    let (_, after) = page
        .split_once(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("docs/architecture.md has no heading \"{heading}\": add it"));
    after.split("\n## ").next().unwrap_or(after).to_owned()
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

/// The folders with a package of their own, in the order of the page's first table.
fn listed() -> Vec<(String, String)> {
    let page = page();
    let mut found = Vec::new();
    for row in rows(page.split("\n## ").next().unwrap()) {
        for folder in row[0].split(", ").map(|f| f.trim_end_matches('/')) {
            assert!(
                project::root().join(folder).is_dir(),
                "docs/architecture.md lists {folder}, which does not exist"
            );
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
fn a_crate_depends_only_on_those_above_it() {
    let listed = listed();
    let order: Vec<&str> = listed.iter().map(|(_, name)| name.as_str()).collect();
    for (at, (folder, name)) in listed.iter().enumerate() {
        for used in dependencies(folder)[0].iter().filter(|used| used.starts_with("stiction")) {
            let above = order[..at].contains(&used.as_str());
            assert!(above, "{name} depends on {used}, which docs/architecture.md lists below it");
        }
    }
}

/// What lies in `crates/stiction/src`, as the page spells it: `step.rs`, `control/`.
fn parts_of_stiction() -> BTreeSet<String> {
    let entries = fs::read_dir(project::root().join("crates/stiction/src")).unwrap().flatten();
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() { name + "/" } else { name }
        })
        .collect()
}

/// Differences between the parts that a table lists and those that exist: one sentence each.
fn differences(listed: &[String], existing: &BTreeSet<String>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for part in listed {
        if !seen.insert(part.clone()) {
            problems.push(format!("`{part}` is listed twice"));
        }
        if !existing.contains(part) {
            problems.push(format!("`{part}` is listed but does not exist"));
        }
    }
    problems.extend(existing.difference(&seen).map(|part| format!("`{part}` is not listed")));
    problems
}

#[test]
fn every_part_of_the_simulator_is_listed_once() {
    let rows = rows(&section(&page(), INSIDE));
    let listed: Vec<String> =
        rows.iter().flat_map(|row| row[0].split(", ").map(str::to_owned).collect::<Vec<_>>()).collect();
    let problems = differences(&listed, &parts_of_stiction());
    assert!(problems.is_empty(), "docs/architecture.md, \"{INSIDE}\":\n{}", problems.join("\n"));
    assert!(rows.iter().all(|row| row.len() > 1 && row.iter().all(|cell| !cell.is_empty())), "{rows:?}");
}

#[test]
fn parts_listed_twice_missing_or_unlisted_are_found() {
    let existing = BTreeSet::from(["step.rs".to_owned(), "control/".to_owned()]);
    let listed = ["step.rs", "step.rs", "gone.rs"].map(str::to_owned);
    assert_eq!(
        differences(&listed, &existing),
        ["`step.rs` is listed twice", "`gone.rs` is listed but does not exist", "`control/` is not listed"]
    );
}

/// Fields of `StageSeconds`, which the simulator measures its stages with.
fn measured_stages() -> Vec<String> {
    let mut folders = vec![project::root().join("crates/stiction/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap();
            if let Some((_, after)) = text.split_once("pub struct StageSeconds {") {
                let fields = after.split('}').next().unwrap_or_default().lines();
                let fields =
                    fields.filter_map(|line| line.trim().strip_prefix("pub ")?.strip_suffix(": f64,"));
                return fields.map(str::to_owned).collect();
            }
        }
    }
    panic!("crates/stiction/src has no `pub struct StageSeconds`")
}

#[test]
fn the_drawing_of_a_step_has_the_stages_that_are_measured() {
    let page = page();
    let drawn: Vec<String> = section(&page, STEP)
        .lines()
        .filter(|line| line.starts_with("    ") && line.contains('→'))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    assert_eq!(drawn, measured_stages(), "docs/architecture.md, \"{STEP}\", and StageSeconds");
}

#[test]
fn every_question_is_answered_in_two_files() {
    let simulator = project::root().join("crates/stiction/src");
    let header = |path: &Path| -> String {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        text.lines().take_while(|line| line.starts_with("//!")).collect()
    };
    // A file is named by its module or its crate.
    let names = |header: &str, file: &str| {
        let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
        let module = match parts[..] {
            ["crates", of, "src", "lib"] => format!("stiction_{of}"),
            [.., folder, "mod"] => folder.to_owned(),
            [.., file] => file.to_owned(),
            [] => unreachable!(),
        };
        header.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == module)
    };
    let (page, mut looked) = (page(), 0);
    let table = section(&page, "## Where is …?");
    let rows = rows(&table).into_iter().skip(1).take_while(|row| row.len() == 3);
    for row in rows.filter(|row| row[0] != "---") {
        let (first, second) = (&row[1], &row[2]);
        assert!(
            names(&header(&simulator.join("lib.rs")), first),
            "the header of lib.rs does not name {first}"
        );
        looked += 1;
        let is_file = second.ends_with(".rs");
        let folder =
            if first.starts_with("crates/") { project::root().to_owned() } else { simulator.clone() };
        let first = header(&folder.join(first));
        assert!(
            !is_file || names(&first, second),
            "{:?}: the header of {} does not name {second}",
            row[0],
            row[1]
        );
    }
    assert!(looked > 8, "{looked}");
}

#[test]
fn every_file_that_the_page_names_exists() {
    let (page, root) = (page(), project::root());
    let (text, _) = page.split_once(DEPENDENCIES).unwrap();
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
            "docs/architecture.md names `{word}`, which does not exist"
        );
        looked += 1;
    }
    assert!(looked > 20, "{looked}");
}

/// Modules that a file declares, unless its header names them. The modules of errors and of tests explain themselves, and a
/// header may say what "the other files" are.
fn modules_without_entry(text: &str) -> Vec<&str> {
    let header: String =
        text.lines().filter(|line| line.starts_with("//!")).flat_map(|l| [l, "\n"]).collect();
    let words: BTreeSet<&str> = header.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let declared = text.lines().filter_map(|line| {
        let (before, name) = line.strip_suffix(';')?.split_once("mod ")?;
        (before.is_empty() || before.starts_with("pub")).then_some(name)
    });
    let plain = |name: &&str| ["error", "tests"].contains(name) || words.contains(name);
    declared.filter(|name| !plain(name) && !header.contains("the other files")).collect()
}

#[test]
fn a_file_with_modules_is_their_table_of_contents() {
    let mut folders: Vec<_> = manifests().into_keys().map(|f| project::root().join(f).join("src")).collect();
    let mut looked = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let missing = fs::read_to_string(&path).unwrap();
                let missing = modules_without_entry(&missing);
                assert!(missing.is_empty(), "the header of {} does not name {missing:?}", path.display());
                looked += 1;
            }
        }
    }
    assert!(looked > 500, "{looked}");
    let text = "//! | `one.rs` | first |\n\nmod error;\npub mod one;\npub(crate) mod two;\n";
    assert_eq!(modules_without_entry(text), ["two"]);
}

#[test]
fn every_dependency_is_listed_with_its_users_and_reason() {
    let listed: BTreeMap<String, String> = rows(&section(&page(), DEPENDENCIES))
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
        assert!(
            everybody || said == users,
            "{dependency}: docs/architecture.md says {said:?}, the manifests say {users:?}"
        );
    }
    // The workspace declares no unused dependency.
    let workspace = fs::read_to_string(project::root().join("Cargo.toml")).unwrap();
    let (_, table) = workspace.split_once("[workspace.dependencies]").unwrap();
    for line in table.split("\n[").next().unwrap().lines().filter(|l| l.contains(" = ")) {
        let name = line.split(" = ").next().unwrap();
        assert!(
            name.starts_with("stiction") || listed.contains_key(name),
            "no crate uses {name}: remove it from Cargo.toml"
        );
    }
}
