//! Suggestions for misspelt names.

use stiction::names::nearest;

/// ` (did you mean "…"?)` if a known name is similar, otherwise nothing.
pub fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |meant| format!(" (did you mean \"{meant}\"?)"))
}
