//! A rigid body over the floor.

use crate::dataset::Sample;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3, Vector6};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use stiction::Model;
use stiction::geometry::{ConvexHull, GeometryError, Shape};
use stiction::model::{GeomRole, Shape as Described};
use stiction_dac::BodyInstant;

/// Gravity of tosses, m/s².
pub const GRAVITY: f64 = 9.81;

/// A convex body by its vertices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TossBody {
    /// What it is.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about the centre of mass, axes of the body, kg m².
    pub inertia: Matrix3<f64>,
    /// Centre of mass in the body frame, m.
    pub com: Vector3<f64>,
    /// Vertices from the centre of mass, axes of the body, m.
    pub vertices: Vec<Vector3<f64>>,
}

/// Where a body is and how it moves. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Centre of mass, m.
    pub com: Vector3<f64>,
    /// Axes of the body.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub spin: Vector3<f64>,
}

impl TossBody {
    /// A uniform box with these sides (m).
    pub fn cuboid(name: &str, sides: [f64; 3], mass: f64) -> Self {
        let s = Vector3::from(sides);
        let q = s.component_mul(&s) * (mass / 12.0);
        let inertia = Matrix3::from_diagonal(&Vector3::new(q.y + q.z, q.x + q.z, q.x + q.y));
        let sign = |bit: usize| if bit == 0 { -0.5 } else { 0.5 };
        let vertices =
            (0..8).map(|k| s.component_mul(&Vector3::new(sign(k & 1), sign(k & 2), sign(k & 4)))).collect();
        Self { name: name.into(), mass, inertia, com: Vector3::zeros(), vertices }
    }

    /// A uniform rectangle in the x–z plane (m): a body that moves in that plane stays in it.
    pub fn rectangle(name: &str, sides: [f64; 2], mass: f64) -> Self {
        let full = Self::cuboid(name, [sides[0], 0.0, sides[1]], mass);
        let corners = [0, 1, 5, 4].map(|k| full.vertices[k]).to_vec();
        Self { vertices: corners, ..full }
    }

    /// The uniform convex hull of points (m).
    pub fn hull(name: &str, points: &[Vector3<f64>], mass: f64) -> Result<Self, GeometryError> {
        let hull = ConvexHull::from_points(points)?;
        let vertices = hull.vertices().to_vec();
        let properties = Shape::Convex(Arc::new(hull)).mass_properties(1.0)?;
        let vertices = vertices.iter().map(|v| v - properties.com).collect();
        let inertia = properties.inertia * (mass / properties.mass);
        Ok(Self { name: name.into(), mass, inertia, com: properties.com, vertices })
    }

    /// A prism over a regular polygon of `corners`, of this circumradius and height (m).
    pub fn prism(name: &str, corners: usize, radius: f64, height: f64, mass: f64) -> Self {
        let points: Vec<_> = (0..2 * corners)
            .map(|k| {
                let angle = std::f64::consts::TAU * (k / 2) as f64 / corners as f64;
                let z = if k % 2 == 0 { -0.5 } else { 0.5 } * height;
                Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
            })
            .collect();
        Self::hull(name, &points, mass).expect("a prism has a volume")
    }

    /// The first body of a model, whose colliding geoms must be boxes or convex meshes.
    pub fn from_model(model: &Model) -> Result<Self, String> {
        let world = model.world();
        let Some(body) = world.bodies.get(1) else { return Err("the model has no body".into()) };
        let mut points = Vec::new();
        for geom in world.geoms.iter().filter(|g| g.body == 1 && g.role != GeomRole::Visual) {
            let place = |p: Vector3<f64>| (geom.pose * nalgebra::Point3::from(p)).coords;
            match &geom.shape {
                Described::Box { half_extents: h } => points.extend((0..8).map(|k: usize| {
                    let s = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
                    place(Vector3::new(s(1) * h.x, s(2) * h.y, s(4) * h.z))
                })),
                Described::Mesh { mesh, convex: true } => {
                    points.extend(world.meshes[*mesh].vertices.iter().map(|v| place(*v)));
                }
                other => {
                    return Err(format!(
                        "body \"{}\" has a {}: tosses take boxes and convex meshes",
                        body.name,
                        other.word()
                    ));
                }
            }
        }
        let hull = ConvexHull::from_points(&points).map_err(|e| format!("body \"{}\": {e}", body.name))?;
        let inertia = &body.inertia;
        let vertices = hull.vertices().iter().map(|v| v - inertia.com).collect();
        let name = world.name.clone();
        Ok(Self { name, mass: inertia.mass, inertia: inertia.rotational, com: inertia.com, vertices })
    }

    /// Inertia about the centre of mass, axes of the world.
    pub fn inertia_w(&self, rotation: &UnitQuaternion<f64>) -> Matrix3<f64> {
        let r = rotation.to_rotation_matrix();
        r.matrix() * self.inertia * r.matrix().transpose()
    }

    /// The body after gravity and its own spin acted for `h` seconds: q̇⁽¹⁾ (Algorithm 1, line 1).
    pub fn free(&self, motion: &Motion, h: f64) -> BodyInstant {
        let inertia_w = self.inertia_w(&motion.rotation);
        // Angular momentum is kept and the body turns under it, which stays bounded at any spin.
        let momentum = inertia_w * motion.spin;
        let turned = UnitQuaternion::from_scaled_axis(motion.spin * h) * motion.rotation;
        let spin = self.inertia_w(&turned).cholesky().map_or(motion.spin, |c| c.solve(&momentum));
        let linear = motion.linear - Vector3::z() * (GRAVITY * h);
        let twist = Vector6::new(spin.x, spin.y, spin.z, linear.x, linear.y, linear.z);
        BodyInstant { mass: self.mass, inertia_w, com: motion.com, twist }
    }

    /// Vertices in the world, m.
    pub fn vertices_w(&self, motion: &Motion) -> impl Iterator<Item = Vector3<f64>> + '_ {
        let (rotation, com) = (motion.rotation.to_rotation_matrix(), motion.com);
        self.vertices.iter().map(move |v| com + rotation * v)
    }

    /// Height of the lowest vertex, m.
    pub fn lowest(&self, motion: &Motion) -> f64 {
        self.vertices_w(motion).map(|v| v.z).fold(f64::INFINITY, f64::min)
    }

    /// A motion as a free body's sample.
    pub fn sample(&self, time: f64, motion: &Motion) -> Sample {
        let lever = motion.rotation * self.com;
        let (p, r) = (motion.com - lever, motion.rotation);
        let v = motion.linear - motion.spin.cross(&lever);
        let w = r.inverse() * motion.spin;
        Sample { time, q: vec![p.x, p.y, p.z, r.w, r.i, r.j, r.k], v: vec![v.x, v.y, v.z, w.x, w.y, w.z] }
    }

    /// The motion of a free body's sample.
    pub fn motion(&self, sample: &Sample) -> Motion {
        let (q, v) = (&sample.q, &sample.v);
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
        let lever = rotation * self.com;
        let spin = rotation * Vector3::new(v[3], v[4], v[5]);
        Motion {
            com: Vector3::new(q[0], q[1], q[2]) + lever,
            rotation,
            linear: Vector3::new(v[0], v[1], v[2]) + spin.cross(&lever),
            spin,
        }
    }
}
