//! Controllers that fail, and steps that fail after them.

use crate::common::simulation;
use crate::{MOTORS, arm, sensing::press};
use nalgebra::Vector3;
use stiction::model::Pose;
use stiction::{Controller, Options, Sample, Sampled, Senses, StepError, TactileGrid};

/// Counts samples in its memory. At one of them it fails or returns a non-finite control.
struct Fails {
    at: usize,
    with: Option<f64>,
}

impl Controller for Fails {
    fn period(&self) -> f64 {
        0.0
    }
    fn control(
        &mut self,
        _sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        memory.push(1.0);
        ctrl[0] = memory.len() as f64;
        match self.with {
            _ if memory.len() <= self.at => Ok(()),
            Some(value) => {
                ctrl[0] = value;
                Ok(())
            }
            None => Err("it had enough".into()),
        }
    }
}

#[test]
fn a_controller_that_fails_is_named_and_leaves_the_state_before_the_step() {
    let model = arm(MOTORS);
    for with in [None, Some(f64::NAN), Some(f64::INFINITY)] {
        let mut sim = simulation(&model, Options::default());
        sim.add_controller(Box::new(Fails { at: usize::MAX, with: None }));
        sim.add_controller(Box::new(Fails { at: 5, with }));
        sim.step(5).unwrap();
        let before = sim.state().clone();
        let error = sim.step(1).unwrap_err();
        assert!(matches!(error, StepError::Controller { number: 1, .. }), "{error}");
        let text = error.to_string();
        let reason = if with.is_some() { "it set ctrl[0] to" } else { "it had enough" };
        assert!(
            text.starts_with("controller 1 (Fails) failed at t = 0.005 s: ") && text.contains(reason),
            "{text}"
        );
        // This includes the memory of the first controller, which had been called.
        assert_eq!(*sim.state(), before);
        sim.remove_controller(1).unwrap();
        sim.step(5).unwrap();
        assert_eq!(sim.state().controllers[0].memory.len(), 10);
    }
}

#[test]
fn a_step_that_fails_after_its_controllers_were_called_leaves_the_state_before_it() {
    let model = arm(MOTORS);
    let mut sim = simulation(&model, Options::default());
    // Finite, but the resulting force with the motor's gear is not.
    sim.set_controller(Box::new(Fails { at: 3, with: Some(f64::MAX) }));
    sim.step(3).unwrap();
    let before = sim.state().clone();
    let outcome = sim.step(1);
    assert!(matches!(outcome, Err(StepError::NotFinite { .. })), "{outcome:?}");
    assert_eq!(*sim.state(), before);
}

#[test]
fn controllers_after_one_that_is_removed_keep_their_memories_and_measurements() {
    let model = press();
    let grid = |rows| TactileGrid::new(1, Pose::identity(), [0.1, 0.1], rows, 2).unwrap();
    let looks = |rows: usize| {
        let senses = Senses { skins: vec![grid(rows)], ..Senses::touches() };
        Box::new(
            Sampled::new(0.0, move |sample: &Sample<'_>, _: &mut [f64]| {
                assert_eq!(sample.skin(0)?.rows, rows, "each sees its own skin");
                Ok(())
            })
            .sensing(senses),
        )
    };
    let mut sim = simulation(&model, Options::default());
    sim.add_controller(looks(2));
    sim.add_controller(Box::new(Fails { at: usize::MAX, with: None }));
    sim.add_controller(looks(5));
    sim.step(3).unwrap();
    assert!(sim.remove_controller(3).err().unwrap().to_string().contains("they go from 0 to 2"));
    sim.remove_controller(0).unwrap();
    assert_eq!(sim.controller_count(), 2);
    sim.step(3).unwrap();
    assert_eq!(sim.state().controllers[0].memory.len(), 6);
    assert_eq!(sim.state().measured.skins.len(), 1);
}

#[test]
fn a_wrench_is_its_torque_and_its_force_at_the_point() {
    let model = press();
    let body = model.body_index("block").unwrap();
    let (torque, force) = (Vector3::new(0.3, -0.2, 0.7), Vector3::new(2.0, 1.0, -1.0));
    let p = Vector3::new(0.1, -0.2, 0.4);
    let mut sim = simulation(&model, Options::default());
    sim.apply_wrench(body, torque, force, p).unwrap();
    let mut twin = simulation(&model, Options::default());
    twin.apply_force(body, force, p).unwrap();
    let (state, other) = (sim.state(), twin.state());
    // A free body at rest: its last three coordinates are torques about its own axes, here the world's.
    for k in 0..state.applied.len() {
        let free = model.multibody().joints().iter().find(|j| j.v.len() == 6).unwrap().v.clone();
        let more = if free.contains(&k) && k >= free.start + 3 { torque[k - free.start - 3] } else { 0.0 };
        assert!((state.applied[k] - other.applied[k] - more).abs() < 1e-12);
    }
    assert!(
        sim.apply_wrench(body, torque * f64::NAN, force, p).unwrap_err().to_string().contains("torque[0]")
    );
}
