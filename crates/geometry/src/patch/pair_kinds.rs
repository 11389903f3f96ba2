//! One function for each kind of pair: its elements that may touch, in canonical order, through the kernel.

use super::candidates::{CellsBetween, Slab, Spans, candidates};
use super::kernels;
use super::polygon::Polygon;
use super::sink::Sink;
use crate::V3;
use crate::solid::linear::{Field, Pose};
use crate::solid::{Cell, Facet, Layer, MovedCell, RigidMesh, Solid};

/// Memory for [`contact_patch`](super::contact_patch), reused between calls; grows to what the largest pair needs.
#[derive(Debug, Clone, Default)]
pub struct PatchScratch {
    pairs: Vec<u64>,
    spans: Spans,
    polygon: Polygon,
    tests: u64,
}

impl PatchScratch {
    /// Pairs of elements looked at since construction (tetrahedra, triangles, half-spaces).
    pub fn element_tests(&self) -> u64 {
        self.tests
    }
}

fn key(i: u32, j: u32) -> u64 {
    u64::from(i) << 32 | u64::from(j)
}

fn unkey(k: u64) -> (usize, usize) {
    ((k >> 32) as usize, (k & 0xffff_ffff) as usize)
}

/// Whether contact at a pressure up to `limit` can lie in a layer; with a margin the first layer
/// reaches below zero.
fn in_reach(layer: &Layer, limit: f64) -> bool {
    layer.low <= limit
}

/// The working body is B.
pub(super) fn solid_solid(a: &Solid, b: &Solid, x_ba: &Pose, sink: &mut Sink, scratch: &mut PatchScratch) {
    let margin = sink.options.margin;
    let gap = margin * (a.flare + b.flare);
    let slab = Slab::new(&a.bounds, a.radius, &b.bounds, b.radius, x_ba);
    let depth = slab.depth();
    if depth + gap < 0.0 {
        return;
    }
    let limit = a.pressure_within(depth).min(b.pressure_within(depth));
    let x_ab = x_ba.inverse();
    let PatchScratch { pairs, spans, polygon, tests } = scratch;
    pairs.clear();
    let mut of_a = InOtherFrame::new(&a.cells, x_ba);
    for la in a.layers.iter().filter(|l| in_reach(l, limit)) {
        // p_a = p_b on the surface: the layers must share a pressure.
        for lb in b.layers.iter().filter(|l| in_reach(l, limit) && l.low < la.high && la.low < l.high) {
            let pressures = (la.low.max(lb.low), la.high.min(lb.high).min(limit));
            let elements_a = CellsBetween { cells: &a.cells, pressures };
            let elements_b = CellsBetween { cells: &b.cells, pressures };
            let (ta, tb) = ((&la.tree, &elements_a), (&lb.tree, &elements_b));
            candidates(ta, tb, x_ba, &x_ab, &slab, gap, spans, |i, j| {
                *tests += 1;
                let (ca, moved) = of_a.get(i as usize);
                if kernels::tets_may_meet(ca, moved, &b.cells[j as usize], margin) {
                    pairs.push(key(i, j));
                }
            });
        }
    }
    // Tetrahedra that reach through several layers may have met several times.
    pairs.sort_unstable();
    pairs.dedup();
    for &k in pairs.iter() {
        let (i, j) = unkey(k);
        let (ca, moved) = of_a.get(i);
        kernels::tet_tet(ca, moved, &b.cells[j], sink, polygon);
    }
}

/// Cells in the frame of the other body; pairs of one cell mostly follow each other, and it is moved once for all.
struct InOtherFrame<'a> {
    cells: &'a [Cell],
    x: &'a Pose,
    last: usize,
    moved: MovedCell,
}

impl<'a> InOtherFrame<'a> {
    fn new(cells: &'a [Cell], x: &'a Pose) -> Self {
        Self { cells, x, last: 0, moved: cells[0].moved(x) }
    }

    #[inline]
    fn get(&mut self, i: usize) -> (&'a Cell, &MovedCell) {
        let cell = &self.cells[i];
        if i != self.last {
            self.last = i;
            self.moved = cell.moved(self.x);
        }
        (cell, &self.moved)
    }
}

/// The working body is the solid; `rigid_is_a` says who is A. Returns whether the solid lies wholly inside.
pub(super) fn rigid_solid(
    m: &RigidMesh,
    s: &Solid,
    x_sm: &Pose,
    rigid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) -> bool {
    let gap = sink.options.margin * s.flare;
    let slab = Slab::new(m.tree.root(), m.radius, &s.bounds, s.radius, x_sm);
    let depth = slab.depth();
    let x_ms = x_sm.inverse();
    if depth + gap < 0.0 {
        return false;
    }
    let limit = s.pressure_within(depth);
    let PatchScratch { pairs, spans, polygon, tests } = scratch;
    pairs.clear();
    for layer in s.layers.iter().filter(|l| in_reach(l, limit)) {
        let elements = CellsBetween { cells: &s.cells, pressures: (layer.low, layer.high.min(limit)) };
        candidates(
            (&m.tree, &m.facets[..]),
            (&layer.tree, &elements),
            x_sm,
            &x_ms,
            &slab,
            gap,
            spans,
            |i, j| {
                *tests += 1;
                pairs.push(key(i, j));
            },
        );
    }
    pairs.sort_unstable();
    pairs.dedup();
    let out_of_rigid = if rigid_is_a { 1.0 } else { -1.0 };
    let mut last = usize::MAX;
    let mut facet = m.facets[0];
    for &k in pairs.iter() {
        let (i, j) = unkey(k);
        if i != last {
            facet = moved(&m.facets[i], x_sm);
            last = i;
        }
        kernels::triangle_tet(&facet, &s.cells[j], out_of_rigid, sink, polygon);
    }
    pairs.is_empty() && m.contains(&x_ms.point(&s.bounds.center))
}

pub(super) fn moved(f: &Facet, x: &Pose) -> Facet {
    Facet { v: f.v.map(|v| x.point(&v)), n: x.vector(&f.n), id: f.id }
}

/// Normal and offset of the plane z = 0 of frame h, seen from the frame in which `x` is h's pose.
fn plane(x: &Pose) -> (V3, f64) {
    let n = x.r.column(2).into_owned();
    (n, n.dot(&x.p))
}

/// Rigid half-space; returns whether the solid lies wholly inside it.
pub(super) fn plane_solid(
    s: &Solid,
    x_sh: &Pose,
    rigid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) -> bool {
    let (n, d) = plane(x_sh);
    let height = n.dot(&s.bounds.center) - d;
    let depth = n.abs().dot(&s.bounds.half).min(s.radius) - height;
    let gap = sink.options.margin * s.flare;
    let found = near_plane(s, &n, d, (-gap, gap), s.pressure_within(depth), scratch);
    let out_of_rigid = if rigid_is_a { 1.0 } else { -1.0 };
    let PatchScratch { pairs, polygon, .. } = scratch;
    for &j in pairs.iter() {
        kernels::plane_tet(&n, d, &s.cells[j as usize], out_of_rigid, sink, polygon);
    }
    !found && height < 0.0
}

/// Collects the cells whose parts with pressure up to `limit` meet `range.0 <= n.r - d <= range.1`.
fn near_plane(s: &Solid, n: &V3, d: f64, range: (f64, f64), limit: f64, scratch: &mut PatchScratch) -> bool {
    let PatchScratch { pairs, tests, .. } = scratch;
    pairs.clear();
    for layer in s.layers.iter().filter(|l| in_reach(l, limit)) {
        layer.tree.slab(n, d, range.0, range.1, |j| pairs.push(u64::from(j)));
    }
    *tests += pairs.len() as u64;
    pairs.sort_unstable();
    pairs.dedup();
    !pairs.is_empty()
}

/// Compliant half-space of slope `steep` (Pa/m) against a solid.
pub(super) fn half_space_solid(
    s: &Solid,
    steep: f64,
    x_sh: &Pose,
    solid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) {
    let (n, d) = plane(x_sh);
    let height = n.dot(&s.bounds.center) - d;
    let depth = n.abs().dot(&s.bounds.half).min(s.radius) - height;
    // The cell's extension, and the half-space's above its surface.
    let gap = sink.options.margin * (s.flare + 1.0);
    if depth + gap < 0.0 {
        return;
    }
    let field = Field { grad: -n * steep, offset: steep * d };
    // The half-space's own pressure bounds too.
    let limit = s.pressure_within(depth).min(steep * (depth.max(0.0) + 1e-9 * s.radius) * (1.0 + 1e-9));
    near_plane(s, &n, d, (f64::NEG_INFINITY, gap), limit, scratch);
    let PatchScratch { pairs, polygon, .. } = scratch;
    for &j in pairs.iter() {
        kernels::field_tet(&field, &s.cells[j as usize], solid_is_a, sink, polygon);
    }
}

/// Compliant half-space of slope `steep` (Pa/m) against a rigid surface.
pub(super) fn half_space_rigid(
    m: &RigidMesh,
    steep: f64,
    x_mh: &Pose,
    rigid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) {
    let (n, d) = plane(x_mh);
    let field = Field { grad: -n * steep, offset: steep * d };
    let out_of_rigid = if rigid_is_a { 1.0 } else { -1.0 };
    let PatchScratch { polygon, tests, .. } = scratch;
    let margin = sink.options.margin;
    m.tree.slab(&n, d, f64::NEG_INFINITY, margin, |i| {
        *tests += 1;
        kernels::triangle_field(&m.facets[i as usize], &field, out_of_rigid, sink, polygon);
    });
}
