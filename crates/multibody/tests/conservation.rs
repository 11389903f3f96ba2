//! What is conserved, and how fast numerical drift falls.

mod common;
use common::{Case, Random, RandomMechanics, Stepper, max_abs, random_world};
use nalgebra::{DVector, Vector3};
use proptest::prelude::*;
use stiction_model::{Joint, JointKind, World};

/// A random world with all bodies in trees that float: every root has a free joint.
fn floating_world(seed: u64) -> World {
    let mut world = random_world(seed);
    for b in 1..world.bodies.len() {
        let body = &mut world.bodies[b];
        if body.parent == Some(0) {
            body.joints = vec![Joint::new(format!("free {b}"), JointKind::Free)];
        }
        for dof in body.joints.iter_mut().flat_map(|j| &mut j.dofs) {
            // Armature acts as if from the ground, so it would carry momentum of its own.
            (dof.armature, dof.rotor_inertia) = (0.0, 0.0);
        }
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Joint forces between bodies change no momentum; gravity changes the linear one by m g.
    #[test]
    fn momentum_of_floating_trees_changes_by_the_weight_alone(seed: u64) {
        let mut case = Case::of(floating_world(seed), seed);
        let mut tau = case.r.vector(case.nv());
        for tree in case.mb.trees() {
            tau[tree.v.start..tree.v.start + 6].fill(0.0);
        }
        let vdot = case.aba(&tau);
        prop_assume!(max_abs(&vdot) < 300.0);
        let h = 1e-5 / (1.0 + max_abs(&vdot)).sqrt();
        let momentum = |h: f64, tree: usize| {
            let v: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + h * a).collect();
            let mid: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + 0.5 * h * a).collect();
            case.mb.tree_momentum(&case.at(&case.moved(&mid, h), &v), tree)
        };
        for tree in 0..case.mb.trees().len() {
            let (before, after) = (momentum(-h, tree), momentum(h, tree));
            let mass: f64 = (0..case.mb.body_count())
                .filter(|b| case.mb.body_tree(*b) == Some(tree))
                .map(|b| case.mb.body_mass(b))
                .sum();
            let scale = 1.0 + max_abs(&vdot);
            let rate = (after.linear - before.linear) / (2.0 * h);
            prop_assert!((rate - mass * case.world.options.gravity).norm() <= 1e-6 * scale * mass);
            let rate = (after.angular - before.angular) / (2.0 * h);
            prop_assert!(rate.norm() <= 1e-6 * scale * mass, "{}", rate.norm());
        }
    }

    #[test]
    fn linear_momentum_is_mass_times_velocity_of_the_centre(seed: u64) {
        let case = Case::new(seed);
        let momentum = case.mb.momentum(&case.ws);
        let mass: f64 = (0..case.mb.body_count()).filter(|b| case.mb.body_tree(*b).is_some()).map(|b| case.mb.body_mass(b)).sum();
        let velocity = case.mb.com_jacobian(&case.ws) * DVector::from_vec(case.v.clone());
        prop_assert!((momentum.linear - mass * velocity).norm() <= 1e-12 * (1.0 + momentum.linear.norm()));
        // Body by body, from the description.
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for (b, body) in case.world.bodies.iter().enumerate().filter(|(b, _)| case.mb.body_tree(*b).is_some()) {
            let x = case.mb.pose(&case.ws, b);
            let com = x * nalgebra::Point3::from(body.inertia.com);
            let p = body.inertia.mass * case.mb.point_velocity(&case.ws, b, &com.coords);
            let w = case.mb.twist(&case.ws, b).fixed_rows::<3>(0).into_owned();
            linear += p;
            angular += x.rotation * (body.inertia.rotational * (x.rotation.inverse() * w)) + (com.coords - momentum.com).cross(&p);
        }
        prop_assert!((momentum.linear - linear).norm() <= 1e-12 * (1.0 + linear.norm()));
        prop_assert!((momentum.angular - angular).norm() <= 1e-12 * (1.0 + angular.norm()));
        // Trees have centres of their own, of which that of all is the mean.
        let mut moment = Vector3::zeros();
        for tree in 0..case.mb.trees().len() {
            let of_tree = |b: &usize| case.mb.body_tree(*b) == Some(tree);
            let own: f64 = (0..case.mb.body_count()).filter(of_tree).map(|b| case.mb.body_mass(b)).sum();
            moment += own * case.mb.tree_center_of_mass(&case.ws, tree);
        }
        let all = mass * case.mb.center_of_mass(&case.ws);
        prop_assert!((moment - all).norm() <= 1e-12 * (1.0 + all.norm()));
        // The centre's velocity is the rate of its position.
        let h = 1e-5;
        let com = |h: f64| case.mb.center_of_mass(&case.at(&case.moved(&case.v, h), &case.v));
        let rate = (com(h) - com(-h)) / (2.0 * h);
        prop_assert!((rate - velocity).norm() <= 1e-7 * (1.0 + momentum.linear.norm()));
    }
}

/// Energy error at the end of 0.2 s with `steps` steps.
fn drift(case: &Case, order: usize, steps: usize) -> f64 {
    let mut stepper = Stepper { mb: &case.mb, ws: case.ws.clone(), q: case.q.clone(), v: case.v.clone() };
    let start = stepper.energy();
    for _ in 0..steps {
        stepper.step(0.2 / steps as f64, order);
    }
    (stepper.energy() - start).abs()
}

#[test]
fn energy_drift_falls_with_the_order_of_the_step() {
    let mut checked = 0;
    for seed in 0..40 {
        let case = Case::new(seed);
        let start =
            Stepper { mb: &case.mb, ws: case.ws.clone(), q: case.q.clone(), v: case.v.clone() }.energy();
        for (order, steps) in [(1, 800), (2, 200), (4, 100)] {
            let (coarse, fine) = (drift(&case, order, steps), drift(&case, order, 2 * steps));
            // Where the coarse error is too large the orders do not show yet; where the fine one is at
            // rounding they do not show any more.
            if coarse > 1e-2 * (1.0 + start.abs()) || fine < 1e-11 * (1.0 + start.abs()) {
                continue;
            }
            let slope = (coarse / fine).log2();
            assert!(
                slope > order as f64 - 0.35,
                "seed {seed}, order {order}: {coarse:e} → {fine:e}, slope {slope}"
            );
            checked += 1;
        }
    }
    assert!(checked >= 60, "only {checked} of 120 runs could be judged");
}

/// The dynamics do not know where the world's origin is: a kilometre away nothing changes by more than
/// rounding of what is far away.
#[test]
fn a_kilometre_from_the_origin_costs_no_digits() {
    for seed in 0..100 {
        let near = random_world(seed);
        let mut far = near.clone();
        let shift = 1e3 * Random(seed).axis();
        for body in far.bodies.iter_mut().filter(|b| b.parent == Some(0)) {
            body.pose.translation.vector += shift;
        }
        let (mut a, mut b) = (Case::of(near, seed), Case::of(far, seed));
        for joint in b.mb.joints().iter().filter(|j| j.kind == JointKind::Free) {
            for k in 0..3 {
                b.q[joint.q.start + k] += shift[k];
            }
        }
        b.ws = b.at(&b.q, &b.v);
        let n = a.nv();
        let mass = a.mass().to_dense();
        assert!((&mass - b.mass().to_dense()).abs().max() <= 1e-14 * mass.abs().max().max(1e-300) || n == 0);
        let tau = a.r.vector(n);
        assert!(common::relative(&a.rnea(&tau), &b.rnea(&tau), 1.0) <= 1e-13);
        let (near, far) = (a.aba(&tau), b.aba(&tau));
        assert!(common::relative(&near, &far, 1.0) <= 1e-11, "seed {seed}");
        for body in 0..a.mb.body_count() {
            let gap = b.mb.origin(&b.ws, body) - a.mb.origin(&a.ws, body);
            if body > 0 {
                assert!((gap - shift).norm() <= 1e-12 * 1e3);
            }
            assert!((a.mb.twist(&a.ws, body) - b.mb.twist(&b.ws, body)).norm() <= 1e-13 * 10.0);
        }
    }
}
