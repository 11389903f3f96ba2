//! The twenty commonest mistakes and what is said about them; `docs/errors.md` shows the same.

use stiction_formats::files::Memory;
use stiction_formats::{LoadOptions, load_with};

const I: &str = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";

/// The mistake, the file's name, its text, and words that the message must have: place, cause, remedy.
fn mistakes() -> Vec<(&'static str, &'static str, String, &'static [&'static str])> {
    let urdf = |inside: &str| format!("<robot name='r'>\n{}\n</robot>", inside.replace("INERTIAL", I));
    let mjcf = |inside: &str| format!("<mujoco>\n{inside}\n</mujoco>");
    let sdf = |inside: &str| format!("<sdf version='1.9'><model name='m'>\n{inside}\n</model></sdf>");
    vec![
        (
            "a file that is not there",
            "missing.urdf",
            String::new(),
            &["missing.urdf", "cannot be read", "check the path"],
        ),
        (
            "a tag that is never closed",
            "a.xml",
            "<mujoco>\n<worldbody>\n</mujoco>".into(),
            &["a.xml:3", "worldbody", "correct the XML"],
        ),
        (
            "a file that was cut short",
            "a.xml",
            "<mujoco>\n<worldbody>\n<geom si".into(),
            &["a.xml:3", "cut short"],
        ),
        (
            "another kind of file",
            "a.xml",
            "<launch>\n</launch>".into(),
            &["launch", "mujoco", "robot", "sdf"],
        ),
        (
            "xacro that was not expanded",
            "a.urdf.xacro",
            "<xacro:macro xmlns:xacro='x'/>".into(),
            &["xacro", "expand"],
        ),
        (
            "text where a number belongs",
            "a.xml",
            mjcf("<worldbody>\n<geom size='O.1'/>\n</worldbody>"),
            &["a.xml:3", "size", "O.1", "number"],
        ),
        (
            "too few numbers",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL<collision><origin xyz='0 0'/><geometry><sphere radius='1'/></geometry></collision></link>",
            ),
            &["a.urdf:2", "xyz", "2 numbers", "needs 3"],
        ),
        (
            "a joint whose parent does not exist",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL</link>\n<joint name='j' type='fixed'><parent link='b'/><child link='a'/></joint>",
            ),
            &["a.urdf:3", "link \"b\"", "add it or correct the name"],
        ),
        (
            "two links of one name",
            "a.urdf",
            urdf("<link name='a'>INERTIAL</link>\n<link name='a'>INERTIAL</link>"),
            &["a.urdf:3", "two links", "rename"],
        ),
        (
            "two parents for one link",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL</link><link name='b'>INERTIAL</link><link name='c'>INERTIAL</link>\n<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>\n<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>",
            ),
            &["a.urdf:4", "\"c\"", "only one"],
        ),
        (
            "joints in a circle",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL</link><link name='b'>INERTIAL</link>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>",
            ),
            &["circle", "break"],
        ),
        (
            "a mesh that is not there",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL<collision><geometry>\n<mesh filename='package://arm/link.stl'/></geometry></collision></link>",
            ),
            &["a.urdf:3", "arm", "--package-path"],
        ),
        (
            "a solid in the wrong unit",
            "a.xml",
            mjcf(
                "<asset><mesh name='m' scale='1000 1000 1000' file='big.vtk'/></asset><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody>",
            ),
            &["m", "scale"],
        ),
        (
            "a body that moves but has no mass",
            "a.xml",
            mjcf("<worldbody>\n<body name='b'><joint name='j'/></body>\n</worldbody>"),
            &["a.xml:3", "body \"b\"", "mass"],
        ),
        (
            "a negative mass",
            "a.urdf",
            urdf("<link name='a'><inertial><mass value='-1'/></inertial></link>"),
            &["link \"a\"", "-1", "positive"],
        ),
        (
            "an inertia that no body has",
            "a.xml",
            mjcf(
                "<worldbody><body name='b'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body></worldbody>",
            ),
            &["body \"b\"", "triangle", "correct"],
        ),
        (
            "a negative limit of effort",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL</link><link name='b'>INERTIAL</link>\n<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit effort='-3' velocity='1'/></joint>",
            ),
            &["a.urdf:3", "limit", "effort", "zero or more"],
        ),
        (
            "an axis of zero length",
            "a.xml",
            mjcf(
                "<worldbody><body name='b'>\n<joint name='j' axis='0 0 0'/><geom size='1'/></body></worldbody>",
            ),
            &["a.xml:3", "joint \"j\"", "axis", "not zero"],
        ),
        (
            "an actuator on a joint that does not exist",
            "a.xml",
            mjcf("<actuator>\n<motor name='m' joint='elbow'/>\n</actuator>"),
            &["a.xml:3", "elbow"],
        ),
        (
            "a keyframe of the wrong length",
            "a.xml",
            mjcf("<keyframe>\n<key name='home' qpos='1 2'/>\n</keyframe>"),
            &["home", "2 numbers", "needs 0"],
        ),
        (
            "a frame that does not exist",
            "a.sdf",
            sdf("<link name='a'>\n<pose relative_to='b'>0 0 0 0 0 0</pose></link>"),
            &["a.sdf:2", "\"b\"", "correct the name"],
        ),
        (
            "a mesh in another folder",
            "a.xml",
            mjcf(
                "<compiler meshdir='meshes'/><asset>\n<mesh file='arm.stl'/></asset><worldbody><geom type='mesh' mesh='arm'/></worldbody>",
            ),
            &["a.xml:3", "meshes/arm.stl", "meshdir"],
        ),
        (
            "a mesh beside the model that is not there",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL<collision><geometry>\n<mesh filename='meshes/arm.stl'/></geometry></collision></link>",
            ),
            &["a.urdf:3", "meshes/arm.stl", "correct the path"],
        ),
        (
            "xacro inside a robot",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL<collision><geometry>\n<sphere radius='${r}'/></geometry></collision></link>",
            ),
            &["a.urdf:3", "${r}", "xacro"],
        ),
        (
            "two joints of one name",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL</link><link name='b'>INERTIAL</link><link name='c'>INERTIAL</link>\n<joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>\n<joint name='j' type='continuous'><parent link='b'/><child link='c'/></joint>",
            ),
            &["a.urdf:4", "\"j\"", "two joints", "rename"],
        ),
        (
            "a joint that follows one that does not exist",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL</link><link name='b'>INERTIAL</link>\n<joint name='j' type='continuous'><parent link='a'/><child link='b'/>\n<mimic joint='left'/></joint>",
            ),
            &["a.urdf:4", "\"left\"", "correct the name"],
        ),
        (
            "a joint of a type that does not exist",
            "a.urdf",
            urdf(
                "<link name='a'>INERTIAL</link><link name='b'>INERTIAL</link>\n<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint>",
            ),
            &["a.urdf:3", "hinge", "revolute"],
        ),
        (
            "a joint without a child",
            "a.urdf",
            urdf("<link name='a'>INERTIAL</link>\n<joint name='j' type='fixed'><parent link='a'/></joint>"),
            &["a.urdf:3", "joint \"j\"", "child", "add"],
        ),
        (
            "a quaternion of zeros",
            "a.xml",
            mjcf("<worldbody>\n<body name='b' quat='0 0 0 0'><geom size='1'/></body></worldbody>"),
            &["a.xml:3", "quat", "1 0 0 0"],
        ),
        (
            "a geom without a size",
            "a.xml",
            mjcf("<worldbody><body><freejoint/>\n<geom name='ball' type='sphere'/></body></worldbody>"),
            &["a.xml:3", "geom \"ball\"", "size"],
        ),
        (
            "a class that does not exist",
            "a.xml",
            mjcf("<worldbody>\n<geom class='visual' size='1'/></worldbody>"),
            &["a.xml:3", "visual", "default"],
        ),
        (
            "an included file that is not there",
            "a.xml",
            mjcf("<include file='common.xml'/>"),
            &["a.xml:2", "common.xml", "correct the path"],
        ),
        (
            "two bodies of one name",
            "a.xml",
            mjcf("<worldbody><body name='b'/>\n<body name='b'/></worldbody>"),
            &["a.xml:3", "\"b\"", "two bodies", "rename"],
        ),
        (
            "a mesh where a model belongs",
            "a.stl",
            "solid a\nfacet normal 0 0 1".into(),
            &["a.stl", "mesh", ".urdf"],
        ),
        (
            "a model for the network",
            "a.sdf",
            sdf("<include><uri>https://fuel.gazebosim.org/1.0/x/models/Box</uri></include>"),
            &["a.sdf:2", "network", "download"],
        ),
        (
            "a misspelt attribute (strict)",
            "a.xml",
            mjcf("<worldbody>\n<geom size='1' frction='1'/>\n</worldbody>"),
            &["a.xml:3", "frction", "spelling"],
        ),
    ]
}

fn message(file: &str, text: &str) -> String {
    let vtk = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1e6 0 0 0 1e6 0 0 0 1e6\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n";
    let mut files = Memory::default().with("big.vtk", vtk);
    if !text.is_empty() {
        files = files.with(file, text);
    }
    let options = LoadOptions { strict: text.contains("frction"), ..LoadOptions::default() };
    match load_with(file, &files, &options) {
        Ok(_) => panic!("was accepted: {text}"),
        Err(error) => error.to_string().replace(
            "is not among the given files",
            "cannot be read (No such file or directory (os error 2))",
        ),
    }
}

#[test]
fn the_commonest_mistakes_get_a_place_a_cause_and_a_remedy() {
    let mut page = String::from(
        "# The commonest mistakes\n\nWhat is said about them. Printed by the test `crates/formats/tests/errors.rs` (with `UPDATE_DOCS=1`), \
         which checks that each message has the place, the cause and the remedy.\n\n| mistake | message |\n|---|---|\n",
    );
    let mut wrong = Vec::new();
    for (mistake, file, text, words) in mistakes() {
        let message = message(file, &text);
        let lacks = words.iter().filter(|w| !message.contains(**w));
        wrong.extend(lacks.map(|word| format!("{mistake}: {message}\n  without: {word}")));
        page += &format!("| {mistake} | `{}` |\n", message.replace('|', "\\|"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap_or_default(),
        page,
        "run the tests once with UPDATE_DOCS=1"
    );
}
