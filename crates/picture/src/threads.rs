//! The threads that draw.
//!
//! They belong to one process. In a copy of it, made by fork, they are not there and work given to them would never end, so the
//! copy makes its own.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// The threads of the process with this number.
type Kept = Option<(u32, Arc<ThreadPool>)>;

/// Draws with the threads of this process.
pub fn drawing<T: Send>(draw: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(draw),
        None => draw(),
    }
}

/// None if there are no threads to be had.
fn pool() -> Option<Arc<ThreadPool>> {
    static POOL: Mutex<Kept> = Mutex::new(None);
    let mut kept = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match kept.as_ref() {
        Some((owner, pool)) if *owner == process => return Some(pool.clone()),
        // The end of this pool would wait for threads that are not here.
        Some(_) => std::mem::forget(kept.take()),
        None => {}
    }
    let pool = Arc::new(ThreadPoolBuilder::new().build().ok()?);
    *kept = Some((process, pool.clone()));
    Some(pool)
}
