//! What a picture shows of a model: surfaces with colours, at the poses of a state.

use crate::camera::{Eye, fitted};
use crate::surface::Surface;
use nalgebra::{Isometry3, Point3, Vector3};
use std::collections::BTreeMap;
use stiction::model::{Geom, Material, Shape, World};
use stiction_viewer::appearance::{Appearance, appearances};

/// Muted, of like lightness, apart in hue: for bodies that came without a colour.
const PALETTE: [u32; 10] =
    [0x6c98c2, 0xd18f62, 0x79ad86, 0xb58ab4, 0xcbb163, 0x66aeb0, 0xc67c80, 0x9892c8, 0x9ca566, 0xb08d74];
/// Of fixed things without a colour, and of parts of robots that are painted elsewhere.
const STONE: u32 = 0xb9bcc0;

/// Which geoms are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shapes {
    /// The visual ones, and those that both collide and are drawn.
    #[default]
    Visual,
    /// Those that collide.
    Collision,
}

/// How a surface takes light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish {
    /// Linear red, green and blue.
    pub color: Vector3<f32>,
    pub opacity: f32,
    pub roughness: f32,
    pub metallic: f32,
    pub emission: f32,
}

/// One geom to be drawn.
pub struct Drawn {
    pub geom: usize,
    pub body: usize,
    /// Pose in the body's frame.
    pub pose: Isometry3<f64>,
    /// Index of its surface; none for a plane without bounds.
    pub surface: Option<usize>,
    pub finish: Finish,
}

/// Everything that does not change from picture to picture.
pub struct Scene {
    pub surfaces: Vec<Surface>,
    pub drawn: Vec<Drawn>,
    /// For each body the first body of its tree below the world.
    tree: Vec<usize>,
    /// Bodies that a joint lets move, or that are moved from outside.
    moves: Vec<bool>,
    azimuth: Option<f64>,
    elevation: Option<f64>,
}

/// Where things are: a box around what moves and what stands near it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub low: Point3<f64>,
    pub high: Point3<f64>,
}

impl Extent {
    pub fn center(&self) -> Point3<f64> {
        nalgebra::center(&self.low, &self.high)
    }

    pub fn diagonal(&self) -> f64 {
        (self.high - self.low).norm().max(1e-6)
    }

    fn with(&self, other: &Self) -> Self {
        Self { low: self.low.inf(&other.low), high: self.high.sup(&other.high) }
    }

    /// Largest distance of the box's two extreme corners from a point.
    fn reach(&self, point: &Point3<f64>) -> f64 {
        (self.low - point).norm().max((self.high - point).norm())
    }
}

impl Scene {
    pub fn new(world: &World, shapes: Shapes) -> Self {
        let drawn_as = appearances(world);
        let tree = trees(world);
        let colors = colors(world, &drawn_as, &tree);
        let (mut surfaces, mut known): (Vec<Surface>, BTreeMap<String, usize>) = Default::default();
        let mut drawn = Vec::new();
        for (g, geom) in world.geoms.iter().enumerate() {
            let wanted = match shapes {
                Shapes::Visual => drawn_as[g].is_drawn(),
                Shapes::Collision => matches!(drawn_as[g], Appearance::Both | Appearance::Collision),
            };
            if !wanted || geom.color[3] <= 0.0 {
                continue;
            }
            // Shapes are compared by what is written of them: geoms with the same mesh share a surface.
            let surface = match known.get(&format!("{:?}", geom.shape)) {
                Some(index) => Some(*index),
                None => Surface::of(world, &geom.shape).map(|surface| {
                    surfaces.push(surface);
                    known.insert(format!("{:?}", geom.shape), surfaces.len() - 1);
                    surfaces.len() - 1
                }),
            };
            let material = geom.material.map(|m| &world.visual.materials[m]);
            let finish = finish(geom, material, colors[g]);
            drawn.push(Drawn { geom: g, body: geom.body, pose: geom.pose, surface, finish });
        }
        let (azimuth, elevation) = (world.visual.azimuth, world.visual.elevation);
        Self { surfaces, drawn, moves: movable(world), tree, azimuth, elevation }
    }

    /// The direction from which the model's author looks, or from the front left and a little above.
    pub fn direction(&self) -> Vector3<f64> {
        if self.azimuth.is_none() && self.elevation.is_none() {
            return Vector3::new(-0.5, 1.0, -0.52).normalize();
        }
        let azimuth = self.azimuth.unwrap_or(std::f64::consts::FRAC_PI_2);
        let elevation = self.elevation.unwrap_or(-std::f64::consts::FRAC_PI_8);
        let (sine, cosine) = elevation.sin_cos();
        Vector3::new(cosine * azimuth.cos(), cosine * azimuth.sin(), sine)
    }

    /// Box around what moves, and around fixed things that are not much larger: a tray takes part, a hall does not.
    pub fn extent(&self, poses: &[Isometry3<f64>]) -> Extent {
        let boxes: Vec<(usize, Extent)> = self
            .drawn
            .iter()
            .filter_map(|d| d.surface.map(|s| (d.body, self.box_of(s, &(poses[d.body] * d.pose)))))
            .collect();
        let mut trees: BTreeMap<usize, Extent> = BTreeMap::new();
        for (body, own) in boxes.iter().filter(|(body, _)| self.moves[*body]) {
            trees.entry(self.tree[*body]).and_modify(|b| *b = b.with(own)).or_insert(*own);
        }
        let objects: Vec<Extent> = trees.values().copied().collect();
        let moving = without_strays(&objects).into_iter().reduce(|a, b| a.with(&b));
        let Some(moving) = moving else {
            let all = boxes.iter().map(|(_, own)| *own).reduce(|a, b| a.with(&b));
            let half = Vector3::repeat(0.5);
            return all.unwrap_or(Extent { low: Point3::from(-half), high: Point3::from(half) });
        };
        let (middle, span) = (moving.center(), moving.diagonal());
        boxes.iter().filter(|(body, _)| !self.moves[*body]).fold(moving, |sum, (body, own)| {
            let limit = if *body != 0 && trees.contains_key(&self.tree[*body]) { 2.5 } else { 1.1 };
            if own.reach(&middle) < limit * span { sum.with(own) } else { sum }
        })
    }

    /// A camera that sees all of it.
    pub fn fitted(&self, extent: &Extent, aspect: f64) -> Eye {
        fitted(extent.low, extent.high, self.direction(), aspect)
    }

    fn box_of(&self, surface: usize, pose: &Isometry3<f64>) -> Extent {
        let corners = self.surfaces[surface].corners.iter();
        let start = (Point3::from(Vector3::repeat(f64::MAX)), Point3::from(Vector3::repeat(f64::MIN)));
        let (low, high) = corners.fold(start, |(low, high), corner| {
            let place = pose.transform_point(&corner.place.cast().into());
            (low.inf(&place), high.sup(&place))
        });
        Extent { low, high }
    }
}

/// Boxes without those that lie far from all others.
fn without_strays(boxes: &[Extent]) -> Vec<Extent> {
    if boxes.len() < 4 {
        return boxes.to_vec();
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let middle = Point3::from(Vector3::from_fn(|k, _| median(boxes.iter().map(|b| b.center()[k]).collect())));
    let far = |b: &Extent| (b.center() - middle).norm();
    let typical =
        median(boxes.iter().map(far).collect()).max(median(boxes.iter().map(Extent::diagonal).collect()));
    boxes.iter().filter(|b| far(b) < 6.0 * typical).copied().collect()
}

/// For each body the first body of its kinematic tree below the world.
fn trees(world: &World) -> Vec<usize> {
    let mut tree: Vec<usize> = (0..world.bodies.len()).collect();
    for body in 1..world.bodies.len() {
        if let Some(parent) = world.bodies[body].parent.filter(|p| *p != 0) {
            tree[body] = tree[parent];
        }
    }
    tree
}

fn movable(world: &World) -> Vec<bool> {
    let mut moves = vec![false; world.bodies.len()];
    for (b, body) in world.bodies.iter().enumerate().skip(1) {
        moves[b] = body.mocap || !body.joints.is_empty() || body.parent.is_some_and(|p| moves[p]);
    }
    moves
}

/// sRGB to linear light.
pub fn linear(color: [f32; 3]) -> Vector3<f32> {
    Vector3::from(color.map(|x| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }))
}

/// A colour as 0xRRGGBB, in linear light.
pub fn hex(color: u32) -> Vector3<f32> {
    linear([16, 8, 0].map(|shift| (color >> shift & 255) as f32 / 255.0))
}

/// Whether a file gave a geom its colour.
fn painted(geom: &Geom) -> bool {
    let grey = Geom::new("", 0, geom.shape).color;
    geom.material.is_some() || (0..3).any(|k| (geom.color[k] - grey[k]).abs() >= 0.01)
}

/// Linear colours of the geoms: their own, or of the palette where the file left the default. Parts of a model that is
/// painted elsewhere or made of several meshes stay grey.
fn colors(world: &World, drawn_as: &[Appearance], tree: &[usize]) -> Vec<Vector3<f32>> {
    let (mut paint, mut meshes) = (vec![false; world.bodies.len()], vec![0; world.bodies.len()]);
    for (geom, _) in world.geoms.iter().zip(drawn_as).filter(|(_, a)| a.is_drawn()) {
        paint[tree[geom.body]] |= painted(geom);
        meshes[tree[geom.body]] += usize::from(matches!(geom.shape, Shape::Mesh { .. }));
    }
    world
        .geoms
        .iter()
        .map(|geom| {
            let robot = paint[tree[geom.body]] || meshes[tree[geom.body]] > 1;
            match geom.color {
                [r, g, b, _] if painted(geom) => linear([r, g, b]),
                _ if geom.body == 0 || robot => hex(STONE),
                _ => hex(PALETTE[(geom.body - 1) % PALETTE.len()]),
            }
        })
        .collect()
}

fn finish(geom: &Geom, material: Option<&Material>, color: Vector3<f32>) -> Finish {
    let (specular, shininess, reflectance) =
        material.map_or((0.35, 0.3, 0.0), |m| (m.specular, m.shininess, m.reflectance));
    // As wide as Phong's highlight: of exponent n = 128 shininess it has roughness⁴ = 2 / (n + 2). Weak ones are wide.
    let width = (2.0 / (128.0 * shininess + 2.0)).powf(0.25);
    let phong = width + (1.0 - width) * (1.0 - (2.0 * specular).min(1.0)) - 0.2 * reflectance;
    Finish {
        color,
        opacity: geom.color[3].min(1.0),
        roughness: material.and_then(|m| m.roughness).unwrap_or(phong).clamp(0.15, 1.0),
        metallic: material.and_then(|m| m.metallic).unwrap_or(0.0),
        emission: material.map_or(0.0, |m| m.emission),
    }
}
