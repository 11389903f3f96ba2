//! Bushings: springs and dampers in six directions between two frames.

mod differences;
use differences::{Comparison, Random, compare};
use nalgebra::{Matrix3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use stiction::model::{Body, Bushing, Inertia, Joint, JointKind, Pose, World};
use stiction::{Format, InputError, LoadOptions, Model, Options, Simulation, StepError};

const MASS: f64 = 2.0;
const MOMENTS: [f64; 3] = [0.3, 0.4, 0.5];

/// Free bodies without gravity, centre of mass at their origins.
fn free_bodies(count: usize) -> World {
    let mut world = World::new("bushings");
    world.options.gravity = Vector3::zeros();
    for b in 1..=count {
        let mut body = Body::new(format!("body_{b}"), 0);
        body.inertia = Inertia {
            mass: MASS,
            com: Vector3::zeros(),
            rotational: Matrix3::from_diagonal(&Vector3::from(MOMENTS)),
        };
        body.joints.push(Joint::new(format!("free_{b}"), JointKind::Free));
        world.bodies.push(body);
    }
    world
}

fn simulation(world: World, step: f64) -> Simulation {
    let options = Options { step, relative_tolerance: 1e-12, ..Options::default() };
    Simulation::new(&Model::new(world).unwrap(), options).unwrap()
}

/// Places a body: position, rotation vector.
fn place(q: &mut [f64], body: usize, p: Vector3<f64>, turn: Vector3<f64>) {
    let r = UnitQuaternion::from_scaled_axis(turn);
    let at = 7 * (body - 1);
    q[at..at + 3].copy_from_slice(p.as_slice());
    q[at + 3..at + 7].copy_from_slice(&[r.w, r.i, r.j, r.k]);
}

fn energy(sim: &Simulation) -> f64 {
    sim.model().energy(&sim.state().q, &sim.state().v).unwrap().total()
}

/// Crossings of zero from below, by straight lines between samples.
fn crossings(samples: &[(f64, f64)]) -> Vec<f64> {
    let up = |w: &[(f64, f64)]| {
        (w[0].1 < 0.0 && w[1].1 >= 0.0).then(|| w[0].0 - w[0].1 * (w[1].0 - w[0].0) / (w[1].1 - w[0].1))
    };
    samples.windows(2).filter_map(up).collect()
}

#[test]
fn each_direction_alone_swings_and_decays_as_one_mass_on_one_spring() {
    for k in 0..6 {
        let inertia = if k < 3 { MOMENTS[k] } else { MASS };
        let (stiffness, damping) = (250.0 * inertia, inertia);
        let mut world = free_bodies(1);
        let mut bushing = Bushing::new("b", 0, 1);
        if k < 3 {
            (bushing.torque_stiffness[k], bushing.torque_damping[k]) = (stiffness, damping);
        } else {
            (bushing.force_stiffness[k - 3], bushing.force_damping[k - 3]) = (stiffness, damping);
        }
        world.bushings.push(bushing);
        let dt = 1e-4;
        let mut sim = simulation(world, dt);
        // Free joint: v = [linear, angular]; the bushing counts angles first.
        let (q, v) = (if k < 3 { 3 + k + 1 } else { k - 3 }, if k < 3 { 3 + k } else { k - 3 });
        sim.state_mut().v[v] = 1.0;
        let (mut x, mut speed, mut samples) = (0.0, 1.0, Vec::new());
        for step in 0..40_000 {
            sim.step(1).unwrap();
            // The discrete form in closed form: springs and dampers at the end of the step.
            speed =
                (speed - dt * stiffness * x / inertia) / (1.0 + dt * (damping + dt * stiffness) / inertia);
            x += dt * speed;
            let value = if k < 3 { 2.0 * sim.state().q[q].atan2(sim.state().q[3]) } else { sim.state().q[q] };
            samples.push((f64::from(step + 1) * dt, value));
            if step < 2000 {
                // Quaternions advance along the tangent: arctangents instead of angles, third order in the step.
                let bound = if k < 3 { 1e-7 } else { 1e-11 };
                assert!((value - x).abs() < bound, "direction {k}, step {step}: {value} instead of {x}");
            }
        }
        let rate = damping / (2.0 * inertia);
        let frequency = (stiffness / inertia - rate * rate).sqrt();
        let up = crossings(&samples);
        let measured = std::f64::consts::TAU * (up.len() - 1) as f64 / (up[up.len() - 1] - up[0]);
        assert!(
            (measured / frequency - 1.0).abs() < 1e-3,
            "direction {k}: {measured} rad/s, {frequency} is right"
        );
        // Implicit Euler adds δt ω²/2 to the rate of decay.
        let peak = |t: f64| {
            let near = samples.iter().filter(|s| (s.0 - t).abs() < std::f64::consts::PI / frequency);
            near.map(|s| s.1.abs()).fold(0.0, f64::max)
        };
        let period = std::f64::consts::TAU / frequency;
        let turns = (4.0 / period).floor() - 2.0;
        let decay = (peak(period) / peak(period * (1.0 + turns))).ln() / (turns * period);
        let expected = rate + 0.5 * dt * stiffness / inertia;
        assert!(
            (decay / expected - 1.0).abs() < 0.01,
            "direction {k}: decay {decay} 1/s, {expected} is right"
        );
    }
}

#[test]
fn force_and_torque_are_those_computed_by_hand() {
    let mut world = free_bodies(1);
    let mut bushing = Bushing::new("b", 0, 1);
    bushing.torque_stiffness = Vector3::new(10.0, 20.0, 30.0);
    bushing.torque_damping = Vector3::new(1.0, 2.0, 3.0);
    bushing.force_stiffness = Vector3::new(100.0, 200.0, 300.0);
    bushing.force_damping = Vector3::new(4.0, 5.0, 6.0);
    world.bushings.push(bushing);
    let model = Model::new(world).unwrap();
    // C is a metre along x and yawed by a right angle: B is half-way, yawed by 45°.
    let (mut q, half) = (model.default_q().to_vec(), std::f64::consts::FRAC_PI_2);
    place(&mut q, 1, Vector3::x(), Vector3::z() * half);
    // With r = √½, x = (r, −r, 0); f in B = (−100 r, 200 r, 0), in the world (−50 − 100, −50 + 100, 0).
    let force = Vector3::new(-150.0, 50.0, 0.0);
    // It acts half a metre before C's origin: its moment there is (−½, 0, 0) × f = (0, 0, −25); the torque is −30 π/2.
    let moment = -25.0 - 30.0 * half;
    let found = model.passive_forces(&q, &[0.0; 6]).unwrap();
    for (found, expected) in found.iter().zip([force.x, force.y, 0.0, 0.0, 0.0, moment]) {
        assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
    }
    // Yawing at 2 rad/s about C's origin moves C's point at B's origin by 2 z × (−½ x) = −y: in B (−r, −r, 0) m/s.
    // Dampers add (4 r, 5 r, 0) in B, that is (2 − 2.5, 2 + 2.5, 0), with the moment −½ · 4.5, and −3 · 2.
    let moving = model.passive_forces(&q, &[0.0, 0.0, 0.0, 0.0, 0.0, 2.0]).unwrap();
    let added = [-0.5, 4.5, 0.0, 0.0, 0.0, -0.5 * 4.5 - 6.0];
    for ((moving, found), added) in moving.iter().zip(&found).zip(added) {
        assert!((moving - found - added).abs() < 1e-12, "{moving} instead of {}", found + added);
    }
    let stored = 0.5 * (100.0 * 0.5 + 200.0 * 0.5) + 0.5 * 30.0 * half * half;
    assert!((model.energy(&q, &[0.0; 6]).unwrap().potential - stored).abs() < 1e-12);
}

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

fn pose(size: f64) -> impl Strategy<Value = Pose> {
    (vector(size), vector(size))
        .prop_map(|(p, turn)| Pose::from_parts(Translation3::from(p), UnitQuaternion::from_scaled_axis(turn)))
}

fn positive(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(0.0..size).prop_map(Vector3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn spring_forces_are_the_slope_of_the_stored_energy(
        frames in (pose(0.3), pose(0.3)), torque in positive(50.0), force in 1.0..500.0f64,
        places in ((vector(0.5), vector(0.4)), (vector(0.5), vector(0.4)))
    ) {
        // With one stiffness in all directions; see `bushings.rs` on the others.
        let mut world = free_bodies(2);
        let mut bushing = Bushing::new("b", 1, 2);
        (bushing.frame_a, bushing.frame_c) = frames;
        bushing.torque_stiffness = torque;
        bushing.force_stiffness = Vector3::repeat(force);
        world.bushings.push(bushing);
        let model = Model::new(world).unwrap();
        let mut q = model.default_q().to_vec();
        place(&mut q, 1, places.0.0, places.0.1);
        place(&mut q, 2, places.1.0, places.1.1);
        let found = model.passive_forces(&q, &[0.0; 12]).unwrap();
        let scale = found.iter().fold(1.0_f64, |m, f| m.max(f.abs()));
        for dof in 0..12 {
            let at = |h: f64| {
                let (mut unit, mut next) = ([0.0; 12], q.clone());
                unit[dof] = 1.0;
                model.multibody().integrate(&q, &unit, h, stiction::multibody::QuaternionStep::Exponential, &mut next);
                model.energy(&next, &[0.0; 12]).unwrap().potential
            };
            let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
            prop_assert!((found[dof] + slope).abs() < 1e-6 * scale, "{} and {}", found[dof], -slope);
        }
    }

    #[test]
    fn dampers_never_do_work_and_both_bodies_feel_opposite_forces(
        frames in (pose(0.3), pose(0.3)), torque in positive(5.0), force in positive(50.0),
        places in ((vector(0.5), vector(0.4)), (vector(0.5), vector(0.4))), v in prop::array::uniform12(-3.0..3.0f64)
    ) {
        let mut world = free_bodies(2);
        let mut bushing = Bushing::new("b", 1, 2);
        (bushing.frame_a, bushing.frame_c) = frames;
        (bushing.torque_damping, bushing.force_damping) = (torque, force);
        world.bushings.push(bushing);
        let model = Model::new(world).unwrap();
        let mut q = model.default_q().to_vec();
        place(&mut q, 1, places.0.0, places.0.1);
        place(&mut q, 2, places.1.0, places.1.1);
        let f = model.passive_forces(&q, &v).unwrap();
        let power: f64 = f.iter().zip(&v).map(|(f, v)| f * v).sum();
        prop_assert!(power <= 1e-12, "{power} W");
        for k in 0..3 {
            prop_assert!((f[k] + f[6 + k]).abs() < 1e-10);
        }
        // Moments about the world's origin.
        let turned = |body: usize| {
            let at = 7 * body;
            let r = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[at + 3], q[at + 4], q[at + 5], q[at + 6]));
            let (p, f) = (Vector3::from_column_slice(&q[at..at + 3]), &f[6 * body..6 * body + 6]);
            p.cross(&Vector3::new(f[0], f[1], f[2])) + r * Vector3::new(f[3], f[4], f[5])
        };
        prop_assert!((turned(0) + turned(1)).norm() < 1e-10);
    }

    #[test]
    fn a_stiff_bushing_is_stable_at_steps_of_ten_milliseconds(
        frames in (pose(0.2), pose(0.2)), torque in positive(1e6), force in positive(1e8),
        v in prop::array::uniform12(-1.0..1.0f64)
    ) {
        let mut world = free_bodies(2);
        let mut bushing = Bushing::new("b", 1, 2);
        (bushing.frame_a, bushing.frame_c) = frames;
        (bushing.torque_stiffness, bushing.force_stiffness) = (torque, force);
        // Where both bodies stand, the frames coincide.
        let second = bushing.frame_a * bushing.frame_c.inverse();
        world.bodies[2].pose = second;
        world.bushings.push(bushing);
        let mut sim = simulation(world, 1e-2);
        sim.state_mut().v.copy_from_slice(&v);
        let (begin, mut most) = (energy(&sim), 0.0_f64);
        let before = momentum(&sim);
        for _ in 0..300 {
            sim.step(1).unwrap();
            most = most.max(energy(&sim));
        }
        prop_assert_eq!(sim.stats().unconverged, 0);
        prop_assert!(most <= begin * (1.0 + 1e-6), "energy grew from {} to {}", begin, most);
        prop_assert!((momentum(&sim) - before).norm() < 1e-8);
    }
}

fn momentum(sim: &Simulation) -> Vector3<f64> {
    let workspace = sim.model().at(&sim.state().q, &sim.state().v).unwrap();
    sim.model().multibody().momentum(&workspace).linear
}

/// A pendulum on a cart with a free body hung on it by a soft bushing, as URDF.
const HUNG: &str = r#"<robot name="hung" xmlns:drake="http://drake.mit.edu">
  <link name="cart"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0 -0.3"/><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0.001" iyy="0.03" iyz="0" izz="0.01"/></inertial></link>
  <link name="load"><inertial><origin xyz="0.02 0 -0.1"/><mass value="0.5"/><inertia ixx="0.004" ixy="0" ixz="0" iyy="0.005" iyz="0.001" izz="0.006"/></inertial></link>
  <joint name="rail" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="5" velocity="5"/></joint>
  <joint name="pivot" type="continuous"><parent link="cart"/><child link="arm"/><origin rpy="0.2 0.1 0"/><axis xyz="0 1 0"/></joint>
  <drake:joint name="loose" type="floating"><parent link="world"/><child link="load"/></drake:joint>
  <frame name="tip" link="arm" xyz="0 0 -0.6" rpy="0.1 0.2 0.3"/>
  <drake:linear_bushing_rpy name="rubber">
    <drake:bushing_frameA name="tip"/><drake:bushing_frameC name="load"/>
    <drake:bushing_torque_stiffness value="8 9 10"/><drake:bushing_torque_damping value="0.2 0.3 0.4"/>
    <drake:bushing_force_stiffness value="400 500 600"/><drake:bushing_force_damping value="5 6 7"/>
  </drake:linear_bushing_rpy>
</robot>"#;

fn hung() -> Model {
    Model::from_string(HUNG, Format::Urdf, &LoadOptions::default()).unwrap()
}

fn shaken(seed: u64) -> Simulation {
    let mut r = Random(seed);
    let mut sim = Simulation::new(&hung(), Options { step: 5e-3, ..Options::default() }).unwrap();
    let state = sim.state_mut();
    (state.q[0], state.q[1]) = (0.3 * r.sym(), 0.5 * r.sym());
    let turn = UnitQuaternion::from_scaled_axis(0.5 * Vector3::new(r.sym(), r.sym(), r.sym()));
    state.q[2..9].copy_from_slice(&[0.1 * r.sym(), 0.1 * r.sym(), -0.6, turn.w, turn.i, turn.j, turn.k]);
    state.v.iter_mut().for_each(|v| *v = r.sym());
    sim
}

#[test]
fn steps_can_be_differentiated_through_bushings() {
    for seed in 0..6 {
        let sim = shaken(seed);
        let Comparison { error, place, columns, kinks } =
            compare(sim.model(), sim.options(), sim.state(), &[]);
        assert!(error < 1e-6 && kinks == 0 && columns > 0, "seed {seed}: {error} at {place}, {kinks} kinks");
    }
}

#[test]
fn saving_and_loading_goes_on_bit_for_bit() {
    let mut sim = shaken(7);
    sim.step(20).unwrap();
    let restored = Model::from_bytes(&sim.model().to_bytes()).unwrap();
    assert_eq!(restored.world().bushings, sim.model().world().bushings);
    let mut other = Simulation::new(&restored, sim.options().clone()).unwrap();
    other.load_state(&sim.save_state()).unwrap();
    sim.step(100).unwrap();
    other.step(100).unwrap();
    assert_eq!((&sim.state().q, &sim.state().v), (&other.state().q, &other.state().v));
}

#[test]
fn a_bushing_pitched_to_a_right_angle_is_an_error_that_names_it() {
    let mut world = free_bodies(1);
    let mut bushing = Bushing::new("engine_mount", 0, 1);
    bushing.torque_stiffness = Vector3::repeat(1.0);
    world.bushings.push(bushing);
    let mut sim = simulation(world, 1e-2);
    place(&mut sim.state_mut().q, 1, Vector3::zeros(), Vector3::y() * std::f64::consts::FRAC_PI_2);
    let before = sim.state().clone();
    let error = sim.step(1).unwrap_err();
    assert!(
        matches!(&error, StepError::Input(InputError::GimbalLock { bushing }) if bushing == "engine_mount"),
        "{error}"
    );
    assert_eq!(*sim.state(), before);
    assert!(sim.model().passive_forces(&before.q, &before.v).is_err());
}

#[test]
fn a_drop_of_a_tendon_constraint_is_a_spring_with_its_damping() {
    // Σ a q + offset = 2 x − 0.5 stays below 0.3: x = 0.4 is where the limit begins.
    let text = r#"<robot name="r" xmlns:drake="http://drake.mit.edu">
      <link name="a"><inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="j" type="prismatic"><parent link="world"/><child link="a"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="5" velocity="5"/></joint>
      <drake:tendon_constraint><drake:tendon_constraint_joint name="j" a="2"/><drake:tendon_constraint_offset value="-0.5"/>
      <drake:tendon_constraint_lower_limit value="-inf"/><drake:tendon_constraint_upper_limit value="0.3"/>
      <drake:tendon_constraint_stiffness value="150"/><drake:tendon_constraint_damping value="4"/></drake:tendon_constraint></robot>"#;
    let model = Model::from_string(text, Format::Urdf, &LoadOptions::default()).unwrap();
    let dt = 1e-3;
    let mut sim =
        Simulation::new(&model, Options { step: dt, relative_tolerance: 1e-12, ..Options::default() })
            .unwrap();
    sim.state_mut().v[0] = 2.0;
    let (mut x, mut v) = (0.0, 2.0);
    for step in 0..1000 {
        sim.step(1).unwrap();
        // Along the tendon: −(k (l⁺ − 0.8) + d l̇⁺) where that pulls, with l = 2 x and the arm 2.
        let (k, d, m) = (150.0, 4.0, 3.0);
        let pulled = (v - dt * 2.0 * k * (2.0 * x - 0.8) / m) / (1.0 + dt * 4.0 * (d + dt * k) / m);
        let force = k * (2.0 * x - 0.8) + (d + dt * k) * 2.0 * pulled;
        v = if force > 0.0 { pulled } else { v };
        x += dt * v;
        assert!((sim.state().q[0] - x).abs() < 1e-9, "step {step}: {} instead of {x}", sim.state().q[0]);
    }
    assert!(x < 0.0, "it must have come back, not be at {x}");
}

#[test]
fn written_as_urdf_it_loads_back_to_the_same_forces_and_mjcf_says_what_it_lacks() {
    let model = hung();
    let export = stiction_formats::export(model.world(), Format::Urdf).unwrap();
    let again = Model::from_string(&export.text, Format::Urdf, &LoadOptions::default()).unwrap();
    assert_eq!(again.world().bushings.len(), 1);
    let sim = shaken(3);
    let forces = |m: &Model| m.passive_forces(&sim.state().q, &sim.state().v).unwrap();
    for (a, b) in forces(&model).iter().zip(forces(&again)) {
        assert!((a - b).abs() < 1e-9, "{a} and {b}");
    }
    let export = stiction_formats::export(model.world(), Format::Mjcf).unwrap();
    assert!(export.losses.iter().any(|l| l.contains("rubber")), "{:?}", export.losses);
}
