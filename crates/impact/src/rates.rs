//! Which impulse rates the contacts take at an instant of the resolution.
//!
//! At velocity u every contact is approaching, touching (u_n = 0) or apart, and slips or sticks (u_t = 0). Given caps p on the
//! normal rates, find λ with acceleration a = W λ (all per unit of path length):
//!
//! ```text
//! approaching   λ_n = p                         slips    λ_t = −μ λ_n û_t
//! touching      0 ≤ λ_n ≤ p, a_n ≥ 0 below p,    sticks   λ_t ∈ −μ λ_n Unit(a_t)
//!               a_n ≤ 0 above 0
//! apart         λ_n = 0
//! ```
//!
//! Any such λ is an element of F(u) (MFI eq. 16) that can be kept over a stretch of the path. With the normal rates given, friction at the
//! sticking contacts minimises the convex ½ λ_tᵀ W_tt λ_t + λ_tᵀ W_tn λ_n over the discs ‖λ_t‖ ≤ μ λ_n, so a solution always exists if no
//! contact is merely touching. Gauss–Seidel over the contacts finds the modes, Newton's method the digits.
//!
//! The same conditions with a = offset + W λ are those of an implicit step (`path.rs`): a is then the velocity after the step over its length.

use crate::local::Block;
use crate::problem::Problem;

/// Acceleration, relative to the largest cap, below which a condition counts as met.
pub(crate) const MET: f64 = 1e-11;
/// Violation up to which a solve is taken for the rates of an instant.
pub(crate) const NEARLY: f64 = 1e-9;
/// Sweeps of Gauss–Seidel and their damping; after each round Newton's method is tried.
const ROUNDS: [(usize, f64); 5] = [(12, 1.0), (40, 1.0), (60, 0.5), (300, 0.5), (2000, 1.0)];
/// What regularises redundant contacts at rest, relative to W's largest entry, which is one.
const TRACE: f64 = 1e-12;

/// Where a contact is along its normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Normal {
    Approaching,
    Touching,
    Apart,
}

/// What is known about a contact at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub normal: Normal,
    /// Unit direction of slip; none while sticking.
    pub slip: Option<[f64; 2]>,
}

/// The solver, with its memory.
pub(crate) struct RateSolver<'a> {
    problem: &'a Problem,
    blocks: Blocks,
    /// Impulse rates and accelerations of the last solve.
    pub lambda: Vec<f64>,
    pub acceleration: Vec<f64>,
    /// What is added to W λ; zero but for implicit steps.
    pub offset: Vec<f64>,
    /// Violation up to which a solve is taken; what it leaves counts as an error of the step.
    pub nearly: f64,
    /// By how much the last solve misses its conditions, beyond what rounding allows.
    pub missed: f64,
    kept: Vec<f64>,
    free: Vec<usize>,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

enum Blocks {
    Planar(Vec<Block<1>>),
    Spatial(Vec<Block<2>>),
}

impl<'a> RateSolver<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let (n, side, m) = (problem.rows(), problem.side(), problem.contacts());
        let at = |c: usize| move |i: usize, j: usize| problem.w[(c * side + i) * n + c * side + j];
        let blocks = if problem.tangents == 1 {
            Blocks::Planar((0..m).map(|c| Block::new(at(c), problem.mu[c])).collect())
        } else {
            Blocks::Spatial((0..m).map(|c| Block::new(at(c), problem.mu[c])).collect())
        };
        Self {
            problem,
            blocks,
            lambda: vec![0.0; n],
            acceleration: vec![0.0; n],
            offset: vec![0.0; n],
            nearly: NEARLY,
            missed: 0.0,
            kept: vec![0.0; n],
            free: Vec::with_capacity(m),
            matrix: vec![0.0; n * n],
            right: vec![0.0; n],
        }
    }

    /// Solves for the rates; false if no method meets the conditions. `caps` are of the order of one.
    pub fn solve(&mut self, caps: &[f64], contacts: &[Contact]) -> bool {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        self.free.clear();
        for (c, contact) in contacts.iter().enumerate() {
            let cap = if contact.normal == Normal::Apart { 0.0 } else { caps[c] };
            let own = &mut self.lambda[c * side..(c + 1) * side];
            if cap == 0.0 {
                own.fill(0.0);
            } else if contact.normal == Normal::Approaching
                && (contact.slip.is_some() || self.problem.mu[c] == 0.0)
            {
                own[t] = cap;
                for k in 0..t {
                    let sign = if stiction_base::mutation::is("impact-slip-sign") { -1.0 } else { 1.0 };
                    own[k] = contact.slip.map_or(0.0, |d| -sign * self.problem.mu[c] * cap * d[k]);
                }
            } else {
                // The last solve is a good guess; it must be inside the cap.
                if own[t] > cap || contact.normal == Normal::Approaching {
                    let share = if own[t] > 0.0 { cap / own[t] } else { 0.0 };
                    own.iter_mut().for_each(|x| *x *= share);
                    own[t] = cap;
                }
                self.free.push(c);
            }
        }
        self.refresh();
        self.missed = 0.0;
        if self.free.is_empty() {
            return true;
        }
        let single = self.free.len() == 1;
        // The longest round is for few contacts; with many a failure must be found sooner.
        let rounds = if self.free.len() > 4 { &ROUNDS[..4] } else { &ROUNDS[..] };
        // Large offsets leave fewer digits.
        let met = self.offset.iter().fold(MET, |met, o| met.max(1e-14 * o.abs()));
        for (round, &(sweeps, damping)) in rounds.iter().enumerate() {
            for _ in 0..if single { 1 } else { sweeps } {
                if self.sweep(caps, contacts, if single { 1.0 } else { damping }) <= 1e-15 {
                    break;
                }
            }
            self.refresh();
            self.missed = self.violation(caps, contacts);
            if self.missed <= met {
                return true;
            }
            self.kept.copy_from_slice(&self.lambda);
            self.newton(caps, contacts);
            let found = self.violation(caps, contacts);
            // Forces of redundant contacts are not determined, and Newton's method can stop short of the last digits.
            if found <= met || round > 0 && found <= self.nearly {
                self.missed = found;
                return true;
            }
            self.lambda.copy_from_slice(&self.kept);
            self.refresh();
        }
        self.missed <= self.nearly
    }

    fn refresh(&mut self) {
        let n = self.problem.rows();
        self.acceleration.copy_from_slice(&self.offset);
        for (k, &l) in self.lambda.iter().enumerate() {
            if l != 0.0 {
                // W is symmetric: row k is column k.
                for (a, w) in self.acceleration.iter_mut().zip(&self.problem.w[k * n..(k + 1) * n]) {
                    *a += l * w;
                }
            }
        }
    }

    /// One pass over the contacts that are not fixed; the largest change of an acceleration.
    fn sweep(&mut self, caps: &[f64], contacts: &[Contact], damping: f64) -> f64 {
        let (n, side, t) = (self.problem.rows(), self.problem.side(), self.problem.tangents);
        let mut moved: f64 = 0.0;
        for &c in &self.free {
            let at = c * side;
            let mut b = [0.0; 3];
            for i in 0..side {
                b[i] = self.acceleration[at + i];
                for j in 0..side {
                    b[i] -= self.problem.w[(at + i) * n + at + j] * self.lambda[at + j];
                }
            }
            let mut next = [0.0; 3];
            match (&contacts[c], &self.blocks) {
                (Contact { normal: Normal::Touching, slip: Some(d) }, _) => {
                    let mu = self.problem.mu[c];
                    let row = &self.problem.w[(at + t) * n + at..(at + t) * n + at + side];
                    let rate = row[t] - (0..t).map(|k| mu * d[k] * row[k]).sum::<f64>();
                    let x = if b[t] >= 0.0 {
                        0.0
                    } else if rate > 0.0 {
                        (-b[t] / rate).min(caps[c])
                    } else {
                        caps[c]
                    };
                    for k in 0..t {
                        next[k] = -mu * x * d[k];
                    }
                    next[t] = x;
                }
                (Contact { normal: Normal::Touching, .. }, Blocks::Planar(blocks)) => {
                    let (f, x) = blocks[c].solve([b[0]], b[1], caps[c]);
                    (next[0], next[1]) = (f[0], x);
                }
                (Contact { normal: Normal::Touching, .. }, Blocks::Spatial(blocks)) => {
                    let (f, x) = blocks[c].solve([b[0], b[1]], b[2], caps[c]);
                    (next[0], next[1], next[2]) = (f[0], f[1], x);
                }
                (_, Blocks::Planar(blocks)) => {
                    next[0] = blocks[c].friction_at([b[0]], caps[c])[0];
                    next[1] = caps[c];
                }
                (_, Blocks::Spatial(blocks)) => {
                    let f = blocks[c].friction_at([b[0], b[1]], caps[c]);
                    (next[0], next[1], next[2]) = (f[0], f[1], caps[c]);
                }
            }
            for k in 0..side {
                let d = damping * (next[k] - self.lambda[at + k]);
                if d != 0.0 {
                    self.lambda[at + k] += d;
                    let row = &self.problem.w[(at + k) * n..(at + k + 1) * n];
                    moved = moved.max((d * row[at + k]).abs());
                    for (a, w) in self.acceleration.iter_mut().zip(row) {
                        *a += d * w;
                    }
                }
            }
        }
        moved
    }

    /// The worst violation of the conditions at the head of this file.
    fn violation(&self, caps: &[f64], contacts: &[Contact]) -> f64 {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        let mut worst: f64 = 0.0;
        for &c in &self.free {
            let (l, a) = (&self.lambda[c * side..(c + 1) * side], &self.acceleration[c * side..]);
            let (normal, mu) = (l[t], self.problem.mu[c]);
            worst = worst.max(-normal).max(normal - caps[c]);
            if contacts[c].normal == Normal::Touching {
                worst = worst.max(a[t].min(normal)).max((-a[t]).min(caps[c] - normal));
            }
            let push = (0..t).map(|k| l[k] * l[k]).sum::<f64>().sqrt();
            worst = worst.max(push - mu * normal);
            if let Some(d) = contacts[c].slip {
                for k in 0..t {
                    worst = worst.max((l[k] + mu * normal * d[k]).abs());
                }
            } else {
                let slip = (0..t).map(|k| a[k] * a[k]).sum::<f64>().sqrt();
                let work: f64 = (0..t).map(|k| l[k] * a[k]).sum();
                let missing = if slip > 0.0 { mu * normal + work / slip } else { 0.0 };
                worst = worst.max(missing.min(slip));
            }
        }
        if worst.is_finite() { worst } else { f64::INFINITY }
    }

    /// Newton's method with the modes that the present rates suggest. Whether they were right is for the caller to check.
    fn newton(&mut self, caps: &[f64], contacts: &[Contact]) {
        let (n, side, t) = (self.problem.rows(), self.problem.side(), self.problem.tangents);
        for _ in 0..8 {
            self.matrix.fill(0.0);
            self.right.fill(0.0);
            for (c, contact) in contacts.iter().enumerate() {
                let (at, mu) = (c * side, self.problem.mu[c]);
                let row = |k: usize| (at + k) * n;
                if !self.free.contains(&c) {
                    for k in 0..side {
                        self.matrix[row(k) + at + k] = 1.0;
                    }
                    continue;
                }
                let (normal, cap) = (self.lambda[at + t], caps[c]);
                let held =
                    contact.normal == Normal::Touching && normal > 1e-13 && normal < cap * (1.0 - 1e-11);
                if held {
                    self.matrix[row(t)..row(t) + n].copy_from_slice(&self.problem.w[row(t)..row(t) + n]);
                    self.matrix[row(t) + at + t] += TRACE;
                    self.right[at + t] = -self.acceleration[at + t];
                } else {
                    let value = if normal <= 1e-13 { 0.0 } else { cap };
                    self.matrix[row(t) + at + t] = 1.0;
                    self.right[at + t] = value - normal;
                }
                let push = (0..t).map(|k| self.lambda[at + k].powi(2)).sum::<f64>().sqrt();
                let slip = (0..t).map(|k| self.acceleration[at + k].powi(2)).sum::<f64>().sqrt();
                let sticks = push < mu * normal * (1.0 - 1e-9) || slip <= 1e-13;
                for k in 0..t {
                    let own = self.lambda[at + k];
                    if normal <= 1e-13 || mu == 0.0 {
                        self.matrix[row(k) + at + k] = 1.0;
                        self.right[at + k] = -own;
                    } else if let Some(d) = contact.slip {
                        self.matrix[row(k) + at + k] = 1.0;
                        self.matrix[row(k) + at + t] = mu * d[k];
                        self.right[at + k] = -(own + mu * normal * d[k]);
                    } else if sticks {
                        self.matrix[row(k)..row(k) + n].copy_from_slice(&self.problem.w[row(k)..row(k) + n]);
                        self.matrix[row(k) + at + k] += TRACE;
                        self.right[at + k] = -self.acceleration[at + k];
                    } else {
                        // λ_t + μ λ_n â = 0, and â turns with a_t by (I − â âᵀ)/|a_t|.
                        let direction = self.acceleration[at + k] / slip;
                        self.right[at + k] = -(own + mu * normal * direction);
                        for j in 0..t {
                            let turn = (f64::from(u8::from(j == k))
                                - direction * self.acceleration[at + j] / slip)
                                / slip;
                            let factor = mu * normal * turn;
                            if factor != 0.0 {
                                for i in 0..n {
                                    self.matrix[row(k) + i] += factor * self.problem.w[row(j) + i];
                                }
                            }
                        }
                        self.matrix[row(k) + at + k] += 1.0;
                        self.matrix[row(k) + at + t] += mu * direction;
                    }
                }
            }
            if !eliminate(&mut self.matrix, &mut self.right, n) {
                return;
            }
            let mut moved: f64 = 0.0;
            for (l, d) in self.lambda.iter_mut().zip(&self.right) {
                *l += d;
                moved = moved.max(d.abs());
            }
            self.refresh();
            if moved <= 1e-15 {
                return;
            }
        }
    }
}

/// Gauss elimination with row pivots; the solution goes to `b`. False if singular or not finite.
fn eliminate(a: &mut [f64], b: &mut [f64], n: usize) -> bool {
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[best * n + k].abs() {
                best = i;
            }
        }
        if a[best * n + k].is_nan() || a[best * n + k].abs() <= 1e-300 {
            return false;
        }
        if best != k {
            for j in k..n {
                a.swap(k * n + j, best * n + j);
            }
            b.swap(k, best);
        }
        let inverse = 1.0 / a[k * n + k];
        let (upper, lower) = a.split_at_mut((k + 1) * n);
        let pivot = &upper[k * n..];
        for (i, row) in lower.chunks_exact_mut(n).enumerate() {
            let f = row[k] * inverse;
            if f != 0.0 {
                for j in k..n {
                    row[j] -= f * pivot[j];
                }
                b[k + 1 + i] -= f * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    b.iter().all(|x| x.is_finite())
}
