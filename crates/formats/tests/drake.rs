//! Drake's force elements and constraints, read from URDF and SDFormat.

use stiction_formats::{Format, LoadOptions, load_string};
use stiction_model::{TendonPath, World};

const LINKS: &str = "\
    <link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\
    <link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\
    <joint name='j' type='prismatic'><parent link='world'/><child link='a'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>\
    <joint name='k' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint>\
    <frame name='f' link='a' xyz='0.1 0.2 0.3' rpy='0 0 0.5'/>";

fn load(text: &str, format: Format) -> Result<World, String> {
    load_string(text, format, &LoadOptions::default()).map_err(|e| e.to_string())
}

fn urdf(inside: &str) -> Result<World, String> {
    load(&format!("<robot name='r'>{LINKS}{inside}</robot>"), Format::Urdf)
}

fn bushing(frame_a: &str, frame_c: &str, stiffness: &str) -> String {
    format!(
        "<drake:linear_bushing_rpy><drake:bushing_frameA name='{frame_a}'/><drake:bushing_frameC name='{frame_c}'/>\
         <drake:bushing_torque_stiffness value='{stiffness}'/><drake:bushing_torque_damping value='4 5 6'/>\
         <drake:bushing_force_stiffness value='7 8 9'/><drake:bushing_force_damping value='10 11 12'/></drake:linear_bushing_rpy>"
    )
}

#[test]
fn a_bushing_of_a_urdf_has_its_frames_and_constants() {
    let world = urdf(&bushing("f", "b", "1 2 3")).unwrap();
    let found = &world.bushings[0];
    assert_eq!((found.body_a, found.body_c), (1, 2));
    assert_eq!(found.frame_a.translation.vector.as_slice(), [0.1, 0.2, 0.3]);
    assert!((found.frame_a.rotation.angle() - 0.5).abs() < 1e-15);
    assert_eq!(found.frame_c, stiction_model::Pose::identity());
    let numbers = [found.torque_stiffness, found.torque_damping, found.force_stiffness, found.force_damping];
    let numbers: Vec<f64> = numbers.iter().flat_map(|v| v.iter().copied()).collect();
    assert_eq!(numbers, (1..=12).map(f64::from).collect::<Vec<_>>());
    assert!(world.warnings.is_empty(), "{:?}", world.warnings);
}

#[test]
fn a_bushing_of_an_sdf_takes_names_and_numbers_as_text_and_frames_relative_to_others() {
    let text = "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'><pose>1 0 0 0 0 0</pose></link>
        <frame name='f' attached_to='a'><pose>0 0.5 0 0 0 0</pose></frame>
        <frame name='g' attached_to='b'><pose relative_to='f'>0 0 0.25 0 0 0</pose></frame>
        <drake:linear_bushing_rpy><drake:bushing_frameA>f</drake:bushing_frameA><drake:bushing_frameC>g</drake:bushing_frameC>
        <drake:bushing_torque_stiffness>1 2 3</drake:bushing_torque_stiffness><drake:bushing_torque_damping>0 0 0</drake:bushing_torque_damping>
        <drake:bushing_force_stiffness>4 5 6</drake:bushing_force_stiffness><drake:bushing_force_damping>0 0 0</drake:bushing_force_damping>
        </drake:linear_bushing_rpy></model></sdf>";
    let world = load(text, Format::Sdf).unwrap();
    let found = &world.bushings[0];
    let name = |b: usize| world.bodies[b].name.as_str();
    assert_eq!((name(found.body_a), name(found.body_c)), ("a", "b"));
    assert_eq!(found.frame_a.translation.vector.as_slice(), [0.0, 0.5, 0.0]);
    assert_eq!(found.frame_c.translation.vector.as_slice(), [-1.0, 0.5, 0.25]);
}

#[test]
fn wrong_bushings_and_tendon_constraints_are_errors_that_name_what_is_wrong() {
    let tendon = |inside: &str| format!("<drake:tendon_constraint>{inside}</drake:tendon_constraint>");
    let joint = "<drake:tendon_constraint_joint name='j' a='1'/>";
    for (inside, words) in [
        (bushing("zz", "b", "1 2 3"), &["drake:bushing_frameA", "\"zz\""][..]),
        (bushing("f", "", "1 2 3"), &["drake:bushing_frameC", "no link or frame"]),
        (bushing("f", "b", "1 nan 3"), &["drake:bushing_torque_stiffness", "NaN"]),
        (bushing("f", "b", "1 inf 3"), &["drake:bushing_torque_stiffness", "finite"]),
        (bushing("f", "b", "1 -2 3"), &["drake:bushing_torque_stiffness", "zero or more"]),
        (bushing("f", "b", "1 2"), &["drake:bushing_torque_stiffness", "three"]),
        (bushing("f", "b", "1 2 x"), &["drake:bushing_torque_stiffness", "\"x\""]),
        ("<drake:linear_bushing_rpy/>".into(), &["needs a drake:bushing_frameA"]),
        (
            "<drake:linear_bushing_rpy><drake:bushing_frameA name='a'/><drake:bushing_frameC name='b'/></drake:linear_bushing_rpy>".into(),
            &["needs a drake:bushing_torque_stiffness"],
        ),
        (tendon(""), &["drake:tendon_constraint_joint"]),
        (tendon("<drake:tendon_constraint_joint name='zz' a='1'/>"), &["\"zz\""]),
        (tendon("<drake:tendon_constraint_joint name='j'/>"), &["a=\""]),
        (tendon("<drake:tendon_constraint_joint name='j' a='inf'/>"), &["a=\"", "finite"]),
        (tendon(&format!("{joint}<drake:tendon_constraint_offset value='nan'/>")), &["offset", "NaN"]),
        (tendon(&format!("{joint}<drake:tendon_constraint_offset value='inf'/>")), &["offset"]),
        (
            tendon(&format!("{joint}<drake:tendon_constraint_lower_limit value='2'/><drake:tendon_constraint_upper_limit value='1'/>")),
            &["lower limit"],
        ),
        (tendon(&format!("{joint}<drake:tendon_constraint_stiffness value='-1'/>")), &["stiffness", "positive"]),
        (tendon(&format!("{joint}<drake:tendon_constraint_damping value='-1'/>")), &["damping"]),
    ] {
        let error = urdf(&inside).expect_err(&inside);
        for word in words {
            assert!(error.contains(word), "{error}\n  without: {word}");
        }
    }
}

#[test]
fn a_bushing_on_one_body_and_a_misspelled_part_are_reported() {
    let world = urdf(&bushing("f", "a", "1 2 3")).unwrap();
    assert!(world.bushings.is_empty() && world.warnings[0].message.contains("one body"));
    let tendon = "<drake:tendon_constraint><drake:tendon_constraint_joint name='j' a='1'/>\
                  <drake:tendon_constraint_uper_limit value='1'/></drake:tendon_constraint>";
    let warnings = urdf(tendon).unwrap().warnings;
    assert!(
        warnings.iter().any(|w| w.message.contains("drake:tendon_constraint_uper_limit")),
        "{warnings:?}"
    );
    assert!(warnings.iter().any(|w| w.message.contains("no finite limit")), "{warnings:?}");
}

#[test]
fn a_tendon_constraint_is_a_fixed_tendon_with_its_limits() {
    let inside = "<drake:tendon_constraint><drake:tendon_constraint_joint name='j' a='1.5'/><drake:tendon_constraint_joint name='k' a='-1'/>\
        <drake:tendon_constraint_offset value='0.25'/><drake:tendon_constraint_lower_limit value='-1'/><drake:tendon_constraint_upper_limit value='inf'/>\
        <drake:tendon_constraint_stiffness value='200'/><drake:tendon_constraint_damping value='4'/></drake:tendon_constraint>";
    let sdf = "<sdf version='1.9'><model name='m'><link name='a'/><link name='b'/>\
        <joint name='j' type='prismatic'><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis></joint>\
        <joint name='k' type='continuous'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>";
    for world in [urdf(inside), load(&format!("{sdf}{inside}</model></sdf>"), Format::Sdf)] {
        let world = world.unwrap();
        let tendon = &world.tendons[0];
        assert_eq!(tendon.path, TendonPath::Fixed { terms: vec![((1, 0), 1.5), ((2, 0), -1.0)] });
        assert_eq!(tendon.range, [-1.25, f64::INFINITY]);
        assert_eq!((tendon.limit_stiffness, tendon.limit_relaxation_time), (Some(200.0), Some(0.02)));
    }
    let rigid = inside.replace("value='200'", "value='inf'");
    let tendon = &urdf(&rigid).unwrap().tendons[0];
    assert_eq!((tendon.limit_stiffness, tendon.limit_relaxation_time), (None, None));
}

#[test]
fn a_damper_without_a_spring_is_a_tendon_that_damps() {
    let one = "<drake:linear_spring_damper><drake:linear_spring_damper_body_A name='a'/><drake:linear_spring_damper_body_B name='b'/>\
        <drake:linear_spring_damper_p_AP value='0 0 1'/><drake:linear_spring_damper_p_BQ value='0 1 0'/>\
        <drake:linear_spring_damper_free_length value='1'/><drake:linear_spring_damper_stiffness value='0'/>\
        <drake:linear_spring_damper_damping value='3'/></drake:linear_spring_damper>";
    let world = urdf(&one.repeat(2)).unwrap();
    assert!(world.warnings.is_empty() && world.equalities.is_empty());
    assert_eq!(world.tendons.iter().map(|t| t.damping).collect::<Vec<_>>(), [3.0, 3.0]);
    let last = &world.sites[world.sites.len() - 2..];
    assert_eq!((last[0].body, last[1].body), (1, 2));
    assert_eq!(last[1].pose.translation.vector.as_slice(), [0.0, 1.0, 0.0]);
    assert_eq!(world.validate(), Ok(()));
}
