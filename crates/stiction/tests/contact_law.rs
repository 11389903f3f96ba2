//! Contact laws of a file or a calibration: effect on a bounce and on friction in an impact, and guarantees.

use proptest::prelude::*;
use stiction::model::{
    Body, ContactCalibration, ContactProperties, Dissipation, FrictionCalibration, Geom, Inertia, Joint,
    JointKind, Shape, World,
};
use stiction::{LearnedContact, Model, Options, Simulation};

const MASS: f64 = 0.4;
const RADIUS: f64 = 0.05;

/// A ball just above a floor, without gravity.
fn ball(stiffness: f64, relaxation_time: f64, friction: f64, law: Option<ContactCalibration>) -> Model {
    let mut world = World::new("ball");
    world.options.gravity = nalgebra::Vector3::zeros();
    world.options.contact_law = law;
    let contact = ContactProperties {
        stiffness: Some(2.0 * stiffness),
        relaxation_time: Some(0.5 * relaxation_time),
        dissipation: Some(0.0),
        static_friction: Some(friction),
        dynamic_friction: Some(friction),
        ..Default::default()
    };
    let mut floor = Geom::new("floor", 0, Shape::HalfSpace { size: [0.0; 2] });
    floor.contact = contact;
    let mut body = Body::new("ball", 0);
    body.joints.push(Joint::new("free", JointKind::Free));
    let rotational = nalgebra::Matrix3::identity() * (0.4 * MASS * RADIUS * RADIUS);
    body.inertia = Inertia { mass: MASS, com: nalgebra::Vector3::zeros(), rotational };
    let mut geom = Geom::new("ball", 1, Shape::Sphere { radius: RADIUS });
    geom.contact = contact;
    world.bodies.push(body);
    world.geoms.extend([floor, geom]);
    Model::new(world).expect("a ball and a floor")
}

/// Lets the ball hit the floor with this velocity. Returns the velocity after the impact.
fn bounce(model: &Model, options: Options, velocity: [f64; 3]) -> Vec<f64> {
    let mut simulation = Simulation::new(model, options.clone()).expect("fine options");
    let state = simulation.state_mut();
    state.q[2] = RADIUS + 1e-9;
    state.v[..3].copy_from_slice(&velocity);
    simulation.run_until(0.1).expect("it bounces");
    simulation.state().v.clone()
}

#[test]
fn linear_dissipation_bounces_alike_at_every_speed_as_theory_says() {
    // m ẍ = −k (x + τ ẋ) until the force vanishes (Schwager and Pöschel 2007): ω_d t* = atan2(2ζ√(1−ζ²), 2ζ² − 1),
    // e = exp(−ζ ω t*).
    let (stiffness, tau): (f64, f64) = (2e4, 4e-3);
    let omega = (stiffness / MASS).sqrt();
    let zeta = 0.5 * tau * omega;
    let root = (1.0 - zeta * zeta).sqrt();
    let angle = (2.0 * zeta * root).atan2(2.0 * zeta * zeta - 1.0);
    let expected = (-zeta / root * angle).exp();
    let law = ContactCalibration { dissipation: Dissipation::Linear, ..ContactCalibration::default() };
    let model = ball(stiffness, tau, 0.0, Some(law));
    for speed in [0.1, 1.0, 5.0] {
        let after = bounce(&model, Options { step: 1e-6, ..Options::default() }, [0.0, 0.0, -speed]);
        let e = after[2] / speed;
        assert!((e - expected).abs() < 2e-3, "{e} at {speed} m/s, {expected} expected");
    }
}

#[test]
fn a_second_pass_gives_an_impact_its_whole_friction() {
    // A ball that slips throughout: the horizontal impulse is μ times the vertical one.
    let (mu, step) = (0.1, 2e-3);
    let miss = |passes: u32, automatic: usize| {
        let law = ContactCalibration { friction_passes: passes, ..ContactCalibration::default() };
        let model = ball(1e6, 0.0, mu, Some(law));
        let after = bounce(
            &model,
            Options { step, friction_passes: automatic, ..Options::default() },
            [5.0, 0.0, -1.0],
        );
        ((5.0 - after[0]) / (1.0 + after[2]) / mu - 1.0).abs()
    };
    assert!(miss(1, 0) > 0.1, "friction lags: {}", miss(1, 0));
    assert!(miss(2, 0) < 1e-3, "{}", miss(2, 0));
    let automatic = Options::default().friction_passes;
    assert!(miss(1, automatic) < 1e-3, "{}", miss(1, automatic));
}

#[test]
fn the_law_of_the_options_goes_before_the_files() {
    let linear = ContactCalibration { dissipation: Dissipation::Linear, ..ContactCalibration::default() };
    let model = ball(2e4, 4e-3, 0.0, Some(linear));
    let options = Options { step: 1e-5, ..Options::default() };
    let file = bounce(&model, options.clone(), [0.0, 0.0, -1.0])[2];
    let plain = bounce(
        &model,
        Options { law: Some(ContactCalibration::default()), ..options.clone() },
        [0.0, 0.0, -1.0],
    )[2];
    assert!(file < 0.9 && plain > 0.99, "{file} {plain}");
}

#[test]
fn the_calibrated_cube_is_the_same_from_its_scene_and_from_its_contact() {
    let model = Model::from_scene("cube_toss").expect("built in");
    let contact = LearnedContact::load("cube").expect("built in");
    let end = |options: Options| {
        let mut simulation = Simulation::new(&model, options.clone()).expect("fine options");
        simulation.state_mut().v.copy_from_slice(&[1.0, 0.2, -1.0, 3.0, -2.0, 1.0]);
        simulation.step(600).expect("it tumbles");
        simulation.state().q.clone()
    };
    let options = Options { step: 1.0 / 1480.0, ..Options::default() };
    let (scene, learned) = (end(options.clone()), end(contact.options(options)));
    for (a, b) in scene.iter().zip(&learned) {
        assert!((a - b).abs() < 1e-6, "{scene:?} {learned:?}");
    }
}

fn spin(simulation: &Simulation) -> f64 {
    simulation.state().v[3..6].iter().map(|w| w * w).sum::<f64>().sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_weights_make_contact_pull_or_friction_push(
        weights in prop::array::uniform9(-100.0f64..100.0),
        passes in 1u32..4,
        linear in any::<bool>(),
        v in prop::array::uniform6(-4.0f64..4.0),
    ) {
        let dissipation = if linear { Dissipation::Linear } else { Dissipation::HuntCrossley };
        let friction = FrictionCalibration::from_weights(weights);
        let law = ContactCalibration { dissipation, friction, friction_passes: passes, ..ContactCalibration::default() };
        let model = Model::from_scene("cube_toss").expect("built in");
        let options = Options { step: 1e-3, law: Some(law), ..Options::default() };
        let mut simulation = Simulation::new(&model, options.clone()).expect("fine options");
        let state = simulation.state_mut();
        state.q[2] = 0.09;
        state.v.copy_from_slice(&v);
        let mut most = simulation.energy().total();
        let (dt, reach) = (1e-3, 0.05134 * 3f64.sqrt());
        for _ in 0..300 {
            let before = spin(&simulation);
            simulation.step(1).expect("it tumbles");
            for contact in simulation.contacts() {
                let normal = contact.force.dot(&contact.normal);
                let tangential = (contact.force - normal * contact.normal).norm();
                prop_assert!(normal >= 0.0);
                prop_assert!(contact.force.dot(&contact.slip) <= 1e-9 * (1.0 + tangential));
            }
            prop_assert!(simulation.last_report().converged);
            // The step assumes that depths are linear in the velocities. A corner also rotates: in dt it becomes at
            // most ω² r dt²/2 deeper, against the contact force. No other energy is gained.
            let load: f64 = simulation.contacts().iter().map(|c| c.force.dot(&c.normal)).sum();
            most += load * before.max(spin(&simulation)).powi(2) * reach * dt * dt;
            let now = simulation.energy().total() + simulation.contact_energy();
            prop_assert!(now <= most + 1e-6, "{now} of {most} J");
        }
    }
}
