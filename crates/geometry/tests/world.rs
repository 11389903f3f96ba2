//! The broad phase, its memory and the rules never change what is found.

mod common;

use std::sync::Arc;

use common::*;
use proptest::prelude::*;
use stiction_geometry::{
    BodyRule, CollisionRules, ContactPoint, Geom, GeomSet, GeometryError, Proximity, Shape, TriangleMesh,
    point,
};

fn geom(shape: Shape, body: usize) -> Geom {
    Geom::new(shape, body, Iso::identity())
}

fn shapes() -> impl Strategy<Value = Vec<Shape>> {
    proptest::collection::vec(convex_shape(), 2..14)
}

/// Every allowed pair through the narrow phase, in order.
fn brute_force(set: &GeomSet, x_wb: &[Iso], margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    let g = set.geoms();
    for a in 0..g.len() {
        for b in a + 1..g.len() {
            if set.tests_pair(a, b) {
                let margin = margin.max(g[a].margin).max(g[b].margin);
                let (xa, xb) = (x_wb[g[a].body] * g[a].x_bg, x_wb[g[b].body] * g[b].x_bg);
                let mut points = contacts((&g[a].shape, &xa), (&g[b].shape, &xb), margin);
                for p in &mut points {
                    (p.geom_a, p.geom_b) = (a, b);
                }
                out.extend(points);
            }
        }
    }
    out
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn broad_phase_equals_brute_force_bit_for_bit(
        shapes in shapes(), moves in proptest::collection::vec(vector(0.2), 30), margin in 0.0..0.1f64, start in pose(1.0),
    ) {
        let mut geoms: Vec<Geom> = shapes.into_iter().enumerate().map(|(i, s)| geom(s, i + 1)).collect();
        geoms[0].margin = 0.07;
        geoms.push(geom(Shape::HalfSpace, 0));
        let n = geoms.len();
        let set = Arc::new(GeomSet::new(geoms, &CollisionRules::default()).unwrap());
        let mut proximity = Proximity::new(set.clone());
        let mut x_wb: Vec<Iso> = vec![Iso::identity(); n];
        for (i, x) in x_wb.iter_mut().enumerate().skip(1) {
            *x = start * Iso::translation(0.3 * i as f64, 0.2 * (i % 3) as f64, 0.0);
        }
        let mut found = Vec::new();
        for (k, m) in moves.iter().enumerate() {
            // Small and large moves, now and then of one body only.
            let scale = [1.0, 0.01, 0.1][k % 3];
            for i in 1..n {
                if k % 5 != 0 || i == k % n {
                    x_wb[i].translation.vector += scale * m * ((i * 7 + k) % 5) as f64 / 2.0;
                }
            }
            proximity.update(&x_wb);
            proximity.contacts(margin, &mut found);
            prop_assert_eq!(&found, &brute_force(&set, &x_wb, margin));
            // A newcomer without memory finds the same.
            let mut fresh = Proximity::new(set.clone());
            let mut again = Vec::new();
            fresh.update(&x_wb);
            fresh.contacts(margin, &mut again);
            prop_assert_eq!(&found, &again);
        }
    }
}

#[test]
fn points_are_sorted_by_pair_with_the_lower_geom_first() {
    let ball = || Shape::sphere(0.5).unwrap();
    let geoms = vec![geom(ball(), 1), geom(Shape::HalfSpace, 0), geom(ball(), 2), geom(ball(), 3)];
    let set = GeomSet::new(geoms, &CollisionRules::default()).unwrap();
    let mut proximity = Proximity::new(Arc::new(set));
    let at = |x: f64| Iso::translation(x, 0.0, 0.45);
    proximity.update(&[Iso::identity(), at(0.0), at(0.9), at(1.8)]);
    let mut points = Vec::new();
    proximity.contacts(0.0, &mut points);
    let pairs: Vec<_> = points.iter().map(|p| (p.geom_a, p.geom_b)).collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]);
    assert!(points[0].normal_w.z < 0.0, "from the ball down into the ground");
    assert!(points[2].normal_w.z > 0.0, "from the ground up into the ball");
    assert_eq!(proximity.stats().touching_pairs, 5);
}

#[test]
fn rules_decide_who_is_tested() {
    let ball = || Shape::sphere(0.5).unwrap();
    let mut geoms: Vec<Geom> = (0..5).map(|i| geom(ball(), i)).collect();
    geoms.push(geom(ball(), 4)); // geom 5 shares body 4
    (geoms[0].contype, geoms[0].conaffinity) = (2, 4);
    (geoms[1].contype, geoms[1].conaffinity) = (4, 0);
    let free = |group| BodyRule { group, fixed: false, joined: None };
    let bodies = vec![free(0), free(1), free(2), free(3), BodyRule { joined: Some(2), ..free(4) }];
    let rules =
        CollisionRules { bodies, excluded_bodies: vec![(3, 2), (3, 2)], included_geoms: vec![(5, 4)] };
    let set = GeomSet::new(geoms.clone(), &rules).unwrap();
    assert!(set.tests_pair(0, 1), "contype 4 meets conaffinity 4");
    assert!(!set.tests_pair(0, 2), "no common bit");
    assert!(!set.tests_pair(2, 3), "excluded bodies");
    assert!(!set.tests_pair(2, 4) && !set.tests_pair(5, 2), "a joint ties body 4 to body 2");
    assert!(set.tests_pair(3, 4));
    assert!(set.tests_pair(4, 5), "included though on one body");
    let mut held = rules;
    held.bodies[3].fixed = true;
    assert!(GeomSet::new(geoms.clone(), &held).unwrap().tests_pair(3, 4), "one of the two moves");
    held.bodies[4].fixed = true;
    assert!(!GeomSet::new(geoms.clone(), &held).unwrap().tests_pair(3, 4), "neither moves");
    held.bodies[1] = BodyRule { group: 0, ..free(1) };
    assert!(!GeomSet::new(geoms, &held).unwrap().tests_pair(0, 1), "welded to each other");
}

#[test]
fn what_cannot_be_tested_is_reported() {
    let tetrahedron = || {
        let v = vec![V3::zeros(), V3::x(), V3::y(), V3::z()];
        Shape::mesh(v, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap()
    };
    let geoms = vec![
        geom(tetrahedron(), 0),
        geom(tetrahedron(), 1),
        geom(Shape::HalfSpace, 0),
        geom(Shape::HalfSpace, 2),
    ];
    let set = GeomSet::new(geoms, &CollisionRules::default()).unwrap();
    let pairs: Vec<_> = set.unsupported_pairs().iter().map(|u| (u.geom_a, u.geom_b)).collect();
    let expected: &[(usize, usize)] =
        if point::is_supported(stiction_geometry::ShapeKind::Mesh, stiction_geometry::ShapeKind::Mesh) {
            &[(2, 3)]
        } else {
            &[(0, 1), (2, 3)]
        };
    assert_eq!(pairs, expected);
}

#[test]
fn bad_input_is_refused_with_a_remedy() {
    assert!(matches!(Shape::sphere(-1.0), Err(GeometryError::BadSize { .. })));
    assert!(matches!(Shape::capsule(0.1, f64::NAN), Err(GeometryError::BadSize { .. })));
    let message = Shape::cuboid(V3::new(1.0, 0.0, 1.0)).unwrap_err().to_string();
    assert!(message.contains("half extent y") && message.contains("positive"), "{message}");
    assert!(matches!(
        TriangleMesh::new(vec![V3::zeros(); 3], vec![[0, 1, 3]]),
        Err(GeometryError::BadFace { .. })
    ));
    assert!(matches!(
        TriangleMesh::new(vec![V3::zeros(); 3], vec![[0, 1, 2]]),
        Err(GeometryError::EmptyMesh)
    ));
    let unchecked = geom(Shape::Sphere { radius: f64::INFINITY }, 0);
    assert!(GeomSet::new(vec![unchecked], &CollisionRules::default()).is_err());
    let rules = CollisionRules { included_geoms: vec![(0, 9)], ..Default::default() };
    assert!(matches!(GeomSet::new(vec![], &rules), Err(GeometryError::BadRule { .. })));
}
