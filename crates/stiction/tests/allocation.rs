//! The steady step allocates nothing.

mod common;
use stiction::model::Pose;
use stiction::{Model, Options, TactileGrid, TactileImage};
use stiction_base::counting_allocator::{CountingAllocator, thread_allocations as count};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_pile_steps_without_allocating_where_it_has_been_before() {
    // Spheres keep rolling between groups of touching bodies. Memory grows only when a group is larger than any
    // previous group with the same index.
    let model = Model::from_scene("clutter").unwrap();
    for springs in [false, true] {
        let options = Options { step: 2e-3, tangential_springs: springs.into(), ..Options::default() };
        let mut sim = common::simulation(&model, options);
        sim.step(1500).unwrap();
        let begin = sim.state().clone();
        sim.step(200).unwrap();
        let state = sim.state_mut();
        state.time = begin.time;
        state.q.copy_from_slice(&begin.q);
        state.v.copy_from_slice(&begin.v);
        state.stretches.clone_from(&begin.stretches);
        let before = count();
        sim.step(200).unwrap();
        assert_eq!(count() - before, 0, "allocations in 200 steps");
    }
}

#[test]
fn a_settled_soft_pile_steps_and_is_felt_without_allocating() {
    let model = Model::from_scene("soft_pile").unwrap();
    let mut sim = common::simulation(&model, Options { step: 5e-3, ..Options::default() });
    let grid = TactileGrid::new(0, Pose::identity(), [0.4, 0.4], 20, 20).unwrap();
    let mut image = TactileImage::default();
    sim.step(1000).unwrap();
    grid.sample_into(&sim, &mut image);
    let before = count();
    for _ in 0..200 {
        sim.step(1).unwrap();
        grid.sample_into(&sim, &mut image);
    }
    assert_eq!(count() - before, 0, "allocations in 200 steps");
    assert!(image.pressure.iter().any(|p| *p > 0.0));
}

#[test]
fn steps_of_continuous_time_do_not_allocate() {
    use stiction::Method;
    use stiction::continuous::{ContinuousOptions, Integrator, TractionFriction};
    let soft = "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"1e6\"/>\
                </drake:proximity_properties>";
    let model = common::model(
        &format!(
            "<geom type=\"plane\" size=\"9 9 1\" friction=\"0.1 0 0\"/><body pos=\"0 0 0.0499\"><freejoint/>\
             <geom type=\"box\" size=\"0.1 0.08 0.05\" mass=\"1\" friction=\"0.1 0 0\">{soft}</geom></body>"
        ),
        "",
    );
    for integrator in [Integrator::Radau, Integrator::BogackiShampine] {
        let friction = TractionFriction::Springs(Default::default());
        let method = Method::Continuous(ContinuousOptions { integrator, friction, adhesion: 0.0 });
        let options = Options { method, accuracy: Some(1e-5), max_step: 1e-3, ..Options::default() };
        let mut sim = common::simulation(&model, options);
        sim.state_mut().v[0] = 2.0;
        sim.state_mut().v[5] = 3.0;
        sim.step(200).unwrap();
        let before = count();
        sim.step(100).unwrap();
        assert_eq!(count() - before, 0, "allocations in 100 steps of {integrator:?}");
    }
}

#[test]
fn tendons_muscles_and_sensors_step_and_read_without_allocating() {
    let model = common::model(
        "<geom type=\"plane\" size=\"5 5 1\"/><site name=\"a\" pos=\"0.3 0 1.2\"/>\
         <body pos=\"0 0 1\"><joint name=\"j\" axis=\"0 1 0\" range=\"-90 90\"/>\
         <geom name=\"drum\" type=\"cylinder\" size=\"0.05 0.1\" euler=\"90 0 0\" mass=\"0.1\"/>\
         <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -0.4\" mass=\"1\"/><site name=\"b\" pos=\"0 0 -0.3\"/></body>\
         <body name=\"pad\" pos=\"1 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/><site name=\"s\"/></body>",
        "<tendon><spatial name=\"t\" stiffness=\"10\" damping=\"1\" frictionloss=\"0.1\" range=\"0.1 0.6\"><site site=\"a\"/>\
         <geom geom=\"drum\"/><site site=\"b\"/></spatial></tendon>\
         <actuator><muscle tendon=\"t\" force=\"20\"/><adhesion body=\"pad\" ctrlrange=\"0 1\" gain=\"5\"/>\
         <motor site=\"s\" gear=\"0 0 1 0 0 0\"/></actuator>\
         <sensor><accelerometer site=\"s\"/><touch site=\"s\"/><force site=\"b\"/><tendonpos tendon=\"t\"/><rangefinder site=\"s\"/></sensor>",
    );
    let mut sim = common::simulation(&model, Options::default());
    sim.state_mut().ctrl.fill(0.5);
    sim.step(500).unwrap();
    let mut sum = sim.sensors().iter().sum::<f64>();
    let before = count();
    for _ in 0..200 {
        sim.step(1).unwrap();
        sum += sim.sensors().iter().sum::<f64>();
    }
    assert_eq!(count() - before, 0, "allocations in 200 steps");
    assert!(sum.is_finite() && sum != 0.0);
}

#[test]
fn coupled_bodies_step_without_allocating() {
    // Closed loops, a weld to a mocap body, a coupled pair of joints and tendons, limits and dry friction:
    // near-rigid rows of every kind, beside contact.
    let model = common::model(
        "<geom type=\"plane\" size=\"5 5 1\"/>\
         <body name=\"crank\" pos=\"0 0 1\"><joint name=\"a\" axis=\"0 1 0\" frictionloss=\"0.01\"/>\
         <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.2 0 0\" mass=\"0.5\"/>\
         <body name=\"rod\" pos=\"0.2 0 0\"><joint name=\"b\" axis=\"0 1 0\"/>\
         <geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.3 0 0\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/></body></body>\
         <body name=\"slider\" pos=\"0.5 0 1\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\" range=\"-0.05 2\" limited=\"true\"/>\
         <geom type=\"box\" size=\"0.04 0.04 0.04\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/></body>\
         <body name=\"hand\" mocap=\"true\" pos=\"0 1 0.5\"/>\
         <body name=\"held\" pos=\"0 1 0.5\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\"/></body>\
         <body pos=\"0 3 1\"><joint name=\"p\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.1 0 0\" mass=\"0.2\"/></body>\
         <body pos=\"1 3 1\"><joint name=\"q\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.1 0 0\" mass=\"0.2\"/></body>\
         <body pos=\"2 3 1\"><joint name=\"r\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.1 0 0\" mass=\"0.2\"/></body>\
         <body pos=\"0 2 0.0999\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/></body>",
        "<tendon><fixed name=\"t\"><joint joint=\"q\" coef=\"1\"/></fixed><fixed name=\"u\"><joint joint=\"r\" coef=\"2\"/></fixed></tendon>\
         <equality><joint joint1=\"p\" joint2=\"q\" polycoef=\"0 -1 0.1 0 0\"/><tendon tendon1=\"t\" tendon2=\"u\"/><connect body1=\"rod\" body2=\"slider\" anchor=\"0.3 0 0\"/><weld body1=\"hand\" body2=\"held\"/></equality>\
         <actuator><motor joint=\"a\"/></actuator>",
    );
    let mut sim = common::simulation(&model, Options::default());
    sim.state_mut().ctrl.fill(0.3);
    sim.step(1000).unwrap();
    let (speed, before) = (sim.state().v[0], count());
    sim.step(300).unwrap();
    assert_eq!(count() - before, 0, "allocations in 300 steps");
    assert!(speed != 0.0 && speed != sim.state().v[0], "the crank turns");
}
