//! Every explicit sequence: one contact after another, each resolved by Routh's method to its end.
//!
//! From each velocity any approaching contact may come next, so sequences form a tree; its leaves are velocities
//! at which nothing approaches. Some trees do not end (a block that rocks for ever, less each time): a branch
//! stops after [`DEPTH`] impacts, and branches beyond the number asked for are not followed. Both are told.

use crate::problem::Problem;
use crate::routh::{Restitution, RouthOptions, RouthPoint, routh};
use crate::{TOLERANCE, check::Segment};
use nalgebra::{Matrix3, Vector3};

/// Impacts in one sequence at most.
pub(crate) const DEPTH: usize = 64;
/// Error of a path by Routh's method at its default tolerance.
pub(crate) const ROUTH: f64 = 1e-10;

/// The leaves of the tree.
#[derive(Default)]
pub(crate) struct Sequences {
    pub orders: Vec<Vec<usize>>,
    /// Scaled impulses and velocities of each leaf.
    pub impulses: Vec<Vec<f64>>,
    pub velocities: Vec<Vec<f64>>,
    /// Branches not followed to their end.
    pub cut: usize,
}

struct Branch {
    order: Vec<usize>,
    u: Vec<f64>,
    lambda: Vec<f64>,
}

impl Sequences {
    /// All sequences, shortest first, `most` of them at most.
    pub fn new(problem: &Problem, most: usize) -> Self {
        let mut all = Self::default();
        let n = problem.rows();
        let mut open = std::collections::VecDeque::from([Branch {
            order: vec![],
            u: problem.u.clone(),
            lambda: vec![0.0; n],
        }]);
        while let Some(branch) = open.pop_front() {
            let next: Vec<usize> =
                (0..problem.contacts()).filter(|&c| problem.normal(&branch.u, c) < -TOLERANCE).collect();
            if next.is_empty() {
                all.orders.push(branch.order);
                all.impulses.push(branch.lambda);
                all.velocities.push(branch.u);
                continue;
            }
            if branch.order.len() >= DEPTH {
                all.cut += 1;
                continue;
            }
            for c in next {
                if all.orders.len() + open.len() >= most {
                    all.cut += 1;
                    continue;
                }
                let (mut u, mut lambda) = (branch.u.clone(), branch.lambda.clone());
                resolve(problem, c, &mut u, &mut lambda, None);
                let order = branch.order.iter().copied().chain([c]).collect();
                open.push_back(Branch { order, u, lambda });
            }
        }
        all
    }
}

/// Resolves contact c alone, and records its path if asked to.
pub(crate) fn resolve(
    problem: &Problem,
    c: usize,
    u: &mut [f64],
    lambda: &mut [f64],
    record: Option<&mut Vec<Segment>>,
) {
    let (n, side, t) = (problem.rows(), problem.side(), problem.tangents);
    let place = |k: usize| if k == t { 2 } else { k };
    let mut w = Matrix3::zeros();
    let mut start = Vector3::zeros();
    for i in 0..side {
        start[place(i)] = u[c * side + i];
        for j in 0..side {
            w[(place(i), place(j))] = problem.w[(c * side + i) * n + c * side + j];
        }
    }
    let options = RouthOptions::default();
    let path = routh(&w, &start, problem.mu[c], Restitution::Inelastic, &options)
        .expect("a problem's blocks and friction were checked when it was made");
    if let Some(record) = record {
        let points: Vec<RouthPoint> = path.path.clone();
        record.push(Segment::Routh { contact: c, points });
    }
    for k in 0..side {
        let change = path.impulse[place(k)];
        lambda[c * side + k] += change;
        for (u, w) in u.iter_mut().zip(&problem.w[(c * side + k) * n..(c * side + k + 1) * n]) {
            *u += change * w;
        }
    }
}
