//! Ctrl-C and termination: the run ends after the current step and completes its files; a second signal ends the program
//! immediately.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is a request that [`asked`] reports.
pub fn listen() {
    // This fails only if a handler is installed already, which is this one.
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
