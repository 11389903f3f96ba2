//! `cargo xtask soak [ARGS…]`: many steps of random piles, none may stay unconverged.

use crate::project;
use crate::stage::{Outcome, Stages};

pub fn run(args: &[String]) -> Outcome {
    let example = ["run", "--release", "--package", "stiction", "--example", "soak", "--"];
    Stages::default().run("soak", project::cargo().args(example).args(args))
}
