//! `cargo xtask peers [FOLDER…]`: the same models here and in MuJoCo, Pinocchio and Drake.
//!
//! Run by hand; the last result on the scenes and the packages' models is committed in `docs/`.

use crate::bench::{PATCHES, build_program};
use crate::python_env;
use crate::stage::{Failure, Outcome, Stages};
use crate::wheel;
use std::path::{Path, PathBuf};

pub fn run(folders: &[String]) -> Outcome {
    let folders = folders.iter().map(|folder| found(folder)).collect::<Outcome<Vec<PathBuf>>>()?;
    let mut stages = Stages::default();
    let peers = python_env::for_peers(&mut stages)?;
    let builder = python_env::for_tests(&mut stages)?;
    wheel::build_and_install(&mut stages, &builder, &peers)?;
    let mut dynamics = peers.python();
    dynamics.arg("validation/peers/compare.py");
    if !folders.is_empty() {
        return stages.run("dynamics next to the peers", dynamics.args(folders));
    }
    python_env::unpack_models(&mut stages, &peers)?;
    let program = build_program(&mut stages, PATCHES)?;
    // All tables are written even if one of them shows a difference.
    let steps = stages.run("steps next to Drake", peers.python().arg("validation/peers/drake_steps.py"));
    let mut patches = peers.python();
    patches.arg("validation/peers/patches_static.py").env("STICTION_PATCHES", program);
    let patches = stages.run("patches next to Drake", &mut patches);
    stages.run("dynamics next to the peers", &mut dynamics).and(steps).and(patches)?;
    stages.summary("the peers agree; the tables are in docs/");
    Ok(())
}

/// The whole path of a folder, looked for before simulators are installed to read what is in it.
fn found(folder: &str) -> Outcome<PathBuf> {
    if !Path::new(folder).exists() {
        return Err(Failure::usage(format!("{folder} is not there: give folders with models, or none")));
    }
    std::path::absolute(folder).map_err(|e| Failure::usage(format!("{folder}: {e}")))
}
