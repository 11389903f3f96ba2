//! COLLADA (.dae): the triangles of its visual scene, in metres.
//!
//! Nodes place geometries by matrices, translations, rotations and scales; `unit` scales to metres.
//! `up_axis` is not applied: those who write robots' meshes mean the numbers as they stand, and the
//! other readers of such files (rviz and its kin) leave it out too.

use super::{MAX_INSTANCED, obj::used};
use crate::xml::{self, Node};
use nalgebra::{Matrix4, Point3, Unit, Vector3};
use std::collections::BTreeMap;
use stiction_model::{Mesh, Vec3};

/// Deepest nesting of nodes, instances included.
const MAX_DEPTH: usize = 64;

struct Reader<'a> {
    geometries: BTreeMap<&'a str, &'a Node>,
    nodes: BTreeMap<&'a str, &'a Node>,
    part: Option<&'a str>,
    mesh: Mesh,
    steps: usize,
    /// Numbers read so far, each time a geometry is placed.
    work: usize,
}

/// Reads all geometry of the scene, or the node or geometry called `part`.
pub fn read(bytes: &[u8], part: Option<&str>) -> Result<Mesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let root = xml::parse(&text, "file").map_err(|e| e.to_string())?;
    if root.name != "COLLADA" {
        return Err(format!("the root element is {}, but COLLADA was expected", root.name));
    }
    let unit = root.child("asset").and_then(|a| a.child("unit")).and_then(|u| u.attr("meter"));
    let unit: f64 = match unit {
        None => 1.0,
        Some(word) => word.trim().parse().map_err(|_| format!("unit: \"{word}\" is not a number"))?,
    };
    if !(unit > 0.0 && unit.is_finite()) {
        return Err(format!("unit meter is {unit}; it must be positive"));
    }
    let mut reader = Reader {
        geometries: BTreeMap::new(),
        nodes: BTreeMap::new(),
        part,
        mesh: Mesh::default(),
        steps: 0,
        work: 0,
    };
    for library in root.children_named("library_geometries") {
        for geometry in library.children_named("geometry") {
            if let Some(id) = geometry.attr("id") {
                reader.geometries.insert(id, geometry);
            }
        }
    }
    for library in
        root.children.iter().filter(|c| c.name == "library_nodes" || c.name == "library_visual_scenes")
    {
        collect(library, &mut reader.nodes);
    }
    let place = Matrix4::new_scaling(unit);
    let wanted =
        root.child("scene").and_then(|s| s.child("instance_visual_scene")).and_then(|s| s.attr("url"));
    let scenes = root.children_named("library_visual_scenes").flat_map(|l| l.children_named("visual_scene"));
    let scene = scenes.into_iter().find(|s| wanted.is_none_or(|w| s.attr("id") == w.strip_prefix('#')));
    match scene {
        Some(scene) => {
            for node in scene.children_named("node") {
                reader.node(node, &place, part.is_none(), 0)?;
            }
        }
        // A file of geometry alone: everything at the origin.
        None => {
            for geometry in reader.geometries.values().copied().collect::<Vec<_>>() {
                reader.geometry(geometry, &place)?;
            }
        }
    }
    if reader.mesh.triangles.is_empty() {
        return Err(match part {
            Some(part) => format!("there is no node or geometry \"{part}\" with triangles; correct the name"),
            None => "its scene has no triangles".into(),
        });
    }
    Ok(used(reader.mesh))
}

fn collect<'a>(node: &'a Node, into: &mut BTreeMap<&'a str, &'a Node>) {
    for child in &node.children {
        if child.name == "node"
            && let Some(id) = child.attr("id")
        {
            into.insert(id, child);
        }
        collect(child, into);
    }
}

fn numbers(node: &Node) -> Result<Vec<f64>, String> {
    let parse =
        |w: &str| w.parse::<f64>().map_err(|_| format!("line {}: \"{w}\" is not a number", node.line));
    node.text.split_ascii_whitespace().map(parse).collect()
}

fn fixed<const N: usize>(node: &Node) -> Result<[f64; N], String> {
    let values = numbers(node)?;
    let have = values.len();
    <[f64; N]>::try_from(values)
        .map_err(|_| format!("line {}: {} has {have} numbers, it needs {N}", node.line, node.name))
}

impl<'a> Reader<'a> {
    fn node(
        &mut self,
        node: &'a Node,
        outer: &Matrix4<f64>,
        taken: bool,
        depth: usize,
    ) -> Result<(), String> {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > 1_000_000 {
            return Err(format!("line {}: nodes are nested too deep or refer to themselves", node.line));
        }
        let named =
            |n: &Node| self.part.is_some_and(|p| n.attr("name") == Some(p) || n.attr("id") == Some(p));
        let taken = taken || named(node);
        let mut x = *outer;
        for child in &node.children {
            match child.name.as_str() {
                "matrix" => x *= Matrix4::from_row_slice(&fixed::<16>(child)?),
                "translate" => x *= Matrix4::new_translation(&Vector3::from(fixed::<3>(child)?)),
                "scale" => x *= Matrix4::new_nonuniform_scaling(&Vector3::from(fixed::<3>(child)?)),
                "rotate" => {
                    let [ax, ay, az, degrees] = fixed::<4>(child)?;
                    if let Some(axis) = Unit::try_new(Vector3::new(ax, ay, az), 1e-12) {
                        x *= Matrix4::from_axis_angle(&axis, degrees.to_radians());
                    }
                }
                _ => {}
            }
        }
        for child in &node.children {
            let url = child.attr("url").and_then(|u| u.strip_prefix('#'));
            match child.name.as_str() {
                "node" => self.node(child, &x, taken, depth + 1)?,
                "instance_node" => {
                    if let Some(other) = url.and_then(|u| self.nodes.get(u)).copied() {
                        self.node(other, &x, taken, depth + 1)?;
                    }
                }
                "instance_geometry" => {
                    let geometry = url.and_then(|u| self.geometries.get(u)).copied();
                    let geometry = geometry.ok_or_else(|| {
                        format!("line {}: the geometry it refers to does not exist", child.line)
                    })?;
                    let named = |n: &Node| {
                        self.part.is_some_and(|p| n.attr("name") == Some(p) || n.attr("id") == Some(p))
                    };
                    if taken || named(geometry) {
                        self.geometry(geometry, &x)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: &'a Node, x: &Matrix4<f64>) -> Result<(), String> {
        let Some(mesh) = geometry.child("mesh") else { return Ok(()) };
        for primitive in &mesh.children {
            let name = primitive.name.as_str();
            if !matches!(name, "triangles" | "polylist" | "polygons" | "tristrips" | "trifans") {
                continue;
            }
            let inputs: Vec<&Node> = primitive.children_named("input").collect();
            let offset =
                |n: &Node| n.attr("offset").and_then(|o| o.trim().parse::<usize>().ok()).unwrap_or(0);
            let stride = inputs.iter().map(|n| offset(n)).max().map_or(1, |m| m.saturating_add(1));
            let at = |what: &str| format!("line {}: {what}", primitive.line);
            if stride > 64 {
                return Err(at("an input has an offset beyond 63"));
            }
            let Some(vertex) = inputs.iter().find(|n| n.attr("semantic") == Some("VERTEX")) else { continue };
            let base = self.positions(mesh, vertex, x)?;
            let count = self.mesh.vertices.len() as u64 - base;
            let corners = |p: &Node| -> Result<Vec<u32>, String> {
                let mut list = Vec::new();
                for (k, word) in p.text.split_ascii_whitespace().enumerate() {
                    if k % stride != offset(vertex) {
                        continue;
                    }
                    let index: u64 = word.parse().map_err(|_| at("an index is not a whole number"))?;
                    if index >= count {
                        return Err(at("an index is beyond the last vertex"));
                    }
                    list.push((base + index) as u32);
                }
                Ok(list)
            };
            let mirrored = x.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
            let mut fan = |c: &[u32]| {
                for k in 1..c.len().saturating_sub(1) {
                    let (second, third) = if mirrored { (c[k + 1], c[k]) } else { (c[k], c[k + 1]) };
                    self.mesh.triangles.push([c[0], second, third]);
                }
            };
            for p in primitive.children_named("p") {
                let c = corners(p)?;
                match name {
                    "triangles" => c.chunks_exact(3).for_each(&mut fan),
                    "polygons" | "trifans" => fan(&c),
                    "tristrips" => {
                        for k in 2..c.len() {
                            let (i, j) = if k % 2 == 0 { (k - 2, k - 1) } else { (k - 1, k - 2) };
                            fan(&[c[i], c[j], c[k]]);
                        }
                    }
                    _ => {
                        let sizes = primitive.child("vcount").map(|n| n.text.as_str()).unwrap_or("");
                        let mut start = 0usize;
                        for word in sizes.split_ascii_whitespace() {
                            let n: usize = word.parse().map_err(|_| at("a vcount is not a whole number"))?;
                            let end = start.saturating_add(n);
                            fan(c
                                .get(start..end)
                                .ok_or_else(|| at("vcount asks for more corners than there are"))?);
                            start = end;
                        }
                    }
                }
            }
            self.work += primitive.children_named("p").map(|p| p.text.len() / 2).sum::<usize>();
            if self.mesh.triangles.len() > MAX_INSTANCED || self.work > 3 * MAX_INSTANCED {
                return Err("the mesh is too large, or placed too often".into());
            }
        }
        Ok(())
    }

    /// Adds the positions that a VERTEX input refers to; the index of the first.
    fn positions(&mut self, mesh: &Node, input: &Node, x: &Matrix4<f64>) -> Result<u64, String> {
        let at = |what: &str| format!("line {}: {what}", input.line);
        let by_id = |name: &str, url: Option<&str>| -> Option<&Node> {
            let id = url?.strip_prefix('#')?;
            mesh.children.iter().find(|c| c.name == name && c.attr("id") == Some(id))
        };
        let vertices =
            by_id("vertices", input.attr("source")).ok_or_else(|| at("its vertices do not exist"))?;
        let position = vertices
            .children_named("input")
            .find(|n| n.attr("semantic") == Some("POSITION"))
            .ok_or_else(|| at("its vertices have no positions"))?;
        let source =
            by_id("source", position.attr("source")).ok_or_else(|| at("its positions do not exist"))?;
        let array = source.child("float_array").ok_or_else(|| at("its positions have no float_array"))?;
        let values = numbers(array)?;
        let accessor = source.child("technique_common").and_then(|t| t.child("accessor"));
        let whole = |name: &str, default: usize| {
            accessor
                .and_then(|a| a.attr(name))
                .and_then(|w| w.trim().parse::<usize>().ok())
                .unwrap_or(default)
        };
        let (stride, offset) = (whole("stride", 3).max(3), whole("offset", 0));
        self.work += values.len();
        if self.work > 3 * MAX_INSTANCED {
            return Err("the mesh is too large, or placed too often".into());
        }
        let first = self.mesh.vertices.len() as u64;
        for p in values.get(offset..).unwrap_or(&[]).chunks_exact(stride) {
            let p = x.transform_point(&Point3::new(p[0], p[1], p[2]));
            self.mesh.vertices.push(Vec3::new(p.x, p.y, p.z));
        }
        Ok(first)
    }
}
