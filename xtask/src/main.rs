//! What people and CI run: `cargo xtask test`, `lint`, `bench`, `peers`, `docs`, `fuzz`, `platforms`, `soak`, `web`, `wheel`, `licences`.
//!
//! Only the standard library, so that it compiles in a second. Everything a command needs it
//! installs into the project's own folders: `target/` (builds), `.venv/` (tests of the Python
//! package), `.cache/` (peers to compare with, tools), `web/node_modules/` (the page's tools).
//!
//! Open `test.rs` first: it is the whole test run as a list of stages. A stage (`stage.rs`) is one
//! shell command with a name and a time; when it fails, the message says how to run it again.

mod bench;
mod deny;
mod docs;
mod fuzz;
mod gallery;
#[cfg(test)]
mod house;
mod licences;
mod lint;
mod peers;
mod platforms;
mod project;
mod python_env;
mod soak;
mod stage;
mod test;
mod web;
mod wheel;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  test [--full]        all tests: Rust, documentation examples, the Python wheel, the viewer's page
                       --full adds other random cases, all reproductions, a soak, the licence check, and what
                       needs the Python package's extras: a Ray cluster, learning environments, the notebooks
  lint                 formatting, clippy and rustdoc, warnings denied; the core crates checked for wasm32, Windows
                       and macOS
  docs                 the book (docs/) into target/book, the API documentation into target/doc
  bench [NAME...]      timings next to other simulators: dynamics, batch, clutter, patches, and their
                       growth with size: scaling (default: all)
  peers [FOLDER...]    compare with MuJoCo, Pinocchio and Drake: on the scenes and the models in
                       their packages (into docs/), or on the models in folders (into out/)
  platforms [TARGET...]
                       whether the core crates compile for wasm32, Windows, macOS and Linux on Arm; rustup adds
                       the targets that are not installed
  fuzz READER [ARGS]   damaged files for a reader of models or meshes (--minutes N, --seed S)
  soak [ARGS...]       random scenes for as long as asked, and what went wrong in them (--minutes N | --steps N,
                       --jobs N, --seed S, --only SEED, --out FILE)
  wheel [--twice]      the Python wheel for other machines, into target/dist (on Linux: manylinux2014), its
                       size and import time; --twice builds it again and compares the two byte for byte
  licences             the licences of the crates in the wheel, into crates/python/THIRD_PARTY
  web [build | test [NAME...] | screenshots | gallery]
                       the viewer's page: checked and tested in a browser; built into crates/viewer;
                       or the pictures in docs/figures and README, or those of the gallery, made anew
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = args.split_first() else {
        print!("{USAGE}");
        return ExitCode::from(2);
    };
    let outcome = match command.as_str() {
        "test" => test::run(rest),
        "lint" => lint::run(rest),
        "docs" => docs::run(rest),
        "bench" => bench::run(rest),
        "peers" => peers::run(rest),
        "platforms" => platforms::run(rest),
        "soak" => soak::run(rest),
        "fuzz" => fuzz::run(rest),
        "web" => web::run(rest),
        "wheel" => wheel::run(rest),
        "licences" => licences::run(rest),
        "help" | "-h" | "--help" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        unknown => Err(stage::Failure::usage(format!("there is no command `{unknown}`\n\n{USAGE}"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::from(failure.exit_code)
        }
    }
}
