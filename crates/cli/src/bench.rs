//! `stiction bench`: how fast the built-in scenes run here, and how little things creep.
//!
//! The same next to other simulators is `cargo xtask bench`, which installs them.

use crate::failure::{Failure, print};
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Instant;
use stiction::{ContactModel, Model, Options, Simulation, TangentialSprings, contact_model_name, scenes};

/// Arguments of `stiction bench`.
#[derive(Args)]
pub struct BenchArguments {
    /// A built-in scene, or `creep`; without a name a choice of scenes
    name: Option<String>,
    /// Runs of each scene; the median is told
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Scenes timed when no name is given.
const CHOICE: [&str; 6] = ["clutter", "stack", "gripper", "humanoid", "conveyor", "soft_pile"];
/// Simulated seconds of a run.
const DURATION: f64 = 3.0;

/// Measures and prints a table.
pub fn bench(arguments: &BenchArguments) -> Result<(), Failure> {
    let (rows, text) = match arguments.name.as_deref() {
        Some("creep") => creep()?,
        Some(name) if scenes::text(name).is_some() => speeds(&[name], arguments.repeat.max(1))?,
        None => speeds(&CHOICE, arguments.repeat.max(1))?,
        Some(name) => {
            let known: Vec<&str> = scenes::all().iter().map(|s| s.name).collect();
            let message =
                format!("no benchmark is called \"{name}\"; choose creep or a scene: {}", known.join(", "));
            return Err(Failure::input(message));
        }
    };
    if arguments.json {
        let text = serde_json::to_string_pretty(&rows).map_err(Failure::work)?;
        return print(&(text + "\n"));
    }
    print(&text)
}

fn speeds(names: &[&str], repeat: usize) -> Result<(Value, String), Failure> {
    let mut rows = Vec::new();
    let mut text = format!(
        "{:<12} {:>10} {:>10} {:>11} {:>8} {:>8} {:>12}\n",
        "scene", "real time", "µs a step", "iterations", "points", "faces", "unconverged"
    );
    for name in names {
        let model = Model::from_scene(name).map_err(Failure::input)?;
        let options = Options { step: model.world().options.step.unwrap_or(1e-3), ..Options::default() };
        let mut times = Vec::new();
        let mut stats = Default::default();
        for _ in 0..repeat {
            let mut simulation = Simulation::new(&model, options).map_err(Failure::input)?;
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
    }
    Ok((json!(rows), text))
}

/// Creep of the box on the slope of the scene `incline` (20°, μ = 0.7), against
/// ε tan θ/√(μ² − tan² θ) for Lagged and Similar with ε = v_s.
fn creep() -> Result<(Value, String), Failure> {
    let model = Model::from_scene("incline").map_err(Failure::input)?;
    let (mu, slope, v_s) = (0.7_f64, 20.0_f64.to_radians().tan(), 1e-4);
    let expected = 1e6 * v_s * slope / (mu * mu - slope * slope).sqrt();
    let mut rows = Vec::new();
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
                tangential_springs: springs.then(TangentialSprings::default),
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
    }
    let _ = writeln!(text, "{:<32} {expected:>12.3e} {expected:>12.3e}", "ε tanθ/√(μ² − tan²θ)");
    Ok((json!({ "expected_um_per_s": expected, "rows": rows }), text))
}
