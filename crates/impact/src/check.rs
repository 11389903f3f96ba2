//! Whether a recorded solution obeys the inclusion, condition by condition, all along its pieces.
//!
//! A straight piece (constant rates) obeys it iff it does at both of its ends: a contact with impulse does not separate there (MFI eq. 6), and
//! slips in one direction at both, with friction of full strength against it, or sticks at both, with friction inside the cone (eq. 7).
//! A curved step must end where backward Euler steps under the same normal impulses do, extrapolated to steps without length; Routh's path must satisfy
//! the slip equation by Hermite–Simpson collocation. Both are computed here from W alone.
//!
//! All numbers are relative to the largest contact speed before the impact and the impulse that goes with it.

use crate::local::Block;
use crate::problem::Problem;
use crate::routh::{Mode, RouthPoint};
use nalgebra::{Matrix3, Vector3};

/// A part of a solution, in scaled contact space.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// A step of all contacts.
    Step {
        /// Its impulse.
        impulse: Vec<f64>,
    },
    /// Routh's path of one contact.
    Routh {
        /// Which.
        contact: usize,
        /// The path.
        points: Vec<RouthPoint>,
    },
}

/// The course of a solution.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// From the beginning of the impact to its end.
    pub segments: Vec<Segment>,
}

/// The worst violations over a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckReport {
    /// λ_n ≥ 0 and λ_n u_n ≤ 0 (eq. 6): negative impulses, and impulses on separating contacts.
    pub normal: f64,
    /// ‖λ_t‖ ≤ μ λ_n and λ_t opposite to slip with full strength where there is slip (eq. 7).
    pub friction: f64,
    /// Rise of kinetic energy in any segment, over that before the impact's speed scale (Lemma 5).
    pub energy: f64,
    /// Approach speed left at the end.
    pub approach: f64,
    /// Defect of the slip equation on Routh's paths and on curved steps.
    pub collocation: f64,
}

impl CheckReport {
    /// The worst of all that should vanish.
    pub fn worst(&self) -> f64 {
        [self.normal, self.friction, self.energy, self.approach, self.collocation]
            .into_iter()
            .fold(0.0, f64::max)
    }
}

/// Checks a solution of `problem` from its beginning to its end.
pub fn check(problem: &Problem, trace: &Trace) -> CheckReport {
    let (n, side) = (problem.rows(), problem.side());
    let mut report = CheckReport::default();
    let mut u = problem.u.clone();
    for segment in &trace.segments {
        let before = u.clone();
        match segment {
            Segment::Step { impulse } => {
                apply(problem, impulse, &mut u);
                piece(problem, impulse, &before, &u, &mut report);
                report.energy = report.energy.max(work(impulse, &before, &u));
            }
            Segment::Routh { contact, points } => {
                let block = block(problem, *contact);
                for pair in points.windows(2) {
                    let defect = collocation(&block, problem.mu[*contact], &pair[0], &pair[1]);
                    report.collocation = report.collocation.max(defect);
                    let impulse = pair[1].impulse - pair[0].impulse;
                    report.normal = report.normal.max(-impulse.z);
                    report.friction =
                        report.friction.max(impulse.xy().norm() - problem.mu[*contact] * impulse.z);
                    let gained = 0.5 * impulse.dot(&(pair[0].velocity + pair[1].velocity));
                    report.energy = report.energy.max(gained);
                }
                let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
                let place = |k: usize| if k == problem.tangents { 2 } else { k };
                let mut impulse = vec![0.0; n];
                for k in 0..side {
                    impulse[contact * side + k] = last.impulse[place(k)];
                    // The path must start where the solution is.
                    let off = (first.velocity[place(k)] - u[contact * side + k]).abs();
                    report.collocation = report.collocation.max(off);
                }
                apply(problem, &impulse, &mut u);
            }
        }
    }
    let approach = (0..problem.contacts()).map(|c| -problem.normal(&u, c));
    report.approach = approach.fold(0.0, f64::max);
    report
}

/// Slip below which a contact sticks in the eyes of the checker.
const STICKS: f64 = 1e-9;

/// Normal velocity at which a contact touches in the eyes of the checker.
const TOUCHES: f64 = 1e-7;

/// Checks a step from `before` to `after`.
fn piece(problem: &Problem, impulse: &[f64], before: &[f64], after: &[f64], report: &mut CheckReport) {
    let (n, side, t) = (problem.rows(), problem.side(), problem.tangents);
    let speed = |u: &[f64], c: usize| (0..t).map(|k| u[c * side + k].powi(2)).sum::<f64>().sqrt();
    // Direction of slip at each end; at the end of a slip that stops or starts, that of the other end.
    let direction = |c: usize, u: &[f64], other: &[f64]| -> Option<[f64; 2]> {
        let (own, far) = (speed(u, c), speed(other, c));
        let (from, size) = if own > STICKS { (u, own) } else { (other, far) };
        (size > STICKS).then(|| std::array::from_fn(|k| if k < t { from[c * side + k] / size } else { 0.0 }))
    };
    // In a curved step a contact that touches before takes what keeps it from approaching, and may leave: where it must end up is known below.
    let held: Vec<bool> = (0..problem.contacts())
        .map(|c| c * side + t)
        .map(|k| t == 2 && before[k].abs() <= TOUCHES && after[k] >= -TOUCHES && impulse[k] > 0.0)
        .collect();
    for c in 0..problem.contacts() {
        let (l, mu) = (&impulse[c * side..(c + 1) * side], problem.mu[c]);
        let apart = if held[c] { 0.0 } else { before[c * side + t].max(after[c * side + t]) };
        report.normal = report.normal.max(-l[t]).max(l[t].min(apart));
        let push = l[..t].iter().map(|x| x * x).sum::<f64>().sqrt();
        report.friction = report.friction.max(push - mu * l[t]);
        let (Some(a), Some(b)) = (direction(c, before, after), direction(c, after, before)) else { continue };
        if t == 1 {
            let missing =
                (0..t).map(|k| (l[k] + mu * l[t] * 0.5 * (a[k] + b[k])).powi(2)).sum::<f64>().sqrt();
            report.friction = report.friction.max(missing);
        }
    }
    if t == 2 {
        let end = reference(problem, impulse, before, &held);
        let off = (0..n).map(|i| (end[i] - after[i]).abs());
        report.collocation = off.fold(report.collocation, f64::max);
    }
}

/// Where a step must end: backward Euler in 4, 8, 16 … parts, extrapolated by Neville's rule until two results agree.
fn reference(problem: &Problem, impulse: &[f64], before: &[f64], held: &[bool]) -> Vec<f64> {
    let mut row: Vec<Vec<f64>> = vec![implicit(problem, impulse, before, held, 4)];
    for level in 1..=8 {
        let mut next = vec![implicit(problem, impulse, before, held, 4 << level)];
        // Halving the parts takes the error of order k out by the factor 2ᵏ.
        for (k, coarse) in row.iter().enumerate().take(4) {
            let weight = 1.0 / (f64::from(2 << k) - 1.0);
            let better = next[k].iter().zip(coarse).map(|(f, c)| f + weight * (f - c)).collect();
            next.push(better);
        }
        let best = next.len() - 1;
        let change = next[best].iter().zip(&next[best - 1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        row = next;
        if change <= 1e-9 {
            break;
        }
    }
    row.pop().unwrap_or_default()
}

/// Velocity after the normal impulses of a step in equal parts, those of held contacts as they need; friction by backward Euler: each part
/// minimises a convex function if no contact is held.
fn implicit(problem: &Problem, impulse: &[f64], before: &[f64], held: &[bool], parts: usize) -> Vec<f64> {
    let (n, side, m) = (problem.rows(), problem.side(), problem.contacts());
    let at = |c: usize| move |i: usize, j: usize| problem.w[(c * side + i) * n + c * side + j];
    let blocks: Vec<Block<2>> = (0..m).map(|c| Block::new(at(c), problem.mu[c])).collect();
    let mut u = before.to_vec();
    let mut part: Vec<f64> = impulse.iter().map(|l| l / parts as f64).collect();
    for _ in 0..parts {
        // The friction of the last part is the first guess.
        apply(problem, &part, &mut u);
        for _ in 0..400 {
            let mut moved: f64 = 0.0;
            for (c, block) in blocks.iter().enumerate() {
                let own = c * side;
                if part[own + 2] <= 0.0 && !held[c] {
                    continue;
                }
                let w = |i: usize, j: usize| problem.w[(own + i) * n + own + j];
                let b = [0, 1, 2].map(|i| u[own + i] - (0..3).map(|j| w(i, j) * part[own + j]).sum::<f64>());
                let (next, normal) = if held[c] {
                    block.solve([b[0], b[1]], b[2], 1e3)
                } else {
                    (block.friction_at([b[0], b[1]], part[own + 2]), part[own + 2])
                };
                let next = [next[0], next[1], normal];
                for k in 0..3 {
                    let change = next[k] - part[own + k];
                    part[own + k] = next[k];
                    moved = moved.max(change.abs());
                    for (u, w) in u.iter_mut().zip(&problem.w[(own + k) * n..(own + k + 1) * n]) {
                        *u += change * w;
                    }
                }
            }
            if moved <= 1e-13 {
                break;
            }
        }
    }
    u
}

fn apply(problem: &Problem, impulse: &[f64], u: &mut [f64]) {
    let n = problem.rows();
    for (k, l) in impulse.iter().enumerate() {
        for (u, w) in u.iter_mut().zip(&problem.w[k * n..(k + 1) * n]) {
            *u += l * w;
        }
    }
}

/// Work of an impulse between two velocities: the exact change of kinetic energy.
fn work(impulse: &[f64], before: &[f64], after: &[f64]) -> f64 {
    impulse.iter().zip(before).zip(after).map(|((l, a), b)| 0.5 * l * (a + b)).sum()
}

fn block(problem: &Problem, c: usize) -> Matrix3<f64> {
    let (n, side) = (problem.rows(), problem.side());
    let place = |k: usize| if k == problem.tangents { 2 } else { k };
    let mut w = Matrix3::zeros();
    for i in 0..side {
        for j in 0..side {
            w[(place(i), place(j))] = problem.w[(c * side + i) * n + c * side + j];
        }
    }
    w
}

/// Defect of du/dp = W (−μ û_t, 1) between two points of a path; while sticking, of u_t = 0 and u = u₀ + W Λ.
fn collocation(w: &Matrix3<f64>, mu: f64, a: &RouthPoint, b: &RouthPoint) -> f64 {
    let p = b.impulse.z - a.impulse.z;
    let linear = (b.velocity - a.velocity - w * (b.impulse - a.impulse)).amax();
    if b.mode == Mode::Stick {
        return linear.max(b.velocity.xy().norm()).max(a.velocity.xy().norm());
    }
    // At the ends of a slip that stops, or starts, its direction is that of the other end.
    let direction = |x: &Vector3<f64>, other: &Vector3<f64>| {
        let own = x.xy().norm();
        if own > 1e-9 * other.xy().norm() { x.xy() / own } else { other.xy() / other.xy().norm().max(1e-300) }
    };
    let rate = |d: nalgebra::Vector2<f64>| w * Vector3::new(-mu * d.x, -mu * d.y, 1.0);
    let (fa, fb) = (rate(direction(&a.velocity, &b.velocity)), rate(direction(&b.velocity, &a.velocity)));
    let middle = 0.5 * (a.velocity + b.velocity) + (fa - fb) * (p / 8.0);
    let fm = rate(direction(&middle, &a.velocity));
    linear.max((b.velocity - a.velocity - (fa + 4.0 * fm + fb) * (p / 6.0)).amax())
}
