//! An XML document as text. Numbers are written so that they read back to the same bits.

use nalgebra::UnitQuaternion;
use stiction_model::{Pose, Vec3};

/// A document being written.
#[derive(Default)]
pub struct Xml {
    text: String,
    open: Vec<String>,
}

/// An element's attributes.
#[derive(Default)]
pub struct Attributes(String);

impl Attributes {
    pub fn text(mut self, name: &str, value: &str) -> Self {
        let escaped = value
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('"', "&quot;")
            .replace(['\n', '\t', '\r'], " ");
        self.0 += &format!(" {name}=\"{escaped}\"");
        self
    }

    pub fn numbers(self, name: &str, values: &[f64]) -> Self {
        self.text(name, &numbers(values))
    }

    pub fn number(self, name: &str, value: f64) -> Self {
        self.numbers(name, &[value])
    }

    /// `pos` and `quat` of MJCF, left out where they say nothing.
    pub fn place(mut self, pose: &Pose) -> Self {
        if pose.translation.vector != Vec3::zeros() {
            self = self.numbers("pos", pose.translation.vector.as_slice());
        }
        if pose.rotation != UnitQuaternion::identity() {
            let q = pose.rotation;
            self = self.numbers("quat", &[q.w, q.i, q.j, q.k]);
        }
        self
    }

    /// An attribute only if it is not `default`.
    pub fn unless(self, default: f64, name: &str, value: f64) -> Self {
        if value == default { self } else { self.number(name, value) }
    }
}

/// Numbers separated by spaces.
pub fn numbers(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(|x| format!("{x:?}").replace(".0e", "e")).collect();
    let words: Vec<&str> = words.iter().map(|w| w.strip_suffix(".0").unwrap_or(w)).collect();
    words.join(" ")
}

impl Xml {
    fn indent(&mut self) {
        self.text += &"  ".repeat(self.open.len());
    }

    /// An element without children.
    pub fn leaf(&mut self, name: &str, attributes: Attributes) {
        self.indent();
        self.text += &format!("<{name}{}/>\n", attributes.0);
    }

    /// Opens an element.
    pub fn open(&mut self, name: &str, attributes: Attributes) {
        self.indent();
        self.text += &format!("<{name}{}>\n", attributes.0);
        self.open.push(name.into());
    }

    /// Closes the innermost element.
    pub fn close(&mut self) {
        let name = self.open.pop().unwrap_or_default();
        self.indent();
        self.text += &format!("</{name}>\n");
    }

    /// The finished text.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// No attributes yet.
pub fn a() -> Attributes {
    Attributes::default()
}
