//! Poisson's equation on linear tetrahedra: -div grad e = source, e = 0 on soft vertices, 1 on rigid ones, no flux
//! elsewhere (PFC eq. 5.2).
//!
//! Obtuse angles can push values of the plain finite-element solution out of bounds or leave dips inside. Where that
//! happens the couplings of the wrong sign are dropped, which restores the maximum principle, and it is solved again.

use super::FieldReport;
use super::check::dips;
use super::sparse::Symmetric;
use crate::mesher::{MeshingError, TetMesh};
use crate::solid::check::six_volume;

const TOLERANCE: f64 = 1e-10;

pub(super) fn solve(
    mesh: &TetMesh,
    soft: &[bool],
    rigid: &[bool],
    source: f64,
    report: &mut FieldReport,
) -> Result<Vec<f64>, MeshingError> {
    let once = |monotone: bool, report: &mut FieldReport| -> Result<Vec<f64>, MeshingError> {
        let (values, iterations) = solve_once(mesh, soft, rigid, source, monotone)?;
        report.iterations += iterations;
        Ok(values)
    };
    let values = once(false, report)?;
    let high = if source > 0.0 { f64::INFINITY } else { 1.0 + 1e-9 };
    let out = values.iter().any(|e| *e < -1e-9 || *e > high);
    if !out && dips(mesh, &values) == 0 {
        return Ok(values);
    }
    report.monotone_weights = true;
    once(true, report)
}

fn solve_once(
    mesh: &TetMesh,
    soft: &[bool],
    rigid: &[bool],
    source: f64,
    monotone: bool,
) -> Result<(Vec<f64>, usize), MeshingError> {
    let fixed = |v: usize| if soft[v] { Some(0.0) } else { rigid[v].then_some(1.0) };
    let mut number = vec![u32::MAX; mesh.vertices.len()];
    let mut free = Vec::new();
    for v in 0..mesh.vertices.len() {
        if fixed(v).is_none() {
            number[v] = free.len() as u32;
            free.push(v);
        }
    }
    let mut values: Vec<f64> = (0..mesh.vertices.len()).map(|v| fixed(v).unwrap_or(0.0)).collect();
    if free.is_empty() {
        return Ok((values, 0));
    }
    // Couplings of all edges first: dropping needs their sums.
    let mut couplings: Vec<(u32, u32, f64)> = Vec::with_capacity(6 * mesh.tets.len());
    let mut b = vec![0.0; free.len()];
    for t in &mesh.tets {
        let v = t.map(|i| mesh.vertices[i as usize]);
        let six = six_volume(&v);
        // Gradients of the hat functions times 6 V: inward area vectors of the opposite faces, doubled.
        let g = [
            (v[3] - v[1]).cross(&(v[2] - v[1])),
            (v[2] - v[0]).cross(&(v[3] - v[0])),
            (v[3] - v[0]).cross(&(v[1] - v[0])),
            (v[1] - v[0]).cross(&(v[2] - v[0])),
        ];
        for i in 0..4 {
            for j in 0..i {
                let k = g[i].dot(&g[j]) / (6.0 * six);
                couplings.push((t[i].min(t[j]), t[i].max(t[j]), k));
            }
            let n = number[t[i] as usize];
            if n != u32::MAX {
                b[n as usize] += source * six / 24.0;
            }
        }
    }
    couplings.sort_unstable_by_key(|c| (c.0, c.1));
    let mut diagonal = vec![0.0; free.len()];
    let mut entries = Vec::with_capacity(2 * couplings.len());
    for group in couplings.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (i, j) = (group[0].0 as usize, group[0].1 as usize);
        let mut k: f64 = group.iter().map(|c| c.2).sum();
        if monotone {
            // A little coupling keeps vertices from falling out.
            k = k.min(1e-3 * group.iter().map(|c| c.2).fold(0.0, f64::min));
        }
        let (ni, nj) = (number[i], number[j]);
        for (n, other, other_number) in [(ni, j, nj), (nj, i, ni)] {
            if n == u32::MAX {
                continue;
            }
            diagonal[n as usize] -= k;
            if other_number == u32::MAX {
                b[n as usize] -= k * values[other];
            } else {
                entries.push((n, other_number, k));
            }
        }
    }
    // A vertex with no coupling at all keeps its zero.
    diagonal.iter_mut().filter(|d| **d <= 0.0).for_each(|d| *d = f64::MIN_POSITIVE.sqrt());
    let matrix = Symmetric::new(diagonal, entries);
    let mut x = vec![0.0; free.len()];
    let iterations = matrix.solve(&b, &mut x, TOLERANCE).ok_or_else(|| {
        MeshingError::Field(
            "the equation of the field could not be solved; the mesh has very flat tetrahedra".into(),
        )
    })?;
    for (n, &v) in free.iter().enumerate() {
        values[v] = x[n];
    }
    Ok((values, iterations))
}
