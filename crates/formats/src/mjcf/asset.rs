//! Assets by name, and the meshes among them, which are read when first used.

use super::axes::principal_axes;
use super::defaults::{Attrs, MAIN};
use super::reader::Reader;
use crate::error::{FormatError, Read};
use crate::files::{file_name, folder, join};
use crate::mass::{self, MeshFill, Solid};
use crate::mesh;
use crate::xml::Node;
use nalgebra::Translation3;
use std::collections::BTreeMap;
use stiction_geometry::quickhull;
use stiction_model::{Mesh, Pose, Shape, Vec3};

/// Assets by name.
#[derive(Debug, Default)]
pub struct Assets<'a> {
    /// Elements of meshes.
    pub meshes: BTreeMap<String, &'a Node>,
    /// Elements of height fields.
    pub fields: BTreeMap<String, &'a Node>,
    /// Elements of models to attach.
    pub models: BTreeMap<String, &'a Node>,
    /// Indices of materials.
    pub materials: BTreeMap<String, usize>,
    loaded: BTreeMap<String, Option<MeshAsset>>,
    /// Height fields that have been read: index into the world's.
    pub loaded_fields: BTreeMap<String, usize>,
}

/// A mesh that has been read.
#[derive(Clone, Copy, Debug)]
pub struct MeshAsset {
    /// Index into the world's meshes.
    pub index: usize,
    /// Whether it is convex.
    pub convex: bool,
    /// Whether it is filled with tetrahedra.
    pub filled: bool,
    /// Mass properties at unit density; `None` if it has no volume.
    pub solid: Option<Solid>,
}

/// The name of an asset: given, or the file's without its extension.
pub(super) fn asset_name(node: &Node) -> Read<String> {
    if let Some(name) = node.attr("name") {
        return Ok(name.to_string());
    }
    let file = file_name(node.attr("file").ok_or_else(|| node.error("it needs a name or a file"))?);
    Ok(file.rfind('.').map_or(file, |dot| &file[..dot]).to_string())
}

impl<'a> Reader<'a> {
    /// Lists the assets of all sections and reads colours.
    pub fn list_assets(&mut self, root: &'a Node) -> Read<()> {
        for node in root.children_named("asset").flat_map(|section| &section.children) {
            let twice = |name: &str| {
                node.error(format!("there are two assets of this kind called \"{name}\"; rename one"))
            };
            match node.name.as_str() {
                "mesh" => {
                    let name = asset_name(node)?;
                    if self.assets.meshes.insert(name.clone(), node).is_some() {
                        return Err(twice(&name));
                    }
                }
                "hfield" => {
                    let name = asset_name(node)?;
                    if self.assets.fields.insert(name.clone(), node).is_some() {
                        return Err(twice(&name));
                    }
                }
                "material" => self.material(node, root)?,
                "model" => {
                    self.assets.models.insert(asset_name(node)?, node);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The mesh a geom refers to; `None` if it could not be had, which has been reported.
    pub fn mesh_of(&mut self, attrs: &Attrs) -> Read<Option<MeshAsset>> {
        let node = attrs.node();
        let name = attrs.text("mesh").ok_or_else(|| node.error("a geom of type mesh needs mesh=\"…\""))?;
        if let Some(asset) = self.assets.loaded.get(name) {
            return Ok(*asset);
        }
        let asset =
            *self.assets.meshes.get(name).ok_or_else(|| {
                node.error(format!("the mesh \"{name}\" does not exist; define it in asset"))
            })?;
        let loaded = self.load_mesh(name, asset)?;
        self.assets.loaded.insert(name.to_string(), loaded);
        Ok(loaded)
    }

    fn load_mesh(&mut self, name: &str, node: &'a Node) -> Read<Option<MeshAsset>> {
        let attrs = self.defaults.apply(node, "mesh", MAIN)?;
        if node.attr("builtin").is_some_and(|b| b != "none") {
            let message = "built-in meshes are not made; the geoms that use it are left out";
            self.report.warn(node, "mesh@builtin", message)?;
            return Ok(None);
        }
        let mut mesh = match node.attr("file") {
            Some(file) => {
                let path = self.asset_file(node, file);
                let bytes = self.files.read(&path).map_err(|reason| {
                    node.error(format!("{path} {reason}; correct file, meshdir or assetdir"))
                })?;
                mesh::read(file, &bytes).map_err(|reason| FormatError::File { path, reason })?
            }
            None => self.inline_mesh(node)?,
        };
        mesh.name = name.to_string();
        mesh.source = node.source();
        let mut scale = [1.0; 3];
        attrs.overlay("scale", &mut scale)?;
        transform(node, &mut mesh, scale.into())?;
        if mesh.triangles.is_empty() {
            mesh.triangles = quickhull::convex_hull(&mesh.vertices).ok_or_else(|| {
                node.error("its vertices lie in one plane, so it has no volume; add vertices")
            })?;
        }
        let solid = self.mesh_solid(node, &attrs, &mesh)?;
        if let Some(solid) = &solid {
            mesh.frame = Pose::from_parts(solid.com.into(), principal_axes(&solid.inertia));
        }
        let (convex, filled) = (mesh::is_convex(&mesh), mesh.tetrahedra.is_some());
        self.world.meshes.push(mesh.into());
        Ok(Some(MeshAsset { index: self.world.meshes.len() - 1, convex, filled, solid }))
    }

    /// Where an asset's file is: counted from the model's folder or, if it is not there, from that of the file
    /// the element stands in.
    pub fn asset_file(&self, node: &Node, file: &str) -> String {
        let relative = self.compiler.asset_path(file);
        let path = join(self.model_dir, &relative);
        let beside = join(folder(&node.file), &relative);
        if !self.files.exists(&path) && self.files.exists(&beside) { beside } else { path }
    }

    fn inline_mesh(&mut self, node: &Node) -> Read<Mesh> {
        let numbers =
            node.numbers("vertex")?.ok_or_else(|| node.error("a mesh needs file=\"…\" or vertex=\"…\""))?;
        if !numbers.len().is_multiple_of(3) {
            return Err(node.error("vertex needs three numbers for each vertex"));
        }
        let vertices = numbers.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect();
        let faces = node.numbers("face")?.unwrap_or_default();
        if !faces.len().is_multiple_of(3) || faces.iter().any(|i| !(0.0..4e9).contains(i) || i.fract() != 0.0)
        {
            return Err(node.error("face needs three vertex numbers, counted from 0, for each triangle"));
        }
        let triangles = faces.chunks_exact(3).map(|f| [f[0] as u32, f[1] as u32, f[2] as u32]).collect();
        mesh::finish(Mesh { vertices, triangles, ..Mesh::default() }).map_err(|e| node.error(e))
    }

    fn mesh_solid(&mut self, node: &Node, attrs: &Attrs, mesh: &Mesh) -> Read<Option<Solid>> {
        let mode = attrs.text("inertia").unwrap_or("legacy");
        let solid = match mode {
            "legacy" | "exact" if mesh.tetrahedra.is_some() => mass::tetrahedra(mesh),
            "legacy" => mass::mesh(mesh, MeshFill::Legacy),
            "shell" => mass::mesh(mesh, MeshFill::Shell),
            "exact" => {
                if !mesh::is_closed(mesh) {
                    let message = format!(
                        "the mesh \"{}\" is not closed, so its exact volume and mass are not well defined",
                        mesh.name
                    );
                    self.report.warn(node, &format!("open {}", mesh.name), message)?;
                }
                mass::mesh(mesh, MeshFill::Exact)
            }
            "convex" => quickhull::convex_hull(&mesh.vertices)
                .and_then(|triangles| mass::mesh(&Mesh { triangles, ..mesh.clone() }, MeshFill::Exact)),
            other => {
                return Err(
                    node.error(format!("inertia is \"{other}\"; it must be convex, exact, legacy or shell"))
                );
            }
        };
        if solid.is_none() {
            let message = format!(
                "the mesh \"{}\" has no positive volume (it is flat or faces inwards), so it adds no mass (inertia=\"shell\" would)",
                mesh.name
            );
            self.report.warn(node, &format!("flat {}", mesh.name), message)?;
        }
        Ok(solid)
    }

    /// A primitive fitted to the mesh a geom names, and its pose in the geom's frame.
    pub fn fitted(&mut self, attrs: &Attrs, kind: &str) -> Read<Option<(Pose, Shape)>> {
        let node = attrs.node();
        let Some(asset) = self.mesh_of(attrs)? else { return Ok(None) };
        let Some(solid) = asset.solid else {
            return Err(node.error("no primitive can be fitted to a mesh without volume"));
        };
        // Principal axes, largest moment first, so that the longest side lies along z.
        let rotation = self.world.meshes[asset.index].frame.rotation;
        let axes = rotation.to_rotation_matrix();
        let mut center = solid.com;
        let moment = (axes.transpose() * solid.inertia * axes).diagonal();
        let mut half = Vec3::from_fn(|i, _| {
            (6.0 * (moment.sum() - 2.0 * moment[i]) / solid.measure).max(0.0).sqrt() / 2.0
        });
        if self.compiler.fit_aabb {
            let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
            for v in &self.world.meshes[asset.index].vertices {
                let p = axes.inverse() * (v - solid.com);
                (low, high) = (low.inf(&p), high.sup(&p));
            }
            half = (high - low) / 2.0;
            center += axes * ((high + low) / 2.0);
        }
        half *= attrs.number("fitscale")?.unwrap_or(1.0);
        let radius = if self.compiler.fit_aabb { half.x.max(half.y) } else { (half.x + half.y) / 2.0 };
        let shape = match kind {
            "sphere" if self.compiler.fit_aabb => Shape::Sphere { radius: half.max() },
            "sphere" => Shape::Sphere { radius: half.sum() / 3.0 },
            "capsule" if self.compiler.fit_aabb => {
                Shape::Capsule { radius, half_length: (half.z - radius).max(1e-9) }
            }
            "capsule" => Shape::Capsule { radius, half_length: (half.z - radius / 2.0).max(1e-9) },
            "cylinder" => Shape::Cylinder { radius, half_length: half.z },
            "ellipsoid" => Shape::Ellipsoid { radii: half },
            "box" => Shape::Box { half_extents: half },
            other => return Err(node.error(format!("a {other} cannot be fitted to a mesh"))),
        };
        Ok(Some((Pose::from_parts(Translation3::from(center), rotation), shape)))
    }
}

/// Moves vertices by refpos and refquat, then scales.
fn transform(node: &Node, mesh: &mut Mesh, scale: Vec3) -> Read<()> {
    let position = node.vec3("refpos")?.unwrap_or_default();
    let rotation = node.quaternion("refquat")?.unwrap_or_default().inverse();
    for v in &mut mesh.vertices {
        *v = rotation * (*v - position);
    }
    mesh::scale(mesh, &scale).map_err(|reason| node.error(reason))
}
