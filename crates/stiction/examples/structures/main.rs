//! How structures stand and dominoes fall, by step. Prints a table.
//!
//! ```text
//! cargo run --release -p stiction --example structures [-- [SECONDS] [NAME…]]
//! ```

mod scenes;

use scenes::{DOMINOES, Structure, arch, card_house, dominoes, tower, wave};
use stiction::{ContactModel, Format, Model, Options, Simulation};

/// Steps, s.
const STEPS: [f64; 4] = [1e-3, 2e-3, 5e-3, 1e-2];
/// Time in which a structure settles, s.
const SETTLING: f64 = 5.0;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds = words.first().and_then(|w| w.parse().ok()).unwrap_or(60.0);
    let wanted = |name: &str| words.len() < 2 || words[1..].iter().any(|w| name.contains(w.as_str()));
    println!(
        "least thickness of an arch of 9 blocks: {:.4} of its radius (infinitely many: {:.4})",
        scenes::least_thickness(9),
        scenes::least_thickness(10001)
    );
    std::thread::scope(|scope| {
        for structure in [tower(), card_house(), arch(1.05)] {
            if !wanted(structure.name) {
                continue;
            }
            for step in STEPS {
                let structure = structure.clone();
                scope.spawn(move || println!("{}", stands(&structure, options(step), seconds)));
            }
        }
        if wanted("dominoes") {
            for step in [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4] {
                scope.spawn(move || println!("{}", falls(options(step))));
            }
        }
    });
}

/// Default options, and those of the environment, to look at one of them.
fn options(step: f64) -> Options {
    let number = |name: &str| std::env::var(name).ok().and_then(|x| x.parse::<f64>().ok());
    let mut options = Options { step, ..Options::default() };
    if let Some(margin) = number("MARGIN") {
        options.margin = margin;
    }
    if let Some(passes) = number("PASSES") {
        options.friction_passes = passes as usize;
    }
    if let Some(x) = number("TOL") {
        options.relative_tolerance = x;
    }
    if let Some(springs) = number("SPRINGS") {
        options.tangential_springs = (springs > 0.0).then(Default::default);
    }
    match number("MODEL") {
        Some(1.0) => options.contact = ContactModel::Similar,
        Some(2.0) => options.contact = ContactModel::Sap,
        _ => {}
    }
    options
}

fn simulation(structure: &Structure, options: Options) -> Simulation {
    let model =
        Model::from_string(&structure.mjcf, Format::Mjcf, &Default::default()).expect("a scene that loads");
    Simulation::new(&model, options).expect("options that are allowed")
}

/// Largest distance of a body from its place after settling.
fn moved(sim: &Simulation, from: &[f64]) -> f64 {
    let distance = |(p, q): (&[f64], &[f64])| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    sim.state().q.chunks(7).zip(from.chunks(7)).map(distance).fold(0.0, f64::max)
}

fn stands(structure: &Structure, options: Options, seconds: f64) -> String {
    let step = options.step;
    let mut sim = simulation(structure, options);
    let begin = sim.state().q.clone();
    let start = std::time::Instant::now();
    let mut settled = begin.clone();
    let mut drift = f64::NAN;
    if sim.run_until(SETTLING).is_ok() {
        settled = sim.state().q.clone();
        if sim.run_until(seconds).is_ok() {
            drift = moved(&sim, &settled);
        }
    }
    let speed = sim.state().v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let stats = sim.stats();
    format!(
        "{:<26} {:>6.2} ms  settled by {:>9.3} µm  drift to {seconds} s {:>12.5} µm  speed {:>9.2e}  {:>6.1} µs a step, unconverged {}",
        structure.name,
        1e3 * step,
        1e6 * settled
            .chunks(7)
            .zip(begin.chunks(7))
            .map(|(p, q)| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt())
            .fold(0.0, f64::max),
        1e6 * drift,
        speed,
        1e6 * start.elapsed().as_secs_f64() / (seconds / step),
        stats.unconverged,
    )
}

fn falls(options: Options) -> String {
    let step = options.step;
    let (fallen, speed) = wave(&mut simulation(&dominoes(DOMINOES), options));
    format!(
        "dominoes                   {:>6.3} ms  {fallen} of {DOMINOES} fell, wave {speed:.4} m/s",
        1e3 * step
    )
}
