//! Forces and moments of patches against closed forms.

mod patch_support;

use std::f64::consts::PI;
use std::sync::Arc;

use patch_support::*;
use stiction_geometry::Shape;
use stiction_geometry::patch::{ContactSolid, PatchOptions};
use stiction_geometry::solid::RigidMesh;

const E: f64 = 1e7;
const HINT: f64 = 0.02; // the default

fn ground(slope: f64) -> ContactSolid {
    ContactSolid::compliant_half_space(slope * 0.5, 0.5).unwrap()
}

/// Mean relative error of the force over many orientations, and its spread.
fn mean_error(body: &ContactSolid, ground: &ContactSolid, z: f64, exact: f64) -> (f64, f64) {
    let mut errors = Vec::new();
    for k in 0..40 {
        let t = k as f64;
        let x = pose([0.1, -0.2, z], [0.3 * t, 1.1 * (t * 0.7).sin(), 0.9 * (t * 1.3).cos()]);
        let (p, _) = patch(ground, &Iso::identity(), body, &x, &PatchOptions::default());
        assert!(p.force.xy().norm() < 0.02 * exact);
        errors.push(p.force.z / exact - 1.0);
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let worst = errors.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    (mean, worst)
}

#[test]
fn rigid_sphere_in_a_compliant_half_space_displaces_a_cap() {
    let (r, d, g) = (0.1, 0.02, 2e7);
    let exact = g * PI * d * d * (r - d / 3.0);
    let error = |hint: f64| mean_error(&rigid(&Shape::sphere(r).unwrap(), hint), &ground(g), r - d, exact);
    let (mean, worst) = error(HINT);
    println!("default: mean {mean:.2e} worst {worst:.2e}");
    assert!(mean.abs() < 0.01 && worst < 0.01, "{mean} {worst}");
    let (coarse, fine) = (error(0.016).1, error(0.004).1);
    println!("{coarse:.2e} {fine:.2e}");
    assert!(fine < coarse / 12.0, "second order: {coarse} -> {fine}");
}

#[test]
fn compliant_sphere_on_a_rigid_half_space_has_its_closed_form() {
    let (r, d) = (0.1, 0.02);
    let exact = PI / 3.0 * E * d * d * (3.0 - 2.0 * d / r);
    let error = |hint: f64| {
        mean_error(
            &compliant(&Shape::sphere(r).unwrap(), E, hint),
            &ContactSolid::RigidHalfSpace,
            r - d,
            exact,
        )
    };
    let (mean, worst) = error(HINT);
    println!("default: mean {mean:.2e} worst {worst:.2e}");
    assert!(mean.abs() < 0.01 && worst < 0.01, "{mean} {worst}");
    let (coarse, fine) = (error(0.016).1, error(0.004).1);
    println!("{coarse:.2e} {fine:.2e}");
    assert!(fine < coarse / 12.0, "second order: {coarse} -> {fine}");
}

#[test]
fn flat_punches_press_with_slope_times_displaced_volume() {
    let (d, g) = (0.003, 4e6);
    let box_ = rigid(&Shape::cuboid(V3::new(0.05, 0.04, 0.03)).unwrap(), HINT);
    let x = pose([0.2, 0.1, 0.03 - d], [0.0, 0.0, 0.7]);
    let (p, f) = patch(&ground(g), &Iso::identity(), &box_, &x, &PatchOptions::default());
    assert!((p.area - 0.1 * 0.08).abs() < 1e-12);
    assert!((p.force - V3::z() * (g * 0.1 * 0.08 * d)).norm() < 1e-9);
    assert!(p.moment.norm() < 1e-9);
    assert!((p.centroid - V3::new(0.2, 0.1, -d)).norm() < 1e-12);
    assert!(f.faces.iter().all(|f| (f.gradient - g).abs() < 1e-6));
    // A round punch: the polygon has the area of the circle.
    let round = rigid(&Shape::cylinder(0.05, 0.03).unwrap(), HINT);
    let (p, _) =
        patch(&ground(g), &Iso::identity(), &round, &at(0.0, 0.0, 0.03 - d), &PatchOptions::default());
    assert!((p.force.z / (g * PI * 0.05 * 0.05 * d) - 1.0).abs() < 1e-12);
}

#[test]
fn a_cone_presses_with_slope_times_displaced_volume() {
    let (n, h, r, g) = (200, 0.1, 0.07, 3e6);
    let mut v = vec![V3::zeros(), V3::new(0.0, 0.0, h)];
    let angle = std::f64::consts::TAU / n as f64;
    let rr = r * (angle / angle.sin()).sqrt();
    v.extend((0..n).map(|k| V3::new(rr * (angle * k as f64).cos(), rr * (angle * k as f64).sin(), h)));
    let mut t = Vec::new();
    for k in 0..n as u32 {
        let (i, j) = (2 + k, 2 + (k + 1) % n as u32);
        t.extend([[0, j, i], [1, i, j]]);
    }
    let cone = ContactSolid::Rigid(Arc::new(RigidMesh::from_triangles(v, t).unwrap()));
    let d = 0.04;
    let volume = PI / 3.0 * (d * r / h).powi(2) * d;
    let x = at(0.3, 0.0, -d);
    let (p, _) = patch(&ground(g), &Iso::identity(), &cone, &x, &PatchOptions::default());
    assert!((p.force.z / (g * volume) - 1.0).abs() < 1e-9, "{}", p.force.z / (g * volume) - 1.0);
    assert!(p.moment_about(&V3::new(0.3, 0.0, 0.0)).norm() < 1e-9 * p.force.z);
}

#[test]
fn a_tilted_punch_has_the_moment_of_its_pressure() {
    // Pressure over the face of a rigid box tilted by theta about y: p = g (d - x sin theta).
    let (d, g, theta, hx, hy): (f64, f64, f64, f64, f64) = (0.01, 4e6, 0.05, 0.05, 0.04);
    let box_ = rigid(&Shape::cuboid(V3::new(hx, hy, 0.1)).unwrap(), HINT);
    // The face's middle at depth d; the lateral faces leave the frame of this formula, so keep only
    // faces along the bottom.
    let x = pose([0.0, 0.0, 0.1 * theta.cos() - d], [0.0, theta, 0.0]);
    let x = Iso::from_parts((x.translation.vector + V3::new(0.1 * theta.sin(), 0.0, 0.0)).into(), x.rotation);
    let (_, f) = patch(&ground(g), &Iso::identity(), &box_, &x, &ALL);
    let down = x.rotation * -V3::z();
    let mut moment = 0.0;
    let mut force = 0.0;
    for (k, face) in f.faces.iter().enumerate() {
        if face.normal.dot(&down) < -0.999 {
            force += face.force();
            // One-point moments are not exact; use the vertices: the sum over triangles of the polygon.
            let r = f.vertex_range(k);
            let (v, p) = (&f.vertices[r.clone()], &f.vertex_pressure[r]);
            for i in 2..v.len() {
                let area = 0.5 * (v[i - 1] - v[0]).cross(&(v[i] - v[0])).norm();
                let s: f64 = [0, i - 1, i].iter().map(|&j| p[j]).sum();
                for j in [0, i - 1, i] {
                    let along = (v[j] + V3::z() * d).dot(&(x.rotation * V3::x()));
                    moment += area / 12.0 * along * (p[j] + s);
                }
            }
        }
    }
    let area = 4.0 * hx * hy;
    assert!((force / (g * area * d) - 1.0).abs() < 1e-9);
    let exact = g * theta.sin() * area * hx * hx / 3.0; // integral of x * g x sin(theta)
    assert!((moment.abs() / exact - 1.0).abs() < 1e-6, "{moment} {exact}");
}

#[test]
fn compliant_boxes_flat_on_each_other_have_the_exact_area_and_pressure() {
    let (a, b) = (V3::new(0.05, 0.06, 0.02), V3::new(0.03, 0.02, 0.04));
    let (ea, eb) = (1e7, 3e6);
    let d = 1e-3;
    let lower = compliant(&Shape::cuboid(a).unwrap(), ea, HINT);
    let upper = compliant(&Shape::cuboid(b).unwrap(), eb, HINT);
    let x = pose([0.004, -0.003, a.z + b.z - d], [0.0, 0.0, 0.3]);
    let (p, f) = patch(&lower, &Iso::identity(), &upper, &x, &PatchOptions::default());
    // Slopes are modulus / smallest half extent; springs in series.
    let (ga, gb) = (ea / 0.02, eb / 0.02);
    let g = ga * gb / (ga + gb);
    let area = 4.0 * b.x * b.y;
    // Within this distance of its sides the upper box's field rises from the sides: the surface bends
    // there, over the rest of the face it is flat.
    let inset = d * ga / (ga + gb);
    let flat = 4.0 * (b.x - inset) * (b.y - inset);
    let mut flat_area = 0.0;
    for f in f.faces.iter().filter(|f| f.normal.z > 1.0 - 1e-9) {
        flat_area += f.area;
        assert!((f.pressure / (g * d) - 1.0).abs() < 1e-9 && (f.gradient / g - 1.0).abs() < 1e-9);
    }
    assert!((flat_area / flat - 1.0).abs() < 1e-9, "{flat_area} {flat}");
    let projected: f64 = f.faces.iter().map(|f| f.area * f.normal.z).sum();
    assert!((projected / area - 1.0).abs() < 1e-9, "{projected} {area}");
    // Pressure falls to 0 over the rim; at the corners along pyramids instead of wedges.
    let exact = g * d * (flat + 0.5 * (area - flat) - 4.0 * inset * inset / 6.0);
    assert!((p.force.z / exact - 1.0).abs() < 1e-9 && p.force.xy().norm() < 1e-9 * exact);
    assert!((p.center_of_pressure.xy() - x.translation.vector.xy()).norm() < 1e-9);
}

#[test]
fn a_compliant_box_on_a_rigid_plane_presses_with_its_whole_face_less_the_leaning_sides() {
    let h = V3::new(0.05, 0.04, 0.03);
    let d = 1e-4;
    let body = compliant(&Shape::cuboid(h).unwrap(), E, HINT);
    let (p, _) = patch(&ContactSolid::RigidHalfSpace, &Iso::identity(), &body, &at(0.0, 0.0, h.z - d), &ALL);
    // p = E min(distance to a face)/0.03, so p falls to 0 over d at the rim.
    let g = E / 0.03;
    let inner = 4.0 * (h.x - d) * (h.y - d);
    let rim = 4.0 * h.x * h.y - inner;
    assert!((p.area - 4.0 * h.x * h.y).abs() < 1e-12);
    let corner_loss = 4.0 * d * d / 6.0; // pyramids instead of wedges at the corners
    let exact = g * d * (inner + 0.5 * rim) - g * d * corner_loss;
    assert!((p.force.z / exact - 1.0).abs() < 1e-6, "{} {exact}", p.force.z);
}

#[test]
fn a_lying_compliant_cylinder_has_its_closed_form() {
    // Long cylinder along x on the plane: F/L = E * integral of (1 - rho/R) over the chord at height R - d.
    let (r, half, d) = (0.05, 0.5, 0.005);
    let y: f64 = r - d;
    let w = (r * r - y * y).sqrt();
    let steps = 20000;
    let per_length: f64 = (0..steps)
        .map(|k| {
            let x = w * ((k as f64 + 0.5) / steps as f64);
            2.0 * E * (1.0 - (x * x + y * y).sqrt() / r) * w / steps as f64
        })
        .sum();
    let force = |hint: f64, half: f64| {
        let mut sum = 0.0;
        for k in 0..16 {
            let body = compliant(&Shape::cylinder(r, half).unwrap(), E, hint);
            let x = pose([0.0, 0.0, r - d], [0.0, PI / 2.0, 0.0])
                * pose([0.0; 3], [0.0, 0.0, 0.4 * k as f64 + 0.1]);
            let (p, _) =
                patch(&ContactSolid::RigidHalfSpace, &Iso::identity(), &body, &x, &PatchOptions::default());
            sum += p.force.z / 16.0;
        }
        sum
    };
    // The ends cancel in the difference of two lengths.
    let error = |hint: f64| (force(hint, half) - force(hint, 0.5 * half)) / (per_length * half) - 1.0;
    let (coarse, fine) = (error(0.01), error(0.0025));
    println!("{coarse:.2e} {fine:.2e}");
    assert!(coarse.abs() < 0.01 && fine.abs() < coarse.abs() / 8.0);
}

#[test]
fn stored_energy_is_the_work_of_pressing_in() {
    use stiction_geometry::patch::strain_energy;
    // Cube of half-edge 0.1 pressed d into a compliant half-space, p = k z: U = k A d²/2; the other way round U is that
    // of the cube's own field, p = E z/h near a face away from the rim.
    let (modulus, d) = (1e6, 0.004);
    let half_space = ContactSolid::compliant_half_space(modulus, 0.05).unwrap();
    let cube = Shape::cuboid(V3::new(0.1, 0.1, 0.1)).unwrap();
    let exact = modulus / 0.05 * 0.04 * d * d / 2.0;
    let x = at(0.02, -0.03, 0.1 - d);
    let (a, b) = (rigid(&cube, 0.1), compliant(&cube, modulus, 0.1));
    let u =
        |one: &ContactSolid, x1: &Iso, two: &ContactSolid, x2: &Iso| strain_energy(one, x1, two, x2).unwrap();
    let turned = pose([0.3, 0.1, -0.2], [0.4, -1.0, 0.3]);
    for (one, x1, two, x2) in [(&half_space, Iso::identity(), &a, x), (&a, x, &half_space, Iso::identity())] {
        assert!((u(one, &(turned * x1), two, &(turned * x2)) / exact - 1.0).abs() < 1e-12);
    }
    // The field of a cube is E times the distance to the nearest face over h: pressing a plane in by d displaces the pyramid
    // and the rims, U = ∫ E/h · min(z, distance to the sides).
    let side = |z: f64| 0.2 - 2.0 * z; // edge of the square where the bottom is nearest, at depth z
    let n = 4000;
    let exact: f64 = (0..n)
        .map(|i| {
            let z = d * (i as f64 + 0.5) / n as f64;
            let rim = 4.0 * (0.1 * z * z - z.powi(3) * 2.0 / 3.0); // ∫ of the distance to the sides over the rim
            modulus / 0.1 * (side(z).powi(2) * z + rim) * d / n as f64
        })
        .sum();
    let found = u(&ContactSolid::RigidHalfSpace, &Iso::identity(), &b, &x);
    assert!((found / exact - 1.0).abs() < 1e-6, "{found} {exact}");
}

#[test]
fn like_cubes_exactly_above_each_other_are_told_to_have_holes() {
    let cube = Shape::cuboid(V3::new(0.1, 0.1, 0.1)).unwrap();
    let a = compliant(&cube, 1e6, 0.1);
    let (aligned, _) = patch(&a, &Iso::identity(), &a, &at(0.0, 0.0, 0.199), &ALL);
    assert!(aligned.coincident > 0);
    let (turned, _) = patch(&a, &Iso::identity(), &a, &pose([0.0, 0.0, 0.199], [0.0, 0.0, 0.3]), &ALL);
    assert_eq!(turned.coincident, 0);
}

#[test]
fn characteristic_lengths_are_those_of_the_fields() {
    // A cube's extent rises over half its edge everywhere, a ball's over its radius.
    let h = 0.1;
    let cube = solid(&Shape::cuboid(V3::new(h, h, h)).unwrap(), 1e6, 0.1);
    assert!((cube.characteristic_length() / h - 1.0).abs() < 1e-12);
    let ball = solid(&Shape::sphere(0.2).unwrap(), 1e6, 0.03);
    assert!((ball.characteristic_length() / 0.2 - 1.0).abs() < 0.02);
}
