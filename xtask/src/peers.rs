//! `cargo xtask peers [FOLDER…]`: the same models here and in MuJoCo, Pinocchio and Drake.
//!
//! Run by hand; its last result is committed as `docs/peers.md`.

use crate::python_env;
use crate::stage::{Outcome, Stages};
use crate::wheel;

pub fn run(folders: &[String]) -> Outcome {
    let mut stages = Stages::default();
    let peers = python_env::for_peers(&mut stages)?;
    let builder = python_env::for_tests(&mut stages)?;
    wheel::build_and_install(&mut stages, &builder, &peers)?;
    python_env::unpack_models(&mut stages, &peers)?;
    // Step by step first: it takes seconds.
    stages.run("steps next to Drake", peers.python().arg("validation/peers/drake_steps.py"))?;
    stages
        .run("dynamics next to the peers", peers.python().arg("validation/peers/compare.py").args(folders))?;
    stages.summary("peers agree; the tables are in docs/");
    Ok(())
}
