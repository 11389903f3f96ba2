//! The vocabulary of a format: which elements and attributes are read, and what happens to the rest.
//!
//! A reader walks its document against the rules before reading. What a rule does not name is
//! unknown; what it names as ignored carries the effect, which becomes the warning. So nothing in a
//! file passes unseen, whether or not the code that reads happens to look at it.

use crate::error::Read;
use crate::report::Report;
use crate::xml::Node;

/// The attributes and children of one element.
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
    /// Attributes without effect here that the reader itself reports, several in one warning: names separated by spaces, and
    /// why.
    pub reported: &'static [(&'static str, &'static str)],
    /// Attributes that set the solver of the format's own simulator: names separated by spaces, and what becomes of them. All of
    /// these make one line, which is no error under strict reading.
    pub settings: &'static [(&'static str, Setting)],
    /// Child elements the reader honours: name and key of its rule.
    pub children: &'static [(&'static str, &'static str)],
    /// Child elements that change only pictures, bookkeeping or solver memory.
    pub drawing_children: &'static str,
    /// Child elements without effect here: names separated by spaces, and what that changes.
    pub ignored_children: &'static [(&'static str, &'static str)],
    /// Of what is read, attributes or children that become something else here: names separated by
    /// spaces, and what.
    pub mapped: &'static [(&'static str, &'static str)],
    /// Attributes or children kept in the model for others to use, without effect on the motion: names
    /// separated by spaces, and why. No warning.
    pub kept: &'static [(&'static str, &'static str)],
}

impl Rule {
    /// A rule that allows nothing; a start for struct update syntax.
    pub const NONE: Self = Self {
        key: "",
        read: "",
        drawing: "",
        ignored: &[],
        reported: &[],
        settings: &[],
        children: &[],
        drawing_children: "",
        ignored_children: &[],
        mapped: &[],
        kept: &[],
    };
}

/// What becomes of a setting of the format's own solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// Contacts have it if asked for: `contact_from = mujoco`.
    OfContact,
    /// Constraints and limits are near-rigid whatever it says.
    OfConstraint,
    /// It iterates against slip; tangential springs hold without.
    AgainstSlip,
    /// It has no counterpart.
    None,
}

impl Rule {
    fn keeps(&self, name: &str) -> bool {
        self.kept.iter().any(|(names, _)| listed(names, name))
    }

    /// Whether the reader itself reports that an attribute has no effect.
    pub fn reports(&self, name: &str) -> bool {
        self.reported.iter().any(|(names, _)| listed(names, name))
    }
}

fn listed(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|n| n == name)
}

/// Whether the value of an ignored attribute says what happens anyway: nothing of it.
fn neutral(name: &str, value: &str) -> bool {
    let nothing = if name == "torquescale" { 1.0 } else { 0.0 };
    value == "false" || value.split_ascii_whitespace().all(|w| w.parse() == Ok(nothing))
}

/// Reports the attributes of `node` that its rule does not call read. Not inlined: elements nest deeply, and what is inlined into
/// their walk is on the stack at every level.
#[inline(never)]
fn check_attributes(rule: &Rule, node: &Node, report: &mut Report) -> Read<()> {
    let key = rule.key;
    for (name, value) in &node.attributes {
        // Names in double underscores are the readers' own notes.
        if listed(rule.read, name) || rule.keeps(name) || rule.reports(name) || name.starts_with("__") {
            continue;
        }
        if let Some((_, setting)) = rule.settings.iter().find(|(names, _)| listed(names, name)) {
            let bare = matches!(rule.key, "option" | "flag");
            report.setting(
                node,
                *setting,
                &if bare { name.clone() } else { format!("{} {name}", node.name) },
            );
        } else if listed(rule.drawing, name) {
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
    Ok(())
}

/// Reports everything below `node` that `rules` do not call read.
pub fn check(rules: &[Rule], key: &str, node: &Node, report: &mut Report) -> Read<()> {
    let Some(rule) = rules.iter().find(|r| r.key == key) else { return Ok(()) };
    check_attributes(rule, node, report)?;
    for child in &node.children {
        let name = child.name.as_str();
        if let Some((_, next)) = rule.children.iter().find(|(n, _)| *n == name) {
            check(rules, next, child, report)?;
        } else if rule.keeps(name) {
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

    #[test]
    fn every_rule_that_is_referred_to_exists() {
        for rules in [crate::mjcf::RULES, crate::urdf::RULES, crate::sdf::RULES] {
            for (_, key) in rules.iter().flat_map(|r| r.children) {
                assert!(*key == "any" || rules.iter().any(|r| r.key == *key), "{key}");
            }
        }
    }

    /// Elements from the root down to the one that follows the rule `key`.
    fn path(rules: &[Rule], key: &str) -> Vec<&'static str> {
        let mut open: Vec<(Vec<&'static str>, &'static str)> = vec![(vec![rules[0].key], rules[0].key)];
        let mut seen = vec![rules[0].key];
        let mut at = 0;
        while at < open.len() {
            let (path, here) = open[at].clone();
            if here == key {
                return path;
            }
            for (name, next) in rules.iter().find(|r| r.key == here).unwrap().children {
                if *next != "any" && !seen.contains(next) {
                    seen.push(next);
                    open.push(([path.clone(), vec![name]].concat(), next));
                }
            }
            at += 1;
        }
        panic!("nothing leads to the rule {key}");
    }

    fn warnings(rules: &[Rule], path: &[&str], inside: &str, attribute: &str) -> Vec<String> {
        let mut text = String::new();
        for (k, name) in path.iter().enumerate() {
            let last = k + 1 == path.len();
            text += &format!("<{name}{}>", if last { format!(" {attribute}") } else { String::new() });
        }
        text += inside;
        path.iter().rev().for_each(|name| text += &format!("</{name}>"));
        let node = crate::xml::parse(&text, "f").unwrap();
        let mut report = Report::new(false);
        check(rules, rules[0].key, &node, &mut report).unwrap();
        report.finish().into_iter().map(|w| w.message).collect()
    }

    /// Every entry of every support table: what is not honoured warns, what is honoured does not.
    #[test]
    fn every_word_without_effect_warns_and_every_other_one_does_not() {
        for rules in [crate::mjcf::RULES, crate::urdf::RULES, crate::sdf::RULES] {
            for rule in rules {
                let path = path(rules, rule.key);
                for (names, effect) in rule.ignored {
                    for name in names.split_ascii_whitespace() {
                        let found = warnings(rules, &path, "", &format!("{name}='2 3'"));
                        assert!(found.iter().any(|w| w.contains(effect)), "{path:?} {name}: {found:?}");
                    }
                }
                for name in rule.settings.iter().flat_map(|(names, _)| names.split_ascii_whitespace()) {
                    let found = warnings(rules, &path, "", &format!("{name}='2 3'"));
                    assert!(found.len() == 1 && found[0].contains(name), "{path:?} {name}: {found:?}");
                }
                for (names, effect) in rule.ignored_children {
                    for name in names.split_ascii_whitespace() {
                        let found = warnings(rules, &path, &format!("<{name}/>"), "");
                        assert!(found.iter().any(|w| w.contains(effect)), "{path:?} {name}: {found:?}");
                    }
                }
                for name in rule.read.split_ascii_whitespace() {
                    let found = warnings(rules, &path, "", &format!("{name}='2 3'"));
                    assert!(found.is_empty(), "{path:?} {name}: {found:?}");
                }
                for (name, _) in rule.children {
                    let found = warnings(rules, &path, &format!("<{name}/>"), "");
                    assert!(found.is_empty(), "{path:?} {name}: {found:?}");
                }
                for (names, _) in rule.kept {
                    for name in names.split_ascii_whitespace() {
                        assert!(
                            warnings(rules, &path, &format!("<{name}/>"), "").is_empty(),
                            "{path:?} {name}"
                        );
                    }
                }
                for (names, _) in rule.mapped {
                    for name in names.split_ascii_whitespace() {
                        let child = rule.children.iter().any(|(n, _)| *n == name);
                        assert!(child || listed(rule.read, name), "{path:?}: {name} is mapped but not read");
                    }
                }
                let unknown = warnings(rules, &path, "<never_heard_of/>", "nobody='1'");
                assert_eq!(
                    unknown.iter().filter(|w| w.contains("unknown")).count(),
                    2,
                    "{path:?}: {unknown:?}"
                );
            }
        }
    }
}
