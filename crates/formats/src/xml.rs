//! An owned tree of XML elements that remembers files and lines.
//!
//! `roxmltree` parses; this tree adds what the readers need: elements of several files can be mixed
//! (includes), prefixes that a file forgot to declare are accepted (`drake:`), depth and size are
//! bounded, and every element can say where it stands.

use crate::error::{FormatError, Read};
use roxmltree::{Document, ParsingOptions};
use std::rc::Rc;
use stiction_model::Source;

/// Elements may be nested this deep; the readers are recursive.
pub const MAX_DEPTH: usize = 512;
/// Most attributes of one element: the parser compares each with all before it.
pub const MAX_ATTRIBUTES: usize = 2000;
/// Largest number of XML nodes in one file.
pub const MAX_NODES: u32 = 4_000_000;

/// An element with its attributes, children and place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name with its prefix, as in `drake:mu_static`.
    pub name: String,
    /// Attributes in the order of the file.
    pub attributes: Vec<(String, String)>,
    /// Child elements.
    pub children: Vec<Node>,
    /// Text directly inside.
    pub text: String,
    /// File it stands in.
    pub file: Rc<str>,
    /// Line, counted from 1.
    pub line: u32,
}

impl Node {
    /// The value of an attribute.
    pub fn attr(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// The value of an attribute that must be there.
    pub fn required(&self, name: &str) -> Read<&str> {
        self.attr(name).ok_or_else(|| self.error(format!("the attribute {name} is missing; add it")))
    }

    /// The first child of this name.
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|c| c.name == name)
    }

    /// All children of this name.
    pub fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// How many elements it is, with all below it.
    pub fn count(&self) -> usize {
        1 + self.children.iter().map(Node::count).sum::<usize>()
    }

    /// Where it stands.
    pub fn source(&self) -> Source {
        let element = match self.attr("name") {
            Some(name) => format!("{} \"{name}\"", self.name),
            None => self.name.clone(),
        };
        Source::new(&*self.file, element, self.line)
    }

    /// An error about this element.
    pub fn error(&self, message: impl Into<String>) -> FormatError {
        FormatError::Invalid { place: self.source(), message: message.into() }
    }
}

/// Parses a file's text.
pub fn parse(text: &str, file: &str) -> Read<Node> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some((line, message)) = too_much(text) {
        return Err(FormatError::Syntax { file: file.into(), line, message });
    }
    let mut owned = without_declaration(text);
    let mut text = owned.as_str();
    // Each round declares one more undeclared prefix on the root element's own line.
    for _ in 0..16 {
        let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..Default::default() };
        match Document::parse_with_options(text, options) {
            Ok(document) => {
                let mut lines = Lines { text: document.input_text().as_bytes(), at: 0, line: 1 };
                return Ok(convert(document.root_element(), &mut lines, &Rc::from(file)));
            }
            Err(roxmltree::Error::UnknownNamespace(prefix, position)) => match declare(text, &prefix) {
                Some(declared) => {
                    owned = declared;
                    text = &owned;
                }
                None => return Err(syntax(roxmltree::Error::UnknownNamespace(prefix, position), text, file)),
            },
            Err(error) => return Err(syntax(error, text, file)),
        }
    }
    let message =
        "more than 16 undeclared prefixes; declare them with xmlns:prefix=\"…\" on the root element";
    Err(FormatError::Syntax { file: file.into(), line: 1, message: message.into() })
}

fn syntax(error: roxmltree::Error, text: &str, file: &str) -> FormatError {
    let remedy = match error {
        roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode => {
            "; the file ends before its elements are closed: it may have been cut short"
        }
        roxmltree::Error::DtdDetected => "; remove the DOCTYPE, entities are not expanded",
        roxmltree::Error::NodesLimitReached => "; split the file, it has too many elements",
        _ => "; correct the XML there",
    };
    let line = match error {
        // These have no place of their own: it is the end.
        roxmltree::Error::UnexpectedEndOfStream | roxmltree::Error::UnclosedRootNode => {
            text.lines().count().max(1) as u32
        }
        _ => error.pos().row.max(1),
    };
    FormatError::Syntax { file: file.into(), line, message: format!("not well-formed XML: {error}{remedy}") }
}

/// The text with its `<?xml …?>` blanked out: some files have comments or empty lines before it.
fn without_declaration(text: &str) -> String {
    let root = text.find("<?xml ").and_then(|start| Some((start, start + text[start..].find("?>")? + 2)));
    let Some((start, end)) = root else { return text.to_string() };
    let blank: String = text[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    format!("{}{blank}{}", &text[..start], &text[end..])
}

/// Adds a declaration of `prefix` to the root element without moving any line.
fn declare(text: &str, prefix: &str) -> Option<String> {
    let mut rest = 0;
    loop {
        let open = rest + text[rest..].find('<')?;
        let tail = &text[open..];
        let skip = |end: &str| tail.find(end).map(|i| open + i + end.len());
        if tail.starts_with("<?") {
            rest = skip("?>")?;
        } else if tail.starts_with("<!--") {
            rest = skip("-->")?;
        } else if tail.starts_with("<!") {
            rest = skip(">")?;
        } else {
            let name = tail[1..].find(|c: char| c.is_whitespace() || c == '>' || c == '/')?;
            let at = open + 1 + name;
            return Some(format!("{} xmlns:{prefix}=\"undeclared:{prefix}\"{}", &text[..at], &text[at..]));
        }
    }
}

/// The line at which nesting or the attributes of an element pass their limit, and what to do. A coarse scan, so that the
/// parser never sees such text.
fn too_much(text: &str) -> Option<(u32, String)> {
    let bytes = text.as_bytes();
    let (mut depth, mut i, mut line) = (0usize, 0usize, 1u32);
    while i < bytes.len() {
        if bytes[i] == b'\n' {
            line += 1;
        }
        if bytes[i] != b'<' {
            i += 1;
            continue;
        }
        let tail = &bytes[i..];
        let end: &[u8] = if tail.starts_with(b"<!--") {
            b"-->"
        } else if tail.starts_with(b"<![CDATA[") {
            b"]]>"
        } else if tail.starts_with(b"<?") || tail.starts_with(b"<!") {
            b">"
        } else {
            let (close, attributes) = tag_end(tail);
            if attributes > MAX_ATTRIBUTES {
                let message = format!(
                    "an element has more than {MAX_ATTRIBUTES} attributes; leave out those that are not needed"
                );
                return Some((line, message));
            }
            if tail.starts_with(b"</") {
                depth = depth.saturating_sub(1);
            } else if close == 0 || tail[close - 1] != b'/' {
                depth += 1;
                if depth > MAX_DEPTH {
                    let message = format!("elements are nested more than {MAX_DEPTH} deep; flatten the file");
                    return Some((line, message));
                }
            }
            line += tail[..close].iter().filter(|&&c| c == b'\n').count() as u32;
            i += close + 1;
            continue;
        };
        let stop = tail.windows(end.len()).position(|w| w == end).map_or(tail.len(), |p| p + end.len());
        line += tail[..stop].iter().filter(|&&c| c == b'\n').count() as u32;
        i += stop;
    }
    None
}

/// Where the tag at the start of `tail` ends, and how many attributes it has; quoted values may hold a `>`.
fn tag_end(tail: &[u8]) -> (usize, usize) {
    let (mut quote, mut attributes) = (None, 0);
    for (i, &c) in tail.iter().enumerate() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == b'"' || c == b'\'' => quote = Some(c),
            None if c == b'=' => attributes += 1,
            None if c == b'>' => return (i, attributes),
            _ => {}
        }
    }
    (tail.len() - 1, attributes)
}

/// Counts lines from one element to the next: elements come in the order of the text.
struct Lines<'t> {
    text: &'t [u8],
    at: usize,
    line: u32,
}

impl Lines<'_> {
    fn line(&mut self, at: usize) -> u32 {
        if at > self.at {
            self.line += self.text[self.at..at].iter().filter(|&&c| c == b'\n').count() as u32;
            self.at = at;
        }
        self.line
    }
}

fn convert(node: roxmltree::Node, lines: &mut Lines, file: &Rc<str>) -> Node {
    let line = lines.line(node.range().start);
    let qualified = |namespace: Option<&str>, local: &str| match namespace
        .and_then(|uri| node.lookup_prefix(uri))
        .filter(|p| !p.is_empty())
    {
        Some(prefix) => format!("{prefix}:{local}"),
        None => local.to_string(),
    };
    Node {
        name: qualified(node.tag_name().namespace(), node.tag_name().name()),
        attributes: node
            .attributes()
            .map(|a| (qualified(a.namespace(), a.name()), a.value().to_string()))
            .collect(),
        children: node
            .children()
            .filter(roxmltree::Node::is_element)
            .map(|child| convert(child, lines, file))
            .collect(),
        text: node
            .children()
            .filter(roxmltree::Node::is_text)
            .filter_map(|t| t.text())
            .collect::<String>()
            .trim()
            .to_string(),
        file: file.clone(),
        line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undeclared_prefixes_are_accepted_and_lines_stay() {
        let text = "<?xml version=\"1.0\"?>\n<!-- <a> -->\n<robot name=\"r\">\n <drake:a x=\"1\">\n 5 <q:b/></drake:a>\n</robot>";
        let root = parse(text, "f.urdf").unwrap();
        assert_eq!(root.name, "robot");
        let a = root.child("drake:a").unwrap();
        assert_eq!((a.line, a.text.as_str(), a.attr("x")), (4, "5", Some("1")));
        assert_eq!(a.children[0].name, "q:b");
    }

    #[test]
    fn default_namespaces_leave_names_alone() {
        let root = parse("<sdf xmlns='http://a' xmlns:drake='http://d'><drake:x/><y/></sdf>", "f").unwrap();
        assert_eq!(root.children[0].name, "drake:x");
        assert_eq!(root.children[1].name, "y");
    }

    #[test]
    fn broken_xml_names_its_line() {
        let error = parse("<a>\n<b>\n</a>", "f.xml").unwrap_err().to_string();
        assert!(error.starts_with("f.xml:3"), "{error}");
    }

    #[test]
    fn brackets_inside_values_are_no_nesting() {
        let text = format!("<a>{}</a>", "<b c='>' d=\">\"/>".repeat(2 * MAX_DEPTH));
        assert_eq!(parse(&text, "f").unwrap().children.len(), 2 * MAX_DEPTH);
    }

    #[test]
    fn deep_nesting_and_entities_are_refused() {
        let deep = "<a>".repeat(100_000);
        assert!(parse(&deep, "f").unwrap_err().to_string().contains("nested"));
        let laughs = "<!DOCTYPE a [<!ENTITY x \"ha\"><!ENTITY y \"&x;&x;\">]><a>&y;</a>";
        assert!(parse(laughs, "f").unwrap_err().to_string().contains("DOCTYPE"));
    }
}
