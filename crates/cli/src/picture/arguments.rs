//! Size and camera of pictures and films.

use crate::failure::Failure;
use clap::Args;
use std::str::FromStr;
use stiction::Simulation;
use stiction_picture::{FreeCamera, Renderer, Viewpoint};

/// Width and height, pixels, written as 1280x720.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: usize,
    pub height: usize,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<Option<usize>> = text.split(['x', '×']).map(|part| part.parse().ok()).collect();
        match parts[..] {
            [Some(width), Some(height)] if width > 0 && height > 0 => Ok(Self { width, height }),
            _ => Err("give width and height in pixels, such as 1280x720".into()),
        }
    }
}

/// Where to look from.
#[derive(Args)]
pub struct CameraArguments {
    /// A camera of the model, by name or number [default: a camera from which everything that moves is seen]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["azimuth", "elevation", "distance", "look_at"])]
    camera: Option<String>,
    /// Angle of the direction of view about z, degrees: at 0 it looks along x
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    azimuth: Option<f64>,
    /// Angle of the direction of view above the horizon, degrees: a negative one looks down
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    elevation: Option<f64>,
    /// Distance from the point that it looks at, m
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    distance: Option<f64>,
    /// The point that it looks at, m
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    look_at: Vec<f64>,
}

impl CameraArguments {
    /// Whether anything was given.
    pub fn given(&self) -> bool {
        self.camera.is_some() || self.is_free()
    }

    fn is_free(&self) -> bool {
        let numbers = [self.azimuth, self.elevation, self.distance];
        numbers.iter().any(Option::is_some) || !self.look_at.is_empty()
    }

    /// The camera; what is not given of a free one is that of the fitted one.
    pub fn viewpoint(&self, renderer: &Renderer, simulation: &Simulation) -> Result<Viewpoint, Failure> {
        if let Some(name) = &self.camera {
            return Ok(Viewpoint::Camera(name.clone()));
        }
        if !self.is_free() {
            return Ok(Viewpoint::Fitted);
        }
        let fitted = renderer.fitted(simulation);
        let target = match self.look_at[..] {
            [] => fitted.target,
            [x, y, z] => [x, y, z],
            _ => return Err(Failure::input("--look-at: give three numbers, such as 0,0,0.5")),
        };
        let camera = FreeCamera {
            target,
            azimuth: self.azimuth.map_or(fitted.azimuth, f64::to_radians),
            elevation: self.elevation.map_or(fitted.elevation, f64::to_radians),
            distance: self.distance.unwrap_or(fitted.distance),
            ..fitted
        };
        camera.check().map_err(Failure::input)?;
        Ok(Viewpoint::Free(camera))
    }
}
