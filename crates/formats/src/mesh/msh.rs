//! MuJoCo's binary MSH: counts, then vertices, normals, texture coordinates and triangles.

use super::MAX_ELEMENTS;
use stiction_model::{Mesh, Vec3};

pub fn read(bytes: &[u8]) -> Result<Mesh, String> {
    let word = |i: usize| -> Option<[u8; 4]> { bytes.get(4 * i..4 * i + 4)?.try_into().ok() };
    let count = |i: usize| -> Result<usize, String> {
        let value = word(i).map(i32::from_le_bytes).ok_or("the MSH file is shorter than its header")?;
        usize::try_from(value)
            .ok()
            .filter(|&n| n <= MAX_ELEMENTS)
            .ok_or_else(|| format!("the MSH header has a count of {value}"))
    };
    let (nv, nn, nt, nf) = (count(0)?, count(1)?, count(2)?, count(3)?);
    let words = 4 + 3 * nv + 3 * nn + 2 * nt + 3 * nf;
    if bytes.len() < 4 * words {
        return Err(format!("the MSH file has {} bytes, its header asks for {}", bytes.len(), 4 * words));
    }
    let float = |i: usize| word(i).map_or(f64::NAN, |w| f32::from_le_bytes(w) as f64);
    let vertices = (0..nv).map(|v| Vec3::new(float(4 + 3 * v), float(5 + 3 * v), float(6 + 3 * v))).collect();
    let start = 4 + 3 * nv + 3 * nn + 2 * nt;
    let index = |i: usize| word(i).map_or(u32::MAX, u32::from_le_bytes);
    let triangles =
        (0..nf).map(|f| [index(start + 3 * f), index(start + 3 * f + 1), index(start + 3 * f + 2)]).collect();
    Ok(Mesh { vertices, triangles, ..Mesh::default() })
}
