//! Sphere and ellipsoid: a subdivided icosahedron joined to the centre.

use std::collections::BTreeMap;

use super::{Fit, MOST, MeshOptions, RawSolid};
use crate::V3;
use crate::solid::SolidError;

/// e = 1 at the centre, 0 on the surface: for the sphere p = E (1 - r/R) along every ray to a vertex.
pub(super) fn ellipsoid(
    radii: &V3,
    options: &MeshOptions,
    shape: &'static str,
) -> Result<RawSolid, SolidError> {
    // An edge of the icosahedron spans atan(2) = 63.4 degrees.
    let cuts = (2f64.atan() * radii.max() / options.resolution_hint).ceil().max(2.0);
    let count = 20.0 * cuts * cuts;
    if count > MOST as f64 {
        let count = if count < 1e15 { count as usize } else { usize::MAX };
        return Err(SolidError::TooFine { hint: options.resolution_hint, count, shape });
    }
    let (mut points, triangles) = unit_sphere(cuts as usize);
    let mut raw = RawSolid::default();
    for p in &points {
        raw.vertex(*p, 0.0);
    }
    let center = raw.vertex(V3::zeros(), 1.0);
    for t in &triangles {
        raw.tet([center, t[0], t[1], t[2]]);
    }
    let scale = match options.fit {
        Fit::Inscribed => 1.0,
        Fit::EqualVolume => (4.0 / 3.0 * std::f64::consts::PI / raw.volume()).cbrt(),
    };
    points.push(V3::zeros());
    for (v, p) in raw.vertices.iter_mut().zip(&points) {
        *v = p.component_mul(radii) * scale;
    }
    Ok(raw)
}

/// Vertices on the unit sphere and outward triangles: each face of an icosahedron cut into `cuts`^2.
fn unit_sphere(cuts: usize) -> (Vec<V3>, Vec<[u32; 3]>) {
    // Turned so that two corners lie on the z axis.
    let mut corners = vec![V3::new(0.0, 0.0, 1.0), V3::new(0.0, 0.0, -1.0)];
    let (z, r) = (1.0 / 5f64.sqrt(), 2.0 / 5f64.sqrt());
    for k in 0..5 {
        let angle = std::f64::consts::TAU * k as f64 / 5.0;
        corners.push(V3::new(r * angle.cos(), r * angle.sin(), z));
    }
    for k in 0..5 {
        let angle = std::f64::consts::TAU * (k as f64 + 0.5) / 5.0;
        corners.push(V3::new(r * angle.cos(), r * angle.sin(), -z));
    }
    let mut faces = Vec::new();
    for k in 0..5u32 {
        let (a, b) = (2 + k, 2 + (k + 1) % 5);
        let (c, d) = (7 + k, 7 + (k + 1) % 5);
        faces.extend([[0, a, b], [a, c, b], [b, c, d], [1, d, c]]);
    }
    let mut number: BTreeMap<[(u32, usize); 3], u32> = BTreeMap::new();
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for f in faces {
        let mut at = |i: usize, j: usize| {
            let weights = [cuts - i - j, i, j];
            let mut key: [(u32, usize); 3] =
                std::array::from_fn(|k| if weights[k] == 0 { (u32::MAX, 0) } else { (f[k], weights[k]) });
            key.sort_unstable();
            *number.entry(key).or_insert_with(|| {
                // Summed in the order of the key, so that both faces of an edge agree to the bit.
                let p: V3 =
                    key.iter().filter(|k| k.1 > 0).map(|&(c, w)| corners[c as usize] * w as f64).sum();
                points.push(p.normalize());
                points.len() as u32 - 1
            })
        };
        for i in 0..cuts {
            for j in 0..cuts - i {
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < cuts {
                    triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }
    (points, triangles)
}
