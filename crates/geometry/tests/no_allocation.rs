//! A steady simulation queries contacts without allocating.

mod common;

use std::sync::Arc;

use common::*;
use stiction_base::counting_allocator::{CountingAllocator, thread_allocations};
use stiction_geometry::{CollisionRules, Geom, GeomSet, HeightField, Proximity, Shape};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn steady_queries_allocate_nothing() {
    let corners: Vec<V3> =
        (0..8).map(|i| V3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64) * 0.4).collect();
    let kinds = [
        Shape::sphere(0.2).unwrap(),
        Shape::cuboid(V3::new(0.2, 0.15, 0.25)).unwrap(),
        Shape::capsule(0.1, 0.2).unwrap(),
        Shape::cylinder(0.2, 0.15).unwrap(),
        Shape::ellipsoid(V3::new(0.2, 0.15, 0.25)).unwrap(),
        Shape::convex_hull(&corners).unwrap(),
    ];
    let hills: Vec<f64> = (0..400).map(|i| 0.1 * ((i % 20) as f64).sin()).collect();
    let field = Shape::HeightField(Arc::new(HeightField::new(20, 20, 4.0, 4.0, &hills).unwrap()));
    let mut geoms = vec![
        Geom::new(field, 0, Iso::identity()),
        Geom::new(Shape::HalfSpace, 0, Iso::translation(0.0, 0.0, -0.1)),
    ];
    geoms.extend((0..30).map(|i| Geom::new(kinds[i % 6].clone(), i + 1, Iso::identity())));
    let set = GeomSet::new(geoms, &CollisionRules::default()).unwrap();
    let mut proximity = Proximity::new(Arc::new(set));
    let mut points = Vec::new();
    let mut x_wb = vec![Iso::identity(); 31];
    let mut round = |allocations: &mut Vec<usize>| {
        for step in 0..300 {
            let t = step as f64 * 0.021;
            for (i, x) in x_wb.iter_mut().enumerate().skip(1) {
                let k = i as f64;
                let p = V3::new(
                    0.35 * (i % 6) as f64 + 0.1 * (t + k).sin(),
                    0.35 * (i / 6) as f64,
                    0.1 + 0.1 * (t * 2.0 + k).cos(),
                );
                *x = Iso::new(p, V3::new(t, k, t * k * 0.1));
            }
            let before = thread_allocations();
            proximity.update(&x_wb);
            proximity.contacts(0.01, &mut points);
            allocations.push(thread_allocations() - before);
            assert!(!points.is_empty());
        }
    };
    round(&mut Vec::new());
    let mut second = Vec::with_capacity(300);
    round(&mut second);
    assert!(second.iter().all(|&n| n == 0), "{second:?}");
}
