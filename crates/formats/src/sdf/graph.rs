//! Names and poses: the graph of frames of models, links, joints and frames.
//!
//! A pose may be `relative_to` any frame of its scope and below; following those names gives every
//! frame's pose in the world. A frame is `attached_to` another one; following those gives the link
//! that carries it. A circle in either is an error.

use super::value::{VERSION, pose, relative_to, version};
use crate::error::Read;
use crate::report::Report;
use crate::xml::Node;
use std::collections::BTreeMap;
use stiction_model::Pose;

/// Index of the world's frame.
pub const WORLD: usize = 0;

/// The owner of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    World,
    /// A model; the number of its scope.
    Model(usize),
    /// A link; its number among the links.
    Link(usize),
    /// A joint; its number among the joints.
    Joint(usize),
    Frame,
}

/// A frame with the element that makes it.
pub struct Frame<'a> {
    pub node: &'a Node,
    pub kind: Kind,
    /// Scope in which the names it uses are looked up.
    pub scope: usize,
    /// Pose as the file gives it.
    given: Pose,
    /// The frame it is given in.
    relative: usize,
    /// Pose in the world.
    pub x_wf: Pose,
    /// Number of the link that carries it; `None` for the world.
    pub link: Option<usize>,
}

/// A model, or the world.
pub struct Scope<'a> {
    pub node: &'a Node,
    /// Prefix of the names of its parts, with the `::`.
    pub prefix: String,
    /// Whether its links are fixed to the world.
    pub fixed: bool,
    /// Version of its file.
    pub version: (u32, u32),
    /// Frame of the model.
    pub frame: usize,
    names: BTreeMap<&'a str, usize>,
}

/// A link or joint: its element, scope and frame.
#[derive(Clone, Copy)]
pub struct Element<'a> {
    pub node: &'a Node,
    pub scope: usize,
    pub frame: usize,
}

/// All frames of a document.
pub struct Graph<'a> {
    pub frames: Vec<Frame<'a>>,
    pub scopes: Vec<Scope<'a>>,
    pub links: Vec<Element<'a>>,
    pub joints: Vec<Element<'a>>,
}

impl<'a> Graph<'a> {
    /// Reads the frames of the first world, or of all models beside each other.
    pub fn read(root: &'a Node, report: &mut Report) -> Read<Self> {
        let mut worlds = root.children_named("world");
        let (top, single) = match worlds.next() {
            Some(world) => {
                if let Some(second) = worlds.next() {
                    return Err(second.error("there are several worlds in this file; keep one"));
                }
                (world, false)
            }
            None => (root, root.children_named("model").count() == 1),
        };
        let mut graph =
            Self { frames: Vec::new(), scopes: Vec::new(), links: Vec::new(), joints: Vec::new() };
        graph.frames.push(Frame {
            node: top,
            kind: Kind::World,
            scope: 0,
            given: Pose::identity(),
            relative: WORLD,
            x_wf: Pose::identity(),
            link: None,
        });
        graph.scopes.push(Scope {
            node: top,
            prefix: String::new(),
            fixed: false,
            version: version(root.attr("version").unwrap_or("")),
            frame: WORLD,
            names: BTreeMap::from([("world", WORLD)]),
        });
        graph.parts(top, 0, single, report)?;
        graph.poses()?;
        graph.carriers()?;
        Ok(graph)
    }

    /// Adds the parts of a model or world; `plain` models do not put their name before those of their parts.
    fn parts(&mut self, node: &'a Node, scope: usize, plain: bool, report: &mut Report) -> Read<()> {
        for child in &node.children {
            let kind = match child.name.as_str() {
                "model" => Kind::Model(self.scopes.len()),
                "link" => Kind::Link(self.links.len()),
                "joint" | "drake:joint" => Kind::Joint(self.joints.len()),
                "frame" => Kind::Frame,
                _ => continue,
            };
            let name = child.required("name")?;
            if name == "world" && child.name == "link" && self.scopes[scope].version < (1, 7) {
                // Older files have a link that stands for the world.
                let message = "a link called \"world\" is the world itself; nothing else of it is read";
                report.warn(child, "link world", message)?;
                continue;
            }
            if name.is_empty() || name == "world" || (name.starts_with("__") && name.ends_with("__")) {
                return Err(child.error(format!("the name \"{name}\" is reserved; choose another one")));
            }
            let frame = self.frames.len();
            let mut twin = String::new();
            if let Some(&other) = self.scopes[scope].names.get(name) {
                let other = self.frames[other].node;
                if scope == 0 && child.name == "model" && other.name == "model" {
                    twin = format!("_{}", self.scopes.len());
                    let message =
                        format!("there are several models called \"{name}\"; the later ones get numbers");
                    report.warn(child, &format!("twin {name}"), message)?;
                } else {
                    return Err(child.error(format!(
                        "there is already a {} called \"{name}\" in line {}; rename one",
                        other.name, other.line
                    )));
                }
            } else {
                self.scopes[scope].names.insert(name, frame);
            }
            self.frames.push(Frame {
                node: child,
                kind,
                scope,
                given: pose(child.child("pose"))?,
                relative: WORLD,
                x_wf: Pose::identity(),
                link: None,
            });
            match kind {
                Kind::Link(_) => self.links.push(Element { node: child, scope, frame }),
                Kind::Joint(_) => self.joints.push(Element { node: child, scope, frame }),
                Kind::Model(inner) => {
                    let outer = &self.scopes[scope];
                    let prefix =
                        if plain { String::new() } else { format!("{}{name}{twin}::", outer.prefix) };
                    let fixed = outer.fixed || child.child_flag("static")?.unwrap_or(false);
                    let version = version(child.attr(VERSION).unwrap_or(""));
                    self.scopes.push(Scope {
                        node: child,
                        prefix,
                        fixed,
                        version,
                        frame,
                        names: BTreeMap::new(),
                    });
                    self.parts(child, inner, false, report)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The frame that `name` means in a scope; `node` is the element that says it.
    pub fn lookup(&self, scope: usize, name: &str, node: &Node) -> Read<usize> {
        let (mut at, mut rest) = (scope, name);
        loop {
            let here = &self.scopes[at];
            match rest {
                "__model__" if at != 0 => return Ok(here.frame),
                "world" if at == scope => return Ok(WORLD),
                _ => {}
            }
            if let Some(frame) = here.names.get(rest) {
                return Ok(*frame);
            }
            let inner = rest.split_once("::").and_then(|(first, inside)| {
                let frame = here.names.get(first)?;
                match self.frames[*frame].kind {
                    Kind::Model(inner) => Some((inner, inside)),
                    _ => None,
                }
            });
            match inner {
                Some((inner, inside)) => (at, rest) = (inner, inside),
                None => {
                    let where_ = match self.scopes[scope].node.attr("name") {
                        Some(model) => format!("{} \"{model}\"", self.scopes[scope].node.name),
                        None => "the file".into(),
                    };
                    return Err(node.error(format!(
                        "there is no link, joint, frame or model \"{name}\" in {where_}; add it or correct the name"
                    )));
                }
            }
        }
    }

    /// Follows `relative_to` from every frame to the world.
    fn poses(&mut self) -> Read<()> {
        for f in 1..self.frames.len() {
            let frame = &self.frames[f];
            let (node, scope) = (frame.node, frame.scope);
            let wanted = relative_to(node.child("pose"));
            let relative = match (wanted, frame.kind) {
                (Some(name), _) => self.lookup(scope, name, node)?,
                (None, Kind::Joint(_)) => self.end(node, scope, "child")?,
                (None, Kind::Frame) => match node.attr("attached_to").filter(|a| !a.is_empty()) {
                    Some(name) => self.lookup(scope, name, node)?,
                    None => self.scopes[scope].frame,
                },
                (None, _) => self.scopes[scope].frame,
            };
            self.frames[f].relative = relative;
        }
        // Inner models first: their placement frames say where their own frame lies.
        for s in (1..self.scopes.len()).rev() {
            let scope = &self.scopes[s];
            let Some(name) = scope.node.attr("placement_frame").filter(|n| !n.is_empty()) else { continue };
            let (node, model) = (scope.node, scope.frame);
            let mut at = self.lookup(s, name, node)?;
            let mut x_mp = Pose::identity();
            let mut steps = 0;
            while at != model {
                steps += 1;
                if at == WORLD || steps > self.frames.len() {
                    return Err(node.error(format!(
                        "placement_frame \"{name}\" does not lead back to the model by relative_to; give its pose in the model"
                    )));
                }
                x_mp = self.frames[at].given * x_mp;
                at = self.frames[at].relative;
            }
            self.frames[model].given *= x_mp.inverse();
        }
        let relative: Vec<usize> = self.frames.iter().map(|f| f.relative).collect();
        for f in self.ordered(&relative, "relative_to")? {
            let frame = &self.frames[f];
            self.frames[f].x_wf = self.frames[frame.relative].x_wf * frame.given;
        }
        Ok(())
    }

    /// Frames in an order in which each comes after the one that `next` gives for it, up to the world.
    fn ordered(&self, next: &[usize], what: &str) -> Read<Vec<usize>> {
        let mut order = Vec::with_capacity(next.len());
        // 0 unseen, 1 on the way, 2 done.
        let mut state = vec![0u8; next.len()];
        state[WORLD] = 2;
        let mut path = Vec::new();
        for start in 1..next.len() {
            let mut at = start;
            while state[at] == 0 {
                state[at] = 1;
                path.push(at);
                at = next[at];
            }
            if state[at] == 1 {
                return Err(self.frames[at]
                    .node
                    .error(format!("{what} leads back to itself; break the circle")));
            }
            while let Some(done) = path.pop() {
                state[done] = 2;
                order.push(done);
            }
        }
        Ok(order)
    }

    /// Follows `attached_to` from every frame to the link that carries it.
    fn carriers(&mut self) -> Read<()> {
        let mut next = vec![WORLD; self.frames.len()];
        for f in 1..self.frames.len() {
            let (node, scope) = (self.frames[f].node, self.frames[f].scope);
            next[f] = match self.frames[f].kind {
                Kind::World | Kind::Link(_) => WORLD,
                Kind::Joint(_) => self.end(node, scope, "child")?,
                Kind::Frame => match node.attr("attached_to").filter(|a| !a.is_empty()) {
                    Some(name) => self.lookup(scope, name, node)?,
                    None => self.scopes[scope].frame,
                },
                Kind::Model(inner) => self.canonical(inner)?,
            };
        }
        for f in self.ordered(&next, "attached_to")? {
            self.frames[f].link = match self.frames[f].kind {
                Kind::Link(link) => Some(link),
                _ => self.frames[next[f]].link,
            };
        }
        Ok(())
    }

    /// The frame that carries a model's own frame: its canonical link, or its first link, or its first model.
    fn canonical(&self, scope: usize) -> Read<usize> {
        let node = self.scopes[scope].node;
        if let Some(name) = node.attr("canonical_link").filter(|n| !n.is_empty()) {
            return self.lookup(scope, name, node);
        }
        let first = ["link", "model"].iter().find_map(|kind| node.child(kind)?.attr("name"));
        match first {
            Some(name) => self.lookup(scope, name, node),
            // A model without links, or of frames alone, stands in the world.
            None => Ok(WORLD),
        }
    }

    /// The frame of a joint's `parent` or `child`.
    pub fn end(&self, joint: &Node, scope: usize, which: &str) -> Read<usize> {
        let child = joint
            .child(which)
            .or_else(|| joint.child(&format!("drake:{which}")))
            .ok_or_else(|| joint.error(format!("it needs a {which} element that names a link or frame")))?;
        self.lookup(scope, &child.text, child)
    }

    /// The name of a link or joint in the whole world.
    pub fn name(&self, part: &Element) -> String {
        format!("{}{}", self.scopes[part.scope].prefix, part.node.attr("name").unwrap_or(""))
    }

    /// Body and pose in it of a frame that a link carries, given the body of each link.
    pub fn place(&self, body_of: &[usize], link: Option<usize>, x_wf: &Pose) -> (usize, Pose) {
        match link {
            None => (0, *x_wf),
            Some(link) => (body_of[link], self.frames[self.links[link].frame].x_wf.inverse() * x_wf),
        }
    }
}
