//! A solve that goes on after limits of friction changed ends where a new solve ends.

mod common;

use common::{Twin, random_with};
use nalgebra::Vector3;
use stiction_convex::*;

fn solver() -> Solver {
    Solver::new(SolverSettings { relative_tolerance: 1e-13, ..SolverSettings::default() }).unwrap()
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
        let mut used = solver();
        used.solve(&problem, &guess).unwrap();
        let before = used.velocities().to_vec();
        change(&mut problem, used.contact_impulses());
        let report = *used.solve_for_friction(&problem);
        assert!(report.converged(), "seed {seed}");
        let mut fresh = solver();
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
