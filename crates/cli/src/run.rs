//! `stiction run`: simulate a scene and say what happened.

use crate::failure::{Failure, print};
use crate::scene::ReadArguments;
use crate::trajectory::Trajectory;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stiction::{ContactModel, Options, Simulation, TangentialSprings};

/// Arguments of `stiction run`.
#[derive(Args)]
pub struct RunArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Simulated time, s
    #[arg(long, default_value_t = 5.0, allow_negative_numbers = true)]
    time: f64,
    /// Length of a step, s [default: the file's, or 0.001]
    #[arg(long, allow_negative_numbers = true)]
    step: Option<f64>,
    /// Error allowed in a step, m and rad: steps follow the motion instead of having one length
    #[arg(long, allow_negative_numbers = true, conflicts_with = "step")]
    accuracy: Option<f64>,
    /// Contact model: lagged, similar or sap
    #[arg(long, default_value = "lagged")]
    contact: String,
    /// Slip speed below which contact sticks, m/s
    #[arg(long, default_value_t = 1e-4, allow_negative_numbers = true)]
    stiction_tolerance: f64,
    /// Impact regularisation (0 turns it off)
    #[arg(long, default_value_t = 1e-3, allow_negative_numbers = true)]
    regularization: f64,
    /// Relative tolerance of each step's solve
    #[arg(long, default_value_t = 1e-5, allow_negative_numbers = true)]
    relative_tolerance: f64,
    /// Distance within which contacts are kept before they touch, m
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    margin: f64,
    /// Hold sticking contacts by tangential springs, without creep
    #[arg(long)]
    tangential_springs: bool,
    /// Start from this keyframe, by name or number
    #[arg(long, value_name = "NAME")]
    keyframe: Option<String>,
    /// Write the trajectory to DIR/<scene>.csv
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Rows of the trajectory per simulated second
    #[arg(long, default_value_t = 100.0, allow_negative_numbers = true)]
    rate: f64,
    /// Print JSON instead of a summary
    #[arg(long)]
    json: bool,
}

/// Simulates and prints a summary.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let model = arguments.read.load()?;
    if !(arguments.time >= 0.0 && arguments.time.is_finite()) {
        return Err(Failure::input(format!(
            "--time {} is not allowed: give zero or more seconds",
            arguments.time
        )));
    }
    if !(arguments.rate > 0.0 && arguments.rate.is_finite()) {
        return Err(Failure::input(format!(
            "--rate {} is not allowed: give a positive number",
            arguments.rate
        )));
    }
    let options = Options {
        step: arguments.step.or(model.world().options.step).unwrap_or(1e-3),
        accuracy: arguments.accuracy,
        contact: stiction::contact_model_from_name(&arguments.contact).map_err(Failure::input)?,
        stiction_tolerance: arguments.stiction_tolerance,
        regularization: arguments.regularization,
        relative_tolerance: arguments.relative_tolerance,
        margin: arguments.margin,
        tangential_springs: arguments.tangential_springs.then(TangentialSprings::default),
        ..Options::default()
    };
    if !arguments.json {
        for warning in model.warnings() {
            eprintln!("warning: {warning}");
        }
    }
    let mut simulation = Simulation::new(&model, options).map_err(Failure::input)?;
    if let Some(keyframe) = &arguments.keyframe {
        simulation.reset_to_keyframe(keyframe).map_err(Failure::input)?;
    }
    let (begin, start) = (simulation.energy(), simulation.state().time);
    let mut recording = match &arguments.out {
        Some(directory) => Some(Trajectory::create(directory, &arguments.read.name(), &model)?),
        None => None,
    };

    let wall = simulate(arguments, &mut simulation, &mut recording)?;

    let csv = recording.map(Trajectory::finish).transpose()?;
    let end = simulation.energy();
    let summary = Summary {
        simulation: &simulation,
        wall,
        simulated: simulation.state().time - start,
        csv: csv.as_deref(),
        energy: [begin.total(), end.total()],
    };
    if arguments.json {
        let text =
            serde_json::to_string_pretty(&summary.json(&arguments.read.name())).map_err(Failure::work)?;
        return print(&(text + "\n"));
    }
    for warning in simulation.warnings() {
        eprintln!("warning: {warning}");
    }
    print(&summary.text(&arguments.read.name()))
}

/// Steps to the end with a progress bar; returns the seconds spent stepping.
fn simulate(
    arguments: &RunArguments,
    simulation: &mut Simulation,
    recording: &mut Option<Trajectory>,
) -> Result<f64, Failure> {
    let begin = simulation.state().time;
    // A bar on a terminal only: indicatif hides it elsewhere by itself.
    let bar = if arguments.json { ProgressBar::hidden() } else { ProgressBar::new(1000) };
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    // Only a trajectory needs stops on the way: under error control they would shorten steps.
    let stops =
        if recording.is_some() { (arguments.time * arguments.rate).round().max(1.0) as u64 } else { 1 };
    let mut wall = 0.0;
    if let Some(trajectory) = recording {
        trajectory.record(simulation)?;
    }
    for stop in 1..=stops {
        let end = begin + if stop == stops { arguments.time } else { stop as f64 / arguments.rate };
        let mut going = true;
        while going {
            let clock = Instant::now();
            for _ in 0..16 {
                match simulation.step_towards(end) {
                    Ok(taken) => going &= taken,
                    Err(error) => {
                        if let Some(trajectory) = recording.take() {
                            trajectory.finish()?;
                        }
                        return Err(Failure::work(error));
                    }
                }
            }
            wall += clock.elapsed().as_secs_f64();
            let done = simulation.state().time - begin;
            bar.set_position((1000.0 * done / arguments.time.max(1e-12)) as u64);
            bar.set_message(format!("t = {:.2} s", begin + done));
        }
        if let Some(trajectory) = recording {
            trajectory.record(simulation)?;
        }
    }
    bar.finish_and_clear();
    Ok(wall)
}

struct Summary<'a> {
    simulation: &'a Simulation,
    wall: f64,
    simulated: f64,
    csv: Option<&'a Path>,
    energy: [f64; 2],
}

impl Summary<'_> {
    fn rate(&self) -> f64 {
        self.simulated / self.wall.max(1e-12)
    }

    /// Of the model and of what happened.
    fn warnings(&self) -> Vec<String> {
        let (model, run) = (self.simulation.model().warnings(), self.simulation.warnings());
        model.iter().chain(&run).map(ToString::to_string).collect()
    }

    fn text(&self, scene: &str) -> String {
        let stats = self.simulation.stats();
        let options = self.simulation.options();
        let steps = stats.steps.max(1) as f64;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{scene}: {:.3} s simulated in {:.3} s ({:.1} times real time), {} steps of {}, {}",
            self.simulated,
            self.wall,
            self.rate(),
            stats.steps,
            match options.accuracy {
                None => format!("{} s", options.step),
                Some(accuracy) => format!(
                    "{:.1e} to {:.1e} s for an accuracy of {accuracy}, {} turned down",
                    stats.min_step, stats.max_step, stats.rejected
                ),
            },
            name(options.contact),
        );
        let _ = writeln!(
            text,
            "  solver      {:.2} iterations a step, {} at most, {}",
            stats.iterations as f64 / steps,
            stats.max_iterations,
            match stats.unconverged {
                0 => "every step converged".to_string(),
                n => format!("{n} STEPS DID NOT CONVERGE"),
            }
        );
        let _ = writeln!(
            text,
            "  contact     {:.1} points a step, {} at the end, largest penetration {:.3e} m",
            stats.points as f64 / steps,
            stats.last_points,
            stats.max_penetration
        );
        if stats.patches > 0 {
            let _ = writeln!(
                text,
                "  patches     {:.1} a step with {:.1} faces, {} with {} at the end",
                stats.patches as f64 / steps,
                stats.faces as f64 / steps,
                stats.last_patches,
                stats.last_faces
            );
        }
        let _ = writeln!(
            text,
            "  energy      {:.6} J at the start, {:.6} J at the end; {:.6} J taken by friction, {:.6} J by normal forces",
            self.energy[0], self.energy[1], stats.friction_loss, stats.normal_loss
        );
        let total = stats.seconds.total().max(1e-12);
        let stages: Vec<String> =
            stats.seconds.named().iter().map(|(n, s)| format!("{n} {:.0} %", 100.0 * s / total)).collect();
        let _ =
            writeln!(text, "  time        {:.1} µs a step: {}", 1e6 * self.wall / steps, stages.join(", "));
        if let Some(path) = self.csv {
            let _ = writeln!(text, "  trajectory  {}", path.display());
        }
        text
    }

    fn json(&self, scene: &str) -> Value {
        let stats = self.simulation.stats();
        let options = self.simulation.options();
        let state = self.simulation.state();
        let seconds: Map<String, Value> =
            stats.seconds.named().iter().map(|(n, s)| (n.to_string(), json!(s))).collect();
        json!({
            "scene": scene,
            "time": state.time,
            "step": options.step,
            "accuracy": options.accuracy,
            "rejected": stats.rejected,
            "min_step": stats.min_step,
            "max_step": stats.max_step,
            "contact": name(options.contact),
            "steps": stats.steps,
            "iterations": stats.iterations,
            "max_iterations": stats.max_iterations,
            "unconverged": stats.unconverged,
            "points": stats.points,
            "last_points": stats.last_points,
            "patches": stats.patches,
            "faces": stats.faces,
            "doubtful_patches": stats.doubtful_patches,
            "last_patches": stats.last_patches,
            "last_faces": stats.last_faces,
            "max_penetration": stats.max_penetration,
            "friction_loss": stats.friction_loss,
            "normal_loss": stats.normal_loss,
            "energy_start": self.energy[0],
            "energy_end": self.energy[1],
            "wall_seconds": self.wall,
            "real_time_factor": self.rate(),
            "seconds": seconds,
            "qpos": state.q,
            "qvel": state.v,
            "csv": self.csv.map(|p| p.display().to_string()),
            "warnings": self.warnings(),
        })
    }
}

fn name(model: ContactModel) -> &'static str {
    stiction::contact_model_name(model)
}
