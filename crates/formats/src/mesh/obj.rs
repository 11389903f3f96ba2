//! Wavefront OBJ: `v` and `f` lines; polygons are cut into fans, texture and normals are skipped.

use super::MAX_ELEMENTS;
use stiction_model::{Mesh, Vec3};

pub fn read(bytes: &[u8]) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = Mesh::default();
    let mut corners: Vec<u32> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let at = |what: &str| format!("line {}: {what}", number + 1);
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let mut v = [0.0; 3];
                for x in &mut v {
                    *x = words
                        .next()
                        .and_then(|w| w.parse().ok())
                        .ok_or_else(|| at("a vertex needs three numbers"))?;
                }
                mesh.vertices.push(Vec3::from(v));
            }
            Some("f") => {
                corners.clear();
                for word in words {
                    let first = word.split('/').next().unwrap_or("");
                    let index: i64 = first.parse().map_err(|_| at("a face corner is not a vertex number"))?;
                    let n = mesh.vertices.len() as i64;
                    let index = if index < 0 { n + index } else { index - 1 };
                    if !(0..n).contains(&index) {
                        return Err(at("a face refers to a vertex that does not exist"));
                    }
                    corners.push(index as u32);
                }
                // Points and lines have no area.
                for k in 1..corners.len().saturating_sub(1) {
                    mesh.triangles.push([corners[0], corners[k], corners[k + 1]]);
                }
            }
            _ => {}
        }
        if mesh.vertices.len().max(mesh.triangles.len()) > MAX_ELEMENTS {
            return Err(at("the mesh is too large"));
        }
    }
    Ok(mesh)
}
