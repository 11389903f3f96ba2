//! Torsional and rolling friction of points, and friction by direction, against closed forms.

mod common;

use common::*;
use nalgebra::Vector3;
use stiction::{Options, Simulation, Sticking};

const RADIUS: f64 = 0.1;
const STIFFNESS: f64 = 1e5;
/// Torsional friction of Hertz's patch over μ a.
const HERTZ: f64 = 3.0 * std::f64::consts::PI / 16.0;

/// A solid ball of 1 kg that rests on a plane at its equilibrium depth, and its moment of inertia.
fn ball(friction: &str) -> (Simulation, f64) {
    let tags = tags(2.0 * STIFFNESS, 10.0);
    let height = RADIUS - G / STIFFNESS;
    let world = model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\" friction=\"{friction}\">{tags}</geom>\
             <body pos=\"0 0 {height}\"><freejoint/>\
             <geom type=\"sphere\" size=\"{RADIUS}\" mass=\"1\" condim=\"6\" friction=\"{friction}\">{tags}</geom></body>"
        ),
        "",
    );
    (simulation(&world, tight()), 0.4 * RADIUS * RADIUS)
}

fn with_model(sim: &mut Simulation, contact: stiction::ContactModel) {
    // SAP and Similar lift a body by μ δt times its slip, out of what a margin of zero sees.
    // The closed forms are those of friction without springs, which would turn a body back when it stops.
    let tangential_springs = Sticking::Damped;
    let options = Options { contact, margin: 2e-3, tangential_springs, ..sim.options().clone() };
    sim.set_options(options).unwrap();
}

#[test]
fn a_ball_that_spins_about_its_normal_slows_by_torsional_friction_over_inertia() {
    let torsion = 0.004;
    for contact in MODELS {
        let (mut sim, inertia) = ball(&format!("0.5 {torsion} 0"));
        with_model(&mut sim, contact);
        sim.state_mut().v[5] = 20.0;
        // The first steps lift the ball (see `with_model`), which adds to its weight.
        run(&mut sim, 0.2);
        let (before, lost, spin) = (sim.energy().kinetic, sim.stats().friction_loss, sim.state().v[5]);
        run(&mut sim, 0.8);
        let slowed = spin - sim.state().v[5];
        let expected = 0.8 * torsion * G / inertia;
        // The soft norm lacks ε²/2 of the slip squared: (1.25e-2 rad/s)² over (10 rad/s)².
        assert!((slowed / expected - 1.0).abs() < 2e-6, "{contact:?} {slowed} {expected}");
        let (lost, kinetic) = (sim.stats().friction_loss - lost, sim.energy().kinetic);
        assert!((lost - (before - kinetic)).abs() < 1e-6 * before, "{contact:?} {lost}");
        let (torque, limit) = (sim.contacts()[0].torque, torsion * sim.contacts()[0].force.z);
        assert!((torque + Vector3::z() * limit).norm() < 1e-6 * limit, "{contact:?} {torque}");
        // It stands at 20 I/(μ m g) = 2.04 s and does not turn back.
        run(&mut sim, 1.5);
        assert!(sim.state().v[5].abs() < 1e-6, "{contact:?} {}", sim.state().v[5]);
    }
}

#[test]
fn a_rolling_ball_stops_where_rolling_friction_says() {
    let (rolling, speed) = (0.001, 0.5);
    for contact in MODELS {
        let (mut sim, _) = ball(&format!("1 0 {rolling}"));
        with_model(&mut sim, contact);
        (sim.state_mut().v[0], sim.state_mut().v[4]) = (speed, speed / RADIUS);
        // m a = −F and I a/R = F R − μ_r m g, I = 2/5 m R².
        let slowing = 5.0 / 7.0 * rolling * G / RADIUS;
        let (stop, distance) = (speed / slowing, 0.5 * speed * speed / slowing);
        run(&mut sim, 1.5 * stop);
        // Sliding friction takes a share of the ellipsoid, (5/7 μ_r/(μ R))² / 2 = 2.6e-5. A step of 1 ms moves the stop by up to
        // δt/stop; SAP and Similar lift the ball by μ δt (or τ_d) times the slip, which is a creep here.
        let found = sim.state().q[0];
        assert!((found / distance - 1.0).abs() < 1.5e-3, "{contact:?} {found} {distance}");
        assert!(sim.state().v.iter().all(|v| v.abs() < 1e-5), "{contact:?} {:?}", sim.state().v);
    }
}

#[test]
fn an_egg_comes_to_rest_where_a_plain_one_rocks_on() {
    let moves = |condim: u8| {
        let tags = tags(2e5, 50.0);
        let world = model(
            &format!(
                "<geom type=\"plane\" size=\"5 5 1\">{tags}</geom><body pos=\"0 0 0.0225\" euler=\"0 20 0\"><freejoint/>\
                 <geom type=\"ellipsoid\" size=\"0.03 0.022 0.022\" mass=\"0.06\" condim=\"{condim}\" friction=\"0.5 0.002 0.0005\">{tags}</geom></body>"
            ),
            "",
        );
        let mut sim = simulation(&world, Options { step: 2e-3, ..Options::default() });
        (sim.state_mut().v[0], sim.state_mut().v[5]) = (0.05, 3.0);
        run(&mut sim, 12.0);
        sim.state().v.iter().map(|v| v.abs()).fold(0.0, f64::max)
    };
    let (plain, turning) = (moves(3), moves(6));
    // Rest is within the stiction tolerance: 1e-4 m/s of the rim, over the rolling friction's share of it.
    assert!(plain > 0.1 && turning < 1e-3, "{plain} {turning}");
}

/// A ball pinched between a wall and a plate that presses with 10 N, without gravity, and the largest torque it holds.
fn pinched(springs: bool) -> (Simulation, f64) {
    let tags = tags(2e5, 10.0);
    let friction = "condim=\"4\" friction=\"0.5 0.002\"";
    let world = model(
        &format!(
            "<geom type=\"box\" size=\"0.01 0.1 0.1\" pos=\"-0.01 0 0\" {friction}>{tags}</geom>\
             <body pos=\"0.02 0 0\"><freejoint/><geom type=\"sphere\" size=\"0.02\" mass=\"0.1\" {friction}>{tags}</geom></body>\
             <body pos=\"0.05 0 0\"><joint name=\"press\" type=\"slide\" axis=\"-1 0 0\"/>\
             <geom type=\"box\" size=\"0.01 0.1 0.1\" mass=\"0.1\" {friction}>{tags}</geom></body>"
        ),
        "<option gravity=\"0 0 0\"/>",
    );
    let tangential_springs = springs.into();
    let mut sim = simulation(&world, Options { tangential_springs, ..tight() });
    sim.state_mut().applied[6] = 10.0;
    run(&mut sim, 0.3);
    (sim, 2.0 * 0.002 * 10.0)
}

#[test]
fn a_pinched_ball_holds_a_torque_below_its_torsional_friction_and_turns_above() {
    for share in [0.5, 0.9, 1.1] {
        let (mut sim, limit) = pinched(false);
        sim.state_mut().applied[3] = share * limit;
        run(&mut sim, 0.5);
        let spin = sim.state().v[3];
        let inertia = 0.4 * 0.1 * 0.02f64.powi(2);
        if share < 1.0 {
            // Soft friction creeps at ε r/√(1 − r²) over the scale 0.002/0.5; ε is that of eq. 44, at least v_s.
            let least = 1e-4 * share / (1.0 - share * share).sqrt() / (0.002 / 0.5);
            assert!((spin / least - 1.0).abs() < 1e-2, "{share} {spin} {least}");
        } else {
            let expected = (share - 1.0) * limit * 0.5 / inertia;
            assert!((spin / expected - 1.0).abs() < 1e-2, "{share} {spin} {expected}");
        }
    }
}

#[test]
fn with_springs_a_pinched_ball_holds_its_torque_without_creep() {
    let (mut sim, limit) = pinched(true);
    sim.state_mut().applied[3] = 0.9 * limit;
    run(&mut sim, 1.0);
    let spin = sim.state().v[3];
    assert!(spin.abs() < 1e-9, "{spin}");
    // The state holds the turn: a copy goes on in the same way.
    let mut copy = simulation(sim.model(), sim.options().clone());
    copy.load_state(&sim.save_state()).unwrap();
    run(&mut sim, 0.1);
    run(&mut copy, 0.1);
    assert_eq!(sim.state().q, copy.state().q);
    let turn: f64 = sim.state().stretches.iter().map(|s| s.turn.norm()).sum();
    assert!(turn > 0.0);
    // Above the limit it turns.
    sim.state_mut().applied[3] = 1.1 * limit;
    run(&mut sim, 0.5);
    assert!(sim.state().v[3] > 1.0, "{:?}", sim.state().v);
}

#[test]
fn a_surface_radius_gives_the_torsional_friction_of_hertzs_patch() {
    // ∫ μ p r dA of p = p₀ √(1 − r²/a²), by the midpoint rule, over μ a f_n.
    let n = 100_000;
    let (mut torque, mut force) = (0.0, 0.0);
    for k in 0..n {
        let r = (k as f64 + 0.5) / n as f64;
        let p = (1.0 - r * r).sqrt() * r;
        (torque, force) = (torque + p * r, force + p);
    }
    assert!((torque / force - HERTZ).abs() < 1e-6);
    let (sim, inertia) = ball("0.5 0 0");
    let mut world = sim.model().world().clone();
    for geom in &mut world.geoms {
        (geom.contact.dimensions, geom.contact.surface_radius) = (None, Some(RADIUS));
        geom.contact.torsional_friction = None;
        geom.contact.rolling_friction = None;
    }
    let model = stiction::Model::new(world).unwrap();
    let mut sim = simulation(&model, tight());
    sim.state_mut().v[5] = 20.0;
    run(&mut sim, 1.0);
    let radius = (RADIUS * G / STIFFNESS).sqrt();
    let slowed = HERTZ * 0.5 * radius * G / inertia;
    assert!(((20.0 - sim.state().v[5]) / slowed - 1.0).abs() < 1e-4, "{:?} {slowed}", sim.state().v);
}

/// A block on three slides, so that it does not turn, over a plane; the pair has friction 0.4 along y and 0.2 along x.
fn block(friction: &str, gravity: [f64; 3], swap: bool) -> Simulation {
    let tags = tags(2e5, 10.0);
    let names = if swap { ["block", "floor"] } else { ["floor", "block"] };
    let [x, y, z] = gravity;
    let world = model(
        &format!(
            "<geom name=\"floor\" type=\"plane\" size=\"5 5 1\">{tags}</geom><body pos=\"0 0 0.05\" euler=\"0 0 20\">\
             <joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 1 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>\
             <geom name=\"block\" type=\"box\" size=\"0.1 0.1 0.05\" mass=\"1\">{tags}</geom></body>"
        ),
        &format!(
            "<contact><pair geom1=\"{}\" geom2=\"{}\" friction=\"{friction}\" /></contact><option gravity=\"{x} {y} {z}\"/>",
            names[0], names[1]
        ),
    );
    simulation(&world, tight())
}

/// Velocity in world axes; the slides are along the body's axes at 20°.
fn velocity(sim: &Simulation) -> (f64, f64) {
    let (s, c) = 20f64.to_radians().sin_cos();
    let v = &sim.state().v;
    (c * v[0] - s * v[1], s * v[0] + c * v[1])
}

fn throw(sim: &mut Simulation, x: f64, y: f64) {
    let (s, c) = 20f64.to_radians().sin_cos();
    (sim.state_mut().v[0], sim.state_mut().v[1]) = (c * x + s * y, -s * x + c * y);
}

const ALONG_Y: f64 = 0.4;
const ALONG_X: f64 = 0.2;

#[test]
fn a_block_on_an_incline_accelerates_by_the_friction_of_its_direction() {
    let down = 0.5 * G; // more than either friction
    for (x, y, mu) in [(1.0, 0.0, ALONG_X), (0.0, 1.0, ALONG_Y)] {
        for contact in MODELS {
            for swap in [false, true] {
                let mut sim = block(&format!("{ALONG_Y} {ALONG_X}"), [down * x, down * y, -G], swap);
                with_model(&mut sim, contact);
                run(&mut sim, 0.2);
                let first = velocity(&sim);
                run(&mut sim, 0.4);
                let then = velocity(&sim);
                let found = ((then.0 - first.0) * x + (then.1 - first.1) * y) / 0.4;
                let across = (then.0 * y - then.1 * x).abs();
                let expected = down - mu * G;
                // Similar stiffens with slip, so that the block rises from m g/k to that over 1 + μ d v: its acceleration is up
                // to 2 m g/k (μ d a)² = 7e-4 of g at first and 1e-5 of it at 1.2 m/s.
                let bound = if contact == stiction::ContactModel::Similar { 1e-4 } else { 1e-5 };
                assert!((found / expected - 1.0).abs() < bound, "{contact:?} {found} {expected}");
                assert!(across < 1e-6, "{contact:?} {across}");
            }
        }
    }
}

#[test]
fn a_thrown_block_curves_towards_the_axis_of_less_friction() {
    // v̇ = −g D² v/‖D v‖, D = diag(μ_x, μ_y): v_y/v_y0 = (v_x/v_x0)^((μ_y/μ_x)²).
    let mut sim = block(&format!("{ALONG_Y} {ALONG_X}"), [0.0, 0.0, -G], false);
    run(&mut sim, 0.2);
    throw(&mut sim, 1.5, 1.5);
    let before = sim.energy().kinetic;
    let power = (ALONG_Y / ALONG_X).powi(2);
    let mut seen = 0.0;
    for _ in 0..6 {
        run(&mut sim, 0.05);
        let (x, y) = velocity(&sim);
        let expected = (x / 1.5).powf(power);
        // Steps of 1 ms are of first order: δt times the rate of the exponent's argument, 1/0.3 s.
        assert!((y / 1.5 - expected).abs() < 4e-3, "{x} {y} {expected}");
        seen = x - y;
        let (lost, kinetic) = (sim.stats().friction_loss, sim.energy().kinetic);
        assert!((before - kinetic - lost).abs() < 1e-6 * before, "{lost}");
    }
    assert!(seen > 0.3);
}

#[test]
fn equal_coefficients_are_plain_friction_in_every_frame() {
    let slide = |friction: &str| {
        let mut sim = block(friction, [0.0, 0.0, -G], false);
        throw(&mut sim, 1.0, 0.4);
        run(&mut sim, 0.2);
        velocity(&sim)
    };
    let (plain, scaled) = (slide("0.3 0.3"), slide("0.3 0.30000000000000004"));
    assert!((plain.0 - scaled.0).abs() + (plain.1 - scaled.1).abs() < 1e-9, "{plain:?} {scaled:?}");
}
