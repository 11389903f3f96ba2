//! The `stiction` program.
//!
//! [`main`] parses the command line and maps outcomes to exit codes: 0 fine, 1 the work failed,
//! 2 the input was wrong. Each command has a file of its own.

mod bench;
mod checkpoint;
mod failure;
mod impact;
mod inspect;
mod interrupt;
mod learn;
mod mesh;
mod reproduce;
mod run;
mod scene;
mod trajectory;
mod view;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Simulate robots that touch things.
#[derive(Parser)]
#[command(name = "stiction", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene and print a summary
    Run(run::RunArguments),
    /// Show a scene live in the browser, or open a recording
    View(view::ViewArguments),
    /// Print what was read from a model: bodies, joints, masses, shapes, warnings
    Inspect(inspect::InspectArguments),
    /// All the ways an impact of several contacts can go
    Impact(impact::ImpactArguments),
    /// Fill a closed surface with tetrahedra and a pressure field
    Mesh(Box<mesh::MeshArguments>),
    /// Contact from data: read recordings, compare a model with them, calibrate it
    Learn(learn::LearnArguments),
    /// Regenerate the papers' tables and figures and check them
    Reproduce(reproduce::ReproduceArguments),
    /// Time built-in scenes and their stages, impacts or the mesher, measure creep or what recording costs
    Bench(bench::BenchArguments),
    /// List the built-in scenes
    Scenes,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Run(run) => run::run(&run),
        Command::View(view) => view::view(&view),
        Command::Inspect(inspect) => inspect::inspect(&inspect),
        Command::Mesh(arguments) => mesh::mesh(&arguments),
        Command::Impact(arguments) => impact::impact(&arguments),
        Command::Learn(arguments) => learn::learn(&arguments),
        Command::Reproduce(reproduce) => reproduce::reproduce(&reproduce),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Scenes => scene::list(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}
