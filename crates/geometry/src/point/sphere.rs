//! Spheres: one contact point, from the nearest point of the other shape to the centre.

use super::core::Core;
use super::gjk::{CorePair, Outcome, distance};
use super::{Frame, Sink};
use crate::{ConvexHull, V3};

/// Emits the contact of a sphere with a surface whose nearest point to the centre is `q_w`, with
/// outward unit normal `m` there and signed distance `s` of the centre from it.
#[inline]
pub(crate) fn push_nearest(radius: f64, c: &V3, q_w: V3, m: V3, s: f64, sink: &mut Sink) {
    let gap = s - radius;
    if gap <= sink.margin {
        // The normal goes from the sphere (first) into the other shape.
        sink.push(-m, c - m * radius, q_w, gap);
    }
}

/// Sphere against sphere. Coincident centres separate along z.
pub(crate) fn sphere_sphere((ra, ca): (f64, &V3), (rb, cb): (f64, &V3), sink: &mut Sink) {
    let d = cb - ca;
    let reach = ra + rb + sink.margin;
    let square = d.norm_squared();
    if square > reach * reach || reach < 0.0 {
        return;
    }
    let length = square.sqrt();
    let n = if length > 0.0 { d / length } else { V3::z() };
    sink.push(n, ca + n * ra, cb - n * rb, length - ra - rb);
}

/// Nearest point of a box's surface to `p` (box frame): point, outward normal, signed distance.
pub(crate) fn nearest_on_box(h: &V3, p: &V3) -> (V3, V3, f64) {
    let q = p.zip_map(h, |c, h| c.clamp(-h, h));
    let d = p - q;
    let length = d.norm();
    if length > 0.0 {
        return (q, d / length, length);
    }
    let depth = h - p.abs();
    let k = depth.imin();
    let sign = 1f64.copysign(p[k]);
    let (mut q, mut n) = (*p, V3::zeros());
    q[k] = sign * h[k];
    n[k] = sign;
    (q, n, -depth[k])
}

/// Sphere against box.
pub(crate) fn sphere_box((radius, c): (f64, &V3), (h, x): (&V3, &Frame), sink: &mut Sink) {
    let (q, m, s) = nearest_on_box(h, &x.local(c));
    if s - radius <= sink.margin {
        push_nearest(radius, c, x.point(&q), x.r * m, s, sink);
    }
}

/// Sphere against capsule.
pub(crate) fn sphere_capsule((radius, c): (f64, &V3), (rb, half, x): (f64, f64, &Frame), sink: &mut Sink) {
    let axis = x.r.column(2);
    let t = axis.dot(&(c - x.p)).clamp(-half, half);
    let core = x.p + axis * t;
    let d = core - c;
    let length = d.norm();
    // A centre on the axis leaves sideways, or straight on beyond an end.
    let n = if length > 0.0 { d / length } else { x.r.column(0).into_owned() };
    let gap = length - radius - rb;
    if gap <= sink.margin {
        sink.push(n, c + n * radius, core - n * rb, gap);
    }
}

/// Sphere against cylinder.
pub(crate) fn sphere_cylinder((radius, c): (f64, &V3), (rb, half, x): (f64, f64, &Frame), sink: &mut Sink) {
    let p = x.local(c);
    let rho = p.x.hypot(p.y);
    let e = if rho > 0.0 { V3::new(p.x / rho, p.y / rho, 0.0) } else { V3::x() };
    let top = V3::z() * 1f64.copysign(p.z);
    let (side, cap) = (rho - rb, p.z.abs() - half);
    let (q, m, s) = if side <= 0.0 && cap <= 0.0 {
        if side > cap {
            (e * rb + V3::z() * p.z, e, side)
        } else {
            (V3::new(p.x, p.y, half * top.z), top, cap)
        }
    } else {
        let q = e * rho.min(rb) + V3::z() * p.z.clamp(-half, half);
        let d = p - q;
        let length = d.norm();
        let straight = if side > cap { e } else { top };
        (q, if length > 0.0 { d / length } else { straight }, length)
    };
    push_nearest(radius, c, x.point(&q), x.r * m, s, sink);
}

/// Sphere against hull: plane distances inside, GJK outside.
pub(crate) fn sphere_hull((radius, c): (f64, &V3), (hull, x): (&ConvexHull, &Frame), sink: &mut Sink) {
    let p = x.local(c);
    let (face, s) = hull.plane_distance(&p);
    if s > radius + sink.margin {
        return;
    }
    let m = hull.normals()[face];
    if s > 0.0 {
        let pair = CorePair {
            a: Core::Hull(hull),
            b: Core::Point,
            x_ab: Frame { r: nalgebra::Matrix3::identity(), p },
        };
        match distance(&pair, radius + sink.margin) {
            Outcome::Far => return,
            Outcome::Apart { n, distance, a } => {
                return push_nearest(radius, c, x.point(&a), x.r * n, distance, sink);
            }
            Outcome::Overlap(_) => {} // on the surface to within rounding
        }
    }
    push_nearest(radius, c, x.point(&(p - m * s)), x.r * m, s, sink);
}
