//! Data for pictures only: materials with the mean colours of their textures, cameras, lights, where to look.

use super::asset::asset_name;
use super::defaults::{Attrs, MAIN};
use super::pose;
use super::reader::Reader;
use crate::error::Read;
use crate::files::{extension, join};
use crate::xml::Node;
use nalgebra::{Translation3, UnitQuaternion};
use stiction_model::{Camera, Light, Material, Pose, Vec3};

/// Largest texture file whose mean colour is taken, bytes: pictures must not make loading slow.
const MAX_TEXTURE: usize = 4 << 20;

impl<'a> Reader<'a> {
    /// Reads a material; its index is that of its name.
    pub fn material(&mut self, node: &'a Node, root: &'a Node) -> Read<()> {
        let attrs = self.defaults.apply(node, "material", MAIN)?;
        let mut rgba = [1.0; 4];
        attrs.overlay("rgba", &mut rgba)?;
        let texture = attrs.text("texture").or_else(|| {
            let layers = node.children_named("layer");
            layers.filter(|l| l.attr("role").is_none_or(|r| r == "rgb")).find_map(|l| l.attr("texture"))
        });
        if let Some(name) = texture
            && let Some(mean) = self.texture_color(root, name)?
        {
            (0..3).for_each(|k| rgba[k] *= mean[k]);
        }
        let one =
            |name: &str, other: f32| -> Read<f32> { Ok(attrs.number(name)?.map_or(other, |x| x as f32)) };
        let maybe = |name: &str| -> Read<Option<f32>> {
            Ok(attrs.number(name)?.filter(|x| *x >= 0.0).map(|x| x as f32))
        };
        let name = node.required("name")?.to_string();
        let material = Material {
            name: name.clone(),
            color: rgba.map(|x| x as f32),
            specular: one("specular", 0.5)?,
            shininess: one("shininess", 0.5)?,
            reflectance: one("reflectance", 0.0)?,
            emission: one("emission", 0.0)?,
            metallic: maybe("metallic")?,
            roughness: maybe("roughness")?,
        };
        self.assets.materials.insert(name, self.world.visual.materials.len());
        self.world.visual.materials.push(material);
        Ok(())
    }

    /// Mean colour of a texture; `None` if it is a file that is missing, large or no PNG.
    fn texture_color(&mut self, root: &'a Node, name: &str) -> Read<Option<[f64; 3]>> {
        if let Some(known) = self.texture_colors.get(name) {
            return Ok(*known);
        }
        let color = self.look_at_texture(root, name)?;
        self.texture_colors.insert(name.to_string(), color);
        Ok(color)
    }

    fn look_at_texture(&self, root: &'a Node, name: &str) -> Read<Option<[f64; 3]>> {
        let mut textures = root.children_named("asset").flat_map(|s| s.children_named("texture"));
        // A texture without a name has that of its file.
        let Some(node) = textures.find(|t| asset_name(t).is_ok_and(|n| n == name)) else { return Ok(None) };
        let attrs = self.defaults.apply(node, "texture", MAIN)?;
        let (mut first, mut second) = ([0.8; 3], [0.5; 3]);
        attrs.overlay("rgb1", &mut first)?;
        attrs.overlay("rgb2", &mut second)?;
        match attrs.text("builtin") {
            Some("flat") => return Ok(Some(first)),
            Some("checker" | "gradient") => {
                return Ok(Some(std::array::from_fn(|k| (first[k] + second[k]) / 2.0)));
            }
            _ => {}
        }
        let Some(file) = node.attr("file").filter(|f| extension(f) == "png") else { return Ok(None) };
        let path = join(self.model_dir, &self.compiler.texture_path(file));
        let bytes = self.files.read(&path).ok().filter(|b| b.len() <= MAX_TEXTURE);
        Ok(bytes.and_then(|b| mean_color(&b)))
    }

    /// Reads a camera of a body, written in a frame at `x_bf`.
    pub fn camera(&self, attrs: &Attrs<'a>, body: usize, x_bf: &Pose) -> Read<Camera> {
        let node = attrs.node();
        let size = |name: &str| -> Read<Option<[f64; 2]>> {
            let found: Option<[f64; 2]> = attrs.array(name)?;
            match found {
                Some(pair) if !pair.iter().all(|x| x.is_finite() && *x >= 0.0) => {
                    Err(node.error(format!("{name} needs two finite numbers, zero or more")))
                }
                _ => Ok(found),
            }
        };
        let resolution = size("resolution")?.unwrap_or([1.0; 2]);
        let (pixels, lengths) = (size("focalpixel")?, size("focal")?);
        // Focal lengths count only beside the size of the sensor, as in MuJoCo.
        let sensor = size("sensorsize")?.filter(|s| s.iter().all(|x| *x > 0.0));
        let focal = sensor.map(|sensor| {
            let in_pixels = |f: [f64; 2]| std::array::from_fn(|k| f[k] / sensor[k] * resolution[k]);
            pixels.filter(|f| *f != [0.0; 2]).unwrap_or_else(|| in_pixels(lengths.unwrap_or([0.0; 2])))
        });
        Ok(Camera {
            name: node.attr("name").unwrap_or("").to_string(),
            body,
            pose: x_bf * pose::pose(attrs, &self.compiler)?,
            field_of_view: attrs.number("fovy")?.unwrap_or(45.0).to_radians(),
            resolution: resolution.map(|x| x as u32),
            focal,
            source: node.source(),
        })
    }

    /// Reads a light of a body, written in a frame at `x_bf`.
    pub fn light(&self, attrs: &Attrs<'a>, body: usize, x_bf: &Pose) -> Read<Light> {
        let mut color = [0.7; 3];
        attrs.overlay("diffuse", &mut color)?;
        let position = attrs.array("pos")?.map_or(Vec3::zeros(), Vec3::from);
        let direction = attrs.array("dir")?.map_or(-Vec3::z(), Vec3::from);
        Ok(Light {
            body,
            position: x_bf.transform_point(&position.into()).coords,
            direction: x_bf.rotation * direction,
            directional: attrs.flag("directional")?.unwrap_or(attrs.text("type") == Some("directional")),
            color: color.map(|x| x as f32),
        })
    }

    /// Reads where to look.
    pub fn statistics(&mut self, root: &'a Node) -> Read<()> {
        let visual = &mut self.world.visual;
        for node in root.children_named("statistic") {
            visual.center = node.vec3("center")?.or(visual.center);
            visual.extent = node.number("extent")?.or(visual.extent);
        }
        for node in root.children_named("visual").flat_map(|v| v.children_named("global")) {
            visual.azimuth = node.number("azimuth")?.map(f64::to_radians).or(visual.azimuth);
            visual.elevation = node.number("elevation")?.map(f64::to_radians).or(visual.elevation);
        }
        Ok(())
    }

    /// Poses of the mocap bodies in a keyframe; empty if it does not say.
    pub fn key_mocap(&self, node: &Node) -> Read<Vec<Pose>> {
        let mut poses: Vec<Pose> = self.world.bodies.iter().filter(|b| b.mocap).map(|b| b.pose).collect();
        let (positions, turns) = (node.numbers("mpos")?, node.numbers("mquat")?);
        if positions.is_none() && turns.is_none() {
            return Ok(Vec::new());
        }
        let count = poses.len();
        let fits = |name: &str, have: usize, each: usize| {
            if have == each * count {
                return Ok(());
            }
            Err(node
                .error(format!("{name} has {have} numbers, the model's mocap bodies need {}", each * count)))
        };
        if let Some(p) = positions {
            fits("mpos", p.len(), 3)?;
            for (pose, p) in poses.iter_mut().zip(p.chunks_exact(3)) {
                pose.translation = Translation3::new(p[0], p[1], p[2]);
            }
        }
        if let Some(q) = turns {
            fits("mquat", q.len(), 4)?;
            for (pose, q) in poses.iter_mut().zip(q.chunks_exact(4)) {
                let q = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
                pose.rotation = UnitQuaternion::try_new(q, 1e-15).ok_or_else(|| {
                    node.error("mquat has a quaternion without length; give rotations, w first")
                })?;
            }
        }
        Ok(poses)
    }
}

/// Mean red, green and blue of a PNG, 0 to 1.
fn mean_color(bytes: &[u8]) -> Option<[f64; 3]> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let size = reader.output_buffer_size().filter(|n| *n <= 1 << 28)?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let channels = frame.color_type.samples();
    let (mut sum, mut count) = ([0u64; 3], 0u64);
    for row in pixels[..frame.buffer_size()].chunks_exact(frame.line_size) {
        for pixel in row.chunks_exact(channels) {
            for (k, sum) in sum.iter_mut().enumerate() {
                // One or two channels are grey, and grey with opacity.
                *sum += u64::from(pixel[if channels < 3 { 0 } else { k }]);
            }
            count += 1;
        }
    }
    (count > 0).then(|| sum.map(|s| s as f64 / (255 * count) as f64))
}
