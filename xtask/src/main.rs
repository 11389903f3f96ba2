//! The commands of developers and CI: `cargo xtask test`, `lint`, `public-api`, `bench`, `peers`, `docs`, `fuzz`, `platforms`,
//! `soak`, `mutate-reproductions`, `web`, `wheel`, `licences`.
//!
//! Only the standard library, so that it compiles in a second. Commands install what they need
//! into the project's own folders: `target/` (builds), `.venv/` (tests of the Python
//! package), `.cache/` (peers to compare with, tools), `web/node_modules/` (the page's tools).
//!
//! Open `test.rs` first: it is the whole test run as a list of stages. A stage (`stage.rs`) is one
//! shell command with a name and a time; when it fails, the message says how to run it again.
//!
//! | also here | |
//! |---|---|
//! | `architecture.rs` | test: `docs/architecture.md` agrees with the tree |
//! | `deny.rs` | licences and sources of dependencies |
//! | `gallery.rs` | pictures and recordings of the scenes |
//! | `public_api.rs` | the simulator's list of public items |
//! | `python_env.rs` | virtual environments |
//! | `site.rs` | the site whose page simulates |

#[cfg(test)]
mod architecture;
mod bench;
mod deny;
mod docs;
mod fuzz;
mod gallery;
mod licences;
mod lint;
mod mutate;
mod peers;
mod platforms;
mod project;
mod public_api;
mod python_env;
mod site;
mod soak;
mod stage;
mod test;
mod web;
mod wheel;

use std::process::ExitCode;

/// The help of all commands; a flag that is not in it is an error.
const USAGE: &str = "\
cargo xtask COMMAND [ARGS...] | COMMAND --help

  test [--full]        all tests: Rust, documentation examples, the Python wheel, the viewer's page
                       --full adds other random cases, all reproductions, a soak, the licence check, and what
                       needs the Python package's extras: a Ray cluster, learning environments, the notebooks
  lint                 formatting, clippy and rustdoc, warnings denied; the list of public items; ruff on the Python
                       sources; the core crates checked for wasm32, Windows and macOS
  public-api [--write] compare the public items of the crate stiction with crates/stiction/public-api.txt, or write that
                       file anew
  docs                 the book (docs/) into target/book, the API documentation into target/doc
  bench [NAME...]      timings and errors next to other simulators, of (default: all):
                       BENCHMARKS
  peers [FOLDER...]    compare with MuJoCo, Pinocchio and Drake: on the scenes and the models in
                       their packages (into docs/), or on the models in folders (into out/), or on N invented
                       ones of each format (--invented N [--seed S], into docs/invented.md); --behave [FOLDER...]:
                       robots held at home and grasps next to MuJoCo, into docs/behave*.md
  platforms [TARGET...]
                       whether the core crates compile for wasm32, Windows, macOS and Linux on Arm; rustup adds
                       the targets that are not installed
  fuzz READER [ARGS]   damaged files for a reader of models or meshes, listed in docs/fuzz.md (--minutes N, --seed S)
  soak [ARGS...]       random scenes for a given time, and a report of failures (--minutes N | --steps N |
                       --shots N bullets at thin plates, --piles N piles in a box, --impacts [N] impacts of random
                       mechanisms (2,000),
                       --jobs N, --seed S, --only SEED, --out FILE)
  mutate-reproductions [--jobs N] [--results FILE] [--only NAME]
                       the checks of the reproductions under deliberate errors of the physics, into docs/mutations.md
  wheel [--twice]      the Python wheel for other machines, into target/dist (on Linux: manylinux2014), its
                       size and import time; --twice builds it again and compares the two byte for byte
  licences             the licences of the crates in the wheel, into crates/python/THIRD_PARTY
  web [build | test [NAME...] | screenshots [NAME...] | gallery | site | measure]
                       the viewer's page: checked and tested in a browser; built into crates/viewer;
                       or the pictures in docs/figures and README, or those of the gallery, taken again;
                       or the site whose page simulates in the reader's browser, into target/site;
                       measure: how soon and how fast that page runs here
";

/// The usage with the names of the benchmarks.
fn usage() -> String {
    USAGE.replace("BENCHMARKS", &bench::NAMES.join(", "))
}

/// The help of one command: the lines of the usage from its name to the next command.
fn help(command: &str) -> Option<String> {
    let usage = usage();
    let begins = |line: &str| line.strip_prefix("  ").is_some_and(|rest| !rest.starts_with(' '));
    let is_it = |line: &&str| begins(line) && line.split_whitespace().next() == Some(command);
    let mut lines = usage.lines().skip_while(|line| !is_it(line));
    let first = lines.next()?;
    let mut text = format!("cargo xtask {}\n", first.trim_start());
    for line in lines.take_while(|line| !begins(line)) {
        text = text + line + "\n";
    }
    Some(text)
}

/// The first flag that is not in the help. Negative numbers are values.
fn unknown_flag<'a>(args: &'a [String], help: &str) -> Option<&'a str> {
    let known = |flag: &str| help.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == flag);
    let is_flag = |word: &&str| word.starts_with('-') && word.parse::<f64>().is_err();
    args.iter().map(String::as_str).filter(is_flag).find(|flag| !known(flag))
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = args.split_first() else {
        print!("{}", usage());
        return ExitCode::from(2);
    };
    match run(command, rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::from(failure.exit_code)
        }
    }
}

/// Runs a command, or prints its help. An unknown flag is an error here: some commands install and build for minutes before
/// they read their flags.
fn run(command: &str, rest: &[String]) -> stage::Outcome {
    if let Some(help) = help(command) {
        if rest.iter().any(|word| word == "--help" || word == "-h") {
            print!("{help}");
            return Ok(());
        }
        if let Some(flag) = unknown_flag(rest, &help) {
            return Err(stage::Failure::usage(format!("unknown flag `{flag}` of `{command}`\n\n{help}")));
        }
    }
    match command {
        "test" => test::run(rest),
        "lint" => lint::run(rest),
        "public-api" => public_api::run(rest),
        "docs" => docs::run(rest),
        "bench" => bench::run(rest),
        "peers" => peers::run(rest),
        "platforms" => platforms::run(rest),
        "soak" => soak::run(rest),
        "mutate-reproductions" => mutate::run(rest),
        "fuzz" => fuzz::run(rest),
        "web" => web::run(rest),
        "wheel" => wheel::run(rest),
        "licences" => licences::run(rest),
        "help" | "-h" | "--help" => {
            print!("{}", usage());
            Ok(())
        }
        unknown => Err(stage::Failure::usage(format!("unknown command `{unknown}`\n\n{}", usage()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMANDS: [&str; 13] = [
        "test",
        "lint",
        "public-api",
        "docs",
        "bench",
        "peers",
        "platforms",
        "fuzz",
        "soak",
        "mutate-reproductions",
        "wheel",
        "licences",
        "web",
    ];

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn every_command_prints_its_help_instead_of_running() {
        for command in COMMANDS {
            let said = help(command).unwrap();
            assert!(said.starts_with(&format!("cargo xtask {command}")), "{said}");
            assert!(said.lines().skip(1).all(|line| line.starts_with("   ")), "{said}");
            for flag in ["--help", "-h"] {
                assert!(run(command, &words(flag)).is_ok(), "{command} {flag}");
            }
        }
        assert!(help("COMMANDS").is_none());
    }

    #[test]
    fn an_unknown_flag_is_an_error_before_any_work() {
        for command in COMMANDS {
            let failure = run(command, &words("--nosuch")).unwrap_err();
            assert_eq!(failure.exit_code, 2);
            let text = failure.to_string();
            assert!(
                text.contains("`--nosuch`") && text.contains(&format!("cargo xtask {command}")),
                "{text}"
            );
        }
        let known = |command: &str, args: &str| unknown_flag(&words(args), &help(command).unwrap()).is_none();
        assert!(known("test", "--full") && known("wheel", "--twice") && !known("lint", "--full"));
        assert!(known("fuzz", "obj --minutes -1 --seed 3"));
        assert!(known("soak", "--minutes 1 --steps 2 --jobs 3 --seed 4 --only 5 --out report.md"));
    }

    #[test]
    fn the_help_names_every_benchmark() {
        let said = help("bench").unwrap();
        assert!(bench::NAMES.iter().all(|name| said.contains(name)), "{said}");
    }

    #[test]
    fn unknown_folders_and_names_are_errors_before_any_work() {
        let failure = run("peers", &words("/no/such/folder")).unwrap_err();
        assert_eq!(failure.exit_code, 2);
        assert!(failure.to_string().contains("/no/such/folder"), "{failure}");
        assert_eq!(run("bench", &words("nosuch")).unwrap_err().exit_code, 2);
    }
}
