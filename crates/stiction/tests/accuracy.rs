//! Error control: errors follow the requested accuracy, step lengths follow the motion.

mod common;
use common::{G, MODELS, model, simulation, tags};
use stiction::{Model, Options, Sampled, Simulation, StepError};

fn asking(accuracy: f64) -> Options {
    Options { accuracy: Some(accuracy), ..Options::default() }
}

fn bouncing_ball() -> Model {
    let tags = tags(2e4, 0.0);
    model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\" friction=\"0 0 0\">{tags}</geom><body pos=\"0 0 0.3\"><freejoint/>\
             <geom type=\"sphere\" size=\"0.1\" mass=\"1\" friction=\"0 0 0\">{tags}</geom></body>"
        ),
        "",
    )
}

#[test]
fn the_energy_a_bouncing_ball_loses_falls_with_the_accuracy_asked_for() {
    let lost = |accuracy: f64| {
        let mut sim = simulation(&bouncing_ball(), asking(accuracy));
        let begin = sim.energy().total();
        sim.run_until(1.0).unwrap();
        assert!((sim.state().time - 1.0).abs() < 1e-12 && sim.stats().unconverged == 0);
        (begin - sim.energy().total()).abs()
    };
    let errors = [1e-3, 1e-4, 1e-5, 1e-6].map(lost);
    assert!(errors.windows(2).all(|w| w[1] < w[0]), "{errors:?}");
    // First order: the error of a run is proportional to the step, which is proportional to the square root of the
    // accuracy.
    assert!(errors[3] < 0.15 * errors[1], "{errors:?}");
}

#[test]
fn free_fall_is_within_the_accuracy_of_each_step() {
    let model = model("<body pos=\"0 0 10\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body>", "");
    for accuracy in [1e-2, 1e-4, 1e-6] {
        let mut sim = simulation(&model, asking(accuracy));
        sim.run_until(1.0).unwrap();
        let error = (sim.state().q[2] - (10.0 - 0.5 * G)).abs();
        let steps = sim.stats().steps as f64;
        assert!(error <= accuracy * steps, "{error} m after {steps} steps at {accuracy}");
        // Half steps of semi-implicit Euler err by g δt²/4 each, so that steps number about √(g/4/accuracy).
        assert!(steps < 3.0 + 3.0 * (0.25 * G / accuracy).sqrt(), "{steps} steps at {accuracy}");
    }
}

#[test]
fn steps_are_short_in_an_impact_and_long_at_rest() {
    let tags = tags(1e6, 20.0);
    let model = model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\">{tags}</geom><body pos=\"0 0 0.5\"><freejoint/>\
             <geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\">{tags}</geom></body>"
        ),
        "",
    );
    for contact in MODELS {
        let mut sim = simulation(&model, Options { contact, ..asking(1e-4) });
        sim.run_until(3.0).unwrap();
        // The limits of stiffness of SAP and Similar soften with the step, which shows at rest and keeps their steps shorter.
        let longest = if contact == MODELS[0] { sim.options().max_step } else { 0.02 };
        assert!(sim.stats().max_step >= longest, "{contact:?}: {}", sim.stats().max_step);
        assert!(sim.stats().min_step < 2e-3, "{contact:?}: {}", sim.stats().min_step);
        assert!(sim.stats().steps < 600, "{contact:?}: {} steps", sim.stats().steps);
    }
}

#[test]
fn bodies_that_meet_within_a_step_gain_nothing_by_it() {
    // So stiff that ½kx² of the displacement in a step would be a thousand times the energy of the fall.
    for (contact, shape) in MODELS.into_iter().zip([
        "sphere\" size=\"0.1",
        "box\" size=\"0.1 0.08 0.06",
        "capsule\" size=\"0.05 0.1",
    ]) {
        let tags = tags(1e10, 0.0);
        let body = |z: f64| {
            format!(
                "<body pos=\"0.02 0 {z}\" euler=\"20 10 0\"><freejoint/><geom type=\"{shape}\" mass=\"1\">{tags}</geom></body>"
            )
        };
        let world = format!("<geom type=\"plane\" size=\"5 5 1\">{tags}</geom>{}{}", body(0.4), body(0.8));
        for accuracy in [1e-2, 1e-3, 2e-4] {
            let mut sim = simulation(&model(&world, ""), Options { contact, ..asking(accuracy) });
            let begin = sim.energy().total();
            while sim.state().time < 0.6 {
                sim.step(1).unwrap();
                let now = sim.energy().total();
                assert!(
                    now < 1.02 * begin,
                    "{contact:?}, {accuracy}: {begin} J, {now} J at {} s",
                    sim.state().time
                );
            }
        }
    }
}

#[test]
fn samples_of_a_controller_are_hit_exactly() {
    let model = model(
        "<body><joint name=\"j\"/><geom size=\"0.1\"/></body>",
        "<actuator><motor joint=\"j\"/></actuator>",
    );
    let mut sim = simulation(&model, asking(1e-3));
    let (send, receive) = std::sync::mpsc::channel();
    sim.set_controller(Box::new(Sampled::new(0.013, move |sample, ctrl| {
        ctrl[0] = sample.time.sin();
        send.send(sample.time).map_err(|e| e.to_string())
    })));
    sim.run_until(0.2).unwrap();
    let times: Vec<f64> = receive.try_iter().collect();
    assert_eq!(times.len(), 16, "{times:?}");
    for (k, t) in times.iter().enumerate() {
        assert!((t - 0.013 * k as f64).abs() < 1e-12, "sample {k} at {t}");
    }
}

#[test]
fn a_saved_run_under_error_control_continues_bit_for_bit() {
    let model = Model::from_scene("clutter").unwrap();
    let mut whole = simulation(&model, asking(1e-3));
    whole.step(60).unwrap();
    let blob = whole.save_state();
    whole.step(20).unwrap();
    let mut resumed = simulation(&model, asking(1e-3));
    resumed.load_state(&blob).unwrap();
    resumed.step(20).unwrap();
    assert_eq!(whole.state(), resumed.state());
}

#[test]
fn accuracies_that_make_no_sense_or_cannot_be_reached_are_told() {
    let model = bouncing_ball();
    for accuracy in [0.0, -1.0, f64::NAN, 10.0] {
        let error = Simulation::new(&model, asking(accuracy)).err().unwrap().to_string();
        assert!(error.contains("accuracy"), "{error}");
    }
    // A constraint violated by a metre jumps back within any step.
    let jump = common::model(
        "<body name=\"a\"><freejoint/><geom size=\"0.1\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body>\
         <body name=\"b\" pos=\"1 0 0\"><freejoint/><geom size=\"0.1\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body>",
        "<equality><connect body1=\"a\" body2=\"b\" anchor=\"0 0 0\"/></equality>",
    );
    let mut sim = simulation(&jump, asking(1e-6));
    sim.state_mut().q[7] = 3.0;
    match sim.run_until(1.0) {
        Err(StepError::Accuracy { time, .. }) => assert!(time < 1.0 && sim.state().q[7].is_finite()),
        Ok(()) => assert!(sim.stats().min_step < 1e-3),
        Err(other) => panic!("{other}"),
    }
}
