//! The Python wheel: built with maturin, installed where it is needed.

use std::fs;
use std::path::PathBuf;

use crate::project;
use crate::python_env::Venv;
use crate::stage::{Failure, Outcome, Stages};

/// Builds the wheel with `builder`'s maturin and installs it into `user`.
pub fn build_and_install(stages: &mut Stages, builder: &Venv, user: &Venv) -> Outcome {
    let folder = project::target().join("wheels");
    // One wheel in the folder: the one just built.
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|e| Failure::work(format!("cannot clear {}: {e}", folder.display())))?;
    }
    let mut build = builder.python();
    build.args(["-m", "maturin", "build", "--release", "--manifest-path", "crates/python/Cargo.toml"]);
    build.arg("--interpreter").arg(builder.python_path()).arg("--out").arg(&folder);
    if cfg!(target_os = "linux") {
        // For this machine; a release would be checked against manylinux.
        build.args(["--compatibility", "linux"]);
    }
    stages.run("build the wheel", &mut build)?;
    let wheel = only_wheel(&folder)?;
    if let Ok(file) = fs::metadata(&wheel) {
        println!("    {} is {:.1} MB", wheel.display(), file.len() as f64 / 1e6);
    }
    install(stages, user)
}

/// Installs the wheel that was built last into `user`.
pub fn install(stages: &mut Stages, user: &Venv) -> Outcome {
    let wheel = only_wheel(&project::target().join("wheels"))?;
    let wheel = wheel.to_string_lossy();
    stages.run("install the wheel", &mut user.pip(&["install", "--force-reinstall", "--no-deps", &wheel]))
}

fn only_wheel(folder: &PathBuf) -> Outcome<PathBuf> {
    let entries =
        fs::read_dir(folder).map_err(|e| Failure::work(format!("cannot read {}: {e}", folder.display())))?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| Failure::work(format!("maturin left no wheel in {}", folder.display())))
}
