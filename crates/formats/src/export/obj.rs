//! A triangle mesh as a Wavefront OBJ file.

use stiction_model::Mesh;

/// The text of the file.
pub fn write(mesh: &Mesh) -> String {
    let mut text = String::new();
    for v in &mesh.vertices {
        text += &format!("v {:?} {:?} {:?}\n", v.x, v.y, v.z);
    }
    for t in &mesh.triangles {
        text += &format!("f {} {} {}\n", t[0] as u64 + 1, t[1] as u64 + 1, t[2] as u64 + 1);
    }
    text
}

/// File names for meshes: the last part of their names, made of plain letters, none of them twice.
pub fn names(meshes: &[std::sync::Arc<Mesh>], extension: impl Fn(&Mesh) -> &'static str) -> Vec<String> {
    let mut taken = crate::names::Names::default();
    let plain = |mesh: &Mesh| {
        let last = mesh.name.rsplit(['/', '\\']).next().unwrap_or("");
        let stem = last.split('.').next().unwrap_or("");
        let word: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if word.is_empty() { "mesh".to_string() } else { word }
    };
    meshes.iter().map(|m| format!("{}.{}", taken.free(&plain(m)), extension(m))).collect()
}
