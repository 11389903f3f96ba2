//! Mesh files: OBJ, STL (text and binary), COLLADA, glTF and MuJoCo's MSH into triangles, legacy VTK into
//! tetrahedra.
//!
//! | file | |
//! |---|---|
//! | `obj.rs` | Wavefront OBJ |
//! | `stl.rs` | STL |
//! | `collada.rs` | COLLADA |
//! | `gltf.rs` | glTF and GLB |
//! | `msh.rs` | MuJoCo's MSH |
//! | `vtk.rs` | legacy VTK: tetrahedra with a field |

mod collada;
mod gltf;
mod msh;
mod obj;
mod stl;
mod vtk;

use crate::files::extension;
use stiction_model::{Mesh, Vec3};

/// Most vertices or triangles taken from one file.
pub const MAX_ELEMENTS: usize = 50_000_000;

/// Most vertices or triangles of a file that places its parts several times.
const MAX_INSTANCED: usize = 10_000_000;

/// Reads mesh bytes; the name's extension decides the format. The error says what is wrong without
/// the file name.
pub fn read(name: &str, bytes: &[u8]) -> Result<Mesh, String> {
    let beside = |file: &str| Err(format!("it refers to {file}; put everything into one .glb file"));
    read_part(name, bytes, None, &beside)
}

/// Reads one part (object, group or node) of a mesh file, or all of it. `beside` gives the files that
/// this one names, relative to it.
pub fn read_part(
    name: &str,
    bytes: &[u8],
    part: Option<&str>,
    beside: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Mesh, String> {
    let mesh = match (extension(name).as_str(), part) {
        ("obj", _) => obj::read(bytes, part)?,
        ("dae", _) => collada::read(bytes, part)?,
        ("gltf" | "glb", _) => gltf::read(bytes, part, beside)?,
        ("stl", None) => stl::read(bytes)?,
        ("msh", None) => msh::read(bytes)?,
        ("vtk", None) => vtk::read(bytes)?,
        ("stl" | "msh" | "vtk", Some(part)) => {
            return Err(format!("files of this type have no parts, but \"{part}\" was asked for"));
        }
        (other, _) => {
            return Err(format!(
                "meshes of type \"{other}\" are not read; convert it to .obj, .glb or .stl (Blender or meshlab do), a solid to .vtk"
            ));
        }
    };
    finish(mesh)
}

/// The colour that most faces of an OBJ file have by its material library; `None` if it has none.
pub fn color(name: &str, bytes: &[u8], beside: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Option<[f32; 4]> {
    if extension(name) != "obj" {
        return None;
    }
    let (library, material) = obj::material(bytes)?;
    obj::color(&beside(&library).ok()?, &material)
}

/// Moves a mesh so that the middle of its bounding box is the origin.
pub(crate) fn center(mesh: &mut Mesh) {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for v in &mesh.vertices {
        low = low.inf(v);
        high = high.sup(v);
    }
    let middle = (low + high) / 2.0;
    mesh.vertices.iter_mut().for_each(|v| *v -= middle);
}

/// A mesh's triangles as a binary STL file.
pub fn write_stl(mesh: &Mesh) -> Vec<u8> {
    stl::write(mesh)
}

/// A mesh's tetrahedra as a legacy VTK file (text), with its extents, or with pressures if it has a modulus. Fails if
/// it has no tetrahedra.
pub fn write_vtk(mesh: &Mesh) -> Result<String, String> {
    vtk::write(mesh)
}

/// Checks indices and numbers.
pub(crate) fn finish(mesh: Mesh) -> Result<Mesh, String> {
    if mesh.vertices.is_empty() {
        return Err("the mesh has no vertices".into());
    }
    if mesh.vertices.iter().any(|v| !v.iter().all(|x| x.is_finite())) {
        return Err("a vertex has a coordinate that is not finite".into());
    }
    let n = mesh.vertices.len();
    if let Some(t) = mesh.triangles.iter().find(|t| t.iter().any(|&i| i as usize >= n)) {
        return Err(format!("a triangle refers to vertices {t:?}, but there are only {n}"));
    }
    Ok(mesh)
}

/// Most pairs of a face and a vertex that [`is_convex`] tests.
const MAX_CONVEX_PAIRS: usize = 2_000_000_000;

/// Whether every vertex lies below every face's plane, up to 1e-4 of the mesh's size. A mesh with more
/// than 2·10⁹ pairs of face and vertex is not tested to the end and counts as not convex.
pub fn is_convex(mesh: &Mesh) -> bool {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for v in &mesh.vertices {
        low = low.inf(v);
        high = high.sup(v);
    }
    let tolerance = 1e-4 * (high - low).norm();
    if mesh.triangles.len().saturating_mul(mesh.vertices.len()) > MAX_CONVEX_PAIRS {
        return false;
    }
    mesh.triangles.iter().all(|t| {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        let Some(normal) = (b - a).cross(&(c - a)).try_normalize(1e-300) else { return true };
        mesh.vertices.iter().all(|v| normal.dot(&(v - a)) <= tolerance)
    })
}

/// Scales about the origin; a mirrored mesh keeps facing outwards. The error says what is wrong.
pub(crate) fn scale(mesh: &mut Mesh, factors: &Vec3) -> Result<(), String> {
    if factors.iter().any(|s| *s == 0.0 || !s.is_finite()) {
        return Err("no number of scale may be zero or infinite".into());
    }
    for v in &mut mesh.vertices {
        v.component_mul_assign(factors);
        if !v.iter().all(|x| x.is_finite()) {
            return Err("the scaled mesh has a coordinate that is not finite; make scale smaller".into());
        }
    }
    if factors.product() < 0.0 {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        mesh.tetrahedra.iter_mut().flat_map(|t| &mut t.cells).for_each(|c| c.swap(2, 3));
    }
    Ok(())
}

/// Whether every edge is shared by exactly two triangles that run along it in opposite directions.
/// Vertices at the same place count as one.
pub fn is_closed(mesh: &Mesh) -> bool {
    use std::collections::BTreeMap;
    let key = |v: &Vec3| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()];
    let mut ids = BTreeMap::new();
    let index: Vec<usize> = mesh
        .vertices
        .iter()
        .map(|v| {
            let next = ids.len();
            // −0 and 0 are the same place.
            *ids.entry(key(&(v + Vec3::zeros()))).or_insert(next)
        })
        .collect();
    let mut edges: BTreeMap<(usize, usize), i32> = BTreeMap::new();
    for t in &mesh.triangles {
        for k in 0..3 {
            let (a, b) = (index[t[k] as usize], index[t[(k + 1) % 3] as usize]);
            if a != b {
                *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
            }
        }
    }
    edges.values().all(|&n| n == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
        f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

    #[test]
    fn a_cube_of_quads_is_closed_and_convex() {
        let mesh = read("cube.obj", CUBE.as_bytes()).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12));
        assert!(is_convex(&mesh) && is_closed(&mesh));
        let mut open = mesh.clone();
        open.triangles.pop();
        assert!(!is_closed(&open));
        let mut dented = mesh;
        dented.vertices[6] = Vec3::new(0.2, 0.2, 0.2);
        assert!(!is_convex(&dented));
    }

    /// A triangle in the plane z = 0 with a node that moves it, in COLLADA and in glTF.
    #[test]
    fn scenes_place_scale_and_turn_their_parts() {
        let dae = r##"<COLLADA><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
            <source id="p"><float_array>0 0 0 100 0 0 0 100 0</float_array></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
            <triangles><input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#n" offset="0"/><p>7 0 7 1 7 2</p></triangles></mesh></geometry></library_geometries>
            <library_visual_scenes><visual_scene id="s"><node name="a"><translate>0 0 200</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g"/></node>
            <node name="b"><scale>-1 1 1</scale><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>"##;
        let beside = |_: &str| Err("nothing".to_string());
        let all = read("a.dae", dae.as_bytes()).unwrap();
        assert_eq!((all.vertices.len(), all.triangles.len()), (6, 2));
        let one = read_part("a.dae", dae.as_bytes(), Some("a"), &beside).unwrap();
        assert!((one.vertices[1] - Vec3::new(0.0, 1.0, 2.0)).norm() < 1e-12, "{:?}", one.vertices);
        // A mirrored part still faces the same way.
        let mirrored = read_part("a.dae", dae.as_bytes(), Some("b"), &beside).unwrap();
        let normal = |m: &Mesh| {
            let [a, b, c] = m.triangles[0].map(|i| m.vertices[i as usize]);
            (b - a).cross(&(c - a)).normalize()
        };
        assert!((normal(&mirrored) - Vec3::z()).norm() < 1e-12);
        let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
        let gltf = format!(
            r#"{{"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0,"translation":[0,2,3],"scale":[3,3,3]}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3}}],"bufferViews":[{{"buffer":0}}],"buffers":[{{"uri":"data:x;base64,{data}"}}]}}"#
        );
        let mesh = read("a.gltf", gltf.as_bytes()).unwrap();
        // y up becomes z up, and z becomes −y, as in Drake.
        assert_eq!(
            mesh.vertices,
            [Vec3::new(0.0, -3.0, 2.0), Vec3::new(3.0, -3.0, 2.0), Vec3::new(0.0, -3.0, 5.0)]
        );
        // Names of files are URIs: what a URI cannot hold is escaped.
        let apart = gltf.replace(&format!("data:x;base64,{data}"), "my%20mesh.bin");
        let file = |name: &str| match name {
            "my mesh.bin" => Ok(data_encoding::BASE64.decode(data.as_bytes()).unwrap()),
            other => Err(format!("{other} was asked for")),
        };
        assert_eq!(read_part("a.gltf", apart.as_bytes(), None, &file).unwrap().vertices, mesh.vertices);
        for broken in ["?", "AAAA*AAA"] {
            let broken = gltf.replace(data, broken);
            assert!(read("a.gltf", broken.as_bytes()).unwrap_err().contains("not base64"));
        }
        let obj = format!("o one\n{CUBE}o two\nv 0 0 9\nf 1 2 9\n");
        let part = read_part("a.obj", obj.as_bytes(), Some("two"), &beside).unwrap();
        assert_eq!((part.vertices.len(), part.triangles.len()), (3, 1));
        assert!(read_part("a.obj", obj.as_bytes(), Some("three"), &beside).unwrap_err().contains("three"));
        let colored = format!("mtllib a.mtl\nusemtl red\n{CUBE}");
        let library = |_: &str| Ok(b"newmtl blue\nKd 0 0 1\nnewmtl red\nKd 1 0 0\nd 0.5\n".to_vec());
        assert_eq!(color("a.obj", colored.as_bytes(), &library), Some([1.0, 0.0, 0.0, 0.5]));
    }

    #[test]
    fn text_and_binary_stl_say_the_same() {
        let text = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a";
        let mut binary = vec![0u8; 80];
        binary.extend(1u32.to_le_bytes());
        for x in [0f32, 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0.] {
            binary.extend(x.to_le_bytes());
        }
        binary.extend([0, 0]);
        let (a, b) = (read("a.stl", text.as_bytes()).unwrap(), read("a.STL", &binary).unwrap());
        assert_eq!(a.vertices, b.vertices);
        assert_eq!(a.triangles, vec![[0, 1, 2]]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let cube = read("cube.obj", CUBE.as_bytes()).unwrap();
        let again = read("cube.stl", &write_stl(&cube)).unwrap();
        assert_eq!((again.vertices.len(), again.triangles.len()), (8, 12));
        assert!(is_closed(&again) && is_convex(&again));
        let mut solid = Mesh {
            vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), Vec3::repeat(0.2)],
            ..Mesh::default()
        };
        let cells = vec![[4, 0, 1, 2], [4, 0, 1, 3], [4, 0, 2, 3], [4, 1, 2, 3]];
        let mut filled =
            stiction_model::Tetrahedra { cells, extents: Some(vec![0.0, 0.0, 0.0, 0.0, 1.0]), modulus: None };
        for modulus in [None, Some(3e5)] {
            filled.modulus = modulus;
            solid.tetrahedra = Some(filled.clone());
            let read = read("a.vtk", write_vtk(&solid).unwrap().as_bytes()).unwrap();
            assert_eq!((&read.vertices, read.tetrahedra.as_ref()), (&solid.vertices, Some(&filled)));
        }
    }

    #[test]
    fn broken_meshes_are_errors_with_words() {
        for (name, bytes, word) in [
            ("a.obj", &b"v 0 0\n"[..], "line 1"),
            ("a.obj", b"v 0 0 0\nf 1 2 3\n", "line 2"),
            ("a.obj", b"v 0 0 nan\nv 0 0 0\nv 1 0 0\nf 1 2 3\n", "finite"),
            ("a.obj", b"", "no vertices"),
            ("a.stl", b"solid x\nvertex 0 0 0\n", "STL"),
            ("a.stl", b"\x01\x02", "STL"),
            ("a.msh", b"\x01\x02", "MSH"),
            ("a.dae", b"", "XML"),
            ("a.dae", b"<x/>", "COLLADA"),
            ("a.glb", b"glTF", "shorter"),
            ("a.gltf", b"{", "glTF"),
            ("a.fbx", b"", "not read"),
        ] {
            let error = read(name, bytes).unwrap_err();
            assert!(error.contains(word), "{name}: {error}");
        }
        let mut huge = vec![0u8; 80];
        huge.extend(u32::MAX.to_le_bytes());
        assert!(read("a.stl", &huge).is_err());
    }
}
