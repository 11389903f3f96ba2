//! Closed surfaces made by code: everyday shapes for examples, tests and benchmarks.
//!
//! Building blocks: [`revolve`] a closed profile, [`sweep`] a circle along a path, [`extrude`] a polygon.
//! Shapes made of several blocks are several shells that overlap; the mesher takes their union.

use crate::V3;
use std::f64::consts::{PI, TAU};
use stiction_base::random::Random;

/// Vertices and faces, counter-clockwise seen from outside.
pub type Triangles = (Vec<V3>, Vec<[u32; 3]>);

/// One surface after the other.
pub fn join(parts: impl IntoIterator<Item = Triangles>) -> Triangles {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for (v, f) in parts {
        let first = vertices.len() as u32;
        vertices.extend(v);
        faces.extend(f.into_iter().map(|f| f.map(|i| i + first)));
    }
    (vertices, faces)
}

/// Turns a profile of points (r, z) about the z axis. The profile starts and ends on the axis, going up
/// on the outside, or it is a closed loop off the axis (then `closed`), counter-clockwise in the rz plane.
pub fn revolve(profile: &[(f64, f64)], segments: usize, closed: bool) -> Triangles {
    let mut vertices = Vec::new();
    let mut rings: Vec<Vec<u32>> = Vec::new();
    for &(r, z) in profile {
        let count = if r <= 0.0 { 1 } else { segments };
        let first = vertices.len() as u32;
        for k in 0..count {
            let a = TAU * k as f64 / segments as f64;
            vertices.push(V3::new(r * a.cos(), r * a.sin(), z));
        }
        rings.push((0..segments as u32).map(|k| first + if count == 1 { 0 } else { k }).collect());
    }
    let mut faces = Vec::new();
    let count = if closed { rings.len() } else { rings.len() - 1 };
    for i in 0..count {
        let (low, high) = (&rings[i], &rings[(i + 1) % rings.len()]);
        for k in 0..segments {
            let n = (k + 1) % segments;
            quad(&mut faces, [low[k], low[n], high[n], high[k]]);
        }
    }
    (vertices, faces)
}

fn quad(faces: &mut Vec<[u32; 3]>, [a, b, c, d]: [u32; 4]) {
    for t in [[a, b, c], [a, c, d]] {
        if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
            faces.push(t);
        }
    }
}

/// A tube of varying radius along a path; closed paths return to their start, open ones get flat ends.
pub fn sweep(path: &[V3], radius: &[f64], segments: usize, closed: bool) -> Triangles {
    let n = path.len();
    let tangent = |i: usize| {
        let (a, b) =
            if closed { ((i + n - 1) % n, (i + 1) % n) } else { (i.saturating_sub(1), (i + 1).min(n - 1)) };
        (path[b] - path[a]).normalize()
    };
    // A frame carried along the path; a closed one is turned back over its length.
    let t0 = tangent(0);
    let mut normal = t0.cross(&if t0.z.abs() < 0.9 { V3::z() } else { V3::x() }).normalize();
    let mut frames = Vec::with_capacity(n);
    for i in 0..n {
        let t = tangent(i);
        normal = (normal - t * t.dot(&normal)).normalize();
        frames.push((t, normal));
    }
    let twist = if closed {
        let end = (normal - t0 * t0.dot(&normal)).normalize();
        let start = frames[0].1;
        t0.dot(&start.cross(&end)).atan2(start.dot(&end))
    } else {
        0.0
    };
    let mut vertices = Vec::new();
    for i in 0..n {
        let (t, u) = frames[i];
        let v = t.cross(&u);
        for k in 0..segments {
            let a = TAU * k as f64 / segments as f64 - twist * i as f64 / n as f64;
            vertices.push(path[i] + (u * a.cos() + v * a.sin()) * radius[i]);
        }
    }
    let mut faces = Vec::new();
    let at = |i: usize, k: usize| (i * segments + k % segments) as u32;
    for i in 0..if closed { n } else { n - 1 } {
        for k in 0..segments {
            let j = (i + 1) % n;
            quad(&mut faces, [at(i, k), at(i, k + 1), at(j, k + 1), at(j, k)]);
        }
    }
    if !closed {
        for (ring, end) in [(0, path[0]), (n - 1, path[n - 1])] {
            vertices.push(end);
            let c = vertices.len() as u32 - 1;
            for k in 0..segments {
                let (a, b) = (at(ring, k), at(ring, k + 1));
                faces.push(if ring == 0 { [c, b, a] } else { [c, a, b] });
            }
        }
    }
    (vertices, faces)
}

/// A simple polygon in the xy plane (counter-clockwise), from z = 0 up to `height`.
pub fn extrude(polygon: &[(f64, f64)], height: f64) -> Triangles {
    let n = polygon.len();
    let mut vertices: Vec<V3> = polygon.iter().map(|&(x, y)| V3::new(x, y, 0.0)).collect();
    vertices.extend(polygon.iter().map(|&(x, y)| V3::new(x, y, height)));
    let mut faces = Vec::new();
    for t in ears(polygon) {
        faces.push([t[0], t[2], t[1]]);
        faces.push(t.map(|i| i + n as u32));
    }
    for k in 0..n as u32 {
        let next = (k + 1) % n as u32;
        quad(&mut faces, [k, next, next + n as u32, k + n as u32]);
    }
    (vertices, faces)
}

/// Ear clipping.
fn ears(polygon: &[(f64, f64)]) -> Vec<[u32; 3]> {
    let cross = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(|i| polygon[i as usize]);
        (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0)
    };
    let mut left: Vec<u32> = (0..polygon.len() as u32).collect();
    let mut out = Vec::new();
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n).find(|&k| {
            let (a, b, c) = (left[(k + n - 1) % n], left[k], left[(k + 1) % n]);
            cross(a, b, c) > 0.0
                && left.iter().all(|&p| {
                    [a, b, c].contains(&p)
                        || cross(a, b, p) < 0.0
                        || cross(b, c, p) < 0.0
                        || cross(c, a, p) < 0.0
                })
        });
        let k = ear.unwrap_or(0);
        out.push([left[(k + n - 1) % n], left[k], left[(k + 1) % n]]);
        left.remove(k);
    }
    out.push([left[0], left[1], left[2]]);
    out
}

/// A sphere as a grid of latitudes and longitudes, its radius changed by `radius(direction)`.
pub fn star_shaped(rings: usize, radius: impl Fn(&V3) -> f64) -> Triangles {
    let profile: Vec<(f64, f64)> = (0..=rings)
        .map(|i| {
            let a = PI * i as f64 / rings as f64;
            (if i == 0 || i == rings { 0.0 } else { a.sin() }, -a.cos())
        })
        .collect();
    let (mut vertices, faces) = revolve(&profile, 2 * rings, false);
    for v in &mut vertices {
        let direction = v.normalize();
        *v = direction * radius(&direction);
    }
    (vertices, faces)
}

/// A smooth lump: a sphere of about `radius` with bumps that depend on `seed`.
pub fn blob(seed: u64, radius: f64, rings: usize) -> Triangles {
    let mut random = Random(seed.wrapping_mul(2).wrapping_add(1));
    let mut uniform = || random.unit();
    let waves: Vec<(V3, f64, f64)> = (0..6)
        .map(|_| {
            let k = V3::new(uniform() - 0.5, uniform() - 0.5, uniform() - 0.5) * 7.0;
            (k, uniform() * TAU, 0.03 + 0.07 * uniform())
        })
        .collect();
    star_shaped(rings, |d| {
        radius * (1.0 + waves.iter().map(|(k, phase, size)| size * (k.dot(d) + phase).cos()).sum::<f64>())
    })
}

/// A lump with two ears, for want of a bunny.
pub fn bunny(rings: usize) -> Triangles {
    let ear = |s: f64| V3::new(0.35 * s, 0.1, 0.93).normalize();
    star_shaped(rings, |d| {
        let bump = |at: V3, sharp: f64, size: f64| size * (sharp * (d.dot(&at) - 1.0)).exp();
        let ears = bump(ear(1.0), 60.0, 1.1) + bump(ear(-1.0), 60.0, 1.1);
        0.05 * (1.0 + ears + bump(V3::new(0.0, 1.0, 0.3).normalize(), 8.0, 0.45) + bump(-V3::y(), 40.0, 0.2))
    })
}

/// A mug: 90 mm tall, walls of 4 mm, with a handle.
pub fn mug() -> Triangles {
    let (r, h, wall) = (0.04, 0.09, 0.004);
    let body =
        revolve(&[(0.0, 0.0), (r, 0.0), (r, h), (r - wall, h), (r - wall, wall), (0.0, wall)], 96, false);
    let path: Vec<V3> = (0..=24)
        .map(|k| {
            let a = -0.5 * PI + PI * f64::from(k) / 24.0;
            V3::new(r - 0.5 * wall + 0.028 * a.cos(), 0.0, 0.5 * h + 0.028 * a.sin())
        })
        .collect();
    join([body, sweep(&path, &vec![0.005; path.len()], 24, false)])
}

/// A bowl with a wall of 3 mm.
pub fn bowl() -> Triangles {
    let (r, wall, n) = (0.07, 0.003, 40);
    let arc = |radius: f64, k: usize| {
        let a = 0.5 * PI * k as f64 / n as f64;
        (if k == 0 { 0.0 } else { radius * a.sin() }, r - radius * a.cos())
    };
    let mut profile: Vec<(f64, f64)> = (0..=n).map(|k| arc(r, k)).collect();
    profile.extend((0..=n).rev().map(|k| arc(r - wall, k)));
    revolve(&profile, 96, false)
}

/// A banana: a bent, tapering tube of 180 mm.
pub fn banana(rings: usize) -> Triangles {
    let count = 2 * rings;
    let at = |k: usize| k as f64 / (count - 1) as f64;
    let path: Vec<V3> = (0..count)
        .map(|k| {
            let a = 2.2 * (at(k) - 0.5);
            V3::new(0.085 * a.sin(), 0.0, 0.085 * (1.0 - a.cos()))
        })
        .collect();
    let radius: Vec<f64> =
        (0..count).map(|k| 0.004 + 0.014 * (PI * at(k)).sin().max(0.0).powf(0.6)).collect();
    sweep(&path, &radius, rings, false)
}

/// A bolt: a hexagonal head of 13 mm across flats on an 8 mm shank with ring-shaped threads.
pub fn bolt() -> Triangles {
    let hexagon: Vec<(f64, f64)> =
        (0..6).map(|k| TAU * f64::from(k) / 6.0).map(|a| (0.0075 * a.cos(), 0.0075 * a.sin())).collect();
    let mut head = extrude(&hexagon, 0.0053);
    head.0.iter_mut().for_each(|v| v.z += 0.03);
    let mut profile = vec![(0.0, 0.0), (0.003, 0.0)];
    for k in 0..16 {
        let z = 0.001 + 0.00125 * f64::from(k);
        profile.extend([(0.004, z + 0.0004), (0.0034, z + 0.001)]);
    }
    profile.extend([(0.004, 0.0225), (0.004, 0.0305), (0.0, 0.0305)]);
    join([head, revolve(&profile, 48, false)])
}

/// A spur gear of 16 teeth, 8 mm thick, with a hub on one side.
pub fn gear() -> Triangles {
    let mut polygon = Vec::new();
    for k in 0..16 {
        for (part, r) in [(0.0, 0.020), (0.25, 0.0205), (0.36, 0.025), (0.64, 0.025), (0.75, 0.0205)] {
            let a = TAU * (f64::from(k) + part) / 16.0;
            polygon.push((r * a.cos(), r * a.sin()));
        }
    }
    let mut hub = revolve(&[(0.0, 0.0), (0.009, 0.0), (0.009, 0.0145), (0.0, 0.0145)], 48, false);
    hub.0.iter_mut().for_each(|v| v.z += 0.0005);
    join([extrude(&polygon, 0.008), hub])
}

/// A plate of 100 x 60 x 2 mm.
pub fn plate() -> Triangles {
    extrude(&[(0.0, 0.0), (0.1, 0.0), (0.1, 0.06), (0.0, 0.06)], 0.002)
}

/// A gripper's finger: an L of 12 mm thickness with a slanted pad.
pub fn finger() -> Triangles {
    extrude(&[(0.0, 0.0), (0.05, 0.0), (0.05, 0.012), (0.016, 0.014), (0.012, 0.08), (0.0, 0.085)], 0.02)
}

/// A torus with radii 40 and 12 mm.
pub fn torus() -> Triangles {
    let profile: Vec<(f64, f64)> = (0..32)
        .map(|k| TAU * f64::from(k) / 32.0)
        .map(|a| (0.04 + 0.012 * a.cos(), 0.012 * a.sin()))
        .collect();
    revolve(&profile, 80, true)
}

/// A trefoil knot of a 9 mm rope.
pub fn knot() -> Triangles {
    let path: Vec<V3> = (0..200)
        .map(|k| TAU * f64::from(k) / 200.0)
        .map(|t| {
            V3::new(t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos(), -(3.0 * t).sin())
                * 0.016
        })
        .collect();
    sweep(&path, &vec![0.0045; path.len()], 24, true)
}

/// A stool: a thick seat on three thin legs.
pub fn stool() -> Triangles {
    let mut seat = revolve(&[(0.0, 0.0), (0.15, 0.0), (0.15, 0.06), (0.0, 0.06)], 64, false);
    seat.0.iter_mut().for_each(|v| v.z += 0.3);
    let leg = |k: i32| {
        let a = TAU * f64::from(k) / 3.0;
        let foot = V3::new(0.11 * a.cos(), 0.11 * a.sin(), 0.0);
        let path: Vec<V3> = (0..=16).map(|i| foot + V3::z() * (0.33 * f64::from(i) / 16.0)).collect();
        sweep(&path, &[0.012; 17], 24, false)
    };
    join([seat, leg(0), leg(1), leg(2)])
}

/// The shapes by name, for tables.
pub fn named(name: &str) -> Option<Triangles> {
    Some(match name {
        "mug" => mug(),
        "bowl" => bowl(),
        "banana" => banana(100),
        "bolt" => bolt(),
        "bunny" => bunny(72),
        "blob" => blob(7, 0.05, 60),
        "gear" => gear(),
        "plate" => plate(),
        "finger" => finger(),
        "torus" => torus(),
        "knot" => knot(),
        "stool" => stool(),
        _ => return None,
    })
}

/// Names that [`named`] knows.
pub const NAMES: [&str; 12] =
    ["mug", "bowl", "banana", "bolt", "bunny", "blob", "gear", "plate", "finger", "torus", "knot", "stool"];
