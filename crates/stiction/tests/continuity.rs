//! Saving, loading, repeating: the result depends only on the state.

mod common;
use common::{MODELS, simulation};
use stiction::{Model, Options, Sampled, Simulation, StepError, TrajectoryHash};

fn hash(sim: &Simulation) -> u64 {
    let mut hash = TrajectoryHash::default();
    hash.add(sim.state());
    hash.value()
}

#[test]
fn a_saved_run_continues_bit_for_bit() {
    let model = Model::from_scene("clutter").unwrap();
    for (contact, springs) in MODELS.map(|m| (m, false)).into_iter().chain([(MODELS[0], true)]) {
        let tangential_springs = springs.into();
        let options = Options { step: 2e-3, contact, tangential_springs, ..Options::default() };
        let mut whole = simulation(&model, options.clone());
        whole.step(250).unwrap();
        let blob = whole.save_state();
        whole.step(100).unwrap();
        let mut resumed = simulation(&model, options.clone());
        resumed.load_state(&blob).unwrap();
        resumed.step(100).unwrap();
        assert_eq!(hash(&whole), hash(&resumed), "{contact:?}, springs {springs}");
    }
}

#[test]
fn a_run_repeats_bit_for_bit_and_in_pieces() {
    let model = Model::from_scene("clutter").unwrap();
    let options = Options { step: 2e-3, ..Options::default() };
    let (mut first, mut second) = (simulation(&model, options.clone()), simulation(&model, options.clone()));
    first.step(300).unwrap();
    for n in [1, 99, 150, 50] {
        second.step(n).unwrap();
    }
    assert_eq!(hash(&first), hash(&second));
}

#[test]
fn foreign_and_damaged_states_are_refused() {
    let clutter = Model::from_scene("clutter").unwrap();
    let other = common::model("<body><joint/><geom size=\"0.1\"/></body>", "");
    let mut sim = simulation(&clutter, Options::default());
    let blob = sim.save_state();
    let foreign = simulation(&other, Options::default()).save_state();
    for (bytes, word) in [
        (&foreign[..], "another model"),
        (&blob[..10], "header"),
        (&blob[..60], "damaged"),
        (b"0123456789abcdefghijklmnop", "another kind"),
    ] {
        let message = sim.load_state(bytes).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
    assert!(sim.load_state(&blob).is_ok());
}

#[test]
fn a_controller_is_called_at_its_own_rate_and_its_faults_are_told() {
    let model = common::model(
        "<body><joint name=\"j\"/><geom size=\"0.1\"/></body>",
        "<actuator><motor joint=\"j\"/></actuator>",
    );
    let mut sim = simulation(&model, Options { step: 1e-3, ..Options::default() });
    let (send, receive) = std::sync::mpsc::channel();
    sim.set_controller(Box::new(Sampled::new(0.004, move |sample, ctrl| {
        send.send(sample.time).map_err(|e| e.to_string())?;
        ctrl[0] = 1.0;
        Ok(())
    })));
    sim.step(20).unwrap();
    let times: Vec<f64> = receive.try_iter().collect();
    assert_eq!(times.len(), 5);
    for (k, t) in times.iter().enumerate() {
        assert!((t - 0.004 * k as f64).abs() < 1e-12, "{times:?}");
    }
    sim.set_controller(Box::new(Sampled::new(0.0, |_, ctrl| {
        ctrl[0] = f64::NAN;
        Ok(())
    })));
    let error = sim.step(1).unwrap_err();
    assert!(
        matches!(error, StepError::Controller { .. }) && error.to_string().contains("ctrl[0]"),
        "{error}"
    );
}

#[test]
fn a_state_that_is_not_finite_is_refused_with_its_place() {
    let model = Model::from_scene("clutter").unwrap();
    let mut sim = simulation(&model, Options::default());
    sim.state_mut().v[3] = f64::NAN;
    let message = sim.step(1).unwrap_err().to_string();
    assert!(message.contains("qvel[3]"), "{message}");
}

#[test]
fn a_body_too_fast_for_any_number_is_named() {
    let world = "<body name=\"top\"><freejoint name=\"spin\"/><geom type=\"box\" size=\"0.1 0.2 0.3\" mass=\"1\"/></body>";
    let mut sim = simulation(&common::model(world, ""), Options::default());
    sim.state_mut().v[3..6].copy_from_slice(&[1e200, -3e200, 2e200]);
    let message = sim.step(1).unwrap_err().to_string();
    assert!(message.contains("joint \"spin\" had reached 3.0e200"), "{message}");
}

#[test]
fn options_out_of_range_are_refused_by_name() {
    let model = common::model("<body><joint/><geom size=\"0.1\"/></body>", "");
    for (options, word) in [
        (Options { step: 0.0, ..Options::default() }, "step"),
        (Options { step: f64::NAN, ..Options::default() }, "step"),
        (Options { stiction_tolerance: -1.0, ..Options::default() }, "stiction_tolerance"),
        (Options { relative_tolerance: 2.0, ..Options::default() }, "relative_tolerance"),
        (Options { margin: -1.0, ..Options::default() }, "margin"),
        (Options { contact: MODELS[2], tangential_springs: true.into(), ..Options::default() }, "lagged"),
    ] {
        let message = Simulation::new(&model, options.clone()).err().unwrap().to_string();
        assert!(message.contains(word), "{message}");
    }
}
