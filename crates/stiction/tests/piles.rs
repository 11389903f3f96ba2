//! Piles add no energy and stay in their box at any stiffness and large steps; limits of stiffness carry loads and are reported;
//! overlaps that were found are reported. (`cargo xtask soak --piles` is the long form.)

mod common;
use common::{G, MODELS, model, run, simulation, tags};
use stiction::{ContactModel, Model, Options, Simulation};

/// Half of the normal forces times the depths to which the last step brought the contacts, J.
fn held(sim: &Simulation) -> f64 {
    let (problem, solver) = (sim.last_problem(), sim.last_solver());
    let dt = problem.time_step();
    let results = solver.contact_impulses().iter().zip(solver.contact_velocities());
    let each = problem.contacts().iter().zip(results).map(|(entry, (impulse, velocity))| {
        let n = entry.frame.column(2);
        0.5 * n.dot(impulse) / dt * (entry.penetration - dt * n.dot(velocity)).max(0.0)
    });
    each.sum()
}

#[test]
fn a_pile_adds_no_energy_and_stays_in_its_box() {
    let scene = Model::from_scene("clutter").unwrap();
    for (k, step) in [(1e8, 5e-3), (1e10, 1e-2), (1e12, 5e-3), (1e12, 2e-3)] {
        let mut world = scene.world().clone();
        // Two geoms in series.
        world.geoms.iter_mut().for_each(|geom| geom.contact.stiffness = Some(2.0 * k));
        let pile = Model::new(world).unwrap();
        for contact in MODELS {
            let mut sim = simulation(&pile, Options { step, contact, ..Options::default() });
            let start = sim.energy().total();
            for _ in 0..(1.5 / step) as usize {
                sim.step(1).unwrap();
                let energy = sim.energy().total() + held(&sim);
                let name = format!("{contact:?}, k {k:e}, step {step}, t {:.3}", sim.state().time);
                assert!(energy <= 1.01 * start, "{name}: {energy} J, {start} J at the beginning");
                for q in sim.state().q.chunks(7) {
                    let inside = q[0].abs() < 0.45 && q[1].abs() < 0.45 && q[2] > -0.05;
                    assert!(inside, "{name}: a body at {:?}", &q[..3]);
                }
            }
        }
    }
}

/// The contact of the light box with the ground acts with 4π² ℓ/(w δt²) at least, ℓ = M/(10 m), at each of four corners with
/// w ≤ 4/m: together M 4π²/(10 δt²). The load sinks by 10 g δt²/4π², and by what its material yields.
#[test]
fn a_load_of_a_thousand_times_its_support_hardly_sinks() {
    let (k, heavy, light) = (1e9, 1000.0, 1.0);
    let tags = tags(k, 10.0);
    let boxed = |z: f64, mass: f64| {
        format!(
            "<body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\".05 .05 .05\" mass=\"{mass}\">{tags}</geom></body>"
        )
    };
    let ground = format!("<geom type=\"plane\" size=\"5 5 1\">{tags}</geom>");
    let stack = model(&format!("{ground}{}{}", boxed(0.05, light), boxed(0.15, heavy)), "");
    for contact in MODELS {
        for step in [1e-3, 2e-3, 5e-3, 1e-2] {
            let mut sim = simulation(&stack, Options { step, contact, ..Options::default() });
            run(&mut sim, 2.0);
            let sunk = 0.05 - sim.state().q[2];
            let load = (heavy + light) / heavy;
            let most = load
                * (heavy * G / (0.5 * k) + 10.0 * G * step * step / (4.0 * std::f64::consts::PI.powi(2)));
            assert!(sunk <= most, "{contact:?}, step {step}: sunk by {sunk:e} m, {most:e} m is the limit");
            assert!(
                (sim.state().q[9] - 0.15).abs() <= 2.0 * most,
                "{contact:?}, step {step}: {:?}",
                sim.state().q
            );
        }
    }
}

/// A box held by friction on ground of stiffness 1e9 N/m yields to the load m g sinθ by its springs: k_t = 4π²/(w δt²) at each of four
/// corners, with w between 1/m and 4/m, and not by the 5e-4 of it that Mindlin's 0.8 of the stiffness would give.
#[test]
fn springs_of_friction_oscillate_no_faster_than_once_a_step() {
    let tags = tags(1e9, 10.0);
    let (angle, step) = (0.2_f64, 1e-2);
    let yields = |limit_stiffness| {
        let slope = model(
            &format!(
                "<geom type=\"plane\" size=\"5 5 1\">{tags}</geom>\
                 <body pos=\"0 0 .05\"><freejoint/><geom type=\"box\" size=\".05 .05 .05\" mass=\"1\">{tags}</geom></body>"
            ),
            &format!("<option gravity=\"{} 0 {}\"/>", G * angle.sin(), -G * angle.cos()),
        );
        let mut sim = simulation(&slope, Options { step, limit_stiffness, ..Options::default() });
        run(&mut sim, 1.0);
        sim.state().q[0]
    };
    let whole = G * angle.sin() * step * step / (4.0 * std::f64::consts::PI.powi(2));
    let limited = yields(true);
    assert!(limited > 0.25 * whole && limited < whole, "{limited:e} m, the limit's order is {whole:e}");
    let free = yields(false);
    assert!(free < 1e-2 * whole, "{free:e} m without the limit");
}

fn ball(stiffness: f64) -> Model {
    let tags = tags(stiffness, 10.0);
    model(
        &format!(
            "<geom name=\"ground\" type=\"plane\" size=\"5 5 1\">{tags}</geom>\
             <body pos=\"0 0 .2\"><freejoint/><geom name=\"ball\" type=\"sphere\" size=\".1\" mass=\"1\">{tags}</geom></body>"
        ),
        "",
    )
}

#[test]
fn a_capped_stiffness_is_reported_where_it_acts() {
    let options = |contact| Options { step: 5e-3, contact, ..Options::default() };
    let seen = |options: Options, stiffness: f64| {
        let mut sim = simulation(&ball(stiffness), options);
        run(&mut sim, 1.0);
        let told = sim.warnings().iter().filter(|w| w.message.contains("less than their stiffness")).count();
        assert_eq!(told > 0, sim.stats().capped > 0);
        sim.last_report().capped
    };
    for contact in [ContactModel::Similar, ContactModel::Sap] {
        // 4π² m/δt² is 1.6e6 N/m.
        assert_eq!(seen(options(contact), 1e9), 1, "{contact:?}");
        assert_eq!(seen(options(contact), 1e4), 0, "{contact:?}");
    }
    assert_eq!(seen(options(ContactModel::Lagged), 1e11), 1);
    assert_eq!(seen(options(ContactModel::Lagged), 1e7), 0);
    let published = Options { limit_stiffness: false, ..options(ContactModel::Similar) };
    assert_eq!(seen(published, 1e9), 0);
}

#[test]
fn an_overlap_that_was_found_is_reported_and_one_that_was_made_is_not() {
    // The step takes it 2.5 cm into the ground, more than a tenth of its width.
    let mut fast = simulation(&ball(1e8), Options { step: 1e-2, ..Options::default() });
    fast.state_mut().q[2] = 0.125;
    fast.state_mut().v[2] = -5.0;
    run(&mut fast, 0.05);
    assert!(
        fast.warnings().iter().any(|w| w.message.contains("were found in each other")),
        "{:?}",
        fast.warnings()
    );
    for contact in MODELS {
        let mut sim = simulation(&ball(1e8), Options { step: 1e-2, contact, ..Options::default() });
        let mut found = Vec::new();
        while found.is_empty() && sim.state().time < 1.0 {
            let (z, v) = (sim.state().q[2], sim.state().v[2]);
            sim.step(1).unwrap();
            let report = sim.last_report();
            if report.found > 0 {
                assert!(
                    (report.max_found - (0.1 - z)).abs() < 1e-9,
                    "{contact:?}: {} at {z}",
                    report.max_found
                );
                assert!(report.max_found <= -v * 1e-2, "{contact:?}: deeper than it moved");
                found.push(report.found);
            }
        }
        assert_eq!(found, [1], "{contact:?}");
        run(&mut sim, 2.0);
        assert_eq!(sim.last_report().found, 0, "{contact:?}: at rest");
        // Seen from before they touch, nothing is found.
        let options = Options { step: 1e-2, contact, margin: 0.05, ..Options::default() };
        let mut sim = simulation(&ball(1e8), options);
        run(&mut sim, 1.0);
        assert_eq!(sim.stats().found, 0, "{contact:?}: with a margin");
    }
}
