//! URDF links: inertia, visual and collision geometry.

use super::joint::origin;
use super::reader::Reader;
use crate::drake;
use crate::error::{FormatError, Read};
use crate::mass;
use crate::mesh_assets::{ColoredShape, Wish};
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
        None => {
            let name = link.attr("name").unwrap_or("");
            let message = "its inertial has no mass element; it counts as massless";
            report.warn(link, &format!("no mass {name}"), message)?;
            return Ok(Inertia::zero());
        }
    };
    let mut m = Matrix3::zeros();
    if let Some(child) = node.child("inertia") {
        let at = |name: &str| Ok::<f64, crate::FormatError>(child.number(name)?.unwrap_or(0.0));
        let (xy, xz, yz) = (at("ixy")?, at("ixz")?, at("iyz")?);
        m = Matrix3::new(at("ixx")?, xy, xz, xy, at("iyy")?, yz, xz, yz, at("izz")?);
    }
    if mass == 0.0 && m != Matrix3::zeros() {
        let name = link.attr("name").unwrap_or("");
        let message = "it has rotational inertia but a mass of zero, which no body has; the numbers are used as they are: give it \
                       a mass";
        report.warn(link, &format!("inertia without mass {name}"), message)?;
    }
    let r = x_li.rotation.to_rotation_matrix();
    Ok(Inertia { mass, com: x_li.translation.vector, rotational: mass::symmetric(r * m * r.transpose()) })
}

/// A shape, its pose in the frame of its element, and the colour that its file gives it.
type Placed = (Shape, Pose, Option<[f32; 4]>);

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
            let geometry = node.child("geometry").ok_or_else(|| {
                node.error(
                    "it needs a geometry element; add one with a box, sphere, cylinder, capsule or mesh",
                )
            })?;
            let shape = match self.shape(geometry, role) {
                Err(FormatError::Invalid { place, message }) if role == GeomRole::Visual => {
                    let message = format!("{message}; this picture is left out");
                    self.report.warn_at(place, &format!("visual {message}"), message)?;
                    continue;
                }
                shape => shape?,
            };
            let Some((shape, x_gs, own_color)) = shape else { continue };
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
            geom.color = own_color.unwrap_or(geom.color);
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
    fn shape(&mut self, geometry: &Node, role: GeomRole) -> Read<Option<Placed>> {
        let node = geometry
            .children
            .first()
            .ok_or_else(|| geometry.error("it is empty; add a box, sphere, cylinder, capsule or mesh"))?;
        let size = |name: &str| -> Read<f64> {
            let value = node.number(name)?.ok_or_else(|| node.error(format!("it needs {name}=\"…\"")))?;
            // A sphere of radius 0 is a point.
            if (value > 0.0 || (value == 0.0 && node.name == "sphere")) && value.is_finite() {
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
                return Ok(Some((Shape::HalfSpace { size: [0.0; 2] }, pose, None)));
            }
            "mesh" => {
                return Ok(self.mesh(node, role)?.map(|(shape, color)| (shape, Pose::identity(), color)));
            }
            // The schema check has reported it.
            _ => return Ok(None),
        };
        Ok(Some((shape, Pose::identity(), None)))
    }

    fn mesh(&mut self, node: &Node, role: GeomRole) -> Read<Option<ColoredShape>> {
        let uri = node.required("filename")?;
        let scale = match node.numbers("scale")?.as_deref() {
            None => Vec3::repeat(1.0),
            Some([s]) => Vec3::repeat(*s),
            Some([x, y, z]) => Vec3::new(*x, *y, *z),
            Some([x, y, z, ..]) => {
                self.report.warn(
                    node,
                    "mesh@scale long",
                    "scale has more than three numbers; the first three count",
                )?;
                Vec3::new(*x, *y, *z)
            }
            Some(_) => return Err(node.error("scale needs one or three numbers")),
        };
        let wish = Wish {
            node,
            uri,
            part: None,
            scale,
            role,
            declared_convex: node.child("drake:declare_convex").is_some(),
        };
        self.meshes.shape(&wish, &self.finder, &mut self.world, &mut self.report)
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
