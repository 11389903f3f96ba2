//! What the GPU does on this machine: agreement of single steps with the reference engine, and steps per second.
//!
//! ```sh
//! cargo run --release -p stiction-gpu --example measure -- clutter,gripper 1,64,1024,4096
//! ```
//!
//! `--host` compares and times the host build of the kernels instead.

use std::time::Instant;
use stiction::{Model, Options, Simulation};
use stiction_gpu::{Device, GpuBatch, Room};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let host = arguments.iter().any(|a| a == "--host");
    let device = if host { Device::Host } else { Device::Gpu(0) };
    let mut plain = arguments.iter().filter(|a| !a.starts_with("--"));
    let scenes = plain.next().map_or("clutter,gripper", String::as_str);
    let worlds = plain.next().map_or("1,64,1024,4096", String::as_str);
    let worlds = worlds.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    for scene in scenes.split(',') {
        let model = if scene == "humanoid" {
            // Spheres and capsules stand for its ellipsoids and its cylinder, which the GPU does not have.
            let text = stiction::scenes::text(scene).unwrap_or_default();
            let text = text.replace("type=\"ellipsoid\"", "type=\"sphere\"");
            let text = text.replace("type=\"cylinder\"", "type=\"capsule\"");
            Model::from_string(&text, stiction::Format::Mjcf, &Default::default())?
        } else if scene.contains('.') {
            Model::from_file(scene.as_ref(), &Default::default())?
        } else {
            Model::from_scene(scene)?
        };
        let states = trajectory(&model, 500)?;
        compare(scene, &model, &states, device)?;
        let from = states.last().expect("it has states");
        for &n in &worlds {
            speed(&model, from, n, device)?;
        }
    }
    Ok(())
}

/// The options that the GPU takes.
fn options(model: &Model) -> Options {
    Options { speculative: false, ..Options::for_model(model) }
}

/// States along a trajectory of the reference engine, a step apart each, from the last keyframe or the default state.
fn trajectory(model: &Model, steps: usize) -> Result<Vec<stiction::State>, Failure> {
    let mut simulation = Simulation::new(model, options(model))?;
    if let Some(key) = model.world().keyframes.last() {
        *simulation.state_mut() = model.keyframe_state(&key.name)?;
    }
    let mut states = Vec::new();
    for _ in 0..steps {
        simulation.step(1)?;
        states.push(simulation.state().clone());
    }
    Ok(states)
}

/// Single steps from all states, each in a world of its own.
fn compare(scene: &str, model: &Model, states: &[stiction::State], device: Device) -> Result<(), Failure> {
    let options = Options { relative_tolerance: 1e-12, ..options(model) };
    let began = Instant::now();
    let mut batch = GpuBatch::new(model, states.len(), options.clone(), device, Room::default())?;
    let made = began.elapsed().as_secs_f64();
    for (world, state) in states.iter().enumerate() {
        batch.set_state(world, state)?;
    }
    let began = Instant::now();
    let report = batch.step(1)?;
    let first = began.elapsed().as_secs_f64();
    let (q, v) = (batch.positions()?, batch.velocities()?);
    let mut one = Simulation::new(model, options)?;
    let mut differences = Vec::new();
    for (world, state) in states.iter().enumerate() {
        *one.state_mut() = state.clone();
        one.step(1)?;
        let largest = |all: &[f64], of: &[f64]| {
            let mine = &all[world * of.len()..][..of.len()];
            mine.iter().zip(of).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        differences.push(largest(&q, &one.state().q).max(largest(&v, &one.state().v)));
    }
    let worst = differences.iter().copied().fold(0.0, f64::max);
    let beyond = differences.iter().filter(|d| d.is_nan() || **d > 1e-9).count();
    println!(
        "{scene}: {} single steps, largest difference {worst:.1e}, {beyond} beyond 1e-9; made in {made:.2} s, first step {first:.3} s",
        states.len()
    );
    println!("  {report:?}, {} bytes a world at a time", batch.bytes_of_a_world());
    Ok(())
}

/// Steps per second of `n` worlds that continue from one state.
fn speed(model: &Model, from: &stiction::State, n: usize, device: Device) -> Result<(), Failure> {
    let mut batch = GpuBatch::new(model, n, options(model), device, Room::default())?;
    // All worlds begin beside it: their springs are new.
    let (q, mut v, ctrl) = (from.q.repeat(n), from.v.repeat(n), from.ctrl.repeat(n));
    for (k, v) in v.iter_mut().enumerate() {
        *v += 1e-3 * ((k as f64) * 1.618).sin();
    }
    batch.set_positions(&q)?;
    batch.set_velocities(&v)?;
    batch.set_controls(&ctrl)?;
    batch.step(100)?;
    let (mut steps, mut taken) = (8, 0.0);
    let mut report = Default::default();
    while taken < 0.5 && steps < 10_000 {
        steps *= 2;
        let began = Instant::now();
        report = batch.step(steps)?;
        taken = began.elapsed().as_secs_f64();
    }
    let all = (n * steps) as f64;
    println!(
        "  {n:6} worlds: {:11.0} steps/s over {steps} steps, {:.1} iterations, {:.2} friction passes, {:.1} contacts; {:?}",
        all / taken,
        report.iterations as f64 / all,
        report.friction_passes as f64 / all,
        report.contacts as f64 / n as f64,
        report
    );
    Ok(())
}
