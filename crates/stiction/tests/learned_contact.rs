//! Steps with a contact law in place of the convex contact model.

use nalgebra::DVector;
use std::sync::Arc;
use stiction::contact_law::{Class, DacLaw};
use stiction::{Format, LoadOptions, Model, OptionError, Options, Simulation, StepError};

fn model(bodies: &str) -> Model {
    let text = format!(
        "<mujoco><option timestep=\"0.002\"/><worldbody><geom type=\"plane\" size=\"5 5 1\"/>{bodies}</worldbody></mujoco>"
    );
    Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).expect("the model reads")
}

const BOX: &str =
    "<body pos=\"0 0 0.06\"><freejoint/><geom type=\"box\" size=\"0.1 0.08 0.06\" mass=\"1\"/></body>";

fn simulation(model: &Model, friction: f64) -> Simulation {
    let options = Options { step: 2e-3, ..Options::default() };
    let mut simulation = Simulation::new(model, options).expect("options are fine");
    simulation.set_contact_law(Some(Arc::new(DacLaw::coulomb(friction)))).expect("the model fits");
    simulation
}

/// Performs a step. Returns the kinetic energy added by contact, J: the energy after the step minus the energy after
/// all forces except contact, both with the initial mass matrix.
fn gain(simulation: &mut Simulation) -> f64 {
    let (q, v, dt) = (simulation.state().q.clone(), simulation.state().v.clone(), simulation.options().step);
    let (mass, rate) = {
        let model = simulation.model();
        let none = vec![0.0; model.nv()];
        (model.mass_matrix(&q).expect("a state"), model.forward_dynamics(&q, &v, &none).expect("a state"))
    };
    let kinetic = |v: DVector<f64>| 0.5 * v.dot(&(&mass * &v));
    let free = DVector::from_iterator(v.len(), v.iter().zip(&rate).map(|(v, a)| v + dt * a));
    simulation.step(1).expect("it goes on");
    kinetic(DVector::from_column_slice(&simulation.state().v)) - kinetic(free)
}

/// Height by which the position correction lifts a free body in a step, m.
fn lift(simulation: &mut Simulation) -> f64 {
    let before = simulation.state().q[2];
    simulation.step(1).expect("it goes on");
    simulation.state().q[2] - before - simulation.options().step * simulation.state().v[2]
}

#[test]
fn putting_positions_right_lifts_no_further_than_a_step_can_sink() {
    let model = model(BOX);
    let mut simulation = simulation(&model, 0.5);
    let state = simulation.state_mut();
    state.q[2] = 0.4;
    state.q[3..7].copy_from_slice(&[0.8, 0.36, 0.48, 0.0]);
    state.v.copy_from_slice(&[1.2, -0.4, 0.0, 3.0, 1.0, -2.0]);
    let reach = 0.1f64.hypot(0.08).hypot(0.06);
    let mut total = 0.0;
    for _ in 0..600 {
        let v = simulation.state().v.clone();
        let speed = v[2].abs() + 9.81 * 2e-3 + v[3].hypot(v[4]).hypot(v[5]) * reach;
        let lift = lift(&mut simulation);
        // Points within 0.2 mm are projected onto the floor, which may lower the body by as much.
        assert!(lift <= 2e-3 * speed + 2e-4 && lift >= -2e-4, "{lift} m at {speed} m/s");
        total += lift.max(0.0);
    }
    assert!(total > 0.0, "it lands, and sinks in within a step");
}

#[test]
fn a_box_slides_as_far_as_coulomb_says_and_stays_there() {
    let model = model(BOX);
    let mut simulation = simulation(&model, 0.4);
    simulation.state_mut().v[0] = 1.0;
    simulation.step(400).expect("it goes on");
    let x = simulation.state().q[0];
    let expected = 1.0 / (2.0 * 0.4 * 9.81);
    assert!((x - expected).abs() < 1.5e-3, "{x} against {expected}");
    assert_eq!(simulation.learned_report().and_then(|r| r.class), Some(Class::Static));
    let held = simulation.state().q.clone();
    simulation.step(100).expect("it goes on");
    for (a, b) in held.iter().zip(&simulation.state().q) {
        assert!((a - b).abs() < 1e-9);
    }
    let weight: f64 = simulation.contacts().iter().map(|c| c.force.z).sum();
    assert!((weight.abs() - 9.81).abs() < 1e-6, "{weight}");
}

#[test]
fn a_tumbling_box_never_sinks_in_and_only_loses_energy() {
    let model = model(BOX);
    let mut simulation = simulation(&model, 0.5);
    {
        let state = simulation.state_mut();
        state.q[2] = 0.4;
        state.q[3..7].copy_from_slice(&[0.8, 0.36, 0.48, 0.0]);
        state.v.copy_from_slice(&[1.2, -0.4, 0.0, 3.0, 1.0, -2.0]);
    }
    for _ in 0..600 {
        let gain = gain(&mut simulation);
        assert!(gain <= 1e-9, "contact gives {gain} J at {} s", simulation.state().time);
        let depth = simulation.last_report().max_penetration;
        assert!(depth < 1e-7, "{depth} m deep at {} s", simulation.state().time);
    }
    assert!(simulation.state().v.iter().all(|v| v.abs() < 1e-6), "it rests");
}

#[test]
fn a_chain_drags_its_last_link_over_the_floor() {
    let model = model(
        "<body pos=\"0 0 0.5\"><joint type=\"hinge\" axis=\"0 1 0\"/><geom type=\"box\" size=\"0.15 0.02 0.02\" \
         pos=\"0.15 0 0\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/><body pos=\"0.3 0 0\"><joint type=\"hinge\" \
         axis=\"0 1 0\"/><geom type=\"box\" size=\"0.15 0.02 0.025\" pos=\"0.15 0 0\" mass=\"0.5\"/></body></body>",
    );
    let mut simulation = simulation(&model, 0.4);
    let mut touched = 0;
    for _ in 0..600 {
        let gain = gain(&mut simulation);
        assert!(gain <= 1e-9, "contact gives {gain} J at {} s", simulation.state().time);
        if let Some(report) = simulation.learned_report() {
            touched += usize::from(report.class.is_some_and(|c| c != Class::Detach));
        }
        assert!(simulation.last_report().max_penetration < 1e-6);
    }
    assert!(touched > 50, "{touched}");
}

#[test]
fn what_the_law_does_not_know_is_an_error() {
    let two = model(&format!("{BOX}{}", BOX.replace("0 0 0.06", "0 0 0.1799")));
    let mut simulation = simulation(&two, 0.4);
    let error = simulation.step(1).expect_err("two bodies touch");
    assert!(matches!(error, StepError::Learned { .. }), "{error}");
    let options = Options { accuracy: Some(1e-3), ..Options::default() };
    let mut simulation = Simulation::new(&model(BOX), options).expect("options are fine");
    let error =
        simulation.set_contact_law(Some(Arc::new(DacLaw::coulomb(0.3)))).expect_err("it adapts its steps");
    assert!(matches!(error, OptionError::Learned(_)), "{error}");
    // An option that the law does not read is an error, whether it is set before the law or after it.
    let law = || Some(Arc::new(DacLaw::coulomb(0.3)));
    let mut simulation =
        Simulation::new(&model(BOX), Options { margin: 1e-3, ..Options::default() }).unwrap();
    let error = simulation.set_contact_law(law()).expect_err("margin has no effect").to_string();
    assert!(error.contains("margin = 0.001") && error.contains("leave it out"), "{error}");
    let mut simulation = Simulation::new(&model(BOX), Options::default()).unwrap();
    simulation.set_contact_law(law()).unwrap();
    let error = simulation.set_options(Options { margin: 1e-3, ..Options::default() });
    assert!(error.is_err() && simulation.options().margin == 0.0 && simulation.contact_law().is_some());
}
