//! Rays against single shapes, for range finders and picking.

use crate::{Iso, Shape, TriangleMesh, V3};

/// Where a ray first meets a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// Distance along the ray, m.
    pub distance: f64,
    /// Outward unit normal of the surface there, world frame.
    pub normal_w: V3,
}

impl Shape {
    /// First point of the surface at pose `x_ws` along the ray from `origin_w` in the unit direction
    /// `direction_w`, no further than `max_distance`. From inside a solid the far wall is hit.
    pub fn cast_ray(&self, x_ws: &Iso, origin_w: &V3, direction_w: &V3, max_distance: f64) -> Option<RayHit> {
        let o = x_ws.rotation.inverse() * (origin_w - x_ws.translation.vector);
        let d = x_ws.rotation.inverse() * direction_w;
        let (t, n) = match self {
            Self::HalfSpace => plane(&o, &d),
            Self::Sphere { radius } => quadric(&o, &d, &V3::repeat(*radius)),
            Self::Ellipsoid { radii } => quadric(&o, &d, radii),
            Self::Box { half_extents } => slabs(&o, &d, half_extents),
            Self::Cylinder { radius, half_length } => {
                first(tube(&o, &d, *radius, *half_length), discs(&o, &d, *radius, *half_length))
            }
            Self::Capsule { radius, half_length } => {
                let mut hit = tube(&o, &d, *radius, *half_length);
                for side in [-1.0, 1.0] {
                    let shift = V3::z() * (side * half_length);
                    for (t, n) in sphere_roots(&(o - shift), &d, *radius).into_iter().flatten() {
                        if n.z * side >= 0.0 {
                            hit = first(hit, Some((t, n)));
                        }
                    }
                }
                hit
            }
            Self::Convex(h) => {
                let planes =
                    (0..h.face_count()).map(|f| (h.normals()[f], h.vertices()[h.face(f)[0] as usize]));
                polytope(&o, &d, planes)
            }
            Self::HeightField(f) => surface(&o, &d, max_distance, f.mesh()),
            Self::Mesh(m) => surface(&o, &d, max_distance, m),
        }?;
        (t <= max_distance).then(|| RayHit { distance: t, normal_w: x_ws.rotation * n })
    }
}

type Hit = Option<(f64, V3)>;

fn first(a: Hit, b: Hit) -> Hit {
    match (a, b) {
        (Some(x), Some(y)) => Some(if y.0 < x.0 { y } else { x }),
        (x, y) => x.or(y),
    }
}

fn plane(o: &V3, d: &V3) -> Hit {
    let t = -o.z / d.z;
    (t.is_finite() && t >= 0.0).then_some((t, V3::z()))
}

/// Non-negative roots of a t^2 + 2 b t + c, in order.
fn roots(a: f64, b: f64, c: f64) -> [Option<f64>; 2] {
    let disc = b * b - a * c;
    if a <= 0.0 || disc < 0.0 {
        return [None, None];
    }
    let q = -(b + disc.sqrt().copysign(b));
    let (t0, t1) = (q / a, if q != 0.0 { c / q } else { 0.0 });
    [t0.min(t1), t0.max(t1)].map(|t| (t >= 0.0).then_some(t))
}

fn sphere_roots(o: &V3, d: &V3, r: f64) -> [Hit; 2] {
    roots(d.norm_squared(), o.dot(d), o.norm_squared() - r * r).map(|t| t.map(|t| (t, (o + d * t) / r)))
}

fn quadric(o: &V3, d: &V3, radii: &V3) -> Hit {
    let (so, sd) = (o.component_div(radii), d.component_div(radii));
    let t = roots(sd.norm_squared(), so.dot(&sd), so.norm_squared() - 1.0).into_iter().flatten().next()?;
    Some((t, (so + sd * t).component_div(radii).try_normalize(0.0)?))
}

fn slabs(o: &V3, d: &V3, h: &V3) -> Hit {
    let axes = [V3::x(), V3::y(), V3::z()];
    let planes = (0..6).map(|i| {
        let n = axes[i / 2] * if i % 2 == 0 { 1.0 } else { -1.0 };
        (n, n.component_mul(h))
    });
    polytope(o, d, planes)
}

/// Ray against an intersection of half-spaces (normal, point).
fn polytope(o: &V3, d: &V3, planes: impl Iterator<Item = (V3, V3)>) -> Hit {
    let (mut enter, mut leave): ((f64, V3), (f64, V3)) =
        ((f64::NEG_INFINITY, V3::z()), (f64::INFINITY, V3::z()));
    for (n, p) in planes {
        let (gap, speed) = (n.dot(&(o - p)), n.dot(d));
        if speed == 0.0 {
            if gap > 0.0 {
                return None;
            }
            continue;
        }
        let t = -gap / speed;
        if speed < 0.0 && t > enter.0 {
            enter = (t, n);
        } else if speed > 0.0 && t < leave.0 {
            leave = (t, n);
        }
    }
    if enter.0 > leave.0 || leave.0 < 0.0 {
        return None;
    }
    Some(if enter.0 >= 0.0 { enter } else { leave })
}

fn tube(o: &V3, d: &V3, r: f64, half: f64) -> Hit {
    let a = d.x * d.x + d.y * d.y;
    let b = o.x * d.x + o.y * d.y;
    let c = o.x * o.x + o.y * o.y - r * r;
    let t = roots(a, b, c).into_iter().flatten().find(|t| (o.z + t * d.z).abs() <= half)?;
    Some((t, V3::new(o.x + t * d.x, o.y + t * d.y, 0.0) / r))
}

fn discs(o: &V3, d: &V3, r: f64, half: f64) -> Hit {
    let disc = |side: f64| {
        let t = (side * half - o.z) / d.z;
        let (x, y) = (o.x + t * d.x, o.y + t * d.y);
        (t.is_finite() && t >= 0.0 && x * x + y * y <= r * r).then(|| (t, V3::z() * side))
    };
    first(disc(-1.0), disc(1.0))
}

pub(crate) fn surface(o: &V3, d: &V3, max: f64, mesh: &TriangleMesh) -> Hit {
    let enters = |b: &crate::Aabb| {
        let (mut lo, mut hi) = (0.0f64, max);
        for i in 0..3 {
            if d[i] == 0.0 {
                if o[i] < b.min[i] || o[i] > b.max[i] {
                    return f64::INFINITY;
                }
                continue;
            }
            let (t0, t1) = ((b.min[i] - o[i]) / d[i], (b.max[i] - o[i]) / d[i]);
            lo = lo.max(t0.min(t1));
            hi = hi.min(t0.max(t1));
        }
        if lo <= hi { lo } else { f64::INFINITY }
    };
    let hit = |face: usize| {
        let [a, b, c] = mesh.corners(face);
        // Moeller-Trumbore.
        let (e1, e2) = (b - a, c - a);
        let p = d.cross(&e2);
        let det = e1.dot(&p);
        let s = o - a;
        let u = s.dot(&p) / det;
        let q = s.cross(&e1);
        let (v, t) = (d.dot(&q) / det, e2.dot(&q) / det);
        let inside = det != 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0;
        if inside { t } else { f64::INFINITY }
    };
    let (face, t) = mesh.bvh().nearest(max, enters, hit)?;
    Some((t, mesh.normals()[face]))
}
