//! The scene and its buffers: everything that does not change from frame to frame.

use crate::channels::Channel;
use crate::chunk::{self, Kind, put_f32, put_u32};
use serde_json::{Value, json};
use stiction::model::{
    Actuator, Compliance, Geom, GeomRole, HeightField, JointKind, Pose, Shape, Transmission, World,
};
use stiction::{Model, Simulation, contact_model_name};

/// The scene chunk, then its buffers.
pub(crate) fn append_scene(out: &mut Vec<u8>, simulation: &Simulation, name: &str, channels: &[Channel]) {
    let model = simulation.model();
    let (world, options) = (model.world(), simulation.options());
    let mut buffers = Buffers::default();
    let geoms: Vec<Value> =
        world.geoms.iter().enumerate().map(|(g, geom)| describe_geom(model, g, geom, &mut buffers)).collect();
    let scene = json!({
        "format": "stiction",
        "version": chunk::VERSION,
        "name": name,
        "generator": concat!("stiction ", env!("CARGO_PKG_VERSION")),
        "step": options.accuracy.is_none().then_some(options.step),
        "accuracy": options.accuracy,
        "contact": contact_model_name(options.contact),
        "gravity": world.options.gravity.as_slice(),
        "bodies": world.bodies.iter().map(|b| json!({ "name": b.name, "parent": b.parent })).collect::<Vec<_>>(),
        "geoms": geoms,
        "joints": world.joints()
            .map(|(body, j)| json!({ "name": j.name, "type": j.kind.word(), "body": body })).collect::<Vec<_>>(),
        "sites": world.sites.iter().map(|s| {
            let (pos, quat) = pose(&s.pose);
            json!({ "name": s.name, "body": s.body, "pos": pos, "quat": quat })
        }).collect::<Vec<_>>(),
        "actuators": world.actuators.iter().map(|a| describe_actuator(world, a)).collect::<Vec<_>>(),
        "channels": channels.iter()
            .map(|c| json!({ "name": c.name, "unit": c.unit, "group": c.group })).collect::<Vec<_>>(),
    });
    chunk::append(out, Kind::Scene, |out| out.extend_from_slice(scene.to_string().as_bytes()));
    for (id, content) in buffers.contents.iter().enumerate() {
        chunk::append(out, Kind::Buffer, |out| {
            put_u32(out, id);
            out.extend_from_slice(content);
        });
    }
}

/// Position, and quaternion with w first.
fn pose(x: &Pose) -> ([f64; 3], [f64; 4]) {
    let q = &x.rotation;
    (x.translation.vector.into(), [q.w, q.i, q.j, q.k])
}

fn describe_geom(model: &Model, index: usize, geom: &Geom, buffers: &mut Buffers) -> Value {
    let (pos, quat) = pose(&geom.pose);
    let solid = model.solid(index).map(|solid| {
        let pressure: Vec<f64> = solid.extents().iter().map(|e| e * solid.modulus()).collect();
        buffers.id(solid.vertices().iter().map(|v| (*v).into()), solid.surface(), solid.tets(), &pressure)
    });
    json!({
        "name": geom.name,
        "body": geom.body,
        "pos": pos,
        "quat": quat,
        "role": match geom.role {
            GeomRole::Both => "both",
            GeomRole::Collision => "collision",
            GeomRole::Visual => "visual",
        },
        "color": geom.color,
        "compliant": geom.contact.compliance == Compliance::Compliant,
        "shape": describe_shape(model.world(), &geom.shape, buffers),
        "solid": solid,
    })
}

fn describe_shape(world: &World, shape: &Shape, buffers: &mut Buffers) -> Value {
    match *shape {
        Shape::HalfSpace { size } => json!({ "type": "half-space", "size": size }),
        Shape::Sphere { radius } => json!({ "type": "sphere", "radius": radius }),
        Shape::Box { half_extents } => json!({ "type": "box", "half_extents": half_extents.as_slice() }),
        Shape::Capsule { radius, half_length } => {
            json!({ "type": "capsule", "radius": radius, "half_length": half_length })
        }
        Shape::Cylinder { radius, half_length } => {
            json!({ "type": "cylinder", "radius": radius, "half_length": half_length })
        }
        Shape::Ellipsoid { radii } => json!({ "type": "ellipsoid", "radii": radii.as_slice() }),
        Shape::Mesh { mesh, convex } => {
            let data = &world.meshes[mesh];
            let id = buffers.id(data.vertices.iter().map(|v| (*v).into()), &data.triangles, &[], &[]);
            json!({ "type": "mesh", "buffer": id, "convex": convex })
        }
        Shape::HeightField { field } => {
            let (vertices, triangles) = surface_of(&world.height_fields[field]);
            let id = buffers.id(vertices.into_iter(), &triangles, &[], &[]);
            json!({ "type": "height-field", "buffer": id })
        }
    }
}

/// The upper surface of a height field.
fn surface_of(field: &HeightField) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let (rows, columns) = (field.rows, field.columns);
    let at = |k: usize, n: usize, half: f64| half * (2.0 * k as f64 / (n.max(2) - 1) as f64 - 1.0);
    let [hx, hy] = field.half_extents;
    let vertices = (0..rows * columns)
        .map(|i| [at(i % columns, columns, hx), at(i / columns, rows, hy), field.heights[i]])
        .collect();
    let mut triangles = Vec::new();
    for r in 1..rows {
        for c in 1..columns {
            let corner = |r: usize, c: usize| (r * columns + c) as u32;
            let (a, b, d, e) = (corner(r - 1, c - 1), corner(r - 1, c), corner(r, c - 1), corner(r, c));
            triangles.extend([[a, b, e], [a, e, d]]);
        }
    }
    (vertices, triangles)
}

/// Name, range and unit of a control, as a slider wants them.
fn describe_actuator(world: &World, actuator: &Actuator) -> Value {
    let (gain, bias) = (actuator.gain[0], actuator.bias);
    let position = gain != 0.0 && bias[1] == -gain;
    let velocity = gain != 0.0 && bias[1] == 0.0 && bias[2] == -gain;
    let motor = gain == 1.0 && bias == [0.0; 3];
    let (mut unit, mut limits) = ("", None);
    if let Transmission::Joint { body, joint, gear } = actuator.transmission {
        let joint = &world.bodies[body].joints[joint];
        let turns = matches!(joint.kind, JointKind::Hinge { .. } | JointKind::Screw { .. } | JointKind::Ball);
        unit = match (gear[0] == 1.0, turns) {
            (true, true) if position => "rad",
            (true, false) if position => "m",
            (true, true) if velocity => "rad/s",
            (true, false) if velocity => "m/s",
            (true, true) if motor => "N m",
            (true, false) if motor => "N",
            _ => "",
        };
        // A position servo without a range moves within the limits of its joint.
        if let ([dof], true) = (&joint.dofs[..], position) {
            let ends = [gear[0] * dof.lower, gear[0] * dof.upper];
            limits = ends.iter().all(|x| x.is_finite()).then_some(ends);
        }
    }
    let range = actuator.control_range.or(limits).map(|r| [r[0].min(r[1]), r[0].max(r[1])]);
    json!({ "name": actuator.name, "range": range, "unit": unit })
}

/// Payloads of buffers without their ids, each once.
#[derive(Default)]
struct Buffers {
    contents: Vec<Vec<u8>>,
}

impl Buffers {
    fn id(
        &mut self,
        vertices: impl ExactSizeIterator<Item = [f64; 3]>,
        triangles: &[[u32; 3]],
        tets: &[[u32; 4]],
        pressure: &[f64],
    ) -> usize {
        let mut content = Vec::new();
        put_u32(&mut content, vertices.len());
        put_u32(&mut content, triangles.len());
        put_u32(&mut content, tets.len());
        vertices.for_each(|v| put_f32(&mut content, &v));
        let indices = triangles.iter().flatten().chain(tets.iter().flatten());
        indices.for_each(|i| content.extend_from_slice(&i.to_le_bytes()));
        put_f32(&mut content, pressure);
        self.contents.iter().position(|c| *c == content).unwrap_or_else(|| {
            self.contents.push(content);
            self.contents.len() - 1
        })
    }
}
