//! The steady step allocates nothing.

mod common;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction::{Model, Options, TangentialSprings};

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
fn a_settled_pile_steps_without_allocating() {
    let model = Model::from_scene("clutter").unwrap();
    for tangential_springs in [None, Some(TangentialSprings::default())] {
        let options = Options { step: 2e-3, tangential_springs, ..Options::default() };
        let mut sim = common::simulation(&model, options);
        sim.step(1500).unwrap();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        sim.step(200).unwrap();
        let count = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(count, 0, "allocations in 200 steps");
    }
}
