//! Two bodies of triangles against each other.

mod common;

use std::sync::Arc;

use common::*;
use nalgebra::{Translation3, UnitQuaternion};
use proptest::prelude::*;
use stiction_geometry::surface::shapes;
use stiction_geometry::{ContactPoint, Shape, TriangleMesh};

/// A box of triangles, `n` by `n` squares a side.
fn box_mesh(half: V3, n: usize) -> Shape {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let first = vertices.len() as u32;
            let at = |i: usize| 2.0 * i as f64 / n as f64 - 1.0;
            for j in 0..=n {
                for i in 0..=n {
                    let mut p = V3::zeros();
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, at(i), at(j));
                    vertices.push(p.component_mul(&half));
                }
            }
            let row = n as u32 + 1;
            for k in (0..n as u32).flat_map(|j| (0..n as u32).map(move |i| first + j * row + i)) {
                let quads = [[k, k + 1, k + row + 1], [k, k + row + 1, k + row]];
                faces.extend(quads.map(|[a, b, c]| if sign > 0.0 { [a, b, c] } else { [a, c, b] }));
            }
        }
    }
    let shape = Shape::mesh(vertices, faces).unwrap();
    let Shape::Mesh(mesh) = &shape else { unreachable!() };
    assert!(mesh.is_watertight(), "{}", mesh.topology_note());
    shape
}

fn mesh((vertices, faces): shapes::Triangles) -> Shape {
    Shape::mesh(vertices, faces).unwrap()
}

fn triangles(shape: &Shape) -> &Arc<TriangleMesh> {
    let Shape::Mesh(mesh) = shape else { unreachable!() };
    mesh
}

/// Whether an edge of one goes through a face of the other by more than `slack`: every pair is looked at.
fn go_through_each_other(a: &Shape, b: &Shape, x_ab: &Iso, slack: f64) -> bool {
    let world = |s: &Shape, x: &Iso| -> Vec<[V3; 3]> {
        let m = triangles(s);
        (0..m.faces().len())
            .map(|f| m.corners(f).map(|p| x * nalgebra::Point3::from(p)).map(|p| p.coords))
            .collect()
    };
    let (p, q) = (world(a, &Iso::identity()), world(b, x_ab));
    let pierced = |edge: (V3, V3), face: &[V3; 3]| {
        let n = (face[1] - face[0]).cross(&(face[2] - face[0])).normalize();
        let (s, t) = ((edge.0 - face[0]).dot(&n), (edge.1 - face[0]).dot(&n));
        if !(s > slack && t < -slack || t > slack && s < -slack) {
            return false;
        }
        let at = edge.0 + (edge.1 - edge.0) * (s / (s - t));
        (0..3).all(|k| {
            let e = face[(k + 1) % 3] - face[k];
            e.cross(&(at - face[k])).dot(&n) > slack * e.norm()
        })
    };
    let any = |p: &[[V3; 3]], q: &[[V3; 3]]| {
        p.iter().any(|t| {
            let (low, high) = (t[0].inf(&t[1]).inf(&t[2]), t[0].sup(&t[1]).sup(&t[2]));
            q.iter().any(|f| {
                let apart =
                    (0..3).any(|k| f.iter().all(|c| c[k] > high[k]) || f.iter().all(|c| c[k] < low[k]));
                !apart && (0..3).any(|k| pierced((t[k], t[(k + 1) % 3]), f))
            })
        })
    };
    any(&p, &q) || any(&q, &p)
}

/// Pose of b along `d` at which it overlaps a by `depth` along that line.
fn touching(a: &Shape, b: &Shape, turn: UnitQuaternion<f64>, d: &V3, depth: f64) -> Iso {
    let at = |t: f64| Iso::from_parts(Translation3::from(d * t), turn);
    let (mut near, mut far) = (0.0, 4.0);
    for _ in 0..50 {
        let middle = 0.5 * (near + far);
        let c = contacts((a, &Iso::identity()), (b, &at(middle)), 0.0);
        *(if c.is_empty() { &mut far } else { &mut near }) = middle;
    }
    at(near - depth)
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn boxes_of_triangles_touch_as_boxes(
        ha in [0.1..0.5f64, 0.1..0.5f64, 0.1..0.5f64], hb in [0.1..0.5f64, 0.1..0.5f64, 0.1..0.5f64],
        (na, nb) in (1..5usize, 1..5usize), turn in rotation(), d in vector(1.0), log_depth in -9.0..-3.0f64,
        x_wa in pose(1.0),
    ) {
        prop_assume!(d.norm() > 0.1);
        let (ha, hb) = (V3::from(ha), V3::from(hb));
        let (a, b) = (Shape::cuboid(ha).unwrap(), Shape::cuboid(hb).unwrap());
        let x_ab = touching(&a, &b, turn, &d.normalize(), 10f64.powf(log_depth));
        let exact = contacts((&a, &x_wa), (&b, &(x_wa * x_ab)), 0.0);
        let found = contacts((&box_mesh(ha, na), &x_wa), (&box_mesh(hb, nb), &(x_wa * x_ab)), 0.0);
        let (e, f) = (deepest(&exact), deepest(&found));
        prop_assert!(e.is_some());
        let e = e.unwrap();
        prop_assert!(f.is_some(), "{e:?} is not felt");
        let f = f.unwrap();
        prop_assert!((f.distance - e.distance).abs() < 1e-9, "{e:?}\n{found:?}");
        for p in &found {
            prop_assert!((p.p_wb - p.p_wa - p.normal_w * p.distance).norm() < 1e-12);
        }
        // A normal other than that of the boxes would be an equally good one.
        if (f.normal_w - e.normal_w).norm() > 1e-6 {
            let moved = contacts((&a, &x_wa), (&b, &(Translation3::from(-f.distance * f.normal_w) * x_wa * x_ab)), 0.0);
            prop_assert!(deepest(&moved).is_none_or(|p| p.distance > -1e-9), "{e:?} {f:?}");
        }
    }

    #[test]
    fn a_box_of_triangles_lies_on_another_with_the_corners_of_what_they_share(
        yaw in -3.2..3.2f64, x in -0.3..0.3f64, y in -0.3..0.3f64, n in (1..6usize, 1..6usize), tilt in -1e-5..1e-5f64,
    ) {
        let (ha, hb) = (V3::new(0.5, 0.4, 0.2), V3::new(0.3, 0.45, 0.1));
        let turn = UnitQuaternion::from_axis_angle(&V3::z_axis(), yaw) * UnitQuaternion::from_scaled_axis(V3::x() * tilt);
        let x_ab = Iso::from_parts(Translation3::new(x, y, 0.3 - 2e-5), turn);
        let exact = contacts((&Shape::cuboid(ha).unwrap(), &Iso::identity()), (&Shape::cuboid(hb).unwrap(), &x_ab), 0.0);
        let found = contacts((&box_mesh(ha, n.0), &Iso::identity()), (&box_mesh(hb, n.1), &x_ab), 0.0);
        // Every corner of the shared polygon is held as deep.
        for e in &exact {
            let held = found.iter().any(|f| (f.p_wa - e.p_wa).norm() < 1e-4 && (f.distance - e.distance).abs() < 1e-8);
            prop_assert!(held, "{e:?}\n{found:?}");
        }
        for f in &found {
            prop_assert!(f.normal_w.z > 1.0 - 1e-7 && f.distance > -1e-4, "{f:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn what_goes_through_another_is_felt((i, j) in (0..4usize, 0..4usize), turn in rotation(), at in vector(0.08)) {
        let bodies = [shapes::torus(), shapes::blob(7, 0.05, 20), shapes::plate(), shapes::gear()];
        let (a, b) = (mesh(bodies[i].clone()), mesh(bodies[j].clone()));
        let x = Iso::from_parts(Translation3::from(at), turn);
        let felt = deepest(&contacts((&a, &Iso::identity()), (&b, &x), 0.0)).is_some_and(|p| p.distance < 0.0);
        prop_assert!(felt || !go_through_each_other(&a, &b, &x, 1e-6));
    }

    #[test]
    fn what_is_brought_together_slowly_does_not_overlap(
        (i, j) in (0..4usize, 0..4usize), turn in rotation(), d in vector(1.0),
    ) {
        prop_assume!(d.norm() > 0.1);
        let bodies = [shapes::torus(), shapes::blob(7, 0.05, 20), shapes::plate(), shapes::gear()];
        let (a, b, d) = (mesh(bodies[i].clone()), mesh(bodies[j].clone()), d.normalize());
        let mut x = Iso::from_parts(Translation3::from(d * 0.3), turn);
        for _ in 0..200 {
            x.translation.vector -= d * 1e-3;
            x = push_apart(&a, &b, x, 60);
        }
        prop_assert!(!go_through_each_other(&a, &b, &x, 1e-5), "{x}");
    }
}

fn push_apart(a: &Shape, b: &Shape, mut x: Iso, most: usize) -> Iso {
    for _ in 0..most {
        let c = contacts((a, &Iso::identity()), (b, &x), 0.0);
        let Some(p) = deepest(&c).filter(|p| p.distance < -1e-9) else { break };
        x.translation.vector -= p.normal_w * p.distance;
    }
    x
}

#[test]
fn a_body_of_triangles_inside_another_is_pushed_out() {
    let (outer, inner) = (box_mesh(V3::new(0.5, 0.4, 0.3), 3), box_mesh(V3::repeat(0.05), 2));
    let x = Iso::from_parts(
        Translation3::new(0.1, -0.2, 0.15),
        UnitQuaternion::from_scaled_axis(V3::new(0.3, 0.2, 0.1)),
    );
    for swapped in [false, true] {
        let (a, b, x) = if swapped { (&inner, &outer, x.inverse()) } else { (&outer, &inner, x) };
        let p = deepest(&contacts((a, &Iso::identity()), (b, &x), 0.0)).expect("felt");
        assert!(p.distance < -0.15 && p.distance > -0.3, "{p:?}");
        let out = push_apart(a, b, x, 5);
        let (va, vb) = (triangles(a).vertices(), triangles(b).vertices());
        let n = p.normal_w;
        let top = va.iter().map(|v| v.dot(&n)).fold(f64::NEG_INFINITY, f64::max);
        let low = vb
            .iter()
            .map(|v| (out * nalgebra::Point3::from(*v)).coords.dot(&n))
            .fold(f64::INFINITY, f64::min);
        assert!(low >= top - 1e-9, "{low} {top}");
    }
}

#[test]
fn a_body_in_the_hollow_of_another_is_not_felt() {
    // A ball of triangles inside a mug, above its bottom and clear of its wall.
    let ball = mesh(shapes::blob(3, 0.01, 16));
    let mug = mesh(shapes::mug());
    for x in [Iso::translation(0.0, 0.0, 0.05), Iso::translation(0.01, 0.0, 0.08)] {
        assert!(contacts((&mug, &Iso::identity()), (&ball, &x), 1e-4).is_empty());
    }
    // Low enough it lies on the bottom, 4 mm up.
    let lowest = triangles(&ball).vertices().iter().map(|v| v.z).fold(f64::INFINITY, f64::min);
    let p = deepest(&contacts(
        (&mug, &Iso::identity()),
        (&ball, &Iso::translation(0.0, 0.0, 0.004 - lowest - 1e-5)),
        0.0,
    ))
    .expect("felt");
    assert!((p.distance + 1e-5).abs() < 1e-9 && p.normal_w.z > 0.99, "{p:?}");
}

#[test]
fn thin_sheets_feel_what_is_on_their_side_only() {
    // 0.2 mm thick, 200 mm wide: thinner than the depth to which corners are looked for.
    let sheet = box_mesh(V3::new(0.1, 0.1, 1e-4), 4);
    let turned = |z: f64| {
        Iso::from_parts(Translation3::new(0.01, 0.02, z), UnitQuaternion::from_scaled_axis(V3::z() * 0.3))
    };
    for gap in [1e-6, 5e-5, 3e-4, 1e-3] {
        for side in [1.0, -1.0] {
            let c = contacts((&sheet, &Iso::identity()), (&sheet, &turned(side * (2e-4 + gap))), 0.0);
            assert!(c.is_empty(), "{gap}: {c:?}");
            for depth in [1e-7, 1e-5, 5e-5] {
                let c = contacts((&sheet, &Iso::identity()), (&sheet, &turned(side * (2e-4 - depth))), 0.0);
                let p = deepest(&c).expect("felt");
                assert!(
                    (p.distance + depth).abs() < 1e-12 && p.normal_w.z * side > 1.0 - 1e-12,
                    "{depth} {p:?}"
                );
                assert!(c.len() >= 3);
            }
        }
    }
    // A corner poked through the sheet is pushed back to where it came from, beyond the middle too.
    let tip = mesh((
        vec![
            V3::zeros(),
            V3::new(0.02, 0.0, 0.05),
            V3::new(-0.01, 0.017, 0.05),
            V3::new(-0.01, -0.017, 0.05),
        ],
        vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
    ));
    for depth in [1e-6, 5e-5, 1.5e-4, 1.9e-4] {
        let x = Iso::translation(0.013, 0.027, 1e-4 - depth);
        let p = deepest(&contacts((&sheet, &Iso::identity()), (&tip, &x), 0.0)).expect("felt");
        assert!((p.distance + depth).abs() < 1e-12 && p.normal_w.z > 1.0 - 1e-12, "{depth} {p:?}");
    }
}

#[test]
fn mugs_do_not_pass_through_each_other() {
    let mug = mesh(shapes::mug());
    let mut random = stiction_base::random::Random(7);
    for _ in 0..8 {
        let mut vector = || V3::new(random.sym(), random.sym(), random.sym());
        let (turn, d) = (UnitQuaternion::from_scaled_axis(vector() * 3.0), vector().normalize());
        // Brought towards each other by a millimetre a step, giving way to the deepest contact.
        let mut x = Iso::from_parts(Translation3::from(d * 0.2 + V3::z() * 0.045), turn);
        for _ in 0..150 {
            x.translation.vector -= d * 1e-3;
            x = push_apart(&mug, &mug, x, 60);
        }
        assert!(!go_through_each_other(&mug, &mug, &x, 1e-5), "{x}");
    }
}

#[test]
fn a_body_of_triangles_lies_on_terrain() {
    let hills: Vec<f64> =
        (0..400).map(|i| 0.02 * ((i % 20) as f64).sin() * ((i / 20) as f64).cos()).collect();
    let field = stiction_geometry::HeightField::new(20, 20, 2.0, 2.0, &hills).unwrap();
    let terrain = Shape::HeightField(Arc::new(field));
    let (solid, body) = (Shape::cuboid(V3::new(0.3, 0.2, 0.1)).unwrap(), box_mesh(V3::new(0.3, 0.2, 0.1), 4));
    let mut random = stiction_base::random::Random(9);
    for _ in 0..100 {
        let mut vector = || V3::new(random.sym(), random.sym(), random.sym());
        let (turn, at) = (UnitQuaternion::from_scaled_axis(vector() * 3.0), vector() * 0.3);
        let pose = |z: f64| Iso::from_parts(Translation3::new(at.x, at.y, z), turn);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let touches = !contacts((&terrain, &Iso::identity()), (&solid, &pose(middle)), 0.0).is_empty();
            *(if touches { &mut low } else { &mut high }) = middle;
        }
        let felt = |z: f64| deepest(&contacts((&terrain, &Iso::identity()), (&body, &pose(z)), 0.0));
        assert!(felt(high + 1e-6).is_none());
        let p: ContactPoint = felt(low - 1e-4).expect("felt");
        // No deeper than it was lowered, and as deep as a slope of 45 degrees leaves.
        assert!(p.distance >= -1e-4 - 1e-9 && p.distance <= -7e-5 + 1e-9, "{p:?}");
    }
}
