//! The world: everything that a file describes.

use crate::{
    Actuator, Body, Bushing, ContactCalibration, ContactCone, ContactPair, Equality, FrictionRule, Geom,
    HeightField, Joint, Medium, Mesh, Pose, Sensor, Shape, SizeLimits, Source, Tendon, Vec3, Visual, Warning,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Options of the whole world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Acceleration of gravity, m/s².
    pub gravity: Vec3,
    /// Step the file asks for, s.
    pub step: Option<f64>,
    /// How friction coefficients combine.
    pub friction_rule: FrictionRule,
    /// How contact is computed; `None` for the plain law.
    pub contact_law: Option<ContactCalibration>,
    /// Friction cone of MuJoCo, for those who ask for the contact of the file.
    pub cone: ContactCone,
    /// Medium around the bodies.
    pub medium: Medium,
    /// Magnetic field, in whatever unit magnetometers are to read.
    pub magnetic_field: Vec3,
    /// Whether bodies joined to each other may collide. World-fixed parents always collide.
    pub parent_child_collide: bool,
    /// The largest world that is made.
    #[serde(skip)]
    pub limits: SizeLimits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            step: None,
            friction_rule: FrictionRule::default(),
            contact_law: None,
            cone: ContactCone::default(),
            medium: Medium::default(),
            magnetic_field: Vec3::new(0.0, -0.5, 0.0),
            parent_child_collide: false,
            limits: SizeLimits::default(),
        }
    }
}

/// A named frame fixed to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Name.
    pub name: String,
    /// Index of the body.
    pub body: usize,
    /// Pose in the body frame.
    pub pose: Pose,
    /// Volume of touch sensors, and what is drawn; no half-space, mesh or height field.
    pub shape: Shape,
    /// Red, green, blue, opacity, each 0 to 1.
    pub color: [f32; 4],
    /// Group by which pictures show or hide it.
    pub group: i32,
    /// Where it came from.
    pub source: Source,
}

impl Site {
    /// A small grey ball at the body's origin.
    pub fn new(name: impl Into<String>, body: usize) -> Self {
        Self {
            name: name.into(),
            body,
            pose: Pose::identity(),
            shape: Shape::Sphere { radius: 0.005 },
            color: [0.5, 0.5, 0.5, 1.0],
            group: 0,
            source: Source::default(),
        }
    }
}

/// A named state. Empty vectors mean the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Keyframe {
    /// Name; may be empty.
    pub name: String,
    /// Time, s.
    pub time: f64,
    /// Positions, in the layout of the compiled model.
    pub qpos: Vec<f64>,
    /// Velocities.
    pub qvel: Vec<f64>,
    /// Controls.
    pub ctrl: Vec<f64>,
    /// Activations, one for each actuator that has one.
    pub activation: Vec<f64>,
    /// Poses of the mocap bodies.
    pub mocap: Vec<Pose>,
    /// Where it came from.
    pub source: Source,
}

/// The plain description of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Name of the model.
    pub name: String,
    /// Options of the whole world.
    pub options: Options,
    /// Bodies, parents before children, depth first; body 0 is the world itself.
    pub bodies: Vec<Body>,
    /// Geoms, in the order of the file.
    pub geoms: Vec<Geom>,
    /// Named frames.
    pub sites: Vec<Site>,
    /// Triangle meshes that geoms refer to; copies of the world share them.
    #[serde(with = "shared")]
    pub meshes: Vec<Arc<Mesh>>,
    /// Height fields that geoms refer to, shared likewise.
    #[serde(with = "shared")]
    pub height_fields: Vec<Arc<HeightField>>,
    /// Actuators; their order is that of the control vector.
    pub actuators: Vec<Actuator>,
    /// Tendons.
    pub tendons: Vec<Tendon>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Couplings.
    pub equalities: Vec<Equality>,
    /// Springs and dampers in six directions between bodies.
    pub bushings: Vec<Bushing>,
    /// Pairs of geoms with contact properties of their own.
    pub pairs: Vec<ContactPair>,
    /// Pairs of bodies that never touch, by index.
    pub exclusions: Vec<(usize, usize)>,
    /// Named states.
    pub keyframes: Vec<Keyframe>,
    /// Materials, cameras and lights: they change pictures only.
    pub visual: Visual,
    /// Elements and attributes that a reader could not honour.
    pub warnings: Vec<Warning>,
}

impl World {
    /// A world with nothing in it but the world body.
    pub fn new(name: impl Into<String>) -> Self {
        let mut ground = Body::new("world", 0);
        ground.parent = None;
        Self {
            name: name.into(),
            options: Options::default(),
            bodies: vec![ground],
            geoms: Vec::new(),
            sites: Vec::new(),
            meshes: Vec::new(),
            height_fields: Vec::new(),
            actuators: Vec::new(),
            tendons: Vec::new(),
            sensors: Vec::new(),
            equalities: Vec::new(),
            bushings: Vec::new(),
            pairs: Vec::new(),
            exclusions: Vec::new(),
            keyframes: Vec::new(),
            visual: Visual::default(),
            warnings: Vec::new(),
        }
    }

    /// All joints with the body they belong to, in the order of the coordinates.
    pub fn joints(&self) -> impl Iterator<Item = (usize, &Joint)> {
        self.bodies.iter().enumerate().flat_map(|(b, body)| body.joints.iter().map(move |j| (b, j)))
    }

    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        self.joints().map(|(_, j)| j.kind.nq()).sum()
    }

    /// Number of velocity coordinates.
    pub fn nv(&self) -> usize {
        self.joints().map(|(_, j)| j.kind.nv()).sum()
    }

    /// Number of control inputs.
    pub fn nu(&self) -> usize {
        self.actuators.len()
    }

    /// Number of activations.
    pub fn na(&self) -> usize {
        self.actuators.iter().filter(|a| a.activates()).count()
    }

    /// The word used for a shape in reports; unlike [`Shape::word`] it tells solids from surfaces.
    pub fn shape_word(&self, shape: &Shape) -> &'static str {
        match *shape {
            Shape::Mesh { mesh, .. } if self.meshes.get(mesh).is_some_and(|m| m.tetrahedra.is_some()) => {
                "tetrahedral mesh"
            }
            _ => shape.word(),
        }
    }

    /// Index of the body of this name.
    pub fn body_index(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|b| b.name == name)
    }
}

/// Data that copies of a world share is written and read as if each copy had its own.
mod shared {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub fn serialize<T: Serialize, S: Serializer>(list: &[Arc<T>], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(list.iter().map(|item| &**item))
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Arc<T>>, D::Error> {
        Ok(Vec::<T>::deserialize(from)?.into_iter().map(Arc::new).collect())
    }
}
