//! Time of a full proximity query (broad and narrow phase) for piles of spheres and boxes in an open box.
//!
//! `cargo run --release -p stiction-geometry --example proximity_pile`

use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use stiction_base::random::Random;
use stiction_geometry::{CollisionRules, Geom, GeomSet, Proximity, Shape};

type V3 = Vector3<f64>;

/// An open container of five boxes on body 0, and `n` spheres and boxes on bodies 1 to n.
/// `swell` scales the bodies.
fn world(n: usize, swell: f64) -> (GeomSet, Vec<Isometry3<f64>>) {
    let mut random = Random(7);
    // The area grows with the number, the height stays: about ten layers.
    let half = 0.33 * (n as f64 / 40.0).sqrt();
    let (wall, height) = (0.05, 1.5);
    let mut geoms = Vec::new();
    let mut fixed = |size: V3, at: V3| {
        let x = Isometry3::from_parts(Translation3::from(at), UnitQuaternion::identity());
        geoms.push(Geom::new(Shape::cuboid(size).expect("positive sizes"), 0, x));
    };
    fixed(V3::new(half, half, wall), V3::new(0.0, 0.0, -wall));
    for side in [-1.0, 1.0] {
        fixed(V3::new(wall, half, height), V3::new(side * (half + wall), 0.0, height));
        fixed(V3::new(half, wall, height), V3::new(0.0, side * (half + wall), height));
    }
    let mut x_wb = vec![Isometry3::identity()];
    let per_layer = (n as f64 / 5.0).ceil().sqrt().ceil() as usize;
    let pitch = 2.0 * half / per_layer as f64;
    for k in 0..n {
        let shape = if k % 2 == 0 {
            Shape::sphere(swell * 0.1 * (0.8 + 0.4 * random.unit()))
        } else {
            let half = V3::new(random.unit(), random.unit(), random.unit()) * 0.04 + V3::repeat(0.08);
            Shape::cuboid(half * swell)
        };
        geoms.push(Geom::new(shape.expect("positive sizes"), k + 1, Isometry3::identity()));
        let (i, j, l) = (k % per_layer, k / per_layer % per_layer, k / (per_layer * per_layer));
        let at = |i: usize| pitch * (i as f64 + 0.5) - half;
        let p = V3::new(at(i), at(j), 0.12 + 0.22 * l as f64);
        let turn = UnitQuaternion::from_axis_angle(&V3::z_axis(), 6.3 * random.unit());
        x_wb.push(Isometry3::from_parts(Translation3::from(p), turn));
    }
    let set = GeomSet::new(geoms, &CollisionRules::default()).expect("valid geoms");
    (set, x_wb)
}

/// Lets the pile sink together without dynamics: down a little, then apart along the contacts.
fn settle(proximity: &mut Proximity, x_wb: &mut [Isometry3<f64>]) {
    let mut points = Vec::new();
    let mut push = vec![V3::zeros(); x_wb.len()];
    for _ in 0..400 {
        for x in &mut x_wb[1..] {
            x.translation.vector.z -= 1e-3;
        }
        for _ in 0..6 {
            proximity.update(x_wb);
            proximity.contacts(0.0, &mut points);
            push.fill(V3::zeros());
            for c in &points {
                let (a, b) = (proximity.set().geoms()[c.geom_a].body, proximity.set().geoms()[c.geom_b].body);
                let (wa, wb) = if a == 0 { (0.0, 1.0) } else { (0.5, 0.5) };
                let d = c.normal_w * (-0.4 * c.distance);
                push[a] -= d * wa;
                push[b] += d * wb;
            }
            for (x, p) in x_wb.iter_mut().zip(&push) {
                x.translation.vector += p.cap_magnitude(5e-3);
            }
        }
    }
}

fn main() {
    println!("bodies  pairs  points   us/query  us/query still  us/body");
    for n in [10, 40, 100, 300, 1000] {
        let (set, mut x_wb) = world(n, 1.0);
        settle(&mut Proximity::new(Arc::new(set)), &mut x_wb);
        // One percent more, so that all that rest on each other overlap.
        let mut proximity = Proximity::new(Arc::new(world(n, 1.01).0));
        let mut points = Vec::new();
        let mut time = |shake: f64| {
            let repeats = 40_000 / n;
            let mut best = f64::INFINITY;
            for batch in 0..15 {
                let start = Instant::now();
                for k in 0..repeats {
                    // Every body moves in every query, as in a simulation.
                    let t = shake * ((batch * repeats + k) as f64 * 0.01).sin();
                    for x in &mut x_wb[1..] {
                        x.translation.vector.x += t;
                    }
                    proximity.update(&x_wb);
                    proximity.contacts(0.0, &mut points);
                }
                best = best.min(start.elapsed().as_secs_f64() / repeats as f64);
            }
            best * 1e6
        };
        let (moving, still) = (time(1e-5), time(0.0));
        let s = proximity.stats();
        println!(
            "{n:6} {:6} {:7} {moving:10.2} {still:15.2} {:8.3}",
            s.tested_pairs,
            s.points,
            moving / n as f64
        );
    }
}
