//! Complementarity problems: every answer is checked against the definition, not against another solver.

use nalgebra::{DMatrix, DVector, Vector2};
use proptest::prelude::*;
use stiction_base::random::Random;
use stiction_rigid::lcp::{LcpError, boxed_residual, residual, solve, solve_boxed};
use stiction_rigid::{FrictionProblem, FrictionShape, solve_friction};

fn random_matrix(r: &mut Random, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| r.sym())
}

/// z ≥ 0, w ≥ 0, z·w = 0, straight from the definition.
fn holds(m: &DMatrix<f64>, q: &DVector<f64>, z: &DVector<f64>, tolerance: f64) -> bool {
    let w = m * z + q;
    z.iter().chain(w.iter()).all(|x| *x >= -tolerance)
        && z.iter().zip(&w).all(|(z, w)| z.min(*w) <= tolerance)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positive_definite_problems_are_solved(seed in any::<u64>(), n in 1usize..12) {
        let r = &mut Random(seed);
        let root = random_matrix(r, n, n);
        let m = &root * root.transpose() + DMatrix::identity(n, n) * 0.01;
        let q = DVector::from_fn(n, |_, _| r.sym());
        let solution = solve(&m, &q).unwrap();
        prop_assert!(holds(&m, &q, &solution.z, 1e-8 * solution.z.amax().max(1.0)));
        prop_assert!(residual(&m, &q, &solution.z) <= 1e-9);
    }

    #[test]
    fn singular_problems_with_a_solution_are_solved(seed in any::<u64>(), n in 2usize..12, rank in 1usize..5) {
        let r = &mut Random(seed);
        let root = random_matrix(r, n, rank.min(n));
        let m = &root * root.transpose();
        // q = w − M z for complementary z and w: a solution exists.
        let z = DVector::from_fn(n, |i, _| if i % 2 == 0 { r.sym().abs() } else { 0.0 });
        let w = DVector::from_fn(n, |i, _| if i % 2 == 1 { r.sym().abs() } else { 0.0 });
        let q = &w - &m * &z;
        let solution = solve(&m, &q).unwrap();
        prop_assert!(holds(&m, &q, &solution.z, 1e-7 * solution.z.amax().max(1.0)));
    }

    #[test]
    fn boxed_problems_obey_their_bounds(seed in any::<u64>(), n in 1usize..10) {
        let r = &mut Random(seed);
        let root = random_matrix(r, n, n);
        let a = &root * root.transpose() + DMatrix::identity(n, n) * 0.05;
        let b = DVector::from_fn(n, |_, _| 3.0 * r.sym());
        let low = DVector::from_fn(n, |i, _| if i % 4 == 3 { f64::NEG_INFINITY } else { -r.sym().abs() });
        let high = DVector::from_fn(n, |i, _| if i % 4 >= 2 { f64::INFINITY } else { r.sym().abs() });
        let solution = solve_boxed(&a, &b, &low, &high).unwrap();
        prop_assert!(boxed_residual(&a, &b, (&low, &high), &solution.x) <= 1e-9);
        for i in 0..n {
            let (x, w) = (solution.x[i], solution.w[i]);
            prop_assert!(x >= low[i] - 1e-9 && x <= high[i] + 1e-9);
            if x > low[i] + 1e-7 { prop_assert!(w <= 1e-7); }
            if x < high[i] - 1e-7 { prop_assert!(w >= -1e-7); }
        }
    }

    #[test]
    fn friction_pyramids_and_polygons_obey_coulomb(seed in any::<u64>(), m in 1usize..5, nv in 3usize..8, corners in 0usize..3) {
        let r = &mut Random(seed);
        let j = random_matrix(r, 3 * m, nv);
        let delassus = &j * j.transpose();
        // Velocities are those of some motion.
        let v = DVector::from_fn(nv, |_, _| r.sym());
        let velocity = &j * v;
        let friction: Vec<Vector2<f64>> = (0..m).map(|_| Vector2::new(r.sym().abs(), r.sym().abs())).collect();
        let shape = [FrictionShape::Pyramid, FrictionShape::Polygon(4), FrictionShape::Polygon(8)][corners];
        let problem = FrictionProblem { delassus: delassus.clone(), velocity, friction: friction.clone(), cap: None, shape };
        // A random mechanism may be squeezed between its contacts; then no solution exists, and that is told.
        match solve_friction(&problem) {
            Err(LcpError::NoSolution { .. }) => {}
            Err(other) => prop_assert!(false, "{}", other),
            Ok(solution) => {
                let size = solution.impulse.amax().max(1.0);
                for (c, mu) in friction.iter().enumerate() {
                    let l = solution.impulse.fixed_rows::<3>(3 * c);
                    let u = solution.velocity.fixed_rows::<3>(3 * c);
                    prop_assert!(l[2] >= -1e-8 * size && u[2] >= -1e-7 * size && l[2].min(u[2]) <= 1e-7 * size);
                    for k in 0..2 {
                        prop_assert!(l[k].abs() <= mu[k] * l[2] + 1e-7 * size);
                        // Friction does not push the way it slips.
                        if shape == FrictionShape::Pyramid {
                            prop_assert!(l[k] * u[k] <= 1e-7 * size * size);
                            if u[k].abs() > 1e-5 * size {
                                prop_assert!((l[k].abs() - mu[k] * l[2]).abs() <= 1e-6 * size);
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_has_no_solution_is_an_error_with_a_residual() {
    // w = −z − 1 can never be non-negative.
    let (m, q) = (DMatrix::from_element(1, 1, -1.0), DVector::from_element(1, -1.0));
    assert!(matches!(solve(&m, &q), Err(LcpError::NoSolution { residual, .. }) if residual > 0.1));
}

#[test]
fn degenerate_ties_do_not_cycle() {
    // Many equal rows: every ratio test is a tie.
    for n in 2..12 {
        let m = DMatrix::from_element(n, n, 1.0);
        let q = DVector::from_element(n, -1.0);
        let solution = solve(&m, &q).unwrap();
        assert!((solution.z.sum() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn wrong_shapes_and_numbers_are_told() {
    let m = DMatrix::identity(2, 2);
    assert!(matches!(solve(&m, &DVector::zeros(3)), Err(LcpError::Shape { .. })));
    assert!(matches!(solve(&m, &DVector::from_vec(vec![0.0, f64::NAN])), Err(LcpError::Entry { index: 1 })));
    let (low, high) = (DVector::from_vec(vec![0.0, 2.0]), DVector::from_vec(vec![1.0, 1.0]));
    assert!(matches!(solve_boxed(&m, &DVector::zeros(2), &low, &high), Err(LcpError::Entry { index: 1 })));
}

#[test]
fn a_capped_contact_keeps_approaching() {
    let problem = FrictionProblem {
        delassus: DMatrix::identity(3, 3),
        velocity: DVector::from_vec(vec![0.0, 0.0, -1.0]),
        friction: vec![Vector2::repeat(0.5)],
        cap: Some(vec![0.25]),
        shape: FrictionShape::Pyramid,
    };
    let solution = solve_friction(&problem).unwrap();
    assert!((solution.impulse[2] - 0.25).abs() < 1e-12 && (solution.velocity[2] + 0.75).abs() < 1e-12);
}
