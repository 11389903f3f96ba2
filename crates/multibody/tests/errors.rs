//! Worlds that cannot be compiled are refused with the place and the remedy.

mod common;
use common::jointed;
use nalgebra::{Matrix3, Vector3};
use stiction_model::{Body, Inertia, JointKind, World};
use stiction_multibody::{Multibody, MultibodyError};

fn solid() -> Inertia {
    Inertia { mass: 1.0, com: Vector3::zeros(), rotational: Matrix3::identity() }
}

#[test]
fn a_fault_of_the_description_is_passed_on() {
    let mut world = World::new("bad");
    let mut body = Body::new("bar", 0);
    body.inertia.mass = -1.0;
    world.bodies.push(body);
    let error = Multibody::new(&world).unwrap_err();
    assert!(matches!(error, MultibodyError::Model(_)) && error.to_string().contains("bar"), "{error}");
}

#[test]
fn bodies_out_of_depth_first_order_are_refused() {
    let mut world = World::new("breadth first");
    for (name, parent) in [("a", 0), ("b", 0), ("a child", 1)] {
        world.bodies.push(jointed(name, parent, JointKind::Hinge { axis: Vector3::x() }, solid()));
    }
    let error = Multibody::new(&world).unwrap_err().to_string();
    assert!(error.contains("\"a child\"") && error.contains("depth first"), "{error}");
}

#[test]
fn a_point_mass_on_its_own_axis_is_refused_unless_something_resists() {
    let mut world = World::new("point");
    let axis = Vector3::new(0.3, -0.5, 0.7).normalize();
    let point = Inertia { mass: 1.0, com: 0.5 * axis, rotational: Matrix3::zeros() };
    world.bodies.push(jointed("bead", 0, JointKind::Hinge { axis }, point));
    world.bodies[1].pose.rotation = nalgebra::UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1);
    let check = |world: &World| Multibody::new(world).unwrap().check_inertia();
    let error = check(&world).unwrap_err().to_string();
    assert!(error.contains("bead joint") && error.contains("armature"), "{error}");
    world.bodies[1].joints[0].dofs[0].armature = 0.1;
    assert_eq!(check(&world), Ok(()));
    world.bodies[1].joints[0].dofs[0].armature = 0.0;
    world.bodies[1].joints[0].locked = true;
    assert_eq!(check(&world), Ok(()));
}

#[test]
fn an_empty_world_is_fine() {
    let mb = Multibody::new(&World::new("empty")).unwrap();
    assert_eq!((mb.nq(), mb.nv(), mb.body_count(), mb.trees().len()), (0, 0, 1, 0));
}

#[test]
fn a_point_mass_on_a_ball_joint_is_refused() {
    let mut world = World::new("spherical pendulum");
    let point = Inertia { mass: 1.0, com: Vector3::new(0.2, 0.3, -0.5), rotational: Matrix3::zeros() };
    world.bodies.push(jointed("bob", 0, JointKind::Ball, point));
    let error = Multibody::new(&world).unwrap().check_inertia().unwrap_err().to_string();
    assert!(error.contains("bob joint") && error.contains("rotational inertia"), "{error}");
    world.bodies[1].inertia.rotational = Matrix3::identity() * 1e-9;
    assert_eq!(Multibody::new(&world).unwrap().check_inertia(), Ok(()));
}

#[test]
fn two_joints_that_do_the_same_are_refused() {
    let mut world = World::new("twice");
    let axis = Vector3::new(0.3, -0.5, 0.7).normalize();
    let mut body = jointed("cart", 0, JointKind::Slide { axis }, solid());
    body.joints.push(stiction_model::Joint::new("again", JointKind::Slide { axis }));
    world.bodies.push(body);
    let error = Multibody::new(&world).unwrap().check_inertia().unwrap_err().to_string();
    assert!(error.contains("another joint"), "{error}");
}

/// Three hinges in gimbal lock where they stand are singular there but nowhere else.
#[test]
fn gimbal_lock_at_the_start_is_not_a_fault() {
    let mut world = World::new("gimbal");
    let mut body = jointed("gyro", 0, JointKind::Hinge { axis: Vector3::z() }, solid());
    for (name, axis) in [("second", Vector3::x()), ("third", Vector3::z())] {
        body.joints.push(stiction_model::Joint::new(name, JointKind::Hinge { axis }));
    }
    world.bodies.push(body);
    assert_eq!(Multibody::new(&world).unwrap().check_inertia(), Ok(()));
}

/// As some files have it: a free solid without inertia about one of its axes.
#[test]
fn a_free_body_with_a_zero_moment_is_refused() {
    let mut world = World::new("blob");
    let mut inertia = solid();
    inertia.mass = 0.1;
    inertia.rotational[(2, 2)] = 0.0;
    inertia.com = Vector3::new(0.0, 0.0, 0.4);
    world.bodies.push(jointed("blob", 0, JointKind::Free, inertia));
    let error = Multibody::new(&world).unwrap().check_inertia().unwrap_err().to_string();
    assert!(error.contains("blob joint") && error.contains("coordinate 5"), "{error}");
}

/// Mass ratios of 10⁹ and sizes of a tenth of a millimetre are not faults.
#[test]
fn small_things_on_large_ones_are_fine() {
    let mut world = World::new("crane");
    let (heavy, light) = (1e3, 1e-6);
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    for (i, axis) in axes.into_iter().cycle().take(6).enumerate() {
        let mass = if i < 3 { heavy } else { light };
        let size: f64 = if i < 3 { 10.0 } else { 1e-4 };
        let rotational = Matrix3::identity() * (0.1 * mass * size * size);
        let mut body = jointed(
            &format!("link {i}"),
            i,
            JointKind::Hinge { axis },
            Inertia { mass, com: Vector3::zeros(), rotational },
        );
        body.pose.translation.vector = Vector3::new(size, 0.3 * size, 0.1 * size);
        world.bodies.push(body);
    }
    assert_eq!(Multibody::new(&world).unwrap().check_inertia(), Ok(()));
}
