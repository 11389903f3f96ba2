//! PFC 5.3.4: a bolt is turned backwards until its thread and the hole's are aligned, then screwed in.
//!
//! Both threads are ridges on a cylinder: lines of vertices along the ridge and along its foot, 23 a turn, four triangles
//! between them, 92 a turn. The bolt is a rigid surface; the hole is filled with tetrahedra from its surface to the bracket that
//! holds it, where the field is 1. A force like gravity pushes the bolt; the bore above the thread keeps it upright. A turn by α lifts a bolt that rests on
//! the thread by P α/2π. Turned backwards it climbs, until the end of its ridge passes the end of the hole's, and it falls by
//! one pitch: once a turn. Turned forwards it follows the thread.

mod thread;

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use crate::stage::{Stage, Way, account};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use std::f64::consts::TAU;
use std::fmt::Write;
use stiction::mesh_files::write_vtk;
use stiction::{LoadOptions, Model, Simulation};
use stiction_formats::files::Memory;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};
use thread::{PITCH, bolt, hole};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "bolt",
    summary: "A bolt skips its thread once a turn backwards, then screws in a pitch a turn (PFC 5.3.4, Fig. 5.6)",
    claim: "PFC section 5.3.4: a bolt with six degrees of freedom is pushed against a threaded hole by a gravity-like force. Turned \
            counterclockwise its thread slips past that of the hole once a turn; just after a jump by one pitch the torque \
            changes direction, and the bolt is screwed in. The thread has about 92 triangles a turn, which made it tens of \
            thousands of small collisions and about four hours of computing.",
    run,
};

/// Push (m/s²), torque (N m), rotational damping (N m s), which make about 1.5 turns a second.
const PUSH: f64 = 40.0;
const TORQUE: f64 = 0.12;
const DAMPING: f64 = 0.01;
/// Time between samples, s.
const PERIOD: f64 = 0.01;

/// The scene and the file with the hole that it refers to. Both are also in `scenes/`.
pub fn scene() -> Result<(String, String), Failure> {
    let (mut vertices, mut faces) = (String::new(), String::new());
    let surface = bolt();
    // Writing to a string cannot fail.
    for v in &surface.vertices {
        let _ = write!(vertices, "{:.6} {:.6} {:.6} ", v.x, v.y, v.z);
    }
    for [a, b, c] in &surface.triangles {
        let _ = write!(faces, "{a} {b} {c} ");
    }
    let head: String = (0..6)
        .flat_map(|k| [0.047, 0.058].map(|z| (k, z)))
        .map(|(k, z)| {
            let (s, c) = (TAU * f64::from(k) / 6.0).sin_cos();
            format!("{:.6} {:.6} {z} ", 0.0165 * c, 0.0165 * s)
        })
        .collect();
    let text = format!(
        r#"<!-- A bolt over a threaded hole; a force like gravity pushes it down, and there is no other. Written by
     `stiction reproduce bolt`, with the hole's solid in bolt_hole.vtk: tetrahedra from the thread out to the bracket, where their
     field is 1 (the reader says so of the vertices there).
     Look for: turned backwards (keyframe "back") it climbs the thread and falls by a pitch once a turn; turned forwards
     (keyframe "on") it goes in by a pitch a turn. -->
<mujoco model="bolt">
  <option timestep="0.0005" gravity="0 0 {down}"/>
  <visual><global azimuth="120" elevation="-15"/></visual>
  <statistic center="0 0 0.03" extent="0.05"/>
  <default>
    <geom friction="0.2"/>
    <default class="show"><geom contype="0" conaffinity="0" mass="0"/></default>
  </default>
  <asset>
    <mesh name="bolt" vertex="{vertices}" face="{faces}"/>
    <mesh name="head" vertex="{head}"/>
    <mesh name="hole" file="bolt_hole.vtk"/>
  </asset>
  <worldbody>
    <geom name="hole" type="mesh" mesh="hole" rgba="0.55 0.62 0.7 0.35">
      <drake:proximity_properties>
        <drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="5e6"/>
        <drake:hunt_crossley_dissipation value="10"/>
      </drake:proximity_properties>
    </geom>
    <body name="bolt" pos="0 0 0.0195">
      <joint name="bolt" type="free" damping="{DAMPING}"/>
      <inertial pos="0 0 0.026" mass="0.15" diaginertia="4e-5 4e-5 1e-5"/>
      <geom name="bolt" type="mesh" mesh="bolt" rgba="0.83 0.74 0.5 1">
        <drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>
      </geom>
      <geom class="show" type="mesh" mesh="head" rgba="0.83 0.74 0.5 1"/>
      <geom class="show" type="cylinder" pos="0 0 0.046" size="0.0145 0.001" rgba="0.7 0.62 0.42 1"/>
      <geom class="show" type="box" pos="0.012 0 0.0585" size="0.003 0.0012 0.0008" rgba="0.75 0.2 0.15 1"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="turn" joint="bolt" gear="0 0 0 0 0 1"/>
  </actuator>
  <keyframe>
    <key name="back" ctrl="{TORQUE}"/>
    <key name="on" ctrl="-{TORQUE}"/>
  </keyframe>
</mujoco>
"#,
        vertices = vertices.trim_end(),
        faces = faces.trim_end(),
        head = head.trim_end(),
        down = -PUSH,
    );
    Ok((text, write_vtk(&hole()).map_err(Failure::work)?))
}

fn model(text: &str, hole: &str) -> Result<Model, Failure> {
    let files = Memory::default().with("bolt.xml", text).with("bolt_hole.vtk", hole);
    let world = stiction_formats::load_with("bolt.xml", &files, &LoadOptions::default());
    Model::new(world.map_err(Failure::work)?).map_err(Failure::work)
}

/// What is seen at a time.
#[derive(Clone, Copy)]
struct Seen {
    time: f64,
    /// Turns since the beginning, positive backwards.
    turns: f64,
    /// Height of the tip, m.
    height: f64,
    /// Of the axis, rad.
    tilt: f64,
    /// Of contact patches.
    faces: usize,
}

fn look(sim: &Simulation, last: Option<&Seen>) -> Seen {
    let q = &sim.state().q;
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
    let axis = turn * Vector3::z();
    // The twist about z, with whole turns carried on.
    let twist = 2.0 * q[6].atan2(q[3]) / TAU;
    let turns = last.map_or(twist, |l| twist + (l.turns - twist).round());
    Seen {
        time: sim.state().time,
        turns,
        height: q[2],
        tilt: axis.xy().norm().atan2(axis.z),
        faces: sim.patch_views().map(|p| p.faces().len()).sum(),
    }
}

/// A run: what was seen, when it skipped, and when the torque was reversed (indices).
struct Threading {
    seen: Vec<Seen>,
    skips: Vec<usize>,
    reversed: usize,
}

/// Turns it back until it has skipped `skips` times, then on for `turns` turns.
fn perform(stage: &mut Stage, skips: usize, turns: f64) -> Result<Threading, Failure> {
    let mut run = Threading { seen: Vec::new(), skips: Vec::new(), reversed: 0 };
    stage.run(20.0, PERIOD, |sim| {
        let now = look(sim, run.seen.last());
        run.seen.push(now);
        let index = run.seen.len() - 1;
        if run.reversed == 0 {
            // A jump: it came down by more than half a pitch since its highest of the last 0.15 s, and has landed.
            let since = run.skips.last().map_or(20, |s| s + 20).max(index.saturating_sub(15)).min(index);
            let top = run.seen[since..].iter().map(|s| s.height).fold(f64::MIN, f64::max);
            if top - now.height > 0.5 * PITCH && sim.state().v[2] > -0.05 {
                run.skips.push(index);
            }
            if run.skips.len() == skips {
                run.reversed = index;
            }
        }
        sim.state_mut().ctrl[0] = if run.reversed == 0 { TORQUE } else { -TORQUE };
        let on = run.seen[run.reversed].turns - now.turns;
        Ok(run.reversed == 0 || on < turns)
    })?;
    Ok(run)
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let (text, file) = scene()?;
    let model = model(&text, &file)?;
    let ways = [Way::Continuous(1e-4), Way::Discrete(1e-3)];
    let ways = if study.quick { &ways[1..] } else { &ways };
    let (mut runs, mut performances) = (Vec::new(), Vec::new());
    for way in ways {
        let recording = format!("bolt-{}", way.name());
        let mut stage = Stage::new(study, &model, *way, Some(&recording))?;
        let threading = perform(&mut stage, 3, 2.5)?;
        check(&mut outcome, way.name(), &threading);
        runs.push((way.name(), threading));
        performances.push(stage.finish()?);
    }
    account(study, &mut outcome, performances, 300.0, "PFC 5.3.5: about four hours; aim: five minutes");
    figures(&mut outcome, &runs);
    outcome.scenes.push(("bolt", text));
    outcome.scenes.push(("bolt_hole.vtk", file));
    Ok(outcome)
}

fn check(outcome: &mut Outcome, name: &str, run: &Threading) {
    let claim = "PFC 5.3.4";
    let checks = &mut outcome.checks;
    let skips: Vec<Seen> = run.skips.iter().map(|&k| run.seen[k]).collect();
    let between = |f: fn(&[Seen]) -> f64| skips.windows(2).map(f).collect::<Vec<f64>>();
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    checks.push(Check::within(
        format!("{name}, backwards: turns from skip to skip"),
        mean(&between(|w| w[1].turns - w[0].turns)),
        1.0,
        0.03,
        "PFC 5.3.4: once per turn",
    ));
    checks.push(Check::within(
        format!("{name}, backwards: height won from skip to skip (pitches)"),
        mean(&between(|w| (w[1].height - w[0].height) / PITCH)),
        0.0,
        0.1,
        "PFC 5.3.4: it jumps down one pitch",
    ));
    let falls = run.skips.iter().map(|&k| {
        let top = run.seen[k.saturating_sub(20)..k].iter().map(|s| s.height).fold(f64::MIN, f64::max);
        (top - run.seen[k].height) / PITCH
    });
    checks.push(Check::within(
        format!("{name}, backwards: mean fall at a skip (pitches)"),
        mean(&falls.collect::<Vec<f64>>()),
        0.75,
        0.25,
        "one pitch, less what it leaned by before",
    ));
    // Forwards, over the last turn: least squares of height over turns.
    let last = run.seen[run.seen.len() - 1];
    let tail: Vec<&Seen> = run.seen[run.reversed..].iter().filter(|s| s.turns < last.turns + 1.0).collect();
    let x = mean(&tail.iter().map(|s| s.turns).collect::<Vec<_>>());
    let y = mean(&tail.iter().map(|s| s.height).collect::<Vec<_>>());
    let (mut xy, mut xx) = (0.0, 0.0);
    for s in &tail {
        xy += (s.turns - x) * (s.height - y);
        xx += (s.turns - x) * (s.turns - x);
    }
    checks.push(Check::within(
        format!("{name}, forwards: advance per turn, over the last (pitches)"),
        xy / xx / PITCH,
        1.0,
        0.03,
        claim,
    ));
    let begin = run.seen[run.reversed];
    checks.push(Check::within(
        format!("{name}, forwards: advance per turn, over all {:.1} (pitches)", begin.turns - last.turns),
        (begin.height - last.height) / (begin.turns - last.turns) / PITCH,
        1.0,
        0.05,
        claim,
    ));
    checks.push(Check::at_most(
        format!("{name}, forwards: largest tilt in the last turn (degrees)"),
        tail.iter().map(|s| s.tilt.to_degrees()).fold(0.0, f64::max),
        3.0,
        "PFC 5.3.4: kept from tipping by the sidewall",
    ));
    checks.push(Check::at_least(
        format!("{name}: most faces of a patch"),
        run.seen.iter().map(|s| s.faces).max().unwrap_or(0) as f64,
        500.0,
        "PFC 5.3.5: the number of contacts becomes large",
    ));
}

fn figures(outcome: &mut Outcome, runs: &[(&'static str, Threading)]) {
    let mut columns = Vec::new();
    for (name, _) in runs {
        columns.extend(["time_s", "turns", "height_mm", "tilt_deg", "faces"].map(|c| format!("{c}_{name}")));
    }
    let longest = runs.iter().map(|r| r.1.seen.len()).max().unwrap_or(0);
    let rows = (0..longest).map(|k| {
        let cells = |(_, run): &(&str, Threading)| match run.seen.get(k) {
            Some(s) => [s.time, s.turns, 1e3 * s.height, s.tilt.to_degrees(), s.faces as f64],
            None => [f64::NAN; 5],
        };
        runs.iter().flat_map(cells).collect()
    });
    outcome.tables.push(Table { name: "bolt", columns, rows: rows.collect() });
    let looks = [(Look::Line, color::BLUE), (Look::Dashed, color::VERMILLION)];
    let series = |f: fn(&Seen) -> [f64; 2]| -> Vec<Series> {
        let one = |((name, run), (look, color)): (&(&'static str, Threading), (Look, [u8; 3]))| {
            Series::new(*name, look, color, run.seen.iter().map(f).collect())
        };
        // The continuous method comes first where both were run.
        runs.iter().zip(looks.into_iter().skip(2 - runs.len().min(2))).map(one).collect()
    };
    let height = Panel {
        title: "Height over turns: back, then on".into(),
        x: Axis::linear("turns backwards"),
        y: Axis::linear("height of the tip (mm)"),
        series: series(|s| [s.turns, 1e3 * s.height]),
        legend: Corner::TopLeft,
    };
    let faces = Panel {
        title: "Size of the contact".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("faces of the patch"),
        series: series(|s| [s.time, s.faces as f64]),
        legend: Corner::BottomRight,
    };
    outcome.figures.push(Figure {
        name: "bolt",
        caption: "Threading a bolt. Left: turned backwards it climbs and falls by a pitch once a turn; turned forwards it goes in \
                  by a pitch a turn. Right: faces of the contact patch."
            .into(),
        panels: vec![height, faces],
    });
}
