//! The support table of a format, written from the rules by which it is read.

use crate::schema::{Rule, Setting};
use crate::{Format, mjcf, sdf, urdf};

/// Content that is an error in every format.
const REFUSED: &[(&str, &str)] = &[
    ("DOCTYPE and entities", "remove them: nothing is expanded"),
    ("elements nested more than 512 deep, more than 4 million of them, files above 1 GiB", "split the model"),
    ("NaN, a word where a number belongs, too few or too many numbers", "correct the number"),
    ("a name that nothing has, or that two things have", "correct or rename"),
    ("negative mass, size or friction", "correct the number"),
    ("inertia that leaves the mass matrix without an inverse or with a negative direction", "correct it"),
];

/// The support table of a format as a page: what becomes of every element and attribute.
pub fn support(format: Format) -> String {
    let (title, name, rules) = match format {
        Format::Mjcf => ("MJCF", "mjcf", mjcf::RULES),
        Format::Urdf => ("URDF", "urdf", urdf::RULES),
        Format::Sdf => ("SDFormat", "sdf", sdf::RULES),
        Format::Dmd => return "Model directives are described in docs/formats.md.\n".into(),
    };
    let mut page = format!(
        "# {title}: what becomes of every element and attribute\n\n\
         Printed by `stiction inspect --support {name}` from the list by which the reader itself checks a file, so that it \
         cannot say other than what happens. What needs more words stands in [formats.md](formats.md).\n\n\
         - **honoured**: it means what the format says.\n\
         - **mapped**: it becomes what the last column says.\n\
         - **kept**: it stays in the model for others to read and changes no motion.\n\
         - **no effect**: a warning with file, line and the text of the last column; an error under `--strict`.\n\
         - **setting**: it sets MuJoCo's solver; one line for all of it, no error under `--strict`.\n\
         - **pictures**: it changes neither motion nor contact; one warning for all of it, no error under `--strict`.\n\
         - Anything not listed is unknown: a warning, and an error under `--strict`.\n\n\
         Refused with an error in every format:\n\n"
    );
    for (what, remedy) in REFUSED {
        page += &format!("- {what}: {remedy}\n");
    }
    for rule in rules {
        section(rule, &mut page);
    }
    page
}

fn section(rule: &Rule, page: &mut String) {
    let noted =
        |name: &str| rule.mapped.iter().any(|(names, _)| names.split_ascii_whitespace().any(|n| n == name));
    let attributes = rule.read.split_ascii_whitespace().filter(|n| !noted(n)).map(|n| format!("`{n}`"));
    let children = rule.children.iter().filter(|(n, _)| !noted(n)).map(|(n, _)| format!("`<{n}>`"));
    let honoured: Vec<String> = attributes.chain(children).collect();
    let is_child = |name: &str| rule.children.iter().any(|(n, _)| *n == name);
    let mut rows = Vec::new();
    if !honoured.is_empty() {
        rows.push((honoured.join(" "), "honoured", ""));
    }
    for (names, how) in rule.mapped {
        let names = names.split_ascii_whitespace();
        let words: Vec<_> =
            names.map(|n| if is_child(n) { format!("`<{n}>`") } else { format!("`{n}`") }).collect();
        rows.push((words.join(" "), "mapped", *how));
    }
    for (names, why) in rule.kept {
        rows.push((words(names, false), "kept", *why));
    }
    for (names, why) in rule.ignored.iter().chain(rule.reported) {
        rows.push((words(names, false), "no effect", *why));
    }
    for (names, setting) in rule.settings {
        let how = match setting {
            Setting::OfContact => {
                "contacts are as soft as it says with `contact_from = mujoco`, otherwise stiff"
            }
            Setting::OfConstraint => "constraints are near-rigid instead",
            Setting::AgainstSlip => "tangential springs hold contacts without slip",
            Setting::None => "a setting of MuJoCo's solver without a counterpart here",
        };
        rows.push((words(names, false), "setting", how));
    }
    for (names, why) in rule.ignored_children {
        rows.push((words(names, true), "no effect", *why));
    }
    let pictures = [words(rule.drawing, false), words(rule.drawing_children, true)].join(" ");
    if !pictures.trim().is_empty() {
        rows.push((pictures.trim().to_string(), "pictures", ""));
    }
    *page +=
        &format!("\n## {}\n\n| attribute or child | here | how, or why not |\n|---|---|---|\n", rule.key);
    for (names, here, note) in rows {
        *page += &format!("| {names} | {here} | {note} |\n");
    }
}

fn words(names: &str, elements: bool) -> String {
    let words: Vec<_> = names
        .split_ascii_whitespace()
        .map(|n| if elements { format!("`<{n}>`") } else { format!("`{n}`") })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pages in the book are what the program prints. `UPDATE_DOCS=1` rewrites them.
    #[test]
    fn the_book_shows_the_vocabulary_that_is_read() {
        for (name, format) in [("mjcf", Format::Mjcf), ("urdf", Format::Urdf), ("sdf", Format::Sdf)] {
            let path = format!("{}/../../docs/formats-{name}.md", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("UPDATE_DOCS").is_some() {
                std::fs::write(&path, support(format)).unwrap();
            }
            let page = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(page, support(format), "{path}: run the tests once with UPDATE_DOCS=1");
        }
    }
}
