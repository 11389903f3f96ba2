//! Cutting the lattice at the surface: isosurface stuffing (Labelle and Shewchuk 2007).
//!
//! Lattice vertices that nearly lie on the surface are moved onto it, the other edges that cross it
//! get a vertex where they do, and what is inside of each tetrahedron is split into tetrahedra that
//! all have a corner strictly inside. Quadrilaterals on faces between lattice tetrahedra take the
//! diagonal through their lowest vertex number, so neighbours agree whatever the lattice looks like.

use super::lattice::Lattice;
use super::quality::shape_of;
use super::{TetMesh, split};
use crate::V3;
use crate::solid::check::six_volume;
use crate::surface::ClosedSurface;
use crate::surface::tree::SurfaceTree;

/// Cuts nearer to an end of their edge than this part of it move that end.
const NEAR: f64 = 0.3;
/// A move that leaves a tetrahedron with less than this part of its volume is not made.
const SHRINK: f64 = 0.15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Inside,
    On,
    Outside,
}

/// Where the edge from an inside vertex to an outside one crosses the surface, as a fraction.
fn crossing(surface: &ClosedSurface, tree: &SurfaceTree, a: &V3, b: &V3, hits: &mut Vec<(f64, u32)>) -> f64 {
    tree.crossings(a, b, hits);
    hits.dedup_by(|x, y| (x.0 - y.0).abs() < 1e-9);
    if let [(t, _)] = hits[..] {
        return t;
    }
    // Several crossings, or none at a closed gap: the last place, going out, where inside ends.
    let mut low = 0.0;
    let mut high = 1.0;
    for pair in hits.windows(2) {
        let middle = 0.5 * (pair[0].0 + pair[1].0);
        if !surface.contains(&(a + (b - a) * middle)) {
            return pair[0].0;
        }
        low = pair[1].0;
    }
    if low > 0.0 {
        return low;
    }
    for _ in 0..20 {
        let middle = 0.5 * (low + high);
        if surface.contains(&(a + (b - a) * middle)) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The inside of the lattice.
pub(super) fn stuff(surface: &ClosedSurface, lattice: Lattice, inside: &[bool]) -> TetMesh {
    let Lattice { mut vertices, tets } = lattice;
    let mut sign: Vec<Sign> = inside.iter().map(|&i| if i { Sign::Inside } else { Sign::Outside }).collect();
    // Edges that cross.
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for t in &tets {
        for i in 0..4 {
            for j in 0..4 {
                if sign[t[i] as usize] == Sign::Inside && sign[t[j] as usize] == Sign::Outside {
                    edges.push((t[i], t[j]));
                }
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let mut hits = Vec::new();
    let cuts: Vec<f64> = edges
        .iter()
        .map(|&(a, b)| {
            crossing(surface, &surface.tree, &vertices[a as usize], &vertices[b as usize], &mut hits)
        })
        .collect();
    warp(surface, &mut vertices, &tets, &mut sign, &edges, &cuts);
    // New vertices on the edges that still cross.
    let mut on_surface: Vec<bool> = sign.iter().map(|s| *s == Sign::On).collect();
    let mut cut_vertex: Vec<u32> = vec![u32::MAX; edges.len()];
    for (k, &(a, b)) in edges.iter().enumerate() {
        if sign[a as usize] == Sign::Inside && sign[b as usize] == Sign::Outside {
            cut_vertex[k] = vertices.len() as u32;
            vertices.push(vertices[a as usize] + (vertices[b as usize] - vertices[a as usize]) * cuts[k]);
            on_surface.push(true);
        }
    }
    let find = |a: u32, b: u32| edges.binary_search(&(a, b)).map_or(u32::MAX, |k| cut_vertex[k]);
    let mut out = Vec::with_capacity(tets.len());
    for t in &tets {
        let mut add = |t: [u32; 4]| out.push(t);
        let level = t.map(|i| match sign[i as usize] {
            Sign::Inside => split::Level::Above,
            Sign::On => split::Level::On,
            Sign::Outside => split::Level::Below,
        });
        split::above(t, level, &vertices, find, &mut add);
    }
    TetMesh { vertices, tets: out, on_surface }.compact()
}

/// Moves vertices with a cut nearby onto the surface, nearest cuts first.
fn warp(
    surface: &ClosedSurface,
    vertices: &mut [V3],
    tets: &[[u32; 4]],
    sign: &mut [Sign],
    edges: &[(u32, u32)],
    cuts: &[f64],
) {
    let mut nearest: Vec<Option<(f64, V3)>> = vec![None; vertices.len()];
    for (&(a, b), &t) in edges.iter().zip(cuts) {
        let point = vertices[a as usize] + (vertices[b as usize] - vertices[a as usize]) * t;
        for (v, part) in [(a, t), (b, 1.0 - t)] {
            let best = &mut nearest[v as usize];
            if part < NEAR && best.is_none_or(|n| part < n.0) {
                *best = Some((part, point));
            }
        }
    }
    let mut order: Vec<u32> = (0..vertices.len() as u32).filter(|&v| nearest[v as usize].is_some()).collect();
    let part = |v: u32| nearest[v as usize].map_or(1.0, |n| n.0);
    order.sort_unstable_by(|&i, &j| part(i).total_cmp(&part(j)).then(i.cmp(&j)));
    let around = incidence(vertices.len(), tets);
    let before: Vec<f64> = tets.iter().map(|t| six_volume(&t.map(|i| vertices[i as usize]))).collect();
    for v in order {
        let Some((_, cut)) = nearest[v as usize] else { continue };
        let old = vertices[v as usize];
        for target in [surface.nearest(&old).point, cut] {
            vertices[v as usize] = target;
            let fine = around.of(v).iter().all(|&t| {
                let now = tets[t as usize].map(|i| vertices[i as usize]);
                six_volume(&now) > SHRINK * before[t as usize] && shape_of(&now) > 0.02
            });
            // A nearest point behind a gap is no place on the solid's boundary.
            if fine && (target - old).norm() <= (cut - old).norm() * (1.0 + 1e-9) {
                sign[v as usize] = Sign::On;
                break;
            }
            vertices[v as usize] = old;
        }
    }
}

/// Which tetrahedra meet at a vertex.
pub(super) struct Incidence {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Incidence {
    pub(super) fn of(&self, v: u32) -> &[u32] {
        &self.items[self.start[v as usize] as usize..self.start[v as usize + 1] as usize]
    }
}

pub(super) fn incidence(count: usize, tets: &[[u32; 4]]) -> Incidence {
    let mut start = vec![0u32; count + 1];
    tets.iter().flatten().for_each(|&v| start[v as usize + 1] += 1);
    for v in 0..count {
        start[v + 1] += start[v];
    }
    let mut next = start.clone();
    let mut items = vec![0; 4 * tets.len()];
    for (k, t) in tets.iter().enumerate() {
        for &v in t {
            items[next[v as usize] as usize] = k as u32;
            next[v as usize] += 1;
        }
    }
    Incidence { start, items }
}
