//! Cylinders, ellipsoids, capsules, boxes and hulls of 10 to 1000 vertices: depth and normal against a search over directions, and
//! manifolds that do not jump.

mod common;

use std::sync::LazyLock;

use common::*;
use nalgebra::{Translation3, UnitQuaternion};
use proptest::prelude::*;
use stiction_geometry::{ContactPoint, Shape};

fn cloud(count: usize, seed: u64) -> Shape {
    let mut random = stiction_base::random::Random(seed);
    let points: Vec<V3> = (0..count)
        .map(|_| {
            V3::new(random.sym(), random.sym(), random.sym())
                .normalize()
                .component_mul(&V3::new(0.3, 0.25, 0.4))
        })
        .collect();
    Shape::convex_hull(&points).unwrap()
}

static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    vec![
        Shape::cylinder(0.3, 0.4).unwrap(),
        Shape::cylinder(0.3, 0.02).unwrap(),
        Shape::ellipsoid(V3::new(0.2, 0.3, 0.4)).unwrap(),
        Shape::ellipsoid(V3::new(0.4, 0.4, 0.03)).unwrap(),
        Shape::capsule(0.1, 0.3).unwrap(),
        Shape::cuboid(V3::new(0.2, 0.3, 0.25)).unwrap(),
        cloud(10, 1),
        cloud(200, 2),
        cloud(1000, 3),
    ]
});

/// How far b reaches into a along a unit vector from a to b; negative if apart.
fn reach(a: (&Shape, &Iso), b: (&Shape, &Iso), n: &V3) -> f64 {
    let far = |(s, x): (&Shape, &Iso), n: &V3| {
        (x * nalgebra::Point3::from(s.support(&(x.rotation.inverse() * n)).unwrap())).coords.dot(n)
    };
    far(a, n) + far(b, &-n)
}

/// Checks one pose; whether the shapes are within the margin.
fn check(
    a: &Shape,
    b: &Shape,
    x: &Iso,
    random: &mut stiction_base::random::Random,
) -> Result<bool, TestCaseError> {
    const MARGIN: f64 = 0.02;
    let o = Iso::identity();
    let h = |n: &V3| reach((a, &o), (b, x), n);
    let points = contacts((a, &o), (b, x), MARGIN);
    let mut vector = || V3::new(random.sym(), random.sym(), random.sym());
    let Some(p) = deepest(&points) else {
        // Apart by more than the margin: some direction shows it.
        return Ok(false);
    };
    let (n, depth) = (p.normal_w, h(&p.normal_w));
    // The direction between points that are apart by little is as well known as their positions are.
    let rounding = 1e-13 + if p.distance > 0.0 { 1e-15 / p.distance } else { 0.0 };
    // The deepest corner of a manifold stands for the deepest point if it is as deep to 1e-9 of the size.
    prop_assert!(
        (-1e-9 - rounding..=rounding).contains(&(-p.distance - depth)),
        "{p:?}: {depth} along the normal"
    );
    // Nowhere less, nearby to rounding: a slope would show.
    for _ in 0..300 {
        let d = vector().normalize();
        prop_assert!(h(&d) >= depth - 1e-7, "{p:?}: {} along {d:?}", h(&d));
    }
    for k in 0..60 {
        let d = (n + vector() * 10f64.powi(-1 - k % 6)).normalize();
        let slack = if k % 6 >= 2 { 10.0 * rounding } else { 1e-7 };
        prop_assert!(h(&d) >= depth - slack, "{p:?}: {} instead of {depth} along {d:?}", h(&d));
    }
    Ok(true)
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn no_direction_is_shallower_and_the_normal_is_stationary(
        i in 0..9usize, j in 0..9usize, turn in rotation(), d in vector(1.0), log_depth in -8.0..-1.0f64, seed in any::<u64>(),
    ) {
        prop_assume!(d.norm() > 0.1);
        let (a, b, d) = (&SHAPES[i], &SHAPES[j], d.normalize());
        // Just touching along d, then closer or further.
        let at = |t: f64| Iso::from_parts(Translation3::from(d * t), turn);
        let (mut near, mut far) = (0.0, 3.0);
        for _ in 0..45 {
            let middle = 0.5 * (near + far);
            let touching = !contacts((a, &Iso::identity()), (b, &at(middle)), 0.0).is_empty();
            *(if touching { &mut near } else { &mut far }) = middle;
        }
        let mut random = stiction_base::random::Random(seed);
        let depth = 10f64.powf(log_depth);
        prop_assert!(check(a, b, &at(near - depth), &mut random)?);
        check(a, b, &at(near + 0.1 * depth), &mut random)?;
    }
}

/// Force and torque about the origin of springs of unit stiffness shared by the points, on b.
fn wrench(points: &[ContactPoint]) -> (V3, V3) {
    let share = 1.0 / points.len() as f64;
    points.iter().fold((V3::zeros(), V3::zeros()), |(f, t), p| {
        let force = p.normal_w * (-p.distance * share).max(0.0);
        (f + force, t + p.p_wa.cross(&force))
    })
}

#[test]
fn what_stands_on_a_face_is_held_alike_however_it_is_turned() {
    let ground = Shape::cuboid(V3::new(1.0, 1.0, 0.1)).unwrap();
    let x_wg = Iso::translation(0.0, 0.0, -0.1);
    for (shape, half) in
        [(Shape::cylinder(0.2, 0.3).unwrap(), 0.3), (Shape::cylinder(0.2, 0.01).unwrap(), 0.01)]
    {
        // Sunk by 1 mm and tilted by less than what lifts a part of the cap.
        for tilt in [0.0, 1e-9, 1e-6, 1e-4, 1e-3] {
            let mut last: Option<(V3, V3)> = None;
            for k in 0..200 {
                let azimuth = 0.01 * f64::from(k);
                let axis = V3::new(azimuth.cos(), azimuth.sin(), 0.0);
                let turn = UnitQuaternion::from_scaled_axis(axis * tilt)
                    * UnitQuaternion::from_scaled_axis(V3::z() * 0.3 * azimuth);
                let x = Iso::from_parts(Translation3::new(0.1, 0.2, half - 1e-3), turn);
                let points = contacts((&ground, &x_wg), (&shape, &x), 0.0);
                assert_eq!(points.len(), 8, "{tilt} {azimuth}");
                let (f, t) = wrench(&points);
                // Springs of a disc: the mean depth at its middle.
                assert!(
                    (f.z - 1e-3).abs() < 1e-5 * (1.0 + half) && f.xy().norm() < 1e-12 + 1e-3 * tilt,
                    "{f:?}"
                );
                if let Some((_, before)) = last {
                    assert!((t - before).norm() <= 1e-9 + 0.02 * tilt, "{tilt} {azimuth}: {before:?} {t:?}");
                }
                last = Some((f, t));
            }
        }
    }
}

#[test]
fn what_lies_on_its_side_keeps_two_points_as_it_rolls() {
    let ground = Shape::cuboid(V3::new(1.0, 1.0, 0.1)).unwrap();
    let x_wg = Iso::translation(0.0, 0.0, -0.1);
    for shape in [Shape::cylinder(0.2, 0.3).unwrap(), Shape::capsule(0.2, 0.3).unwrap()] {
        for k in 0..500 {
            let roll = 0.01 * f64::from(k);
            let turn = UnitQuaternion::from_scaled_axis(V3::y() * std::f64::consts::FRAC_PI_2)
                * UnitQuaternion::from_scaled_axis(V3::z() * roll);
            let x = Iso::from_parts(Translation3::new(0.1 + 0.2 * roll * 0.1, 0.2, 0.2 - 1e-5), turn);
            let points = contacts((&ground, &x_wg), (&shape, &x), 0.0);
            assert_eq!(points.len(), 2, "{roll}");
            for p in &points {
                assert!((p.distance + 1e-5).abs() < 1e-12 && (p.normal_w - V3::z()).norm() < 1e-9, "{p:?}");
            }
            assert!(((points[0].p_wa - points[1].p_wa).norm() - 0.6).abs() < 1e-9);
        }
    }
}

proptest! {
    #![proptest_config(cases(4000))]

    /// Over the edge of a box a disc is as deep as it is below the top, or as its rim is past the edge if that is less, and the
    /// normal is that of the face in question: nothing in between, also where the two differ by less than a billionth of the size.
    #[test]
    fn a_disc_over_an_edge_has_the_normal_of_a_face(
        log_depth in -9.0..-5.0f64, log_past in -11.0..-1.5f64, along in -0.06..0.06f64, turn in -3.0..3.0f64,
        thin in any::<bool>(), hull in any::<bool>(), placed in prop_oneof![Just(None), (rotation(), vector(1.0)).prop_map(Some)],
    ) {
        let (depth, past) = (10f64.powf(log_depth), 10f64.powf(log_past));
        // As deep along both: either is right.
        prop_assume!((depth - past).abs() > 1e-4 * depth && past < 0.05);
        let sides = V3::new(0.1, 0.1, 0.01);
        let tile = if hull {
            let corners: Vec<V3> = (0..8).map(|k| V3::from_fn(|i, _| if k >> i & 1 == 0 { sides[i] } else { -sides[i] })).collect();
            Shape::convex_hull(&corners).unwrap()
        } else {
            Shape::cuboid(sides).unwrap()
        };
        let half = if thin { 1e-3 } else { 0.01 };
        let disc = Shape::cylinder(0.03, half).unwrap();
        let world = placed.map_or(Iso::identity(), |(r, d)| Iso::from_parts(Translation3::from(d), r));
        let x_tile = world * Iso::translation(0.0, 0.0, -sides.z);
        let x_disc = world
            * Iso::from_parts(
                Translation3::new(-sides.x - 0.03 + past, along, half - depth),
                UnitQuaternion::from_scaled_axis(V3::z() * turn),
            );
        let points = contacts((&tile, &x_tile), (&disc, &x_disc), 1e-6);
        let want = world.rotation * if depth < past { V3::z() } else { -V3::x() };
        let deepest = deepest(&points).unwrap();
        // Known to a millionth, and to 1e-12 of the size.
        let (want_depth, size) = (depth.min(past), 0.3);
        prop_assert!((deepest.distance + want_depth).abs() < 1e-6 * want_depth + 1e-12 * size, "{deepest:?}, {depth:e} {past:e}");
        for p in &points {
            prop_assert!((p.normal_w - want).norm() < 1e-9, "{p:?}, not {want:?}: {depth:e} {past:e} {:e}", (p.normal_w - want).norm());
        }
    }
}
