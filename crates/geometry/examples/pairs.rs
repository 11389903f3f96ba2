//! Time of one narrow-phase call for every pair of shape kinds at random poses, overlapping by a hundredth and by a
//! ten-thousandth of their size.
//!
//! `cargo run --release -p stiction-geometry --example pairs`

use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Vector3};
use stiction_base::random::Random;
use stiction_geometry::{HeightField, Shape, point};

type V3 = Vector3<f64>;
type Iso = Isometry3<f64>;

fn vector(random: &mut Random) -> V3 {
    V3::new(random.sym(), random.sym(), random.sym()) * 0.5
}

/// Poses at which b overlaps a by about `overlap` along the line of approach, found by bisection.
fn touching_poses(
    a: &Shape,
    b: &Shape,
    random: &mut Random,
    overlap: f64,
    scratch: &mut point::Scratch,
) -> Vec<(Iso, Iso)> {
    let mut poses = Vec::new();
    let mut out = Vec::new();
    for _ in 0..200 {
        let xa =
            if a.surface().is_some() { Iso::identity() } else { Iso::new(V3::zeros(), vector(random) * 6.0) };
        let turn = vector(random) * 6.0;
        let mut direction = vector(random);
        if a.surface().is_some() {
            direction.z = direction.norm() * 4.0;
        }
        let direction = direction.normalize();
        let (mut near, mut far) = (0.0, 3.0);
        for _ in 0..30 {
            let mid = 0.5 * (near + far);
            out.clear();
            point::contact_pair((a, &xa), (b, &Iso::new(direction * mid, turn)), 0.0, scratch, &mut out);
            *(if out.is_empty() { &mut far } else { &mut near }) = mid;
        }
        poses.push((xa, Iso::new(direction * (near - overlap), turn)));
    }
    poses
}

fn main() {
    let mut random = Random(3);
    let mut hull = |count: usize| {
        let cloud: Vec<V3> = (0..count).map(|_| vector(&mut random).normalize() * 0.5).collect();
        Shape::convex_hull(&cloud).expect("valid")
    };
    let hulls = [hull(10), hull(24), hull(200), hull(1000)];
    let [h10, h24, h200, h1000] = hulls;
    let hills: Vec<f64> =
        (0..900).map(|i| 0.05 * ((i % 30) as f64).sin() * ((i / 30) as f64).cos()).collect();
    let shapes = [
        ("half-space", Shape::HalfSpace),
        ("sphere", Shape::sphere(0.5).expect("valid")),
        ("box", Shape::cuboid(V3::new(0.3, 0.4, 0.5)).expect("valid")),
        ("capsule", Shape::capsule(0.2, 0.4).expect("valid")),
        ("cylinder", Shape::cylinder(0.3, 0.4).expect("valid")),
        ("ellipsoid", Shape::ellipsoid(V3::new(0.3, 0.4, 0.5)).expect("valid")),
        ("hull of 10", h10),
        ("hull of 24", h24),
        ("hull of 200", h200),
        ("hull of 1000", h1000),
        ("terrain", Shape::HeightField(Arc::new(HeightField::new(30, 30, 6.0, 6.0, &hills).expect("valid")))),
    ];
    let mut scratch = point::Scratch::default();
    println!("{:28} {:>9} {:>7} {:>9} {:>7}", "pair", "ns, 1e-2", "points", "ns, 1e-4", "points");
    for (j, (name_b, b)) in shapes.iter().enumerate() {
        for (name_a, a) in &shapes[..=j] {
            let surface_last = b.surface().is_some();
            if !point::is_supported(a.kind(), b.kind())
                || (surface_last && a.kind() == stiction_geometry::ShapeKind::HalfSpace)
            {
                continue;
            }
            let (first, second) = if surface_last { (b, a) } else { (a, b) };
            print!("{:28}", format!("{name_a} - {name_b}"));
            for overlap in [5e-3, 5e-5] {
                let poses = touching_poses(first, second, &mut random, overlap, &mut scratch);
                let mut out = Vec::new();
                let mut best = f64::INFINITY;
                for _ in 0..15 {
                    let start = Instant::now();
                    out.clear();
                    for (xa, xb) in &poses {
                        point::contact_pair((first, xa), (second, xb), 0.0, &mut scratch, &mut out);
                    }
                    best = best.min(start.elapsed().as_secs_f64() / poses.len() as f64);
                }
                print!(" {:9.0} {:7.2}", best * 1e9, out.len() as f64 / poses.len() as f64);
            }
            println!();
        }
    }
}
