//! `cargo xtask platforms`: do the core crates compile for the systems that nobody here sits at?
//!
//! A target's standard library is needed: `rustup target add TARGET`, or the sources of the compiler in use (`rustup component
//! add rust-src`), from which it is then built. A target for which there is neither is named and left out.

use crate::project;
use crate::stage::{Failure, Outcome, Stages};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Targets, and whether files and threads are there.
const TARGETS: [(&str, bool); 4] = [
    ("wasm32-unknown-unknown", false),
    ("x86_64-pc-windows-msvc", true),
    ("aarch64-apple-darwin", true),
    ("aarch64-unknown-linux-gnu", true),
];

/// The crates from the description of a world to the simulator.
const CRATES: [&str; 9] = [
    "stiction-model",
    "stiction-multibody",
    "stiction-geometry",
    "stiction-convex",
    "stiction-rigid",
    "stiction-impact",
    "stiction-learned",
    "stiction-formats",
    "stiction",
];

pub fn run(args: &[String]) -> Outcome {
    let (mut stages, mut absent) = (Stages::default(), Vec::new());
    let known: Vec<&str> = TARGETS.iter().map(|t| t.0).collect();
    if let Some(unknown) = args.iter().find(|a| !known.contains(&a.as_str())) {
        let list = known.join(", ");
        return Err(Failure::usage(format!("{unknown} is none of the targets: {list}")));
    }
    let wanted = |target: &str| args.is_empty() || args.iter().any(|a| a == target);
    for (target, whole) in TARGETS.into_iter().filter(|(target, _)| wanted(target)) {
        let mut check = project::cargo();
        check.args(["check", "--target", target]);
        check.args(CRATES.iter().flat_map(|name| ["--package", name]));
        if !whole {
            check.arg("--no-default-features");
        }
        // Apart from all else that is built here: a standard library may be built, and by another compiler.
        check.env("CARGO_TARGET_DIR", project::target().join("platforms"));
        match library(target) {
            Library::Installed => {}
            Library::Sources => {
                check.args(["-Zbuild-std=std,panic_abort"]).env("RUSTC_BOOTSTRAP", "1");
            }
            Library::Absent => {
                absent.push(target);
                continue;
            }
        }
        stages.run(target, &mut check)?;
    }
    let asked = TARGETS.iter().filter(|(target, _)| wanted(target)).count();
    if absent.len() < asked {
        stages.summary("the core crates compile for these");
    }
    for target in &absent {
        println!("{target}: not checked, its standard library is not here (rustup target add {target})");
    }
    if absent.len() == asked {
        return Err(Failure::work("nothing was checked: add one of these targets, then run this again"));
    }
    Ok(())
}

enum Library {
    Installed,
    Sources,
    Absent,
}

/// Whether the standard library of a target is there, or can be made.
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
