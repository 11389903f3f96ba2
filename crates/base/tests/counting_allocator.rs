//! The counting allocator sees what threads allocate, free and grow.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use stiction_base::counting_allocator::{
    CountingAllocator, bytes_in_use, limit_bytes, process_allocations, thread_allocations,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static EXCEEDED: AtomicUsize = AtomicUsize::new(0);

// One test: the counts of the process would mix those of several.
#[test]
fn allocations_growth_and_bytes_are_counted() {
    const MIB: usize = 1 << 20;
    let (own, all, bytes) = (thread_allocations(), process_allocations(), bytes_in_use());
    let mut block: Vec<u8> = Vec::with_capacity(MIB);
    assert_eq!(thread_allocations() - own, 1);
    block.reserve_exact(2 * MIB);
    assert_eq!(thread_allocations() - own, 2);
    // The test harness may hold a little more or less by now.
    assert!((bytes_in_use() - bytes - 2 * MIB as isize).unsigned_abs() < MIB / 4);
    let own = thread_allocations();
    std::thread::spawn(|| drop(vec![1u8; 100])).join().unwrap();
    let others = process_allocations() - all;
    // Starting the thread allocates here, its vector there.
    assert!(others > 2 + thread_allocations() - own, "{others}");
    drop(block);
    assert!((bytes_in_use() - bytes).unsigned_abs() < MIB / 4);

    limit_bytes(bytes_in_use() + MIB as isize, || {
        EXCEEDED.fetch_add(1, Relaxed);
    });
    let within = vec![0u8; MIB / 2];
    assert_eq!(EXCEEDED.load(Relaxed), 0);
    let beyond = vec![0u8; MIB];
    assert_eq!(EXCEEDED.load(Relaxed), 1);
    drop((within, beyond));
}
