//! Energy balance of each kind of force on a random tree.
//!
//! ```text
//! conservative force · v = −d(energy)/dt                          along any motion
//! change of kinetic and stored energy in steps = Σ other force · v δt       to first order in δt
//! ```
//!
//! In contact, the energy that contact dissipates or stores is subtracted from the change in steps. Adhesion acts in steps
//! alone; its work is its pull times the distance by which the gap closes.
//!
//! The first relates two functions of a force. The second relates both to the effect of the force in a step
//! (`implicit`, `rows`).

use super::*;
use crate::{Format, LoadOptions, Options, Simulation};
use proptest::prelude::*;
use stiction_base::random::Random;
use stiction_model::Pose;
use stiction_multibody::QuaternionStep;

/// The force of a world, besides gravity and Coriolis forces.
const KINDS: [&str; 17] = [
    "nothing",
    "springs",
    "gravity compensation",
    "medium",
    "equality",
    "equality of tendons",
    "loop",
    "held by a mocap body",
    "bushing",
    "dry friction",
    "fixed tendon",
    "spatial tendon",
    "heavy tendon",
    "actuators",
    "actuators on sites and tendons",
    "muscle",
    "limits",
];

/// A random tree of five bodies on hinges, a slide and a ball joint, with one kind of force.
fn world(kind: &str, random: &mut Random) -> stiction_model::World {
    let mut number = |low: f64, high: f64| low + (high - low) * random.unit();
    let mut vector =
        |size: f64| format!("{} {} {}", number(-size, size), number(-size, size), number(0.2, 1.0) * size);
    let joint_forces = match kind {
        "springs" => "stiffness=\"7\" damping=\"0.3\" springref=\"0.2\"",
        "dry friction" => "frictionloss=\"0.4\"",
        _ => "",
    };
    let gravcomp = if kind == "gravity compensation" { "gravcomp=\"0.7\"" } else { "" };
    let inertial = "<inertial pos=\"0.05 -0.02 0.1\" mass=\"1.3\" diaginertia=\"0.02 0.03 0.025\"/>";
    let mut body = |name: &str, joint: &str, inside: &str| {
        let (position, axis) = (vector(0.4), vector(1.0));
        format!(
            "<body name=\"{name}\" pos=\"{position}\" {gravcomp}><joint name=\"j_{name}\" type=\"{joint}\" axis=\"{axis}\" \
             {joint_forces}/>{inertial}<site name=\"s_{name}\" pos=\"0.1 0.05 0\"/>{inside}</body>"
        )
    };
    let tip = match kind {
        "adhesion" => "<geom name=\"tip\" type=\"sphere\" size=\"0.05\" friction=\"0.5\"/>",
        "medium" => {
            "<geom type=\"ellipsoid\" size=\"0.05 0.1 0.2\" fluidshape=\"ellipsoid\" contype=\"0\" conaffinity=\"0\"/>"
        }
        _ => "",
    };
    let (c, e) = (body("c", "ball", ""), body("e", "hinge", tip));
    let (b, d) = (body("b", "slide", &c), body("d", "hinge", &e));
    let a = body("a", "hinge", &(b + &d));
    let rest = match kind {
        "equality" => {
            "<equality><joint joint1=\"j_a\" joint2=\"j_d\" polycoef=\"0.1 0.5 0.2 0 0\"/></equality>"
        }
        "fixed tendon" => {
            "<tendon><fixed stiffness=\"20\" damping=\"0.5\" springlength=\"0.1\"><joint joint=\"j_a\" coef=\"1\"/>\
             <joint joint=\"j_e\" coef=\"-0.5\"/></fixed></tendon>"
        }
        "spatial tendon" => {
            "<tendon><spatial stiffness=\"30\" damping=\"0.4\" springlength=\"0.05\"><site site=\"anchor\"/>\
             <site site=\"s_c\"/><site site=\"s_e\"/></spatial></tendon>"
        }
        "heavy tendon" => {
            "<tendon><spatial armature=\"0.8\"><site site=\"anchor\"/><site site=\"s_e\"/></spatial></tendon>"
        }
        "actuators" => {
            "<actuator><motor joint=\"j_a\" gear=\"2\"/><position joint=\"j_d\" kp=\"9\" kv=\"0.4\"/>\
             <velocity joint=\"j_e\" kv=\"0.5\" forcerange=\"-0.3 0.3\"/></actuator>"
        }
        "muscle" => {
            "<actuator><muscle joint=\"j_e\" lengthrange=\"-1.5 1.5\" force=\"3\"/>\
             <muscle joint=\"j_a\" gear=\"2\" lengthrange=\"-3 3\" force=\"2\" timeconst=\"0.1 0.3\"/></actuator>"
        }
        "equality of tendons" => {
            "<tendon><fixed name=\"t\"><joint joint=\"j_a\" coef=\"1\"/><joint joint=\"j_d\" coef=\"0.5\"/></fixed></tendon>\
             <equality><tendon tendon1=\"t\"/></equality>"
        }
        "loop" => "<equality><connect body1=\"c\" body2=\"e\" anchor=\"0.1 0 0.05\"/></equality>",
        "held by a mocap body" => "<equality><weld body1=\"hand\" body2=\"c\"/></equality>",
        "actuators on sites and tendons" => {
            "<tendon><spatial name=\"t\"><site site=\"anchor\"/><site site=\"s_c\"/></spatial></tendon>\
             <actuator><motor site=\"s_e\" gear=\"1 0.5 -0.7 0.2 0 0.1\"/><position tendon=\"t\" kp=\"8\" kv=\"0.3\"/>\
             <motor cranksite=\"s_c\" slidersite=\"slider\" cranklength=\"3\" gear=\"0.5\"/></actuator>"
        }
        "adhesion" => "<actuator><adhesion body=\"e\" ctrlrange=\"0 1\" gain=\"5\"/></actuator>",
        _ => "",
    };
    let floor = match kind {
        "adhesion" => "<geom name=\"floor\" type=\"plane\" size=\"1 1 1\" friction=\"0.5\"/>",
        _ => "",
    };
    let hand = match kind {
        "held by a mocap body" => "<body name=\"hand\" mocap=\"true\" pos=\"0.1 0.2 0.3\"/>",
        _ => "",
    };
    let option = match kind {
        "medium" => "<option density=\"50\" viscosity=\"0.5\" wind=\"0.5 -0.3 0.2\"/>",
        _ => "",
    };
    let sites = "<site name=\"anchor\" pos=\"0.3 0.3 0.9\"/><site name=\"slider\" pos=\"0.2 -0.1 0.1\" zaxis=\"0.3 0.2 1\"/>";
    let text = format!("<mujoco>{option}<worldbody>{floor}{sites}{hand}{a}</worldbody>{rest}</mujoco>");
    let mut world = stiction_formats::load_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap();
    if kind == "limits" {
        // Close enough for the random states to be beyond many of them.
        for joint in world.bodies.iter_mut().flat_map(|body| &mut body.joints) {
            joint.limit_stiffness = Some(25.0);
            let ball = joint.dofs.len() == 3;
            for dof in joint.dofs.iter_mut().take(1) {
                (dof.lower, dof.upper) = if ball { (f64::NEG_INFINITY, 0.1) } else { (-0.05, 0.05) };
            }
        }
    }
    if kind == "bushing" {
        world.bushings.push(stiction_model::Bushing {
            name: "bushing".into(),
            body_a: 1,
            frame_a: Pose::identity(),
            body_c: 5,
            frame_c: Pose::identity(),
            // The law does a small amount of work on springs that differ by direction (see `bushings.rs`).
            torque_stiffness: Vector3::repeat(3.0),
            torque_damping: Vector3::repeat(0.2),
            force_stiffness: Vector3::repeat(20.0),
            force_damping: Vector3::repeat(0.3),
            source: Default::default(),
        });
    }
    world
}

/// A random state of a model.
fn random_state(model: &Model, random: &mut Random, speed: f64) -> State {
    let mut state = model.default_state();
    let mut signed = |size: f64| size * (2.0 * random.unit() - 1.0);
    let turn: Vec<f64> = (0..model.nv()).map(|_| signed(0.3)).collect();
    let q = state.q.clone();
    model.multibody().integrate(&q, &turn, 1.0, QuaternionStep::Exponential, &mut state.q);
    state.v.iter_mut().for_each(|v| *v = signed(speed));
    state.ctrl.iter_mut().for_each(|u| *u = signed(1.0));
    state.applied.iter_mut().for_each(|f| *f = signed(0.5));
    state.activation.iter_mut().for_each(|a| *a = 0.5 + signed(0.4));
    state
}

/// Evaluates something at a state.
fn at<T>(model: &Model, state: &State, value: impl FnOnce(&mut At) -> T) -> T {
    let compiled = model.compiled();
    let mut kinematics = Kinematics::new(compiled);
    kinematics.at(compiled, state);
    let stiction_tolerance = Options::default().stiction_tolerance;
    value(&mut At { compiled, state, q: &state.q, kinematics: &mut kinematics, stiction_tolerance })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Power of the non-conservative forces.
fn other_power(model: &Model, state: &State) -> f64 {
    at(model, state, |at| {
        let mut out = vec![0.0; model.nv()];
        all().iter().for_each(|force| force.other(at, &mut out));
        dot(&out, &state.v)
    })
}

/// Error of the balance of energy over `time` in steps of `dt`, J.
fn imbalance(model: &Model, begin: &State, time: f64, dt: f64) -> f64 {
    imbalance_of(
        model,
        begin,
        time,
        &Options { step: dt, relative_tolerance: 1e-12, ..Options::default() },
        |_| 0.0,
    )
}

/// The same with contact, and with a force whose work up to a state is `work`, J.
fn imbalance_of(
    model: &Model,
    begin: &State,
    time: f64,
    options: &Options,
    work_of: impl Fn(&State) -> f64,
) -> f64 {
    let (dt, options) = (options.step, options.clone());
    let mut sim = Simulation::new(model, options).unwrap();
    sim.reset_to(begin).unwrap();
    let before = sim.energy().total();
    let (mut work, mut power) = (-work_of(begin), other_power(model, begin));
    for _ in 0..(time / dt).round() as usize {
        sim.step(1).unwrap();
        let next = other_power(model, sim.state());
        work += 0.5 * dt * (power + next);
        power = next;
        let report = sim.last_report();
        work -= report.friction_loss + report.normal_loss;
    }
    work += work_of(sim.state());
    sim.energy().total() - before - work
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn stored_energy_explains_the_conservative_part_of_each_force(seed: u64) {
        let random = &mut Random::new(seed);
        for kind in KINDS {
            let model = Model::new(world(kind, random)).unwrap();
            let state = random_state(&model, random, 1.0);
            for force in all().into_iter().filter(|force| !force.is_inertia()) {
                let power = at(&model, &state, |at| {
                    let mut out = vec![0.0; model.nv()];
                    force.conservative(at, &mut out);
                    dot(&out, &state.v)
                });
                let h = 1e-5;
                let stored = |h: f64| {
                    let mut moved = state.clone();
                    let how = QuaternionStep::Exponential;
                    model.multibody().integrate(&state.q, &state.v, h, how, &mut moved.q);
                    at(&model, &moved, |at| force.energy(at))
                };
                let (plus, minus) = (stored(h), stored(-h));
                let slope = (plus - minus) / (2.0 * h);
                // Rounding of the difference, and its third derivative.
                let bound = 1e-15 * plus.abs() / h + 1e-4 * h * (1.0 + plus.abs());
                prop_assert!((power + slope).abs() <= 1e-7 + bound, "{kind}: {power} {slope}");
            }
        }
    }

    #[test]
    fn steps_gain_the_energy_that_forces_supply(seed: u64) {
        let random = &mut Random::new(seed);
        for kind in KINDS {
            let model = Model::new(world(kind, random)).unwrap();
            let mut state = random_state(&model, random, 1.0);
            if model.world().equalities.iter().any(|e| e.active) {
                // Starts at rest in a consistent configuration: a step closes violated constraints.
                state = model.default_state();
                state.q[0] = if kind == "equality" { 0.1 } else { state.q[0] };
            }
            let (coarse, fine) = (imbalance(&model, &state, 0.02, 2e-4), imbalance(&model, &state, 0.02, 1e-4));
            // The method is of first order: half the step leaves half the error, so coarse − fine estimates the
            // remaining error.
            let left = (2.0 * fine - coarse).abs();
            prop_assert!(left <= 0.25 * coarse.abs() + 1e-7, "{kind}: {coarse:e} at 0.2 ms, {fine:e} at 0.1 ms");
            prop_assert!(coarse.abs() <= 0.05, "{kind}: {coarse:e} J");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A ball at the tip is pulled towards a floor that it presses, slides on or leaves. Its gap is its height over the floor.
    #[test]
    fn steps_gain_the_energy_that_adhesion_supplies(seed: u64) {
        let random = &mut Random::new(seed);
        let mut world = world("adhesion", random);
        let pull = 5.0 * 0.8;
        let height = |model: &Model, state: &State| {
            let body = model.body_index("e").unwrap();
            at(model, state, |at| at.kinematics.x_wb[body].translation.vector.z)
        };
        let (model, low) = (Model::new(world.clone()).unwrap(), random.range(-0.003, 0.003));
        let mut state = random_state(&model, random, 0.5);
        state.ctrl = vec![0.8];
        let floor = world.geoms.iter_mut().find(|g| g.name == "floor").unwrap();
        floor.pose.translation.z = height(&model, &state) - 0.05 - low;
        let model = Model::new(world).unwrap();
        let run = |dt: f64| {
            // The point is kept at any height, so that adhesion always acts.
            let options = Options { step: dt, margin: 1.0, relative_tolerance: 1e-12, ..Options::default() };
            imbalance_of(&model, &state, 0.02, &options, |state| -pull * height(&model, state))
        };
        let (coarse, fine) = (run(2e-4), run(1e-4));
        let left = (2.0 * fine - coarse).abs();
        prop_assert!(left <= 0.25 * coarse.abs() + 1e-5, "{coarse:e} at 0.2 ms, {fine:e} at 0.1 ms");
        prop_assert!(coarse.abs() <= 0.02, "{coarse:e} J");
    }
}

#[test]
fn each_feature_of_each_force_is_in_a_world_whose_energy_is_balanced() {
    let random = &mut Random::new(1);
    let worlds: Vec<_> = KINDS.iter().chain(&["adhesion"]).map(|kind| world(kind, random)).collect();
    // These are in all of them, but not in their descriptions: see `random_state`.
    let everywhere = ["applied forces", "gravity and Coriolis forces"];
    for feature in all().iter().flat_map(|force| force.features()) {
        let found = worlds.iter().any(|world| (feature.find)(world, &Options::default()).is_some());
        assert!(found || everywhere.contains(&feature.name), "\"{}\" is in no world above", feature.name);
    }
}

#[test]
fn the_energy_of_a_simulation_has_every_force_in_it() {
    for kind in ["springs", "bushing", "spatial tendon", "heavy tendon"] {
        let random = &mut Random::new(3);
        let model = Model::new(world(kind, random)).unwrap();
        let state = random_state(&model, random, 1.0);
        let mut sim = Simulation::new(&model, Options::default()).unwrap();
        sim.reset_to(&state).unwrap();
        let plain = model.multibody().kinetic_energy(&model.at(&state.q, &state.v).unwrap(), &state.v)
            + model.multibody().potential_energy(&model.at(&state.q, &state.v).unwrap());
        assert!((sim.energy().total() - plain).abs() > 1e-6, "{kind}");
        assert_eq!(sim.energy(), model.energy(&state.q, &state.v).unwrap(), "{kind}");
    }
}
