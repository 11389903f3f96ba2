//! The half thickness of the part of a solid around each vertex.
//!
//! From a vertex one climbs to where the solid is thicker, as long as the way is steep: out of the corners of a
//! box to its middle, but not along a leg, nor along a slender cone, to the body it hangs on. The largest ball met is
//! the half thickness T; then T is made to vary no faster than distance does, so that e = depth / T rises inwards
//! everywhere and never exceeds 1.

use super::distance::Depths;
use crate::mesher::TetMesh;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Rise of depth per metre that counts as steep. Along the diagonal of a cube's corner it is 0.577.
const STEEP: f64 = 0.3;

/// T at the vertices: the radius of the ball at the summit that a climb leads to.
pub(super) fn half_thickness(mesh: &TetMesh, depth: &[f64], depths: &Depths) -> Vec<f64> {
    let most = 2.0 * depth.iter().copied().fold(0.0, f64::max);
    summits(mesh, depth, |v, d| {
        if d > 0.0 && !mesh.on_surface[v as usize] {
            depths.ball(&mesh.vertices[v as usize], d, most)
        } else {
            d
        }
    })
}

/// The largest of `value` on the climb from each vertex.
pub(super) fn largest_above(mesh: &TetMesh, depth: &[f64], value: &[f64]) -> Vec<f64> {
    let mut out = summits(mesh, depth, |v, _| value[v as usize]);
    out.iter_mut().zip(value).for_each(|(o, v)| *o = o.max(*v));
    out
}

/// Climbs from each vertex along steep rises of depth; `at(vertex, depth)` is the value where a climb ends.
fn summits(mesh: &TetMesh, depth: &[f64], at: impl Fn(u32, f64) -> f64) -> Vec<f64> {
    let (start, items) = mesh.neighbours();
    let near = |v: u32| &items[start[v as usize] as usize..start[v as usize + 1] as usize];
    let mut order: Vec<u32> = (0..depth.len() as u32).collect();
    order.sort_unstable_by(|&i, &j| depth[j as usize].total_cmp(&depth[i as usize]).then(i.cmp(&j)));
    let mut half = vec![0.0f64; depth.len()];
    let mut seen: Vec<u32> = Vec::new();
    for &v in &order {
        let d = depth[v as usize];
        let p = mesh.vertices[v as usize];
        // Neighbours and theirs: the edges alone seldom point the right way.
        seen.clear();
        for &w in near(v) {
            seen.push(w);
            seen.extend(near(w).iter().filter(|&&x| depth[x as usize] > d));
        }
        seen.sort_unstable();
        seen.dedup();
        let mut best = 0.0;
        for &w in &seen {
            let rise = depth[w as usize] - d;
            if rise > 0.0 && half[w as usize] > best {
                let run = (mesh.vertices[w as usize] - p).norm();
                if rise >= STEEP * run {
                    best = half[w as usize];
                }
            }
        }
        if best == 0.0 {
            best = at(v, d);
        }
        half[v as usize] = best;
    }
    limit_slope(mesh, &mut half, near);
    half
}

/// A value to be spread, smallest first.
struct Entry(f64, u32);

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}

/// Lowers values until none is above another by more than the way between them (Dijkstra's algorithm).
/// Surface vertices follow: their own depth of zero says nothing about thickness.
fn limit_slope<'a>(mesh: &TetMesh, half: &mut [f64], near: impl Fn(u32) -> &'a [u32]) {
    for v in 0..half.len() {
        if mesh.on_surface[v] {
            half[v] = f64::INFINITY;
        }
    }
    let mut heap: BinaryHeap<Entry> =
        (0..half.len()).filter(|&v| half[v].is_finite()).map(|v| Entry(half[v], v as u32)).collect();
    while let Some(Entry(value, v)) = heap.pop() {
        if value > half[v as usize] {
            continue;
        }
        for &w in near(v) {
            let reach = value + (mesh.vertices[w as usize] - mesh.vertices[v as usize]).norm();
            if reach < half[w as usize] {
                half[w as usize] = reach;
                heap.push(Entry(reach, w));
            }
        }
    }
}
