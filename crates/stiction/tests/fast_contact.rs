//! Fast and thin bodies do not pass through each other, and what only passes by is left alone.

mod common;
use common::{MODELS, model, simulation};
use nalgebra::Vector3;
use stiction::{Format, LoadOptions, Model, Options};
use stiction_base::random::Random;
use stiction_model::Shape;

/// The soak's shots: see `cargo xtask soak --shots`.
#[path = "../examples/soak/shots.rs"]
mod shots;

#[test]
fn bullets_of_1_cm_at_300_metres_per_second_do_not_cross_plates_of_1_mm() {
    let pairs = shots::pairs();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    let numbers = 0..pairs.len() as u64;
    let outcomes = shots::volley(&pairs, numbers.clone(), 1, threads, true);
    let (table, fine) = shots::report(&pairs, 0, &outcomes);
    assert!(fine, "{table}");
    let gained = outcomes.iter().map(|o| o.gained).fold(0.0, f64::max);
    assert!(gained < shots::GAIN, "{gained} of the energy was gained\n{table}");
    // The same shots without it: most pass, so that passing would be seen.
    let outcomes = shots::volley(&pairs, numbers, 1, threads, false);
    let passed = outcomes.iter().filter(|o| o.passed).count();
    assert!(
        2 * passed > outcomes.len(),
        "only {passed} of {} pass without speculative contact",
        outcomes.len()
    );
}

/// A closed surface stuck in another is held back for thousands of steps, spinning. Its contacts push and its gyroscopic torque acts
/// while it does not move: without a bound it had 330 times its energy in the end.
#[test]
fn a_body_that_is_held_back_gains_no_energy() {
    let pairs = shots::pairs();
    let number = 4204;
    let pair = &pairs[number % pairs.len()];
    assert_eq!((pair.bullet, pair.plate), ("mesh", "mesh"));
    let outcome = shots::fire(pair, number as u64, 5, true, drop);
    assert!(outcome.held_back > 100, "{}", outcome.held_back);
    assert!(!outcome.passed && outcome.gained < shots::GAIN, "{} of its energy", outcome.gained);
}

#[test]
fn a_slow_pile_is_the_same_bit_for_bit() {
    let boxes: String = (0..6)
        .map(|k| {
            let (x, z) = (0.01 * f64::from(k % 3), 0.06 + 0.11 * f64::from(k));
            format!("<body pos='{x} 0 {z}'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>")
        })
        .collect();
    let model = model(&format!("<geom type='box' size='1 1 .05' pos='0 0 -.05'/>{boxes}"), "");
    let states = [true, false].map(|speculative| {
        let mut sim = simulation(&model, Options { speculative, ..Options::default() });
        sim.step(1500).unwrap();
        assert_eq!(sim.stats().speculative, 0);
        (sim.state().q.clone(), sim.state().v.clone())
    });
    assert_eq!(states[0], states[1]);
}

/// A fast box on tiles, with or without speculative contact: the heights of all steps.
fn heights(speculative: bool, mesh: bool, speed: f64) -> (Vec<f64>, u64) {
    let floor: String = if mesh {
        "<geom type='mesh' mesh='floor' friction='.1 0 0'/>".into()
    } else {
        (0..12)
            .map(|k| {
                format!(
                    "<geom type='box' size='.1 .5 .005' pos='{} 0 -.005' friction='.1 0 0'/>",
                    0.2 * f64::from(k)
                )
            })
            .collect()
    };
    let (mut vertex, mut face) = (String::new(), String::new());
    for k in 0..13 {
        vertex += &format!("{x} -.5 0 {x} .5 0 ", x = -0.1 + 0.2 * f64::from(k));
        if k > 0 {
            let n = 2 * k;
            face += &format!("{} {} {} {} {} {} ", n - 2, n, n + 1, n - 2, n + 1, n - 1);
        }
    }
    let text = format!(
        "<mujoco><asset><mesh name='floor' vertex='{vertex}' face='{face}' inertia='shell'/></asset><worldbody>{floor}\
         <body pos='0 0 .004999'><freejoint/><geom type='box' size='.05 .05 .005' mass='.2' friction='.1 0 0'/></body>\
         </worldbody></mujoco>"
    );
    let model = Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let mut world = model.world().clone();
    for geom in &mut world.geoms {
        if let Shape::Mesh { convex, .. } = &mut geom.shape {
            *convex = false;
        }
    }
    let model = Model::new(world).unwrap();
    let mut sim = simulation(&model, Options { speculative, ..Options::default() });
    sim.step(200).unwrap();
    sim.state_mut().v[0] = speed;
    let mut heights = Vec::new();
    while sim.state().q[0] < 2.0 && heights.len() < 2000 {
        sim.step(1).unwrap();
        heights.push(sim.state().q[2]);
    }
    (heights, sim.stats().speculative)
}

#[test]
fn seams_of_tiles_and_meshes_are_not_felt() {
    for (mesh, speed) in [(false, 8.0), (false, 30.0), (true, 30.0), (false, 100.0), (true, 100.0)] {
        let (with, acted) = heights(true, mesh, speed);
        let (without, _) = heights(false, mesh, speed);
        assert_eq!(acted, 0, "mesh {mesh}, {speed} m/s");
        assert!(with.len() < 1000, "stopped on its way");
        assert_eq!(with, without, "mesh {mesh}, {speed} m/s");
    }
}

#[test]
fn bodies_that_pass_beside_a_slab_do_not_feel_it() {
    let mut random = Random::new(5);
    let model = common::model(
        "<geom type='box' size='.2 .2 .0005'/><body pos='0 0 1'><freejoint/><geom type='box' size='.01 .01 .01' mass='.01'/></body>",
        "<option gravity='0 0 0'/>",
    );
    let mut sim = simulation(&model, Options::default());
    for _ in 0..300 {
        let mut state = model.default_state();
        // Beyond the edge x = 0.2 by 1 µm to 1 mm, along z and y.
        let gap = 10_f64.powf(random.range(-6.0, -3.0));
        let v = Vector3::new(0.0, random.range(-200.0, 200.0), random.range(-300.0, -50.0));
        let from = Vector3::new(0.21 + gap, 0.0, 0.0) - v * random.range(1e-4, 2e-3);
        state.q[..3].copy_from_slice(from.as_slice());
        state.v[..3].copy_from_slice(v.as_slice());
        sim.reset_to(&state).unwrap();
        sim.step(5).unwrap();
        assert_eq!(sim.stats().speculative, 0);
        let change = sim.state().v.iter().zip(&state.v).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(change < 1e-9, "{change}");
    }
}

#[test]
fn throws_in_a_closed_box_with_walls_of_1_cm_stay_inside_at_any_accuracy() {
    let wall = |axis: usize, side: f64| {
        let (mut size, mut pos) = ([0.52; 3], [0.0; 3]);
        (size[axis], pos[axis]) = (0.005, 0.505 * side);
        format!(
            "<geom type='box' size='{} {} {}' pos='{} {} {}'/>",
            size[0], size[1], size[2], pos[0], pos[1], pos[2]
        )
    };
    let walls: String = (0..3).flat_map(|k| [wall(k, -1.0), wall(k, 1.0)]).collect();
    let soft = "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e7'/>\
                </drake:proximity_properties>";
    let hull =
        "<asset><mesh name='hull' vertex='.03 0 0 -.03 0 0 0 .02 0 0 -.02 0 0 0 .02 0 0 -.02'/></asset>";
    let mut random = Random::new(7);
    for (bullet, inside) in [
        ("type='sphere' size='.02'", ""),
        ("type='sphere' size='.02'", soft),
        ("type='box' size='.02 .03 .01'", ""),
        ("type='box' size='.02 .03 .01'", soft),
        ("type='capsule' size='.01 .03'", ""),
        ("type='mesh' mesh='hull'", ""),
    ] {
        let body = format!("{walls}<body><freejoint/><geom {bullet} mass='.1'>{inside}</geom></body>");
        let model = common::model(&body, hull);
        for accuracy in [None, Some(1e-1), Some(1e-2), Some(1e-3), Some(1e-4)] {
            for n in 0..4 {
                let contact = MODELS[n % 3];
                let mut sim =
                    simulation(&model, Options { accuracy, contact, step: 1e-2, ..Options::default() });
                let d = Vector3::new(random.normal(), random.normal(), random.normal()).normalize();
                let v = random.range(5.0, 60.0) * d;
                sim.state_mut().v[..3].copy_from_slice(v.as_slice());
                let spin = [random.normal(), random.normal(), random.normal()].map(|w| 20.0 * w);
                sim.state_mut().v[3..6].copy_from_slice(&spin);
                sim.run_until(0.3).unwrap();
                let q = &sim.state().q;
                assert!(
                    q[..3].iter().all(|x| x.abs() < 0.5),
                    "{bullet} {inside} {accuracy:?} {v}: {:?}",
                    &q[..3]
                );
                assert_eq!(sim.stats().passed, 0);
            }
        }
    }
}

#[test]
fn a_ball_does_not_cross_a_wall_and_a_drop_does_not_pass_a_table_under_error_control() {
    let wall =
        "<geom type='box' size='.1 1 1'/><body pos='-1 0 0'><freejoint/><geom size='.01' mass='.01'/></body>";
    let wall = common::model(wall, "<option gravity='0 0 0'/>");
    let table = "<geom type='box' size='1 1 .005'/><body pos='0 0 .5'><freejoint/><geom size='.02' mass='.1'/></body>";
    let table = common::model(table, "");
    for accuracy in [1e-1, 1e-2, 1e-3, 1e-4, 1e-6] {
        let options = Options { accuracy: Some(accuracy), ..Options::default() };
        let mut sim = simulation(&wall, options.clone());
        sim.state_mut().v[0] = 10.0;
        sim.run_until(0.2).unwrap();
        assert!(sim.state().q[0] < -0.1, "accuracy {accuracy}: x = {}", sim.state().q[0]);
        let mut sim = simulation(&table, options);
        sim.run_until(1.0).unwrap();
        assert!(sim.state().q[2] > 0.02, "accuracy {accuracy}: z = {}", sim.state().q[2]);
    }
}

/// A paddle on a hinge, 1 mm thick, that turns by a radian in a step: what it meets is struck or held back, and is not passed.
#[test]
fn a_thin_paddle_that_turns_by_a_radian_a_step_strikes_what_it_meets() {
    let geoms = ["type='sphere' size='.005'", "type='box' size='.005 .004 .003'", "type='mesh' mesh='hull'"];
    let hull = "<asset><mesh name='hull' vertex='.006 0 0 -.006 0 0 0 .005 0 0 -.005 0 0 0 .007 0 0 -.007'/></asset><option gravity='0 0 0'/>";
    for geom in geoms {
        let model = common::model(
            &format!(
                "<body><joint type='hinge' axis='0 0 1' armature='.1'/><geom type='box' size='.1 .0005 .05' pos='.12 0 0' mass='1'/></body>\
                 <body pos='.15 0 0'><freejoint/><geom {geom} mass='.01'/></body>"
            ),
            hull,
        );
        let mut random = Random::new(3);
        for n in 0..20 {
            let mut sim = simulation(&model, Options { contact: MODELS[n % 3], ..Options::default() });
            let angle = random.range(0.2, 0.9);
            let radius = random.range(0.06, 0.19);
            sim.state_mut().q[1] = radius * angle.cos();
            sim.state_mut().q[2] = radius * angle.sin();
            sim.state_mut().v[0] = 1000.0;
            let begin = sim.energy().kinetic;
            for _ in 0..3 {
                let paddle = sim.state().q[0];
                let side = |q: &[f64]| q[2].atan2(q[1]) - q[0];
                let before = side(&sim.state().q);
                sim.step(1).unwrap();
                let q = &sim.state().q;
                // It stays in front of the paddle as long as it is within its reach.
                if q[1].hypot(q[2]) < 0.2 && before > 0.0 && before < 1.0 {
                    assert!(side(q) > 0.0, "{geom} {n}: {} behind the paddle that was at {paddle}", side(q));
                }
            }
            assert!(sim.energy().kinetic <= begin * (1.0 + 1e-6));
            assert_eq!(sim.stats().passed, 0);
        }
    }
}

#[test]
fn a_soft_ball_does_not_fall_through_the_ground() {
    let soft = "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e7'/>\
                </drake:proximity_properties>";
    for ground in ["type='plane' size='5 5 1'", "type='box' size='1 1 .005' pos='0 0 -.005'"] {
        let model = common::model(
            &format!(
                "<geom {ground}/><body pos='.001 .002 2.02'><freejoint/><geom size='.02' mass='.1'>{soft}</geom></body>"
            ),
            "",
        );
        for (step, accuracy) in
            [(5e-3, None), (1e-2, None), (2e-2, None), (1e-3, Some(1e-2)), (1e-3, Some(1e-3))]
        {
            let mut sim = simulation(&model, Options { step, accuracy, ..Options::default() });
            sim.run_until(1.5).unwrap();
            let z = sim.state().q[2];
            assert!(z > 0.01, "{ground}, step {step}, accuracy {accuracy:?}: {z}");
        }
    }
}
