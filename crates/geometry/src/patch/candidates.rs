//! Pairs of elements that may touch.
//!
//! Contact lies where both bodies are: in the slab between B's lowest and A's highest point along the
//! direction in which they overlap least. In shallow contact few elements reach into it; the trees find
//! them. As intervals along that direction and two across they are sharper than boxes in the bodies' frames,
//! and are compared in a sweep. Bodies within each other, as a bolt in its hole, have no such direction, and a sweep
//! would compare most of their elements with each other: there both trees are descended together.

use crate::V3;
use crate::solid::linear::Pose;
use crate::solid::tree::{BoxNode, Tree};
use crate::solid::{Axes, Cell, Facet, Lanes};

/// The direction of least overlap, in B's frame, from A towards B.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slab {
    axes: [V3; 3],
    /// Highest point of A, lowest of B along `axes[0]`.
    high_a: f64,
    low_b: f64,
    /// Whether one body lies within the other as far as this direction tells, and so along all that were tried.
    nested: bool,
}

impl Slab {
    /// Bodies given by a box and a ball around its centre; `x_ba` is the pose of A in B.
    pub(crate) fn new(a: &BoxNode, radius_a: f64, b: &BoxNode, radius_b: f64, x_ba: &Pose) -> Self {
        let center_a = x_ba.point(&a.center);
        let t = b.center - center_a;
        let abs = x_ba.r.abs();
        let mut best = (f64::INFINITY, V3::z(), 0.0, 0.0, false);
        let mut offer = |u: V3, reach_a: f64, reach_b: f64| {
            let along = u.dot(&t);
            let (u, along) = if along < 0.0 { (-u, -along) } else { (u, along) };
            let overlap = reach_a + reach_b - along;
            if overlap < best.0 {
                let nested = overlap >= 2.0 * reach_a.min(reach_b);
                best = (overlap, u, u.dot(&center_a) + reach_a, u.dot(&b.center) - reach_b, nested);
            }
        };
        for i in 0..3 {
            // Faces of A, then of B.
            let column = x_ba.r.column(i).into_owned();
            offer(column, a.half[i], column.abs().dot(&b.half));
            let row = abs.row(i);
            let mut axis = V3::zeros();
            axis[i] = 1.0;
            offer(axis, row[0] * a.half.x + row[1] * a.half.y + row[2] * a.half.z, b.half[i]);
        }
        let apart = t.norm();
        if apart > 0.0 {
            offer(t / apart, radius_a, radius_b);
        }
        let (_, u, high_a, low_b, nested) = best;
        let side = if u.x.abs() < 0.6 { V3::x() } else { V3::y() };
        let w = u.cross(&side).normalize();
        // A pad for rounding.
        let pad = 1e-12 * (radius_a + radius_b);
        Self { axes: [u, w, u.cross(&w)], high_a: high_a + pad, low_b: low_b - pad, nested }
    }

    /// How deep any point of both bodies can lie below either surface; negative when they are apart.
    pub(crate) fn depth(&self) -> f64 {
        self.high_a - self.low_b
    }
}

/// An element as intervals along the slab's axes; the fourth lane is zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    low: Lanes,
    high: Lanes,
    item: u32,
    band: u32,
}

/// Something whose elements have intervals along directions.
pub(crate) trait Elements {
    /// Smallest and largest value along the axes over the part of an element that can be in contact.
    fn interval(&self, item: u32, axes: &Axes) -> (Lanes, Lanes);
}

/// Tetrahedra between two pressures.
pub(crate) struct CellsBetween<'a> {
    pub(crate) cells: &'a [Cell],
    pub(crate) pressures: (f64, f64),
}

impl Elements for CellsBetween<'_> {
    #[inline]
    fn interval(&self, item: u32, axes: &Axes) -> (Lanes, Lanes) {
        self.cells[item as usize].interval(axes, self.pressures)
    }
}

impl Elements for [Facet] {
    #[inline]
    fn interval(&self, item: u32, axes: &Axes) -> (Lanes, Lanes) {
        axes.interval(&self[item as usize].v)
    }
}

/// Lists of spans, reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spans {
    a: Vec<Span>,
    b: Vec<Span>,
    moved: Vec<BoxNode>,
}

/// Elements that reach into `range` along the first axis; `shift` is the frame's origin along the axes.
fn collect<E: Elements + ?Sized>(
    tree: &Tree,
    elements: &E,
    axes: &[V3; 3],
    shift: Lanes,
    range: (f64, f64),
    gap: f64,
    out: &mut Vec<Span>,
) {
    out.clear();
    let (from, to) = (range.0 - gap, range.1 + gap);
    let lanes = Axes::new(axes);
    tree.slab(&axes[0], -shift[0], from, to, |item| {
        let (mut low, mut high) = elements.interval(item, &lanes);
        for k in 0..4 {
            // Each side of a pair gets half of the gap, and a pad for rounding.
            let pad = 0.5 * gap + 1e-13 * (low[k].abs() + high[k].abs());
            low[k] += shift[k] - pad;
            high[k] += shift[k] + pad;
        }
        if low[0] <= to && high[0] >= from {
            out.push(Span { low, high, item, band: 0 });
        }
    });
}

/// Up to this many pairs are compared without sorting.
const FEW: usize = 1024;

/// Beyond about this many comparisons in a sweep the trees are descended together.
pub(super) const DENSE: f64 = 65536.0;

#[inline]
fn meet(p: &Span, q: &Span) -> bool {
    let mut on = true;
    for k in 0..4 {
        on &= (p.low[k] <= q.high[k]) & (q.low[k] <= p.high[k]);
    }
    on
}

/// Calls `visit(item of a, item of b)` for pairs that may come within `gap`.
#[inline]
pub(crate) fn candidates<A: Elements + ?Sized, B: Elements + ?Sized>(
    (a, elements_a): (&Tree, &A),
    (b, elements_b): (&Tree, &B),
    x_ba: &Pose,
    x_ab: &Pose,
    slab: &Slab,
    gap: f64,
    spans: &mut Spans,
    mut visit: impl FnMut(u32, u32),
) {
    if slab.nested && (a.len() * b.len()) as f64 > 4.0 * DENSE {
        return a.meet(b, x_ba, gap, &mut spans.moved, visit);
    }
    let axes_a = slab.axes.map(|u| x_ab.vector(&u));
    let [x, y, z] = slab.axes.map(|u| u.dot(&x_ba.p));
    let shift = [x, y, z, 0.0];
    collect(a, elements_a, &axes_a, shift, (slab.low_b, f64::INFINITY), gap, &mut spans.a);
    if spans.a.is_empty() {
        return;
    }
    collect(b, elements_b, &slab.axes, [0.0; 4], (f64::NEG_INFINITY, slab.high_a), gap, &mut spans.b);
    if spans.a.len() * spans.b.len() <= FEW {
        for p in &spans.a {
            for q in spans.b.iter().filter(|q| meet(p, q)) {
                visit(p.item, q.item);
            }
        }
        return;
    }
    // Bands along the second axis at least as wide as the widest of b; within a band b is sorted along the third.
    let width = |k: usize| spans.b.iter().fold(0.0f64, |m, q| m.max(q.high[k] - q.low[k]));
    let extent = |k: usize| {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        spans.b.iter().fold(ends, |(l, h), q| (l.min(q.low[k]), h.max(q.low[k])))
    };
    let widest = width(2);
    let (start, end) = extent(1);
    // Share of b that an element of a is compared with: two bands, and the widest element up and down.
    let share = |wide: f64, (low, high): (f64, f64)| (2.0 * wide / (high - low + wide)).min(1.0);
    let all = spans.a.len() as f64 * spans.b.len() as f64;
    if all * share(width(1), (start, end)) * share(widest, extent(2)) > DENSE {
        return a.meet(b, x_ba, gap, &mut spans.moved, visit);
    }
    // No more bands than elements.
    let band_width = width(1).max((end - start) / spans.b.len() as f64).max(f64::MIN_POSITIVE);
    let band = |x: f64| ((x - start) / band_width).clamp(0.0, 1e9) as u32;
    spans.b.iter_mut().for_each(|q| q.band = band(q.low[1]));
    spans.b.sort_unstable_by(|p, q| {
        p.band.cmp(&q.band).then(p.low[2].total_cmp(&q.low[2])).then(p.item.cmp(&q.item))
    });
    let last = spans.b.last().map_or(0, |q| q.band);
    for p in &spans.a {
        let mut from = 0;
        for band in band(p.low[1] - band_width)..=band(p.high[1]).min(last) {
            let low = p.low[2] - widest;
            from += spans.b[from..].partition_point(|q| q.band < band || (q.band == band && q.low[2] < low));
            for q in &spans.b[from..] {
                if q.band != band || q.low[2] > p.high[2] {
                    break;
                }
                if meet(p, q) {
                    visit(p.item, q.item);
                }
            }
        }
    }
}
