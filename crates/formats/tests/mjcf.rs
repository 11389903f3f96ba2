//! MJCF features against values worked out by hand.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::f64::consts::PI;
use stiction_formats::files::Memory;
use stiction_formats::{Format, LoadOptions, load_string, load_with};
use stiction_model::{
    Dynamics, EqualityKind, FrictionRule, GeomRole, JointKind, Pose, Shape, Transmission, World,
};

type Vec3 = Vector3<f64>;

fn load(text: &str) -> World {
    load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn in_body(content: &str) -> World {
    load(&format!("<mujoco><worldbody><body name='b'>{content}</body></worldbody></mujoco>"))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1.0)
}

fn close(a: &Vec3, b: [f64; 3]) -> bool {
    (a - Vec3::from(b)).norm() < 1e-12
}

#[test]
fn mass_comes_from_geoms_at_water_density() {
    let w = in_body(
        "<freejoint/><geom type='box' size='0.1 0.2 0.3' pos='1 0 0'/><geom type='sphere' size='0.1' mass='2'/>",
    );
    let i = &w.bodies[1].inertia;
    let (m1, m2) = (1000.0 * 8.0 * 0.1 * 0.2 * 0.3, 2.0);
    assert!(near(i.mass, m1 + m2));
    assert!(close(&i.com, [m1 / (m1 + m2), 0.0, 0.0]));
    let iyy = m1 * (0.01 + 0.09) / 3.0 + 0.4 * m2 * 0.01 + m1 * m2 / (m1 + m2);
    assert!(near(i.rotational[(1, 1)], iyy));
}

#[test]
fn explicit_inertia_wins_unless_geoms_are_asked_for() {
    let body = "<worldbody><body><freejoint/><inertial pos='0 0 1' mass='5' quat='0.7071067811865476 0.7071067811865476 0 0' \
                diaginertia='1 2 2.5'/><geom size='0.1' mass='3'/></body></worldbody>";
    let w = load(&format!("<mujoco>{body}</mujoco>"));
    assert_eq!(w.bodies[1].inertia.mass, 5.0);
    // A quarter turn about x swaps the y and z moments.
    let want = Matrix3::from_diagonal(&Vec3::new(1.0, 2.5, 2.0));
    assert!((w.bodies[1].inertia.rotational - want).norm() < 1e-12);
    let w = load(&format!("<mujoco><compiler inertiafromgeom='true'/>{body}</mujoco>"));
    assert!(near(w.bodies[1].inertia.mass, 3.0));
}

#[test]
fn full_inertia_is_read_in_mujocos_order() {
    let w = in_body("<freejoint/><inertial pos='0 0 0' mass='1' fullinertia='1 2 2.5 0.1 0.2 0.3'/>");
    let want = Matrix3::new(1.0, 0.1, 0.2, 0.1, 2.0, 0.3, 0.2, 0.3, 2.5);
    assert_eq!(w.bodies[1].inertia.rotational, want);
}

#[test]
fn bounds_balance_and_total_mass_are_applied() {
    let w = load(
        "<mujoco><compiler boundmass='0.5' boundinertia='0.01'/><worldbody><body><freejoint/><geom size='0.001'/></body></worldbody></mujoco>",
    );
    assert_eq!(w.bodies[1].inertia.mass, 0.5);
    assert!((w.bodies[1].inertia.rotational - Matrix3::identity() * 0.01).norm() < 1e-12);
    let w = load(
        "<mujoco><compiler balanceinertia='true'/><worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' \
         diaginertia='1 1 4'/></body></worldbody></mujoco>",
    );
    assert!((w.bodies[1].inertia.rotational - Matrix3::identity() * 2.0).norm() < 1e-12);
    let w = load(
        "<mujoco><compiler settotalmass='10'/><worldbody><body><freejoint/><geom size='0.1' mass='1'/></body><body>\
         <freejoint/><geom size='0.1' mass='3'/></body></worldbody></mujoco>",
    );
    assert!(near(w.bodies[1].inertia.mass, 2.5) && near(w.bodies[2].inertia.mass, 7.5));
    assert!(near(w.bodies[2].inertia.rotational[(0, 0)], 7.5 * 0.4 * 0.01));
}

#[test]
fn only_groups_in_range_count_for_mass() {
    let w = load(
        "<mujoco><compiler inertiagrouprange='0 2'/><worldbody><body><freejoint/><geom size='0.1' mass='1'/>\
         <geom size='0.1' mass='5' group='3'/></body></worldbody></mujoco>",
    );
    assert!(near(w.bodies[1].inertia.mass, 1.0));
    assert_eq!(w.geoms.len(), 2);
}

#[test]
fn all_orientations_say_the_same_quarter_turn() {
    let quarter = UnitQuaternion::from_axis_angle(&Vec3::x_axis(), PI / 2.0);
    for spec in
        ["quat='1 1 0 0'", "axisangle='2 0 0 90'", "euler='90 0 0'", "xyaxes='1 0 0 0 0 5'", "zaxis='0 -3 0'"]
    {
        let w = in_body(&format!("<geom size='1' {spec}/>"));
        assert!(w.geoms[0].pose.rotation.angle_to(&quarter) < 1e-12, "{spec}");
    }
}

#[test]
fn euler_sequences_turn_with_the_frame_or_stay() {
    let turn = |axis, degrees: f64| UnitQuaternion::from_axis_angle(axis, degrees.to_radians());
    let (x, y, z) = (Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis());
    for (seq, want) in [
        ("xyz", turn(&x, 10.0) * turn(&y, 20.0) * turn(&z, 30.0)),
        ("XYZ", turn(&z, 30.0) * turn(&y, 20.0) * turn(&x, 10.0)),
        ("zYx", (turn(&y, 20.0) * turn(&z, 10.0)) * turn(&x, 30.0)),
    ] {
        let w = load(&format!(
            "<mujoco><compiler eulerseq='{seq}'/><worldbody><geom size='1' euler='10 20 30'/></worldbody></mujoco>"
        ));
        assert!(w.geoms[0].pose.rotation.angle_to(&want) < 1e-12, "{seq}");
    }
    let w = load(
        "<mujoco><compiler angle='radian'/><worldbody><geom size='1' euler='0.3 0 0'/></worldbody></mujoco>",
    );
    assert!(near(w.geoms[0].pose.rotation.angle(), 0.3));
}

#[test]
fn fromto_places_and_sizes_long_shapes() {
    for (kind, want) in [
        ("capsule", Shape::Capsule { radius: 0.1, half_length: 1.5 }),
        ("cylinder", Shape::Cylinder { radius: 0.1, half_length: 1.5 }),
        ("box", Shape::Box { half_extents: Vec3::new(0.1, 0.1, 1.5) }),
        ("ellipsoid", Shape::Ellipsoid { radii: Vec3::new(0.1, 0.1, 1.5) }),
    ] {
        let w = in_body(&format!("<geom type='{kind}' size='0.1' fromto='1 0 0 1 3 0'/>"));
        assert_eq!(w.geoms[0].shape, want);
        assert!(close(&w.geoms[0].pose.translation.vector, [1.0, 1.5, 0.0]));
        assert!(close(&(w.geoms[0].pose.rotation * Vec3::z()), [0.0, -1.0, 0.0]));
    }
}

#[test]
fn a_line_that_points_down_is_still_placed() {
    let w = in_body("<geom type='capsule' size='0.1' fromto='0 0 0 0 0 1'/>");
    assert!(close(&w.geoms[0].pose.translation.vector, [0.0, 0.0, 0.5]));
    assert!(close(&(w.geoms[0].pose.rotation * Vec3::z()), [0.0, 0.0, -1.0]));
}

#[test]
fn joints_take_defaults_units_and_limits() {
    let w = load(
        "<mujoco><default><joint damping='1' armature='0.5'/><default class='stiff'><joint stiffness='7' range='-90 45'/></default></default>
         <worldbody><body childclass='stiff'><joint name='h' axis='0 0 2' pos='1 2 3' ref='90' springref='45' frictionloss='0.2'/>
         <joint name='s' type='slide' axis='1 1 0' range='-1 2' limited='false' class='main'/>
         <joint name='q' type='ball' range='0 60' actuatorfrcrange='-3 3'/><geom size='0.1'/></body></worldbody></mujoco>",
    );
    let [h, s, q] = &w.bodies[1].joints[..] else { panic!() };
    assert_eq!(h.kind, JointKind::Hinge { axis: Vec3::z() });
    assert!(close(&h.anchor, [1.0, 2.0, 3.0]));
    let d = h.dofs[0];
    assert_eq!((d.damping, d.armature, d.stiffness, d.friction), (1.0, 0.5, 7.0, 0.2));
    assert!(near(d.lower, -PI / 2.0) && near(d.upper, PI / 4.0) && near(d.rest, PI / 4.0));
    assert!(near(h.reference[0], PI / 2.0));
    assert!(s.dofs[0].lower.is_infinite() && s.dofs[0].stiffness == 0.0);
    assert!(matches!(s.kind, JointKind::Slide { axis } if near(axis.x, 0.5f64.sqrt())));
    assert!(near(q.dofs[0].upper, PI / 3.0) && q.dofs.len() == 3 && q.reference.is_empty());
    assert_eq!(q.dofs[0].effort_limit, 3.0);
    assert_eq!((w.nq(), w.nv()), (6, 5));
}

#[test]
fn a_freejoint_takes_no_defaults_but_a_free_joint_does() {
    let w = load(
        "<mujoco><default><joint damping='1'/></default><worldbody><body><freejoint/><geom size='1'/></body>
         <body><joint type='free'/><geom size='1'/></body></worldbody></mujoco>",
    );
    assert_eq!(w.bodies[1].joints[0].dofs[5].damping, 0.0);
    assert_eq!(w.bodies[2].joints[0].dofs[5].damping, 1.0);
}

#[test]
fn shorter_lists_keep_the_rest_of_the_default() {
    let w = load(
        "<mujoco><default><geom type='box' size='1 2 3' friction='0.3 0.1 0.1'/></default><worldbody><geom size='5'/>\
         <geom friction='0.7'/></worldbody></mujoco>",
    );
    assert_eq!(w.geoms[0].shape, Shape::Box { half_extents: Vec3::new(5.0, 2.0, 3.0) });
    assert_eq!(w.geoms[0].contact.static_friction, Some(0.3));
    assert_eq!(w.geoms[1].contact.dynamic_friction, Some(0.7));
}

#[test]
fn frames_carry_their_children() {
    let w = load(
        "<mujoco><worldbody><body name='a' pos='0 0 1'><geom size='1'/><frame pos='1 0 0' euler='0 0 90'>
         <joint name='j' pos='1 0 0' axis='1 0 0'/><geom name='g' size='1' pos='2 0 0'/>
         <frame pos='0 0 5'><body name='c' pos='1 0 0'><joint/><geom size='1'/></body><site name='s' pos='0 1 0'/></frame>
         </frame></body></worldbody></mujoco>",
    );
    let j = &w.bodies[1].joints[0];
    assert!(close(&j.anchor, [1.0, 1.0, 0.0]));
    assert!(matches!(j.kind, JointKind::Hinge { axis } if close(&axis, [0.0, 1.0, 0.0])));
    let g = w.geoms.iter().find(|g| g.name == "g").unwrap();
    assert!(close(&g.pose.translation.vector, [1.0, 2.0, 0.0]));
    assert!(close(&w.bodies[2].pose.translation.vector, [1.0, 1.0, 5.0]));
    assert_eq!(w.bodies[2].parent, Some(1));
    assert!(close(&w.sites[0].pose.translation.vector, [0.0, 0.0, 5.0]));
}

#[test]
fn copies_are_turned_moved_and_named() {
    let w = load(
        "<mujoco><worldbody><replicate count='3' offset='1 0 0' euler='0 0 90' sep='_'><body name='b'><freejoint name='f'/>
         <geom size='0.1'/></body></replicate></worldbody></mujoco>",
    );
    let names: Vec<_> = w.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "b_0", "b_1", "b_2"]);
    assert_eq!(w.bodies[3].joints[0].name, "f_2");
    assert!(close(&w.bodies[2].pose.translation.vector, [1.0, 0.0, 0.0]));
    assert!(close(&w.bodies[3].pose.translation.vector, [1.0, 1.0, 0.0]));
    assert!(near(w.bodies[3].pose.rotation.angle(), PI));
}

/// Angles about several axes add up one by one: the third copy is turned by twice each of them.
#[test]
fn the_angles_of_copies_add_up() {
    let text = |turn: &str| {
        format!(
            "<mujoco><compiler angle='radian'/><worldbody><replicate count='3' offset='1 2 3' {turn} sep='_'><body name='b'><freejoint/>
             <geom size='0.1'/></body></replicate></worldbody></mujoco>"
        )
    };
    let w = load(&text("euler='0.3 -0.2 0.5'"));
    let turned = |k: f64| {
        let about = |axis, angle| UnitQuaternion::from_axis_angle(&axis, k * angle);
        about(Vec3::x_axis(), 0.3) * about(Vec3::y_axis(), -0.2) * about(Vec3::z_axis(), 0.5)
    };
    let step = Vec3::new(1.0, 2.0, 3.0);
    let wanted = Pose::from_parts((step + turned(1.0) * step).into(), turned(2.0));
    let off = w.bodies[3].pose.inverse() * wanted;
    assert!(off.rotation.angle() < 1e-12 && off.translation.vector.norm() < 1e-12, "{off}");
    let error = load_string(&text("quat='1 1 0 0'"), Format::Mjcf, &LoadOptions::default());
    assert!(error.unwrap_err().to_string().contains("by euler, not by quat"));
}

#[test]
fn an_inertial_is_written_in_the_frame_around_it() {
    let w = load(
        "<mujoco><worldbody><body><freejoint/><frame pos='1 0 0' euler='0 0 90'>
         <inertial pos='1 0 0' mass='1' diaginertia='1 2 2.5'/></frame></body></worldbody></mujoco>",
    );
    let inertia = &w.bodies[1].inertia;
    assert!(close(&inertia.com, [1.0, 1.0, 0.0]));
    assert!(near(inertia.rotational[(0, 0)], 2.0) && near(inertia.rotational[(1, 1)], 1.0));
    assert!(near(w.bodies[1].inertial_axes.angle(), PI / 2.0));
}

/// Mass from geoms, where there are any that count.
#[test]
fn a_body_without_geoms_that_count_keeps_its_inertial() {
    let text = |compiler: &str| {
        load(&format!(
            "<mujoco><compiler {compiler}/><worldbody><body name='b' pos='1 2 3'><freejoint/><inertial pos='0 0 0.1' mass='7' diaginertia='1 1 1'/>
             <geom size='0.1' mass='2' group='3'/></body><body pos='1 2 3'/></worldbody></mujoco>"
        ))
    };
    assert_eq!(text("").bodies[1].inertia.mass, 7.0);
    assert_eq!(text("inertiafromgeom='true'").bodies[1].inertia.mass, 2.0);
    assert_eq!(text("inertiafromgeom='true' inertiagrouprange='0 2'").bodies[1].inertia.mass, 7.0);
    // MuJoCo's place for the least mass of an empty body.
    let empty = text("boundmass='0.5'").bodies[2].inertia;
    assert_eq!((empty.mass, empty.com), (0.5, Vec3::new(1.0, 2.0, 3.0)));
}

/// Sensors on a body speak in the axes that its file gives: those of `inertial`, or of its only geom.
#[test]
fn a_body_has_the_inertial_axes_of_its_file() {
    let w = load(
        "<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' quat='1 2 3 4' diaginertia='1 2 2.5'/></body>
         <body><freejoint/><geom type='box' size='0.1 0.2 0.3' quat='1 2 3 4'/><geom size='0.1' mass='0' pos='1 1 1'/></body>
         <body><freejoint/><geom type='box' size='0.1 0.2 0.3'/><geom type='box' size='0.1 0.2 0.3' pos='1 0 0'/></body></worldbody></mujoco>",
    );
    let quaternion = |w, x, y, z| UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
    // The last as MuJoCo 4.0 has it: moments 27.2, 25.6 and 4.16 about y, z and x.
    let wanted =
        [quaternion(1.0, 2.0, 3.0, 4.0), quaternion(1.0, 2.0, 3.0, 4.0), quaternion(1.0, 1.0, 1.0, 1.0)];
    for (body, wanted) in w.bodies[1..].iter().zip(wanted) {
        assert!(body.inertial_axes.angle_to(&wanted) < 1e-7, "{} is not {wanted}", body.inertial_axes);
    }
}

#[test]
fn includes_are_spliced_and_circles_refused() {
    let files = Memory::default()
        .with("m/main.xml", "<mujoco><include file='sub/part.xml'/><worldbody><include file='sub/body.xml'/></worldbody></mujoco>")
        .with("m/sub/part.xml", "<mujoco><default><geom size='0.3'/></default></mujoco>")
        .with("m/sub/body.xml", "<mujocoinclude>\n<body name='inc'><joint/><geom name='g'/></body></mujocoinclude>");
    let w = load_with("m/main.xml", &files, &LoadOptions::default()).unwrap();
    assert_eq!(w.geoms[0].shape, Shape::Sphere { radius: 0.3 });
    assert_eq!(w.bodies[1].source.to_string(), "m/sub/body.xml:2: body \"inc\"");
    let files = Memory::default()
        .with("a.xml", "<mujoco><include file='b.xml'/></mujoco>")
        .with("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
    let error = load_with("a.xml", &files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("b.xml:1") && error.contains("includes itself"), "{error}");
}

#[test]
fn actuators_reduce_to_gain_and_bias() {
    let w = load(
        "<mujoco><compiler angle='radian'/><default><default class='p'><position kp='50'/></default></default>
         <worldbody><body><joint name='j' range='-1 3' armature='2'/><geom type='sphere' size='0.1' mass='5'/></body></worldbody>
         <actuator><motor joint='j' gear='7' ctrlrange='-1 1'/><position class='p' joint='j' kv='3' forcerange='-2 2'/>
         <velocity joint='j' kv='4'/><general joint='j' gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='4 5 6'/>
         <position joint='j' kp='8' inheritrange='0.5'/><damper joint='j' kv='9' ctrlrange='0 1'/>
         <position joint='j' kp='10' dampratio='0.5' gear='2'/></actuator></mujoco>",
    );
    let a = &w.actuators;
    assert_eq!((a[0].gain, a[0].bias, a[0].control_range), ([1.0, 0.0, 0.0], [0.0; 3], Some([-1.0, 1.0])));
    let Transmission::Joint { body, joint, gear } = a[0].transmission else { panic!("a joint") };
    assert_eq!((body, joint, gear[0]), (1, 0, 7.0));
    assert_eq!(
        (a[1].gain, a[1].bias, a[1].force_range),
        ([50.0, 0.0, 0.0], [0.0, -50.0, -3.0], Some([-2.0, 2.0]))
    );
    assert_eq!((a[2].gain, a[2].bias), ([4.0, 0.0, 0.0], [0.0, 0.0, -4.0]));
    assert_eq!((a[3].gain, a[3].bias), ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]));
    assert_eq!(a[4].control_range, Some([0.0, 2.0]));
    assert_eq!((a[5].gain, a[5].bias), ([0.0, 0.0, -9.0], [0.0; 3]));
    assert_eq!((a[6].bias, a[6].damping_ratio), ([0.0, -10.0, 0.0], Some(0.5)));
}

/// Actuators of all kinds share the defaults of a class but for the law: that comes from the innermost class last told of
/// the same kind or of `general`. Gains, biases and dynamics that MuJoCo 4.0 makes of these.
#[test]
fn the_law_of_an_actuator_comes_from_defaults_of_its_own_kind() {
    const GENERAL: &str =
        "<general gainprm='4 5' biastype='affine' biasprm='1 2 -3' dyntype='filter' dynprm='0.3'/>";
    const POSITION: &str = "<position kp='7' kv='8' timeconst='0.2'/>";
    let filter = |time| Dynamics::Filter { time };
    let exact = |time| Dynamics::ExactFilter { time };
    let none = Dynamics::None;
    #[rustfmt::skip]
    let cases = [
        (GENERAL, "", "<motor joint='j'/>", [1.0, 0.0], [0.0, 0.0, 0.0], none),
        (GENERAL, "", "<position joint='j' kp='9'/>", [9.0, 0.0], [0.0, -9.0, -3.0], none),
        (GENERAL, "", "<velocity joint='j'/>", [4.0, 0.0], [0.0, 0.0, -4.0], none),
        (GENERAL, "", "<cylinder joint='j'/>", [4.0, 0.0], [1.0, 2.0, -3.0], filter(0.3)),
        (GENERAL, "", "<general joint='j' gaintype='affine'/>", [4.0, 5.0], [1.0, 2.0, -3.0], filter(0.3)),
        ("<general gainprm='4' gaintype='affine'/>", "", "<position joint='j'/>", [1.0, 0.0], [0.0, -1.0, 0.0], none),
        (POSITION, "", "<position joint='j'/>", [7.0, 0.0], [0.0, -7.0, -8.0], exact(0.2)),
        (POSITION, "", "<velocity joint='j'/>", [1.0, 0.0], [0.0, 0.0, -1.0], none),
        (POSITION, "", "<intvelocity joint='j' actrange='0 1'/>", [1.0, 0.0], [0.0, -1.0, 0.0], Dynamics::Integrator),
        (POSITION, "", "<general joint='j' gainprm='2'/>", [2.0, 0.0], [0.0, -7.0, -8.0], exact(0.2)),
        (POSITION, "<velocity kv='2.5'/>", "<position joint='j'/>", [7.0, 0.0], [0.0, -7.0, -8.0], exact(0.2)),
        (POSITION, "<velocity kv='2.5'/>", "<general joint='j'/>", [2.5, 0.0], [0.0, 0.0, -2.5], none),
        (POSITION, "<general gainprm='2'/>", "<position joint='j'/>", [2.0, 0.0], [0.0, -2.0, -8.0], exact(0.2)),
        (POSITION, "<general gainprm='2'/>", "<velocity joint='j'/>", [2.0, 0.0], [0.0, 0.0, -2.0], none),
        ("<general gainprm='4'/>", "<velocity kv='2.5'/>", "<position joint='j'/>", [4.0, 0.0], [0.0, -4.0, 0.0], none),
        ("<position kp='7'/><velocity kv='3'/>", "", "<position joint='j'/>", [1.0, 0.0], [0.0, -1.0, 0.0], none),
        ("<damper kv='3' ctrlrange='0 1'/>", "", "<damper joint='j'/>", [0.0, 0.0], [0.0, 0.0, 0.0], none),
    ];
    for (outer, inner, actuator, gain, bias, dynamics) in cases {
        let text = format!(
            "<mujoco><default>{outer}<default class='c'>{inner}</default></default>
             <worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
             <actuator>{}</actuator></mujoco>",
            actuator.replacen(' ', " class='c' ", 1)
        );
        let a = &load(&text).actuators[0];
        assert_eq!(
            (&a.gain[..2], a.bias, a.dynamics),
            (&gain[..], bias, dynamics),
            "{outer} {inner} {actuator}"
        );
    }
    // Nothing but a general default of a muscle's type is taken into a muscle.
    let w = load(
        "<mujoco><default><position kp='7'/></default><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
         <actuator><muscle joint='j' lengthrange='0 1' force='30'/></actuator></mujoco>",
    );
    let muscle = w.actuators[0].muscle.unwrap();
    assert_eq!((muscle.range, muscle.force, muscle.longest), ([0.75, 1.05], 30.0, 1.6));
}

/// Of a ball joint: the inertia of the mean of what its three axes yield, 3/(1/I₁ + 1/I₂ + 1/I₃).
#[test]
fn a_ball_joint_given_by_time_constant_takes_the_harmonic_mean() {
    let w = load(
        "<mujoco><worldbody><body><joint type='ball' springdamper='0.5 2'/>
         <inertial pos='0 0 0' mass='1' diaginertia='1 2 2.5'/></body></worldbody></mujoco>",
    );
    let (d, i) = (w.bodies[1].joints[0].dofs[0], 3.0 / (1.0 + 0.5 + 0.4));
    assert!(near(d.stiffness, i / 1.0) && near(d.damping, 2.0 * i / 0.5));
}

#[test]
fn a_spring_given_by_time_constant_suits_its_inertia() {
    let w = load(
        "<mujoco><worldbody><body><joint springdamper='0.5 2'/><geom size='0.1' mass='5'/></body></worldbody></mujoco>",
    );
    let (d, i) = (w.bodies[1].joints[0].dofs[0], 0.4 * 5.0 * 0.01);
    assert!(near(d.stiffness, i / 1.0) && near(d.damping, 2.0 * i / 0.5));
}

#[test]
fn couplings_hold_what_the_file_starts_with() {
    let w = load(
        "<mujoco><worldbody><body name='a' pos='1 0 0'><joint name='ja'/><geom size='1'/><site name='sa' pos='0 0 1'/></body>
         <body name='b' pos='0 3 0' euler='0 0 90'><joint name='jb'/><geom size='1'/><site name='sb' pos='0 0 2'/></body></worldbody>
         <equality><connect body1='a' body2='b' anchor='0 1 0'/><weld body1='a' body2='b'/><weld body1='a' relpose='1 2 3 1 0 0 0' active='false'/>
         <joint joint1='ja' joint2='jb' polycoef='0.1 2'/><connect site1='sa' site2='sb'/></equality></mujoco>",
    );
    let EqualityKind::Connect { point_b, .. } = w.equalities[0].kind else { panic!() };
    // The point (1, 1, 0) of the world seen from b.
    assert!(close(&point_b, [-2.0, -1.0, 0.0]));
    let EqualityKind::Weld { pose_ab, .. } = w.equalities[1].kind else { panic!() };
    assert!(close(&pose_ab.translation.vector, [-1.0, 3.0, 0.0]) && near(pose_ab.rotation.angle(), PI / 2.0));
    assert!(!w.equalities[2].active);
    let EqualityKind::Joint { first, second, coefficients } = w.equalities[3].kind else { panic!() };
    assert_eq!((first, second, coefficients), ((1, 0), Some((2, 0)), [0.1, 2.0, 0.0, 0.0, 0.0]));
    let EqualityKind::Connect { point_a, point_b, .. } = w.equalities[4].kind else { panic!() };
    assert!(close(&point_a, [0.0, 0.0, 1.0]) && close(&point_b, [0.0, 0.0, 2.0]));
}

#[test]
fn contact_attributes_become_si_properties() {
    let w = load(
        "<mujoco><worldbody><geom size='1' friction='0.4' priority='2' contype='2' conaffinity='4' solref='-1000 -20'/>
         <geom size='1' condim='1'/><geom size='1' contype='0' conaffinity='0'/>
         <geom size='1' condim='4' friction='0.6 0.02'/>
         <body pos='0 0 1'><geom type='box' size='1 1 1' pos='0 2 0' surfacevel='1 0 0 0 0 3'/></body></worldbody></mujoco>",
    );
    assert_eq!(w.options.friction_rule, FrictionRule::MaxWithPriority);
    let g = &w.geoms[0];
    assert_eq!(
        (g.contact.static_friction, g.contact.dynamic_friction, g.priority),
        (Some(0.4), Some(0.4), 2)
    );
    assert_eq!((g.filter.group, g.filter.mask, g.role), (2, 4, GeomRole::Both));
    assert_eq!((g.contact.stiffness, g.contact.relaxation_time), (Some(1000.0), Some(0.02)));
    let friction = |k: usize| {
        let c = &w.geoms[k].contact;
        (c.dimensions, c.dynamic_friction, c.torsional_friction, c.rolling_friction)
    };
    assert_eq!(friction(0), (Some(3), Some(0.4), Some(0.005), Some(0.0001)));
    assert_eq!(friction(1), (Some(1), Some(1.0), Some(0.005), Some(0.0001)));
    assert_eq!(friction(3), (Some(4), Some(0.6), Some(0.02), Some(0.0001)));
    assert_eq!(w.geoms[2].role, GeomRole::Visual);
    // Turning at 3 rad/s about a point 2 m along y moves the body's origin by +6 m/s along x.
    assert_eq!(w.geoms[4].surface_velocity, Some([0.0, 0.0, 3.0, 7.0, 0.0, 0.0]));
    let says = |k: usize, words: &str| w.warnings[k].message.contains(words);
    assert!(w.warnings.len() == 2 && says(0, "direct form") && says(1, "do not follow"), "{:?}", w.warnings);
}

#[test]
fn drake_tags_work_in_geoms() {
    let w = load(
        "<mujoco><worldbody><geom size='1'><drake:proximity_properties><drake:compliant_hydroelastic/>
         <drake:hydroelastic_modulus value='1e6'/><drake:mu_static>0.3</drake:mu_static><drake:mu_dynamic value='0.2'/>
         <drake:point_contact_stiffness value='5e4'/><drake:hunt_crossley_dissipation value='2'/>
         <drake:mesh_resolution_hint value='0.1'/><drake:relaxation_time value='0.05'/><drake:hydroelastic_margin value='0.001'/>
         </drake:proximity_properties></geom></worldbody></mujoco>",
    );
    let c = w.geoms[0].contact;
    assert_eq!((c.static_friction, c.dynamic_friction), (Some(0.3), Some(0.2)));
    assert_eq!((c.stiffness, c.dissipation, c.relaxation_time), (Some(5e4), Some(2.0), Some(0.05)));
    assert_eq!((c.hydroelastic_modulus, c.resolution_hint), (Some(1e6), Some(0.1)));
    assert_eq!((c.compliance, w.geoms[0].margin), (stiction_model::Compliance::Compliant, 0.001));
    assert!(w.warnings.is_empty(), "{:?}", w.warnings);
}

#[test]
fn options_flags_keyframes_exclusions_and_colours_are_read() {
    let w = load(
        "<mujoco model='m'><option gravity='1 2 3' timestep='0.005'><flag filterparent='disable' equality='enable'/></option>
         <asset><material name='red' rgba='1 0 0 1'/></asset>
         <worldbody><body name='a'><joint name='j'/><geom size='1' material='red'/></body><body name='b' mocap='true' gravcomp='1'/></worldbody>
         <contact><exclude body1='a' body2='b'/></contact><actuator><motor joint='j'/></actuator>
         <keyframe><key name='k' time='2' qpos='1' qvel='2' ctrl='3'/></keyframe></mujoco>",
    );
    assert_eq!(w.name, "m");
    assert!(close(&w.options.gravity, [1.0, 2.0, 3.0]) && w.options.step == Some(0.005));
    assert!(w.options.parent_child_collide);
    assert_eq!(w.geoms[0].color, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(w.exclusions, [(1, 2)]);
    assert!(w.bodies[2].mocap && w.bodies[2].gravity_compensation == 1.0);
    let k = &w.keyframes[0];
    assert_eq!((k.time, &k.qpos[..], &k.qvel[..], &k.ctrl[..]), (2.0, &[1.0][..], &[2.0][..], &[3.0][..]));
}

/// A robot with a keyframe, included beside an object, was refused. MuJoCo 4.0 reads [0.3 | 1 2 3 1 0 0 0] and ctrl [7 0].
#[test]
fn the_keyframe_of_an_included_robot_is_continued_by_the_default_state() {
    let w = load(
        "<mujoco><worldbody><body name='arm'><joint name='j'/><geom size='.1'/></body>
         <body name='cube' pos='1 2 3'><freejoint/><geom size='.1'/></body>
         <body name='door'><joint name='d' ref='30'/><geom size='.1'/></body></worldbody>
         <actuator><motor joint='j'/><motor joint='d'/></actuator>
         <keyframe><key name='home' qpos='0.3' ctrl='7'/></keyframe></mujoco>",
    );
    let k = &w.keyframes[0];
    let expected = [0.3, 1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0, 30f64.to_radians()];
    assert!(
        k.qpos.len() == 9 && k.qpos.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15),
        "{:?}",
        k.qpos
    );
    assert_eq!((&k.ctrl[..], &k.qvel[..]), (&[7.0, 0.0][..], &[][..]));
    assert!(
        w.warnings
            .iter()
            .any(|w| w.to_string().contains("\"home\": qpos has 1 of 9 numbers, ctrl has 1 of 2"))
    );
}

#[test]
fn unnamed_things_get_names_that_are_free() {
    let w = load(
        "<mujoco><worldbody><body name='body_2'><joint/><joint/><geom size='1'/></body><body><joint/><geom size='1'/></body></worldbody></mujoco>",
    );
    let names: Vec<_> = w.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "body_2", "body_2_2"]);
    let joints: Vec<_> = w.joints().map(|(_, j)| j.name.as_str()).collect();
    assert_eq!(joints, ["body_2_joint", "body_2_joint_2", "body_2_2_joint"]);
}

#[test]
fn fromto_wins_over_pos_and_says_so() {
    let w = in_body("<geom type='capsule' size='0.1' pos='5 5 5' fromto='0 0 0 0 0 1'/>");
    assert!(close(&w.geoms[0].pose.translation.vector, [0.0, 0.0, 0.5]));
    assert!(
        w.warnings.iter().any(|x| x.message.contains("pos has no effect beside fromto")),
        "{:?}",
        w.warnings
    );
}

#[test]
fn a_body_whose_only_shape_was_left_out_says_so() {
    let text = "<mujoco><asset><mesh name='m' builtin='cone' params='8 0.5'/></asset>\
                <worldbody><body name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    let error = load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("moves no mass") && error.contains("built-in meshes are not made"), "{error}");
}
