//! Trajectories are the same bits on any number of threads and across saving and loading at any time.

use std::sync::Arc;
use stiction::contact_law::DacLaw;
use stiction::{Batch, ContactModel, Format, LoadOptions, Model, Options, Simulation, TrajectoryHash};
use stiction_base::random::Random;

/// Test cases: points with springs, patches, limits and motors of a humanoid, a closed loop, sensors and a tree.
fn cases() -> Vec<(&'static str, Options, usize)> {
    let at = |step: f64| Options { step, ..Options::default() };
    vec![
        ("clutter", Options { tangential_springs: true.into(), ..at(2e-3) }, 120),
        ("clutter", Options { contact: ContactModel::Similar, margin: 1e-3, ..at(5e-3) }, 60),
        ("soft_pile", at(2e-3), 12),
        ("humanoid", Options { contact: ContactModel::Sap, ..at(2e-3) }, 120),
        ("four_bar", at(1e-3), 120),
        ("assistive_arm", at(2e-3), 60),
        ("stack", Options { accuracy: Some(1e-3), ..at(1e-3) }, 30),
    ]
}

fn shake(model: &Model, world: usize, v: &mut [f64]) {
    for (k, v) in v.iter_mut().enumerate() {
        *v = 0.3 * ((world * model.nv() + k) as f64 * 0.7).sin();
    }
}

/// The hash of states and sensors, when the simulation is saved and resumed in a new one before each of the steps
/// `stops`.
fn hash(make: &dyn Fn() -> Simulation, steps: usize, stops: &[usize]) -> u64 {
    let mut sim = make();
    let model = sim.model().clone();
    shake(&model, 0, &mut sim.state_mut().v);
    let mut hash = TrajectoryHash::default();
    for k in 0..steps {
        if stops.contains(&k) {
            let saved = sim.save_state();
            sim = make();
            sim.load_state(&saved).unwrap();
        }
        sim.step(1).unwrap();
        hash.add(sim.state());
        hash.add_numbers(sim.sensors());
    }
    hash.value()
}

/// Some steps before which to stop, other ones for every case.
fn stops(seed: usize, steps: usize) -> Vec<usize> {
    let mut random = Random(seed as u64);
    (0..4).map(|_| random.below(steps)).collect()
}

#[test]
fn saving_and_loading_at_random_times_leaves_the_trajectory_as_it_is() {
    for (number, (scene, options, steps)) in cases().into_iter().enumerate() {
        let model = Model::from_scene(scene).unwrap();
        let make = || Simulation::new(&model, options.clone()).unwrap();
        let stops = stops(number, steps);
        assert_eq!(hash(&make, steps, &[]), hash(&make, steps, &stops), "{scene}, stopped before {stops:?}");
    }
}

#[test]
fn saving_and_loading_leaves_a_trajectory_under_a_learned_law_as_it_is() {
    let text = "<mujoco><worldbody><geom type=\"plane\" size=\"5 5 1\"/><body pos=\"0 0 0.1\"><freejoint/>\
                <geom type=\"box\" size=\"0.1 0.08 0.06\" mass=\"1\"/></body></worldbody></mujoco>";
    let model = Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let law = Arc::new(DacLaw::coulomb(0.4));
    let make = || {
        let mut sim = Simulation::new(&model, Options { step: 2e-3, ..Options::default() }).unwrap();
        sim.set_contact_law(Some(law.clone())).unwrap();
        sim
    };
    assert_eq!(hash(&make, 300, &[]), hash(&make, 300, &[17, 60, 61, 222]));
}

#[test]
fn trajectories_are_the_same_on_one_two_and_four_threads() {
    for (scene, options, steps) in cases() {
        let model = Model::from_scene(scene).unwrap();
        let run = |threads: usize| {
            let mut batch = Batch::new(&model, 4, threads, options.clone()).unwrap();
            for world in 0..4 {
                shake(&model, world, &mut batch.world(world).state_mut().v);
            }
            let mut hashes = [TrajectoryHash::default(); 4];
            for _ in 0..steps / 3 {
                batch.step(1).unwrap();
                for (world, hash) in hashes.iter_mut().enumerate() {
                    hash.add(batch.world(world).state());
                }
            }
            hashes
        };
        let one = run(1);
        assert_eq!(one, run(2), "{scene}");
        assert_eq!(one, run(4), "{scene}");
        let mut alone = Simulation::new(&model, options.clone()).unwrap();
        shake(&model, 3, &mut alone.state_mut().v);
        let mut hash = TrajectoryHash::default();
        for _ in 0..steps / 3 {
            alone.step(1).unwrap();
            hash.add(alone.state());
        }
        assert_eq!(one[3], hash, "{scene}: a world of a batch, and the same alone");
    }
}
