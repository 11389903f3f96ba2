//! Trees solved along their branches.

use nalgebra::{DMatrix, Vector3, Vector6};
use proptest::prelude::*;
use stiction_convex::{
    ContactEntry, ContactSettings, FrictionModel, Problem, RowLaw, Solver, SolverSettings, frame_from_normal,
};

/// Dofs on the way from `k` to its root.
fn path(parents: &[u32], k: usize) -> Vec<usize> {
    let mut path = vec![k];
    while parents[*path.last().unwrap()] != u32::MAX {
        path.push(parents[*path.last().unwrap()] as usize);
    }
    path
}

/// Two trees and a small clique that touch the world, each other and themselves; with or without their branches known.
fn solve(branched: bool, picks: &[u32], numbers: &[f64], touches: &[(usize, usize)]) -> Vec<f64> {
    let settings = ContactSettings { model: FrictionModel::Lagged, ..ContactSettings::default() };
    let mut problem = Problem::new(1e-2, settings).unwrap();
    let mut at = 0;
    let mut next = || {
        at = (at + 13) % numbers.len();
        numbers[at]
    };
    let half = picks.len() / 2;
    let forest = |range: std::ops::Range<usize>| -> Vec<u32> {
        let picks = picks[range].iter().enumerate();
        picks.map(|(k, &p)| if (p as usize) < k { p } else { u32::MAX }).collect()
    };
    let forests = [forest(0..half), forest(half..picks.len()), vec![u32::MAX, 0, 1]];
    let (mut bodies, mut offset) = (Vec::new(), 0);
    let mut offsets = Vec::new();
    for (clique, parents) in forests.iter().enumerate() {
        let n = parents.len();
        let mut a = DMatrix::<f64>::identity(n, n) * (n as f64);
        for k in 0..n {
            for &j in &path(parents, k)[1..] {
                a[(k, j)] = 0.4 * next();
                a[(j, k)] = a[(k, j)];
            }
        }
        let v: Vec<f64> = (0..n).map(|_| next()).collect();
        if branched {
            problem.add_tree(a.as_slice(), parents, &v, &v).unwrap();
        } else {
            problem.add_clique(a.as_slice(), &v, &v).unwrap();
        }
        for k in 0..n {
            let mut jacobian = vec![0.0; 6 * n];
            for j in path(parents, k) {
                (0..6).for_each(|i| jacobian[6 * j + i] = next());
            }
            let point = Vector3::new(next(), next(), next());
            bodies.push(problem.add_link(clique, point, &jacobian).unwrap());
        }
        offsets.push(offset);
        offset += n;
    }
    for &(a, b) in touches {
        let (a, b) = (bodies.get(a % (bodies.len() + 1)), bodies[b % bodies.len()]);
        if a == Some(&b) {
            continue;
        }
        problem
            .add_pair(a.copied(), Some(b), Vector3::new(next(), next(), next()), Vector6::zeros())
            .unwrap();
        for _ in 0..2 {
            let normal = Vector3::new(next(), next(), 1.0 + next()).normalize();
            let r = Vector3::new(next(), next(), next());
            let contact = ContactEntry::point(r, frame_from_normal(&normal), 1e-3, 1e4, 0.5);
            problem.add_contact(contact).unwrap();
        }
    }
    // A tendon over both trees, and one over two branches of the first.
    let law = RowLaw::Pd {
        proportional: 30.0,
        derivative: 3.0,
        position_error: 0.2,
        target_velocity: 0.0,
        feed_forward: 0.1,
        effort_limit: 5.0,
    };
    problem.add_row(&[(half - 1, 1.0), (offsets[1] + 2, -0.7)], 0.0, law).unwrap();
    problem.add_row(&[(0, 0.3), (half - 1, 1.0), (half / 2, -1.2)], 0.1, law).unwrap();
    let mut solver =
        Solver::new(SolverSettings { relative_tolerance: 1e-12, ..SolverSettings::default() }).unwrap();
    let guess = problem.previous_velocities().to_vec();
    assert!(solver.solve(&problem, &guess).unwrap().converged());
    // Derivatives go through the same factor.
    solver.factor_at_solution(&problem).unwrap();
    let mut x: Vec<f64> = (0..guess.len()).map(|i| (i as f64).cos()).collect();
    solver.solve_hessian(&mut x).unwrap();
    solver.velocities().iter().chain(&x).copied().collect()
}

proptest! {
    #[test]
    fn knowing_the_branches_changes_nothing_but_the_speed(
        picks in prop::collection::vec(0u32..20, 16..40),
        numbers in prop::collection::vec(-1.0f64..1.0, 1009),
        touches in prop::collection::vec((0usize..60, 0usize..60), 1..8),
    ) {
        let (with, without) = (solve(true, &picks, &numbers, &touches), solve(false, &picks, &numbers, &touches));
        for (x, y) in with.iter().zip(&without) {
            prop_assert!((x - y).abs() <= 1e-8 * (1.0 + y.abs()), "{x} {y}");
        }
    }
}

#[test]
fn a_parent_that_comes_after_its_child_is_refused() {
    let mut problem = Problem::new(1e-2, ContactSettings::default()).unwrap();
    let a = [1.0, 0.0, 0.0, 1.0];
    let error = problem.add_tree(&a, &[1, u32::MAX], &[0.0; 2], &[0.0; 2]).unwrap_err();
    assert!(error.to_string().contains("parent"), "{error}");
    assert!(problem.add_tree(&a, &[u32::MAX], &[0.0; 2], &[0.0; 2]).is_err());
}
