//! `cargo xtask mutate-reproductions [--jobs N] [--results FILE] [--only NAME]`: which checks notice which error (`docs/mutations.md`).

use crate::project;
use crate::stage::{Outcome, Stages};

pub fn run(args: &[String]) -> Outcome {
    let example = ["run", "--release", "--package", "stiction-reproduce", "--example", "mutate", "--"];
    let mut cargo = project::cargo();
    // A folder of its own, so that the other builds stay as they are.
    cargo.env("CARGO_TARGET_DIR", project::target().join("mutation"));
    // Joined with the flags of .cargo/config.toml.
    cargo.args(["--config", "target.'cfg(all())'.rustflags = [\"--cfg\", \"stiction_mutation\"]"]);
    cargo.args(example).args(args);
    if !args.iter().any(|arg| arg == "--only") {
        cargo.args(["--out", "docs/mutations.md"]);
    }
    Stages::default().run("mutations", cargo.current_dir(project::root()))
}
