//! A call that steps a batch allocates nothing, in any of its threads.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction::{Batch, Model, Options};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTER: Counting = Counting;

#[test]
fn a_batch_steps_without_allocating() {
    let model = Model::from_scene("double_pendulum").unwrap();
    let mut batch = Batch::new(&model, 16, 2, Options::default()).unwrap();
    batch.step_watched(10, &mut || true).unwrap();
    let mut allocations = || {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        for _ in 0..50 {
            batch.step_watched(3, &mut || true).unwrap();
        }
        ALLOCATIONS.load(Ordering::Relaxed) - before
    };
    // The thread that runs the tests allocates too, at any time; what stepping allocates is there every time.
    let least = (0..3).map(|_| allocations()).min();
    assert_eq!(least, Some(0), "allocations in 50 calls");
}
