//! One pair of elements: early exits first, then the polygon.
//!
//! All kernels work in the frame of one of the bodies (the *working* body) and hand the polygon to the sink.

use super::energy::tets_overlap;
use super::polygon::Polygon;
use super::sink::{Sink, effective_gradient};
use crate::V3;
use crate::solid::linear::Field;
use crate::solid::{Cell, Facet, Lanes, MovedCell, NO_FACE};

/// Slopes along the normal, as shares of the steepness, from which on the extensions of two fields make
/// speculative faces: the surfaces face each other to within about 25 degrees. At the edge of a box that
/// slides on a plate the extensions of its side and of the plate meet too, at 45 degrees, but nothing is
/// about to collide there.
const FACING: f64 = 0.9;

/// The margin a pair of elements gets: none unless all have a zero face and the slopes face each other.
#[inline]
fn margin_of(margin: f64, sides: &[(usize, f64, f64)]) -> f64 {
    let facing = sides.iter().all(|&(face, slope, steep)| face != NO_FACE && slope >= FACING * steep);
    if facing { margin } else { 0.0 }
}

/// Whether values of both signs occur; zero counts as negative.
#[inline]
fn mixed(h: &Lanes) -> bool {
    let pick = |up: bool, a: f64, b: f64| if (a > b) == up { a } else { b };
    let most = pick(true, pick(true, h[0], h[1]), pick(true, h[2], h[3]));
    let least = pick(false, pick(false, h[0], h[1]), pick(false, h[2], h[3]));
    most > 0.0 && least <= 0.0
}

/// The excess of a field with values `other` at the cell's vertices over the cell's own, at those of the (extended) cell.
#[inline]
fn excess(cell: &Cell, other: Lanes, margin: f64) -> Lanes {
    let mut h = other;
    for i in 0..4 {
        h[i] -= cell.p[i];
    }
    cell.extend(&mut h, margin);
    h
}

/// Cheap test whether tetrahedra a, moved into b's frame, and b can share a piece of equal-pressure surface: in both, the
/// difference of the fields must change sign.
#[inline]
pub(crate) fn tets_may_meet(a: &Cell, moved: &MovedCell, b: &Cell, margin: f64) -> bool {
    let h = excess(b, b.sample(&moved.field), margin);
    (mixed(&h) && mixed(&excess(a, moved.sample(&b.field), margin))) || vanishes(&h, b)
}

/// Whether the difference of two fields is nothing but rounding at all corners of a cell.
#[inline]
fn vanishes(h: &Lanes, cell: &Cell) -> bool {
    let scale = |i: usize| 1e-12 * cell.slope * (cell.vertex(i) - cell.vertex((i + 1) & 3)).norm();
    // The first corner decides for nearly all.
    h[0].abs() <= scale(0) && (1..4).all(|i| h[i].abs() <= scale(i)) && cell.slope > 0.0
}

/// Two tetrahedra; the working body is B, and `moved` is A's in its frame.
#[inline]
pub(crate) fn tet_tet(a: &Cell, moved: &MovedCell, b: &Cell, sink: &mut Sink, polygon: &mut Polygon) {
    let field_a = &moved.field;
    // n out of A into B: p_a falls along it, p_b rises.
    let normal = b.field.grad - field_a.grad;
    let length = normal.norm();
    // Equal gradients leave no plane.
    if length <= 1e-10 * (a.slope + b.slope) {
        note_coincident(a, moved, b, sink);
        return;
    }
    let n = normal / length;
    let slopes = ((-field_a.grad.dot(&n), a.slope), (b.field.grad.dot(&n), b.slope));
    let Some(g) = effective_gradient(sink.options.filter, slopes.0, Some(slopes.1)) else { return };
    let sides = [(a.zero_face, slopes.0.0, a.slope), (b.zero_face, slopes.1.0, b.slope)];
    let margin = margin_of(sink.options.margin, &sides);
    polygon.set_cut(&a.extended(&moved.v, margin), &excess(a, moved.sample(&b.field), margin));
    // p_a = p_b on the plane: where both have a zero face, the clip by A's is the clip by B's.
    let needless = if a.zero_face == NO_FACE { NO_FACE } else { b.zero_face };
    if !clip_by_faces(polygon, b, needless) {
        return;
    }
    // Both fields give the pressure; the flatter one with less rounding.
    let field = if a.slope < b.slope { field_a } else { &b.field };
    sink.add(polygon, &n, g, field, (b.id, a.id), margin);
}

/// Clips by the faces of a tetrahedron but for face `but`. Returns whether anything is left.
#[inline]
fn clip_by_faces(polygon: &mut Polygon, cell: &Cell, but: usize) -> bool {
    // All faces at once: most have the polygon on one side.
    let (mut least, mut most) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
    for v in polygon.vertices() {
        let above = cell.above(v);
        for i in 0..4 {
            least[i] = if above[i] < least[i] { above[i] } else { least[i] };
            most[i] = if above[i] > most[i] { above[i] } else { most[i] };
        }
    }
    let crossed = |i: usize| i != but && most[i] > 0.0;
    if (0..4).any(|i| crossed(i) && least[i] >= 0.0) {
        return false;
    }
    for i in (0..4).filter(|&i| crossed(i)) {
        let (n, d) = cell.face(i);
        if !polygon.clip(&n, d) {
            return false;
        }
    }
    polygon.len() > 2
}

/// Counts a pair of tetrahedra with equal gradients if their fields coincide where they overlap.
#[cold]
fn note_coincident(a: &Cell, moved: &MovedCell, b: &Cell, sink: &mut Sink) {
    let v = b.vertices();
    let size = (v[1] - v[0]).norm().max((v[2] - v[0]).norm());
    let apart = (moved.field.at(&v[0]) - b.field.at(&v[0])).abs();
    if b.slope > 0.0 && apart <= 1e-9 * b.slope * size {
        sink.sums.coincident += u32::from(tets_overlap(&a.extended(&moved.v, 0.0), b, 1e-9));
    }
}

/// A rigid triangle (already in the cell's frame) in a tetrahedron. `out_of_rigid` is +1 when the rigid
/// body is A, -1 when it is B.
#[inline]
pub(crate) fn triangle_tet(
    t: &Facet,
    cell: &Cell,
    out_of_rigid: f64,
    sink: &mut Sink,
    polygon: &mut Polygon,
) {
    let slope = cell.field.grad.dot(&t.n);
    let Some(g) = effective_gradient(sink.options.filter, (slope, cell.slope), None) else { return };
    let margin = margin_of(sink.options.margin, &[(cell.zero_face, slope, cell.slope)]);
    let d = t.n.dot(&t.v[0]);
    let mut h = cell.sample(&Field { grad: t.n, offset: -d });
    cell.extend(&mut h, margin);
    if !mixed(&h) {
        return;
    }
    polygon.set_triangle(t.v);
    // With a margin the sink ends the polygon on the outside.
    let needless = if margin > 0.0 { cell.zero_face } else { NO_FACE };
    if clip_by_faces(polygon, cell, needless) {
        sink.add(polygon, &(t.n * out_of_rigid), g, &cell.field, (cell.id, t.id), margin);
    }
}

/// A tetrahedron cut by the surface n . r = d of a rigid half-space below it.
#[inline]
pub(crate) fn plane_tet(
    n: &V3,
    d: f64,
    cell: &Cell,
    out_of_rigid: f64,
    sink: &mut Sink,
    polygon: &mut Polygon,
) {
    let slope = cell.field.grad.dot(n);
    let Some(g) = effective_gradient(sink.options.filter, (slope, cell.slope), None) else { return };
    let margin = margin_of(sink.options.margin, &[(cell.zero_face, slope, cell.slope)]);
    let mut h = cell.sample(&Field { grad: *n, offset: -d });
    cell.extend(&mut h, margin);
    polygon.set_cut(&cell.extended(&cell.v, margin), &h);
    if polygon.len() > 2 {
        sink.add(polygon, &(n * out_of_rigid), g, &cell.field, (cell.id, 0), margin);
    }
}

/// A tetrahedron against the field of a compliant half-space (in the cell's frame). No clip by its surface
/// is needed: p >= 0 in the tetrahedron, hence on the surface of equal pressure.
#[inline]
pub(crate) fn field_tet(
    half_space: &Field,
    cell: &Cell,
    cell_is_a: bool,
    sink: &mut Sink,
    polygon: &mut Polygon,
) {
    let sign = if cell_is_a { 1.0 } else { -1.0 };
    let normal = (half_space.grad - cell.field.grad) * sign;
    let length = normal.norm();
    let steep = half_space.grad.norm();
    if length <= 1e-10 * (cell.slope + steep) {
        return;
    }
    let n = normal / length;
    let slopes = ((-sign * cell.field.grad.dot(&n), cell.slope), (sign * half_space.grad.dot(&n), steep));
    let Some(g) = effective_gradient(sink.options.filter, slopes.0, Some(slopes.1)) else { return };
    let sides = [(cell.zero_face, slopes.0.0, cell.slope), (0, slopes.1.0, steep)];
    let margin = margin_of(sink.options.margin, &sides);
    polygon.set_cut(&cell.extended(&cell.v, margin), &excess(cell, cell.sample(half_space), margin));
    if polygon.len() > 2 {
        let field = if cell.slope < steep { &cell.field } else { half_space };
        sink.add(polygon, &n, g, field, (cell.id, 0), margin);
    }
}

/// A rigid triangle in a compliant half-space (its field in the triangle's frame).
#[inline]
pub(crate) fn triangle_field(
    t: &Facet,
    half_space: &Field,
    out_of_rigid: f64,
    sink: &mut Sink,
    polygon: &mut Polygon,
) {
    let slope = half_space.grad.dot(&t.n);
    let steep = half_space.grad.norm();
    let Some(g) = effective_gradient(sink.options.filter, (slope, steep), None) else { return };
    polygon.set_triangle(t.v);
    let margin = margin_of(sink.options.margin, &[(0, slope, steep)]);
    if margin > 0.0 || polygon.clip(&-half_space.grad, half_space.offset) {
        sink.add(polygon, &(t.n * out_of_rigid), g, half_space, (t.id, 0), margin);
    }
}
