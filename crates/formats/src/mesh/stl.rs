//! STL, text and binary. Vertices at the same place become one.

use std::collections::HashMap;
use stiction_model::{Mesh, Vec3};

pub fn read(bytes: &[u8]) -> Result<Mesh, String> {
    // Binary files may also start with "solid", so the size decides.
    let binary = bytes.len() >= 84 && {
        let count = u32::from_le_bytes([bytes[80], bytes[81], bytes[82], bytes[83]]) as u64;
        84 + 50 * count <= bytes.len() as u64 && (count > 0 || !bytes.starts_with(b"solid"))
    };
    let points = if binary { binary_points(bytes) } else { text_points(bytes)? };
    if points.is_empty() || !points.len().is_multiple_of(3) {
        return Err("not a complete STL file: it has no triangles or ends inside one".into());
    }
    Ok(weld(&points))
}

fn binary_points(bytes: &[u8]) -> Vec<[f32; 3]> {
    let count = u32::from_le_bytes([bytes[80], bytes[81], bytes[82], bytes[83]]) as usize;
    let float = |at: usize| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut points = Vec::with_capacity(3 * count);
    for t in 0..count {
        for corner in 0..3 {
            let at = 84 + 50 * t + 12 + 12 * corner;
            points.push([float(at), float(at + 4), float(at + 8)]);
        }
    }
    points
}

fn text_points(bytes: &[u8]) -> Result<Vec<[f32; 3]>, String> {
    let text = std::str::from_utf8(bytes).ok().filter(|t| t.trim_start().starts_with("solid")).ok_or(
        "neither a text STL (it does not start with \"solid\") nor a binary one (it is shorter than its count says)",
    )?;
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_ascii_whitespace();
        if words.next() == Some("vertex") {
            let mut p = [0.0f32; 3];
            for x in &mut p {
                *x = words.next().and_then(|w| w.parse().ok()).ok_or_else(|| {
                    format!("line {}: a vertex of this STL needs three numbers", number + 1)
                })?;
            }
            points.push(p);
        }
    }
    Ok(points)
}

fn weld(points: &[[f32; 3]]) -> Mesh {
    let mut index: HashMap<[u32; 3], u32> = HashMap::with_capacity(points.len());
    let mut mesh = Mesh::default();
    let mut corner = |p: &[f32; 3]| {
        // Adding zero makes −0 equal 0.
        let key = p.map(|x| (x + 0.0).to_bits());
        *index.entry(key).or_insert_with(|| {
            mesh.vertices.push(Vec3::new(p[0] as f64, p[1] as f64, p[2] as f64));
            mesh.vertices.len() as u32 - 1
        })
    };
    let triangles = points.chunks_exact(3).map(|t| [corner(&t[0]), corner(&t[1]), corner(&t[2])]).collect();
    mesh.triangles = triangles;
    mesh
}

/// Triangles as a binary STL file; coordinates become single precision.
pub fn write(mesh: &Mesh) -> Vec<u8> {
    let mut out = vec![0u8; 80];
    out[..8].copy_from_slice(b"stiction");
    out.extend((mesh.triangles.len() as u32).to_le_bytes());
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize]);
        let normal = (b - a).cross(&(c - a)).try_normalize(1e-300).unwrap_or_default();
        for v in [normal, a, b, c] {
            v.iter().for_each(|x| out.extend((*x as f32).to_le_bytes()));
        }
        out.extend([0, 0]);
    }
    out
}
