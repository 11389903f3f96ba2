//! The world: everything that a file describes.

use crate::{
    Actuator, Body, Equality, FrictionRule, Geom, HeightField, Joint, Mesh, Pose, Shape, Source, Vec3,
    Warning,
};
use serde::{Deserialize, Serialize};

/// What holds for the whole world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Acceleration of gravity, m/s².
    pub gravity: Vec3,
    /// Step the file asks for, s.
    pub step: Option<f64>,
    /// How friction coefficients combine.
    pub friction_rule: FrictionRule,
    /// Whether bodies joined to each other may collide. World-fixed parents always collide.
    pub parent_child_collide: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            step: None,
            friction_rule: FrictionRule::default(),
            parent_child_collide: false,
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
    /// Where it came from.
    pub source: Source,
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
    /// Where it came from.
    pub source: Source,
}

/// The plain description of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Name of the model.
    pub name: String,
    /// What holds for all of it.
    pub options: Options,
    /// Bodies, parents before children, depth first; body 0 is the world itself.
    pub bodies: Vec<Body>,
    /// Geoms, in the order of the file.
    pub geoms: Vec<Geom>,
    /// Named frames.
    pub sites: Vec<Site>,
    /// Triangle meshes that geoms refer to.
    pub meshes: Vec<Mesh>,
    /// Height fields that geoms refer to.
    pub height_fields: Vec<HeightField>,
    /// Actuators; their order is that of the control vector.
    pub actuators: Vec<Actuator>,
    /// Couplings.
    pub equalities: Vec<Equality>,
    /// Pairs of bodies that never touch, by index.
    pub exclusions: Vec<(usize, usize)>,
    /// Named states.
    pub keyframes: Vec<Keyframe>,
    /// What a reader could not honour.
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
            equalities: Vec::new(),
            exclusions: Vec::new(),
            keyframes: Vec::new(),
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
