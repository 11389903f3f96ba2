//! Mass properties of shapes at unit density: closed forms for primitives, signed tetrahedra for
//! meshes, and how parts of a body add up.

use nalgebra::Matrix3;
use std::f64::consts::PI;
use stiction_model::{Inertia, Mesh, Pose, Shape, Vec3};

/// Volume (or area of a shell), centroid and inertia about the centroid at unit density, all in the
/// frame of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Volume in m³, or area in m² for a shell.
    pub measure: f64,
    /// Centroid, m.
    pub com: Vec3,
    /// Inertia about the centroid in the shape's axes for density 1, m⁵ (m⁴ for a shell).
    pub inertia: Matrix3<f64>,
}

fn diagonal(measure: f64, x: f64, y: f64, z: f64) -> Solid {
    Solid { measure, com: Vec3::zeros(), inertia: Matrix3::from_diagonal(&Vec3::new(x, y, z)) * measure }
}

/// A primitive filled with matter; `None` for shapes without a volume of their own.
pub fn solid(shape: &Shape) -> Option<Solid> {
    Some(match *shape {
        Shape::Sphere { radius: r } => {
            let i = 0.4 * r * r;
            diagonal(4.0 / 3.0 * PI * r.powi(3), i, i, i)
        }
        Shape::Box { half_extents: h } => {
            let s = h.component_mul(&h) / 3.0;
            diagonal(8.0 * h.x * h.y * h.z, s.y + s.z, s.x + s.z, s.x + s.y)
        }
        Shape::Ellipsoid { radii: a } => {
            let s = a.component_mul(&a) / 5.0;
            diagonal(4.0 / 3.0 * PI * a.x * a.y * a.z, s.y + s.z, s.x + s.z, s.x + s.y)
        }
        Shape::Cylinder { radius: r, half_length: h } => {
            let side = r * r / 4.0 + h * h / 3.0;
            diagonal(2.0 * PI * r * r * h, side, side, r * r / 2.0)
        }
        Shape::Capsule { radius: r, half_length: h } => {
            let (ball, rod) = (4.0 / 3.0 * PI * r.powi(3), 2.0 * PI * r * r * h);
            // A half-ball's centroid lies 3r/8 from its flat side.
            let side = ball * (0.4 * r * r + h * h + 0.75 * r * h) + rod * (r * r / 4.0 + h * h / 3.0);
            let axis = ball * 0.4 * r * r + rod * r * r / 2.0;
            let m = ball + rod;
            diagonal(m, side / m, side / m, axis / m)
        }
        Shape::HalfSpace { .. } | Shape::Mesh { .. } | Shape::HeightField { .. } => return None,
    })
}

/// A primitive whose matter sits on its surface; `None` for shapes without a surface of their own.
///
/// The ellipsoid follows MuJoCo: area by Thomsen's formula, inertia of the layer between the
/// ellipsoid and the one with all radii a little larger.
pub fn shell(shape: &Shape) -> Option<Solid> {
    Some(match *shape {
        Shape::Sphere { radius: r } => {
            let i = 2.0 / 3.0 * r * r;
            diagonal(4.0 * PI * r * r, i, i, i)
        }
        Shape::Box { half_extents: h } => {
            // The faces normal to each axis, twice each.
            let area = Vec3::new(8.0 * h.y * h.z, 8.0 * h.x * h.z, 8.0 * h.x * h.y);
            let s = h.component_mul(&h);
            // Σ area·⟨x²⟩: x² = h² on the two faces across x, h²/3 on the others.
            let second = |i: usize| s[i] * (area[i] + (area.sum() - area[i]) / 3.0);
            let (x, y, z, m) = (second(0), second(1), second(2), area.sum());
            diagonal(m, (y + z) / m, (x + z) / m, (x + y) / m)
        }
        Shape::Ellipsoid { radii: a } => {
            let p = 1.6075;
            let t = |x: f64, y: f64| (x * y).powf(p);
            let area = 4.0 * PI * ((t(a.x, a.y) + t(a.x, a.z) + t(a.y, a.z)) / 3.0).powf(1.0 / p);
            // d/dε of the solid's inertia, over d/dε of its volume.
            let thickness = a.x * a.y * a.z / (a.x * a.y + a.y * a.z + a.x * a.z);
            let i = |y: f64, z: f64| (y * y + z * z + 2.0 * thickness * (y + z)) / 5.0;
            diagonal(area, i(a.y, a.z), i(a.x, a.z), i(a.x, a.y))
        }
        Shape::Cylinder { radius: r, half_length: h } => {
            let (wall, lids) = (4.0 * PI * r * h, 2.0 * PI * r * r);
            let m = wall + lids;
            let side = wall * (r * r / 2.0 + h * h / 3.0) + lids * (r * r / 4.0 + h * h);
            let axis = wall * r * r + lids * r * r / 2.0;
            diagonal(m, side / m, side / m, axis / m)
        }
        Shape::Capsule { radius: r, half_length: h } => {
            let (wall, ball) = (4.0 * PI * r * h, 4.0 * PI * r * r);
            let m = wall + ball;
            // A half-shell's centroid lies r/2 from its open side.
            let side = wall * (r * r / 2.0 + h * h / 3.0) + ball * (2.0 / 3.0 * r * r + h * h + r * h);
            let axis = wall * r * r + ball * 2.0 / 3.0 * r * r;
            diagonal(m, side / m, side / m, axis / m)
        }
        Shape::HalfSpace { .. } | Shape::Mesh { .. } | Shape::HeightField { .. } => return None,
    })
}

/// How a mesh is filled with matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFill {
    /// Signed volume: right for closed surfaces that face outwards.
    Exact,
    /// Every pyramid from the surface's centre counts positive: MuJoCo's default. It equals the exact
    /// one for shapes that are star-shaped about that centre and overcounts others.
    Legacy,
    /// Matter on the surface.
    Shell,
}

fn corners(mesh: &Mesh, t: &[u32; 3]) -> [Vec3; 3] {
    [mesh.vertices[t[0] as usize], mesh.vertices[t[1] as usize], mesh.vertices[t[2] as usize]]
}

/// Second moment ∫ x xᵀ to inertia.
fn inertia_of(second: &Matrix3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * second.trace() - second
}

/// Mass properties of a mesh; `None` if it has no positive volume (or area).
pub fn mesh(mesh: &Mesh, fill: MeshFill) -> Option<Solid> {
    let (mut area, mut center) = (0.0, Vec3::zeros());
    for t in &mesh.triangles {
        let [a, b, c] = corners(mesh, t);
        let w = (b - a).cross(&(c - a)).norm() / 2.0;
        area += w;
        center += w * (a + b + c) / 3.0;
    }
    if !(area > 0.0 && area.is_finite()) {
        return None;
    }
    center /= area;
    if fill == MeshFill::Shell {
        return Some(mesh_shell(mesh, area, center));
    }
    let sign = |v: f64| if fill == MeshFill::Legacy { v.abs() } else { v };
    let (mut volume, mut com) = (0.0, Vec3::zeros());
    for t in &mesh.triangles {
        let [a, b, c] = corners(mesh, t).map(|p| p - center);
        let v = sign(a.dot(&b.cross(&c)) / 6.0);
        volume += v;
        com += v * (a + b + c) / 4.0;
    }
    // Thinner than rounding can tell from flat, or facing inwards.
    if volume <= 1e-14 * area.powf(1.5) || volume.is_nan() {
        return None;
    }
    com = center + com / volume;
    // Counted anew about the centroid: the same for closed surfaces, MuJoCo's way for the others.
    volume = 0.0;
    let mut second = Matrix3::zeros();
    for t in &mesh.triangles {
        let [a, b, c] = corners(mesh, t).map(|p| p - com);
        let v = sign(a.dot(&b.cross(&c)) / 6.0);
        volume += v;
        let s = a + b + c;
        // ∫ x xᵀ over the tetrahedron (0, a, b, c).
        second +=
            (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()) * (v / 20.0);
    }
    Some(Solid { measure: volume, com, inertia: inertia_of(&second) })
}

/// Mass properties of the tetrahedra of a mesh, whichever way round their corners are; `None` without any.
pub fn tetrahedra(mesh: &Mesh) -> Option<Solid> {
    let cells = &mesh.tetrahedra.as_ref()?.cells;
    let corners = |cell: &[u32; 4], about: &Vec3| cell.map(|i| mesh.vertices[i as usize] - about);
    let volume = |[a, b, c, d]: &[Vec3; 4]| (b - a).dot(&(c - a).cross(&(d - a))).abs() / 6.0;
    // From a corner of the solid, so that one far from the origin loses no digits.
    let start = mesh.vertices[cells.first()?[0] as usize];
    let (mut measure, mut com) = (0.0, Vec3::zeros());
    for p in cells.iter().map(|cell| corners(cell, &start)) {
        measure += volume(&p);
        com += volume(&p) * (p[0] + p[1] + p[2] + p[3]) / 4.0;
    }
    if !(measure > 0.0 && measure.is_finite()) {
        return None;
    }
    com = start + com / measure;
    let mut second = Matrix3::zeros();
    for p in cells.iter().map(|cell| corners(cell, &com)) {
        let s = p[0] + p[1] + p[2] + p[3];
        // ∫ x xᵀ over a tetrahedron.
        let sum: Matrix3<f64> = p.iter().map(|v| v * v.transpose()).sum::<Matrix3<f64>>() + s * s.transpose();
        second += sum * (volume(&p) / 20.0);
    }
    Some(Solid { measure, com, inertia: inertia_of(&second) })
}

fn mesh_shell(mesh: &Mesh, area: f64, com: Vec3) -> Solid {
    let mut second = Matrix3::zeros();
    for t in &mesh.triangles {
        let [a, b, c] = corners(mesh, t).map(|p| p - com);
        let w = (b - a).cross(&(c - a)).norm() / 2.0;
        let s = a + b + c;
        // ∫ x xᵀ over a triangle.
        second +=
            (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()) * (w / 12.0);
    }
    Solid { measure: area, com, inertia: inertia_of(&second) }
}

/// Inertia of a point-like displacement: m (d² 1 − d dᵀ).
fn displaced(mass: f64, d: &Vec3) -> Matrix3<f64> {
    (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * mass
}

/// A solid of density `density`, placed at `pose` in the body.
pub fn place(solid: &Solid, density: f64, pose: &Pose) -> Inertia {
    let r = pose.rotation.to_rotation_matrix();
    Inertia {
        mass: density * solid.measure,
        com: pose * nalgebra::Point3::from(solid.com) - nalgebra::Point3::origin(),
        rotational: symmetric(r * (solid.inertia * density) * r.transpose()),
    }
}

/// Several parts as one rigid body.
pub fn combine(parts: &[Inertia]) -> Inertia {
    let mass: f64 = parts.iter().map(|p| p.mass).sum();
    if mass <= 0.0 {
        return Inertia::zero();
    }
    let com = parts.iter().map(|p| p.com * p.mass).sum::<Vec3>() / mass;
    let rotational = parts.iter().map(|p| p.rotational + displaced(p.mass, &(p.com - com))).sum();
    Inertia { mass, com, rotational }
}

/// The symmetric part, to remove rounding.
pub fn symmetric(m: Matrix3<f64>) -> Matrix3<f64> {
    (m + m.transpose()) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside(shape: &Shape, p: &Vec3) -> bool {
        match *shape {
            Shape::Sphere { radius } => p.norm() <= radius,
            Shape::Box { half_extents: h } => (0..3).all(|i| p[i].abs() <= h[i]),
            Shape::Ellipsoid { radii } => p.component_div(&radii).norm() <= 1.0,
            Shape::Cylinder { radius, half_length } => p.xy().norm() <= radius && p.z.abs() <= half_length,
            Shape::Capsule { radius, half_length } => {
                Vec3::new(p.x, p.y, p.z - p.z.clamp(-half_length, half_length)).norm() <= radius
            }
            _ => false,
        }
    }

    /// Midpoint rule over a grid around the shape.
    fn by_grid(shape: &Shape, reach: f64, n: usize) -> Solid {
        let cell = 2.0 * reach / n as f64;
        let (mut volume, mut second) = (0.0, Matrix3::zeros());
        let at = |i: usize| -reach + (i as f64 + 0.5) * cell;
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let p = Vec3::new(at(i), at(j), at(k));
                    if inside(shape, &p) {
                        volume += cell.powi(3);
                        second += p * p.transpose() * cell.powi(3);
                    }
                }
            }
        }
        Solid { measure: volume, com: Vec3::zeros(), inertia: inertia_of(&second) }
    }

    fn shapes() -> Vec<Shape> {
        vec![
            Shape::Sphere { radius: 0.7 },
            Shape::Box { half_extents: Vec3::new(0.3, 0.5, 0.9) },
            Shape::Ellipsoid { radii: Vec3::new(0.4, 0.6, 0.9) },
            Shape::Cylinder { radius: 0.5, half_length: 0.8 },
            Shape::Capsule { radius: 0.4, half_length: 0.5 },
        ]
    }

    #[test]
    fn solids_agree_with_quadrature() {
        for shape in shapes() {
            let (exact, grid) = (solid(&shape).unwrap(), by_grid(&shape, 1.0, 120));
            assert!((exact.measure / grid.measure - 1.0).abs() < 0.01, "{shape:?}");
            assert!((exact.inertia - grid.inertia).norm() < 0.01 * exact.inertia.norm(), "{shape:?}");
        }
    }

    /// Shells are the limit of thin solids: d/dr of the solid for shapes that grow uniformly.
    #[test]
    fn shells_are_the_derivative_of_solids_by_thickness() {
        let e = 1e-5;
        let grow = |s: &Shape, e: f64| match *s {
            Shape::Sphere { radius } => Shape::Sphere { radius: radius + e },
            Shape::Box { half_extents } => Shape::Box { half_extents: half_extents.add_scalar(e) },
            Shape::Cylinder { radius, half_length } => {
                Shape::Cylinder { radius: radius + e, half_length: half_length + e }
            }
            Shape::Capsule { radius, half_length } => Shape::Capsule { radius: radius + e, half_length },
            other => other,
        };
        for shape in shapes().into_iter().filter(|s| !matches!(s, Shape::Ellipsoid { .. })) {
            let (a, b) = (solid(&grow(&shape, -e)).unwrap(), solid(&grow(&shape, e)).unwrap());
            let thin = shell(&shape).unwrap();
            assert!(((b.measure - a.measure) / (2.0 * e) / thin.measure - 1.0).abs() < 1e-8, "{shape:?}");
            let numeric = (b.inertia - a.inertia) / (2.0 * e);
            assert!((numeric - thin.inertia).norm() < 1e-8 * thin.inertia.norm(), "{shape:?}");
        }
        // A round ellipsoid is a sphere.
        let round = shell(&Shape::Ellipsoid { radii: Vec3::repeat(0.7) }).unwrap();
        let ball = shell(&Shape::Sphere { radius: 0.7 }).unwrap();
        assert!((round.inertia - ball.inertia).norm() < 1e-12);
    }

    fn box_mesh(h: Vec3, offset: Vec3) -> Mesh {
        let vertices = (0..8)
            .map(|i| {
                let s = |b: u32| if i & b == 0 { -1.0 } else { 1.0 };
                Vec3::new(s(1) * h.x, s(2) * h.y, s(4) * h.z) + offset
            })
            .collect();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
        Mesh { vertices, triangles, ..Mesh::default() }
    }

    proptest! {
        #[test]
        fn a_box_mesh_weighs_what_the_box_weighs(
            h in prop::array::uniform3(0.1f64..2.0), o in prop::array::uniform3(-3.0f64..3.0)
        ) {
            let (h, o) = (Vec3::from(h), Vec3::from(o));
            let m = box_mesh(h, o);
            let want = solid(&Shape::Box { half_extents: h }).unwrap();
            for fill in [MeshFill::Exact, MeshFill::Legacy] {
                let have = mesh(&m, fill).unwrap();
                prop_assert!((have.measure - want.measure).abs() < 1e-12 * want.measure);
                prop_assert!((have.com - o).norm() < 1e-12);
                prop_assert!((have.inertia - want.inertia).norm() < 1e-11 * want.inertia.norm());
            }
            let want = shell(&Shape::Box { half_extents: h }).unwrap();
            let have = mesh(&m, MeshFill::Shell).unwrap();
            prop_assert!((have.inertia - want.inertia).norm() < 1e-11 * want.inertia.norm());
        }

        #[test]
        fn two_half_boxes_make_a_whole(h in prop::array::uniform3(0.1f64..2.0), o in prop::array::uniform3(-3.0f64..3.0)) {
            let (h, o) = (Vec3::from(h), Vec3::from(o));
            let half = solid(&Shape::Box { half_extents: Vec3::new(h.x / 2.0, h.y, h.z) }).unwrap();
            let pose = |s: f64| Pose::translation(o.x + s * h.x / 2.0, o.y, o.z);
            let sum = combine(&[place(&half, 700.0, &pose(-1.0)), place(&half, 700.0, &pose(1.0))]);
            let whole = place(&solid(&Shape::Box { half_extents: h }).unwrap(), 700.0, &Pose::translation(o.x, o.y, o.z));
            prop_assert!((sum.mass - whole.mass).abs() < 1e-12 * whole.mass);
            prop_assert!((sum.com - whole.com).norm() < 1e-12);
            prop_assert!((sum.rotational - whole.rotational).norm() < 1e-11 * whole.rotational.norm());
        }
    }
}
