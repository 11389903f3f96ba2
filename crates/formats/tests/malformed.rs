//! Bad input: every error names the place and a remedy, and nothing panics.

use proptest::prelude::*;
use stiction_formats::{Format, LoadOptions, load_string};

/// Text, and what the error must contain.
const MJCF: &[(&str, &[&str])] = &[
    ("<mujoco>\n<worldbody>\n</mujoco>", &["<text>:3", "XML"]),
    ("", &["XML"]),
    ("<robot/>", &["robot", "mujoco"]),
    ("<mujoco><worldbody><geom size='x'/></worldbody></mujoco>", &["geom", "size", "\"x\""]),
    ("<mujoco><worldbody><geom size='nan'/></worldbody></mujoco>", &["size", "NaN"]),
    ("<mujoco><worldbody><geom size='1 2 3 4'/></worldbody></mujoco>", &["size", "at most 3"]),
    (
        "<mujoco><worldbody>\n<geom name='g' size='0'/></worldbody></mujoco>",
        &["<text>:2", "geom \"g\"", "positive"],
    ),
    ("<mujoco><worldbody><geom size='inf'/></worldbody></mujoco>", &["geom", "finite"]),
    ("<mujoco><worldbody><geom type='cone' size='1'/></worldbody></mujoco>", &["cone", "ellipsoid"]),
    ("<mujoco><worldbody><geom size='1' quat='0 0 0 0'/></worldbody></mujoco>", &["quat", "zero"]),
    ("<mujoco><worldbody><geom size='1' quat='1 0 0'/></worldbody></mujoco>", &["quat", "needs 4"]),
    (
        "<mujoco><worldbody><geom size='1' quat='1 0 0 0' euler='0 0 0'/></worldbody></mujoco>",
        &["twice", "euler"],
    ),
    (
        "<mujoco><worldbody><geom type='capsule' size='1' fromto='0 0 0 0 0 0'/></worldbody></mujoco>",
        &["fromto"],
    ),
    (
        "<mujoco><worldbody><geom type='sphere' size='1' fromto='0 0 0 0 0 1'/></worldbody></mujoco>",
        &["fromto"],
    ),
    ("<mujoco><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>", &["mesh \"m\"", "asset"]),
    ("<mujoco><worldbody><geom size='1' material='m'/></worldbody></mujoco>", &["material \"m\"", "asset"]),
    ("<mujoco><worldbody><geom size='1' class='c'/></worldbody></mujoco>", &["class \"c\"", "default"]),
    ("<mujoco><worldbody><geom size='1' condim='2'/></worldbody></mujoco>", &["condim"]),
    ("<mujoco><worldbody><geom size='1' density='-1'/></worldbody></mujoco>", &["density"]),
    ("<mujoco><worldbody><joint/></worldbody></mujoco>", &["joint", "body"]),
    (
        "<mujoco><worldbody><body name='b'><joint axis='0 0 0'/><geom size='1'/></body></worldbody></mujoco>",
        &["axis"],
    ),
    (
        "<mujoco><worldbody><body name='b'><joint type='screw'/><geom size='1'/></body></worldbody></mujoco>",
        &["screw", "hinge"],
    ),
    ("<mujoco><worldbody><body name='b'><joint/></body></worldbody></mujoco>", &["body \"b\"", "mass"]),
    (
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body><body name='c'><joint name='j'/><geom size='1'/></body></worldbody></mujoco>",
        &["\"j\"", "two joints"],
    ),
    (
        "<mujoco><worldbody><body><body><freejoint/><geom size='1'/></body></body></worldbody></mujoco>",
        &["free joint"],
    ),
    (
        "<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body></worldbody></mujoco>",
        &["triangle"],
    ),
    (
        "<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0'/></body></worldbody></mujoco>",
        &["inertial", "mass"],
    ),
    (
        "<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0' mass='-1'/></body></worldbody></mujoco>",
        &["mass"],
    ),
    ("<mujoco><compiler angle='grad'/></mujoco>", &["angle", "radian"]),
    ("<mujoco><compiler coordinate='global'/></mujoco>", &["coordinate", "relative"]),
    ("<mujoco><compiler eulerseq='abc'/></mujoco>", &["eulerseq"]),
    ("<mujoco><compiler autolimits='maybe'/></mujoco>", &["autolimits", "true or false"]),
    ("<mujoco><option timestep='-1'/></mujoco>", &["timestep", "positive"]),
    ("<mujoco><option><flag gravity='off'/></option></mujoco>", &["gravity", "disable"]),
    ("<mujoco><default><default><geom/></default></default></mujoco>", &["class"]),
    ("<mujoco><actuator><motor joint='j'/></actuator></mujoco>", &["joint \"j\""]),
    ("<mujoco><equality><weld body1='a'/></equality></mujoco>", &["body \"a\""]),
    ("<mujoco><contact><exclude body1='world'/></contact></mujoco>", &["exclude", "body2"]),
    ("<mujoco><keyframe><key name='k' qpos='1 2'/></keyframe></mujoco>", &["k", "qpos", "2", "0"]),
    ("<mujoco><include file='/nowhere/x.xml'/></mujoco>", &["include", "/nowhere/x.xml", "file"]),
    ("<mujoco><include/></mujoco>", &["include", "file"]),
    (
        "<mujoco><asset><mesh name='m' file='/nowhere.stl'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
        &["/nowhere.stl", "meshdir"],
    ),
    (
        "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0' face='0 1 9'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
        &["mesh \"m\"", "9"],
    ),
    (
        "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='1 2 3'/></asset><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
        &["elevation", "4"],
    ),
    (
        "<mujoco><asset><hfield name='h' nrow='999999999' ncol='999999999' size='1 1 1 1'/></asset><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
        &["nrow"],
    ),
    (
        "<mujoco><worldbody><replicate count='99999999999'><body/></replicate></worldbody></mujoco>",
        &["count"],
    ),
    (
        "<mujoco><worldbody><replicate count='1000000'><replicate count='1000000'><geom size='1'/></replicate></replicate></worldbody></mujoco>",
        &["more than"],
    ),
    (
        "<mujoco><worldbody><geom size='1'><drake:proximity_properties><drake:mu_static>x</drake:mu_static></drake:proximity_properties></geom></worldbody></mujoco>",
        &["drake:mu_static"],
    ),
    (
        "<mujoco><worldbody><geom name='g' size='1'/>\n<geom name='g' size='1'/></worldbody></mujoco>",
        &["<text>:2", "\"g\"", "two geoms"],
    ),
    (
        "<mujoco><asset><mesh name='m' scale='1e300 1 1' vertex='1e300 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
        &["mesh \"m\"", "scale"],
    ),
    ("<mujoco><default class='robot'/></mujoco>", &["default", "main"]),
    ("<!DOCTYPE x [<!ENTITY a 'b'>]><mujoco/>", &["DOCTYPE"]),
];

const URDF: &[(&str, &[&str])] = &[
    ("<robot><link/></robot>", &["link", "name"]),
    ("<robot><link name='a'/><link name='a'/></robot>", &["two links", "\"a\""]),
    (
        "<robot><link name='a'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
        &["link \"b\""],
    ),
    (
        "<robot><link name='a'/><joint name='j' type='fixed'><parent link='a'/></joint></robot>",
        &["joint \"j\"", "child"],
    ),
    (
        "<robot><link name='a'/><link name='b'/><joint name='j' type='bend'><parent link='a'/><child link='b'/></joint></robot>",
        &["bend", "revolute"],
    ),
    (
        "<robot><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit velocity='-1'/></joint></robot>",
        &["limit", "velocity"],
    ),
    (
        "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\
         <joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
        &["circle"],
    ),
    (
        "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\
         <joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>",
        &["\"b\"", "only one"],
    ),
    ("<robot><link name='a'><collision/></link></robot>", &["collision", "geometry"]),
    (
        "<robot><link name='a'><collision><geometry><sphere radius='-1'/></geometry></collision></link></robot>",
        &["radius", "positive"],
    ),
    (
        "<robot><link name='a'><collision><geometry><mesh filename='package://p/x.stl'/></geometry></collision></link></robot>",
        &["package_paths"],
    ),
    (
        "<robot><link name='a'><collision><origin rpy='1 2'/><geometry><sphere radius='1'/></geometry></collision></link></robot>",
        &["rpy", "needs 3"],
    ),
];

#[test]
fn errors_name_the_place_and_the_remedy() {
    for (format, table) in [(Format::Mjcf, MJCF), (Format::Urdf, URDF)] {
        for (text, words) in table {
            let error = match load_string(text, format, &LoadOptions::default()) {
                Ok(_) => panic!("was accepted: {text}"),
                Err(error) => error.to_string(),
            };
            for word in *words {
                assert!(error.contains(word), "{text}\n  gives: {error}\n  without: {word}");
            }
        }
    }
}

#[test]
fn the_deepest_allowed_nesting_is_read_in_a_small_stack() {
    let deep = |n: usize| {
        let open: String =
            (0..n).map(|i| format!("<body name='b{i}'><joint name='j{i}'/><geom size='1'/>")).collect();
        format!("<mujoco><worldbody>{open}{}</worldbody></mujoco>", "</body>".repeat(n))
    };
    let read = |text: String| {
        let small = std::thread::Builder::new().stack_size(2 << 20);
        small
            .spawn(move || load_string(&text, Format::Mjcf, &LoadOptions::default()))
            .unwrap()
            .join()
            .unwrap()
    };
    assert_eq!(read(deep(500)).unwrap().nv(), 500);
    assert!(read(deep(600)).unwrap_err().to_string().contains("nested"));
}

const SEED: &str = "<mujoco model='m'><compiler angle='radian'/><default><geom size='0.1 0.2 0.3'/><default class='c'><joint damping='1'/></default></default>
<asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><material name='r' rgba='1 0 0 1'/></asset>
<worldbody><geom type='plane'/><body name='a' pos='0 0 1' childclass='c'><joint name='j' axis='0 1 0' range='-1 1'/><geom type='capsule' fromto='0 0 0 1 0 0' material='r'/>
<frame euler='0 0 1'><body name='b'><joint name='k' type='slide'/><geom type='mesh' mesh='t'><drake:proximity_properties><drake:mu_static value='1'/></drake:proximity_properties></geom></body></frame></body></worldbody>
<equality><joint joint1='j' joint2='k'/><connect body1='a' body2='b' anchor='0 0 0'/></equality><actuator><position joint='j' kp='3' dampratio='1'/></actuator>
<keyframe><key qpos='0 0'/></keyframe></mujoco>";

const ROBOT: &str = "<robot name='r'><material name='m'><color rgba='1 0 0 1'/></material><link name='a'><inertial><origin xyz='0 0 1' rpy='0 1 0'/><mass value='2'/>
<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><collision><geometry><box size='1 2 3'/></geometry></collision><visual><geometry><sphere radius='1'/></geometry><material name='m'/></visual></link>
<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link><link name='c'/>
<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='2' velocity='3'/></joint>
<joint name='k' type='floating'><parent link='b'/><child link='c'/><origin xyz='1 0 0'/></joint>
<transmission name='t'><joint name='j'/><actuator name='m'><drake:gear_ratio value='3'/></actuator></transmission></robot>";

fn damaged(text: &str, at: usize, length: usize, what: &str) -> String {
    let bound = |i: usize| (0..=i.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let (start, end) = (bound(at), bound(at + length));
    format!("{}{what}{}", &text[..start], &text[end..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// Pieces cut out, doubled and overwritten: a result or an error, never a panic.
    #[test]
    fn damaged_documents_never_panic(
        at in 0usize..2000, length in 0usize..60, what in prop::sample::select(vec!["", "-1", "1e308", "inf", "0", "'", "<", "/>", "é", "999999999999", "<body>", "nan"])
    ) {
        let _ = load_string(&damaged(ROBOT, at, length, what), Format::Urdf, &LoadOptions::default()).map(|w| w.nq());
        let text = damaged(SEED, at, length, what);
        let _ = load_string(&text, Format::Mjcf, &LoadOptions::default()).map(|w| w.nq());
    }

    /// Numbers replaced by extremes.
    #[test]
    fn extreme_numbers_never_panic(which in 0usize..40, value in prop::sample::select(vec!["1e308", "-1e308", "1e-320", "inf", "-inf", "4294967296", "0"])) {
        let mut n = 0;
        let text: String = SEED.chars().map(|c| {
            if c.is_ascii_digit() { n += 1; if n - 1 == which { return value.to_string() } }
            c.to_string()
        }).collect();
        let _ = load_string(&text, Format::Mjcf, &LoadOptions::default()).map(|w| w.nq());
    }

    /// Any bytes as a mesh: a mesh or an error.
    #[test]
    fn random_bytes_never_panic_as_meshes(
        head in prop::sample::select(vec!["", "solid x\nvertex ", "v 0 0 0\nf 1 ", "\u{1}\0\0\0\u{1}\0\0\0\0\0\0\0\u{1}\0\0\0"]),
        bytes in prop::collection::vec(any::<u8>(), 0..400)
    ) {
        for name in ["m.obj", "m.stl", "m.msh", "m.dae"] {
            let mut all = head.as_bytes().to_vec();
            all.extend(&bytes);
            if let Ok(mesh) = stiction_formats::mesh::read(name, &all) {
                let _ = (stiction_formats::mesh::is_convex(&mesh), stiction_formats::mesh::is_closed(&mesh));
                let _ = stiction_geometry::quickhull::convex_hull(&mesh.vertices);
                let _ = stiction_formats::mass::mesh(&mesh, stiction_formats::mass::MeshFill::Legacy);
            }
        }
    }
}
