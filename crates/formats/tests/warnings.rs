//! What is not honoured is reported once, with its place and effect; strict reading refuses it.

use stiction_formats::{Format, FormatError, LoadOptions, load_string};

fn warnings(text: &str, format: Format) -> Vec<String> {
    let world = load_string(text, format, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    world.warnings.iter().map(|w| w.to_string()).collect()
}

fn strict(text: &str, format: Format) -> Result<(), FormatError> {
    load_string(text, format, &LoadOptions { strict: true, ..LoadOptions::default() }).map(|_| ())
}

/// A document, and words of the one warning it makes.
const CASES: &[(&str, &[&str])] = &[
    (
        "<mujoco>\n<worldbody>\n<geom size='1' sizzle='2'/><geom size='1' sizzle='3'/></worldbody></mujoco>",
        &["<text>:3: geom", "sizzle", "unknown"],
    ),
    ("<mujoco><wordbody/></mujoco>", &["wordbody", "unknown"]),
    (
        "<mujoco><worldbody><body><thing><geom size='1'/></thing></body></worldbody></mujoco>",
        &["thing", "no effect"],
    ),
    ("<mujoco><default><geom colour='1'/></default></mujoco>", &["geom", "colour"]),
    ("<mujoco><sensor><user dim='3'/><user dim='2'/></sensor></mujoco>", &["user", "zeros"]),
    ("<mujoco><sensor><tactile geom='a' mesh='m'/></sensor></mujoco>", &["tactile", "left out"]),
    (
        "<mujoco><worldbody><geom name='a' size='1'/><geom name='b' size='1'/></worldbody><contact><pair geom1='a' geom2='b' margin='0.1'/></contact></mujoco>",
        &["margin", "push"],
    ),
    ("<mujoco><worldbody><composite type='cable'/></worldbody></mujoco>", &["composite", "left out"]),
    (
        "<mujoco><worldbody><body><joint name='j' margin='1'/><geom size='1'/></body></worldbody></mujoco>",
        &["margin", "limit"],
    ),
    (
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator><dcmotor joint='j'/></actuator></mujoco>",
        &["dcmotor", "no force"],
    ),
    (
        "<mujoco><worldbody><body><joint name='j'/><geom size='1'/><site name='s'/></body></worldbody><actuator><motor site='s' armature='1'/></actuator></mujoco>",
        &["armature", "no effect"],
    ),
    (
        "<mujoco><worldbody><geom size='1'><drake:proximity_properties><drake:softness value='1'/></drake:proximity_properties></geom></worldbody></mujoco>",
        &["drake:softness", "no effect"],
    ),
];

#[test]
fn each_kind_of_thing_warns_once_and_is_an_error_under_strict() {
    for (text, words) in CASES {
        let all = warnings(text, Format::Mjcf);
        assert_eq!(all.len(), 1, "{text}: {all:#?}");
        for word in *words {
            assert!(all[0].contains(word), "{}\n  without: {word}", all[0]);
        }
        assert!(matches!(strict(text, Format::Mjcf), Err(FormatError::Strict(_))), "{text}");
    }
}

#[test]
fn ignored_attributes_that_ask_for_nothing_are_no_matter() {
    let text = "<mujoco><compiler alignfree='false'/><option density='0' wind='0 0 0' actuatorgroupdisable='0'/><worldbody><body><freejoint align='false'/>\
        <geom size='1' adhesion='0'/></body><body><joint margin='0'/><geom size='1'/></body></worldbody></mujoco>";
    assert_eq!(warnings(text, Format::Mjcf), Vec::<String>::new());
    assert_eq!(strict(text, Format::Mjcf), Ok(()));
}

#[test]
fn an_unsupported_actuator_keeps_its_place_among_the_controls() {
    let text = "<mujoco><worldbody><body><joint name='j'/><geom size='1'/><site name='s'/></body></worldbody>
        <actuator><dcmotor joint='j'/><motor joint='j'/></actuator><keyframe><key ctrl='1 2'/></keyframe></mujoco>";
    let world = load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    assert_eq!(world.nu(), 2);
    let stiction_model::Transmission::Joint { gear, .. } = world.actuators[0].transmission else {
        panic!("a joint")
    };
    assert_eq!(gear, [0.0; 6]);
}

#[test]
fn pictures_make_one_warning_and_pass_strict_reading() {
    let text = "<mujoco><visual><quality/></visual><custom><text name='a' data='b'/></custom><worldbody><light mode='fixed'/><camera/><geom size='1' user='1'/></worldbody></mujoco>";
    let all = warnings(text, Format::Mjcf);
    assert_eq!(all.len(), 1, "{all:?}");
    for word in ["quality", "light mode", "geom user", "text"] {
        assert!(all[0].contains(word), "{}", all[0]);
    }
    assert_eq!(strict(text, Format::Mjcf), Ok(()));
}

/// What behaves in this format as it does here is no error, and neither are settings of another program's solver.
#[test]
fn settings_of_the_solver_make_one_warning_and_pass_strict_reading() {
    let text = "<mujoco><option solver='CG' iterations='3' cone='elliptic' noslip_iterations='5'><flag warmstart='disable'/></option>
        <worldbody><geom size='1' margin='0.1' solref='0.01 1' solimp='0.9 0.9 0.01'/><body><joint solreflimit='0.01 1'/><geom size='1'/></body></worldbody></mujoco>";
    let all = warnings(text, Format::Mjcf);
    assert_eq!(all.len(), 1, "{all:?}");
    let words = [
        "do not follow cone, geom margin, geom solimp, geom solref: contact_from = mujoco",
        "near-rigid and do not follow joint solreflimit",
        "noslip_iterations have no effect: tangential springs",
        "without effect here: iterations, solver, warmstart",
    ];
    for word in words {
        assert!(all[0].contains(word), "{}\n  without: {word}", all[0]);
    }
    assert_eq!(strict(text, Format::Mjcf), Ok(()));
    let mixed =
        warnings("<mujoco><worldbody><geom size='1' solref='0.01 -1'/></worldbody></mujoco>", Format::Mjcf);
    assert!(mixed.len() == 2 && mixed[0].contains("MuJoCo's default 0.02 1"), "{mixed:?}");
    let dented = "<mujoco><asset><mesh name='m' vertex='0 0 0 2 0 0 0 2 0 0 0 2 0.1 0.1 0.1' face='0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4'/></asset>
         <worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>";
    let all = warnings(dented, Format::Mjcf);
    assert!(all.len() == 1 && all[0].contains("not convex") && all[0].contains("hull"), "{all:?}");
    assert_eq!(strict(dented, Format::Mjcf), Ok(()));
}

#[test]
fn compensation_by_actuators_is_reported_where_it_matters() {
    let text = |limit: &str| {
        format!(
            "<mujoco><worldbody><body gravcomp='1'><joint actuatorgravcomp='true' {limit}/><geom size='1'/></body></worldbody></mujoco>"
        )
    };
    assert_eq!(warnings(&text(""), Format::Mjcf), Vec::<String>::new());
    let limited = warnings(&text("actuatorfrcrange='-1 1'"), Format::Mjcf);
    assert!(limited.len() == 1 && limited[0].contains("actuatorfrcrange"), "{limited:?}");
}

#[test]
fn urdf_extensions_of_others_are_reported() {
    let text = "<robot name='r'><gazebo><plugin/></gazebo><gazebo reference='a'/><link name='a'>\n<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
        <contact/><hat/></link></robot>";
    let all = warnings(text, Format::Urdf);
    assert_eq!(all.len(), 3, "{all:#?}");
    assert!(all[0].contains("Gazebo") && all[1].contains("contact") && all[2].contains("hat"), "{all:#?}");
    assert!(all[2].starts_with("<text>:2"), "{all:#?}");
    assert!(strict(text, Format::Urdf).is_err());
}

#[test]
fn inertias_that_no_body_has_are_used_with_a_warning() {
    let text = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='5'/></inertial></link></robot>";
    let world = load_string(text, Format::Urdf, &LoadOptions::default()).unwrap();
    assert_eq!(world.bodies[1].inertia.rotational[(2, 2)], 5.0);
    let all = warnings(text, Format::Urdf);
    assert!(all.len() == 1 && all[0].contains("\"a\"") && all[0].contains("triangle"), "{all:?}");
    assert!(strict(text, Format::Urdf).is_err());
}

#[test]
fn settings_of_gazebo_reach_the_contacts_of_their_link() {
    let text = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
        <collision><geometry><sphere radius='1'/></geometry></collision></link>\
        <gazebo reference='a'><mu1>0.3</mu1><mu2 value='0.3'/><kp>1e6</kp><kd>100</kd></gazebo></robot>";
    let world = load_string(text, Format::Urdf, &LoadOptions::default()).unwrap();
    let contact = world.geoms[0].contact;
    assert_eq!((contact.dynamic_friction, contact.stiffness), (Some(0.3), Some(1e6)));
    assert_eq!(contact.relaxation_time, Some(1e-4));
    assert!(world.warnings.is_empty(), "{:?}", world.warnings);
}
