//! Variants of models are the models that a file with their numbers describes.

use std::sync::Arc;
use stiction::randomization::{Distribution, Quantity, Range};
use stiction::{
    Batch, ContactChange, Format, GeomId, InputError, LoadOptions, Model, Options, Simulation, Variation,
};

struct Numbers {
    gravity: f64,
    mass: f64,
    radius: f64,
    friction: f64,
    stiffness: f64,
    modulus: f64,
}

const BASE: Numbers =
    Numbers { gravity: 9.81, mass: 0.7, radius: 0.1, friction: 0.4, stiffness: 3e4, modulus: 2e5 };

/// A spinning ball that falls on a plane and, beside it, a compliant one.
fn model(n: &Numbers) -> Model {
    let Numbers { gravity, mass, radius, friction, stiffness, modulus } = n;
    let text = format!(
        r#"<mujoco model="balls" xmlns:drake="http://drake.mit.edu"><option gravity="0 0 -{gravity}"/><worldbody>
          <geom name="ground" type="plane" size="0 0 1" friction="0.1"/>
          <body name="ball" pos="0 0 0.12"><freejoint/>
            <geom name="ball" type="sphere" size="{radius}" mass="{mass}" friction="{friction}">
              <drake:proximity_properties><drake:point_contact_stiffness value="{stiffness}"/></drake:proximity_properties>
            </geom></body>
          <body name="soft" pos="1 0 0.1"><freejoint/>
            <geom name="soft" type="sphere" size="0.1" mass="1"><drake:proximity_properties>
              <drake:compliant_hydroelastic/><drake:hydroelastic_modulus value="{modulus}"/>
            </drake:proximity_properties></geom></body>
        </worldbody></mujoco>"#
    );
    let options = LoadOptions { strict: true, ..LoadOptions::default() };
    Model::from_string(&text, Format::Mjcf, &options).unwrap()
}

fn geom(model: &Model, name: &str) -> usize {
    model.world().geoms.iter().position(|g| g.name == name).unwrap()
}

fn run(model: &Model) -> Vec<f64> {
    let mut sim = Simulation::new(model, Options { step: 2e-3, ..Options::default() }).unwrap();
    sim.state_mut().v[..6].copy_from_slice(&[0.5, 0.2, 0.0, 3.0, -4.0, 9.0]);
    let mut all = Vec::new();
    for _ in 0..200 {
        sim.step(1).unwrap();
        all.extend_from_slice(&sim.state().q);
        all.extend_from_slice(&sim.state().v);
    }
    assert!(sim.stats().points > 20 && sim.stats().faces > 20);
    all
}

#[test]
fn a_variant_moves_as_the_file_with_its_numbers_bit_for_bit() {
    let base = model(&BASE);
    let (ball, soft) = (geom(&base, "ball"), geom(&base, "soft"));
    let contact =
        |change: ContactChange| Variation { contacts: [(ball, change)].into(), ..Variation::default() };
    let friction =
        ContactChange { static_friction: Some(0.9), dynamic_friction: Some(0.9), ..Default::default() };
    let stiffness = ContactChange { stiffness: Some(5e4), ..Default::default() };
    let modulus = ContactChange { modulus: Some(3e5), ..Default::default() };
    // Powers of two keep the inertia's rounding as it is.
    let mass = [(1, 2.0 * BASE.mass)].into();
    let cases = [
        (
            Numbers { gravity: 1.62, ..BASE },
            Variation { gravity: Some([0.0, 0.0, -1.62]), ..Variation::default() },
        ),
        (Numbers { mass: 2.0 * BASE.mass, ..BASE }, Variation { masses: mass, ..Variation::default() }),
        (
            Numbers { radius: 0.5 * BASE.radius, ..BASE },
            Variation { sizes: [(ball, 0.5)].into(), ..Variation::default() },
        ),
        (Numbers { friction: 0.9, ..BASE }, contact(friction)),
        (Numbers { stiffness: 5e4, ..BASE }, contact(stiffness)),
        (
            Numbers { modulus: 3e5, ..BASE },
            Variation { contacts: [(soft, modulus)].into(), ..Variation::default() },
        ),
    ];
    let before = run(&base);
    for (k, (numbers, variation)) in cases.into_iter().enumerate() {
        let variant = base.varied(&variation).unwrap();
        let (found, expected) = (run(&variant), run(&model(&numbers)));
        assert!(found == expected, "case {k}");
        assert!(found != before, "case {k} changes something");
        assert!(variant.warnings().len() == base.warnings().len());
        // Another process gets the same.
        let restored = Model::from_bytes(&variant.to_bytes()).unwrap();
        assert_eq!((restored.fingerprint(), restored.family()), (variant.fingerprint(), base.family()));
        assert!(run(&restored) == found);
    }
    assert!(run(&base) == before, "the model itself stays as it is");
}

#[test]
fn variants_share_what_is_the_same() {
    let base = Model::from_scene("gripper_banana").unwrap();
    let change = ContactChange { dynamic_friction: Some(0.3), ..Default::default() };
    let variant = base.varied(&Variation { contacts: [(0, change)].into(), ..Variation::default() }).unwrap();
    assert!(std::ptr::eq(base.multibody(), variant.multibody()));
    assert!(!base.world().meshes.is_empty());
    for (a, b) in base.world().meshes.iter().zip(&variant.world().meshes) {
        assert!(Arc::ptr_eq(a, b));
    }
    let solids = (0..base.world().geoms.len())
        .filter_map(|g| Some((base.solid(GeomId(g))?, variant.solid(GeomId(g))?)));
    assert!(solids.map(|(a, b)| assert!(std::ptr::eq(a, b))).count() > 0);
    let empty = base.varied(&Variation::default()).unwrap();
    assert_eq!(empty.fingerprint(), base.fingerprint());
}

#[test]
fn a_simulation_goes_on_with_a_variant_and_its_states_fit() {
    let base = model(&BASE);
    let moon = base.varied(&Variation { gravity: Some([0.0, 0.0, -1.62]), ..Variation::default() }).unwrap();
    let mut sim = Simulation::new(&base, Options::default()).unwrap();
    sim.step(50).unwrap();
    let (saved, v) = (sim.save_state(), sim.state().v[2]);
    sim.set_model(&moon).unwrap();
    sim.step(1).unwrap();
    assert!((sim.state().v[2] - (v - 1.62e-3)).abs() < 1e-15);
    let mut other = Simulation::new(&moon, Options::default()).unwrap();
    other.load_state(&saved).unwrap();
    other.step(1).unwrap();
    assert_eq!(other.state(), sim.state());
    let stranger = model(&Numbers { mass: 0.8, ..BASE });
    assert!(matches!(sim.set_model(&stranger), Err(InputError::Variant(_))));
    assert!(matches!(
        Simulation::new(&stranger, Options::default()).unwrap().load_state(&saved),
        Err(InputError::State(_))
    ));
}

#[test]
fn what_cannot_be_changed_is_said() {
    let base = model(&BASE);
    let (ground, ball) = (geom(&base, "ground"), geom(&base, "ball"));
    let said = |variation: Variation| base.varied(&variation).err().unwrap().to_string();
    let change = |c: ContactChange| said(Variation { contacts: [(ball, c)].into(), ..Variation::default() });
    assert!(said(Variation { masses: [(0, 1.0)].into(), ..Variation::default() }).contains("from 1 to 2"));
    assert!(
        said(Variation { masses: [(1, -1.0)].into(), ..Variation::default() })
            .contains("positive number of kg")
    );
    assert!(
        said(Variation { sizes: [(ground, 2.0)].into(), ..Variation::default() }).contains("is a half-space")
    );
    assert!(said(Variation { sizes: [(99, 2.0)].into(), ..Variation::default() }).contains("no geom 99"));
    assert!(change(ContactChange { modulus: Some(1e5), ..Default::default() }).contains("no pressure field"));
    assert!(
        change(ContactChange { static_friction: Some(-0.1), ..Default::default() })
            .contains("zero or a positive")
    );
    assert!(
        change(ContactChange { stiffness: Some(f64::NAN), ..Default::default() }).contains("positive number")
    );
    // A body with several geoms keeps its inertia, and a warning is issued.
    let clutter = Model::from_scene("gripper").unwrap();
    let text = r#"<mujoco><worldbody><body name="b"><freejoint/><geom name="g" size=".1"/><geom size=".1" pos=".2 0 0"/></body></worldbody></mujoco>"#;
    let two = Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let larger = two.varied(&Variation { sizes: [(0, 1.5)].into(), ..Variation::default() }).unwrap();
    assert!(larger.warnings()[two.warnings().len()].message.contains("inertia of \"b\" stays"));
    assert!(clutter.varied(&Variation { sizes: [(0, 1.5)].into(), ..Variation::default() }).is_ok());
}

fn range(quantity: Quantity, target: usize) -> Range {
    Range { quantity, target, low: 0.5, high: 1.5, distribution: Distribution::Uniform }
}

#[test]
fn worlds_drawn_at_random_are_functions_of_seed_and_number_and_move_as_their_variants() {
    let base = model(&BASE);
    let ball = geom(&base, "ball");
    let (mass, friction) = (range(Quantity::Mass, 1), range(Quantity::Friction, ball));
    let all = [
        mass,
        friction,
        range(Quantity::Stiffness, ball),
        range(Quantity::Size, ball),
        range(Quantity::Stiffness, geom(&base, "soft")),
    ];
    let mut batch = Batch::new(&base, 6, 2, Options { step: 2e-3, ..Options::default() }).unwrap();
    batch.randomize(&[0, 1, 2, 3, 4, 5], 7, &all).unwrap();
    // Fewer worlds, another order, fewer quantities: the random values are the same.
    let mut other = Batch::new(&base, 4, 1, Options::default()).unwrap();
    other.randomize(&[3, 1], 7, &[friction]).unwrap();
    other.randomize(&[1], 7, &[mass]).unwrap();
    let drawn = |b: &Batch, w: usize| b.variation(w).contacts[&ball].dynamic_friction;
    assert_eq!((drawn(&batch, 3), drawn(&batch, 1)), (drawn(&other, 3), drawn(&other, 1)));
    assert_eq!(batch.variation(1).masses, other.variation(1).masses);
    assert!(other.variation(0).is_empty() && drawn(&batch, 0) != drawn(&batch, 1));

    batch.step(120).unwrap();
    for world in 0..6 {
        let mut alone =
            Simulation::new(&base.varied(batch.variation(world)).unwrap(), batch.options().clone()).unwrap();
        alone.step(120).unwrap();
        assert_eq!(batch.world(world).state(), alone.state());
    }
    // Saved with their differences, they continue bit for bit in a batch that had others.
    let saved = batch.save_state();
    batch.step(30).unwrap();
    let mut third = Batch::new(&base, 6, 1, batch.options().clone()).unwrap();
    third.randomize(&[2, 5], 8, &all).unwrap();
    third.load_state(&saved).unwrap();
    third.step(30).unwrap();
    assert_eq!(third.save_state(), batch.save_state());
    // An invalid range changes no world.
    assert!(third.randomize(&[0, 1], 1, &[range(Quantity::Size, 0)]).is_err());
    assert_eq!(third.save_state(), batch.save_state());
}
