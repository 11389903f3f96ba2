//! Named states of models that become parts of a larger world.
//!
//! A state is taken apart by joint and body, because their order in the composed world is known only at its end. The rest of
//! the world is in its default state.

use crate::reference;
use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use stiction_model::{JointKind, Keyframe, Pose, Vec3, World};

/// A named state of one of the models.
#[derive(Clone, Debug)]
pub struct Part {
    /// The state, without its numbers.
    bare: Keyframe,
    /// Joints with their positions and velocities, where the state gives them.
    positions: Vec<(String, Vec<f64>)>,
    velocities: Vec<(String, Vec<f64>)>,
    /// The model's first actuator and activation, and their numbers.
    controls: (usize, Vec<f64>),
    activations: (usize, Vec<f64>),
    mocap: Vec<(String, Pose)>,
}

/// The named states of a model that is added to `world` with its origin at `x_w`.
pub fn parts(model: &World, prefix: &str, x_w: &Pose, world: &World) -> Vec<Part> {
    let (nu, na) = (world.nu(), world.na());
    let mocap_bodies: Vec<&str> = model.bodies.iter().filter(|b| b.mocap).map(|b| b.name.as_str()).collect();
    let keyframes = model.keyframes.iter();
    keyframes
        .map(|key| {
            let (mut positions, mut velocities) = (Vec::new(), Vec::new());
            let (mut q, mut v) = (0, 0);
            for (_, joint) in model.joints() {
                let (nq, nv) = (joint.kind.nq(), joint.kind.nv());
                let name = format!("{prefix}{}", joint.name);
                let free = joint.kind == JointKind::Free;
                if let Some(values) = key.qpos.get(q..q + nq) {
                    let values = if free { moved(x_w, values) } else { values.to_vec() };
                    positions.push((name.clone(), values));
                }
                if let Some(values) = key.qvel.get(v..v + nv) {
                    let mut values = values.to_vec();
                    if free {
                        let linear = x_w.rotation * Vec3::new(values[0], values[1], values[2]);
                        values[..3].copy_from_slice(linear.as_slice());
                    }
                    velocities.push((name, values));
                }
                (q, v) = (q + nq, v + nv);
            }
            let named = if key.name.is_empty() { String::new() } else { format!("{prefix}{}", key.name) };
            let mocap = mocap_bodies.iter().zip(&key.mocap);
            Part {
                bare: Keyframe {
                    name: named,
                    time: key.time,
                    source: key.source.clone(),
                    ..Keyframe::default()
                },
                positions,
                velocities,
                controls: (nu, key.ctrl.clone()),
                activations: (na, key.activation.clone()),
                mocap: mocap.map(|(body, pose)| (format!("{prefix}{body}"), x_w * pose)).collect(),
            }
        })
        .collect()
}

/// Coordinates of a free joint in a frame that stands at `x_w`.
fn moved(x_w: &Pose, q: &[f64]) -> Vec<f64> {
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[4], q[5], q[6]));
    let pose = x_w * Pose::from_parts(Translation3::new(q[0], q[1], q[2]), turn);
    let (p, r) = (pose.translation.vector, pose.rotation.quaternion());
    vec![p.x, p.y, p.z, r.w, r.i, r.j, r.k]
}

/// The states of the finished world.
pub fn complete(world: &World, parts: &[Part]) -> Vec<Keyframe> {
    let mut places = std::collections::BTreeMap::new();
    let (mut q, mut v) = (0, 0);
    for (_, joint) in world.joints() {
        places.insert(joint.name.as_str(), (q, v));
        (q, v) = (q + joint.kind.nq(), v + joint.kind.nv());
    }
    let mocap = world.bodies.iter().filter(|b| b.mocap);
    let mocap: Vec<_> = mocap.map(|b| (b.name.as_str(), b.pose)).collect();
    let set = |values: &mut [f64], from: usize, given: &[f64]| {
        values[from..from + given.len()].copy_from_slice(given);
    };
    let padded = |(first, given): &(usize, Vec<f64>), size: usize| {
        let mut values = vec![0.0; if given.is_empty() { 0 } else { size }];
        set(&mut values, if given.is_empty() { 0 } else { *first }, given);
        values
    };
    let complete = |part: &Part| {
        let mut key = part.bare.clone();
        // A joint that was fixed since has no place.
        if !part.positions.is_empty() {
            key.qpos = reference::positions(world);
            for (joint, values) in &part.positions {
                places.get(joint.as_str()).into_iter().for_each(|&(q, _)| set(&mut key.qpos, q, values));
            }
        }
        if !part.velocities.is_empty() {
            key.qvel = vec![0.0; world.nv()];
            for (joint, values) in &part.velocities {
                places.get(joint.as_str()).into_iter().for_each(|&(_, v)| set(&mut key.qvel, v, values));
            }
        }
        key.ctrl = padded(&part.controls, world.nu());
        key.activation = padded(&part.activations, world.na());
        if !part.mocap.is_empty() {
            let given = |name: &str| part.mocap.iter().find(|(body, _)| body == name).map(|(_, pose)| *pose);
            key.mocap = mocap.iter().map(|(name, pose)| given(name).unwrap_or(*pose)).collect();
        }
        key
    };
    parts.iter().map(complete).collect()
}
