//! Hard problems: extreme stiffness and mass ratios, barriers, creep, springs.

mod common;

use common::Draw;
use nalgebra::{Matrix3, Matrix6, Vector2, Vector3, Vector6};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stiction_convex::*;

/// Adds a free body of mass m and size r at `centre` with identity rotation; returns it.
fn body(problem: &mut Problem, m: f64, size: f64, centre: Vector3<f64>, v0: &[f64; 6]) -> BodyId {
    let i = 0.4 * m * size * size;
    let a = Matrix6::from_diagonal(&Vector6::new(m, m, m, i, i, i));
    let mut applied = [0.0; 6];
    applied[2] = -m * 9.81 * problem.time_step();
    problem.add_free_body(a.as_slice(), &applied, v0, &Matrix3::identity(), centre).unwrap()
}

fn model(i: u8) -> FrictionModel {
    [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap][i as usize % 3]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// A random tower with masses over six orders and stiffness to 1e12, thrown about, is solved every time.
    #[test]
    fn towers_with_extreme_ratios_converge(
        log_masses in prop::collection::vec(-3.0f64..3.0, 2..7), log_k in 3.0f64..12.0, log_dt in -4.0f64..-1.5,
        which in 0u8..3, seed in 1u64..1_000_000, speed in 0.0f64..10.0, mu in 0.0f64..2.0, d in 0.0f64..100.0, sigma in 0u8..2,
        springs in any::<bool>(),
    ) {
        // SAP needs σ; for the others σ = 0 makes the problem harder.
        let regularization = if sigma == 0 && which != 2 { 0.0 } else { 1e-3 };
        let settings = ContactSettings { model: model(which), regularization, ..Default::default() };
        let mut problem = Problem::new(10f64.powf(log_dt), settings).unwrap();
        let mut rng = common::Random::new(seed);
        let mut below = None;
        for (i, log_m) in log_masses.iter().enumerate() {
            let v0 = [0; 6].map(|_| speed * rng.next());
            let centre = Vector3::new(0.0, 0.0, 0.1 * i as f64 + 0.05);
            let id = body(&mut problem, 10f64.powf(*log_m), 0.05, centre, &v0);
            problem.add_pair(below, Some(id), centre - Vector3::z() * 0.05, Vector6::zeros()).unwrap();
            for c in 0..4 {
                let r = 0.05 * Vector3::new((c as f64 * 1.57).cos(), (c as f64 * 1.57).sin(), 0.0);
                let normal = (Vector3::z() + 0.3 * rng.vector()).normalize();
                let mut entry = ContactEntry::point(r, frame_from_normal(&normal), 1e-4 * (rng.next() + 0.5), 10f64.powf(log_k), mu);
                entry.dissipation = d;
                entry.relaxation_time = 0.01 * d / 100.0;
                if springs {
                    let stiffness = entry.stiffness * 10f64.powf(rng.next());
                    let stretch = 1e-5 * Vector2::new(rng.next(), rng.next());
                    entry.spring = Some(TangentialSpring::new(stiffness, 1e-3 * stiffness, stretch));
                }
                problem.add_contact(entry).unwrap();
            }
            below = Some(id);
        }
        let mut solver = Solver::new(SolverSettings { relative_tolerance: 1e-6, ..Default::default() }).unwrap();
        let guess = problem.previous_velocities().to_vec();
        let report = *solver.solve(&problem, &guess).unwrap();
        prop_assert!(report.converged(), "{report:?}");
        // Where rounding ended it: its level is that of the impulses, whatever the stiffness.
        let island = *solver.island_reports().next().unwrap();
        if report.criterion == Criterion::Rounding {
            let impulse: f64 = solver.contact_impulses().iter().map(|g| g.norm()).sum();
            let lightest = 10f64.powf(log_masses.iter().copied().fold(f64::INFINITY, f64::min));
            let fastest = solver.velocities().iter().chain(&guess).fold(0.0, |m: f64, v| m.max(v.abs()));
            let heaviest = 10f64.powf(log_masses.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            // Torques r γ over the radius of gyration, 0.05 √0.4 m; some roots of sums over six dofs.
            let size = impulse / lightest.sqrt() + heaviest.sqrt() * fastest;
            prop_assert!(island.residual <= 1e3 * f64::EPSILON * size, "{island:?} {size}");
        }
        prop_assert!(solver.velocities().iter().all(|v| v.is_finite()));
        // The velocities that the laws saw are those of the result.
        for (c, v) in solver.contact_velocities().iter().enumerate() {
            let frame = problem.contacts()[c].frame;
            let (id, r) = (c / 4, problem.contacts()[c].r);
            let of = |body: usize| {
                let v = &solver.velocities()[6 * body..6 * body + 6];
                let centre = Vector3::new(0.0, 0.0, 0.1 * body as f64 + 0.05);
                let point = Vector3::new(0.0, 0.0, 0.1 * id as f64) + r;
                Vector3::new(v[0], v[1], v[2]) + Vector3::new(v[3], v[4], v[5]).cross(&(point - centre))
            };
            let relative = of(id) - if id > 0 { of(id - 1) } else { Vector3::zeros() };
            let error = (relative - v).norm();
            let fastest = solver.velocities().iter().chain(&guess).fold(1.0, |m: f64, v| m.max(v.abs()));
            prop_assert!(error <= 1e-12 * fastest, "{error} m/s at {fastest} m/s");
            // Friction is the spring's, at a slip known to some 1e-14 of the speeds.
            if let Some(spring) = &problem.contacts()[c].spring {
                let (gamma, v) = (frame.tr_mul(&solver.contact_impulses()[c]), frame.tr_mul(v));
                let kappa = problem.time_step() * (problem.time_step() * spring.stiffness + spring.damping);
                let ask = problem.time_step() * spring.stiffness * spring.stretch + kappa * v.xy();
                let limit = gamma.xy().norm();
                let expected = if ask.norm() > limit { ask * (limit / ask.norm()) } else { ask };
                let noise = 1e-13 * kappa * fastest;
                // Below the limit the ask itself, at it (Lagged's limit is μ γ_n0, not known here) along the ask.
                prop_assert!((gamma.xy() + expected).norm() <= 1e-9 * limit + noise.min(2.0 * limit), "{gamma} {expected}");
            }
        }
    }

    /// Barriers keep x < 0 and converge, from feasible and infeasible guesses, for Lagged and Similar.
    #[test]
    fn barriers_never_let_through(which in 0u8..2, clamped in any::<bool>(), fall in 0.0f64..5.0, slide in -1.0f64..1.0, gap in 1e-6f64..1e-3) {
        let mut problem = Problem::new(1e-3, ContactSettings { model: model(which), ..Default::default() }).unwrap();
        let law = problem.add_normal_law(if clamped { NormalLaw::ClampedBarrier { kappa: 1e6, range: 1e-3 } } else { NormalLaw::LogBarrier { kappa: 1e-3 } }).unwrap();
        let v0 = [slide, 0.0, -fall, 0.0, 0.0, 0.0];
        let id = body(&mut problem, 1.0, 0.1, Vector3::zeros(), &v0);
        problem.add_pair(None, Some(id), Vector3::new(0.0, 0.0, -0.1), Vector6::zeros()).unwrap();
        let mut entry = ContactEntry::point(Vector3::zeros(), Matrix3::identity(), -gap, 0.0, 0.5);
        entry.normal_law = law;
        problem.add_contact(entry).unwrap();
        let mut solver = Solver::new(SolverSettings { relative_tolerance: 1e-8, ..Default::default() }).unwrap();
        let report = *solver.solve(&problem, &v0).unwrap();
        prop_assert!(report.criterion == Criterion::Optimality, "{report:?}");
        let x = -gap - 1e-3 * solver.contact_velocities()[0].z;
        prop_assert!(x < 0.0, "{x}");
        prop_assert!(solver.contact_impulses()[0].z >= 0.0);
        if fall > 1.1 {
            // Would have gone through: the barrier must have pushed.
            prop_assert!(solver.contact_impulses()[0].z > 0.0);
        }
    }
}

/// A point mass on an incline, stepped with the solver; returns the slip velocity of each step.
fn incline(
    slope: f64,
    mu: f64,
    settings: ContactSettings,
    spring: Option<(f64, f64)>,
    dt: f64,
    steps: usize,
) -> Vec<f64> {
    let (m, g, k) = (1.0, 9.81, 1e6);
    let mut problem = Problem::new(dt, settings).unwrap();
    let mut solver = Solver::new(SolverSettings { relative_tolerance: 1e-12, ..Default::default() }).unwrap();
    let theta = slope.atan();
    let gravity = Vector3::new(g * theta.sin(), 0.0, -g * theta.cos());
    let mut x = m * g * theta.cos() / k;
    let mut v = Vector3::zeros();
    let mut stretch = Vector2::zeros();
    let mut slips = Vec::new();
    let a = Matrix3::from_diagonal_element(m);
    let mut jacobian = nalgebra::DMatrix::zeros(6, 3);
    jacobian.view_mut((3, 0), (3, 3)).copy_from(&Matrix3::identity());
    for _ in 0..steps {
        problem.clear();
        let applied = m * dt * gravity;
        problem.add_clique(a.as_slice(), applied.as_slice(), v.as_slice()).unwrap();
        let id = problem.add_link(0, Vector3::zeros(), jacobian.as_slice()).unwrap();
        problem.add_pair(None, Some(id), Vector3::zeros(), Vector6::zeros()).unwrap();
        let mut entry = ContactEntry::point(Vector3::zeros(), Matrix3::identity(), x, k, mu);
        entry.dissipation = 1.0;
        entry.spring = spring.map(|(stiffness, damping)| TangentialSpring::new(stiffness, damping, stretch));
        problem.add_contact(entry).unwrap();
        let guess: Vec<f64> = v.iter().copied().collect();
        assert!(solver.solve(&problem, &guess).unwrap().converged());
        v = Vector3::from_column_slice(solver.velocities());
        x -= dt * v.z;
        stretch = solver.stretches()[0].xy(); // the contact frame is the world's
        slips.push(v.x);
    }
    slips
}

/// The SAP paper's test, relative to the momentum, would accept the first guess of the fast body.
#[test]
fn a_solve_is_as_tight_on_a_train_as_on_the_ground() {
    for which in 0..3 {
        let slip_on = |train: f64| {
            let settings = ContactSettings { model: model(which), ..Default::default() };
            let mut problem = Problem::new(1e-3, settings).unwrap();
            let v0 = [train + 0.3, 0.1, -0.02, 0.0, 0.0, 0.5];
            let id = body(&mut problem, 1.0, 0.05, Vector3::zeros(), &v0);
            let floor = Vector6::new(0.0, 0.0, 0.0, -train, 0.0, 0.0);
            problem.add_pair(None, Some(id), Vector3::new(0.0, 0.0, -0.05), floor).unwrap();
            for x in [-0.03, 0.03] {
                let r = Vector3::new(x, 0.01, 0.0);
                problem.add_contact(ContactEntry::point(r, Matrix3::identity(), 1e-6, 1e6, 0.5)).unwrap();
            }
            let mut solver = Solver::new(SolverSettings::default()).unwrap();
            let report = *solver.solve(&problem, &v0).unwrap();
            assert_eq!(report.criterion, Criterion::Optimality);
            solver.contact_impulses().to_vec()
        };
        for (slow, fast) in slip_on(0.0).iter().zip(slip_on(1e5)) {
            assert!((slow - fast).norm() < 1e-5 * slow.norm(), "{which}: {slow} {fast}");
        }
    }
}

/// How deep a body of mass `m` rests in the ground, and how fast it still sinks, after 200 steps.
fn rest(which: u8, m: f64, k: f64, dt: f64) -> (f64, f64) {
    let settings = ContactSettings { model: model(which), ..Default::default() };
    let mut solver = Solver::new(SolverSettings { relative_tolerance: 1e-10, ..Default::default() }).unwrap();
    let (mut x, mut v) = (0.0, [0.0; 6]);
    for _ in 0..200 {
        let mut problem = Problem::new(dt, settings).unwrap();
        let id = body(&mut problem, m, 0.05, Vector3::zeros(), &v);
        problem.add_pair(None, Some(id), Vector3::new(0.0, 0.0, -0.05), Vector6::zeros()).unwrap();
        problem.add_contact(ContactEntry::point(Vector3::zeros(), Matrix3::identity(), x, k, 0.5)).unwrap();
        assert!(solver.solve(&problem, &v).unwrap().converged());
        v.copy_from_slice(solver.velocities());
        x -= dt * v[2];
    }
    (x, v[2])
}

#[test]
fn lagged_contacts_are_as_stiff_as_stated_and_similar_ones_up_to_their_limit() {
    let dt = 1e-2;
    let limit = 9.81 * dt * dt * 1.25 / 1e7; // μ = 0.5
    for k in [1e10, 1e12, 1e14] {
        let ((x, v), (lagged, _)) = (rest(1, 1.0, k, dt), rest(0, 1.0, k, dt));
        assert!((lagged * k / 9.81 - 1.0).abs() < 1e-6, "{lagged}");
        assert!(v.abs() < 1e-9 && x > 0.0 && x < lagged + 3.0 * limit, "{k}: {x} {v}");
    }
    // Below the limit nothing changes.
    let (x, _) = rest(1, 1.0, 1e7, dt);
    assert!((x - 9.81e-7).abs() < 1e-9, "{x}");
}

#[test]
fn a_block_on_an_incline_creeps_at_the_closed_form_speed() {
    let (slope, mu, v_s) = (0.3, 0.5, 1e-4);
    for which in 0..2 {
        let settings = ContactSettings { model: model(which), regularization: 0.0, ..Default::default() };
        let slips = incline(slope, mu, settings, None, 1e-3, 400);
        let expected = v_s * slope / (mu * mu - slope * slope).sqrt();
        let last = *slips.last().unwrap();
        assert!((last - expected).abs() < 1e-6 * expected, "{which}: {last} {expected}");
    }
    // SAP: σ w δt m g sin θ, w = √3/(3 m) for a point mass.
    let settings = ContactSettings { model: FrictionModel::Sap, ..Default::default() };
    let last = *incline(slope, mu, settings, None, 1e-3, 400).last().unwrap();
    let expected = 1e-3 * (3f64.sqrt() / 3.0) * 1e-3 * 9.81 * slope.atan().sin();
    assert!((last - expected).abs() < 1e-6 * expected, "{last} {expected}");
}

#[test]
fn a_tangential_spring_holds_without_creep_at_one_millisecond() {
    for which in 0..3 {
        let settings = ContactSettings { model: model(which), ..Default::default() };
        let slips = incline(0.3, 0.5, settings, Some((1e5, 1e2)), 1e-3, 2000);
        let travelled: f64 = slips[1000..].iter().map(|v| 1e-3 * v.abs()).sum();
        assert!(travelled < 1e-13, "{which}: {travelled}");
        // It settles at the stretch that carries the weight.
        let total: f64 = slips.iter().map(|v| 1e-3 * v).sum();
        let expected = 9.81 * 0.3f64.atan().sin() / 1e5;
        assert!((total - expected).abs() < 1e-3 * expected, "{which}: {total} {expected}");
    }
}

#[test]
fn above_the_friction_angle_a_spring_contact_slides_with_coulomb_acceleration() {
    let (slope, mu, dt, n) = (0.8f64, 0.5, 1e-3, 1000);
    let slips = incline(slope, mu, ContactSettings::default(), Some((1e5, 1e2)), dt, n);
    let theta = slope.atan();
    let expected = 9.81 * (theta.sin() - mu * theta.cos());
    let measured = (slips[n - 1] - slips[n / 2 - 1]) / (dt * (n / 2) as f64);
    assert!((measured - expected).abs() < 1e-6 * expected, "{measured} {expected}");
}
