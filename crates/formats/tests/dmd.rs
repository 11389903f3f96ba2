//! Model directives: models put together by welds and frames.

mod common;

use common::poses;
use nalgebra::Vector3;
use stiction_formats::files::Memory;
use stiction_formats::{LoadOptions, load_with};
use stiction_model::{EqualityKind, JointKind, World};

const ARM: &str = "<robot name='arm'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
    <link name='tip'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
    <link name='toe'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
    <joint name='j' type='continuous'><parent link='base'/><child link='tip'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint>\
    <joint name='k' type='continuous'><parent link='base'/><child link='toe'/><axis xyz='0 0 1'/><mimic joint='j' multiplier='2' offset='0.1'/></joint></robot>";
const BOX: &str = "<sdf version='1.9'><model name='box'><link name='l'/></model></sdf>";
const LAMP: &str = "<sdf version='1.9'><model name='lamp'><pose>0 0 5 0 0 0</pose><link name='foot'><pose>0 1 0 0 0 0</pose></link>\
    <link name='shade'><pose>0 1 2 0 0 0</pose></link><joint name='f' type='fixed'><parent>foot</parent><child>shade</child></joint>\
    </model></sdf>";
const PUPPET: &str = "<mujoco><worldbody><body name='p'><joint/><geom size='1'/></body></worldbody><keyframe><key qpos='1'/></keyframe></mujoco>";

fn files(main: &str) -> Memory {
    Memory::default()
        .with("ws/models/arm.urdf", ARM)
        .with("ws/models/box.sdf", BOX)
        .with("ws/models/lamp.sdf", LAMP)
        .with("ws/models/puppet.xml", PUPPET)
        .with("ws/models/box.obj", "v 0 0 0\n")
        .with("ws/models/package.xml", "<package><name>models</name></package>")
        .with("ws/boxes.dmd.yaml", "directives:\n- add_model: {name: one, file: models/box.sdf}\n")
        .with("ws/main.dmd.yaml", main)
}

fn load(main: &str) -> Result<World, String> {
    load_with("ws/main.dmd.yaml", &files(main), &LoadOptions::default()).map_err(|e| e.to_string())
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

const ARM_AND_LAMP: &str = "directives:\n- add_model: {name: arm, file: models/arm.urdf}\n- add_model: {name: lamp, file: models/lamp.sdf}\n";

/// Where a body starts, after these directives for an arm and a lamp.
fn start(directives: &str, body: &str) -> Vector3<f64> {
    let world = load(&format!("{ARM_AND_LAMP}{directives}")).unwrap();
    poses(&world)[world.body_index(body).unwrap()].translation.vector
}

#[test]
fn frames_go_by_full_and_by_short_names() {
    let tool = "- add_frame: {name: tool, X_PF: {base_frame: tip, translation: [0, 1, 0]}}\n";
    for name in ["tool", "arm::tool"] {
        let weld = format!("{tool}- add_weld: {{parent: {name}, child: foot}}\n");
        assert_eq!(start(&weld, "lamp::foot"), Vector3::new(1.0, 1.0, 0.0), "{name}");
    }
    // Two models may have frames of one name, which then need the model's.
    let two = format!("{ARM_AND_LAMP}{tool}- add_frame: {{name: tool, X_PF: {{base_frame: lamp::foot}}}}\n");
    let sites: Vec<String> = load(&two).unwrap().sites.iter().map(|s| s.name.clone()).collect();
    assert_eq!(sites, ["tool", "lamp::tool"]);
    let error = load(&format!("{two}- add_weld: {{parent: world, child: tool}}\n")).unwrap_err();
    assert!(error.contains("arm::tool or lamp::tool"), "{error}");
}

#[test]
fn a_model_is_welded_by_its_own_frame_and_by_links_fixed_to_its_root() {
    let weld = |child: &str| start(&format!("- add_weld: {{parent: world, child: {child}}}\n"), "lamp::foot");
    assert_eq!(weld("lamp::__model__"), Vector3::new(0.0, 1.0, 0.0));
    assert_eq!(weld("lamp::shade"), Vector3::new(0.0, 0.0, -2.0));
    assert_eq!(weld("lamp::foot"), Vector3::zeros());
}

#[test]
fn a_tree_welded_by_another_link_than_its_root_keeps_its_coordinates() {
    let world = load(
        "directives:\n- add_model: {name: arm, file: models/arm.urdf, default_joint_positions: {j: [0.5]}}\n\
         - add_weld: {parent: world, child: arm::tip, X_PC: {translation: [0, 0, 2]}}\n",
    )
    .unwrap();
    let names: Vec<&str> = world.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "arm::tip", "arm::base", "arm::toe"]);
    // The tip stands one before the base, turned by 0.5: seen from the tip the base is one behind, turned back.
    let base = poses(&world)[2];
    let place = Vector3::new(-(0.5f64.cos()), 0.5f64.sin(), 2.0);
    assert!((base.translation.vector - place).norm() < 1e-12, "{base}");
    assert!((base.rotation.scaled_axis() - Vector3::new(0.0, 0.0, -0.5)).norm() < 1e-12);
    // More of j turns the base further back about the joint, which lies one before it.
    let joint = &world.bodies[2].joints[0];
    assert_eq!((joint.name.as_str(), joint.reference[0], joint.anchor), ("arm::j", 0.5, Vector3::x()));
    assert_eq!(joint.kind, JointKind::Hinge { axis: -Vector3::z() });
    // What was coupled is coupled.
    let EqualityKind::Joint { first, second, .. } = world.equalities[0].kind else { panic!() };
    assert_eq!((first, second), ((3, 0), Some((2, 0))));
}

#[test]
fn free_bodies_start_in_frames_that_are_welded_later() {
    let text = "directives:\n- add_model: {name: arm, file: models/arm.urdf}\n\
                - add_model: {name: lamp, file: models/lamp.sdf, default_free_body_pose: {FRAME: {base_frame: arm::tip, translation: [0, 0, 3]}}}\n\
                - add_weld: {parent: world, child: arm::base, X_PC: {translation: [7, 0, 0]}}\n";
    for (frame, place) in
        [("foot", [8.0, 0.0, 3.0]), ("__model__", [8.0, 1.0, 3.0]), ("shade", [8.0, 0.0, 1.0])]
    {
        let world = load(&text.replace("FRAME", frame)).unwrap();
        let foot = poses(&world)[world.body_index("lamp::foot").unwrap()];
        assert!((foot.translation.vector - Vector3::from(place)).norm() < 1e-12, "{frame}: {foot}");
    }
}

#[test]
fn groups_hold_the_same_bodies_after_later_welds() {
    let world = load(&format!(
        "{ARM_AND_LAMP}- add_collision_filter_group: {{name: g, members: [arm::toe, lamp::foot], ignored_collision_filter_groups: [g]}}\n\
         - add_weld: {{parent: arm::tip, child: lamp::foot}}\n"
    ))
    .unwrap();
    let mut pair = [world.body_index("arm::toe").unwrap(), world.body_index("lamp::foot").unwrap()];
    pair.sort_unstable();
    assert_eq!(world.exclusions, [(pair[0], pair[1])]);
}

#[test]
fn keyframes_of_a_part_are_said_to_be_left_out() {
    let world = load("directives:\n- add_model: {name: p, file: models/puppet.xml}\n").unwrap();
    assert!(
        world.warnings.iter().any(|w| w.to_string().contains("keyframes are left out")),
        "{:?}",
        world.warnings
    );
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
            "directives:\n- add_model: {name: a, file: models/arm.urdf}\n- add_weld: {parent: world, child: a::base}\n\
             - add_weld: {parent: world, child: a::tip}",
            &["main.dmd.yaml:4", "already hangs"],
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
        ("directives: []\nextra: 1", &["`extra`", "directives"]),
        ("directives:\n- add_model: {name: a, file: models/box.obj}", &["is a mesh", "URDF"]),
        (
            "directives:\n- add_model: {name: a, file: models/arm.urdf, default_joint_position: {j: [1]}}",
            &["`default_joint_position`", "default_joint_positions"],
        ),
        (
            "directives:\n- add_model: {name: a, file: models/arm.urdf, default_joint_positions: [1]}",
            &["default_joint_positions", "`name: …`"],
        ),
        (
            "directives:\n- add_model: {name: a, file: models/arm.urdf}\n- add_weld:\n    parent: world\n    child: a::base\n    X_CP: {}",
            &["main.dmd.yaml:6", "`X_CP`", "X_PC"],
        ),
        (
            "directives:\n- add_frame: {name: f, X_PF: {base_frame: world, rotation: !Rpy {degrees: [0, 0, 1]}}}",
            &["`degrees`", "deg"],
        ),
        (
            "directives:\n- add_model: {name: a, file: models/arm.urdf, default_free_body_pose: {tip: {}}}",
            &["\"a::tip\" is on no free body"],
        ),
        (
            "directives:\n- add_directives: {file: boxes.dmd.yaml, model_namespace: n}\n\
             - add_model: {name: one, file: models/arm.urdf, default_free_body_pose: {l: {}}}",
            &["no link or frame \"one::l\" in this model"],
        ),
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
