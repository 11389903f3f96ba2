//! Random shapes and poses, and signed distances written down independently of the crate.
#![allow(dead_code)]

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use stiction_geometry::{ContactPoint, Shape, point};

pub type V3 = Vector3<f64>;
pub type Iso = Isometry3<f64>;

/// Settings for `n` random cases; `STICTION_TEST_SCALE=100` makes it a hundred times as many.
pub fn cases(n: u32) -> ProptestConfig {
    let scale = std::env::var("STICTION_TEST_SCALE").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    ProptestConfig { cases: n * scale, failure_persistence: None, ..ProptestConfig::default() }
}

pub fn vector(range: f64) -> impl Strategy<Value = V3> {
    [-range..range, -range..range, -range..range].prop_map(|v| V3::new(v[0], v[1], v[2]))
}

pub fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    // Every tenth is a quarter turn: aligned edges and faces are where things break.
    let quarter = (0..4usize, 0..4usize).prop_map(|(i, j)| {
        let turn = |axis: V3, k: usize| {
            UnitQuaternion::from_scaled_axis(axis * (k as f64 * std::f64::consts::FRAC_PI_2))
        };
        turn(V3::x(), i) * turn(V3::z(), j)
    });
    prop_oneof![9 => vector(3.0).prop_map(UnitQuaternion::from_scaled_axis), 1 => quarter]
}

pub fn pose(range: f64) -> impl Strategy<Value = Iso> {
    (vector(range), rotation()).prop_map(|(p, q)| Iso::from_parts(Translation3::from(p), q))
}

fn size() -> impl Strategy<Value = f64> {
    0.1..0.6f64
}

pub fn convex_shape() -> impl Strategy<Value = Shape> {
    let ellipsoid = [size(), size(), size()].prop_map(|h| Shape::ellipsoid(V3::from(h)).unwrap());
    prop_oneof![5 => parry_shape(), 1 => ellipsoid]
}

/// The shapes that parry has too.
pub fn parry_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        size().prop_map(|r| Shape::sphere(r).unwrap()),
        [size(), size(), size()].prop_map(|h| Shape::cuboid(V3::from(h)).unwrap()),
        (size(), size()).prop_map(|(r, l)| Shape::capsule(0.5 * r, l).unwrap()),
        (size(), size()).prop_map(|(r, l)| Shape::cylinder(r, l).unwrap()),
        hull(),
    ]
}

pub fn polytope() -> impl Strategy<Value = Shape> {
    prop_oneof![[size(), size(), size()].prop_map(|h| Shape::cuboid(V3::from(h)).unwrap()), hull()]
}

pub fn hull() -> impl Strategy<Value = Shape> {
    proptest::collection::vec(vector(0.5), 6..20)
        .prop_filter_map("flat", |points| Shape::convex_hull(&points).ok())
}

/// Signed distance of a world point from a shape's surface (for ellipsoids a first-order estimate near the
/// surface, for hulls outside a lower bound; both vanish exactly on the surface).
pub fn signed_distance(shape: &Shape, x: &Iso, p_w: &V3) -> f64 {
    let p = x.inverse_transform_point(&(*p_w).into()).coords;
    let outside = |q: V3| q.map(|c| c.max(0.0)).norm() + q.max().min(0.0);
    match shape {
        Shape::HalfSpace => p.z,
        Shape::Sphere { radius } => p.norm() - radius,
        Shape::Box { half_extents } => outside(p.abs() - half_extents),
        Shape::Capsule { radius, half_length } => {
            (p - V3::z() * p.z.clamp(-half_length, *half_length)).norm() - radius
        }
        Shape::Cylinder { radius, half_length } => {
            let d = [p.xy().norm() - radius, p.z.abs() - half_length];
            d[0].max(0.0).hypot(d[1].max(0.0)) + d[0].max(d[1]).min(0.0)
        }
        Shape::Ellipsoid { radii } => {
            let q = p.component_div(radii);
            let gradient = q.component_div(radii).norm() / q.norm();
            (q.norm() - 1.0) / gradient
        }
        Shape::Convex(h) => h.plane_distance(&p).1,
        Shape::HeightField(_) | Shape::Mesh(_) => f64::NAN,
    }
}

pub fn contacts(a: (&Shape, &Iso), b: (&Shape, &Iso), margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    point::contact_pair(a, b, margin, &mut point::Scratch::default(), &mut out);
    out
}

pub fn deepest(points: &[ContactPoint]) -> Option<ContactPoint> {
    points.iter().copied().min_by(|p, q| p.distance.total_cmp(&q.distance))
}
