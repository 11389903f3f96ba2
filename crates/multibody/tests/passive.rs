//! Springs, damping and gravity compensation.

mod common;
use common::{Case, Random, random_world, relative};
use proptest::prelude::*;
use stiction_model::World;

fn sprung_world(seed: u64) -> World {
    let mut world = random_world(seed);
    let r = &mut Random(seed ^ 3);
    for body in &mut world.bodies[1..] {
        body.gravity_compensation = r.range(0.0, 1.0);
        for dof in body.joints.iter_mut().flat_map(|j| &mut j.dofs) {
            dof.stiffness = r.range(0.0, 5.0);
            dof.rest = r.sym();
            dof.damping = r.range(0.0, 2.0);
        }
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn spring_forces_are_minus_the_gradient_of_their_energy(seed: u64) {
        let case = Case::of(sprung_world(seed), seed);
        let mut forces = vec![0.0; case.nv()];
        case.mb.add_spring_forces(&case.q, &mut forces);
        let h = 1e-6;
        for i in 0..case.nv() {
            let mut unit = vec![0.0; case.nv()];
            unit[i] = 1.0;
            let slope = (case.mb.spring_energy(&case.moved(&unit, h)) - case.mb.spring_energy(&case.moved(&unit, -h))) / (2.0 * h);
            prop_assert!((slope + forces[i]).abs() <= 1e-6 * (1.0 + case.mb.spring_energy(&case.q)));
        }
    }

    #[test]
    fn damping_takes_power_from_every_motion(seed: u64) {
        let mut case = Case::of(sprung_world(seed), seed);
        let (mut all, mut springs) = (vec![0.0; case.nv()], vec![0.0; case.nv()]);
        case.mb.passive_forces(&mut case.ws, &case.q, &case.v, &mut all);
        case.mb.add_spring_forces(&case.q, &mut springs);
        let mut lift = vec![0.0; case.nv()];
        case.mb.add_gravity_compensation(&mut case.ws, &mut lift);
        for i in 0..case.nv() {
            let damping = all[i] - springs[i] - lift[i];
            let scale = 1.0 + all[i].abs() + springs[i].abs() + lift[i].abs();
            prop_assert!((damping + case.mb.damping()[i] * case.v[i]).abs() <= 1e-13 * scale);
        }
    }

    /// Each body is lifted at its centre of mass by its share of its weight.
    #[test]
    fn gravity_compensation_lifts_each_body_by_its_share(seed: u64) {
        let mut case = Case::of(sprung_world(seed), seed);
        let mut lift = vec![0.0; case.nv()];
        case.mb.add_gravity_compensation(&mut case.ws, &mut lift);
        let mut expected = vec![0.0; case.nv()];
        for (b, body) in case.world.bodies.iter().enumerate() {
            let com = case.mb.pose(&case.ws, b) * nalgebra::Point3::from(body.inertia.com);
            let force = -body.gravity_compensation * body.inertia.mass * case.world.options.gravity;
            let wrench = nalgebra::Vector6::new(0.0, 0.0, 0.0, force.x, force.y, force.z);
            case.mb.add_wrench(&case.ws, b, &com.coords, &wrench, &mut expected);
        }
        prop_assert!(relative(&lift, &expected, 1.0) <= 1e-12);
    }
}

#[test]
fn full_compensation_cancels_gravity() {
    for seed in 0..50 {
        let mut world = random_world(seed);
        for body in &mut world.bodies {
            body.gravity_compensation = 1.0;
        }
        let mut case = Case::of(world, seed);
        let (mut lift, mut weight) = (vec![0.0; case.nv()], vec![0.0; case.nv()]);
        case.mb.add_gravity_compensation(&mut case.ws, &mut lift);
        case.mb.gravity_forces(&mut case.ws, &mut weight);
        assert!(relative(&lift, &weight, 1.0) < 1e-13);
    }
}
