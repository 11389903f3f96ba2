//! Random mechanisms in numbers: what stays unsolved, what the checker says, whether an outcome leaves its outer bound.
//!
//! `cargo run --release -p stiction-impact --example impact_stress [COUNT]`

#[path = "../tests/common/mod.rs"]
mod common;

use stiction_impact::{Options, OuterOptions, Problem, certify, check, outcomes, outer, verdict};

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(500);
    let (mut steps, mut unsolved, mut unfinished, mut worst, mut cut) = (0, 0, 0, 0.0f64, 0);
    let (mut energy, mut outside, mut uncertain, mut samples) = (0.0f64, 0, 0, 0);
    let mut verdicts = std::collections::BTreeMap::<&str, u32>::new();
    for seed in 0..count {
        let (m, nv) = (1 + (seed % 6) as usize, 1 + (seed / 6 % 8) as usize);
        let instant = common::random_instant(seed, m, nv, seed % 3 == 0);
        let problem = Problem::new(&instant).expect("a sound instant");
        let options = Options { samples: 64, sequences: 64, ..Options::default() };
        let set = outcomes(&problem, &options).expect("sound options");
        steps += set.steps;
        samples += set.len();
        unsolved += set.unsolved;
        unfinished += set.unfinished;
        if set.unsolved + set.unfinished > 0 {
            println!("seed {seed}: m {m} nv {nv}: {} unsolved, {} unfinished", set.unsolved, set.unfinished);
        }
        cut += set.cut_sequences;
        uncertain += u32::from(!certify(&problem).terminates());
        let before = instant.kinetic_energy(instant.velocity());
        for i in 0..set.len() {
            energy = energy.max(set.kinetic_energy(i) / before - 1.0);
            if i % 16 == 0 {
                worst = worst.max(check(&problem, &set.trace(i)).worst());
            }
        }
        let bound = match outer(&problem, &OuterOptions { pieces: 2, work: 300_000 }) {
            Ok(bound) => bound,
            Err(error) => {
                println!("seed {seed}: m {m} nv {nv}: {error}");
                continue;
            }
        };
        match (bound.box_bounds(), verdict(&set, Some(&bound))) {
            (Ok(bounds), Ok(answer)) => {
                *verdicts.entry(answer.name()).or_default() += 1;
                let size = instant.velocity().amax();
                let leaves = (0..set.len()).any(|i| {
                    let v = set.velocity(i).iter().zip(&bounds);
                    v.into_iter().any(|(v, [low, high])| *v < low - 1e-6 * size || *v > high + 1e-6 * size)
                });
                if leaves {
                    println!("seed {seed}: m {m} nv {nv}: an outcome leaves its bound");
                    outside += 1;
                }
            }
            (Err(error), _) | (_, Err(error)) => println!("seed {seed}: m {m} nv {nv}: {error}"),
        }
    }
    println!(
        "{count} mechanisms, {samples} outcomes, {steps} steps: {unsolved} unsolved and {unfinished} unfinished samples, \
         {cut} branches cut, {outside} with an outcome outside its bound, worst violation {worst:.2e}, \
         largest rise of energy {energy:.2e}, {uncertain} without certificate, verdicts {verdicts:?}"
    );
}
