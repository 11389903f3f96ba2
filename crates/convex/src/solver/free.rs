//! Free bodies in the coordinates that everybody uses: v = [linear in world axes; angular in body axes].
//!
//! Their Jacobian at their own origin is J = [0 R; I 0]. What is worked out for a general J elsewhere
//! ([`super::transform`]) is a few products of 3×3 matrices for these, and a pile consists of them.

use crate::spatial::V6;

/// R by columns.
type M3 = [[f64; 3]; 3];

/// R of a 6×6 Jacobian of this form, column-major; none for any other.
#[inline]
pub fn rotation(j: &[f64; 36]) -> Option<M3> {
    let mut odd = false;
    for c in 0..3 {
        for i in 0..3 {
            odd |= (j[6 * c + i] != 0.0) | (j[6 * (3 + c) + 3 + i] != 0.0);
            odd |= j[6 * c + 3 + i] != f64::from(u8::from(i == c));
        }
    }
    let column = |k: usize| [j[6 * (3 + k)], j[6 * (3 + k) + 1], j[6 * (3 + k) + 2]];
    (!odd).then(|| [column(0), column(1), column(2)])
}

/// Whether R Rᵀ = I to rounding.
#[inline]
pub fn is_orthogonal(r: &M3) -> bool {
    let mut worst = 0.0f64;
    for i in 0..3 {
        for j in 0..=i {
            let unit = f64::from(u8::from(i == j));
            let product = r[2][i].mul_add(r[2][j], r[1][i].mul_add(r[1][j], r[0][i].mul_add(r[0][j], -unit)));
            worst = worst.max(product.abs());
        }
    }
    worst <= 1e-14
}

/// J v.
#[inline]
pub fn twist(r: &M3, v: &[f64]) -> V6 {
    let w = |i: usize| r[2][i].mul_add(v[5], r[1][i].mul_add(v[4], r[0][i] * v[3]));
    [w(0), w(1), w(2), v[0], v[1], v[2]]
}

/// J A Jᵀ = [R A_aa Rᵀ, R A_al; A_la Rᵀ, A_ll], symmetric to the last bit.
#[inline]
pub fn similarity(r: &M3, a: &[f64]) -> [f64; 36] {
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
pub fn delassus(r: &M3, a: &[f64]) -> [f64; 36] {
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
    use super::super::transform;
    use super::*;
    use nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_short_forms_are_the_general_ones(
            turn in prop::array::uniform3(-3.0f64..3.0), seed in prop::collection::vec(-1.0f64..1.0, 42),
        ) {
            let q = UnitQuaternion::from_scaled_axis(Vector3::from(turn));
            let rotated = q.to_rotation_matrix();
            let mut j = Matrix6::zeros();
            j.fixed_view_mut::<3, 3>(0, 3).copy_from(rotated.matrix());
            j.fixed_view_mut::<3, 3>(3, 0).fill_with_identity();
            let b = Matrix6::from_column_slice(&seed[..36]);
            let a = b * b.transpose() + Matrix6::identity();
            let (flat, a): ([f64; 36], [f64; 36]) =
                (j.as_slice().try_into().unwrap(), a.as_slice().try_into().unwrap());
            let r = rotation(&flat).expect("a free body");
            prop_assert!(is_orthogonal(&r) && transform::is_orthogonal(&flat));
            let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-13 * (1.0 + y.abs()));
            prop_assert!(near(&similarity(&r, &a), &transform::similarity(&flat, &a)));
            prop_assert!(near(&delassus(&r, &a), &transform::body_delassus(&flat, &a, 6)));
            let v = Vector6::from_column_slice(&seed[36..]);
            prop_assert!(near(&twist(&r, v.as_slice()), (j * v).as_slice()));
            let mut skewed = flat;
            skewed[19] += 1e-3;
            prop_assert!(!is_orthogonal(&rotation(&skewed).expect("the same zeros")));
            skewed[4] = 1e-9;
            prop_assert!(rotation(&skewed).is_none());
        }
    }
}
