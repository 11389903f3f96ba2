//! Progress bars.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of a length, in a template of indicatif. Hidden if asked; indicatif itself hides bars where there is no terminal.
pub fn bar(length: u64, template: &str, hidden: bool) -> ProgressBar {
    let bar = if hidden { ProgressBar::hidden() } else { ProgressBar::new(length) };
    bar.with_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()))
}
