//! `cargo xtask soak [ARGS…]`: random scenes for as long as asked (`docs/soak.md`).

use crate::project;
use crate::stage::{Outcome, Stages};

pub fn run(args: &[String]) -> Outcome {
    let example = ["run", "--release", "--package", "stiction", "--example", "soak", "--"];
    Stages::default().run("soak", project::cargo().args(example).args(args))
}
