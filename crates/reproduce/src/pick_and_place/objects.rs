//! Ten things to sort: five hard, five soft.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use stiction::Model;
use stiction::model::Shape;

/// One of the things.
pub struct Kind {
    pub name: &'static str,
    /// Hydroelastic modulus, Pa; none for a rigid one.
    pub modulus: Option<f64>,
    /// What the geom is, as attributes of MJCF.
    geom: &'static str,
    /// Mass, kg.
    mass: f64,
    color: &'static str,
}

const fn hard(name: &'static str, geom: &'static str, mass: f64) -> Kind {
    Kind { name, modulus: None, geom, mass, color: "0.35 0.5 0.75 1" }
}

const fn soft(name: &'static str, modulus: f64, geom: &'static str, mass: f64) -> Kind {
    Kind { name, modulus: Some(modulus), geom, mass, color: "0.93 0.62 0.28 1" }
}

/// All of them: each another shape, or size.
pub const ALL: [Kind; 10] = [
    hard("block", r#"type="box" size="0.02 0.016 0.028""#, 0.06),
    soft("ball", 1e5, r#"type="sphere" size="0.026""#, 0.03),
    hard("can", r#"type="cylinder" size="0.018 0.03""#, 0.08),
    soft("star", 2e5, r#"type="mesh" mesh="star""#, 0.04),
    hard("pill", r#"type="capsule" size="0.016 0.022""#, 0.05),
    soft("sponge", 5e4, r#"type="box" size="0.03 0.02 0.018""#, 0.02),
    hard("egg", r#"type="ellipsoid" size="0.028 0.02 0.017""#, 0.06),
    soft("cork", 1.5e5, r#"type="cylinder" size="0.02 0.022""#, 0.03),
    hard("marble", r#"type="sphere" size="0.02""#, 0.05),
    soft("lemon", 1e5, r#"type="ellipsoid" size="0.032 0.022 0.02""#, 0.04),
];

/// A plus of two crossed bars, 60 mm long, 20 mm wide and 28 mm high: not convex.
pub fn star() -> String {
    let (a, b, h) = (0.01, 0.03, 0.014);
    let profile = [
        (b, -a),
        (b, a),
        (a, a),
        (a, b),
        (-a, b),
        (-a, a),
        (-b, a),
        (-b, -a),
        (-a, -a),
        (-a, -b),
        (a, -b),
        (a, -a),
    ];
    let point = |z: f64| profile.iter().map(move |(x, y)| format!("{x} {y} {z}")).collect::<Vec<_>>();
    let vertices = [point(-h), point(h)].concat().join(" ");
    let mut faces = Vec::new();
    let squares = [[0, 1, 2, 11], [2, 3, 4, 5], [5, 6, 7, 8], [8, 9, 10, 11], [2, 5, 8, 11]];
    for [i, j, k, l] in squares {
        faces.extend([[i + 12, j + 12, k + 12], [i + 12, k + 12, l + 12]]);
        faces.extend([[i, k, j], [i, l, k]]);
    }
    for i in 0..12 {
        let j = (i + 1) % 12;
        faces.extend([[i, j, j + 12], [i, j + 12, i + 12]]);
    }
    let faces: Vec<String> = faces.iter().map(|[i, j, k]| format!("{i} {j} {k}")).collect();
    format!("<mesh name=\"star\" vertex=\"{vertices}\" face=\"{}\"/>", faces.join(" "))
}

impl Kind {
    /// The body, at a place and turned by the angles (rad) about x and z.
    pub fn body(&self, [x, y, z]: [f64; 3], tilt: f64, yaw: f64) -> String {
        let q = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw)
            * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tilt);
        let contact = self.modulus.map_or(String::new(), |modulus| {
            format!(
                "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"{modulus}\"/>\
                 <drake:hunt_crossley_dissipation value=\"20\"/><drake:mesh_resolution_hint value=\"0.02\"/></drake:proximity_properties>"
            )
        });
        format!(
            "<body name=\"{0}\" pos=\"{x} {y} {z}\" quat=\"{1:.4} {2:.4} {3:.4} {4:.4}\"><freejoint name=\"{0}\"/>\
             <geom name=\"{0}\" {5} mass=\"{6}\" friction=\"0.5\" rgba=\"{7}\">{contact}</geom></body>\n",
            self.name, q.w, q.i, q.j, q.k, self.geom, self.mass, self.color
        )
    }
}

/// How far a geom at a pose reaches along a unit vector from its origin, m.
pub fn reach(model: &Model, geom: usize, x_wg: &Isometry3<f64>, along: &Vector3<f64>) -> f64 {
    let d = x_wg.rotation.inverse() * along;
    let flat = d.x.hypot(d.y);
    match model.world().geoms[geom].shape {
        Shape::Box { half_extents: h } => h.dot(&d.abs()),
        Shape::Sphere { radius } => radius,
        Shape::Capsule { radius, half_length } => radius + half_length * d.z.abs(),
        Shape::Cylinder { radius, half_length } => radius * flat + half_length * d.z.abs(),
        Shape::Ellipsoid { radii } => radii.component_mul(&d).norm(),
        Shape::Mesh { mesh, .. } => {
            model.world().meshes[mesh].vertices.iter().map(|v| v.dot(&d)).fold(0.0, f64::max)
        }
        _ => 0.0,
    }
}
