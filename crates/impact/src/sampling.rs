//! Which relative rates a sampled solution takes: a low-discrepancy sequence over piecewise constant rates.
//!
//! Fresh random caps at every small step would average out: as steps shrink, every sample would follow the mean
//! rate. So a sample holds its rates over a stretch of impulse and then switches. Half of the numbers that
//! decide (rates of the first two stretches, the length of the first, the kind) come from Roberts' Kronecker
//! sequence, turned by the seed; later stretches from a hash of the sample's number. A rate is cut off below and above, so that a
//! fifth of the samples leaves a given contact out and a fifth gives it all: the faces of the cube of
//! rates carry the extreme outcomes.

use stiction_base::random::{GOLDEN, mix, unit};

/// Share of the numbers that mean "none", and as many "all".
const FACE: f64 = 0.2;
/// Mean length of a stretch, in units of the impulse that stops the fastest contact.
const STRETCH: f64 = 0.6;

/// The sequence for impacts of `m` contacts.
pub(crate) struct Sequence {
    m: usize,
    alpha: Vec<f64>,
    turn: Vec<f64>,
    seed: u64,
}

/// The rates of one sample as it goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rates {
    pub p: Vec<f64>,
    stretch: u64,
    left: f64,
    sample: u64,
}

impl Rates {
    /// What is left of the stretch.
    pub fn left(&self) -> f64 {
        self.left
    }

    /// Keeps the present rates to the end.
    pub fn keep(&mut self) {
        self.left = f64::INFINITY;
    }
}

impl Sequence {
    pub fn new(m: usize, seed: u64) -> Self {
        let d = 2 * m + 2;
        // The root of x^(d+1) = x + 1, which makes the most even steps in d dimensions (Roberts).
        let mut phi: f64 = 2.0;
        for _ in 0..200 {
            phi = (1.0 + phi).powf(1.0 / (d as f64 + 1.0));
        }
        let alpha = (1..=d).map(|k| phi.powi(-(k as i32))).collect();
        let turn = (0..d).map(|k| unit(hash(seed, k as u64))).collect();
        Self { m, alpha, turn, seed }
    }

    fn number(&self, sample: u64, k: usize) -> f64 {
        // The integer part of sample·α is dropped; below 2⁵³ samples nothing else is lost that matters.
        (self.turn[k] + sample as f64 * self.alpha[k]).fract()
    }

    /// Starts sample number `sample`.
    pub fn begin(&self, sample: u64, rates: &mut Rates) {
        rates.p.clear();
        rates.p.extend((0..self.m).map(|c| rate(self.number(sample, c))));
        rates.stretch = 0;
        rates.sample = sample;
        // A quarter keeps its rates to the end.
        let kind = self.number(sample, 2 * self.m + 1);
        let length = self.number(sample, 2 * self.m);
        rates.left = if kind < 0.25 { f64::INFINITY } else { 2.0 * STRETCH * length };
    }

    /// Uses up `spent` of the stretch; takes the next rates when it is over.
    pub fn spend(&self, spent: f64, rates: &mut Rates) {
        rates.left -= spent;
        if rates.left > 1e-12 {
            return;
        }
        rates.stretch += 1;
        let code = rates.sample.wrapping_mul(0x1_0001).wrapping_add(rates.stretch << 40);
        for c in 0..self.m {
            let x = if rates.stretch == 1 {
                self.number(rates.sample, self.m + c)
            } else {
                unit(hash(self.seed ^ code, c as u64))
            };
            rates.p[c] = rate(x);
        }
        rates.left = -STRETCH * (1.0 - unit(hash(self.seed ^ code, 1 << 32))).ln();
    }
}

fn rate(x: f64) -> f64 {
    ((x - FACE) / (1.0 - 2.0 * FACE)).clamp(0.0, 1.0)
}

/// Number `k` of the stream of a seed.
pub(crate) fn hash(seed: u64, k: u64) -> u64 {
    mix(seed.wrapping_add((k + 1).wrapping_mul(GOLDEN)))
}
