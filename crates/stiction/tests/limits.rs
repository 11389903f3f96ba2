//! Joint limits that are struck.

mod common;
use common::{MODELS, model, simulation, tight};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use proptest::prelude::*;
use std::f64::consts::PI;
use stiction::Options;

/// A link on a slide, at rest, whose limit is `gap` ahead, and a ball that touches it and flies at it.
fn struck(gap: f64, ball: f64, link: f64) -> stiction::Model {
    let body = format!(
        "<body name=\"link\"><joint name=\"slide\" type=\"slide\" axis=\"1 0 0\" limited=\"true\" range=\"-1 {gap}\"/>\
         <inertial pos=\"0 0 0\" mass=\"{link}\" diaginertia=\"1 1 1\"/><geom type=\"sphere\" size=\"0.1\"/></body>\
         <body name=\"ball\" pos=\"-0.2 0 0\"><joint name=\"fly\" type=\"slide\" axis=\"1 0 0\"/>\
         <inertial pos=\"0 0 0\" mass=\"{ball}\" diaginertia=\"1 1 1\"/><geom type=\"sphere\" size=\"0.1\"/></body>"
    );
    model(&body, "<option gravity=\"0 0 0\"/>")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A near-rigid limit yields by R γ (δt + τ) under the impulse γ of a step (`stiction_convex::scalar`:
    /// R = β²/4π² · 1/m, τ = β δt/π, β = 0.1), and γ is at most the momentum that arrives. In the step of the blow itself the
    /// link is out of the reach of its own speed, which is zero.
    #[test]
    fn a_limit_holds_in_the_step_in_which_its_link_is_struck(
        gap in 0.002f64..0.1, ball in 0.5f64..50.0, speed in 2.0f64..40.0, step in 1e-3f64..1e-2, contact in 0usize..3,
    ) {
        let link = 1.0;
        let options = Options { step, contact: MODELS[contact], ..tight() };
        let mut sim = simulation(&struck(gap, ball, link), options);
        sim.state_mut().v[1] = speed;
        let (mut furthest, beta) = (f64::NEG_INFINITY, 0.1);
        for _ in 0..40 {
            sim.step(1).unwrap();
            furthest = furthest.max(sim.state().q[0] - gap);
        }
        let pi = std::f64::consts::PI;
        let allowed = beta * beta / (4.0 * pi * pi * link) * ball * speed * step * (1.0 + beta / pi);
        prop_assert!(furthest > -1e-3, "the link never came near its limit: {furthest}");
        prop_assert!(furthest <= allowed * 1.01 + 1e-9, "{furthest:e} m beyond the limit, {allowed:e} allowed");
    }
}

#[test]
fn the_force_of_a_limit_that_was_reached_by_impulses_is_read_by_its_sensor() {
    let text = "<body name=\"link\"><joint name=\"slide\" type=\"slide\" axis=\"1 0 0\" limited=\"true\" range=\"-1 0.05\"/>\
                <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><geom type=\"sphere\" size=\"0.1\"/></body>\
                <body name=\"ball\" pos=\"-0.2 0 0\"><joint name=\"fly\" type=\"slide\" axis=\"1 0 0\"/>\
                <inertial pos=\"0 0 0\" mass=\"10\" diaginertia=\"1 1 1\"/><geom type=\"sphere\" size=\"0.1\"/></body>";
    let rest = "<option gravity=\"0 0 0\"/><sensor><jointlimitfrc name=\"limit\" joint=\"slide\"/></sensor>";
    let mut sim = simulation(&model(text, rest), Options { step: 5e-3, ..tight() });
    sim.state_mut().v[1] = 30.0;
    let mut impulse = 0.0;
    for _ in 0..100 {
        sim.step(1).unwrap();
        impulse += sim.options().step * sim.sensors()[0];
    }
    // All momentum that is gone went through the limit.
    let momentum = sim.state().v[0] + 10.0 * sim.state().v[1];
    assert!((impulse.abs() - (300.0 - momentum)).abs() < 1e-6 * 300.0, "{impulse} {momentum}");
}

/// A link on a ball joint whose angle of rotation is at most `upper` (rad), with moments of inertia about the joint, and a sphere
/// at (0, 0, −1) that a ball of mass `ball` touches from the side of −`along`.
fn struck_socket(upper: f64, inertia: [f64; 3], along: Vector3<f64>, ball: f64) -> stiction::Model {
    let ([x, y, z], p, degrees) = (inertia, Vector3::new(0.0, 0.0, -1.0) - 0.2 * along, upper.to_degrees());
    let body = format!(
        "<body name=\"link\"><joint name=\"socket\" type=\"ball\" limited=\"true\" range=\"0 {degrees}\"/>\
         <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"{x} {y} {z}\"/>\
         <geom type=\"sphere\" size=\"0.1\" pos=\"0 0 -1\"/></body>\
         <body name=\"ball\" pos=\"{} {} {}\"><freejoint/>\
         <inertial pos=\"0 0 0\" mass=\"{ball}\" diaginertia=\"1 1 1\"/><geom type=\"sphere\" size=\"0.1\"/></body>",
        p.x, p.y, p.z
    );
    model(&body, "<option gravity=\"0 0 0\"/>")
}

fn angle(q: &[f64]) -> f64 {
    UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3])).angle()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// As for the slide: R = β²/4π² · 1/I with the least moment of inertia I about the joint, and γ is at most the angular
    /// momentum that arrives. 1e-4 rad is the angle within which the step is not solved again. The link is at rest at its rest
    /// orientation, so that the limit has no axis before the blow.
    #[test]
    fn a_ball_joint_holds_in_the_step_in_which_it_leaves_its_rest_orientation(
        upper in 0.05f64..1.0, inertia in prop::array::uniform3(0.5f64..1.0), heading in 0.0..std::f64::consts::TAU,
        ball in 0.5f64..50.0, speed in 2.0f64..40.0, step in 1e-3f64..1e-2, contact in 0usize..3,
    ) {
        let along = Vector3::new(heading.cos(), heading.sin(), 0.0);
        let options = Options { step, contact: MODELS[contact], ..tight() };
        let mut sim = simulation(&struck_socket(upper, inertia, along, ball), options);
        for k in 0..3 {
            sim.state_mut().v[3 + k] = speed * along[k];
        }
        let (mut furthest, mut first, pi, beta) = (0.0f64, None, std::f64::consts::PI, 0.1);
        for _ in 0..40 {
            let before = furthest;
            sim.step(1).unwrap();
            furthest = furthest.max(angle(&sim.state().q[..4]));
            if furthest > 0.0 && before == 0.0 {
                first = Some(furthest);
            }
        }
        let least = inertia.iter().copied().fold(f64::INFINITY, f64::min);
        let allowed = beta * beta / (4.0 * pi * pi * least) * ball * speed * step * (1.0 + beta / pi) + 1e-4;
        prop_assert!(first.is_some() && furthest > 0.5 * upper.min(speed * step), "no blow: {furthest}");
        prop_assert!(furthest <= upper + 1.01 * allowed, "{:e} rad beyond the limit, {allowed:e} allowed", furthest - upper);
        prop_assert_eq!(sim.stats().unconverged, 0);
    }

    /// A blow from the side of the present axis: the row along that axis alone does not see it.
    #[test]
    fn a_turned_ball_joint_holds_against_a_spin_about_any_axis(
        upper in 0.2f64..1.5, share in 0.3f64..0.99, axis in prop::array::uniform3(-1.0f64..1.0),
        spin in prop::array::uniform3(-60.0f64..60.0), inertia in prop::array::uniform3(0.5f64..1.0), step in 1e-3f64..1e-2,
    ) {
        let axis = Vector3::from(axis);
        prop_assume!(axis.norm() > 0.1);
        let mut sim = simulation(&struck_socket(upper, inertia, Vector3::x(), 1.0), Options { step, ..tight() });
        // The ball is out of the way.
        sim.state_mut().q[4] = 50.0;
        let turn = UnitQuaternion::from_scaled_axis(axis.normalize() * share * upper);
        sim.state_mut().q[..4].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        sim.state_mut().v[..3].copy_from_slice(&spin);
        let (pi, beta) = (std::f64::consts::PI, 0.1);
        let [least, most] = [f64::min, f64::max].map(|of| inertia.iter().copied().reduce(of).unwrap());
        let allowed =
            beta * beta / (4.0 * pi * pi * least) * most * Vector3::from(spin).norm() * step * (1.0 + beta / pi) + 1e-4;
        sim.step(1).unwrap();
        let beyond = angle(&sim.state().q[..4]) - upper;
        prop_assert!(beyond <= 1.01 * allowed, "{beyond:e} rad beyond the limit, {allowed:e} allowed");
        prop_assert_eq!(sim.stats().unconverged, 0);
    }
}

/// A bar at its limit is struck by 50 kg at 20 m/s. A near-rigid limit yields to an impulse p by R p (δt + τ), with R = β²/(4π² m) of the
/// bar's mass m and τ = β δt/π (β = 0.1): 0.05 mm for a bar of 50 kg at 10 ms, 2.6 mm for one of 1 kg, in proportion to the step.
#[test]
fn a_limit_that_is_struck_yields_by_its_compliance() {
    let (heavy, speed, beta) = (50.0_f64, 20.0_f64, 0.1_f64);
    for mass in [50.0, 1.0] {
        let scene = model(
            &format!(
                "<body><joint type=\"slide\" axis=\"1 0 0\" range=\"-1 0\" limited=\"true\"/>\
                 <geom type=\"box\" size=\".1 .1 .1\" mass=\"{mass}\"/></body>\
                 <body pos=\"-1 0 0\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" mass=\"{heavy}\"/></body>"
            ),
            "<option gravity=\"0 0 0\"/>",
        );
        for contact in MODELS {
            for step in [1e-3, 1e-2] {
                for k in 0..4 {
                    let mut sim = simulation(&scene, Options { step, contact, ..Options::default() });
                    sim.state_mut().q[1] -= 0.017 * f64::from(k);
                    sim.state_mut().v[1] = speed;
                    let energy = sim.energy().kinetic;
                    let most =
                        heavy * speed * beta * beta / (4.0 * PI * PI * mass) * step * (1.0 + beta / PI);
                    let mut deepest: f64 = 0.0;
                    for _ in 0..(0.1 / step) as usize {
                        sim.step(1).unwrap();
                        deepest = deepest.max(sim.state().q[0]);
                        let name = format!("{mass} kg, {contact:?}, step {step}, shot {k}");
                        assert!(
                            deepest <= most,
                            "{name}: {deepest:e} m beyond, its compliance is {most:e} m"
                        );
                        assert!(sim.energy().kinetic <= energy * (1.0 + 1e-9), "{name}: gains energy");
                    }
                    assert!(deepest > 0.1 * most, "it is struck");
                }
            }
        }
    }
}
