//! Friction against closed forms (`theory` section 9): sticking, creeping and sliding.

mod common;
use common::{G, MODELS, incline, model, run, simulation, tags, tight};
use stiction::{ContactModel, Options, Sticking};

/// Speed of a body down the slope of `angle`.
fn down(sim: &stiction::Simulation, angle: f64) -> f64 {
    let v = &sim.state().v;
    v[0] * angle.cos() - v[2] * angle.sin()
}

#[test]
fn a_box_slides_down_a_steep_slope_with_the_acceleration_of_coulomb() {
    let (angle, mu) = (0.6_f64, 0.3);
    for contact in MODELS {
        let model = incline(angle, mu, 1e7);
        let mut sim = simulation(&model, Options { contact, margin: 1e-3, ..Options::default() });
        run(&mut sim, 0.5);
        let begin = down(&sim, angle);
        run(&mut sim, 0.2);
        let acceleration = (down(&sim, angle) - begin) / 0.2;
        let expected = G * (angle.sin() - mu * angle.cos());
        assert!((acceleration / expected - 1.0).abs() < 2e-3, "{contact:?}: {acceleration} not {expected}");
    }
}

#[test]
fn a_box_below_the_friction_angle_creeps_at_the_speed_of_the_regularised_law() {
    let (angle, mu, v_s) = (20.0_f64.to_radians(), 0.7, 1e-4);
    let expected = v_s * angle.tan() / (mu * mu - angle.tan().powi(2)).sqrt();
    for contact in [ContactModel::Lagged, ContactModel::Similar] {
        let model = incline(angle, mu, 1e7);
        let options = Options {
            contact,
            stiction_tolerance: v_s,
            regularization: 0.0,
            tangential_springs: Sticking::Damped,
            ..Options::default()
        };
        let mut sim = simulation(&model, options);
        run(&mut sim, 2.0);
        let speed = down(&sim, angle);
        assert!((speed / expected - 1.0).abs() < 1e-3, "{contact:?}: creeps at {speed}, not {expected}");
        assert!(sim.contacts().iter().all(|c| c.sticking));
    }
}

#[test]
fn tangential_springs_hold_a_box_on_a_slope_without_creep() {
    let angle = 20.0_f64.to_radians();
    for step in [1e-3, 1e-2] {
        let model = incline(angle, 0.7, 1e6);
        let mut sim = simulation(&model, Options { step, ..tight() });
        run(&mut sim, 3.0);
        let before = sim.state().q.clone();
        run(&mut sim, 5.0);
        let moved = (0..3).map(|k| (sim.state().q[k] - before[k]).abs()).fold(0.0, f64::max);
        assert!(moved < 1e-13, "moved {moved} m in 5 s at a step of {step} s");
        // The springs carry the weight's component along the slope.
        let force: nalgebra::Vector3<f64> = sim.contacts().iter().map(|c| c.force).sum();
        assert!((force - nalgebra::Vector3::new(0.0, 0.0, G)).norm() < 1e-6, "{force}");
    }
}

#[test]
fn above_the_friction_limit_springs_let_go_and_coulomb_remains() {
    let (angle, mu) = (0.6_f64, 0.3);
    let model = incline(angle, mu, 1e6);
    let mut sim = simulation(&model, Options::default());
    run(&mut sim, 0.5);
    let begin = down(&sim, angle);
    run(&mut sim, 0.2);
    let expected = G * (angle.sin() - mu * angle.cos());
    let acceleration = (down(&sim, angle) - begin) / 0.2;
    assert!((acceleration / expected - 1.0).abs() < 2e-3, "{acceleration} not {expected}");
}

#[test]
fn without_friction_a_box_keeps_its_speed_and_with_much_it_does_not_slide() {
    for contact in MODELS {
        let tags = tags(1e6, 10.0);
        for (mu, holds) in [(0.0, false), (50.0, true)] {
            let model = model(
                &format!(
                    "<geom type=\"plane\" size=\"5 5 1\" friction=\"{mu} 0 0\">{tags}</geom>\
                     <body pos=\"0 0 0.05\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.05\" mass=\"1\" \
                     friction=\"{mu} 0 0\">{tags}</geom></body>"
                ),
                "",
            );
            let mut sim = simulation(&model, Options { contact, ..Options::default() });
            run(&mut sim, 0.5);
            if holds {
                // A push of 5 N against a friction limit of 490 N.
                sim.state_mut().applied[0] = 5.0;
                run(&mut sim, 0.5);
                assert!(sim.state().v[0].abs() < 1e-3, "{contact:?}: {}", sim.state().v[0]);
            } else {
                sim.state_mut().v[0] = 0.5;
                run(&mut sim, 0.5);
                assert!((sim.state().v[0] - 0.5).abs() < 1e-12, "{contact:?}: {}", sim.state().v[0]);
            }
        }
    }
}

#[test]
fn a_three_legged_plate_turns_exactly_when_the_moment_exceeds_friction() {
    // Legs at radius R carry mg/3 each; sliding needs M > μ m g R. Below it the legs creep at ε r/√(1−r²).
    let (radius, mu, mass, v_s) = (0.2, 0.5, 3.0, 1e-4);
    let tags = tags(1e6, 10.0);
    let feet: String = (0..3)
        .map(|k| {
            let a = 2.0 * std::f64::consts::PI * f64::from(k) / 3.0;
            let (x, y) = (radius * a.cos(), radius * a.sin());
            format!("<geom type=\"sphere\" size=\"0.02\" pos=\"{x} {y} 0\" mass=\"0\" friction=\"{mu} 0 0\">{tags}</geom>")
        })
        .collect();
    let inertia = 0.02;
    let model = model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\" friction=\"{mu} 0 0\">{tags}</geom><body pos=\"0 0 0.02\"><freejoint/>\
             <inertial pos=\"0 0 0\" mass=\"{mass}\" diaginertia=\"{inertia} {inertia} {inertia}\"/>{feet}</body>"
        ),
        "",
    );
    let limit = mu * mass * G * radius;
    for ratio in [0.3, 0.8, 1.2] {
        let mut sim = simulation(
            &model,
            Options {
                stiction_tolerance: v_s,
                regularization: 0.0,
                tangential_springs: Sticking::Damped,
                ..tight()
            },
        );
        run(&mut sim, 0.5);
        sim.state_mut().applied[5] = ratio * limit;
        run(&mut sim, 1.0);
        let spin = sim.state().v[5];
        if ratio < 1.0 {
            let expected = v_s * ratio / (1.0f64 - ratio * ratio).sqrt() / radius;
            assert!((spin / expected - 1.0).abs() < 1e-3, "ratio {ratio}: spins at {spin}, not {expected}");
        } else {
            let expected = (ratio - 1.0) * limit / inertia;
            assert!((spin / expected - 1.0).abs() < 1e-3, "ratio {ratio}: spins at {spin}, not {expected}");
        }
    }
}

#[test]
fn a_belt_carries_a_box_to_its_own_speed() {
    let tags = tags(1e6, 10.0);
    let model = model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\" friction=\"0.5 0 0\" surfacevel=\"0.3 0 0\">{tags}</geom>\
             <body pos=\"0 0 0.05\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.05\" mass=\"1\" \
             friction=\"0.5 0 0\">{tags}</geom></body>"
        ),
        "",
    );
    let mut sim = simulation(&model, Options::default());
    run(&mut sim, 0.03);
    // Sliding: pulled by μ g until it has the belt's speed.
    let early = sim.state().v[0];
    assert!(early > 0.05 && early < 0.5 * G * 0.03 + 1e-3, "{early}");
    run(&mut sim, 1.0);
    assert!((sim.state().v[0] - 0.3).abs() < 1e-6, "{}", sim.state().v[0]);
}
