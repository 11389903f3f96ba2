//! The surfaces of bolt and hole: cylinders with a helical ridge.

use nalgebra::Vector3;
use std::f64::consts::TAU;
use stiction::model::{Mesh, Tetrahedra};

/// Vertices around.
pub const AROUND: usize = 23;
/// Pitch, radii of the foot and ridge of the bolt's thread, clearance of the hole's, radius of its outside (m).
pub const PITCH: f64 = 0.006;
pub const FOOT: f64 = 0.009;
pub const RIDGE: f64 = 0.012;
pub const CLEARANCE: f64 = 0.0004;
pub const OUTSIDE: f64 = 0.0155;

/// A cylinder with a helical ridge: vertices, triangles that look outwards if the ridge does, and its ends' circles.
struct Thread {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    bottom: Vec<u32>,
    top: Vec<u32>,
}

/// A ridge of `turns` turns from `begin` upwards on a cylinder between two heights (m), right-handed. It rises from the cylinder
/// of radius `foot` to that of radius `ridge` over six facets at both of its ends.
fn thread(turns: usize, foot: f64, ridge: f64, begin: f64, [low, high]: [f64; 2]) -> Thread {
    let (n, m) = (AROUND, AROUND * turns);
    let mut vertices = Vec::new();
    let mut put = |r: f64, i: usize, z: f64| {
        let (s, c) = (TAU * i as f64 / n as f64).sin_cos();
        vertices.push(Vector3::new(r * c, r * s, z));
        vertices.len() as u32 - 1
    };
    let rise = |i: usize| PITCH * i as f64 / n as f64;
    // The foot below the ridge at i is also the foot above it a turn before.
    let f: Vec<u32> = (0..=m + n).map(|i| put(foot, i, begin + rise(i) - 0.5 * PITCH)).collect();
    let height = |i: usize| (i.min(m - i) as f64 / 6.0).min(1.0);
    let r: Vec<u32> = (0..=m).map(|i| put(foot + height(i) * (ridge - foot), i, begin + rise(i))).collect();
    let bottom: Vec<u32> = (0..n).map(|i| put(foot, i, low)).collect();
    let top: Vec<u32> = (0..n).map(|i| put(foot, m + i, high)).collect();
    let mut triangles = Vec::new();
    let mut fan = |corners: &[u32]| {
        for k in 1..corners.len() - 1 {
            triangles.push([corners[0], corners[k], corners[k + 1]]);
        }
    };
    for i in 0..m {
        fan(&[f[i], f[i + 1], r[i + 1], r[i]]);
        fan(&[r[i], r[i + 1], f[i + 1 + n], f[i + n]]);
    }
    // Where the ridge ends it lies on one upright line with its feet and the cylinder's edge.
    for k in 0..n - 1 {
        fan(&[bottom[k], bottom[k + 1], f[k + 1], f[k]]);
    }
    fan(&[f[n - 1], bottom[n - 1], bottom[0], f[0], r[0], f[n]]);
    fan(&[f[m + 1], top[1], top[0], f[m + n], r[m], f[m]]);
    for k in 1..n - 1 {
        fan(&[f[m + k], f[m + k + 1], top[k + 1], top[k]]);
    }
    fan(&[f[m + n - 1], f[m + n], top[0], top[n - 1]]);
    Thread { vertices, triangles, bottom, top }
}

/// The bolt's surface, closed.
pub fn bolt() -> Mesh {
    let Thread { mut vertices, mut triangles, bottom, top } = thread(4, FOOT, RIDGE, 0.005, [0.0, 0.045]);
    let center = vertices.len() as u32;
    vertices.extend([Vector3::zeros(), Vector3::z() * 0.045]);
    for k in 0..AROUND {
        let next = (k + 1) % AROUND;
        triangles.push([center, bottom[next], bottom[k]]);
        triangles.push([center + 1, top[k], top[next]]);
    }
    Mesh { name: "bolt".into(), vertices, triangles, ..Mesh::default() }
}

/// The hole: each triangle of its surface is the inner end of a prism that reaches out to the bracket, cut into three
/// tetrahedra by the order of its vertices, so that neighbours agree.
pub fn hole() -> Mesh {
    let inside = thread(3, RIDGE + CLEARANCE, FOOT + CLEARANCE, 0.003, [-0.004, 0.045]);
    let count = inside.vertices.len() as u32;
    let out = |v: &Vector3<f64>| {
        let scale = OUTSIDE / v.xy().norm();
        Vector3::new(scale * v.x, scale * v.y, v.z)
    };
    let outside: Vec<Vector3<f64>> = inside.vertices.iter().map(out).collect();
    let mut cells = Vec::new();
    for triangle in &inside.triangles {
        let mut sorted = *triangle;
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        cells.extend([
            [a, b, c, c + count],
            [a, b, b + count, c + count],
            [a, a + count, b + count, c + count],
        ]);
    }
    let vertices: Vec<Vector3<f64>> = inside.vertices.into_iter().chain(outside).collect();
    for cell in &mut cells {
        let [a, b, c, d] = cell.map(|i| vertices[i as usize]);
        if (b - a).cross(&(c - a)).dot(&(d - a)) < 0.0 {
            cell.swap(0, 1);
        }
    }
    let extents = (0..vertices.len()).map(|k| if k < count as usize { 0.0 } else { 1.0 }).collect();
    let tetrahedra = Some(Tetrahedra { cells, extents: Some(extents), modulus: None });
    Mesh { name: "hole".into(), vertices, triangles: Vec::new(), tetrahedra, ..Mesh::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_turn_of_thread_has_ninety_two_triangles() {
        let count = |turns| thread(turns, FOOT, RIDGE, 0.0, [-0.01, 0.1]).triangles.len();
        assert_eq!(count(5) - count(4), 92);
    }

    #[test]
    fn the_bolt_is_closed_and_the_hole_is_a_tube_with_a_ridge() {
        let surface = bolt();
        let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        let mut volume = 0.0;
        for [a, b, c] in &surface.triangles {
            for (i, j) in [(a, b), (b, c), (c, a)] {
                *edges.entry((*i.min(j), *i.max(j))).or_default() += if i < j { 1 } else { -1 };
            }
            let [a, b, c] = [a, b, c].map(|i| surface.vertices[*i as usize]);
            volume += a.dot(&b.cross(&c)) / 6.0;
        }
        assert!(edges.values().all(|n| *n == 0));
        // A polygon's cylinder, and four turns of a ridge of triangular section less its runouts.
        let polygon = 0.5 * AROUND as f64 * (TAU / AROUND as f64).sin() * FOOT * FOOT * 0.045;
        let ridge = 4.0 * TAU * (FOOT + 0.001) * 0.5 * PITCH * (RIDGE - FOOT);
        assert!(volume > polygon + 0.8 * ridge && volume < polygon + ridge, "{volume}");

        let solid = hole();
        let cells = &solid.tetrahedra.as_ref().unwrap().cells;
        let volume: f64 = cells
            .iter()
            .map(|c| {
                let [a, b, c, d] = c.map(|i| solid.vertices[i as usize]);
                let volume = (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0;
                assert!(volume > 0.0);
                volume
            })
            .sum();
        let ring = 0.5
            * AROUND as f64
            * (TAU / AROUND as f64).sin()
            * 0.049
            * (OUTSIDE * OUTSIDE - (RIDGE + CLEARANCE).powi(2));
        let ridge = 3.0 * TAU * (RIDGE + CLEARANCE - 0.001) * 0.5 * PITCH * (RIDGE - FOOT);
        assert!(volume > ring + 0.8 * ridge && volume < ring + ridge, "{volume} {ring} {ridge}");
    }
}
