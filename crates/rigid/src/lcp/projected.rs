//! Projected Gauss–Seidel: slow, but it asks for nothing but positive diagonals.

use nalgebra::{DMatrix, DVector};

/// Sweeps until nothing moves; returns the number of sweeps. Rows without a positive diagonal stay at zero.
pub fn sweep(m: &DMatrix<f64>, q: &DVector<f64>, z: &mut DVector<f64>, limit: usize) -> usize {
    let n = q.len();
    let mut w = m * &*z + q;
    for count in 1..=limit {
        let mut moved: f64 = 0.0;
        for i in 0..n {
            let d = m[(i, i)];
            if d <= 0.0 {
                continue;
            }
            let next = (z[i] - w[i] / d).max(0.0);
            let change = next - z[i];
            if change != 0.0 {
                z[i] = next;
                w.axpy(change, &m.column(i), 1.0);
                moved = moved.max(change.abs());
            }
        }
        if moved <= 1e-15 * z.amax() {
            return count;
        }
    }
    limit
}
