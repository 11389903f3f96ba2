//! Strings around round things: the shortest path between two points past a sphere or a cylinder.
//!
//! A path past a sphere lies in the plane of the two points and the centre; one past a cylinder is straight
//! once the cylinder is unrolled, so that its shadow along the axis is the plane problem again, and its
//! height grows evenly along that shadow.
//!
//! In the plane, let the path turn by the angle Φ about the centre on its way from the first point to
//! the second. A point at distance r sees the circle of radius R end at the angle acos(R/r) away from itself. So
//! the taut path that turns by Φ lies on the circle for
//!
//! ```text
//! arc = |Φ| − acos(R/r₀) − acos(R/r₁)
//! ```
//!
//! and is the straight line if that is not positive. Of the two ways round the shorter one has the smaller
//! |Φ|. A **side** point s chooses the way instead: Φ is that of the path from the first point by s to the
//! second, each part taking the short way. If s lies inside, the path must go through the inside: it is
//! straight where the line cuts the circle, and otherwise touches it at the one point that makes it
//! shortest, where it leaves at the angle at which it came.

use nalgebra::{Vector2, Vector3};
use std::f64::consts::{PI, TAU};

type V2 = Vector2<f64>;
type V3 = Vector3<f64>;

/// A shape that a path wraps around, in a frame at its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Round {
    /// A ball of this radius, m.
    Sphere(f64),
    /// An unbounded cylinder of this radius about z, m.
    Cylinder(f64),
}

/// The part of a path that lies on the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrap {
    /// Where the path reaches the surface.
    pub first: V3,
    /// Where it leaves it.
    pub last: V3,
    /// Length of the way between the two along the surface, m.
    pub length: f64,
}

/// The taut path from `p0` to `p1` around `round`, all in its frame; `None` where it is the straight line,
/// and where an end point lies inside.
pub fn wrap(round: Round, p0: &V3, p1: &V3, side: Option<&V3>) -> Option<Wrap> {
    let (radius, x, y) = match round {
        Round::Sphere(radius) => {
            let x = p0.try_normalize(1e-300)?;
            let normal = p0.cross(p1);
            // Points in line with the centre: the plane is that of the side point, or any.
            let flat = normal.norm() <= 1e-12 * p0.norm() * p1.norm();
            let normal = match side {
                Some(s) if flat && p0.cross(s).norm() > 1e-12 * p0.norm() * s.norm() => p0.cross(s),
                _ if flat => x.cross(&unlike(&x)),
                _ => normal,
            };
            (radius, x, normal.cross(&x).normalize())
        }
        Round::Cylinder(radius) => (radius, V3::x(), V3::y()),
    };
    let flat = |p: &V3| V2::new(p.dot(&x), p.dot(&y));
    let (d0, d1) = (flat(p0), flat(p1));
    // The distance from the centre decides for a cylinder too, as in MuJoCo: a side point far along the axis chooses a way
    // round, however near to the axis it lies.
    let inside = side.is_some_and(|s| s.norm() < radius);
    let (first, last, mut length) = if inside {
        let touch = through(radius, &d0, &d1)?;
        (touch, touch, 0.0)
    } else {
        around(radius, &d0, &d1, side.map(flat).as_ref())?
    };
    let lift = |d: V2| d.x * x + d.y * y;
    let (mut first_3, mut last_3) = (lift(first), lift(last));
    if let Round::Cylinder(_) = round {
        let (before, after) = ((first - d0).norm(), (d1 - last).norm());
        let (climb, whole) = (p1.z - p0.z, before + length + after);
        if whole > 0.0 {
            first_3.z = p0.z + climb * before / whole;
            last_3.z = p0.z + climb * (before + length) / whole;
        }
        length = length.hypot(last_3.z - first_3.z);
    }
    Some(Wrap { first: first_3, last: last_3, length })
}

/// A unit vector that is not parallel to `x`.
fn unlike(x: &V3) -> V3 {
    let mut other = V3::zeros();
    other[x.iamin()] = 1.0;
    other
}

/// An angle brought into (−π, π].
fn short(angle: f64) -> f64 {
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}

fn angle(d: &V2) -> f64 {
    d.y.atan2(d.x)
}

/// The plane problem outside: the two points of contact and the arc between them.
fn around(radius: f64, d0: &V2, d1: &V2, side: Option<&V2>) -> Option<(V2, V2, f64)> {
    let (r0, r1) = (d0.norm(), d1.norm());
    if r0 <= radius || r1 <= radius {
        return None;
    }
    let (a0, a1) = (angle(d0), angle(d1));
    let turn = match side.filter(|s| s.norm() > 1e-12 * radius) {
        None => short(a1 - a0),
        Some(s) => short(angle(s) - a0) + short(a1 - angle(s)),
    };
    let (reach0, reach1) = ((radius / r0).acos(), (radius / r1).acos());
    let arc = turn.abs() - reach0 - reach1;
    if arc <= 0.0 {
        return None;
    }
    let way = 1f64.copysign(turn);
    let on = |angle: f64| radius * V2::new(angle.cos(), angle.sin());
    Some((on(a0 + way * reach0), on(a1 - way * reach1), radius * arc))
}

/// The plane problem inside: the point of the circle by which the path between two points that do not see the
/// inside is shortest.
fn through(radius: f64, d0: &V2, d1: &V2) -> Option<V2> {
    let along = d1 - d0;
    let share = if along.norm_squared() > 0.0 { -d0.dot(&along) / along.norm_squared() } else { 0.0 };
    let nearest = d0 + share.clamp(0.0, 1.0) * along;
    if nearest.norm() <= radius {
        return None;
    }
    let (r0, r1, a0) = (d0.norm(), d1.norm(), angle(d0));
    let turn = short(angle(d1) - a0);
    // Slope and curvature of the length as the point moves by the angle t from the first point's ray.
    let part = |r: f64, t: f64| {
        let distance = (r * r + radius * radius - 2.0 * r * radius * t.cos()).sqrt().max(1e-300);
        let slope = r * radius * t.sin() / distance;
        (slope, (r * radius * t.cos() - slope * slope) / distance)
    };
    let (mut low, mut high) = (0f64.min(turn), 0f64.max(turn));
    let mut t = 0.5 * turn;
    for _ in 0..100 {
        let ((s0, c0), (s1, c1)) = (part(r0, t), part(r1, t - turn));
        let slope = s0 + s1;
        if slope > 0.0 {
            high = t;
        } else {
            low = t;
        }
        let newton = t - slope / (c0 + c1);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - t).abs() <= 1e-16 * (1.0 + t.abs()) {
            break;
        }
        t = next;
    }
    Some(radius * V2::new((a0 + t).cos(), (a0 + t).sin()))
}
