//! `cargo xtask fuzz READER [--minutes N] [--seed S]`: damaged files for a reader.

use crate::project;
use crate::stage::{Outcome, Stages};

pub fn run(args: &[String]) -> Outcome {
    let example = ["run", "--release", "--package", "stiction-formats", "--example", "fuzz", "--"];
    Stages::default().run("fuzz", project::cargo().args(example).args(args))
}
