//! Isotropic Coulomb friction over the points of a patch: the plain model that the networks correct.
//!
//! u⁺ = u + W λ, λ_n ≥ 0 ⟂ u_n⁺ ≥ 0, |λ_t| ≤ μ λ_n with λ_t against u_t⁺ where it slips: projected Gauss–Seidel,
//! point by point.

use crate::patch::Patch;
use nalgebra::{DVector, Vector3, Vector6};

/// What Coulomb's law gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Coulomb {
    /// Impulse of every point [t1 t2 n], over the mass, m/s.
    pub impulses: DVector<f64>,
    /// Its wrench at the centre, over the mass, m/s.
    pub wrench: Vector6<f64>,
    /// Sum of the normal impulses, over the mass, m/s.
    pub normal: f64,
    /// Friction (p₁, p₂, m_n / L) for each unit of normal impulse; zero where nothing presses.
    pub ratio: Vector3<f64>,
    /// Twist afterwards, m/s.
    pub twist: Vector6<f64>,
    /// Whether the sweeps came to rest.
    pub converged: bool,
}

const SWEEPS: usize = 400;
const TOLERANCE: f64 = 1e-7;

/// Coulomb's law with one coefficient on all points. Where sweeps do not come to rest in time, the last one counts,
/// and the answer says so.
pub fn coulomb(patch: &Patch, friction: f64) -> Coulomb {
    let k = patch.len();
    let rows = patch.rows();
    let coupled = &rows * patch.mobility;
    let w = &coupled * rows.transpose();
    let mut u = patch.velocities(&patch.twist);
    let mut x = DVector::<f64>::zeros(3 * k);
    let mut converged = false;
    for _ in 0..SWEEPS {
        let mut moved: f64 = 0.0;
        for i in 0..k {
            let (t1, t2, n) = (3 * i, 3 * i + 1, 3 * i + 2);
            let normal = (x[n] - u[n] / w[(n, n)]).max(0.0);
            let change = normal - x[n];
            if change != 0.0 {
                x[n] = normal;
                u.axpy(change, &w.column(n), 1.0);
                moved = moved.max(change.abs());
            }
            // The largest eigenvalue of the tangent block keeps the projected step a contraction.
            let (a, b, c) = (w[(t1, t1)], w[(t1, t2)], w[(t2, t2)]);
            let largest = 0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt();
            let mut next = nalgebra::Vector2::new(x[t1] - u[t1] / largest, x[t2] - u[t2] / largest);
            let (size, limit) = (next.norm(), friction * x[n]);
            if size > limit {
                next *= limit / size;
            }
            for (at, value) in [(t1, next.x), (t2, next.y)] {
                let change = value - x[at];
                if change != 0.0 {
                    x[at] = value;
                    u.axpy(change, &w.column(at), 1.0);
                    moved = moved.max(change.abs());
                }
            }
        }
        if moved <= TOLERANCE * x.amax() {
            converged = true;
            break;
        }
    }
    let wrench: Vector6<f64> = rows.tr_mul(&x).fixed_rows::<6>(0).into();
    let normal = wrench[5];
    let ratio =
        if normal > 0.0 { Vector3::new(wrench[3], wrench[4], wrench[2]) / normal } else { Vector3::zeros() };
    let twist = patch.twist + patch.mobility * wrench;
    Coulomb { impulses: x, wrench, normal, ratio, twist, converged }
}
