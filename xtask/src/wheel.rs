//! The Python wheel: built with maturin, installed where it is needed, or left in `target/dist` for others
//! (`cargo xtask wheel`).

use std::fs;
use std::path::PathBuf;

use crate::project;
use crate::python_env::{self, Venv};
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

/// Most bytes that a wheel may have.
const LARGEST: u64 = 15_000_000;

/// `cargo xtask wheel`: a wheel for other machines. On Linux it is linked with Zig against glibc 2.17, so that it runs on every
/// distribution since 2014; maturin checks that it needs nothing newer.
pub fn run(args: &[String]) -> Outcome {
    if let Some(unknown) = args.first() {
        return Err(Failure::usage(format!("wheel takes no arguments, and was given `{unknown}`")));
    }
    let mut stages = Stages::default();
    let builder = python_env::for_wheels(&mut stages)?;
    let folder = project::target().join("dist");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|e| Failure::work(format!("cannot clear {}: {e}", folder.display())))?;
    }
    let mut build = builder.python();
    build.args(["-m", "maturin", "build", "--release", "--manifest-path", "crates/python/Cargo.toml"]);
    build.arg("--out").arg(&folder);
    if cfg!(target_os = "linux") {
        build.args(["--zig", "--compatibility", "manylinux2014"]);
        // Where maturin looks for Zig: in the Python that is found first.
        build.env("CARGO_ZIGBUILD_PYTHON_PATH", builder.python_path()).env("PATH", builder.first_on_path());
    }
    stages.run("build the wheel", &mut build)?;
    let wheel = only_wheel(&folder)?;
    let size = fs::metadata(&wheel)
        .map_err(|e| Failure::work(format!("cannot read {}: {e}", wheel.display())))?
        .len();
    if size > LARGEST {
        return Err(Failure::work(format!(
            "{} has {:.1} MB, and {:.0} MB are allowed: look for what made it grow",
            wheel.display(),
            size as f64 / 1e6,
            LARGEST as f64 / 1e6
        )));
    }
    stages.summary(&format!("{} ({:.1} MB)", wheel.display(), size as f64 / 1e6));
    Ok(())
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
