//! Model directives: models put together by welds and frames.

use nalgebra::Vector3;
use stiction_formats::files::Memory;
use stiction_formats::{LoadOptions, load_with};
use stiction_model::{EqualityKind, JointKind, Pose, World};

const ARM: &str = "<robot name='arm'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
    <link name='tip'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
    <link name='toe'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
    <joint name='j' type='continuous'><parent link='base'/><child link='tip'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint>\
    <joint name='k' type='continuous'><parent link='base'/><child link='toe'/><axis xyz='0 0 1'/><mimic joint='j' multiplier='2' offset='0.1'/></joint></robot>";
const BOX: &str = "<sdf version='1.9'><model name='box'><link name='l'/></model></sdf>";

fn files(main: &str) -> Memory {
    Memory::default()
        .with("ws/models/arm.urdf", ARM)
        .with("ws/models/box.sdf", BOX)
        .with("ws/models/package.xml", "<package><name>models</name></package>")
        .with("ws/boxes.dmd.yaml", "directives:\n- add_model: {name: one, file: models/box.sdf}\n")
        .with("ws/main.dmd.yaml", main)
}

fn load(main: &str) -> Result<World, String> {
    load_with("ws/main.dmd.yaml", &files(main), &LoadOptions::default()).map_err(|e| e.to_string())
}

fn poses(world: &World) -> Vec<Pose> {
    let mut all: Vec<Pose> = Vec::new();
    for body in &world.bodies {
        let x = body.parent.map_or(body.pose, |p| all[p] * body.pose);
        all.push(x);
    }
    all
}

#[test]
fn models_are_welded_framed_placed_and_filtered() {
    let world = load(
        "directives:\n\
         - add_model:\n    name: box\n    file: package://models/box.sdf\n\
         - add_model:\n    name: arm\n    file: models/arm.urdf\n    default_joint_positions:\n      j: [0.5]\n\
         - add_weld:\n    parent: world\n    child: arm::base\n    X_PC:\n      translation: [0, 0, 2]\n\
         - add_frame:\n    name: tool\n    X_PF:\n      base_frame: arm::tip\n      translation: [0, 1, 0]\n      rotation: !Rpy { deg: [0, 0, 90] }\n\
         - add_weld:\n    parent: tool\n    child: box::l\n\
         - add_directives:\n    file: boxes.dmd.yaml\n    model_namespace: more\n\
         - add_collision_filter_group:\n    name: g\n    members: [arm::base, box::l]\n    ignored_collision_filter_groups: [g]\n",
    )
    .unwrap();
    let names: Vec<&str> = world.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "arm::base", "arm::tip", "box::l", "arm::toe", "more::one::l"]);
    let x = poses(&world);
    // The tip starts turned by 0.5 rad; the tool lies one along its y.
    let tool = Vector3::new(1.0 - 0.5f64.sin(), 0.5f64.cos(), 2.0);
    assert!((x[3].translation.vector - tool).norm() < 1e-12, "{:?}", x[3]);
    let turn = 0.5 + std::f64::consts::FRAC_PI_2;
    assert!((x[3].rotation.angle() - turn).abs() < 1e-12);
    let joint = &world.bodies[2].joints[0];
    assert_eq!((joint.reference[0], world.nq()), (0.5, 2 + 7));
    // k = 2 j + 0.1 holds whatever j starts at: with j counted from 0.5, k is 1.1 there.
    let EqualityKind::Joint { first, second, coefficients } = world.equalities[0].kind else { panic!() };
    assert_eq!((first, second), ((4, 0), Some((2, 0))));
    assert!((coefficients[0] - 1.1).abs() < 1e-12 && coefficients[1] == 2.0);
    assert_eq!(world.exclusions, [(1, 3)]);
    assert_eq!(world.bodies[5].joints[0].kind, JointKind::Free);
}

#[test]
fn free_bodies_start_where_they_are_placed() {
    let world = load(
        "directives:\n- add_model:\n    name: box\n    file: models/box.sdf\n    default_free_body_pose:\n      l:\n        translation: [1, 2, 3]\n        \
         rotation: !AngleAxis { angle_deg: 90, axis: [0, 0, 1] }\n",
    )
    .unwrap();
    assert_eq!(world.bodies[1].pose.translation.vector, Vector3::new(1.0, 2.0, 3.0));
}

#[test]
fn mistakes_name_the_line_and_the_remedy() {
    for (text, words) in [
        ("a: 1", &["directives"][..]),
        ("directives:\n- add_modell:\n    name: x", &["main.dmd.yaml:2", "add_modell", "add_model,"]),
        ("directives:\n- add_model:\n    name: x", &["file"]),
        (
            "directives:\n- add_model:\n    name: x\n    file: nowhere.urdf",
            &["nowhere.urdf", "package_paths"],
        ),
        ("directives:\n- add_model: {name: x, file: main.dmd.yaml}", &["add_directives"]),
        ("directives:\n- add_directives: {file: main.dmd.yaml}", &["circle"]),
        ("directives:\n- add_weld: {parent: world, child: x}", &["\"x\"", "model::link"]),
        (
            "directives:\n- add_model: {name: x, file: models/box.sdf}\n- add_model: {name: x, file: models/box.sdf}",
            &["already"],
        ),
        (
            "directives:\n- add_model: {name: a, file: models/arm.urdf}\n- add_weld: {parent: world, child: a::tip}",
            &["already hangs"],
        ),
        (
            "directives:\n- add_model: {name: a, file: models/arm.urdf}\n- add_weld: {parent: a::tip, child: a::base}",
            &["itself"],
        ),
        (
            "directives:\n- add_frame: {name: f, X_PF: {base_frame: world, translation: [1, 2]}}",
            &["three numbers"],
        ),
        ("directives:\n- add_frame: {name: f, X_PF: {base_frame: world, rotation: !Uniform {}}}", &["!Rpy"]),
        (
            "directives:\n- add_frame: {name: f, X_PF: {base_frame: world, translation: [1, 2, nan]}}",
            &["finite"],
        ),
    ] {
        let error = load(text).unwrap_err();
        for word in words {
            assert!(error.contains(word), "{text}\n  {error}\n  without: {word}");
        }
    }
}
