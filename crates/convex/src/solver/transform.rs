//! Small matrix operations of the compilation: shifts and Delassus estimates.

use crate::spatial::{V3, V6, cross};

/// J diag(A)⁻¹ Jᵀ (6×6, column-major) of a 6×n Jacobian, with the elementwise diagonal of A.
pub fn body_delassus(jacobian: &[f64], a: &[f64], n: usize) -> [f64; 36] {
    let mut k = [0.0; 36];
    for (c, column) in jacobian.chunks_exact(6).enumerate() {
        add_delassus(&mut k, column.try_into().expect("six rows"), a[c + n * c]);
    }
    k
}

/// K += j jᵀ / a for one column.
#[inline(always)]
pub fn add_delassus(k: &mut [f64; 36], column: &V6, a: f64) {
    let inverse = 1.0 / a;
    for j in 0..6 {
        let s = inverse * column[j];
        for i in 0..6 {
            k[i + 6 * j] += column[i] * s;
        }
    }
}

/// Moves the reference point of every column (a twist) of a 6×n matrix by `p`.
pub fn shift_columns(matrix: &mut [f64], p: V3) {
    for column in matrix.chunks_exact_mut(6) {
        let c = cross([column[0], column[1], column[2]], p);
        for i in 0..3 {
            column[3 + i] += c[i];
        }
    }
}

/// Drake's diagonal estimate w = ‖E K Eᵀ‖_F/3 of the Delassus operator at a point, E = [−r× I] (1/kg). The
/// Frobenius norm does not depend on the axes, so that no contact frame is needed.
pub fn point_delassus(k: &[f64; 36], r: V3) -> f64 {
    // M = E K, row by row: rows of K mixed, 3×6; then E M.
    let mut sum = 0.0;
    let mut m = [[0.0; 6]; 3];
    for j in 0..6 {
        let column = &k[6 * j..6 * j + 6];
        let c = cross([column[0], column[1], column[2]], r);
        for i in 0..3 {
            m[i][j] = column[3 + i] + c[i];
        }
    }
    for m in m {
        let c = cross([m[0], m[1], m[2]], r);
        for i in 0..3 {
            sum += (m[3 + i] + c[i]).powi(2);
        }
    }
    sum.sqrt() / 3.0
}
