//! Memory grows in proportion to the length of a chain, where it once grew with its square.

use nalgebra::Matrix3;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use stiction_base::counting_allocator::{CountingAllocator, bytes_in_use, limit_bytes};
use stiction_model::{Body, Inertia, Joint, JointKind, Vec3, World};
use stiction_multibody::Multibody;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static EXCEEDED: AtomicBool = AtomicBool::new(false);

/// Does `work`, which must not hold more than `bytes` at any time.
fn within<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    limit_bytes(bytes_in_use() + bytes as isize, || EXCEEDED.store(true, Relaxed));
    let made = work();
    limit_bytes(isize::MAX, || {});
    assert!(!EXCEEDED.load(Relaxed), "more than {bytes} bytes");
    made
}

#[test]
fn a_long_chain_is_compiled_in_memory_in_proportion_to_its_length() {
    let links = 5000;
    let mut world = World::new("chain");
    for link in 0..links {
        let mut body = Body::new(format!("link {link}"), link);
        body.joints.push(Joint::new(format!("joint {link}"), JointKind::Hinge { axis: Vec3::y() }));
        body.pose.translation.vector.z = -0.1;
        let com = Vec3::new(0.0, 0.0, -0.05);
        body.inertia = Inertia { mass: 1.0, com, rotational: Matrix3::identity() * 0.01 };
        world.bodies.push(body);
    }
    // A dense mass matrix alone would be 200 MB.
    let multibody = within(10_000 * links, || Multibody::new(&world).unwrap());
    assert_eq!(multibody.nv(), links);
    assert_eq!(multibody.check_inertia(), Ok(()));
}
