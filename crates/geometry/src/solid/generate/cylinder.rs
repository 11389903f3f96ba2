//! Cylinder and capsule: surfaces of revolution joined to their medial segment or disc.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::{Fit, MeshOptions, RawSolid, segments};
use crate::V3;
use crate::solid::SolidError;

fn ring(raw: &mut RawSolid, n: usize, radius: f64, z: f64, extent: f64) -> Vec<u32> {
    (0..n)
        .map(|k| {
            let a = TAU * k as f64 / n as f64;
            raw.vertex(V3::new(radius * a.cos(), radius * a.sin(), z), extent)
        })
        .collect()
}

/// e = distance to the surface / min(R, h). Long (h > R): the points furthest inside form a segment on
/// the axis; short (h < R): a disc of radius R - h; equal: a point.
pub(super) fn cylinder(radius: f64, half: f64, options: &MeshOptions) -> Result<RawSolid, SolidError> {
    let n = segments(radius, options, "cylinder")?;
    let angle = TAU / n as f64;
    // A regular polygon with the area of the circle.
    let outer = match options.fit {
        Fit::Inscribed => radius,
        Fit::EqualVolume => radius * (angle / angle.sin()).sqrt(),
    };
    let mut raw = RawSolid::default();
    let bottom = ring(&mut raw, n, outer, -half, 0.0);
    let top = ring(&mut raw, n, outer, half, 0.0);
    // Where the medial disc or segment is so small that tetrahedra at its edges would be flat, it is one vertex.
    let small = if half > radius { 1e-10 * half } else { 1e-5 * radius };
    let equal = (radius - half).abs() * angle <= small;
    let next = |k: usize| (k + 1) % n;
    if half > radius || equal {
        let z = if equal { 0.0 } else { half - radius };
        let low = raw.vertex(V3::new(0.0, 0.0, -z), 1.0);
        let high = if equal { low } else { raw.vertex(V3::new(0.0, 0.0, z), 1.0) };
        for k in 0..n {
            let (i, j) = (k, next(k));
            raw.prism([bottom[i], bottom[j], low], [top[i], top[j], high]);
        }
        for (rim, z, apex) in [(&bottom, -half, low), (&top, half, high)] {
            for t in disc(&mut raw, rim, outer, z, options) {
                raw.tet([apex, t[0], t[1], t[2]]);
            }
        }
    } else {
        let medial_radius = outer * (1.0 - half / radius);
        let medial = ring(&mut raw, n, medial_radius, 0.0, 1.0);
        for k in 0..n {
            let (i, j) = (k, next(k));
            raw.prism([bottom[i], top[i], medial[i]], [bottom[j], top[j], medial[j]]);
        }
        // Rings of the medial disc lie under those of the ends, shrunk alike.
        let middle = disc_rings(&mut raw, &medial, medial_radius, 0.0, 1.0, ring_count(outer, options));
        for (rim, z) in [(&bottom, -half), (&top, half)] {
            let rings = disc_rings(&mut raw, rim, outer, z, 0.0, ring_count(outer, options));
            for (s, m) in disc_triangles(&rings).into_iter().zip(disc_triangles(&middle)) {
                raw.prism(s, m);
            }
        }
    }
    Ok(raw)
}

fn ring_count(radius: f64, options: &MeshOptions) -> usize {
    if options.rings { ((radius / options.resolution_hint).round() as usize).max(1) } else { 1 }
}

/// Rings of a disc from the rim inward, then its centre.
struct Rings {
    rings: Vec<Vec<u32>>,
    center: u32,
}

fn disc_rings(raw: &mut RawSolid, rim: &[u32], radius: f64, z: f64, extent: f64, count: usize) -> Rings {
    let mut rings = vec![rim.to_vec()];
    for k in (1..count).rev() {
        rings.push(ring(raw, rim.len(), radius * k as f64 / count as f64, z, extent));
    }
    Rings { rings, center: raw.vertex(V3::new(0.0, 0.0, z), extent) }
}

fn disc_triangles(d: &Rings) -> Vec<[u32; 3]> {
    let n = d.rings[0].len();
    let mut out = Vec::new();
    for w in d.rings.windows(2) {
        for i in 0..n {
            let j = (i + 1) % n;
            out.extend([[w[0][i], w[0][j], w[1][j]], [w[0][i], w[1][j], w[1][i]]]);
        }
    }
    if let Some(inner) = d.rings.last() {
        out.extend((0..n).map(|i| [d.center, inner[i], inner[(i + 1) % n]]));
    }
    out
}

fn disc(raw: &mut RawSolid, rim: &[u32], radius: f64, z: f64, options: &MeshOptions) -> Vec<[u32; 3]> {
    let count = ring_count(radius, options);
    let rings = disc_rings(raw, rim, radius, z, 0.0, count);
    disc_triangles(&rings)
}

/// e = distance to the surface / R, 1 on the axis between the centres of the caps.
pub(super) fn capsule(radius: f64, half: f64, options: &MeshOptions) -> Result<RawSolid, SolidError> {
    let n = segments(radius, options, "capsule")?;
    let rows = n.div_ceil(4).max(2);
    if n * rows * 3 > super::MOST {
        return Err(SolidError::TooFine {
            hint: options.resolution_hint,
            count: n * rows * 3,
            shape: "capsule",
        });
    }
    let build = |outer: f64| {
        let mut raw = RawSolid::default();
        let low = raw.vertex(V3::new(0.0, 0.0, -half), 1.0);
        let high = raw.vertex(V3::new(0.0, 0.0, half), 1.0);
        let mut rims = Vec::new();
        for (apex, sign) in [(low, -1.0), (high, 1.0)] {
            let center = sign * half;
            let mut outer_ring = ring(&mut raw, n, outer, center, 0.0);
            rims.push(outer_ring.clone());
            for row in 1..rows {
                let a = FRAC_PI_2 * row as f64 / rows as f64;
                let inner = ring(&mut raw, n, outer * a.cos(), center + sign * outer * a.sin(), 0.0);
                for i in 0..n {
                    let j = (i + 1) % n;
                    raw.tet([apex, outer_ring[i], outer_ring[j], inner[j]]);
                    raw.tet([apex, outer_ring[i], inner[j], inner[i]]);
                }
                outer_ring = inner;
            }
            let pole = raw.vertex(V3::new(0.0, 0.0, center + sign * outer), 0.0);
            for i in 0..n {
                raw.tet([apex, outer_ring[i], outer_ring[(i + 1) % n], pole]);
            }
        }
        for i in 0..n {
            let j = (i + 1) % n;
            raw.prism([rims[0][i], rims[0][j], low], [rims[1][i], rims[1][j], high]);
        }
        raw
    };
    let raw = build(radius);
    if options.fit == Fit::Inscribed {
        return Ok(raw);
    }
    // The mesh has volume c s^2 + b s^3 for radius s R: find s that gives the capsule's, by Newton.
    let angle = TAU / n as f64;
    let c = n as f64 * 0.5 * angle.sin() * radius * radius * 2.0 * half;
    let b = raw.volume() - c;
    let target = PI * radius * radius * 2.0 * half + 4.0 / 3.0 * PI * radius.powi(3);
    let mut s: f64 = 1.0;
    for _ in 0..20 {
        s -= (c * s * s + b * s.powi(3) - target) / (2.0 * c * s + 3.0 * b * s * s);
    }
    Ok(build(s * radius))
}
