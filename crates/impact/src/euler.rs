//! Brute force: explicit Euler integration of the inclusion with tiny steps and random rates.
//!
//! v ← v + ds·f, f ∈ F(v) (MFI eq. 16). Slip direction and activity are those before the step, so sticking chatters within
//! the step's size; the solution set converges (Aubin and Cellina), slowly. It shares nothing with the capped steps but
//! W, and is here to compare them with.

use crate::problem::Problem;
use crate::sampling::hash;
use stiction_base::random::unit;

/// Velocities after `count` Euler solutions with steps of `step` (in units of the impulse that stops the fastest approach at the
/// contact with the largest W_nn alone), nv each. Contacts within `slack`·step of touching speed zero count as active.
pub fn euler(problem: &Problem, count: usize, step: f64, seed: u64) -> Vec<f64> {
    let (n, side, m) = (problem.rows(), problem.side(), problem.contacts());
    let t = problem.tangents;
    let fastest = (0..m).map(|c| -problem.normal(&problem.u, c)).fold(0.0, f64::max);
    let ds = step * fastest;
    let nv = problem.instant.nv();
    let mut all = vec![0.0; count * nv];
    let mut expanded = vec![0.0; 3 * problem.instant.contacts()];
    for (i, out) in all.chunks_exact_mut(nv.max(1)).enumerate() {
        let mut draw = Draw { seed: hash(seed, i as u64), k: 0 };
        let mut u = problem.u.clone();
        let mut total = vec![0.0; n];
        let mut rates = vec![0.0; m];
        let mut left = 0.0;
        for _ in 0..(1e4 / step) as usize {
            if (0..m).all(|c| problem.normal(&u, c) >= 0.0) {
                break;
            }
            if left <= 0.0 {
                // A random face of the simplex of rates, then a random point on it.
                for r in rates.iter_mut() {
                    *r = if draw.next() < 0.4 { 0.0 } else { -draw.next().max(1e-300).ln() };
                }
                left = -0.5 * draw.next().max(1e-300).ln();
            }
            left -= step;
            // Touching contacts, those at rest included (cl P_c).
            let active = |c: usize| problem.normal(&u, c) <= 0.5 * ds;
            let sum: f64 = (0..m).filter(|&c| active(c)).map(|c| rates[c]).sum();
            let approaching = (0..m).any(|c| problem.normal(&u, c) < 0.0 && rates[c] > 0.0);
            if sum <= 0.0 || !approaching {
                left = 0.0;
                continue;
            }
            let mut change = vec![0.0; n];
            for c in (0..m).filter(|&c| active(c)) {
                let share = rates[c] / sum * ds;
                let slip = (0..t).map(|k| u[c * side + k].powi(2)).sum::<f64>().sqrt();
                // Within a step of rest friction takes what is needed to stop, at most μ.
                let stop = problem.mu[c] * share * problem.w[(c * side) * n + c * side];
                let strength = problem.mu[c] * (slip / stop.max(1e-300)).min(1.0);
                for k in 0..t {
                    if slip > 0.0 {
                        change[c * side + k] = -strength * share * u[c * side + k] / slip;
                    }
                }
                change[c * side + t] = share;
            }
            for (k, &l) in change.iter().enumerate() {
                if l != 0.0 {
                    total[k] += l;
                    for (u, w) in u.iter_mut().zip(&problem.w[k * n..(k + 1) * n]) {
                        *u += l * w;
                    }
                }
            }
        }
        problem.expand(&total, &mut expanded);
        problem.velocity_after(&expanded, out);
    }
    all
}

struct Draw {
    seed: u64,
    k: u64,
}

impl Draw {
    fn next(&mut self) -> f64 {
        self.k += 1;
        unit(hash(self.seed, self.k))
    }
}
