//! Free bodies, with velocities v = [linear in world axes; angular in body axes].
//!
//! Their Jacobian at their own origin is J = [0 R; I 0], which is orthogonal: u = J v is their world twist, and v = Jᵀ u.
//! Projections need only a few products of 3×3 matrices, instead of the larger products for a link of a tree.

use crate::spatial::V6;
use stiction_base::fused::Fused;

/// R by columns.
pub type Rotation = [[f64; 3]; 3];

/// Largest entry of R Rᵀ − I.
pub fn skewness(r: &Rotation) -> f64 {
    let mut worst = 0.0f64;
    for i in 0..3 {
        for j in 0..=i {
            let unit = f64::from(u8::from(i == j));
            let product = r[2][i].fused(r[2][j], r[1][i].fused(r[1][j], r[0][i].fused(r[0][j], -unit)));
            worst = worst.max(product.abs());
        }
    }
    worst
}

/// J v.
#[inline]
pub fn twist(r: &Rotation, v: &[f64]) -> V6 {
    let w = |i: usize| r[2][i].fused(v[5], r[1][i].fused(v[4], r[0][i] * v[3]));
    [w(0), w(1), w(2), v[0], v[1], v[2]]
}

/// Jᵀ u, the velocities of a world twist.
#[inline]
pub fn velocities(r: &Rotation, u: &[f64], out: &mut [f64]) {
    for i in 0..3 {
        out[i] = u[3 + i];
        out[3 + i] = r[i][2].fused(u[2], r[i][1].fused(u[1], r[i][0] * u[0]));
    }
}

/// J A Jᵀ = [R A_aa Rᵀ, R A_al; A_la Rᵀ, A_ll], symmetric to the last bit.
#[inline]
pub fn similarity(r: &Rotation, a: &[f64]) -> [f64; 36] {
    let mut out = [0.0; 36];
    for c in 0..3 {
        for i in 0..3 {
            let product = |row: usize, column: usize| r[row][i] * a[3 + row + 6 * column];
            let tl = product(0, c) + product(1, c) + product(2, c);
            out[i + 6 * (3 + c)] = tl;
            out[3 + c + 6 * i] = tl;
            out[3 + i + 6 * (3 + c)] = a[i + 6 * c];
        }
    }
    // R A_aa, then times Rᵀ.
    let mut ra = [[0.0; 3]; 3];
    for c in 0..3 {
        for i in 0..3 {
            ra[c][i] = (0..3).map(|k| r[k][i] * a[3 + k + 6 * (3 + c)]).sum();
        }
    }
    for c in 0..3 {
        for i in c..3 {
            let x = ra[0][i] * r[0][c] + ra[1][i] * r[1][c] + ra[2][i] * r[2][c];
            out[i + 6 * c] = x;
            out[c + 6 * i] = x;
        }
    }
    out
}

/// J diag(A)⁻¹ Jᵀ.
#[inline]
pub fn delassus(r: &Rotation, a: &[f64]) -> [f64; 36] {
    let mut out = [0.0; 36];
    let inverse: V6 = std::array::from_fn(|i| 1.0 / a[7 * i]);
    for c in 0..3 {
        for i in c..3 {
            let x = (0..3).map(|k| r[k][i] * (r[k][c] * inverse[3 + k])).sum();
            out[i + 6 * c] = x;
            out[c + 6 * i] = x;
        }
        out[3 + c + 6 * (3 + c)] = inverse[c];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_short_forms_are_those_of_the_jacobian(
            turn in prop::array::uniform3(-3.0f64..3.0), seed in prop::collection::vec(-1.0f64..1.0, 42),
        ) {
            let rotated = UnitQuaternion::from_scaled_axis(Vector3::from(turn)).to_rotation_matrix();
            let mut j = Matrix6::zeros();
            j.fixed_view_mut::<3, 3>(0, 3).copy_from(rotated.matrix());
            j.fixed_view_mut::<3, 3>(3, 0).fill_with_identity();
            let b = Matrix6::from_column_slice(&seed[..36]);
            let a = b * b.transpose() + Matrix6::identity();
            let r: Rotation = rotated.into_inner().into();
            prop_assert!(skewness(&r) <= 1e-14);
            let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-13 * (1.0 + y.abs()));
            prop_assert!(near(&similarity(&r, a.as_slice()), (j * a * j.transpose()).as_slice()));
            let inverse = Matrix6::from_diagonal(&a.diagonal().map(|x| 1.0 / x));
            prop_assert!(near(&delassus(&r, a.as_slice()), (j * inverse * j.transpose()).as_slice()));
            let v = Vector6::from_column_slice(&seed[36..]);
            let u = twist(&r, v.as_slice());
            prop_assert!(near(&u, (j * v).as_slice()));
            let mut back = [0.0; 6];
            velocities(&r, &u, &mut back);
            prop_assert!(near(&back, v.as_slice()));
        }
    }
}
