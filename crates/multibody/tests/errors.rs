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
    let point = Inertia { mass: 1.0, com: Vector3::new(0.0, 0.0, 0.5), rotational: Matrix3::zeros() };
    world.bodies.push(jointed("bead", 0, JointKind::Hinge { axis: Vector3::z() }, point));
    let error = Multibody::new(&world).unwrap_err().to_string();
    assert!(error.contains("bead joint") && error.contains("armature"), "{error}");
    world.bodies[1].joints[0].dofs[0].armature = 0.1;
    assert!(Multibody::new(&world).is_ok());
    world.bodies[1].joints[0].dofs[0].armature = 0.0;
    world.bodies[1].joints[0].locked = true;
    assert!(Multibody::new(&world).is_ok());
}

#[test]
fn an_empty_world_is_fine() {
    let mb = Multibody::new(&World::new("empty")).unwrap();
    assert_eq!((mb.nq(), mb.nv(), mb.body_count(), mb.trees().len()), (0, 0, 1, 0));
}
