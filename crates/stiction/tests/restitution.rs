//! Restitution as an option of a material: bounces, cradles and many balls, and energy that never grows.

mod common;

use common::*;
use stiction::{Options, Simulation};

/// A ball of radius 0.1 m and 1 kg above a plane, with restitution `e`.
fn ball(height: f64, e: f64, options: Options) -> Simulation {
    let world = model(
        &format!(
            "<geom name=\"floor\" type=\"plane\" size=\"5 5 1\"/><body pos=\"0 0 {height}\"><freejoint/>\
             <geom name=\"ball\" type=\"sphere\" size=\"0.1\" mass=\"1\"/></body>"
        ),
        &format!("<custom><numeric name=\"stiction:restitution:ball\" data=\"{e}\"/></custom>"),
    );
    simulation(&world, options)
}

fn energy(sim: &mut Simulation) -> f64 {
    let energy = sim.energy();
    energy.kinetic + energy.potential
}

#[test]
fn a_ball_bounces_to_e_squared_of_its_height_at_any_step() {
    for step in [1e-3, 5e-3] {
        for e in [0.3, 0.7, 0.9] {
            for contact in MODELS {
                let mut sim = ball(1.1, e, Options { step, contact, ..Options::default() });
                // Falls 1 m in 0.4515 s; the apex comes e times that later.
                let (mut apex, end) = (0.0f64, (0.4515 * (1.0 + 1.6 * e) / step) as usize);
                for k in 0..end {
                    sim.step(1).unwrap();
                    if k as f64 * step > 0.47 {
                        apex = apex.max(sim.state().q[2] - 0.1);
                    }
                }
                // Where in its step the ball meets the floor moves the apex by v δt at most, v = 4.43 m/s.
                assert!((apex - e * e).abs() < 4.43 * step, "{step} {e} {contact:?} {apex}");
            }
        }
    }
}

#[test]
fn an_elastic_ball_keeps_its_height_for_twenty_seconds() {
    for step in [1e-3, 5e-3, 0.01] {
        let mut sim = ball(1.1, 1.0, Options { step, ..Options::default() });
        let start = energy(&mut sim) - 0.1 * G;
        // Symplectic steps keep E − ½ m g δt v, and the overlap at the bounce lies below the floor.
        let band = 4.5 * G * step;
        for _ in 0..(20.0 / step) as usize {
            sim.step(1).unwrap();
            let now = energy(&mut sim) - 0.1 * G;
            assert!((now - start).abs() < band, "{step} {now} {start}");
        }
        assert!(sim.last_report().converged);
    }
}

#[test]
fn a_ball_comes_to_rest_and_does_not_jitter() {
    for e in [0.5, 0.9, 1.0] {
        let mut sim = ball(0.1 + if e < 1.0 { 0.05 } else { 0.0 }, e, Options::default());
        run(&mut sim, 4.0);
        for _ in 0..200 {
            run(&mut sim, 1e-3);
            assert!(sim.state().v[2].abs() < 1e-6, "{e} {:?}", sim.state().v);
            assert_eq!(sim.last_report().impacts, 0);
        }
        let weight = sim.contacts()[0].force.z;
        // The velocity may change by 1e-6 m/s in a step.
        assert!((weight - G).abs() < 1e-3, "{weight}");
    }
}

/// Five pendulums that touch, the first raised.
fn cradle(e: f64, raised: usize) -> Simulation {
    let mut balls = String::new();
    for k in 0..5 {
        let x = 0.1 * k as f64;
        balls += &format!(
            "<body pos=\"{x} 0 1\"><joint name=\"j{k}\" type=\"hinge\" axis=\"0 1 0\"/>\
             <geom name=\"b{k}\" type=\"sphere\" size=\"0.05\" pos=\"0 0 -1\" mass=\"1\"/></body>"
        );
    }
    let numbers: String =
        (0..5).map(|k| format!("<numeric name=\"stiction:restitution:b{k}\" data=\"{e}\"/>")).collect();
    let world = model(&balls, &format!("<custom>{numbers}</custom>"));
    let mut sim = simulation(&world, Options::default());
    // Positive angles about y move the ball at −z towards −x.
    (0..raised).for_each(|k| sim.state_mut().q[k] = 0.3);
    sim
}

#[test]
fn in_newtons_cradle_as_many_balls_leave_as_arrive() {
    for raised in [1, 2] {
        let mut sim = cradle(1.0, raised);
        let start = energy(&mut sim);
        let least = 5.0 * -G;
        // A quarter of the period of a pendulum of 1 m is 0.5 s; at 0.75 s those that left are on their way up.
        run(&mut sim, 0.75);
        let q = sim.state().q.clone();
        for k in 0..5 {
            let leaves = k >= 5 - raised;
            // Each of four contacts may leave an approach of 2 g δt = 0.02 m/s, which swings to 0.02/√(g/l).
            assert!(if leaves { q[k] < -0.15 } else { q[k].abs() < 0.026 }, "{raised} {q:?}");
        }
        run(&mut sim, 9.25);
        let kept = (energy(&mut sim) - least) / (start - least);
        assert!((kept - 1.0).abs() < 0.02, "{raised} {kept}");
    }
}

#[test]
fn elastic_balls_in_a_box_keep_their_energy() {
    // 666 balls in layers of 7 × 7 over a floor with walls.
    let (mut balls, mut numbers) = (String::new(), String::new());
    for k in 0..666 {
        let (i, j, l) = (k % 7, (k / 7) % 7, k / 49);
        let at = |n: usize, shift: f64| 0.25 * n as f64 - 0.75 + shift;
        let (x, y) = (at(i, 0.011 * (k as f64).sin()), at(j, 0.011 * (2.7 * k as f64).cos()));
        balls += &format!(
            "<body pos=\"{x} {y} {}\"><freejoint/><geom name=\"b{k}\" type=\"sphere\" size=\"0.1\" mass=\"1\" friction=\"0\"/></body>",
            0.4 + 0.25 * l as f64
        );
        numbers += &format!("<numeric name=\"stiction:restitution:b{k}\" data=\"1\"/>");
    }
    for (quat, pos) in [
        ("1 0 0 0", "0 0 0"),
        ("0.7071068 0 0.7071068 0", "-1 0 0"),
        ("0.7071068 0 -0.7071068 0", "1 0 0"),
        ("0.7071068 -0.7071068 0 0", "0 -1 0"),
        ("0.7071068 0.7071068 0 0", "0 1 0"),
    ] {
        balls +=
            &format!("<geom type=\"plane\" size=\"2 2 1\" friction=\"0\" quat=\"{quat}\" pos=\"{pos}\"/>");
    }
    let world = model(&balls, &format!("<custom>{numbers}</custom>"));
    let mut sim = simulation(&world, Options { step: 2e-3, ..Options::default() });
    let start = energy(&mut sim);
    let floor = 666.0 * G * 0.1;
    let mut impacts = 0;
    for _ in 0..500 {
        sim.step(1).unwrap();
        impacts += sim.last_report().impacts;
    }
    let kept = (energy(&mut sim) - floor) / (start - floor);
    println!("{impacts} impacts, {kept} of the energy");
    assert!(impacts > 1000 && (kept - 1.0).abs() < 0.02, "{impacts} {kept}");
}

#[test]
fn impacts_with_friction_never_add_energy() {
    for seed in 0..60 {
        let r = |k: u64| (12.9898 * (seed * 17 + k) as f64).sin();
        let shape = [
            "type=\"box\" size=\"0.1 0.06 0.03\"",
            "type=\"capsule\" size=\"0.04 0.1\"",
            "type=\"ellipsoid\" size=\"0.1 0.06 0.03\"",
        ][seed as usize % 3];
        let world = model(
            &format!(
                "<geom name=\"floor\" type=\"plane\" size=\"5 5 1\" friction=\"{}\"/><body pos=\"0 0 0.2\" euler=\"{} {} {}\"><freejoint/>\
                 <geom name=\"body\" {shape} mass=\"1\" friction=\"0\"/></body>",
                0.6 + 0.6 * r(1),
                180.0 * r(2),
                180.0 * r(3),
                180.0 * r(4)
            ),
            "<option gravity=\"0 0 0\"/><custom><numeric name=\"stiction:restitution:body\" data=\"1\"/></custom>",
        );
        let mut sim = simulation(&world, Options::default());
        let v: Vec<f64> = (0..6).map(|k| if k < 3 { 2.0 * r(5 + k) } else { 8.0 * r(5 + k) }).collect();
        sim.state_mut().v.copy_from_slice(&v);
        sim.state_mut().v[2] = -2.0 - r(11).abs();
        let (mut last, mut impacts) = (sim.energy().kinetic, 0);
        for _ in 0..400 {
            sim.step(1).unwrap();
            let now = sim.energy().kinetic;
            impacts += sim.last_report().impacts;
            // Steps take gyroscopic torques at their beginning, ω × I ω for a time of δt: up to I (δt ω²)² with I < 5e-3 kg m².
            let v = &sim.state().v;
            let spin = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
            assert!(now <= last + 5e-3 * (1e-3 * spin).powi(2) + 1e-9 * last, "{seed} {last} {now} {spin}");
            let report = sim.last_report();
            assert!(report.friction_loss + report.normal_loss >= -1e-9 * last, "{seed} {report:?}");
            last = now;
        }
        assert!(impacts > 0, "{seed}");
    }
}

/// A body that crosses more than its own width in a step, between walls: no contact query ever sees it touch. Each wall takes (1 − e²)
/// of the energy, and none is left out.
#[test]
fn bodies_faster_than_their_width_a_step_bounce_by_their_restitution() {
    for geom in ["type=\"sphere\" size=\"0.005\"", "type=\"box\" size=\"0.005 0.004 0.006\""] {
        for e in [1.0, 0.5] {
            for (contact, accuracy) in MODELS.map(|m| (m, None)).into_iter().chain([(MODELS[0], Some(1e-3))])
            {
                let world = model(
                    &format!(
                        "<geom type=\"box\" size=\"0.001 1 1\" pos=\"0.5 0 0\"/><geom type=\"box\" size=\"0.001 1 1\" pos=\"-0.5 0 0\"/>\
                         <body><freejoint/><geom name=\"b\" {geom} mass=\"0.004\" friction=\"0\"/></body>"
                    ),
                    &format!(
                        "<option gravity=\"0 0 0\"/><custom><numeric name=\"stiction:restitution:b\" data=\"{e}\"/></custom>"
                    ),
                );
                let mut sim = simulation(&world, Options { contact, accuracy, ..Options::default() });
                let (mut speed, mut bounces) = (40.0, 0);
                sim.state_mut().v[0] = speed;
                let end = if e < 1.0 { 0.15 } else { 0.5 };
                while sim.state().time < end {
                    sim.step(1).unwrap();
                    let (v, what) = (&sim.state().v, format!("{geom} {e} {contact:?} {accuracy:?}"));
                    assert!(sim.state().q[0].abs() < 0.5, "{what}: {:?}", sim.state().q);
                    if (v[0].abs() - speed).abs() > 1e-6 * speed
                        || v[0] * if bounces % 2 == 0 { 1.0 } else { -1.0 } < 0.0
                    {
                        (speed, bounces) = (e * speed, bounces + 1);
                        assert!((v[0].abs() - speed).abs() < 1e-6 * speed, "{what}: {v:?} after {bounces}");
                    }
                    assert!(v[1..].iter().all(|x| x.abs() < 1e-6), "{what}: {v:?}");
                }
                // 1 m less the body and the walls at 40 m/s, then at e times it, …
                assert!(
                    bounces >= if e < 1.0 { 2 } else { 19 },
                    "{geom} {e} {contact:?} {accuracy:?}: {bounces}"
                );
            }
        }
    }
}

#[test]
fn restitution_is_refused_where_it_would_have_no_effect() {
    let sim = ball(1.0, 0.5, Options::default());
    let options = Options { method: stiction::Method::Continuous(Default::default()), ..Options::default() };
    let error = Simulation::new(sim.model(), options).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("restitution") && error.contains("dissipation"), "{error}");
    let mut world = sim.model().world().clone();
    world.geoms[1].contact.compliance = stiction::model::Compliance::Compliant;
    let error = stiction::Model::new(world).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("restitution") && error.contains("patches"), "{error}");
}
