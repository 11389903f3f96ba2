//! Beyond the papers: an arm sorts ten things from clutter into two bins, by feeling which of them are soft.
//!
//! | open | for |
//! |---|---|
//! | `objects.rs` | the ten things |
//! | `picker.rs` | the controller: what the arm does when |
//! | this file | the scene, the run, checks and figures |

mod objects;
mod picker;

use crate::Reproduction;
use crate::arm;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use crate::stage::{Stage, Way, load};
use objects::ALL;
use picker::{BIN_SIZE, BINS, Event, GRIPS, Picker, SOFT, TRAY, TRAY_SIZE, body_pose};
use std::fmt::Write;
use stiction::Model;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "pick-and-place",
    summary: "An arm sorts ten hard and soft things from clutter into two bins, by feel",
    claim: "No paper's claim, but what all of it is for. A six-joint arm with rubber pads takes ten different things out of a \
            tray, where they have fallen in a heap: boxes, spheres, cylinders, ellipsoids, a capsule and a star that is not convex, five \
            of them rigid and five compliant (0.05 to 0.2 MPa). It sees where they are, not what they are made of: it takes each \
            with 2 N, then with 8 N, and the way its fingers close in between decides the bin. For a simulated minute every step must \
            converge, faster than real time.",
    run,
};

/// Simulated time, s, and step, s.
const END: f64 = 60.0;
const STEP: f64 = 2e-3;

/// A board with four walls around an inside of half size `size`, its floor's top at height 0.
fn box_of(name: &str, at: [f64; 2], size: [f64; 2], wall: f64, color: &str) -> String {
    let [x, y] = at;
    let [a, b] = size;
    let t = 0.006;
    let mut text = String::new();
    let mut geom = |part: &str, dx: f64, dy: f64, sx: f64, sy: f64| {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            r#"<geom name="{name}_{part}" type="box" pos="{:.3} {:.3} {:.3}" size="{sx:.3} {sy:.3} {:.3}" friction="0.5" rgba="{color}"/>"#,
            x + dx,
            y + dy,
            0.5 * wall,
            0.5 * wall
        );
    };
    geom("near", -a - t, 0.0, t, b + 2.0 * t);
    geom("far", a + t, 0.0, t, b + 2.0 * t);
    geom("left", 0.0, b + t, a, t);
    geom("right", 0.0, -b - t, a, t);
    text
}

/// The scene.
pub fn scene() -> String {
    let mut things = String::new();
    // Three rows of three, dropped from a little above the tray, and the last one on top.
    for (k, kind) in ALL.iter().enumerate() {
        let (row, column) = ((k / 3) as f64 - 1.0, (k % 3) as f64 - 1.0);
        let (x, y, z) = if k == 9 { (0.01, 0.005, 0.13) } else { (0.072 * row, 0.074 * column, 0.05) };
        let turn = 0.9 * k as f64;
        let tilt = if matches!(kind.name, "can" | "pill" | "cork") { 1.4 } else { 0.2 };
        things += &kind.body([TRAY[0] + x, TRAY[1] + y, z], tilt, turn);
    }
    format!(
        r#"<!-- A six-joint arm with rubber pads, ten hard and soft things in a tray, and two bins.
     Look for: heaps that settle; with its controller (stiction reproduce pick-and-place) the arm sorts them by feel. -->
<mujoco model="pick_and_place">
<option timestep="{STEP}"/>
<asset>{}</asset>
<worldbody>
<geom name="table" type="box" pos="0.25 0 -0.02" size="0.6 0.7 0.02" friction="0.5" rgba="0.72 0.66 0.58 1"/>
{}{}{}{}{things}</worldbody>
{}</mujoco>
"#,
        objects::star(),
        box_of("tray", TRAY, TRAY_SIZE, 0.02, "0.5 0.5 0.55 1"),
        box_of("hard", BINS[0], BIN_SIZE, 0.06, "0.35 0.5 0.75 1"),
        box_of("soft", BINS[1], BIN_SIZE, 0.06, "0.93 0.62 0.28 1"),
        arm::body([0.0; 3], arm::RUBBER),
        arm::rest()
    )
}

/// In which bin a thing lies, if in one.
fn bin_of(model: &Model, q: &[f64], thing: usize) -> Option<usize> {
    let joint = model.multibody().joints().iter().find(|j| j.name == ALL[thing].name)?;
    let place = body_pose(&q[joint.q.clone()]).translation.vector;
    (0..2).find(|&bin| {
        (0..2).all(|k| (place[k] - BINS[bin][k]).abs() < BIN_SIZE[k]) && (0.0..0.1).contains(&place.z)
    })
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let text = scene();
    let model = load(&text)?;
    let mut stage = Stage::new(study, &model, Way::Discrete(STEP), None)?;
    {
        let state = stage.sim.state_mut();
        state.q[..6].copy_from_slice(&arm::READY);
        state.ctrl[..6].copy_from_slice(&arm::READY);
    }
    // A minute with patches is much to look at: fewer frames than usual.
    stage.record(study.record_at(&stage.sim, "pick-and-place", 25.0)?);
    let (picker, log) = Picker::new(&model).map_err(Failure::work)?;
    stage.sim.set_controller(Box::new(picker));
    let mut table = Table::new(
        "pick-and-place",
        &["time_s", "in_the_right_bin", "patches", "faces", "points", "iterations"],
    );
    let soft = |thing: usize| usize::from(ALL[thing].modulus.is_some());
    let right = |q: &[f64]| (0..ALL.len()).filter(|&t| bin_of(&model, q, t) == Some(soft(t))).count();
    let mut printed = 0;
    stage.run(END, 0.02, |sim| {
        let (stats, state) = (sim.stats(), sim.state());
        table.rows.push(vec![
            state.time,
            right(&state.q) as f64,
            stats.last_patches as f64,
            stats.last_faces as f64,
            stats.last_points as f64,
            stats.last_iterations as f64,
        ]);
        if let Ok(log) = log.lock() {
            for (time, event) in &log[printed..] {
                study.say(match *event {
                    Event::Felt(t, gave) => {
                        format!("{time:.2} s: the {} gives {:.2} mm", ALL[t].name, 1e3 * gave)
                    }
                    Event::Missed(t) => format!("{time:.2} s: missed the {}", ALL[t].name),
                    Event::LetGo(t, bin) => format!("{time:.2} s: the {} into bin {bin}", ALL[t].name),
                });
            }
            printed = log.len();
        }
        Ok(true)
    })?;
    let q = stage.sim.state().q.clone();
    let stats = *stage.sim.stats();
    let performance = stage.finish()?;
    let events = log.lock().map(|l| l.clone()).unwrap_or_default();
    for (t, kind) in ALL.iter().enumerate() {
        let bin = bin_of(&model, &q, t).map_or(f64::NAN, |b| b as f64);
        outcome.checks.push(Check::within(
            format!("bin of the {} (0 hard, 1 soft)", kind.name),
            bin,
            soft(t) as f64,
            0.0,
            if soft(t) == 1 { "it is compliant" } else { "it is rigid" },
        ));
    }
    let done = table.rows.iter().find(|r| r[1] == 10.0).map_or(f64::NAN, |r| r[0]);
    outcome.checks.push(Check::at_most(
        "when all ten are sorted (s)",
        done,
        END,
        "within the simulated minute",
    ));
    outcome.checks.push(Check::at_most(
        "steps that did not converge",
        stats.unconverged as f64,
        0.0,
        "the goal: none in a minute",
    ));
    let speed = performance.simulated / performance.seconds;
    if !study.quick {
        outcome.checks.push(Check::at_least(
            "times real time, on one core",
            speed,
            1.0,
            "the goal: faster than real time",
        ));
    }
    for warning in performance.warnings() {
        study.say(warning);
    }
    let missed = events.iter().filter(|e| matches!(e.1, Event::Missed(_))).count();
    outcome.notes = format!(
        "{:.0} s simulated in {:.1} s, {speed:.1} times real time, {} steps of {} ms; {missed} grasps missed and tried again. On average {:.1} \
         Newton iterations, {:.1} contact points, {:.1} patches and {:.0} faces a step.\n",
        performance.simulated,
        performance.seconds,
        stats.steps,
        1e3 * STEP,
        stats.iterations as f64 / stats.steps as f64,
        stats.points as f64 / stats.steps as f64,
        stats.patches as f64 / stats.steps as f64,
        stats.faces as f64 / stats.steps as f64,
    );
    figures(&mut outcome, &table, &events);
    outcome.tables.push(table);
    outcome.recordings.extend(performance.into_recordings());
    outcome.scenes.push(("pick_and_place", text));
    outcome.scenes.push(("assistive_arm", arm::scene()));
    Ok(outcome)
}

fn figures(outcome: &mut Outcome, table: &Table, events: &[(f64, Event)]) {
    let column = |k: usize| table.rows.iter().map(|r| [r[0], r[k]]).collect::<Vec<_>>();
    let gave = |wanted: bool| {
        let point = |(time, event): &(f64, Event)| match *event {
            Event::Felt(t, gave) if ALL[t].modulus.is_some() == wanted => Some([*time, 1e3 * gave]),
            _ => None,
        };
        events.iter().filter_map(point).collect::<Vec<_>>()
    };
    let felt = Panel {
        title: "What gave between the grips".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("closed by, from 2 N to 8 N (mm)"),
        series: vec![
            Series::new("rigid", Look::Marks(Shape::Square), color::BLUE, gave(false)),
            Series::new("compliant", Look::Marks(Shape::Circle), color::ORANGE, gave(true)),
            Series::new(
                "taken for soft above",
                Look::Dashed,
                color::GREY,
                vec![[0.0, 1e3 * SOFT], [END, 1e3 * SOFT]],
            ),
        ],
        legend: Corner::TopRight,
    };
    let sorted = Panel {
        title: "Sorted".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("things, patches"),
        series: vec![
            Series::new("patches", Look::Line, color::SKY, column(2)),
            Series::new("in the right bin", Look::Line, color::BLACK, column(1)),
        ],
        legend: Corner::BottomRight,
    };
    outcome.figures.push(Figure {
        name: "pick-and-place",
        caption: format!(
            "The arm at work. Left: how far the fingers close from {} N to {} N on each thing it takes; above {} mm it counts as soft. \
             Right: how many things lie in the right bin, and how many contact patches there are.",
            GRIPS[0],
            GRIPS[1],
            1e3 * SOFT
        ),
        panels: vec![felt, sorted],
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::{Options, Simulation};

    #[test]
    fn the_arm_takes_its_first_thing_out_of_the_heap_and_goes_on_from_a_saved_state() {
        let model = load(&scene()).unwrap();
        let start = || {
            let mut sim = Simulation::new(&model, Options { step: STEP, ..Options::default() }).unwrap();
            let (picker, log) = Picker::new(&model).unwrap();
            sim.set_controller(Box::new(picker));
            (sim, log)
        };
        let (mut sim, log) = start();
        sim.state_mut().q[..6].copy_from_slice(&arm::READY);
        sim.run_until(2.9).unwrap();
        let (mut resumed, _) = start();
        resumed.load_state(&sim.save_state()).unwrap();
        for sim in [&mut sim, &mut resumed] {
            sim.run_until(4.0).unwrap();
            assert_eq!(sim.stats().unconverged, 0);
        }
        assert_eq!(sim.state(), resumed.state(), "it goes on bit for bit");
        assert!(log.lock().unwrap().iter().any(|e| matches!(e.1, Event::Felt(..))));
    }
}
