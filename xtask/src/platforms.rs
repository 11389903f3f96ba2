//! `cargo xtask platforms`: check that the core crates compile for other systems.
//!
//! This needs the standard library of each target. If it is not installed, rustup installs it (`rustup target add TARGET`);
//! if that fails, it is built from the sources of the compiler in use (`rustup component add rust-src`). A target without
//! either is reported and skipped. `cargo xtask lint`, and so CI, checks the first three.

use crate::project;
use crate::stage::{Failure, Outcome, Stages};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A system to compile for.
struct Target {
    name: &'static str,
    /// Whether the system has files and threads.
    whole: bool,
    /// Whether it is part of `cargo xtask lint`.
    linted: bool,
}

const TARGETS: [Target; 4] = [
    Target { name: "wasm32-unknown-unknown", whole: false, linted: true },
    Target { name: "x86_64-pc-windows-msvc", whole: true, linted: true },
    Target { name: "aarch64-apple-darwin", whole: true, linted: true },
    Target { name: "aarch64-unknown-linux-gnu", whole: true, linted: false },
];

/// The core crates: from the description of a world to the simulator.
const CRATES: [&str; 10] = [
    "stiction-base",
    "stiction-model",
    "stiction-multibody",
    "stiction-geometry",
    "stiction-convex",
    "stiction-rigid",
    "stiction-impact",
    "stiction-dac",
    "stiction-formats",
    "stiction",
];

pub fn run(args: &[String]) -> Outcome {
    let known = TARGETS.map(|target| target.name);
    if let Some(unknown) = args.iter().find(|a| !known.contains(&a.as_str())) {
        let list = known.join(", ");
        return Err(Failure::usage(format!("{unknown} is none of the targets: {list}")));
    }
    let wanted = |target: &&Target| args.is_empty() || args.iter().any(|a| a == target.name);
    let wanted: Vec<&Target> = TARGETS.iter().filter(wanted).collect();
    let mut stages = Stages::default();
    if check(&mut stages, &wanted)? == 0 {
        return Err(Failure::work("nothing was checked: add one of these targets, then run this again"));
    }
    stages.summary("the core crates compile for these");
    Ok(())
}

/// The part of it that `cargo xtask lint` runs.
pub fn lint(stages: &mut Stages) -> Outcome {
    let wanted: Vec<&Target> = TARGETS.iter().filter(|target| target.linted).collect();
    check(stages, &wanted).map(|_| ())
}

/// Checks the targets whose library is available, reports those that were skipped, and returns how many were checked.
fn check(stages: &mut Stages, wanted: &[&Target]) -> Outcome<usize> {
    let found: Vec<(&Target, Library)> =
        wanted.iter().map(|target| (*target, fetched(stages, target.name))).collect();
    // Targets that are checked alike share one call of cargo, which fills all cores.
    let mut checked = 0;
    for (library, whole) in [
        (Library::Installed, true),
        (Library::Installed, false),
        (Library::Sources, true),
        (Library::Sources, false),
    ] {
        let alike = |(target, its): &&(&Target, Library)| *its == library && target.whole == whole;
        let names: Vec<&str> = found.iter().filter(alike).map(|(target, _)| target.name).collect();
        if names.is_empty() {
            continue;
        }
        let mut check = project::cargo();
        check.args(["check", "--quiet"]);
        check.args(names.iter().flat_map(|name| ["--target", name]));
        check.args(CRATES.iter().flat_map(|name| ["--package", name]));
        if !whole {
            check.arg("--no-default-features");
        }
        if library == Library::Sources {
            check.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
        }
        // A separate folder, since a standard library may be built; without incremental files, which would not be used again.
        check.env("CARGO_TARGET_DIR", project::target().join("platforms")).env("CARGO_INCREMENTAL", "0");
        stages.run(&names.join(", "), &mut check)?;
        checked += names.len();
    }
    for (target, _) in found.iter().filter(|(_, library)| *library == Library::Absent) {
        println!(
            "\nSKIPPED: {0} was not checked: its standard library is not here and could not be fetched (rustup target \
             add {0})",
            target.name
        );
    }
    Ok(checked)
}

/// Prepares a call of cargo for a target, whose standard library is installed if necessary; false if it cannot be had.
pub fn prepare(stages: &mut Stages, command: &mut Command, target: &str) -> bool {
    let library = fetched(stages, target);
    command.args(["--target", target]);
    if library == Library::Sources {
        command.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
    }
    library != Library::Absent
}

/// The standard library of a target, installed if necessary.
fn fetched(stages: &mut Stages, target: &str) -> Library {
    let there = library(target);
    if there != Library::Absent {
        return there;
    }
    let mut add = Command::new("rustup");
    match stages.run(&format!("fetch {target}"), add.args(["target", "add", target])) {
        Ok(()) => library(target),
        Err(failure) => {
            println!("{failure}");
            Library::Absent
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Library {
    Installed,
    Sources,
    Absent,
}

/// Whether the standard library of a target is installed, or can be built.
fn library(target: &str) -> Library {
    let has_core = |folder: &Path| {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        files.into_iter().any(|f| f.file_name().to_string_lossy().starts_with("libcore-"))
    };
    if print(&["target-libdir", "--target", target]).is_some_and(|folder| has_core(&folder)) {
        return Library::Installed;
    }
    let sources = print(&["sysroot"]).map(|root| root.join("lib/rustlib/src/rust/library/std/Cargo.toml"));
    if sources.is_some_and(|file| file.is_file()) { Library::Sources } else { Library::Absent }
}

/// What the compiler prints.
fn print(what: &[&str]) -> Option<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--print").args(what).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(text.trim()))
}
