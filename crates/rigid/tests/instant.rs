//! Instants of compiled models: Jacobians, masses, velocities.

use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3};
use std::sync::Arc;
use stiction_geometry::{CollisionRules, Geom, GeomSet, Proximity, Shape};
use stiction_model::{Body, Inertia, Joint, JointKind, World};
use stiction_multibody::{Multibody, Workspace};
use stiction_rigid::{Instant, PointContact, RigidError, tangents, touching};

/// A free cube of 2 kg and a rod that hangs on the world by a hinge.
fn world() -> World {
    let mut world = World::new("two");
    let mut cube = Body::new("cube", 0);
    cube.inertia =
        Inertia { mass: 2.0, com: Vector3::new(0.1, 0.0, 0.05), rotational: Matrix3::identity() * 0.3 };
    cube.joints.push(Joint::new("cube", JointKind::Free));
    world.bodies.push(cube);
    let mut rod = Body::new("rod", 0);
    rod.inertia =
        Inertia { mass: 1.0, com: Vector3::new(0.0, 0.0, -0.5), rotational: Matrix3::identity() * 0.1 };
    rod.joints.push(Joint::new("pin", JointKind::Hinge { axis: Vector3::y() }));
    world.bodies.push(rod);
    world
}

fn contacts() -> Vec<PointContact> {
    vec![
        PointContact::new(0, 1, Vector3::new(0.5, 0.2, 0.0), Vector3::z(), 0.7),
        PointContact::new(2, 1, Vector3::new(0.3, 0.0, -0.4), Vector3::new(0.6, 0.0, 0.8), 0.2),
    ]
}

#[test]
fn contact_velocities_are_those_of_the_bodies_points_and_momentum_is_exchanged() {
    let world = world();
    let multibody = Multibody::new(&world).unwrap();
    let mut ws = Workspace::new(&multibody);
    let q = [0.1, 0.2, 0.3, 0.5, 0.5, -0.5, 0.5, 0.4];
    let v = [0.3, -0.2, 0.5, 1.0, -2.0, 0.7, 0.9];
    multibody.positions(&q, &mut ws);
    let instant = Instant::new(&multibody, &mut ws, &v, &contacts()).unwrap();
    let u = instant.contact_velocity();
    multibody.velocities(&v, &mut ws);
    for (k, c) in contacts().iter().enumerate() {
        let relative = multibody.point_velocity(&ws, c.body_b, &c.point)
            - multibody.point_velocity(&ws, c.body_a, &c.point);
        assert!((c.frame.tr_mul(&relative) - u.fixed_rows::<3>(3 * k)).norm() < 1e-14);
    }
    // The same instant from its matrices has the same operator.
    let again = Instant::from_matrices(
        instant.mass().clone(),
        instant.jacobian().clone(),
        instant.friction().to_vec(),
        instant.velocity().clone(),
    )
    .unwrap();
    assert!((instant.delassus() - again.delassus()).amax() < 1e-13);
    // u⁺ = u + W Λ and the change of energy is Λ·(u + u⁺)/2.
    let impulse = DVector::from_vec(vec![0.1, -0.2, 0.5, 0.3, 0.0, 0.4]);
    let after = instant.velocity_after(&impulse);
    let moved = instant.clone().with_velocity(after.clone()).unwrap().contact_velocity();
    assert!((&u + instant.delassus() * &impulse - &moved).amax() < 1e-13);
    let gained = instant.kinetic_energy(&after) - instant.kinetic_energy(instant.velocity());
    assert!((gained - 0.5 * impulse.dot(&(&u + &moved))).abs() < 1e-13);
}

#[test]
fn contacts_are_found_within_the_tolerance() {
    let geoms = vec![
        Geom::new(Shape::HalfSpace, 0, nalgebra::Isometry3::identity()),
        Geom::new(Shape::cuboid(Vector3::repeat(0.5)).unwrap(), 1, nalgebra::Isometry3::identity()),
    ];
    let set = Arc::new(GeomSet::new(geoms, &CollisionRules::default()).unwrap());
    let mut proximity = Proximity::new(set.clone());
    let mut points = Vec::new();
    for (height, expected) in [(0.5 + 0.5e-6, 4), (0.5 + 2e-6, 0), (0.4999, 4)] {
        proximity
            .update(&[nalgebra::Isometry3::identity(), nalgebra::Isometry3::translation(0.0, 0.0, height)]);
        proximity.contacts(1e-3, &mut points);
        let found = touching(&points, &set, 1e-6, |a, b| if (a, b) == (0, 1) { 0.4 } else { 0.0 });
        assert_eq!(found.len(), expected);
        for c in &found {
            assert_eq!((c.body_a, c.body_b, c.friction), (0, 1, Vector2::repeat(0.4)));
            assert!((c.normal() - Vector3::z()).norm() < 1e-15);
        }
    }
}

#[test]
fn frames_are_right_handed_rotations() {
    for n in [Vector3::z(), Vector3::x(), -Vector3::y(), Vector3::new(0.6, -0.48, 0.64)] {
        let frame = tangents(&n);
        assert!((frame.determinant() - 1.0).abs() < 1e-15);
        assert!((frame.transpose() * frame - Matrix3::identity()).norm() < 1e-15);
    }
    assert_eq!(tangents(&Vector3::z()), Matrix3::identity());
    let turned =
        PointContact::new(0, 1, Vector3::zeros(), Vector3::z(), 0.5).along(&Vector3::new(0.0, 2.0, 5.0));
    assert!((turned.frame.column(0) - Vector3::y()).norm() < 1e-15);
}

#[test]
fn what_is_unsound_is_told() {
    let jacobian = DMatrix::identity(3, 3);
    let make = |mass: DMatrix<f64>, mu: f64| {
        Instant::from_matrices(mass, jacobian.clone(), vec![Vector2::repeat(mu)], DVector::zeros(3))
    };
    let mut singular = DMatrix::identity(3, 3);
    singular[(1, 1)] = 0.0;
    assert_eq!(make(singular, 0.5).unwrap_err(), RigidError::SingularMass { dof: 1 });
    assert_eq!(
        make(DMatrix::identity(3, 3), -0.1).unwrap_err(),
        RigidError::Friction { contact: 0, value: -0.1 }
    );
    assert!(matches!(make(DMatrix::identity(2, 2), 0.1), Err(RigidError::Shape { .. })));
    // A body without inertia about its hinge.
    let mut world = World::new("massless");
    let mut body = Body::new("ghost", 0);
    // A point mass on the axis: it has weight, but no inertia.
    body.inertia = Inertia { mass: 1.0, com: Vector3::zeros(), rotational: Matrix3::zeros() };
    body.joints.push(Joint::new("pin", JointKind::Hinge { axis: Vector3::y() }));
    world.bodies.push(body);
    let multibody = Multibody::new(&world).unwrap();
    let mut ws = Workspace::new(&multibody);
    let contact = PointContact::new(0, 1, Vector3::zeros(), Vector3::z(), 0.5);
    let error = Instant::new(&multibody, &mut ws, &[0.0], &[contact]).unwrap_err();
    assert_eq!(error, RigidError::SingularMass { dof: 0 });
    let lost = PointContact::new(0, 9, Vector3::zeros(), Vector3::z(), 0.5);
    assert!(matches!(
        Instant::new(&multibody, &mut ws, &[0.0], &[lost]),
        Err(RigidError::Body { body: 9, .. })
    ));
}

#[test]
fn stops_are_contacts_without_friction() {
    let instant = Instant::from_matrices(
        DMatrix::identity(2, 2),
        DMatrix::zeros(0, 2),
        Vec::new(),
        DVector::from_vec(vec![-1.0, 2.0]),
    )
    .unwrap()
    .with_stops(&[(0, 1.0), (1, -1.0)])
    .unwrap();
    assert_eq!(instant.contacts(), 2);
    let u = instant.contact_velocity();
    assert_eq!((u[2], u[5]), (-1.0, -2.0));
}
