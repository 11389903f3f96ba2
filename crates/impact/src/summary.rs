//! What a set of outcomes says: how far it spreads, its extremes, what the contacts do.

use crate::hull::convex_hull;
use crate::outcomes::{ContactMode, Outcomes};
use nalgebra::DVector;

/// An extreme value of a linear function over the set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// The outcome that has it.
    pub outcome: usize,
}

/// How the outcomes that were found differ. Whether there are others is for [`crate::verdict()`] to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// They agree.
    Agree,
    /// Velocities differ, what each contact does after does not.
    Velocities,
    /// What a contact does after (stick, slide, separate) differs.
    Modes,
}

impl Level {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agree => "outcomes agree",
            Self::Velocities => "velocities differ",
            Self::Modes => "contact modes differ",
        }
    }
}

/// How outcomes differ, and by how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ambiguity {
    /// How they differ.
    pub level: Level,
    /// Largest distance between two outcomes over the size of the part of the velocity that contacts can change, both in
    /// the kinetic norm √(vᵀMv): 0 for one outcome, 2 at most. From below, by a search that starts at a few outcomes.
    pub spread: f64,
}

/// The resolution: spread below which outcomes count as one.
pub const ONE: f64 = 1e-6;

impl Outcomes {
    /// Least and greatest value of c·v over the set (the first outcome that has it); zeros for an empty set.
    pub fn extremes(&self, c: &[f64]) -> (Extreme, Extreme) {
        let mut ends =
            [Extreme { value: f64::INFINITY, outcome: 0 }, Extreme { value: f64::NEG_INFINITY, outcome: 0 }];
        for outcome in 0..self.len() {
            let value: f64 = self.velocity(outcome).iter().zip(c).map(|(v, c)| v * c).sum();
            if value < ends[0].value {
                ends[0] = Extreme { value, outcome };
            }
            if value > ends[1].value {
                ends[1] = Extreme { value, outcome };
            }
        }
        if self.is_empty() {
            (Extreme { value: 0.0, outcome: 0 }, Extreme { value: 0.0, outcome: 0 })
        } else {
            (ends[0], ends[1])
        }
    }

    /// The set in the plane of two linear functions of the velocity.
    pub fn plane(&self, x: &[f64], y: &[f64]) -> Vec<[f64; 2]> {
        let dot = |v: &[f64], c: &[f64]| v.iter().zip(c).map(|(v, c)| v * c).sum();
        (0..self.len()).map(|i| [dot(self.velocity(i), x), dot(self.velocity(i), y)]).collect()
    }

    /// Corners of the convex hull of the set in a plane, as outcomes, counter-clockwise.
    pub fn hull(&self, x: &[f64], y: &[f64]) -> Vec<usize> {
        convex_hull(&self.plane(x, y))
    }

    /// Share of the outcomes in which each of the instant's contacts [sticks, slides, separates]. Samples are
    /// spread over rates, not over anything physical: a share is how much of the sampled set, not a probability.
    pub fn shares(&self) -> Vec<[f64; 3]> {
        let mut shares = vec![[0.0; 3]; self.contacts];
        for i in 0..self.len() {
            for (share, mode) in shares.iter_mut().zip(self.modes_of(i)) {
                let k = match mode {
                    ContactMode::Stick => 0,
                    ContactMode::Slide => 1,
                    ContactMode::Separate => 2,
                };
                share[k] += 1.0 / self.len() as f64;
            }
        }
        shares
    }

    /// Kinetic energy of an outcome, J.
    pub fn kinetic_energy(&self, i: usize) -> f64 {
        self.problem.instant.kinetic_energy(&DVector::from_column_slice(self.velocity(i)))
    }

    /// Two outcomes far apart in the kinetic norm (a search from a few starts, not from all pairs), and the largest difference of a
    /// contact velocity between them, relative to the largest contact speed before.
    pub fn farthest(&self) -> ([usize; 2], f64) {
        let (pair, _) = self.widest();
        let instant = &self.problem.instant;
        if self.is_empty() {
            return (pair, 0.0);
        }
        let [a, b] = pair.map(|i| DVector::from_column_slice(self.velocity(i)));
        (pair, (instant.jacobian() * (a - b)).amax() / self.problem.speed)
    }

    /// Two outcomes far apart and their kinetic distance.
    fn widest(&self) -> ([usize; 2], f64) {
        let instant = &self.problem.instant;
        let distance = |i: usize, j: usize| {
            let d =
                DVector::from_column_slice(self.velocity(i)) - DVector::from_column_slice(self.velocity(j));
            (2.0 * instant.kinetic_energy(&d)).sqrt()
        };
        let (mut pair, mut widest) = ([0, 0], 0.0);
        // From a few starts to the outcome farthest away, again and again while that grows.
        for start in [0, self.len() / 3, 2 * self.len() / 3] {
            if start >= self.len() {
                break;
            }
            let (mut from, mut far, mut ends) = (start, 0.0, [start, start]);
            for _ in 0..8 {
                let (mut to, mut most) = (from, 0.0);
                for i in 0..self.len() {
                    let d = distance(from, i);
                    if d > most {
                        (to, most) = (i, d);
                    }
                }
                if most <= far {
                    break;
                }
                (ends, from, far) = ([from, to], to, most);
            }
            if far > widest {
                (pair, widest) = (ends, far);
            }
        }
        (pair, widest)
    }

    /// How the outcomes that were found differ.
    pub fn ambiguity(&self) -> Ambiguity {
        let (_, widest) = self.widest();
        let (_, y) = self.problem.minimal();
        // y is in scaled mass coordinates.
        let unit = (self.problem.speed * self.problem.impulse).sqrt();
        let size = y.map_or(0.0, |y| y.norm() * unit);
        let spread = if size > 0.0 { widest / size } else { widest };
        let level = if spread < ONE {
            Level::Agree
        } else if (1..self.len()).all(|i| self.modes_of(i) == self.modes_of(0)) {
            Level::Velocities
        } else {
            Level::Modes
        };
        Ambiguity { level, spread }
    }

    /// Groups of outcomes: the representatives of [`Outcomes::representatives`], each with the share of outcomes nearest to it. Shares count
    /// samples; they are a sampling measure, not probabilities.
    pub fn clusters(&self, count: usize) -> Vec<(usize, f64)> {
        let chosen = self.representatives(count);
        let instant = &self.problem.instant;
        let mut shares = vec![0.0; chosen.len()];
        for i in 0..self.len() {
            let v = DVector::from_column_slice(self.velocity(i));
            let distance = |k: &usize| {
                let d = &v - DVector::from_column_slice(self.velocity(chosen[*k]));
                instant.kinetic_energy(&d)
            };
            let nearest = (0..chosen.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
            if let Some(k) = nearest {
                shares[k] += 1.0 / self.len() as f64;
            }
        }
        chosen.into_iter().zip(shares).collect()
    }

    /// `count` outcomes that stand for the set: the one farthest from the mean first, then each time the one farthest
    /// from those chosen (kinetic norm). Fewer if outcomes repeat.
    pub fn representatives(&self, count: usize) -> Vec<usize> {
        let instant = &self.problem.instant;
        if self.is_empty() || count == 0 {
            return Vec::new();
        }
        let norm = |d: &DVector<f64>| (2.0 * instant.kinetic_energy(d)).sqrt();
        let rows: Vec<DVector<f64>> =
            (0..self.len()).map(|i| DVector::from_column_slice(self.velocity(i))).collect();
        let mean = rows.iter().sum::<DVector<f64>>() / rows.len() as f64;
        let mut nearest: Vec<f64> = rows.iter().map(|v| norm(&(v - &mean))).collect();
        let mut chosen = Vec::new();
        let size = norm(instant.velocity()).max(1e-300);
        while chosen.len() < count {
            let mut best = 0;
            for i in 1..rows.len() {
                if nearest[i] > nearest[best] {
                    best = i;
                }
            }
            if !chosen.is_empty() && nearest[best] <= ONE * size {
                break;
            }
            if chosen.is_empty() {
                nearest.fill(f64::INFINITY);
            }
            chosen.push(best);
            for (d, v) in nearest.iter_mut().zip(&rows) {
                *d = d.min(norm(&(v - &rows[best])));
            }
        }
        chosen
    }
}
