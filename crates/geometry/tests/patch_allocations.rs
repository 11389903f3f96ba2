//! Patches allocate nothing once their memory has grown.

mod patch_support;

use patch_support::*;
use stiction_base::counting_allocator::{CountingAllocator, thread_allocations};
use stiction_geometry::Shape;
use stiction_geometry::patch::{
    ContactSolid, PatchFaces, PatchOptions, PatchScratch, Tessellation, contact_patch,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn the_second_query_allocates_nothing() {
    let sphere = Shape::sphere(0.1).unwrap();
    let cuboid = Shape::cuboid(V3::new(0.1, 0.2, 0.05)).unwrap();
    let bodies = [
        compliant(&sphere, 1e6, 0.02),
        compliant(&cuboid, 1e6, 0.02),
        rigid(&sphere, 0.02),
        ContactSolid::compliant_half_space(1e6, 0.1).unwrap(),
        ContactSolid::RigidHalfSpace,
    ];
    let mut scratch = PatchScratch::default();
    let mut out = PatchFaces::default();
    let mut count = 0;
    let mut run = |scratch: &mut PatchScratch, out: &mut PatchFaces| {
        out.clear();
        for tessellation in [Tessellation::Polygons, Tessellation::Fans] {
            for margin in [0.0, 1e-3] {
                let options =
                    PatchOptions { tessellation, margin, vertices: true, ..PatchOptions::default() };
                for a in &bodies {
                    for b in &bodies {
                        if ContactSolid::check_pair(a, b).is_ok() {
                            let x = pose([0.02, 0.03, 0.1], [0.4, 0.5, 0.6]);
                            contact_patch(a, &Iso::identity(), b, &x, &options, scratch, out).unwrap();
                        }
                    }
                }
            }
        }
        count = out.faces.len();
    };
    run(&mut scratch, &mut out);
    let before = thread_allocations();
    run(&mut scratch, &mut out);
    assert_eq!(thread_allocations(), before);
    assert!(count > 1000);
}
