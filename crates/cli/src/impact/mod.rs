//! `stiction impact`: find where several contacts hit at once, and tell all the ways it can go.
//!
//! `find` moves the scene to its impacts, `report.rs` says what the set of outcomes is, `picture.rs` draws it, and
//! `branch.rs` follows some of its members.

mod branch;
mod picture;
mod report;

use crate::failure::{Failure, print};
use crate::outlet;
use crate::scene::ReadArguments;
use clap::Args;
use report::Found;
use serde_json::json;
use std::path::PathBuf;
use stiction::rigid::{Flight, FlightOptions, RigidContactError, Touching};
use stiction::{Model, State};
use stiction_impact::{ImpactError, Options, Origin, Problem, certify, outcomes};

/// Arguments of `stiction impact`.
#[derive(Args)]
pub struct ImpactArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Start from this keyframe, by name or number
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    keyframe: Option<String>,
    /// Positions at the start, separated by commas
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_name = "NUMBERS")]
    qpos: Vec<f64>,
    /// Velocities at the start, separated by commas
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_name = "NUMBERS")]
    qvel: Vec<f64>,
    /// Look at the start alone, instead of moving on to an impact
    #[arg(long)]
    here: bool,
    /// How long to look for impacts, s
    #[arg(long, default_value_t = 5.0, allow_hyphen_values = true)]
    time: f64,
    /// Impacts of several contacts to tell
    #[arg(long, default_value_t = 1, allow_hyphen_values = true)]
    impacts: usize,
    /// Length of a step between impacts, s
    #[arg(long, default_value_t = 1e-3, allow_hyphen_values = true)]
    step: f64,
    /// Distance at which bodies touch, m: contacts that close together hit together
    #[arg(long, default_value_t = 1e-6, allow_hyphen_values = true)]
    touch: f64,
    /// Sampled solutions
    #[arg(long, default_value_t = 4096, allow_hyphen_values = true)]
    samples: usize,
    /// Largest normal impulse of a contact in a step of the resolution, N s
    #[arg(long, allow_hyphen_values = true)]
    cap: Option<f64>,
    /// Another seed, other samples
    #[arg(long, default_value_t = 0, allow_hyphen_values = true)]
    seed: u64,
    /// Velocity coordinates to draw, two numbers separated by a comma [default: those that differ most]
    #[arg(long, value_delimiter = ',', num_args = 1, value_name = "I,J", allow_hyphen_values = true)]
    axes: Vec<usize>,
    /// Follow this many outcomes that stand for the set, and record them
    #[arg(long, default_value_t = 0, value_name = "N", allow_hyphen_values = true)]
    branch: usize,
    /// How long to follow them, s
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    branch_time: f64,
    /// Where figures, outcomes (CSV) and recordings go
    #[arg(long, value_name = "DIR", default_value = "out/impact")]
    out: PathBuf,
    /// Print JSON instead of a summary
    #[arg(long)]
    json: bool,
}

/// Finds impacts and tells their outcomes.
pub fn impact(arguments: &ImpactArguments) -> Result<(), Failure> {
    let model = arguments.read.load()?;
    if !arguments.json {
        for warning in model.warnings() {
            eprintln!("warning: {warning}");
        }
    }
    let state = start(arguments, &model)?;
    for (name, value) in [("--time", arguments.time), ("--branch-time", arguments.branch_time)] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(Failure::input(format!("{name} {value} is not allowed: give zero or more seconds")));
        }
    }
    if arguments.impacts == 0 {
        return Err(Failure::input("--impacts 0 is not allowed: give 1 or more"));
    }
    let axes = match arguments.axes.as_slice() {
        [] => None,
        &[x, y] if x < model.nv() && y < model.nv() && x != y => Some([x, y]),
        _ => {
            let range = format!("two different numbers below {}", model.nv());
            return Err(Failure::input(format!("--axes is not allowed: give {range}")));
        }
    };
    outlet::folder(&arguments.out, "--out")?;
    let options = Options {
        samples: arguments.samples,
        cap: arguments.cap,
        seed: arguments.seed,
        ..Options::default()
    };
    let found = find(arguments, &model, state, &options)?;
    let scene = arguments.read.name();
    let mut reports = Vec::new();
    for (k, impact) in found.iter().enumerate() {
        let name = if found.len() > 1 { format!("{scene}-{}", k + 1) } else { scene.clone() };
        let mut files = picture::write(&arguments.out, &name, &model, impact, axes)?;
        files.extend(branch::follow(arguments, &model, impact, &name)?);
        if !arguments.json {
            print(&impact.text(&model, &files))?;
        }
        reports.push(impact.json(&model, &files));
    }
    if arguments.json {
        let report = json!({ "scene": scene, "impacts": reports });
        return print(&(serde_json::to_string_pretty(&report).map_err(Failure::work)? + "\n"));
    }
    if found.is_empty() {
        let what = if arguments.here {
            "no contact approaches at this state: there is no impact".to_string()
        } else {
            format!("no impact of several contacts within {} s", arguments.time)
        };
        print(&format!("{scene}: {what}\n"))?;
    }
    Ok(())
}

/// The state to start from.
fn start(arguments: &ImpactArguments, model: &Model) -> Result<State, Failure> {
    let mut state = match &arguments.keyframe {
        Some(name) => model.keyframe_state(name).map_err(Failure::input)?,
        None => model.default_state(),
    };
    if !arguments.qpos.is_empty() {
        state.q.clone_from(&arguments.qpos);
    }
    if !arguments.qvel.is_empty() {
        state.v.clone_from(&arguments.qvel);
    }
    model.check_state(&state).map_err(Failure::input)?;
    Ok(state)
}

/// Moves on from impact to impact. Those of one contact have one outcome and are passed; those of several are
/// kept, and passed by their one-shot outcome.
fn find(
    arguments: &ImpactArguments,
    model: &Model,
    mut state: State,
    options: &Options,
) -> Result<Vec<Found>, Failure> {
    let mut found = Vec::new();
    if arguments.here {
        let touching = model.touching(&state, arguments.touch).map_err(rigid)?;
        found.extend(resolve(touching, &state, options)?);
        return Ok(found);
    }
    let flight = FlightOptions { step: arguments.step, touch: arguments.touch, ..FlightOptions::default() };
    let mut flight = Flight::new(model, flight).map_err(rigid)?;
    let end = state.time + arguments.time;
    // A bouncing chain of impacts that closes in time would never end.
    for _ in 0..10_000 {
        let Some(touching) = flight.next_impact(&mut state, end).map_err(rigid)? else { break };
        let Some(impact) = resolve(touching, &state, options)? else { break };
        if let Some(first) = impact.next_velocity() {
            state.v.copy_from_slice(&first);
        }
        if impact.set.problem().contacts() > 1 {
            found.push(impact);
            if found.len() >= arguments.impacts {
                break;
            }
        }
    }
    Ok(found)
}

/// The set of outcomes at a state; none if nothing approaches.
fn resolve(touching: Touching, state: &State, options: &Options) -> Result<Option<Found>, Failure> {
    let problem = Problem::new(&touching.instant).map_err(wrong)?;
    let set = outcomes(&problem, options).map_err(wrong)?;
    if set.is_empty() && set.unfinished == 0 && set.unsolved == 0 {
        return Ok(None);
    }
    let certificate = certify(&problem);
    let one_shot = set.origins.iter().position(|o| *o == Origin::OneShot);
    Ok(Some(Found { state: state.clone(), touching, set, certificate, one_shot }))
}

fn rigid(error: RigidContactError) -> Failure {
    match error {
        RigidContactError::Contact { .. } => Failure::work(error),
        RigidContactError::Unsupported(_) => {
            Failure::input(format!("{error} (--here with --qpos and --qvel looks at a state)"))
        }
        _ => Failure::input(error),
    }
}

fn wrong(error: ImpactError) -> Failure {
    Failure::input(error)
}
