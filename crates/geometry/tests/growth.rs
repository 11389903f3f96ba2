//! Memory grows in proportion to the input, where it once grew with its square.

use nalgebra::{Isometry3, Vector3};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use stiction_base::counting_allocator::{CountingAllocator, bytes_in_use, limit_bytes};
use stiction_geometry::{CollisionRules, Geom, GeomSet, Shape};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static EXCEEDED: AtomicBool = AtomicBool::new(false);

/// Does `work`, which must not hold more than `bytes` at any time.
fn within<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    limit_bytes(bytes_in_use() + bytes as isize, || EXCEEDED.store(true, Relaxed));
    let made = work();
    limit_bytes(isize::MAX, || {});
    assert!(!EXCEEDED.load(Relaxed), "more than {bytes} bytes");
    made
}

// One test: the limit is that of the process.
#[test]
fn rules_of_many_bodies_and_hulls_of_many_points_take_memory_in_proportion() {
    let ball = Shape::sphere(0.1).unwrap();
    let bodies = 32_000;
    let geoms: Vec<Geom> = (0..bodies).map(|b| Geom::new(ball.clone(), b, Isometry3::identity())).collect();
    let excluded_bodies = (0..bodies - 1).map(|b| (b, b + 1)).collect();
    let rules = CollisionRules { excluded_bodies, ..Default::default() };
    // A bit for each pair of bodies would be 128 MB.
    let set = within(1000 * bodies, || GeomSet::new(geoms, &rules).unwrap());
    assert!(!set.tests_pair(7, 8) && set.tests_pair(7, 9));

    // A cone, whose cap has all points but one. Facets made and removed for each of them would be 8 GB.
    let n = 10_000;
    let mut points: Vec<Vector3<f64>> = (0..n)
        .map(|i| {
            let (y, x) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
            Vector3::new(x, y, 0.0)
        })
        .collect();
    points.push(Vector3::z());
    let hull = within(10_000 * n, || Shape::convex_hull(&points).unwrap());
    let Shape::Convex(hull) = hull else { panic!("a hull is a hull") };
    assert_eq!((hull.vertices().len(), hull.face_count()), (n + 1, n + 1));
}
