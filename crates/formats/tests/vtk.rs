//! Solids from legacy VTK files: every dialect says the same, and hostile files are errors with words.

use proptest::prelude::*;
use stiction_formats::files::Memory;
use stiction_formats::mesh::{read, write_vtk};
use stiction_formats::{LoadOptions, load_with, mass};
use stiction_model::{Mesh, Shape, Vec3};

const HEAD: &str = "# vtk DataFile Version 3.0\na cube\nASCII\nDATASET UNSTRUCTURED_GRID\n";

/// A cube of edge 2 around the origin: eight corners and the centre, two tetrahedra a side.
fn cube_text(cells: &str, data: &str) -> String {
    format!(
        "{HEAD}POINTS 9 double\n-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1\n-1 -1 1 1 -1 1 1 1 1 -1 1 1 0 0 0\n{cells}{data}"
    )
}

const CELLS: [[u32; 4]; 12] = [
    [2, 0, 1, 8],
    [3, 0, 2, 8],
    [5, 4, 6, 8],
    [6, 4, 7, 8],
    [1, 0, 5, 8],
    [5, 0, 4, 8],
    [2, 1, 6, 8],
    [6, 1, 5, 8],
    [3, 2, 7, 8],
    [7, 2, 6, 8],
    [0, 3, 4, 8],
    [4, 3, 7, 8],
];

fn cells() -> String {
    let lines: Vec<String> = CELLS.iter().map(|[a, b, c, d]| format!("4 {a} {b} {c} {d}\n")).collect();
    format!("CELLS 12 60\n{}CELL_TYPES 12\n{}\n", lines.concat(), "10 ".repeat(12))
}

const FIELD: &str = "POINT_DATA 9\nSCALARS extent double 1\nLOOKUP_TABLE default\n0 0 0 0 0 0 0 0 1\n";

fn cube() -> Mesh {
    read("cube.vtk", cube_text(&cells(), FIELD).as_bytes()).unwrap()
}

/// The same in binary, in the layout of version 5 or of the older ones.
fn binary(version_5: bool) -> Vec<u8> {
    let mesh = cube();
    let mut out =
        b"# vtk DataFile Version 5.1\na cube\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 9 float\n".to_vec();
    mesh.vertices.iter().flatten().for_each(|&x| out.extend((x as f32).to_be_bytes()));
    if version_5 {
        out.extend(b"\nMETADATA\nINFORMATION 0\n\nCELLS 13 48\nOFFSETS vtktypeint64\n");
        (0..13i64).for_each(|k| out.extend((4 * k).to_be_bytes()));
        out.extend(b"\nCONNECTIVITY vtktypeint64\n");
        CELLS.iter().flatten().for_each(|&i| out.extend(i64::from(i).to_be_bytes()));
    } else {
        out.extend(b"\nCELLS 12 60\n");
        for cell in CELLS {
            out.extend(4i32.to_be_bytes());
            cell.iter().for_each(|&i| out.extend((i as i32).to_be_bytes()));
        }
    }
    out.extend(b"\nCELL_TYPES 12\n");
    (0..12).for_each(|_| out.extend(10i32.to_be_bytes()));
    out.extend(b"\nCELL_DATA 12\nSCALARS id int 1\nLOOKUP_TABLE default\n");
    (0..12i32).for_each(|k| out.extend(k.to_be_bytes()));
    out.extend(b"\nPOINT_DATA 9\nFIELD FieldData 2\nnormals 3 9 float\n");
    (0..27).for_each(|_| out.extend(0f32.to_be_bytes()));
    out.extend(b"\nextent 1 9 double\n");
    (0..9).for_each(|k| out.extend(if k == 8 { 1f64 } else { 0.0 }.to_be_bytes()));
    out.push(b'\n');
    out
}

#[test]
fn text_and_binary_of_every_version_say_the_same() {
    let text = cube();
    assert_eq!(text.triangles.len(), 12);
    let tetrahedra = text.tetrahedra.as_ref().unwrap();
    assert_eq!(tetrahedra.cells, CELLS);
    assert_eq!(tetrahedra.extents.as_ref().unwrap()[8], 1.0);
    for version_5 in [false, true] {
        assert_eq!(read("cube.vtk", &binary(version_5)).unwrap(), text);
    }
    assert_eq!(read("cube.vtk", write_vtk(&text).unwrap().as_bytes()).unwrap(), text);
}

#[test]
fn the_field_may_be_extents_pressures_or_missing() {
    let with = |data: &str| read("c.vtk", cube_text(&cells(), data).as_bytes()).unwrap().tetrahedra.unwrap();
    let pressure = with("POINT_DATA 9\nSCALARS pressure float\nLOOKUP_TABLE default\n0 0 0 0 0 0 0 0 5e6\n");
    assert_eq!((pressure.extents.unwrap()[8], pressure.modulus), (1.0, Some(5e6)));
    let unnamed = with("POINT_DATA 9\nSCALARS e float\n0 0 0 0 0 0 0 0 0.5\n");
    assert_eq!((unnamed.extents.unwrap()[8], unnamed.modulus), (0.5, None));
    assert_eq!(with("").extents, None);
    let two = "POINT_DATA 9\nSCALARS u float\nLOOKUP_TABLE default\n0 0 0 0 0 0 0 0 9\n\
               SCALARS extent float\nLOOKUP_TABLE default\n0 0 0 0 0 0 0 0 1\n";
    assert_eq!(with(two).extents.unwrap()[8], 1.0);
}

#[test]
fn tetrahedra_weigh_what_their_box_weighs_whichever_way_round() {
    let mut mesh = cube();
    let want = mass::solid(&Shape::Box { half_extents: Vec3::repeat(1.0) }).unwrap();
    for flip in [false, true] {
        if flip {
            mesh.tetrahedra.as_mut().unwrap().cells[3].swap(0, 1);
            mesh.vertices.iter_mut().for_each(|v| *v += Vec3::new(5.0, 0.0, -3.0));
        }
        let have = mass::tetrahedra(&mesh).unwrap();
        assert!((have.measure - want.measure).abs() < 1e-12);
        assert!((have.inertia - want.inertia).norm() < 1e-11, "{}", have.inertia);
        let center = if flip { Vec3::new(5.0, 0.0, -3.0) } else { Vec3::zeros() };
        assert!((have.com - center).norm() < 1e-12);
    }
    let outwards = mass::mesh(&mesh, mass::MeshFill::Exact).unwrap();
    assert!((outwards.measure - 8.0).abs() < 1e-11, "the outer triangles face outwards");
}

#[test]
fn mjcf_and_urdf_take_solids_as_meshes() {
    let tags = "<drake:proximity_properties><drake:compliant_hydroelastic/></drake:proximity_properties>";
    let mjcf = format!(
        "<mujoco><asset><mesh name='cube' file='cube.vtk' scale='-0.1 0.1 0.1'/></asset><worldbody><body><freejoint/>\
         <geom type='mesh' mesh='cube' density='500'>{tags}</geom></body></worldbody></mujoco>"
    );
    let urdf = format!(
        "<robot name='r'><link name='l'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' \
         iyz='0'/></inertial><collision><geometry><mesh filename='cube.vtk' scale='0.1 0.1 0.1'/></geometry>{tags}\
         </collision></link></robot>"
    );
    for (name, text) in [("a.xml", mjcf), ("a.urdf", urdf)] {
        let files = Memory::default().with("cube.vtk", cube_text(&cells(), FIELD)).with(name, text);
        let world = load_with(name, &files, &LoadOptions { strict: true, ..LoadOptions::default() })
            .unwrap_or_else(|e| panic!("{e}"));
        let [mesh] = &world.meshes[..] else { panic!("one mesh") };
        let tetrahedra = mesh.tetrahedra.as_ref().unwrap();
        assert_eq!(world.geoms[0].shape, Shape::Mesh { mesh: 0, convex: true });
        assert_eq!(world.shape_word(&world.geoms[0].shape), "tetrahedral mesh");
        let p = tetrahedra.cells[0].map(|i| mesh.vertices[i as usize]);
        assert!(
            (p[1] - p[0]).dot(&(p[2] - p[0]).cross(&(p[3] - p[0]))) > 0.0,
            "a mirrored solid stays positive"
        );
        if name == "a.xml" {
            assert!((world.bodies[1].inertia.mass - 500.0 * 8e-3).abs() < 1e-12);
        }
    }
}

#[test]
fn broken_files_are_errors_with_words() {
    let whole = |cells: &str, data: &str| cube_text(cells, data);
    let many = "POINT_DATA 9\nSCALARS u float\n0 0 0 0 0 0 0 0 9\nSCALARS w float\n0 0 0 0 0 0 0 0 9\n";
    let one = |types: &str| format!("CELLS 1 5\n4 0 1 2 8\nCELL_TYPES 1\n{types}\n");
    for (text, word) in [
        (String::new(), "vtk DataFile"),
        ("# vtk DataFile Version 3.0\n".into(), "ends"),
        ("# vtk DataFile Version 3.0\nx\nXML\n".into(), "ASCII or BINARY"),
        (HEAD.replace("UNSTRUCTURED_GRID", "POLYDATA"), "POLYDATA"),
        (HEAD.into(), "no tetrahedra"),
        (format!("{HEAD}POINTS 99999999999999999999 double\n"), "count"),
        (format!("{HEAD}POINTS 40000000 double\n0 0 0\n"), "ends before"),
        (format!("{HEAD}POINTS 1 double\n0 0 x\n"), "\"x\""),
        (format!("{HEAD}POINTS 1 quaternion\n0 0 0\n"), "quaternion"),
        (format!("{HEAD}POINTS\n"), "too short"),
        (format!("{HEAD}SPHERES 3\n"), "SPHERES"),
        (format!("{HEAD}SCALARS e float\n"), "before POINT_DATA"),
        (whole("CELLS 1 5\n4 0 1 2 9\nCELL_TYPES 1\n10\n", ""), "below 9"),
        (whole("CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n", ""), "below 9"),
        (whole("CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", ""), "four numbers"),
        (whole("CELLS 1 5\n9 0 1 2 3\nCELL_TYPES 1\n10\n", ""), "9 corners"),
        (whole("CELLS 1 5\n4 0 1 2 3\n", ""), "cell types"),
        (
            whole("CELLS 2 4\nOFFSETS int\n0 9\nCONNECTIVITY int\n0 1 2 8\nCELL_TYPES 1\n10\n", ""),
            "out of order",
        ),
        (whole("CELLS 2 4\nOFFSETS int\n0 4\nCELL_TYPES 1\n10\n", ""), "CONNECTIVITY"),
        (whole(&one("12"), ""), "type 12"),
        (whole(&one("5"), ""), "no tetrahedra"),
        (whole("CELLS 3 15\n4 0 1 2 8 4 0 1 2 8 4 0 1 2 8\nCELL_TYPES 3\n10 10 10\n", ""), "share"),
        (whole(&cells(), "POINT_DATA 8\nSCALARS extent float\n0 0 0 0 0 0 0 0\n"), "8 numbers for 9"),
        (whole(&cells(), "POINT_DATA 9\nSCALARS e float\n0 0 0 0 0 0 0 0 7\n"), "between 0"),
        (whole(&cells(), "POINT_DATA 9\nSCALARS extent float\n0 0 0 0 0 0 0 0 nan\n"), "between 0"),
        (whole(&cells(), "POINT_DATA 9\nSCALARS pressure float\n0 0 0 0 0 0 0 0 0\n"), "positive inside"),
        (whole(&cells(), many), "\"extent\""),
    ] {
        let error = read("a.vtk", text.as_bytes()).expect_err(&text);
        assert!(error.contains(word), "{error} should say {word}");
    }
    let far = cube_text(&cells(), FIELD).replace("-1 -1 -1", "-1e200 -1 -1");
    let text = "<mujoco><asset><mesh name='c' file='c.vtk'/></asset><worldbody><geom type='mesh' mesh='c'/></worldbody></mujoco>";
    let files = Memory::default().with("c.vtk", far).with("a.xml", text);
    let error = load_with("a.xml", &files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("scale"), "{error}");
}

proptest! {
    #[test]
    fn damaged_files_never_panic(
        version in 0usize..3, at in 0.0f64..1.0, with in prop::collection::vec(any::<u8>(), 0..6), cut in any::<bool>()
    ) {
        let mut bytes = match version {
            0 => cube_text(&cells(), FIELD).into_bytes(),
            v => binary(v == 2),
        };
        let place = (at * bytes.len() as f64) as usize;
        if cut {
            bytes.truncate(place);
        }
        let end = (place + with.len()).min(bytes.len());
        bytes.splice(place.min(end)..end, with);
        let _ = read("a.vtk", &bytes);
    }

    #[test]
    fn random_bytes_after_the_header_never_panic(tail in prop::collection::vec(any::<u8>(), 0..200), binary in any::<bool>()) {
        let head = if binary { HEAD.replace("ASCII", "BINARY") } else { HEAD.to_string() };
        let mut bytes = head.into_bytes();
        bytes.extend(tail);
        let _ = read("a.vtk", &bytes);
    }
}
