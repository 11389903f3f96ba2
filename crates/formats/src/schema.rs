//! The vocabulary of a format: which elements and attributes are read, and what happens to the rest.
//!
//! A reader walks its document against the rules before reading. What a rule does not name is
//! unknown; what it names as ignored carries the effect, which becomes the warning. So nothing in a
//! file passes unseen, whether or not the code that reads happens to look at it.

use crate::error::Read;
use crate::report::Report;
use crate::xml::Node;

/// What is known about one element.
#[derive(Debug)]
pub struct Rule {
    /// Key by which children lists refer to it.
    pub key: &'static str,
    /// Attributes the reader honours, separated by spaces.
    pub read: &'static str,
    /// Attributes that change only pictures, bookkeeping or solver memory.
    pub drawing: &'static str,
    /// Attributes without effect here: names separated by spaces, and what that changes.
    pub ignored: &'static [(&'static str, &'static str)],
    /// Child elements the reader honours: name and key of its rule.
    pub children: &'static [(&'static str, &'static str)],
    /// Child elements that change only pictures, bookkeeping or solver memory.
    pub drawing_children: &'static str,
    /// Child elements without effect here: names separated by spaces, and what that changes.
    pub ignored_children: &'static [(&'static str, &'static str)],
}

impl Rule {
    /// A rule that allows nothing; a start for struct update syntax.
    pub const NONE: Self = Self {
        key: "",
        read: "",
        drawing: "",
        ignored: &[],
        children: &[],
        drawing_children: "",
        ignored_children: &[],
    };
}

fn listed(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|n| n == name)
}

/// Whether the value of an ignored attribute says what happens anyway: nothing of it.
fn neutral(name: &str, value: &str) -> bool {
    let nothing = if name == "torquescale" { 1.0 } else { 0.0 };
    value == "false" || value.split_ascii_whitespace().all(|w| w.parse() == Ok(nothing))
}

/// Reports everything below `node` that `rules` do not call read.
pub fn check(rules: &[Rule], key: &str, node: &Node, report: &mut Report) -> Read<()> {
    let Some(rule) = rules.iter().find(|r| r.key == key) else { return Ok(()) };
    for (name, value) in &node.attributes {
        if listed(rule.read, name) {
            continue;
        }
        if listed(rule.drawing, name) {
            report.drawing(node, &format!("{} {name}", node.name));
        } else if let Some((_, effect)) = rule.ignored.iter().find(|(names, _)| listed(names, name)) {
            if neutral(name, value) {
                continue;
            }
            report.warn(node, &format!("{key}@{name}"), format!("{name}: {effect}"))?;
        } else {
            report.warn(
                node,
                &format!("{key}@{name}"),
                format!("the attribute {name} is unknown here and has no effect; check its spelling"),
            )?;
        }
    }
    for child in &node.children {
        let name = child.name.as_str();
        if let Some((_, next)) = rule.children.iter().find(|(n, _)| *n == name) {
            check(rules, next, child, report)?;
        } else if listed(rule.drawing_children, name) {
            report.drawing(child, name);
        } else if let Some((_, effect)) = rule.ignored_children.iter().find(|(names, _)| listed(names, name))
        {
            report.warn(child, &format!("{key}/{name}"), *effect)?;
        } else {
            let message = format!(
                "the element {name} is unknown inside {} and has no effect; check its spelling and place",
                node.name
            );
            report.warn(child, &format!("{key}/{name}"), message)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(list: &str) -> String {
        let names: Vec<_> = list.split_ascii_whitespace().map(|n| format!("`{n}`")).collect();
        names.join(" ")
    }

    /// The support table of a format, as `docs/formats.md` shows it.
    fn table(rules: &[Rule]) -> String {
        let mut text = String::from(
            "| element | read | without effect, and why | pictures and bookkeeping |\n|---|---|---|---|\n",
        );
        for rule in rules {
            let children: Vec<_> = rule.children.iter().map(|(n, _)| format!("`<{n}>`")).collect();
            let mut ignored: Vec<String> =
                rule.ignored.iter().map(|(n, why)| format!("{}: {why}", words(n))).collect();
            for (names, why) in rule.ignored_children {
                let names: Vec<_> = names.split_ascii_whitespace().map(|n| format!("`<{n}>`")).collect();
                ignored.push(format!("{}: {why}", names.join(" ")));
            }
            let pictures: Vec<_> =
                rule.drawing_children.split_ascii_whitespace().map(|n| format!("`<{n}>`")).collect();
            text += &format!(
                "| {} | {} | {} | {} |\n",
                rule.key,
                [words(rule.read), children.join(" ")].join(" ").trim(),
                ignored.join("<br>"),
                [words(rule.drawing), pictures.join(" ")].join(" ").trim(),
            );
        }
        text
    }

    /// The tables in the book are these rules. `UPDATE_DOCS=1` rewrites them.
    #[test]
    fn the_book_shows_the_vocabulary_that_is_read() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
        let mut page = std::fs::read_to_string(path).unwrap();
        for (name, rules) in [("mjcf", crate::mjcf::RULES), ("urdf", crate::urdf::RULES)] {
            let (open, close) = (format!("<!-- {name} table -->\n"), format!("<!-- end of {name} table -->"));
            let start = page.find(&open).unwrap() + open.len();
            let end = page.find(&close).unwrap();
            if std::env::var_os("UPDATE_DOCS").is_some() {
                page.replace_range(start..end, &table(rules));
                std::fs::write(path, &page).unwrap();
            } else {
                assert_eq!(&page[start..end], table(rules), "run the tests once with UPDATE_DOCS=1");
            }
        }
    }

    #[test]
    fn every_rule_that_is_referred_to_exists() {
        for rules in [crate::mjcf::RULES, crate::urdf::RULES] {
            for (_, key) in rules.iter().flat_map(|r| r.children) {
                assert!(*key == "any" || rules.iter().any(|r| r.key == *key), "{key}");
            }
        }
    }
}
