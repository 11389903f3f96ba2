//! How good tetrahedra are.

use super::TetMesh;
use crate::V3;
use crate::solid::check::{faces, six_volume};

/// 6 sqrt(2) V / l^3 with the root mean square edge l: 1 for the regular tetrahedron, 0 for a flat one,
/// negative inside out.
pub(crate) fn shape_of(v: &[V3; 4]) -> f64 {
    let mut squares = 0.0;
    for i in 0..4 {
        for j in 0..i {
            squares += (v[i] - v[j]).norm_squared();
        }
    }
    let mean = squares / 6.0;
    if mean > 0.0 { std::f64::consts::SQRT_2 * six_volume(v) / (mean * mean.sqrt()) } else { 0.0 }
}

/// The six dihedral angles, degrees.
pub(crate) fn dihedral_angles(v: &[V3; 4]) -> [f64; 6] {
    let n = faces(&[0, 1, 2, 3]).map(|f| {
        let [a, b, c] = f.map(|i| v[i as usize]);
        (b - a).cross(&(c - a)).normalize()
    });
    let mut out = [0.0; 6];
    let mut k = 0;
    for i in 0..4 {
        for j in 0..i {
            out[k] = (-n[i].dot(&n[j])).clamp(-1.0, 1.0).acos().to_degrees();
            k += 1;
        }
    }
    out
}

/// Angles of a whole mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// Smallest dihedral angle, degrees.
    pub dihedral_min: f64,
    /// Largest dihedral angle, degrees.
    pub dihedral_max: f64,
    /// One in a hundred tetrahedra has an angle below this, degrees.
    pub dihedral_percentile: f64,
    /// Smallest shape factor, 1 for a regular tetrahedron and 0 for a flat one.
    pub shape_min: f64,
    /// Mean shape factor.
    pub shape_mean: f64,
}

/// Measures all tetrahedra.
pub fn quality(mesh: &TetMesh) -> Quality {
    let (mut largest, mut worst, mut sum) = (0.0f64, f64::INFINITY, 0.0);
    let mut smallest: Vec<f64> = Vec::with_capacity(mesh.tets.len());
    for t in &mesh.tets {
        let v = t.map(|i| mesh.vertices[i as usize]);
        let angles = dihedral_angles(&v);
        smallest.push(angles.iter().copied().fold(180.0, f64::min));
        largest = angles.iter().copied().fold(largest, f64::max);
        let shape = shape_of(&v);
        worst = worst.min(shape);
        sum += shape;
    }
    smallest.sort_unstable_by(f64::total_cmp);
    Quality {
        dihedral_min: smallest.first().copied().unwrap_or(0.0),
        dihedral_max: largest,
        dihedral_percentile: smallest.get(smallest.len() / 100).copied().unwrap_or(0.0),
        shape_min: worst,
        shape_mean: sum / smallest.len().max(1) as f64,
    }
}
