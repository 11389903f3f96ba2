//! Wavefront OBJ: `v` and `f` lines; polygons are cut into fans, texture and normals are skipped.
//! A part is an object (`o`) or group (`g`). Colours come from the material library (`mtllib`).

use super::MAX_ELEMENTS;
use stiction_model::{Mesh, Vec3};

/// Reads the faces of one object or group, or all of them.
pub fn read(bytes: &[u8], part: Option<&str>) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = Mesh::default();
    let mut corners: Vec<u32> = Vec::new();
    let (mut object, mut found) = (false, part.is_none());
    let mut group = false;
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
            Some("o") => (object, group) = (part.is_some_and(|p| line[1..].trim() == p), false),
            Some("g") => group = part.is_some_and(|p| words.any(|w| w == p) || line[1..].trim() == p),
            Some("f") => {
                corners.clear();
                for word in words {
                    let first = word.split('/').next().unwrap_or("");
                    let index: i64 = first.parse().map_err(|_| at("a face corner is not a vertex number"))?;
                    let n = mesh.vertices.len() as i64;
                    let index = if index < 0 { n.saturating_add(index) } else { index - 1 };
                    if !(0..n).contains(&index) {
                        return Err(at("a face refers to a vertex that does not exist"));
                    }
                    corners.push(index as u32);
                }
                if part.is_some() && !object && !group {
                    continue;
                }
                found = true;
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
    match part {
        Some(part) if !found => {
            Err(format!("there is no object or group \"{part}\" with faces; correct the name"))
        }
        Some(_) => Ok(used(mesh)),
        None => Ok(mesh),
    }
}

/// The mesh without vertices that no triangle uses.
pub(super) fn used(mesh: Mesh) -> Mesh {
    let mut index = vec![u32::MAX; mesh.vertices.len()];
    let mut kept = Mesh::default();
    for t in &mesh.triangles {
        kept.triangles.push(t.map(|v| {
            let slot = &mut index[v as usize];
            if *slot == u32::MAX {
                *slot = kept.vertices.len() as u32;
                kept.vertices.push(mesh.vertices[v as usize]);
            }
            *slot
        }));
    }
    kept
}

/// Name of the material library, and the material that most faces use.
pub fn material(bytes: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(bytes);
    let (mut library, mut current) = (None, None);
    let mut faces: Vec<(String, usize)> = Vec::new();
    for line in text.lines() {
        let line = line.trim_start();
        if let Some(name) = line.strip_prefix("mtllib ") {
            library.get_or_insert_with(|| name.trim().to_string());
        } else if let Some(name) = line.strip_prefix("usemtl ") {
            let name = name.trim();
            current = faces.iter().position(|(n, _)| n == name).or_else(|| {
                // A file of thousands of materials has no one colour.
                (faces.len() < 256).then(|| {
                    faces.push((name.to_string(), 0));
                    faces.len() - 1
                })
            });
        } else if line.starts_with("f ")
            && let Some(k) = current
        {
            faces[k].1 += 1;
        }
    }
    let most = faces.into_iter().rev().max_by_key(|(_, n)| *n)?;
    Some((library?, most.0))
}

/// Diffuse colour of a material in a library.
pub fn color(library: &[u8], material: &str) -> Option<[f32; 4]> {
    let text = String::from_utf8_lossy(library);
    let (mut inside, mut color, mut opacity) = (false, None, 1.0);
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("newmtl") => inside = line.trim_start()["newmtl".len()..].trim() == material,
            Some("Kd") if inside => {
                let rgb: Vec<f32> = words.filter_map(|w| w.parse().ok()).collect();
                color = <[f32; 3]>::try_from(rgb).ok();
            }
            Some("d") if inside => opacity = words.next().and_then(|w| w.parse().ok()).unwrap_or(1.0),
            _ => {}
        }
    }
    let [r, g, b] = color?;
    [r, g, b, opacity].iter().all(|x: &f32| (0.0..=1.0).contains(x)).then_some([r, g, b, opacity])
}
