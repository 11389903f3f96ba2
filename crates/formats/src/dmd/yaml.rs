//! One YAML document as a tree in which every value knows its line.
//!
//! `saphyr-parser` reads the text (YAML 1.2); here its events become values, aliases are replaced by what they stand for and
//! mappings under `<<` are merged, within bounds on depth and repetition.

use crate::error::FormatError;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Deepest nesting.
const MAX_DEPTH: usize = 64;

/// Most values that anchors keep and aliases stand for, in all.
const MAX_REPEATED: usize = 100_000;

/// A value with its tag and line.
#[derive(Clone, Debug, PartialEq)]
pub struct Yaml {
    pub tag: Option<String>,
    pub value: Value,
    pub line: u32,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Scalar(String),
    List(Vec<Yaml>),
    Map(Vec<(String, Yaml)>),
}

impl Yaml {
    /// The value of a key; `None` if this is no mapping or has no such key.
    pub fn get(&self, key: &str) -> Option<&Yaml> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
    file: &'a str,
    /// Lines of the file.
    lines: u32,
    /// Values by the number of their anchor.
    anchors: BTreeMap<usize, Yaml>,
    /// Values kept and repeated so far.
    repeated: usize,
}

/// Parses a document.
pub fn parse(text: &str, file: &str) -> Result<Yaml, FormatError> {
    let events = Parser::new_from_str(text);
    let lines = text.lines().count().max(1) as u32;
    let mut reader = Reader { events, file, lines, anchors: BTreeMap::new(), repeated: 0 };
    let mut root = None;
    loop {
        match reader.next()? {
            (Event::StreamEnd, _) => break,
            (Event::DocumentStart(_), line) if root.is_some() => {
                return reader.fail(line, "there are several documents in this file; keep one");
            }
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
            (event, line) => root = Some(reader.value(event, line, 0)?),
        }
    }
    Ok(root.unwrap_or(Yaml { tag: None, value: Value::Null, line: 1 }))
}

impl<'a> Reader<'a> {
    fn fail<T>(&self, line: u32, what: &str) -> Result<T, FormatError> {
        let message = format!("not well-formed YAML: {what}");
        Err(FormatError::Syntax { file: self.file.into(), line, message })
    }

    /// The next event with its line.
    fn next(&mut self) -> Result<(Event<'a>, u32), FormatError> {
        match self.events.next_event() {
            Some(Ok((event, span))) => Ok((event, span.start.line() as u32)),
            Some(Err(error)) => {
                // At the end of the text the last line is named.
                self.fail((error.marker().line() as u32).min(self.lines), error.info())
            }
            None => Ok((Event::StreamEnd, 0)),
        }
    }

    /// The value that begins with `event`.
    fn value(&mut self, event: Event<'a>, line: u32, depth: usize) -> Result<Yaml, FormatError> {
        if depth > MAX_DEPTH {
            return self.fail(line, "it is nested too deep");
        }
        let (value, anchor, tag) = match event {
            Event::Alias(anchor) => return self.repeat(anchor, line, depth),
            Event::Scalar(text, style, anchor, tag) => {
                let null =
                    style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
                (if null { Value::Null } else { Value::Scalar(text.into_owned()) }, anchor, tag)
            }
            Event::SequenceStart(anchor, tag) => (self.list(depth)?, anchor, tag),
            Event::MappingStart(anchor, tag) => (self.map(depth)?, anchor, tag),
            _ => return self.fail(line, "a value is missing"),
        };
        let value = Yaml { tag: tag.and_then(own_tag), value, line };
        if anchor > 0 {
            self.count(extent(&value).0, line)?;
            self.anchors.insert(anchor, value.clone());
        }
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Result<Value, FormatError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::List(items)),
                (event, line) => items.push(self.value(event, line, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, FormatError> {
        let mut entries: Vec<(String, Yaml)> = Vec::new();
        loop {
            let (event, line) = self.next()?;
            if event == Event::MappingEnd {
                return Ok(Value::Map(merged(entries)));
            }
            let key = match self.value(event, line, depth + 1)?.value {
                Value::Scalar(key) => key,
                _ => return self.fail(line, "a key must be a word"),
            };
            if key != "<<" && entries.iter().any(|(k, _)| *k == key) {
                return self.fail(line, &format!("the key {key} is there twice"));
            }
            let (event, line) = self.next()?;
            entries.push((key, self.value(event, line, depth + 1)?));
        }
    }

    /// The value that an alias stands for.
    fn repeat(&mut self, anchor: usize, line: u32, depth: usize) -> Result<Yaml, FormatError> {
        let Some(value) = self.anchors.get(&anchor) else {
            return self.fail(line, "an alias stands inside of what it refers to");
        };
        let (count, inside) = extent(value);
        if depth + inside > MAX_DEPTH {
            return self.fail(line, "it is nested too deep");
        }
        let value = value.clone();
        self.count(count, line)?;
        Ok(value)
    }

    fn count(&mut self, values: usize, line: u32) -> Result<(), FormatError> {
        self.repeated += values;
        if self.repeated > MAX_REPEATED {
            let what = format!("anchors and aliases stand for more than {MAX_REPEATED} values");
            return self.fail(line, &what);
        }
        Ok(())
    }
}

/// The name of a tag that is none of YAML's own, such as `!!str`.
fn own_tag(tag: Cow<Tag>) -> Option<String> {
    match tag.handle.as_str() {
        "!" => Some(tag.suffix.clone()),
        _ if tag.is_yaml_core_schema() => None,
        handle => Some(format!("{handle}{}", tag.suffix)),
    }
}

/// How many values there are in a value, with itself, and how deep it goes.
fn extent(value: &Yaml) -> (usize, usize) {
    let all = |parts: &mut dyn Iterator<Item = &Yaml>| {
        let (count, depth) = parts.map(extent).fold((0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
        (count + 1, depth + 1)
    };
    match &value.value {
        Value::List(items) => all(&mut items.iter()),
        Value::Map(entries) => all(&mut entries.iter().map(|(_, v)| v)),
        _ => (1, 1),
    }
}

/// Entries with those of `<<` taken in where they are not there themselves.
fn merged(entries: Vec<(String, Yaml)>) -> Vec<(String, Yaml)> {
    let (merges, mut own): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| key == "<<");
    for (key, value) in merges {
        let sources = match value.value {
            Value::List(items) => items,
            _ => vec![value],
        };
        for source in sources {
            match source.value {
                Value::Map(entries) => {
                    for entry in entries {
                        if own.iter().all(|(key, _)| *key != entry.0) {
                            own.push(entry);
                        }
                    }
                }
                // The reader of the mapping refuses the key.
                _ => own.push((key.clone(), source)),
            }
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read() {
        let text = "# first\ndirectives:\n- add_model:\n    name: \"arm\" # it\n    file: package://a/b.urdf\n    q: {j: [0.5, 1]}\n\
                    - add_weld:\n    X_PC:\n      rotation: !Rpy { deg: [0, 0,\n        90] }\n  \n";
        let root = parse(text, "f").unwrap();
        let Value::List(items) = &root.get("directives").unwrap().value else { panic!() };
        let model = items[0].get("add_model").unwrap();
        assert_eq!(model.get("name").unwrap().value, Value::Scalar("arm".into()));
        assert_eq!(model.get("file").unwrap().value, Value::Scalar("package://a/b.urdf".into()));
        let Value::List(q) = &model.get("q").unwrap().get("j").unwrap().value else { panic!() };
        assert_eq!(q[1].value, Value::Scalar("1".into()));
        let rotation = items[1].get("add_weld").unwrap().get("X_PC").unwrap().get("rotation").unwrap();
        assert_eq!(rotation.tag.as_deref(), Some("Rpy"));
        let Value::List(deg) = &rotation.get("deg").unwrap().value else { panic!() };
        assert_eq!((deg.len(), items[1].get("add_weld").unwrap().line), (3, 8));
    }

    #[test]
    fn anchors_merges_and_quotes_are_read() {
        let text = "a: &x {b: 1, c::d: [2]}\nm:\n  <<: *x\n  b: 'it''s'\nn: {<<: [*x], e: *x, \"f: g\": \"\\\"h\\\"\"}\n\
                    t: &y !Rpy\n  deg: [1]\nu: *y\n";
        let root = parse(text, "f").unwrap();
        let word = |at: Option<&Yaml>| match &at.unwrap().value {
            Value::Scalar(word) => word.clone(),
            other => panic!("{other:?}"),
        };
        let (m, n) = (root.get("m").unwrap(), root.get("n").unwrap());
        assert_eq!(word(m.get("b")), "it's");
        assert_eq!(m.get("c::d").unwrap(), n.get("e").unwrap().get("c::d").unwrap());
        assert_eq!((word(n.get("b")), word(n.get("f: g"))), ("1".into(), "\"h\"".into()));
        assert_eq!(root.get("u").unwrap(), root.get("t").unwrap());
        assert_eq!(root.get("u").unwrap().tag.as_deref(), Some("Rpy"));
    }

    #[test]
    fn scalars_of_several_lines_are_read() {
        let text = "a: one\n  two\nb: \"three\n  four\\\n  five \\x41\"\nc: >-\n  six\n  seven\nd: |\n  eight # no comment\n  nine\n\
                    e: 'ten\n\n  eleven'\n? f\n: !!str 12\n";
        let root = parse(text, "f").unwrap();
        let word = |key: &str| match &root.get(key).unwrap().value {
            Value::Scalar(word) => word.clone(),
            other => panic!("{other:?}"),
        };
        // Breaks within plain, quoted and folded scalars are spaces; an empty line, and a literal's breaks, are breaks.
        assert_eq!((word("a"), word("b")), ("one two".into(), "three fourfive A".into()));
        assert_eq!((word("c"), word("d")), ("six seven".into(), "eight # no comment\nnine\n".into()));
        assert_eq!((word("e"), word("f")), ("ten\neleven".into(), "12".into()));
        assert_eq!((root.get("e").unwrap().line, root.get("f").unwrap().tag.as_ref()), (12, None));
    }

    #[test]
    fn aliases_of_aliases_end() {
        let mut laughs = "a0: &a0 [x, x]\n".to_string();
        (1..40).for_each(|k| laughs += &format!("a{k}: &a{k} [*a{}, *a{}]\n", k - 1, k - 1));
        assert!(parse(&laughs, "f").unwrap_err().to_string().contains("100000 values"));
        let mut deep = "a0: &a0 [x]\n".to_string();
        (1..400).for_each(|k| deep += &format!("a{k}: &a{k} [*a{}]\n", k - 1));
        assert!(parse(&deep, "f").unwrap_err().to_string().contains("nested too deep"));
    }

    #[test]
    fn broken_text_names_its_line() {
        for (text, line) in [
            ("a: [1, 2", "f:1"),
            ("a: 1\n  b: 2", "f:2"),
            ("a: 1\na: 2", "f:2"),
            ("a: *x", "f:1"),
            ("a: &x [*x]", "f:1"),
            ("a: {b: 1, b: 2}", "f:1"),
            ("a: \"\\q\"", "f:1"),
            ("a: \"x", "f:1"),
            ("- 1\nb: 2", "f:2"),
            ("a:\n\t- b", "f:2"),
            ("a: 1\n---\nb: 2", "f:2"),
            ("[a, b]: 1", "f:1"),
        ] {
            let error = parse(text, "f").unwrap_err().to_string();
            assert!(error.starts_with(line), "{text:?}: {error}");
        }
        assert!(parse(&"[".repeat(500), "f").is_err());
        assert!(parse(&"- ".repeat(500), "f").is_err());
    }
}
