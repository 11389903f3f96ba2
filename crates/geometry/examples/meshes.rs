//! Time of a contact query between two bodies that are not convex, touching at random poses: as triangles, and decomposed into
//! convex parts.
//!
//! `cargo run --release -p stiction-geometry --example meshes [mug|bowl|gear|stool]...`

use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, Vector3};
use stiction_base::random::Random;
use stiction_geometry::surface::shapes;
use stiction_geometry::{
    CollisionRules, DecompositionOptions, Geom, GeomSet, Proximity, Shape, convex_decomposition,
    decomposition_error,
};

type V3 = Vector3<f64>;
type Iso = Isometry3<f64>;

/// Two bodies made of the given shapes.
fn world(a: &[Shape], b: &[Shape]) -> Proximity {
    let geoms = |shapes: &[Shape], body: usize| {
        shapes.iter().map(|s| Geom::new(s.clone(), body, Iso::identity())).collect::<Vec<_>>()
    };
    let all = [geoms(a, 0), geoms(b, 1)].concat();
    Proximity::new(Arc::new(GeomSet::new(all, &CollisionRules::default()).expect("valid")))
}

fn main() {
    let mesh = |name: &str| {
        let (vertices, faces) = shapes::named(name).expect("known");
        Shape::mesh(vertices, faces).expect("valid")
    };
    println!(
        "{:20} {:>6} {:>10} {:>7} {:>10} {:>7} {:>6}",
        "pair", "parts", "µs, parts", "points", "µs, mesh", "points", "ratio"
    );
    let options = DecompositionOptions { concavity: 0.001, ..DecompositionOptions::default() };
    let convex = [
        ("sphere", Shape::sphere(0.02).expect("valid")),
        ("box", Shape::cuboid(V3::new(0.02, 0.03, 0.025)).expect("valid")),
        ("capsule", Shape::capsule(0.01, 0.03).expect("valid")),
        ("cylinder", Shape::cylinder(0.02, 0.03).expect("valid")),
        ("ellipsoid", Shape::ellipsoid(V3::new(0.02, 0.03, 0.025)).expect("valid")),
    ];
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names = ["mug", "bowl", "gear", "stool"].map(String::from).to_vec();
    }
    for name in names.iter().map(String::as_str) {
        let body = mesh(name);
        let Shape::Mesh(triangles) = &body else { continue };
        let start = Instant::now();
        let parts: Vec<Shape> = match convex_decomposition(triangles, &options) {
            Ok(parts) => {
                let seconds = start.elapsed().as_secs_f64();
                let error = decomposition_error(triangles, &parts);
                println!(
                    "{name}: {} faces, cut in {seconds:.2} s into parts that add up to {:.2} mm and leave out up to {:.2} mm",
                    triangles.faces().len(),
                    1e3 * error.added,
                    1e3 * error.missing
                );
                parts.into_iter().map(|p| Shape::Convex(Arc::new(p))).collect()
            }
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let own = (name, body.clone(), parts.clone());
        let others = convex.iter().map(|(n, s)| (*n, s.clone(), vec![s.clone()]));
        for (other, as_mesh, as_parts) in std::iter::once(own).chain(others) {
            let mut worlds = [
                world(&parts, &as_parts),
                world(std::slice::from_ref(&body), std::slice::from_ref(&as_mesh)),
            ];
            let mut random = Random(5);
            let mut poses = Vec::new();
            let (mut times, mut points) = ([0.0; 2], [0; 2]);
            for (k, world) in worlds.iter_mut().enumerate() {
                poses.clear();
                random.0 = 5;
                let mut out = Vec::new();
                for _ in 0..100 {
                    let mut vector = || V3::new(random.sym(), random.sym(), random.sym());
                    let (turn, direction) = (vector() * 3.0, vector().normalize());
                    let at = |t: f64| Iso::new(direction * t, turn);
                    let (mut near, mut far) = (0.0, 1.0);
                    for _ in 0..40 {
                        let middle = 0.5 * (near + far);
                        world.update(&[Iso::identity(), at(middle)]);
                        world.contacts(0.0, &mut out);
                        *(if out.is_empty() { &mut far } else { &mut near }) = middle;
                    }
                    poses.push(at(near - 2e-5));
                }
                times[k] = f64::INFINITY;
                for _ in 0..7 {
                    let start = Instant::now();
                    points[k] = 0;
                    for x in &poses {
                        world.update(&[Iso::identity(), *x]);
                        world.contacts(0.0, &mut out);
                        points[k] += out.len();
                    }
                    times[k] = times[k].min(1e6 * start.elapsed().as_secs_f64() / poses.len() as f64);
                }
            }
            println!(
                "{:20} {:6} {:10.1} {:7.1} {:10.1} {:7.1} {:6.2}",
                format!("{name} - {other}"),
                parts.len(),
                times[0],
                points[0] as f64 / 100.0,
                times[1],
                points[1] as f64 / 100.0,
                times[1] / times[0]
            );
        }
    }
}
