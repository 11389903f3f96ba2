//! Taking frames beside a run allocates nothing once buffers have grown.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use stiction::{Model, Options, Simulation};
use stiction_viewer::{Capture, JointChoice};

struct Counting;

thread_local! {
    /// Allocations of this thread, so that tests side by side count their own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn add() {
    // A thread that ends has no counter any more.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every call goes to the system allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTER: Counting = Counting;

#[test]
fn a_frame_of_points_or_patches_allocates_nothing() {
    for scene in ["clutter", "soft_pile"] {
        let model = Model::from_scene(scene).unwrap();
        let step = model.world().options.step.unwrap_or(1e-3);
        let mut sim = Simulation::new(&model, Options { step, ..Options::default() }).unwrap();
        sim.run_until(1.0).unwrap();
        let mut capture = Capture::new(&sim, &JointChoice::default()).unwrap();
        let mut buffer = Vec::with_capacity(1 << 20);
        let before = ALLOCATIONS.get();
        capture.frame(&sim, &mut buffer).unwrap();
        assert_eq!(ALLOCATIONS.get() - before, 0, "{scene}");
        assert!(buffer.len() > 1000);
    }
}
