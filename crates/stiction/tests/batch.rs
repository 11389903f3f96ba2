//! Batches: the same worlds as stepped one by one, on any number of threads.

use proptest::prelude::*;
use stiction::batch::Progress;
use stiction::{Batch, Format, LoadOptions, Model, Options, Simulation, StepError};

/// Worlds of a pile with different pushes.
fn shake(model: &Model, world: usize, v: &mut [f64]) {
    for (k, v) in v.iter_mut().enumerate() {
        *v = 0.3 * ((world * model.nv() + k) as f64 * 0.7).sin();
    }
}

fn alone(model: &Model, options: Options, world: usize, steps: usize) -> Simulation {
    let mut sim = Simulation::new(model, options.clone()).unwrap();
    shake(model, world, &mut sim.state_mut().v);
    sim.step(steps).unwrap();
    sim
}

fn together(model: &Model, options: Options, worlds: usize, threads: usize) -> Batch {
    let batch = Batch::new(model, worlds, threads, options.clone()).unwrap();
    for i in 0..worlds {
        shake(model, i, &mut batch.world(i).state_mut().v);
    }
    batch
}

#[test]
fn worlds_of_a_batch_are_simulations_bit_for_bit_on_any_number_of_threads() {
    for (scene, springs, steps) in [("clutter", true, 60), ("soft_pile", false, 12)] {
        let model = Model::from_scene(scene).unwrap();
        let options = Options { step: 2e-3, tangential_springs: springs.into(), ..Options::default() };
        let expected: Vec<Simulation> = (0..5).map(|i| alone(&model, options.clone(), i, steps)).collect();
        for threads in [1, 2, 3, 8] {
            let mut batch = together(&model, options.clone(), 5, threads);
            assert_eq!(batch.threads(), threads.min(5));
            // In one call, or in several, between which the threads sleep.
            for part in [steps / 3, steps - steps / 3] {
                batch.step(part).unwrap();
            }
            for (i, alone) in expected.iter().enumerate() {
                let world = batch.world(i);
                assert_eq!(world.state(), alone.state(), "{scene}, world {i} on {threads} threads");
                assert_eq!(world.contacts(), alone.contacts());
                assert_eq!(world.stats().iterations, alone.stats().iterations);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn saved_batches_continue_bit_for_bit(worlds in 0usize..6, threads in 1usize..4, steps in 0usize..40) {
        let model = Model::from_scene("double_pendulum").unwrap();
        let mut first = together(&model, Options::default(), worlds, threads);
        first.step(steps).unwrap();
        let saved = first.save_state();
        first.step(25).unwrap();
        let mut second = Batch::new(&model, worlds, 1, Options::default()).unwrap();
        second.load_state(&saved).unwrap();
        second.step(25).unwrap();
        prop_assert_eq!(first.save_state(), second.save_state());
        // Truncated data is rejected, and nothing changes.
        for length in (0..saved.len()).step_by(7) {
            prop_assert!(second.load_state(&saved[..length]).is_err());
        }
        prop_assert_eq!(first.save_state(), second.save_state());
    }
}

#[test]
fn a_world_that_fails_stays_where_it_was_and_the_others_go_on() {
    let text =
        r#"<mujoco><worldbody><body><freejoint/><geom size=".1" mass="1"/></body></worldbody></mujoco>"#;
    let model = Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let mut batch = Batch::new(&model, 6, 2, Options::default()).unwrap();
    for bad in [2, 4] {
        batch.world(bad).state_mut().applied[0] = f64::MAX;
        batch.world(bad).state_mut().v[0] = f64::MAX;
    }
    let error = batch.step(10).unwrap_err();
    assert_eq!((error.world, error.failed), (2, 2));
    assert!(matches!(error.error, StepError::NotFinite { .. }));
    assert!(error.to_string().starts_with("world 2: ") && error.to_string().contains("another world"));
    for i in 0..6 {
        let expected = if [2, 4].contains(&i) { 0.0 } else { 0.01 };
        assert!((batch.world(i).state().time - expected).abs() < 1e-12);
        assert_eq!(batch.failure(i).is_some(), [2, 4].contains(&i));
    }
    // After correction, they continue.
    let start = model.default_state();
    for bad in [2, 4] {
        batch.world(bad).reset_to(&start).unwrap();
    }
    batch.step(1).unwrap();
    assert!(batch.failure(2).is_none());
}

#[test]
fn whoever_watches_can_end_a_call_early() {
    let model = Model::from_scene("double_pendulum").unwrap();
    for threads in [1, 2] {
        let mut batch = Batch::new(&model, 4, threads, Options::default()).unwrap();
        let mut asked = 0;
        let mut go_on = || {
            asked += 1;
            asked < 3
        };
        assert_eq!(batch.step_watched(usize::MAX, &mut go_on).unwrap(), Progress::Stopped);
        assert_eq!(asked, 3);
        assert_eq!(batch.step_watched(5, &mut || true).unwrap(), Progress::Done);
    }
}

#[test]
fn batches_run_until_a_time_and_need_no_worlds() {
    let model = Model::from_scene("double_pendulum").unwrap();
    let options = Options { accuracy: Some(1e-3), ..Options::default() };
    let mut batch = together(&model, options.clone(), 3, 2);
    batch.run_until(0.25).unwrap();
    for i in 0..3 {
        assert!((batch.world(i).state().time - 0.25).abs() < 1e-9);
    }
    let mut none = Batch::new(&model, 0, 4, Options::default()).unwrap();
    none.step(10).unwrap();
    assert!(none.is_empty() && Batch::new(&model, 0, 1, Options { step: -1.0, ..options.clone() }).is_err());
}
