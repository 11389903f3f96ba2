//! Structures that stand by friction and balance. The full minutes are those of the example `structures`.

mod common;
#[path = "../examples/structures/scenes.rs"]
#[allow(dead_code)]
mod scenes;

use common::{run, simulation};
use scenes::{SETTLING, Structure, arch, card_house, distance, tower};
use stiction::{Format, Model, Options};

/// Largest distance of a body from its place over three seconds after settling, m.
fn drift(structure: &Structure, options: Options) -> f64 {
    let model = Model::from_string(&structure.mjcf, Format::Mjcf, &Default::default()).unwrap();
    let mut sim = simulation(&model, options);
    run(&mut sim, SETTLING);
    let settled = sim.state().q.clone();
    let mut most = 0.0;
    for _ in 0..3 {
        run(&mut sim, 1.0);
        most = f64::max(most, distance(&settled, &sim.state().q));
    }
    most
}

fn stands(structure: &Structure) {
    for step in [5e-3, 1e-2] {
        let moved = drift(structure, Options { step, ..Options::default() });
        assert!(moved < 1e-6, "{}: {moved} m at {step} s", structure.name);
    }
}

#[test]
fn a_tower_of_thirty_boxes_stands() {
    stands(&tower(0.0));
}

#[test]
fn a_card_house_of_three_storeys_stands() {
    stands(&card_house());
}

#[test]
fn an_arch_stands_at_1_05_of_its_least_thickness_and_falls_at_0_95() {
    // Milankovitch's limit of a half circle, which fewer blocks approach from below.
    assert!((scenes::least_thickness(10_001) - 0.1075).abs() < 1e-4);
    assert!(scenes::least_thickness(9) < 0.1075);
    stands(&arch(1.05));
    let model = Model::from_string(&arch(0.95).mjcf, Format::Mjcf, &Default::default()).unwrap();
    let mut sim = simulation(&model, Options { step: 5e-3, ..Options::default() });
    let begin = sim.state().q.clone();
    run(&mut sim, 3.0);
    let moved = distance(&begin, &sim.state().q);
    assert!(moved > 0.1, "the thin arch stands; it moved by {moved} m");
}
