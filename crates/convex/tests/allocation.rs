//! The steady step allocates nothing: building and solving again needs no memory beyond the first time.

mod common;

use common::random_with;
use stiction_base::counting_allocator::{CountingAllocator, thread_allocations};
use stiction_convex::*;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_second_step_allocates_nothing() {
    for model in [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap] {
        let settings = ContactSettings { model, ..Default::default() };
        let twin = random_with(5, 6, 2, settings, true, true);
        let other = random_with(8, 6, 2, *twin.problem.settings(), true, true);
        let guess = twin.problem.previous_velocities().to_vec();
        let other_guess = other.problem.previous_velocities().to_vec();
        let mut solver = Solver::new(SolverSettings::default()).unwrap();
        // Two different patterns, so that the symbolic factorisation is redone, too.
        for _ in 0..2 {
            solver.solve(&twin.problem, &guess).unwrap();
            solver.solve(&other.problem, &other_guess).unwrap();
        }
        let before = thread_allocations();
        assert!(solver.solve(&twin.problem, &guess).unwrap().converged());
        assert!(solver.solve(&other.problem, &other_guess).unwrap().converged());
        assert_eq!(thread_allocations() - before, 0, "{model:?}");
    }
    // Refilling a problem needs no memory either.
    let mut problem = Problem::new(1e-3, ContactSettings::default()).unwrap();
    let mut fill = || {
        problem.clear();
        problem.add_clique(&[1.0, 0.0, 0.0, 2.0], &[0.0, 1.0], &[0.0, 0.0]).unwrap();
        let body = problem.add_link(0, nalgebra::Vector3::zeros(), &[0.5; 12]).unwrap();
        problem.add_pair(None, Some(body), nalgebra::Vector3::zeros(), nalgebra::Vector6::zeros()).unwrap();
        for _ in 0..10 {
            let frame = nalgebra::Matrix3::identity();
            problem.add_contact(ContactEntry::point(nalgebra::Vector3::x(), frame, 0.0, 1e3, 0.5)).unwrap();
        }
        problem.add_row(&[(0, 1.0), (1, -1.0)], 0.0, RowLaw::equality(0.0)).unwrap();
    };
    fill();
    let before = thread_allocations();
    fill();
    assert_eq!(thread_allocations() - before, 0);
}
