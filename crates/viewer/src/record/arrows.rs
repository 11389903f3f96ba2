//! Shapes, forces and patches as the primitives of robotics log tools.

use super::schemas::{Arrow, Block, Color, Cylinder, Entity, Placed, Triangles, Turn, Vector};
use crate::read::{Buffer, Frame, FramePatch};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

/// The largest length of an arrow, m, and what an unbounded floor is drawn as.
const LONGEST_ARROW: f32 = 1.0;
const FLOOR: f32 = 10.0;

pub(super) fn placed(pose: &[f32; 7]) -> Placed {
    let [x, y, z, qw, qx, qy, qz] = *pose;
    Placed { position: Vector { x, y, z }, orientation: Turn { x: qx, y: qy, z: qz, w: qw } }
}

fn numbers<const N: usize>(value: &Value) -> [f32; N] {
    std::array::from_fn(|k| value[k].as_f64().unwrap_or(0.0) as f32)
}

fn number(value: &Value) -> f32 {
    value.as_f64().unwrap_or(0.0) as f32
}

/// Adds a geom of the scene to its body's entity.
pub(super) fn add_geom(entity: &mut Entity, geom: &Value, buffers: &[Buffer]) {
    let (p, q): ([f32; 3], [f32; 4]) = (numbers(&geom["pos"]), numbers(&geom["quat"]));
    let pose = placed(&[p[0], p[1], p[2], q[0], q[1], q[2], q[3]]);
    let [r, g, b, a] = numbers(&geom["color"]);
    let color = Color { r, g, b, a };
    let shape = &geom["shape"];
    let double = |[x, y, z]: [f32; 3]| Vector { x: 2.0 * x, y: 2.0 * y, z: 2.0 * z };
    let (radius, half_length) = (number(&shape["radius"]), number(&shape["half_length"]));
    let round = double([radius, radius, half_length]);
    match shape["type"].as_str().unwrap_or("") {
        "sphere" => entity.spheres.push(Block { pose, size: double([radius; 3]), color }),
        "ellipsoid" => entity.spheres.push(Block { pose, size: double(numbers(&shape["radii"])), color }),
        "box" => entity.cubes.push(Block { pose, size: double(numbers(&shape["half_extents"])), color }),
        "cylinder" => {
            entity.cylinders.push(Cylinder { pose, size: round, bottom_scale: 1.0, top_scale: 1.0, color })
        }
        "capsule" => {
            entity.cylinders.push(Cylinder { pose, size: round, bottom_scale: 1.0, top_scale: 1.0, color });
            for side in [-half_length, half_length] {
                let at = along_z(&p, &q, side);
                entity.spheres.push(Block { pose: at, size: double([radius; 3]), color });
            }
        }
        "half-space" => {
            let half: [f32; 2] = numbers(&shape["size"]);
            let [x, y] = half.map(|s| if s > 0.0 { s } else { FLOOR });
            let thickness = 0.001;
            let pose = along_z(&p, &q, -thickness);
            entity.cubes.push(Block { pose, size: double([x, y, thickness]), color });
        }
        _ => {
            let id = shape["buffer"].as_u64();
            if let Some(buffer) = buffers.iter().find(|b| Some(u64::from(b.id)) == id) {
                entity.triangles.push(Triangles {
                    pose,
                    points: buffer.vertices.iter().map(|v| (*v).into()).collect(),
                    color,
                    colors: Vec::new(),
                    indices: buffer.triangles.iter().flatten().copied().collect(),
                });
            }
        }
    }
}

/// A pose moved along its own z.
fn along_z(p: &[f32; 3], q: &[f32; 4], by: f32) -> Placed {
    let turn = UnitQuaternion::new_normalize(Quaternion::new(q[0], q[1], q[2], q[3]));
    let at = Vector3::from(*p) + turn * Vector3::new(0.0, 0.0, by);
    placed(&[at.x, at.y, at.z, q[0], q[1], q[2], q[3]])
}

/// Forces of a frame as arrows, and its patches as coloured triangles. `weight` (N) is drawn a metre long.
pub(super) fn add_touch(entity: &mut Entity, frame: &Frame, weight: f32) {
    let points = frame.contacts.iter().map(|c| (&c.position, &c.force));
    for (position, force) in points.chain(frame.patches.iter().map(|p| (&p.centroid, &p.force))) {
        let length = force.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length > 1e-4 * weight {
            entity.arrows.push(arrow(position, force, (length / weight).min(1.0) * LONGEST_ARROW));
        }
    }
    let most = frame.patches.iter().flat_map(|p| &p.pressure).copied().fold(0.0, f32::max);
    entity.triangles.extend(frame.patches.iter().map(|patch| coloured(patch, most)));
}

fn arrow(position: &[f32; 3], force: &[f32; 3], length: f32) -> Arrow {
    let direction = Vector3::from(*force).cast::<f64>();
    // Arrows point along x.
    let turn = UnitQuaternion::rotation_between(&Vector3::x(), &direction)
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI));
    let [x, y, z] = *position;
    let q = [turn.w, turn.i, turn.j, turn.k].map(|x| x as f32);
    let head = 0.25 * length;
    Arrow {
        pose: placed(&[x, y, z, q[0], q[1], q[2], q[3]]),
        shaft_length: length - head,
        shaft_diameter: 0.1 * head.max(0.02),
        head_length: head,
        head_diameter: 0.3 * head.max(0.02),
        color: Color { r: 0.9, g: 0.6, b: 0.0, a: 1.0 },
    }
}

/// A patch with its vertices from blue (no pressure) to yellow (the frame's largest).
fn coloured(patch: &FramePatch, most: f32) -> Triangles {
    let color = |p: &f32| {
        let t = if most > 0.0 { (p / most).clamp(0.0, 1.0) } else { 0.0 };
        Color { r: t, g: 0.1 + 0.75 * t, b: 0.6 * (1.0 - t), a: 1.0 }
    };
    let fan = |face: &Vec<u32>| {
        let first = face.first().copied().unwrap_or(0);
        face.windows(2).skip(1).flat_map(move |w| [first, w[0], w[1]]).collect::<Vec<u32>>()
    };
    Triangles {
        pose: placed(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        points: patch.vertices.iter().map(|v| (*v).into()).collect(),
        color: Color { r: 1.0, g: 1.0, b: 1.0, a: 1.0 },
        colors: patch.pressure.iter().map(color).collect(),
        indices: patch.faces.iter().flat_map(fan).collect(),
    }
}
