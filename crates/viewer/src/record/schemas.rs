//! Messages of robotics log tools, as JSON: their shapes and their schemas.
//!
//! The names and fields are those of Foxglove's well-known schemas, so that tools show poses, shapes and arrows without
//! being told how.

use serde::Serialize;
use serde_json::{Value, json};

#[derive(Clone, Copy, Serialize)]
pub(super) struct Time {
    pub sec: u32,
    pub nsec: u32,
}

impl Time {
    /// Simulated seconds; what lies before 0 counts as 0.
    pub fn new(nanoseconds: u64) -> Self {
        let sec = u32::try_from(nanoseconds / 1_000_000_000).unwrap_or(u32::MAX);
        Self { sec, nsec: (nanoseconds % 1_000_000_000) as u32 }
    }
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Vector {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl From<[f32; 3]> for Vector {
    fn from([x, y, z]: [f32; 3]) -> Self {
        Self { x, y, z }
    }
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Turn {
    pub x: f32,
    pub y: f32,
    pub z: f32,
    pub w: f32,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Placed {
    pub position: Vector,
    pub orientation: Turn,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Color {
    pub r: f32,
    pub g: f32,
    pub b: f32,
    pub a: f32,
}

#[derive(Serialize)]
pub(super) struct Transforms<'a> {
    pub transforms: Vec<Transform<'a>>,
}

#[derive(Serialize)]
pub(super) struct Transform<'a> {
    pub timestamp: Time,
    pub parent_frame_id: &'a str,
    pub child_frame_id: &'a str,
    pub translation: Vector,
    pub rotation: Turn,
}

#[derive(Serialize)]
pub(super) struct SceneUpdate {
    pub deletions: [(); 0],
    pub entities: Vec<Entity>,
}

#[derive(Default, Serialize)]
pub(super) struct Entity {
    pub timestamp: Time,
    pub frame_id: String,
    pub id: String,
    pub lifetime: Time,
    pub frame_locked: bool,
    pub metadata: [(); 0],
    pub arrows: Vec<Arrow>,
    pub cubes: Vec<Block>,
    pub spheres: Vec<Block>,
    pub cylinders: Vec<Cylinder>,
    pub lines: [(); 0],
    pub triangles: Vec<Triangles>,
    pub texts: [(); 0],
    pub models: [(); 0],
}

impl Default for Time {
    fn default() -> Self {
        Self::new(0)
    }
}

#[derive(Serialize)]
pub(super) struct Arrow {
    pub pose: Placed,
    pub shaft_length: f32,
    pub shaft_diameter: f32,
    pub head_length: f32,
    pub head_diameter: f32,
    pub color: Color,
}

/// A cube, or a sphere: an ellipsoid with these diameters.
#[derive(Serialize)]
pub(super) struct Block {
    pub pose: Placed,
    pub size: Vector,
    pub color: Color,
}

#[derive(Serialize)]
pub(super) struct Cylinder {
    pub pose: Placed,
    pub size: Vector,
    pub bottom_scale: f32,
    pub top_scale: f32,
    pub color: Color,
}

#[derive(Serialize)]
pub(super) struct Triangles {
    pub pose: Placed,
    pub points: Vec<Vector>,
    pub color: Color,
    pub colors: Vec<Color>,
    pub indices: Vec<u32>,
}

fn object(title: &str, properties: Value) -> Value {
    json!({ "title": title, "type": "object", "properties": properties })
}

fn numbers(title: &str, names: &[&str]) -> Value {
    let fields = names.iter().map(|n| (n.to_string(), json!({ "type": "number" })));
    object(title, Value::Object(fields.collect()))
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn time(title: &str) -> Value {
    let whole = |most: u32| json!({ "type": "integer", "minimum": 0, "maximum": most });
    object(title, json!({ "sec": whole(u32::MAX), "nsec": whole(999_999_999) }))
}

fn placed() -> Value {
    let position = numbers("foxglove.Vector3", &["x", "y", "z"]);
    let orientation = numbers("foxglove.Quaternion", &["x", "y", "z", "w"]);
    object("foxglove.Pose", json!({ "position": position, "orientation": orientation }))
}

/// Schema of `foxglove.FrameTransforms`.
pub(super) fn frame_transforms() -> Value {
    let transform = json!({
        "timestamp": time("time"),
        "parent_frame_id": { "type": "string" },
        "child_frame_id": { "type": "string" },
        "translation": numbers("foxglove.Vector3", &["x", "y", "z"]),
        "rotation": numbers("foxglove.Quaternion", &["x", "y", "z", "w"]),
    });
    let transforms = list(object("foxglove.FrameTransform", transform));
    object("foxglove.FrameTransforms", json!({ "transforms": transforms }))
}

/// Schema of `foxglove.SceneUpdate`, as far as it is used.
pub(super) fn scene_update() -> Value {
    let color = || numbers("foxglove.Color", &["r", "g", "b", "a"]);
    let vector = || numbers("foxglove.Vector3", &["x", "y", "z"]);
    let number = || json!({ "type": "number" });
    let block = |title| object(title, json!({ "pose": placed(), "size": vector(), "color": color() }));
    let entity = json!({
        "timestamp": time("time"),
        "frame_id": { "type": "string" },
        "id": { "type": "string" },
        "lifetime": time("duration"),
        "frame_locked": { "type": "boolean" },
        "metadata": list(object("foxglove.KeyValuePair",
            json!({ "key": { "type": "string" }, "value": { "type": "string" } }))),
        "arrows": list(object("foxglove.ArrowPrimitive", json!({
            "pose": placed(), "shaft_length": number(), "shaft_diameter": number(), "head_length": number(),
            "head_diameter": number(), "color": color(),
        }))),
        "cubes": list(block("foxglove.CubePrimitive")),
        "spheres": list(block("foxglove.SpherePrimitive")),
        "cylinders": list(object("foxglove.CylinderPrimitive", json!({
            "pose": placed(), "size": vector(), "bottom_scale": number(), "top_scale": number(), "color": color(),
        }))),
        "lines": list(object("foxglove.LinePrimitive", json!({}))),
        "triangles": list(object("foxglove.TriangleListPrimitive", json!({
            "pose": placed(), "points": list(vector()), "color": color(), "colors": list(color()),
            "indices": list(json!({ "type": "integer", "minimum": 0 })),
        }))),
        "texts": list(object("foxglove.TextPrimitive", json!({}))),
        "models": list(object("foxglove.ModelPrimitive", json!({}))),
    });
    let deletion = json!({
        "timestamp": time("time"), "type": { "type": "integer" }, "id": { "type": "string" },
    });
    object(
        "foxglove.SceneUpdate",
        json!({
            "deletions": list(object("foxglove.SceneEntityDeletion", deletion)),
            "entities": list(object("foxglove.SceneEntity", entity)),
        }),
    )
}

/// Schema of `stiction.Channels`: an object a group with a number a channel.
pub(super) fn channels(groups: &[(String, Vec<String>)]) -> Value {
    let fields = groups.iter().map(|(group, names)| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (group.clone(), numbers(group, &names))
    });
    object("stiction.Channels", Value::Object(fields.collect()))
}
