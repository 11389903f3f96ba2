//! `cargo xtask lint`: formatting, clippy and rustdoc with warnings denied, the list of public items, ruff on the Python
//! sources (`ruff.toml`), and the core crates checked for other systems.
//!
//! Clippy and rustdoc run in the release profile: they read the same dependency metadata, and share
//! build scripts and procedural macros with the tests that follow.

use crate::stage::{Failure, Outcome, Stages};
use crate::{platforms, project, public_api, python_env};

pub fn run(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err(Failure::usage("usage: cargo xtask lint"));
    }
    let mut stages = Stages::default();
    stages.run("format", project::cargo().args(["fmt", "--all", "--check"]))?;
    stages.run(
        "clippy",
        project::cargo().args([
            "clippy",
            "--release",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]),
    )?;
    stages.run("rustdoc", project::cargo().env("RUSTDOCFLAGS", "-D warnings").args(crate::docs::RUSTDOC))?;
    public_api::check(&mut stages)?;
    let venv = python_env::for_tests(&mut stages)?;
    stages.run("python format", venv.python().args(["-m", "ruff", "format", "--check", "--quiet", "."]))?;
    stages.run("python lint", venv.python().args(["-m", "ruff", "check", "--quiet", "."]))?;
    platforms::lint(&mut stages)?;
    stages.summary("lint passed");
    Ok(())
}
