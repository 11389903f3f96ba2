//! Composed worlds move as their parts do.

use nalgebra::{Quaternion, Translation3, UnitQuaternion, Vector3};
use stiction::model::{JointKind, Pose, World};
use stiction::{Composition, Model, Options, Placement, Simulation, scenes};

/// Positions after some steps, with those of free joints seen from `x`.
fn end(world: World, x: &Pose) -> Vec<f64> {
    let model = Model::new(world).unwrap();
    let options = Options { step: 1e-3, relative_tolerance: 1e-12, ..Options::default() };
    let mut simulation = Simulation::new(&model, options).unwrap();
    for (u, control) in simulation.state_mut().ctrl.iter_mut().enumerate() {
        *control = 0.1 * (u as f64 + 1.0).sin();
    }
    simulation.step(20).unwrap();
    let (q, mut at) = (&simulation.state().q, 0);
    let mut seen = Vec::new();
    for (_, joint) in model.world().joints() {
        let own = &q[at..at + joint.kind.nq()];
        at += own.len();
        if joint.kind == JointKind::Free {
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(own[3], own[4], own[5], own[6]));
            let pose = x.inverse() * Pose::from_parts(Translation3::new(own[0], own[1], own[2]), turn);
            seen.extend(
                pose.translation.vector.iter().chain(pose.rotation.to_rotation_matrix().matrix().iter()),
            );
        } else {
            seen.extend(own);
        }
    }
    seen
}

/// A scene that is composed at another place, with gravity turned along, moves as at its own: joints, limits, tendons, couplings,
/// actuators and contacts with what is fixed to the world.
#[test]
fn a_composed_scene_moves_as_the_scene_itself() {
    let x = Pose::from_parts(
        Translation3::new(0.3, -0.2, 0.5),
        UnitQuaternion::from_euler_angles(0.4, -0.9, 2.0),
    );
    // Not the humanoid, whose soles begin at distance zero: rounding decides whether they touch in the first step.
    let scenes = [
        "arm",
        "cam_cleat",
        "four_bar",
        "gripper",
        "landing",
        "pencil_grip",
        "spinning_top",
        "assistive_arm",
    ];
    for name in scenes {
        let model = Model::from_string(
            scenes::text(name).unwrap(),
            stiction::Format::Mjcf,
            &stiction::LoadOptions::default(),
        );
        let world = model.unwrap().world().clone();
        let placement = Placement { name: "a".into(), pose: x, ..Placement::default() };
        let mut composition = Composition::new(name);
        composition.add(world.clone(), name, &placement).unwrap();
        let mut composed = composition.build().unwrap();
        composed.options.gravity = x.rotation * composed.options.gravity;
        let (own, there) = (end(world.clone(), &Pose::identity()), end(composed, &x));
        let far = own.iter().zip(&there).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Rounding, and what the solver's tolerance leaves, grow within these steps by less than a thousand.
        assert!(own.len() == there.len() && far < 1e-9, "{name}: {far:e} m or rad apart");
        // The comparison sees motion.
        let moved = end(world, &Pose::identity())
            .iter()
            .zip(Model::from_scene(name).unwrap().default_q())
            .any(|(a, b)| a != b);
        assert!(moved, "{name} does not move");
    }
}

/// A body that is attached to another one adds its mass there and moves with it: the force that holds both is their weight.
#[test]
fn an_attached_body_is_carried() {
    let text = |name: &str| {
        format!(
            "<mujoco><worldbody><body name='{name}'><freejoint/><geom name='{name}' type='box' size='0.1 0.1 0.1' mass='2'/></body></worldbody></mujoco>"
        )
    };
    let read = |name: &str| {
        let format = stiction::Format::Mjcf;
        Model::from_string(&text(name), format, &stiction::LoadOptions::default()).unwrap().world().clone()
    };
    let mut composition = Composition::new("two");
    composition.ground(0.0, None).unwrap();
    let at = |z: f64| Pose::translation(0.0, 0.0, z);
    composition.add(read("low"), "low", &Placement { pose: at(0.1), ..Placement::default() }).unwrap();
    let to = Placement { pose: Pose::translation(0.0, 0.0, 0.2), to: "low".into(), ..Placement::default() };
    composition.add(read("high"), "high", &to).unwrap();
    let model = Model::new(composition.build().unwrap()).unwrap();
    assert_eq!((model.nv(), model.total_mass()), (6, 4.0));
    let mut simulation = Simulation::new(&model, Options { step: 1e-3, ..Options::default() }).unwrap();
    simulation.step(2000).unwrap();
    let force: Vector3<f64> = simulation.contacts().iter().map(|c| c.force).sum();
    assert!((force.z - 4.0 * 9.81).abs() < 1e-3 * 4.0 * 9.81, "{force}");
}
