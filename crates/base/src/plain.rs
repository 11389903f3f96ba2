//! Text for messages: a name in a hostile file must not move the cursor of a terminal or rewrite what is above it.

use std::fmt;

/// Text whose control characters, line breaks among them, are shown as escapes.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a>(pub &'a str);

/// Whether a terminal may do something else than show the character: control characters, and marks that turn the direction of
/// text or end a line.
fn is_control(c: char) -> bool {
    c != '\t' && c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(is_control) {
            let c = rest[at..].chars().next().expect("one was found");
            write!(f, "{}{}", &rest[..at], c.escape_default())?;
            rest = &rest[at + c.len_utf8()..];
        }
        f.write_str(rest)
    }
}

/// The text of several lines, each without control characters.
pub fn plain_lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| Plain(line).to_string()).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_a_cursor_is_shown_as_an_escape() {
        let hostile = "a\u{1b}[2Jb\rc\u{7}\u{9b}d\u{202e}e";
        let shown = Plain(hostile).to_string();
        assert_eq!(shown, "a\\u{1b}[2Jb\\rc\\u{7}\\u{9b}d\\u{202e}e");
        assert!(!shown.contains(is_control));
        assert_eq!(
            Plain("joint \"Gelenk für Übergröße\" 関節").to_string(),
            "joint \"Gelenk für Übergröße\" 関節"
        );
        assert_eq!(plain_lines("a\nb\r\tc"), "a\nb\\r\tc");
    }
}
