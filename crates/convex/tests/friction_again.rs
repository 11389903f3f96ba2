//! A solve that goes on after limits of friction changed, or after it was interrupted, ends where a new solve ends.

mod common;

use common::{Twin, random_with};
use nalgebra::Vector3;
use stiction_convex::*;

fn solver(relative_tolerance: f64, rough_tolerance: f64) -> Solver {
    let settings = SolverSettings { relative_tolerance, rough_tolerance, ..SolverSettings::default() };
    Solver::new(settings).unwrap()
}

fn twin(seed: u64) -> Twin {
    let (free, trees) = ((seed % 7) as usize + 1, (seed % 3) as usize);
    random_with(seed, free, trees, ContactSettings::default(), seed.is_multiple_of(2), seed % 5 < 2)
}

/// Gives every third contact another limit.
fn change(problem: &mut Problem, impulses: &[Vector3<f64>]) {
    for k in (0..impulses.len()).step_by(3) {
        let normal = problem.contacts()[k].frame.column(2).dot(&impulses[k]);
        problem.set_lagged_impulse(k, 0.3 * normal.max(0.0) + 0.02).unwrap();
    }
}

#[track_caller]
fn same(seed: u64, found: &Solver, expected: &Solver) {
    assert!(expected.report().converged(), "seed {seed}");
    let scale = 1.0 + expected.velocities().iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    for (v, w) in found.velocities().iter().zip(expected.velocities()) {
        assert!((v - w).abs() <= 1e-7 * scale, "seed {seed}: {v} {w}");
    }
    let pairs = found.contact_impulses().iter().zip(expected.contact_impulses());
    let most = expected.contact_impulses().iter().fold(0.0, |most: f64, x| most.max(x.norm()));
    for (x, y) in pairs {
        assert!((x - y).norm() <= 1e-6 * most, "seed {seed}: {x} {y}");
    }
    for (x, y) in found.stretches().iter().zip(expected.stretches()) {
        assert!((x - y).norm() <= 1e-9, "seed {seed}: {x} {y}");
    }
    let turns = |solver: &Solver| {
        let mut turns = solver.turns().to_vec();
        turns.sort_by_key(|turn| turn.contact);
        turns
    };
    let (found, expected) = (turns(found), turns(expected));
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(&expected) {
        assert!(x.contact == y.contact && (x.turned - y.turned).norm() <= 1e-7, "seed {seed}");
    }
}

#[test]
fn other_limits_of_friction_lead_where_a_new_solve_leads() {
    let mut moved = 0;
    for seed in 0..60 {
        let mut problem = twin(seed).problem;
        let guess = problem.previous_velocities().to_vec();
        let mut used = solver(1e-13, 0.0);
        used.solve(&problem, &guess).unwrap();
        let before = used.velocities().to_vec();
        change(&mut problem, used.contact_impulses());
        let report = *used.solve_for_friction(&problem);
        assert!(report.converged(), "seed {seed}");
        let mut fresh = solver(1e-13, 0.0);
        fresh.solve(&problem, &guess).unwrap();
        same(seed, &used, &fresh);
        moved += usize::from(before.iter().zip(fresh.velocities()).any(|(x, y)| (x - y).abs() > 1e-4));
        // Nothing is left to do.
        let bits = |s: &Solver| s.velocities().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let known = bits(&used);
        assert_eq!(used.solve_for_friction(&problem).total_iterations, 0);
        assert_eq!(bits(&used), known);
    }
    assert!(moved > 30, "{moved}: the limits make a difference");
}

#[test]
fn an_interrupted_solve_ends_where_one_in_one_go_ends() {
    let mut interrupted = 0;
    for seed in 0..60 {
        let mut problem = twin(seed).problem;
        let guess = problem.previous_velocities().to_vec();
        let (mut parts, mut whole) = (solver(1e-8, 1e-2), solver(1e-8, 0.0));
        let first = *parts.solve(&problem, &guess).unwrap();
        whole.solve(&problem, &guess).unwrap();
        interrupted += usize::from(parts.is_rough());
        let rest = *parts.solve_rest(&problem);
        assert!(!parts.is_rough() && rest.converged(), "seed {seed}");
        let bits = |s: &Solver| s.velocities().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&parts), bits(&whole), "the same steps: seed {seed}");
        let total = whole.report().total_iterations;
        assert_eq!(first.total_iterations + rest.total_iterations, total, "seed {seed}");
        assert!(first.relative_residual <= 1e-7, "an interrupted residual is not reported");
        // With other limits in between.
        let (mut parts, mut whole) = (solver(1e-13, 1e-2), solver(1e-13, 0.0));
        parts.solve(&problem, &guess).unwrap();
        change(&mut problem, parts.contact_impulses());
        parts.solve_for_friction(&problem);
        parts.solve_rest(&problem);
        whole.solve(&problem, &guess).unwrap();
        same(seed, &parts, &whole);
    }
    assert!(interrupted > 30, "{interrupted}");
}
