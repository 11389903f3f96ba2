//! `stiction run`: simulate a scene and print a summary.
//!
//! `arguments` says what to do, `outputs` writes files beside the steps, `summary` reports; here is the loop over steps.

mod arguments;
mod outputs;
mod summary;

pub use arguments::{Columns, RunArguments};
pub use outputs::joint_choice;

use crate::failure::{Failure, print, print_json};
use crate::scene::with_restitution;
use crate::{interrupt, progress};
use outputs::{Outputs, record_failure};
use std::time::Instant;
use stiction::Simulation;
use stiction_viewer::channels::Channels;
use summary::Summary;

/// Steps between two looks at the clock, the keyboard and the checkpoint.
const STEPS_AT_ONCE: usize = 16;

/// Simulates and prints a summary.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    arguments.check()?;
    let mut model = arguments.read.load()?;
    if let Some(restitution) = arguments.restitution {
        model = with_restitution(&model, restitution)?;
    }
    let (options, law) = arguments.options(&model)?;
    if !arguments.json {
        for warning in model.warnings() {
            eprintln!("warning: {warning}");
        }
    }
    let mut simulation = Simulation::new(&model, options).map_err(Failure::input)?;
    simulation.set_contact_law(law).map_err(Failure::input)?;
    if let Some(keyframe) = &arguments.keyframe {
        simulation.reset_to_keyframe(keyframe).map_err(Failure::input)?;
    }
    // Joint names are checked before any file is touched.
    Channels::new(&model, &joint_choice(&arguments.joints), &[]).map_err(record_failure)?;
    let begin = simulation.state().time;
    let mut outputs = Outputs::create(arguments, &mut simulation)?;
    let (energy, start) = (simulation.energy(), simulation.state().time);
    interrupt::listen();
    let simulated = simulate(arguments, begin, &mut simulation, &mut outputs);
    // The files are completed even if a step failed.
    let hash = outputs.hash;
    let files = outputs.finish(&simulation);
    let (wall, files) = (simulated?, files?);
    let end = simulation.energy();
    let summary = Summary {
        simulation: &simulation,
        wall,
        simulated: simulation.state().time - start,
        files: &files,
        energy: [energy.total(), end.total()],
        hash,
    };
    if arguments.json {
        return print_json(&summary.json(&arguments.read.name()));
    }
    for warning in simulation.warnings() {
        eprintln!("warning: {warning}");
    }
    if let Some(outside) = simulation.learned_report().map(|r| r.outside_steps).filter(|steps| *steps > 0) {
        let steps = simulation.stats().steps;
        eprintln!("warning: in {outside} of {steps} steps the learned law was outside its training range");
    }
    print(&summary.text(&arguments.read.name()))
}

/// Steps to the end, counted from `begin`, with a progress bar; returns the seconds spent stepping and recording.
fn simulate(
    arguments: &RunArguments,
    begin: f64,
    simulation: &mut Simulation,
    outputs: &mut Outputs,
) -> Result<f64, Failure> {
    let bar = progress::bar(1000, "{bar:40} {percent:>3} %  {msg}  {eta} left", arguments.json);
    let end = begin + arguments.time;
    let (mut wall, mut going) = (0.0, true);
    while going {
        let clock = Instant::now();
        for _ in 0..STEPS_AT_ONCE {
            going = simulation.step_towards(end).map_err(Failure::work)?;
            if !going {
                break;
            }
            if arguments.json {
                outputs.hash.add(simulation.state());
            }
            outputs.observe(simulation)?;
        }
        if let Some(checkpoint) = &mut outputs.checkpoint {
            checkpoint.keep(simulation)?;
        }
        wall += clock.elapsed().as_secs_f64();
        if interrupt::asked() {
            bar.finish_and_clear();
            return Err(interrupted(simulation.state().time, outputs));
        }
        let done = simulation.state().time - begin;
        bar.set_position((1000.0 * done / arguments.time.max(1e-12)) as u64);
        bar.set_message(format!("t = {:.2} s", begin + done));
    }
    outputs.last_row(simulation)?;
    bar.finish_and_clear();
    Ok(wall)
}

fn interrupted(time: f64, outputs: &Outputs) -> Failure {
    let remedy = match &outputs.checkpoint {
        Some(checkpoint) => format!("the same command resumes from {}", checkpoint.path().display()),
        None => "with --checkpoint FILE a run can be resumed".into(),
    };
    Failure::work(format!("interrupted at t = {time} s; the recorded files are kept; {remedy}"))
}
