//! Meshes and fields of solids.

use std::f64::consts::PI;

use nalgebra::Vector3;
use proptest::prelude::*;
use stiction_geometry::solid::generate::generate;
use stiction_geometry::solid::{Fit, MeshOptions, RigidMesh, Solid, SolidError};
use stiction_geometry::{Shape, TriangleMesh};

type V3 = Vector3<f64>;

/// A shape, its volume, and a size to choose the hint by.
fn shapes() -> impl Strategy<Value = (Shape, f64, f64)> {
    let size = 0.01..1.0f64;
    let extents = [size.clone(), size.clone(), size.clone()].prop_map(V3::from);
    prop_oneof![
        size.clone().prop_map(|r| (Shape::sphere(r).unwrap(), 4.0 / 3.0 * PI * r.powi(3), r)),
        extents.clone().prop_map(|e| (Shape::cuboid(e).unwrap(), 8.0 * e.x * e.y * e.z, 1.0)),
        size.clone().prop_map(|a| (Shape::cuboid(V3::repeat(a)).unwrap(), 8.0 * a.powi(3), 1.0)),
        (size.clone(), size.clone(), 0..3usize).prop_map(|(a, b, k)| {
            let mut e = V3::repeat(a);
            e[k] = b;
            (Shape::cuboid(e).unwrap(), 8.0 * a * a * b, 1.0)
        }),
        (size.clone(), size.clone()).prop_map(|(r, h)| (
            Shape::cylinder(r, h).unwrap(),
            2.0 * PI * r * r * h,
            r
        )),
        size.clone().prop_map(|r| (Shape::cylinder(r, r).unwrap(), 2.0 * PI * r.powi(3), r)),
        (size.clone(), size).prop_map(|(r, h)| {
            (Shape::capsule(r, h).unwrap(), 2.0 * PI * r * r * h + 4.0 / 3.0 * PI * r.powi(3), r)
        }),
        extents.prop_map(|e| { (Shape::ellipsoid(e).unwrap(), 4.0 / 3.0 * PI * e.x * e.y * e.z, e.max()) }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn meshes_are_closed_conforming_and_have_the_volume_of_the_shape(
        (shape, volume, size) in shapes(), share in 0.1..1.0f64, rings in any::<bool>()
    ) {
        let options = MeshOptions { resolution_hint: share * size, fit: Fit::EqualVolume, rings };
        let raw = generate(&shape, &options).unwrap();
        let (solid, report) = Solid::from_tets(raw.vertices, raw.tets, raw.extents, 1e6).unwrap();
        prop_assert!(report.is_clean(), "{:?}", report.notes());
        prop_assert!((solid.volume() / volume - 1.0).abs() < 1e-9, "{}", solid.volume() / volume);
        let surface = TriangleMesh::new(solid.vertices().to_vec(), solid.surface().to_vec()).unwrap();
        prop_assert!(surface.is_watertight(), "{}", surface.topology_note());
        prop_assert!((surface.signed_volume() / volume - 1.0).abs() < 1e-9);
        prop_assert!(solid.extents().contains(&1.0));
        let inscribed = MeshOptions { fit: Fit::Inscribed, ..options };
        prop_assert!(Solid::from_shape(&shape, 1e6, &inscribed).unwrap().volume() <= volume * (1.0 + 1e-9));
        let rigid = RigidMesh::from_shape(&shape, &options).unwrap();
        prop_assert_eq!(rigid.triangles().len(), solid.surface().len());
    }

    #[test]
    fn sizes_that_are_nearly_equal_are_meshed_as_well(
        size in 0.01..1.0f64, off in [-16.0..-2.0f64, -16.0..-2.0f64], signs in [prop::bool::ANY, prop::bool::ANY],
        hint in 0.05..1.0f64,
    ) {
        let near = [0, 1].map(|k| size * (1.0 + if signs[k] { 1.0 } else { -1.0 } * 10f64.powf(off[k])));
        let shapes = [
            (Shape::cuboid(V3::new(near[0], size, near[1])).unwrap(), 8.0 * near[0] * near[1] * size),
            (Shape::cylinder(size, near[0]).unwrap(), std::f64::consts::TAU * size * size * near[0]),
        ];
        for (shape, volume) in shapes {
            let solid = Solid::from_shape(&shape, 1e6, &MeshOptions::with_hint(hint * size));
            prop_assert!(solid.is_ok(), "{:?}", solid.err());
            prop_assert!((solid.unwrap().volume() - volume).abs() < 1e-9 * volume);
        }
    }

    #[test]
    fn the_field_of_a_box_is_the_distance_to_its_surface(
        half in prop::array::uniform3(0.01..1.0f64), equal in 0..4usize,
        w in prop::array::uniform4(0.0..1.0f64), pick in 0.0..1.0f64
    ) {
        let mut half = V3::from(half);
        if equal < 3 {
            half[equal] = half[(equal + 1) % 3];
        }
        let solid = Solid::from_shape(&Shape::cuboid(half).unwrap(), 2e6, &MeshOptions::default()).unwrap();
        prop_assert!((12..=24).contains(&solid.tets().len()));
        let k = (pick * solid.tets().len() as f64) as usize;
        let total: f64 = w.iter().sum::<f64>() + 1e-12;
        let point: V3 = (0..4).map(|i| solid.vertices()[solid.tets()[k][i] as usize] * (w[i] / total)).sum();
        let distance = (half - point.abs()).min();
        let (grad, offset) = solid.field(k);
        let p = grad.dot(&point) + offset;
        prop_assert!((p / 2e6 - distance / half.min()).abs() < 1e-9, "{p} {distance}");
        prop_assert!((grad.norm() * half.min() / 2e6 - 1.0).abs() < 1e-6);
    }
}

#[test]
fn the_field_of_a_cylinder_follows_the_distance() {
    for (r, h) in [(0.1, 0.3), (0.1, 0.04), (0.1, 0.1)] {
        let shape = Shape::cylinder(r, h).unwrap();
        let solid = Solid::from_shape(&shape, 1.0, &MeshOptions::with_hint(0.005)).unwrap();
        for (k, t) in solid.tets().iter().enumerate() {
            let v = t.map(|i| solid.vertices()[i as usize]);
            let c = (v[0] + v[1] + v[2] + v[3]) / 4.0;
            let (grad, offset) = solid.field(k);
            let distance = (r - c.xy().norm()).min(h - c.z.abs());
            assert!((grad.dot(&c) + offset - distance / r.min(h)).abs() < 2e-3);
        }
    }
}

#[test]
fn rings_cut_the_ends_of_a_cylinder_without_changing_its_field() {
    let shape = Shape::cylinder(0.1, 0.02).unwrap();
    let options = MeshOptions::with_hint(0.02);
    let plain = Solid::from_shape(&shape, 1e6, &options).unwrap();
    let rings = Solid::from_shape(&shape, 1e6, &MeshOptions { rings: true, ..options }).unwrap();
    assert!((plain.volume() - rings.volume()).abs() < 1e-12);
    let caps = |s: &Solid| {
        let on_cap = |f: &&[u32; 3]| f.iter().all(|&i| (s.vertices()[i as usize].z - 0.02).abs() < 1e-12);
        s.surface().iter().filter(on_cap).count()
    };
    assert_eq!((caps(&plain), caps(&rings)), (32, 32 * 9));
}

#[test]
fn a_coin_with_a_hint_of_its_rim_over_152_has_a_fan_of_152_triangles() {
    let radius = 0.01213;
    let shape = Shape::cylinder(radius, 0.00175 / 2.0).unwrap();
    let mesh = RigidMesh::from_shape(&shape, &MeshOptions::with_hint(2.0 * PI * radius / 152.0)).unwrap();
    let low = |f: &&[u32; 3]| f.iter().all(|&i| mesh.vertices()[i as usize].z < 0.0);
    assert_eq!(mesh.triangles().iter().filter(low).count(), 152);
}

proptest! {
    #[test]
    fn a_rigid_surface_knows_its_inside(
        p in prop::array::uniform3(-0.2..0.2f64), on_grid in any::<bool>(), short in any::<bool>()
    ) {
        let (r, h) = (0.1, if short { 0.05 } else { 0.15 });
        let mesh = RigidMesh::from_shape(&Shape::cylinder(r, h).unwrap(), &MeshOptions::with_hint(0.01)).unwrap();
        // Points in line with vertices and edges of the mesh too.
        let p = V3::from(p).map(|x| if on_grid { (x / 0.05).round() * 0.05 } else { x });
        let radius = p.xy().norm();
        prop_assume!((radius - r).abs() > 0.003 && (p.z.abs() - h).abs() > 1e-9);
        prop_assert_eq!(mesh.contains(&p), radius < r && p.z.abs() < h);
    }
}

fn two_tets() -> (Vec<V3>, Vec<[u32; 4]>, Vec<f64>) {
    let v = vec![V3::zeros(), V3::x(), V3::y(), V3::z(), V3::new(1.0, 1.0, 1.0)];
    (v, vec![[0, 1, 2, 3], [1, 2, 3, 4]], vec![0.0, 0.0, 0.0, 0.0, 1.0])
}

#[test]
fn tetrahedra_from_outside_are_checked_and_repaired() {
    let (v, t, e) = two_tets();
    let (solid, report) = Solid::from_tets(v.clone(), t.clone(), e.clone(), 1e5).unwrap();
    assert!((solid.volume() - 0.5).abs() < 1e-12);
    assert_eq!((report.flipped, report.components, report.surface_nonzero, report.empty_tets), (0, 1, 1, 1));
    assert!(report.notes().iter().any(|n| n.contains("surface vertices")));

    let mut turned = t.clone();
    turned[0].swap(0, 1);
    let (solid, report) = Solid::from_tets(v.clone(), turned, e.clone(), 1e5).unwrap();
    assert!(report.flipped == 1 && (solid.volume() - 0.5).abs() < 1e-12);
    assert!(report.notes()[0].contains("inside out"));

    let apart = vec![[0, 1, 2, 3], [5, 6, 7, 8]];
    let mut many = v[..4].to_vec();
    many.push(V3::zeros());
    many.extend(v[..4].iter().map(|p| p + V3::repeat(5.0)));
    let (_, report) =
        Solid::from_tets(many, apart, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5], 1e5).unwrap();
    assert_eq!((report.components, report.unused_vertices), (2, 1));
}

#[test]
fn broken_tetrahedra_are_refused_with_a_remedy() {
    let (v, t, e) = two_tets();
    let run =
        |v: &[V3], t: &[[u32; 4]], e: &[f64], m: f64| Solid::from_tets(v.to_vec(), t.to_vec(), e.to_vec(), m);
    let mut bad = v.clone();
    bad[2].y = f64::NAN;
    assert!(matches!(run(&bad, &t, &e, 1.0), Err(SolidError::NotFinite { vertex: 2, .. })));
    assert!(matches!(run(&v, &[[0, 1, 2, 9]], &e, 1.0), Err(SolidError::BadIndex { .. })));
    assert!(matches!(run(&v, &[[0, 1, 2, 2]], &e, 1.0), Err(SolidError::BadIndex { .. })));
    let flat = [V3::zeros(), V3::x(), V3::y(), V3::x() + V3::y()];
    assert!(matches!(run(&flat, &[[0, 1, 2, 3]], &e[..4], 1.0), Err(SolidError::Flat { .. })));
    assert!(matches!(run(&v, &t, &e[..3], 1.0), Err(SolidError::Length { .. })));
    assert!(matches!(run(&v, &[], &e, 1.0), Err(SolidError::Empty)));
    assert!(matches!(
        run(&v, &t, &[0.0, 0.0, 0.0, 0.0, 2.0], 1.0),
        Err(SolidError::Extent { vertex: 4, .. })
    ));
    assert!(matches!(
        run(&v, &t, &[0.0, -0.1, 0.0, 0.0, 1.0], 1.0),
        Err(SolidError::Extent { vertex: 1, .. })
    ));
    assert!(matches!(run(&v, &t, &[0.0; 5], 1.0), Err(SolidError::NoField)));
    assert!(matches!(run(&v, &t, &e, -1.0), Err(SolidError::NotPositive { .. })));
    assert!(matches!(
        run(&v, &[t[0], t[0]], &[1.0, 0.0, 0.0, 0.0, 0.0], 1.0),
        Err(SolidError::Overlap { .. })
    ));
    let hint = MeshOptions::with_hint(1e-6);
    let sphere = Shape::sphere(1.0).unwrap();
    assert!(matches!(Solid::from_shape(&sphere, 1.0, &hint), Err(SolidError::TooFine { .. })));
    assert!(Solid::from_shape(&sphere, 1.0, &MeshOptions::with_hint(f64::NAN)).is_err());
    let message = Solid::from_shape(&Shape::HalfSpace, 1.0, &MeshOptions::default()).unwrap_err().to_string();
    assert!(message.contains("half-space variants"), "{message}");
}
