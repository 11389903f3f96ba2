//! Rigid contact of a model at a state, and rigid motion from impact to impact.

use nalgebra::DVector;
use stiction::rigid::{Flight, FlightOptions, RigidContactError, TouchKind};
use stiction::{Format, GeomId, LoadOptions, Model};

fn model(body: &str) -> Model {
    let text = format!(
        r#"<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" friction="0.5"/>{body}</worldbody></mujoco>"#
    );
    Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap()
}

fn cube(height: f64) -> Model {
    model(&format!(
        r#"<body pos="0 0 {height}"><freejoint/><geom name="cube" type="box" size="0.5 0.5 0.5" friction="0.8"/></body>"#
    ))
}

#[test]
fn a_cube_on_the_floor_touches_at_its_corners_with_the_larger_friction() {
    let model = cube(0.5);
    let mut state = model.default_state();
    state.v.copy_from_slice(&[0.1, 0.0, -1.0, 0.0, 0.0, 0.0]);
    let touching = model.touching(&state, 1e-6).unwrap();
    assert_eq!(touching.kinds.len(), 4);
    let u = touching.instant.contact_velocity();
    for (c, kind) in touching.kinds.iter().enumerate() {
        let TouchKind::Point { contact, geoms } = kind else { panic!("a point") };
        assert_eq!(*geoms, (GeomId(0), GeomId(1)));
        assert_eq!(contact.friction[0], 0.8); // MJCF takes the larger
        assert!((u[3 * c + 2] + 1.0).abs() < 1e-14 && (u[3 * c] - 0.1).abs() < 1e-14);
        assert!(touching.name(&model, c).starts_with("floor – cube at"));
    }
    assert!(cube(0.6).touching(&cube(0.6).default_state(), 1e-6).unwrap().kinds.is_empty());
}

#[test]
fn a_falling_cube_arrives_when_free_fall_says_and_all_corners_at_once() {
    let model = cube(1.0);
    let mut state = model.default_state();
    let mut flight = Flight::new(&model, FlightOptions { step: 1e-4, ..FlightOptions::default() }).unwrap();
    let touching = flight.next_impact(&mut state, 2.0).unwrap().unwrap();
    assert_eq!(touching.kinds.len(), 4);
    // Steps of 0.1 ms: first order in time.
    let expected = (2.0 * 0.5 / 9.81f64).sqrt();
    assert!((state.time - expected).abs() < 1e-4, "{} {expected}", state.time);
    assert!((state.q[2] - 0.5).abs() < 1e-6);
    // After it is stopped it stays at rest, without further impacts.
    state.v.fill(0.0);
    assert!(flight.next_impact(&mut state, 1.0).unwrap().is_none());
    assert!((state.time - 1.0).abs() < 1e-9 && (state.q[2] - 0.5).abs() < 2e-6);
}

#[test]
fn a_sliding_cube_slows_down_by_friction_between_impacts() {
    let model = cube(0.5);
    let mut state = model.default_state();
    state.v[0] = 2.0;
    let mut flight = Flight::new(&model, FlightOptions::default()).unwrap();
    assert!(flight.next_impact(&mut state, 0.1).unwrap().is_none());
    assert!((state.v[0] - (2.0 - 0.8 * 9.81 * 0.1)).abs() < 1e-6, "{}", state.v[0]);
}

#[test]
fn a_joint_at_its_stop_is_a_contact_without_friction() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody><body><joint name="pin" type="hinge" axis="0 1 0" range="0 1" limited="true"/>
        <geom type="sphere" size="0.1" pos="0 0 -1"/></body></worldbody></mujoco>"#;
    let model = Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let mut state = model.default_state();
    state.v[0] = -2.0;
    let touching = model.touching(&state, 1e-6).unwrap();
    assert_eq!(touching.kinds, vec![TouchKind::Stop { dof: 0, sign: 1.0 }]);
    assert_eq!(touching.instant.contact_velocity()[2], -2.0);
    assert_eq!(touching.name(&model, 0), "stop of joint pin");
    let stopped = touching.instant.velocity_after(&DVector::from_vec(vec![
        0.0,
        0.0,
        2.0 * touching.instant.mass()[(0, 0)],
    ]));
    assert!(stopped[0].abs() < 1e-14);
}

#[test]
fn what_rigid_contact_does_not_take_in_is_told() {
    let looped = Model::from_scene("four_bar").unwrap();
    assert!(matches!(looped.touching(&looped.default_state(), 1e-6), Err(RigidContactError::Equality(_))));
    let cube = cube(0.5);
    assert!(matches!(
        cube.touching(&cube.default_state(), -1.0),
        Err(RigidContactError::Option { what: "touch", .. })
    ));
    let mut state = cube.default_state();
    state.v[0] = f64::NAN;
    assert!(matches!(cube.touching(&state, 1e-6), Err(RigidContactError::Input(_))));
    let bad = FlightOptions { step: 0.0, ..FlightOptions::default() };
    assert!(Flight::new(&cube, bad).is_err());
}
