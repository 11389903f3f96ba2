//! Strict dissipation with numbers: a function α(s) as in MFI Definition 4, and the exit bound of Lemma 9.
//!
//! In mass coordinates let |v(0)| = 1, and let v stay in P_C over [0, s]. Let v* be the certificate's unit direction, v*·f ≥ ε for every force f
//! of eq. 16, ρ the largest |f|, κ the largest ‖J_n‖ + μ‖J_t‖ of a contact. Over an interval of length ℓ with end b, Δ = v(b) − v(a) has
//!
//! ```text
//! |Δ| ≥ v*·Δ ≥ ε ℓ,     energy lost = ½|Δ|² − v(b)·Δ,     v(b)·Δ = Σ_c Λ_c · J_c v(b)          (1)
//! ```
//!
//! Take intervals s_0 = s, s_{j+1} = θ s_j with one end b and θ = ε²/(8κρ), and slip speeds σ_j with μσ_j = ε² s_j/8. At level j some contacts are left
//! out. If each of the others acts in the last s_{j+1} at a time at which it slips by no more than σ_j, then u_n(b) ≤ ‖J_n‖ρ s_{j+1} and
//! |u_t(b)| ≤ σ_j + ‖J_t‖ρ s_{j+1}, because v moves by no more than ρ s_{j+1}, and its part of (1) is at most Λ_n ε² s_j/4. Otherwise one contact is left out at
//! level j + 1: without friction it never acts there; with friction it slips by more than σ_j whenever it acts, so an energy loss δ
//! allows it an impulse of δ/(μσ_j) at most, whose part of (1) is at most κ times that. Hence, with f_j the number of contacts with friction among j at most,
//!
//! ```text
//! δ ≥ ¼ ε² s_j² / (1 + κ Σ_{i<j} 1/(μσ_i))    for a j < m,    or    δ ≥ s_m / Σ_{i<m} 1/(μσ_i),
//! ```
//!
//! the last if all are left out: together they still take the impulse s_m. α(s) = 1 − √(1 − 2δ) with the least of these. No solution stays in P_C
//! beyond s = 2/ε, where α may be 1. Lemma 9 then bounds the exit by S/α(S) for every S. The constants shrink fast with the number of contacts; the
//! direct bound of [`crate::certify`] is always better. What this shows is that energy falls at a rate that is known.

use crate::problem::Problem;
use nalgebra::DMatrix;

/// The numbers of α(s), in mass coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dissipation {
    /// ε of the certificate, 1/√kg.
    pub epsilon: f64,
    /// Largest force per normal impulse, 1/√kg.
    pub rho: f64,
    /// Largest ‖J_n‖ + μ‖J_t‖, 1/√kg.
    pub kappa: f64,
    /// Number of contacts.
    pub contacts: usize,
    /// Number of contacts with friction.
    pub frictional: usize,
}

impl Dissipation {
    /// From rows `b` of minimal coordinates in units of `unit`, with ε in the same units.
    pub(crate) fn new(problem: &Problem, b: &DMatrix<f64>, epsilon: f64, unit: f64) -> Self {
        let (side, t) = (problem.side(), problem.tangents);
        let (mut rho, mut kappa): (f64, f64) = (0.0, 0.0);
        for (c, mu) in problem.mu.iter().enumerate() {
            let normal = b.row(c * side + t).norm();
            let tangent = b.rows(c * side, t).into_owned().singular_values().max();
            // |n − μ Jᵀû| ≤ ‖n‖ + μ‖J_t‖: both are the same number here.
            kappa = kappa.max(normal + mu * tangent);
            rho = rho.max(normal + mu * tangent);
        }
        Self {
            epsilon: epsilon * unit,
            rho: rho * unit,
            kappa: kappa * unit,
            contacts: problem.contacts(),
            frictional: problem.mu.iter().filter(|mu| **mu > 0.0).count(),
        }
    }

    /// α(s): every solution with |v(0)| = 1 (√J) that approaches all along [0, s] (√kg·m/s over √kg, the sum of normal impulses) ends with |v(s)| ≤ 1 − α(s).
    /// For another |v(0)|, α(s/|v(0)|) is the share that is lost.
    pub fn alpha(&self, s: f64) -> f64 {
        let Self { epsilon: e, rho, kappa, contacts, frictional } = *self;
        if s <= 0.0 {
            return 0.0;
        }
        if e * s > 2.0 {
            return 1.0;
        }
        let lost = if contacts == 1 && frictional == 0 {
            // The contact acts to the end, where u_n ≤ 0: δ ≥ ½ρ²s², which a slow approach reaches.
            0.5 * (rho * s).powi(2)
        } else {
            let theta = e * e / (8.0 * kappa * rho);
            let (mut length, mut slow, mut least) = (s, Vec::new(), f64::INFINITY);
            for _ in 0..contacts {
                // Those left out last have the largest 1/σ; only contacts with friction count.
                let out: f64 = slow.iter().rev().take(frictional).sum();
                least = least.min(0.25 * (e * length).powi(2) / (1.0 + kappa * out));
                slow.push(8.0 / (e * e * length));
                length *= theta;
            }
            let out: f64 = slow.iter().rev().take(frictional).sum();
            if out > 0.0 {
                least = least.min(length / out);
            }
            least
        };
        if 2.0 * lost >= 1.0 { 1.0 } else { 2.0 * lost / (1.0 + (1.0 - 2.0 * lost).sqrt()) }
    }

    /// Lemma 9: no solution with |v(0)| = 1 approaches beyond this impulse, for any S.
    pub fn exit(&self, s: f64) -> f64 {
        s / self.alpha(s)
    }
}
