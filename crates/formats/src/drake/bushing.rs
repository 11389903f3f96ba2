//! Drake's `linear_bushing_rpy`, which URDF and SDFormat share: springs and dampers in six directions.

use super::constraint::{Resolve, name};
use crate::error::Read;
use crate::numbers::parse_numbers;
use crate::report::Report;
use crate::schema::Rule;
use crate::xml::Node;
use stiction_model::{Bushing, Pose, Vec3, World};

/// The element.
pub const TAG: &str = "drake:linear_bushing_rpy";

/// Its vocabulary.
pub const RULE: Rule = Rule {
    key: "bushing",
    read: "name",
    children: &[
        ("drake:bushing_frameA", "any"),
        ("drake:bushing_frameC", "any"),
        ("drake:bushing_torque_stiffness", "any"),
        ("drake:bushing_torque_damping", "any"),
        ("drake:bushing_force_stiffness", "any"),
        ("drake:bushing_force_damping", "any"),
    ],
    ..Rule::NONE
};

/// Reads the bushings among the children of `parent`.
pub fn read(parent: &Node, resolve: &Resolve, world: &mut World, report: &mut Report) -> Read<()> {
    for node in parent.children_named(TAG) {
        let (body_a, frame_a) = frame(node, "drake:bushing_frameA", resolve)?;
        let (body_c, frame_c) = frame(node, "drake:bushing_frameC", resolve)?;
        let (torque_stiffness, torque_damping) =
            (constants(node, "torque_stiffness")?, constants(node, "torque_damping")?);
        let (force_stiffness, force_damping) =
            (constants(node, "force_stiffness")?, constants(node, "force_damping")?);
        if body_a == body_c {
            let message = "both frames of this bushing are on one body, on which it does nothing; name frames of two bodies";
            report.warn(node, &format!("bushing at line {}", node.source().line), message)?;
            continue;
        }
        world.bushings.push(Bushing {
            name: node.attr("name").map_or_else(|| format!("bushing_{}", world.bushings.len()), String::from),
            body_a,
            frame_a,
            body_c,
            frame_c,
            torque_stiffness,
            torque_damping,
            force_stiffness,
            force_damping,
            source: node.source(),
        });
    }
    Ok(())
}

fn frame(node: &Node, tag: &str, resolve: &Resolve) -> Read<(usize, Pose)> {
    let child = node.child(tag).ok_or_else(|| node.error(format!("it needs a {tag} element")))?;
    let wanted = name(child);
    resolve(wanted).ok_or_else(|| {
        child.error(format!("there is no link or frame \"{wanted}\"; add it or correct the name"))
    })
}

fn constants(node: &Node, what: &str) -> Read<Vec3> {
    let tag = format!("drake:bushing_{what}");
    let child = node.child(&tag).ok_or_else(|| node.error(format!("it needs a {tag} element")))?;
    let numbers = parse_numbers(child, &child.name, child.attr("value").unwrap_or(&child.text))?;
    match numbers[..] {
        [x, y, z] if numbers.iter().all(|k| k.is_finite() && *k >= 0.0) => Ok(Vec3::new(x, y, z)),
        _ => Err(child.error("it needs three finite numbers, each zero or more")),
    }
}
