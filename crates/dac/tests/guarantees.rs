//! What holds for any weights, any body and any state.

mod common;

use common::{Noise, Scene, scene};
use nalgebra::{DMatrix, DVector, Matrix2, Matrix3, Matrix6, Vector3, Vector6};
use proptest::prelude::*;
use stiction_dac::{
    Answer, BodyInstant, Chain, Class, DacLaw, Linked, Normal, Patch, Stick, Symmetry, Upstream, coulomb,
};

const SYMMETRIES: [Symmetry; 4] = [Symmetry::None, Symmetry::Mirror, Symmetry::Square, Symmetry::Round];

/// Velocities of the points along the normal after an answer, and the scale to hold them against.
fn normal_velocities(scene: &Scene, twist: &Vector6<f64>) -> Vec<f64> {
    let n: Vector3<f64> = scene.frame.column(2).into();
    let (spin, linear): (Vector3<f64>, Vector3<f64>) =
        (twist.fixed_rows::<3>(0).into(), twist.fixed_rows::<3>(3).into());
    scene.points.iter().map(|p| n.dot(&(linear + spin.cross(&(p - scene.body.com))))).collect()
}

fn check(scene: &Scene, answer: &Answer, after: &Vector6<f64>) -> Result<(), TestCaseError> {
    // Everything relative to the speeds of the points before, and the impulses they could call for.
    let before = Patch::new(&scene.body, &scene.frame, &scene.points).unwrap();
    let lever = 1.0 + scene.points.iter().map(|p| (p - scene.body.com).norm()).fold(0.0, f64::max);
    let impulse: f64 = answer.loads.iter().sum();
    let speed = before.twist.norm() + after.norm() * lever + impulse / scene.body.mass;
    let tolerance = 1e-8 * speed;
    for (load, u) in answer.loads.iter().zip(normal_velocities(scene, after)) {
        prop_assert!(u >= -tolerance, "approaches at {u} of {speed}");
        prop_assert!(*load >= 0.0, "pulls with {load}");
        prop_assert!(load * u <= 1e-8 * (impulse * speed), "load {load} at a point that leaves at {u}");
    }
    if impulse == 0.0 {
        prop_assert!(answer.wrench.norm() == 0.0, "friction without a normal impulse");
    }
    // The wrench is that of the loads and the friction, and nothing else.
    let n: Vector3<f64> = scene.frame.column(2).into();
    let along = answer.wrench.fixed_rows::<3>(3).dot(&n);
    prop_assert!((along - impulse).abs() <= 1e-9 * impulse.max(1e-12));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn nothing_penetrates_pulls_or_drags_whatever_the_weights(
        scene in scene(), seed in any::<u64>(), size in 0.01..30.0f64, symmetry in 0usize..4,
    ) {
        let law = Noise::new(seed).law(size, SYMMETRIES[symmetry]);
        let patch = Patch::new(&scene.body, &scene.frame, &scene.points).unwrap();
        let answer = law.contact(&patch).unwrap();
        let after = scene.body.after(&answer.wrench);
        check(&scene, &answer, &after)?;
        let (spin, linear) = (after.fixed_rows::<3>(0).into_owned(), after.fixed_rows::<3>(3).into_owned());
        let before = scene.body.twist;
        let (spin0, linear0) = (before.fixed_rows::<3>(0).into_owned(), before.fixed_rows::<3>(3).into_owned());
        let energy = |w: &Vector3<f64>, v: &Vector3<f64>| {
            0.5 * (w.dot(&(scene.body.inertia_w * w)) + scene.body.mass * v.norm_squared())
        };
        let (e0, e1) = (energy(&spin0, &linear0), energy(&spin, &linear));
        let push = answer.wrench.fixed_rows::<3>(3).norm_squared() / scene.body.mass;
        prop_assert!(e1 <= e0 + 1e-7 * (e0 + push), "energy grows from {e0} to {e1}");
    }

    #[test]
    fn the_normal_part_is_the_frictionless_problem_under_the_friction_that_comes_out(
        scene in scene(), ratio in proptest::array::uniform3(-0.6..0.6f64),
    ) {
        let patch = Patch::new(&scene.body, &scene.frame, &scene.points).unwrap();
        let both = Normal::solve(&patch, &Vector3::from(ratio), &Vector3::zeros()).unwrap();
        let again = Normal::solve(&patch, &Vector3::zeros(), &both.friction).unwrap();
        let size = patch.twist.norm() + both.wrench.norm();
        prop_assert!((both.wrench - again.wrench).norm() <= 1e-6 * size, "{} {}", both.wrench, again.wrench);
    }

    #[test]
    fn sticking_leaves_no_velocity_of_the_patch(scene in scene()) {
        let patch = Patch::new(&scene.body, &scene.frame, &scene.points).unwrap();
        let stick = Stick::solve(&patch);
        let after = patch.twist + patch.mobility * stick.wrench;
        // A patch that counts as a line or a point may have a little extent.
        let extent = if patch.len() == 1 { 0.0 } else { 0.05 };
        prop_assert!(patch.speed(&after) <= (1e-9 + extent) * (patch.twist.norm() + after.norm()));
        prop_assert!(after.fixed_rows::<3>(3).norm() <= 1e-9 * (patch.twist.norm() + stick.wrench.norm()));
    }

    #[test]
    fn coulomb_friction_stays_in_its_cone_and_takes_energy(scene in scene(), mu in 0.0..1.0f64) {
        let patch = Patch::new(&scene.body, &scene.frame, &scene.points).unwrap();
        let plain = coulomb(&patch, mu);
        for i in 0..patch.len() {
            let l = plain.impulses.fixed_rows::<3>(3 * i);
            prop_assert!(l.fixed_rows::<2>(0).norm() <= mu * l[2] * (1.0 + 1e-12) + 1e-15);
        }
        if plain.converged {
            let work = plain.wrench.dot(&(patch.twist + plain.twist)) * 0.5;
            prop_assert!(work <= 1e-5 * plain.wrench.norm() * patch.twist.norm().max(1e-12));
        }
    }

    #[test]
    fn a_chain_keeps_its_joint_and_the_guarantees_whatever_the_weights(
        scene in scene(), seed in any::<u64>(), size in 0.01..10.0f64, n in 1usize..4, rows in 2usize..6,
    ) {
        let mut noise = Noise::new(seed);
        let law = noise.law(size, Symmetry::Square);
        let jacobian = DMatrix::from_fn(rows, 6, |i, j| f64::from(i == (j + 3) % 6) + 0.3 * noise.next());
        let root = DMatrix::from_fn(n, n, |i, j| f64::from(i == j) + 0.3 * noise.next());
        let mass = &root * root.transpose() * scene.body.mass;
        let speed = scene.body.twist.norm();
        let velocity = DVector::from_fn(n, |_, _| speed * noise.next());
        let upstream = Upstream { mass, velocity, jacobian: DMatrix::from_fn(rows, n, |_, _| noise.next()) };
        let chain = Chain {
            link: scene.body, jacobian, upstream, frame: scene.frame, points: scene.points.clone(),
        };
        let answer = law.chain_contact(&chain).unwrap();
        check(&scene, &answer.contact, &answer.twist)?;
        let gap = &chain.jacobian * answer.twist - &chain.upstream.jacobian * &answer.velocity;
        let size = answer.twist.norm() + answer.velocity.norm() + scene.body.twist.norm();
        prop_assert!(gap.norm() <= 1e-7 * size, "the joint opens at {} of {size}", gap.norm());
    }

    #[test]
    fn a_body_of_any_mechanism_keeps_the_guarantees_whatever_the_weights(
        scene in scene(), seed in any::<u64>(), size in 0.01..10.0f64, held in 1usize..5,
    ) {
        let mut noise = Noise::new(seed);
        let law = noise.law(size, Symmetry::Square);
        let mut inverse = Matrix6::zeros();
        inverse.fixed_view_mut::<3, 3>(0, 0).copy_from(&scene.body.inertia_w.try_inverse().unwrap());
        inverse.fixed_view_mut::<3, 3>(3, 3).fill_diagonal(1.0 / scene.body.mass);
        // Some directions held by something heavy: less response than the free body's.
        let j = DMatrix::from_fn(held, 6, |i, k| f64::from(i == (k + 3) % 6) + 0.3 * noise.next());
        let a = (&j * inverse * j.transpose()) * 1.3;
        let response = inverse - inverse * j.transpose() * a.try_inverse().unwrap() * &j * inverse;
        let response: Matrix6<f64> = response.fixed_view::<6, 6>(0, 0).into();
        let linked = Linked { body: scene.body, response, frame: scene.frame, points: scene.points.clone() };
        let answer = law.linked_contact(&linked).unwrap().contact;
        check(&scene, &answer, &(scene.body.twist + response * answer.wrench))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_mirrored_scene_has_the_mirrored_answer(
        scene in scene(), seed in any::<u64>(), flip in proptest::array::uniform2(any::<bool>()), swap in any::<bool>(),
    ) {
        let law = Noise::new(seed).law(0.5, Symmetry::Square);
        let patch = Patch::new(&scene.body, &scene.frame, &scene.points).unwrap();
        // A mirroring of the whole scene, in the floor's axes.
        let sign = |f: bool| if f { -1.0 } else { 1.0 };
        let mut q2 = Matrix2::new(sign(flip[0]), 0.0, 0.0, sign(flip[1]));
        if swap { q2 = Matrix2::new(0.0, 1.0, 1.0, 0.0) * q2; }
        let mut q = Matrix3::identity();
        q.fixed_view_mut::<2, 2>(0, 0).copy_from(&q2);
        let q = scene.frame * q * scene.frame.transpose();
        let sense = q.determinant();
        let mut twist = Vector6::zeros();
        twist.fixed_rows_mut::<3>(0).copy_from(&(q * scene.body.twist.fixed_rows::<3>(0) * sense));
        twist.fixed_rows_mut::<3>(3).copy_from(&(q * scene.body.twist.fixed_rows::<3>(3)));
        let body = BodyInstant {
            inertia_w: q * scene.body.inertia_w * q.transpose(), com: q * scene.body.com, twist, ..scene.body
        };
        let points: Vec<_> = scene.points.iter().map(|p| q * p).collect();
        let mirrored = Patch::new(&body, &scene.frame, &points).unwrap();
        let (a, b) = (law.contact(&patch).unwrap(), law.contact(&mirrored).unwrap());
        // On the wedge's edge rounding may decide between two mirrorings.
        let plain = coulomb(&patch, law.friction).ratio;
        prop_assume!(plain.x.abs() > 1e-3 && plain.y.abs() > 1e-3 && (plain.x.abs() - plain.y.abs()).abs() > 1e-3);
        prop_assume!(a.class == b.class);
        let force: Vector3<f64> = q * a.wrench.fixed_rows::<3>(3);
        let other: Vector3<f64> = b.wrench.fixed_rows::<3>(3).into();
        prop_assert!((force - other).norm() <= 1e-4 * (force.norm() + 1e-9 * body.mass), "{force} {other}");
    }
}

#[test]
fn a_box_at_rest_stays_at_rest_under_a_law_that_says_static() {
    let h = 2e-3;
    let body = BodyInstant {
        mass: 1.0,
        inertia_w: Matrix3::from_diagonal(&Vector3::new(3e-3, 4e-3, 5e-3)),
        com: Vector3::new(0.0, 0.0, 0.05),
        twist: Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, -9.81 * h),
    };
    let corner = |x: f64, y: f64| Vector3::new(x, y, 0.0);
    let points = [corner(0.1, 0.08), corner(-0.1, 0.08), corner(-0.1, -0.08), corner(0.1, -0.08)];
    let patch = Patch::new(&body, &Matrix3::identity(), &points).unwrap();
    let answer = DacLaw::coulomb(0.5).contact(&patch).unwrap();
    assert_eq!(answer.class, Class::Static);
    assert!(body.after(&answer.wrench).norm() < 1e-12);
    assert!((answer.loads.iter().sum::<f64>() - 9.81 * h).abs() < 1e-12);
}

#[test]
fn a_law_flags_what_it_was_not_trained_for() {
    let law = Noise::new(3).law(0.3, Symmetry::Square);
    let body = BodyInstant {
        mass: 1.0,
        inertia_w: Matrix3::identity() * 4e-3,
        com: Vector3::zeros(),
        twist: Vector6::new(0.0, 0.0, 0.0, 3.0, 0.0, -50.0),
    };
    let patch = Patch::new(&body, &Matrix3::identity(), &[Vector3::new(0.1, 0.0, -0.1)]).unwrap();
    let outside = law.contact(&patch).unwrap().outside.unwrap();
    assert!(outside.what.contains("speed") && outside.value > outside.range.1);
}

#[test]
fn states_that_are_not_finite_are_errors() {
    let body = BodyInstant {
        mass: 1.0,
        inertia_w: Matrix3::identity(),
        com: Vector3::zeros(),
        twist: Vector6::repeat(f64::NAN),
    };
    let points = [Vector3::zeros()];
    assert!(Patch::new(&body, &Matrix3::identity(), &points).is_err());
    let body = BodyInstant { twist: Vector6::zeros(), mass: 0.0, ..body };
    assert!(Patch::new(&body, &Matrix3::identity(), &points).is_err());
    let body = BodyInstant { mass: 1.0, ..body };
    assert!(Patch::new(&body, &Matrix3::identity(), &[]).is_err());
    assert!(Patch::new(&body, &(Matrix3::identity() * 2.0), &points).is_err());
}
