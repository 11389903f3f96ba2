//! Geoms: shape, place, contact and the mass they bring to their body.

use super::defaults::Attrs;
use super::inertia::Lump;
use super::pose;
use super::reader::Reader;
use crate::drake;
use crate::error::Read;
use crate::mass::{self, Solid};
use crate::numbers::rotation_from_z;
use crate::schema::Setting;
use crate::xml::Node;
use nalgebra::Translation3;
use stiction_model::{
    CollisionFilter, Compliance, ContactProperties, Geom, GeomRole, ImmersedEllipsoid, Inertia, Pose, Shape,
    Softness, Vec3,
};

/// A geom and its share of the body's mass.
pub struct GeomRead {
    /// The geom; its name as written.
    pub geom: Geom,
    /// Its mass in the body frame, if it has any and its group counts.
    pub mass: Option<Lump>,
}

impl<'a> Reader<'a> {
    /// Reads a geom of `body`, written in a frame at `x_bf`. `None` if its shape cannot be had,
    /// which has been reported.
    pub fn geom(&mut self, attrs: &Attrs<'a>, body: usize, x_bf: &Pose) -> Read<Option<GeomRead>> {
        let node = attrs.node();
        let mut size = [0.0; 3];
        attrs.overlay("size", &mut size)?;
        let mut x_fg = pose::pose(attrs, &self.compiler)?;
        let kind = attrs.text("type").unwrap_or("sphere");
        if let Some(x) = self.between_ends(attrs, kind, &mut size)? {
            x_fg = x;
        }
        let mut solid: Option<Solid> = None;
        let mut dented: Option<usize> = None;
        let shape = match kind {
            "mesh" => {
                let Some(asset) = self.mesh_of(attrs)? else { return Ok(None) };
                solid = asset.solid;
                // MuJoCo has no such files: a solid is what it is, not its hull.
                dented = (!asset.convex && !asset.filled).then_some(asset.index);
                Shape::Mesh { mesh: asset.index, convex: asset.convex || !asset.filled }
            }
            "hfield" => Shape::HeightField { field: self.height_field_of(attrs)? },
            "sdf" => {
                self.report.warn(node, "geom sdf", "signed distance geoms are not read and are left out")?;
                return Ok(None);
            }
            _ if attrs.text("mesh").is_some() => {
                let Some((x_gm, fitted)) = self.fitted(attrs, kind)? else { return Ok(None) };
                x_fg *= x_gm;
                fitted
            }
            "plane" => Shape::HalfSpace { size: [size[0].max(0.0), size[1].max(0.0)] },
            "sphere" if size[0] == 0.0 => {
                return Err(node.error("a sphere needs size=\"radius\", and it must be positive"));
            }
            "sphere" => Shape::Sphere { radius: size[0] },
            "capsule" => Shape::Capsule { radius: size[0], half_length: size[1] },
            "cylinder" => Shape::Cylinder { radius: size[0], half_length: size[1] },
            "box" => Shape::Box { half_extents: size.into() },
            "ellipsoid" => Shape::Ellipsoid { radii: size.into() },
            other => {
                return Err(node.error(format!(
                    "type is \"{other}\"; it must be plane, hfield, sphere, capsule, ellipsoid, cylinder, box or mesh"
                )));
            }
        };
        let shell = attrs.flag("shellinertia")?.unwrap_or(false);
        let solid = solid.or_else(|| if shell { mass::shell(&shape) } else { mass::solid(&shape) });
        let mut geom = Geom::new(node.attr("name").unwrap_or(""), body, shape);
        geom.source = node.source();
        geom.pose = x_bf * x_fg;
        geom.color = self.color(attrs)?;
        geom.material = self.material_of(attrs)?;
        geom.group = attrs.integer("group")?.unwrap_or(0);
        let mut axes = geom.pose.rotation;
        if let Shape::Mesh { mesh, .. } = geom.shape {
            axes *= self.world.meshes[mesh].frame.rotation;
        }
        geom.immersed = self.immersed(attrs, &geom)?;
        let mass = self.geom_mass(attrs, solid, &geom.pose)?.map(|inertia| Lump { inertia, axes });
        self.contact(attrs, &mut geom)?;
        if let Some(mesh) = dented {
            if geom.contact.compliance != Compliance::Unspecified {
                // A pressure field fills the shape itself or meets its surface; MuJoCo knows no such geoms.
                geom.shape = Shape::Mesh { mesh, convex: false };
            } else if geom.role != GeomRole::Visual {
                self.hulls.entry(mesh).or_insert_with(|| node.source());
            }
        }
        Ok(Some(GeomRead { geom, mass }))
    }

    /// Pose of a geom that `fromto` gives by its two ends; its length goes into `size`.
    fn between_ends(&mut self, attrs: &Attrs, kind: &str, size: &mut [f64; 3]) -> Read<Option<Pose>> {
        let node = attrs.node();
        let Some([a, b, c, d, e, f]) = attrs.array("fromto")? else { return Ok(None) };
        if attrs.holder(&["pos"]).is_some() {
            // As in MuJoCo.
            self.report.warn(
                node,
                "geom@pos with fromto",
                "pos has no effect beside fromto, which says where it is",
            )?;
        }
        let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
        let rotation = rotation_from_z(&(from - to))
            .ok_or_else(|| node.error("fromto has its two ends at the same point; move one"))?;
        let half = (from - to).norm() / 2.0;
        match kind {
            "capsule" | "cylinder" => size[1] = half,
            "box" | "ellipsoid" => *size = [size[0], size[0], half],
            other => {
                return Err(node.error(format!(
                    "fromto is for capsules, cylinders, boxes and ellipsoids, not for a {other}"
                )));
            }
        }
        Ok(Some(Pose::from_parts(Translation3::from((from + to) / 2.0), rotation)))
    }

    /// The ellipsoid on which a medium acts in place of a geom, if the file asks for one.
    fn immersed(&self, attrs: &Attrs, geom: &Geom) -> Read<Option<ImmersedEllipsoid>> {
        let mut coefficients = [0.5, 0.25, 1.5, 1.0, 1.0];
        attrs.overlay("fluidcoef", &mut coefficients)?;
        match attrs.text("fluidshape").unwrap_or("none") {
            "none" => return Ok(None),
            "ellipsoid" => {}
            other => {
                return Err(attrs
                    .node()
                    .error(format!("fluidshape is \"{other}\"; it must be none or ellipsoid")));
            }
        }
        let mut pose = geom.pose;
        let radii = match geom.shape {
            Shape::Sphere { radius } => Vec3::repeat(radius),
            Shape::Capsule { radius, half_length } => Vec3::new(radius, radius, half_length + radius),
            Shape::Cylinder { radius, half_length } => Vec3::new(radius, radius, half_length),
            Shape::Box { half_extents } => half_extents,
            Shape::Ellipsoid { radii } => radii,
            Shape::Mesh { mesh, .. } => {
                // As in MuJoCo: the largest distances of vertices from the centre of mass along the principal axes.
                let mesh = &self.world.meshes[mesh];
                pose *= mesh.frame;
                let local = mesh.vertices.iter().map(|v| mesh.frame.inverse_transform_point(&(*v).into()));
                local.fold(Vec3::zeros(), |most, v| most.sup(&v.coords.abs()))
            }
            Shape::HalfSpace { .. } | Shape::HeightField { .. } => {
                return Err(attrs
                    .node()
                    .error("planes and height fields have no ellipsoid: leave out fluidshape"));
            }
        };
        Ok(Some(ImmersedEllipsoid { pose, radii, coefficients }))
    }

    fn filter(&self, attrs: &Attrs) -> Read<CollisionFilter> {
        let bits = |name: &str| -> Read<u32> { Ok(attrs.integer(name)?.unwrap_or(1) as u32) };
        Ok(CollisionFilter { group: bits("contype")?, mask: bits("conaffinity")? })
    }

    fn collides(&self, attrs: &Attrs) -> Read<bool> {
        let filter = self.filter(attrs)?;
        Ok(filter.group != 0 || filter.mask != 0)
    }

    fn geom_mass(&mut self, attrs: &Attrs, solid: Option<Solid>, pose: &Pose) -> Read<Option<Inertia>> {
        let Some(solid) = solid.filter(|s| s.measure > 0.0) else { return Ok(None) };
        let density = match attrs.number("mass")? {
            Some(mass) => mass / solid.measure,
            None => attrs.number("density")?.unwrap_or(1000.0),
        };
        if !(density >= 0.0 && density.is_finite()) {
            return Err(attrs.node().error("its mass and density must be zero or more and finite"));
        }
        let group = f64::from(attrs.integer("group")?.unwrap_or(0));
        let [low, high] = self.compiler.inertia_groups;
        let counts = (low..=high).contains(&group) && density > 0.0;
        Ok(counts.then(|| mass::place(&solid, density, pose)))
    }

    fn contact(&mut self, attrs: &Attrs, geom: &mut Geom) -> Read<()> {
        let node = attrs.node();
        geom.filter = self.filter(attrs)?;
        geom.role = if self.collides(attrs)? { GeomRole::Both } else { GeomRole::Visual };
        geom.priority = attrs.integer("priority")?.unwrap_or(0);
        let mut friction = [1.0, 0.005, 0.0001];
        attrs.overlay("friction", &mut friction)?;
        let condim = attrs.integer("condim")?.unwrap_or(3);
        geom.contact.dimensions = Some(dimensions(node, condim)?);
        geom.contact.static_friction = Some(friction[0]);
        geom.contact.dynamic_friction = Some(friction[0]);
        geom.contact.torsional_friction = Some(friction[1]);
        geom.contact.rolling_friction = Some(friction[2]);
        geom.margin = attrs.number("margin")?.unwrap_or(0.0);
        if geom.margin > attrs.number("gap")?.unwrap_or(0.0) && geom.role != GeomRole::Visual {
            self.report.setting(node, Setting::OfContact, "geom margin");
        }
        if geom.role != GeomRole::Visual {
            self.solref(attrs, "geom", &mut geom.contact)?;
        }
        if attrs.holder(&["surfacevel"]).is_some() {
            let mut v = [0.0; 6];
            attrs.overlay("surfacevel", &mut v)?;
            // MuJoCo: [linear; angular] at the geom's origin in its frame.
            let linear = geom.pose.rotation * Vec3::new(v[0], v[1], v[2]);
            let angular = geom.pose.rotation * Vec3::new(v[3], v[4], v[5]);
            let origin = linear - angular.cross(&geom.pose.translation.vector);
            geom.surface_velocity = Some([angular.x, angular.y, angular.z, origin.x, origin.y, origin.z]);
        }
        drake::proximity(node, &mut geom.contact, &mut geom.margin, &mut self.report)
    }

    /// The contact compliance of a geom or pair: its softness in MuJoCo's terms, and stiffness and relaxation time in SI units
    /// from the direct form.
    pub fn solref(&mut self, attrs: &Attrs, element: &str, contact: &mut ContactProperties) -> Read<()> {
        let node = attrs.node();
        let mut softness = Softness::default();
        let given = attrs.overlay("solref", &mut softness.reference)? > 0;
        attrs.overlay("solimp", &mut softness.impedance)?;
        softness.weight = attrs.number("solmix")?.unwrap_or(1.0);
        for (into, name) in softness.begins.iter_mut().zip(["margin", "gap"]) {
            *into = attrs.number(name)?.unwrap_or(0.0);
        }
        let [first, second] = softness.reference;
        if (first > 0.0) != (second > 0.0) {
            // As in MuJoCo.
            softness.reference = Softness::default().reference;
            self.report.warn(
                node,
                &format!("{element}@solref mixed"),
                "solref has one positive number, so it is neither a time constant and a damping ratio nor minus stiffness and \
                 damping; MuJoCo's default 0.02 1 takes its place",
            )?;
        }
        contact.softness = Some(softness);
        if given && first < 0.0 && second <= 0.0 {
            contact.stiffness = Some(-first);
            contact.relaxation_time = Some(second / first);
            self.report.warn(
                node,
                &format!("{element}@solref direct"),
                "solref in direct form: taken as a contact stiffness in N/m and a relaxation time damping/stiffness; \
                 MuJoCo multiplies both by the effective mass, so they agree for 1 kg (contact_from = mujoco does too)",
            )?;
        }
        Ok(())
    }

    /// The material an element names.
    pub fn material_of(&self, attrs: &Attrs) -> Read<Option<usize>> {
        let Some(name) = attrs.text("material") else { return Ok(None) };
        let found = self.assets.materials.get(name).copied();
        found.map(Some).ok_or_else(|| {
            attrs.node().error(format!("the material \"{name}\" does not exist; define it in asset"))
        })
    }

    /// The colour of an element: its own, or its material's.
    pub fn color(&self, attrs: &Attrs) -> Read<[f32; 4]> {
        let mut rgba = [0.5, 0.5, 0.5, 1.0];
        if attrs.overlay("rgba", &mut rgba)? == 0
            && let Some(material) = self.material_of(attrs)?
        {
            return Ok(self.world.visual.materials[material].color);
        }
        Ok(rgba.map(|x| x as f32))
    }
}

/// The number of dimensions of a contact's friction.
pub fn dimensions(node: &Node, condim: i32) -> Read<u8> {
    match condim {
        1 | 3 | 4 | 6 => Ok(condim as u8),
        other => Err(node.error(format!("condim is {other}; it must be 1, 3, 4 or 6"))),
    }
}
