//! Identities of patches on random pairs: reaction, frames, energy, continuity, sane faces.

mod patch_support;

use patch_support::*;
use proptest::prelude::*;
use stiction_geometry::Shape;
use stiction_geometry::patch::{
    ContactSolid, FaceFilter, Patch, PatchFaces, PatchOptions, PatchScratch, Tessellation, contact_patch,
    strain_energy,
};

const E: [f64; 2] = [1e6, 3e6];

fn shape(kind: usize) -> Shape {
    match kind {
        0 => Shape::sphere(0.1).unwrap(),
        1 => Shape::cuboid(V3::new(0.12, 0.05, 0.08)).unwrap(),
        2 => Shape::cylinder(0.06, 0.1).unwrap(),
        3 => Shape::capsule(0.05, 0.06).unwrap(),
        4 => Shape::cylinder(0.1, 0.04).unwrap(),
        5 => Shape::ellipsoid(V3::new(0.1, 0.06, 0.08)).unwrap(),
        6 => Shape::cuboid(V3::repeat(0.07)).unwrap(),
        _ => Shape::convex_hull(&[
            V3::new(0.1, 0.0, 0.0),
            V3::new(-0.08, 0.05, 0.01),
            V3::new(-0.05, -0.09, 0.02),
            V3::new(0.01, 0.02, 0.11),
            V3::new(0.02, 0.05, -0.08),
        ])
        .unwrap(),
    }
}

const KINDS: usize = 8;
const HINT: f64 = 0.06;

/// Kind of each body (compliant), and which is rigid or a half-space: 0 both compliant, 1 a rigid,
/// 2 rigid half-space below, 3 compliant half-space below, 4 rigid above a compliant half-space.
fn body_pair(kind: (usize, usize), mode: usize) -> (ContactSolid, ContactSolid) {
    let (sa, sb) = (shape(kind.0), shape(kind.1));
    match mode {
        0 => (compliant(&sa, E[0], HINT), compliant(&sb, E[1], HINT)),
        1 => (rigid(&sa, HINT), compliant(&sb, E[1], HINT)),
        2 => (ContactSolid::RigidHalfSpace, compliant(&sb, E[1], HINT)),
        3 => (ContactSolid::compliant_half_space(2e6, 0.1).unwrap(), compliant(&sb, E[1], HINT)),
        _ => (ContactSolid::compliant_half_space(2e6, 0.1).unwrap(), rigid(&sb, HINT)),
    }
}

fn poses() -> impl Strategy<Value = (Iso, Iso)> {
    let unit = -1.0..1.0f64;
    let v = || [unit.clone(), unit.clone(), unit.clone()];
    (v(), v(), v()).prop_map(|(t, ra, rb)| {
        let t = V3::from(t) * 0.1;
        (pose([0.0; 3], ra.map(|x| 3.0 * x)), pose([t.x, t.y, t.z], rb.map(|x| 3.0 * x)))
    })
}

fn twist() -> impl Strategy<Value = (V3, V3)> {
    let v = || prop::array::uniform3(-1.0..1.0f64);
    (v(), v()).prop_map(|(w, v)| (V3::from(w), V3::from(v)))
}

/// With a half-space the first body stays put, so that its frame is the world's.
fn place(mode: usize, x: &(Iso, Iso)) -> (Iso, Iso) {
    if mode >= 2 { (Iso::identity(), x.1) } else { *x }
}

fn one_point_wrench(f: &PatchFaces) -> (V3, V3) {
    f.faces.iter().filter(|f| f.pressure > 0.0).fold((V3::zeros(), V3::zeros()), |(m, l), f| {
        let force = f.normal * f.force();
        (m + f.centroid.cross(&force), l + force)
    })
}

fn sane(p: &Patch, f: &PatchFaces, options: &PatchOptions) {
    for (k, face) in f.faces.iter().enumerate() {
        assert!(face.area > 0.0 && face.area.is_finite());
        assert!(face.centroid.iter().chain(face.normal.iter()).all(|x| x.is_finite()));
        assert!((face.normal.norm() - 1.0).abs() < 1e-9);
        assert!(face.pressure.is_finite() && face.gradient.is_finite());
        if let FaceFilter::Convex { .. } = options.filter {
            assert!(face.gradient > 0.0);
            let x0 = face.pressure / face.gradient;
            assert!((-options.margin * (1.0 + 1e-6)..20.0).contains(&x0), "x0 = {x0}");
        }
        if options.vertices {
            let v = &f.vertices[f.vertex_range(k)];
            assert!((3..=12).contains(&v.len()));
            let mut twice = V3::zeros();
            for i in 2..v.len() {
                twice += (v[i - 1] - v[0]).cross(&(v[i] - v[0]));
            }
            assert!((0.5 * twice.dot(&face.normal) - face.area).abs() < 1e-12 + 1e-9 * face.area);
        }
    }
    assert!(p.force.iter().chain(p.moment.iter()).chain(p.centroid.iter()).all(|x| x.is_finite()));
    let sum: V3 = f.faces.iter().filter(|f| f.pressure >= 0.0).map(|f| f.normal * f.force()).sum();
    assert!((sum - p.force).norm() <= 1e-9 * (1.0 + p.pressure_integral), "{sum} {}", p.force);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn swapping_roles_turns_the_wrench_around(
        kind in (0..KINDS, 0..KINDS), mode in 0..5usize, x in poses()
    ) {
        let (a, b) = body_pair(kind, mode);
        let (xa, xb) = place(mode, &x);
        let options = PatchOptions { vertices: true, ..PatchOptions::default() };
        let (p, f) = patch(&a, &xa, &b, &xb, &options);
        let (q, g) = patch(&b, &xb, &a, &xa, &options);
        sane(&p, &f, &options);
        sane(&q, &g, &options);
        let scale = 1e-9 * (1.0 + p.pressure_integral);
        prop_assert!((p.force + q.force).norm() < scale, "{} {}", p.force, q.force);
        let o = V3::zeros();
        prop_assert!((p.moment_about(&o) + q.moment_about(&o)).norm() < scale);
        prop_assert!((p.area - q.area).abs() < 1e-9 * (1e-3 + p.area));
    }

    #[test]
    fn a_common_motion_moves_the_patch_along(
        kind in (0..KINDS, 0..KINDS), mode in 0..5usize, x in poses(), y in poses()
    ) {
        let (a, b) = body_pair(kind, mode);
        let (xa, xb) = place(mode, &x);
        let (p, _) = patch(&a, &xa, &b, &xb, &ALL);
        let m = Iso::from_parts((y.1.translation.vector * 30.0).into(), y.0.rotation);
        let (q, _) = patch(&a, &(m * xa), &b, &(m * xb), &ALL);
        let scale = 1e-8 * (1.0 + p.pressure_integral);
        prop_assert!((m.rotation * p.force - q.force).norm() < scale);
        prop_assert!((p.area - q.area).abs() < 1e-8 * (1e-2 + p.area));
        if p.area > 1e-6 {
            prop_assert!((m * nalgebra::Point3::from(p.centroid) - nalgebra::Point3::from(q.centroid)).norm() < 1e-6);
            prop_assert!((m.rotation * p.moment - q.moment).norm() < scale);
        }
    }

    #[test]
    fn the_wrench_is_continuous_to_rounding_with_fans_and_polygons(
        kind in (0..KINDS, 0..KINDS), mode in 0..5usize, x in poses(), (w, v) in twist()
    ) {
        let (a, b) = body_pair(kind, mode);
        let (xa, xb) = place(mode, &x);
        for tessellation in [Tessellation::Fans, Tessellation::Polygons] {
            let options = PatchOptions { tessellation, ..ALL };
            // Step sizes at which a jump of force would stand out from its slope.
            for t in [0.0, 0.003, 0.011] {
                let at = |t: f64| {
                    let y = moved(&xb, &(w * 3.0), &(v * 0.3), t);
                    let (p, f) = patch(&a, &xa, &b, &y, &options);
                    (p, one_point_wrench(&f))
                };
                let ((p, s), (_, r)) = (at(t), at(t + 1e-12));
                let jump = (s.0 - r.0).norm() + (s.1 - r.1).norm();
                // E / length * area * speed * dt is 1e-6 N at most here.
                prop_assert!(jump < 1e-6 + 1e-10 * p.pressure_integral, "{jump} of {}", p.pressure_integral);
            }
        }
    }

    #[test]
    fn used_memory_changes_no_bit(
        kind in (0..KINDS, 0..KINDS), mode in 0..5usize, x in poses(), y in poses()
    ) {
        let (a, b) = body_pair(kind, mode);
        let (xa, xb) = place(mode, &x);
        let (p, f) = patch(&a, &xa, &b, &xb, &ALL);
        let (mut scratch, mut out) = (PatchScratch::default(), PatchFaces::default());
        let (other_a, other_b) = body_pair((kind.1, kind.0), 0);
        contact_patch(&other_a, &y.0, &other_b, &y.1, &ALL, &mut scratch, &mut out).unwrap();
        let before = out.faces.len();
        let q = contact_patch(&a, &xa, &b, &xb, &ALL, &mut scratch, &mut out).unwrap();
        prop_assert_eq!(&f.faces[..], &out.faces[before..]);
        prop_assert_eq!(q.faces.clone(), before..before + p.faces.len());
        prop_assert_eq!((p.force, p.moment, p.area), (q.force, q.moment, q.area));
    }

    #[test]
    fn a_margin_only_adds_speculative_faces(
        kind in (0..KINDS, 0..KINDS), mode in 0..5usize, x in poses()
    ) {
        let (a, b) = body_pair(kind, mode);
        let (xa, xb) = place(mode, &x);
        let plain = PatchOptions { vertices: true, ..PatchOptions::default() };
        let wide = PatchOptions { margin: 1e-3, ..plain };
        let (p, _) = patch(&a, &xa, &b, &xb, &plain);
        let (q, f) = patch(&a, &xa, &b, &xb, &wide);
        sane(&q, &f, &wide);
        prop_assert!((p.force - q.force).norm() < 1e-9 * (1.0 + p.pressure_integral));
        prop_assert!((p.area - q.area).abs() < 1e-9 * (1e-3 + p.area));
        for (k, face) in f.faces.iter().enumerate() {
            let low = f.vertex_pressure[f.vertex_range(k)].iter().fold(f64::INFINITY, |m, p| m.min(*p));
            prop_assert!(low >= -face.gradient * 1e-3 * (1.0 + 1e-9) - 1e-9 * E[1]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_wrench_is_the_gradient_of_the_stored_energy(
        kind in (0..KINDS, 0..KINDS), mode in 0..4usize, x in poses(), (w, v) in twist()
    ) {
        let (a, b) = body_pair(kind, mode);
        let (xa, xb) = place(mode, &x);
        let (sa, sb) = (solid(&shape(kind.0), E[0], HINT), solid(&shape(kind.1), E[1], HINT));
        let u = |t: f64| {
            let y = moved(&xb, &w, &(v * 0.1), t);
            match mode {
                0 => energy(&sa, &xa, &sb, &y, false),
                1 => energy(&sa, &xa, &sb, &y, true),
                2 => energy_half_space(&sb, &y, None),
                _ => energy_half_space(&sb, &y, Some(2e7)),
            }
        };
        // Work rate of the patch on B against the change of energy, by two-point Gauss rules along a
        // short path.
        let h = 2e-3;
        let power = |t: f64| {
            let y = moved(&xb, &w, &(v * 0.1), t);
            let (p, _) = patch(&a, &xa, &b, &y, &ALL);
            p.force.dot(&(v * 0.1)) + p.moment_about(&y.translation.vector).dot(&w)
        };
        let s = 0.5 / 3f64.sqrt();
        let parts = 8; // contact may begin or end on the way
        let step = h / parts as f64;
        let work: f64 = (0..parts)
            .map(|k| k as f64 + 0.5)
            .map(|k| 0.5 * step * (power(step * (k - s)) + power(step * (k + s))))
            .sum();
        let stored = u(0.0) - u(h);
        let scale = power(0.0).abs().max(power(h).abs()) * h;
        prop_assert!((work - stored).abs() <= 2e-4 * scale + 1e-9 * u(0.0), "{work} {stored} {scale}");
        let found = strain_energy(&a, &xa, &b, &xb).unwrap();
        prop_assert!((found - u(0.0)).abs() <= 1e-9 * u(0.0), "{found} {}", u(0.0));
    }
}

#[test]
fn a_body_wholly_inside_another_is_pushed_by_the_gradient() {
    let big = compliant(&shape(0), 1e6, 0.02);
    // A rigid ball well inside: the whole surface carries pressure; the net force points outward.
    let small = rigid(&Shape::sphere(0.02).unwrap(), 0.005);
    let (p, f) = patch(&small, &at(0.04, 0.0, 0.0), &big, &Iso::identity(), &ALL);
    let exact = 4.0 * std::f64::consts::PI * 0.02f64.powi(2);
    assert!((p.area / exact - 1.0).abs() < 0.02, "{}", p.area / exact);
    // Archimedes: force on the big body is minus (gradient times volume) on the ball.
    let volume = exact * 0.02 / 3.0;
    let g = 1e6 / 0.1;
    assert!((p.force.x / (-g * volume) - 1.0).abs() < 0.1, "{} {}", p.force.x, g * volume);
    assert!(f.faces.len() > 100);
    // A soft ball inside: the surface of equal pressure closes around it.
    let soft = compliant(&Shape::sphere(0.02).unwrap(), 3e6, 0.005);
    let (p, _) = patch(&soft, &at(0.04, 0.0, 0.0), &big, &Iso::identity(), &ALL);
    assert!(p.area > 0.3 * exact && p.force.x < 0.0);
    // Below the surface of a rigid half-space nothing can push it out, and that is said.
    let (p, f) = patch(&ContactSolid::RigidHalfSpace, &Iso::identity(), &soft, &at(0.0, 0.0, -0.5), &ALL);
    assert!(p.swallowed && f.faces.is_empty());
    let (p, _) = patch(&ContactSolid::RigidHalfSpace, &Iso::identity(), &soft, &at(0.0, 0.0, 0.5), &ALL);
    assert!(!p.swallowed);
    let hall = rigid(&Shape::cuboid(V3::repeat(1.0)).unwrap(), HINT);
    for (z, inside) in [(0.0, true), (0.95, true), (0.99, false), (1.5, false), (-1.5, false)] {
        let (p, f) = patch(&soft, &at(0.0, 0.0, z), &hall, &Iso::identity(), &ALL);
        assert_eq!((p.swallowed, f.faces.is_empty()), (inside, z != 0.99), "{z}");
    }
}

#[test]
fn equal_solids_at_the_same_pose_give_no_wild_faces() {
    for kind in 0..KINDS {
        let a = compliant(&shape(kind), 1e6, HINT);
        let options = PatchOptions { vertices: true, ..PatchOptions::default() };
        for dx in [0.0, 1e-15, 1e-9] {
            let (p, f) = patch(&a, &Iso::identity(), &a, &at(dx, 0.0, 0.0), &options);
            sane(&p, &f, &options);
            assert!(p.peak_extent <= 1.0 + 1e-6);
        }
    }
}

#[test]
fn two_rigid_bodies_are_sent_to_point_contact() {
    let a = rigid(&shape(0), HINT);
    assert!(ContactSolid::check_pair(&a, &ContactSolid::RigidHalfSpace).is_err());
    let message = ContactSolid::check_pair(&a, &a).unwrap_err().to_string();
    assert!(message.contains("point contact"));
}

#[test]
fn flat_faces_just_apart_make_speculative_faces_of_the_whole_overlap() {
    let h = V3::new(0.05, 0.06, 0.02);
    let body = compliant(&Shape::cuboid(h).unwrap(), 1e7, HINT);
    let options = PatchOptions { margin: 1e-3, vertices: true, ..PatchOptions::default() };
    for other in [body.clone(), rigid(&Shape::cuboid(h).unwrap(), HINT)] {
        for gap in [1e-4, 5e-4, 9.9e-4] {
            let (p, f) = patch(&body, &Iso::identity(), &other, &at(0.0, 0.0, 0.04 + gap), &options);
            let exact = 4.0 * h.x * h.y;
            assert!(p.area == 0.0);
            let mut flat = 0.0;
            for f in &f.faces {
                // None at the edges, where sides and top meet at right angles.
                assert!(f.normal.z.abs() > 1.0 - 1e-9);
                assert!((f.pressure / f.gradient + gap).abs() < 1e-9, "{}", f.pressure / f.gradient);
                flat += f.area;
            }
            assert!((flat / exact - 1.0).abs() < 0.1, "{}", flat / exact);
        }
        let (_, f) = patch(&body, &Iso::identity(), &other, &at(0.0, 0.0, 0.04 + 1.1e-3), &options);
        assert!(f.faces.is_empty());
    }
}

#[test]
fn cutting_large_faces_keeps_the_wrench_and_resolves_the_lever_of_friction() {
    let a = 0.1; // half edge of the square
    let body = compliant(&Shape::cuboid(V3::new(a, a, a)).unwrap(), 1e7, HINT);
    let lever = |edge: f64| {
        let options = PatchOptions { max_face_edge: edge, vertices: true, ..PatchOptions::default() };
        let (p, f) =
            patch(&ContactSolid::RigidHalfSpace, &Iso::identity(), &body, &at(0.0, 0.0, a - 1e-6), &options);
        sane(&p, &f, &options);
        for k in 0..f.faces.len() {
            let v = &f.vertices[f.vertex_range(k)];
            assert!((0..v.len()).all(|i| (v[i] - v[(i + 1) % v.len()]).norm() <= edge * (1.0 + 1e-9)));
        }
        // Friction torque per friction force of a turning square.
        f.faces.iter().map(|f| f.force() * f.centroid.norm()).sum::<f64>() / p.pressure_integral
    };
    let exact = a * (2f64.sqrt() + (1.0 + 2f64.sqrt()).ln()) / 3.0;
    let coarse = lever(f64::INFINITY) / exact - 1.0;
    let (fine, finer) = (lever(0.05) / exact - 1.0, lever(0.025) / exact - 1.0);
    println!("{coarse:.3} {fine:.4} {finer:.5}");
    assert!(
        coarse.abs() > 0.1 && fine.abs() < 0.01 && finer.abs() < 0.3 * fine.abs(),
        "{coarse} {fine} {finer}"
    );
}
