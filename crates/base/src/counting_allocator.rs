//! The system's allocator with counters, for tests that a steady step allocates nothing and for limits on memory.
//!
//! A test installs it and compares counts before and after:
//!
//! ```
//! use stiction_base::counting_allocator::{CountingAllocator, thread_allocations};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! let before = thread_allocations();
//! let numbers = vec![1.0, 2.0];
//! assert_eq!(thread_allocations() - before, 1);
//! # drop(numbers);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};

/// Install it with `#[global_allocator]`; without that, all counts stay zero.
pub struct CountingAllocator;

thread_local! {
    static OF_THREAD: Cell<usize> = const { Cell::new(0) };
}
static OF_PROCESS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicIsize = AtomicIsize::new(isize::MAX);
static EXCEEDED: OnceLock<fn()> = OnceLock::new();

/// Allocations and reallocations of the calling thread so far. Other threads, such as that of the test harness, do not count.
pub fn thread_allocations() -> usize {
    OF_THREAD.get()
}

/// Allocations and reallocations of all threads so far.
pub fn process_allocations() -> usize {
    OF_PROCESS.load(Relaxed)
}

/// Bytes allocated and not yet freed.
pub fn bytes_in_use() -> isize {
    BYTES.load(Relaxed)
}

/// From now on `exceeded` is called, once, by the allocation with which the bytes in use pass `bytes`. The first function given
/// stays; `isize::MAX` is no limit.
pub fn limit_bytes(bytes: isize, exceeded: fn()) {
    EXCEEDED.get_or_init(|| exceeded);
    LIMIT.store(bytes, Relaxed);
}

fn count(growth: isize) {
    // A thread that is ending no longer has a counter.
    let _ = OF_THREAD.try_with(|n| n.set(n.get() + 1));
    OF_PROCESS.fetch_add(1, Relaxed);
    let used = BYTES.fetch_add(growth, Relaxed) + growth;
    if used > LIMIT.load(Relaxed) {
        // The function may allocate.
        LIMIT.store(isize::MAX, Relaxed);
        if let Some(exceeded) = EXCEEDED.get() {
            exceeded();
        }
    }
}

// SAFETY: every call goes to the system's allocator unchanged; counting does not touch the memory.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size() as isize, Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}
