//! `stiction impact`: find where several contacts hit at once, and tell all the ways it can go.
//!
//! `find` moves the scene to its impacts, `report.rs` says what the set of outcomes is, `picture.rs` draws it, `branch.rs` follows
//! some of its members, and `tree.rs` forks at every impact on the way, with `ghosts.rs` for its page.

mod branch;
mod ghosts;
mod picture;
mod report;
mod tree;

use crate::failure::{Failure, print};
use crate::outlet;
use crate::scene::ReadArguments;
use clap::Args;
use report::Found;
use serde_json::json;
use std::path::PathBuf;
use stiction::rigid::{ConvexFlight, Flight, FlightOptions, FuturesError, RigidContactError, Touching};
use stiction::{Model, State};
use stiction_impact::{
    ImpactError, Options, Origin, OuterOptions, Problem, certify, impact_without_collision, outcomes, outer,
    verdict,
};

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
    /// Error allowed along a sampled solution, relative to the largest contact speed
    #[arg(long, default_value_t = 1e-6, allow_hyphen_values = true)]
    tolerance: f64,
    /// Largest normal impulse of a contact in a step of the resolution, N s [default: no limit]
    #[arg(long, allow_hyphen_values = true)]
    cap: Option<f64>,
    /// Leave out the bound from outside; agreeing samples then give no verdict
    #[arg(long, conflicts_with = "outer")]
    no_outer: bool,
    /// Compute the bound from outside also for more than six contacts, which can take minutes
    #[arg(long)]
    outer: bool,
    /// Convex sets that a cell of the outer bound may hold: more are tighter and slower
    #[arg(long, default_value_t = 8, allow_hyphen_values = true)]
    outer_pieces: usize,
    /// Parts into which the outer bound divides directions of slip in space, an even number from 4: more are tighter and slower
    #[arg(long, default_value_t = 4, value_name = "N", allow_hyphen_values = true)]
    outer_sectors: usize,
    /// Work allowed for the outer bound, in comparisons (ten million are about a second)
    #[arg(long, default_value_t = 20_000_000, allow_hyphen_values = true)]
    outer_work: u64,
    /// Tell whether the impact can end with this velocity, numbers separated by commas
    #[arg(long, value_delimiter = ',', allow_hyphen_values = true, value_name = "NUMBERS")]
    member: Vec<f64>,
    /// Also report the outcomes with Poisson's restitution, a coefficient from 0 to 1 for all contacts
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    restitution: Option<f64>,
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
    /// Grow a tree of futures instead: fork at every impact with several outcomes, until the horizon
    #[arg(long)]
    tree: bool,
    /// How far the tree looks ahead, s
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    horizon: f64,
    /// Outcomes that a fork of the tree follows at most
    #[arg(long, default_value_t = 3, value_name = "N", allow_hyphen_values = true)]
    outcomes: usize,
    /// Branches of the tree at most
    #[arg(long, default_value_t = 64, value_name = "N", allow_hyphen_values = true)]
    budget: usize,
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
    if let Some(e) = arguments.restitution
        && !(0.0..=1.0).contains(&e)
    {
        return Err(Failure::input(format!("--restitution {e} is not allowed: give a number from 0 to 1")));
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
        tolerance: arguments.tolerance,
        cap: arguments.cap,
        seed: arguments.seed,
        ..Options::default()
    };
    if arguments.tree {
        // A fork needs few samples to stand for the set.
        let options = Options { samples: arguments.samples.min(64), ..options };
        let scene = arguments.read.name();
        let (text, report) = tree::grow(arguments, &model, &state, &options, &scene)?;
        let report = json!({ "scene": scene, "tree": report });
        let json = serde_json::to_string_pretty(&report).map_err(Failure::work)? + "\n";
        return print(if arguments.json { &json } else { &text });
    }
    let most = match (arguments.outer, arguments.no_outer) {
        (true, _) => usize::MAX,
        (_, true) => 0,
        _ => 6,
    };
    let bounds = Bounds {
        options: OuterOptions {
            pieces: arguments.outer_pieces,
            work: arguments.outer_work,
            sectors: arguments.outer_sectors,
        },
        // A single contact needs no bound for its verdict, and many take long.
        contacts: if arguments.member.is_empty() { 2 } else { 1 }..=most,
    };
    let Search { found, unknown, motion } = find(arguments, &model, state, &options, &bounds)?;
    let scene = arguments.read.name();
    let mut reports = Vec::new();
    for (k, impact) in found.iter().enumerate() {
        let name = if found.len() > 1 { format!("{scene}-{}", k + 1) } else { scene.clone() };
        let mut files = picture::write(&arguments.out, &name, &model, impact, axes)?;
        files.extend(branch::follow(arguments, &model, impact, &name)?);
        let member = (!arguments.member.is_empty()).then(|| impact.member(&arguments.member)).transpose()?;
        let bounces = arguments.restitution.map(|e| impact.bounce(e)).transpose()?;
        if !arguments.json {
            let bounced = bounces.as_ref().map_or(String::new(), |b| report::bounced(&model, b));
            let member = member.as_ref().map_or(String::new(), report::member);
            print(&(impact.text(&model, &files) + &member + &bounced))?;
        }
        let mut report = impact.json(&model, &files);
        if let Some(m) = member {
            report["member"] = report::member_json(&m);
        }
        if let Some(b) = bounces {
            report["restitution"] = b.json();
        }
        reports.push(report);
    }
    if arguments.json {
        let report = json!({ "scene": scene, "impacts": reports, "unknown": unknown, "motion": motion });
        return print(&(serde_json::to_string_pretty(&report).map_err(Failure::work)? + "\n"));
    }
    if let Some(motion) = motion {
        print(&format!("{scene}: {motion}\n"))?;
    }
    if let Some(unknown) = &unknown {
        print(&format!("{scene}: {unknown}\n"))?;
    } else if found.is_empty() {
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

/// Bounds from outside that are wanted.
struct Bounds {
    options: OuterOptions,
    /// For impacts of so many contacts.
    contacts: std::ops::RangeInclusive<usize>,
}

/// The impacts of a motion.
struct Search {
    found: Vec<Found>,
    /// An impact that could not be computed, and why.
    unknown: Option<String>,
    /// That motion between impacts is not rigid, and why.
    motion: Option<String>,
}

/// Moves on from impact to impact. Those of one contact have one outcome, Routh's, and are passed with it; those of several
/// are kept, and passed with all contacts at once.
fn find(
    arguments: &ImpactArguments,
    model: &Model,
    mut state: State,
    options: &Options,
    bounds: &Bounds,
) -> Result<Search, Failure> {
    let (mut found, mut unknown) = (Vec::new(), None);
    if arguments.here {
        let touching = model.touching(&state, arguments.touch).map_err(rigid)?;
        let problem = Problem::new(&touching.instant).map_err(wrong)?;
        let free = model.free_normal_accelerations(&state, arguments.touch).map_err(rigid)?;
        let pressed = impact_without_collision(&problem, &free);
        found.extend(match pressed {
            None => resolve(touching, &state, options, bounds)?,
            Some(contacts) => resolve(press(touching, &problem, &contacts)?, &state, options, bounds)?
                .map(|found| Found { pressed: contacts, ..found }),
        });
        return Ok(Search { found, unknown, motion: None });
    }
    let flight = FlightOptions { step: arguments.step, touch: arguments.touch, ..FlightOptions::default() };
    let mut mover = Mover::new(model, flight)?;
    let end = state.time + arguments.time;
    // A bouncing chain of impacts that closes in time would never end.
    for _ in 0..10_000 {
        let Some(touching) = mover.next_impact(model, &mut state, end)? else { break };
        if let Err(error @ ImpactError::TooMany { .. }) = Problem::new(&touching.instant) {
            unknown = Some(format!("impact at t = {:.6} s: UNKNOWN: {error}", state.time));
            break;
        }
        let Some(impact) = resolve(touching, &state, options, bounds)? else { break };
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
    Ok(Search { found, unknown, motion: mover.note() })
}

/// The motion between impacts: rigid steps of a few bodies, or convex steps for what those do not support, with the reason.
enum Mover {
    Rigid(Box<Flight>, FlightOptions),
    Convex(Box<ConvexFlight>, String),
}

impl Mover {
    fn new(model: &Model, options: FlightOptions) -> Result<Self, Failure> {
        match Flight::new(model, options) {
            Ok(flight) => Ok(Self::Rigid(Box::new(flight), options)),
            Err(error @ RigidContactError::Unsupported(_)) => Self::convex(model, &options, &error),
            Err(error) => Err(rigid(error)),
        }
    }

    fn convex(model: &Model, options: &FlightOptions, reason: &RigidContactError) -> Result<Self, Failure> {
        let flight = ConvexFlight::new(model, options).map_err(moved)?;
        Ok(Self::Convex(Box::new(flight), reason.to_string()))
    }

    /// That motion between impacts is not rigid, if so.
    fn note(&self) -> Option<String> {
        match self {
            Self::Rigid(..) => None,
            Self::Convex(_, reason) => {
                Some(format!("between impacts the scene is moved by convex steps ({reason})"))
            }
        }
    }

    fn next_impact(
        &mut self,
        model: &Model,
        state: &mut State,
        end: f64,
    ) -> Result<Option<Touching>, Failure> {
        if let Self::Rigid(flight, options) = self {
            match flight.next_impact(state, end) {
                Ok(found) => return Ok(found),
                Err(error @ RigidContactError::Contact { .. }) => {
                    *self = Self::convex(model, &options.clone(), &error)?;
                }
                Err(error) => return Err(rigid(error)),
            }
        }
        match self {
            Self::Convex(flight, _) => flight.next_impact(state, end).map_err(moved),
            Self::Rigid(..) => Ok(None),
        }
    }
}

fn moved(error: FuturesError) -> Failure {
    match error {
        FuturesError::Rigid(error) => rigid(error),
        FuturesError::Step(_) | FuturesError::Outcome { .. } => Failure::work(error),
        _ => Failure::input(error),
    }
}

/// The same contacts with those that slip presses approaching by a millionth of the contact speed: the limit of such impacts is the one without a
/// collision.
fn press(touching: Touching, problem: &Problem, contacts: &[usize]) -> Result<Touching, Failure> {
    let mut v = touching.instant.velocity().clone();
    let speed = touching.instant.contact_velocity().amax();
    for &c in contacts {
        let row = 3 * problem.groups()[c][0] + 2;
        let w = touching.instant.delassus()[(row, row)];
        v -= touching.instant.response().column(row) * (1e-6 * speed / w);
    }
    let Touching { instant, kinds } = touching;
    Ok(Touching { instant: instant.with_velocity(v).map_err(Failure::input)?, kinds })
}

/// The set of outcomes at a state; none if nothing approaches.
fn resolve(
    touching: Touching,
    state: &State,
    options: &Options,
    bounds: &Bounds,
) -> Result<Option<Found>, Failure> {
    let problem = Problem::new(&touching.instant).map_err(wrong)?;
    let set = outcomes(&problem, options).map_err(wrong)?;
    if set.is_empty() && set.unfinished == 0 && set.unsolved == 0 {
        return Ok(None);
    }
    let wanted = bounds.contacts.contains(&problem.contacts());
    let outer = wanted.then(|| outer(&problem, &bounds.options)).transpose().map_err(wrong)?;
    let verdict = verdict(&set, outer.as_ref()).map_err(wrong)?;
    let outer = outer.map(|o| o.box_bounds().map(|b| (o, b))).transpose().map_err(wrong)?;
    let certificate = certify(&problem);
    let one_shot = set.origins.iter().position(|o| *o == Origin::OneShot);
    Ok(Some(Found {
        state: state.clone(),
        touching,
        set,
        certificate,
        one_shot,
        outer,
        verdict,
        pressed: Vec::new(),
    }))
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
