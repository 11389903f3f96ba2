//! One triangle and a point, a segment, or another triangle.

use crate::V3;

/// The point of a triangle nearest to `p`, by the region it projects to; flat triangles are segments.
pub(crate) fn closest_point(p: &V3, [a, b, c]: &[V3; 3]) -> V3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

/// Signed solid angle of a triangle seen from `p` (van Oosterom and Strackee 1983): positive from inside.
pub(crate) fn solid_angle(p: &V3, c: &[V3; 3]) -> f64 {
    let [a, b, c] = c.map(|v| v - p);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let numerator = a.dot(&b.cross(&c));
    let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * numerator.atan2(denominator)
}

/// Where the segment a + t d, t in [0, 1], crosses a triangle; edges belong to it up to rounding.
pub(crate) fn crosses_segment(a: &V3, d: &V3, t: &[V3; 3]) -> Option<f64> {
    let (e1, e2) = (t[1] - t[0], t[2] - t[0]);
    let n = e1.cross(&e2);
    let slope = n.dot(d);
    if slope.abs() <= 1e-14 * n.norm() * d.norm() {
        return None;
    }
    let s = t[0] - a;
    let time = n.dot(&s) / slope;
    if !(0.0..=1.0).contains(&time) {
        return None;
    }
    let q = d.cross(&s);
    let (u, v) = (-e2.dot(&q) / slope, e1.dot(&q) / slope);
    const PAD: f64 = 1e-10;
    (u >= -PAD && v >= -PAD && u + v <= 1.0 + PAD).then_some(time)
}

/// Whether two triangles cross: an edge of one passes through the inside of the other, clear of rounding.
pub(crate) fn triangles_cross(s: &[V3; 3], t: &[V3; 3]) -> bool {
    let pierces = |a: &[V3; 3], b: &[V3; 3]| {
        let (e1, e2) = (b[1] - b[0], b[2] - b[0]);
        let n = e1.cross(&e2);
        let size = n.norm_squared();
        if size == 0.0 {
            return false;
        }
        let length = size.sqrt().sqrt();
        (0..3).any(|k| {
            let (p, q) = (a[k], a[(k + 1) % 3]);
            let (hp, hq) = (n.dot(&(p - b[0])), n.dot(&(q - b[0])));
            let floor = 1e-9 * length * size.sqrt();
            if hp * hq >= 0.0 || hp.abs() < floor || hq.abs() < floor {
                return false;
            }
            let x = p + (q - p) * (hp / (hp - hq)) - b[0];
            let (u, v) = (n.dot(&x.cross(&e2)) / size, n.dot(&e1.cross(&x)) / size);
            u > 1e-7 && v > 1e-7 && u + v < 1.0 - 1e-7
        })
    };
    pierces(s, t) || pierces(t, s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_point_of_a_triangle_is_nearer_than_the_closest(
            p in prop::array::uniform3(-2.0f64..2.0), t in prop::array::uniform9(-1.0f64..1.0),
            u in 0.0f64..1.0, v in 0.0f64..1.0
        ) {
            let p = V3::from(p);
            let t = [0, 3, 6].map(|k| V3::new(t[k], t[k + 1], t[k + 2]));
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let other = t[0] * (1.0 - u - v) + t[1] * u + t[2] * v;
            let q = closest_point(&p, &t);
            prop_assert!((p - q).norm() <= (p - other).norm() + 1e-12);
            // And it lies on the triangle.
            prop_assert!((closest_point(&q, &t) - q).norm() < 1e-9);
        }
    }
}
