//! How structures stand and dominoes fall, by step. Prints a table.
//!
//! ```text
//! cargo run --release -p stiction --example structures [-- [SECONDS] [NAME…]]
//! ```
//!
//! All with default options. To look at one of them, the environment variables MARGIN, PASSES, TOLERANCE, SPRINGS (0 or 1) and MODEL (0 Lagged, 1 Similar, 2 SAP) change an
//! option.

mod scenes;

use scenes::{DOMINOES, Structure, arch, card_house, dominoes, tower, wave};
use stiction::{ContactModel, Format, Model, Options, Simulation};

/// Steps, s.
const STEPS: [f64; 4] = [1e-3, 2e-3, 5e-3, 1e-2];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds = words.first().and_then(|w| w.parse().ok()).unwrap_or(60.0);
    let wanted = |name: &str| words.len() < 2 || words[1..].iter().any(|w| name.contains(w.as_str()));
    std::thread::scope(|scope| {
        for structure in [tower(0.0), tower(2e-3), card_house(), arch(1.05)] {
            if wanted(structure.name) {
                for step in STEPS {
                    let structure = structure.clone();
                    scope.spawn(move || {
                        println!(
                            "{}",
                            stands(&structure, changed(Options { step, ..Options::default() }), seconds)
                        )
                    });
                }
            }
        }
        if wanted("dominoes") {
            for step in [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4] {
                scope.spawn(move || println!("{}", falls(changed(Options { step, ..Options::default() }))));
            }
        }
    });
}

/// The options with those of the environment.
fn changed(mut options: Options) -> Options {
    let number = |name: &str| std::env::var(name).ok().and_then(|x| x.parse::<f64>().ok());
    options.margin = number("MARGIN").unwrap_or(options.margin);
    options.relative_tolerance = number("TOLERANCE").unwrap_or(options.relative_tolerance);
    if let Some(passes) = number("PASSES") {
        options.friction_passes = passes as usize;
    }
    if let Some(springs) = number("SPRINGS") {
        options.tangential_springs = (springs > 0.0).into();
    }
    if let Some(model) = number("MODEL").filter(|model| *model > 0.0) {
        options.contact = if model == 1.0 { ContactModel::Similar } else { ContactModel::Sap };
    }
    options
}

fn simulation(structure: &Structure, options: Options) -> Simulation {
    let model = Model::from_string(&structure.mjcf, Format::Mjcf, &Default::default());
    Simulation::new(&model.expect("a scene that loads"), options).expect("options that are allowed")
}

fn stands(structure: &Structure, options: Options, seconds: f64) -> String {
    let step = options.step;
    let mut sim = simulation(structure, options);
    let begin = sim.state().q.clone();
    let start = std::time::Instant::now();
    sim.run_until(scenes::SETTLING.min(seconds)).expect("finite numbers");
    let settled = sim.state().q.clone();
    sim.run_until(seconds).expect("finite numbers");
    let drift = scenes::distance(&settled, &sim.state().q);
    format!(
        "{:<26} {:>5.1} ms  settled by {:>9.3} µm, then drift to {seconds} s {:>11.5} µm, {:>6.1} µs a step, {} unconverged",
        structure.name,
        1e3 * step,
        1e6 * scenes::distance(&begin, &settled),
        1e6 * drift,
        1e6 * start.elapsed().as_secs_f64() / (seconds / step),
        sim.stats().unconverged,
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
