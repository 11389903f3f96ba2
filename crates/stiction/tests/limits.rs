//! Joint limits that are struck.

mod common;
use common::{MODELS, model, simulation, tight};
use proptest::prelude::*;
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
