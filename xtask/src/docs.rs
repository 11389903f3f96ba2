//! `cargo xtask docs`: the API documentation.

use crate::project;
use crate::stage::{Failure, Outcome, Stages};

/// The library crates; the program and the wheel document themselves elsewhere, and their names
/// would collide with the library's.
pub const RUSTDOC: [&str; 8] = [
    "doc",
    "--release",
    "--workspace",
    "--no-deps",
    "--exclude=stiction-cli",
    "--exclude=stiction-python",
    "--exclude=xtask",
    "--lib",
];

pub fn run(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err(Failure::usage("usage: cargo xtask docs"));
    }
    Stages::default().run("rustdoc", project::cargo().args(RUSTDOC))?;
    println!("\nopen {}", project::target().join("doc/stiction/index.html").display());
    Ok(())
}
