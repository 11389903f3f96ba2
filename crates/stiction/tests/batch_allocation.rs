//! A call that steps a batch allocates nothing, in any of its threads.

use stiction::{Batch, Model, Options};
use stiction_base::counting_allocator::{CountingAllocator, process_allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_batch_steps_without_allocating() {
    let model = Model::from_scene("double_pendulum").unwrap();
    let mut batch = Batch::new(&model, 16, 2, Options::default()).unwrap();
    batch.step_watched(10, &mut || true).unwrap();
    let mut allocations = || {
        let before = process_allocations();
        for _ in 0..50 {
            batch.step_watched(3, &mut || true).unwrap();
        }
        process_allocations() - before
    };
    // The test runner's thread may also allocate at any time. Allocations by stepping would occur every time.
    let least = (0..3).map(|_| allocations()).min();
    assert_eq!(least, Some(0), "allocations in 50 calls");
}
