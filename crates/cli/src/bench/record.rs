//! What recording costs: the same run with and without, taking turns.

use super::{DURATION, Measured};
use crate::failure::Failure;
use crate::run::Columns;
use crate::trajectory::Trajectory;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;
use stiction::{Model, Options, Simulation};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};
use stiction_viewer::{RecordOptions, Recorder};

const SCENE: &str = "clutter";
/// Files written in each case.
const CASES: [(&str, &[&str]); 4] = [
    ("nothing", &[]),
    ("html", &["html"]),
    ("html, mcap", &["html", "mcap"]),
    ("html, mcap, csv", &["html", "mcap", "csv"]),
];

/// Times `repeat` runs of each case: from creating the files to their completion.
pub fn record(repeat: usize) -> Result<Measured, Failure> {
    let model = Model::from_scene(SCENE).map_err(Failure::input)?;
    let folder = std::env::temp_dir().join(format!("stiction-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(|e| Failure::work(format!("cannot create {}: {e}", folder.display())))?;
    let (mut times, mut own) = (vec![Vec::new(); CASES.len()], vec![Vec::new(); CASES.len()]);
    let outcome = (0..repeat).try_for_each(|_| {
        CASES.iter().zip(times.iter_mut().zip(&mut own)).try_for_each(|((_, files), (times, own))| {
            let before = thread_seconds();
            times.push(run(&model, &folder, files)?);
            own.extend(thread_seconds().zip(before).map(|(after, before)| after - before));
            Ok(())
        })
    });
    let bytes =
        |ending: &str| std::fs::metadata(folder.join(format!("{SCENE}.{ending}"))).map_or(0, |m| m.len());
    let sizes = ["html", "mcap", "csv"].map(bytes);
    let _ = std::fs::remove_dir_all(&folder);
    outcome?;

    // Ratios within a round: what disturbs the machine for longer than a round disturbs both.
    let cost = |times: &[f64], alone: &[f64]| median(times.iter().zip(alone).map(|(t, a)| t / a - 1.0));
    let mut text = format!(
        "{SCENE}, {DURATION} s simulated, 60 frames a second: medians of {repeat} rounds in which all take turns\n\
         {:<18} {:>10} {:>8} {:>22} {:>8}\n",
        "recorded", "ms", "cost", "simulation's thread", "cost"
    );
    let mut rows = Vec::new();
    for (k, (name, _)) in CASES.iter().enumerate() {
        let (seconds, cost_of_run) = (median(times[k].iter().copied()), cost(&times[k], &times[0]));
        let measured = !own[k].is_empty();
        let own_seconds = measured.then(|| median(own[k].iter().copied()));
        let own_cost = measured.then(|| cost(&own[k], &own[0]));
        let (own, cost) = (own_seconds, cost_of_run);
        let _ = write!(text, "{name:<18} {:>10.2} {:>6.1} %", 1e3 * seconds, 100.0 * cost);
        if let (Some(own), Some(cost)) = (own, own_cost) {
            let _ = write!(text, " {:>22.2} {:>6.1} %", 1e3 * own, 100.0 * cost);
        }
        text.push('\n');
        rows.push(json!({
            "recorded": name, "seconds": seconds, "cost": cost, "thread_seconds": own, "thread_cost": own_cost,
            "all_seconds": times[k],
        }));
    }
    let _ = writeln!(
        text,
        "files: html {} kB, mcap {} kB, csv {} kB",
        sizes[0] / 1000,
        sizes[1] / 1000,
        sizes[2] / 1000
    );
    let looks = [
        (Look::Dashed, color::BLACK),
        (Look::Joined(Shape::Circle), color::BLUE),
        (Look::Joined(Shape::Square), color::VERMILLION),
        (Look::Joined(Shape::Triangle), color::GREEN),
    ];
    let series = CASES.iter().zip(&mut times).zip(looks).map(|(((name, _), times), (look, color))| {
        times.sort_by(f64::total_cmp);
        let points = times.iter().enumerate().map(|(k, t)| [(k + 1) as f64, 1e3 * t]).collect();
        Series::new(*name, look, color, points)
    });
    let figure = Figure {
        name: "bench_record",
        caption: "Times of the same run with and without recording, from the fastest to the slowest.".into(),
        panels: vec![Panel {
            title: format!("{SCENE}: {DURATION} s recorded"),
            x: Axis::linear("run, by time"),
            y: Axis::linear("time of the run, ms"),
            series: series.collect(),
            legend: Corner::TopLeft,
        }],
    };
    let sizes = json!({ "html": sizes[0], "mcap": sizes[1], "csv": sizes[2] });
    Ok(Measured {
        rows: json!({ "scene": SCENE, "simulated": DURATION, "rows": rows, "bytes": sizes }),
        text,
        figure: Some(figure),
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Processor time of this thread, s, on systems that report it in a file.
fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-9 * nanoseconds as f64)
}

fn run(model: &Model, folder: &Path, files: &[&str]) -> Result<f64, Failure> {
    let options = Options::for_model(model);
    let mut simulation = Simulation::new(model, options).map_err(Failure::input)?;
    let recordings = files.iter().filter(|f| **f != "csv").map(|f| folder.join(format!("{SCENE}.{f}")));
    let recordings: Vec<_> = recordings.collect();
    let clock = Instant::now();
    let mut recorder = None;
    if !recordings.is_empty() {
        let created = Recorder::create(&simulation, SCENE, &recordings, &RecordOptions::default());
        recorder = Some(created.map_err(Failure::work)?);
    }
    let mut trajectory = None;
    if files.contains(&"csv") {
        trajectory = Some(Trajectory::create(folder, SCENE, model, Columns::default())?);
    }
    let mut row = 0;
    while simulation.step_towards(DURATION).map_err(Failure::work)? {
        if let Some(recorder) = &mut recorder {
            recorder.observe(&simulation).map_err(Failure::work)?;
        }
        if let Some(trajectory) = &mut trajectory
            && simulation.state().time * 100.0 >= f64::from(row)
        {
            row += 1;
            trajectory.record(&mut simulation)?;
        }
    }
    if let Some(recorder) = recorder {
        recorder.finish(Some(&simulation)).map_err(Failure::work)?;
    }
    if let Some(trajectory) = trajectory {
        trajectory.finish()?;
    }
    Ok(clock.elapsed().as_secs_f64())
}
