//! Friction in the step in which a normal force comes: dominoes, and bodies that start to slide without a load.

mod common;
#[path = "../examples/structures/scenes.rs"]
#[allow(dead_code)]
mod scenes;

use common::{G, model, run, simulation, tags};
use scenes::dominoes;
use stiction::{Format, Model, Options, Simulation};

/// Number of dominoes that fell, and the speed of the wave along them, m/s.
fn wave(options: Options) -> (usize, f64) {
    let model =
        Model::from_string(&dominoes(scenes::DOMINOES).mjcf, Format::Mjcf, &Default::default()).unwrap();
    scenes::wave(&mut simulation(&model, options))
}

#[test]
fn the_speed_of_dominoes_converges_with_the_step() {
    let at = |step: f64| wave(Options { step, ..Options::default() });
    // The finest step stands for the limit.
    let (fallen, limit) = at(1.25e-4);
    assert_eq!(fallen, scenes::DOMINOES);
    for (step, share) in [(2e-3, 0.05), (1e-3, 0.05), (5e-4, 0.05)] {
        let (fallen, speed) = at(step);
        assert_eq!(fallen, scenes::DOMINOES, "at {step} s");
        assert!((speed / limit - 1.0).abs() < share, "{speed} m/s at {step} s, not {limit}");
    }
    // With friction that waits for the next step, feet slide and the wave is another.
    let (_, late) = wave(Options { step: 1e-3, friction_passes: 0, ..Options::default() });
    assert!(late.is_nan() || (late / limit - 1.0).abs() > 0.2, "{late} m/s without repeated solves");
}

/// A sphere or box of 1 kg that touches a plane without load.
fn cold(shape: &str, height: f64, mu: f64) -> Model {
    let tags = tags(1e6, 10.0);
    model(
        &format!(
            "<geom type=\"plane\" size=\"50 50 1\" friction=\"{mu} 0 0\">{tags}</geom><body pos=\"0 0 {height}\"><freejoint/>\
             <geom {shape} mass=\"1\" friction=\"{mu} 0 0\">{tags}</geom></body>"
        ),
        "",
    )
}

fn launched(model: &Model, speed: f64, step: f64) -> Simulation {
    let mut sim = simulation(model, Options { step, ..Options::default() });
    sim.state_mut().v[0] = speed;
    sim
}

#[test]
fn a_sphere_launched_without_load_rolls_at_five_sevenths() {
    for step in [1e-3, 5e-3, 1e-2] {
        let mut sim = launched(&cold("type=\"sphere\" size=\"0.1\"", 0.1, 0.4), 2.0, step);
        run(&mut sim, 1.0);
        let share = sim.state().v[0] / 2.0;
        assert!((share - 5.0 / 7.0).abs() < 2e-3, "rolls at {share} of its speed at {step} s");
    }
}

#[test]
fn a_box_launched_without_load_slides_as_far_as_a_settled_one() {
    // Symplectic Euler loses μ g δt in each step from the first one on, and so slides v²/(2μg) − v δt/2.
    let (mu, speed) = (0.4, 1.0);
    let boxed = cold("type=\"box\" size=\"0.1 0.1 0.02\"", 0.02, mu);
    for step in [1e-3, 5e-3, 1e-2] {
        let mut sim = launched(&boxed, speed, step);
        run(&mut sim, 1.0);
        let expected = speed * speed / (2.0 * mu * G) - 0.5 * speed * step;
        let slid = sim.state().q[0];
        assert!((slid - expected).abs() < 0.01 * expected, "slides {slid} m at {step} s, not {expected}");
    }
}

#[test]
fn steady_sliding_rolling_and_rest_need_no_second_solve() {
    let boxed = cold("type=\"box\" size=\"0.1 0.1 0.02\"", 0.02, 0.4);
    for speed in [0.0, 10.0] {
        let mut sim = launched(&boxed, speed, 1e-3);
        run(&mut sim, 0.5);
        let before = sim.stats().friction_passes;
        run(&mut sim, 1.0);
        assert_eq!(sim.stats().friction_passes, before, "at {speed} m/s");
    }
}
