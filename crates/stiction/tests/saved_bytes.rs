//! Saved states and models carry a checksum: damage is an error, never another result.

use stiction::{Batch, InputError, LoadError, Model, OptionError, Options, Simulation, StepError};
use stiction_base::random::Random;

#[test]
fn every_flipped_bit_of_a_saved_state_is_an_error() {
    let model = Model::from_scene("stack").unwrap();
    let mut sim = Simulation::new(&model, Options::default()).unwrap();
    sim.step(20).unwrap();
    let saved = sim.save_state();
    let kept = sim.state().clone();
    for bit in 0..8 * saved.len() {
        let mut damaged = saved.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(sim.load_state(&damaged), Err(InputError::State(_))), "bit {bit}");
    }
    for cut in 0..saved.len() {
        assert!(sim.load_state(&saved[..cut]).is_err(), "cut at {cut}");
    }
    assert!(sim.load_state(&[saved.as_slice(), b"more"].concat()).is_err());
    assert_eq!(*sim.state(), kept, "a refused state changes nothing");
    sim.load_state(&saved).unwrap();
}

#[test]
fn flipped_bits_of_a_saved_model_are_errors() {
    let saved = Model::from_scene("gripper").unwrap().to_bytes();
    let mut random = Random::new(5);
    for _ in 0..2000 {
        let mut damaged = saved.clone();
        damaged[random.below(saved.len())] ^= 1 << random.below(8);
        assert!(matches!(Model::from_bytes(&damaged), Err(LoadError::Archive(_))));
    }
    assert!(Model::from_bytes(&saved).is_ok());
}

#[test]
fn more_worlds_than_memory_holds_are_an_error() {
    let model = Model::from_scene("arm").unwrap();
    for worlds in [usize::MAX, 1 << 62, 1 << 45] {
        let outcome = Batch::new(&model, worlds, 1, Options::default());
        assert!(matches!(outcome, Err(OptionError::Memory { .. })), "{worlds}");
    }
}

#[test]
fn a_time_that_steps_do_not_change_is_an_error() {
    let model = Model::from_scene("stack").unwrap();
    for accuracy in [None, Some(1e-3)] {
        let mut sim = Simulation::new(&model, Options { accuracy, ..Options::default() }).unwrap();
        sim.state_mut().time = 1e18;
        let error = sim.run_until(2e18).unwrap_err();
        assert!(matches!(error, StepError::Input(InputError::TimeStandsStill { .. })), "{error}");
    }
}
