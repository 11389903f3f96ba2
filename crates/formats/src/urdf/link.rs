//! URDF links: inertia, visual and collision geometry.

use super::joint::origin;
use super::reader::Reader;
use crate::drake;
use crate::error::{FormatError, Read};
use crate::files::extension;
use crate::mass;
use crate::mesh;
use crate::numbers::rotation_from_z;
use crate::report::Report;
use crate::xml::Node;
use nalgebra::Matrix3;
use stiction_model::{Geom, GeomRole, Inertia, Pose, Shape, Vec3};

/// Reads an `inertial` element into the link's frame.
pub fn inertial(node: &Node, link: &Node, report: &mut Report) -> Read<Inertia> {
    let x_li = origin(node)?;
    let mass = match node.child("mass") {
        Some(child) => child.number("value")?.ok_or_else(|| child.error("mass needs value=\"…\""))?,
        None => return Err(node.error("an inertial needs a mass element")),
    };
    let mut m = Matrix3::zeros();
    if let Some(child) = node.child("inertia") {
        let at = |name: &str| Ok::<f64, crate::FormatError>(child.number(name)?.unwrap_or(0.0));
        let (xy, xz, yz) = (at("ixy")?, at("ixz")?, at("iyz")?);
        m = Matrix3::new(at("ixx")?, xy, xz, xy, at("iyy")?, yz, xz, yz, at("izz")?);
    }
    if mass == 0.0 && m != Matrix3::zeros() {
        let name = link.attr("name").unwrap_or("");
        let message = "it has inertia but a mass of zero, which no body has; it counts as massless";
        report.warn(link, &format!("inertia without mass {name}"), message)?;
        m = Matrix3::zeros();
    }
    let r = x_li.rotation.to_rotation_matrix();
    Ok(Inertia { mass, com: x_li.translation.vector, rotational: mass::symmetric(r * m * r.transpose()) })
}

impl Reader<'_> {
    /// Reads the visual and collision elements of a link.
    pub fn geoms(&mut self, link: &Node, body: usize) -> Read<()> {
        let link_name = link.required("name")?;
        for node in &link.children {
            let role = match node.name.as_str() {
                "visual" => GeomRole::Visual,
                "collision" => GeomRole::Collision,
                _ => continue,
            };
            let geometry = node.child("geometry").ok_or_else(|| node.error("it needs a geometry element"))?;
            let shape = match self.shape(geometry, role) {
                Err(FormatError::Invalid { place, message }) if role == GeomRole::Visual => {
                    let message = format!("{message}; this picture is left out");
                    self.report.warn_at(place, &format!("visual {message}"), message)?;
                    continue;
                }
                shape => shape?,
            };
            let Some((shape, x_gs)) = shape else { continue };
            let wish = format!("{link_name}_{}", node.name);
            let name = match node.attr("name").filter(|n| !n.is_empty()) {
                Some(name) => self.geom_names.free(name),
                None => self.geom_names.free(&wish),
            };
            let mut geom = Geom::new(name, body, shape);
            geom.source = node.source();
            geom.source.element = format!("{} of link \"{link_name}\"", node.name);
            geom.pose = origin(node)? * x_gs;
            geom.role = role;
            if let Some(material) = node.child("material") {
                geom.color = self.color(material)?;
            }
            if role == GeomRole::Collision {
                drake::proximity(node, &mut geom.contact, &mut geom.margin, &mut self.report)?;
            }
            self.world.geoms.push(geom);
        }
        Ok(())
    }

    /// The shape of a geometry element and its pose in the geometry's frame; `None` if it could not
    /// be had, which has been reported.
    fn shape(&mut self, geometry: &Node, role: GeomRole) -> Read<Option<(Shape, Pose)>> {
        let node = geometry
            .children
            .first()
            .ok_or_else(|| geometry.error("it is empty; add a box, sphere, cylinder, capsule or mesh"))?;
        let size = |name: &str| -> Read<f64> {
            let value = node.number(name)?.ok_or_else(|| node.error(format!("it needs {name}=\"…\"")))?;
            if value > 0.0 && value.is_finite() {
                Ok(value)
            } else {
                Err(node.error(format!("{name} is {value}; it must be positive")))
            }
        };
        let shape = match node.name.as_str() {
            "box" => {
                let size = node.vec3("size")?.ok_or_else(|| node.error("it needs size=\"x y z\""))?;
                Shape::Box { half_extents: size / 2.0 }
            }
            "sphere" => Shape::Sphere { radius: size("radius")? },
            "cylinder" => Shape::Cylinder { radius: size("radius")?, half_length: size("length")? / 2.0 },
            "capsule" | "drake:capsule" => {
                Shape::Capsule { radius: size("radius")?, half_length: size("length")? / 2.0 }
            }
            "drake:ellipsoid" => Shape::Ellipsoid { radii: Vec3::new(size("a")?, size("b")?, size("c")?) },
            "plane" => {
                let normal = node.vec3("normal")?.unwrap_or(Vec3::z());
                let rotation =
                    rotation_from_z(&normal).ok_or_else(|| node.error("normal has no direction"))?;
                let pose = Pose::from_parts(Default::default(), rotation);
                return Ok(Some((Shape::HalfSpace { size: [0.0; 2] }, pose)));
            }
            "mesh" => match self.mesh(node, role)? {
                Some(shape) => shape,
                None => return Ok(None),
            },
            // The schema check has reported it.
            _ => return Ok(None),
        };
        Ok(Some((shape, Pose::identity())))
    }

    fn mesh(&mut self, node: &Node, role: GeomRole) -> Read<Option<Shape>> {
        let uri = node.required("filename")?;
        let scale = match node.numbers("scale")?.as_deref() {
            None => Vec3::repeat(1.0),
            Some([s]) => Vec3::repeat(*s),
            Some([x, y, z]) => Vec3::new(*x, *y, *z),
            Some(_) => return Err(node.error("scale needs one or three numbers")),
        };
        let key = format!("{uri} {:?}", scale.as_slice());
        let index = match self.meshes.get(&key) {
            Some(found) => *found,
            None => {
                let loaded = self.load_mesh(node, uri, scale, role)?;
                self.meshes.insert(key, loaded);
                loaded
            }
        };
        let declared = node.child("drake:declare_convex").is_some();
        Ok(index.map(|(mesh, convex)| Shape::Mesh { mesh, convex: convex || declared }))
    }

    /// Index of a mesh that has been read and whether it is convex. A picture that cannot be had is
    /// left out with a warning; a collision mesh must be there, but may be of a kind not read.
    fn load_mesh(
        &mut self,
        node: &Node,
        uri: &str,
        scale: Vec3,
        role: GeomRole,
    ) -> Read<Option<(usize, bool)>> {
        let effect =
            if role == GeomRole::Visual { "this picture is left out" } else { "this shape does not collide" };
        let found = self.finder.find(uri).and_then(|path| {
            let bytes = self.finder.files.read(&path).map_err(|reason| format!("{path} {reason}"))?;
            Ok((path, bytes))
        });
        let (path, bytes) = match found {
            Ok(found) => found,
            Err(reason) if role == GeomRole::Visual => {
                self.report.warn(node, &format!("mesh {uri}"), format!("{reason}; {effect}"))?;
                return Ok(None);
            }
            Err(reason) => return Err(node.error(reason)),
        };
        let mut mesh = match mesh::read(&path, &bytes) {
            Ok(mesh) => mesh,
            Err(reason) => {
                // Pictures of a kind that is not read are reported once, shapes each.
                let key = if role == GeomRole::Visual { extension(uri) } else { uri.to_string() };
                self.report.warn(node, &format!("mesh {key}"), format!("{uri}: {reason}; {effect}"))?;
                return Ok(None);
            }
        };
        mesh::scale(&mut mesh, &scale).map_err(|reason| node.error(reason))?;
        mesh.name = uri.to_string();
        mesh.source = node.source();
        let convex = mesh::is_convex(&mesh);
        self.world.meshes.push(mesh);
        Ok(Some((self.world.meshes.len() - 1, convex)))
    }

    fn color(&mut self, material: &Node) -> Read<[f32; 4]> {
        if let Some(color) = material.child("color") {
            return rgba(color);
        }
        let name = material.attr("name").unwrap_or("");
        match self.colors.get(name) {
            Some(color) => Ok(*color),
            None => {
                // A texture alone, or a name that another file defines: only the picture changes.
                self.report.drawing(material, "material");
                Ok([0.5, 0.5, 0.5, 1.0])
            }
        }
    }
}

/// A `color` element.
pub fn rgba(node: &Node) -> Read<[f32; 4]> {
    let rgba: [f64; 4] = node.array("rgba")?.ok_or_else(|| node.error("it needs rgba=\"r g b a\""))?;
    Ok(rgba.map(|x| x as f32))
}
