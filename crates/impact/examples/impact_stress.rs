//! Random mechanisms in numbers: what is taken one contact at a time, what stays unsolved, what the checker says.
//!
//! `cargo run --release -p stiction-impact --example impact_stress [COUNT]`

#[path = "../tests/common/mod.rs"]
mod common;

use stiction_impact::{Options, Problem, certify, check, outcomes};

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(500);
    let (mut steps, mut split, mut unsolved, mut unfinished, mut worst, mut cut) = (0, 0, 0, 0, 0.0f64, 0);
    let mut energy: f64 = 0.0;
    let mut uncertain = 0;
    for seed in 0..count {
        let (m, nv) = (1 + (seed % 6) as usize, 1 + (seed / 6 % 8) as usize);
        let instant = common::random_instant(seed, m, nv, seed % 3 == 0);
        let problem = Problem::new(&instant).expect("a sound instant");
        let options = Options { samples: 64, sequences: 64, ..Options::default() };
        let set = outcomes(&problem, &options).expect("sound options");
        steps += set.steps;
        split += set.split;
        if set.unsolved + set.unfinished > 0 {
            println!("seed {seed}: m {m} nv {nv}: unsolved {} unfinished {}", set.unsolved, set.unfinished);
        }
        unsolved += set.unsolved;
        unfinished += set.unfinished;
        cut += set.cut_sequences;
        let before = instant.kinetic_energy(instant.velocity());
        uncertain += u32::from(!certify(&problem).terminates());
        for i in 0..set.len() {
            let report = check(&problem, &set.trace(i));
            if report.worst() > 1e-6 {
                println!("seed {seed} m {m} nv {nv} {:?}: {report:?}", set.origins[i]);
            }
            worst = worst.max(report.worst());
            energy = energy.max(set.kinetic_energy(i) / before - 1.0);
        }
    }
    println!(
        "{count} mechanisms, {steps} steps: {split} split, {unsolved} unsolved, {unfinished} unfinished samples, \
         {cut} branches cut, worst violation {worst:.2e}, largest rise of energy {energy:.2e}, {uncertain} without certificate"
    );
}
