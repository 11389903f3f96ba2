//! VLP V-C: a spatula turns in a bubble gripper while the grip is loose, and holds while it is tight.
//!
//! The hand is fixed to the world above the spatula and holds it near its balance, a little behind. What keeps it from
//! turning is the friction of two patches about their normal, M = ∫ μ p r dA over both, which grows with the grip and with
//! the size of the patches; gravity's moment is m g l cos θ. At 16 N the patches hold many times that; at 1 N a
//! little less, so that the spatula turns slowly, until its own moment has fallen to what a loose grip can hold. A contact
//! point has no such moment.

use crate::Reproduction;
use crate::failure::Failure;
use crate::kitchen::grid::GRIDS;
use crate::kitchen::gripper::{self, OPEN, PRESSED};
use crate::kitchen::patch::spread;
use crate::kitchen::{Grid, spatula};
use crate::report::{Check, Outcome, Study, Table, number};
use crate::worlds::published;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::fmt::Write;
use std::time::Instant;
use stiction::{ContactPatch, Format, LoadOptions, Model, Options, Simulation, Stats};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};
use stiction_viewer::Recorded;

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "spatula-slip",
    summary: "A spatula turns in a loose grip and holds in a tight one (VLP Fig. 1 and 10)",
    claim: "VLP section V-C: a bubble gripper (E_h = 1e5 Pa) fixed to the world holds a spatula level by its handle. Its force is a \
            square wave from 1 N to 16 N with a period of 6 s and a duty of 75 %. The spatula turns in the loose phases and \
            holds in the tight ones; the patch is elongated along the handle. With point contact this control would be very \
            difficult, if not impossible. The paper gives no masses: here the spatula has 90 g and is held 10 mm behind its centre \
            of mass, where the torsional friction of 1 N per finger (μ = 1) is a little less than gravity's moment. Friction is dry \
            (v_s = 1e-5 m/s): nothing creeps, the spatula swings until its moment has fallen with the cosine of its pitch, and \
            then each loosening lets it turn a little more.",
    run,
};

/// The built-in scene of this demonstration.
pub const SCENE: &str = "spatula";

const TIGHT: f64 = 16.0;
const LOOSE: f64 = 1.0;
const PERIOD: f64 = 6.0;
const DUTY: f64 = 0.75;
const PERIODS: usize = 3;
const STEP: f64 = 5e-3;
/// After this time a grip that was tightened counts as tight, s.
const SETTLED: f64 = 0.3;
/// How far behind the centre of mass the spatula is held, m.
const BEHIND: f64 = 0.0102;
/// Height of the grip, m.
const HEIGHT: f64 = 0.32;

/// Grip force asked of each finger at a time (s), N.
fn command(time: f64) -> f64 {
    // Times are sums of steps.
    let phase = (time + 1e-9).rem_euclid(PERIOD);
    if phase < DUTY * PERIOD { TIGHT } else { LOOSE }
}

/// The scene as MJCF; with `soft` false everything touches at points.
pub fn scene(grid: &Grid, soft: bool) -> String {
    let (_, com) = spatula::balance();
    let held = [BEHIND - com.x, 0.0, HEIGHT];
    // Rigid bubbles touch the handle, soft ones are pressed onto it.
    let closed = if soft { OPEN + PRESSED } else { OPEN };
    let hand = gripper::hand(&format!("pos=\"0 0 {HEIGHT}\" euler=\"0 90 0\""), closed, grid, soft);
    let (defaults, equality, contact, actuator) =
        (gripper::DEFAULTS, gripper::EQUALITY, gripper::CONTACT, gripper::ACTUATOR);
    let spatula = spatula::spatula(held, grid, soft);
    format!(
        r#"<!-- A gripper with two soft bubbles holds a spatula near its balance. Written by `stiction reproduce spatula-slip`.
     Look for: at 16 N (keyframe "tight") it is held level; at 1 N (keyframe "loose") it turns, and does not fall. -->
<mujoco model="spatula">
  <option timestep="{STEP}"/>
  <visual><global azimuth="125" elevation="-18"/></visual>
  <statistic center="0.03 0 0.3" extent="0.28"/>
  <default>
    <geom friction="0.5"/>
    <default class="show"><geom contype="0" conaffinity="0" mass="0"/></default>
{defaults}  </default>
  <worldbody>
    <geom class="show" name="table" type="plane" size="0.6 0.6 0.01" rgba="0.82 0.78 0.72 1"/>
    <geom class="show" type="box" pos="-0.27 0 0.26" size="0.02 0.03 0.26" rgba="0.45 0.48 0.52 1"/>
    <geom class="show" type="box" pos="-0.125 0 0.5" size="0.165 0.03 0.02" rgba="0.45 0.48 0.52 1"/>
{hand}{spatula}  </worldbody>
  <equality>
{equality}  </equality>
  <contact>
{contact}  </contact>
  <actuator>
{actuator}  </actuator>
  <keyframe>
    <key name="tight" ctrl="{TIGHT}"/>
    <key name="loose" ctrl="{LOOSE}"/>
  </keyframe>
</mujoco>
"#
    )
}

/// What is seen after a step.
struct Seen {
    time: f64,
    command: f64,
    /// Normal force of a bubble, N.
    force: f64,
    /// Angle of the blade below the level, rad; grows on past a turn.
    pitch: f64,
    /// How far the held place has come down, m.
    sunk: f64,
    faces: u64,
    area: f64,
    /// Time that the step took, s.
    cost: f64,
}

/// The two patches at the end of a phase.
struct Held {
    patches: Vec<ContactPatch>,
    x_ws: Isometry3<f64>,
}

struct Performance {
    grid: &'static str,
    seen: Vec<Seen>,
    /// At the end of the first tight and of the first loose phase.
    held: Vec<Held>,
    stats: Stats,
    warnings: usize,
    recordings: Vec<Recorded>,
}

impl Performance {
    /// Turned between two times, rad.
    fn turned(&self, from: f64, to: f64) -> f64 {
        let at = |time: f64| self.seen[(time / STEP).round() as usize - 1].pitch;
        at(to) - at(from)
    }

    /// Turned in each loose phase, degrees.
    fn loose(&self) -> Vec<f64> {
        let start = |k: usize| (k as f64 + DUTY) * PERIOD;
        (0..PERIODS).map(|k| self.turned(start(k), (k + 1) as f64 * PERIOD).to_degrees()).collect()
    }

    /// Turned in each tight phase once it is settled, degrees.
    fn tight(&self) -> Vec<f64> {
        let begin = |k: usize| k as f64 * PERIOD + SETTLED;
        (0..PERIODS).map(|k| self.turned(begin(k), (k as f64 + DUTY) * PERIOD).to_degrees()).collect()
    }

    /// Median time of a step, s: what others do on the machine disturbs it little.
    fn cost(&self) -> f64 {
        let mut costs: Vec<f64> = self.seen.iter().map(|s| s.cost).collect();
        costs.sort_by(f64::total_cmp);
        costs[costs.len() / 2]
    }

    /// Seconds simulated a second.
    fn rate(&self) -> f64 {
        STEP / self.cost()
    }

    fn series(&self, y: impl Fn(&Seen) -> f64) -> Vec<[f64; 2]> {
        self.seen.iter().map(|s| [s.time, y(s)]).collect()
    }
}

/// Pose of the spatula; its free joint comes after the fingers.
fn x_ws(simulation: &Simulation) -> Isometry3<f64> {
    let q = &simulation.state().q[2..];
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
    Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), turn)
}

fn perform(
    study: &Study,
    grid: &'static Grid,
    soft: bool,
    recording: Option<&str>,
) -> Result<Performance, Failure> {
    let load = LoadOptions { strict: true, ..LoadOptions::default() };
    let model = Model::from_string(&scene(grid, soft), Format::Mjcf, &load).map_err(Failure::work)?;
    let options = Options { step: STEP, stiction_tolerance: 1e-5, ..published() };
    let mut sim = Simulation::new(&model, options).map_err(Failure::work)?;
    sim.state_mut().ctrl[0] = command(0.0);
    let mut recorder = recording.map(|name| study.record(&sim, name)).transpose()?;
    let (_, com) = spatula::balance();
    let grip = Vector3::new(com.x - BEHIND, 0.0, 0.0);
    let (mut seen, mut held, mut pitch) = (Vec::new(), Vec::new(), 0.0);
    let steps = (PERIODS as f64 * PERIOD / STEP).round() as usize;
    for _ in 0..steps {
        let asked = command(sim.state().time);
        sim.state_mut().ctrl[0] = asked;
        let begin = Instant::now();
        sim.step(1).map_err(Failure::work)?;
        let cost = crate::stage::slowed() * begin.elapsed().as_secs_f64();
        if let Some(recorder) = &mut recorder {
            recorder.observe(&sim).map_err(Failure::work)?;
        }
        let x_ws = x_ws(&sim);
        let along = x_ws.rotation * Vector3::x();
        let angle = (-along.z).atan2(along.x);
        pitch +=
            (angle - pitch + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        let patches: Vec<_> = sim.patch_views().collect();
        let (count, time) = (patches.len().max(1) as f64, sim.state().time);
        let force = if soft {
            patches.iter().map(|p| p.force.y.abs()).sum::<f64>() / count
        } else {
            0.5 * sim.contacts().iter().map(|c| c.force.y.abs()).sum::<f64>()
        };
        seen.push(Seen {
            time,
            command: asked,
            force,
            pitch,
            sunk: HEIGHT - (x_ws * nalgebra::Point3::from(grip)).z,
            faces: sim.stats().last_faces,
            area: patches.iter().map(|p| p.area).sum::<f64>() / count,
            cost,
        });
        drop(patches);
        if [DUTY * PERIOD, PERIOD].iter().any(|end| (time - end).abs() < 0.5 * STEP) {
            held.push(Held { patches: sim.patches(), x_ws });
        }
    }
    let recordings = match recorder {
        Some(recorder) => recorder.finish(Some(&sim)).map_err(Failure::work)?,
        None => Vec::new(),
    };
    let (stats, warnings) = (*sim.stats(), sim.warnings().len());
    let performance = Performance { grid: grid.name, seen, held, stats, warnings, recordings };
    study.say(format_args!(
        "{}: {:.0} s, {:.1} times real time",
        if soft { grid.name } else { "points" },
        PERIODS as f64 * PERIOD,
        performance.rate()
    ));
    Ok(performance)
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let grids: &[usize] = if study.quick { &[0, 1] } else { &[0, 1, 2, 3] };
    let mut runs = Vec::new();
    for &k in grids {
        let recording = (k == 1).then_some("spatula-slip");
        runs.push(perform(study, &GRIDS[k], true, recording)?);
    }
    outcome.scenes.push((SCENE, scene(&GRIDS[1], true)));
    let points = perform(study, &GRIDS[1], false, Some("spatula-slip-points"))?;
    turning(&mut outcome, &runs, &points);
    elongation(&mut outcome, &runs);
    statics(&mut outcome, &runs);
    statistics(study, &mut outcome, &runs);
    for run in runs.into_iter().chain([points]) {
        outcome.recordings.extend(run.recordings);
    }
    Ok(outcome)
}

/// Fig. 10: force and pitch, and what points make of it.
fn turning(outcome: &mut Outcome, runs: &[Performance], points: &Performance) {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |values: &[f64]| values.iter().map(|x| x.abs()).fold(0.0, f64::max);
    for run in runs {
        let (loose, tight, name) = (run.loose(), run.tight(), run.grid);
        outcome.checks.push(Check::at_least(
            format!("{name} grid: turned in the first loose phase (°)"),
            loose[0],
            5.0,
            "VLP Fig. 10: turns while loose",
        ));
        outcome.checks.push(Check::at_least(
            format!("{name} grid: turned in any loose phase, at least (°)"),
            least(&loose),
            0.5,
            "VLP Fig. 10: turns while loose",
        ));
        outcome.checks.push(Check::at_most(
            format!("{name} grid: turned in any tight phase (°)"),
            most(&tight),
            0.2,
            "VLP Fig. 10: holds while tight",
        ));
        let sunk = run.seen.last().map_or(f64::NAN, |s| s.sunk);
        outcome.checks.push(Check::at_most(
            format!("{name} grid: how far it has slid down in the end (mm)"),
            1e3 * sunk,
            12.0,
            "VLP V-C: a controlled slip: it is not dropped",
        ));
    }
    let first = points.seen.iter().filter(|s| s.time <= DUTY * PERIOD);
    let (low, high) = first.fold((0.0f64, 0.0f64), |(a, b), s| (a.min(s.pitch), b.max(s.pitch)));
    outcome.checks.push(Check::at_least(
        "points: turned within the first tight phase (°)",
        (high - low).to_degrees(),
        45.0,
        "VLP V-C: point contact cannot hold it",
    ));
    let colors = [color::ORANGE, color::BLUE, color::GREEN, color::VERMILLION, color::PURPLE];
    let end = PERIODS as f64 * PERIOD;
    let shown = runs.get(1).unwrap_or(&runs[0]);
    let pitch = runs
        .iter()
        .zip(colors)
        .map(|(r, c)| Series::new(r.grid, Look::Line, c, r.series(|s| s.pitch.to_degrees())))
        .collect();
    outcome.figures.push(Figure {
        name: "spatula-slip",
        caption: "VLP Fig. 10: grip force asked and felt (left), pitch of the spatula with four meshes (middle; 0 is level, 90 \
                  hangs down), and the same scene with points in place of patches (right): nothing resists turning until the handle hits the palm."
            .into(),
        panels: vec![
            Panel {
                title: "Grip force".into(),
                x: Axis::linear("time (s)").over(0.0, end),
                y: Axis::linear("force of a finger (N)").over(0.0, 20.0),
                series: vec![
                    Series::new("felt", Look::Line, color::SKY, shown.series(|s| s.force)),
                    Series::new("asked", Look::Dashed, color::BLACK, shown.series(|s| s.command)),
                ],
                legend: Corner::TopRight,
            },
            Panel {
                title: "Patches".into(),
                x: Axis::linear("time (s)").over(0.0, end),
                y: Axis::linear("pitch (°)"),
                series: pitch,
                legend: Corner::BottomRight,
            },
            Panel {
                title: "Points".into(),
                x: Axis::linear("time (s)").over(0.0, end),
                y: Axis::linear("pitch (°)").over(-5.0, 95.0),
                series: vec![
                    Series::new("points", Look::Line, color::VERMILLION, points.series(|s| s.pitch.to_degrees())),
                    Series::new("patches", Look::Line, color::BLUE, shown.series(|s| s.pitch.to_degrees())),
                ],
                legend: Corner::TopRight,
            },
        ],
    });
    let mut table = Table::new(
        "spatula-slip",
        &["time_s", "asked_N", "felt_N", "pitch_deg", "sunk_m", "faces", "area_m2"],
    );
    table.rows.extend(
        shown
            .seen
            .iter()
            .map(|s| vec![s.time, s.command, s.force, s.pitch.to_degrees(), s.sunk, s.faces as f64, s.area]),
    );
    outcome.tables.push(table);
}

/// Fig. 1, right: the shape of the patch.
fn elongation(outcome: &mut Outcome, runs: &[Performance]) {
    for run in runs {
        for (held, phase) in run.held.iter().zip(["tight", "loose"]) {
            let handle = held.x_ws.rotation * Vector3::x();
            let spreads: Vec<_> = held.patches.iter().map(spread).collect();
            let ratio = spreads.iter().map(|s| s.radii[0] / s.radii[1]).fold(f64::INFINITY, f64::min);
            let angle = |d: &Vector3<f64>| d.dot(&handle).abs().min(1.0).acos().to_degrees();
            let off = spreads.iter().map(|s| angle(&s.longest)).fold(0.0, f64::max);
            let name = run.grid;
            outcome.checks.push(Check::at_least(
                format!("{name} grid, {phase}: length of the patch over its width"),
                ratio,
                1.3,
                "VLP Fig. 1: elongated by the shape of the handle",
            ));
            outcome.checks.push(Check::at_most(
                format!("{name} grid, {phase}: its longest axis against the handle's (°)"),
                off,
                10.0,
                "VLP Fig. 1: along the handle",
            ));
        }
    }
    let shown = runs.get(1).unwrap_or(&runs[0]);
    let panels = shown.held.iter().zip(["16 N", "1 N"]).map(|(held, title)| {
        let frame = held.x_ws.inverse();
        let mut series = Vec::new();
        if let Some(patch) = held.patches.first() {
            let middle = frame * nalgebra::Point3::from(patch.centroid);
            for polygon in &patch.polygons {
                let corner = |&v: &u32| {
                    let p = frame * nalgebra::Point3::from(patch.vertices[v as usize]) - middle;
                    [1e3 * p.x, 1e3 * p.z]
                };
                let outline: Vec<[f64; 2]> = polygon.iter().chain(polygon.first()).map(corner).collect();
                series.push(Series::new("", Look::Line, color::BLUE, outline));
            }
        }
        Panel {
            title: format!("{title}, {} polygons", series.len()),
            x: Axis::linear("along the handle (mm)").over(-32.0, 32.0),
            y: Axis::linear("across (mm)").over(-16.0, 16.0),
            series,
            legend: Corner::TopRight,
        }
    });
    outcome.figures.push(Figure {
        name: "spatula-slip-patch",
        caption: "VLP Fig. 1, right: the polygons of one patch, seen along the closing of the fingers, in a tight and in a loose grip."
            .into(),
        panels: panels.collect(),
    });
}

/// In a tight grip the patches carry the weight and balance it: their moment about the centre of mass is zero.
fn statics(outcome: &mut Outcome, runs: &[Performance]) {
    let (mass, com) = spatula::balance();
    let weight = mass * 9.81;
    let (mut lift, mut moment) = (0.0f64, 0.0f64);
    for held in runs.iter().filter_map(|r| r.held.first()) {
        let p_wc = (held.x_ws * nalgebra::Point3::from(com)).coords;
        // The handle is geom B where the bubble comes first, and it does.
        let force: Vector3<f64> = held.patches.iter().map(|p| p.force).sum();
        let turn: Vector3<f64> =
            held.patches.iter().map(|p| p.moment + (p.centroid - p_wc).cross(&p.force)).sum();
        lift = lift.max((force.z / weight - 1.0).abs());
        moment = moment.max(turn.norm() / (weight * BEHIND));
    }
    let source = "statics";
    outcome.checks.push(Check::at_most(
        "tight: lift of the patches against the weight, relative",
        lift,
        1e-3,
        source,
    ));
    outcome.checks.push(Check::at_most(
        "tight: moment of the patches about the centre of mass over m g l",
        moment,
        1e-2,
        source,
    ));
}

/// Patches, solver, time.
fn statistics(study: &Study, outcome: &mut Outcome, runs: &[Performance]) {
    let mut text = String::from(
        "| grid | faces tight | faces loose | iterations a step | median step (ms) | times real time | turned, loose (°) | turned, tight (°) |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for run in runs {
        let faces = |time: f64| run.seen[(time / STEP).round() as usize - 1].faces;
        let list = |v: Vec<f64>| v.iter().map(|x| format!("{x:.2}")).collect::<Vec<_>>().join(", ");
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {} | {} | {} | {} |",
            run.grid,
            faces(DUTY * PERIOD),
            faces(PERIOD),
            run.stats.iterations as f64 / run.stats.steps as f64,
            number((1e5 * run.cost()).round() / 1e2),
            number((10.0 * run.rate()).round() / 10.0),
            list(run.loose()),
            list(run.tight()),
        );
        outcome.checks.push(Check::at_most(
            format!("{} grid: steps that did not converge, and warnings", run.grid),
            (run.stats.unconverged + run.warnings as u64) as f64,
            0.0,
            "every step is solved, every patch can be trusted",
        ));
        let off = |s: &&Seen| s.command == TIGHT && (s.time + 1e-9).rem_euclid(PERIOD) > SETTLED;
        let worst = run.seen.iter().filter(off).map(|s| (s.force / TIGHT - 1.0).abs()).fold(0.0, f64::max);
        outcome.checks.push(Check::at_most(
            format!("{} grid: force felt against 16 N, relative", run.grid),
            worst,
            0.01,
            "VLP Fig. 10: the force is what is asked",
        ));
        if !study.quick {
            outcome.checks.push(Check::at_least(
                format!("{} grid: times real time", run.grid),
                run.rate(),
                1.0,
                "VLP Fig. 1: at real-time rates",
            ));
        }
    }
    outcome.notes = text;
}
