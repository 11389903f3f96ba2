//! What is drawn of contacts: patches in the colours of their pressure, and forces as arrows. Bodies that hide them let
//! them shine through.

use crate::raster::{Geometry, NOTHING, Projection, Visibility};
use crate::scene::{Extent, hex};
use crate::surface::{Corner, Surface};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use stiction::Simulation;

type Vec3 = Vector3<f32>;

/// Colour of forces.
const FORCE: u32 = 0x0f7a5c;
/// How much of a mark is seen through a body that hides it.
const THROUGH: f32 = 0.6;

/// What is drawn of contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marks {
    /// Contact patches, by pressure: from dark violet at zero to pale yellow at the largest of the picture.
    pub patches: bool,
    /// Forces of contacts and patches: the length of an arrow grows as the square root of its force, and the largest of a
    /// picture is a fifth as long as the scene.
    pub forces: bool,
}

impl Default for Marks {
    fn default() -> Self {
        Self { patches: true, forces: false }
    }
}

/// The marks of one picture.
#[derive(Default)]
pub(crate) struct Overlay {
    pub(crate) geometry: Geometry,
    pub(crate) seen: Visibility,
}

impl Overlay {
    /// Collects the marks of the last step.
    pub fn gather(
        &mut self,
        simulation: &Simulation,
        marks: &Marks,
        extent: &Extent,
        eye: &Isometry3<f64>,
        projection: &Projection,
        size: [usize; 2],
    ) {
        self.geometry.triangles.clear();
        let to_eye = eye.inverse();
        if marks.patches {
            self.patches(simulation, &to_eye, projection, size);
        }
        if marks.forces {
            self.forces(simulation, extent, &to_eye, projection, size);
        }
    }

    fn patches(
        &mut self,
        simulation: &Simulation,
        to_eye: &Isometry3<f64>,
        projection: &Projection,
        size: [usize; 2],
    ) {
        let pressures = simulation.patch_views().flat_map(|patch| patch.pressure);
        let largest = pressures.copied().fold(0.0, f64::max);
        for patch in simulation.patch_views() {
            for face in patch.faces() {
                let corners: Vec<Corner> = face
                    .vertices
                    .clone()
                    .map(|v| Corner {
                        place: to_eye.transform_point(&patch.vertices[v].into()).coords.cast(),
                        normal: colormap((patch.pressure[v] / largest) as f32),
                    })
                    .collect();
                let places: Vec<Vec3> = corners.iter().map(|c| c.place).collect();
                let fan: Vec<[u32; 3]> = (2..corners.len() as u32).map(|k| [0, k - 1, k]).collect();
                self.geometry.push(0, &corners, &places, &fan, true, projection, size);
            }
        }
    }

    fn forces(
        &mut self,
        simulation: &Simulation,
        extent: &Extent,
        to_eye: &Isometry3<f64>,
        projection: &Projection,
        size: [usize; 2],
    ) {
        let points = simulation.contacts().iter().map(|c| (c.position, c.force));
        let patches = simulation.patch_views().map(|p| (p.center_of_pressure, p.force));
        let arrows: Vec<(Vector3<f64>, Vector3<f64>)> = points.chain(patches).collect();
        let largest = arrows.iter().map(|(_, f)| f.norm()).fold(0.0, f64::max);
        let longest = 0.2 * extent.diagonal();
        let color = hex(FORCE);
        let thin = 0.015 * longest;
        for (place, force) in arrows {
            let length = longest * (force.norm() / largest).sqrt();
            let Some(direction) = force.try_normalize(0.0).filter(|_| length > 0.02 * longest) else {
                continue;
            };
            let turn = UnitQuaternion::rotation_between(&Vector3::z(), &direction)
                .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
            let pose = (to_eye * Isometry3::from_parts(place.into(), turn)).cast::<f32>();
            let head = (6.0 * thin).min(0.6 * length);
            let arrow = Surface::arrow(thin as f32, 2.5 * thin as f32, head as f32, length as f32);
            let corners: Vec<Corner> = arrow
                .corners
                .iter()
                .map(|c| {
                    // Lit from the eye's upper left, as everything else nearly is.
                    let light = (pose.rotation * c.normal).dot(&Vec3::new(-0.4, 0.6, 0.7));
                    let place = pose.rotation * c.place + pose.translation.vector;
                    Corner { place, normal: color * (0.75 + 0.35 * light) }
                })
                .collect();
            let places: Vec<Vec3> = corners.iter().map(|c| c.place).collect();
            self.geometry.push(1, &corners, &places, &arrow.triangles, true, projection, size);
        }
    }

    /// The colours of a pixel's samples with the marks over them.
    pub fn over(&self, bodies: &Visibility, column: usize, row: usize, mut colors: [Vec3; 4]) -> [Vec3; 4] {
        let first = self.seen.index(column, row);
        let places = crate::raster::samples(4);
        for (s, color) in colors.iter_mut().enumerate() {
            let value = self.seen.seen[first + s];
            if value == NOTHING {
                continue;
            }
            let Some(triangle) = self.geometry.triangle(value) else { continue };
            let place = [column as f32 + places[s][0], row as f32 + places[s][1]];
            let hidden = bodies.inverse_depth[first + s] > 1.0005 * self.seen.inverse_depth[first + s];
            *color = color.lerp(&triangle.value(place), if hidden { THROUGH } else { 1.0 });
        }
        colors
    }
}

/// The colour of a pressure from 0 to 1, linear: lightness rises from dark violet through red to pale yellow along a line
/// of OKLab (Ottosson 2020), so that equal differences look equally different.
pub(crate) fn colormap(pressure: f32) -> Vec3 {
    let u = pressure.clamp(0.0, 1.0);
    let lightness = 0.24 + 0.72 * u;
    let hue = (-68.0 + 172.0 * u.powf(0.9)).to_radians();
    let mut chroma = 0.205 - 0.075 * (2.0 * u - 0.95).powi(2);
    loop {
        let color = from_oklab(lightness, chroma * hue.cos(), chroma * hue.sin());
        if chroma <= 0.0 || color.iter().all(|x| (0.0..=1.0).contains(x)) {
            return color.map(|x| x.clamp(0.0, 1.0));
        }
        chroma -= 0.002;
    }
}

/// OKLab to linear sRGB.
fn from_oklab(lightness: f32, a: f32, b: f32) -> Vec3 {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    Vec3::new(
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colormap_grows_lighter() {
        let luminance = |c: Vec3| 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
        let mut last = -1.0;
        for k in 0..=100 {
            let bright = luminance(colormap(k as f32 / 100.0));
            assert!(bright > last, "{k}");
            last = bright;
        }
    }
}
