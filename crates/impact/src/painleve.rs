//! An impact without a collision: contacts that slide and are pressed, and that no finite force keeps from overlapping.
//!
//! At a velocity with u_n = 0 at the touching contacts, forces must keep a_n = b_n + Σ W f ≥ 0, with f = λ (−μ û_t, 1) at contacts that slip, λ ≥ 0 ⟂ a_n. b is the normal acceleration without contact forces. Every set of contacts that may carry
//! force is tried. If none works, an impulse must change the velocity although nothing approaches (Painlevé; MFI, footnote 1).

use crate::problem::Problem;
use nalgebra::{DMatrix, DVector};

/// Contacts up to which all sets are tried.
const MOST: usize = 10;

/// The contacts of the problem whose slip presses them together, if no finite force keeps the touching contacts from overlapping; none if one
/// does, if nothing slides and presses, or if a touching contact sticks or there are too many contacts to try. `acceleration` is that of the instant's contacts along
/// their normals without contact forces, m/s².
pub fn impact_without_collision(problem: &Problem, acceleration: &[f64]) -> Option<Vec<usize>> {
    let (side, t, n) = (problem.side(), problem.tangents, problem.rows());
    if problem.approaches() {
        return None;
    }
    let touching: Vec<usize> = (0..problem.contacts())
        .filter(|&c| problem.normal(&problem.u, c).abs() <= crate::TOLERANCE)
        .collect();
    let slip = |c: usize| (0..t).map(|k| problem.u[c * side + k].powi(2)).sum::<f64>().sqrt();
    let slips = |c: usize| problem.mu[c] > 0.0 && slip(c) > 1e-9;
    // What friction does at contacts that stick is not known here; they count as able to hold.
    if touching.len() > MOST || touching.iter().any(|&c| !slips(c) && problem.mu[c] > 0.0) {
        return None;
    }
    // Impulse direction of a contact that slips.
    let force = |c: usize| {
        let mut f = DVector::zeros(n);
        f[c * side + t] = 1.0;
        if slips(c) {
            for k in 0..t {
                f[c * side + k] = -problem.mu[c] * problem.u[c * side + k] / slip(c);
            }
        }
        f
    };
    let w = DMatrix::from_row_slice(n, n, &problem.w);
    let presses: Vec<usize> =
        touching.iter().copied().filter(|&c| slips(c) && (&w * force(c))[c * side + t] < 0.0).collect();
    if presses.is_empty() {
        return None;
    }
    let scale = acceleration.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    if scale == 0.0 {
        return None;
    }
    let free = |c: usize| acceleration[problem.groups[c][0]] / scale;
    for mask in 0u32..1 << touching.len() {
        let acting: Vec<usize> =
            (0..touching.len()).filter(|k| mask >> k & 1 == 1).map(|k| touching[k]).collect();
        // One unknown for each contact that acts; its normal acceleration vanishes.
        let mut columns: Vec<DVector<f64>> = Vec::new();
        let mut rows: Vec<(usize, f64)> = Vec::new();
        for &c in &acting {
            columns.push(force(c));
            rows.push((c * side + t, -free(c)));
        }
        let lambda = if acting.is_empty() {
            DVector::zeros(0)
        } else {
            let a = DMatrix::from_fn(rows.len(), columns.len(), |i, j| (&w * &columns[j])[rows[i].0]);
            let b = DVector::from_iterator(rows.len(), rows.iter().map(|r| r.1));
            match a.lu().solve(&b) {
                Some(x) => x,
                None => continue,
            }
        };
        let total = columns.iter().zip(lambda.iter()).fold(DVector::zeros(n), |sum, (f, l)| sum + f * *l);
        let after = &w * total;
        let sound = lambda.iter().all(|l| *l >= -1e-12)
            && touching.iter().all(|&c| acting.contains(&c) || free(c) + after[c * side + t] >= -1e-12);
        if sound {
            return None;
        }
    }
    Some(presses)
}
