//! Curved bodies that spin on a plane stay above it (`step/travel.rs`).

mod common;
use common::{MODELS, model, simulation};
use stiction::{ContactModel, Options, Simulation};

const SHAPES: [(&str, &str, f64); 6] = [
    ("sphere", ".2", 0.2),
    ("ellipsoid", ".3 .2 .1", 0.3),
    ("ellipsoid", ".1 .1 .3", 0.3),
    ("capsule", ".1 .2", 0.3),
    ("cylinder", ".2 .05", 0.21),
    ("cylinder", ".1 .2", 0.23),
];

/// A unit vector and a friction coefficient of 0 or 0.5 that depend on the seed.
fn random(seed: u64) -> ([f64; 3], f64) {
    let s = seed as f64;
    let d = [(1.0 + 1.3 * s).sin(), (2.0 + 3.1 * s).sin(), (0.4 + 5.7 * s).cos()];
    let norm = d.iter().map(|x| x * x).sum::<f64>().sqrt();
    (d.map(|x| x / norm), if seed.is_multiple_of(2) { 0.0 } else { 0.5 })
}

/// A body of 1 kg that falls on a plane with the given spin (rad/s).
fn spinning(
    (kind, size, _): (&str, &str, f64),
    (stiffness, d): (f64, f64),
    (spin, seed): (f64, u64),
    options: Options,
) -> Simulation {
    let (direction, mu) = random(seed);
    let material = format!(
        "<drake:proximity_properties><drake:point_contact_stiffness value=\"{stiffness}\"/>\
         <drake:hunt_crossley_dissipation value=\"{d}\"/></drake:proximity_properties>"
    );
    let geom = |rest: &str| format!("<geom {rest} friction=\"{mu} 0 0\">{material}</geom>");
    let model = model(
        &format!(
            "{}<body pos=\"0 0 .35\"><freejoint/>{}</body>",
            geom("type=\"plane\" size=\"5 5 1\""),
            geom(&format!("type=\"{kind}\" size=\"{size}\" mass=\"1\""))
        ),
        "",
    );
    let mut sim = simulation(&model, options);
    for (v, d) in sim.state_mut().v[3..].iter_mut().zip(direction) {
        *v = spin * d;
    }
    sim
}

/// Runs and returns the largest depth, the largest growth of the depth in a step that began in touch, and the least depth of
/// the second half.
fn depths(sim: &mut Simulation, time: f64) -> (f64, f64, f64) {
    let steps = (time / sim.options().step).round() as usize;
    let (mut most, mut growth, mut least, mut before) = (0.0_f64, 0.0_f64, f64::INFINITY, 0.0);
    for step in 0..steps {
        sim.step(1).unwrap();
        let depth = sim.last_report().max_penetration;
        most = most.max(depth);
        if before > 0.0 {
            growth = growth.max(depth - before);
        }
        if 2 * step >= steps {
            least = least.min(depth);
        }
        before = depth;
    }
    assert_eq!(sim.stats().unconverged, 0);
    (most, growth, least)
}

/// The law recovers at most δt/d in a step, and the travel of the contact point may use half of it plus a quarter of
/// error. Against a stiff plane nothing else lets a smooth body that touches go deeper.
#[test]
fn a_smooth_body_that_turns_by_up_to_a_fifth_of_a_radian_in_a_step_does_not_sink() {
    for shape in &SHAPES[..3] {
        for contact in [ContactModel::Lagged, ContactModel::Similar] {
            for (step, seed) in [(1e-3, 0), (2e-3, 1), (5e-3, 2), (5e-3, 3), (1e-2, 4), (1e-2, 5), (1e-2, 6)]
            {
                let (d, spin) = (50.0, f64::min(20.0, 0.1 / step));
                // The limit of stiffness lets a body at rest sink by g δt²/K more: the law itself is tested.
                let options = Options { step, contact, limit_stiffness: false, ..Options::default() };
                let mut sim = spinning(*shape, (1e10, d), (spin, seed), options);
                let (_, growth, least) = depths(&mut sim, 4.0);
                assert!(
                    growth <= step / d,
                    "{shape:?} {contact:?} step {step} seed {seed}: {growth:e} in a step, {:e} recovers",
                    step / d
                );
                assert!(least <= step / d, "{shape:?} {contact:?} step {step} seed {seed}: {least:e} deep");
            }
        }
    }
}

/// A body with a rim, or with two ends, strikes with other parts of its surface, and touches as deep as it moves in a step.
/// It comes up again once friction ends the strokes: without friction they never end, and only smooth bodies are examined.
#[test]
fn curved_bodies_come_up_again_from_every_stroke() {
    for shape in &SHAPES {
        for contact in MODELS {
            for (step, seed) in [(2e-3, 0), (2e-3, 1), (1e-2, 2), (1e-2, 3)] {
                let spin = f64::min(20.0, 0.2 / step);
                let options = Options { step, contact, ..Options::default() };
                let mut sim = spinning(*shape, (1e6, 50.0), (spin, seed), options);
                let energy = sim.energy().kinetic + 9.81 * 0.35;
                // No part of the body is faster than its energy allows; the least moment of inertia is 0.004 kg m².
                let speed = (2.0 * energy).sqrt() + (2.0 * energy / 0.004).sqrt() * shape.2;
                let (most, _, least) = depths(&mut sim, 8.0);
                assert!(most <= step * speed, "{shape:?} {contact:?} step {step}: {most:e}");
                // SAP has no factor (1 − d v_n): its elastic force balances the travel at some depth.
                let strikes = seed.is_multiple_of(2) && matches!(shape.0, "capsule" | "cylinder");
                let came_up = contact == ContactModel::Sap || strikes || least <= 2.0 * step / 50.0;
                assert!(came_up, "{shape:?} {contact:?} step {step} seed {seed}: {least:e} deep");
            }
        }
    }
}

/// At half a radian a step the depth stays bounded, and the pair is reported.
#[test]
fn faster_turns_stay_bounded_and_are_reported() {
    for contact in [ContactModel::Lagged, ContactModel::Similar] {
        let options = Options { step: 2e-2, contact, ..Options::default() };
        let mut sim = spinning(SHAPES[1], (1e6, 50.0), (25.0, 0), options);
        depths(&mut sim, 8.0);
        // The centre is never below the plane by more than the body's smallest half axis.
        assert!(sim.state().q[2] > 0.0, "{contact:?}: centre at {} m", sim.state().q[2]);
        let warnings = sim.warnings();
        let told = warnings.iter().filter(|w| w.message.contains("turned by more than 0.2 rad")).count();
        assert_eq!(told, 1, "{contact:?}: {warnings:?}");
    }
    let mut slow = spinning(SHAPES[1], (1e6, 50.0), (1.0, 0), Options::default());
    depths(&mut slow, 1.0);
    assert!(slow.warnings().is_empty());
}

/// The step that is differentiated is the simulation's own here: without repeated friction, solved as tightly.
#[test]
fn derivatives_are_refused_in_the_steps_in_which_a_contact_travels_and_in_no_other() {
    let options = Options {
        step: 1e-2,
        friction_passes: 0,
        speculative: false,
        relative_tolerance: 1e-11,
        ..Options::default()
    };
    let mut sim = spinning(SHAPES[1], (1e5, 50.0), (20.0, 1), options);
    let (mut refused, mut allowed) = (0, 0);
    for _ in 0..300 {
        let derivatives = sim.step_derivatives(&[]);
        sim.step(1).unwrap();
        let travels = sim.last_report().travelling > 0;
        match derivatives {
            Ok(_) => {
                assert!(!travels, "at {} s", sim.state().time);
                allowed += 1;
            }
            Err(error) => {
                let error = error.to_string();
                assert!(travels && error.contains("travels") && error.contains("smaller step"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 10 && allowed > 10, "{refused} refused, {allowed} allowed");
}
