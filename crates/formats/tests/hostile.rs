//! Files made to hurt: what they could make grow without bound is refused, and soon; nothing is followed for ever.

use std::time::{Duration, Instant};
use stiction_formats::files::{Disk, Files, Memory};
use stiction_formats::{Format, LoadOptions, load, load_string, load_with, mesh};

/// The error of a file among others, which must come within seconds.
fn refused(name: &str, files: &Memory) -> String {
    let start = Instant::now();
    let error = load_with(name, files, &LoadOptions::default()).expect_err("it is refused").to_string();
    assert!(start.elapsed() < Duration::from_secs(20), "{error} came late");
    error
}

#[test]
fn includes_that_multiply_are_refused() {
    // Each file holds the next one ten times: 10⁹ elements from nine small files.
    let mut files = Memory::default();
    for k in 0..9 {
        let inside = format!("<include file='{}.xml'/>", k + 1).repeat(10);
        files = files.with(&format!("{k}.xml"), format!("<mujoco>{inside}</mujoco>"));
    }
    let many = "<geom size='1'/>".repeat(10_000);
    let files = files.with("9.xml", format!("<mujoco><worldbody>{many}</worldbody></mujoco>"));
    let error = refused("0.xml", &files);
    assert!(error.contains("too many"), "{error}");
}

#[test]
fn a_model_that_attaches_empty_ones_again_and_again_is_refused() {
    let mut files = Memory::default().with("9.xml", "<mujoco/>");
    for k in 0..9 {
        let inside = "<attach model='m' prefix='a'/>".repeat(20);
        let text = format!(
            "<mujoco><asset><model name='m' file='{}.xml'/></asset><worldbody>{inside}</worldbody></mujoco>",
            k + 1
        );
        files = files.with(&format!("{k}.xml"), text);
    }
    let error = refused("0.xml", &files);
    assert!(error.contains("attached"), "{error}");
    let itself = "<mujoco><asset><model name='m' file='a.xml'/></asset><worldbody><attach model='m'/></worldbody></mujoco>";
    let error = refused("a.xml", &Memory::default().with("a.xml", itself));
    assert!(error.contains("circle"), "{error}");
}

#[test]
fn copies_of_large_elements_are_counted_with_all_they_hold() {
    let names: String = (0..500).map(|i| format!("<site name='s{i}'/>")).collect();
    let path: String = (0..500).map(|i| format!("<site site='s{i}'/>")).collect();
    let text = format!(
        "<mujoco><worldbody><replicate count='300000'>{names}</replicate></worldbody><tendon><spatial>{path}</spatial></tendon></mujoco>"
    );
    let error = refused("a.xml", &Memory::default().with("a.xml", text));
    assert!(error.contains("replication"), "{error}");
}

#[test]
fn a_hundred_thousand_unnamed_geoms_get_names_in_a_moment() {
    let start = Instant::now();
    let text = "<mujoco><worldbody><replicate count='100000' offset='1 0 0'><geom size='1'/></replicate></worldbody></mujoco>";
    let world = load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    assert_eq!((world.geoms.len(), world.geoms[99_999].name.as_str()), (100_000, "world_geom_100000"));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn references_by_name_stay_quick_in_large_models() {
    let n = 20_000;
    let bodies: String =
        (0..n).map(|i| format!("<body name='b{i}'><joint name='j{i}'/><geom size='1'/></body>")).collect();
    let refer: String = (0..n).map(|i| format!("<motor name='m{i}' joint='j{i}'/>")).collect();
    let read: String = (0..n).map(|i| format!("<actuatorfrc actuator='m{i}'/>")).collect();
    let text = format!(
        "<mujoco><worldbody>{bodies}</worldbody><actuator>{refer}</actuator><sensor>{read}</sensor></mujoco>"
    );
    let start = Instant::now();
    let world = load_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap();
    assert_eq!((world.actuators.len(), world.sensors.len()), (n, n));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_bracket_that_is_never_closed_ends_the_reading_soon() {
    let text = format!("directives: [\n{}", "a,\n".repeat(300_000));
    let error = refused("a.dmd.yaml", &Memory::default().with("a.dmd.yaml", text));
    assert!(error.contains("YAML") || error.contains("bracket"), "{error}");
    let deep = "[".repeat(100_000);
    let error = refused("b.dmd.yaml", &Memory::default().with("b.dmd.yaml", format!("directives: {deep}")));
    assert!(error.contains("YAML"), "{error}");
}

#[test]
fn directives_that_add_each_other_are_refused() {
    let add = |f: &str| format!("directives:\n- add_directives: {{file: {f}}}\n");
    let files = Memory::default().with("a.dmd.yaml", add("b.dmd.yaml")).with("b.dmd.yaml", add("a.dmd.yaml"));
    let error = refused("a.dmd.yaml", &files);
    assert!(error.contains("circle") || error.contains("itself"), "{error}");
}

#[test]
fn other_encodings_are_read_or_refused_with_the_place() {
    let text = "<mujoco model='Ä'><worldbody><geom name='é' size='1'/></worldbody></mujoco>";
    let utf16 = |big: bool| -> Vec<u8> {
        let bytes = |u: u16| if big { u.to_be_bytes() } else { u.to_le_bytes() };
        format!("\u{feff}{text}").encode_utf16().flat_map(bytes).collect()
    };
    let declared = format!("<?xml version='1.0' encoding='ISO-8859-1'?>{text}");
    let latin: Vec<u8> = declared.chars().map(|c| c as u8).collect();
    let marked = format!("\u{feff}{text}").into_bytes();
    for bytes in [utf16(false), utf16(true), latin, marked] {
        let world =
            load_with("a.xml", &Memory::default().with("a.xml", bytes), &LoadOptions::default()).unwrap();
        assert_eq!((world.name.as_str(), world.geoms[0].name.as_str()), ("Ä", "é"));
    }
    let broken: Vec<u8> = text.replace("<worldbody>", "\n<worldbody>").chars().map(|c| c as u8).collect();
    let error = refused("a.xml", &Memory::default().with("a.xml", broken));
    assert!(error.contains("UTF-8") && error.contains("line 1"), "{error}");
    let error = refused("a.xml", &Memory::default().with("a.xml", utf16(false)[..41].to_vec()));
    assert!(error.contains("UTF-16"), "{error}");
}

#[cfg(unix)]
#[test]
fn devices_folders_and_links_in_circles_are_no_files() {
    for (path, word) in [("/dev/zero", "device"), ("/tmp", "folder")] {
        assert!(Disk.read(path).unwrap_err().contains(word), "{path}");
        let text = format!(
            "<mujoco><asset><mesh name='m' file='{path}' content_type='model/stl'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>"
        );
        assert!(load_string(&text, Format::Mjcf, &LoadOptions::default()).is_err());
    }
    let folder = std::env::temp_dir().join(format!("stiction-hostile-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name);
    std::os::unix::fs::symlink(file("circle.xml"), file("circle.xml")).unwrap();
    std::fs::write(file("a.xml"), "<mujoco><include file='link.xml'/></mujoco>").unwrap();
    std::os::unix::fs::symlink(file("a.xml"), file("link.xml")).unwrap();
    let circle = load(file("circle.xml"), &LoadOptions::default()).unwrap_err().to_string();
    let included = load(file("a.xml"), &LoadOptions::default()).unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(circle.contains("cannot be read"), "{circle}");
    assert!(included.contains("includes itself"), "{included}");
}

#[test]
fn a_picture_that_unpacks_to_gigabytes_is_not_unpacked() {
    // A header that promises 60 000 × 60 000 pixels, and nothing behind it.
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(60_000u32.to_be_bytes());
    png.extend(60_000u32.to_be_bytes());
    png.extend([8, 6, 0, 0, 0]);
    let crc = png[12..].iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 })
    });
    png.extend((!crc).to_be_bytes());
    png.extend(b"\0\0\0\x01IDAT\0\0\0\0\0");
    let text = "<mujoco><asset><texture name='t' type='2d' file='p.png'/><material name='m' texture='t'/>\
                <hfield name='h' file='p.png' size='1 1 1 1'/></asset><worldbody>GEOM</worldbody></mujoco>";
    let files = |geom: &str| {
        Memory::default().with("a.xml", text.replace("GEOM", geom)).with("p.png", png.as_slice())
    };
    let world = load_with("a.xml", &files("<geom size='1' material='m'/>"), &LoadOptions::default()).unwrap();
    assert_eq!(world.geoms.len(), 1, "a colour is missing, no more");
    let error = refused("a.xml", &files("<geom type='hfield' hfield='h'/>"));
    assert!(error.contains("pixels") || error.contains("large"), "{error}");
}

#[test]
fn a_gltf_cannot_ask_for_more_than_it_holds() {
    let gltf = |view: &str, count: &str, buffers: &str| {
        format!(
            r#"{{"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":{count}}}],"bufferViews":[{{"buffer":0{view}}}],"buffers":[{buffers}]}}"#
        )
    };
    let small = r#"{"uri":"data:x;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}"#;
    for (view, count) in
        [("", "4"), ("", "4294967295"), (",\"byteStride\":1", "30"), (",\"byteOffset\":4294967295", "1")]
    {
        let error = mesh::read("a.gltf", gltf(view, count, small).as_bytes()).unwrap_err();
        assert!(error.contains("more than its buffer holds"), "{view} {count}: {error}");
    }
    // The same large file beside it, named a thousand times.
    let beside = |_: &str| Ok(vec![0u8; 64 << 20]);
    let many = vec![r#"{"uri":"a.bin"}"#; 1000].join(",");
    let error = mesh::read_part("a.gltf", gltf("", "3", &many).as_bytes(), None, &beside).unwrap_err();
    assert!(error.contains("too large"), "{error}");
    // A node that holds itself a thousand times.
    let nodes =
        format!(r#"{{"scenes":[{{"nodes":[0]}}],"nodes":[{{"children":[{}]}}]}}"#, vec!["0"; 1000].join(","));
    let error = mesh::read("a.gltf", nodes.as_bytes()).unwrap_err();
    assert!(error.contains("nested too deep"), "{error}");
}

#[test]
fn binaries_cut_short_anywhere_are_an_error_or_a_smaller_mesh() {
    let mut stl = vec![0u8; 80];
    stl.extend(2u32.to_le_bytes());
    stl.extend((0..100).flat_map(|k| (k as u8).to_le_bytes()));
    let mut msh: Vec<u8> = [3i32, 0, 0, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
    msh.extend([0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|x| x.to_le_bytes()));
    msh.extend([0u32, 1, 2].iter().flat_map(|x| x.to_le_bytes()));
    let json = br#"{"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3}],"bufferViews":[{"buffer":0}],"buffers":[{}]}  "#;
    let mut glb = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    glb.extend((json.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(json);
    glb.extend(36u32.to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend([0f32, 0., 0., 1., 0., 0., 0., 1., 0.].iter().flat_map(|x| x.to_le_bytes()));
    let mut vtk =
        b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n".to_vec();
    vtk.extend([0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.].iter().flat_map(|x| x.to_be_bytes()));
    vtk.extend(b"\nCELLS 1 5\n");
    vtk.extend([4i32, 0, 1, 2, 3].iter().flat_map(|x| x.to_be_bytes()));
    vtk.extend(b"\nCELL_TYPES 1\n");
    vtk.extend(10i32.to_be_bytes());
    for (name, bytes) in [("a.stl", stl), ("a.msh", msh), ("a.glb", glb), ("a.vtk", vtk)] {
        assert!(mesh::read(name, &bytes).is_ok(), "{name}: {:?}", mesh::read(name, &bytes).err());
        for length in 0..bytes.len() {
            let cut = mesh::read(name, &bytes[..length]);
            assert!(cut.is_err() || name == "a.vtk", "{name} of {length} bytes was read");
        }
    }
}

#[test]
fn numbers_that_are_none_are_refused_in_every_format() {
    for (format, text) in [
        (Format::Mjcf, "<mujoco><worldbody><body pos='X 0 0'><geom size='1'/></body></worldbody></mujoco>"),
        (
            Format::Mjcf,
            "<mujoco><worldbody><body><freejoint/><inertial pos='0 0 0' mass='X' diaginertia='1 1 1'/></body></worldbody></mujoco>",
        ),
        (Format::Mjcf, "<mujoco><option gravity='0 0 X'/></mujoco>"),
        (
            Format::Urdf,
            "<robot><link name='a'><inertial><mass value='X'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
        ),
        (
            Format::Urdf,
            "<robot><link name='a'><inertial><origin xyz='X 0 0'/><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>",
        ),
        (
            Format::Sdf,
            "<sdf version='1.9'><model name='m'><link name='a'><pose>X 0 0 0 0 0</pose></link></model></sdf>",
        ),
        (
            Format::Sdf,
            "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>X</mass></inertial></link></model></sdf>",
        ),
    ] {
        for number in ["nan", "inf", "-inf", "1e999"] {
            let text = text.replace('X', number);
            assert!(load_string(&text, format, &LoadOptions::default()).is_err(), "was accepted: {text}");
        }
    }
}

#[test]
fn more_attributes_than_an_element_can_have_are_refused_at_once() {
    let attributes = |n: usize| (0..n).map(|i| format!("a{i}='='")).collect::<Vec<_>>().join(" ");
    let file = |n: usize| {
        Memory::default().with("m.xml", format!("<mujoco>\n<worldbody {}/></mujoco>", attributes(n)))
    };
    // A parser that compares each with all before it would need minutes.
    let error = refused("m.xml", &file(200_000));
    assert!(error.starts_with("m.xml:2") && error.contains("2000 attributes"), "{error}");
    assert!(load_with("m.xml", &file(2000), &LoadOptions::default()).is_ok());
}

#[test]
fn a_short_file_cannot_ask_for_a_large_height_field() {
    let file = |size: usize| {
        let text = format!(
            "<mujoco><asset><hfield name='h' nrow='{size}' ncol='{size}' size='1 1 1 1'/></asset>\
             <worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"
        );
        Memory::default().with("m.xml", text)
    };
    let error = refused("m.xml", &file(20_000));
    let (place, limit) = ("hfield \"h\"", "field-points of 5000000");
    assert!(error.contains(place) && error.contains("400000000") && error.contains(limit), "{error}");
    let mut options = LoadOptions::default();
    *options.limits.named("field-points").unwrap() = 99;
    assert!(load_with("m.xml", &file(10), &options).unwrap_err().to_string().contains("field-points"));
    options.limits.field_points = 100;
    assert_eq!(load_with("m.xml", &file(10), &options).unwrap().height_fields[0].heights.len(), 100);
}

#[test]
fn a_tree_of_too_many_joints_is_refused_before_its_mass_matrix_is_made() {
    let links = 13_000;
    let mut text = String::from("<robot name='chain'><link name='l0'/>");
    for i in 1..=links {
        text += &format!(
            "<link name='l{i}'><inertial><mass value='1'/>\
             <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\
             <joint name='j{i}' type='continuous'><parent link='l{}'/><child link='l{i}'/><axis xyz='0 1 0'/></joint>",
            i - 1
        );
    }
    let files = Memory::default().with("c.urdf", text + "</robot>");
    let error = refused("c.urdf", &files);
    assert!(error.contains("link \"l0\"") && error.contains("tree-coordinates of 12000"), "{error}");
    let mut options = LoadOptions::default();
    options.limits.tree_coordinates = 14_000;
    assert_eq!(load_with("c.urdf", &files, &options).unwrap().bodies.len(), links + 2);
}

#[test]
fn names_cannot_send_control_characters_to_a_terminal() {
    let error = refused("a\u{1b}[2J.xml", &Memory::default().with("a\u{1b}[2J.xml", "<mujoco"));
    assert!(error.contains("a\\u{1b}[2J.xml") && !error.contains('\u{1b}'), "{error}");
    let directives = "directives:\n- add_model:\n    name: \"x\\e[31m\"\n    file: none.urdf\n";
    let error = refused("d.dmd.yaml", &Memory::default().with("d.dmd.yaml", directives));
    assert!(!error.contains(|c: char| c.is_control()), "{error:?}");
}
