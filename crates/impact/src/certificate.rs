//! Does every solution end, and by which impulse? Is there a jam?
//!
//! **Sufficient** (a second-order cone program): if some unit v* in mass coordinates has
//! J_n v* − μ‖J_t v*‖ ≥ ε > 0 at every contact, then d(v*·v)/ds ≥ ε, and v*·v ≤ ‖v(0)‖ by Lemma 5, so every
//! solution has ended by s = (‖v(0)‖ − v*·v(0))/ε. ε is computed again from v*, so the bound does not rest on the solver.
//!
//! **Exact** (𝒩, eq. 25): 0 ∈ F(v) for an approaching v means Σ λ f = 0; times v every term is ≤ 0, so every contact that
//! carries force has J v = 0. Hence C ∉ 𝒩 iff some set S of contacts has a force inside its cones that balances
//! itself, λ_n > 0 on S, while J_S v = 0 leaves some other contact free to approach: its normal row is outside the row
//! space of J_S. Smaller sets leave more freedom, so the smallest balanced sets decide. S is balanced iff the
//! program above, over S alone, has ε = 0 (its dual is the balancing force).
//!
//! Where balanced sets do no harm, ε = 0, but planar solutions end all the same. Their longest impulse is bounded by the cells of `outer/`, which follow
//! the sum of normal impulses as one more coordinate.
//!
//! A balanced set is a jam: bodies squeezed between others that do not move can hold any impulse.

use crate::dissipation::Dissipation;
use crate::outer::longest;
use crate::problem::Problem;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SupportedConeT};
use nalgebra::{DMatrix, DVector};

/// Contacts up to which all sets are tried.
const EXACT: usize = 12;
/// ε, over the size of the rows, that counts as none.
const NONE: f64 = 1e-7;

/// A set of contacts that balance each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jam {
    /// The contacts whose forces balance.
    pub holding: Vec<usize>,
    /// Contacts that may then go on approaching; none if the balance does no harm.
    pub stuck: Vec<usize>,
}

/// What is known about the ends of all solutions. Contacts are those of the [`Problem`].
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// Whether the contacts are in 𝒩 (eq. 25); none if there are too many to try all sets.
    pub in_n: Option<bool>,
    /// ε of the cone program, 1/√kg; positive proves that solutions end.
    pub epsilon: f64,
    /// The direction v* as joint velocities (unit kinetic norm) that proves it; empty if none does.
    pub direction: Vec<f64>,
    /// Bound S on the sum of normal impulses (Theorem 8), N s: from ε, or from cells where planar contacts balance without harm.
    pub impulse_bound: Option<f64>,
    /// How fast energy falls, if ε proves it.
    pub dissipation: Option<Dissipation>,
    /// Sets of contacts that balance each other, smallest only.
    pub balanced: Vec<Jam>,
}

impl Certificate {
    /// Whether every solution ends (Theorem 8).
    pub fn terminates(&self) -> bool {
        self.in_n == Some(true)
    }

    /// The jams: balanced sets that may keep another contact approaching for ever.
    pub fn jams(&self) -> impl Iterator<Item = &Jam> {
        self.balanced.iter().filter(|jam| !jam.stuck.is_empty())
    }
}

/// Computes the certificate of an impact.
pub fn certify(problem: &Problem) -> Certificate {
    let m = problem.contacts();
    let (b, y) = problem.minimal();
    let all: Vec<usize> = (0..m).collect();
    let mut certificate = Certificate {
        in_n: Some(true),
        epsilon: 0.0,
        direction: Vec::new(),
        impulse_bound: Some(0.0),
        dissipation: None,
        balanced: Vec::new(),
    };
    if m == 0 {
        return certificate;
    }
    let (epsilon, direction) = widest(problem, &b, &all);
    if epsilon > NONE * b.amax() {
        // In mass coordinates rows are √(impulse scale) larger: W = J M⁻¹ Jᵀ was divided by its largest entry.
        let unit = (problem.speed / problem.impulse).sqrt();
        certificate.epsilon = epsilon * unit;
        certificate.dissipation = Some(Dissipation::new(problem, &b, epsilon, unit));
        certificate.impulse_bound = y.map(|y| problem.impulse * (y.norm() - direction.dot(&y)) / epsilon);
        certificate.direction = joint_velocity(problem, &b, &direction);
        return certificate;
    }
    certificate.impulse_bound = None;
    if m > EXACT {
        certificate.in_n = None;
        return certificate;
    }
    // Sets by size: a set that holds a balanced one is not a smallest.
    let mut masks: Vec<u32> = (1..1u32 << m).collect();
    masks.sort_by_key(|mask| (mask.count_ones(), *mask));
    let mut found: Vec<u32> = Vec::new();
    for mask in masks {
        if mask.count_ones() as usize > b.ncols() + 1 {
            break;
        }
        if found.iter().any(|f| mask & f == *f) {
            continue;
        }
        let holding: Vec<usize> = (0..m).filter(|c| mask >> c & 1 == 1).collect();
        let (epsilon, _) = widest(problem, &b, &holding);
        if epsilon > NONE * b.amax() {
            continue;
        }
        found.push(mask);
        let stuck = all.iter().copied().filter(|c| mask >> c & 1 == 0);
        let stuck = stuck.filter(|&c| free_to_approach(problem, &b, &holding, c)).collect();
        certificate.balanced.push(Jam { holding, stuck });
    }
    certificate.in_n = Some(certificate.balanced.iter().all(|jam| jam.stuck.is_empty()));
    if certificate.terminates() && problem.planar() {
        certificate.impulse_bound = longest(problem, &b).map(|s| problem.impulse * s);
    }
    certificate
}

/// Whether J_S v = 0 leaves the normal velocity of contact c free.
fn free_to_approach(problem: &Problem, b: &DMatrix<f64>, holding: &[usize], c: usize) -> bool {
    let (side, t) = (problem.side(), problem.tangents);
    let mut basis: Vec<DVector<f64>> = Vec::new();
    let mut outside = |row: DVector<f64>, keep: bool| {
        let size = row.norm();
        let mut rest = row;
        for _ in 0..2 {
            for q in &basis {
                rest -= q * q.dot(&rest);
            }
        }
        let left = rest.norm();
        let out = left > 1e-8 * size.max(1e-300);
        if keep && out {
            basis.push(rest / left);
        }
        out
    };
    for &s in holding {
        let tangents = if problem.mu[s] > 0.0 { 0..side } else { t..side };
        for k in tangents {
            outside(b.row(s * side + k).transpose(), true);
        }
    }
    outside(b.row(c * side + t).transpose(), false)
}

/// The unit direction y with the largest least margin min_c (B_n y − μ‖B_t y‖) over a set of contacts, and the margin,
/// computed from y. A margin of zero or less means that there is none.
fn widest(problem: &Problem, b: &DMatrix<f64>, set: &[usize]) -> (f64, DVector<f64>) {
    let (side, t, r) = (problem.side(), problem.tangents, b.ncols());
    // Unknowns (y, ε). Cones: (B_n y − ε, μ B_t y) for each contact, (1, y).
    let rows = set.len() * side + r + 1;
    let mut a = DMatrix::zeros(rows, r + 1);
    let mut right = vec![0.0; rows];
    let mut cones = Vec::new();
    for (k, &c) in set.iter().enumerate() {
        let at = k * side;
        a.view_mut((at, 0), (1, r)).copy_from(&(-b.row(c * side + t)));
        a[(at, r)] = 1.0;
        for tangent in 0..t {
            a.view_mut((at + 1 + tangent, 0), (1, r))
                .copy_from(&(-problem.mu[c] * b.row(c * side + tangent)));
        }
        cones.push(SupportedConeT::SecondOrderConeT(side));
    }
    let at = set.len() * side;
    right[at] = 1.0;
    for k in 0..r {
        a[(at + 1 + k, k)] = -1.0;
    }
    cones.push(SupportedConeT::SecondOrderConeT(r + 1));
    let mut cost = vec![0.0; r + 1];
    cost[r] = -1.0;
    let none = (0.0, DVector::zeros(r));
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build();
    let Ok(settings) = settings else { return none };
    let p = CscMatrix::zeros((r + 1, r + 1));
    let Ok(mut solver) = DefaultSolver::new(&p, &cost, &sparse(&a), &right, &cones, settings) else {
        return none;
    };
    solver.solve();
    let y = DVector::from_column_slice(&solver.solution.x[..r]);
    let size = y.norm();
    if !(size > 1e-6 && size.is_finite()) {
        return none;
    }
    let y = y / size;
    let margin = set
        .iter()
        .map(|&c| {
            let row = |k: usize| b.row(c * side + k).transpose().dot(&y);
            let slip = (0..t).map(|k| row(k).powi(2)).sum::<f64>().sqrt();
            row(t) - problem.mu[c] * slip
        })
        .fold(f64::INFINITY, f64::min);
    (margin, y)
}

pub(crate) fn sparse(a: &DMatrix<f64>) -> CscMatrix<f64> {
    let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for column in a.column_iter() {
        for (i, &x) in column.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            rows.push(i);
            values.push(x);
        }
        starts.push(rows.len());
    }
    CscMatrix::new(a.nrows(), a.ncols(), starts, rows, values)
}

/// A direction of minimal coordinates as joint velocities of unit kinetic norm vᵀMv = 1.
fn joint_velocity(problem: &Problem, b: &DMatrix<f64>, y: &DVector<f64>) -> Vec<f64> {
    let v = problem.joint_map(b) * y;
    let size = (2.0 * problem.instant.kinetic_energy(&v)).sqrt();
    (v / size).as_slice().to_vec()
}
