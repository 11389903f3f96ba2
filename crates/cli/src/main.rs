//! The `stiction` program.
//!
//! [`main`] parses the command line and maps outcomes to exit codes: 0 success, 1 the work failed, 2 the input was wrong.
//! Each command is one module.
//!
//! | file | |
//! |---|---|
//! | `run.rs` | `stiction run` |
//! | `inspect.rs` | `stiction inspect` |
//! | `impact.rs` | `stiction impact` |
//! | `bench.rs` | `stiction bench` |
//! | `reproduce.rs` | `stiction reproduce` |
//! | `learn.rs` | `stiction learn` |
//! | `mesh.rs` | `stiction mesh` |
//! | `view.rs` | `stiction view` |
//! | `picture/` | `stiction picture`, and the camera of films |
//! | `demo.rs` | `stiction demo` |
//! | `shell.rs` | `stiction completions` and `stiction manual` |
//! | `overrides.rs` | `--friction`, `--gravity`, `--set` |
//! | `scene.rs` | the scene that an argument names |
//! | `checkpoint.rs` | `--checkpoint`: a state on disk |
//! | `trajectory.rs`, `contact_rows.rs` | the CSV files of `--out` |
//! | `outlet.rs` | output paths, checked before the work begins |
//! | `progress.rs` | progress bars |
//! | `interrupt.rs` | Ctrl-C and termination |
//! | `hint.rs` | suggestions for misspelt names |
//! | `failure.rs` | exit codes and printing |

mod bench;
mod checkpoint;
mod contact_rows;
mod demo;
mod failure;
mod hint;
mod impact;
mod inspect;
mod interrupt;
mod learn;
mod mesh;
mod outlet;
mod overrides;
mod picture;
mod progress;
mod reproduce;
mod run;
mod scene;
mod shell;
mod trajectory;
mod view;

use clap::{CommandFactory, Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  stiction run clutter --time 3 --out out    forty bodies fall into a box; out/clutter.html opens in a browser
  stiction view gripper                      a scene live in the browser
  stiction inspect robot.urdf                what was read from a model, and what is not supported
  stiction run --help                        the options of a command

Results go to standard output (--json for programs), messages to standard error. Exit codes: 0 success, 1 the work
failed, 2 the input was wrong.";

/// Simulate robots that touch things.
#[derive(Parser)]
#[command(name = "stiction", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene and print a summary
    Run(Box<run::RunArguments>),
    /// Show a scene live in the browser, or open a recording
    View(view::ViewArguments),
    /// Draw a scene into a PNG file, without a screen: colour, depth or segmentation
    Picture(picture::PictureArguments),
    /// Print what was read from a model: bodies, joints, masses, shapes, warnings
    Inspect(inspect::InspectArguments),
    /// List the possible outcomes of an impact with several contacts
    Impact(impact::ImpactArguments),
    /// Fill a closed surface with tetrahedra and a pressure field
    Mesh(Box<mesh::MeshArguments>),
    /// Contact from data: convert recordings, compare a model with them, calibrate it, train a contact law
    Learn(learn::LearnArguments),
    /// Regenerate the papers' tables and figures and check them
    Reproduce(reproduce::ReproduceArguments),
    /// Time built-in scenes, their stages, impacts, the mesher or recording; measure creep
    Bench(bench::BenchArguments),
    /// List the built-in scenes
    Scenes,
    /// Show a robot with a task: lists the demonstrations, or runs one and opens its recording
    Demo(demo::DemoArguments),
    /// Print a script that completes commands and options in a shell
    Completions(shell::CompletionsArguments),
    /// Print the manual page, or write those of all commands
    Manual(shell::ManualArguments),
}

fn main() -> ExitCode {
    if let Err(missing) = stiction::processor::check() {
        return unsupported_processor(missing);
    }
    program()
}

/// Reports a missing instruction set. Raw bytes: formatting code might itself use instructions that the processor lacks.
#[inline(never)]
fn unsupported_processor(missing: &std::ffi::CStr) -> ExitCode {
    let mut errors = std::io::stderr();
    for text in [b"error: ".as_slice(), missing.to_bytes(), b"\n"] {
        let _ = errors.write_all(text);
    }
    ExitCode::from(1)
}

#[inline(never)]
fn program() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::View(view) => view::view(&view),
        Command::Picture(arguments) => picture::picture(&arguments),
        Command::Inspect(inspect) => inspect::inspect(&inspect),
        Command::Mesh(arguments) => mesh::mesh(&arguments),
        Command::Impact(arguments) => impact::impact(&arguments),
        Command::Learn(arguments) => learn::learn(&arguments),
        Command::Reproduce(reproduce) => reproduce::reproduce(&reproduce),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Scenes => scene::list(),
        Command::Demo(arguments) => demo::demo(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments, Arguments::command()),
        Command::Manual(arguments) => shell::manual(&arguments, Arguments::command()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}
