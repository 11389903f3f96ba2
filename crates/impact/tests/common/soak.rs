//! Random mechanisms in numbers: what is dropped, what the checker says, whether an outcome leaves its outer bound.

use super::random_instant;
use std::collections::BTreeMap;
use stiction_impact::{Options, OuterOptions, Problem, certify, check, outcomes, outer, verdict};

/// What came of some mechanisms.
#[derive(Default)]
pub struct Tally {
    pub mechanisms: u64,
    pub outcomes: usize,
    pub steps: u64,
    /// Samples that went on one contact after another.
    pub rerouted: usize,
    /// Sequences not followed to their end.
    pub cut: usize,
    /// Without a proof that all solutions end.
    pub uncertain: u64,
    /// Largest violation of the inclusion's conditions over every 16th outcome, relative.
    pub worst: f64,
    /// Largest rise of kinetic energy, relative.
    pub rise: f64,
    pub verdicts: BTreeMap<&'static str, u64>,
    /// What must not be.
    pub failures: Vec<String>,
}

/// Violation of the inclusion above which a mechanism fails: a sample may be wrong by its tolerance of 1e-6, the checker's collocation as much.
const WRONG: f64 = 1e-5;

impl Tally {
    /// Resolves mechanism number `seed`: one to six contacts, one to eight coordinates, a third of them planar.
    pub fn add(&mut self, seed: u64) {
        let (m, nv) = (1 + (seed % 6) as usize, 1 + (seed / 6 % 8) as usize);
        let instant = random_instant(seed, m, nv, seed.is_multiple_of(3));
        let problem = Problem::new(&instant).expect("a sound instant");
        let set = outcomes(&problem, &Options { samples: 64, sequences: 64, ..Options::default() })
            .expect("sound options");
        self.mechanisms += 1;
        self.outcomes += set.len();
        self.steps += set.steps;
        self.rerouted += set.rerouted;
        self.cut += set.cut_sequences;
        self.uncertain += u64::from(!certify(&problem).terminates());
        let mut fail =
            |what: String| self.failures.push(format!("seed {seed}, {m} contacts, nv {nv}: {what}"));
        if set.unsolved + set.unfinished > 0 {
            fail(format!("{} solutions are dropped", set.unsolved + set.unfinished));
        }
        let before = instant.kinetic_energy(instant.velocity());
        for i in 0..set.len() {
            let rise = set.kinetic_energy(i) / before - 1.0;
            self.rise = self.rise.max(rise);
            if rise > 1e-12 {
                fail(format!("energy rises by {rise:.1e}"));
            }
            if i % 16 == 0 {
                let violation = check(&problem, &set.trace(i)).worst();
                self.worst = self.worst.max(violation);
                if violation > WRONG {
                    fail(format!("{:?} violates the inclusion by {violation:.1e}", set.origins[i]));
                }
            }
        }
        let options = OuterOptions { pieces: 2, work: 300_000, ..OuterOptions::default() };
        let bound = outer(&problem, &options);
        let answers = bound.and_then(|b| Ok((b.box_bounds()?, verdict(&set, Some(&b))?)));
        let (bounds, answer) = match answers {
            Ok(answers) => answers,
            Err(error) => return fail(error.to_string()),
        };
        *self.verdicts.entry(answer.name()).or_default() += 1;
        let size = instant.velocity().amax();
        let leaves = |i: usize| {
            let mut each = set.velocity(i).iter().zip(&bounds);
            each.any(|(v, [low, high])| *v < low - 1e-6 * size || *v > high + 1e-6 * size)
        };
        if let Some(i) = (0..set.len()).find(|&i| leaves(i)) {
            fail(format!("outcome {i} leaves its bound"));
        }
    }
}
