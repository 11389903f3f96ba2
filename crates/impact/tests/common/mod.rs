//! Mechanisms for the tests.
#![allow(dead_code)]

pub mod soak;

use nalgebra::{DMatrix, DVector, Vector2};
use stiction_base::random::Random;
use stiction_impact::Problem;
use stiction_rigid::Instant;

/// A body in the plane, coordinates (x, z, ω counter-clockwise), with contacts at `corners` (x, z from the centre of mass),
/// each with a normal at `angle` from the vertical (clockwise) and a friction coefficient.
pub fn planar_body(mass: f64, inertia: f64, corners: &[(f64, f64, f64, f64)], velocity: [f64; 3]) -> Instant {
    let mut jacobian = DMatrix::zeros(3 * corners.len(), 3);
    for (k, &(x, z, angle, _)) in corners.iter().enumerate() {
        let (sin, cos) = angle.sin_cos();
        // Velocity of the point: (v_x − ω z, v_z + ω x).
        for (row, (dx, dz)) in [(3 * k, (cos, -sin)), (3 * k + 2, (sin, cos))] {
            jacobian.row_mut(row).copy_from_slice(&[dx, dz, -z * dx + x * dz]);
        }
    }
    Instant::from_matrices(
        DMatrix::from_diagonal(&DVector::from_vec(vec![mass, mass, inertia])),
        jacobian,
        corners.iter().map(|c| Vector2::repeat(c.3)).collect(),
        DVector::from_column_slice(&velocity),
    )
    .unwrap()
}

/// The upright block of the theory notes: 1 wide, 2 tall, m = 1, I = 5/12, μ = 1, both bottom corners land at 1 m/s.
pub fn block() -> Instant {
    planar_body(1.0, 5.0 / 12.0, &[(-0.5, -1.0, 0.0, 1.0), (0.5, -1.0, 0.0, 1.0)], [0.0, -1.0, 0.0])
}

/// A random mechanism with `m` contacts: mass matrix and rows drawn, the velocity approaching at one contact at least.
pub fn random_instant(seed: u64, m: usize, nv: usize, planar: bool) -> Instant {
    let r = &mut Random(seed);
    loop {
        let root = DMatrix::from_fn(nv, nv, |i, j| r.range(-0.5, 0.5) + if i == j { 1.0 } else { 0.0 });
        let mass = &root * root.transpose() + DMatrix::identity(nv, nv) * 0.1;
        let mut jacobian = DMatrix::from_fn(3 * m, nv, |_, _| r.range(-1.0, 1.0));
        if planar {
            for c in 0..m {
                jacobian.row_mut(3 * c + 1).fill(0.0);
            }
        }
        // Normals share a direction, as those of feet on a floor do.
        for c in 0..m {
            jacobian[(3 * c + 2, 0)] += 2.0;
        }
        let friction = (0..m)
            .map(|_| Vector2::repeat(if r.modulo(4) == 0 { 0.0 } else { r.range(0.05, 1.2) }))
            .collect();
        let velocity = DVector::from_fn(nv, |i, _| r.range(-1.0, 1.0) - if i == 0 { 1.0 } else { 0.0 });
        let instant = Instant::from_matrices(mass, jacobian, friction, velocity).unwrap();
        if Problem::new(&instant).unwrap().approaches() {
            return instant;
        }
    }
}

/// A free body of unit mass, radii of gyration 0.4 m, on four feet at (±a, ±a) below its centre, at height 0.5 m; friction
/// `mu`; velocity [linear; angular] of the centre.
#[allow(dead_code)]
pub fn table(a: f64, mu: f64, velocity: [f64; 6]) -> Instant {
    let mut rows = Vec::new();
    for (x, y) in [(a, a), (-a, a), (-a, -a), (a, -a)] {
        let z = -0.5;
        // Velocity of the foot: v + ω × r.
        rows.extend([1.0, 0.0, 0.0, 0.0, z, -y]);
        rows.extend([0.0, 1.0, 0.0, -z, 0.0, x]);
        rows.extend([0.0, 0.0, 1.0, y, -x, 0.0]);
    }
    Instant::from_matrices(
        DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 1.0, 0.16, 0.16, 0.16])),
        DMatrix::from_row_slice(12, 6, &rows),
        vec![Vector2::repeat(mu); 4],
        DVector::from_column_slice(&velocity),
    )
    .expect("a sound table")
}

/// A compass walker at the landing of its swing foot: hip 10 kg, legs 5 kg at half their length of 1 m, at ±alpha from the vertical; the stance
/// foot rests on the floor, the swing leg turns at `ratio` times the stance leg's rate of −1 rad/s; friction 1.
pub fn compass(alpha_deg: f64, ratio: f64) -> Instant {
    let alpha = alpha_deg.to_radians();
    let point = |angle: f64, leg: usize, r: f64| {
        let mut rows = DMatrix::zeros(2, 4);
        (rows[(0, 0)], rows[(1, 1)]) = (1.0, 1.0);
        (rows[(0, 2 + leg)], rows[(1, 2 + leg)]) = (r * angle.cos(), r * angle.sin());
        rows
    };
    let mut mass = DMatrix::zeros(4, 4);
    (mass[(0, 0)], mass[(1, 1)]) = (10.0, 10.0);
    let mut jacobian = DMatrix::zeros(6, 4);
    for (leg, angle) in [-alpha, alpha].into_iter().enumerate() {
        let rows = point(angle, leg, 0.5);
        mass += 5.0 * rows.tr_mul(&rows);
        let foot = point(angle, leg, 1.0);
        jacobian.row_mut(3 * leg).copy_from(&foot.row(0));
        jacobian.row_mut(3 * leg + 2).copy_from(&foot.row(1));
    }
    let foot = point(-alpha, 0, 1.0);
    let v = DVector::from_vec(vec![foot[(0, 2)], foot[(1, 2)], -1.0, -ratio]);
    Instant::from_matrices(mass, jacobian, vec![Vector2::repeat(1.0); 2], v).unwrap()
}

/// MFI Fig. 4: a box of 2 m × 1 m and 1 kg, tilted counter-clockwise, slides to the right at 1 m/s on its lowest corner (friction `mu`) and meets
/// a wall without friction with its rightmost corner.
pub fn sliding_box(tilt_deg: f64, mu: f64) -> Instant {
    let (s, c) = tilt_deg.to_radians().sin_cos();
    let corner = |x: f64, z: f64| (x * c - z * s, x * s + z * c);
    let (a, b) = (corner(-1.0, -0.5), corner(1.0, -0.5));
    let wall = -std::f64::consts::FRAC_PI_2;
    planar_body(1.0, 5.0 / 12.0, &[(a.0, a.1, 0.0, mu), (b.0, b.1, wall, 0.0)], [1.0, 0.0, 0.0])
}

/// MFI Fig. 3: a rimless wheel of 1 kg, inertia 0.1 kg m², with two feet at 1 m and ±22.5°, friction 1, falls at 1 m/s.
pub fn wheel() -> Instant {
    let (s, c) = 22.5f64.to_radians().sin_cos();
    planar_body(1.0, 0.1, &[(-s, -c, 0.0, 1.0), (s, -c, 0.0, 1.0)], [0.0, -1.0, 0.0])
}
