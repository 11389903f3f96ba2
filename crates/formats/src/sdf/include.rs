//! `include`: the model of another file takes the element's place, with the overrides it carries.

use super::value::VERSION;
use crate::error::{FormatError, Read};
use crate::files::{Files, extension, folder, join};
use crate::package::Finder;
use crate::report::Report;
use crate::text::decode;
use crate::xml::{self, Node};

/// Most include elements in one model.
const MAX_INCLUDES: usize = 10_000;
/// Most elements that all includes together bring.
const MAX_ELEMENTS: usize = 4_000_000;

/// State of the expansion.
pub struct Includes<'a> {
    files: &'a dyn Files,
    package_paths: &'a [String],
    open: Vec<String>,
    count: usize,
    elements: usize,
}

impl<'a> Includes<'a> {
    /// Starts with the model's own file.
    pub fn new(files: &'a dyn Files, file: &str, package_paths: &'a [String]) -> Self {
        Self { files, package_paths, open: vec![files.canonical(file)], count: 0, elements: 0 }
    }

    /// Replaces every include below the root and notes each model's version.
    pub fn expand(&mut self, root: &mut Node, report: &mut Report) -> Read<()> {
        let version = root.attr("version").unwrap_or("").to_string();
        let older = super::value::version(&version);
        if root.attr("version").is_none() {
            report.warn(root, "sdf version", "it has no version; it is read as the latest one, 1.12")?;
        } else if older < (1, 4) || older.0 > 1 {
            let message = format!("version {version} is read as if it were 1.4 to 1.12; check the result");
            report.warn(root, "sdf version", message)?;
        }
        self.below(root, &version, 0, report)
    }

    fn below(&mut self, node: &mut Node, version: &str, depth: usize, report: &mut Report) -> Read<()> {
        if depth > xml::MAX_DEPTH {
            return Err(node.error("models and includes are nested too deep; flatten the files"));
        }
        let mut children = Vec::with_capacity(node.children.len());
        for mut child in std::mem::take(&mut node.children) {
            match child.name.as_str() {
                "include" => {
                    let merge = child.flag("merge")?.unwrap_or(false);
                    if let Some(model) = self.load(&child, depth, report)? {
                        if merge && node.name == "model" {
                            children.extend(merged(&child, model, self.count)?);
                        } else {
                            children.push(model);
                        }
                    }
                }
                "world" | "model" => {
                    if child.name == "model" {
                        child.attributes.push((VERSION.into(), version.into()));
                    }
                    self.below(&mut child, version, depth + 1, report)?;
                    children.push(child);
                }
                _ => children.push(child),
            }
        }
        node.children = children;
        Ok(())
    }

    /// The model that an include names, with its overrides; `None` for what is not a model.
    fn load(&mut self, include: &Node, depth: usize, report: &mut Report) -> Read<Option<Node>> {
        self.count += 1;
        if self.count > MAX_INCLUDES || self.open.len() > 64 {
            return Err(include.error("too many includes, or nested too deep; put the files together"));
        }
        let uri = include.child_text("uri").filter(|u| !u.is_empty());
        let uri = uri.ok_or_else(|| include.error("it needs a uri element that names a model"))?;
        let finder =
            Finder { files: self.files, model_dir: folder(&include.file), package_paths: self.package_paths };
        let found = finder.find(uri).map_err(|reason| include.error(reason))?;
        let path = self.model_file(&found);
        let canonical = self.files.canonical(&path);
        if self.open.contains(&canonical) {
            return Err(include.error(format!("{uri} includes itself; break the circle")));
        }
        let bytes = self.files.read(&path).map_err(|reason| {
            include.error(format!(
                "{path} {reason}; correct the uri or give the folder of the model in package_paths"
            ))
        })?;
        let text = decode(bytes).map_err(|reason| FormatError::File { path: path.clone(), reason })?;
        let mut root = xml::parse(&text, &path)?;
        if root.name != "sdf" {
            let message = format!("the root element is {}; only SDFormat files can be included", root.name);
            return Err(root.error(message));
        }
        self.elements += root.count();
        if self.elements > MAX_ELEMENTS {
            return Err(include.error("the includes bring too many elements; split the model"));
        }
        self.open.push(canonical);
        let version = root.attr("version").unwrap_or("").to_string();
        self.below(&mut root, &version, depth, report)?;
        self.open.pop();
        let Some(at) = root.children.iter().position(|c| c.name == "model") else {
            report.warn(
                include,
                &format!("include {uri}"),
                format!("{uri} holds no model; nothing is included"),
            )?;
            return Ok(None);
        };
        let mut model = root.children.swap_remove(at);
        overrides(include, &mut model)?;
        Ok(Some(model))
    }

    /// The SDFormat file of a model's folder, or the path itself.
    fn model_file(&self, path: &str) -> String {
        if matches!(extension(path).as_str(), "sdf" | "world" | "xml") {
            return path.to_string();
        }
        let config = join(path, "model.config");
        let listed = self
            .files
            .read(&config)
            .ok()
            .and_then(|bytes| decode(bytes).ok())
            .and_then(|text| xml::parse(&text, &config).ok())
            .and_then(|root| {
                let newest = root
                    .children_named("sdf")
                    .max_by_key(|n| super::value::version(n.attr("version").unwrap_or("1.0")));
                newest.map(|n| n.text.clone())
            });
        join(path, listed.as_deref().filter(|name| !name.is_empty()).unwrap_or("model.sdf"))
    }
}

/// Name, pose, placement, static and extra elements of an include win over the model's own.
fn overrides(include: &Node, model: &mut Node) -> Read<()> {
    let set = |model: &mut Node, name: &str, value: &str| {
        model.attributes.retain(|(n, _)| n != name);
        model.attributes.push((name.into(), value.into()));
    };
    let placement = include.child_text("placement_frame").or(include.attr("placement_frame"));
    for child in &include.children {
        match child.name.as_str() {
            "name" => set(model, "name", &child.text),
            "pose" => {
                model.children.retain(|c| c.name != "pose");
                model.children.push(child.clone());
                if placement.is_none() {
                    model.attributes.retain(|(n, _)| n != "placement_frame");
                }
            }
            "static" => {
                model.children.retain(|c| c.name != "static");
                model.children.push(child.clone());
            }
            "uri" | "placement_frame" => {}
            _ => model.children.push(child.clone()),
        }
    }
    if let Some(placement) = placement {
        if include.child("pose").is_none() {
            return Err(include.error("placement_frame needs a pose beside it; add one"));
        }
        set(model, "placement_frame", placement);
    }
    Ok(())
}

/// The children of a merged model for its new parent. The frame of the model lives on under a name of
/// its own, to which its parts refer.
fn merged(include: &Node, model: Node, number: usize) -> Read<Vec<Node>> {
    let name = model.attr("name").unwrap_or("model").to_string();
    let proxy = format!("_merged__{name}_{number}__model__");
    let canonical = model
        .attr("canonical_link")
        .map(String::from)
        .or_else(|| model.child("link").and_then(|l| l.attr("name").map(String::from)))
        .ok_or_else(|| include.error("a merged model needs a link of its own; include it without merge"))?;
    if model.attr("placement_frame").is_some() {
        return Err(include.error("placement_frame with merge is not read; give the pose of the model frame"));
    }
    let plain = |name: &str, attributes: Vec<(String, String)>, children: Vec<Node>| Node {
        name: name.into(),
        attributes,
        children,
        text: String::new(),
        file: include.file.clone(),
        line: include.line,
    };
    let mut pose = model.child("pose").cloned().unwrap_or_else(|| plain("pose", Vec::new(), Vec::new()));
    if super::value::relative_to(Some(&pose)).is_none() {
        pose.attributes.push(("relative_to".into(), "__model__".into()));
    }
    let frame = vec![("name".to_string(), proxy.clone()), ("attached_to".to_string(), canonical)];
    let mut children = vec![plain("frame", frame, vec![pose])];
    for mut child in model.children {
        match child.name.as_str() {
            "pose" | "static" => continue,
            "link" | "model" => relative(&mut child, &proxy),
            "frame" => {
                let attached = child.attr("attached_to").is_some_and(|a| !a.is_empty());
                if attached {
                    child.children.iter_mut().for_each(|c| rename(c, &proxy));
                } else {
                    child.attributes.push(("attached_to".into(), proxy.clone()));
                }
            }
            "joint" => {
                for end in child.children.iter_mut() {
                    rename(end, &proxy);
                }
            }
            _ => {}
        }
        children.push(child);
    }
    Ok(children)
}

/// Makes a pose that says nothing else relative to `proxy`.
fn relative(node: &mut Node, proxy: &str) {
    if node.child("pose").is_none() {
        let pose = Node {
            name: "pose".into(),
            attributes: Vec::new(),
            children: Vec::new(),
            text: String::new(),
            file: node.file.clone(),
            line: node.line,
        };
        node.children.push(pose);
    }
    for pose in node.children.iter_mut().filter(|c| c.name == "pose") {
        rename(pose, proxy);
        if super::value::relative_to(Some(pose)).is_none() {
            pose.attributes.push(("relative_to".into(), proxy.into()));
        }
    }
}

/// Replaces `__model__` in what refers to frames.
fn rename(node: &mut Node, proxy: &str) {
    for (name, value) in &mut node.attributes {
        if matches!(name.as_str(), "relative_to" | "attached_to" | "expressed_in") && value == "__model__" {
            *value = proxy.into();
        }
    }
    if node.text == "__model__" {
        node.text = proxy.into();
    }
    node.children.iter_mut().for_each(|c| rename(c, proxy));
}
