//! Normal laws other than the linear one, as users choose them.

mod common;
use common::{G, MODELS, model, simulation, tags, tight};
use proptest::prelude::*;
use stiction::convex::NormalLaw;
use stiction::{ContactModel, Options, normal_law_from_name, normal_law_from_table, normal_law_name};

const RADIUS: f64 = 0.1;

/// A ball of 1 kg on a plane, at a height of its lowest point, with stiffness and without dissipation.
fn ball(height: f64, stiffness: f64, dissipation: f64, gravity: f64) -> stiction::Model {
    let tags = tags(stiffness, dissipation);
    let body = format!(
        "<geom type=\"plane\" size=\"1 1 1\">{tags}</geom><body pos=\"0 0 {}\"><joint type=\"slide\" axis=\"0 0 1\"/>\
         <inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><geom type=\"sphere\" size=\"{RADIUS}\">{tags}</geom></body>",
        RADIUS + height
    );
    model(&body, &format!("<option gravity=\"0 0 {}\"/>", -gravity))
}

/// Stiffness of the pair: two equal ones in series.
fn pair(stiffness: f64) -> f64 {
    0.5 * stiffness
}

#[test]
fn a_ball_rests_on_hertz_s_spring_at_the_depth_that_carries_its_weight() {
    for contact in [ContactModel::Lagged, ContactModel::Similar] {
        let options = Options { normal_law: NormalLaw::Hertz, contact, ..tight() };
        let mut sim = simulation(&ball(0.0, 1e6, 50.0, G), options);
        sim.run_until(3.0).unwrap();
        // m g = k x^1.5
        let depth = (G / pair(1e6)).powf(2.0 / 3.0);
        let found = -sim.state().q[0];
        assert!((found / depth - 1.0).abs() < 1e-6, "{contact:?}: {found} {depth}");
    }
}

#[test]
fn a_hertzian_impact_is_as_deep_as_its_energy_says_to_first_order_in_the_step() {
    // ½ m v² = (2/5) k x^2.5
    let (k, speed) = (pair(2e7), 1.5);
    let exact = (1.25 * speed * speed / k).powf(0.4);
    let error = |step: f64| {
        let options = Options { normal_law: NormalLaw::Hertz, step, ..tight() };
        let mut sim = simulation(&ball(0.0, 2e7, 0.0, 0.0), options);
        sim.state_mut().v[0] = -speed;
        let mut deepest: f64 = 0.0;
        for _ in 0..(0.01 / step) as usize {
            sim.step(1).unwrap();
            deepest = deepest.max(-sim.state().q[0]);
        }
        (deepest / exact - 1.0).abs()
    };
    let (coarse, fine) = (error(4e-6), error(1e-6));
    // A first-order method: a quarter of the step, a quarter of the error.
    assert!(fine < 0.4 * coarse && fine < 0.02, "{coarse} {fine}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_straight_table_is_the_linear_law(
        stiffness in 1e3f64..1e6, dissipation in 0.0f64..50.0, height in 0.0f64..0.05, similar: bool, bend in 1e-5f64..1e-2,
    ) {
        let contact = MODELS[usize::from(similar)];
        let k = pair(stiffness);
        let table = normal_law_from_table(&[(0.0, 0.0), (bend, k * bend), (2.0 * bend, 2.0 * k * bend)]).unwrap();
        let run = |normal_law: NormalLaw| {
            let options = Options { normal_law, contact, ..tight() };
            let mut sim = simulation(&ball(height, stiffness, dissipation, G), options);
            sim.run_until(0.3).unwrap();
            sim.state().q[0]
        };
        let (linear, tabled) = (run(NormalLaw::Linear), run(table));
        prop_assert!((linear - tabled).abs() < 1e-7, "{linear} {tabled}");
    }
}

#[test]
fn a_stiffening_table_carries_the_weight_at_the_depth_that_it_states() {
    let table = normal_law_from_table(&[(0.0, 0.0), (1e-3, 5.0), (2e-3, 50.0)]).unwrap();
    let mut sim = simulation(&ball(0.0, 1e5, 100.0, G), Options { normal_law: table, ..tight() });
    sim.run_until(5.0).unwrap();
    let depth = 1e-3 + 1e-3 * (G - 5.0) / 45.0;
    assert!((-sim.state().q[0] / depth - 1.0).abs() < 1e-6, "{}", sim.state().q[0]);
}

#[test]
fn a_barrier_holds_a_ball_above_the_ground_for_ever() {
    let (kappa, range) = (1e4, 5e-3);
    let options =
        Options { normal_law: NormalLaw::ClampedBarrier { kappa, range }, margin: 2.0 * range, ..tight() };
    let mut sim = simulation(&ball(0.02, 1e5, 0.0, G), options);
    let mut lowest = f64::INFINITY;
    for _ in 0..2000 {
        sim.step(1).unwrap();
        lowest = lowest.min(sim.state().q[0] + 0.02);
    }
    assert!(lowest > 0.0, "{lowest}: a barrier is never passed");
    assert!(lowest < range && sim.stats().unconverged == 0, "{lowest}");
}

#[test]
fn laws_have_names_that_are_read_back_and_mistakes_have_remedies() {
    for name in ["linear", "hertz", "log-barrier:0.5", "clamped-barrier:100,0.001"] {
        let law = normal_law_from_name(name).unwrap();
        assert_eq!(normal_law_name(&law).as_deref(), Some(name));
    }
    for (wrong, said) in
        [("hertzian", "choose"), ("log-barrier", "KAPPA"), ("clamped-barrier:1,-2", "positive")]
    {
        let error = normal_law_from_name(wrong).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    for points in [&[(0.0, 0.0)][..], &[(0.0, 1.0), (1.0, 2.0)], &[(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)]] {
        let error = normal_law_from_table(points).unwrap_err().to_string();
        assert!(error.contains("force table"), "{error}");
    }
    let hertz = Options { normal_law: NormalLaw::Hertz, ..Options::default() };
    for options in [
        Options { contact: ContactModel::Sap, ..hertz.clone() },
        Options { tangential_springs: true.into(), ..hertz },
        Options { normal_law: NormalLaw::ClampedBarrier { kappa: 1.0, range: 0.1 }, ..Options::default() },
    ] {
        let error = options.check().unwrap_err().to_string();
        assert!(error.starts_with("normal law: ") && error.contains(": "), "{error}");
    }
}
