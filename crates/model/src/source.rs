//! Where an item came from, and what could not be honoured there.

use serde::{Deserialize, Serialize};
use std::fmt;
use stiction_base::plain::Plain;

/// The place in a file that an item was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// File name as the user gave it; empty for items made by a program.
    pub file: String,
    /// The element, for instance `joint "elbow"`.
    pub element: String,
    /// Line, counted from 1; 0 if unknown.
    pub line: u32,
}

impl Source {
    /// A source inside `file`.
    pub fn new(file: impl Into<String>, element: impl Into<String>, line: u32) -> Self {
        Self { file: file.into(), element: element.into(), line }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, element) = (Plain(&self.file), Plain(&self.element));
        match (self.file.is_empty(), self.line) {
            (true, _) => write!(f, "{element}"),
            (false, 0) => write!(f, "{file}: {element}"),
            (false, line) => write!(f, "{file}:{line}: {element}"),
        }
    }
}

/// Something a reader could not honour, said once with its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Where it stands.
    pub source: Source,
    /// The element or attribute that is not honoured, and the effect of that.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source, Plain(&self.message))
    }
}
