//! The largest world that is made. A short file can ask for a large one; it is refused before memory is taken.

use crate::validate::fail;
use crate::{ModelError, Shape, World};

/// Largest numbers of a world, in its [`Options`](crate::Options). They are not saved with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeLimits {
    /// Bodies.
    pub bodies: usize,
    /// Geoms.
    pub geoms: usize,
    /// Velocity coordinates of one tree of bodies: its mass matrix has the square of that many numbers, of 8 bytes, and a
    /// simulation keeps about three such matrices.
    pub tree_coordinates: usize,
    /// Heights of one height field, which take about 600 bytes each.
    pub field_points: usize,
    /// Vertices of a mesh that collides as its convex hull.
    pub hull_points: usize,
    /// Triangles of one mesh that collides as it is, which take about 300 bytes each.
    pub mesh_triangles: usize,
}

impl Default for SizeLimits {
    fn default() -> Self {
        Self {
            bodies: 1_000_000,
            geoms: 1_000_000,
            tree_coordinates: 12_000,
            field_points: 5_000_000,
            hull_points: 1_000_000,
            mesh_triangles: 10_000_000,
        }
    }
}

impl SizeLimits {
    /// The names of the limits.
    pub const NAMES: [&str; 6] =
        ["bodies", "geoms", "tree-coordinates", "field-points", "hull-points", "mesh-triangles"];

    /// The limit of a name.
    pub fn named(&mut self, name: &str) -> Option<&mut usize> {
        Some(match name {
            "bodies" => &mut self.bodies,
            "geoms" => &mut self.geoms,
            "tree-coordinates" => &mut self.tree_coordinates,
            "field-points" => &mut self.field_points,
            "hull-points" => &mut self.hull_points,
            "mesh-triangles" => &mut self.mesh_triangles,
            _ => return None,
        })
    }

    /// What to say of a number above a limit.
    pub fn exceeded(name: &str, what: &str, found: usize, limit: usize) -> String {
        format!("{what} {found}, more than the limit {name} of {limit}; make it smaller or raise the limit")
    }
}

impl World {
    /// Fails if the world is larger than its limits allow.
    pub fn check_size(&self) -> Result<(), ModelError> {
        let limits = &self.options.limits;
        let world = || format!("world \"{}\"", self.name);
        let more = |name, what: &str, found: usize, limit: usize| {
            (found > limit).then(|| SizeLimits::exceeded(name, what, found, limit))
        };
        for (name, what, found, limit) in [
            ("bodies", "its bodies are", self.bodies.len(), limits.bodies),
            ("geoms", "its geoms are", self.geoms.len(), limits.geoms),
        ] {
            if let Some(message) = more(name, what, found, limit) {
                return Err(fail(&Default::default(), world(), message));
            }
        }
        for field in &self.height_fields {
            let found = field.rows.saturating_mul(field.columns).max(field.heights.len());
            if let Some(message) = more("field-points", "its heights are", found, limits.field_points) {
                return Err(fail(&field.source, format!("height field \"{}\"", field.name), message));
            }
        }
        for geom in &self.geoms {
            let Shape::Mesh { mesh, convex } = geom.shape else { continue };
            let Some(mesh) = self.meshes.get(mesh) else { continue };
            let message = if convex {
                more("hull-points", "the vertices of its hull are", mesh.vertices.len(), limits.hull_points)
            } else {
                let found = mesh.triangles.len();
                more("mesh-triangles", "the triangles of its mesh are", found, limits.mesh_triangles)
            };
            if let Some(message) = message {
                return Err(fail(&geom.source, format!("geom \"{}\"", geom.name), message));
            }
        }
        self.check_trees(limits.tree_coordinates)
    }

    /// Parents come before their children.
    fn check_trees(&self, limit: usize) -> Result<(), ModelError> {
        let (mut roots, mut counts) = (vec![0; self.bodies.len()], vec![0; self.bodies.len()]);
        for (b, body) in self.bodies.iter().enumerate().skip(1) {
            let parent = body.parent.filter(|&p| p < b).unwrap_or(0);
            roots[b] = if parent == 0 { b } else { roots[parent] };
            counts[roots[b]] += body.joints.iter().map(|j| j.kind.nv()).sum::<usize>();
        }
        match counts.iter().position(|&count| count > limit) {
            Some(root) => {
                let what = "the velocity coordinates of its tree are";
                let message = SizeLimits::exceeded("tree-coordinates", what, counts[root], limit);
                let body = &self.bodies[root];
                Err(fail(&body.source, format!("body \"{}\"", body.name), message))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, HeightField, Joint, JointKind, Vec3};

    #[test]
    fn every_limit_has_a_name_and_what_is_above_it_is_refused_under_that_name() {
        let mut world = World::new("w");
        world.bodies.push(Body::new("root", 0));
        world.bodies.push(Body::new("link", 1));
        for (b, kind) in [(1, JointKind::Ball), (2, JointKind::Hinge { axis: Vec3::x() })] {
            world.bodies[b].joints.push(Joint::new("j", kind));
        }
        let mut field = HeightField::default();
        (field.rows, field.columns) = (3, 4);
        world.height_fields.push(field.into());
        assert_eq!(world.check_size(), Ok(()));
        for (name, size) in [("bodies", 3), ("tree-coordinates", 4), ("field-points", 12)] {
            *world.options.limits.named(name).unwrap() = size;
            assert_eq!(world.check_size(), Ok(()), "{name}");
            *world.options.limits.named(name).unwrap() = size - 1;
            let error = world.check_size().unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(&size.to_string()), "{error}");
            world.options.limits = SizeLimits::default();
        }
        for name in SizeLimits::NAMES {
            *world.options.limits.named(name).unwrap() = 7;
        }
        assert!(world.options.limits.named("memory").is_none());
    }
}
