//! `cargo xtask bench [NAME…]`: timings of ours and the peers', interleaved in one run.
//!
//! Each benchmark is a script in `validation/bench/`; its tables go to `docs/benchmarks/`.

use std::path::PathBuf;

use crate::stage::{Failure, Outcome, Stages};
use crate::{project, python_env, wheel};

const NAMES: [&str; 2] = ["dynamics", "clutter"];

pub fn run(args: &[String]) -> Outcome {
    if let Some(unknown) = args.iter().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(Failure::usage(format!(
            "there is no benchmark `{unknown}`; there are: {}",
            NAMES.join(", ")
        )));
    }
    let mut stages = Stages::default();
    let peers = python_env::for_peers(&mut stages)?;
    let builder = python_env::for_tests(&mut stages)?;
    wheel::build_and_install(&mut stages, &builder, &peers)?;
    for name in NAMES {
        if args.is_empty() || args.iter().any(|wanted| wanted == name) {
            let mut script = peers.python();
            script.arg(format!("validation/bench/{name}.py"));
            if name == "clutter" {
                script.env("STICTION_RAPIER", build_rapier(&mut stages)?);
            }
            stages.run(&format!("bench {name}"), &mut script)?;
        }
    }
    stages.summary("the tables are in docs/benchmarks/");
    Ok(())
}

/// Rapier is no dependency of ours: its program is a workspace of its own, built into `.cache`.
fn build_rapier(stages: &mut Stages) -> Outcome<PathBuf> {
    let target = project::cache().join("rapier");
    let mut build = project::cargo();
    build.args(["build", "--release", "--manifest-path", "validation/rapier/Cargo.toml", "--target-dir"]);
    stages.run("build Rapier", build.arg(&target))?;
    Ok(target.join("release").join(format!("clutter-in-rapier{}", std::env::consts::EXE_SUFFIX)))
}
