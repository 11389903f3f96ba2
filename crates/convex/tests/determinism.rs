//! Caches and threads never change a bit.

mod common;

use common::random_with;
use stiction_base::hash::Fnv1a;
use stiction_convex::*;

fn bits(solver: &Solver) -> Vec<u64> {
    solver
        .velocities()
        .iter()
        .chain(solver.contact_impulses().iter().flat_map(|v| v.iter()))
        .map(|x| x.to_bits())
        .collect()
}

#[test]
fn a_used_solver_gives_the_bits_of_a_fresh_one() {
    let mut used = Solver::new(SolverSettings::default()).unwrap();
    for seed in 0..60 {
        let model = [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap][seed as usize % 3];
        let settings = ContactSettings { model, ..Default::default() };
        let (free, trees) = ((seed % 7) as usize + 1, (seed % 3) as usize);
        let twin = random_with(seed, free, trees, settings, seed % 2 == 0, seed % 5 < 2);
        let guess = twin.problem.previous_velocities().to_vec();
        let mut fresh = Solver::new(SolverSettings::default()).unwrap();
        fresh.solve(&twin.problem, &guess).unwrap();
        used.solve(&twin.problem, &guess).unwrap();
        assert_eq!(bits(&used), bits(&fresh), "seed {seed}");
        // And once more, with everything cached.
        used.solve(&twin.problem, &guess).unwrap();
        assert_eq!(bits(&used), bits(&fresh), "seed {seed}");
    }
}

/// The hash must be the same with and without the `parallel` feature (and whatever the number of threads).
#[test]
fn many_islands_hash_alike_with_and_without_threads() {
    let mut hash = Fnv1a::default();
    let mut problem = Problem::new(1e-3, ContactSettings::default()).unwrap();
    for i in 0..50 {
        let x = f64::from(i);
        problem.add_clique(&[1.0 + x, 0.1, 0.1, 2.0], &[-1.0, x.sin()], &[0.0, 0.1]).unwrap();
        problem.add_row(&[(2 * i as usize, 1.0)], 0.0, RowLaw::lower_limit(0.0, 0.0)).unwrap();
        let friction = RowLaw::DryFriction { force: 0.3, epsilon: 1e-3 };
        problem.add_row(&[(2 * i as usize + 1, 1.0)], 0.0, friction).unwrap();
    }
    let mut solver = Solver::new(SolverSettings::default()).unwrap();
    let report = *solver.solve(&problem, &[0.0; 100]).unwrap();
    assert!(report.converged() && report.islands == 50);
    for b in bits(&solver) {
        hash.add(&b.to_le_bytes());
    }
    // One clique alone gives the same bits as in the crowd.
    let mut alone = Problem::new(1e-3, ContactSettings::default()).unwrap();
    alone.add_clique(&[1.0, 0.1, 0.1, 2.0], &[-1.0, 0.0], &[0.0, 0.1]).unwrap();
    alone.add_row(&[(0, 1.0)], 0.0, RowLaw::lower_limit(0.0, 0.0)).unwrap();
    alone.add_row(&[(1, 1.0)], 0.0, RowLaw::DryFriction { force: 0.3, epsilon: 1e-3 }).unwrap();
    let mut single = Solver::new(SolverSettings::default()).unwrap();
    single.solve(&alone, &[0.0; 2]).unwrap();
    assert_eq!(bits(&single)[..2], bits(&solver)[..2]);
    println!("hash {:016x}", hash.value());
}
