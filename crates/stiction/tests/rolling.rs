//! Spheres that land, slide, roll and bounce, against closed forms (`theory` section 9).

mod common;
use common::{G, MODELS, model, run, simulation, tags, tight};
use stiction::{Model, Options};

fn sphere_on_plane(mu: f64, stiffness: f64, dissipation: f64, height: f64) -> Model {
    let tags = tags(stiffness, dissipation);
    model(
        &format!(
            "<geom type=\"plane\" size=\"50 50 1\" friction=\"{mu} 0 0\">{tags}</geom>\
             <body pos=\"0 0 {height}\"><freejoint/><geom type=\"sphere\" size=\"0.1\" mass=\"1\" \
             friction=\"{mu} 0 0\">{tags}</geom></body>"
        ),
        "",
    )
}

#[test]
fn a_launched_sphere_ends_rolling_at_five_sevenths_of_its_speed() {
    for contact in MODELS {
        // It starts at its static penetration, so that nothing but friction acts.
        let k = 0.5e6;
        let model = sphere_on_plane(0.4, 2.0 * k, 10.0, 0.1 - G / k);
        let mut sim = simulation(&model, Options { contact, ..Options::default() });
        sim.state_mut().v[0] = 2.0;
        run(&mut sim, 1.0);
        let (v, w) = (sim.state().v[0], sim.state().v[4]);
        assert!((v / 2.0 - 5.0 / 7.0).abs() < 2e-3, "{contact:?}: rolls at {} of the launch speed", v / 2.0);
        assert!((w * 0.1 - v).abs() < 1e-3, "{contact:?}: spin {w} does not fit speed {v}");
    }
}

#[test]
fn a_sphere_rolls_down_a_slope_with_five_sevenths_of_the_free_acceleration() {
    let angle = 0.3_f64;
    let tags = tags(1e6, 10.0);
    let quat = format!("{} 0 {} 0", (0.5 * angle).cos(), (0.5 * angle).sin());
    let (x, z) = (0.1 * angle.sin(), 0.1 * angle.cos());
    let model = model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\" quat=\"{quat}\" friction=\"1 0 0\">{tags}</geom>\
             <body pos=\"{x} 0 {z}\"><freejoint/><geom type=\"sphere\" size=\"0.1\" mass=\"1\" friction=\"1 0 0\">{tags}\
             </geom></body>"
        ),
        "",
    );
    for contact in MODELS {
        let mut sim = simulation(&model, Options { contact, ..Options::default() });
        run(&mut sim, 1.0);
        // v = √(2 g h/(1 + 2/5)) along the slope means a = (5/7) g sin θ.
        let v = sim.state().v[0] * angle.cos() - sim.state().v[2] * angle.sin();
        let expected = 5.0 / 7.0 * G * angle.sin();
        assert!((v / expected - 1.0).abs() < 2e-3, "{contact:?}: {v} not {expected}");
    }
}

#[test]
fn without_dissipation_a_bounce_keeps_its_energy_to_first_order_in_the_step() {
    let loss = |step: f64| {
        let model = sphere_on_plane(0.0, 2e4, 0.0, 0.5);
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        let begin = sim.energy().total();
        run(&mut sim, 0.5);
        assert!(sim.stats().points > 0, "it must have bounced");
        (begin - sim.energy().total()) / begin
    };
    let (coarse, fine) = (loss(1e-4), loss(2.5e-5));
    assert!(coarse > 0.0 && coarse < 0.2, "implicit steps lose, and little: {coarse}");
    let order = (coarse / fine).log2() / 2.0;
    assert!((order - 1.0).abs() < 0.2, "order {order}");
}

#[test]
fn a_resting_sphere_sinks_by_its_weight_over_the_stiffness_of_the_pair() {
    for stiffness in [1e4, 1e6, 1e9, 1e12] {
        for contact in MODELS {
            let model = sphere_on_plane(0.5, 2.0 * stiffness, 10.0, 0.1);
            let mut sim = simulation(&model, Options { contact, limit_stiffness: false, ..tight() });
            run(&mut sim, 5.0);
            let [contact_point] = sim.contacts() else { panic!("one point, not {}", sim.contacts().len()) };
            assert!(
                (contact_point.force.z / G - 1.0).abs() < 1e-6,
                "{contact:?} k = {stiffness}: {contact_point:?}"
            );
            let depth = contact_point.penetration;
            // Near-rigid limits soften the stiffest contacts: of SAP (`theory` section 3), and far later of Similar.
            let stiffest = [f64::INFINITY, 1e10, 1e5][MODELS.iter().position(|m| *m == contact).unwrap()];
            if stiffness <= stiffest {
                let expected = G / stiffness;
                // Positions near 0.1 m carry a rounding of about 1e-17 m.
                assert!(
                    (depth - expected).abs() < 1e-3 * expected + 1e-16,
                    "{contact:?}: {depth} not {expected}"
                );
            }
        }
    }
}

#[test]
fn the_force_on_a_resting_sphere_points_up_into_it() {
    let model = sphere_on_plane(0.5, 2e6, 10.0, 0.1);
    let mut sim = simulation(&model, Options::default());
    run(&mut sim, 1.0);
    let c = sim.contacts()[0];
    assert_eq!((c.geom_a.0, c.geom_b.0, c.body_a, c.body_b), (0, 1, 0, 1));
    assert!((c.normal.z - 1.0).abs() < 1e-12 && c.force.z > 0.0 && c.sticking);
    assert!((c.position.z).abs() < 1e-4 && c.slip.norm() < 1e-6);
}

#[test]
fn what_a_landing_sphere_loses_is_accounted_for() {
    for contact in MODELS {
        let model = sphere_on_plane(0.4, 2e5, 1.0, 0.3);
        let mut sim = simulation(&model, Options { contact, ..tight() });
        sim.state_mut().v[0] = 1.0;
        let begin = sim.energy().total();
        run(&mut sim, 1.0);
        let stats = *sim.stats();
        assert!(stats.normal_loss > 0.1 && stats.friction_loss > 0.1, "{contact:?}");
        // The only error is half a step of gravity's power: ½ m g δt Δv.
        let unexplained = begin - sim.energy().total() - stats.friction_loss - stats.normal_loss;
        assert!(unexplained.abs() < 1e-5, "{contact:?}: {unexplained} J of {begin} J");
    }
}
