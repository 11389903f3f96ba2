//! `stiction bench`: speed of the built-in scenes and their stages, creep, the mesher, and the cost of recording.
//!
//! `cargo xtask bench` compares with other simulators, which it installs.
//!
//! | also here | |
//! |---|---|
//! | `impact.rs` | how long the set of outcomes of an impact takes |
//! | `mesh.rs` | a dozen shapes, meshed |
//! | `record.rs` | what recording costs |

mod impact;
mod mesh;
mod record;
mod stages;

use crate::failure::{Failure, print, print_json};
use crate::hint::hint;
use crate::outlet;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stiction::{ContactModel, Model, Options, Simulation, contact_model_name, scenes};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};

/// Arguments of `stiction bench`.
#[derive(Args)]
pub struct BenchArguments {
    /// A built-in scene, `creep`, `impact`, `mesh`, `record` or `stages` [default: a selection of scenes]
    name: Option<String>,
    /// The scene of `stages` [default: a selection of scenes]
    scene: Option<String>,
    /// Runs of each scene; the median is reported
    #[arg(long, default_value_t = 3, allow_hyphen_values = true)]
    repeat: usize,
    /// Write the figure to DIR as SVG and PNG; for `stages`, the page
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Benchmarks that are no scenes.
const OTHERS: [&str; 5] = ["creep", "impact", "mesh", "record", "stages"];

impl BenchArguments {
    /// Rejects arguments without effect.
    fn check(&self) -> Result<(), Failure> {
        if self.repeat == 0 {
            return Err(Failure::input("--repeat 0 is not allowed: give 1 or more"));
        }
        let (name, scene) = (self.name.as_deref(), self.scene.as_deref());
        let scene_is_known = scene.is_none_or(|scene| scenes::text(scene).is_some());
        match (name, scene) {
            (Some("stages"), Some(scene)) if !scene_is_known => Err(unknown(scene)),
            (Some(name), Some(scene)) if name != "stages" => Err(Failure::input(format!(
                "`bench {name}` takes no second name, {scene}: only `bench stages` does; measure one after the other"
            ))),
            (Some(name), _) if !OTHERS.contains(&name) && scenes::text(name).is_none() => Err(unknown(name)),
            _ => Ok(()),
        }
    }
}

/// No benchmark and no scene is called that.
fn unknown(name: &str) -> Failure {
    let names = || scenes::all().iter().map(|s| s.name);
    Failure::input(format!(
        "no benchmark is called \"{name}\"{}; choose {} or a scene: {}",
        hint(name, OTHERS.into_iter().chain(names())),
        OTHERS.join(", "),
        names().collect::<Vec<_>>().join(", ")
    ))
}

/// The result of a benchmark as JSON, text and a figure.
struct Measured {
    rows: Value,
    text: String,
    figure: Option<Figure>,
}

/// Scenes timed when no name is given.
const CHOICE: [&str; 6] = ["clutter", "stack", "gripper", "humanoid", "conveyor", "soft_pile"];
/// Simulated seconds of a run.
const DURATION: f64 = 3.0;

/// Measures and prints a table.
pub fn bench(arguments: &BenchArguments) -> Result<(), Failure> {
    arguments.check()?;
    if let Some(folder) = &arguments.out {
        outlet::folder(folder, "--out")?;
    }
    let measured = match arguments.name.as_deref() {
        Some("creep") => creep()?,
        Some("record") => record::record(arguments.repeat)?,
        Some("mesh") => mesh::mesh()?,
        Some("impact") => impact::impacts(arguments.repeat)?,
        Some("stages") => stages::stages(arguments.scene.as_deref(), arguments.repeat)?,
        Some(name) => speeds(&[name], arguments.repeat)?,
        None => speeds(&CHOICE, arguments.repeat)?,
    };
    if let Some(folder) = &arguments.out {
        if let Some(figure) = &measured.figure {
            write_figure(figure, folder)?;
        }
        if arguments.name.as_deref() == Some("stages") {
            outlet::write(&folder.join("stages.md"), measured.text.as_bytes(), "--out")?;
        }
    }
    if arguments.json {
        return print_json(&measured.rows);
    }
    print(&measured.text)
}

/// Writes a figure as SVG and PNG.
fn write_figure(figure: &Figure, folder: &Path) -> Result<(), Failure> {
    let failed = |e: &dyn std::fmt::Display| {
        Failure::work(format!("cannot write to {}: {e}; choose another --out", folder.display()))
    };
    let path = folder.join(figure.name);
    stiction_base::whole_file::write(&path.with_extension("svg"), stiction_plot::to_svg(figure).as_bytes())
        .map_err(|e| failed(&e))?;
    stiction_plot::write_png(figure, &path.with_extension("png")).map_err(|e| failed(&e))
}

/// Style of the k-th series of a figure.
fn look(k: usize) -> (Look, [u8; 3]) {
    let colors = [color::BLUE, color::VERMILLION, color::GREEN, color::PURPLE, color::ORANGE, color::SKY];
    let shapes = [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Diamond];
    (Look::Joined(shapes[k % shapes.len()]), colors[k % colors.len()])
}

fn speeds(names: &[&str], repeat: usize) -> Result<Measured, Failure> {
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    let mut text = format!(
        "{:<12} {:>10} {:>10} {:>11} {:>8} {:>8} {:>12}\n",
        "scene", "real time", "µs per step", "iterations", "points", "faces", "unconverged"
    );
    for name in names {
        let model = Model::from_scene(name).map_err(Failure::input)?;
        let options = Options::for_model(&model);
        let mut times = Vec::new();
        let mut stats = Default::default();
        for _ in 0..repeat {
            let mut simulation = Simulation::new(&model, options.clone()).map_err(Failure::input)?;
            let clock = Instant::now();
            simulation.run_until(DURATION).map_err(Failure::work)?;
            times.push(clock.elapsed().as_secs_f64());
            stats = *simulation.stats();
        }
        times.sort_by(f64::total_cmp);
        let seconds = times[times.len() / 2];
        let steps = stats.steps.max(1) as f64;
        let (rate, micro, iterations) =
            (DURATION / seconds, 1e6 * seconds / steps, stats.iterations as f64 / steps);
        let (points, faces) = (stats.points as f64 / steps, stats.faces as f64 / steps);
        let _ = writeln!(
            text,
            "{name:<12} {rate:>9.1}x {micro:>10.1} {iterations:>11.2} {points:>8.1} {faces:>8.1} {:>12}",
            stats.unconverged
        );
        rows.push(json!({
            "scene": name, "step": options.step, "real_time_factor": rate, "seconds": times,
            "iterations": iterations, "points": points, "faces": faces, "unconverged": stats.unconverged,
        }));
        let (look, color) = look(series.len());
        let touching = (points + faces).max(0.1);
        series.push(Series::new(
            *name,
            look,
            color,
            times.iter().map(|t| [touching, 1e6 * t / steps]).collect(),
        ));
    }
    let figure = Figure {
        name: "bench_speeds",
        caption: "Time of a step against the number of contact points and faces, each run a mark.".into(),
        panels: vec![Panel {
            title: format!("{DURATION} s of each scene"),
            x: Axis::log("contact points and faces a step"),
            y: Axis::log("time of a step, µs"),
            series,
            legend: Corner::BottomRight,
        }],
    };
    Ok(Measured { rows: json!(rows), text, figure: Some(figure) })
}

/// Creep of the box on the slope of the scene `incline` (20°, μ = 0.7), against
/// ε tan θ/√(μ² − tan² θ) for Lagged and Similar with ε = v_s.
fn creep() -> Result<Measured, Failure> {
    let model = Model::from_scene("incline").map_err(Failure::input)?;
    let (mu, slope, v_s) = (0.7_f64, 20.0_f64.to_radians().tan(), 1e-4);
    let expected = 1e6 * v_s * slope / (mu * mu - slope * slope).sqrt();
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    let mut text =
        format!("box on a slope of 20°, friction 0.7, stiction tolerance {v_s} m/s: creep in µm/s\n");
    let _ = writeln!(text, "{:<32} {:>12} {:>12}", "", "step 1 ms", "step 10 ms");
    let lagged = ContactModel::Lagged;
    let cases = [(lagged, false), (ContactModel::Similar, false), (ContactModel::Sap, false), (lagged, true)];
    for (contact, springs) in cases {
        let mut speeds = Vec::new();
        for step in [1e-3, 1e-2] {
            let options = Options {
                step,
                contact,
                stiction_tolerance: v_s,
                regularization: if contact == ContactModel::Sap { 1e-3 } else { 0.0 },
                relative_tolerance: 1e-10,
                tangential_springs: springs.into(),
                ..Options::default()
            };
            let mut simulation = Simulation::new(&model, options).map_err(Failure::input)?;
            simulation.run_until(3.0).map_err(Failure::work)?;
            let before = simulation.state().q.clone();
            simulation.run_until(4.0).map_err(Failure::work)?;
            let moved = (0..3).map(|k| (simulation.state().q[k] - before[k]).powi(2)).sum::<f64>().sqrt();
            speeds.push(1e6 * moved);
        }
        let name =
            format!("{}{}", contact_model_name(contact), if springs { ", tangential springs" } else { "" });
        let _ = writeln!(text, "{name:<32} {:>12.3e} {:>12.3e}", speeds[0], speeds[1]);
        rows.push(json!({ "case": name, "um_per_s_at_1ms": speeds[0], "um_per_s_at_10ms": speeds[1] }));
        let (look, color) = look(series.len());
        // With springs, creep is at rounding level and may be zero.
        let points = [1.0, 10.0].iter().zip(&speeds).map(|(ms, s)| [*ms, s.max(1e-15)]).collect();
        series.push(Series::new(name, look, color, points));
    }
    let _ = writeln!(text, "{:<32} {expected:>12.3e} {expected:>12.3e}", "ε tanθ/√(μ² − tan²θ)");
    let theory = vec![[1.0, expected], [10.0, expected]];
    series.push(Series::new("ε tanθ/√(μ² − tan²θ)", Look::Dashed, color::BLACK, theory));
    let figure = Figure {
        name: "bench_creep",
        caption: "Creep of a box on a slope of 20°, friction 0.7.".into(),
        panels: vec![Panel {
            title: "box on a slope".into(),
            x: Axis::log("step, ms"),
            y: Axis::log("creep, µm/s").over(1e-24, 1e3),
            series,
            legend: Corner::BottomLeft,
        }],
    };
    Ok(Measured { rows: json!({ "expected_um_per_s": expected, "rows": rows }), text, figure: Some(figure) })
}
