//! Actuators: activation, muscles, transmissions, adhesion.

mod common;
use common::{G, model, run, simulation, tight};
use stiction::{Model, Options};

fn slider(actuator: &str) -> Model {
    model(
        "<body><joint name=\"x\" type=\"slide\" axis=\"1 0 0\" range=\"-1 1\"/><geom size=\"0.1\" mass=\"2\"/></body>",
        &format!("<option gravity=\"0 0 0\"/><actuator>{actuator}</actuator>"),
    )
}

#[test]
fn an_exact_filter_follows_its_exponential_at_any_step() {
    let model = slider("<general joint=\"x\" dyntype=\"filterexact\" dynprm=\"0.3\"/>");
    for step in [1e-3, 0.05] {
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        sim.state_mut().ctrl[0] = 2.0;
        run(&mut sim, 0.5);
        let wanted = 2.0 * (1.0 - (-0.5f64 / 0.3).exp());
        assert!((sim.state().activation[0] - wanted).abs() < 1e-12);
    }
}

/// Euler's step of ȧ = (u − a)/τ is a + (δt/τ)(u − a), which for δt > 2 τ grows without bound.
#[test]
fn a_filter_steps_as_euler_does_and_never_beyond_its_input() {
    let model = slider("<general joint=\"x\" dyntype=\"filter\" dynprm=\"0.01\"/>");
    for (step, share) in [(1e-3, 0.1), (5e-3, 0.5), (0.01, 1.0), (0.05, 1.0)] {
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        sim.state_mut().ctrl[0] = 2.0;
        let mut wanted = 0.0;
        for _ in 0..20 {
            sim.step(1).unwrap();
            wanted += share * (2.0 - wanted);
            let at = sim.state().activation[0];
            assert!((at - wanted).abs() < 1e-12, "{at} and not {wanted} at {step} s");
        }
    }
}

/// Damping 2 ζ √(kp I), where I = 1/(m M⁻¹ mᵀ) is the effective inertia along the transmission. For two free masses
/// on a line, m₁ and m₂, it is m₁ m₂/(m₁ + m₂) for a string between them, 1/(1/m₁ + 4/m₂) for a tendon x₁ + 2 x₂,
/// and m₂ for a force at a site.
#[test]
fn a_damping_ratio_is_that_of_the_inertia_felt_along_the_transmission() {
    let (m1, m2, kp, ratio) = (2.0, 3.0, 50.0f64, 0.7);
    let servo = |on: &str| format!("<position {on} kp=\"{kp}\" dampratio=\"{ratio}\"/>");
    let text = [
        servo("tendon=\"string\""),
        servo("tendon=\"sum\""),
        servo("site=\"b\" gear=\"1 0 0 0 0 0\""),
        servo("joint=\"x\" gear=\"3\""),
        format!("<general joint=\"x\" gainprm=\"{kp}\" biastype=\"affine\" biasprm=\"0 -{kp} {ratio}\"/>"),
    ];
    let model = model(
        "<body><joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/><geom size=\"0.1\" mass=\"2\"/><site name=\"a\"/></body>\
         <body pos=\"1 0 0\"><joint name=\"y\" type=\"slide\" axis=\"1 0 0\"/><geom size=\"0.1\" mass=\"3\"/><site name=\"b\"/></body>",
        &format!(
            "<option gravity=\"0 0 0\"/><tendon><spatial name=\"string\"><site site=\"a\"/><site site=\"b\"/></spatial>\
             <fixed name=\"sum\"><joint joint=\"x\" coef=\"1\"/><joint joint=\"y\" coef=\"2\"/></fixed></tendon>\
             <actuator>{}</actuator>",
            text.concat()
        ),
    );
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    let felt = [m1 * m2 / (m1 + m2), 1.0 / (1.0 / m1 + 4.0 / m2), m2, m1 / 9.0, m1];
    let (rest, moving) = ([0.0, 0.0], [0.3, -0.2]);
    let force = |v: &[f64]| model.actuator_forces(&rest, v, &[0.0; 5], &[]).unwrap();
    let rates = model.actuator_moments(&rest).unwrap() * nalgebra::DVector::from_column_slice(&moving);
    for (k, felt) in felt.into_iter().enumerate() {
        let wanted = -2.0 * ratio * (kp * felt).sqrt() * rates[k];
        let have = force(&moving)[k] - force(&[0.0, 0.0])[k];
        assert!((have - wanted).abs() < 1e-12, "actuator {k}: {have} and not {wanted}");
    }
}

#[test]
fn an_integrated_velocity_servo_moves_at_the_speed_asked_for_and_stops_at_its_range() {
    let model = slider("<intvelocity joint=\"x\" kp=\"5000\" kv=\"500\" actrange=\"-0.4 0.4\"/>");
    let mut sim = simulation(&model, Options::default());
    sim.state_mut().ctrl[0] = 0.5;
    run(&mut sim, 0.5);
    assert!((sim.state().v[0] - 0.5).abs() < 1e-2, "{}", sim.state().v[0]);
    run(&mut sim, 2.0);
    assert_eq!(sim.state().activation[0], 0.4);
    assert!((sim.state().q[0] - 0.4).abs() < 1e-3);
}

#[test]
fn a_damper_takes_speed_in_proportion_to_its_control() {
    // v = v0 exp(−kv u t/m).
    let model = slider("<damper joint=\"x\" kv=\"4\" ctrlrange=\"0 10\"/>");
    let mut sim = simulation(&model, Options { step: 1e-4, ..tight() });
    (sim.state_mut().v[0], sim.state_mut().ctrl[0]) = (1.0, 3.0);
    run(&mut sim, 0.2);
    assert!((sim.state().v[0] - (-4.0 * 3.0 * 0.2 / 2.0f64).exp()).abs() < 1e-3);
}

#[test]
fn a_muscle_lifts_its_weight_with_the_activation_of_its_curve() {
    // At its optimal length, at rest, the force is peak times activation.
    let model = model(
        "<site name=\"a\" pos=\"0 0 2\"/><body pos=\"0 0 1\"><joint type=\"slide\" axis=\"0 0 1\" range=\"-0.5 0.5\"/>\
         <geom size=\"0.1\" mass=\"1\"/><site name=\"b\"/></body>",
        "<tendon><spatial name=\"t\"><site site=\"a\"/><site site=\"b\"/></spatial></tendon>\
         <actuator><muscle tendon=\"t\" force=\"100\" lengthrange=\"0.5 1.5\" range=\"0.5 1.5\"/></actuator>",
    );
    let q = model.default_q().to_vec();
    let force = model.actuator_forces(&q, &[0.0], &[0.0], &[0.3]).unwrap()[0];
    assert!((force + 30.0).abs() < 1e-9, "{force}");
    // With exactly this excitation, it holds the load.
    let mut sim = simulation(&model, tight());
    (sim.state_mut().ctrl[0], sim.state_mut().activation[0]) = (G / 100.0, G / 100.0);
    run(&mut sim, 0.2);
    assert!(sim.state().q[0].abs() < 1e-6, "{}", sim.state().q[0]);
}

#[test]
fn a_muscle_without_lengths_takes_them_from_the_joints_limits() {
    let model = slider("<muscle joint=\"x\" force=\"10\" gear=\"2\"/>");
    // The ends of the range, −2 and 2, are 0.75 and 1.05 optimal lengths.
    let optimal: f64 = 4.0 / 0.3;
    let at = |l: f64| (l - 0.75) * optimal - 2.0;
    let q = at(1.0) / 2.0;
    let force = model.actuator_forces(&[q], &[0.0], &[0.0], &[1.0]).unwrap()[0];
    assert!((force + 10.0).abs() < 1e-9, "{force}");
}

#[test]
fn a_site_actuator_pushes_along_its_site() {
    let model = model(
        "<body><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\" mass=\"2\"/>\
         <site name=\"s\" pos=\"0 0 0\" euler=\"0 90 0\"/></body>",
        "<option gravity=\"0 0 0\"/><actuator><motor site=\"s\" gear=\"0 0 1 0 0 0\"/></actuator>",
    );
    let mut sim = simulation(&model, tight());
    sim.state_mut().ctrl[0] = 4.0;
    run(&mut sim, 0.5);
    // z of the site is x of the world.
    assert!((sim.state().v[0] - 1.0).abs() < 1e-9 && sim.state().v[2].abs() < 1e-12);
}

#[test]
fn adhesion_holds_a_body_under_a_ceiling() {
    let model = model(
        "<geom type=\"box\" size=\"1 1 0.1\" pos=\"0 0 1.1\"/>\
         <body name=\"pad\" pos=\"0 0 0.9\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/></body>",
        "<actuator><adhesion body=\"pad\" ctrlrange=\"0 1\" gain=\"30\"/></actuator>",
    );
    let fall = |ctrl: f64| {
        let mut sim = simulation(&model, Options { margin: 1e-3, ..Options::default() });
        sim.state_mut().ctrl[0] = ctrl;
        run(&mut sim, 0.3);
        sim.state().q[2] - 0.9
    };
    assert!(fall(1.0).abs() < 1e-3, "30 N hold 9.81 N: {}", fall(1.0));
    assert!(fall(0.2) < -0.1, "6 N do not: {}", fall(0.2));
}

#[test]
fn a_pair_has_its_own_friction_whatever_its_geoms_say() {
    let block = |pair: &str| {
        let world = "<geom name=\"floor\" type=\"plane\" size=\"5 5 1\" contype=\"0\" conaffinity=\"0\"/>\
             <body pos=\"0 0 0.0999\"><freejoint/><geom name=\"block\" type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\" \
             contype=\"0\" conaffinity=\"0\"/></body>";
        let mut sim = simulation(&model(world, pair), Options::default());
        sim.state_mut().v[0] = 2.0;
        run(&mut sim, 0.5);
        (sim.state().q[2], sim.state().v[0])
    };
    let (z, v) = block("<contact><pair geom1=\"floor\" geom2=\"block\" friction=\"0.2 0.2\"/></contact>");
    assert!((z - 0.1).abs() < 1e-3 && (v - (2.0 - 0.2 * G * 0.5)).abs() < 0.02, "{z} {v}");
    let (z, v) = block("");
    assert!(z < -0.5 && v == 2.0, "without the pair they pass: {z} {v}");
}

#[test]
fn a_saved_activation_continues_bit_for_bit() {
    let model = slider("<general joint=\"x\" dyntype=\"filter\" dynprm=\"0.2\" gainprm=\"5\"/>");
    let mut one = simulation(&model, Options::default());
    one.state_mut().ctrl[0] = 1.0;
    run(&mut one, 0.1);
    let saved = one.save_state();
    run(&mut one, 0.2);
    let mut two = simulation(&model, Options::default());
    two.load_state(&saved).unwrap();
    run(&mut two, 0.2);
    assert_eq!(one.state(), two.state());
    assert!(one.state().activation[0] > 0.5);
}

#[test]
fn a_keyframe_sets_activations_and_mocap_poses() {
    let model = model(
        "<body name=\"hand\" mocap=\"true\" pos=\"0 0 1\"><geom size=\"0.1\"/></body>\
         <body><joint name=\"x\" type=\"slide\"/><geom size=\"0.1\" mass=\"1\"/></body>",
        "<actuator><cylinder joint=\"x\" timeconst=\"0.5\"/></actuator>\
         <keyframe><key name=\"k\" act=\"0.7\" mpos=\"1 2 3\" mquat=\"0 1 0 0\" ctrl=\"0.2\"/></keyframe>",
    );
    let state = model.keyframe_state("k").unwrap();
    assert_eq!((state.activation[0], state.ctrl[0]), (0.7, 0.2));
    assert_eq!(state.mocap[0].pose.translation.vector.as_slice(), [1.0, 2.0, 3.0]);
    assert!((state.mocap[0].pose.rotation.angle() - std::f64::consts::PI).abs() < 1e-12);
}
