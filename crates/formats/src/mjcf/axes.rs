//! Principal axes of an inertia, with the signs and the order that MuJoCo gives them.
//!
//! An inertia fixes its axes only up to their order and signs, but sensors on bodies and on meshes speak in them. So the
//! way to them matters: Jacobi's rotations, the largest entry off the diagonal first, then quarter turns until the moments
//! fall.

use nalgebra::{Matrix3, UnitQuaternion};
use stiction_model::Vec3;

/// Entries above the diagonal and the axis across their plane.
const PLANES: [(usize, usize, usize); 3] = [(0, 1, 2), (0, 2, 1), (1, 2, 0)];
/// More rotations than any matrix needs: their convergence is quadratic.
const ROTATIONS: usize = 100;

/// Rotation from principal axes, largest moment first, to the axes of `inertia`.
pub fn principal_axes(inertia: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let turned = |by: &UnitQuaternion<f64>| {
        let r = by.to_rotation_matrix();
        r.transpose() * inertia * r
    };
    let mut axes = UnitQuaternion::identity();
    for _ in 0..ROTATIONS {
        let d = turned(&axes);
        let size = |k: usize| d[(PLANES[k].0, PLANES[k].1)].abs();
        let largest = match (size(0) > size(1) && size(0) > size(2), size(1) > size(2)) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        let (i, j, axis) = PLANES[largest];
        if size(largest).is_nan() || size(largest) <= 1e-15 * d.abs().max() {
            break;
        }
        // The smaller of the two angles φ with tan 2φ = 2 d_ij/(d_ii − d_jj).
        let rise = d[(j, j)] - d[(i, i)];
        let angle = 0.5 * (2.0 * d[(i, j)].abs()).atan2(rise.abs());
        let falls = rise / d[(i, j)] >= 0.0;
        // The plane of z and x turns the other way round.
        let by = if falls == (axis == 1) { angle } else { -angle };
        axes *= UnitQuaternion::from_scaled_axis(Vec3::ith(axis, by));
    }
    let mut moments = turned(&axes).diagonal();
    for step in 0..3 {
        let k = step % 2;
        if moments[k] < moments[k + 1] * (1.0 - 1e-12) {
            moments.swap_rows(k, k + 1);
            axes *= UnitQuaternion::from_scaled_axis(Vec3::ith((k + 2) % 3, std::f64::consts::FRAC_PI_2));
        }
    }
    axes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The moments fall, nothing is left off the diagonal, and the axes are a rotation.
        #[test]
        fn the_inertia_is_diagonal_in_its_axes(x in prop::array::uniform6(-1.0..1.0f64), scale in -6.0..3.0f64) {
            let half = Matrix3::new(x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5]);
            let inertia = half * half.transpose() * 10f64.powf(scale);
            let r = principal_axes(&inertia).to_rotation_matrix();
            let d = r.transpose() * inertia * r;
            let size = inertia.abs().max();
            for (i, j, _) in PLANES {
                prop_assert!(d[(i, j)].abs() <= 1e-13 * size);
                prop_assert!(d[(i, i)] >= d[(j, j)] - 1e-11 * size);
            }
        }
    }

    /// What MuJoCo 4.0 prints as `body_iquat` for these `fullinertia`.
    #[test]
    fn order_and_signs_are_those_of_mujoco() {
        let cases = [
            ([1.0, 2.0, 2.5, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0]),
            ([1.0, 2.0, 2.5, 0.0, 0.0, 0.1], [0.06716326, 0.70390986, 0.06716326, 0.70390986]),
            ([2.0, 3.0, 4.0, 0.3, -0.2, 0.5], [0.25392502, 0.64733112, 0.00764804, 0.71862787]),
            ([4.0, 3.0, 2.0, -0.3, 0.2, 0.5], [0.96929803, 0.20972763, -0.04279358, -0.1210139]),
            ([2.0, 2.0, 2.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]),
        ];
        for ([xx, yy, zz, xy, xz, yz], [w, x, y, z]) in cases {
            let axes = principal_axes(&Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz));
            let want = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
            assert!(axes.angle_to(&want) < 1e-6, "{axes} is not {want}");
        }
    }
}
