//! The tree and the early exits against trying every pair of elements.

use nalgebra::{Isometry3, UnitQuaternion};
use proptest::prelude::*;

use super::pair::{ContactSolid, contact_patch};
use super::pair_kinds::PatchScratch;
use super::polygon::Polygon;
use super::sink::Sink;
use super::{FaceFilter, PatchFaces, PatchOptions, kernels};
use crate::solid::linear::{Field, Pose};
use crate::solid::{MeshOptions, RigidMesh, Solid};
use crate::{Shape, V3};

fn shape(kind: usize) -> Shape {
    match kind {
        0 => Shape::sphere(0.1).unwrap(),
        1 => Shape::cuboid(V3::new(0.12, 0.05, 0.08)).unwrap(),
        2 => Shape::cylinder(0.06, 0.1).unwrap(),
        3 => Shape::capsule(0.05, 0.06).unwrap(),
        4 => Shape::cylinder(0.1, 0.04).unwrap(),
        _ => Shape::ellipsoid(V3::new(0.1, 0.06, 0.03)).unwrap(),
    }
}

fn sorted(mut f: PatchFaces) -> Vec<(u32, u32, f64, f64)> {
    f.faces.sort_by(|a, b| {
        (a.element_a, a.element_b).cmp(&(b.element_a, b.element_b)).then(a.pressure.total_cmp(&b.pressure))
    });
    f.faces.iter().map(|f| (f.element_a, f.element_b, f.area, f.pressure)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn trees_find_what_trying_every_pair_finds(
        kinds in (0..6usize, 0..6usize),
        t in prop::array::uniform3(-1.0..1.0f64),
        r in prop::array::uniform3(-3.0..3.0f64),
        distance in 0.0..0.25f64,
        margin in prop::sample::select(vec![0.0, 1e-3]),
        all in any::<bool>(),
    ) {
        let filter = if all { FaceFilter::All } else { PatchOptions::default().filter };
        let options = PatchOptions { margin, filter, ..PatchOptions::default() };
        let mesh = MeshOptions::with_hint(0.05);
        let a = std::sync::Arc::new(Solid::from_shape(&shape(kinds.0), 1e6, &mesh).unwrap());
        let b = std::sync::Arc::new(Solid::from_shape(&shape(kinds.1), 2e6, &mesh).unwrap());
        let rigid = std::sync::Arc::new(RigidMesh::from_shape(&shape(kinds.0), &mesh).unwrap());
        let direction = V3::from(t).try_normalize(1e-3).unwrap_or(V3::x());
        let x_wa = Isometry3::translation(0.3, -0.2, 0.1);
        let x_wb = Isometry3::from_parts(
            (x_wa.translation.vector + direction * distance).into(),
            UnitQuaternion::from_scaled_axis(V3::from(r)),
        );
        let x_ba = Pose::relative(&x_wb, &x_wa);
        let mut polygon = Polygon::default();

        let mut slow = PatchFaces::default();
        let mut sink = Sink::new(&options, &mut slow, Pose::new(&x_wb), false);
        for ca in &a.cells {
            let moved = ca.moved(&x_ba);
            for cb in &b.cells {
                kernels::tet_tet(ca, &moved, cb, &mut sink, &mut polygon);
            }
        }
        let mut fast = PatchFaces::default();
        let (sa, sb) = (ContactSolid::Compliant(a), ContactSolid::Compliant(b.clone()));
        contact_patch(&sa, &x_wa, &sb, &x_wb, &options, &mut PatchScratch::default(), &mut fast).unwrap();
        prop_assert_eq!(sorted(slow), sorted(fast));

        let mut slow = PatchFaces::default();
        let mut sink = Sink::new(&options, &mut slow, Pose::new(&x_wb), false);
        for facet in &rigid.facets {
            let facet = super::pair_kinds::moved(facet, &x_ba);
            for cb in &b.cells {
                kernels::triangle_tet(&facet, cb, 1.0, &mut sink, &mut polygon);
            }
        }
        let mut fast = PatchFaces::default();
        let sa = ContactSolid::Rigid(rigid.clone());
        contact_patch(&sa, &x_wa, &sb, &x_wb, &options, &mut PatchScratch::default(), &mut fast).unwrap();
        prop_assert_eq!(sorted(slow), sorted(fast));

        // A tilted ground: every tetrahedron against the plane.
        let n = x_ba.r.column(2).into_owned();
        let d = n.dot(&x_ba.p);
        let mut slow = PatchFaces::default();
        let mut sink = Sink::new(&options, &mut slow, Pose::new(&x_wb), false);
        for cb in &b.cells {
            kernels::plane_tet(&n, d, cb, 1.0, &mut sink, &mut polygon);
        }
        let mut fast = PatchFaces::default();
        let ground = ContactSolid::RigidHalfSpace;
        contact_patch(&ground, &x_wa, &sb, &x_wb, &options, &mut PatchScratch::default(), &mut fast).unwrap();
        prop_assert_eq!(sorted(slow), sorted(fast));

        // The same ground, soft, under the solid and under the rigid body.
        let field = Field { grad: -n * 3e6, offset: 3e6 * d };
        let mut slow = PatchFaces::default();
        let mut sink = Sink::new(&options, &mut slow, Pose::new(&x_wb), false);
        for cb in &b.cells {
            kernels::field_tet(&field, cb, false, &mut sink, &mut polygon);
        }
        let mut fast = PatchFaces::default();
        let ground = ContactSolid::compliant_half_space(375e3, 0.125).unwrap();
        contact_patch(&ground, &x_wa, &sb, &x_wb, &options, &mut PatchScratch::default(), &mut fast).unwrap();
        prop_assert_eq!(sorted(slow), sorted(fast));

        let mut slow = PatchFaces::default();
        let mut sink = Sink::new(&options, &mut slow, Pose::new(&x_wb), false);
        for facet in &rigid.facets {
            kernels::triangle_field(facet, &field, -1.0, &mut sink, &mut polygon);
        }
        let mut fast = PatchFaces::default();
        let sa = ContactSolid::Rigid(rigid);
        contact_patch(&ground, &x_wa, &sa, &x_wb, &options, &mut PatchScratch::default(), &mut fast).unwrap();
        prop_assert_eq!(sorted(slow), sorted(fast));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// So many elements reach all over each other that the trees are descended together.
    #[test]
    fn bodies_within_each_other_are_found_whole(
        kinds in (prop::sample::select(vec![0usize, 5]), prop::sample::select(vec![0usize, 5])),
        t in prop::array::uniform3(-0.01..0.01f64),
        r in prop::array::uniform3(-3.0..3.0f64),
    ) {
        let options = PatchOptions { filter: FaceFilter::All, ..PatchOptions::default() };
        let mesh = MeshOptions::with_hint(0.008);
        let b = std::sync::Arc::new(Solid::from_shape(&shape(kinds.1), 2e6, &mesh).unwrap());
        let rigid = std::sync::Arc::new(RigidMesh::from_shape(&shape(kinds.0), &mesh).unwrap());
        let x_wa = Isometry3::identity();
        let x_wb = Isometry3::from_parts(V3::from(t).into(), UnitQuaternion::from_scaled_axis(V3::from(r)));
        let x_ba = Pose::relative(&x_wb, &x_wa);
        let (mut polygon, mut slow) = (Polygon::default(), PatchFaces::default());
        let mut sink = Sink::new(&options, &mut slow, Pose::new(&x_wb), false);
        for facet in &rigid.facets {
            let facet = super::pair_kinds::moved(facet, &x_ba);
            for cb in &b.cells {
                kernels::triangle_tet(&facet, cb, 1.0, &mut sink, &mut polygon);
            }
        }
        let mut fast = PatchFaces::default();
        let (pairs, mut scratch) = (rigid.facets.len() * b.cells.len(), PatchScratch::default());
        let (sa, sb) = (ContactSolid::Rigid(rigid), ContactSolid::Compliant(b));
        contact_patch(&sa, &x_wa, &sb, &x_wb, &options, &mut scratch, &mut fast).unwrap();
        prop_assert!(pairs > 8 * super::candidates::DENSE as usize, "{pairs} pairs");
        prop_assert!(scratch.element_tests() < pairs as u64 / 2);
        prop_assert_eq!(sorted(slow), sorted(fast));
    }
}
