//! `stiction run`: simulate a scene and say what happened.

use crate::checkpoint::Checkpoint;
use crate::failure::{Failure, print};
use crate::scene::ReadArguments;
use crate::scene::contact;
use crate::trajectory::{Sampling, Trajectory};
use crate::{interrupt, outlet};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use stiction::contact_law::Law;
use stiction::continuous::DEFAULT_ACCURACY;
use stiction::{
    ContactModel, Method, Model, Options, Simulation, TangentialSprings, TrajectoryHash, method_from_names,
};
use stiction_viewer::channels::Channels;
use stiction_viewer::{JointChoice, RecordError, RecordOptions, Recorder};

/// Arguments of `stiction run`.
#[derive(Args)]
pub struct RunArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Simulated time, s; steps of one length end at the one nearest to it
    #[arg(long, default_value_t = 5.0, allow_hyphen_values = true)]
    time: f64,
    /// Length of a step, s [default: the file's, or 0.001]
    #[arg(long, allow_hyphen_values = true)]
    step: Option<f64>,
    /// Error allowed in a step, m and rad: steps follow the motion instead of having one length
    #[arg(long, allow_hyphen_values = true, conflicts_with = "step")]
    accuracy: Option<f64>,
    /// How time goes on: convex (one convex problem a step) or continuous (forces as functions of state, integrated to
    /// an accuracy; compliant geoms only)
    #[arg(long, default_value = "convex")]
    method: String,
    /// Integrator of --method continuous: radau, dormand-prince or bogacki-shampine [default: radau]
    #[arg(long)]
    integrator: Option<String>,
    /// Contact model of --method convex: lagged, similar or sap; or a contact learned from data, as a file or by its name:
    /// cube, box, prism, box-2d, anisotropic or link [default: lagged]
    #[arg(long)]
    contact: Option<String>,
    /// Slip speed below which contact sticks, m/s
    #[arg(long, default_value_t = 1e-4, allow_hyphen_values = true)]
    stiction_tolerance: f64,
    /// Impact regularisation of --method convex; 0 turns it off [default: 0.001]
    #[arg(long, allow_hyphen_values = true)]
    regularization: Option<f64>,
    /// Relative tolerance of each step's solve, of --method convex [default: 0.00001]
    #[arg(long, allow_hyphen_values = true)]
    relative_tolerance: Option<f64>,
    /// Distance within which contacts are kept before they touch, of --method convex, m [default: 0]
    #[arg(long, allow_hyphen_values = true)]
    margin: Option<f64>,
    /// Hold sticking contacts by tangential springs, without creep
    #[arg(long)]
    tangential_springs: bool,
    /// Start from this keyframe, by name or number
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    keyframe: Option<String>,
    /// Record to DIR/<scene>.html (opens in a browser), .mcap (robotics log tools) and .csv (trajectory)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Files of --out to leave out, separated by commas
    #[arg(long, value_delimiter = ',', requires = "out")]
    skip: Vec<OutputFile>,
    /// Frames of the recording per simulated second, at most one a step [default: 60]
    #[arg(long, allow_hyphen_values = true, requires = "out")]
    frame_rate: Option<f64>,
    /// Joints whose positions are plotted, separated by commas [default: all, if they are not too many]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "out")]
    joints: Vec<String>,
    /// Rows of the trajectory per simulated second, at most one a step: the end of the step nearest to each time; with
    /// --accuracy or --method continuous, whose steps are as long as the motion allows, the first end of a step at or after
    /// it [default: 100]
    #[arg(long, allow_hyphen_values = true, requires = "out")]
    rate: Option<f64>,
    /// Save the state to FILE every second of work; if FILE is there, go on from it. The files of --out then begin at that
    /// time, which is added to their names
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Print JSON instead of a summary
    #[arg(long)]
    json: bool,
}

/// Steps between two looks at the clock, the keyboard and the checkpoint.
const STEPS_AT_ONCE: usize = 16;

/// A file that `--out` writes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputFile {
    Html,
    Mcap,
    Csv,
}

/// What is written while the simulation goes on.
struct Outputs {
    trajectory: Option<(Trajectory, Sampling)>,
    recorder: Option<Recorder>,
    checkpoint: Option<Checkpoint>,
    /// Of every step, for the report.
    hash: TrajectoryHash,
}

impl Outputs {
    /// Opens the checkpoint, which may move the simulation on, and then the files.
    fn create(arguments: &RunArguments, simulation: &mut Simulation) -> Result<Self, Failure> {
        let hash = TrajectoryHash::default();
        let mut outputs = Self { trajectory: None, recorder: None, checkpoint: None, hash };
        let begin = simulation.state().time;
        if let Some(path) = &arguments.checkpoint {
            outputs.checkpoint = Some(Checkpoint::open(path, simulation)?);
        }
        let time = simulation.state().time;
        let mut name = arguments.read.name();
        if time != begin {
            eprintln!("going on from t = {time} s");
            // What was recorded up to here stays.
            name += &format!("-from-{time:.3}");
        }
        let Some(directory) = &arguments.out else { return Ok(outputs) };
        outlet::folder(directory, "--out")?;
        let path = |extension: &str| directory.join(format!("{name}.{extension}"));
        let wanted: Vec<(OutputFile, PathBuf)> =
            [(OutputFile::Csv, "csv"), (OutputFile::Html, "html"), (OutputFile::Mcap, "mcap")]
                .into_iter()
                .filter(|(file, _)| !arguments.skip.contains(file))
                .map(|(file, extension)| (file, path(extension)))
                .collect();
        // All are tried before the first is made anew: what an earlier run left is not given up for nothing.
        wanted.iter().try_for_each(|(_, path)| outlet::file(path, "--out"))?;
        let (tables, recordings): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|(file, _)| *file == OutputFile::Csv);
        if !recordings.is_empty() {
            let paths: Vec<PathBuf> = recordings.into_iter().map(|(_, path)| path).collect();
            let recorder = Recorder::create(simulation, &name, &paths, &arguments.recording());
            outputs.recorder = Some(recorder.map_err(record_failure)?);
        }
        if !tables.is_empty() {
            let mut trajectory = Trajectory::create(directory, &name, simulation.model())?;
            let mut sampling = Sampling::new(begin, arguments.rate(), simulation.options());
            sampling.pass(time);
            trajectory.record(simulation)?;
            outputs.trajectory = Some((trajectory, sampling));
        }
        Ok(outputs)
    }

    /// Looks at the simulation after a step. Never changes it, so that steps are the same with and without.
    fn observe(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(simulation).map_err(record_failure)?;
        }
        if let Some((trajectory, sampling)) = &mut self.trajectory
            && sampling.pass(simulation.state().time)
        {
            trajectory.record(simulation)?;
        }
        Ok(())
    }

    /// The last state of a run that reached its end, unless it has its row already.
    fn last_row(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        match &mut self.trajectory {
            Some((trajectory, sampling)) if !sampling.is_last(simulation.state().time) => {
                trajectory.record(simulation)
            }
            _ => Ok(()),
        }
    }

    /// Completes the files; returns where they are. All are completed even if one fails.
    fn finish(self, simulation: &Simulation) -> Result<Vec<PathBuf>, Failure> {
        let saved = self.checkpoint.map(|checkpoint| checkpoint.save(simulation)).transpose();
        let trajectory = self.trajectory.map(|(trajectory, _)| trajectory.finish()).transpose();
        let recorded = self.recorder.map(|recorder| recorder.finish(Some(simulation))).transpose();
        let recorded = recorded.map_err(record_failure)?.unwrap_or_default();
        saved?;
        Ok(recorded.into_iter().map(|file| file.path).chain(trajectory?).collect())
    }
}

/// The joints named, or the usual ones.
pub fn joint_choice(names: &[String]) -> JointChoice {
    if names.is_empty() { JointChoice::default() } else { JointChoice::Named(names.to_vec()) }
}

fn record_failure(error: RecordError) -> Failure {
    match error {
        RecordError::Rate(_) | RecordError::Joint { .. } => Failure::input(error),
        RecordError::Create { .. } => Failure::work(format!("{error}, with another --out")),
        _ => Failure::work(error),
    }
}

impl RunArguments {
    /// Rows of the trajectory per simulated second.
    fn rate(&self) -> f64 {
        self.rate.unwrap_or(100.0)
    }

    /// How the page and the log are made.
    fn recording(&self) -> RecordOptions {
        RecordOptions { rate: self.frame_rate.unwrap_or(60.0), joints: joint_choice(&self.joints) }
    }

    /// Checks what needs no model to be checked.
    fn check(&self) -> Result<(), Failure> {
        if !(self.time >= 0.0 && self.time.is_finite()) {
            let message = format!("--time {} is not allowed: give zero or more seconds", self.time);
            return Err(Failure::input(message));
        }
        for (option, rate) in [("--rate", self.rate()), ("--frame-rate", self.recording().rate)] {
            if !(rate > 0.0 && rate.is_finite()) {
                return Err(Failure::input(format!(
                    "{option} {rate} is not allowed: give a positive number"
                )));
            }
        }
        self.check_skipped()
    }

    /// Refuses options of files that are left out.
    fn check_skipped(&self) -> Result<(), Failure> {
        let skipped = |file| self.skip.contains(&file);
        let no_recording = skipped(OutputFile::Html) && skipped(OutputFile::Mcap);
        for (option, given, gone, files) in [
            ("--rate", self.rate.is_some(), skipped(OutputFile::Csv), ".csv"),
            ("--frame-rate", self.frame_rate.is_some(), no_recording, ".html and .mcap"),
            ("--joints", !self.joints.is_empty(), no_recording, ".html and .mcap"),
        ] {
            if given && gone {
                let message =
                    format!("{option} is for {files}, which --skip leaves out: give one of the two");
                return Err(Failure::input(message));
            }
        }
        Ok(())
    }

    /// The method asked for, without options that it has no use for.
    fn method(&self) -> Result<Method, Failure> {
        let integrator = self.integrator.as_deref().unwrap_or("radau");
        let method =
            method_from_names(&self.method, integrator, self.tangential_springs).map_err(Failure::input)?;
        if method == Method::Convex {
            return match self.integrator {
                Some(_) => {
                    Err(Failure::input("--integrator is for --method continuous: give both, or neither"))
                }
                None => Ok(method),
            };
        }
        for (option, given, instead) in [
            ("--step", self.step.is_some(), " (its steps follow --accuracy)"),
            ("--contact", self.contact.is_some(), " (continuous time has the materials of the file)"),
            ("--regularization", self.regularization.is_some(), ""),
            ("--relative-tolerance", self.relative_tolerance.is_some(), " (give --accuracy)"),
            ("--margin", self.margin.is_some(), ""),
        ] {
            if given {
                return Err(Failure::input(format!(
                    "{option} is for --method convex: leave it out{instead}, or leave out --method continuous"
                )));
            }
        }
        Ok(method)
    }

    /// Settings of the simulation, and the data-augmented law if one was asked for.
    fn options(&self, model: &Model) -> Result<(Options, Option<Arc<Law>>), Failure> {
        let method = self.method()?;
        let (contact, law) = contact(self.contact.as_deref().unwrap_or("lagged"))?;
        let springs = self.tangential_springs && method == Method::Convex;
        let options = Options {
            method,
            step: self.step.or(model.world().options.step).unwrap_or(1e-3),
            accuracy: self.accuracy,
            stiction_tolerance: self.stiction_tolerance,
            regularization: self.regularization.unwrap_or(contact.regularization),
            relative_tolerance: self.relative_tolerance.unwrap_or(contact.relative_tolerance),
            margin: self.margin.unwrap_or(contact.margin),
            tangential_springs: springs.then(TangentialSprings::default),
            ..contact
        };
        // Such a run would end where it begins, or far from where it should.
        if !options.error_controlled() && self.time > 0.0 && options.step > self.time * (1.0 + 1e-9) {
            return Err(Failure::input(format!(
                "a step of {} s is longer than the whole run of {} s: give a shorter --step, or a longer --time",
                options.step, self.time
            )));
        }
        Ok((options, law))
    }
}

/// Simulates and prints a summary.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    arguments.check()?;
    let model = arguments.read.load()?;
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
    // Joints are looked up before any file is touched, and whichever files there will be.
    Channels::new(&model, &joint_choice(&arguments.joints)).map_err(record_failure)?;
    let begin = simulation.state().time;
    let mut outputs = Outputs::create(arguments, &mut simulation)?;
    let (energy, start) = (simulation.energy(), simulation.state().time);
    interrupt::listen();
    let simulated = simulate(arguments, begin, &mut simulation, &mut outputs);
    // Whatever happened, what was recorded is kept.
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
        let text =
            serde_json::to_string_pretty(&summary.json(&arguments.read.name())).map_err(Failure::work)?;
        return print(&(text + "\n"));
    }
    for warning in simulation.warnings() {
        eprintln!("warning: {warning}");
    }
    if let Some(outside) = simulation.learned_report().map(|r| r.outside_steps).filter(|steps| *steps > 0) {
        let steps = simulation.stats().steps;
        eprintln!(
            "warning: in {outside} of {steps} steps the learned law was outside the range it was trained in"
        );
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
    // A bar on a terminal only: indicatif hides it elsewhere by itself.
    let bar = if arguments.json { ProgressBar::hidden() } else { ProgressBar::new(1000) };
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
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
        Some(checkpoint) => format!("the same command goes on from {}", checkpoint.path().display()),
        None => "with --checkpoint FILE a run can be continued".into(),
    };
    Failure::work(format!("interrupted at t = {time} s; what was recorded is kept; {remedy}"))
}

struct Summary<'a> {
    simulation: &'a Simulation,
    wall: f64,
    simulated: f64,
    files: &'a [PathBuf],
    energy: [f64; 2],
    hash: TrajectoryHash,
}

impl Summary<'_> {
    fn rate(&self) -> f64 {
        self.simulated / self.wall.max(1e-12)
    }

    /// The file with this ending, if it was written.
    fn file(&self, extension: &str) -> Option<String> {
        let path = self.files.iter().find(|p| p.extension().is_some_and(|e| e == extension));
        path.map(|p| p.display().to_string())
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
            "{scene}: {:.3} s simulated in {:.3} s ({:.*} times real time), {} steps of {}, {}",
            self.simulated,
            self.wall,
            if self.rate() < 1.0 { 3 } else { 1 },
            self.rate(),
            stats.steps,
            if options.error_controlled() {
                format!(
                    "{:.1e} to {:.1e} s for an accuracy of {}, {} turned down",
                    stats.min_step,
                    stats.max_step,
                    options.accuracy.unwrap_or(DEFAULT_ACCURACY),
                    stats.rejected
                )
            } else {
                format!("{} s", options.step)
            },
            method_text(self.simulation),
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
        for (k, path) in self.files.iter().enumerate() {
            let _ = writeln!(text, "  {:<10}  {}", if k == 0 { "files" } else { "" }, path.display());
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
            "method": options.method_name(),
            "contact": if self.simulation.contact_law().is_some() { "dac" } else { name(options.contact) },
            "outside_steps": self.simulation.learned_report().map(|r| r.outside_steps),
            "dissipated": stats.dissipated,
            "other_work": stats.other_work,
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
            "trajectory_hash": format!("{:016x}", self.hash.value()),
            "qpos": state.q,
            "qvel": state.v,
            "html": self.file("html"),
            "mcap": self.file("mcap"),
            "csv": self.file("csv"),
            "warnings": self.warnings(),
        })
    }
}

/// What a run is called by.
fn method_text(simulation: &Simulation) -> String {
    if simulation.contact_law().is_some() {
        return "a data-augmented law".into();
    }
    let options = simulation.options();
    match options.method {
        Method::Convex => name(options.contact).into(),
        Method::Continuous(c) => format!("continuous time by {}", c.integrator.name()),
    }
}

fn name(model: ContactModel) -> &'static str {
    stiction::contact_model_name(model)
}
