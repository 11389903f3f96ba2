//! Derivatives of a step against central differences of whole steps: free motion, sticking and sliding, points and
//! patches, all three contact models, free bodies and arms, random states.

mod common;
mod differences;
use common::{MODELS, model};
use differences::worlds::{body, floor, place, shake, tags};
use differences::{Comparison, Magnitudes, Random, compare};
use proptest::prelude::*;
use stiction::{
    ContactModel, ContactParameter, ContactProperty, GeomId, Model, Options, Simulation, State, Sticking,
    TangentialSprings,
};

const DT: f64 = 2e-3;

/// The step that is differentiated: friction lags, and has no springs.
fn differentiated(contact: ContactModel) -> Options {
    let tangential_springs = Sticking::Damped;
    Options { step: DT, contact, friction_passes: 0, tangential_springs, ..Options::default() }
}

fn options(contact: ContactModel) -> Options {
    Options { stiction_tolerance: 1e-3, ..differentiated(contact) }
}

const PROPERTIES: [ContactProperty; 4] = [
    ContactProperty::StaticFriction,
    ContactProperty::DynamicFriction,
    ContactProperty::Stiffness,
    ContactProperty::Dissipation,
];

fn parameters(model: &Model, r: &mut Random) -> Vec<ContactParameter> {
    let stated = |g: usize| model.world().geoms[g].contact.stiffness.is_some();
    let colliding: Vec<usize> = (0..model.world().geoms.len()).filter(|&g| stated(g)).collect();
    let geom = colliding[r.below(colliding.len())];
    let mut all: Vec<_> =
        PROPERTIES.into_iter().map(|property| ContactParameter { geom: GeomId(geom), property }).collect();
    all.push(ContactParameter { geom: GeomId(geom), property: ContactProperty::RelaxationTime });
    all
}

/// Compares over `count` seeds and all contact models; few columns may meet a kink.
fn sweep(name: &str, count: u64, tolerance: f64, case: impl Fn(&mut Random) -> (Model, State)) {
    for contact in MODELS {
        let mut worst = Comparison::default();
        for seed in 0..count {
            let mut r = Random(1000 + 77 * seed);
            let (model, state) = case(&mut r);
            let parameters = parameters(&model, &mut r);
            let mut found = compare(&model, &options(contact), &state, &parameters);
            found.place = format!("seed {seed} {}", found.place);
            worst.take(found);
        }
        println!(
            "{name}, {contact:?}: {:.1e} ({} of {} columns at kinks)",
            worst.error, worst.kinks, worst.columns
        );
        assert!(worst.error < tolerance, "{name}, {contact:?}: {worst:?}");
        assert!(
            worst.kinks * 5 <= worst.columns,
            "{name}, {contact:?}: too many kinks to mean anything: {worst:?}"
        );
    }
}

#[test]
fn a_ball_on_a_plane() {
    let model = model(&(floor() + &body("ball", "type=\"sphere\" size=\"0.1\"", &tags(2e4, 0.5, ""))), "");
    sweep("ball on plane", 12, 2e-5, |r| {
        let mut state = model.default_state();
        let depth = r.power(-4.0, -2.5);
        place(&mut state, 0, [r.sym(), r.sym(), 0.1 - depth], [r.sym(), r.sym(), r.sym()]);
        shake(&mut state, r);
        (model.clone(), state)
    });
}

#[test]
fn a_box_on_a_plane() {
    let model =
        model(&(floor() + &body("box", "type=\"box\" size=\"0.1 0.08 0.05\"", &tags(2e4, 0.5, ""))), "");
    sweep("box on plane", 8, 2e-5, |r| {
        let mut state = model.default_state();
        let tilt = 0.003;
        place(&mut state, 0, [r.sym(), r.sym(), 0.049], [tilt * r.sym(), tilt * r.sym(), 0.0]);
        shake(&mut state, r);
        (model.clone(), state)
    });
}

#[test]
fn balls_against_balls_boxes_and_capsules() {
    let others = [
        "type=\"sphere\" size=\"0.07\"",
        "type=\"box\" size=\"0.1 0.08 0.05\"",
        "type=\"capsule\" size=\"0.05 0.1\"",
    ];
    for (which, other) in others.iter().enumerate() {
        for ball_first in [true, false] {
            let ball = body("ball", "type=\"sphere\" size=\"0.06\"", &tags(2e4, 0.5, ""));
            let other = body("other", other, &tags(3e4, 0.6, ""));
            let model = model(&if ball_first { ball + &other } else { other + &ball }, "");
            sweep(others[which], 3, 2e-5, |r| {
                let mut state = model.default_state();
                let turn = [r.sym(), r.sym(), r.sym()];
                let pose = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::from(turn));
                // Over a face, an edge or a corner; over the side or an end.
                let pick = r.below(3);
                let (p, n) = match which {
                    0 => (nalgebra::Vector3::zeros(), nalgebra::Vector3::new(0.07, 0.0, 0.0)),
                    1 => {
                        let h = [0.1, 0.08, 0.05];
                        let clamped = |k: usize| if k <= pick { h[k] } else { 0.3 * h[k] * r.sym() };
                        let corner = nalgebra::Vector3::from([0, 1, 2].map(clamped));
                        (
                            corner,
                            nalgebra::Vector3::from_fn(|k, _| if k <= pick { 1.0 } else { 0.0 }).normalize(),
                        )
                    }
                    _ => {
                        let z = if pick == 0 { 0.1 } else { 0.05 * r.sym() };
                        let up = if pick == 0 { 1.0 } else { 0.0 };
                        let n = nalgebra::Vector3::new(1.0, 0.5, up).normalize();
                        (nalgebra::Vector3::new(0.0, 0.0, z), n)
                    }
                };
                let reach = if which == 1 {
                    0.06
                } else if which == 2 {
                    0.11
                } else {
                    0.13
                };
                let n = if which == 0 { n.normalize() } else { n };
                let centre = pose * (p + n * (reach - 2e-3));
                let (at_ball, at_other) = if ball_first { (0, 7) } else { (7, 0) };
                place(&mut state, at_other, [0.0; 3], turn);
                place(&mut state, at_ball, centre.into(), [r.sym(), r.sym(), r.sym()]);
                shake(&mut state, r);
                (model.clone(), state)
            });
        }
    }
}

/// Geometry without a closed form, by differences.
#[test]
fn boxes_capsules_and_cylinders_among_each_other() {
    let (large, small) = ("type=\"box\" size=\"0.2 0.2 0.05\"", "type=\"box\" size=\"0.1 0.08 0.05\"");
    let pairs = [
        (large, small, 0.099, 0.0),
        ("type=\"capsule\" size=\"0.05 0.1\"", "type=\"capsule\" size=\"0.04 0.1\"", 0.089, 1.2),
        (large, "type=\"cylinder\" size=\"0.05 0.06\"", 0.109, 0.0),
        (large, "type=\"ellipsoid\" size=\"0.05 0.06 0.07\"", 0.119, 0.0),
    ];
    for (first, second, height, turn) in pairs {
        let lying = first.contains("capsule");
        let (a, b) = (body("a", first, &tags(3e4, 0.6, "")), body("b", second, &tags(2e4, 0.5, "")));
        let model = model(&(a + &b), "");
        sweep(&format!("{first} and {second}"), 3, 1e-4, |r| {
            let mut state = model.default_state();
            let down = if lying { 0.5 * std::f64::consts::PI } else { 0.0 };
            let tilt = |r: &mut Random| 0.004 * r.sym();
            place(&mut state, 0, [0.0; 3], [down, 0.0, 0.0]);
            let upper = if lying { [0.0, down, turn * 0.1] } else { [tilt(r), tilt(r), 0.3] };
            place(&mut state, 7, [0.01 * r.sym(), 0.01 * r.sym(), height], upper);
            shake(&mut state, r);
            (model.clone(), state)
        });
    }
}

fn arm(more: &str, rest: &str) -> Model {
    let geom = tags(3e4, 0.6, "");
    model(
        &format!(
            "{}<body name=\"upper\" pos=\"0 0 0.5\"><joint name=\"shoulder\" type=\"hinge\" axis=\"0 1 0\" damping=\"0.3\" \
               armature=\"0.02\" stiffness=\"2\" springref=\"10\"/>\
               <joint name=\"roll\" type=\"hinge\" axis=\"1 0 0\" range=\"-20 20\" limited=\"true\"/>\
               <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.3 0 0\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
               <body name=\"lower\" pos=\"0.3 0 0\"><joint name=\"elbow\" type=\"hinge\" axis=\"0.1 1 0.2\"/>\
                 <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.25 0 0\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
                 <body name=\"hand\" pos=\"0.25 0 0\"><joint name=\"wrist\" type=\"ball\" damping=\"0.02\"/>\
                   <geom name=\"tip\" type=\"sphere\" pos=\"0.05 0.01 0\" size=\"0.04\" mass=\"0.2\">{geom}</geom></body></body></body>{more}",
            floor()
        ),
        &format!(
            "<actuator><position name=\"s\" joint=\"shoulder\" kp=\"40\" kv=\"3\"/>\
             <motor name=\"e\" joint=\"elbow\" gear=\"2\"/>\
             <position name=\"r\" joint=\"roll\" kp=\"20\" forcerange=\"-1 1\"/></actuator>{rest}"
        ),
    )
}

/// Turns the shoulder until the tip is `depth` below the floor's surface.
fn press(model: &Model, state: &mut State, depth: f64) {
    let tip = model.world().geoms.iter().position(|g| g.name == "tip").unwrap();
    let height = |q: &[f64]| {
        let ws = model.at(q, &vec![0.0; model.nv()]).unwrap();
        let geom = &model.world().geoms[tip];
        (model.multibody().pose(&ws, geom.body) * geom.pose).translation.z - 0.04 + depth
    };
    let (mut low, mut high) = (0.0, 1.5);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        state.q[0] = middle;
        if height(&state.q) > 0.0 { low = middle } else { high = middle }
    }
}

fn pose_arm(model: &Model, r: &mut Random, limit: bool) -> State {
    let mut state = model.default_state();
    state.q[1] = if limit { 0.36 } else { 0.2 * r.sym() };
    state.q[2] = 0.4 + 0.2 * r.sym();
    let turn =
        nalgebra::UnitQuaternion::from_scaled_axis(0.3 * nalgebra::Vector3::new(r.sym(), r.sym(), r.sym()));
    state.q[3..7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
    press(model, &mut state, r.power(-4.0, -2.7));
    shake(&mut state, r);
    state.ctrl.iter_mut().for_each(|u| *u = r.sym());
    state
}

#[test]
fn an_arm_that_presses_on_the_floor() {
    let model = arm("", "");
    sweep("arm on floor", 8, 2e-5, |r| (model.clone(), pose_arm(&model, r, r.0 % 2 == 0)));
}

#[test]
fn an_arm_that_pushes_a_box_on_the_floor() {
    let model = arm(&body("box", "type=\"box\" size=\"0.1 0.08 0.05\"", &tags(2e4, 0.5, "")), "");
    sweep("arm and box", 4, 2e-5, |r| {
        let mut state = pose_arm(&model, r, false);
        // The tip at the side of the box, two millimetres in.
        let tip = {
            let ws = model.at(&state.q, &state.v).unwrap();
            let geom = model.world().geoms.iter().find(|g| g.name == "tip").unwrap();
            (model.multibody().pose(&ws, geom.body) * geom.pose).translation.vector
        };
        let tilt = 0.003;
        place(&mut state, 7, [tip.x + 0.138, tip.y + 0.03, 0.0495], [tilt * r.sym(), tilt * r.sym(), 0.0]);
        (model.clone(), state)
    });
}

/// Joint forces by differences: tendons, couplings, loops, filtered actuators.
#[test]
fn an_arm_with_tendon_coupling_and_filter() {
    let model = arm(
        "",
        "<tendon><fixed name=\"t\" stiffness=\"5\" damping=\"0.1\"><joint joint=\"shoulder\" coef=\"0.5\"/><joint joint=\"elbow\" coef=\"-0.3\"/></fixed></tendon>\
         <equality><joint joint1=\"roll\" joint2=\"elbow\" polycoef=\"0 0.3 0.1 0 0\"/></equality>\
         <actuator><general name=\"f\" joint=\"elbow\" dyntype=\"filter\" dynprm=\"0.05\" gainprm=\"2\"/></actuator>",
    );
    sweep("tendon, coupling, filter", 4, 5e-5, |r| {
        let mut state = pose_arm(&model, r, false);
        state.activation[0] = r.sym();
        (model.clone(), state)
    });
}

#[test]
fn free_motion_of_everything() {
    let model = arm(&body("box", "type=\"box\" size=\"0.1 0.08 0.05\"", &tags(2e4, 0.5, "")), "");
    sweep("free motion", 6, 1e-6, |r| {
        let mut state = pose_arm(&model, r, false);
        state.q[0] = -0.3;
        place(&mut state, 7, [2.0, 0.0, 1.0], [r.sym(), r.sym(), r.sym()]);
        state.v.iter_mut().for_each(|v| *v = 3.0 * r.sym());
        (model.clone(), state)
    });
}

fn compliant(modulus: f64) -> String {
    tags(
        1e6,
        0.5,
        &format!(
            "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"{modulus}\"/>\
             <drake:mesh_resolution_hint value=\"0.05\"/>"
        ),
    )
}

#[test]
fn a_soft_ball_and_a_soft_box_on_a_rigid_floor() {
    for geom in ["type=\"sphere\" size=\"0.1\"", "type=\"box\" size=\"0.1 0.1 0.1\""] {
        let model = model(&(floor() + &body("soft", geom, &compliant(2e5))), "");
        for contact in MODELS {
            let mut worst = Comparison::default();
            for seed in 0..4 {
                let mut r = Random(50 + seed);
                let mut state = model.default_state();
                let tilt = 0.01;
                place(&mut state, 0, [0.0, 0.0, 0.095], [tilt * r.sym(), tilt * r.sym(), r.sym()]);
                shake(&mut state, &mut r);
                let parameters =
                    [ContactProperty::Friction, ContactProperty::Dissipation, ContactProperty::Modulus]
                        .map(|property| ContactParameter { geom: GeomId(1), property });
                worst.take(compare(&model, &options(contact), &state, &parameters));
            }
            assert!(worst.error < 2e-4, "{geom} {contact:?}: {worst:?}");
            assert!(worst.kinks * 5 <= worst.columns, "{geom} {contact:?}: {worst:?}");
        }
    }
}

#[test]
fn soft_against_soft() {
    let model = model(
        &(body("ball", "type=\"sphere\" size=\"0.1\"", &compliant(2e5))
            + &body("box", "type=\"box\" size=\"0.1 0.1 0.1\"", &compliant(5e5))),
        "",
    );
    for contact in MODELS {
        let mut worst = Comparison::default();
        for seed in 0..3 {
            let mut r = Random(90 + seed);
            let mut state = model.default_state();
            place(&mut state, 0, [0.01, 0.02, 0.19], [r.sym(), r.sym(), r.sym()]);
            place(&mut state, 7, [0.0; 3], [0.1 * r.sym(), 0.1 * r.sym(), r.sym()]);
            shake(&mut state, &mut r);
            let parameters = [ContactParameter { geom: GeomId(0), property: ContactProperty::Friction }];
            worst.take(compare(&model, &options(contact), &state, &parameters));
        }
        assert!(worst.error < 2e-4, "{contact:?}: {worst:?}");
        assert!(worst.kinks * 5 <= worst.columns, "{contact:?}: {worst:?}");
    }
}

#[test]
fn contacts_kept_by_a_margin_and_moving_belts() {
    let model = model(&(floor() + &body("ball", "type=\"sphere\" size=\"0.1\"", &tags(2e4, 0.5, ""))), "");
    let mut world = model.world().clone();
    world.geoms[1].surface_velocity = Some([0.3, -0.2, 0.5, 0.1, 0.2, -0.1]);
    let model = Model::new(world).unwrap();
    for contact in MODELS {
        for seed in 0..6 {
            let mut r = Random(300 + seed);
            let mut state = model.default_state();
            place(&mut state, 0, [0.0, 0.0, 0.1 + 2e-4 * r.sym()], [r.sym(), r.sym(), r.sym()]);
            shake(&mut state, &mut r);
            state.v[2] = -0.4;
            let options = Options { margin: 1e-3, ..options(contact) };
            let found = compare(&model, &options, &state, &[]);
            assert!(found.error < 2e-5, "{contact:?} {seed}: {found:?}");
        }
    }
}

/// ε of ICF eq. 44 above v_s everywhere: it depends on the masses and poses of all bodies between the root and the
/// contact.
#[test]
fn regularisation_that_follows_the_state() {
    let model = arm(&body("box", "type=\"box\" size=\"0.1 0.08 0.05\"", &tags(2e4, 0.5, "")), "");
    for contact in MODELS {
        let mut worst = Comparison::default();
        for seed in 0..4 {
            let mut r = Random(700 + seed);
            let mut state = pose_arm(&model, &mut r, false);
            place(&mut state, 7, [1.5, 0.2, 0.0495], [0.003 * r.sym(), 0.003 * r.sym(), 0.0]);
            let options = Options { regularization: 0.3, stiction_tolerance: 1e-5, ..options(contact) };
            worst.take(compare(&model, &options, &state, &[]));
        }
        assert!(worst.error < 5e-5, "{contact:?}: {worst:?}");
        assert!(worst.kinks * 5 <= worst.columns, "{contact:?}: {worst:?}");
    }
}

/// Two bodies of one tree against each other, on a mocap base that carries a belt.
#[test]
fn a_tree_that_touches_itself_and_a_moving_base() {
    let geom = tags(2e4, 0.6, "");
    let model = model(
        &format!(
            "<body name=\"base\" mocap=\"true\"><geom name=\"base\" type=\"box\" size=\"0.3 0.3 0.05\">{geom}</geom>\
             <body name=\"one\" pos=\"0 0 0.3\"><joint type=\"ball\"/>\
               <geom type=\"sphere\" size=\"0.02\" mass=\"0.4\" pos=\"0.05 0.01 0\" contype=\"0\" conaffinity=\"0\"/>\
               <body name=\"two\" pos=\"0.2 0 0\"><joint type=\"hinge\" axis=\"0 1 0\"/><joint type=\"slide\" axis=\"0 0 1\"/>\
                 <geom name=\"two\" type=\"sphere\" size=\"0.06\" mass=\"0.3\">{geom}</geom></body>\
               <body name=\"three\" pos=\"0 0.1 0\"><joint type=\"hinge\" axis=\"1 0 0.3\"/>\
                 <geom name=\"three\" type=\"capsule\" size=\"0.05\" fromto=\"0.02 0 0 0.3 0 0\" mass=\"0.5\">{geom}</geom></body>\
             </body></body>"
        ),
        "",
    );
    let mut touched = 0;
    for contact in MODELS {
        let mut worst = Comparison::default();
        for seed in 0..5 {
            let mut r = Random(900 + seed);
            let mut state = model.default_state();
            state.mocap[0].twist = [0.3, -0.2, 0.5, 0.1, 0.4, -0.2];
            let turn = nalgebra::UnitQuaternion::from_scaled_axis(
                0.5 * nalgebra::Vector3::new(r.sym(), r.sym(), r.sym()),
            );
            state.q[..4].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
            state.q[4] = 0.1 * r.sym();
            state.q[5] = 0.01 * r.sym();
            state.q[6] = 0.1 * r.sym();
            shake(&mut state, &mut r);
            let mut sim = stiction::Simulation::new(&model, options(contact)).unwrap();
            *sim.state_mut() = state.clone();
            sim.step(1).unwrap();
            touched += sim.contacts().len();
            worst.take(compare(&model, &options(contact), &state, &[]));
        }
        assert!(worst.error < 5e-5, "{contact:?}: {worst:?}");
        assert!(worst.kinks * 4 <= worst.columns, "{contact:?}: {worst:?}");
    }
    assert!(touched > 5, "the tree must touch itself, not only {touched} times");
}

/// The built-in scenes with default options, after half a second, along a random direction of the positions and one
/// of the velocities. If contact points appear or vanish at the state itself, positions have no derivative.
#[test]
fn ready_scenes_along_random_directions() {
    use stiction::Simulation;
    use stiction::multibody::QuaternionStep;
    for scene in [
        "gripper",
        "clutter",
        "humanoid",
        "gripper_soft",
        "incline",
        "landing",
        "conveyor",
        "four_bar",
        "stack",
    ] {
        let model = Model::from_scene(scene).unwrap();
        for contact in MODELS {
            let options = differentiated(contact);
            let mut sim = Simulation::new(&model, options.clone()).unwrap();
            sim.step(260).unwrap();
            let (state, nv) = (sim.state().clone(), model.nv());
            let found = sim.step_derivatives(&[]).unwrap();
            let mut r = Random(11);
            let direction: Vec<f64> = (0..nv).map(|_| r.sym()).collect();
            let along = nalgebra::DVector::from_column_slice(&direction);
            let after = |q: f64, v: f64| {
                let options = Options { relative_tolerance: 1e-13, max_iterations: 5000, ..options.clone() };
                let mut sim = Simulation::new(&model, options).unwrap();
                let mut moved = state.clone();
                model.multibody().integrate(
                    &state.q,
                    &direction,
                    q,
                    QuaternionStep::Exponential,
                    &mut moved.q,
                );
                moved.v.iter_mut().zip(&direction).for_each(|(x, d)| *x += v * d);
                *sim.state_mut() = moved;
                sim.step(1).unwrap();
                nalgebra::DVector::from_column_slice(&sim.state().v)
            };
            let hv = 1e-7;
            let by_v = (after(0.0, hv) - after(0.0, -hv)) / (2.0 * hv);
            let exact = found.state.view((nv, nv), (nv, nv)) * &along;
            let error = (&exact - by_v).amax() / exact.amax();
            assert!(error < 1e-6, "{scene} {contact:?}: velocities {error}");
            if !found.doubtful.is_empty() {
                continue;
            }
            // If the difference step is too long, a point may appear or vanish. If it is too short, rounding and
            // solver errors are large. One of the steps must match the derivative.
            let exact = found.state.view((nv, 0), (nv, nv)) * &along;
            let error_over = |hq: f64| {
                let by_q = (after(hq, 0.0) - after(-hq, 0.0)) / (2.0 * hq);
                (&exact - by_q).amax() / exact.amax()
            };
            let error = error_over(1e-9).min(error_over(1e-8));
            println!("{scene} {contact:?}: positions {error:.1e}");
            assert!(error < 1e-4, "{scene} {contact:?}: positions {error}");
        }
    }
}

/// States with stretched springs: a few steps after a push, pushed and turned once more.
fn stretched(model: &Model, options: &Options, mut state: State, r: &mut Random) -> State {
    let mut sim = Simulation::new(model, options.clone()).unwrap();
    state.v.iter_mut().for_each(|v| *v += r.power(-3.0, -0.5) * r.sym());
    *sim.state_mut() = state;
    sim.step(3).unwrap();
    let mut state = sim.state().clone();
    assert!(state.stretches.iter().any(|s| s.stretch.norm() > 0.0));
    // Off the tangent plane, as after a turn of the normal.
    for s in &mut state.stretches {
        let length = s.stretch.norm();
        s.stretch += 0.2 * length * nalgebra::Vector3::new(r.sym(), r.sym(), r.sym());
    }
    let size = r.power(-4.0, -1.0);
    state.v.iter_mut().for_each(|v| *v += size * r.sym());
    state
}

#[test]
fn tangential_springs_that_stick_and_slide() {
    let two = |first: &str, second: &str| {
        let tags = [tags(2e4, 0.5, ""), tags(5e4, 0.8, "")];
        model(&(floor() + &body("low", first, &tags[0]) + &body("high", second, &tags[1])), "")
    };
    let (ball, block) = ("type=\"sphere\" size=\"0.06\"", "type=\"box\" size=\"0.1 0.08 0.05\"");
    for springs in [
        TangentialSprings::default(),
        TangentialSprings {
            stiffness_ratio: 0.3,
            relaxation_time: Some(5e-3),
            ..TangentialSprings::default()
        },
    ] {
        let options =
            Options { tangential_springs: Sticking::Springs(springs), ..options(ContactModel::Lagged) };
        // A ball on a box has a closed form, a box on a box is differenced; with the geoms in the other order the stretches are
        // kept in the other body's frame.
        for (name, high, reach, backwards, tolerance) in [
            ("ball on box", ball, 0.06, false, 2e-5),
            ("ball on box, backwards", ball, 0.06, true, 2e-5),
            ("box on box", block, 0.05, false, 1e-4),
            ("box on box, backwards", block, 0.05, true, 1e-4),
        ] {
            let mut model = two(block, high);
            if backwards {
                let mut world = model.world().clone();
                world.geoms.reverse();
                model = Model::new(world).unwrap();
            }
            let mut worst = Comparison::default();
            for seed in 0..4 {
                let mut r = Random(300 + 7 * seed);
                let mut state = model.default_state();
                let tilt = |r: &mut Random| [0.003 * r.sym(), 0.003 * r.sym(), r.sym()];
                place(&mut state, 0, [0.0, 0.0, 0.0492], tilt(&mut r));
                let shift = [0.01 * r.sym(), 0.01 * r.sym(), 0.0985 + reach];
                place(&mut state, 7, shift, tilt(&mut r));
                let state = stretched(&model, &options, state, &mut r);
                let parameters = parameters(&model, &mut r);
                let mut found = compare(&model, &options, &state, &parameters);
                found.place = format!("seed {seed} {}", found.place);
                worst.take(found);
            }
            println!(
                "springs, {name}: {:.1e} ({} of {} columns at kinks)",
                worst.error, worst.kinks, worst.columns
            );
            assert!(worst.error < tolerance, "springs, {name}: {worst:?}");
            assert!(
                worst.kinks * 5 <= worst.columns,
                "springs, {name}: too many kinks to mean anything: {worst:?}"
            );
        }
    }
}

#[test]
fn what_has_no_derivative_is_refused_with_a_remedy() {
    let model = model(&(floor() + &body("ball", "type=\"sphere\" size=\"0.1\"", &tags(2e4, 0.5, ""))), "");
    let refused = |options: Options, parameters: &[ContactParameter]| {
        let mut sim = stiction::Simulation::new(&model, options).unwrap();
        sim.step_derivatives(parameters).unwrap_err().to_string()
    };
    let accuracy = Options { accuracy: Some(1e-3), ..Options::default() };
    assert!(refused(accuracy, &[]).contains("give a step"));
    let modulus = ContactParameter { geom: GeomId(1), property: ContactProperty::Modulus };
    assert!(refused(Options::default(), &[modulus]).contains("make it compliant"));
    assert!(ContactParameter::named(&model, "bal", "friction").unwrap_err().to_string().contains("ball"));
    assert!(
        ContactParameter::named(&model, "ball", "frition").unwrap_err().to_string().contains("stiffness")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Random scenes: an arm over a floor and a body of any shape, with or without contact.
    #[test]
    fn random_states_of_an_arm_and_a_body(seed: u64) {
        let mut r = Random(seed);
        let shapes = ["type=\"sphere\" size=\"0.08\"", "type=\"box\" size=\"0.1 0.08 0.05\"", "type=\"capsule\" size=\"0.04 0.1\""];
        let model = arm(&body("thing", shapes[r.below(3)], &tags(2e4, 0.5, "")), "");
        let mut state = pose_arm(&model, &mut r, false);
        place(&mut state, 7, [0.6 + 0.2 * r.sym(), 0.1 * r.sym(), 0.07 + 0.03 * r.sym()], [r.sym(), r.sym(), r.sym()]);
        let found = compare(&model, &options(MODELS[r.below(3)]), &state, &[]);
        prop_assert!(found.error < 1e-4, "{:?}", found);
    }
}
