//! Data for pictures only: materials, cameras, lights, where to look.

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
    /// Width and height of its picture, pixels.
    pub resolution: [u32; 2],
    /// Horizontal and vertical focal length, pixels; `None` is that of the field of view.
    pub focal: Option<[f64; 2]>,
    /// Where it came from.
    pub source: Source,
}

impl Camera {
    /// Where its picture shows a point given in its frame (m): pixels from the left and from the top. Points behind it
    /// are mirrored; those in its own plane are far away.
    pub fn project(&self, point: &Vec3) -> [f64; 2] {
        let [width, height] = self.resolution.map(f64::from);
        let [fx, fy] = self.focal.unwrap_or([0.5 * height / (0.5 * self.field_of_view).tan(); 2]);
        let least = 1e-15_f64.copysign(point.z);
        let depth = if point.z.abs() < 1e-15 { least } else { point.z };
        [0.5 * width - fx * point.x / depth, 0.5 * height + fy * point.y / depth]
    }
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

/// Data for pictures only.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(focal: Option<[f64; 2]>) -> Camera {
        Camera {
            name: String::new(),
            body: 0,
            pose: Pose::identity(),
            field_of_view: std::f64::consts::FRAC_PI_2,
            resolution: [640, 480],
            focal,
            source: Source::default(),
        }
    }

    #[test]
    fn the_edge_of_the_field_of_view_is_the_edge_of_the_picture() {
        let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9;
        let c = camera(None);
        assert!(near(c.project(&Vec3::new(0.0, 0.0, -3.0)), [320.0, 240.0]));
        assert!(near(c.project(&Vec3::new(0.0, 2.0, -2.0)), [320.0, 0.0]), "up is the top row");
        assert!(near(c.project(&Vec3::new(2.0, 0.0, -2.0)), [560.0, 240.0]), "square pixels");
        assert!(near(camera(Some([100.0, 50.0])).project(&Vec3::new(1.0, 1.0, -2.0)), [370.0, 215.0]));
        assert!(c.project(&Vec3::new(1.0, 1.0, 0.0)).iter().all(|x| x.is_finite()));
    }
}
