//! SDFormat links: inertia, collision and visual geometry.

use super::reader::Reader;
use super::value::{pose, relative_to};
use crate::drake;
use crate::error::{FormatError, Read};
use crate::files::folder;
use crate::mass::{self, MeshFill, Solid};
use crate::mesh_assets::{ColoredShape, Wish};
use crate::numbers::{parse_numbers, rotation_from_z};
use crate::package::Finder;
use crate::xml::Node;
use nalgebra::{Matrix3, Translation3};
use stiction_model::{
    CollisionFilter, ContactProperties, ConvexParts, Geom, GeomRole, HERTZ_TORSION, Inertia, Pose, Shape,
    Vec3,
};

/// Density of what does not say, kg/m³: that of water.
const DENSITY: f64 = 1000.0;

/// A shape, its pose in the frame of its element, and the colour that its file gives it.
type Placed = (Shape, Pose, Option<[f32; 4]>);

impl Reader<'_, '_> {
    /// Reads a link's inertia, collisions and visuals into a body.
    pub fn contents(&mut self, link: usize, body: usize) -> Read<()> {
        let part = self.graph.links[link];
        let node = part.node;
        let first = self.world.geoms.len();
        for child in &node.children {
            let role = match child.name.as_str() {
                "visual" => GeomRole::Visual,
                "collision" => GeomRole::Collision,
                _ => continue,
            };
            self.geom(child, link, body, role)?;
        }
        let inertial = node.child("inertial");
        let auto = inertial.map(|n| n.flag("auto")).transpose()?.flatten().unwrap_or(false);
        let inertia = match inertial {
            Some(inertial) if auto => self.automatic(inertial, node, first)?,
            _ => inertial_element(inertial)?,
        };
        self.world.bodies[body].inertia = inertia;
        crate::inertia::check_body(&self.world.bodies[body], &mut self.report)?;
        if node.child_flag("gravity")? == Some(false) {
            self.world.bodies[body].gravity_compensation = 1.0;
        }
        for (name, effect) in [
            (
                "kinematic",
                "a kinematic link is moved from outside in Gazebo; here it moves as its joints let it",
            ),
            ("enable_wind", "there is no wind"),
        ] {
            if node.child_flag(name)? == Some(true) {
                self.report.warn(node, &format!("link/{name}"), effect)?;
            }
        }
        Ok(())
    }

    fn geom(&mut self, node: &Node, link: usize, body: usize, role: GeomRole) -> Read<()> {
        let part = self.graph.links[link];
        let link_name = self.graph.name(&part);
        let geometry = node.child("geometry").ok_or_else(|| node.error("it needs a geometry element"))?;
        let shape = match self.shape(geometry, role) {
            Err(FormatError::Invalid { place, message }) if role == GeomRole::Visual => {
                let message = format!("{message}; this picture is left out");
                self.report.warn_at(place, &format!("visual {message}"), message)?;
                return Ok(());
            }
            shape => shape?,
        };
        let Some((shape, x_gs, own_color)) = shape else { return Ok(()) };
        let x_lg = match relative_to(node.child("pose")) {
            None => pose(node.child("pose"))?,
            Some(name) => {
                let frame = self.graph.lookup(part.scope, name, node)?;
                let x_wl = self.graph.frames[part.frame].x_wf;
                x_wl.inverse() * self.graph.frames[frame].x_wf * pose(node.child("pose"))?
            }
        };
        let wish = match node.attr("name").filter(|n| !n.is_empty()) {
            Some(name) => format!("{}{name}", self.graph.scopes[part.scope].prefix),
            None => format!("{link_name}_{}", node.name),
        };
        let mut geom = Geom::new(self.geom_names.free(&wish), body, shape);
        geom.source = node.source();
        geom.source.element = format!("{} of link \"{link_name}\"", node.name);
        geom.pose = x_lg * x_gs;
        geom.role = role;
        if role == GeomRole::Collision {
            geom.convex_parts = geometry.child("mesh").map(convex_parts).transpose()?.flatten();
        }
        geom.color = own_color.unwrap_or(geom.color);
        if let Some(color) = node.child("material").map(color).transpose()?.flatten() {
            geom.color = color;
        }
        if role == GeomRole::Collision {
            self.surface(node, &mut geom)?;
            drake::proximity(node, &mut geom.contact, &mut geom.margin, &mut self.report)?;
        }
        self.world.geoms.push(geom);
        Ok(())
    }

    /// Friction, stiffness and collision bits of a `surface` element.
    fn surface(&mut self, node: &Node, geom: &mut Geom) -> Read<()> {
        let Some(surface) = node.child("surface") else { return Ok(()) };
        let ode = surface.child("friction").and_then(|f| f.child("ode"));
        let bullet = surface.child("friction").and_then(|f| f.child("bullet"));
        if let Some((friction, [first, second])) =
            ode.map(|n| (n, ["mu", "mu2"])).or(bullet.map(|n| (n, ["friction", "friction2"])))
        {
            let mu = friction.child_number(first)?.unwrap_or(1.0);
            let across = friction.child_number(second)?.unwrap_or(mu);
            if mu != across {
                let message = format!(
                    "{first} {mu} and {second} {across} differ by direction; {mu} acts in all of them"
                );
                self.report.warn(friction, "anisotropic friction", message)?;
            }
            if mu < 0.0 || !mu.is_finite() {
                return Err(friction.error(format!("{first} is {mu}; it must be zero or more and finite")));
            }
            geom.contact.static_friction = Some(mu);
            geom.contact.dynamic_friction = Some(mu);
        }
        if let Some(torsional) = surface.child("friction").and_then(|f| f.child("torsional")) {
            torsional_friction(torsional, &mut geom.contact)?;
        }
        if let Some(bounce) = surface.child("bounce") {
            let coefficient = bounce.child_number("restitution_coefficient")?.unwrap_or(0.0);
            if !(0.0..=1.0).contains(&coefficient) {
                return Err(
                    bounce.error(format!("restitution_coefficient is {coefficient}; it must be 0 to 1"))
                );
            }
            geom.contact.restitution = Some(coefficient);
            geom.contact.restitution_threshold = bounce.child_number("threshold")?;
        }
        let Some(contact) = surface.child("contact") else { return Ok(()) };
        if let Some(ode) = contact.child("ode") {
            // kp and kd are a spring (N/m) and damper (N s/m); 1e12 is the format's word for rigid.
            let kp = ode.child_number("kp")?.filter(|k| *k > 0.0 && *k < 1e12);
            if let Some(kp) = kp {
                geom.contact.stiffness = Some(kp);
                geom.contact.relaxation_time =
                    ode.child_number("kd")?.filter(|d| *d >= 0.0).map(|kd| kd / kp);
            }
        }
        if let Some(bits) = contact.child_text("collide_bitmask") {
            let parsed = match bits.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => bits.parse().ok(),
            };
            let bits =
                parsed.ok_or_else(|| contact.error("collide_bitmask must be a whole number of 32 bits"))?;
            // Two geoms touch if their masks share a bit.
            geom.filter = CollisionFilter { group: bits, mask: bits };
        }
        if contact.child_flag("collide_without_contact")? == Some(true) {
            geom.filter = CollisionFilter { group: 0, mask: 0 };
        }
        Ok(())
    }

    /// The shape of a geometry element and its pose in the geometry's frame; `None` if there is none.
    fn shape(&mut self, geometry: &Node, role: GeomRole) -> Read<Option<Placed>> {
        let Some(node) = geometry.children.first() else {
            return Err(
                geometry.error("it is empty; add a box, sphere, cylinder, capsule or mesh, or <empty/>")
            );
        };
        let size = |name: &str| -> Read<f64> {
            let value =
                node.child_number(name)?.ok_or_else(|| node.error(format!("it needs a {name} element")))?;
            // A sphere of radius 0 is a point.
            if (value > 0.0 || (value == 0.0 && node.name == "sphere")) && value.is_finite() {
                Ok(value)
            } else {
                Err(node.error(format!("{name} is {value}; it must be positive")))
            }
        };
        let shape = match node.name.as_str() {
            "box" => {
                let size =
                    node.child_vec3("size")?.ok_or_else(|| node.error("it needs <size>x y z</size>"))?;
                Shape::Box { half_extents: size / 2.0 }
            }
            "sphere" => Shape::Sphere { radius: size("radius")? },
            "cylinder" => Shape::Cylinder { radius: size("radius")?, half_length: size("length")? / 2.0 },
            "capsule" | "drake:capsule" => {
                Shape::Capsule { radius: size("radius")?, half_length: size("length")? / 2.0 }
            }
            "ellipsoid" => Shape::Ellipsoid {
                radii: node.child_vec3("radii")?.ok_or_else(|| node.error("it needs radii"))?,
            },
            "drake:ellipsoid" => Shape::Ellipsoid { radii: Vec3::new(size("a")?, size("b")?, size("c")?) },
            "plane" => {
                let normal = node.child_vec3("normal")?.unwrap_or(Vec3::z());
                let rotation =
                    rotation_from_z(&normal).ok_or_else(|| node.error("normal has no direction"))?;
                let drawn = match node.child("size") {
                    Some(n) => parse_numbers(n, "size", &n.text)?,
                    None => Vec::new(),
                };
                let size = match drawn[..] {
                    [x, y] if x >= 0.0 && y >= 0.0 => [x / 2.0, y / 2.0],
                    _ => [0.0; 2],
                };
                let pose = Pose::from_parts(Translation3::identity(), rotation);
                return Ok(Some((Shape::HalfSpace { size }, pose, None)));
            }
            "mesh" => {
                return Ok(self.mesh(node, role)?.map(|(shape, color)| (shape, Pose::identity(), color)));
            }
            // `empty`, or something the schema check has reported.
            _ => return Ok(None),
        };
        Ok(Some((shape, Pose::identity(), None)))
    }

    fn mesh(&mut self, node: &Node, role: GeomRole) -> Read<Option<ColoredShape>> {
        let uri = node.child_text("uri").filter(|u| !u.is_empty());
        let uri = uri.ok_or_else(|| node.error("it needs a uri element that names a mesh file"))?;
        let submesh = node.child("submesh");
        let part = submesh.and_then(|s| s.child_text("name"));
        let centered = submesh.map(|s| s.child_flag("center")).transpose()?.flatten().unwrap_or(false);
        let wish = Wish {
            node,
            uri,
            part: part.map(|name| (name, centered)),
            scale: node.child_vec3("scale")?.unwrap_or(Vec3::repeat(1.0)),
            role,
            declared_convex: node.child("drake:declare_convex").is_some()
                || matches!(node.attr("optimization"), Some("convex_hull")),
        };
        let finder = Finder {
            files: self.files,
            model_dir: folder(&node.file),
            package_paths: &self.options.package_paths,
        };
        self.meshes.shape(&wish, &finder, &mut self.world, &mut self.report)
    }

    /// Inertia from the volumes of the link's collisions, from geom `first` on.
    fn automatic(&self, inertial: &Node, link: &Node, first: usize) -> Read<Inertia> {
        let density = inertial.child_number("density")?;
        let mut parts = Vec::new();
        let collisions = link.children_named("collision");
        let geoms = self.world.geoms[first..].iter().filter(|g| g.role == GeomRole::Collision);
        for (node, geom) in collisions.zip(geoms) {
            let density = node.child_number("density")?.or(density).unwrap_or(DENSITY);
            parts.push(mass::place(&self.volume(geom, node)?, density, &geom.pose));
        }
        let mut inertia = mass::combine(&parts);
        if inertia.mass <= 0.0 {
            return Err(
                inertial.error("auto needs a collision with a volume; add one or write mass and inertia")
            );
        }
        if let Some(mass) = inertial.child_number("mass")? {
            inertia.rotational *= mass / inertia.mass;
            inertia.mass = mass;
        }
        Ok(inertia)
    }

    fn volume(&self, geom: &Geom, node: &Node) -> Read<Solid> {
        let solid = match geom.shape {
            Shape::Mesh { mesh, .. } => mass::mesh(&self.world.meshes[mesh], MeshFill::Exact),
            ref shape => mass::solid(shape),
        };
        solid.ok_or_else(|| node.error("this shape has no volume from which a mass could follow"))
    }
}

/// Mass 1 and inertia 1 where the file says nothing, as the format has it.
fn inertial_element(node: Option<&Node>) -> Read<Inertia> {
    let Some(node) = node else {
        return Ok(Inertia { mass: 1.0, com: Vec3::zeros(), rotational: Matrix3::identity() });
    };
    let mass = node.child_number("mass")?.unwrap_or(1.0);
    let x_li = pose(node.child("pose"))?;
    let m = match node.child("inertia") {
        None => Matrix3::identity(),
        Some(child) => {
            let at = |name: &str, default: f64| {
                Ok::<f64, FormatError>(child.child_number(name)?.unwrap_or(default))
            };
            let (xy, xz, yz) = (at("ixy", 0.0)?, at("ixz", 0.0)?, at("iyz", 0.0)?);
            Matrix3::new(at("ixx", 1.0)?, xy, xz, xy, at("iyy", 1.0)?, yz, xz, yz, at("izz", 1.0)?)
        }
    };
    let r = x_li.rotation.to_rotation_matrix();
    Ok(Inertia { mass, com: x_li.translation.vector, rotational: mass::symmetric(r * m * r.transpose()) })
}

/// The diffuse colour of a material.
fn color(material: &Node) -> Read<Option<[f32; 4]>> {
    let Some(node) = material.child("diffuse").or_else(|| material.child("ambient")) else { return Ok(None) };
    match parse_numbers(node, &node.name, &node.text)?[..] {
        [r, g, b] => Ok(Some([r as f32, g as f32, b as f32, 1.0])),
        [r, g, b, a] => Ok(Some([r as f32, g as f32, b as f32, a as f32])),
        _ => Err(node.error("a colour needs three or four numbers")),
    }
}

/// Torsional friction of a patch of a radius that is given or follows from the depth.
fn torsional_friction(node: &Node, contact: &mut ContactProperties) -> Read<()> {
    let number = |name: &str, unset: f64| -> Read<f64> {
        let x = node.child_number(name)?.unwrap_or(unset);
        if x >= 0.0 && x.is_finite() {
            return Ok(x);
        }
        Err(node.error(format!("{name} is {x}; it must be zero or more and finite")))
    };
    let coefficient = number("coefficient", 1.0)?;
    if node.child_flag("use_patch_radius")?.unwrap_or(true) {
        contact.torsional_friction = Some(HERTZ_TORSION * coefficient * number("patch_radius", 0.0)?);
    } else {
        contact.surface_radius = Some(number("surface_radius", 0.0)?);
        contact.torsional_coefficient = Some(coefficient);
    }
    Ok(())
}

/// How a mesh is to be cut into convex parts, if its optimization says so.
fn convex_parts(mesh: &Node) -> Read<Option<ConvexParts>> {
    if mesh.attr("optimization") != Some("convex_decomposition") {
        return Ok(None);
    }
    let whole = |name: &str, default: f64, most: f64| -> Read<f64> {
        let Some(node) = mesh.child("convex_decomposition") else { return Ok(default) };
        match node.child_number(name)? {
            None => Ok(default),
            Some(value) if value.fract() == 0.0 && (1.0..=most).contains(&value) => Ok(value),
            Some(value) => {
                Err(node.error(format!("{name} is {value}; it must be a whole number, 1 to {most}")))
            }
        }
    };
    // The format's defaults.
    let (hulls, voxels) =
        (whole("max_convex_hulls", 16.0, 1024.0)?, whole("voxel_resolution", 200_000.0, 64e6)?);
    Ok(Some(ConvexParts { most: hulls as u32, resolution: voxels.cbrt().round().max(8.0) as u32 }))
}
