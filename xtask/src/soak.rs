//! `cargo xtask soak [ARGS…]`: random scenes for a given time, or random impacts (`docs/soak.md`).

use crate::project;
use crate::stage::{Outcome, Stages};

pub fn run(args: &[String]) -> Outcome {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    if let ["--impacts", args @ ..] = args.as_slice() {
        let example =
            ["run", "--release", "--package", "stiction-impact", "--example", "impact_stress", "--"];
        return Stages::default().run("impacts", project::cargo().args(example).args(args));
    }
    stage(&mut Stages::default(), &args)
}

/// The soak as one of several stages.
pub fn stage(stages: &mut Stages, args: &[&str]) -> Outcome {
    let example = ["run", "--release", "--package", "stiction", "--example", "soak", "--"];
    stages.run("soak", project::cargo().args(example).args(args))
}
