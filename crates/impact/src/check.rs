//! Whether a recorded solution obeys the inclusion, condition by condition.
//!
//! A solution is a list of segments. A capped step must have forces that Coulomb's law allows at the velocity it
//! ends with (MFI eq. 6, 7 and 18): the path through such steps solves dv/ds ∈ D(v + ε) with ε the length of the
//! longest step, and the inclusion itself as caps go to zero. A piece of Routh's path must satisfy the slip equation by
//! Hermite–Simpson collocation, with rates computed here from W alone.
//!
//! All numbers are relative to the largest contact speed before the impact and the impulse that goes with it.

use crate::problem::Problem;
use crate::routh::{Mode, RouthPoint};
use nalgebra::{Matrix3, Vector3};

/// A part of a solution, in scaled contact space.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// A capped step of all contacts.
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
    /// Defect of the slip equation on pieces of Routh's path.
    pub collocation: f64,
    /// Longest change of contact velocity in a capped step: the ε of the perturbed inclusion.
    pub longest: f64,
}

impl CheckReport {
    /// The worst of all that should vanish.
    pub fn worst(&self) -> f64 {
        [self.normal, self.friction, self.energy, self.approach, self.collocation]
            .into_iter()
            .fold(0.0, f64::max)
    }
}

/// Violations of eq. 6 and 7 of an impulse at a velocity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Residuals {
    pub normal: f64,
    pub friction: f64,
}

impl Residuals {
    pub fn of(problem: &Problem, lambda: &[f64], u: &[f64]) -> Self {
        let (side, t) = (problem.side(), problem.tangents);
        let mut worst = Self::default();
        for c in 0..problem.contacts() {
            let (l, u, mu) = (&lambda[c * side..], &u[c * side..], problem.mu[c]);
            let (n, u_n) = (l[t], u[t]);
            let (mut tangent, mut slip, mut work) = (0.0, 0.0, 0.0);
            for k in 0..t {
                tangent += l[k] * l[k];
                slip += u[k] * u[k];
                work += l[k] * u[k];
            }
            let (tangent, slip) = (tangent.sqrt(), slip.sqrt());
            // Impulse on a separating contact, each in its own unit: the smaller is the distance to the law.
            worst.normal = worst.normal.max(-n).max(n.min(u_n));
            // Either there is no slip, or friction is −μ λ_n û_t: again the smaller of the two distances.
            let missing = if slip > 0.0 { mu * n + work / slip } else { 0.0 };
            worst.friction = worst.friction.max(tangent - mu * n).max(missing.min(slip));
        }
        worst
    }

    pub fn worst(&self) -> f64 {
        self.normal.max(self.friction)
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
                let residuals = Residuals::of(problem, impulse, &u);
                report.normal = report.normal.max(residuals.normal);
                report.friction = report.friction.max(residuals.friction);
                report.longest =
                    u.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(report.longest, f64::max);
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
