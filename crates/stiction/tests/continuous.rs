//! Continuous time: closed forms in motion, energy balances, rest without creep, saving, refusals.

mod common;
use common::{G, model};
use stiction::continuous::{ContinuousOptions, Integrator, TangentialCompliance, TractionFriction};
use stiction::{Format, LoadOptions, Method, Model, Options, Simulation, StepError};

/// Child tags of a compliant geom: modulus (Pa), dissipation (s/m), thickness of a half-space (m).
fn soft(modulus: f64, dissipation: f64, hint: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"{modulus}\"/>\
         <drake:hunt_crossley_dissipation value=\"{dissipation}\"/><drake:slab_thickness value=\"0.1\"/>\
         <drake:mesh_resolution_hint value=\"{hint}\"/></drake:proximity_properties>"
    )
}

fn options(integrator: Integrator, friction: TractionFriction, accuracy: f64) -> Options {
    let method = Method::Continuous(ContinuousOptions { integrator, friction, ..Default::default() });
    Options { method, accuracy: Some(accuracy), ..Options::default() }
}

fn radau(friction: TractionFriction, accuracy: f64) -> Options {
    options(Integrator::Radau, friction, accuracy)
}

const SPRINGS: TractionFriction =
    TractionFriction::Springs(TangentialCompliance { stretch: 1e-4, relaxation_time: 6e-3 });

/// Energy of motion, gravity, joint springs and contact, plus dissipation, minus external work.
fn balance(sim: &mut Simulation) -> f64 {
    let energy = sim.energy().total() + sim.contact_energy();
    energy + sim.stats().dissipated - sim.stats().other_work
}

#[test]
fn a_tumbling_body_keeps_energy_and_momentum_under_every_integrator() {
    let body = "<body pos=\"0 0 1\"><freejoint/><inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"0.02 0.05 0.06\"/></body>";
    let model = model(body, "<option gravity=\"0 0 0\"/>");
    for integrator in [Integrator::Radau, Integrator::DormandPrince, Integrator::BogackiShampine] {
        let mut sim = Simulation::new(&model, options(integrator, SPRINGS, 1e-8)).unwrap();
        sim.state_mut().v.copy_from_slice(&[1.0, 0.0, 0.0, 0.02, 5.0, 0.01]);
        let begin = sim.energy().total();
        sim.run_until(2.0).unwrap();
        assert!((sim.energy().total() / begin - 1.0).abs() < 1e-6, "{integrator:?}");
        assert!((sim.state().q[0] - 2.0).abs() < 1e-9);
        let q = &sim.state().q[3..];
        let turn =
            nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]));
        let v = &sim.state().v[3..];
        let spin = turn * nalgebra::Vector3::new(0.02 * v[0], 0.05 * v[1], 0.06 * v[2]);
        let first = nalgebra::Vector3::new(0.02 * 0.02, 0.05 * 5.0, 0.06 * 0.01);
        assert!((spin - first).norm() < 1e-6, "{integrator:?} {spin}");
    }
}

#[test]
fn a_punch_and_a_ball_swing_on_a_soft_floor_as_their_closed_forms_do() {
    // Punch: F = k A d is a linear spring, ω² = k A/m. Ball: F = π g d² (R − d/3) has U = π g (R d³/3 − d⁴/12).
    let floor =
        format!("<geom type=\"plane\" size=\"1 1 1\" friction=\"0 0 0\">{}</geom>", soft(1e5, 0.0, 0.02));
    let slope = 1e5 / 0.1;
    let block = "<body pos=\"0 0 0.05\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"2\" friction=\"0 0 0\"/></body>";
    let model_block = model(&format!("{floor}{block}"), "");
    let mut sim = Simulation::new(&model_block, radau(TractionFriction::Cutoff, 1e-9)).unwrap();
    let (w, rest) = ((slope * 0.01 / 2.0f64).sqrt(), 2.0 * G / (slope * 0.01));
    sim.state_mut().q[2] = 0.05 - 1.5 * rest;
    let end = 3.3 / w;
    sim.run_until(end).unwrap();
    let exact = 0.05 - rest - 0.5 * rest * (w * end).cos();
    assert!((sim.state().q[2] - exact).abs() < 1e-7 * rest.max(1e-3), "{} {exact}", sim.state().q[2]);

    // A compliant ball on a rigid floor has a field of its own: F = (π/3) E d² (3 − 2 d/R) up to its tessellation.
    let (radius, e) = (0.1, 1e5);
    let ball = format!(
        "<geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 {radius}\"><freejoint/><geom type=\"sphere\" size=\"{radius}\" mass=\"1\">{}</geom></body>",
        soft(e, 0.0, 0.004)
    );
    let model_ball = model(&ball, "");
    let mut sim = Simulation::new(&model_ball, radau(TractionFriction::Cutoff, 1e-7)).unwrap();
    sim.state_mut().v[2] = -0.5;
    let deepest = |sim: &mut Simulation| {
        let mut low = f64::INFINITY;
        while sim.state().v[2] < 0.0 || low.is_infinite() {
            sim.step(1).unwrap();
            low = low.min(sim.state().q[2]);
        }
        radius - low
    };
    let depth = deepest(&mut sim);
    let stored = |d: f64| std::f64::consts::FRAC_PI_3 * e * (d.powi(3) - d.powi(4) / (2.0 * radius));
    let given = 0.5 * 0.25 + G * depth;
    assert!((stored(depth) / given - 1.0).abs() < 0.02, "{} {given}", stored(depth));
}

#[test]
fn a_bounce_without_damping_returns_all_energy_and_with_damping_loses_what_is_counted() {
    for (dissipation, friction) in
        [(0.0, TractionFriction::Cutoff), (2.0, TractionFriction::Soft), (2.0, SPRINGS)]
    {
        let text = format!(
            "<geom type=\"plane\" size=\"1 1 1\" friction=\"0.5 0 0\"/><body pos=\"0 0 0.15\"><freejoint/>\
             <geom type=\"sphere\" size=\"0.1\" mass=\"1\" friction=\"0.5 0 0\">{}</geom></body>",
            soft(1e5, dissipation, 0.05)
        );
        let model = model(&text, "");
        let mut sim = Simulation::new(&model, radau(friction, 1e-8)).unwrap();
        if dissipation > 0.0 {
            sim.state_mut().v.copy_from_slice(&[0.4, 0.0, 0.0, 0.0, 3.0, 0.0]);
        }
        let begin = balance(&mut sim);
        sim.run_until(0.4).unwrap();
        let end = balance(&mut sim);
        assert!((end / begin - 1.0).abs() < 1e-6, "{dissipation} {begin} {end}");
        let lost = sim.stats().dissipated;
        assert!(if dissipation > 0.0 { lost > 1e-2 } else { lost.abs() < 1e-9 }, "{lost}");
    }
}

#[test]
fn energy_is_accounted_for_to_a_millionth_while_a_box_slides_and_stops() {
    for friction in [TractionFriction::Cutoff, TractionFriction::Soft, SPRINGS] {
        let model = sliding_box(0.3);
        let mut sim =
            Simulation::new(&model, Options { stiction_tolerance: 1e-3, ..radau(friction, 1e-7) }).unwrap();
        sim.run_until(0.3).unwrap();
        let begin = balance(&mut sim);
        sim.state_mut().v[0] = 1.0;
        let begin = begin + 0.5;
        sim.run_until(1.0).unwrap();
        let end = balance(&mut sim);
        assert!((end - begin).abs() < 1e-6 * 0.5, "{friction:?}: {:.3e} of 0.5 J", end - begin);
        // v²/(2 μ g) and the lost half joule.
        assert!(sim.state().v[0].abs() < 1e-3, "{}", sim.state().v[0]);
        let way = 1.0 / (2.0 * 0.3 * G);
        assert!((sim.state().q[0] - way).abs() < 3e-3 * way, "{} {way}", sim.state().q[0]);
    }
}

/// A compliant box of 1 kg on a rigid floor.
fn sliding_box(mu: f64) -> Model {
    model(
        &format!(
            "<geom type=\"plane\" size=\"9 9 1\" friction=\"{mu} 0 0\"/><body pos=\"0 0 0.0499\"><freejoint/>\
             <geom type=\"box\" size=\"0.1 0.08 0.05\" mass=\"1\" friction=\"{mu} 0 0\">{}</geom></body>",
            soft(1e6, 20.0, 0.1)
        ),
        "",
    )
}

/// The same on a slope of `angle` degrees.
fn slope(angle: f64, mu: f64) -> Model {
    let (s, c) = angle.to_radians().sin_cos();
    model(
        &format!(
            "<geom type=\"plane\" size=\"9 9 1\" euler=\"0 {angle} 0\" friction=\"{mu} 0 0\"/>\
             <body pos=\"{} 0 {}\" euler=\"0 {angle} 0\"><freejoint/>\
             <geom type=\"box\" size=\"0.1 0.08 0.05\" mass=\"1\" friction=\"{mu} 0 0\">{}</geom></body>",
            0.0499 * s,
            0.0499 * c,
            soft(1e6, 20.0, 0.1)
        ),
        "<compiler angle=\"degree\"/>",
    )
}

#[test]
fn a_block_on_a_slope_below_the_limit_does_not_creep_at_all() {
    let model = slope(15.0, 0.5); // tan 15° = 0.268
    let mut sim = Simulation::new(&model, Options { max_step: 10.0, ..radau(SPRINGS, 1e-5) }).unwrap();
    sim.run_until(2.0).unwrap();
    let there = sim.state().q.clone();
    sim.run_until(602.0).unwrap();
    let moved = there.iter().zip(&sim.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved < 1e-12, "moved {moved:e} m in ten minutes");
    // The regularised law creeps at v_c tan θ/μ.
    let creeping = Options { stiction_tolerance: 1e-3, ..radau(TractionFriction::Cutoff, 1e-6) };
    let mut sim = Simulation::new(&model, creeping).unwrap();
    sim.run_until(1.0).unwrap();
    let expected = 1e-3 * 15f64.to_radians().tan() / 0.5;
    let v = &sim.state().v;
    let speed = (v[0] * v[0] + v[2] * v[2]).sqrt();
    assert!((speed / expected - 1.0).abs() < 1e-3, "{speed} {expected}");
    // Above the limit it slides at g (sin θ − μ cos θ).
    let mut sim = Simulation::new(&slope(35.0, 0.5), radau(SPRINGS, 1e-6)).unwrap();
    sim.run_until(0.2).unwrap();
    let first = sim.state().v[0];
    sim.run_until(0.6).unwrap();
    let (s, c) = 35f64.to_radians().sin_cos();
    let a = G * (s - 0.5 * c) * c; // along x
    assert!(
        ((sim.state().v[0] - first) / (0.4 * a) - 1.0).abs() < 1e-3,
        "{} {}",
        sim.state().v[0] - first,
        0.4 * a
    );
}

#[test]
fn a_stack_finds_rest_and_holds_still_for_ten_minutes() {
    let mut text = String::from("<geom type=\"plane\" size=\"9 9 1\" friction=\"0.5 0 0\"/>");
    for k in 0..4 {
        // Alternately soft and rigid, narrower upwards, each a little turned.
        let tags = if k % 2 == 0 { soft(1e6, 20.0, 0.1) } else { String::new() };
        let (w, z) = (0.1 - 0.01 * k as f64, 0.05 + 0.1 * k as f64 - 1e-4);
        text += &format!(
            "<body pos=\"0 0 {z}\" euler=\"0 0 {}\"><freejoint/><geom type=\"box\" size=\"{w} {w} 0.05\" mass=\"1\" friction=\"0.5 0 0\">{tags}</geom></body>",
            7 * k
        );
    }
    let model = model(&text, "<compiler angle=\"degree\"/>");
    let mut sim = Simulation::new(&model, Options { max_step: 10.0, ..radau(SPRINGS, 1e-5) }).unwrap();
    assert!(sim.settle(1e-9, 20.0).unwrap(), "comes to rest");
    let a = sim.accelerations().unwrap().unwrap();
    assert!(a.iter().all(|a| a.abs() < 1e-7), "{a:?}");
    let (there, begin) = (sim.state().q.clone(), sim.state().time);
    sim.run_until(begin + 600.0).unwrap();
    let moved = there.iter().zip(&sim.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved < 1e-9, "moved {moved:e} m in ten minutes");
}

#[test]
fn saving_and_loading_continues_bit_for_bit() {
    let model = sliding_box(0.3);
    for options in [radau(SPRINGS, 1e-5), options(Integrator::DormandPrince, TractionFriction::Soft, 1e-4)] {
        let mut sim = Simulation::new(&model, options.clone()).unwrap();
        sim.state_mut().v[0] = 1.0;
        sim.state_mut().v[5] = 2.0;
        sim.run_until(0.05).unwrap();
        let bytes = sim.save_state();
        sim.run_until(0.2).unwrap();
        let mut other = Simulation::new(&model, options).unwrap();
        other.load_state(&bytes).unwrap();
        other.run_until(0.2).unwrap();
        assert_eq!(sim.state(), other.state());
    }
}

#[test]
fn dense_output_lies_on_the_trajectory() {
    let model = Model::from_scene("double_pendulum").unwrap();
    for (integrator, tolerance) in
        [(Integrator::Radau, 1e-6), (Integrator::DormandPrince, 1e-5), (Integrator::BogackiShampine, 1e-6)]
    {
        let mut sim = Simulation::new(&model, options(integrator, SPRINGS, 1e-8)).unwrap();
        sim.state_mut().q[0] += 0.5;
        sim.step(30).unwrap();
        let before = sim.state().clone();
        sim.step(1).unwrap();
        let middle = before.time + 0.37 * (sim.state().time - before.time);
        let (q, v) = sim.interpolate(middle).unwrap();
        assert!(sim.interpolate(sim.state().time + 1.0).is_none());
        let mut exact = Simulation::new(&model, options(Integrator::Radau, SPRINGS, 1e-11)).unwrap();
        *exact.state_mut() = before;
        exact.run_until(middle).unwrap();
        for (a, b) in q.iter().zip(&exact.state().q).chain(v.iter().zip(&exact.state().v)) {
            assert!((a - b).abs() < tolerance, "{integrator:?} {a} {b}");
        }
    }
}

#[test]
fn rigid_contact_couplings_and_impossible_accuracy_are_told_with_a_remedy() {
    let rigid = model(
        "<geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 0.11\"><freejoint/><geom name=\"ball\" type=\"sphere\" size=\"0.1\"/></body>",
        "",
    );
    let mut sim = Simulation::new(&rigid, radau(SPRINGS, 1e-4)).unwrap();
    let error = sim.run_until(1.0).unwrap_err();
    assert!(matches!(error, StepError::RigidContact { .. }));
    let text = error.to_string();
    assert!(text.contains("floor") && text.contains("ball") && text.contains("compliant"), "{text}");
    assert!(sim.state().time > 0.02, "what was simulated is kept");

    let coupled = Model::from_scene("four_bar").unwrap();
    let error = Simulation::new(&coupled, radau(SPRINGS, 1e-4)).err().unwrap().to_string();
    assert!(error.contains("method = convex"), "{error}");

    // This accuracy is below rounding.
    let mut sim = Simulation::new(&sliding_box(0.3), radau(TractionFriction::Cutoff, 1e-30)).unwrap();
    sim.state_mut().v[0] = 1.0;
    let error = sim.run_until(1.0).unwrap_err();
    assert!(matches!(error, StepError::Accuracy { .. }), "{error}");
}

#[test]
fn like_boxes_exactly_above_each_other_are_warned_of() {
    let boxes: String = (0..2)
        .map(|k| {
            format!(
                "<body pos=\"0 0 {}\"><freejoint/><geom name=\"box{k}\" type=\"box\" size=\"0.05 0.05 0.05\">{}</geom></body>",
                0.05 + 0.0999 * k as f64,
                soft(1e6, 20.0, 0.1)
            )
        })
        .collect();
    let model = model(&format!("<geom type=\"plane\" size=\"1 1 1\"/>{boxes}"), "");
    let mut sim = Simulation::new(&model, radau(SPRINGS, 1e-4)).unwrap();
    sim.step(1).unwrap();
    let warnings = sim.warnings();
    assert!(
        warnings.iter().any(|w| w.message.contains("coincide") && w.message.contains("box1")),
        "{warnings:?}"
    );
}

#[test]
fn actuators_limits_and_samples_of_a_controller_are_honoured() {
    let text = "<mujoco><compiler angle=\"radian\"/><option gravity=\"0 0 0\"/><worldbody><body><joint name=\"j\" type=\"slide\" axis=\"1 0 0\" \
                range=\"-1 0.2\" limited=\"true\" damping=\"0.5\"/><geom type=\"sphere\" size=\"0.1\" mass=\"1\"/></body></worldbody>\
                <actuator><motor joint=\"j\" ctrlrange=\"-1 1\" forcerange=\"-0.4 0.4\"/></actuator></mujoco>";
    let model = Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let mut sim = Simulation::new(&model, radau(SPRINGS, 1e-8)).unwrap();
    sim.state_mut().ctrl[0] = 1.0;
    sim.run_until(0.5).unwrap();
    // v = (F/b)(1 − e^(−b t)) with F limited to 0.4.
    let exact = 0.8 * (1.0 - (-0.25f64).exp());
    assert!((sim.state().v[0] - exact).abs() < 1e-6, "{} {exact}", sim.state().v[0]);
    // It ends at the limit, pressed in by F/k with k = m (π/LIMIT_TIME)².
    sim.run_until(40.0).unwrap();
    let depth = 0.4 / (std::f64::consts::PI / stiction::continuous::LIMIT_TIME).powi(2);
    assert!((sim.state().q[0] - 0.2 - depth).abs() < 1e-6, "{}", sim.state().q[0]);

    struct Clock(Vec<f64>);
    impl stiction::Controller for Clock {
        fn period(&self) -> f64 {
            0.01
        }
        fn control(
            &mut self,
            sample: &stiction::Sample,
            ctrl: &mut [f64],
            memory: &mut Vec<f64>,
        ) -> Result<(), String> {
            self.0.push(sample.time);
            memory.push(sample.time);
            ctrl[0] = 0.1;
            Ok(())
        }
    }
    let mut sim = Simulation::new(&model, radau(SPRINGS, 1e-4)).unwrap();
    sim.set_controller(Box::new(Clock(Vec::new())));
    sim.run_until(0.1).unwrap();
    let times = &sim.state().controllers[0].memory;
    assert_eq!(times.len(), 10);
    assert!(times.iter().enumerate().all(|(k, t)| (t - 0.01 * k as f64).abs() < 1e-12), "{times:?}");
}

#[test]
fn a_light_link_with_much_dry_friction_comes_to_rest() {
    // 45 N m on 8e-6 kg m² stop 1 rad/s within 0.18 microseconds, and near rest friction is a damper of a time constant far
    // below that. v̇ = −(F/I) v/√(v² + v_c²) comes to rest after (I/F) ∫ √(v² + v_c²) dv.
    let (force, inertia) = (45.0, 8e-6);
    let body = format!(
        "<body pos=\"0 0 1\"><joint type=\"hinge\" axis=\"0 0 1\" frictionloss=\"{force}\"/>\
         <inertial pos=\"0 0 0\" mass=\"0.01\" diaginertia=\"{inertia} {inertia} {inertia}\"/></body>"
    );
    let model = model(&body, "");
    for v in [1.0_f64, -0.03, 20.0] {
        let mut sim = Simulation::new(&model, radau(SPRINGS, 1e-9)).unwrap();
        sim.state_mut().v[0] = v;
        sim.run_until(0.01).unwrap();
        let c = sim.options().stiction_tolerance;
        let way = 0.5 * inertia / force * (v * v.hypot(c) + c * c * (v / c).asinh());
        assert!(sim.state().v[0].abs() < 1e-9, "{v}: {}", sim.state().v[0]);
        assert!((sim.state().q[0] - way).abs() < 1e-6 * way.abs(), "{v}: {} {way}", sim.state().q[0]);
        assert!(sim.stats().steps < 100, "{v}: {}", sim.stats().steps);
        // An explicit method would need steps of picoseconds to the end. It reports an error.
        let explicit = options(Integrator::DormandPrince, SPRINGS, 1e-9);
        let mut sim = Simulation::new(&model, explicit).unwrap();
        sim.state_mut().v[0] = v;
        assert!(matches!(sim.run_until(0.01), Err(StepError::Accuracy { .. })), "{v}");
    }
}

#[test]
fn damping_follows_from_length_and_expansion_rate() {
    // A cube's characteristic length is half its edge: χ = 1/(L τ) = 1/(0.05 · 4) = 5 s/m.
    let world = |tag: &str| {
        model(
            &format!(
                "<geom type=\"plane\" size=\"1 1 1\"/><body pos=\"0 0 0.06\"><freejoint/>\
                 <geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\"><drake:proximity_properties><drake:compliant_hydroelastic/>\
                 <drake:hydroelastic_modulus value=\"1e5\"/>{tag}</drake:proximity_properties></geom></body>"
            ),
            "",
        )
    };
    let end = |tag: &str| {
        let mut sim = Simulation::new(&world(tag), radau(TractionFriction::Cutoff, 1e-7)).unwrap();
        sim.run_until(0.1).unwrap();
        sim.state().q[2]
    };
    let (rate, dissipation) = (
        end("<stiction:expansion_rate value=\"4\"/>"),
        end("<drake:hunt_crossley_dissipation value=\"5\"/>"),
    );
    assert!((rate - dissipation).abs() < 1e-12, "{rate} {dissipation}");
    assert!((rate - end("<stiction:expansion_rate value=\"40\"/>")).abs() > 1e-5);
}

#[test]
fn adhesion_pulls_until_it_lets_go() {
    let text = format!(
        "<geom type=\"plane\" size=\"1 1 1\" friction=\"0 0 0\"/><body pos=\"0 0 0.049\"><freejoint/>\
         <geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\" friction=\"0 0 0\">{}</geom></body>",
        soft(1e5, 20.0, 0.1)
    );
    let model = model(&text, "<option gravity=\"0 0 0\"/>");
    let speed = |adhesion: f64| {
        let method = Method::Continuous(ContinuousOptions { adhesion, ..Default::default() });
        let options = Options { method, accuracy: Some(1e-7), ..Options::default() };
        let mut sim = Simulation::new(&model, options).unwrap();
        sim.state_mut().v[2] = 0.3; // faster than 1/χ: without adhesion no force at all
        sim.run_until(0.05).unwrap();
        sim.state().v[2]
    };
    assert!((speed(0.0) - 0.3).abs() < 1e-9, "{}", speed(0.0));
    let held = speed(100.0);
    assert!(held < 0.3 - 1e-4, "{held}");
    // It cannot absorb more than a · A · d: 100 Pa · 0.01 m² · 1 mm.
    assert!(0.5 * (0.09 - held * held) <= 100.0 * 0.01 * 1e-3 * (1.0 + 1e-6), "{held}");
}
