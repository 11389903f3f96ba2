//! Paths around spheres and cylinders: against brute force, and what every taut path must fulfil.

use nalgebra::{Rotation3, Vector2, Vector3};
use proptest::prelude::*;
use stiction_geometry::wrap::{Round, Wrap, wrap};

type V3 = Vector3<f64>;

fn point() -> impl Strategy<Value = V3> {
    (-2.0..2.0f64, -2.0..2.0f64, -2.0..2.0f64).prop_map(|(x, y, z)| V3::new(x, y, z))
}

fn length(path: &Option<Wrap>, p0: &V3, p1: &V3) -> f64 {
    match path {
        None => (p1 - p0).norm(),
        Some(w) => (w.first - p0).norm() + w.length + (p1 - w.last).norm(),
    }
}

/// Shortest path in the plane past a circle of radius 1, over points `n` to the turn on the circle.
fn brute_force(d0: &Vector2<f64>, d1: &Vector2<f64>, n: usize) -> f64 {
    let clear = |a: &Vector2<f64>, b: &Vector2<f64>| {
        let along = b - a;
        let t = (-a.dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (a + t * along).norm() >= 1.0 - 1e-9
    };
    if clear(d0, d1) {
        return (d1 - d0).norm();
    }
    let circle: Vec<_> = (0..n)
        .map(|i| std::f64::consts::TAU * i as f64 / n as f64)
        .map(|a| Vector2::new(a.cos(), a.sin()))
        .collect();
    // Slightly outside, so that a tangent counts as clear.
    let seen = |d: &Vector2<f64>| -> Vec<(usize, f64)> {
        let each = circle.iter().enumerate().filter(|(_, c)| clear(d, &(*c * (1.0 + 1e-3))));
        each.map(|(i, c)| (i, (c - d).norm())).collect()
    };
    let mut best = f64::INFINITY;
    for (i, before) in seen(d0) {
        for (j, after) in seen(d1) {
            let steps = i.abs_diff(j).min(n - i.abs_diff(j));
            best = best.min(before + std::f64::consts::TAU * steps as f64 / n as f64 + after);
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_path_past_a_cylinder_is_shorter(a in point(), b in point()) {
        let (p0, p1) = (V3::new(a.x, a.y, 0.0), V3::new(b.x, b.y, 0.0));
        prop_assume!(p0.norm() > 1.05 && p1.norm() > 1.05);
        let ours = length(&wrap(Round::Cylinder(1.0), &p0, &p1, None), &p0, &p1);
        let best = brute_force(&p0.xy(), &p1.xy(), 720);
        // The grid is a hundredth of a radian wide, and its tangents a little off.
        prop_assert!((ours - best).abs() < 0.02, "{} {}", ours, best);
    }

    #[test]
    fn the_way_past_a_sphere_is_that_past_a_circle_in_its_plane(a in point(), b in point()) {
        prop_assume!(a.norm() > 1.05 && b.norm() > 1.05 && a.cross(&b).norm() > 1e-3);
        let ours = length(&wrap(Round::Sphere(1.0), &a, &b, None), &a, &b);
        let angle = a.angle(&b);
        let (d0, d1) = (Vector2::new(a.norm(), 0.0), Vector2::new(angle.cos(), angle.sin()) * b.norm());
        prop_assert!((ours - brute_force(&d0, &d1, 720)).abs() < 0.02);
    }

    #[test]
    fn a_path_leaves_along_the_tangent_and_climbs_a_cylinder_evenly(a in point(), b in point(), side in point()) {
        prop_assume!(side.xy().norm() > 1.01);
        if let Some(w) = wrap(Round::Cylinder(1.0), &a, &b, Some(&side)) {
            let (u0, u1) = ((w.first - a).normalize(), (b - w.last).normalize());
            prop_assert!(u0.xy().dot(&w.first.xy()).abs() < 1e-9 && u1.xy().dot(&w.last.xy()).abs() < 1e-9);
            prop_assert!((w.first.xy().norm() - 1.0).abs() < 1e-12);
            let pitch = (w.last.z - w.first.z) / w.length;
            prop_assert!((u0.z - pitch).abs() < 1e-6 && (u1.z - pitch).abs() < 1e-6);
        }
    }

    #[test]
    fn lengths_are_continuous_in_the_end_points(a in point(), b in point(), d in point(), sphere in any::<bool>()) {
        let round = if sphere { Round::Sphere(1.0) } else { Round::Cylinder(1.0) };
        let far = |p: &V3| if sphere { p.norm() } else { p.xy().norm() };
        let moved = a + 1e-6 * d;
        prop_assume!(far(&a) > 1.01 && far(&b) > 1.01 && far(&moved) > 1.01);
        let (l0, l1) = (length(&wrap(round, &a, &b, None), &a, &b), length(&wrap(round, &moved, &b, None), &moved, &b));
        prop_assert!((l0 - l1).abs() <= 1.000001e-6 * d.norm(), "{} {}", l0, l1);
    }

    #[test]
    fn a_path_through_the_inside_is_the_shortest_by_a_point_of_the_rim(a in point(), b in point()) {
        let (p0, p1) = (V3::new(a.x, a.y, 0.0), V3::new(b.x, b.y, 0.0));
        prop_assume!(p0.norm() > 1.05 && p1.norm() > 1.05);
        if let Some(w) = wrap(Round::Cylinder(1.0), &p0, &p1, Some(&V3::zeros())) {
            let ours = length(&Some(w), &p0, &p1);
            for i in 0..3600 {
                let turn = Rotation3::from_axis_angle(&V3::z_axis(), i as f64 * std::f64::consts::TAU / 3600.0);
                let x = turn * V3::x();
                prop_assert!((x - p0).norm() + (p1 - x).norm() >= ours - 1e-12);
            }
        }
    }

    #[test]
    fn turning_everything_turns_the_path(a in point(), b in point(), s in point(), angle in -3.0..3.0f64) {
        prop_assume!(s.norm() > 1.01);
        let turn = Rotation3::from_axis_angle(&V3::z_axis(), angle);
        for round in [Round::Sphere(1.0), Round::Cylinder(1.0)] {
            let (one, two) = (wrap(round, &a, &b, Some(&s)), wrap(round, &(turn * a), &(turn * b), Some(&(turn * s))));
            let (l1, l2) = (length(&one, &a, &b), length(&two, &(turn * a), &(turn * b)));
            prop_assert!((l1 - l2).abs() < 1e-9);
        }
    }
}

/// Near the axis but far along it, a side point is not inside: it chooses the way round.
#[test]
fn a_side_point_far_along_the_axis_of_a_cylinder_is_outside() {
    let (a, b) = (V3::new(-3.0, 0.2, 0.0), V3::new(3.0, 0.2, 0.0));
    let through = |z: f64| wrap(Round::Cylinder(1.0), &a, &b, Some(&V3::new(0.0, -0.5, z)));
    assert_eq!(through(0.0), None, "a straight way leads through the inside");
    let below = through(2.0).expect("the path goes round");
    assert!(below.first.y < 0.0 && below.last.y < 0.0, "{below:?}");
}

#[test]
fn the_side_point_decides_the_way_round() {
    let (p0, p1) = (V3::new(-2.0, -0.5, 0.0), V3::new(2.0, -0.5, 0.0));
    let below = wrap(Round::Cylinder(1.0), &p0, &p1, Some(&V3::new(0.0, -1.5, 0.0))).unwrap();
    let above = wrap(Round::Cylinder(1.0), &p0, &p1, Some(&V3::new(0.0, 1.5, 0.0))).unwrap();
    assert!(below.first.y < 0.0 && above.first.y > 0.0 && above.length > below.length);
}

#[test]
fn a_string_from_two_radii_away_on_either_side_turns_by_sixty_degrees() {
    // Tangents from distance 2 R touch 60° away from the end points' rays: 180° − 120° remain.
    let w = wrap(Round::Sphere(0.5), &V3::new(-1.0, 0.0, 0.0), &V3::new(1.0, 1e-9, 0.0), None).unwrap();
    assert!((w.length - 0.5 * std::f64::consts::FRAC_PI_3).abs() < 1e-8);
    assert!(((w.first - V3::new(-1.0, 0.0, 0.0)).norm() - 0.75f64.sqrt()).abs() < 1e-8);
}
