//! Where a picture is taken from.

use crate::error::PictureError;
use nalgebra::{Isometry3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use stiction::model::Camera;

/// Vertical field of view of a free camera, rad.
const FIELD_OF_VIEW: f64 = 0.66;

/// Where to look from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Viewpoint {
    /// From the direction that the model asks for, so that everything which moves fills the picture.
    #[default]
    Fitted,
    /// A camera of the model, by name or number.
    Camera(String),
    /// A free camera.
    Free(FreeCamera),
}

/// A camera that looks at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeCamera {
    /// The point that it looks at, m.
    pub target: [f64; 3],
    /// Distance from it, m.
    pub distance: f64,
    /// Angle of the direction of view about z, rad: at 0 it looks along x.
    pub azimuth: f64,
    /// Angle of the direction of view above the horizon, rad; a negative one looks down.
    pub elevation: f64,
    /// Vertical field of view, rad.
    pub field_of_view: f64,
}

impl Default for FreeCamera {
    fn default() -> Self {
        Self {
            target: [0.0; 3],
            distance: 1.0,
            azimuth: 117_f64.to_radians(),
            elevation: -25_f64.to_radians(),
            field_of_view: FIELD_OF_VIEW,
        }
    }
}

impl FreeCamera {
    /// Checks that a picture can be taken.
    pub fn check(&self) -> Result<(), PictureError> {
        let numbers = [self.distance, self.azimuth, self.elevation, self.field_of_view];
        if !numbers.iter().chain(&self.target).all(|x| x.is_finite()) {
            return Err(PictureError::Camera("its numbers must be finite".into()));
        }
        if self.distance <= 0.0 {
            return Err(PictureError::Camera(format!("distance {}: give a positive number", self.distance)));
        }
        if !(self.field_of_view > 0.0 && self.field_of_view < std::f64::consts::PI) {
            let angle = self.field_of_view;
            return Err(PictureError::Camera(format!(
                "field_of_view {angle}: give an angle between 0 and π"
            )));
        }
        Ok(())
    }

    /// The direction in which it looks.
    pub fn direction(&self) -> Vector3<f64> {
        let (sine, cosine) = self.elevation.sin_cos();
        Vector3::new(cosine * self.azimuth.cos(), cosine * self.azimuth.sin(), sine)
    }

    pub(crate) fn eye(&self) -> Eye {
        let direction = self.direction();
        let target = Vector3::from(self.target);
        Eye {
            pose: looking(target - self.distance * direction, direction),
            focal: Focal::Angle(self.field_of_view),
            depth: self.distance,
        }
    }
}

/// How wide a camera sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Focal {
    /// Vertical field of view, rad.
    Angle(f64),
    /// Horizontal and vertical focal length over the height of the picture.
    Lengths([f64; 2]),
}

/// A camera in the world: it looks along −z of its frame, y up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Eye {
    pub pose: Isometry3<f64>,
    pub focal: Focal,
    /// Distance at which things are that matter, m.
    pub depth: f64,
}

impl Eye {
    /// A camera of the model whose body has this pose.
    pub fn of(camera: &Camera, body: &Isometry3<f64>, depth: f64) -> Self {
        let height = f64::from(camera.resolution[1]);
        let focal = match camera.focal {
            Some([fx, fy]) => Focal::Lengths([fx / height, fy / height]),
            None => Focal::Angle(camera.field_of_view),
        };
        Self { pose: body * camera.pose, focal, depth }
    }

    /// Horizontal and vertical focal length of a picture of this height, pixels.
    pub fn focal_lengths(&self, height: usize) -> [f64; 2] {
        let height = height as f64;
        match self.focal {
            Focal::Angle(angle) => [0.5 * height / (0.5 * angle).tan(); 2],
            Focal::Lengths([x, y]) => [x * height, y * height],
        }
    }
}

/// A camera at a place that looks in a direction, with z up in the picture (or y, if it looks along z).
fn looking(place: Vector3<f64>, direction: Vector3<f64>) -> Isometry3<f64> {
    let back = -direction;
    let up = if back.x.hypot(back.y) < 1e-9 { Vector3::y() } else { Vector3::z() };
    let right = up.cross(&back).normalize();
    let rotation = Rotation3::from_basis_unchecked(&[right, back.cross(&right), back]);
    Isometry3::from_parts(Translation3::from(place), UnitQuaternion::from_rotation_matrix(&rotation))
}

/// A camera that looks in a direction, as near as a box allows that is to fill the picture.
pub(crate) fn fitted(low: Point3<f64>, high: Point3<f64>, direction: Vector3<f64>, aspect: f64) -> Eye {
    let mut target = nalgebra::center(&low, &high).coords;
    let frame = looking(Vector3::zeros(), direction);
    let corners: Vec<Vector3<f64>> =
        (0..8).map(|i| Vector3::from_fn(|k, _| if i >> k & 1 == 1 { high[k] } else { low[k] })).collect();
    let tangent_y = (0.5 * FIELD_OF_VIEW).tan();
    let tangent_x = tangent_y * aspect;
    let mut distance = 1.0;
    for _ in 0..4 {
        // As near as all corners allow, then shifted so that opposite margins are equal.
        let seen: Vec<Vector3<f64>> =
            corners.iter().map(|c| frame.rotation.inverse() * (c - target)).collect();
        distance = seen.iter().fold(1e-6, |d: f64, p| {
            d.max(p.x.abs() / (0.84 * tangent_x) + p.z).max(p.y.abs() / (0.8 * tangent_y) + p.z)
        });
        let middle = |k: usize| {
            let at = seen.iter().map(|p| p[k] / (distance - p.z));
            let (least, greatest) = at.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
            0.5 * (least + greatest) * distance
        };
        target += frame.rotation * Vector3::new(middle(0), middle(1), 0.0);
    }
    Eye {
        pose: looking(target - distance * direction, direction),
        focal: Focal::Angle(FIELD_OF_VIEW),
        depth: distance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fitted_box_lies_in_the_picture_and_nearly_fills_it() {
        for (azimuth, elevation, aspect) in
            [(0.3, -0.4, 1.6), (2.0, -1.2, 0.5), (4.0, 0.2, 1.0), (0.0, -1.57, 1.3)]
        {
            let direction = FreeCamera { azimuth, elevation, ..Default::default() }.direction();
            let (low, high) = (Point3::new(-0.2, 1.0, 0.1), Point3::new(0.7, 1.3, 2.0));
            let eye = fitted(low, high, direction, aspect);
            let height = 100;
            let [fx, fy] = eye.focal_lengths(height);
            let (mut wide, mut tall) = (0.0_f64, 0.0_f64);
            for i in 0..8 {
                let corner =
                    Point3::from(Vector3::from_fn(|k, _| if i >> k & 1 == 1 { high[k] } else { low[k] }));
                let p = eye.pose.inverse_transform_point(&corner);
                assert!(p.z < 0.0);
                wide = wide.max((fx * p.x / -p.z).abs() / (50.0 * aspect));
                tall = tall.max((fy * p.y / -p.z).abs() / 50.0);
            }
            assert!(wide < 0.9 && tall < 0.9 && wide.max(tall) > 0.7, "{wide} {tall}");
        }
    }

    #[test]
    fn a_free_camera_sees_its_target_in_the_middle_with_z_up() {
        let camera = FreeCamera {
            target: [1.0, 2.0, 3.0],
            distance: 2.0,
            azimuth: 0.7,
            elevation: -0.3,
            ..Default::default()
        };
        let eye = camera.eye();
        let seen = eye.pose.inverse_transform_point(&Point3::new(1.0, 2.0, 3.0));
        assert!((seen - Point3::new(0.0, 0.0, -2.0)).norm() < 1e-12);
        let above = eye.pose.inverse_transform_point(&Point3::new(1.0, 2.0, 3.1));
        assert!(above.y > 0.09 && above.x.abs() < 1e-12);
    }
}
