//! Triangles with normals in the frame of a geom: of the shapes, of meshes and of height fields.

use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use stiction::model::{HeightField, Shape, World};
use stiction_viewer::decimate::decimate;

/// Segments around round shapes.
const AROUND: usize = 48;
/// Cosine of the angle between two faces beyond which their edge is drawn sharp.
const CREASE: f32 = 0.819; // 35°
/// Meshes with more triangles are drawn with this many.
const MOST_TRIANGLES: usize = 100_000;

/// Triangles whose corners have a position and a unit normal.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Corners: position, m, and normal.
    pub corners: Vec<Corner>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Whether both sides of a triangle are drawn, as of meshes, which may be open.
    pub two_sided: bool,
}

/// A corner of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Position, m.
    pub place: Vector3<f32>,
    /// Unit normal.
    pub normal: Vector3<f32>,
}

impl Surface {
    /// The surface of a shape; none for a half-space without bounds, which has no triangles.
    pub fn of(world: &World, shape: &Shape) -> Option<Self> {
        match *shape {
            Shape::HalfSpace { size: [x, y] } if x > 0.0 && y > 0.0 => {
                Some(Self::rectangle(x as f32, y as f32))
            }
            Shape::HalfSpace { .. } => None,
            Shape::Sphere { radius } => Some(Self::ellipsoid(Vector3::repeat(radius as f32))),
            Shape::Ellipsoid { radii } => Some(Self::ellipsoid(radii.cast())),
            Shape::Box { half_extents } => Some(Self::cuboid(half_extents.cast())),
            Shape::Capsule { radius, half_length } => Some(Self::capsule(radius as f32, half_length as f32)),
            Shape::Cylinder { radius, half_length } => {
                Some(Self::cylinder(radius as f32, half_length as f32))
            }
            Shape::Mesh { mesh, .. } => {
                let mesh = &world.meshes[mesh];
                let vertices: Vec<[f64; 3]> = mesh.vertices.iter().map(|v| (*v).into()).collect();
                if mesh.triangles.len() > MOST_TRIANGLES {
                    let (vertices, triangles) = decimate(&vertices, &mesh.triangles, MOST_TRIANGLES);
                    return Some(Self::smooth(&vertices, &triangles));
                }
                Some(Self::smooth(&vertices, &mesh.triangles))
            }
            Shape::HeightField { field } => Some(Self::height_field(&world.height_fields[field])),
        }
    }

    fn rectangle(x: f32, y: f32) -> Self {
        let mut surface = Self { two_sided: false, ..Self::default() };
        surface
            .grid(1, 1, |u, v| (Vector3::new(x * (2.0 * u - 1.0), y * (2.0 * v - 1.0), 0.0), Vector3::z()));
        surface
    }

    /// A grid of `columns` by `rows` cells, bent by `place`, which gives position and normal at u, v in 0 to 1.
    fn grid(
        &mut self,
        columns: usize,
        rows: usize,
        place: impl Fn(f32, f32) -> (Vector3<f32>, Vector3<f32>),
    ) {
        let first = self.corners.len() as u32;
        for row in 0..=rows {
            for column in 0..=columns {
                let (place, normal) = place(column as f32 / columns as f32, row as f32 / rows as f32);
                self.corners.push(Corner { place, normal: normal.normalize() });
            }
        }
        let wide = columns as u32 + 1;
        for row in 0..rows as u32 {
            for column in 0..columns as u32 {
                let a = first + row * wide + column;
                let (b, c, d) = (a + 1, a + wide, a + wide + 1);
                self.triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
    }

    fn ellipsoid(radii: Vector3<f32>) -> Self {
        let mut surface = Self::default();
        surface.grid(AROUND, AROUND / 2, |u, v| {
            let (sine, cosine) = (TAU * (u % 1.0)).sin_cos();
            // Exactly zero at the poles, so that their corners lie in one place.
            let around = if v == 0.0 || v == 1.0 { 0.0 } else { (PI * v).sin() };
            let on_ball = Vector3::new(cosine * around, sine * around, -(PI * v).cos());
            (radii.component_mul(&on_ball), on_ball.component_div(&radii))
        });
        surface.triangles_of_area();
        surface
    }

    fn cuboid(half: Vector3<f32>) -> Self {
        let mut surface = Self::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let (u_axis, v_axis) = ((axis + 1) % 3, (axis + 2) % 3);
                surface.grid(1, 1, |u, v| {
                    let (mut place, mut normal) = (Vector3::zeros(), Vector3::zeros());
                    place[axis] = side * half[axis];
                    // The first coordinate runs backwards on the lower side, so that all faces look out.
                    place[u_axis] = side * half[u_axis] * (2.0 * u - 1.0);
                    place[v_axis] = half[v_axis] * (2.0 * v - 1.0);
                    normal[axis] = side;
                    (place, normal)
                });
            }
        }
        surface
    }

    /// A surface of revolution about z from below to above: `profile` gives radius and height, and their normal.
    fn turned(&mut self, along: usize, profile: impl Fn(f32) -> ([f32; 2], [f32; 2])) {
        self.grid(AROUND, along, |u, v| {
            let ([r, z], [nr, nz]) = profile(v);
            let (sine, cosine) = (TAU * (u % 1.0)).sin_cos();
            (Vector3::new(r * cosine, r * sine, z), Vector3::new(nr * cosine, nr * sine, nz))
        });
    }

    fn cylinder(radius: f32, half: f32) -> Self {
        let mut surface = Self::default();
        surface.turned(1, |v| ([radius, half * (2.0 * v - 1.0)], [1.0, 0.0]));
        surface.turned(1, |v| ([radius * v, -half], [0.0, -1.0]));
        surface.turned(1, |v| ([radius * (1.0 - v), half], [0.0, 1.0]));
        surface.triangles_of_area();
        surface
    }

    fn capsule(radius: f32, half: f32) -> Self {
        let mut surface = Self::default();
        let cap = AROUND / 4;
        let rows = 2 * cap + 1;
        surface.turned(rows, |v| {
            let row = (v * rows as f32).round() as usize;
            let (latitude, center) = if row <= cap {
                (FRAC_PI_2 * (row as f32 / cap as f32 - 1.0), -half)
            } else {
                (FRAC_PI_2 * (row - cap - 1) as f32 / cap as f32, half)
            };
            let (sine, cosine) = latitude.sin_cos();
            ([radius * cosine, center + radius * sine], [cosine, sine])
        });
        surface.triangles_of_area();
        surface
    }

    /// Removes triangles whose corners lie on a line but for rounding, as at the middle of a disk and at poles.
    fn triangles_of_area(&mut self) {
        let at = |i: u32| self.corners[i as usize].place;
        let has_area = |t: &[u32; 3]| {
            let (a, b) = (at(t[1]) - at(t[0]), at(t[2]) - at(t[0]));
            a.cross(&b).norm() > 1e-5 * a.norm_squared().max(b.norm_squared())
        };
        self.triangles = self.triangles.iter().copied().filter(has_area).collect();
    }

    fn height_field(field: &HeightField) -> Self {
        let (rows, columns) = (field.rows, field.columns);
        let at = |k: usize, n: usize, half: f64| half * (2.0 * k as f64 / (n.max(2) - 1) as f64 - 1.0);
        let [x, y] = field.half_extents;
        let vertices: Vec<[f64; 3]> = (0..rows * columns)
            .map(|i| [at(i % columns, columns, x), at(i / columns, rows, y), field.heights[i]])
            .collect();
        let mut triangles = Vec::new();
        for row in 1..rows {
            for column in 1..columns {
                let corner = |r: usize, c: usize| (r * columns + c) as u32;
                let (a, b) = (corner(row - 1, column - 1), corner(row - 1, column));
                let (c, d) = (corner(row, column - 1), corner(row, column));
                triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        Self::smooth(&vertices, &triangles)
    }

    /// Triangles with normals that are smooth over gentle edges and sharp over creases. Vertices in one place count as one.
    pub fn smooth(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let places: Vec<Vector3<f32>> = vertices.iter().map(|v| Vector3::from(*v).cast()).collect();
        let mut first_at: BTreeMap<[u32; 3], u32> = BTreeMap::new();
        let welded: Vec<u32> = places
            .iter()
            .enumerate()
            .map(|(i, p)| {
                // Adding zero makes one of the two zeros.
                let key = [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
                *first_at.entry(key).or_insert(i as u32)
            })
            .collect();
        // Unit normals of faces, and the angles at their corners, by which a face counts at a vertex.
        let mut faces_at: Vec<Vec<(usize, f32)>> = vec![Vec::new(); places.len()];
        let mut normals = Vec::with_capacity(triangles.len());
        for (t, triangle) in triangles.iter().enumerate() {
            let p = triangle.map(|i| places[i as usize]);
            let cross = (p[1] - p[0]).cross(&(p[2] - p[0]));
            normals.push(cross.try_normalize(0.0));
            if normals[t].is_none() {
                continue;
            }
            for k in 0..3 {
                let (a, b) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
                faces_at[welded[triangle[k] as usize] as usize]
                    .push((t, a.cross(&b).norm().atan2(a.dot(&b))));
            }
        }
        let mut surface = Self { two_sided: true, ..Self::default() };
        // Corners made at each vertex so far: those with the same normal are shared.
        let mut made: Vec<Vec<u32>> = vec![Vec::new(); places.len()];
        for (t, triangle) in triangles.iter().enumerate() {
            let Some(own) = normals[t] else { continue };
            let corners = triangle.map(|i| {
                let vertex = welded[i as usize] as usize;
                let like_own = faces_at[vertex].iter().filter_map(|(face, angle)| {
                    normals[*face].filter(|n| n.dot(&own) >= CREASE).map(|n| n * *angle)
                });
                let sum: Vector3<f32> = like_own.sum();
                let corner = Corner { place: places[vertex], normal: sum.try_normalize(0.0).unwrap_or(own) };
                let same = |k: &&u32| (surface.corners[**k as usize].normal - corner.normal).amax() < 1e-3;
                if let Some(k) = made[vertex].iter().find(same) {
                    return *k;
                }
                let index = surface.corners.len() as u32;
                surface.corners.push(corner);
                made[vertex].push(index);
                index
            });
            surface.triangles.push(corners);
        }
        surface
    }

    /// An arrow along z from the origin: a shaft, and a head of the given width and length that ends at `length`.
    pub fn arrow(shaft: f32, head: f32, head_length: f32, length: f32) -> Self {
        let mut surface = Self::default();
        let neck = length - head_length;
        surface.turned(1, |v| ([shaft, neck * v], [1.0, 0.0]));
        surface.turned(1, |v| ([shaft * v, 0.0], [0.0, -1.0]));
        surface.turned(1, |v| ([head * v, neck], [0.0, -1.0]));
        surface.turned(1, |v| ([head * (1.0 - v), neck + head_length * v], [head_length, head]));
        surface.triangles_of_area();
        surface
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::model::Vec3;

    fn volume(surface: &Surface) -> f32 {
        let at = |i: u32| surface.corners[i as usize].place;
        surface.triangles.iter().map(|t| at(t[0]).dot(&at(t[1]).cross(&at(t[2]))) / 6.0).sum()
    }

    /// Whether triangles and normals look away from the inside.
    fn looks_out(surface: &Surface) -> bool {
        surface.triangles.iter().all(|t| {
            let c = t.map(|i| surface.corners[i as usize]);
            let normal = (c[1].place - c[0].place).cross(&(c[2].place - c[0].place));
            c.iter().all(|c| c.normal.dot(&normal) > 0.0)
        })
    }

    #[test]
    fn shapes_enclose_their_volume_and_look_out() {
        let world = World::new("");
        let pi = std::f64::consts::PI;
        for (shape, volume_of_it) in [
            (Shape::Sphere { radius: 0.3 }, 4.0 / 3.0 * pi * 0.027),
            (Shape::Box { half_extents: Vec3::new(0.1, 0.2, 0.3) }, 0.048),
            (Shape::Cylinder { radius: 0.2, half_length: 0.5 }, pi * 0.04),
            (Shape::Capsule { radius: 0.2, half_length: 0.5 }, pi * (0.04 + 4.0 / 3.0 * 0.008)),
            (Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) }, 4.0 / 3.0 * pi * 0.006),
        ] {
            let surface = Surface::of(&world, &shape).unwrap();
            let ratio = f64::from(volume(&surface)) / volume_of_it;
            // Flat faces with 48 segments around lie inside: they lose 1 - sin(2π/48)/(2π/48) around, and as much along.
            assert!((0.99..=1.0001).contains(&ratio), "{shape:?}: {ratio}");
            assert!(looks_out(&surface), "{shape:?}");
        }
    }

    #[test]
    fn a_cube_of_a_mesh_keeps_its_edges_and_a_fine_ball_is_smooth() {
        let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 });
        let vertices: Vec<[f64; 3]> = (0..8).map(corner).collect();
        let triangles = [
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        let cube = Surface::smooth(&vertices, &triangles);
        assert_eq!(cube.corners.len(), 24);
        assert!(looks_out(&cube));
        let ball = Surface::ellipsoid(Vector3::repeat(1.0));
        let places: Vec<[f64; 3]> = ball.corners.iter().map(|c| c.place.cast().into()).collect();
        let smooth = Surface::smooth(&places, &ball.triangles);
        assert!(smooth.corners.iter().all(|c| c.normal.dot(&c.place) > 0.999));
    }
}
