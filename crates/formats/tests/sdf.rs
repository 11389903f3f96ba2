//! SDFormat: what its elements become.

mod common;

use common::poses;
use nalgebra::{UnitQuaternion, Vector3};
use stiction_formats::files::Memory;
use stiction_formats::{Format, FormatError, LoadOptions, load_string, load_with};
use stiction_model::{EqualityKind, JointKind, World};

fn read(text: &str) -> World {
    load_string(text, Format::Sdf, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn error(text: &str) -> String {
    load_string(text, Format::Sdf, &LoadOptions::default()).unwrap_err().to_string()
}

fn model(inside: &str) -> String {
    format!("<sdf version='1.9'><model name='m'>{inside}</model></sdf>")
}

fn body(world: &World, name: &str) -> usize {
    world.body_index(name).unwrap_or_else(|| {
        panic!("no body {name}: {:?}", world.bodies.iter().map(|b| &b.name).collect::<Vec<_>>())
    })
}

#[test]
fn links_stand_where_relative_to_places_them() {
    let world = read(&model(
        "<pose>0 0 5 0 0 0</pose>
         <link name='a'><pose>1 0 0 0 0 1.5707963267948966</pose></link>
         <frame name='f' attached_to='a'><pose>1 0 0 0 0 0</pose></frame>
         <link name='b'><pose relative_to='f'>0 1 0 0 0 0</pose></link>
         <link name='c'><pose relative_to='__model__'>0 0 1 0 0 0</pose></link>
         <link name='d'><pose relative_to='b' degrees='true'>0 0 0 0 0 90</pose></link>",
    ));
    let x = poses(&world);
    let at = |name| x[body(&world, name)];
    assert!((at("a").translation.vector - Vector3::new(1.0, 0.0, 5.0)).norm() < 1e-12);
    // f is one along a's x, which points to y; b one along f's y, which points to −x.
    assert!((at("b").translation.vector - Vector3::new(0.0, 1.0, 5.0)).norm() < 1e-12);
    assert!((at("c").translation.vector - Vector3::new(0.0, 0.0, 6.0)).norm() < 1e-12);
    let half_turn = UnitQuaternion::from_euler_angles(0.0, 0.0, std::f64::consts::PI);
    assert!(at("d").rotation.angle_to(&half_turn) < 1e-9);
    assert_eq!((world.nq(), world.sites[0].name.as_str()), (28, "f"));
}

#[test]
fn joints_of_every_kind_are_read() {
    let link = |n: &str| format!("<link name='{n}'/>");
    let joint = |n: &str, kind: &str, inside: &str| {
        format!("<joint name='{n}' type='{kind}'><parent>base</parent><child>{n}_l</child>{inside}</joint>")
    };
    let x = "<axis><xyz>1 0 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort><velocity>4</velocity></limit>\
             <dynamics><damping>0.5</damping><friction>0.25</friction><spring_stiffness>6</spring_stiffness>\
             <spring_reference>0.1</spring_reference></dynamics></axis>";
    let y = "<axis2><xyz>0 1 0</xyz></axis2>";
    let text = model(&format!(
        "{}{}{}{}{}{}{}{}{}{}{}{}{}{}",
        link("base"),
        ["r_l", "c_l", "p_l", "b_l", "u_l", "s_l"].map(link).concat(),
        link("f_l"),
        link("t_l"),
        joint("r", "revolute", x),
        joint("c", "continuous", x),
        joint("p", "prismatic", x),
        joint("b", "ball", ""),
        joint("u", "universal", &format!("{x}{y}")),
        joint("s", "screw", &format!("{x}<screw_thread_pitch>0.02</screw_thread_pitch>")),
        joint("f", "fixed", ""),
        joint("t", "revolute2", &format!("{x}{y}")),
        "<joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>",
        ""
    ));
    let world = read(&text);
    let kinds: Vec<(&str, &str)> = world.joints().map(|(_, j)| (j.name.as_str(), j.kind.word())).collect();
    assert_eq!(
        kinds,
        [
            ("r", "hinge"),
            ("c", "hinge"),
            ("p", "slide"),
            ("b", "ball"),
            ("u", "universal"),
            ("s", "screw"),
            ("t", "universal")
        ]
    );
    let joints: Vec<_> = world.joints().map(|(_, j)| j).collect();
    let d = joints[0].dofs[0];
    assert_eq!((d.lower, d.upper, d.effort_limit, d.velocity_limit), (-1.0, 2.0, 3.0, 4.0));
    assert_eq!((d.damping, d.friction, d.stiffness, d.rest), (0.5, 0.25, 6.0, 0.1));
    assert_eq!(joints[1].dofs[0].upper, f64::INFINITY);
    assert_eq!(joints[5].kind, JointKind::Screw { axis: Vector3::x(), pitch: 0.02 });
    // Every joint of one coordinate has a motor with its effort limit.
    let motors: Vec<_> = world.actuators.iter().map(|a| (a.name.as_str(), a.force_range)).collect();
    let limit = Some([-3.0, 3.0]);
    assert_eq!(motors, [("r", limit), ("c", limit), ("p", limit), ("s", limit)]);
}

#[test]
fn axes_are_in_the_frame_that_the_version_says() {
    let text = |version: &str, axis: &str| {
        format!(
            "<sdf version='{version}'><model name='m'><link name='a'/><link name='b'><pose>0 0 1 0 0 1.5707963267948966</pose></link>
             <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis>{axis}</axis></joint></model></sdf>"
        )
    };
    let axis = |version, axis| match read(&text(version, axis)).bodies[2].joints[0].kind {
        JointKind::Hinge { axis } => axis,
        other => panic!("{other:?}"),
    };
    let plain = "<xyz>1 0 0</xyz>";
    // In the model's frame until 1.4, then in the joint's; these are what Drake 1.51.1 gives.
    assert!((axis("1.4", plain) + Vector3::y()).norm() < 1e-12);
    assert!((axis("1.6", plain) - Vector3::x()).norm() < 1e-12);
    let said = "<xyz>1 0 0</xyz><use_parent_model_frame>true</use_parent_model_frame>";
    assert!((axis("1.6", said) + Vector3::y()).norm() < 1e-12);
    let expressed = "<xyz expressed_in='a'>1 0 0</xyz>";
    assert!((axis("1.9", expressed) + Vector3::y()).norm() < 1e-12);
}

#[test]
fn a_joint_met_from_its_child_turns_the_other_way() {
    let world = read(&model(
        "<link name='a'/><link name='b'/><joint name='w' type='fixed'><parent>world</parent><child>b</child></joint>
         <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>",
    ));
    let a = &world.bodies[body(&world, "a")];
    assert_eq!(a.parent, Some(body(&world, "b")));
    assert_eq!(a.joints[0].kind, JointKind::Hinge { axis: -Vector3::z() });
}

#[test]
fn loops_close_by_couplings() {
    let joint = |n: &str, kind: &str, p: &str, c: &str| {
        format!(
            "<joint name='{n}' type='{kind}'><parent>{p}</parent><child>{c}</child><axis><xyz>0 1 0</xyz></axis></joint>"
        )
    };
    let links = ["a", "b", "c"].map(|n| format!("<link name='{n}'/>")).concat();
    let tree = joint("w", "fixed", "world", "a")
        + &joint("j1", "revolute", "a", "b")
        + &joint("j2", "revolute", "b", "c");
    for (kind, couplings) in [("fixed", 1), ("ball", 1), ("revolute", 2)] {
        let world = read(&model(&format!("{links}{tree}{}", joint("loop", kind, "c", "a"))));
        assert_eq!((world.equalities.len(), world.nq()), (couplings, 2), "{kind}");
    }
    // A joint that no coupling can stand for takes the place of one that can.
    let world = read(&model(&format!("{links}{tree}{}", joint("loop", "prismatic", "c", "a"))));
    assert_eq!((world.equalities.len(), world.equalities[0].name.as_str()), (2, "j2_1"));
    let stiff = tree.replace("revolute", "prismatic");
    let text = model(&format!("{links}{stiff}{}", joint("loop", "prismatic", "c", "a")));
    assert!(error(&text).contains("closes a loop"));
}

#[test]
fn a_gearbox_couples_the_angles_about_its_reference() {
    let hinge = |n: &str, c: &str, axis: &str| {
        format!(
            "<joint name='{n}' type='revolute'><parent>base</parent><child>{c}</child><axis><xyz>{axis}</xyz></axis></joint>"
        )
    };
    let world = read(&model(&format!(
        "<link name='base'/><link name='a'/><link name='b'/>{}{}
         <joint name='g' type='gearbox'><parent>a</parent><child>b</child><gearbox_ratio>3</gearbox_ratio>
         <gearbox_reference_body>base</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>",
        hinge("j1", "a", "0 0 1"),
        hinge("j2", "b", "0 0 -1"),
    )));
    let EqualityKind::Joint { first, second, coefficients } = world.equalities[0].kind else { panic!() };
    assert_eq!((first.0, second.unwrap().0), (body(&world, "b"), body(&world, "a")));
    // θ₂ about +z is −3 θ₁, and joint j2 counts about −z.
    assert_eq!(coefficients[1], 3.0);
}

#[test]
fn models_nest_include_and_merge() {
    let hand = "<sdf version='1.9'><model name='hand'><pose>9 9 9 0 0 0</pose><link name='palm'><pose>0 0 0.5 0 0 0</pose></link>
        <frame name='grip' attached_to='palm'><pose>0 0 0.25 0 0 0</pose></frame></model></sdf>";
    let config =
        "<model><name>hand</name><sdf version='1.5'>old.sdf</sdf><sdf version='1.9'>new.sdf</sdf></model>";
    let main = |include: &str| {
        format!(
            "<sdf version='1.9'><model name='arm'><link name='base'/>{include}
             <joint name='j' type='fixed'><parent>base</parent><child>END</child></joint></model></sdf>"
        )
    };
    let files = |text: String| {
        Memory::default()
            .with("models/hand/model.config", config)
            .with("models/hand/new.sdf", hand)
            .with("models/arm/arm.sdf", text)
    };
    let load = |text: String| {
        load_with("models/arm/arm.sdf", &files(text), &LoadOptions::default())
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let include = "<include><uri>model://hand</uri><name>left</name><pose>1 0 0 0 0 0</pose></include>";
    let world = load(main(include).replace("END", "left::grip"));
    let x = poses(&world)[body(&world, "left::palm")];
    assert!((x.translation.vector - Vector3::new(1.0, 0.0, 0.5)).norm() < 1e-12);
    assert_eq!(world.nq(), 7);
    // With a placement frame the pose is that of the grip, which lies 0.75 above the model's origin.
    let placed = include.replace("<pose>", "<placement_frame>grip</placement_frame><pose>");
    let world = load(main(&placed).replace("END", "left::palm"));
    let x = poses(&world)[body(&world, "left::palm")];
    assert!((x.translation.vector - Vector3::new(1.0, 0.0, -0.25)).norm() < 1e-12);
    // Merged, its parts belong to the outer model.
    let merged = include.replace("<include>", "<include merge='true'>");
    let world = load(main(&merged).replace("END", "palm"));
    let x = poses(&world)[body(&world, "palm")];
    assert!((x.translation.vector - Vector3::new(1.0, 0.0, 0.5)).norm() < 1e-12);
    // A file that includes itself.
    let circle = main("<include><uri>arm.sdf</uri></include>").replace("END", "base");
    let error =
        load_with("models/arm/arm.sdf", &files(circle), &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("includes itself"), "{error}");
}

#[test]
fn worlds_hold_models_frames_and_gravity() {
    let world = read(
        "<sdf version='1.10'><world name='w'><gravity>0 0 -1.6</gravity><physics type='ode'><max_step_size>0.002</max_step_size></physics>
         <frame name='shelf'><pose>0 0 2 0 0 0</pose></frame>
         <model name='ground'><static>true</static><link name='l'><collision name='c'><geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
         <model name='box'><pose relative_to='shelf'>1 0 0 0 0 0</pose><link name='l'><gravity>false</gravity></link></model></world></sdf>",
    );
    assert_eq!((world.name.as_str(), world.options.gravity.z, world.options.step), ("w", -1.6, Some(0.002)));
    assert_eq!(world.bodies[body(&world, "ground::l")].joints.len(), 0);
    let boxed = body(&world, "box::l");
    assert_eq!(world.bodies[boxed].joints[0].kind, JointKind::Free);
    assert_eq!(world.bodies[boxed].gravity_compensation, 1.0);
    assert!((poses(&world)[boxed].translation.vector - Vector3::new(1.0, 0.0, 2.0)).norm() < 1e-12);
}

#[test]
fn contact_and_drake_tags_are_read() {
    let world = read(&model(
        "<link name='a'><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>
         <collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>
         <surface><friction><ode><mu>0.7</mu><mu2>0.7</mu2></ode><torsional><coefficient>0.8</coefficient><patch_radius>0.02</patch_radius></torsional></friction><bounce><restitution_coefficient>0.6</restitution_coefficient><threshold>0.1</threshold></bounce><contact><collide_bitmask>6</collide_bitmask><ode><kp>1e5</kp><kd>10</kd></ode></contact></surface>
         </collision></link><link name='b'/><link name='c'/>
         <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit><effort>0</effort></limit></axis>
         <drake:rotor_inertia>0.1</drake:rotor_inertia><drake:gear_ratio>20</drake:gear_ratio></joint>
         <joint name='k' type='revolute'><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz><limit><drake:acceleration>7</drake:acceleration></limit></axis>
         <drake:mimic joint='j' multiplier='2' offset='0.5'/></joint>
         <drake:linear_spring_damper><drake:linear_spring_damper_body_A>a</drake:linear_spring_damper_body_A>
         <drake:linear_spring_damper_body_B>c</drake:linear_spring_damper_body_B><drake:linear_spring_damper_p_AP>0 0 0</drake:linear_spring_damper_p_AP>
         <drake:linear_spring_damper_p_BQ>0 0 1</drake:linear_spring_damper_p_BQ><drake:linear_spring_damper_free_length>0.5</drake:linear_spring_damper_free_length>
         <drake:linear_spring_damper_stiffness>100</drake:linear_spring_damper_stiffness><drake:linear_spring_damper_damping>5</drake:linear_spring_damper_damping></drake:linear_spring_damper>
         <drake:collision_filter_group name='g'><drake:member>a</drake:member><drake:member>c</drake:member>
         <drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group></drake:collision_filter_group>",
    ));
    let geom = &world.geoms[0];
    assert_eq!((geom.contact.static_friction, geom.contact.stiffness), (Some(0.7), Some(1e5)));
    assert_eq!((geom.contact.restitution, geom.contact.restitution_threshold), (Some(0.6), Some(0.1)));
    // 3π/16 of the coefficient times the radius.
    assert!((geom.contact.torsional_friction.unwrap() - 0.589_048_622_548 * 0.016).abs() < 1e-12);
    assert_eq!((geom.contact.relaxation_time, geom.filter.mask), (Some(1e-4), 6));
    let dof = world.bodies[2].joints[0].dofs[0];
    assert_eq!((dof.rotor_inertia, dof.gear_ratio), (0.1, 20.0));
    assert_eq!(world.actuators.len(), 1, "an effort of zero means no motor");
    assert_eq!(world.bodies[3].joints[0].dofs[0].acceleration_limit, 7.0);
    let EqualityKind::Joint { coefficients, .. } = world.equalities[0].kind else { panic!() };
    assert_eq!(coefficients, [0.5, 2.0, 0.0, 0.0, 0.0]);
    let spring = &world.tendons[0];
    assert_eq!((spring.stiffness, spring.damping, spring.rest), (100.0, 5.0, Some([0.5; 2])));
    assert_eq!(world.equalities.len(), 1);
    assert_eq!(world.exclusions, [(1, 3)]);
    assert!(world.warnings.is_empty(), "{:?}", world.warnings);
}

#[test]
fn a_link_without_inertial_weighs_one_and_volumes_weigh_what_they_are() {
    let world = read(&model("<link name='a'/>"));
    assert_eq!(world.bodies[1].inertia.mass, 1.0);
    let world = read(&model(
        "<link name='a'><inertial auto='true'><density>500</density></inertial>
         <collision name='c'><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry></collision></link>",
    ));
    let inertia = world.bodies[1].inertia;
    assert!((inertia.mass - 3000.0).abs() < 1e-9 && (inertia.com.z - 1.0).abs() < 1e-12);
    assert!((inertia.rotational[(0, 0)] - 3000.0 * (4.0 + 9.0) / 12.0).abs() < 1e-6);
}

#[test]
fn mistakes_name_the_place_and_the_remedy() {
    let two = "<link name='a'/><link name='b'/>";
    let cases: &[(String, &[&str])] = &[
        (
            model(
                "<link name='a'><pose relative_to='b'/></link><link name='b'><pose relative_to='a'/></link>",
            ),
            &["link \"", "circle"],
        ),
        (
            model("<link name='a'><pose relative_to='nobody'/></link>"),
            &["link \"a\"", "nobody", "correct the name"],
        ),
        (
            model("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/><link name='l'/>"),
            &["circle"],
        ),
        (model("<link name='a'/><frame name='a'/>"), &["already a link", "rename"]),
        (model("<link name='world'/>"), &["reserved"]),
        (
            model(&format!("{two}<joint name='j' type='bend'><parent>a</parent><child>b</child></joint>")),
            &["bend", "revolute"],
        ),
        (
            model(&format!(
                "{two}<joint name='j' type='revolute'><parent>a</parent><child>b</child></joint>"
            )),
            &["axis"],
        ),
        (
            model(&format!("{two}<joint name='j' type='fixed'><parent>a</parent><child>c</child></joint>")),
            &["\"c\"", "correct the name"],
        ),
        (model(&format!("{two}<joint name='j' type='fixed'><parent>a</parent></joint>")), &["child"]),
        (
            model(&format!("{two}<joint name='j' type='fixed'><parent>a</parent><child>a</child></joint>")),
            &["same link"],
        ),
        (model("<link name='a'><pose>1 2 3</pose></link>"), &["3 numbers", "roll"]),
        (model("<link name='a'><pose>1 2 3 x 0 0</pose></link>"), &["\"x\"", "not a number"]),
        (model("<link name='a'><inertial><mass>-1</mass></inertial></link>"), &["mass", "positive"]),
        (
            model(
                "<link name='a'><collision name='c'><geometry><sphere><radius>-1</radius></sphere></geometry></collision></link>",
            ),
            &["radius", "positive"],
        ),
        (model("<link name='a'><collision name='c'><geometry/></collision></link>"), &["geometry", "empty"]),
        (model("<include><uri>model://nowhere</uri></include><link name='a'/>"), &["nowhere", "package"]),
        (model("<include><uri>https://fuel/x</uri></include><link name='a'/>"), &["network", "download"]),
        ("<sdf version='1.9'><world name='a'/><world name='b'/></sdf>".into(), &["several worlds"]),
    ];
    for (text, words) in cases {
        let error = error(text);
        for word in *words {
            assert!(error.contains(word), "{text}\n  {error}\n  without: {word}");
        }
    }
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let plugin = model("<link name='a'/><plugin name='p' filename='f'/>");
    assert!(matches!(load_string(&plugin, Format::Sdf, &strict), Err(FormatError::Strict(_))));
}
