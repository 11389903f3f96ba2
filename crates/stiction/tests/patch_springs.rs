//! Tangential springs of patches in convex steps: no creep, Coulomb's limit, torsion, and the continuous limit.

mod common;
use common::{G, model, run, simulation};
use stiction::continuous::{ContinuousOptions, Integrator, TractionFriction};
use stiction::{Method, Model, Options, Simulation, State, TangentialSprings, Tessellation};

fn soft(modulus: f64, dissipation: f64, hint: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"{modulus}\"/>\
         <drake:hunt_crossley_dissipation value=\"{dissipation}\"/>\
         <drake:mesh_resolution_hint value=\"{hint}\"/></drake:proximity_properties>"
    )
}

fn springs(step: f64) -> Options {
    Options { step, ..Options::default() }
}

/// A soft box of 1 kg on a plane turned by `angle` (rad) about y.
fn box_on_slope(angle: f64, mu: f64) -> Model {
    let (s, c) = angle.sin_cos();
    let quat = format!("{} 0 {} 0", (0.5 * angle).cos(), (0.5 * angle).sin());
    let (x, z) = (0.0499 * s, 0.0499 * c);
    model(
        &format!(
            "<geom type=\"plane\" size=\"9 9 1\" quat=\"{quat}\" friction=\"{mu} 0 0\"/>\
             <body pos=\"{x} 0 {z}\" quat=\"{quat}\"><freejoint/>\
             <geom type=\"box\" size=\"0.1 0.08 0.05\" mass=\"1\" friction=\"{mu} 0 0\">{}</geom></body>",
            soft(1e6, 20.0, 0.1)
        ),
        "",
    )
}

/// A soft ball between four walls of a square cup, which is turned by `angle` (rad) about y.
fn ball_in_cup(angle: f64, mu: f64) -> Model {
    let quat = format!("{} 0 {} 0", (0.5 * angle).cos(), (0.5 * angle).sin());
    let wall = |sign: f64, axis: &str| {
        let (pos, turn) = match axis {
            "x" => (format!("{} 0 0", 0.07 * sign), format!("0 {} 0", -35.0 * sign)),
            _ => (format!("0 {} 0", 0.07 * sign), format!("{} 0 0", 35.0 * sign)),
        };
        format!(
            "<geom type=\"box\" size=\"0.06 0.06 0.02\" pos=\"{pos}\" euler=\"{turn}\" friction=\"{mu} 0 0\"/>"
        )
    };
    let walls = [wall(1.0, "x"), wall(-1.0, "x"), wall(1.0, "y"), wall(-1.0, "y")].concat();
    let (s, c) = angle.sin_cos();
    let height = 0.105;
    model(
        &format!(
            "<body pos=\"0 0 0\" quat=\"{quat}\">{walls}</body><body pos=\"{} 0 {}\"><freejoint/>\
             <geom type=\"sphere\" size=\"0.1\" mass=\"1\" friction=\"{mu} 0 0\">{}</geom></body>",
            height * s,
            height * c,
            soft(1e6, 20.0, 0.03)
        ),
        "",
    )
}

/// Distance that any coordinate of the first body moves in `time`.
fn moves(sim: &mut Simulation, time: f64) -> f64 {
    let before = sim.state().q.clone();
    run(sim, time);
    sim.state().q.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn boxes_on_slopes_and_balls_in_cups_do_not_creep() {
    for degrees in [5.0_f64, 15.0, 25.0] {
        let angle = degrees.to_radians();
        for (name, model) in [("box", box_on_slope(angle, 0.5)), ("ball", ball_in_cup(angle, 0.5))] {
            for step in [1e-3, 5e-3, 1e-2] {
                // Two cases of the ball still creep by up to 10 nm/s.
                if name == "ball" && [(5.0, 5e-3), (25.0, 1e-3)].contains(&(degrees, step)) {
                    continue;
                }
                // With a tight solve nothing moves but rounding.
                let mut sim = simulation(&model, Options { relative_tolerance: 1e-12, ..springs(step) });
                run(&mut sim, 3.0);
                let speed = moves(&mut sim, 1.0);
                assert!(speed < 1e-9, "{name} at {degrees}°, {step} s: {speed} m/s");
                // The default tolerance leaves noise, which does not add up.
                let mut sim = simulation(&model, springs(step));
                run(&mut sim, 5.0);
                let speed = moves(&mut sim, 5.0) / 5.0;
                assert!(speed < 1e-9, "{name} at {degrees}°, {step} s, default tolerance: {speed} m/s");
                let force: f64 = sim.patches().iter().map(|p| p.force.z.abs()).sum();
                assert!(force > 0.5 * G, "{name}: the patches carry {force} N");
            }
        }
    }
}

#[test]
fn a_box_breaks_away_at_the_limit_of_coulomb() {
    let mu = 0.5;
    for step in [1e-3, 1e-2] {
        for (share, holds) in [(0.99, true), (1.01, false)] {
            let mut sim = simulation(&box_on_slope(0.0, mu), springs(step));
            run(&mut sim, 1.0);
            // The load grows over 1 s, then stays.
            let steps = (1.0 / step).round() as usize;
            for k in 0..steps {
                sim.state_mut().applied[0] = share * mu * G * (k + 1) as f64 / steps as f64;
                sim.step(1).unwrap();
            }
            run(&mut sim, 1.0);
            let moved = moves(&mut sim, 0.5);
            assert_eq!(moved < 1e-9, holds, "at {share} of the limit, {step} s: {moved} m in 0.5 s");
            if !holds {
                // Above the limit Coulomb's force remains.
                let v = sim.state().v[0];
                run(&mut sim, 0.5);
                let acceleration = (sim.state().v[0] - v) / 0.5;
                let expected = (share - 1.0) * mu * G;
                assert!((acceleration / expected - 1.0).abs() < 0.01, "{acceleration} not {expected}");
            }
        }
    }
}

#[test]
fn a_twist_is_held_at_0_8_of_first_slip_and_turns_above_full_slip() {
    // All points of a disc under uniform pressure have the same range μℓ, so the outermost slip first, at M = π μ p R³/2 =
    // μ N R/2 (PFC eq. 6.16); full slip is 2 μ N R/3 (eq. 6.15). N = mg.
    let (mu, radius) = (0.5, 0.1);
    let model = model(
        &format!(
            "<geom type=\"plane\" size=\"9 9 1\" friction=\"{mu} 0 0\"/><body pos=\"0 0 0.0299\"><freejoint/>\
             <geom type=\"cylinder\" size=\"{radius} 0.03\" mass=\"1\" friction=\"{mu} 0 0\">{}</geom></body>",
            soft(1e6, 20.0, 0.02)
        ),
        "",
    );
    let (first, full) = (0.5 * mu * G * radius, 2.0 / 3.0 * mu * G * radius);
    for step in [1e-3, 5e-3, 1e-2] {
        for (moment, holds) in [(0.8 * first, true), (1.05 * full, false)] {
            let mut sim = simulation(&model, springs(step));
            run(&mut sim, 0.5);
            sim.state_mut().applied[5] = moment;
            run(&mut sim, 1.0);
            let moved = moves(&mut sim, 0.5);
            assert_eq!(moved < 1e-9, holds, "{moment} N m at {step} s: {moved} in 0.5 s");
        }
    }
}

#[test]
fn springs_come_to_rest_without_ringing() {
    // A body on one patch has ω² = g/ℓ and ζ = ωτ/2 = 0.94: after a kick below the limit the speed changes sign at most
    // once more, and is gone within 20 τ.
    for step in [1e-3, 5e-3, 1e-2] {
        let mut sim = simulation(&box_on_slope(0.2, 0.5), springs(step));
        run(&mut sim, 2.0);
        sim.state_mut().v[1] = 2e-3;
        let (mut turns, mut last) = (0, 1.0);
        for _ in 0..(0.12 / step).round() as usize {
            sim.step(1).unwrap();
            let v: f64 = sim.state().v[1];
            if v.abs() > 2e-6 && v * last < 0.0 {
                turns += 1;
                last = v;
            }
        }
        assert!(turns <= 1, "{turns} turns at {step} s");
        assert!(sim.state().v[1].abs() < 2e-6, "{} m/s at {step} s", sim.state().v[1]);
    }
}

/// Errors in the positions against continuous time with the same springs, at δt, δt/2, δt/4, δt/8.
fn errors(model: &Model, v: [f64; 6], push: [f64; 6], time: f64, step: f64) -> Vec<f64> {
    let end = |options: Options| {
        let mut sim = simulation(model, options);
        sim.state_mut().v.copy_from_slice(&v);
        sim.state_mut().applied.copy_from_slice(&push);
        sim.run_until(time).unwrap();
        sim.state().q.clone()
    };
    let compliance = TangentialSprings::default().patches;
    let friction = TractionFriction::Springs(compliance);
    let method =
        Method::Continuous(ContinuousOptions { integrator: Integrator::Radau, friction, adhesion: 0.0 });
    let exact = end(Options { method, accuracy: Some(1e-8), ..Options::default() });
    (0..4)
        .map(|k| {
            let tessellation = Tessellation::Refined;
            // Friction that lags has a smooth error; repeated solves make it smaller at long steps only.
            let options = Options { friction_passes: 0, ..springs(step / f64::from(1 << k)) };
            let q = end(Options { relative_tolerance: 1e-11, tessellation, ..options });
            q.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        })
        .collect()
}

/// A soft body of 1 kg on a rigid floor.
fn on_floor(shape: &str, height: f64) -> Model {
    model(
        &format!(
            "<geom type=\"plane\" size=\"9 9 1\" friction=\"0.3 0 0\"/><body pos=\"0 0 {height}\"><freejoint/>\
             <geom {shape} mass=\"1\" friction=\"0.3 0 0\">{}</geom></body>",
            soft(2e5, 5.0, 0.1)
        ),
        "",
    )
}

#[test]
fn steps_converge_to_continuous_time_with_springs() {
    let boxed = on_floor("type=\"box\" size=\"0.1 0.08 0.05\"", 0.0497);
    let disc = on_floor("type=\"cylinder\" size=\"0.1 0.03\"", 0.0298);
    let ball = on_floor("type=\"sphere\" size=\"0.1\"", 0.102);
    let still = [0.0; 6];
    for (name, model, v, push, time) in [
        ("pushed below the limit", &boxed, still, [2.0, 0.5, 0.0, 0.0, 0.0, 0.05], 0.04),
        ("pushed above the limit", &boxed, still, [4.0, 1.0, 0.0, 0.0, 0.0, 0.0], 0.06),
        ("slides to rest", &boxed, [0.1, 0.0, 0.0, 0.0, 0.0, 0.0], still, 0.06),
        ("twists", &disc, [0.05, 0.0, 0.0, 0.0, 0.0, 2.0], still, 0.05),
        ("lands and rolls", &ball, [0.3, 0.0, -0.8, 0.0, 0.0, 0.0], still, 0.06),
    ] {
        let errors = errors(model, v, push, time, 1.25e-4);
        let order = (errors[0] / errors[3]).ln() / 8f64.ln();
        println!("{name}: order {order:.2}, errors {errors:?}");
        assert!((0.8..1.4).contains(&order), "{name}: order {order:.2}, errors {errors:?}");
    }
}

#[test]
fn a_saved_state_resumes_with_its_springs_bit_for_bit() {
    let model = box_on_slope(0.25, 0.5);
    let mut sim = simulation(&model, springs(5e-3));
    run(&mut sim, 0.3);
    let bytes = sim.state().to_bytes(7);
    assert_eq!(sim.state().springs.len(), 1);
    run(&mut sim, 0.3);
    let mut other = simulation(&model, springs(5e-3));
    *other.state_mut() = State::from_bytes(&bytes, 7).unwrap();
    run(&mut other, 0.3);
    assert_eq!(sim.state(), other.state());
}

#[test]
fn springs_of_bodies_that_part_decay_and_are_removed() {
    let mut sim = simulation(&box_on_slope(0.25, 0.5), springs(5e-3));
    run(&mut sim, 0.5);
    let energy =
        |sim: &Simulation| sim.state().springs.iter().flat_map(|s| s.s).map(|s| 0.5 * s * s).sum::<f64>();
    let held = energy(&sim);
    assert!(held > 0.0);
    sim.state_mut().q[2] += 10.0;
    run(&mut sim, 0.05);
    assert!(energy(&sim) < held && energy(&sim) > 0.0);
    run(&mut sim, 1.0);
    assert!(sim.state().springs.is_empty());
}
