//! Pictures of a simulation: colour, depth and segmentation.
//!
//! 1. Surfaces of all geoms come to their poses; the sun's map of shadows is drawn.
//! 2. `raster.rs` finds what is seen at four samples of each pixel (one in the middle for depth and segmentation).
//! 3. Each surface in a pixel is shaded once, with the sky that its neighbours hide, and blended by its samples.
//! 4. Up to four layers of transparent surfaces come over it, from the back.
//! 5. Contact patches and forces are drawn through the bodies that hide them.

use crate::camera::{Eye, FreeCamera, Viewpoint};
use crate::error::PictureError;
use crate::light::{Sun, srgb, tone};
use crate::marks::{Marks, Overlay};
use crate::raster::{Geometry, Linear, NOTHING, Plane, Projection, Visibility, samples};
use crate::scene::{Extent, Scene, Shapes, hex};
use crate::threads::drawing;
use nalgebra::{Isometry3, Vector3, Vector6};
use rayon::prelude::*;
use stiction::multibody::Workspace;
use stiction::{Model, Simulation};

type Vec3 = Vector3<f32>;

/// The longest side of a picture, pixels.
pub const MOST_PIXELS: usize = 8192;
/// Transparent surfaces that are drawn over each other.
const LAYERS: usize = 4;

/// Background, ground, lines of the grid and the part of light that a shadow leaves, as on the viewer's page.
const SKY: u32 = 0xdfe5ec;
const GROUND: u32 = 0xdde3ea;
const LINE: u32 = 0x6b7786;
const SHADE: f32 = 0.5;

/// A picture in colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width, pixels.
    pub width: usize,
    /// Height, pixels.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row from the top.
    pub rgb: Vec<u8>,
}

/// What a camera sees, in numbers, at the middle of each pixel.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// Width, pixels.
    pub width: usize,
    /// Height, pixels.
    pub height: usize,
    /// Distance along the camera's axis, m, row by row from the top; infinite where nothing is seen.
    pub depth: Vec<f32>,
    /// Index of the geom in the world's list, −1 where nothing is seen.
    pub geoms: Vec<i32>,
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Which geoms.
    pub shapes: Shapes,
    /// What is drawn of contacts.
    pub marks: Marks,
    /// Whether a grid is drawn under a scene that has no ground.
    pub reference_ground: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { shapes: Shapes::Visual, marks: Marks::default(), reference_ground: true }
    }
}

/// Draws pictures of simulations of one model.
pub struct Renderer {
    model: Model,
    look: Look,
    scene: Scene,
    workspace: Workspace,
    poses: Vec<Isometry3<f64>>,
    /// The camera of [`Viewpoint::Fitted`] and the size of the scene, as at the first picture.
    framed: Option<(Eye, Extent, f64)>,
    sun: Sun,
    opaque: Geometry,
    glass: Geometry,
    overlay: Overlay,
    seen: Visibility,
    layers: Vec<Visibility>,
    in_eye: Vec<Vec3>,
}

/// An eye with the numbers that drawing needs.
#[derive(Clone, Copy)]
struct Lens {
    eye: Eye,
    size: [usize; 2],
    focal: [f32; 2],
    center: [f32; 2],
    near: f32,
}

impl Lens {
    fn new(eye: Eye, size: [usize; 2]) -> Self {
        let focal = eye.focal_lengths(size[1]).map(|f| f as f32);
        let center = size.map(|n| 0.5 * n as f32);
        Self { eye, size, focal, center, near: (1e-3 * eye.depth) as f32 }
    }

    fn projection(&self) -> Projection {
        Projection::Perspective { focal: self.focal, center: self.center, near: self.near }
    }

    /// The way from the eye through a place on the screen to depth 1, in the eye's frame.
    fn ray(&self, [x, y]: [f32; 2]) -> Vec3 {
        Vec3::new((x - self.center[0]) / self.focal[0], (self.center[1] - y) / self.focal[1], -1.0)
    }

    /// Inverse depth of the points of a plane through `point` with this normal (both in the eye's frame), as a function
    /// of the place on the screen; none where its back is seen.
    fn plane(&self, normal: &Vec3, point: &Vec3) -> Option<Linear> {
        let offset = normal.dot(point); // n · (ray / w) = offset
        if offset >= -1e-6 * self.near {
            return None;
        }
        let (x, y) = (normal.x / self.focal[0] / offset, -normal.y / self.focal[1] / offset);
        Some(Linear::new(x, y, -normal.z / offset - x * self.center[0] - y * self.center[1]))
    }
}

/// Owner of the grid under a scene without ground.
const REFERENCE: u32 = u32::MAX;

impl Renderer {
    /// For simulations of this model.
    pub fn new(model: &Model, look: Look) -> Self {
        let scene = Scene::new(model.world(), look.shapes);
        Self {
            model: model.clone(),
            look,
            scene,
            workspace: Workspace::new(model.multibody()),
            poses: Vec::new(),
            framed: None,
            sun: Sun::default(),
            opaque: Geometry::default(),
            glass: Geometry::default(),
            overlay: Overlay::default(),
            seen: Visibility::default(),
            layers: Vec::new(),
            in_eye: Vec::new(),
        }
    }

    /// Fits the camera of [`Viewpoint::Fitted`] anew at the next picture. Otherwise it stays as at the first one.
    pub fn refit(&mut self) {
        self.framed = None;
    }

    /// The camera of [`Viewpoint::Fitted`] at the present state, as a free one that can be turned or moved.
    pub fn fitted(&self, simulation: &Simulation) -> FreeCamera {
        let mut workspace = Workspace::new(simulation.model().multibody());
        let mut poses = Vec::new();
        read_poses(simulation, &mut workspace, &mut poses);
        let direction = self.scene.direction();
        let extent = self.scene.extent(&poses);
        FreeCamera {
            target: extent.center().into(),
            distance: self.scene.fitted(&extent, 16.0 / 9.0).depth,
            azimuth: direction.y.atan2(direction.x),
            elevation: direction.z.asin(),
            ..FreeCamera::default()
        }
    }

    /// The present state in colour.
    pub fn picture(
        &mut self,
        simulation: &Simulation,
        viewpoint: &Viewpoint,
        width: usize,
        height: usize,
    ) -> Result<Picture, PictureError> {
        let (lens, extent) = self.prepare(simulation, viewpoint, width, height)?;
        self.sun.shine(&self.scene, &self.poses, &extent);
        self.gather(&lens, self.look.reference_ground.then_some(&extent));
        self.overlay.gather(
            simulation,
            &self.look.marks,
            &extent,
            &lens.eye.pose,
            &lens.projection(),
            lens.size,
        );
        self.seen.fill(&self.opaque, lens.size, 4, None, None);
        let mut layers = 0;
        while layers < LAYERS && !self.glass.triangles.is_empty() {
            if self.layers.len() == layers {
                self.layers.push(Visibility::default());
            }
            let (before, rest) = self.layers.split_at_mut(layers);
            rest[0].fill(&self.glass, lens.size, 4, Some(&self.seen), before.last());
            if rest[0].seen.iter().all(|s| *s == NOTHING) {
                break;
            }
            layers += 1;
        }
        self.overlay.seen.fill(&self.overlay.geometry, lens.size, 4, None, None);
        let mut rgb = vec![0; 3 * width * height];
        let painter = Painter { renderer: self, lens: &lens, extent: &extent, layers };
        let draw = |(row, line): (usize, &mut [u8])| {
            for (column, pixel) in line.chunks_exact_mut(3).enumerate() {
                pixel.copy_from_slice(&srgb(&painter.pixel(column, row)));
            }
        };
        drawing(|| rgb.par_chunks_mut(3 * width).enumerate().for_each(draw));
        Ok(Picture { width, height, rgb })
    }

    /// Depth and segmentation of the present state. Transparent geoms count as opaque ones; marks and the reference
    /// grid are not seen.
    pub fn sight(
        &mut self,
        simulation: &Simulation,
        viewpoint: &Viewpoint,
        width: usize,
        height: usize,
    ) -> Result<Sight, PictureError> {
        let (lens, _) = self.prepare(simulation, viewpoint, width, height)?;
        self.gather(&lens, None);
        self.opaque_with_glass();
        self.seen.fill(&self.opaque, lens.size, 1, None, None);
        let depth = self.seen.inverse_depth.iter();
        let depth = depth.map(|w| if *w > 0.0 { 1.0 / w } else { f32::INFINITY }).collect();
        let owner = |s: &u32| if *s == NOTHING { -1 } else { self.opaque.owner(*s) as i32 };
        let geoms = self.seen.seen.iter().map(owner);
        let geoms =
            geoms.map(|d| if d < 0 { -1 } else { self.scene.drawn[d as usize].geom as i32 }).collect();
        Ok(Sight { width, height, depth, geoms })
    }

    /// Checks the arguments, computes poses and finds the camera.
    fn prepare(
        &mut self,
        simulation: &Simulation,
        viewpoint: &Viewpoint,
        width: usize,
        height: usize,
    ) -> Result<(Lens, Extent), PictureError> {
        if !(1..=MOST_PIXELS).contains(&width) || !(1..=MOST_PIXELS).contains(&height) {
            return Err(PictureError::Size { width, height, most: MOST_PIXELS });
        }
        let model = simulation.model();
        if model.family() != self.model.family() {
            return Err(PictureError::OtherModel);
        }
        if model.fingerprint() != self.model.fingerprint() {
            // A variant with other sizes or colours.
            self.model = model.clone();
            self.scene = Scene::new(model.world(), self.look.shapes);
        }
        read_poses(simulation, &mut self.workspace, &mut self.poses);
        let aspect = width as f64 / height as f64;
        let framed = self.framed.filter(|(_, _, a)| (a - aspect).abs() < 1e-9);
        let (fitted, extent, _) = *match framed {
            Some(_) => self.framed.as_ref().expect("kept"),
            None => {
                let extent = self.scene.extent(&self.poses);
                self.framed.insert((self.scene.fitted(&extent, aspect), extent, aspect))
            }
        };
        let eye = match viewpoint {
            Viewpoint::Fitted => fitted,
            Viewpoint::Free(camera) => {
                camera.check()?;
                camera.eye()
            }
            Viewpoint::Camera(name) => {
                let camera = &model.world().visual.cameras[self.camera(name)?];
                Eye::of(camera, &self.poses[camera.body], extent.diagonal())
            }
        };
        Ok((Lens::new(eye, [width, height]), extent))
    }

    /// Index of a camera by name or number.
    fn camera(&self, name: &str) -> Result<usize, PictureError> {
        let cameras = &self.model.world().visual.cameras;
        let by_name = cameras.iter().position(|c| c.name == name);
        let by_number = || name.parse().ok().filter(|k| *k < cameras.len());
        by_name.or_else(by_number).ok_or_else(|| {
            let names: Vec<String> = cameras.iter().map(|c| format!("\"{}\"", c.name)).collect();
            let known = match names.len() {
                0 => "it has no cameras: leave the camera out, or give a free one".into(),
                n => format!("it has {} (or their numbers, 0 to {})", names.join(", "), n - 1),
            };
            PictureError::UnknownCamera { name: name.into(), known }
        })
    }

    /// Brings all surfaces before the eye: opaque ones apart from transparent ones.
    fn gather(&mut self, lens: &Lens, reference: Option<&Extent>) {
        for geometry in [&mut self.opaque, &mut self.glass] {
            geometry.triangles.clear();
            geometry.planes.clear();
        }
        let to_eye = lens.eye.pose.inverse();
        let (projection, mut has_ground) = (lens.projection(), false);
        for (owner, drawn) in self.scene.drawn.iter().enumerate() {
            let pose = (to_eye * self.poses[drawn.body] * drawn.pose).cast::<f32>();
            let Some(index) = drawn.surface else {
                has_ground = true;
                let normal = pose.rotation * Vec3::z();
                let plane = lens.plane(&normal, &pose.translation.vector);
                self.opaque
                    .planes
                    .extend(plane.map(|inverse_depth| Plane { owner: owner as u32, inverse_depth }));
                continue;
            };
            let surface = &self.scene.surfaces[index];
            self.in_eye.clear();
            self.in_eye
                .extend(surface.corners.iter().map(|c| pose.rotation * c.place + pose.translation.vector));
            let geometry = if drawn.finish.opacity < 1.0 { &mut self.glass } else { &mut self.opaque };
            let (corners, triangles) = (&surface.corners, &surface.triangles);
            geometry.push(
                owner as u32,
                corners,
                &self.in_eye,
                triangles,
                surface.two_sided,
                &projection,
                lens.size,
            );
        }
        if let (Some(extent), false) = (reference, has_ground) {
            let center = extent.center();
            let point = to_eye * nalgebra::Point3::new(center.x, center.y, extent.low.z);
            let plane = lens.plane(&(to_eye.rotation * Vector3::z()).cast(), &point.coords.cast());
            self.opaque.planes.extend(plane.map(|inverse_depth| Plane { owner: REFERENCE, inverse_depth }));
        }
    }

    fn opaque_with_glass(&mut self) {
        self.opaque.triangles.append(&mut self.glass.triangles);
    }
}

/// Poses of all bodies at the present state.
fn read_poses(simulation: &Simulation, workspace: &mut Workspace, poses: &mut Vec<Isometry3<f64>>) {
    let (state, multibody) = (simulation.state(), simulation.model().multibody());
    for (k, mocap) in state.mocap.iter().enumerate() {
        workspace.set_mocap(k, &mocap.pose, &Vector6::from(mocap.twist));
    }
    multibody.positions(&state.q, workspace);
    poses.clear();
    poses.extend((0..multibody.body_count()).map(|body| multibody.pose(workspace, body)));
}

/// Turns what is seen into colours.
struct Painter<'a> {
    renderer: &'a Renderer,
    lens: &'a Lens,
    extent: &'a Extent,
    layers: usize,
}

impl Painter<'_> {
    /// The colour of a pixel, linear.
    fn pixel(&self, column: usize, row: usize) -> Vec3 {
        let renderer = self.renderer;
        let mut color = self.blend(&renderer.seen, &renderer.opaque, column, row, [hex(SKY); 4]);
        for layer in renderer.layers[..self.layers].iter().rev() {
            color = self.blend(layer, &renderer.glass, column, row, color);
        }
        let marked = renderer.overlay.over(&renderer.seen, column, row, color);
        marked.iter().sum::<Vec3>() / 4.0
    }

    /// Colours of the samples of a pixel after these surfaces came over them. Each surface is shaded once.
    fn blend(
        &self,
        seen: &Visibility,
        geometry: &Geometry,
        column: usize,
        row: usize,
        mut colors: [Vec3; 4],
    ) -> [Vec3; 4] {
        let first = seen.index(column, row);
        let values = &seen.seen[first..first + 4];
        let places = samples(4);
        let mut done = [false; 4];
        for s in 0..4 {
            if done[s] || values[s] == NOTHING {
                continue;
            }
            let owner = geometry.owner(values[s]);
            let same = |k: &usize| values[*k] != NOTHING && geometry.owner(values[*k]) == owner;
            // The sample nearest to the middle of those that see it stands for all: its triangle is surely there.
            let place = [column as f32 + places[s][0], row as f32 + places[s][1]];
            let depth = 1.0 / seen.inverse_depth[first + s];
            let (light, opacity) = match geometry.triangle(values[s]) {
                Some(triangle) => {
                    self.surface(owner, triangle.normal(place), place, depth, seen, [column, row])
                }
                None => self.ground(owner, place, depth),
            };
            for k in (s..4).filter(same) {
                done[k] = true;
                colors[k] = colors[k].lerp(&light, opacity);
            }
        }
        colors
    }

    fn surface(
        &self,
        owner: u32,
        normal: Vec3,
        place: [f32; 2],
        depth: f32,
        seen: &Visibility,
        pixel: [usize; 2],
    ) -> (Vec3, f32) {
        let drawn = &self.renderer.scene.drawn[owner as usize];
        let eye = &self.lens.eye.pose;
        let ray = self.lens.ray(place) * depth;
        let turn = eye.rotation.cast::<f32>();
        let body = (self.renderer.poses[drawn.body] * drawn.pose).rotation.cast::<f32>();
        let to_eye = -(turn * ray).normalize();
        let mut normal = (body * normal).try_normalize(0.0).unwrap_or(to_eye);
        // Smooth normals may look away from the eye at a rim.
        if normal.dot(&to_eye) < 0.0 {
            normal = (normal - normal.dot(&to_eye) * to_eye).try_normalize(1e-6).unwrap_or(to_eye);
        }
        let world = turn * ray + eye.translation.vector.cast::<f32>();
        let open = self.open_sky(seen, pixel, place, depth, &(turn.inverse() * normal));
        (tone(self.renderer.sun.shade(&world, &normal, &to_eye, &drawn.finish, open)), drawn.finish.opacity)
    }

    /// Share of the sky above a surface that its neighbours on the screen leave open.
    fn open_sky(
        &self,
        seen: &Visibility,
        [column, row]: [usize; 2],
        place: [f32; 2],
        depth: f32,
        normal: &Vec3,
    ) -> f32 {
        const SPOTS: usize = 10;
        let reach = 0.06 * self.extent.diagonal() as f32;
        let here = self.lens.ray(place) * depth;
        let spread = (reach * self.lens.focal[1] / depth).min(0.12 * self.lens.size[1] as f32);
        if spread < 1.5 {
            return 1.0;
        }
        // The spiral is turned differently in each pixel of a block of four by four, and blurred by the eye.
        let turn = ((column * 7 + row * 13) % 16) as f32 / 16.0;
        let mut hidden = 0.0;
        for k in 0..SPOTS {
            let share = (k as f32 + turn + 0.5) / (SPOTS as f32 + 1.0);
            let angle = std::f32::consts::TAU * (k as f32 * 0.381_966 + turn);
            let (x, y) = (place[0] + share * spread * angle.cos(), place[1] + share * spread * angle.sin());
            if x < 0.0 || y < 0.0 || x >= self.lens.size[0] as f32 || y >= self.lens.size[1] as f32 {
                continue;
            }
            let w = seen.inverse_depth[seen.index(x as usize, y as usize)];
            if w <= 0.0 {
                continue;
            }
            let way = self.lens.ray([x.floor() + 0.375, y.floor() + 0.125]) / w - here;
            let distance = way.norm();
            let rises = way.dot(normal) / distance.max(1e-9) - 0.12;
            let fades = (1.0 - (distance / reach).powi(2)).max(0.0);
            hidden += rises.max(0.0) * fades;
        }
        (1.0 - 1.6 * hidden / SPOTS as f32).clamp(0.15, 1.0)
    }

    /// A plane is lit evenly and has a grid; without bounds it fades into the background.
    fn ground(&self, owner: u32, place: [f32; 2], depth: f32) -> (Vec3, f32) {
        let eye = &self.lens.eye.pose;
        let at = |place: [f32; 2], depth: f32| {
            eye.rotation.cast::<f32>() * (self.lens.ray(place) * depth) + eye.translation.vector.cast::<f32>()
        };
        let world = at(place, depth);
        let (axes, color) = match owner {
            REFERENCE => ([Vec3::x(), Vec3::y(), Vec3::z()], hex(GROUND)),
            _ => {
                let drawn = &self.renderer.scene.drawn[owner as usize];
                let turn = (self.renderer.poses[drawn.body] * drawn.pose).rotation.cast::<f32>();
                ([turn * Vec3::x(), turn * Vec3::y(), turn * Vec3::z()], hex(GROUND))
            }
        };
        let diagonal = self.extent.diagonal() as f32;
        let cell = 10.0_f32.powf((0.12 * diagonal).log10().ceil()) * 0.5;
        // How much of a cell a pixel covers: to the side, and in depth, where it is longer by the slant.
        let to_eye = -(eye.rotation.cast::<f32>() * self.lens.ray(place)).normalize();
        let pixel = depth / self.lens.focal[1] / axes[2].dot(&to_eye).abs().max(0.02) / cell;
        let lines = |cells: f32, width: f32| {
            let wide = (pixel / cells).max(1e-6);
            let line = |x: f32| {
                let x = x / (cell * cells);
                let away = (x - x.round()).abs();
                let visible = 1.0 - ((wide - 0.25) / 0.35).clamp(0.0, 1.0);
                (1.0 - away / (wide * width)).max(0.0) * visible
            };
            line(world.dot(&axes[0])).max(line(world.dot(&axes[1])))
        };
        let on = (0.5 * lines(1.0, 1.1)).max(lines(5.0, 1.4));
        let lit = SHADE + (1.0 - SHADE) * self.renderer.sun.on_ground(&world);
        let color = color.lerp(&hex(LINE), 0.34 * on) * lit;
        let away = (world - self.extent.center().coords.cast::<f32>()).norm() / diagonal;
        let fade = 1.0 - ((away - 1.5) / 3.0).clamp(0.0, 1.0);
        (color, fade * fade * (3.0 - 2.0 * fade))
    }
}

impl Picture {
    /// The bytes of a PNG file.
    pub fn png(&self) -> Vec<u8> {
        png_of(self.width, self.height, png::ColorType::Rgb, png::BitDepth::Eight, &self.rgb)
    }
}

impl Sight {
    /// The bytes of a PNG file of 16-bit grey: depth in mm, at most 65535, which also stands for nothing.
    pub fn depth_png(&self) -> Vec<u8> {
        self.grey_png(self.depth.iter().map(|d| (1000.0 * d).round().min(65535.0) as u16))
    }

    /// The bytes of a PNG file of 16-bit grey: index of the geom plus one, and 0 for nothing.
    pub fn segmentation_png(&self) -> Vec<u8> {
        self.grey_png(self.geoms.iter().map(|g| (g + 1).min(65535) as u16))
    }

    fn grey_png(&self, values: impl Iterator<Item = u16>) -> Vec<u8> {
        let bytes: Vec<u8> = values.flat_map(u16::to_be_bytes).collect();
        png_of(self.width, self.height, png::ColorType::Grayscale, png::BitDepth::Sixteen, &bytes)
    }
}

fn png_of(
    width: usize,
    height: usize,
    color: png::ColorType,
    depth: png::BitDepth,
    pixels: &[u8],
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.expect("memory takes every byte, and the sizes agree");
    bytes
}
