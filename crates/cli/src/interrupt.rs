//! Ctrl-C and termination: the work ends after the present step and what there is gets written; a second one ends
//! the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is a request that [`asked`] tells of.
pub fn listen() {
    // A second handler in the same program is the only way to fail, and then the first does the same.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether the user has asked the work to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
