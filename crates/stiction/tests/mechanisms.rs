//! Joints with limits, servos, couplings and loops.

mod common;
use common::{G, MODELS, model, run, simulation, tight};
use stiction::{Options, Simulation};

const LINK: &str = "<geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -0.3\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>";

fn position(sim: &Simulation, body: &str, point: [f64; 3]) -> nalgebra::Vector3<f64> {
    let model = sim.model();
    let workspace = model.at(&sim.state().q, &sim.state().v).unwrap();
    let body = model.world().body_index(body).unwrap();
    (model.multibody().pose(&workspace, body) * nalgebra::Point3::from(point)).coords
}

#[test]
fn a_four_bar_linkage_stays_closed() {
    let model = model(
        "<body name=\"crank\" pos=\"0 0 1\"><joint name=\"a\" type=\"hinge\" axis=\"0 1 0\"/>\
           <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.2 0 0\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
           <body name=\"coupler\" pos=\"0.2 0 0\"><joint type=\"hinge\" axis=\"0 1 0\"/>\
             <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.5 0 0\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
           </body></body>\
         <body name=\"rocker\" pos=\"0.7 0 0.7\"><joint type=\"hinge\" axis=\"0 1 0\"/>\
           <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 0.3\" mass=\"0.7\" contype=\"0\" conaffinity=\"0\"/></body>",
        "<equality><connect body1=\"coupler\" body2=\"rocker\" anchor=\"0.5 0 0\"/></equality>",
    );
    let mut sim = simulation(&model, Options::default());
    let (mut widest, mut travel) = (0.0_f64, 0.0_f64);
    let begin = sim.state().q[0];
    for _ in 0..3000 {
        run(&mut sim, 1e-3);
        let gap = position(&sim, "coupler", [0.5, 0.0, 0.0]) - position(&sim, "rocker", [0.0, 0.0, 0.3]);
        widest = widest.max(gap.norm());
        travel = travel.max((sim.state().q[0] - begin).abs());
    }
    assert!(widest < 1e-4, "the loop opened by {widest} m");
    assert!(travel > 0.3, "it must have moved, not only {travel} rad");
}

#[test]
fn a_welded_pair_of_free_bodies_falls_as_one() {
    let body = |name: &str, x: f64| {
        format!(
            "<body name=\"{name}\" pos=\"{x} 0 0\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\" \
             contype=\"0\" conaffinity=\"0\"/></body>"
        )
    };
    let model = model(
        &format!("{}{}", body("left", -0.2), body("right", 0.2)),
        "<equality><weld body1=\"left\" body2=\"right\"/></equality>",
    );
    let mut sim = simulation(&model, Options::default());
    sim.state_mut().v[5] = 1.0; // spin one of them: the weld must share it
    run(&mut sim, 1.0);
    let (left, right) = (position(&sim, "left", [0.2, 0.0, 0.0]), position(&sim, "right", [-0.2, 0.0, 0.0]));
    assert!((left - right).norm() < 1e-3, "{left} {right}");
    let fall = 0.5 * (sim.state().v[2] + sim.state().v[8]);
    assert!((fall + G).abs() < 1e-6, "{fall}");
}

#[test]
fn a_joint_limit_stops_a_falling_arm() {
    let model = model(
        &format!(
            "<body><joint type=\"hinge\" axis=\"0 1 0\" limited=\"true\" range=\"-30 30\"/>{LINK}</body>"
        ),
        "",
    );
    let mut sim = simulation(&model, Options::default());
    sim.state_mut().v[0] = 5.0;
    let mut largest = 0.0_f64;
    for _ in 0..2000 {
        run(&mut sim, 1e-3);
        largest = largest.max(sim.state().q[0]);
    }
    let limit = 30.0_f64.to_radians();
    assert!(largest > limit - 0.02 && largest < limit + 5e-3, "went to {largest} rad, the limit is {limit}");
}

/// A joint that starts beyond a limit returns at about 1 rad/s and does not hit the other limit.
#[test]
fn a_joint_that_begins_beyond_its_limit_comes_back_gently() {
    for (step, fastest) in [(1e-4, 1.1), (1e-3, 1.5), (5e-3, 2.7)] {
        for (q, back) in [(0.0, 0.4), (2.0, 1.2)] {
            let model = model(
                "<body><joint axis=\"0 1 0\" range=\"0.4 1.2\"/><geom type=\"capsule\" size=\"0.05\" fromto=\"0 0 0 0.5 0 0\"/></body>",
                "<compiler angle=\"radian\"/><option gravity=\"0 0 0\"/>",
            );
            let mut sim = simulation(&model, Options { step, ..Options::default() });
            sim.state_mut().q[0] = q;
            let mut top = 0.0f64;
            while (0.4 - sim.state().q[0]).max(sim.state().q[0] - 1.2) > 0.0 && sim.state().time < 3.0 {
                sim.step(1).unwrap();
                top = top.max(sim.state().v[0].abs());
            }
            assert!(sim.state().time < 1.2, "still at {} after {} s", sim.state().q[0], sim.state().time);
            assert!(
                (sim.state().q[0] - back).abs() < 0.02 && top < fastest,
                "{} at {top} rad/s",
                sim.state().q[0]
            );
        }
    }
}

/// A limit found far beyond carries its load from the first step on, and one that is reached yields no more than before:
/// β²/(4π²) of what the load does in a step.
#[test]
fn a_limit_carries_a_thousand_times_its_own_mass() {
    for step in [1e-3, 1e-2] {
        let model = model(
            "<body><joint type=\"slide\" axis=\"0 0 1\" range=\"0 1\"/><geom size=\"0.1\" mass=\"0.01\"/>\
             <body><joint type=\"slide\" axis=\"0 0 1\" range=\"0 1\"/><geom size=\"0.1\" mass=\"10\"/></body></body>",
            "",
        );
        let mut sim = simulation(&model, Options { step, ..tight() });
        run(&mut sim, 2.0);
        let sag = -sim.state().q[0];
        assert!((0.0..1e-3 * 1001.0 * G * step * step).contains(&sag), "{sag} m at {step} s");
        sim.state_mut().q[0] = -0.3;
        run(&mut sim, 2.0);
        assert!(sim.state().q[0] > -1e-3 * 1001.0 * G * step * step, "{} m at {step} s", sim.state().q[0]);
    }
}

/// A slider-crank at 3000 revolutions a minute, r = 0.1 m, whose circle leaves the tangent by ω² r = 1e4 m/s²: the pin stays
/// within what one step does to it, ω² r δt²/2. The links overlap at the pin, so they do not collide.
#[test]
fn a_fast_crank_keeps_its_pin() {
    let omega = 3000.0 * std::f64::consts::TAU / 60.0;
    for step in [1e-4, 2e-4] {
        let model = model(
            "<body name=\"crank\"><joint axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.1 0 0\" mass=\"10\" contype=\"0\"/>\
             <body name=\"rod\" pos=\"0.1 0 0\"><joint axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.01\" fromto=\"0 0 0 0.4 0 0\" mass=\"0.1\" contype=\"0\"/></body></body>\
             <body name=\"piston\" pos=\"0.5 0 0\"><joint type=\"slide\" axis=\"1 0 0\"/><geom size=\"0.03\" mass=\"0.1\" contype=\"0\"/></body>",
            "<option gravity=\"0 0 0\"/><equality><connect body1=\"rod\" body2=\"piston\" anchor=\"0.4 0 0\"/></equality>",
        );
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        // At its far end the piston rests, and the rod turns back with the pin held.
        sim.state_mut().v.copy_from_slice(&[omega, -omega * 1.25, 0.0]);
        let mut worst = 0.0f64;
        while sim.state().time < 0.2 {
            sim.step(1).unwrap();
            worst = worst
                .max((position(&sim, "rod", [0.4, 0.0, 0.0]) - position(&sim, "piston", [0.0; 3])).norm());
        }
        assert!(worst < 1.5 * omega * omega * 0.1 * step * step, "{worst} m apart at {step} s");
    }
}

/// A loop that begins open closes at about a δt + 1 m/s along each of its rows, with a = 300 m/s², and not at 1 m/δt.
#[test]
fn a_loop_that_begins_open_closes_gently() {
    for step in [1e-3, 5e-3] {
        let model = model(
            "<body name=\"a\"><freejoint/><geom size=\"0.1\" mass=\"1\"/></body><body name=\"b\" pos=\"1 0 0.5\"><freejoint/>\
             <geom type=\"box\" size=\"0.1 0.2 0.3\" mass=\"2\"/></body>",
            "<option gravity=\"0 0 0\"/><equality><weld body1=\"a\" body2=\"b\" relpose=\"0 0 0.5 0.7 0.7 0 0\"/></equality>",
        );
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        let mut top = 0.0f64;
        while sim.state().time < 3.0 {
            sim.step(1).unwrap();
            top = sim.state().v.iter().fold(top, |top, v| top.max(v.abs()));
        }
        assert_eq!(sim.stats().unconverged, 0);
        let apart = position(&sim, "b", [0.0; 3]) - position(&sim, "a", [0.0, 0.0, 0.5]);
        assert!(
            apart.norm() < 1e-6 && top < 3.0 * (300.0 * step + 1.0),
            "{} m apart, {top} m/s at {step} s",
            apart.norm()
        );
    }
}

#[test]
fn a_coupled_joint_follows_its_leader() {
    let model = model(
        &format!(
            "<body><joint name=\"lead\" type=\"hinge\" axis=\"0 1 0\"/>{LINK}</body>\
             <body pos=\"0 1 0\"><joint name=\"follow\" type=\"hinge\" axis=\"0 1 0\"/>{LINK}</body>"
        ),
        "<equality><joint joint1=\"follow\" joint2=\"lead\" polycoef=\"0.1 -0.5 0 0 0\"/></equality>",
    );
    let mut sim = simulation(&model, Options::default());
    sim.state_mut().q.copy_from_slice(&[0.5, 0.1 - 0.25]);
    let mut worst = 0.0_f64;
    for _ in 0..2000 {
        run(&mut sim, 1e-3);
        let q = &sim.state().q;
        worst = worst.max((q[1] - (0.1 - 0.5 * q[0])).abs());
    }
    assert!(worst < 1e-4, "off by {worst} rad");
}

#[test]
fn a_light_finger_under_a_stiff_servo_reaches_its_target_within_the_effort_limit() {
    let finger = "<body><joint name=\"j\" type=\"slide\" axis=\"1 0 0\"/>\
                  <geom type=\"box\" size=\"0.01 0.01 0.01\" mass=\"0.001\"/></body>";
    let model = model(
        finger,
        "<actuator><position joint=\"j\" kp=\"1e5\" kv=\"100\" forcelimited=\"true\" forcerange=\"-2 2\"/></actuator>",
    );
    for step in [1e-3, 1e-2] {
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        sim.state_mut().ctrl[0] = 0.1;
        sim.step(1).unwrap();
        // The first step is at the effort limit: v = δt · 2 N / 1 g.
        assert!((sim.state().v[0] - step * 2.0 / 0.001).abs() < 1e-9 || step > 1e-3, "{}", sim.state().v[0]);
        run(&mut sim, 3.0);
        assert!((sim.state().q[0] - 0.1).abs() < 1e-9, "step {step}: at {}", sim.state().q[0]);
        assert!(sim.state().v[0].abs() < 1e-9);
    }
}

#[test]
fn an_uneven_force_range_limits_each_direction_by_its_own_end() {
    let model = model(
        "<body><joint name=\"j\" type=\"slide\" axis=\"1 0 0\"/><geom type=\"sphere\" size=\"0.1\" mass=\"2\"/></body>",
        "<actuator><position joint=\"j\" kp=\"1e6\" forcelimited=\"true\" forcerange=\"-1 3\"/></actuator>",
    );
    for (target, force) in [(10.0, 3.0), (-10.0, -1.0)] {
        let mut sim = simulation(&model, Options::default());
        sim.state_mut().ctrl[0] = target;
        run(&mut sim, 0.1);
        let expected = force / 2.0 * 0.1;
        assert!((sim.state().v[0] - expected).abs() < 1e-9, "{} not {expected}", sim.state().v[0]);
    }
}

#[test]
fn dry_friction_holds_an_arm_below_its_torque_and_brakes_it_above() {
    let arm = |friction: f64| {
        model(
            &format!("<body><joint type=\"hinge\" axis=\"0 1 0\" frictionloss=\"{friction}\"/>{LINK}</body>"),
            "",
        )
    };
    // The weight at 90° pulls with m g l/2 = 1.47 N m.
    let mut held = simulation(&arm(3.0), Options::default());
    held.state_mut().q[0] = std::f64::consts::FRAC_PI_2;
    run(&mut held, 1.0);
    assert!(held.state().v[0].abs() < 1e-3, "{}", held.state().v[0]);
    let mut braked = simulation(&arm(0.2), Options::default());
    braked.state_mut().q[0] = std::f64::consts::FRAC_PI_2;
    let begin = braked.energy().total();
    let mut swept = 0.0;
    for _ in 0..400 {
        let q = braked.state().q[0];
        run(&mut braked, 1e-3);
        swept += (braked.state().q[0] - q).abs();
    }
    let lost = begin - braked.energy().total();
    assert!((lost / (0.2 * swept) - 1.0).abs() < 0.02, "lost {lost} J over {swept} rad");
}

#[test]
fn implicit_damping_and_springs_are_stable_at_any_stiffness() {
    let model = model(
        "<body><joint type=\"slide\" axis=\"1 0 0\" stiffness=\"1e8\" damping=\"1e4\"/>\
         <geom type=\"sphere\" size=\"0.1\" mass=\"0.01\"/></body>",
        "",
    );
    let mut sim = simulation(&model, Options { step: 1e-2, ..Options::default() });
    sim.state_mut().q[0] = 0.1;
    sim.state_mut().v[0] = -3.0;
    run(&mut sim, 1.0);
    assert!(sim.state().q[0].abs() < 1e-9 && sim.state().v[0].abs() < 1e-9);
}

#[test]
fn a_locked_joint_keeps_its_place_and_passes_loads_on() {
    let mut world = model(
        &format!(
            "<body name=\"upper\"><joint name=\"s\" type=\"hinge\" axis=\"0 1 0\"/>{LINK}<body name=\"lower\" pos=\"0 0 -0.3\">\
             <joint name=\"e\" type=\"hinge\" axis=\"0 1 0\"/>{LINK}</body></body>"
        ),
        "",
    )
    .world()
    .clone();
    let two = stiction::Model::new(world.clone()).unwrap();
    world.bodies[2].joints[0].locked = true;
    let locked = stiction::Model::new(world).unwrap();
    let mut sim = simulation(&locked, Options { step: 1e-4, ..Options::default() });
    sim.state_mut().q.copy_from_slice(&[0.3, 0.0]);
    run(&mut sim, 1.0);
    assert_eq!((sim.state().q[1], sim.state().v[1]), (0.0, 0.0));
    // A rod of two links swings as one body: energy is kept to first order.
    let energy = sim.energy().total();
    let mut reference = simulation(&two, Options::default());
    reference.state_mut().q.copy_from_slice(&[0.3, 0.0]);
    let begin = reference.energy().total();
    assert!((energy - begin).abs() < 1e-2 * begin.abs(), "{energy} {begin}");
}

#[test]
fn no_coupling_limit_or_tendon_moves_a_locked_joint() {
    let slide = |name: &str, range: &str| {
        format!(
            "<body><joint name=\"{name}\" type=\"slide\" axis=\"1 0 0\" {range}/><geom size=\".1\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body>"
        )
    };
    let coupled = "<equality><joint joint1=\"still\" joint2=\"other\" polycoef=\"0.05 1 0 0 0\"/></equality>";
    let tendon = "<tendon><fixed limited=\"true\" range=\"0.05 9\"><joint joint=\"still\" coef=\"1\"/>\
                  <joint joint=\"other\" coef=\"1\"/></fixed></tendon>";
    // At 0 the locked joint is beyond its limit, beside its place in the coupling, and the tendon too short; where the other one
    // ends up.
    let cases = [("limited=\"true\" range=\"0.1 0.5\"", "", 0.0), ("", coupled, -0.05), ("", tendon, 0.05)];
    for (range, rest, expected) in cases {
        let both = slide("still", range) + &slide("other", "");
        let mut world = model(&both, rest).world().clone();
        world.bodies[1].joints[0].locked = true;
        let locked = stiction::Model::new(world).unwrap();
        for contact in MODELS {
            let mut sim = simulation(&locked, Options { contact, ..Options::default() });
            run(&mut sim, 2.0);
            assert_eq!((sim.state().q[0], sim.state().v[0]), (0.0, 0.0), "{range}{rest}");
            // What was open closes to the compliance of near-rigid rows, 1 µm here; a limit pushes and does not pull back.
            let q = sim.state().q[1];
            let pushed = rest == tendon && q > expected;
            assert!((q - expected).abs() < 1e-6 || pushed, "{range}{rest}: {q}");
        }
    }
}

/// A hinge along z that carries mass but no inertia about its axis.
fn spindle(joint: &str) -> stiction::Model {
    let text = format!(
        "<mujoco model=\"spindle\"><worldbody><body name=\"rod\"><joint name=\"spin\" axis=\"0 0 1\" {joint}/>\
         <inertial pos=\"0 0 0.1\" mass=\"1\" diaginertia=\"1 1 0\"/></body></worldbody></mujoco>"
    );
    stiction::Model::from_string(&text, stiction::Format::Mjcf, &Default::default()).unwrap()
}

#[test]
fn a_coordinate_that_nothing_resists_is_told_when_the_simulation_is_made() {
    let model = spindle("");
    assert_eq!(model.warnings().len(), 1, "{:?}", model.warnings());
    for options in [
        Options::default(),
        Options { accuracy: Some(1e-3), ..Options::default() },
        Options { method: stiction::Method::Continuous(Default::default()), ..Options::default() },
    ] {
        let error = Simulation::new(&model, options.clone()).err().expect("nothing resists it").to_string();
        for word in ["cannot be stepped", "joint \"spin\"", "armature"] {
            assert!(error.contains(word), "{error}");
        }
    }
}

#[test]
fn damping_or_a_spring_lets_a_joint_without_inertia_be_stepped_though_not_in_continuous_time() {
    for joint in ["damping=\"0.5\"", "stiffness=\"0.5\""] {
        let model = spindle(joint);
        let mut sim = Simulation::new(&model, Options::default()).unwrap();
        sim.state_mut().applied[0] = 0.1;
        sim.step(1000).unwrap();
        // τ = D v at once, or τ = K q.
        let (found, expected) = match joint {
            "damping=\"0.5\"" => (sim.state().v[0], 0.2),
            _ => (sim.state().q[0], 0.2),
        };
        assert!((found - expected).abs() < 1e-12, "{joint}: {found}");
        let continuous =
            Options { method: stiction::Method::Continuous(Default::default()), ..Options::default() };
        assert!(Simulation::new(&model, continuous.clone()).is_err());
        // Unsupported options of an existing simulation are rejected as well.
        assert!(sim.set_options(continuous).is_err() && sim.step(1).is_ok());
    }
}
