//! Single steps of the kernels' host build against the reference engine, from states along trajectories; what is refused.
//!
//! The solves are to 1e-12, so that neither solver has freedom, and single steps must agree to 1e-9.

use stiction::model::World;
use stiction::options::Sticking;
use stiction::{Format, Model, Options, Simulation, State};
use stiction_base::random::Random;
use stiction_gpu::{Device, GpuBatch, GpuError, Report, Room};

/// Largest difference of positions (m, rad) and velocities (m/s, rad/s) allowed after a step.
const AGREE: f64 = 1e-9;

fn tight(model: &Model) -> Options {
    Options { speculative: false, relative_tolerance: 1e-12, ..Options::for_model(model) }
}

fn host(model: &Model, worlds: usize, options: &Options) -> GpuBatch {
    GpuBatch::new(model, worlds, options.clone(), Device::Host, Room::default()).unwrap()
}

fn parsed(text: &str) -> Model {
    Model::from_string(text, Format::Mjcf, &Default::default()).unwrap()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let difference = |(a, b): (&f64, &f64)| if a.is_finite() { (a - b).abs() } else { f64::INFINITY };
    a.iter().zip(b).map(difference).fold(0.0, f64::max)
}

/// Compares a step from every tenth state of a trajectory; returns all contacts met.
fn compare(model: &Model, options: &Options, start: &State, states: usize) -> u64 {
    let mut simulation = Simulation::new(model, options.clone()).unwrap();
    *simulation.state_mut() = start.clone();
    let mut one = Simulation::new(model, options.clone()).unwrap();
    let mut batch = host(model, 1, options);
    let mut contacts = 0;
    for _ in 0..states {
        simulation.step(10).unwrap();
        let state = simulation.state().clone();
        batch.set_state(0, &state).unwrap();
        let report = batch.step(1).unwrap();
        let counted = Report { iterations: 0, friction_passes: 0, contacts: 0, ..report };
        assert_eq!(counted, Report::default(), "at {} s", state.time);
        *one.state_mut() = state;
        one.step(1).unwrap();
        let (ours, theirs) = (batch.state(0).unwrap(), one.state());
        let worst = apart(&ours.q, &theirs.q).max(apart(&ours.v, &theirs.v));
        assert!(worst <= AGREE, "{worst:e} apart at {} s with {} contacts", theirs.time, report.contacts);
        assert_eq!(ours.stretches.len(), theirs.stretches.len(), "springs at {} s", theirs.time);
        for (a, b) in ours.stretches.iter().zip(&theirs.stretches) {
            let stretch = (a.stretch - b.stretch).norm().max((a.point_a - b.point_a).norm());
            assert!(
                a.geoms == b.geoms && stretch <= AGREE,
                "a spring {stretch:e} apart at {} s",
                theirs.time
            );
        }
        contacts += report.contacts;
    }
    contacts
}

/// A state with random velocities.
fn shaken(model: &Model, seed: u64, speed: f64) -> State {
    let (mut state, mut random) = (model.default_state(), Random::new(seed));
    state.v.iter_mut().for_each(|v| *v = speed * (2.0 * random.unit() - 1.0));
    state.ctrl.iter_mut().for_each(|u| *u = 2.0 * random.unit() - 1.0);
    state
}

#[test]
fn a_pile_of_forty_steps_like_the_reference() {
    let model = Model::from_scene("clutter").unwrap();
    assert!(compare(&model, &tight(&model), &model.default_state(), 60) > 2000);
}

#[test]
fn a_gripper_steps_like_the_reference() {
    let model = Model::from_scene("gripper").unwrap();
    assert!(compare(&model, &tight(&model), &model.keyframe_state("lift").unwrap(), 60) > 400);
}

/// The humanoid with spheres and capsules for its ellipsoids and its cylinder, which the kernels do not have.
fn humanoid() -> Model {
    let text = stiction::scenes::text("humanoid").unwrap();
    parsed(
        &text
            .replace("type=\"ellipsoid\"", "type=\"sphere\"")
            .replace("type=\"cylinder\"", "type=\"capsule\""),
    )
}

#[test]
fn a_humanoid_that_folds_steps_like_the_reference() {
    let model = humanoid();
    assert!(compare(&model, &tight(&model), &shaken(&model, 3, 1.0), 60) > 100);
}

/// Every joint, shape, limit, spring and actuator that the kernels know.
const MECHANISM: &str = r#"<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="2 2 0.1" friction="0.7"/>
    <body pos="0 0 0.5">
      <joint name="slide" type="slide" axis="0 0 1" range="-0.3 0.1" stiffness="20" springref="0.1" damping="1"/>
      <geom type="box" size="0.1 0.05 0.05" mass="1"/>
      <body pos="0.15 0 0">
        <joint name="hinge" type="hinge" axis="0 1 0.2" range="-60 40" armature="0.01" frictionloss="0.1"/>
        <geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.03" mass="0.5"/>
        <body pos="0.25 0 0">
          <joint name="elbow" type="hinge" axis="0 1 0" damping="0.02" springref="20" stiffness="0.5"/>
          <joint name="twist" type="hinge" axis="1 0 0" pos="0 0.02 0"/>
          <geom type="sphere" size="0.05" mass="0.3"/>
          <geom type="capsule" fromto="0 0 0 0.15 0 0.05" size="0.02" mass="0.1"/>
        </body>
      </body>
      <body pos="-0.15 0 0">
        <joint type="ball" damping="0.01"/>
        <geom type="capsule" fromto="0 0 0 -0.2 0 0" size="0.04" mass="0.4"/>
        <geom type="box" pos="-0.25 0 0" size="0.04 0.04 0.04" mass="0.2"/>
      </body>
    </body>
    <body pos="0.3 0.02 0.1"><freejoint/><geom type="box" size="0.06 0.05 0.04" mass="0.6"/></body>
    <body pos="-0.3 0.02 0.1"><freejoint/><geom type="capsule" size="0.05 0.08" mass="0.5"/></body>
    <body pos="0.05 0.02 0.15"><freejoint/><geom type="sphere" size="0.06" mass="0.2"/><geom type="sphere" pos="0.07 0 0" size="0.04" mass="0.1"/></body>
    <body pos="0.1 0.1 0.3"><freejoint/><geom type="capsule" fromto="-0.1 0 0 0.1 0 0.02" size="0.03" mass="0.3"/></body>
  </worldbody>
  <actuator>
    <position joint="elbow" kp="5" kv="0.1"/>
    <position joint="slide" kp="200" kv="10" forcerange="-15 30"/>
    <motor joint="hinge" gear="3" ctrlrange="-0.5 0.5"/>
    <velocity joint="twist" kv="0.05"/>
  </actuator>
</mujoco>"#;

#[test]
fn every_joint_shape_limit_and_actuator_steps_like_the_reference() {
    let model = parsed(MECHANISM);
    let mut contacts = 0;
    for seed in 1..7 {
        contacts += compare(&model, &tight(&model), &shaken(&model, seed, 3.0), 40);
    }
    assert!(contacts > 1000, "{contacts} contacts");
}

/// A floor of tiles with things that slide over its seams, soft tiles into whose seam a box sinks, a stiff load of 400 times the mass
/// below it, a capsule in a groove of two, and a hinge that starts far beyond its limit.
const LOADS: &str = r#"<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="box" pos="0 0 -0.05" size="0.1 0.2 0.05" friction="0.2"/>
    <geom type="box" pos="0.2 0 -0.05" size="0.1 0.2 0.05" friction="0.2"/>
    <geom type="box" pos="0.4 0 -0.05" size="0.1 0.2 0.05" friction="0.2"/>
    <geom type="box" pos="1 0 -0.05" size="0.3 0.3 0.05"/>
    <body pos="0 0 0.03"><freejoint/><geom type="box" size="0.05 0.04 0.03" mass="0.5"/></body>
    <body pos="0 0.1 0.03"><freejoint/><geom type="box" size="0.03 0.03 0.03" mass="0.2"/></body>
    <body pos="1 0 0.02"><freejoint/><geom type="box" size="0.05 0.05 0.02" mass="0.05"><drake:proximity_properties><drake:point_contact_stiffness value="1e9"/></drake:proximity_properties></geom></body>
    <body pos="1 0 0.14"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="20"><drake:proximity_properties><drake:point_contact_stiffness value="1e9"/></drake:proximity_properties></geom></body>
    <geom type="box" pos="0 -1 -0.05" size="0.1 0.2 0.05" friction="0.01"><drake:proximity_properties><drake:point_contact_stiffness value="2e3"/></drake:proximity_properties></geom>
    <geom type="box" pos="0.2 -1 -0.05" size="0.1 0.2 0.05" friction="0.01"><drake:proximity_properties><drake:point_contact_stiffness value="2e3"/></drake:proximity_properties></geom>
    <body pos="0.0503 -1 0.03"><freejoint/><geom type="box" size="0.05 0.04 0.03" mass="0.5"><drake:proximity_properties><drake:point_contact_stiffness value="1e6"/></drake:proximity_properties></geom></body>
    <geom type="capsule" fromto="2 -0.2 0 2 0.2 0" size="0.05"/>
    <geom type="capsule" fromto="2.08 -0.2 0 2.08 0.2 0" size="0.05"/>
    <body pos="2.04 0 0.08"><freejoint/><geom type="capsule" fromto="0 -0.1 0 0 0.1 0" size="0.04" mass="0.4"/></body>
    <body pos="0 1 1"><joint name="stop" type="hinge" axis="0 1 0" range="-10 10"/><geom type="sphere" pos="0.2 0 0" size="0.03" mass="0.3"/></body>
  </worldbody>
</mujoco>"#;

#[test]
fn seams_heavy_loads_and_violated_limits_are_those_of_the_reference() {
    let model = parsed(LOADS);
    let mut start = model.default_state();
    (start.v[0], start.v[6]) = (0.8, 0.6);
    *start.q.last_mut().unwrap() = 0.8;
    assert!(compare(&model, &tight(&model), &start, 40) > 400);
}

#[test]
fn options_act_as_in_the_reference() {
    let model = parsed(MECHANISM);
    let base = tight(&model);
    for options in [
        Options { tangential_springs: Sticking::Damped, ..base.clone() },
        Options { tangential_springs: Sticking::Damped, friction_passes: 0, ..base.clone() },
        Options { limit_stiffness: false, ..base.clone() },
        Options { margin: 2e-3, ..base.clone() },
        Options { stiction_tolerance: 1e-3, regularization: 0.0, step: 5e-4, ..base.clone() },
    ] {
        assert!(compare(&model, &options, &shaken(&model, 5, 2.0), 40) > 0);
    }
}

#[test]
fn a_world_does_not_depend_on_the_others() {
    let model = Model::from_scene("clutter").unwrap();
    let options = Options { speculative: false, ..Options::for_model(&model) };
    let (mut many, mut alone) = (host(&model, 3, &options), host(&model, 1, &options));
    for world in 0..3 {
        many.set_state(world, &shaken(&model, world as u64, 0.5)).unwrap();
    }
    many.step(30).unwrap();
    for world in 0..3 {
        alone.set_state(0, &shaken(&model, world as u64, 0.5)).unwrap();
        alone.step(30).unwrap();
        let (a, b) = (many.state(world).unwrap(), alone.state(0).unwrap());
        assert!(a.q == b.q && a.v == b.v && a.stretches == b.stretches, "world {world}");
    }
}

#[test]
fn too_many_contacts_are_counted() {
    let model = Model::from_scene("clutter").unwrap();
    let options = Options { speculative: false, ..Options::for_model(&model) };
    let room = Room { contacts: Some(8) };
    let mut batch = GpuBatch::new(&model, 2, options, Device::Host, room).unwrap();
    let report = batch.step(300).unwrap();
    assert!(report.no_room == 2 && report.unconverged > 0, "{report:?}");
}

#[test]
fn an_infinite_force_leaves_the_last_good_state() {
    let model = parsed(MECHANISM);
    let mut batch = host(&model, 2, &Options { speculative: false, ..Options::for_model(&model) });
    let mut applied = vec![0.0; 2 * model.nv()];
    applied[0] = 1e300;
    batch.set_applied(&applied).unwrap();
    let report = batch.step(3).unwrap();
    assert_eq!(report.not_finite, 1);
    let (broken, sound) = (batch.state(0).unwrap(), batch.state(1).unwrap());
    assert_eq!(broken.q, model.default_q());
    assert!(sound.q.iter().all(|x| x.is_finite()) && sound.q != model.default_q());
}

#[test]
fn everything_unsupported_is_refused_with_the_whole_list() {
    let model = Model::from_scene("humanoid").unwrap();
    let refused = GpuBatch::new(&model, 1, Options::default(), Device::Host, Room::default());
    let Err(GpuError::Unsupported(error)) = refused.map(|_| ()) else { panic!("it has ellipsoids") };
    let text = error.to_string();
    assert!(text.contains("speculative = true") && text.contains("is of another shape"), "{text}");
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn an_empty_world_steps() {
    let model = Model::new(World::new("empty")).unwrap();
    let mut batch = host(&model, 2, &Options { speculative: false, ..Options::default() });
    assert_eq!(batch.step(3).unwrap().unconverged, 0);
}
