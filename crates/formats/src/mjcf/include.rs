//! `include`: the children of another file's root take the element's place.

use crate::error::{FormatError, Read};
use crate::files::{Files, folder, join};
use crate::text::decode;
use crate::xml::{self, Node};

/// Most include elements in one model.
const MAX_INCLUDES: usize = 10_000;

/// Most elements that all includes together bring.
const MAX_ELEMENTS: usize = 1_000_000;

/// State of the expansion.
pub struct Includes<'a> {
    files: &'a dyn Files,
    model_dir: &'a str,
    open: Vec<String>,
    count: usize,
    elements: usize,
}

impl<'a> Includes<'a> {
    /// Starts with the model's own file.
    pub fn new(files: &'a dyn Files, model_file: &'a str) -> Self {
        Self {
            files,
            model_dir: folder(model_file),
            open: vec![files.canonical(model_file)],
            count: 0,
            elements: 0,
        }
    }

    /// Replaces every include below `node`, which stands `depth` elements deep.
    pub fn expand(&mut self, node: &mut Node, depth: usize) -> Read<()> {
        if depth > xml::MAX_DEPTH {
            return Err(node.error("elements and includes are nested too deep; flatten the files"));
        }
        let mut children = Vec::with_capacity(node.children.len());
        for mut child in std::mem::take(&mut node.children) {
            if child.name == "include" {
                children.append(&mut self.load(&child, depth)?);
            } else {
                self.expand(&mut child, depth + 1)?;
                children.push(child);
            }
        }
        node.children = children;
        Ok(())
    }

    fn load(&mut self, include: &Node, depth: usize) -> Read<Vec<Node>> {
        self.count += 1;
        if self.count > MAX_INCLUDES || self.open.len() > 64 {
            return Err(include.error("too many includes; put the files together"));
        }
        let file = include.required("file")?;
        // MuJoCo counts from the main file's folder; some files count from their own.
        let mut path = join(self.model_dir, file);
        if !self.files.exists(&path) {
            let beside = join(folder(&include.file), file);
            if self.files.exists(&beside) {
                path = beside;
            }
        }
        let canonical = self.files.canonical(&path);
        if self.open.contains(&canonical) {
            return Err(include.error(format!("{file} includes itself; break the circle")));
        }
        let bytes = self
            .files
            .read(&path)
            .map_err(|reason| include.error(format!("{path} {reason}; correct the path in file=\"…\"")))?;
        let text = decode(bytes).map_err(|reason| FormatError::File { path: path.clone(), reason })?;
        let mut root = xml::parse(&text, &path)?;
        self.elements += root.count();
        if self.elements > MAX_ELEMENTS {
            return Err(include.error("the includes bring too many elements; split the model"));
        }
        self.open.push(canonical);
        self.expand(&mut root, depth)?;
        self.open.pop();
        Ok(root.children)
    }
}
