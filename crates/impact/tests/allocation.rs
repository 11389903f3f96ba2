//! Sampling allocates for the set it returns, not for each sample.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction_impact::{Options, Problem, outcomes};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn twice_the_samples_take_hardly_more_allocations() {
    for instant in [common::block(), common::random_instant(5, 4, 6, false)] {
        let problem = Problem::new(&instant).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let count = |samples: usize| {
            let before = COUNT.load(Ordering::Relaxed);
            pool.install(|| outcomes(&problem, &Options { samples, ..Options::default() }).unwrap());
            COUNT.load(Ordering::Relaxed) - before
        };
        count(512);
        let (few, many) = (count(512), count(2048));
        // Arrays that grow, and one sampler for each part of the work that rayon splits off.
        assert!(many < few + 300, "{few} for 512 samples, {many} for 2048");
    }
}
