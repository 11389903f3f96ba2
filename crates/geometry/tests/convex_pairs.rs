//! Facts that hold for every pair of convex shapes at every pose.

mod common;

use common::*;
use nalgebra::{Translation3, UnitQuaternion};
use proptest::prelude::*;
use stiction_geometry::Shape;

const MARGIN: f64 = 0.05;

fn extent(shape: &Shape) -> f64 {
    let b = shape.aabb(&Iso::identity());
    b.min.norm().max(b.max.norm())
}

fn is_smooth(shape: &Shape) -> bool {
    matches!(shape, Shape::Cylinder { .. } | Shape::Ellipsoid { .. })
}

/// Polytopes are exact to rounding, curved surfaces to the tolerance of the iterations.
fn tolerance(a: &Shape, b: &Shape) -> f64 {
    if is_smooth(a) || is_smooth(b) { 1e-7 } else { 1e-9 }
}

fn scaled(shape: &Shape, k: f64) -> Shape {
    match shape {
        Shape::Sphere { radius } => Shape::sphere(k * radius),
        Shape::Box { half_extents } => Shape::cuboid(k * half_extents),
        Shape::Capsule { radius, half_length } => Shape::capsule(k * radius, k * half_length),
        Shape::Cylinder { radius, half_length } => Shape::cylinder(k * radius, k * half_length),
        Shape::Ellipsoid { radii } => Shape::ellipsoid(k * radii),
        Shape::Convex(h) => Shape::convex_hull(&h.vertices().iter().map(|v| k * v).collect::<Vec<_>>()),
        _ => panic!("not a convex shape"),
    }
    .unwrap()
}

/// Distance by parry's GJK.
fn parry_distance((a, xa): (&Shape, &Iso), (b, xb): (&Shape, &Iso)) -> f64 {
    use parry3d_f64::math::{Pose, Vec3};
    use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, Shape as ParryShape};
    let v = |p: &V3| Vec3::new(p.x, p.y, p.z);
    let shape = |s: &Shape| -> Box<dyn ParryShape> {
        match s {
            Shape::Sphere { radius } => Box::new(Ball::new(*radius)),
            Shape::Box { half_extents } => Box::new(Cuboid::new(v(half_extents))),
            Shape::Capsule { radius, half_length } => Box::new(Capsule::new_z(*half_length, *radius)),
            Shape::Cylinder { radius, half_length } => Box::new(Cylinder::new(*half_length, *radius)),
            Shape::Convex(h) => {
                let points: Vec<_> = h.vertices().iter().map(v).collect();
                Box::new(ConvexPolyhedron::from_convex_hull(&points).unwrap())
            }
            _ => panic!("no such shape in parry"),
        }
    };
    let pose = |s: &Shape, x: &Iso| {
        // Parry's cylinder lies along y.
        let turn = UnitQuaternion::from_axis_angle(&V3::x_axis(), std::f64::consts::FRAC_PI_2);
        let q = if matches!(s, Shape::Cylinder { .. }) { x.rotation * turn } else { x.rotation };
        let t = x.translation.vector;
        let axis = q.scaled_axis();
        Pose::new(v(&t), v(&axis))
    };
    parry3d_f64::query::distance(&pose(a, xa), &*shape(a), &pose(b, xb), &*shape(b)).unwrap().distance
}

proptest! {
    #![proptest_config(cases(6000))]

    #[test]
    fn distances_agree_with_parry(a in parry_shape(), b in parry_shape(), xa in pose(0.8), xb in pose(0.8)) {
        let reference = parry_distance((&a, &xa), (&b, &xb));
        let ours = deepest(&contacts((&a, &xa), (&b, &xb), 0.3)).map(|p| p.distance);
        match ours {
            Some(d) => {
                // Both are attained by points of the shapes, so the smaller one is nearer to the truth; parry's
                // iterations on round shapes end early.
                let flat = |s: &Shape| matches!(s, Shape::Box { .. } | Shape::Convex(_));
                let slack = if flat(&a) && flat(&b) { 1e-7 } else { 1e-4 };
                prop_assert!(d.max(0.0) <= reference + 1e-7 && d.max(0.0) >= reference - slack, "{d} {reference}");
            }
            None => prop_assert!(reference > 0.3 - 1e-7, "{reference}"),
        }
    }

    #[test]
    fn points_are_consistent(a in convex_shape(), b in convex_shape(), xa in pose(0.5), xb in pose(0.5)) {
        let points = contacts((&a, &xa), (&b, &xb), MARGIN);
        prop_assert!(points.len() <= 9);
        for p in &points {
            prop_assert!((p.normal_w.norm() - 1.0).abs() < 1e-12);
            prop_assert!((p.p_wb - p.p_wa - p.normal_w * p.distance).norm() < 1e-12);
            prop_assert!(p.distance <= MARGIN);
        }
        if let Some(p) = deepest(&points) {
            // Curved surfaces in overlap: the depth is known well, where along the surface it is taken
            // to the root of that, and in deep overlap the iterations are slow.
            let curved = is_smooth(&a) || is_smooth(&b);
            let tol = match p.distance {
                _ if !curved => 1e-7,
                d if d > 0.0 => 1e-5,
                d if d > -0.05 => 1e-3,
                _ => 1e-2,
            };
            prop_assert!(signed_distance(&a, &xa, &p.p_wa).abs() < tol, "on a: {} at {}", signed_distance(&a, &xa, &p.p_wa), p.distance);
            prop_assert!(signed_distance(&b, &xb, &p.p_wb).abs() < tol, "on b: {} at {}", signed_distance(&b, &xb, &p.p_wb), p.distance);
        }
    }

    #[test]
    fn swapping_the_shapes_flips_the_normal(a in convex_shape(), b in convex_shape(), xa in pose(0.5), xb in pose(0.5)) {
        let (p, q) = (contacts((&a, &xa), (&b, &xb), MARGIN), contacts((&b, &xb), (&a, &xa), MARGIN));
        let tol = tolerance(&a, &b);
        match (deepest(&p), deepest(&q)) {
            (Some(p), Some(q)) => prop_assert!((p.distance - q.distance).abs() < tol),
            (p, q) => for d in [p, q].into_iter().flatten() {
                prop_assert!((d.distance - MARGIN).abs() < tol);
            },
        }
    }

    #[test]
    fn a_common_motion_changes_nothing(
        a in convex_shape(), b in convex_shape(), xa in pose(0.5), xb in pose(0.5), m in pose(3.0),
    ) {
        let (p, q) = (contacts((&a, &xa), (&b, &xb), MARGIN), contacts((&a, &(m * xa)), (&b, &(m * xb)), MARGIN));
        if let (Some(p), Some(q)) = (deepest(&p), deepest(&q)) {
            prop_assert!((p.distance - q.distance).abs() < tolerance(&a, &b), "{} {}", p.distance, q.distance);
        } else {
            prop_assert!(p.len() + q.len() <= 4);
        }
    }

    #[test]
    fn moving_b_out_along_the_normal_makes_them_touch(
        a in convex_shape(), b in convex_shape(), xa in pose(0.4), xb in pose(0.4),
    ) {
        if let Some(p) = deepest(&contacts((&a, &xa), (&b, &xb), MARGIN)) {
            let moved = Translation3::from(-p.distance * p.normal_w) * xb;
            let q = deepest(&contacts((&a, &xa), (&b, &moved), MARGIN));
            prop_assert!(q.is_some());
            prop_assert!(q.unwrap().distance.abs() < 10.0 * tolerance(&a, &b), "{} then {}", p.distance, q.unwrap().distance);
        }
    }

    #[test]
    fn depth_is_continuous_along_smooth_motion(
        a in convex_shape(), b in convex_shape(), xa in pose(0.4), xb in pose(0.4),
        v in vector(1.0), w in vector(1.0), log_step in -7.0..-1.0f64,
    ) {
        // Distance and depth are Lipschitz: they change by no more than the longest way a point of b goes.
        let h = 10f64.powf(log_step);
        let moved = Translation3::from(h * v) * Iso::from_parts(xb.translation, UnitQuaternion::from_scaled_axis(h * w) * xb.rotation);
        let way = h * (v.norm() + w.norm() * extent(&b));
        let (p, q) = (contacts((&a, &xa), (&b, &xb), MARGIN), contacts((&a, &xa), (&b, &moved), MARGIN));
        let tol = tolerance(&a, &b);
        match (deepest(&p), deepest(&q)) {
            (Some(p), Some(q)) => prop_assert!((p.distance - q.distance).abs() <= way + tol, "{} {} way {way}", p.distance, q.distance),
            (p, q) => for d in [p, q].into_iter().flatten() {
                prop_assert!(d.distance > MARGIN - way - tol);
            },
        }
    }

    #[test]
    fn no_direction_separates_with_less(
        a in convex_shape(), b in convex_shape(), xa in pose(0.5), xb in pose(0.5), d in vector(1.0), sizes in (-3..3i32, -3..3i32),
        overlap in 1e-6..0.3f64,
    ) {
        // From millimetres to hundreds of metres, touching with a given overlap along d.
        prop_assume!(d.norm() > 0.1);
        let (ka, kb) = (10f64.powi(sizes.0), 10f64.powi(sizes.1));
        let (a, b, d) = (scaled(&a, ka), scaled(&b, kb), d.normalize());
        let far = |s: &Shape, x: &Iso, d: &V3| x.rotation * s.support(&(x.rotation.inverse() * d)).unwrap();
        let reach = |s: &Shape, x: &Iso, d: &V3| far(s, x, d).dot(d);
        let overlap = overlap * ka.min(kb);
        let p_wb = xa.translation.vector + far(&a, &xa, &d) - d * overlap - far(&b, &xb, &-d);
        let xb = Iso::from_parts(p_wb.into(), xb.rotation);
        let p = deepest(&contacts((&a, &xa), (&b, &xb), 0.0));
        // Two sharp corners that pass each other sideways do not touch.
        prop_assume!(p.is_some());
        let p = p.unwrap();
        let size = ka.max(kb);
        prop_assert!(p.distance <= 1e-9 * size, "{}", p.distance);
        prop_assert!(-p.distance <= overlap + 1e-7 * size, "{} instead of {overlap}", -p.distance);
        // And the normal separates with exactly the depth.
        let apart = reach(&a, &xa, &p.normal_w) + reach(&b, &xb, &-p.normal_w)
            - (xb.translation.vector - xa.translation.vector).dot(&p.normal_w);
        prop_assert!((apart + p.distance).abs() < 1e-7 * size, "{apart} {}", p.distance);
    }

    #[test]
    fn a_box_and_its_hull_have_the_same_manifold(
        h in [0.1..0.6f64, 0.1..0.6f64, 0.1..0.6f64], b in polytope(), xa in pose(0.4), xb in pose(0.4), flat in any::<bool>(),
    ) {
        let h = V3::from(h);
        let corners: Vec<V3> = (0..8)
            .map(|i| V3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64) * 2.0 - V3::repeat(1.0))
            .map(|c| c.component_mul(&h))
            .collect();
        let (cuboid, hull) = (Shape::cuboid(h).unwrap(), Shape::convex_hull(&corners).unwrap());
        // Half of the time face on face.
        let yaw = UnitQuaternion::from_axis_angle(&V3::z_axis(), 3.0 * xb.translation.x);
        let xb = if flat { xa * Iso::from_parts(xb.translation, yaw) } else { xb };
        let (p, q) = (contacts((&cuboid, &xa), (&b, &xb), 0.0), contacts((&hull, &xa), (&b, &xb), 0.0));
        match (deepest(&p), deepest(&q)) {
            (Some(d), Some(e)) => {
                prop_assert!((d.distance - e.distance).abs() < 1e-9);
                // Where two axes or two faces along the axis are equally good each may choose its own.
                let on_face = (xa.rotation.inverse() * d.normal_w).amax() > 1.0 - 1e-9;
                if on_face && (d.normal_w - e.normal_w).norm() < 1e-6 {
                    prop_assert!((area(&p) - area(&q)).abs() < 1e-5, "{} {}", area(&p), area(&q));
                }
            }
            (None, None) => {}
            (d, e) => for d in [d, e].into_iter().flatten() {
                prop_assert!(d.distance.abs() < 1e-9);
            },
        }
    }
}

/// Area of the polygon of points, seen along their normal.
fn area(points: &[stiction_geometry::ContactPoint]) -> f64 {
    let origin = points[0].p_wa;
    let corner = |k: usize| points[k % points.len()].p_wa - origin;
    (0..points.len()).map(|k| corner(k).cross(&corner(k + 1))).sum::<V3>().dot(&points[0].normal_w).abs()
        / 2.0
}

#[test]
fn poses_that_are_not_finite_do_no_harm() {
    let shapes = [
        Shape::HalfSpace,
        Shape::sphere(0.4).unwrap(),
        Shape::cuboid(V3::new(0.3, 0.4, 0.5)).unwrap(),
        Shape::capsule(0.2, 0.4).unwrap(),
        Shape::cylinder(0.3, 0.5).unwrap(),
        Shape::ellipsoid(V3::new(0.3, 0.4, 0.5)).unwrap(),
        Shape::convex_hull(&[V3::zeros(), V3::x(), V3::y(), V3::z()]).unwrap(),
        Shape::mesh(vec![V3::zeros(), V3::x(), V3::y()], vec![[0, 1, 2]]).unwrap(),
    ];
    let bad = [
        Iso::translation(f64::NAN, 0.0, 0.0),
        Iso::translation(f64::INFINITY, 0.0, 0.0),
        Iso::translation(1e300, 0.0, 0.0),
    ];
    for a in &shapes {
        for b in &shapes {
            for x in &bad {
                contacts((a, &Iso::identity()), (b, x), 0.1);
                contacts((a, x), (b, x), 0.1);
            }
        }
    }
}
