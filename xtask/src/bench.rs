//! `cargo xtask bench [NAME…]`: timings of ours and the peers', interleaved in one run.
//!
//! Each benchmark is a script in `validation/bench/`; its tables go to `docs/benchmarks/`. `gpu` alone prints: it measures
//! [`GpuBatch`](../../crates/gpu) on the GPU of this machine and needs no peers.

use std::path::PathBuf;

use crate::stage::{Failure, Outcome, Stages};
use crate::{project, python_env, wheel};

pub const NAMES: [&str; 8] =
    ["dynamics", "batch", "clutter", "patches", "scaling", "creep", "accuracy", "recording"];

/// Scenes and numbers of worlds of `bench gpu`.
const ON_A_GPU: [&str; 2] = ["clutter,gripper,humanoid", "1,256,1024,4096,16384,65536"];

pub fn run(args: &[String]) -> Outcome {
    if args.first().is_some_and(|name| name == "gpu") {
        let (build, given) =
            (["run", "--release", "--package", "stiction-gpu", "--example", "measure", "--"], &args[1..]);
        let mut measure = project::cargo();
        measure.args(build);
        if given.is_empty() {
            measure.args(ON_A_GPU)
        } else {
            measure.args(given)
        };
        let mut stages = Stages::default();
        stages.run("bench gpu", &mut measure)?;
        stages.summary("docs/gpu.md has such a table");
        return Ok(());
    }
    if let Some(unknown) = args.iter().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(Failure::usage(format!(
            "there is no benchmark `{unknown}`; there are: {}, gpu",
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
            match name {
                "clutter" => drop(script.env("STICTION_RAPIER", build_program(&mut stages, RAPIER)?)),
                "patches" => drop(script.env("STICTION_PATCHES", build_program(&mut stages, PATCHES)?)),
                "recording" => drop(script.env("STICTION", build_stiction(&mut stages)?)),
                _ => {}
            }
            stages.run(&format!("bench {name}"), &mut script)?;
        }
    }
    stages.summary("the tables are in docs/benchmarks/");
    Ok(())
}

/// The `stiction` program.
fn build_stiction(stages: &mut Stages) -> Outcome<PathBuf> {
    let build = ["build", "--release", "--package", "stiction-cli"];
    stages.run("build stiction", project::cargo().args(build))?;
    Ok(project::target().join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX)))
}

/// A program for comparisons: its name, its folder in `validation/`.
pub struct Program(&'static str, &'static str);

const RAPIER: Program = Program("clutter-in-rapier", "rapier");
pub const PATCHES: Program = Program("patches-of-pairs", "patches");

/// These programs are not part of the workspace (Rapier is not a dependency): each is a workspace of its own, built into
/// `.cache`. Returns the path of the program.
pub fn build_program(stages: &mut Stages, Program(name, folder): Program) -> Outcome<PathBuf> {
    let (manifest, target) = (format!("validation/{folder}/Cargo.toml"), project::cache().join(folder));
    let mut build = project::cargo();
    build.args(["build", "--release", "--manifest-path", &manifest, "--target-dir"]);
    stages.run(&format!("build {name}"), build.arg(&target))?;
    Ok(target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}
