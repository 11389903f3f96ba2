//! Mesh files that geoms of URDF and SDFormat name: each is read once, a missing picture is left out.

use crate::error::Read;
use crate::files::{extension, folder, join};
use crate::mesh;
use crate::package::Finder;
use crate::report::Report;
use crate::xml::Node;
use std::collections::BTreeMap;
use stiction_model::{GeomRole, Shape, Vec3, World};

/// A geom's request for a mesh.
pub struct Wish<'a> {
    /// The element that names the file.
    pub node: &'a Node,
    /// Address of the file.
    pub uri: &'a str,
    /// Part of the file (an object or group of it), and whether to move it to its own centre.
    pub part: Option<(&'a str, bool)>,
    /// Factors along the axes.
    pub scale: Vec3,
    /// Role of the geom.
    pub role: GeomRole,
    /// Whether the file says that the mesh is convex.
    pub declared_convex: bool,
}

/// Meshes by file, part and scale; `None` for those that could not be had.
#[derive(Debug, Default)]
pub struct MeshAssets {
    found: BTreeMap<String, Option<Loaded>>,
}

/// A mesh that has been read.
#[derive(Clone, Copy, Debug)]
struct Loaded {
    index: usize,
    convex: bool,
    color: Option<[f32; 4]>,
}

/// A mesh as a shape, and the colour its file gives it.
pub type ColoredShape = (Shape, Option<[f32; 4]>);

impl MeshAssets {
    /// The shape of a mesh; `None` if it could not be had, which has been reported.
    pub fn shape(
        &mut self,
        wish: &Wish,
        finder: &Finder,
        world: &mut World,
        report: &mut Report,
    ) -> Read<Option<ColoredShape>> {
        let place = finder.find(wish.uri).unwrap_or_else(|_| wish.uri.to_string());
        let key = format!("{place} {:?} {:?}", wish.part, wish.scale.as_slice());
        let index = match self.found.get(&key) {
            Some(found) => *found,
            None => {
                let loaded = load(wish, finder, world, report)?;
                self.found.insert(key, loaded);
                loaded
            }
        };
        let shape = |l: Loaded| Shape::Mesh { mesh: l.index, convex: l.convex || wish.declared_convex };
        Ok(index.map(|l| (shape(l), l.color)))
    }
}

/// Index of a mesh that has been read and whether it is convex. A picture that cannot be had is left
/// out with a warning; a collision mesh must be there, but may be of a kind not read.
fn load(wish: &Wish, finder: &Finder, world: &mut World, report: &mut Report) -> Read<Option<Loaded>> {
    let Wish { node, uri, role, .. } = *wish;
    let effect =
        if role == GeomRole::Visual { "this picture is left out" } else { "this shape does not collide" };
    let mut path = finder.find(uri);
    if let (Err(reason), Some(guess)) = (&path, finder.guess(uri)) {
        let message =
            format!("{reason}. {guess} has the same path in a folder around the model and is taken instead");
        report.warn(node, "package under another name", message)?;
        path = Ok(guess);
    }
    let found = path.and_then(|path| {
        let bytes = finder.files.read(&path).map_err(|reason| {
            format!("{path} {reason}; correct the path, which counts from the model's folder")
        })?;
        Ok((path, bytes))
    });
    let (path, bytes) = match found {
        Ok(found) => found,
        Err(reason) if role == GeomRole::Visual => {
            report.warn(node, &format!("mesh {uri}"), format!("{reason}; {effect}"))?;
            return Ok(None);
        }
        Err(reason) => return Err(node.error(reason)),
    };
    let beside = |file: &str| {
        let path = join(folder(&path), file);
        finder.files.read(&path).map_err(|reason| format!("{path} {reason}"))
    };
    let read = mesh::read_part(&path, &bytes, wish.part.map(|(name, _)| name), &beside);
    let mut mesh = match read {
        Ok(mesh) => mesh,
        Err(reason) => {
            // Pictures of a kind that is not read are reported once, shapes each.
            let key = if role == GeomRole::Visual { extension(uri) } else { uri.to_string() };
            report.warn(node, &format!("mesh {key}"), format!("{uri}: {reason}; {effect}"))?;
            return Ok(None);
        }
    };
    if let Some((_, true)) = wish.part {
        mesh::center(&mut mesh);
    }
    mesh::scale(&mut mesh, &wish.scale).map_err(|reason| node.error(reason))?;
    mesh.name = match wish.part {
        Some((part, _)) => format!("{uri} {part}"),
        None => uri.to_string(),
    };
    mesh.source = node.source();
    let convex = mesh::is_convex(&mesh);
    world.meshes.push(mesh.into());
    let color = if role == GeomRole::Visual { mesh::color(&path, &bytes, &beside) } else { None };
    Ok(Some(Loaded { index: world.meshes.len() - 1, convex, color }))
}
