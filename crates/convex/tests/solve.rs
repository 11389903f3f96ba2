//! The solver against an independent dense statement of the same problem.

mod common;

use common::{Draw, Twin, random_with};
use nalgebra::{DVector, Vector3, Vector6};
use proptest::prelude::*;
use stiction_convex::friction::blended_friction;
use stiction_convex::friction::spring::SpringLaw;
use stiction_convex::*;

/// The law of contact i, from the dense Jacobian alone.
fn law(twin: &Twin, i: usize) -> CompiledContact {
    let (entry, dense) = (&twin.problem.contacts()[i], &twin.contacts[i]);
    let settings = twin.problem.settings();
    let dt = twin.problem.time_step();
    let v0 = &dense.jacobian * &twin.v0 + dense.bias;
    let normal = NormalInput {
        dt,
        penetration: entry.penetration,
        elastic_force: entry.elastic_force,
        stiffness: entry.stiffness,
        dissipation: entry.dissipation,
    };
    let mu = blended_friction(
        entry.friction_static,
        entry.friction_dynamic,
        v0[0].hypot(v0[1]),
        settings.stiction_tolerance,
    );
    let n0 = dt * entry.elastic_force.max(0.0) * (1.0 - entry.dissipation * v0[2]).max(0.0);
    let w = twin.delassus(&dense.linear());
    let epsilon = settings.stiction_tolerance.max(settings.regularization * w * mu * n0);
    let contact = match settings.model {
        FrictionModel::Lagged => CompiledContact::lagged(normal, mu * n0, epsilon),
        FrictionModel::Similar => CompiledContact::similar(normal, mu, epsilon),
        FrictionModel::Sap => {
            CompiledContact::sap(normal, entry.relaxation_time, mu, settings.regularization, w)
        }
    };
    let contact = match entry.ellipse {
        None => contact,
        Some(ellipse) => contact.with_ellipse(ellipse),
    };
    match entry.spring {
        None => contact,
        Some(s) => {
            // The row of the turn about the normal has one element of w, which the norm over 3 is a third of.
            let turn = 3.0 * twin.delassus(&dense.jacobian.rows(5, 1).into_owned());
            let spin = entry.ellipse.map_or(0.0, |e| e.scales[2].powi(2) * turn);
            let slower = if spin > 0.0 { spin.min(w) } else { w };
            let critical = if s.critical > 0.0 { 2.0 / (s.critical * slower).sqrt() } else { 0.0 };
            let damping = s.damping + critical * s.stiffness;
            let mut law = SpringLaw::new(dt, mu * n0, s.stiffness, damping, s.stretch.into());
            if let Some(e) = entry.ellipse {
                let held = e.slip([s.stretch.x, s.stretch.y, 0.0], s.turn.into());
                law.offset = held.map(|x| dt * s.stiffness * x);
                law.memory = held.map(|x| dt * damping * x);
            }
            contact.with_spring(law)
        }
    }
}

/// Impulse and Hessian of contact i at velocities v, [linear; angular] in its frame.
fn value(twin: &Twin, i: usize, v: &DVector<f64>) -> (Vector6<f64>, TurningValue) {
    let vc = Vector6::from_column_slice((&twin.contacts[i].jacobian * v).as_slice()) + twin.contacts[i].bias;
    let [x, y, z, a, b, c] = vc.into();
    (vc, law(twin, i).evaluate_turning(&NormalLaw::Linear, [x, y, z], [a, b, c]))
}

/// Momentum balance A(v − v*) = Jᵀγ(v) with everything recomputed from v, relative to its terms; what the rounding of v does to
/// stiff impulses is taken off.
fn imbalance(twin: &Twin, v: &DVector<f64>, solver: &Solver) -> f64 {
    let mut balance = &twin.a * (v - &twin.v_star);
    let mut scale = (&twin.a * v).norm();
    let mut rounding = 0.0;
    for (i, dense) in twin.contacts.iter().enumerate() {
        let (vc, value) = value(twin, i, v);
        let gamma = DVector::from_column_slice(&value.impulse);
        let frame = &twin.problem.contacts()[i].frame;
        let slip = frame * vc.fixed_rows::<3>(0);
        assert!((solver.contact_velocities()[i] - slip).norm() < 1e-10 * (1.0 + v.norm()));
        let turn = solver.turns().iter().find(|turn| turn.contact == i);
        assert_eq!(turn.is_some(), twin.problem.contacts()[i].ellipse.is_some());
        let torque = turn.map_or(Vector3::zeros(), |turn| turn.torque);
        if let Some(turn) = turn {
            assert!((turn.velocity - frame * vc.fixed_rows::<3>(3)).norm() < 1e-10 * (1.0 + v.norm()));
        }
        let mut reported = DVector::zeros(6);
        reported.rows_mut(0, 3).copy_from(&frame.tr_mul(&solver.contact_impulses()[i]));
        reported.rows_mut(3, 3).copy_from(&frame.tr_mul(&torque));
        // Both from the same v up to rounding, times the stiffness.
        let stiffness: f64 = value.hessian.iter().flatten().map(|g| g.abs()).sum();
        assert!((&gamma - reported).norm() <= 1e-11 * (gamma.norm() + stiffness * (1.0 + v.norm())), "{i}");
        rounding += dense.jacobian.norm() * stiffness * f64::EPSILON * v.norm();
        let jg = dense.jacobian.transpose() * gamma;
        scale += jg.norm();
        balance -= jg;
    }
    for (i, (dense, law)) in twin.rows.iter().zip(&twin.row_laws).enumerate() {
        let vr = (&dense.jacobian * v)[0] + dense.bias;
        let value = dense.compile(law, twin.problem.time_step()).evaluate(vr);
        assert!((solver.row_velocities()[i] - vr).abs() < 1e-11 * (1.0 + v.norm()));
        assert!((twin.problem.row_velocity(i, solver.velocities()) - vr).abs() < 1e-11 * (1.0 + v.norm()));
        let noise = 1e-11 * (value.impulse.abs() + value.hessian * (1.0 + v.norm()));
        assert!(
            (solver.row_impulses()[i] - value.impulse).abs() <= noise,
            "row {i}: {} {}",
            solver.row_impulses()[i],
            value.impulse
        );
        rounding += dense.jacobian.norm() * value.hessian * f64::EPSILON * v.norm();
        let jg = dense.jacobian.transpose() * value.impulse;
        scale += jg.norm();
        balance -= DVector::from_column_slice(jg.as_slice());
    }
    (balance.norm() - rounding).max(0.0) / scale
}

fn settings(model: FrictionModel) -> ContactSettings {
    ContactSettings { model, ..Default::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn momentum_balances_for_random_bodies_trees_and_constraints(seed in 0u64..1_000_000, free in 0usize..6, trees in 0usize..4, model in 0u8..3) {
        prop_assume!(free + trees > 0);
        let model = [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap][model as usize];
        let twin = random_with(seed, free, trees, settings(model), seed % 3 == 0, seed % 2 == 0);
        let mut solver = Solver::new(SolverSettings { relative_tolerance: 1e-10, ..Default::default() }).unwrap();
        let report = *solver.solve(&twin.problem, twin.problem.previous_velocities()).unwrap();
        prop_assert!(report.converged(), "{report:?}");
        let v = DVector::from_column_slice(solver.velocities());
        let error = imbalance(&twin, &v, &solver);
        prop_assert!(error < 1e-8, "{error} {report:?}");
    }

    #[test]
    fn the_solution_does_not_depend_on_the_guess(seed in 0u64..1_000_000, model in 0u8..3) {
        let model = [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap][model as usize];
        let twin = random_with(seed, 4, 1, settings(model), false, seed % 2 == 0);
        let mut solver = Solver::new(SolverSettings { relative_tolerance: 1e-10, ..Default::default() }).unwrap();
        solver.solve(&twin.problem, twin.problem.previous_velocities()).unwrap();
        let first = DVector::from_column_slice(solver.velocities());
        let guess: Vec<f64> = (0..first.len()).map(|i| (i as f64 + seed as f64).sin() * 3.0).collect();
        let report = *solver.solve(&twin.problem, &guess).unwrap();
        prop_assert!(report.converged(), "{report:?}");
        let second = DVector::from_column_slice(solver.velocities());
        prop_assert!((&first - &second).norm() < 1e-6 * (1.0 + first.norm()), "{}", (&first - &second).norm());
    }

    #[test]
    fn the_factor_at_the_solution_inverts_the_dense_hessian(seed in 0u64..1_000_000, model in 0u8..3) {
        let model = [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap][model as usize];
        let twin = random_with(seed, 3, 2, settings(model), false, seed % 2 == 0);
        let mut solver = Solver::new(SolverSettings { relative_tolerance: 1e-13, ..Default::default() }).unwrap();
        solver.solve(&twin.problem, twin.problem.previous_velocities()).unwrap();
        let v = DVector::from_column_slice(solver.velocities());
        solver.factor_at_solution(&twin.problem).unwrap();
        // H x = b inverts the dense Hessian.
        let mut h = twin.a.clone();
        for (i, dense) in twin.contacts.iter().enumerate() {
            let (_, value) = value(&twin, i, &v);
            let g = nalgebra::DMatrix::from_fn(6, 6, |i, j| value.hessian[i][j]);
            h += dense.jacobian.transpose() * g * &dense.jacobian;
        }
        for (dense, law) in twin.rows.iter().zip(&twin.row_laws) {
            let value = dense.compile(law, twin.problem.time_step()).evaluate((&dense.jacobian * &v)[0] + dense.bias);
            h += dense.jacobian.transpose() * &dense.jacobian * value.hessian;
        }
        let x = DVector::from_fn(v.len(), |i, _| (1.0 + i as f64).sin());
        let mut b = (&h * &x).as_slice().to_vec();
        solver.solve_hessian(&mut b).unwrap();
        // Backward error: H may have a condition number of 1e12.
        let error = (&h * (DVector::from_vec(b) - &x)).norm() / (h.norm() * x.norm());
        prop_assert!(error < 1e-10, "{error}");
    }

    #[test]
    fn pair_wrench_is_the_sum_of_its_contacts_and_rows(seed in 0u64..1_000_000) {
        let twin = random_with(seed, 3, 1, settings(FrictionModel::Lagged), false, seed % 2 == 0);
        let mut solver = Solver::new(SolverSettings::default()).unwrap();
        solver.solve(&twin.problem, twin.problem.previous_velocities()).unwrap();
        for p in 0..twin.problem.pair_count() {
            let mut force = Vector3::zeros();
            let range = twin.problem.contacts_of(PairId(p as u32));
            let mut torque = Vector3::zeros();
            for i in range {
                let entry = &twin.problem.contacts()[i];
                let f = solver.contact_impulses()[i];
                force += f;
                torque += entry.r.cross(&f);
                let turn = solver.turns().iter().filter(|turn| turn.contact == i);
                torque += turn.map(|turn| turn.torque).sum::<Vector3<f64>>();
            }
            let mut sum = nalgebra::Vector6::zeros();
            sum.fixed_rows_mut::<3>(0).copy_from(&torque);
            sum.fixed_rows_mut::<3>(3).copy_from(&force);
            let mut size = sum.norm();
            for (row, pair, direction) in &twin.pair_rows {
                if *pair == p {
                    sum += direction * solver.row_impulses()[*row];
                    size += (direction * solver.row_impulses()[*row]).norm();
                }
            }
            let w = solver.pair_wrench(PairId(p as u32));
            prop_assert!((w - sum).norm() <= 1e-12 * (1.0 + size), "{w} {sum}");
        }
    }
}

/// A sphere of mass m pressed by its weight: one step from rest at the equilibrium penetration stays at rest.
#[test]
fn a_body_at_equilibrium_stays_at_rest() {
    let (m, g, k, dt) = (0.5, 9.81, 1e5, 2e-3);
    for model in [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap] {
        let mut problem = Problem::new(dt, settings(model)).unwrap();
        let a = nalgebra::Matrix6::from_diagonal(&nalgebra::Vector6::new(m, m, m, 1e-3, 1e-3, 1e-3));
        let weight = [0.0, 0.0, -m * g * dt, 0.0, 0.0, 0.0];
        let (upright, origin) = (nalgebra::Matrix3::identity(), Vector3::zeros());
        let body = problem.add_free_body(a.as_slice(), &weight, &[0.0; 6], &upright, origin).unwrap();
        problem.add_pair(None, Some(body), Vector3::new(0.0, 0.0, -0.1), nalgebra::Vector6::zeros()).unwrap();
        let frame = frame_from_normal(&Vector3::z());
        problem.add_contact(ContactEntry::point(Vector3::zeros(), frame, m * g / k, k, 0.5)).unwrap();
        let mut solver =
            Solver::new(SolverSettings { relative_tolerance: 1e-13, ..Default::default() }).unwrap();
        let report = *solver.solve(&problem, &[0.0; 6]).unwrap();
        assert!(report.converged());
        assert!(solver.velocities().iter().all(|v| v.abs() < 1e-14), "{:?}", solver.velocities());
        assert!((solver.contact_impulses()[0].z - m * g * dt).abs() < 1e-13);
    }
}

#[test]
fn cliques_without_constraints_move_freely() {
    let mut problem = Problem::new(1e-3, ContactSettings::default()).unwrap();
    problem.add_clique(&[2.0], &[0.6], &[0.1]).unwrap();
    problem.add_clique(&[1.0], &[-0.7], &[0.0]).unwrap();
    problem.add_row(&[(1, 1.0)], 0.0, RowLaw::lower_limit(0.0, 0.0)).unwrap();
    let mut solver = Solver::new(SolverSettings::default()).unwrap();
    let report = *solver.solve(&problem, &[0.0; 2]).unwrap();
    assert_eq!(report.islands, 1);
    assert!((solver.velocities()[0] - 0.4).abs() < 1e-15);
    // Near-rigid: stopped but for w R/(1 + R/w) of the speed.
    assert!(solver.velocities()[1].abs() < 0.7 * 3e-4, "{:?}", solver.velocities());
}

#[test]
fn bad_input_is_refused_with_the_place() {
    let mut problem = Problem::new(1e-3, ContactSettings::default()).unwrap();
    assert!(matches!(
        problem.add_clique(&[0.0], &[0.0], &[0.0]),
        Err(ProblemError::NotPositive { clique: 0, index: 0, .. })
    ));
    assert!(matches!(
        problem.add_clique(&[1.0, 0.0], &[0.0], &[0.0]),
        Err(ProblemError::Length { what: "A", .. })
    ));
    assert!(matches!(
        problem.add_clique(&[1.0], &[f64::NAN], &[0.0]),
        Err(ProblemError::Value { what: "the impulse of applied forces", .. })
    ));
    assert!(problem.add_link(3, Vector3::zeros(), &[]).is_err());
    let entry = ContactEntry::point(Vector3::zeros(), nalgebra::Matrix3::identity(), 0.0, 1.0, 0.5);
    assert_eq!(problem.add_contact(entry), Err(ProblemError::NoPair));
    assert!(problem.add_row(&[(7, 1.0)], 0.0, RowLaw::equality(0.0)).is_err());
    let a = nalgebra::Matrix6::<f64>::identity();
    let mut turned = nalgebra::Matrix3::identity();
    turned[(0, 1)] = 1e-3;
    let add = |problem: &mut Problem, turned| {
        problem.add_free_body(a.as_slice(), &[0.0; 6], &[0.0; 6], turned, Vector3::zeros())
    };
    assert!(add(&mut problem, &turned).unwrap_err().to_string().contains("orientation"));
    add(&mut problem, &nalgebra::Matrix3::identity()).unwrap();
    let link = problem.add_link(problem.clique_count() - 1, Vector3::zeros(), &[0.0; 36]);
    assert!(matches!(link, Err(ProblemError::LinkOfFreeBody(_))));
    assert!(Problem::new(0.0, ContactSettings::default()).is_err());
    let sap = ContactSettings { model: FrictionModel::Sap, regularization: 0.0, ..Default::default() };
    assert!(Problem::new(1e-3, sap).is_err());
}

#[test]
fn constraints_within_one_rigid_body_do_nothing() {
    let mut problem = Problem::new(1e-3, settings(FrictionModel::Sap)).unwrap();
    let rotation = common::Random::new(3).rotation();
    let p = Vector3::new(0.1, -0.3, 0.2);
    let a = nalgebra::Matrix6::<f64>::identity();
    let v_star = [0.3, -0.2, 0.1, 1.0, 2.0, 3.0];
    let body =
        problem.add_free_body(a.as_slice(), &v_star, &[0.0; 6], rotation.matrix(), Vector3::zeros()).unwrap();
    let pair = problem.add_pair(Some(body), Some(body), p, nalgebra::Vector6::zeros()).unwrap();
    for i in 0..6 {
        problem.add_pair_row(pair, nalgebra::Vector6::ith(i, 1.0), RowLaw::equality(1e-9)).unwrap();
    }
    problem.add_contact(ContactEntry::point(Vector3::x(), rotation.into_inner(), 1e-9, 1e5, 0.5)).unwrap();
    let mut solver = Solver::new(SolverSettings::default()).unwrap();
    assert!(solver.solve(&problem, &[0.0; 6]).unwrap().converged());
    for i in 0..6 {
        assert!((solver.velocities()[i] - v_star[i]).abs() < 1e-6, "{:?}", solver.velocities());
    }
}

/// A velocity is known to 1e−16 of itself, and a stiff row multiplies that; its impulse may be far smaller.
#[test]
fn a_stiff_row_at_speed_is_solved_to_its_own_impulse() {
    for law in [
        |v: f64| RowLaw::equality(-v * 1.1e-3),
        |v: f64| RowLaw::Pd {
            proportional: 1e9,
            derivative: 1e8,
            position_error: 0.0,
            target_velocity: v,
            feed_forward: 0.0,
            effort_limit: f64::INFINITY,
        },
    ] {
        for k in 1..50 {
            let speed = 7.3 * k as f64;
            let mut problem = Problem::new(1e-3, ContactSettings::default()).unwrap();
            // Two masses of which one is light, as links of a robot are.
            problem.add_clique(&[1.0, 0.01, 0.01, 0.011], &[0.0, 0.0], &[speed, 0.3]).unwrap();
            problem.add_row(&[(0, 1.0)], 0.0, law(speed * (1.0 + 1e-9))).unwrap();
            problem.add_row(&[(0, 1.0), (1, 0.1)], 0.0, law(speed * (1.0 + 1e-9) + 0.03)).unwrap();
            let mut solver = Solver::new(SolverSettings::default()).unwrap();
            let report = *solver.solve(&problem, &[speed + 1.0, -1.0]).unwrap();
            assert!(report.converged() && report.iterations <= 6, "{report:?}");
        }
    }
}
