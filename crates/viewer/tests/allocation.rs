//! Taking frames beside a run allocates nothing once buffers have grown.

use stiction::{Model, Options, Simulation};
use stiction_base::counting_allocator::{CountingAllocator, thread_allocations};
use stiction_viewer::{Capture, JointChoice};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_frame_of_points_or_patches_allocates_nothing() {
    for scene in ["clutter", "soft_pile"] {
        let model = Model::from_scene(scene).unwrap();
        let step = model.world().options.step.unwrap_or(1e-3);
        let mut sim = Simulation::new(&model, Options { step, ..Options::default() }).unwrap();
        sim.run_until(1.0).unwrap();
        let mut capture = Capture::new(&sim, &JointChoice::default(), &[]).unwrap();
        let mut buffer = Vec::with_capacity(1 << 20);
        let before = thread_allocations();
        capture.frame(&sim, &mut buffer).unwrap();
        assert_eq!(thread_allocations() - before, 0, "{scene}");
        assert!(buffer.len() > 1000);
    }
}
