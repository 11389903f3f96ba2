//! Bounds and monotonicity of a field, and its characteristic length.

use crate::V3;
use crate::mesher::TetMesh;
use crate::solid::check::six_volume;
use std::collections::BTreeMap;

/// Faults found and repairs made while computing a field.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FieldReport {
    /// Largest depth below the soft faces, m.
    pub depth: f64,
    /// Half thickness of the thinnest part, m.
    pub thinnest: f64,
    /// Characteristic length L, m (PFC eq. 5.8, C.3).
    pub characteristic_length: f64,
    /// Tetrahedra after splitting.
    pub tets: usize,
    /// Vertices in the core.
    pub core_vertices: usize,
    /// Tetrahedra split at the core.
    pub core_split: usize,
    /// Vertices in parts too thin for the core's depth, which got a shallower one.
    pub thin_core: usize,
    /// Layers of a field that stiffens.
    pub layers: usize,
    /// Iterations of the linear solver.
    pub iterations: usize,
    /// Whether couplings of the wrong sign were dropped to keep the field monotone.
    pub monotone_weights: bool,
    /// Dips inside that were filled: vertices lower than all around them.
    pub filled_dips: usize,
    /// How far values had to be moved into [0, 1].
    pub clamped: f64,
}

impl FieldReport {
    /// Sentences a user should read.
    pub fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.thin_core > 0 {
            out.push(format!(
                "{} vertices lie in parts too thin for the core's depth; the core there is at 60 % of the half thickness",
                self.thin_core
            ));
        }
        if self.filled_dips > 0 {
            out.push(format!("the field had {} dips inside, which were filled", self.filled_dips));
        }
        out
    }
}

/// Vertices inside that are lower than all their neighbours.
pub(super) fn dips(mesh: &TetMesh, values: &[f64]) -> usize {
    let mut lowest = vec![f64::INFINITY; values.len()];
    for t in &mesh.tets {
        for i in 0..4 {
            for j in 0..4 {
                if i != j {
                    lowest[t[i] as usize] = lowest[t[i] as usize].min(values[t[j] as usize]);
                }
            }
        }
    }
    (0..values.len()).filter(|&v| !mesh.on_surface[v] && values[v] < lowest[v]).count()
}

/// Clamps to [0, 1] and fills dips: afterwards a way that never rises leads from every vertex to the surface.
pub(super) fn check(mesh: &TetMesh, values: &mut [f64], report: &mut FieldReport) {
    for e in values.iter_mut() {
        let inside = e.clamp(0.0, 1.0);
        report.clamped = report.clamped.max((*e - inside).abs());
        *e = inside;
    }
    // Flood from the surface, lowest first; whoever is reached from a higher vertex was in a dip.
    let (start, items) = mesh.neighbours();
    let mut done = vec![false; values.len()];
    let mut queue: BTreeMap<(u64, u32), ()> = BTreeMap::new();
    for v in 0..values.len() {
        if mesh.on_surface[v] {
            done[v] = true;
            queue.insert((values[v].to_bits(), v as u32), ());
        }
    }
    while let Some(((_, v), ())) = queue.pop_first() {
        for &w in &items[start[v as usize] as usize..start[v as usize + 1] as usize] {
            if !done[w as usize] {
                done[w as usize] = true;
                if values[w as usize] < values[v as usize] {
                    values[w as usize] = values[v as usize];
                    report.filled_dips += 1;
                }
                // Values are not negative, so their bits are in order.
                queue.insert((values[w as usize].to_bits(), w), ());
            }
        }
    }
}

/// L = sum V / sum V |grad e| (PFC eq. 5.8-5.9, written so that grad e = 0 is harmless).
pub fn characteristic_length(vertices: &[V3], tets: &[[u32; 4]], extents: &[f64]) -> f64 {
    let (mut volume, mut steep) = (0.0, 0.0);
    for t in tets {
        let v = t.map(|i| vertices[i as usize]);
        let six = six_volume(&v);
        let slope = crate::solid::linear_field(&v, &t.map(|i| extents[i as usize])).grad.norm();
        // A core is no compliant region.
        if slope > 0.0 {
            volume += six;
            steep += six * slope;
        }
    }
    if steep > 0.0 { volume / steep } else { 0.0 }
}
