//! Triangle surfaces: no pushes along inner edges, terrain, closed meshes.

mod common;

use std::sync::Arc;

use common::*;
use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use proptest::prelude::*;
use stiction_geometry::{
    ContactPoint, DecompositionOptions, HeightField, Shape, TriangleMesh, convex_decomposition,
};

/// A flat floor of n x n cells of uneven size with both kinds of diagonals.
fn floor(n: usize) -> Shape {
    let at = |i: usize| {
        4.0 * (i as f64 / n as f64 - 0.5)
            + if i.is_multiple_of(n) { 0.0 } else { 0.3 / n as f64 * (i as f64 * 1.7).sin() }
    };
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| V3::new(at(i), at(j), 0.0))).collect();
    let mut faces = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let k = (j * (n + 1) + i) as u32;
            let (r, u, d) = (k + 1, k + n as u32 + 1, k + n as u32 + 2);
            if (i + j) % 2 == 0 {
                faces.extend([[k, r, d], [k, d, u]]);
            } else {
                faces.extend([[k, r, u], [r, d, u]]);
            }
        }
    }
    Shape::mesh(vertices, faces).unwrap()
}

fn cube_mesh(h: f64) -> Shape {
    let v = (0..8)
        .map(|i| V3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64) * 2.0 * h - V3::repeat(h))
        .collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Shape::mesh(v, quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect()).unwrap()
}

/// A prism over an L, of arms 2s long and s wide.
fn l_mesh(s: f64) -> Shape {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let corners = |z: f64| outline.map(|(x, y)| s * V3::new(x - 0.8, y - 0.8, z));
    let v = [corners(-0.5), corners(0.5)].concat();
    let caps = [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]];
    let mut f: Vec<[u32; 3]> = caps.iter().map(|t| [t[0], t[2], t[1]]).collect();
    f.extend(caps.iter().map(|t| t.map(|i| i + 6)));
    f.extend((0..6u32).flat_map(|i| [[i, (i + 1) % 6, (i + 1) % 6 + 6], [i, (i + 1) % 6 + 6, i + 6]]));
    Shape::mesh(v, f).unwrap()
}

fn area(points: &[ContactPoint]) -> f64 {
    let cross = |k: usize| points[k].p_wa.cross(&points[(k + 1) % points.len()].p_wa);
    (0..points.len()).map(cross).sum::<V3>().norm() / 2.0
}

/// Shape placed so that its lowest point is `depth` below z = 0.
fn sunk(shape: &Shape, turn: UnitQuaternion<f64>, x: f64, y: f64, depth: f64) -> Iso {
    let low = turn * shape.support(&(turn.inverse() * -V3::z())).unwrap();
    Iso::from_parts(Translation3::new(x, y, -low.z - depth), turn)
}

/// How deep a shape is in a tetrahedron that is flattened to edges of a few degrees: as a mesh, and as a hull.
fn depths_in_flat_tetrahedron(
    thin: f64,
    shape: &Shape,
    at: V3,
    turn: UnitQuaternion<f64>,
    x_wm: Iso,
) -> (f64, f64) {
    let corners = [(1.0, 1.0, thin), (-1.0, -1.0, thin), (-1.0, 1.0, -thin), (1.0, -1.0, -thin)]
        .map(|(x, y, z)| V3::new(x, y, z));
    let mesh = Shape::mesh(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let hull = Shape::convex_hull(&corners).unwrap();
    let pose = x_wm * Iso::from_parts(Translation3::from(at), turn);
    let felt =
        |body: &Shape| deepest(&contacts((body, &x_wm), (shape, &pose), 0.0)).map_or(0.0, |p| -p.distance);
    (felt(&mesh), felt(&hull))
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn a_body_that_is_not_convex_is_no_deeper_in_a_large_wall_than_it_pokes(
        turn in rotation(), y in -1.0..1.0f64, z in -4.8..4.8f64, depth in -1e-3..0.01f64,
        margin in prop_oneof![Just(0.0), Just(1e-3)],
    ) {
        // The wall is solid from x = 0 to x = 1, and much larger than the body.
        let (l, wall) = (l_mesh(0.08), Shape::cuboid(V3::new(0.5, 1.5, 5.0)).unwrap());
        let Shape::Mesh(mesh) = &l else { unreachable!() };
        let furthest = mesh.vertices().iter().map(|v| (turn * v).x).fold(f64::NEG_INFINITY, f64::max);
        let x_wl = Iso::from_parts(Translation3::new(depth - furthest, y, z), turn);
        let c = contacts((&wall, &Iso::translation(0.5, 0.0, 0.0)), (&l, &x_wl), margin);
        // Nothing is seen from further away than the margin, all the rest is.
        prop_assert!(c.is_empty() == (depth < -margin) || (depth + margin).abs() < 1e-9);
        for p in &c {
            prop_assert!(p.distance >= -depth - 1e-9, "{depth} {p:?}");
            prop_assert!((p.normal_w + V3::x()).norm() < 1e-6, "{p:?}");
        }
    }

    #[test]
    fn a_flat_triangulated_floor_acts_as_a_half_space(
        shape in convex_shape(), turn in rotation(), x in -0.8..0.8f64, y in -0.8..0.8f64, depth in -0.015..0.03f64,
        n in 2..12usize,
    ) {
        let pose = sunk(&shape, turn, x, y, depth);
        let o = Iso::identity();
        let mesh = contacts((&floor(n), &o), (&shape, &pose), 0.02);
        prop_assert!(!mesh.is_empty());
        for p in &mesh {
            prop_assert!((p.normal_w - V3::z()).norm() < 1e-12, "{:?}", p);
            prop_assert!((p.p_wb - p.p_wa - p.normal_w * p.distance).norm() < 1e-12);
            prop_assert!(p.p_wa.z.abs() < 1e-12);
        }
        prop_assert!((deepest(&mesh).unwrap().distance + depth).abs() < 1e-9, "{mesh:?}");
        prop_assert!(mesh.len() <= 9);
    }

    #[test]
    fn a_box_lies_on_a_flat_floor_with_its_whole_face(
        yaw in -3.2..3.2f64, x in -0.8..0.8f64, y in -0.8..0.8f64, n in 1..16usize, hx in 0.05..0.6f64, hy in 0.05..0.6f64,
    ) {
        let cuboid = Shape::cuboid(V3::new(hx, hy, 0.3)).unwrap();
        let turn = UnitQuaternion::from_axis_angle(&V3::z_axis(), yaw);
        let points = contacts((&floor(n), &Iso::identity()), (&cuboid, &sunk(&cuboid, turn, x, y, 1e-3)), 0.0);
        prop_assert_eq!(points.len(), 4);
        prop_assert!((area(&points) - 4.0 * hx * hy).abs() < 1e-7);
    }

    #[test]
    fn no_contact_point_is_found_twice(shape in convex_shape(), at in vector(0.9), turn in rotation()) {
        // Deep and shallow, on edges that two faces or more have in common.
        let l = l_mesh(0.6);
        let pose = Iso::from_parts(Translation3::from(at), turn);
        let points = contacts((&l, &Iso::identity()), (&shape, &pose), 0.0);
        // Corners of what is flat may be near each other; the point of what is round is one.
        let near = if matches!(shape, Shape::Cylinder { .. } | Shape::Ellipsoid { .. }) { 1e-5 } else { 1e-9 };
        for (k, p) in points.iter().enumerate() {
            for q in &points[..k] {
                let (apart, along) = ((p.p_wa - q.p_wa).norm(), p.normal_w.dot(&q.normal_w));
                prop_assert!(apart > near || along < 1.0 - 1e-7, "{p:?} {q:?}");
            }
        }
    }

    #[test]
    fn what_is_inside_a_body_that_is_not_convex_is_felt(
        shape in convex_shape(), at in vector(0.9), turn in rotation(), x_wl in pose(0.5), margin in 0.0..0.1f64,
    ) {
        // The L is two boxes that share its corner.
        let s = 0.6;
        let arms = [
            (V3::new(1.0, 0.5, 0.5), V3::new(0.2, -0.3, 0.0)),
            (V3::new(0.5, 1.0, 0.5), V3::new(-0.3, 0.2, 0.0)),
        ];
        let pose = x_wl * Iso::from_parts(Translation3::from(at), turn);
        let in_arm = |(half, middle): &(V3, V3)| {
            let solid = Shape::cuboid(half * s).unwrap();
            let x = x_wl * Translation3::from(middle * s);
            deepest(&contacts((&solid, &x), (&shape, &pose), 0.0)).map_or(0.0, |p| -p.distance)
        };
        let depth = arms.iter().map(in_arm).fold(0.0, f64::max);
        let felt = |margin: f64| {
            let points = contacts((&l_mesh(s), &x_wl), (&shape, &pose), margin);
            deepest(&points).map_or(0.0, |p| (-p.distance).max(0.0))
        };
        let depths = [felt(0.0), felt(margin)];
        prop_assert!(depth < 1e-7 || depths[0] > 0.0, "{depth} {shape:?} {pose:?}");
        prop_assert!(depth > 0.0 || depths[0] < 1e-7, "{depths:?} {shape:?} {pose:?}");
        prop_assert!((depths[1] > 0.0) == (depths[0] > 0.0) || depths[0].max(depths[1]) < 1e-7, "{depths:?}");
    }

    #[test]
    fn what_is_apart_from_a_body_with_sharp_edges_is_not_felt(
        shape in convex_shape(), at in vector(2.0), turn in rotation(), x_wm in pose(0.5), thin in 0.05..1.0f64,
    ) {
        let (of_faces, solid) = depths_in_flat_tetrahedron(thin, &shape, at, turn, x_wm);
        // Where the line of a capsule is nearly along an edge, the two count as parallel: it may be felt a little early.
        let early = if matches!(shape, Shape::Capsule { .. }) { 0.01 } else { 1e-7 };
        prop_assert!(solid > 0.0 || of_faces < early, "{of_faces}");
        prop_assert!(of_faces > 0.0 || solid < 1e-7, "{solid}");
    }

    #[test]
    fn a_closed_cube_of_triangles_touches_as_the_solid_cube(
        shape in convex_shape(), xm in pose(0.3), direction in vector(1.0), turn in rotation(), overlap in -0.02..0.03f64,
    ) {
        // Bring the shape towards the cube along a direction until it overlaps a little.
        prop_assume!(direction.norm() > 0.1);
        let d = direction.normalize();
        let (mesh, solid) = (cube_mesh(0.5), Shape::cuboid(V3::repeat(0.5)).unwrap());
        let (mut lo, mut hi) = (0.0, 3.0);
        let at = |t: f64| Iso::from_parts(Translation3::from(xm.translation.vector + d * t), turn);
        for _ in 0..40 {
            let mid = 0.5 * (lo + hi);
            let c = contacts((&solid, &xm), (&shape, &at(mid)), 0.0);
            if c.is_empty() { hi = mid } else { lo = mid }
        }
        let pose = at(hi - overlap);
        let margin = 0.02;
        let (m, s) = (contacts((&mesh, &xm), (&shape, &pose), margin), contacts((&solid, &xm), (&shape, &pose), margin));
        match (deepest(&m), deepest(&s)) {
            (None, None) => {}
            (Some(m), Some(s)) => {
                // The surface may push along several faces at once, never less than the solid, and
                // never much more: the overlap is shallow.
                prop_assert!(m.distance <= s.distance + 1e-7, "{} {}", m.distance, s.distance);
                prop_assert!(m.distance >= -0.03 - 1e-7 || m.distance >= 2.5 * s.distance - 1e-7, "{m:?} {s:?} {}", format!("{shape:?} {xm:?} {pose:?}"));
            }
            (m, s) => prop_assert!(false, "one sees contact, one does not: {m:?} {s:?}"),
        }
    }
}

#[test]
fn a_small_mesh_on_a_vast_floor_keeps_its_support() {
    for half in [0.5, 5.0, 500.0] {
        let (l, ground) = (l_mesh(0.01), Shape::cuboid(V3::new(half, half, 0.5)).unwrap());
        let x_wl = Iso::translation(0.1, 0.2, 0.5 + 0.005 - 1e-5);
        let points = contacts((&ground, &Iso::identity()), (&l, &x_wl), 0.0);
        // The hull of the L, 4 - 1/2 squares of 1 cm.
        assert!(
            (area(&points) - 3.5e-4).abs() < 1e-9,
            "{half}: {} of {} points",
            area(&points),
            points.len()
        );
    }
}

#[test]
fn a_sphere_rolls_over_terrain_without_bumps_at_inner_edges() {
    let heights: Vec<f64> = (0..121).map(|i| 0.2 * (i % 11) as f64 / 10.0).collect(); // a plane slope in x
    let field = Shape::HeightField(Arc::new(HeightField::new(11, 11, 2.0, 2.0, &heights).unwrap()));
    let n = V3::new(-0.1, 0.0, 1.0).normalize();
    let ball = Shape::sphere(0.1).unwrap();
    for k in 0..500 {
        let (x, y) = (-0.8 + 0.0031 * k as f64, 0.3 * (k as f64 * 0.01).sin());
        let surface = V3::new(x, y, 0.1 * (x + 1.0));
        let pose = Iso::from_parts(Translation3::from(surface + n * 0.099), UnitQuaternion::identity());
        let c = contacts((&field, &Iso::identity()), (&ball, &pose), 0.0);
        assert_eq!(c.len(), 1);
        assert!((c[0].normal_w - n).norm() < 1e-9 && (c[0].distance + 0.001).abs() < 1e-9, "{c:?}");
    }
}

#[test]
fn sphere_over_a_ridge_touches_the_ridge() {
    let heights = [0.0, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.5, 0.0];
    let field = Shape::HeightField(Arc::new(HeightField::new(3, 3, 2.0, 2.0, &heights).unwrap()));
    let ball = Shape::sphere(0.2).unwrap();
    let c = contacts((&field, &Iso::identity()), (&ball, &Iso::translation(0.0, 0.1, 0.69)), 0.0);
    assert_eq!(c.len(), 1);
    assert!((c[0].normal_w - V3::z()).norm() < 1e-9 && (c[0].distance + 0.01).abs() < 1e-9);
    // In a valley it touches both flanks.
    let heights = heights.map(|h: f64| 0.5 - h);
    let field = Shape::HeightField(Arc::new(HeightField::new(3, 3, 2.0, 2.0, &heights).unwrap()));
    let z = 0.19 / (1.0 / 1.25f64.sqrt());
    let c = contacts((&field, &Iso::identity()), (&ball, &Iso::translation(0.0, 0.1, z)), 0.0);
    assert_eq!(c.len(), 2);
    assert!(c.iter().all(|p| (p.distance + 0.01).abs() < 1e-9), "{c:?}");
}

#[test]
fn an_edge_is_felt_all_along_though_the_surface_rises_beyond_its_ends() {
    // A ridge along x from 0 to 1, whose ends go up.
    let v = [
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0),
        (0.5, 1.0, -1.0),
        (0.5, -1.0, -1.0),
        (-1.0, 0.0, 0.5),
        (2.0, 0.0, 0.5),
    ];
    let v = v.map(|(x, y, z)| V3::new(x, y, z)).to_vec();
    let saddle =
        Shape::mesh(v, vec![[0, 1, 2], [1, 0, 3], [0, 2, 4], [0, 4, 3], [1, 5, 2], [1, 3, 5]]).unwrap();
    let shapes = [Shape::sphere(0.1).unwrap(), Shape::capsule(0.1, 0.05).unwrap()];
    for (shape, lift) in shapes.iter().zip([0.09, 0.14]) {
        for k in 0..100 {
            let pose = Iso::translation(0.3 + 0.004 * k as f64, 0.0, lift);
            let c = contacts((&saddle, &Iso::identity()), (shape, &pose), 0.0);
            let deepest = c.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
            assert!((deepest + 0.01).abs() < 1e-9, "{k}: {c:?}");
        }
    }
}

#[test]
fn an_edge_is_felt_though_only_a_face_square_to_it_finds_its_normal() {
    // The normal lies in that face but for rounding, on either side of it.
    let turn =
        |c: [f64; 4]| UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(c[3], c[0], c[1], c[2]));
    let x_wc = Iso::from_parts(
        Translation3::identity(),
        turn([-0.01835987914776942, -0.45550865283963715, 0.4947841321472198, 0.7398401480057842]),
    );
    let direction = V3::new(0.5318329492118798, -0.34683666585851847, -0.8084063962090674).normalize();
    let turn = turn([0.9109477798624873, 0.29734721265764313, -0.2746723400964433, 0.07945994635210392]);
    let cylinder = Shape::cylinder(0.37778792640437375, 0.5501555750003074).unwrap();
    let (cube, triangles) = (Shape::cuboid(V3::repeat(0.5)).unwrap(), cube_mesh(0.5));
    let touching = |shape: &Shape, t: f64| {
        let x_wl = Iso::from_parts(Translation3::from(direction * t), turn);
        !contacts((shape, &x_wc), (&cylinder, &x_wl), 0.0).is_empty()
    };
    let (mut inside, mut apart) = (0.0, 3.0);
    for _ in 0..40 {
        let middle = 0.5 * (inside + apart);
        if touching(&cube, middle) { inside = middle } else { apart = middle }
    }
    for k in 1..3000 {
        let t = inside - 1e-5 * f64::from(k);
        assert!(touching(&triangles, t), "{k}");
    }
    assert!(touching(&triangles, apart - 0.02598347339003389));
}

#[test]
fn what_rests_on_a_closed_mesh_is_felt_however_little_it_sinks_in() {
    // Stiff bodies rest at 1e-11 m and less.
    let cube = cube_mesh(0.5);
    let up = UnitQuaternion::identity();
    for shape in [
        Shape::cuboid(V3::new(0.2, 0.3, 0.1)).unwrap(),
        Shape::cylinder(0.2, 0.1).unwrap(),
        Shape::capsule(0.1, 0.2).unwrap(),
        Shape::ellipsoid(V3::new(0.2, 0.3, 0.1)).unwrap(),
    ] {
        // What curves all over is followed to the last digits but three.
        let least = if matches!(shape, Shape::Ellipsoid { .. }) { 11 } else { 14 };
        for k in 3..=least {
            let depth = 10f64.powi(-k);
            for (x, turn) in
                [(0.0, up), (0.45, up), (0.1, UnitQuaternion::from_scaled_axis(V3::new(0.0, 0.0, 1.0)))]
            {
                let mut pose = sunk(&shape, turn, x, 0.07, depth);
                pose.translation.z += 0.5;
                let points = contacts((&cube, &Iso::identity()), (&shape, &pose), 0.0);
                let felt = deepest(&points).map_or(0.0, |p| -p.distance);
                assert!((felt - depth).abs() < 1e-15, "{shape:?} {x} {depth}: {felt}");
            }
        }
    }
}

#[test]
fn a_body_below_the_rim_of_an_open_surface_is_not_lifted() {
    // It brushes the rim from below and behind: nothing is inside a sheet.
    let sheet =
        [V3::new(-1.0, -1.0, 0.0), V3::new(1.0, -1.0, 0.0), V3::new(1.0, 1.0, 0.0), V3::new(-1.0, 1.0, 0.0)];
    let sheet = Shape::mesh(sheet.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let along_y = UnitQuaternion::from_axis_angle(&V3::x_axis(), std::f64::consts::FRAC_PI_2);
    for shape in [Shape::capsule(0.1, 0.2).unwrap(), Shape::cylinder(0.1, 0.2).unwrap()] {
        for k in 1..30 {
            let pose = Iso::from_parts(Translation3::new(1.05, 0.0, -0.01 * f64::from(k)), along_y);
            let points = contacts((&sheet, &Iso::identity()), (&shape, &pose), 0.0);
            assert!(points.iter().all(|p| p.distance > -0.06), "{k}: {points:?}");
        }
    }
}

#[test]
fn what_is_pressed_below_terrain_is_pushed_up_as_deep_as_it_is() {
    let heights: Vec<f64> = (0..121).map(|i| 0.03 * (1.0 + (i as f64 * 2.3).sin())).collect();
    let field = HeightField::new(11, 11, 2.0, 2.0, &heights).unwrap().with_base(0.5);
    let field = Shape::HeightField(Arc::new(field));
    let cuboid = Shape::cuboid(V3::repeat(0.05)).unwrap();
    let tilted = UnitQuaternion::from_scaled_axis(V3::new(0.3, 0.2, 0.1));
    for (shape, size) in [(Shape::sphere(0.05).unwrap(), 0.05), (cuboid, 0.05)] {
        let mut above = None;
        for k in 0..45 {
            let z = 0.1 - 0.01 * k as f64;
            let pose = Iso::from_parts(Translation3::new(0.13, -0.27, z), tilted);
            let c = contacts((&field, &Iso::identity()), (&shape, &pose), 0.0);
            let depth = c.iter().map(|p| -p.distance).fold(0.0, f64::max);
            // Up, and deeper by the centimetre it is lower, within the slope of the ground.
            assert!(c.iter().all(|p| p.normal_w.z > 0.5), "{z}: {c:?}");
            assert!(z > size || depth > 0.0, "{z}: {c:?}");
            if let Some(last) = above.filter(|last| *last > 0.03) {
                assert!(depth > last + 0.004 && depth < last + 0.011, "{z}: {last} {depth}");
            }
            above = Some(depth);
        }
    }
    let below = Iso::translation(0.0, 0.0, -0.7);
    assert!(contacts((&field, &Iso::identity()), (&Shape::sphere(0.05).unwrap(), &below), 0.0).is_empty());
}

#[test]
fn a_box_in_a_corner_of_floor_and_wall_feels_both() {
    // An L: floor z = 0 for x > 0, wall x = 0 for z > 0.
    let v = vec![
        V3::new(0.0, -1.0, 0.0),
        V3::new(2.0, -1.0, 0.0),
        V3::new(2.0, 1.0, 0.0),
        V3::new(0.0, 1.0, 0.0),
        V3::new(0.0, -1.0, 2.0),
        V3::new(0.0, 1.0, 2.0),
    ];
    let l = Shape::mesh(v, vec![[0, 1, 2], [0, 2, 3], [0, 3, 5], [0, 5, 4]]).unwrap();
    let cuboid = Shape::cuboid(V3::repeat(0.3)).unwrap();
    let c = contacts((&l, &Iso::identity()), (&cuboid, &Iso::translation(0.298, 0.0, 0.299)), 0.0);
    let along = |n: V3, d: f64| {
        c.iter().filter(|p| (p.normal_w - n).norm() < 1e-9 && (p.distance - d).abs() < 1e-9).count()
    };
    assert_eq!((c.len(), along(V3::z(), -0.001), along(V3::x(), -0.002)), (8, 4, 4), "{c:?}");
}

#[test]
fn leaning_into_a_riser_of_fine_stairs_pushes_back_not_up() {
    // Floor z = 0 for x < 0, riser at x = 0 up to z = 0.2, tread z = 0.2 for x > 0; cells of 5 cm.
    let profile: Vec<(f64, f64)> = (0..20)
        .map(|i| (-1.0 + 0.05 * i as f64, 0.0))
        .chain((0..4).map(|i| (0.0, 0.05 * i as f64)))
        .chain((0..21).map(|i| (0.05 * i as f64, 0.2)))
        .collect();
    let rows = 21;
    let v = (0..rows)
        .flat_map(|j| profile.iter().map(move |&(x, z)| V3::new(x, 0.05 * j as f64 - 0.5, z)))
        .collect();
    let n = profile.len() as u32;
    let f = (0..rows as u32 - 1)
        .flat_map(|j| (0..n - 1).map(move |i| j * n + i))
        .flat_map(|k| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]])
        .collect();
    let stairs = Shape::mesh(v, f).unwrap();
    // A tall box that stands on the floor and overlaps the riser by more and more, up to two cells.
    let tall = Shape::cuboid(V3::new(0.1, 0.1, 0.5)).unwrap();
    for lean in [0.001, 0.01, 0.04, 0.06, 0.09] {
        let c =
            contacts((&stairs, &Iso::identity()), (&tall, &Iso::translation(-0.1 + lean, 0.013, 0.499)), 0.0);
        for p in &c {
            let floor = (p.normal_w - V3::z()).norm() < 1e-9 && (p.distance + 0.001).abs() < 1e-9;
            let riser = (p.normal_w + V3::x()).norm() < 1e-9 && (p.distance + lean).abs() < 1e-9;
            assert!(floor || riser, "{lean} {p:?}");
        }
        assert!(
            c.iter().any(|p| p.normal_w.z > 0.5) && c.iter().any(|p| p.normal_w.x < -0.5),
            "{lean} {c:?}"
        );
    }
}

#[test]
fn a_box_overhanging_an_edge_is_not_pushed_sideways() {
    let cuboid = Shape::cuboid(V3::repeat(0.3)).unwrap();
    for x in [0.3, 0.45, 0.5, 0.55, 0.7] {
        let c =
            contacts((&cube_mesh(0.5), &Iso::identity()), (&cuboid, &Iso::translation(x, 0.1, 0.799)), 0.0);
        assert!(
            !c.is_empty()
                && c.iter()
                    .all(|p| (p.normal_w - V3::z()).norm() < 1e-9 && (p.distance + 0.001).abs() < 1e-9),
            "{x} {c:?}"
        );
        assert!((area(&c) - (0.5 - (x - 0.3)).min(0.6) * 0.6).abs() < 1e-6, "{x} {}", area(&c));
    }
}

#[test]
fn a_box_beyond_a_sharp_edge_is_not_felt() {
    // A corner of it is below the plane of a face that ends before it.
    let cuboid = Shape::cuboid(V3::new(0.516, 0.403, 0.493)).unwrap();
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(0.361, -0.414, 0.098, 0.83));
    let at = V3::new(-1.651, -0.532, 0.676);
    let (of_faces, solid) = depths_in_flat_tetrahedron(0.842, &cuboid, at, turn, Iso::identity());
    assert!(solid <= 0.0 && of_faces < 1e-7, "{of_faces} {solid}");
}

#[test]
fn a_rod_inside_both_arms_of_a_body_is_felt_though_it_meets_no_face() {
    // It lies across the inner corner of the L, behind the planes of the faces there and in front of one by its centre.
    let turn = UnitQuaternion::from_axis_angle(&V3::z_axis(), -std::f64::consts::FRAC_PI_4);
    let x_wr = Iso::from_parts(Translation3::new(0.35, -0.05, 0.0), turn);
    for rod in [Shape::cuboid(V3::new(0.5, 0.02, 0.02)).unwrap(), Shape::capsule(0.02, 0.5).unwrap()] {
        let along_x = matches!(rod, Shape::Box { .. });
        let lie = if along_x {
            Default::default()
        } else {
            UnitQuaternion::from_axis_angle(&V3::y_axis(), std::f64::consts::FRAC_PI_2)
        };
        let c = contacts((&l_mesh(1.0), &Iso::identity()), (&rod, &(x_wr * lie)), 0.2);
        // It must move by 0.14 m at least to cross the corner.
        assert!(deepest(&c).is_some_and(|p| p.distance < -0.05), "{rod:?} {c:?}");
    }
}

#[test]
fn a_sphere_deep_inside_a_mesh_leaves_the_shortest_way() {
    let c = contacts(
        (&cube_mesh(0.5), &Iso::identity()),
        (&Shape::sphere(0.2).unwrap(), &Iso::translation(0.05, 0.1, 0.4)),
        0.0,
    );
    assert_eq!(c.len(), 1);
    assert!((c[0].normal_w - V3::z()).norm() < 1e-9 && (c[0].distance + 0.3).abs() < 1e-9, "{c:?}");
}

#[test]
fn a_shape_swallowed_by_a_closed_mesh_is_pushed_out() {
    // No face is near the shape: it is far inside.
    let inside = Iso::translation(0.3, 0.1, 1.0);
    for shape in [
        Shape::sphere(0.2).unwrap(),
        Shape::cuboid(V3::repeat(0.2)).unwrap(),
        Shape::capsule(0.1, 0.1).unwrap(),
    ] {
        let c = contacts((&cube_mesh(2.0), &Iso::identity()), (&shape, &inside), 0.0);
        assert_eq!(c.len(), 1, "{shape:?}");
        assert!((c[0].normal_w - V3::z()).norm() < 1e-9 && (c[0].distance + 1.2).abs() < 1e-9, "{c:?}");
    }
    // Beside or in the cavity of an open surface nothing happens.
    let c = contacts(
        (&floor(4), &Iso::identity()),
        (&Shape::sphere(0.2).unwrap(), &Iso::translation(0.0, 0.0, -0.5)),
        0.0,
    );
    assert!(c.is_empty());
}

#[test]
fn mesh_against_half_space_gives_its_lowest_vertices() {
    let c = contacts(
        (&Shape::HalfSpace, &Iso::identity()),
        (&cube_mesh(0.5), &Iso::translation(0.0, 0.0, 0.49)),
        0.0,
    );
    assert_eq!(c.len(), 4);
    assert!(c.iter().all(|p| (p.distance + 0.01).abs() < 1e-12));
}

#[test]
fn topology_and_mass_of_a_closed_mesh() {
    let Shape::Mesh(m) = cube_mesh(0.5) else { unreachable!() };
    assert!(m.is_watertight() && (m.signed_volume() - 1.0).abs() < 1e-12);
    let p = cube_mesh(0.5).mass_properties(6.0).unwrap();
    assert!((p.inertia[(0, 0)] - 1.0).abs() < 1e-12);
    let shell = m.shell_mass_properties(1.0);
    // A hollow cube of side 1: I = 5/18 m.
    assert!((shell.mass - 6.0).abs() < 1e-12 && (shell.inertia[(2, 2)] - 6.0 * 5.0 / 18.0).abs() < 1e-12);
    let Shape::Mesh(open) = floor(3) else { unreachable!() };
    assert!(!open.is_watertight() && open.topology_note().contains("12 border edges"));
    assert!(floor(3).mass_properties(1.0).unwrap_err().to_string().contains("not closed"));
    let inward =
        TriangleMesh::new(m.vertices().to_vec(), m.faces().iter().map(|f| [f[0], f[2], f[1]]).collect())
            .unwrap();
    assert!(!inward.is_watertight() && inward.topology_note().contains("inward"));
}

#[test]
fn an_l_shaped_solid_is_cut_into_convex_parts_of_the_same_volume() {
    // An L of three unit cubes, extruded.
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let v: Vec<V3> =
        [0.0, 1.0].iter().flat_map(|&z| outline.iter().map(move |&(x, y)| V3::new(x, y, z))).collect();
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut f: Vec<[u32; 3]> = caps.iter().map(|t| [t[0], t[2], t[1]]).collect();
    f.extend(caps.iter().map(|t| t.map(|i| i + 6)));
    for i in 0..6u32 {
        let j = (i + 1) % 6;
        f.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    let mesh = TriangleMesh::new(v, f).unwrap();
    assert!(mesh.is_watertight() && (mesh.signed_volume() - 3.0).abs() < 1e-12);
    let parts = convex_decomposition(&mesh, &DecompositionOptions::default()).unwrap();
    let volume: f64 =
        parts.into_iter().map(|h| Shape::Convex(Arc::new(h)).mass_properties(1.0).unwrap().volume).sum();
    assert!((volume - 3.0).abs() < 0.15, "{volume}");
}
