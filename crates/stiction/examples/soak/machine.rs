//! What the process uses: memory it holds, memory in use, and the longest it worked on something.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering::Relaxed};

/// The system's allocator, which counts the bytes in use.
pub struct Counting;

static IN_USE: AtomicIsize = AtomicIsize::new(0);

// SAFETY: every call goes to the system allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size() as isize, Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as isize, Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_add(size as isize - layout.size() as isize, Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Bytes that were asked for and not yet given back.
pub fn in_use() -> isize {
    IN_USE.load(Relaxed)
}

/// Memory the process holds, MiB; 0 where the system does not say.
pub fn resident() -> f64 {
    let line = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = line
        .lines()
        .find_map(|l| l.strip_prefix("VmRSS:"))
        .and_then(|l| l.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// Seconds that the main thread has computed, to a few milliseconds; 0 where the system does not say. Unlike a clock it does
/// not count the time in which others had the processor.
pub fn computed() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}
