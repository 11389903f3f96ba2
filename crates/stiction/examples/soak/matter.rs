//! Shapes and contact properties of bodies.

use crate::random::{Draw, Random};
use nalgebra::{Matrix3, Vector3};
use stiction::model::{Compliance, Geom, HeightField, Inertia, Mesh, Shape, World};

/// Common properties of the geoms of a scene.
pub struct Matter {
    /// Point stiffness of a geom, N/m, before its own factor of a tenth to ten.
    pub stiffness: f64,
    /// Modulus of compliant geoms, Pa, likewise.
    pub modulus: f64,
    pub dissipation: f64,
    pub friction: f64,
    /// Number of compliant geoms out of 10.
    pub compliant: usize,
}

impl Matter {
    pub fn draw(random: &mut Random) -> Self {
        Self {
            stiffness: 2.0 * random.decades(1e4, 1e12),
            modulus: random.decades(1e4, 1e11),
            dissipation: if random.one_in(4) { 0.0 } else { random.decades(1.0, 100.0) },
            friction: [0.0, random.range(0.0, 1.0), random.range(0.0, 2.0), 10.0][random.modulo(4)],
            compliant: [0, 0, 2, 5, 10][random.modulo(5)],
        }
    }

    /// A geom with these properties.
    pub fn geom(&self, random: &mut Random, name: String, body: usize, shape: Shape) -> Geom {
        let mut geom = Geom::new(name, body, shape);
        let contact = &mut geom.contact;
        contact.stiffness = Some((self.stiffness * random.decades(0.1, 10.0)).min(2e12));
        contact.dissipation = Some(self.dissipation);
        contact.relaxation_time = Some([1e-4, 1e-2][random.modulo(2)]);
        contact.static_friction = Some(self.friction * [1.0, 1.3][random.modulo(2)]);
        contact.dynamic_friction = Some(self.friction);
        let field = matches!(shape, Shape::HeightField { .. } | Shape::Mesh { convex: false, .. });
        if random.modulo(10) < self.compliant && !field {
            contact.compliance = Compliance::Compliant;
            contact.hydroelastic_modulus = Some(self.modulus * random.decades(0.1, 10.0));
            contact.resolution_hint = Some(random.range(0.05, 0.1));
            contact.slab_thickness = Some(0.1);
        }
        geom
    }
}

/// A shape of size about 0.05 to 0.15 m.
pub fn shape(random: &mut Random, world: &mut World) -> Shape {
    let size = |r: &mut Random| r.range(0.04, 0.12);
    match random.modulo(13) {
        0 | 1 => Shape::Sphere { radius: size(random) },
        2 | 3 => Shape::Box { half_extents: Vector3::from_fn(|_, _| size(random)) },
        4 | 5 => Shape::Capsule { radius: size(random), half_length: size(random) },
        6 | 7 => Shape::Cylinder { radius: size(random), half_length: size(random) },
        8 | 9 => Shape::Ellipsoid { radii: Vector3::from_fn(|_, _| size(random)) },
        10 | 11 => {
            let vertices = (0..12).map(|_| random.direction() * size(random)).collect();
            let name = format!("rock {}", world.meshes.len());
            world.meshes.push(Mesh { name, vertices, ..Mesh::default() }.into());
            Shape::Mesh { mesh: world.meshes.len() - 1, convex: true }
        }
        _ => {
            world.meshes.push(angle(size(random), format!("angle {}", world.meshes.len())).into());
            Shape::Mesh { mesh: world.meshes.len() - 1, convex: false }
        }
    }
}

/// A prism over an L, of size `s`: not convex.
fn angle(s: f64, name: String) -> Mesh {
    let outline = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let vertices = [-0.5, 0.5]
        .iter()
        .flat_map(|z| outline.iter().map(move |[x, y]| Vector3::new(s * (x - 0.8), s * (y - 0.8), s * z)));
    let mut triangles = Vec::new();
    for [a, b, c] in [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.push([a + 6, b + 6, c + 6]);
        triangles.push([a, c, b]);
    }
    for k in 0..6_u32 {
        let next = (k + 1) % 6;
        triangles.push([k, next, next + 6]);
        triangles.push([k, next + 6, k + 6]);
    }
    Mesh { name, vertices: vertices.collect(), triangles, ..Mesh::default() }
}

/// A bumpy floor of heights up to 5 cm.
pub fn bumps(random: &mut Random) -> HeightField {
    let heights = (0..18 * 18).map(|_| random.range(0.0, 0.05)).collect();
    HeightField {
        name: "bumps".into(),
        rows: 18,
        columns: 18,
        half_extents: [2.5, 2.5],
        heights,
        base: 0.5,
        ..HeightField::default()
    }
}

/// Mass properties over six decades, of a size of some 6 cm.
pub fn inertia(random: &mut Random) -> Inertia {
    let mass = random.decades(1e-3, 1e3);
    let moments = Vector3::from_fn(|_, _| random.range(0.003, 0.005) * mass);
    Inertia { mass, com: random.vector(0.005), rotational: Matrix3::from_diagonal(&moments) }
}
