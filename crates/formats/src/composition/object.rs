//! A mesh file as a body with one geom.

use crate::error::{FormatError, Read};
use crate::files::{Files, file_name, folder, join};
use crate::mass::{self, MeshFill};
use crate::mesh;
use stiction_geometry::quickhull::convex_hull;
use stiction_model::{
    Body, Compliance, ContactProperties, Geom, Joint, JointKind, Mesh, Pose, Shape, Source, Vec3, World,
};

/// How a mesh becomes a body.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshObject {
    /// Factors along the axes of the file, such as 0.001 for a file in millimetres.
    pub scale: Vec3,
    /// Mass, kg; by default that of the density.
    pub mass: Option<f64>,
    /// Density, kg/m³; that of water by default.
    pub density: f64,
    /// Whether it collides as its convex hull; by default as its surface, and a convex mesh as its hull.
    pub hull: bool,
    /// Contact properties. If they do not say whether it is compliant, a solid whose field is a pressure is, and so is an object with
    /// a modulus.
    pub contact: ContactProperties,
}

impl Default for MeshObject {
    fn default() -> Self {
        Self {
            scale: Vec3::repeat(1.0),
            mass: None,
            density: 1000.0,
            hull: false,
            contact: ContactProperties::default(),
        }
    }
}

impl MeshObject {
    /// A world with the mesh as its only body, which is free. An empty name stands for that of the file.
    pub fn world(&self, path: &str, files: &dyn Files, name: &str) -> Read<World> {
        let fail = |reason: String| FormatError::File { path: path.into(), reason };
        let file = file_name(path);
        let stem = file.rfind('.').map_or(file, |dot| &file[..dot]);
        let name = if name.is_empty() { stem } else { name };
        let bytes = files.read(path).map_err(|reason| fail(format!("{reason}; check the path")))?;
        let beside = |other: &str| {
            let path = join(folder(path), other);
            files.read(&path).map_err(|reason| format!("{path} {reason}"))
        };
        let mut mesh = mesh::read_part(path, &bytes, None, &beside).map_err(fail)?;
        mesh::scale(&mut mesh, &self.scale).map_err(fail)?;
        mesh.name = file.into();
        mesh.source = Source::new(path, "mesh", 0);
        let convex = self.hull || mesh::is_convex(&mesh);
        let volume = volume(&mesh, self.hull).map_err(fail)?;
        for (what, value) in [("mass", self.mass.unwrap_or(1.0)), ("density", self.density)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(fail(format!("{what} = {value}: give a positive number")));
            }
        }
        let density = self.mass.map_or(self.density, |mass| mass / volume.measure);
        let mut world = World::new(name);
        let mut body = Body::new(name, 0);
        body.inertia = mass::place(&volume, density, &Pose::identity());
        body.source = mesh.source.clone();
        body.joints.push(Joint::new(format!("{name}_free"), JointKind::Free));
        world.bodies.push(body);
        let mut geom = Geom::new(name, 1, Shape::Mesh { mesh: 0, convex });
        geom.contact = self.contact(&mesh).map_err(fail)?;
        geom.color = mesh::color(path, &bytes, &beside).unwrap_or(geom.color);
        geom.source = mesh.source.clone();
        world.geoms.push(geom);
        world.meshes.push(mesh.into());
        Ok(world)
    }
}

impl MeshObject {
    /// Contact properties of the mesh: a solid whose field is a pressure, or an object with a modulus, is compliant.
    fn contact(&self, mesh: &Mesh) -> Result<ContactProperties, String> {
        let mut contact = self.contact;
        let field = mesh.tetrahedra.as_ref().map(|tetrahedra| tetrahedra.modulus);
        if contact.compliance == Compliance::Unspecified
            && (contact.hydroelastic_modulus.is_some() || field.flatten().is_some())
        {
            if self.hull {
                return Err("a convex hull has no pressure field: leave out hull, or the modulus".into());
            }
            contact.compliance = Compliance::Compliant;
        }
        Ok(contact)
    }
}

/// Volume, centroid and inertia of what the mesh bounds.
fn volume(mesh: &Mesh, hull: bool) -> Result<mass::Solid, String> {
    if let Some(solid) = mass::tetrahedra(mesh) {
        return Ok(solid);
    }
    if hull {
        let triangles =
            convex_hull(&mesh.vertices).ok_or("its vertices lie in one plane: it has no volume")?;
        let hull = Mesh { triangles, ..mesh.clone() };
        return mass::mesh(&hull, MeshFill::Exact).ok_or_else(|| "its convex hull has no volume".into());
    }
    let remedy = "close it (stiction mesh tells where it is open), or let it collide as its convex hull";
    if !mesh::is_closed(mesh) {
        return Err(format!("the surface is not closed, so that no mass follows from it: {remedy}"));
    }
    mass::mesh(mesh, MeshFill::Exact)
        .ok_or_else(|| format!("the surface has no volume, or faces inwards: {remedy}"))
}
