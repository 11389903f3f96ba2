//! Capsules against capsules and boxes: distances between a segment and the other core, exactly.

use super::{Frame, Sink};
use crate::V3;

/// A capsule: radius, half length, pose.
type Capsule<'a> = (f64, f64, &'a Frame);

/// Crossing angle (its sine) above which two capsules touch in one point only.
const CROSSING: f64 = 0.1;

/// Capsule against capsule: both ends of the shared stretch if nearly parallel, and the nearest points
/// if they are nearer than those.
pub(crate) fn capsule_capsule((ra, la, xa): Capsule, (rb, lb, xb): Capsule, sink: &mut Sink) {
    let (u, v): (V3, V3) = (xa.r.column(2).into_owned(), xb.r.column(2).into_owned());
    let d = xb.p - xa.p;
    let (c, du, dv) = (u.dot(&v), d.dot(&u), d.dot(&v));
    let sine2 = u.cross(&v).norm_squared();
    let (s, t) = nearest_on_segments(la, lb, c, du, dv, sine2);
    let at = |s: f64, t: f64| {
        let (p, q) = (xa.p + u * s, xb.p + v * t);
        (p, q, (q - p).norm())
    };
    let nearest = at(s, t);
    let reach = ra + rb + sink.margin;
    if nearest.2 > reach {
        return;
    }
    // Crossing axes separate sideways.
    let sideways = || {
        let n = u.cross(&v).try_normalize(1e-9).unwrap_or_else(|| xa.r.column(0).into_owned());
        if n.dot(&d) < 0.0 { -n } else { n }
    };
    let mut push = |(p, q, length): (V3, V3, f64)| {
        if length <= reach {
            let n = if length > 1e-12 * (la + lb) { (q - p) / length } else { sideways() };
            sink.push(n, p + n * ra, q - n * rb, length - ra - rb);
        }
    };
    if sine2 < CROSSING * CROSSING {
        // Ends of b seen from a, and the stretch both share.
        let (b0, b1) = (du - lb * c, du + lb * c);
        let (lo, hi) = (b0.min(b1), b0.max(b1));
        if lo.max(-la) < hi.min(la) {
            let end = |s: f64, s_b: f64, t_b: f64, upper: bool| {
                // The inner one of a's end (projected on b) and b's end (projected on a).
                let a_ends = if upper { s <= s_b } else { s >= s_b };
                if a_ends { at(s, (s * c - dv).clamp(-lb, lb)) } else { at(s_b.clamp(-la, la), t_b) }
            };
            let sign = 1f64.copysign(c);
            let first = end(-la, lo, -lb * sign, false);
            let second = end(la, hi, lb * sign, true);
            push(first);
            push(second);
            if nearest.2 >= first.2.min(second.2) - 1e-9 * (ra + rb) {
                return;
            }
        }
    }
    push(nearest);
}

/// Parameters of the nearest points of p + s u and p + d + t v, |s| <= la, |t| <= lb, unit u and v.
fn nearest_on_segments(la: f64, lb: f64, c: f64, du: f64, dv: f64, sine2: f64) -> (f64, f64) {
    // Stationary: s = du + t c, t = s c - dv.
    let s = if sine2 > 1e-14 { ((du - c * dv) / sine2).clamp(-la, la) } else { 0.0 };
    let t = (s * c - dv).clamp(-lb, lb);
    let s = (du + t * c).clamp(-la, la);
    let t = (s * c - dv).clamp(-lb, lb);
    (s, t)
}

/// Box (first) against capsule.
pub(crate) fn box_capsule((h, xa): (&V3, &Frame), (radius, half, xb): Capsule, sink: &mut Sink) {
    let x = xa.relative(xb);
    let (c, u): (V3, V3) = (x.p, x.r.column(2).into_owned());
    let reach = radius + sink.margin;
    let t = nearest_to_box(h, &c, &u, half);
    let b = c + u * t;
    let a = b.zip_map(h, |b, h| b.clamp(-h, h));
    let d = b - a;
    let length = d.norm();
    if length > reach {
        return;
    }
    let (n, gap, witness) = if length > 1e-12 * h.max() {
        (d / length, length, a)
    } else {
        let (n, depth) = axis_of_overlap(h, &c, &u, half);
        (n, -depth, a)
    };
    let n_w = xa.r * n;
    let mut push = |a: V3, gap: f64| {
        if gap <= reach {
            let p = xa.point(&a);
            sink.push(n_w, p, p + n_w * (gap - radius), gap - radius);
        }
    };
    // The segment projected along n on the face that faces it: (u, v, gap), linear along the segment.
    let k = n.iamax();
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let sign = 1f64.copysign(n[k]);
    let project = |q: V3| {
        let g = (q[k] * sign - h[k]) / n[k].abs();
        V3::new(q[i] - g * n[i], q[j] - g * n[j], g)
    };
    let (p, q) = (project(c - u * half), project(c + u * half));
    let point = |w: V3| {
        let mut a = V3::zeros();
        (a[i], a[j], a[k]) = (w.x, w.y, sign * h[k]);
        a
    };
    let mut least = f64::INFINITY;
    if let Some((s0, s1)) = clip_to_rectangle(&p, &q, h[i], h[j]) {
        for s in [s0, s1] {
            let w = p + (q - p) * s;
            least = least.min(w.z);
            push(point(w), w.z);
            if s0 == s1 {
                break;
            }
        }
    }
    if least > gap + 1e-9 * (gap.abs() + h.max()) {
        push(witness, gap);
    }
}

/// Parameter of the point of c + t u, |t| <= half, nearest to the box: the squared distance is convex and
/// piecewise quadratic in t, so its slope is searched through the crossings of the six faces.
fn nearest_to_box(h: &V3, c: &V3, u: &V3, half: f64) -> f64 {
    let slope = |t: f64| {
        let mut s = 0.0;
        for k in 0..3 {
            let x = c[k] + t * u[k];
            s += u[k] * (x - x.clamp(-h[k], h[k]));
        }
        s
    };
    let (mut lo, mut hi) = (-half, half);
    let (mut f_lo, mut f_hi) = (slope(lo), slope(hi));
    if f_lo > 0.0 {
        return lo;
    }
    if f_hi < 0.0 {
        return hi;
    }
    for k in 0..3 {
        for face in [-h[k], h[k]] {
            let t = (face - c[k]) / u[k];
            if t > lo && t < hi {
                let f = slope(t);
                if f <= 0.0 {
                    (lo, f_lo) = (t, f);
                }
                if f >= 0.0 {
                    (hi, f_hi) = (t, f);
                }
            }
        }
    }
    // Linear between crossings; where it vanishes on a stretch, the middle.
    if f_hi - f_lo > 0.0 { lo + (hi - lo) * (-f_lo / (f_hi - f_lo)) } else { 0.5 * (lo + hi) }
}

/// Shortest translation (direction from the box outward, length) that frees a segment from a box.
fn axis_of_overlap(h: &V3, c: &V3, u: &V3, half: f64) -> (V3, f64) {
    let mut best = (V3::z(), f64::INFINITY);
    for k in 0..3 {
        let depth = h[k] + half * u[k].abs() - c[k].abs();
        if depth < best.1 {
            let mut n = V3::zeros();
            n[k] = 1f64.copysign(c[k]);
            best = (n, depth);
        }
    }
    for k in 0..3 {
        let mut e = V3::zeros();
        e[k] = 1.0;
        let Some(n) = u.cross(&e).try_normalize(1e-7) else { continue };
        let depth = n.abs().dot(h) - n.dot(c).abs();
        if depth < best.1 - 1e-12 * h.max() {
            best = (if n.dot(c) < 0.0 { -n } else { n }, depth);
        }
    }
    best
}

/// Part of the segment from p to q over the rectangle |x| <= hx, |y| <= hy.
fn clip_to_rectangle(p: &V3, q: &V3, hx: f64, hy: f64) -> Option<(f64, f64)> {
    let (mut lo, mut hi) = (0.0f64, 1.0f64);
    for (a, d, h) in [(p.x, q.x - p.x, hx), (p.y, q.y - p.y, hy)] {
        if d.abs() <= 1e-14 * h {
            if a.abs() > h * (1.0 + 1e-12) {
                return None;
            }
            continue;
        }
        let (t0, t1) = ((-h - a) / d, (h - a) / d);
        lo = lo.max(t0.min(t1));
        hi = hi.min(t0.max(t1));
    }
    (lo <= hi).then_some((lo, hi))
}
