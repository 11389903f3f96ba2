//! Forces applied at points.

use nalgebra::Vector3;
use proptest::prelude::*;
use stiction::{InputError, Model, Options, Simulation};

proptest! {
    #[test]
    fn an_applied_force_has_the_power_of_its_point(
        q in prop::collection::vec(-1.5f64..1.5, 7),
        v in prop::collection::vec(-2.0f64..2.0, 7),
        body in 0usize..8,
        force in prop::array::uniform3(-10.0f64..10.0),
        point in prop::array::uniform3(-1.0f64..1.0),
    ) {
        let model = Model::from_scene("arm").unwrap();
        let mut sim = Simulation::new(&model, Options::default()).unwrap();
        sim.state_mut().q.clone_from(&q);
        sim.state_mut().v.clone_from(&v);
        let (force, point) = (Vector3::from(force), Vector3::from(point));
        sim.apply_force(body, force, point).unwrap();
        // τ · v = f · v_p: virtual work.
        let power: f64 = sim.state().applied.iter().zip(&v).map(|(tau, v)| tau * v).sum();
        let workspace = model.at(&q, &v).unwrap();
        let expected = force.dot(&model.multibody().point_velocity(&workspace, body, &point));
        prop_assert!((power - expected).abs() < 1e-10 * (1.0 + expected.abs()), "{power} {expected}");
        // A second force adds to it.
        let one = sim.state().applied.clone();
        sim.apply_force(body, force, point).unwrap();
        prop_assert!(sim.state().applied.iter().zip(&one).all(|(two, one)| (two - 2.0 * one).abs() < 1e-12 * (1.0 + one.abs())));
    }
}

#[test]
fn wrong_bodies_and_numbers_are_refused() {
    let model = Model::from_scene("arm").unwrap();
    let mut sim = Simulation::new(&model, Options::default()).unwrap();
    let fine = Vector3::zeros();
    assert!(matches!(sim.apply_force(99, fine, fine), Err(InputError::Name { .. })));
    let bad = Vector3::new(0.0, f64::NAN, 0.0);
    assert!(matches!(
        sim.apply_force(1, bad, fine),
        Err(InputError::NotFinite { what: "force", index: 1, .. })
    ));
    assert!(matches!(sim.apply_force(1, fine, bad), Err(InputError::NotFinite { what: "point", .. })));
    assert!(sim.state().applied.iter().all(|f| *f == 0.0));
}
