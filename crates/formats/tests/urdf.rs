//! URDF features against values worked out by hand.

use nalgebra::Vector3;
use std::f64::consts::PI;
use stiction_formats::files::Memory;
use stiction_formats::{Format, LoadOptions, load_string, load_with};
use stiction_model::{EqualityKind, FrictionRule, GeomRole, JointKind, Shape, World};

type Vec3 = Vector3<f64>;

fn load_as(text: &str, options: &LoadOptions) -> World {
    load_string(text, Format::Urdf, options).unwrap_or_else(|e| panic!("{e}"))
}

fn load(text: &str) -> World {
    load_as(text, &LoadOptions::default())
}

const I: &str =
    "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

fn two_links(joint: &str) -> String {
    format!("<robot name='r'><link name='base'>{I}</link><link name='tip'>{I}</link>{joint}</robot>")
}

fn joint(kind: &str, inside: &str) -> String {
    two_links(&format!(
        "<joint name='j' type='{kind}'><parent link='base'/><child link='tip'/><origin xyz='1 2 3' rpy='0 0 1'/>{inside}</joint>"
    ))
}

#[test]
fn a_root_falls_unless_it_is_pinned_or_called_world() {
    let text = joint("fixed", "");
    let free = load(&text);
    assert_eq!(free.bodies[1].joints[0].kind, JointKind::Free);
    assert_eq!(free.bodies[1].joints[0].name, "base_free");
    assert_eq!((free.nq(), free.nv()), (7, 6));
    assert!(free.bodies[2].joints.is_empty() && free.bodies[2].parent == Some(1));
    let pinned = load_as(&text, &LoadOptions { fixed_base: true, ..LoadOptions::default() });
    assert_eq!(pinned.nv(), 0);
    let tied = load(&format!(
        "<robot name='r'><link name='world'/><link name='a'>{I}</link><joint name='j' type='continuous'><parent link='world'/>\
         <child link='a'/></joint></robot>"
    ));
    assert_eq!((tied.bodies.len(), tied.nv()), (2, 1));
    assert_eq!(tied.options.friction_rule, FrictionRule::HarmonicMean);
}

#[test]
fn every_joint_type_becomes_its_kind() {
    let limit = "<axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='30' velocity='4'/><dynamics damping='0.1' friction='0.2'/>";
    let w = load(&joint("revolute", limit));
    let j = &w.bodies[2].joints[0];
    assert_eq!(j.kind, JointKind::Hinge { axis: Vec3::z() });
    let d = j.dofs[0];
    assert_eq!((d.lower, d.upper, d.effort_limit, d.velocity_limit), (-1.0, 2.0, 30.0, 4.0));
    assert_eq!((d.damping, d.friction), (0.1, 0.2));
    assert!((w.bodies[2].pose.translation.vector - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-15);
    assert!((w.bodies[2].pose.rotation.angle() - 1.0).abs() < 1e-15);
    let w = load(&joint("continuous", limit));
    assert!(w.bodies[2].joints[0].dofs[0].upper.is_infinite());
    let w = load(&joint("prismatic", "<limit effort='0' velocity='0'/>"));
    assert_eq!(w.bodies[2].joints[0].kind, JointKind::Slide { axis: Vec3::x() });
    let d = w.bodies[2].joints[0].dofs[0];
    assert_eq!((d.lower, d.upper, d.effort_limit.is_infinite()), (0.0, 0.0, true));
    let w = load(&joint("planar", "<axis xyz='0 1 0'/>"));
    let JointKind::Planar { x, y } = w.bodies[2].joints[0].kind else { panic!() };
    assert!((x.cross(&y) - Vec3::y()).norm() < 1e-15);
    let w = load(&joint("floating", ""));
    assert_eq!((w.nq(), w.nv(), w.bodies[2].joints.len()), (14, 12, 4));
    assert_eq!(w.bodies[2].joints[3].kind, JointKind::Ball);
}

#[test]
fn bodies_come_depth_first_in_the_order_of_joints() {
    let link = |n: &str| format!("<link name='{n}'>{I}</link>");
    let joint = |n: &str, p: &str, c: &str| {
        format!("<joint name='{n}' type='continuous'><parent link='{p}'/><child link='{c}'/></joint>")
    };
    let text = format!(
        "<robot name='r'>{}{}{}{}{}{}{}{}</robot>",
        link("leaf"),
        link("b"),
        link("a"),
        link("root"),
        joint("j1", "a", "leaf"),
        joint("j2", "root", "b"),
        joint("j3", "root", "a"),
        ""
    );
    let names: Vec<_> = load(&text).bodies.iter().map(|b| b.name.clone()).collect();
    assert_eq!(names, ["world", "root", "b", "a", "leaf"]);
}

#[test]
fn inertials_turn_with_their_origin() {
    let w = load(&format!(
        "<robot name='r'><link name='a'><inertial><origin xyz='0 0 1' rpy='{} 0 0'/><mass value='3'/>\
         <inertia ixx='1' iyy='2' izz='2.5' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>",
        PI / 2.0
    ));
    let i = &w.bodies[1].inertia;
    assert!((i.rotational.diagonal() - Vec3::new(1.0, 2.5, 2.0)).norm() < 1e-12);
    assert_eq!((i.mass, i.com), (3.0, Vec3::z()));
}

#[test]
fn geometry_is_split_into_what_collides_and_what_is_seen() {
    let w = load(&format!(
        "<robot name='r'><material name='blue'><color rgba='0 0 1 1'/></material><link name='a'>{I}
         <visual><geometry><cylinder radius='0.1' length='0.4'/></geometry><material name='blue'/></visual>
         <collision name='hit'><origin xyz='0 0 1'/><geometry><box size='1 2 3'/></geometry></collision>
         <collision><geometry><sphere radius='0.5'/></geometry><drake:proximity_properties><drake:rigid_hydroelastic/>
         <drake:mu_dynamic value='0.4'/></drake:proximity_properties></collision></link></robot>"
    ));
    assert_eq!(w.geoms[0].shape, Shape::Cylinder { radius: 0.1, half_length: 0.2 });
    assert_eq!((w.geoms[0].role, w.geoms[0].color), (GeomRole::Visual, [0.0, 0.0, 1.0, 1.0]));
    assert_eq!(w.geoms[1].shape, Shape::Box { half_extents: Vec3::new(0.5, 1.0, 1.5) });
    assert_eq!((w.geoms[1].role, w.geoms[1].name.as_str()), (GeomRole::Collision, "hit"));
    assert_eq!(w.geoms[2].name, "a_collision");
    assert_eq!(w.geoms[2].contact.compliance, stiction_model::Compliance::Rigid);
    assert_eq!(w.geoms[2].contact.static_friction, Some(0.4));
    assert!(w.warnings.is_empty(), "{:?}", w.warnings);
}

#[test]
fn meshes_come_from_packages_with_scale() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let files = Memory::default().with("ws/arm/meshes/t.obj", obj).with(
        "ws/arm/urdf/arm.urdf",
        format!(
            "<robot name='r'><link name='a'>{I}<collision><geometry><mesh filename='package://arm/meshes/t.obj' scale='1 1 -2'/></geometry></collision>
             <visual><geometry><mesh filename='package://lost/x.dae'/></geometry></visual></link></robot>"
        ),
    );
    let w = load_with("ws/arm/urdf/arm.urdf", &files, &LoadOptions::default()).unwrap();
    assert_eq!(w.meshes[0].vertices[3], Vec3::new(0.0, 0.0, -2.0));
    assert!(matches!(w.geoms[0].shape, Shape::Mesh { mesh: 0, convex: true }));
    assert_eq!((w.geoms.len(), w.warnings.len()), (1, 1));
    assert!(w.warnings[0].message.contains("package_paths"), "{}", w.warnings[0]);
}

#[test]
fn a_package_under_another_name_is_taken_with_a_warning_and_refused_when_strict() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let files = Memory::default().with("ws/arm_description/meshes/t.obj", obj).with(
        "ws/arm_description/urdf/arm.urdf",
        format!("<robot name='r'><link name='a'>{I}<collision><geometry><mesh filename='package://arm_support/meshes/t.obj'/></geometry></collision></link></robot>"),
    );
    let w = load_with("ws/arm_description/urdf/arm.urdf", &files, &LoadOptions::default()).unwrap();
    assert_eq!((w.meshes.len(), w.warnings.len()), (1, 1));
    assert!(w.warnings[0].message.contains("arm_support"), "{}", w.warnings[0]);
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    assert!(load_with("ws/arm_description/urdf/arm.urdf", &files, &strict).is_err());
}

#[test]
fn mimics_couple_and_transmissions_drive() {
    let w = load(&format!(
        "<robot name='r'><link name='a'>{I}</link><link name='b'>{I}</link><link name='c'>{I}</link>
         <joint name='lead' type='revolute'><parent link='a'/><child link='b'/><limit lower='0' upper='1' effort='5' velocity='1'/></joint>
         <joint name='follow' type='revolute'><parent link='b'/><child link='c'/><limit lower='0' upper='1' effort='5' velocity='1'/>
         <mimic joint='lead' multiplier='-2' offset='0.5'/></joint>
         <transmission name='t'><type>SimpleTransmission</type><joint name='lead'/><actuator name='motor'><drake:gear_ratio value='10'/>
         <drake:rotor_inertia value='0.01'/></actuator></transmission></robot>"
    ));
    let EqualityKind::Joint { first, second, coefficients } = w.equalities[0].kind else { panic!() };
    assert_eq!((first, second, coefficients), ((3, 0), Some((2, 0)), [0.5, -2.0, 0.0, 0.0, 0.0]));
    assert_eq!((w.actuators[0].name.as_str(), w.actuators[0].force_range), ("motor", Some([-5.0, 5.0])));
    let d = w.bodies[2].joints[0].dofs[0];
    assert_eq!((d.gear_ratio, d.rotor_inertia), (10.0, 0.01));
}

#[test]
fn massless_links_are_fine_where_something_heavy_moves_with_them() {
    let w = load(&format!(
        "<robot name='r'><link name='frame'/><link name='body'>{I}</link><joint name='j' type='fixed'><parent link='frame'/>\
         <child link='body'/></joint></robot>"
    ));
    assert!(w.warnings.is_empty() && !w.bodies[1].joints[0].locked);
    let w = load(&format!(
        "<robot name='r'><link name='body'>{I}</link><link name='ghost'/><joint name='j' type='continuous'><parent link='body'/>\
         <child link='ghost'/></joint></robot>"
    ));
    assert!(w.bodies[2].joints[0].locked);
    assert!(w.warnings[0].message.contains("held"), "{}", w.warnings[0]);
}

#[test]
fn drakes_own_joints_are_read() {
    for (kind, inside, want) in [
        ("ball", "", JointKind::Ball),
        ("universal", "", JointKind::Universal { first: Vec3::x(), second: Vec3::y() }),
        ("planar", "", JointKind::Planar { x: Vec3::x(), y: Vec3::y() }),
        (
            "screw",
            "<axis xyz='0 1 0'/><drake:screw_thread_pitch value='0.2'/>",
            JointKind::Screw { axis: Vec3::y(), pitch: 0.2 },
        ),
    ] {
        let w = load(&two_links(&format!(
            "<drake:joint name='j' type='{kind}'><parent link='base'/><child link='tip'/>{inside}</drake:joint>"
        )));
        assert_eq!(w.bodies[2].joints[0].kind, want);
    }
}

/// Robots of others that readers with fewer questions load: a point, a joint without limits, a unit behind a number.
#[test]
fn points_joints_without_limits_and_limits_with_units_load_with_warnings() {
    let robot = |limit: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
             <collision><geometry><sphere radius='0'/></geometry></collision></link>\
             <joint name='j' type='revolute'><parent link='a'/><child link='b'/>{limit}</joint></robot>"
        )
    };
    let load = |limit: &str| {
        let world =
            stiction_formats::load_string(&robot(limit), stiction_formats::Format::Urdf, &Default::default());
        world.unwrap_or_else(|e| panic!("{limit}: {e}"))
    };
    let free = load("");
    let dof = &free.bodies.iter().find(|b| b.name == "b").unwrap().joints[0].dofs[0];
    assert_eq!((dof.lower, dof.upper), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(free.geoms[0].shape, stiction_model::Shape::Sphere { radius: 0.0 });
    assert!(
        free.warnings.len() == 1 && free.warnings[0].message.contains("no limits"),
        "{:?}",
        free.warnings
    );
    let limited = load("<limit lower='-1' upper='2' effort='3' velocity='2.5 rad/s'/>");
    let dof = &limited.bodies.iter().find(|b| b.name == "b").unwrap().joints[0].dofs[0];
    assert_eq!((dof.lower, dof.upper, dof.velocity_limit), (-1.0, 2.0, 2.5));
    assert!(
        limited.warnings.len() == 1 && limited.warnings[0].message.contains("rad/s"),
        "{:?}",
        limited.warnings
    );
    for wrong in ["velocity='fast'", "velocity='1 2'", "velocity='nan m'"] {
        let text = robot(&format!("<limit lower='-1' upper='2' effort='3' {wrong}/>"));
        assert!(
            stiction_formats::load_string(&text, stiction_formats::Format::Urdf, &Default::default())
                .is_err(),
            "{wrong}"
        );
    }
}
