//! What only pictures show: materials, cameras, lights, where to look.

use crate::{Pose, Source, Vec3};
use serde::{Deserialize, Serialize};

/// How a surface looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name.
    pub name: String,
    /// Red, green, blue, opacity, each 0 to 1; a texture's mean colour is multiplied in.
    pub color: [f32; 4],
    /// Strength of highlights, 0 to 1.
    pub specular: f32,
    /// Sharpness of highlights, 0 to 1.
    pub shininess: f32,
    /// Mirror reflection, 0 to 1.
    pub reflectance: f32,
    /// Light given off, in units of the colour.
    pub emission: f32,
    /// How metallic it looks, 0 to 1, if said.
    pub metallic: Option<f32>,
    /// How rough it looks, 0 to 1, if said.
    pub roughness: Option<f32>,
}

/// A camera fixed to a body. It looks along −z of its frame, y up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Name.
    pub name: String,
    /// Index of the body.
    pub body: usize,
    /// Pose in the body frame.
    pub pose: Pose,
    /// Vertical field of view, rad.
    pub field_of_view: f64,
    /// Where it came from.
    pub source: Source,
}

/// A light fixed to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Light {
    /// Index of the body.
    pub body: usize,
    /// Position in the body frame, m.
    pub position: Vec3,
    /// Direction in the body frame.
    pub direction: Vec3,
    /// Whether its rays are parallel, as the sun's.
    pub directional: bool,
    /// Red, green, blue, each 0 to 1.
    pub color: [f32; 3],
}

/// What only pictures show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Visual {
    /// Materials that geoms refer to.
    pub materials: Vec<Material>,
    /// Cameras.
    pub cameras: Vec<Camera>,
    /// Lights.
    pub lights: Vec<Light>,
    /// The point to look at, world, m.
    pub center: Option<Vec3>,
    /// Half the size of what there is to see, m.
    pub extent: Option<f64>,
    /// Direction from which to look: angle about z, rad.
    pub azimuth: Option<f64>,
    /// Direction from which to look: angle above the horizon, rad; negative looks down.
    pub elevation: Option<f64>,
}
