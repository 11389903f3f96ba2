//! Default classes: attributes an element takes over from its class and the classes around it.

use crate::error::Read;
use crate::xml::Node;
use std::collections::BTreeMap;

/// The name of the outermost class.
pub const MAIN: &str = "main";

/// All default classes of a model.
#[derive(Debug, Default)]
pub struct Defaults<'a> {
    classes: BTreeMap<&'a str, Class<'a>>,
}

#[derive(Debug, Default)]
struct Class<'a> {
    parent: Option<&'a str>,
    elements: Vec<&'a Node>,
}

impl<'a> Defaults<'a> {
    /// Gathers the classes of every `default` section of the document.
    pub fn read(root: &'a Node) -> Read<Self> {
        let mut defaults = Self::default();
        defaults.classes.insert(MAIN, Class::default());
        for section in root.children_named("default") {
            if section.attr("class").is_some_and(|name| name != MAIN) {
                return Err(section.error(
                    "the outermost default is called main; put its content into a default inside it",
                ));
            }
            defaults.add(section, MAIN)?;
        }
        Ok(defaults)
    }

    fn add(&mut self, node: &'a Node, name: &'a str) -> Read<()> {
        for child in &node.children {
            if child.name == "default" {
                let inner = child.attr("class").ok_or_else(|| {
                    child.error("a default inside another one needs a class=\"…\"; name it")
                })?;
                let class = Class { parent: Some(name), elements: Vec::new() };
                if self.classes.insert(inner, class).is_some() {
                    return Err(
                        child.error(format!("the default class \"{inner}\" exists twice; rename one"))
                    );
                }
                self.add(child, inner)?;
            } else if let Some(class) = self.classes.get_mut(name) {
                class.elements.push(child);
            }
        }
        Ok(())
    }

    /// Elements of the class and of those around it, class by class, outermost first. `class` must exist.
    pub fn classes(&self, class: &str) -> Vec<&[&'a Node]> {
        let mut elements = Vec::new();
        let mut next = self.classes.get(class);
        while let Some(class) = next {
            elements.push(class.elements.as_slice());
            next = class.parent.and_then(|p| self.classes.get(p));
        }
        elements.reverse();
        elements
    }

    /// The class an element belongs to: its own, or the one in scope.
    pub fn class_of<'b>(&self, node: &'b Node, attribute: &str, scope: &'b str) -> Read<&'b str> {
        let Some(name) = node.attr(attribute) else { return Ok(scope) };
        if self.classes.contains_key(name) {
            Ok(name)
        } else {
            Err(node.error(format!("{attribute} \"{name}\" is not a default class; define it in default")))
        }
    }

    /// An element with its defaults: those listed under the name `element` in its class.
    pub fn apply(&self, node: &'a Node, element: &str, scope: &str) -> Read<Attrs<'a>> {
        let class = self.class_of(node, "class", scope)?;
        let mut layers: Vec<&Node> = self.classes(class).concat();
        layers.retain(|n| n.name == element);
        layers.push(node);
        Ok(Attrs { layers })
    }
}

/// An element's attributes on top of its defaults.
#[derive(Clone, Debug)]
pub struct Attrs<'a> {
    layers: Vec<&'a Node>,
}

impl<'a> Attrs<'a> {
    /// An element without defaults.
    pub fn plain(node: &'a Node) -> Self {
        Self { layers: vec![node] }
    }

    /// The element itself.
    pub fn node(&self) -> &'a Node {
        self.layers[self.layers.len() - 1]
    }

    /// The element that has the last say on any of these attributes.
    pub fn holder(&self, names: &[&str]) -> Option<&'a Node> {
        self.layers.iter().rev().copied().find(|n| names.iter().any(|name| n.attr(name).is_some()))
    }

    /// An attribute's text.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.holder(&[name]).and_then(|n| n.attr(name))
    }

    /// Writes the attribute of every layer over the start of `into`; the most numbers any gave.
    pub fn overlay(&self, name: &str, into: &mut [f64]) -> Read<usize> {
        let mut most = 0;
        for layer in &self.layers {
            most = most.max(layer.overlay(name, into)?);
        }
        Ok(most)
    }

    /// Exactly `N` numbers.
    pub fn array<const N: usize>(&self, name: &str) -> Read<Option<[f64; N]>> {
        self.holder(&[name]).map_or(Ok(None), |n| n.array(name))
    }

    /// One number.
    pub fn number(&self, name: &str) -> Read<Option<f64>> {
        self.holder(&[name]).map_or(Ok(None), |n| n.number(name))
    }

    /// One whole number that fits `i32`.
    pub fn integer(&self, name: &str) -> Read<Option<i32>> {
        let Some(node) = self.holder(&[name]) else { return Ok(None) };
        let Some(value) = node.integer(name)? else { return Ok(None) };
        i32::try_from(value)
            .map(Some)
            .map_err(|_| node.error(format!("{name} is {value}, which is too large")))
    }

    /// `true` or `false`.
    pub fn flag(&self, name: &str) -> Read<Option<bool>> {
        self.holder(&[name]).map_or(Ok(None), |n| n.flag(name))
    }

    /// `true`, `false` or (`None`) `auto`.
    pub fn tristate(&self, name: &str) -> Read<Option<bool>> {
        match self.text(name) {
            None | Some("auto") => Ok(None),
            Some(_) => self.flag(name),
        }
    }
}
