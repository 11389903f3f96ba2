//! The colour of a surface under a sun and the light of a studio: a bright ceiling and a darker floor.

use crate::raster::{Geometry, Projection, Visibility};
use crate::scene::{Extent, Finish, Scene};
use nalgebra::{Isometry3, Matrix3, Vector3};

type Vec3 = Vector3<f32>;

/// Direction to the sun, not of unit length.
const SUN: [f32; 3] = [-0.55, -0.35, 1.25];
/// Irradiance of the sun over π, of the studio's ceiling and of its floor.
const SUNLIGHT: f32 = 0.85;
const CEILING: f32 = 0.78;
const FLOOR: f32 = 0.26;
/// Mirror reflection of what is no metal, at right angles.
const DIELECTRIC: f32 = 0.04;
/// Side of the map of shadows, pixels.
const SHADOW_SIDE: usize = 2048;

/// The sun, and which places it does not reach.
pub struct Sun {
    direction: Vec3,
    /// World to the map: x and y across the light, z towards the sun.
    rotation: Matrix3<f32>,
    center: Vec3,
    scale: f32,
    depths: Visibility,
    geometry: Geometry,
    in_eye: Vec<Vec3>,
}

impl Default for Sun {
    fn default() -> Self {
        let direction = Vec3::from(SUN).normalize();
        let across = direction.cross(&Vec3::z()).normalize();
        let rows = [across.transpose(), direction.cross(&across).transpose(), direction.transpose()];
        Self {
            direction,
            rotation: Matrix3::from_rows(&rows),
            center: Vec3::zeros(),
            scale: 1.0,
            depths: Visibility::default(),
            geometry: Geometry::default(),
            in_eye: Vec::new(),
        }
    }
}

impl Sun {
    /// Draws the map of shadows around the middle of what there is to see.
    pub fn shine(&mut self, scene: &Scene, poses: &[Isometry3<f64>], extent: &Extent) {
        self.center = extent.center().coords.cast();
        self.scale = SHADOW_SIDE as f32 / (1.7 * extent.diagonal() as f32);
        let projection = Projection::Parallel { scale: self.scale, center: [0.5 * SHADOW_SIDE as f32; 2] };
        self.geometry.triangles.clear();
        for drawn in scene.drawn.iter().filter(|d| d.finish.opacity >= 1.0) {
            let Some(surface) = drawn.surface.map(|s| &scene.surfaces[s]) else { continue };
            let pose = (poses[drawn.body] * drawn.pose).cast::<f32>();
            self.in_eye.clear();
            let place =
                |p: &Vec3| self.rotation * (pose.rotation * p + pose.translation.vector - self.center);
            self.in_eye.extend(surface.corners.iter().map(|c| place(&c.place)));
            let size = [SHADOW_SIDE; 2];
            self.geometry.push(
                0,
                &surface.corners,
                &self.in_eye,
                &surface.triangles,
                true,
                &projection,
                size,
            );
        }
        self.depths.fill(&self.geometry, [SHADOW_SIDE; 2], 1, None, None);
    }

    /// Share of the sun that reaches a place on a surface with this normal.
    fn reaches(&self, place: &Vec3, normal: &Vec3) -> f32 {
        let texel = 1.0 / self.scale;
        // Steep surfaces shade themselves within a texel: look from a little in front of them.
        let p = self.rotation * (place + 2.0 * texel * normal - self.center);
        let (x, y) =
            (0.5 * SHADOW_SIDE as f32 + self.scale * p.x, 0.5 * SHADOW_SIDE as f32 - self.scale * p.y);
        let (mut lit, mut weights) = (0.0, 0.0);
        for dy in -2..=2_i32 {
            for dx in -2..=2_i32 {
                let (column, row) = (x.floor() as i32 + dx, y.floor() as i32 + dy);
                let (ox, oy) = (column as f32 + 0.5 - x, row as f32 + 0.5 - y);
                let weight = (1.0 - (ox * ox + oy * oy) / 6.25).max(0.0);
                weights += weight;
                let inside = |k: i32| (0..SHADOW_SIDE as i32).contains(&k);
                let shaded = inside(column) && inside(row) && {
                    let at = self.depths.index(column as usize, row as usize);
                    self.depths.inverse_depth[at] > p.z + 1.5 * texel
                };
                lit += if shaded { 0.0 } else { weight };
            }
        }
        lit / weights
    }

    /// Share of the sun on a plane that is lit evenly, as the ground is drawn.
    pub fn on_ground(&self, place: &Vec3) -> f32 {
        self.reaches(place, &Vec3::z())
    }

    /// Light that a surface sends to an eye, linear and not yet in the range of a picture. `open` is the share of the sky
    /// that nothing near hides.
    pub fn shade(&self, place: &Vec3, normal: &Vec3, to_eye: &Vec3, finish: &Finish, open: f32) -> Vec3 {
        let facing = normal.dot(&self.direction).max(0.0);
        let sun = if facing > 0.0 { SUNLIGHT * self.reaches(place, normal) } else { 0.0 };
        let diffuse = finish.color * (1.0 - finish.metallic);
        let mirror = Vec3::repeat(DIELECTRIC).lerp(&finish.color, finish.metallic);
        let mut light = diffuse * (sun * facing + open * irradiance(normal));
        // GGX with Smith's visibility (Heitz 2014, eq. 99) and Schlick's reflection.
        let alpha = finish.roughness * finish.roughness;
        let cosine = normal.dot(to_eye).max(1e-3);
        let half = (self.direction + to_eye).try_normalize(1e-6).unwrap_or(*normal);
        let (nh, vh) = (normal.dot(&half).max(0.0), to_eye.dot(&half).max(0.0));
        let a2 = alpha * alpha;
        let spread = a2 / (nh * nh * (a2 - 1.0) + 1.0).powi(2);
        let masked = |c: f32| c + (a2 + (1.0 - a2) * c * c).sqrt();
        let visible = 1.0 / (masked(facing.max(1e-3)) * masked(cosine));
        light += schlick(&mirror, vh) * (sun * facing * spread * visible).min(4.0);
        // What the studio mirrors: sharp on smooth surfaces, as even as the irradiance on rough ones.
        let reflected = 2.0 * normal.dot(to_eye) * normal - to_eye;
        let studio = (1.0 - alpha) * radiance(&reflected) + alpha * irradiance(&reflected);
        light += schlick(&mirror, cosine) * (studio * open * (1.0 - 0.6 * alpha));
        light + finish.color * finish.emission
    }
}

fn schlick(mirror: &Vec3, cosine: f32) -> Vec3 {
    mirror + (Vec3::repeat(1.0) - mirror) * (1.0 - cosine).clamp(0.0, 1.0).powi(5)
}

/// Light of the studio on a surface, over π.
fn irradiance(normal: &Vec3) -> f32 {
    FLOOR + (CEILING - FLOOR) * (0.5 + 0.5 * normal.z)
}

/// Light of the studio from a direction: the ceiling grows brighter upwards, and one soft box stands on the left.
fn radiance(direction: &Vec3) -> f32 {
    let rise = |low: f32, high: f32, x: f32| {
        let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let up = direction.z;
    let sky = 0.5 + 0.5 * rise(0.0, 0.9, up);
    let below = 0.28 - 0.12 * rise(0.0, 0.8, -up);
    let side = direction.dot(&Vec3::new(-0.53, -0.66, 0.53));
    below + (sky - below) * rise(-0.04, 0.04, up) + 1.2 * rise(0.86, 0.95, side)
}

/// Brings light into the range of a picture and keeps colours: the neutral tone mapping of Khronos (2024).
pub fn tone(light: Vec3) -> Vec3 {
    const START: f32 = 0.8 - 0.04;
    const DESATURATION: f32 = 0.15;
    let least = light.min();
    let offset = if least < 0.08 { least - 6.25 * least * least } else { 0.04 };
    let mut color = light - Vec3::repeat(offset);
    let peak = color.max();
    if peak < START {
        return color;
    }
    let distance = 1.0 - START;
    let compressed = 1.0 - distance * distance / (peak + distance - START);
    color *= compressed / peak;
    let grey = 1.0 - 1.0 / (DESATURATION * (peak - compressed) + 1.0);
    color.lerp(&Vec3::repeat(compressed), grey)
}

/// Linear light to the bytes of a picture.
pub fn srgb(color: &Vec3) -> [u8; 3] {
    [color.x, color.y, color.z].map(|x| {
        let x = x.clamp(0.0, 1.0);
        let encoded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tone_mapping_keeps_dark_colours_and_order() {
        let grey = tone(Vec3::repeat(0.5));
        assert!((grey - Vec3::repeat(0.46)).norm() < 1e-6);
        let mut last = 0.0;
        for k in 0..200 {
            let bright = tone(Vec3::repeat(0.05 * k as f32)).x;
            assert!((0.0..=1.0).contains(&bright) && bright >= last);
            last = bright;
        }
    }

    #[test]
    fn a_rough_white_surface_gives_back_no_more_light_than_it_gets() {
        let sun = Sun { depths: empty(), ..Sun::default() };
        for metallic in [0.0, 1.0] {
            for roughness in [0.3, 0.6, 1.0] {
                let finish =
                    Finish { color: Vec3::repeat(1.0), opacity: 1.0, roughness, metallic, emission: 0.0 };
                // The mean over all directions to the eye, weighted by their cosine, is the light given back over π.
                let (mut sum, mut weight) = (0.0, 0.0);
                for i in 0..40 {
                    for j in 0..80 {
                        let (t, a) = ((i as f32 + 0.5) / 40.0, std::f32::consts::TAU * j as f32 / 80.0);
                        let side = (1.0 - t * t).sqrt();
                        let eye = Vec3::new(side * a.cos(), side * a.sin(), t);
                        sum += t * sun.shade(&Vec3::zeros(), &Vec3::z(), &eye, &finish, 1.0).x;
                        weight += t;
                    }
                }
                let got = SUNLIGHT * sun.direction.z + CEILING;
                // The soft box adds light that the irradiance does not count.
                assert!(sum / weight < 1.1 * got, "{metallic} {roughness}: {} of {got}", sum / weight);
            }
        }
    }

    fn empty() -> Visibility {
        let mut depths = Visibility::default();
        depths.fill(&Geometry::default(), [SHADOW_SIDE; 2], 1, None, None);
        depths
    }
}
