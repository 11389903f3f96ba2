//! The scene and its buffers: everything that does not change from frame to frame.

use crate::appearance::{Appearance, appearances};
use crate::channels::Channel;
use crate::chunk::{self, Kind, put_f32, put_u32};
use crate::decimate::decimate;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use stiction::model::{
    Actuator, Camera, Compliance, Geom, HeightField, Material, Pose, Shape, Transmission, World,
};
use stiction::{GeomId, Model, Simulation, contact_model_name};

/// Meshes with more triangles are drawn with this many.
const MOST_TRIANGLES: usize = 100_000;

/// The scene chunk, then its buffers.
pub(crate) fn append_scene(out: &mut Vec<u8>, simulation: &Simulation, name: &str, channels: &[Channel]) {
    let model = simulation.model();
    let (world, options) = (model.world(), simulation.options());
    let mut buffers = Buffers::default();
    let drawn = appearances(world);
    let geoms: Vec<Value> =
        (0..world.geoms.len()).map(|g| describe_geom(model, g, drawn[g], &mut buffers)).collect();
    let scene = json!({
        "format": "stiction",
        "version": chunk::VERSION,
        // Files called scene.xml are told apart by the name inside.
        "name": if name == "scene" && !world.name.is_empty() { &world.name } else { name },
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
        "materials": world.visual.materials.iter().map(describe_material).collect::<Vec<_>>(),
        "cameras": world.visual.cameras.iter().map(describe_camera).collect::<Vec<_>>(),
        "view": {
            "center": world.visual.center.as_ref().map(|c| c.as_slice()),
            "extent": world.visual.extent,
            "azimuth": world.visual.azimuth,
            "elevation": world.visual.elevation,
        },
        "notes": buffers.notes,
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

fn describe_material(m: &Material) -> Value {
    json!({
        "name": m.name, "specular": m.specular, "shininess": m.shininess, "reflectance": m.reflectance,
        "emission": m.emission, "metallic": m.metallic, "roughness": m.roughness,
    })
}

/// A camera with its vertical field of view, rad.
fn describe_camera(camera: &Camera) -> Value {
    let (pos, quat) = pose(&camera.pose);
    let height = f64::from(camera.resolution[1]);
    let fov = camera.focal.map_or(camera.field_of_view, |[_, fy]| 2.0 * (0.5 * height / fy).atan());
    json!({ "name": camera.name, "body": camera.body, "pos": pos, "quat": quat, "fov": fov })
}

fn describe_geom(model: &Model, index: usize, drawn: Appearance, buffers: &mut Buffers) -> Value {
    let geom: &Geom = &model.world().geoms[index];
    let (pos, quat) = pose(&geom.pose);
    let solid = model.solid(GeomId(index)).map(|solid| {
        let pressure: Vec<f64> = solid.extents().iter().map(|e| e * solid.modulus()).collect();
        buffers.id(solid.vertices().iter().map(|v| (*v).into()), solid.surface(), solid.tets(), &pressure)
    });
    json!({
        "name": geom.name,
        "body": geom.body,
        "pos": pos,
        "quat": quat,
        "role": drawn.word(),
        "color": geom.color,
        "material": geom.material,
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
            let id = buffers.mesh(world, mesh);
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

/// Whether a control is a position that the actuator holds.
fn is_position_servo(actuator: &Actuator) -> bool {
    actuator.gain[0] != 0.0 && actuator.bias[1] == -actuator.gain[0]
}

/// Unit of a control; empty where the actuator's law does not say.
pub(crate) fn control_unit(world: &World, actuator: &Actuator) -> &'static str {
    let (gain, bias) = (actuator.gain[0], actuator.bias);
    let position = is_position_servo(actuator);
    let velocity = gain != 0.0 && bias[1] == 0.0 && bias[2] == -gain;
    let motor = gain == 1.0 && bias == [0.0; 3];
    let Transmission::Joint { body, joint, gear } = actuator.transmission else { return "" };
    let turns = world.bodies[body].joints[joint].kind.turns(0);
    match (gear[0] == 1.0, turns) {
        (true, true) if position => "rad",
        (true, false) if position => "m",
        (true, true) if velocity => "rad/s",
        (true, false) if velocity => "m/s",
        (true, true) if motor => "N m",
        (true, false) if motor => "N",
        _ => "",
    }
}

/// Name, range and unit of a control, as a slider wants them.
fn describe_actuator(world: &World, actuator: &Actuator) -> Value {
    let mut limits = None;
    // A position servo without a range moves within the limits of its joint.
    if let Transmission::Joint { body, joint, gear } = actuator.transmission
        && let ([dof], true) = (&world.bodies[body].joints[joint].dofs[..], is_position_servo(actuator))
    {
        let ends = [gear[0] * dof.lower, gear[0] * dof.upper];
        limits = ends.iter().all(|x| x.is_finite()).then_some(ends);
    }
    let range = actuator.control_range.or(limits).map(|r| [r[0].min(r[1]), r[0].max(r[1])]);
    json!({ "name": actuator.name, "range": range, "unit": control_unit(world, actuator) })
}

/// Payloads of buffers without their ids, each once.
#[derive(Default)]
struct Buffers {
    contents: Vec<Vec<u8>>,
    /// Buffers of meshes, by index.
    meshes: BTreeMap<usize, usize>,
    /// What the page shows otherwise than the model has it, in words.
    notes: Vec<String>,
}

impl Buffers {
    /// The surface of a mesh, with fewer triangles if it has very many.
    fn mesh(&mut self, world: &World, mesh: usize) -> usize {
        if let Some(id) = self.meshes.get(&mesh) {
            return *id;
        }
        let data = &world.meshes[mesh];
        let vertices: Vec<[f64; 3]> = data.vertices.iter().map(|v| (*v).into()).collect();
        let id = if data.triangles.len() > MOST_TRIANGLES {
            let (vertices, triangles) = decimate(&vertices, &data.triangles, MOST_TRIANGLES);
            let (name, before, after) = (&data.name, data.triangles.len(), triangles.len());
            self.notes.push(format!("mesh \"{name}\" is drawn with {after} of its {before} triangles"));
            self.id(vertices.into_iter(), &triangles, &[], &[])
        } else {
            self.id(vertices.into_iter(), &data.triangles, &[], &[])
        };
        self.meshes.insert(mesh, id);
        id
    }

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
