//! Suggestions for misspelt names.

use crate::error::InputError;
pub use stiction_base::nearest::nearest;

/// Maximum number of known names in a message.
const SHOWN: usize = 50;

/// The error for a name that a model does not have.
pub fn unknown_name<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> InputError {
    let known = known.filter(|n| !n.is_empty());
    let hint = nearest(name, known.clone()).map_or(String::new(), |n| format!(" (did you mean \"{n}\"?)"));
    let shown: Vec<&str> = known.clone().take(SHOWN).collect();
    let rest = known.count().saturating_sub(SHOWN);
    let mut known = if shown.is_empty() { "none".into() } else { shown.join(", ") };
    if rest > 0 {
        known.push_str(&format!(" and {rest} more"));
    }
    InputError::Name { kind, name: name.into(), hint, known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_of_names_are_cut() {
        let names: Vec<String> = (0..60).map(|i| format!("finger{i}")).collect();
        let text = unknown_name("joint", "thumb", names.iter().map(String::as_str)).to_string();
        assert!(
            text.contains("no joint called \"thumb\"; it has: finger0, ") && text.ends_with("and 10 more")
        );
    }
}
