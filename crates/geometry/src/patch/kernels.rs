//! One pair of elements: early exits first, then the polygon.
//!
//! All kernels work in the frame of one of the bodies (the *working* body) and hand the polygon to the sink.

use super::polygon::Polygon;
use super::sink::{Sink, effective_gradient};
use crate::V3;
use crate::solid::linear::{Field, Pose};
use crate::solid::{Cell, Facet, NO_FACE};

/// Whether values of both signs occur; zero counts as negative.
#[inline]
fn mixed(h: &[f64; 4]) -> bool {
    let positive = h.iter().filter(|x| **x > 0.0).count();
    positive != 0 && positive != 4
}

/// Corners and pressures of a cell, extended beyond its zero face when there is a margin.
#[inline]
fn reach(cell: &Cell, margin: f64) -> ([V3; 4], [f64; 4]) {
    if margin > 0.0 && cell.zero_face != NO_FACE { cell.extended(margin) } else { (cell.v, cell.p) }
}

/// Cheap test whether tetrahedra a and b can share a piece of equal-pressure surface; `field_a` is a's
/// field in b's frame and `field_b` b's in a's.
#[inline]
pub(crate) fn tets_may_meet(
    a: &Cell,
    b: &Cell,
    field_a: &Field,
    field_b: impl Fn() -> Field,
    margin: f64,
) -> bool {
    let (v, p) = reach(b, margin);
    let h: [f64; 4] = std::array::from_fn(|i| p[i] - field_a.at(&v[i]));
    if !mixed(&h) {
        return false;
    }
    let field_b = field_b();
    let (v, p) = reach(a, margin);
    mixed(&std::array::from_fn(|i| field_b.at(&v[i]) - p[i]))
}

/// Two tetrahedra; the working body is B, `x_ba` the pose of A in it.
#[inline]
pub(crate) fn tet_tet(
    a: &Cell,
    b: &Cell,
    x_ba: &Pose,
    field_a: &Field,
    sink: &mut Sink,
    polygon: &mut Polygon,
) {
    // n out of A into B: p_a falls along it, p_b rises.
    let normal = b.field.grad - field_a.grad;
    let length = normal.norm();
    // Equal gradients leave no plane.
    if length <= 1e-10 * (a.slope + b.slope) {
        return;
    }
    let n = normal / length;
    let slopes = ((-field_a.grad.dot(&n), a.slope), (b.field.grad.dot(&n), b.slope));
    let Some(g) = effective_gradient(sink.options.filter, slopes.0, Some(slopes.1)) else { return };
    let margin = if a.zero_face != NO_FACE && b.zero_face != NO_FACE { sink.options.margin } else { 0.0 };
    let (v, p) = reach(a, margin);
    let v = v.map(|v| x_ba.point(&v));
    let h = std::array::from_fn(|i| b.field.at(&v[i]) - p[i]);
    polygon.set_cut(&v, &h);
    for i in 0..4 {
        // p_a = p_b on the plane: where both have a zero face, the clip by A's is the clip by B's.
        if i == b.zero_face && a.zero_face != NO_FACE {
            continue;
        }
        if polygon.len < 3 || !polygon.clip(&b.n[i], b.d[i]) {
            return;
        }
    }
    // Both fields give the pressure; the flatter one with less rounding.
    let field = if a.slope < b.slope { field_a } else { &b.field };
    sink.add(polygon, &n, g, field, (b.id, a.id));
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
    let margin = if cell.zero_face != NO_FACE { sink.options.margin } else { 0.0 };
    let d = t.n.dot(&t.v[0]);
    let (v, _) = reach(cell, margin);
    if !mixed(&std::array::from_fn(|i| t.n.dot(&v[i]) - d)) {
        return;
    }
    polygon.set_triangle(t.v);
    for i in 0..4 {
        // With a margin the sink ends the polygon on the outside.
        if margin > 0.0 && i == cell.zero_face {
            continue;
        }
        if !polygon.clip(&cell.n[i], cell.d[i]) {
            return;
        }
    }
    sink.add(polygon, &(t.n * out_of_rigid), g, &cell.field, (cell.id, t.id));
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
    let margin = if cell.zero_face != NO_FACE { sink.options.margin } else { 0.0 };
    let (v, _) = reach(cell, margin);
    polygon.set_cut(&v, &std::array::from_fn(|i| n.dot(&v[i]) - d));
    if polygon.len > 2 {
        sink.add(polygon, &(n * out_of_rigid), g, &cell.field, (cell.id, 0));
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
    let margin = if cell.zero_face != NO_FACE { sink.options.margin } else { 0.0 };
    let (v, p) = reach(cell, margin);
    polygon.set_cut(&v, &std::array::from_fn(|i| half_space.at(&v[i]) - p[i]));
    if polygon.len > 2 {
        let field = if cell.slope < steep { &cell.field } else { half_space };
        sink.add(polygon, &n, g, field, (cell.id, 0));
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
    if sink.options.margin > 0.0 || polygon.clip(&-half_space.grad, half_space.offset) {
        sink.add(polygon, &(t.n * out_of_rigid), g, half_space, (t.id, 0));
    }
}
