//! Half-space against everything: the lowest points of the other shape.

use super::manifold::GapPoint;
use super::reduce::outline;
use super::{Frame, MAX_POINTS, Scratch, Sink};
use crate::{Shape, V3};

/// Working memory is a list of points on the plane with their gaps.
pub(crate) type Candidate = GapPoint;

/// Contact points of the half-space z <= 0 of `x` with a shape.
pub(crate) fn contacts(x: &Frame, shape: &Shape, xb: &Frame, scratch: &mut Scratch, sink: &mut Sink) {
    let n: V3 = x.r.column(2).into_owned();
    let mut push = |q: V3| {
        let gap = n.dot(&(q - x.p));
        if gap <= sink.margin {
            sink.push(n, q - n * gap, q, gap);
        }
    };
    match shape {
        Shape::HalfSpace => {}
        Shape::Sphere { radius } => push(xb.p - n * *radius),
        Shape::Ellipsoid { radii } => {
            push(xb.point(&crate::shape::ellipsoid_support(radii, &-xb.local_dir(&n))));
        }
        Shape::Capsule { radius, half_length } => {
            let half = xb.r.column(2) * *half_length;
            push(xb.p - half - n * *radius);
            push(xb.p + half - n * *radius);
        }
        Shape::Box { half_extents: h } => {
            for k in 0..8u32 {
                let sign = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
                push(xb.point(&V3::new(sign(0) * h.x, sign(1) * h.y, sign(2) * h.z)));
            }
        }
        Shape::Cylinder { radius, half_length } => cylinder(*radius, *half_length, &n, xb, push),
        Shape::Convex(hull) => {
            let n_local = xb.local_dir(&n);
            hull.vertices_below(&n_local, sink.margin - n.dot(&(xb.p - x.p)), &mut scratch.walk);
            let found = std::mem::take(&mut scratch.walk.found);
            vertices(x, found.iter().map(|&v| &hull.vertices()[v as usize]), xb, scratch, sink);
            scratch.walk.found = found;
        }
        Shape::Mesh(mesh) => vertices(x, mesh.vertices().iter(), xb, scratch, sink),
        Shape::HeightField(field) => vertices(x, field.mesh().vertices().iter(), xb, scratch, sink),
    }
}

/// Four points of the lower rim, the first one the lowest, and the lowest point of the upper rim.
///
/// The four turn with the tilt. Their second moment is isotropic, so while all carry load the wrench of
/// linear springs on them does not depend on that turn, and an upright cylinder, whose lowest point is
/// undetermined, rests as steadily as a tilted one. Lying down, the two lowest rim points remain.
fn cylinder(r: f64, half: f64, n: &V3, x: &Frame, mut push: impl FnMut(V3)) {
    let axis = x.r.column(2);
    let c = axis.dot(n);
    let down = axis * c - n; // along the caps, towards the ground
    let e = down.try_normalize(1e-9).unwrap_or_else(|| x.r.column(0).into_owned());
    let f = axis.cross(&e);
    let low = -half.copysign(c);
    let base = x.p + axis * low;
    for d in [e, f, -e, -f] {
        push(base + d * r);
    }
    push(x.p - axis * low + e * r);
}

/// Vertices within the margin; of many, the corners of their outline, the deepest among them.
fn vertices<'a>(
    x: &Frame,
    vertices: impl Iterator<Item = &'a V3>,
    xb: &Frame,
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let n: V3 = x.r.column(2).into_owned();
    let n_local = xb.local_dir(&n);
    let offset = n.dot(&(xb.p - x.p));
    let points = &mut scratch.half_space;
    points.clear();
    for v in vertices {
        let gap = n_local.dot(v) + offset;
        if gap <= sink.margin {
            points.push(GapPoint { a: xb.point(v) - n * gap, gap });
        }
    }
    if points.len() > MAX_POINTS {
        outline(points, &n, 0.0, &mut scratch.outline);
    }
    for p in points.iter() {
        sink.push(n, p.a, p.a + n * p.gap, p.gap);
    }
}
