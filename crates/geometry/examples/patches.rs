//! What contact patches cost: against mesh size, in a random pile, and for one pair of fine meshes.
//!
//! `cargo run --release -p stiction-geometry --example patches [spheres | rich | pile]`

use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use stiction_base::random::Random;
use stiction_geometry::Shape;
use stiction_geometry::patch::{ContactSolid, PatchFaces, PatchOptions, PatchScratch, contact_patch};
use stiction_geometry::solid::{MeshOptions, Solid};

type V3 = Vector3<f64>;

fn vector(random: &mut Random) -> V3 {
    V3::new(random.sym(), random.sym(), random.sym())
}

struct Body {
    solid: ContactSolid,
    x: Isometry3<f64>,
}

/// Best of `rounds` times in seconds, faces, and element tests of one pass.
fn measure(
    rounds: usize,
    pairs: &[(usize, usize)],
    bodies: &[Body],
    options: &PatchOptions,
) -> (f64, usize, u64) {
    let mut scratch = PatchScratch::default();
    let mut out = PatchFaces::default();
    let mut best = f64::INFINITY;
    let mut tests = 0;
    for _ in 0..rounds {
        out.clear();
        let before = scratch.element_tests();
        let start = Instant::now();
        for &(i, j) in pairs {
            let (a, b) = (&bodies[i], &bodies[j]);
            let patch = contact_patch(&a.solid, &a.x, &b.solid, &b.x, options, &mut scratch, &mut out);
            std::hint::black_box(patch.is_ok());
        }
        best = best.min(start.elapsed().as_secs_f64());
        tests = scratch.element_tests() - before;
    }
    (best, out.faces.len(), tests)
}

fn report(name: &str, (seconds, faces, tests): (f64, usize, u64)) {
    let us = seconds * 1e6;
    println!(
        "{name:<44} {us:>9.1} us {faces:>7} faces {tests:>8} tests {:>7.3} us/face {:>7.3} us/test",
        us / faces.max(1) as f64,
        us / tests.max(1) as f64
    );
}

fn compliant(shape: &Shape, hint: f64) -> (ContactSolid, usize) {
    let solid = Solid::from_shape(shape, 1e7, &MeshOptions::with_hint(hint)).expect("valid shape");
    let tets = solid.tets().len();
    (ContactSolid::Compliant(Arc::new(solid)), tets)
}

fn main() {
    let only = std::env::args().nth(1);
    let wanted = |name: &str| only.as_deref().is_none_or(|o| o == name);
    if wanted("spheres") {
        spheres();
    }
    if wanted("rich") {
        rich();
    }
    if wanted("pile") {
        pile();
    }
}

fn spheres() {
    println!("two spheres of radius 0.1 m, 5 mm deep, against mesh size");
    for hint in [0.04, 0.02, 0.01, 0.005, 0.0025] {
        let (solid, tets) = compliant(&Shape::sphere(0.1).expect("radius"), hint);
        let x = Isometry3::new(V3::new(0.06, 0.09, 0.1612), V3::new(0.3, 0.2, 0.1));
        let bodies = [Body { solid: solid.clone(), x: Isometry3::identity() }, Body { solid, x }];
        report(&format!("  {tets} tets each"), measure(200, &[(0, 1)], &bodies, &PatchOptions::default()));
    }
}

fn rich() {
    println!("one pair of bodies with about 5,000 tets each; overlap as a share of their size");
    let round = Shape::sphere(0.1).expect("radius");
    let flat = Shape::ellipsoid(V3::new(0.1, 0.1, 0.05)).expect("radii");
    for (name, shape, size) in [("spheres", round, 0.1), ("ellipsoids", flat, 0.05)] {
        let mesh = MeshOptions::with_hint(0.007);
        let (solid, tets) = compliant(&shape, 0.007);
        let rigid = ContactSolid::rigid(&shape, &mesh).expect("valid shape");
        for share in [0.02, 0.05, 0.1, 0.5] {
            let x = Isometry3::new(V3::new(0.02, 0.01, 2.0 * (1.0 - share) * size), V3::new(0.1, 0.05, 0.5));
            for (kind, first) in [("soft", &solid), ("rigid", &rigid)] {
                let bodies = [
                    Body { solid: first.clone(), x: Isometry3::identity() },
                    Body { solid: solid.clone(), x },
                ];
                let name = format!("  {name}, {tets} tets, {kind} on soft, {share}");
                report(&name, measure(40, &[(0, 1)], &bodies, &PatchOptions::default()));
            }
        }
    }
}

fn pile() {
    let options = PatchOptions::default();
    println!("a pile of 40 compliant spheres and boxes on a half-space");
    let mut random = Random(1);
    let mut bodies =
        vec![Body { solid: ContactSolid::RigidHalfSpace, x: Isometry3::translation(0.0, 0.0, 0.0) }];
    let mut radius = vec![0.0];
    for k in 0..40 {
        let shape = if k % 2 == 0 { Shape::sphere(0.05) } else { Shape::cuboid(V3::repeat(0.05)) };
        // A loose lattice with small overlaps.
        let (i, j, l) = (k % 4, k / 4 % 4, k / 16);
        let p = V3::new(i as f64, j as f64, l as f64) * 0.1
            + V3::new(0.0, 0.0, 0.049)
            + vector(&mut random) * 0.004;
        let turn = if k % 2 == 0 { vector(&mut random) * 3.0 } else { vector(&mut random) * 0.05 };
        let x = Isometry3::from_parts(p.into(), UnitQuaternion::from_scaled_axis(turn));
        bodies.push(Body { solid: compliant(&shape.expect("size"), 0.02).0, x });
        radius.push(if k % 2 == 0 { 0.05 } else { 0.087 });
    }
    let mut pairs = Vec::new();
    for j in 1..bodies.len() {
        if bodies[j].x.translation.z < radius[j] {
            pairs.push((0, j));
        }
        for i in 1..j {
            let d = (bodies[i].x.translation.vector - bodies[j].x.translation.vector).norm();
            if d < radius[i] + radius[j] {
                pairs.push((i, j));
            }
        }
    }
    report(&format!("  {} pairs", pairs.len()), measure(200, &pairs, &bodies, &options));
    let margin = PatchOptions { margin: 1e-4, ..options };
    report("  the same with a margin of 0.1 mm", measure(200, &pairs, &bodies, &margin));
}
