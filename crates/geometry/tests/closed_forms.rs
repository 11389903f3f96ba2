//! Contacts that can be worked out with a pencil.

mod common;

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use common::*;
use stiction_geometry::{ContactPoint, Shape};

fn at(x: f64, y: f64, z: f64) -> Iso {
    Iso::translation(x, y, z)
}

fn turned(x: f64, y: f64, z: f64, axis: V3) -> Iso {
    Iso::new(V3::new(x, y, z), axis)
}

fn close(p: &ContactPoint, n: V3, distance: f64, p_wa: V3) {
    let wrong = (p.normal_w - n).norm().max((p.distance - distance).abs()).max((p.p_wa - p_wa).norm());
    assert!(wrong < 1e-9, "{p:?}\nexpected n {n:?} distance {distance} p_wa {p_wa:?}");
}

fn area(points: &[ContactPoint]) -> f64 {
    let mut sum = V3::zeros();
    for k in 0..points.len() {
        sum += points[k].p_wa.cross(&points[(k + 1) % points.len()].p_wa) / 2.0;
    }
    sum.norm()
}

fn ball(r: f64) -> Shape {
    Shape::sphere(r).unwrap()
}
fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(V3::new(x, y, z)).unwrap()
}
fn capsule(r: f64, l: f64) -> Shape {
    Shape::capsule(r, l).unwrap()
}
fn cylinder(r: f64, l: f64) -> Shape {
    Shape::cylinder(r, l).unwrap()
}
fn cube_hull(h: f64) -> Shape {
    let p: Vec<V3> = (0..8)
        .map(|i| V3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64) * 2.0 * h - V3::repeat(h))
        .collect();
    Shape::convex_hull(&p).unwrap()
}

#[test]
fn two_spheres_touch_on_the_line_of_centres() {
    let c = contacts((&ball(1.0), &at(0.0, 0.0, 0.0)), (&ball(0.5), &at(0.0, 1.4, 0.0)), 0.0);
    assert_eq!(c.len(), 1);
    close(&c[0], V3::y(), -0.1, V3::y());
}

#[test]
fn everything_rests_on_the_half_space_at_its_lowest_points() {
    let ground = Shape::HalfSpace;
    let o = Iso::identity();
    let cases: Vec<(Shape, Iso, usize)> = vec![
        (ball(0.5), at(1.0, 2.0, 0.49), 1),
        (cuboid(0.1, 0.2, 0.3), at(0.0, 0.0, 0.29), 4),
        (capsule(0.2, 0.5), turned(0.0, 0.0, 0.19, V3::y() * FRAC_PI_2), 2),
        (capsule(0.2, 0.5), at(0.0, 0.0, 0.69), 1),
        (cylinder(0.2, 0.5), at(0.0, 0.0, 0.49), 4),
        (cylinder(0.2, 0.5), turned(0.0, 0.0, 0.19, V3::y() * FRAC_PI_2), 2),
        (Shape::ellipsoid(V3::new(0.1, 0.2, 0.3)).unwrap(), at(0.0, 0.0, 0.29), 1),
        (cube_hull(0.3), at(0.0, 0.0, 0.29), 4),
    ];
    for (shape, x, count) in cases {
        let c = contacts((&ground, &o), (&shape, &x), 0.0);
        assert_eq!(c.len(), count, "{shape:?} {c:?}");
        for p in &c {
            assert!((p.distance + 0.01).abs() < 1e-12 && (p.normal_w - V3::z()).norm() < 1e-12, "{p:?}");
            assert!(p.p_wa.z.abs() < 1e-12 && (p.p_wb.z + 0.01).abs() < 1e-12);
        }
    }
}

#[test]
fn sphere_against_box_face_edge_and_corner() {
    let (b, s) = (cuboid(1.0, 1.0, 1.0), ball(0.5));
    let o = Iso::identity();
    close(&contacts((&b, &o), (&s, &at(0.2, 0.3, 1.4)), 0.0)[0], V3::z(), -0.1, V3::new(0.2, 0.3, 1.0));
    let d = 0.4 / 2f64.sqrt();
    let n = V3::new(1.0, 0.0, 1.0).normalize();
    close(&contacts((&b, &o), (&s, &at(1.0 + d, 0.3, 1.0 + d)), 0.0)[0], n, -0.1, V3::new(1.0, 0.3, 1.0));
    let d = 0.4 / 3f64.sqrt();
    close(
        &contacts((&b, &o), (&s, &at(1.0 + d, 1.0 + d, 1.0 + d)), 0.0)[0],
        V3::repeat(1.0).normalize(),
        -0.1,
        V3::repeat(1.0),
    );
    // The centre inside: out through the nearest face.
    close(&contacts((&b, &o), (&s, &at(0.1, -0.9, 0.2)), 0.0)[0], -V3::y(), -0.6, V3::new(0.1, -1.0, 0.2));
}

#[test]
fn sphere_against_capsule_cylinder_and_hull() {
    let o = Iso::identity();
    close(
        &contacts((&capsule(0.2, 1.0), &o), (&ball(0.5), &at(0.6, 0.0, 0.3)), 0.0)[0],
        V3::x(),
        -0.1,
        V3::new(0.2, 0.0, 0.3),
    );
    close(
        &contacts((&capsule(0.2, 1.0), &o), (&ball(0.5), &at(0.0, 0.0, 1.6)), 0.0)[0],
        V3::z(),
        -0.1,
        V3::z() * 1.2,
    );
    close(
        &contacts((&cylinder(0.2, 1.0), &o), (&ball(0.5), &at(0.6, 0.0, 0.3)), 0.0)[0],
        V3::x(),
        -0.1,
        V3::new(0.2, 0.0, 0.3),
    );
    close(
        &contacts((&cylinder(0.2, 1.0), &o), (&ball(0.5), &at(0.1, 0.0, 1.4)), 0.0)[0],
        V3::z(),
        -0.1,
        V3::new(0.1, 0.0, 1.0),
    );
    let d = 0.4 / 2f64.sqrt();
    let n = V3::new(1.0, 0.0, 1.0).normalize();
    close(
        &contacts((&cylinder(0.2, 1.0), &o), (&ball(0.5), &at(0.2 + d, 0.0, 1.0 + d)), 0.0)[0],
        n,
        -0.1,
        V3::new(0.2, 0.0, 1.0),
    );
    close(
        &contacts((&cube_hull(1.0), &o), (&ball(0.5), &at(1.0 + d, 0.0, 1.0 + d)), 0.0)[0],
        n,
        -0.1,
        V3::new(1.0, 0.0, 1.0),
    );
    close(
        &contacts((&cube_hull(1.0), &o), (&ball(0.5), &at(0.3, 0.1, 0.8)), 0.0)[0],
        V3::z(),
        -0.7,
        V3::new(0.3, 0.1, 1.0),
    );
}

#[test]
fn crossed_capsules_meet_in_one_point_and_parallel_ones_along_the_shared_stretch() {
    let o = Iso::identity();
    let crossed = contacts(
        (&capsule(0.2, 1.0), &o),
        (&capsule(0.3, 1.0), &turned(0.4, 0.0, 0.0, V3::x() * FRAC_PI_2)),
        0.0,
    );
    assert_eq!(crossed.len(), 1);
    close(&crossed[0], V3::x(), -0.1, V3::x() * 0.2);
    let parallel = contacts((&capsule(0.2, 1.0), &o), (&capsule(0.3, 1.0), &at(0.4, 0.0, 0.5)), 0.0);
    assert_eq!(parallel.len(), 2);
    close(&parallel[0], V3::x(), -0.1, V3::new(0.2, 0.0, -0.5));
    close(&parallel[1], V3::x(), -0.1, V3::new(0.2, 0.0, 1.0));
    let antiparallel =
        contacts((&capsule(0.2, 1.0), &o), (&capsule(0.3, 1.0), &turned(0.4, 0.0, 0.5, V3::x() * PI)), 0.0);
    assert_eq!(antiparallel.len(), 2);
}

#[test]
fn a_capsule_lies_on_a_box_with_two_points_and_overhangs_to_the_edge() {
    let lying = turned(0.0, 0.0, 1.19, V3::y() * FRAC_PI_2);
    let c = contacts((&cuboid(1.0, 1.0, 1.0), &Iso::identity()), (&capsule(0.2, 0.5), &lying), 0.0);
    assert_eq!(c.len(), 2);
    close(&c[0], V3::z(), -0.01, V3::new(-0.5, 0.0, 1.0));
    close(&c[1], V3::z(), -0.01, V3::new(0.5, 0.0, 1.0));
    let over = turned(0.8, 0.0, 1.19, V3::y() * FRAC_PI_2);
    let c = contacts((&cuboid(1.0, 1.0, 1.0), &Iso::identity()), (&capsule(0.2, 0.5), &over), 0.0);
    assert_eq!(c.len(), 2);
    close(&c[1], V3::z(), -0.01, V3::new(1.0, 0.0, 1.0));
}

#[test]
fn box_on_box_has_the_area_of_the_contact_polygon() {
    let base = cuboid(1.0, 1.0, 0.5);
    let top = cuboid(0.5, 0.5, 0.5);
    let o = Iso::identity();
    // Inside, overhanging, turned by 45 degrees (inside) and an octagon.
    let full = contacts((&base, &o), (&top, &at(0.1, 0.2, 0.99)), 0.0);
    assert_eq!(full.len(), 4);
    assert!((area(&full) - 1.0).abs() < 1e-9);
    assert!(full.iter().all(|p| (p.distance + 0.01).abs() < 1e-12 && p.normal_w == V3::z()));
    let over = contacts((&base, &o), (&top, &at(0.8, 0.9, 0.99)), 0.0);
    assert!((area(&over) - 0.7 * 0.6).abs() < 1e-9);
    let turned_top = contacts((&base, &o), (&top, &turned(0.0, 0.0, 0.99, V3::z() * FRAC_PI_4)), 0.0);
    assert!((area(&turned_top) - 1.0).abs() < 1e-9);
    let octagon =
        contacts((&base, &o), (&cuboid(1.0, 1.0, 0.5), &turned(0.0, 0.0, 0.99, V3::z() * FRAC_PI_4)), 0.0);
    assert_eq!(octagon.len(), 8);
    assert!((area(&octagon) - 8.0 * (2f64.sqrt() - 1.0)).abs() < 1e-9);
    // The same with hulls.
    let hulls =
        contacts((&cube_hull(1.0), &o), (&cube_hull(1.0), &turned(0.0, 0.0, 1.99, V3::z() * FRAC_PI_4)), 0.0);
    assert_eq!(hulls.len(), 8);
    assert!((area(&hulls) - 8.0 * (2f64.sqrt() - 1.0)).abs() < 1e-9);
}

#[test]
fn crossed_box_edges_touch_in_one_point() {
    let b = cuboid(0.5, 2.0, 0.5);
    let lower = turned(0.0, 0.0, 0.0, V3::y() * FRAC_PI_4);
    let h = 2.0 * 0.5 * 2f64.sqrt();
    let upper = Iso::new(V3::new(0.1, 0.2, h - 0.01), V3::z() * FRAC_PI_2)
        * turned(0.0, 0.0, 0.0, V3::y() * FRAC_PI_4);
    let c = contacts((&b, &lower), (&b, &upper), 0.0);
    assert_eq!(c.len(), 1);
    close(&c[0], V3::z(), -0.01, V3::new(0.0, 0.2, h / 2.0));
}

#[test]
fn box_corner_pushed_into_a_face_is_one_point() {
    let corner_down = nalgebra::UnitQuaternion::rotation_between(&V3::repeat(-1.0), &-V3::z()).unwrap();
    let x =
        Iso::from_parts(nalgebra::Translation3::new(0.3, 0.2, 1.0 + 0.5 * 3f64.sqrt() - 0.01), corner_down);
    let c = contacts((&cuboid(1.0, 1.0, 1.0), &Iso::identity()), (&cuboid(0.5, 0.5, 0.5), &x), 0.0);
    assert_eq!(c.len(), 1);
    close(&c[0], V3::z(), -0.01, V3::new(0.3, 0.2, 1.0));
}

#[test]
fn upright_cylinder_on_a_box_rests_on_its_rim() {
    let c =
        contacts((&cuboid(1.0, 1.0, 1.0), &Iso::identity()), (&cylinder(0.3, 0.5), &at(0.1, 0.0, 1.49)), 0.0);
    assert_eq!(c.len(), 8);
    assert!(c.iter().all(|p| (p.distance + 0.01).abs() < 1e-9 && (p.normal_w - V3::z()).norm() < 1e-9));
    assert!((area(&c) - 2.0 * 2f64.sqrt() * 0.09).abs() < 1e-6, "an octagon: {}", area(&c));
    let lying = contacts(
        (&cuboid(1.0, 1.0, 1.0), &Iso::identity()),
        (&cylinder(0.3, 0.5), &turned(0.0, 0.0, 1.29, V3::y() * FRAC_PI_2)),
        0.0,
    );
    assert_eq!(lying.len(), 2);
}

#[test]
fn margin_returns_points_before_they_touch() {
    let c = contacts(
        (&cuboid(1.0, 1.0, 1.0), &Iso::identity()),
        (&cuboid(0.5, 0.5, 0.5), &at(0.0, 0.0, 1.51)),
        0.02,
    );
    assert_eq!(c.len(), 4);
    assert!(c.iter().all(|p| (p.distance - 0.01).abs() < 1e-12));
    assert!(
        contacts(
            (&cuboid(1.0, 1.0, 1.0), &Iso::identity()),
            (&cuboid(0.5, 0.5, 0.5), &at(0.0, 0.0, 1.51)),
            0.005
        )
        .is_empty()
    );
    // Corner near corner: the distance is that of the corners.
    let c = contacts(
        (&cuboid(1.0, 1.0, 1.0), &Iso::identity()),
        (&cuboid(1.0, 1.0, 1.0), &at(2.01, 2.01, 2.01)),
        0.0175,
    );
    assert_eq!(c.len(), 1);
    close(&c[0], V3::repeat(1.0).normalize(), 0.01 * 3f64.sqrt(), V3::repeat(1.0));
}

#[test]
fn concentric_shapes_separate_along_some_finite_direction() {
    let shapes = [
        ball(0.4),
        cuboid(0.3, 0.4, 0.5),
        capsule(0.2, 0.4),
        cylinder(0.3, 0.5),
        Shape::ellipsoid(V3::new(0.3, 0.4, 0.5)).unwrap(),
        cube_hull(0.4),
    ];
    for a in &shapes {
        for b in &shapes {
            for x in [
                Iso::identity(),
                turned(0.0, 0.0, 0.0, V3::new(0.3, 0.2, 0.9)),
                turned(0.0, 0.0, 1e-13, V3::x() * 1e-13),
            ] {
                let c = contacts((a, &Iso::identity()), (b, &x), 0.0);
                assert!(!c.is_empty(), "{a:?} {b:?}");
                for p in c {
                    assert!(
                        p.distance < -0.1 && p.distance > -1.5 && (p.normal_w.norm() - 1.0).abs() < 1e-12
                    );
                    assert!(p.p_wa.iter().chain(p.p_wb.iter()).all(|v| v.is_finite()));
                }
            }
        }
    }
}

#[test]
fn mass_properties_match_the_textbook() {
    let m = cuboid(0.5, 1.0, 1.5).mass_properties(2.0).unwrap();
    let h = cube_hull(0.5).mass_properties(3.0).unwrap();
    assert!((m.mass - 12.0).abs() < 1e-12 && (m.inertia[(0, 0)] - 12.0 * (4.0 + 9.0) / 12.0).abs() < 1e-12);
    assert!(
        (h.mass - 3.0).abs() < 1e-12
            && (h.inertia[(1, 1)] - 3.0 * 2.0 / 12.0).abs() < 1e-12
            && h.com.norm() < 1e-12
    );
    // A fine hull of each smooth shape converges to its closed form.
    let directions: Vec<V3> = (0..6000)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / 6000.0;
            let a = i as f64 * PI * (3.0 - 5f64.sqrt());
            V3::new(a.cos(), a.sin(), 0.0) * (1.0 - z * z).sqrt() + V3::z() * z
        })
        .collect();
    for s in [ball(0.4), capsule(0.2, 0.4), Shape::ellipsoid(V3::new(0.3, 0.4, 0.5)).unwrap()] {
        let points: Vec<V3> = directions.iter().map(|d| s.support(d).unwrap()).collect();
        let (fine, exact) = (
            Shape::convex_hull(&points).unwrap().mass_properties(1.0).unwrap(),
            s.mass_properties(1.0).unwrap(),
        );
        assert!((fine.mass / exact.mass - 1.0).abs() < 3e-3, "{s:?} {} {}", fine.mass, exact.mass);
        for k in 0..3 {
            assert!((fine.inertia[(k, k)] / exact.inertia[(k, k)] - 1.0).abs() < 6e-3, "{s:?}");
        }
    }
    assert!(Shape::HalfSpace.mass_properties(1.0).is_err());
}

#[test]
fn rays_hit_the_near_surface() {
    let o = V3::new(0.0, 0.0, 3.0);
    let cases = [
        (Shape::HalfSpace, 3.0),
        (ball(0.5), 2.5),
        (cuboid(0.5, 0.5, 0.7), 2.3),
        (capsule(0.2, 0.5), 2.3),
        (cylinder(0.2, 0.5), 2.5),
        (Shape::ellipsoid(V3::new(0.1, 0.2, 0.3)).unwrap(), 2.7),
        (cube_hull(0.25), 2.75),
    ];
    for (s, d) in cases {
        let hit = s.cast_ray(&Iso::identity(), &o, &-V3::z(), 10.0).unwrap();
        assert!((hit.distance - d).abs() < 1e-12 && (hit.normal_w - V3::z()).norm() < 1e-12, "{s:?} {hit:?}");
        assert!(s.cast_ray(&Iso::identity(), &o, &V3::z(), 10.0).is_none());
        assert!(s.cast_ray(&Iso::identity(), &o, &-V3::z(), d - 0.01).is_none());
    }
}
