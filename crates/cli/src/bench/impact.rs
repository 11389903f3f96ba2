//! `stiction bench impact`: how long the set of outcomes of an impact takes.

use super::Measured;
use crate::failure::Failure;
use serde_json::json;
use std::fmt::Write;
use std::time::Instant;
use stiction::{Format, LoadOptions, Model};
use stiction_impact::{Options, Problem, certify, outcomes};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};

/// A block in the plane and boxes in space, standing on the floor.
const CASES: [(&str, &str, &[f64], f64); 3] = [
    (
        "block in the plane, 2 contacts",
        r#"<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 -1 0"/>
           <geom type="box" size="0.5 0.3 1" pos="0 0 1" friction="1"/>"#,
        &[0.1, -1.0, 0.0],
        50.0,
    ),
    (
        "tripod in space, 3 contacts",
        r#"<freejoint/><geom type="box" size="0.4 0.4 0.1" pos="0 0 0.6" contype="0" conaffinity="0"/>
           <geom type="sphere" size="0.05" pos="0.4 0 0.05"/><geom type="sphere" size="0.05" pos="-0.2 0.35 0.05"/>
           <geom type="sphere" size="0.05" pos="-0.2 -0.35 0.05"/>"#,
        &[0.5, 0.2, -1.0, 0.1, -0.2, 0.3],
        f64::NAN,
    ),
    (
        "box in space, 4 contacts",
        r#"<freejoint/><geom type="box" size="0.5 0.5 0.5" pos="0 0 0.5" friction="0.5"/>"#,
        &[0.5, 0.2, -1.0, 0.1, -0.2, 0.3],
        2000.0,
    ),
];

/// Times 4,096 outcomes of each case; the least of `repeat` runs after a first.
pub fn impacts(repeat: usize) -> Result<Measured, Failure> {
    let mut rows = Vec::new();
    let mut points = Vec::new();
    let mut text = format!(
        "{:<40} {:>9} {:>12} {:>10} {:>8} {:>12} {:>12}\n",
        "4096 sampled outcomes", "outcomes", "steps each", "ms", "asked", "dropped", "certificate"
    );
    for (name, body, velocity, asked) in CASES {
        let scene = format!(
            r#"<mujoco><worldbody><geom type="plane" size="9 9 1" friction="0.5"/><body>{body}</body></worldbody></mujoco>"#
        );
        let model =
            Model::from_string(&scene, Format::Mjcf, &LoadOptions::default()).map_err(Failure::work)?;
        let mut state = model.default_state();
        state.v.copy_from_slice(velocity);
        let touching = model.touching(&state, 1e-6).map_err(Failure::work)?;
        let problem = Problem::new(&touching.instant).map_err(Failure::work)?;
        let options = Options::default();
        let mut set = outcomes(&problem, &options).map_err(Failure::work)?;
        let mut times = Vec::new();
        for _ in 0..repeat {
            let clock = Instant::now();
            set = outcomes(&problem, &options).map_err(Failure::work)?;
            times.push(1e3 * clock.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let clock = Instant::now();
        let certificate = certify(&problem);
        let certified = 1e3 * clock.elapsed().as_secs_f64();
        let steps = set.steps as f64 / options.samples as f64;
        let goal = if asked.is_nan() { "–".into() } else { format!("< {asked}") };
        let _ = writeln!(
            text,
            "{name:<40} {:>9} {steps:>12.1} {:>10.1} {goal:>8} {:>12} {certified:>9.1} ms",
            set.len(),
            times[0],
            set.unfinished + set.unsolved
        );
        points.push([problem.contacts() as f64, times[0]]);
        rows.push(json!({
            "case": name, "outcomes": set.len(), "steps": steps, "ms": times,
            "unfinished": set.unfinished, "unsolved": set.unsolved, "certificate_ms": certified,
            "terminates": certificate.in_n,
        }));
    }
    let panel = Panel {
        title: "4096 sampled outcomes".into(),
        x: Axis::linear("contacts"),
        y: Axis::log("time (ms)"),
        series: vec![Series::new("", Look::Joined(Shape::Circle), color::BLUE, points)],
        legend: Corner::TopLeft,
    };
    let caption =
        "Time for the set of outcomes of an impact: a block in the plane, a tripod and a box in space.";
    let figure = Figure { name: "bench-impact", caption: caption.into(), panels: vec![panel] };
    Ok(Measured { rows: json!(rows), text, figure: Some(figure) })
}
