//! The part of YAML that model directives use: block and flow mappings and lists, plain and quoted
//! scalars, tags, comments, anchors, aliases and merged mappings (`<<`). Block scalars and several documents are errors.

use crate::error::FormatError;
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

/// What a value is.
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

struct Line {
    indent: usize,
    text: String,
    number: u32,
}

struct Parser<'a> {
    lines: Vec<Line>,
    at: usize,
    file: &'a str,
    /// Values by anchor.
    anchors: BTreeMap<String, Yaml>,
    /// Values kept and stood for so far.
    repeated: usize,
}

/// Parses a document.
pub fn parse(text: &str, file: &str) -> Result<Yaml, FormatError> {
    let mut lines: Vec<Line> = Vec::new();
    // Brackets and quote that the last line leaves open.
    let (mut open, mut quote) = (0, None);
    for (k, raw) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let number = k as u32 + 1;
        let body = without_comment(raw).trim_end();
        let indent = body.len() - body.trim_start_matches(' ').len();
        let body = body.trim_start_matches(' ');
        if body.is_empty() || (body == "---" && lines.is_empty()) || body.starts_with('%') {
            continue;
        }
        if body.starts_with('\t') {
            return Err(error(file, number, "a tab cannot indent; use spaces"));
        }
        if body == "---" {
            return Err(error(file, number, "there are several documents in this file; keep one"));
        }
        // A flow value that goes on in the next lines.
        if let Some(last) = lines.last_mut()
            && open > 0
        {
            last.text += " ";
            last.text += body;
            open += open_brackets(body, &mut quote);
            if last.text.len() > 1 << 20 {
                return Err(error(file, number, "a bracket is never closed"));
            }
            continue;
        }
        lines.push(Line { indent, text: body.to_string(), number });
        quote = None;
        open = open_brackets(body, &mut quote);
    }
    let mut parser = Parser { lines, at: 0, file, anchors: BTreeMap::new(), repeated: 0 };
    let Some(first) = parser.lines.first() else {
        return Ok(Yaml { tag: None, value: Value::Null, line: 1 });
    };
    let indent = first.indent;
    let value = parser.block(indent, 0)?;
    match parser.lines.get(parser.at) {
        Some(line) => Err(error(file, line.number, "this line does not fit the indentation above it")),
        None => Ok(value),
    }
}

fn error(file: &str, line: u32, what: &str) -> FormatError {
    FormatError::Syntax { file: file.into(), line, message: format!("not well-formed YAML: {what}") }
}

fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (i, c) in line.char_indices() {
        match quote {
            Some(q) if c == q => quote = None,
            None if (c == '"' || c == '\'') && !before.is_alphanumeric() => quote = Some(c),
            None if c == '#' && before.is_whitespace() => return &line[..i],
            _ => {}
        }
        before = c;
    }
    line
}

/// How many more brackets `text` opens than it closes, from inside `quote` if there is one.
fn open_brackets(text: &str, quote: &mut Option<char>) -> i32 {
    let mut depth = 0;
    for c in text.chars() {
        match quote {
            Some(q) if c == *q => *quote = None,
            None if c == '"' || c == '\'' => *quote = Some(c),
            None if c == '[' || c == '{' => depth += 1,
            None if c == ']' || c == '}' => depth -= 1,
            _ => {}
        }
    }
    depth
}

/// Key and rest of `key: value`; `None` if the text is no entry of a mapping.
fn entry(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['"', '\'']) {
        let (key, rest) = quoted(text).ok()?;
        return Some((key, rest.trim_start().strip_prefix(':')?.trim_start()));
    }
    if text.starts_with(['{', '[']) {
        return None;
    }
    if let Some(key) = text.strip_suffix(':').filter(|k| !k.contains(": ")) {
        return Some((key.trim_end().to_string(), ""));
    }
    let at = text.find(": ")?;
    Some((text[..at].trim_end().to_string(), text[at + 2..].trim_start()))
}

impl Parser<'_> {
    fn fail<T>(&self, line: u32, what: &str) -> Result<T, FormatError> {
        Err(error(self.file, line, what))
    }

    /// The value that begins at the current line, indented by `indent`.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Yaml, FormatError> {
        let line = &self.lines[self.at];
        let number = line.number;
        if depth > MAX_DEPTH {
            return self.fail(number, "it is nested too deep");
        }
        if line.text == "-" || line.text.starts_with("- ") {
            return self.list(indent, depth);
        }
        if entry(&line.text).is_some() {
            return self.map(indent, depth);
        }
        let text = line.text.clone();
        self.at += 1;
        self.inline(&text, number, depth)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Yaml, FormatError> {
        let number = self.lines[self.at].number;
        let mut items = Vec::new();
        while let Some(line) = self.lines.get_mut(self.at) {
            if line.indent != indent || !(line.text == "-" || line.text.starts_with("- ")) {
                break;
            }
            let rest = line.text[1..].trim_start().to_string();
            if rest.is_empty() {
                let number = line.number;
                self.at += 1;
                items.push(self.below(indent, false, number, depth)?);
            } else {
                // What follows the dash stands as if on a line of its own.
                line.indent = indent + (line.text.len() - rest.len());
                line.text = rest;
                let inner = line.indent;
                items.push(self.block(inner, depth + 1)?);
            }
        }
        Ok(Yaml { tag: None, value: Value::List(items), line: number })
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Yaml, FormatError> {
        let first = self.lines[self.at].number;
        let mut entries: Vec<(String, Yaml)> = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|l| l.indent == indent) {
            let number = line.number;
            let Some((key, rest)) = entry(&line.text) else {
                return self.fail(number, "it needs `key: value`");
            };
            if entries.iter().any(|(k, _)| *k == key) {
                return self.fail(number, &format!("the key {key} is there twice"));
            }
            let rest = rest.to_string();
            self.at += 1;
            let (given, rest) = properties(&rest);
            let mut value = if rest.is_empty() {
                self.below(indent, true, number, depth)?
            } else {
                self.inline(rest, number, depth)?
            };
            value.tag = given.tag.or(value.tag);
            self.remember(given.anchor, &value)?;
            entries.push((key, value));
        }
        Ok(Yaml { tag: None, value: Value::Map(merged(entries)), line: first })
    }

    /// The block below a line indented by `indent`; a list may stand at the same indentation as its key.
    fn below(
        &mut self,
        indent: usize,
        list_too: bool,
        number: u32,
        depth: usize,
    ) -> Result<Yaml, FormatError> {
        match self.lines.get(self.at) {
            Some(next) if next.indent > indent => {
                let inner = next.indent;
                self.block(inner, depth + 1)
            }
            Some(next) if list_too && next.indent == indent && next.text.starts_with('-') => {
                self.list(indent, depth + 1)
            }
            _ => Ok(Yaml { tag: None, value: Value::Null, line: number }),
        }
    }

    fn inline(&mut self, text: &str, number: u32, depth: usize) -> Result<Yaml, FormatError> {
        let mut rest = text;
        let value = self.flow(&mut rest, number, depth, true)?;
        if !rest.trim().is_empty() {
            return self.fail(number, "there is something after the end of the value");
        }
        Ok(value)
    }

    /// A flow value at the start of `rest`; `line` says that a plain scalar goes on to the end.
    fn flow(&mut self, rest: &mut &str, number: u32, depth: usize, line: bool) -> Result<Yaml, FormatError> {
        if depth > MAX_DEPTH {
            return self.fail(number, "it is nested too deep");
        }
        let (given, after) = properties(rest.trim_start());
        let mut text = after;
        let value = match text.chars().next() {
            None => Value::Null,
            Some('*') => {
                let end = text.find([' ', ',', ']', '}']).unwrap_or(text.len());
                let value = self.repeat(&text[1..end], number, depth)?;
                *rest = &text[end..];
                return Ok(value);
            }
            Some('|' | '>') => return self.fail(number, "block scalars are not read; quote the text"),
            Some(open @ ('[' | '{')) => {
                let close = if open == '[' { ']' } else { '}' };
                text = &text[1..];
                let (mut list, mut map) = (Vec::new(), Vec::new());
                loop {
                    text = text.trim_start();
                    if let Some(after) = text.strip_prefix(close) {
                        text = after;
                        break;
                    }
                    if text.is_empty() {
                        return self.fail(number, &format!("`{close}` is missing"));
                    }
                    if open == '[' {
                        list.push(self.flow(&mut text, number, depth + 1, false)?);
                    } else {
                        let quoted_key = text.starts_with(['"', '\'']).then(|| quoted(text).ok()).flatten();
                        let (key, after) = match (quoted_key, end_of_key(text)) {
                            (Some((key, after)), _) => (key, after.trim_start().strip_prefix(':')),
                            (None, Some(colon)) => {
                                (text[..colon].trim().to_string(), Some(&text[colon + 1..]))
                            }
                            (None, None) => (String::new(), None),
                        };
                        let Some(after) = after else {
                            return self.fail(number, "a mapping in braces needs `key: value`");
                        };
                        if key != "<<" && map.iter().any(|(k, _)| *k == key) {
                            return self.fail(number, &format!("the key {key} is there twice"));
                        }
                        text = after;
                        map.push((key, self.flow(&mut text, number, depth + 1, false)?));
                    }
                    text = text.trim_start();
                    match text.strip_prefix(',') {
                        Some(after) => text = after,
                        None if text.starts_with(close) => {}
                        None => return self.fail(number, &format!("`,` or `{close}` is missing")),
                    }
                }
                if open == '[' { Value::List(list) } else { Value::Map(merged(map)) }
            }
            Some('"' | '\'') => match quoted(text) {
                Ok((inside, after)) => {
                    text = after;
                    Value::Scalar(inside)
                }
                Err(what) => return self.fail(number, what),
            },
            Some(_) => {
                let end = if line { text.len() } else { text.find([',', ']', '}']).unwrap_or(text.len()) };
                let word = text[..end].trim();
                text = &text[end..];
                if matches!(word, "" | "~" | "null") { Value::Null } else { Value::Scalar(word.to_string()) }
            }
        };
        *rest = text;
        let value = Yaml { tag: given.tag, value, line: number };
        self.remember(given.anchor, &value)?;
        Ok(value)
    }

    /// Keeps a value for the aliases that name its anchor.
    fn remember(&mut self, anchor: Option<String>, value: &Yaml) -> Result<(), FormatError> {
        if let Some(anchor) = anchor {
            self.count(extent(value).0, value.line)?;
            self.anchors.insert(anchor, value.clone());
        }
        Ok(())
    }

    fn count(&mut self, values: usize, number: u32) -> Result<(), FormatError> {
        self.repeated += values;
        if self.repeated > MAX_REPEATED {
            return self
                .fail(number, &format!("anchors and aliases stand for more than {MAX_REPEATED} values"));
        }
        Ok(())
    }

    /// The value that an alias stands for.
    fn repeat(&mut self, anchor: &str, number: u32, depth: usize) -> Result<Yaml, FormatError> {
        let Some(value) = self.anchors.get(anchor) else {
            return self.fail(number, &format!("there is no &{anchor} before *{anchor}"));
        };
        let (count, inside) = extent(value);
        if depth + inside > MAX_DEPTH {
            return self.fail(number, "it is nested too deep");
        }
        let value = value.clone();
        self.count(count, number)?;
        Ok(value)
    }
}

/// What stands before a value.
#[derive(Default)]
struct Properties {
    tag: Option<String>,
    anchor: Option<String>,
}

/// A leading `!Tag` and `&anchor`, in any order, and what follows them.
fn properties(text: &str) -> (Properties, &str) {
    let (mut found, mut rest) = (Properties::default(), text);
    while let Some(mark @ ('!' | '&')) = rest.chars().next() {
        let end = rest.find([' ', ',', '{', '[', '}', ']']).unwrap_or(rest.len());
        let word = Some(rest[1..end].to_string());
        match mark {
            '!' => found.tag = word,
            _ => found.anchor = word,
        }
        rest = rest[end..].trim_start();
    }
    (found, rest)
}

/// The text in quotation marks at the start of `text`, and what follows it; the error says what is wrong.
fn quoted(text: &str) -> Result<(String, &str), &'static str> {
    let mut inside = String::new();
    let mut chars = text.char_indices();
    let quote = chars.next().map_or('"', |(_, c)| c);
    while let Some((i, c)) = chars.next() {
        match c {
            '\'' if quote == '\'' && text[i + 1..].starts_with('\'') => {
                inside.extend(chars.next().map(|(_, c)| c))
            }
            c if c == quote => return Ok((inside, &text[i + 1..])),
            '\\' if quote == '"' => match chars.next() {
                Some((_, c @ ('"' | '\\' | '/' | ' '))) => inside.push(c),
                Some((_, 't')) => inside.push('\t'),
                Some((_, 'n')) => inside.push('\n'),
                _ => {
                    return Err(
                        "after a backslash only \\, \", /, n and t are read; write the character itself",
                    );
                }
            },
            c => inside.push(c),
        }
    }
    Err("a quotation mark is never closed")
}

/// The end of a plain key in braces: a colon with something other than a name behind it.
fn end_of_key(text: &str) -> Option<usize> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', ',', '[', '{', ']', '}', '"', '\'']);
    text.match_indices(':').map(|(i, _)| i).find(|&i| ends(&text[i + 1..]))
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
                // Whoever reads the mapping refuses the key.
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
        ] {
            let error = parse(text, "f").unwrap_err().to_string();
            assert!(error.starts_with(line), "{text:?}: {error}");
        }
        assert!(parse(&"[".repeat(500), "f").is_err());
        assert!(parse(&"- ".repeat(500), "f").is_err());
    }
}
