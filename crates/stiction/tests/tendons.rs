//! Tendons: moment arms, springs, limits, friction, couplings.

mod common;
use common::{G, model, run, simulation, tight};
use proptest::prelude::*;
use stiction::{Model, Options};

/// An arm of a ball joint and two hinges with tendons of all kinds, and a free body.
fn arm() -> Model {
    model(
        "<site name=\"base\" pos=\"0.3 0.1 0.9\"/><site name=\"anchor\" pos=\"-0.4 0.2 1.5\"/>\
         <body pos=\"0 0 1\"><joint name=\"ball\" type=\"ball\"/>\
           <geom name=\"drum\" type=\"cylinder\" size=\"0.07 0.1\" euler=\"80 10 0\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
           <site name=\"upper\" pos=\"0.1 0 -0.15\"/><site name=\"out\" pos=\"0.2 0 -0.3\"/>\
           <body pos=\"0 0 -0.4\"><joint name=\"elbow\" axis=\"0 1 0\"/>\
             <geom name=\"knob\" type=\"sphere\" size=\"0.06\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
             <site name=\"lower\" pos=\"0.05 0.02 -0.2\"/><site name=\"in\" pos=\"0.01 0 0.01\"/>\
             <body pos=\"0 0 -0.3\"><joint name=\"wrist\" type=\"slide\" axis=\"1 0 1\"/>\
               <geom type=\"box\" size=\"0.05 0.05 0.1\" mass=\"0.4\" contype=\"0\" conaffinity=\"0\"/>\
               <site name=\"tip\" pos=\"0 0 -0.2\" euler=\"20 30 40\"/>\
         </body></body></body>\
         <body pos=\"1 0 1\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
           <site name=\"hook\" pos=\"0.1 0.1 0.1\"/></body>",
        "<tendon>\
           <spatial name=\"straight\"><site site=\"base\"/><site site=\"upper\"/><site site=\"tip\"/><site site=\"hook\"/></spatial>\
           <spatial name=\"round\"><site site=\"base\"/><geom geom=\"drum\" sidesite=\"out\"/><site site=\"lower\"/>\
             <geom geom=\"knob\"/><site site=\"upper\"/></spatial>\
           <spatial name=\"inner\"><site site=\"base\"/><geom geom=\"knob\" sidesite=\"in\"/><site site=\"tip\"/></spatial>\
           <spatial name=\"tackle\"><site site=\"base\"/><site site=\"upper\"/><pulley divisor=\"2\"/><site site=\"anchor\"/>\
             <site site=\"lower\"/><pulley divisor=\"3\"/><site site=\"tip\"/><site site=\"hook\"/></spatial>\
           <fixed name=\"sum\"><joint joint=\"elbow\" coef=\"2\"/><joint joint=\"wrist\" coef=\"-3\"/></fixed>\
         </tendon>\
         <actuator><motor tendon=\"round\" gear=\"3\"/><motor slidersite=\"anchor\" cranksite=\"tip\" cranklength=\"2\" gear=\"2\"/>\
           <motor joint=\"elbow\" gear=\"5\"/></actuator>",
    )
}

/// A state away from the default by rotations and displacements `by`.
fn displaced(model: &Model, by: &[f64]) -> Vec<f64> {
    let mut q = model.default_q().to_vec();
    let from = q.clone();
    model.multibody().integrate(&from, by, 1.0, stiction::multibody::QuaternionStep::Exponential, &mut q);
    q
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn moment_arms_are_the_gradients_of_the_lengths(by in prop::collection::vec(-0.8..0.8f64, 11)) {
        let model = arm();
        let q = displaced(&model, &by);
        let arms = [model.tendon_moments(&q).unwrap(), model.actuator_moments(&q).unwrap()];
        let lengths = |q: &[f64]| [model.tendon_lengths(q).unwrap(), model.actuator_lengths(q).unwrap()];
        let h = 1e-6;
        for dof in 0..model.nv() {
            let moved = |h: f64| {
                let (mut v, mut out) = (vec![0.0; model.nv()], q.clone());
                v[dof] = h;
                let step = stiction::multibody::QuaternionStep::Exponential;
                model.multibody().integrate(&q, &v, 1.0, step, &mut out);
                lengths(&out)
            };
            let (more, less) = (moved(h), moved(-h));
            for kind in 0..2 {
                for row in 0..more[kind].len() {
                    let slope = (more[kind][row] - less[kind][row]) / (2.0 * h);
                    let arm = arms[kind][(row, dof)];
                    // A path may reach or leave a geom within the difference; its slope is continuous there.
                    prop_assert!((slope - arm).abs() < 3e-5, "{} {} {} {} {}", kind, row, dof, slope, arm);
                }
            }
        }
    }
}

#[test]
fn a_mass_on_a_tendon_spring_swings_with_the_period_of_the_spring() {
    // m = 1 kg on k = 100 N/m without weight: period 2π/10 s, here over ten of them.
    let model = model(
        "<site name=\"a\" pos=\"0 0 2\"/><body pos=\"0 0 1\"><joint type=\"slide\" axis=\"0 0 1\"/>\
         <geom size=\"0.1\" mass=\"1\"/><site name=\"b\"/></body>",
        "<option gravity=\"0 0 0\"/><tendon><spatial stiffness=\"100\" springlength=\"0.8\"><site site=\"a\"/><site site=\"b\"/></spatial></tendon>",
    );
    let mut sim = simulation(&model, Options { step: 1e-4, ..tight() });
    let (mut crossings, mut last) = (0, sim.state().q[0] - 0.2);
    let mut time = 0.0;
    while crossings < 20 {
        run(&mut sim, 1e-4);
        let now = sim.state().q[0] - 0.2;
        if now * last < 0.0 {
            crossings += 1;
            time = sim.state().time;
        }
        last = now;
    }
    // The first crossing is after a quarter, the twentieth after 9.75 periods.
    let period = time / 9.75;
    assert!((period - std::f64::consts::TAU / 10.0).abs() < 1e-3, "{period}");
}

#[test]
fn energy_with_tendon_springs_is_kept_in_the_limit_of_small_steps() {
    let model = model(
        "<site name=\"a\" pos=\"0.5 0 1.4\"/><body pos=\"0 0 1\"><joint axis=\"0 1 0\"/>\
         <geom name=\"drum\" type=\"cylinder\" size=\"0.05 0.1\" euler=\"90 0 0\" mass=\"0.1\"/>\
         <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -0.4\" mass=\"1\"/><site name=\"b\" pos=\"0 0 -0.3\"/>\
         <body pos=\"0 0 -0.4\"><joint axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -0.4\" mass=\"1\"/>\
         <site name=\"c\" pos=\"0 0 -0.4\"/></body></body>",
        "<tendon><spatial stiffness=\"80\" springlength=\"0.5\"><site site=\"a\"/><geom geom=\"drum\"/><site site=\"b\"/><site site=\"c\"/></spatial></tendon>",
    );
    let drift = |step: f64| {
        let mut sim = simulation(&model, Options { step, ..tight() });
        sim.state_mut().q[0] = 0.4;
        let before = sim.energy().total();
        run(&mut sim, 0.5);
        let energy = sim.energy();
        assert!(energy.kinetic > 0.1, "it must move: {energy:?}");
        energy.total() - before
    };
    // Implicit steps dissipate energy in proportion to their length. Extrapolated to zero length, the loss vanishes.
    let (coarse, fine) = (drift(1e-4), drift(5e-5));
    assert!(fine < 0.0 && (2.0 * fine - coarse).abs() < 0.02 * fine.abs(), "{coarse} {fine}");
}

#[test]
fn a_string_pulls_and_does_not_push() {
    // Slack up to 1 m: the weight falls freely until then, and then hangs at m g/k below.
    let model = model(
        "<site name=\"a\" pos=\"0 0 3\"/><body pos=\"0 0 2.5\"><joint type=\"slide\" axis=\"0 0 1\" damping=\"20\"/>\
         <geom size=\"0.1\" mass=\"2\"/><site name=\"b\"/></body>",
        "<tendon><spatial name=\"t\" stiffness=\"1000\" springlength=\"0 1\"><site site=\"a\"/><site site=\"b\"/></spatial></tendon>\
         <sensor><tendonpos name=\"l\" tendon=\"t\"/></sensor>",
    );
    let mut sim = simulation(&model, tight());
    run(&mut sim, 0.1);
    let fallen = sim.state().q[0];
    // v = (m g/c)(1 − exp(−c t/m)): the damper slows the fall, the slack string does not.
    let wanted = -(2.0 * G / 20.0) * (0.1 - 0.1 * (1.0 - (-1f64).exp()));
    assert!((fallen - wanted).abs() < 1e-3, "free fall while slack: {fallen} {wanted}");
    run(&mut sim, 8.0);
    let length = sim.sensor("l").unwrap()[0];
    assert!((length - 1.0 - 2.0 * G / 1000.0).abs() < 1e-6, "{length}");
}

#[test]
fn a_limit_holds_and_friction_carries_up_to_its_force() {
    let weight = |rest: &str| {
        model(
            "<site name=\"a\" pos=\"0 0 3\"/><body pos=\"0 0 2\"><joint type=\"slide\" axis=\"0 0 1\"/>\
             <geom size=\"0.1\" mass=\"1\"/><site name=\"b\"/></body>",
            &format!("<tendon><spatial {rest}><site site=\"a\"/><site site=\"b\"/></spatial></tendon>"),
        )
    };
    let end = |rest: &str| {
        let mut sim = simulation(&weight(rest), Options::default());
        run(&mut sim, 1.0);
        (sim.state().q[0], sim.state().v[0])
    };
    let (q, v) = end("range=\"0 1.2\"");
    assert!((q + 0.2).abs() < 1e-3 && v.abs() < 1e-3, "a limit of 1.2 m: {q} {v}");
    let (q, v) = end("frictionloss=\"12\"");
    assert!(q.abs() < 1e-3 && v.abs() < 1e-3, "12 N carry 9.81 N: {q} {v}");
    let (_, v) = end("frictionloss=\"5\"");
    assert!((v + (G - 5.0)).abs() < 1e-2, "5 N do not, and slow the fall: {v}");
}

#[test]
fn coupled_tendons_keep_their_polynomial() {
    let hinge = |name: &str, x: f64| {
        format!(
            "<body pos=\"{x} 0 1\"><joint name=\"{name}\" axis=\"0 1 0\"/>\
             <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -0.3\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body>"
        )
    };
    let model = model(
        &format!("{}{}{}", hinge("a", 0.0), hinge("b", 1.0), hinge("c", 2.0)),
        "<tendon><fixed name=\"s\"><joint joint=\"a\" coef=\"1\"/><joint joint=\"b\" coef=\"1\"/></fixed>\
         <fixed name=\"t\"><joint joint=\"c\" coef=\"2\"/><joint joint=\"b\" coef=\"0.5\"/></fixed></tendon>\
         <equality><tendon tendon1=\"s\" tendon2=\"t\" polycoef=\"0.1 0.5 0.2 0 0\"/></equality>",
    );
    let mut sim = simulation(&model, Options::default());
    sim.state_mut().v[2] = 3.0;
    run(&mut sim, 0.5);
    let l = model.tendon_lengths(&sim.state().q).unwrap();
    let wanted = 0.1 + 0.5 * l[1] + 0.2 * l[1] * l[1];
    assert!((l[0] - wanted).abs() < 1e-3, "{} {wanted}", l[0]);
    assert!(sim.state().q[2].abs() > 0.05, "it must move");
}

/// A block on a slide that a tendon with armature ties to a hook: the tendon's length is its distance, so it moves as if it
/// were heavier by the armature. One beside the slide's line adds its share by the cosine.
#[test]
fn armature_makes_what_hangs_on_a_tendon_heavier() {
    let model = model(
        "<site name=\"hook\" pos=\"0 0 1\"/><site name=\"aside\" pos=\"3 0 0\"/><body><joint type=\"slide\" axis=\"0 0 1\"/>\
         <geom size=\"0.05\" mass=\"1.5\"/><site name=\"eye\"/></body>",
        "<tendon><spatial name=\"t\" armature=\"2\"><site site=\"hook\"/><site site=\"eye\"/></spatial>\
         <spatial armature=\"10\"><site site=\"aside\"/><site site=\"eye\"/></spatial></tendon>",
    );
    // At the level of the hook aside the second tendon is at right angles.
    assert!((model.mass_matrix(&[0.0]).unwrap()[(0, 0)] - 3.5).abs() < 1e-12);
    let cosine = 1.0 / 10f64.sqrt();
    let heavier = 3.5 + 10.0 * cosine * cosine;
    assert!((model.mass_matrix(&[-1.0]).unwrap()[(0, 0)] - heavier).abs() < 1e-12);
    let mut sim = simulation(&model, Options { step: 1e-4, ..tight() });
    run(&mut sim, 1e-2);
    assert!((sim.state().v[0] + 1.5 * G / 3.5 * 1e-2).abs() < 1e-4, "{}", sim.state().v[0]);
}

/// Arms that change with the position: the energy of a pendulum with a heavy tendon is kept as the step goes to zero, and the
/// derivative of M along the motion is what the bias needs: ½ vᵀ Ṁ v = vᵀ (bias − gravity).
#[test]
fn the_inertia_of_tendons_is_consistent() {
    let model = model(
        "<site name=\"hook\" pos=\"0.4 0.1 0.7\"/><body><joint axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.03\" fromto=\"0 0 0 0.5 0 0\"/>\
         <site name=\"eye\" pos=\"0.3 0 0.1\"/><body pos=\"0.5 0 0\"><joint axis=\"0 0 1\"/><geom type=\"capsule\" size=\"0.03\" fromto=\"0 0 0 0.4 0.1 0\"/>\
         <site name=\"tip\" pos=\"0.4 0.1 0\"/></body></body>",
        "<option gravity=\"0 0 0\"/><tendon><spatial armature=\"3\"><site site=\"hook\"/><site site=\"eye\"/><site site=\"tip\"/><pulley divisor=\"2\"/>\
         <site site=\"tip\"/><site site=\"hook\"/></spatial></tendon>",
    );
    let (q, v) = ([0.3, -0.7], [1.1, 2.3]);
    let h = 1e-5;
    let at = |s: f64| model.mass_matrix(&[q[0] + s * v[0], q[1] + s * v[1]]).unwrap();
    let rate = (at(h) - at(-h)) / (2.0 * h);
    let speed = nalgebra::DVector::from_row_slice(&v);
    let power = 0.5 * speed.dot(&(rate * &speed));
    let bias = model.bias(&q, &v).unwrap();
    let done: f64 = bias.iter().zip(v).map(|(b, v)| b * v).sum();
    assert!((power - done).abs() < 1e-6 * power.abs().max(1.0), "{power} and {done}");
    let tau = model.inverse_dynamics(&q, &v, &[0.4, -0.9]).unwrap();
    let a = model.forward_dynamics(&q, &v, &tau).unwrap();
    assert!((a[0] - 0.4).abs() < 1e-9 && (a[1] + 0.9).abs() < 1e-9, "{a:?}");
    let drift = |step: f64| {
        let mut sim = simulation(&model, Options { step, ..tight() });
        sim.state_mut().q.copy_from_slice(&q);
        sim.state_mut().v.copy_from_slice(&v);
        let before = sim.energy().kinetic;
        run(&mut sim, 0.5);
        (sim.energy().kinetic - before).abs() / before
    };
    let (coarse, fine) = (drift(1e-3), drift(1e-4));
    assert!(fine < 0.2 * coarse && fine < 2e-3, "{coarse} and {fine}");
}
