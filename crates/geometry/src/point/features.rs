//! The part of a core's surface that faces a direction: a polygon, a segment or a point.

use super::Frame;
use super::core::Core;
use crate::V3;

/// Below this cosine a face is too steep to be projected, and its upper edge stands for it.
const STEEP: f64 = 0.05;

/// Corners of the feature of `core` furthest along `d_local`, written to `out` in the frame `x` maps to:
/// one (a point), two (a segment) or more (a convex polygon, counter-clockwise seen against `d`).
/// Returns the outward normal of a polygon in that frame (otherwise `d` itself).
pub(crate) fn facing(core: &Core, d_local: &V3, x: &Frame, out: &mut Vec<V3>) -> V3 {
    out.clear();
    let n_local = match core {
        Core::Point => {
            out.push(x.p);
            *d_local
        }
        Core::Segment(h) => {
            let half = x.r.column(2) * *h;
            out.extend([x.p - half, x.p + half]);
            *d_local
        }
        Core::Ellipsoid(_) => {
            out.push(x.point(&core.support(d_local)));
            *d_local
        }
        Core::Box(h) => box_face(h, d_local, x, out),
        Core::Cylinder(r, h) => cylinder_feature(*r, *h, d_local, x, out),
        Core::Hull(hull) => {
            let f = hull.face_towards(d_local);
            out.extend(hull.face(f).iter().map(|&v| x.point(&hull.vertices()[v as usize])));
            let n = hull.normals()[f];
            if n.dot(d_local) < STEEP {
                upper_edge(&(x.r * d_local), out);
                return x.r * d_local;
            }
            n
        }
        Core::Triangle(t) | Core::Prism(t, _) => {
            let n = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
            let s = n.dot(d_local);
            let t = if s < 0.0 { [t[0], t[2], t[1]] } else { *t };
            out.extend(t.iter().map(|p| x.point(p)));
            if s.abs() < STEEP {
                upper_edge(&(x.r * d_local), out);
                return x.r * d_local;
            }
            if s < 0.0 { -n } else { n }
        }
    };
    x.r * n_local
}

fn box_face(h: &V3, d: &V3, x: &Frame, out: &mut Vec<V3>) -> V3 {
    let k = d.iamax();
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let sign = 1f64.copysign(d[k]);
    let c = x.p + x.r.column(k) * (sign * h[k]);
    let u = x.r.column(i) * h[i];
    let v = x.r.column(j) * (h[j] * sign);
    out.extend([c - u - v, c + u - v, c + u + v, c - u + v]);
    let mut n = V3::zeros();
    n[k] = sign;
    n
}

/// A cap as an octagon whose first corner is the rim point furthest along `d`, or the line of the side.
///
/// The corners turn with `d`. Eight equally spaced points have an isotropic second moment, so as long as
/// all carry load the wrench of linear springs on them does not depend on that turn.
fn cylinder_feature(r: f64, h: f64, d: &V3, x: &Frame, out: &mut Vec<V3>) -> V3 {
    let s = d.x.hypot(d.y);
    let e = if s > 1e-12 { V3::new(d.x / s, d.y / s, 0.0) } else { V3::x() };
    if d.z.abs() < 0.5 {
        out.extend([-h, h].map(|z| x.point(&(e * r + V3::z() * z))));
        return *d;
    }
    let sign = 1f64.copysign(d.z);
    let f = V3::new(-e.y, e.x, 0.0) * sign;
    let q = std::f64::consts::FRAC_1_SQRT_2;
    let circle = [(1.0, 0.0), (q, q), (0.0, 1.0), (-q, q), (-1.0, 0.0), (-q, -q), (0.0, -1.0), (q, -q)];
    out.extend(circle.map(|(c, s)| x.point(&((e * c + f * s) * r + V3::z() * (sign * h)))));
    V3::z() * sign
}

/// Keeps the edge of a polygon from its highest corner along `d` to the higher neighbour.
fn upper_edge(d: &V3, out: &mut Vec<V3>) {
    let n = out.len();
    let height = |k: usize| out[k % n].dot(d);
    let top = (0..n).fold(0, |best, k| if height(k) > height(best) { k } else { best });
    let next = if height(top + 1) >= height(top + n - 1) { top + 1 } else { top + n - 1 };
    let edge = [out[top], out[next % n]];
    out.clear();
    out.extend(edge);
}
