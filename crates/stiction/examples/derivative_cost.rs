//! Cost of a step's derivatives relative to a step, and its growth with the model size: `cargo run --release -p
//! stiction --example derivative_cost`. Prints the tables of docs/gradients.md.
//!
//! Times are the least of many runs, of steps solved to the same tight tolerance.

use std::fmt::Write as _;
use std::time::Instant;
use stiction::{ContactParameter, ContactProperty, Format, GeomId, LoadOptions, Model, Options, Simulation};

fn least(mut run: impl FnMut() -> f64, rounds: usize) -> f64 {
    (0..rounds).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Least seconds of a step and of its derivatives, from the state the simulation is in.
fn measure(sim: &mut Simulation) -> (f64, f64) {
    let saved = sim.state().clone();
    let step = least(
        || {
            sim.state_mut().clone_from(&saved);
            let begin = Instant::now();
            sim.step(1).expect("a step");
            begin.elapsed().as_secs_f64()
        },
        200,
    );
    sim.state_mut().clone_from(&saved);
    let derivatives = least(
        || {
            let begin = Instant::now();
            sim.step_derivatives(&[]).expect("derivatives");
            begin.elapsed().as_secs_f64()
        },
        60,
    );
    (step, derivatives)
}

fn row(name: &str, mut sim: Simulation) {
    let (step, derivatives) = measure(&mut sim);
    let (model, report) = (sim.model().clone(), *sim.last_report());
    let columns = 2 * model.nv() + sim.state().activation.len() + model.nu();
    let (points, faces) = (report.points, report.faces);
    println!(
        "| {name} | {} | {points} | {faces} | {:.1} | {:.1} | {:.1} | {:.1} |",
        model.nv(),
        1e6 * step,
        1e6 * derivatives,
        derivatives / step,
        2.0 * columns as f64 * step / derivatives,
    );
}

fn heading(first: &str) {
    println!(
        "| {first} | nv | points | faces | step, µs | derivatives, µs | derivatives / step | differences of steps / derivatives |"
    );
    println!("|---|---|---|---|---|---|---|---|");
}

fn scene(name: &str, time: f64) -> Simulation {
    let options = Options { step: 2e-3, relative_tolerance: 1e-10, ..Options::default() };
    let mut sim = Simulation::new(&Model::from_scene(name).expect("a scene"), options).expect("a simulation");
    sim.run_until(time).expect("steps");
    sim
}

fn text(worldbody: &str, time: f64) -> Simulation {
    let text = format!("<mujoco><worldbody>{worldbody}</worldbody></mujoco>");
    let model = Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).expect("a model");
    let options = Options { step: 2e-3, relative_tolerance: 1e-10, ..Options::default() };
    let mut sim = Simulation::new(&model, options).expect("a simulation");
    sim.run_until(time).expect("steps");
    sim
}

/// A chain of `n` hinges whose end rests on the floor.
fn chain(n: usize) -> Simulation {
    let length = 1.0 / n as f64;
    let mut body = String::new();
    for k in 0..n {
        let (axis, place) = (["0 1 0", "1 0 0"][k % 2], if k == 0 { 0.0 } else { length });
        let touch = if k + 1 == n { "" } else { " contype=\"0\" conaffinity=\"0\"" };
        let height = if k == 0 { 0.3 } else { 0.0 };
        write!(
            body,
            "<body pos=\"{place} 0 {height}\"><joint type=\"hinge\" axis=\"{axis}\" damping=\"0.05\" armature=\"0.001\"/>\
             <geom type=\"capsule\" size=\"0.01\" fromto=\"0 0 0 {length} 0 0\" mass=\"{}\"{touch}/>",
            0.5 * length
        )
        .expect("text");
    }
    text(&format!("<geom type=\"plane\" size=\"5 5 1\"/>{body}{}", "</body>".repeat(n)), 1.0)
}

/// A row of `n` boxes on the floor, each on its own.
fn boxes(n: usize) -> Simulation {
    let body = |k: usize| {
        format!(
            "<body pos=\"{} 0 0.049999\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\"/></body>",
            0.2 * k as f64
        )
    };
    text(
        &("<geom type=\"plane\" size=\"50 50 1\"/>".to_string() + &(0..n).map(body).collect::<String>()),
        0.1,
    )
}

/// A tower of `n` boxes: one island.
fn tower(n: usize) -> Simulation {
    let body = |k: usize| {
        let z = 0.049999 + 0.099998 * k as f64;
        format!(
            "<body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\"/></body>"
        )
    };
    text(
        &("<geom type=\"plane\" size=\"50 50 1\"/>".to_string() + &(0..n).map(body).collect::<String>()),
        0.1,
    )
}

fn main() {
    heading("scene");
    for (name, time) in [
        ("double_pendulum", 0.5),
        ("arm", 0.5),
        ("rolling_ball", 0.2),
        ("stack", 0.5),
        ("gripper", 1.0),
        ("humanoid", 1.0),
        ("clutter", 1.0),
        ("gripper_soft", 1.0),
    ] {
        row(name, scene(name, time));
    }
    println!();
    heading("growth");
    for n in [2, 4, 8, 16, 32, 64] {
        row(&format!("chain of {n} hinges on the floor"), chain(n));
    }
    for n in [1, 2, 4, 8, 16, 32] {
        row(&format!("boxes apart on the floor: {n}"), boxes(n));
    }
    for n in [2, 4, 8, 16] {
        row(&format!("tower of {n} boxes"), tower(n));
    }
    println!();
    parameters();
}

/// Additional cost of three contact parameters.
fn parameters() {
    let mut sim = scene("stack", 0.5);
    let properties = [ContactProperty::Friction, ContactProperty::Stiffness, ContactProperty::Dissipation];
    let wanted = properties.map(|property| ContactParameter { geom: GeomId(1), property });
    let mut time = |parameters: &[ContactParameter]| {
        least(
            || {
                let begin = Instant::now();
                sim.step_derivatives(parameters).expect("derivatives");
                begin.elapsed().as_secs_f64()
            },
            200,
        )
    };
    let (without, with) = (time(&[]), time(&wanted));
    println!("three parameters of a geom of stack add {:.1} %", 100.0 * (with / without - 1.0));
}
