//! Pressure-field contact in the step: statics against closed forms, and known problem cases of other simulators.

mod common;
use common::{G, MODELS, model, run, simulation, tight};
use proptest::prelude::*;
use stiction::{Model, Options, Tessellation};

fn compliant(modulus: f64, dissipation: f64, hint: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:compliant_hydroelastic/>\
         <drake:hydroelastic_modulus value=\"{modulus}\"/><drake:hunt_crossley_dissipation value=\"{dissipation}\"/>\
         <drake:relaxation_time value=\"1e-3\"/>\
         <drake:mesh_resolution_hint value=\"{hint}\"/></drake:proximity_properties>"
    )
}

const RIGID: &str = "<drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>";

fn sphere(modulus: f64, hint: f64) -> Model {
    let tags = compliant(modulus, 10.0, hint);
    model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\">{RIGID}</geom><body pos=\"0 0 0.1\"><freejoint/>\
             <geom type=\"sphere\" size=\"0.1\" mass=\"1\">{tags}</geom></body>"
        ),
        "",
    )
}

#[test]
fn a_compliant_sphere_sinks_until_its_pressure_carries_it() {
    // F = (π/3) E d² (3 − 2 d/R): solve for the depth d at F = m g by bisection.
    let (modulus, radius) = (1e5, 0.1);
    let force = |d: f64| std::f64::consts::FRAC_PI_3 * modulus * d * d * (3.0 - 2.0 * d / radius);
    let (mut low, mut high) = (0.0, 0.05);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if force(middle) < G { low = middle } else { high = middle }
    }
    for contact in MODELS {
        for tessellation in [Tessellation::Polygons, Tessellation::Fans, Tessellation::Refined] {
            let options = Options { contact, tessellation, ..tight() };
            let mut sim = simulation(&sphere(modulus, 0.01), options);
            run(&mut sim, 2.0);
            let depth = radius - sim.state().q[2];
            assert!((depth / low - 1.0).abs() < 0.01, "{contact:?} {tessellation:?}: {depth} not {low}");
            let [patch] = &sim.patches()[..] else { panic!("one patch") };
            assert!((patch.force - nalgebra::Vector3::z() * G).norm() < 1e-4 * G, "{:?}", patch.force);
            assert!(patch.moment.norm() < 1e-3 && patch.centroid.xy().norm() < 2e-3);
            assert_eq!(patch.polygons.len(), patch.traction.len());
            assert_eq!((patch.geom_a.0, patch.geom_b.0, patch.body_b), (0, 1, 1));
            // The cut of the sphere at depth d has area π (2 R d − d²).
            let area = std::f64::consts::PI * (2.0 * radius * low - low * low);
            assert!((patch.area / area - 1.0).abs() < 0.05, "{} not {area}", patch.area);
        }
    }
}

fn stack(count: usize, modulus: f64, rigid_every_other: bool) -> Model {
    let tags = compliant(modulus, 10.0, 0.05);
    let mut bodies = format!("<geom type=\"plane\" size=\"5 5 1\" friction=\"0.6 0 0\">{RIGID}</geom>");
    for k in 0..count {
        let z = 0.05 * (2 * k + 1) as f64;
        let tags = if rigid_every_other && k % 2 == 1 { RIGID } else { &tags };
        bodies += &format!(
            "<body pos=\"0 0 {z}\"><freejoint/><geom type=\"box\" size=\"0.05 0.05 0.05\" mass=\"1\" friction=\"0.6 0 0\">{tags}\
             </geom></body>"
        );
    }
    model(&bodies, "")
}

#[test]
fn flat_stacks_neither_chatter_nor_gain_energy() {
    for modulus in [1e6, 1e7, 1e8] {
        for step in [1e-3, 1e-2] {
            for rigid in [false, true] {
                let model = stack(4, modulus, rigid);
                let mut sim = simulation(&model, Options { step, margin: 1e-4, ..Options::default() });
                let begin = sim.energy().total();
                run(&mut sim, 1.0);
                let mut fastest = 0.0_f64;
                for _ in 0..(1.0 / step) as usize {
                    run(&mut sim, step);
                    fastest = sim.state().v.iter().fold(fastest, |m, v| m.max(v.abs()));
                }
                assert!(fastest < 1e-5, "E {modulus}, step {step}, rigid {rigid}: chatters at {fastest}");
                assert!(sim.energy().total() <= begin, "E {modulus}, step {step}: gained energy");
                let patches = sim.patches();
                let ground = &patches[0];
                assert!((ground.force.z / (4.0 * G) - 1.0).abs() < 1e-3, "{:?}", ground.force);
                assert!((ground.area / 0.01 - 1.0).abs() < 1e-6, "{}", ground.area);
            }
        }
    }
}

#[test]
fn a_compliant_box_sticks_on_a_slope_and_slides_on_a_steeper_one() {
    let tags = compliant(1e6, 10.0, 0.05);
    for (angle, slides) in [(0.3_f64, false), (0.7, true)] {
        let quat = format!("{} 0 {} 0", (0.5 * angle).cos(), (0.5 * angle).sin());
        let (x, z) = (0.05 * angle.sin(), 0.05 * angle.cos());
        let model = model(
            &format!(
                "<geom type=\"plane\" size=\"5 5 1\" quat=\"{quat}\" friction=\"0.5 0 0\">{RIGID}</geom>\
                 <body pos=\"{x} 0 {z}\" quat=\"{quat}\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.05\" mass=\"1\" \
                 friction=\"0.5 0 0\">{tags}</geom></body>"
            ),
            "",
        );
        let mut sim = simulation(&model, Options { margin: 1e-4, ..tight() });
        run(&mut sim, 0.5);
        let down =
            |sim: &stiction::Simulation| sim.state().v[0] * angle.cos() - sim.state().v[2] * angle.sin();
        let begin = down(&sim);
        run(&mut sim, 0.2);
        if slides {
            let expected = G * (angle.sin() - 0.5 * angle.cos());
            assert!(((down(&sim) - begin) / 0.2 / expected - 1.0).abs() < 5e-3);
        } else {
            assert!(down(&sim).abs() < 2e-4, "{}", down(&sim));
        }
    }
}

#[test]
fn a_missing_modulus_is_stated() {
    let tags = "<drake:proximity_properties><drake:compliant_hydroelastic/></drake:proximity_properties>";
    let model = model(&format!("<body><freejoint/><geom size=\"0.1\">{tags}</geom></body>"), "");
    assert!(model.warnings().iter().any(|w| w.message.contains("1e7 Pa")), "{:?}", model.warnings());
}

#[test]
fn patches_and_points_live_in_one_step() {
    let tags = compliant(1e6, 10.0, 0.03);
    let model = model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\"/>\
             <body pos=\"0 0 0.1\"><freejoint/><geom type=\"sphere\" size=\"0.1\" mass=\"1\">{tags}</geom></body>\
             <body pos=\"0.5 0 0.1\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"2\"/></body>"
        ),
        "",
    );
    let mut sim = simulation(&model, Options::default());
    run(&mut sim, 1.0);
    assert_eq!(sim.contacts().len(), 4);
    assert_eq!(sim.patches().len(), 1);
    let points: f64 = sim.contacts().iter().map(|c| c.force.z).sum();
    assert!((points / (2.0 * G) - 1.0).abs() < 1e-3 && (sim.patches()[0].force.z / G - 1.0).abs() < 1e-3);
}

#[test]
fn a_soft_pile_gains_no_energy_at_large_steps() {
    let model = Model::from_scene("soft_pile").unwrap();
    for contact in MODELS {
        for tessellation in [Tessellation::Polygons, Tessellation::Fans, Tessellation::Refined] {
            let mut sim =
                simulation(&model, Options { step: 2e-2, contact, tessellation, ..Options::default() });
            let begin = sim.energy().total();
            for _ in 0..100 {
                run(&mut sim, 2e-2);
                assert!(sim.energy().total() <= begin, "{contact:?} {tessellation:?}: gained energy");
            }
            assert!(sim.stats().max_penetration < 0.1, "{}", sim.stats().max_penetration);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    // The front of a body pushes it out and its back pulls it in, not quite as strongly. It comes up, with no more than the energy
    // of the soft columns below it, ½ (E/h) d² over its shadow: neither side does more work than this, for any step
    // length.
    #[test]
    fn what_is_pressed_wholly_into_soft_ground_comes_out_with_no_more_than_was_stored(
        modulus in 4.0..10.0f64, mass in -3.0..0.0f64, depth in 0.08..0.5f64,
        axis in (-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64), spin in (-5.0..5.0f64, -5.0..5.0f64, -5.0..5.0f64),
        contact in prop::sample::select(MODELS.to_vec()),
    ) {
        let (modulus, mass) = (10f64.powf(modulus), 10f64.powf(mass));
        let tags = compliant(modulus, 0.0, 0.05).replace("<drake:mesh", "<drake:slab_thickness value='0.1'/><drake:mesh");
        let world = format!(
            "<geom type='plane' size='5 5 1' friction='0 0 0'>{tags}</geom><body pos='0 0 {}'><freejoint/>\
             <geom type='box' size='0.05 0.04 0.03' mass='{mass}' friction='0 0 0'>{RIGID}</geom></body>",
            -depth
        );
        let mut sim = simulation(&model(&world, ""), Options { step: 1e-2, contact, ..Options::default() });
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(axis.0, axis.1, axis.2));
        let state = sim.state_mut();
        state.q[3..7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        state.v[3..6].copy_from_slice(&[spin.0, spin.1, spin.2]);
        let reach = nalgebra::Vector3::new(0.05, 0.04, 0.03).norm();
        let shadow = 4.0 * (0.05 * 0.04 + 0.04 * 0.03 + 0.05 * 0.03);
        let deepest = depth + reach;
        let stored = 0.5 * modulus / 0.1 * deepest * deepest * shadow;
        let most = sim.energy().kinetic + stored + mass * G * depth;
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..200 {
            sim.step(1).unwrap();
            let (kinetic, z) = (sim.energy().kinetic, sim.state().q[2]);
            prop_assert!(kinetic <= most, "{kinetic} J of {most} J");
            highest = highest.max(z);
        }
        prop_assert!(sim.stats().unconverged == 0 && highest > -0.5 * reach, "only to {highest}");
    }

    // A face along whose normal the pressure hardly changes would be metres deep, p/g, and push on as far in a step. No entry of a
    // step is deeper than twice the depth over which the two pressures rise, 0.05 m at most in each of these.
    #[test]
    fn no_face_is_deeper_than_bodies_are_thick(
        moduli in (4.0..11.0f64, 4.0..11.0f64), masses in (-3.0..2.0f64, -3.0..2.0f64),
        at in (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64), axis in (-3.0..3.0f64, -3.0..3.0f64, -3.0..3.0f64),
        shape in prop::sample::select(vec!["box", "ellipsoid", "cylinder"]), one_is_rigid in any::<bool>(),
        contact in prop::sample::select(MODELS.to_vec()),
    ) {
        let tags = |modulus: f64| compliant(10f64.powf(modulus), 0.0, 0.05);
        let other = if one_is_rigid { RIGID.to_string() } else { tags(moduli.1) };
        let world = format!(
            "<body><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='{}' friction='0 0 0'>{}</geom></body>\
             <body pos='{} {} {}'><freejoint/><geom type='{shape}' size='0.03 0.04 0.05' mass='{}' friction='0 0 0'>{other}</geom>\
             </body>",
            10f64.powf(masses.0), tags(moduli.0), 0.07 * at.0, 0.07 * at.1, 0.07 * at.2, 10f64.powf(masses.1),
        );
        let mut sim = simulation(&model(&world, ""), Options { step: 1e-2, contact, ..Options::default() });
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(axis.0, axis.1, axis.2));
        sim.state_mut().q[10..14].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
        let most = if one_is_rigid { 0.1 } else { 0.2 };
        for _ in 0..5 {
            sim.step(1).unwrap();
            for entry in sim.last_problem().contacts() {
                prop_assert!(entry.elastic_force <= most * entry.stiffness, "{} m", entry.penetration);
            }
            prop_assert!(sim.stats().max_penetration <= most, "{} m", sim.stats().max_penetration);
        }
    }
}
