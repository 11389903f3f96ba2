//! The Python wheel: built with maturin, installed for tests, or written to `target/dist` for other machines
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

/// Largest size of a wheel, bytes.
const LARGEST: u64 = 15_000_000;

/// Longest processor time of importing the package, ms.
const SLOWEST: f64 = 200.0;

/// `cargo xtask wheel [--twice]`: a wheel for other machines. On Linux it is linked with Zig against glibc 2.17, so that it runs
/// on every distribution since 2014; maturin checks that it needs nothing newer. It is then installed, and the package reports
/// its size and how long importing it takes.
///
/// Dates, folders of this machine and pieces of earlier builds are kept out of it, so that the same sources make the same wheel:
/// `--twice` compiles all crates of the workspace once more and fails unless the two are the same byte for byte.
pub fn run(args: &[String]) -> Outcome {
    let twice = match args {
        [] => false,
        [flag] if flag == "--twice" => true,
        _ => return Err(Failure::usage("usage: cargo xtask wheel [--twice]")),
    };
    let mut stages = Stages::default();
    let builder = python_env::for_wheels(&mut stages)?;
    let (wheel, digest) = build(&mut stages, &builder)?;
    if twice {
        let mut clean = project::cargo();
        clean.args(["clean", "--release"]);
        if cfg!(target_os = "linux") {
            clean.args(["--target", &host(&mut project::cargo())?]);
        }
        stages.run("remove compiled crates", clean.args(packages()?.iter().flat_map(|name| ["-p", name])))?;
        let (_, again) = build(&mut stages, &builder)?;
        if digest != again {
            return Err(Failure::work(format!(
                "two builds of the same sources differ: {digest} and {again}"
            )));
        }
        println!("    two builds are the same, byte for byte");
    }
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
    let path = wheel.to_string_lossy();
    stages
        .run("install the wheel", &mut builder.pip(&["install", "--force-reinstall", "--no-deps", &path]))?;
    let limit = SLOWEST.to_string();
    stages.run("size and import", builder.python().args(["-m", "stiction", "--slowest", &limit]))?;
    stages.summary(&format!("{path} ({:.1} MB)\nsha256 {digest}", size as f64 / 1e6));
    Ok(())
}

/// Builds the wheel into `target/dist`; its path and its digest.
fn build(stages: &mut Stages, builder: &Venv) -> Outcome<(PathBuf, String)> {
    let folder = project::target().join("dist");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|e| Failure::work(format!("cannot clear {}: {e}", folder.display())))?;
    }
    let mut build = builder.python();
    build.args([
        "-m",
        "maturin",
        "build",
        "--release",
        "--locked",
        "--manifest-path",
        "crates/python/Cargo.toml",
    ]);
    build.arg("--out").arg(&folder).args(["--config", &remapped()]);
    if cfg!(target_os = "linux") {
        build.args(["--zig", "--compatibility", "manylinux2014"]);
        // Where maturin looks for Zig: in the Python that is found first.
        build.env("CARGO_ZIGBUILD_PYTHON_PATH", builder.python_path()).env("PATH", builder.first_on_path());
    }
    // Nothing of when or in which pieces it was built: 1 January 2020, and each crate compiled as a whole.
    build.env("SOURCE_DATE_EPOCH", "1577836800").env("CARGO_INCREMENTAL", "0");
    stages.run("build the wheel", &mut build)?;
    let wheel = only_wheel(&folder)?;
    let code = "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
    let digest = output(builder.python().args(["-c", code]).arg(&wheel))?;
    Ok((wheel, digest))
}

/// Options for the compiler that keep this machine's folders out of the binary.
fn remapped() -> String {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let flag = |from: &std::path::Path, to: &str| format!("'--remap-path-prefix={}={to}'", from.display());
    let (root, cargo) = (flag(project::root(), "stiction"), flag(&home, "cargo"));
    format!("target.'cfg(all())'.rustflags=[{root}, {cargo}]")
}

/// Names of the crates in `crates/`.
fn packages() -> Outcome<Vec<String>> {
    let folder = project::root().join("crates");
    let entries =
        fs::read_dir(&folder).map_err(|e| Failure::work(format!("cannot read {}: {e}", folder.display())))?;
    let name = |entry: fs::DirEntry| match entry.file_name().to_string_lossy().as_ref() {
        "stiction" => "stiction".to_owned(),
        other => format!("stiction-{other}"),
    };
    Ok(entries.flatten().map(name).collect())
}

/// The machine that cargo builds for.
fn host(cargo: &mut std::process::Command) -> Outcome<String> {
    let text = output(cargo.args(["--version", "--verbose"]))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| Failure::work("cargo does not say what machine it builds for"))
}

/// Standard output of a command.
fn output(command: &mut std::process::Command) -> Outcome<String> {
    let out = command.output().map_err(|e| Failure::work(format!("cannot start a command: {e}")))?;
    match out.status.success() {
        true => Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned()),
        false => Err(Failure::work(String::from_utf8_lossy(&out.stderr).into_owned())),
    }
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
