//! SDFormat joints.

use super::graph::{Element, Graph};
use crate::drake;
use crate::error::Read;
use crate::xml::Node;
use std::f64::consts::PI;
use stiction_model::{Dof, Joint, JointKind, Pose, Vec3};

/// Positions at least this large are how files say that there is no limit.
const NO_LIMIT: f64 = 1e16;

/// The joint that carries a body, in the body's frame; `None` if it is fixed. `turned` says that the body
/// is the joint's parent.
pub fn read(graph: &Graph, part: &Element, x_wb: &Pose, turned: bool) -> Read<Option<Joint>> {
    let node = part.node;
    let sign = if turned { -1.0 } else { 1.0 };
    let axis = |name: &str| -> Read<Vec3> { Ok(sign * (x_wb.inverse() * axis_w(graph, part, name)?)) };
    let x_wj = graph.frames[part.frame].x_wf;
    let one_way = |what: &str| -> Read<()> {
        if turned {
            let message = format!(
                "this {what} joint hangs its parent on its child, which only fixed, revolute, prismatic, screw and ball joints can; \
                 swap parent and child"
            );
            return Err(node.error(message));
        }
        Ok(())
    };
    let kind = match node.required("type")? {
        "fixed" => return Ok(None),
        "revolute" | "continuous" => JointKind::Hinge { axis: axis("axis")? },
        "prismatic" => JointKind::Slide { axis: axis("axis")? },
        "screw" => JointKind::Screw { axis: axis("axis")?, pitch: pitch(node)? },
        "universal" | "revolute2" => {
            one_way("two-axis")?;
            JointKind::Universal { first: axis("axis")?, second: axis("axis2")? }
        }
        // Turned round it is the inverse rotation: the coordinates say how the parent stands in the child.
        "ball" => JointKind::Ball,
        "planar" if node.name == "drake:joint" => {
            one_way("planar")?;
            let x_bj = x_wb.inverse() * x_wj;
            JointKind::Planar { x: x_bj * Vec3::x(), y: x_bj * Vec3::y() }
        }
        other => {
            return Err(node.error(format!(
                "type is \"{other}\"; it must be revolute, continuous, prismatic, ball, universal, screw, revolute2, gearbox \
                 or fixed"
            )));
        }
    };
    let mut joint = Joint::new(graph.name(part), kind);
    joint.source = node.source();
    joint.anchor = (x_wb.inverse() * x_wj).translation.vector;
    let dofs = match kind {
        JointKind::Universal { .. } => vec![dof(node, "axis")?, dof(node, "axis2")?],
        JointKind::Planar { .. } => planar_damping(node)?,
        // A ball joint has one axis element at most, for its damping.
        JointKind::Hinge { .. }
        | JointKind::Slide { .. }
        | JointKind::Screw { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Ball
        | JointKind::Free => vec![dof(node, "axis")?; kind.nv()],
    };
    joint.dofs = dofs;
    if node.attr("type") == Some("continuous") || kind == JointKind::Ball {
        for dof in &mut joint.dofs {
            (dof.lower, dof.upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }
    let limit = node.child("axis").and_then(|a| a.child("limit"));
    if let Some(stiffness) = limit.map(|l| l.child_number("stiffness")).transpose()?.flatten() {
        // The format's default, 1e8, is as good as rigid.
        joint.limit_stiffness = (stiffness > 0.0 && stiffness < 1e8).then_some(stiffness);
    }
    if let Some(ratio) = node.child("drake:gear_ratio") {
        joint.dofs[0].gear_ratio = drake::value(ratio)?;
    }
    if let Some(rotor) = node.child("drake:rotor_inertia") {
        joint.dofs[0].rotor_inertia = drake::value(rotor)?;
    }
    Ok(Some(joint))
}

/// Direction of an axis in the world.
pub fn axis_w(graph: &Graph, part: &Element, name: &str) -> Read<Vec3> {
    let node = part.node;
    let axis = node.child(name).ok_or_else(|| {
        node.error(format!("this joint needs an {name} element; add <{name}><xyz>0 0 1</xyz></{name}>"))
    })?;
    let xyz = axis.child("xyz");
    let value = axis.child_vec3("xyz")?.unwrap_or(Vec3::z());
    let unit = value.try_normalize(1e-12).filter(|a| a.iter().all(|x| x.is_finite()));
    let unit = unit.ok_or_else(|| axis.error("xyz has no direction; give a vector that is not zero"))?;
    // Before version 1.5 axes were in the model's frame; until 1.6 an element could say so.
    let in_model = match axis.child_flag("use_parent_model_frame")? {
        Some(said) => said,
        None => graph.scopes[part.scope].version < (1, 5),
    };
    let frame = match xyz.and_then(|n| n.attr("expressed_in")).filter(|n| !n.is_empty()) {
        Some(name) => graph.lookup(part.scope, name, axis)?,
        None if in_model => graph.scopes[part.scope].frame,
        None => part.frame,
    };
    Ok(graph.frames[frame].x_wf.rotation * unit)
}

/// Translation per turn, m.
fn pitch(node: &Node) -> Read<f64> {
    if let Some(pitch) = node.child_number("screw_thread_pitch")? {
        return Ok(pitch);
    }
    // The older element is in radians per metre, and counts the other way.
    let old = node.child_number("thread_pitch")?.unwrap_or(1.0);
    if old == 0.0 || !old.is_finite() {
        return Err(node.error("thread_pitch must be finite and not zero"));
    }
    Ok(-2.0 * PI / old)
}

/// Damping of a planar joint of Drake: x, y and the rotation.
fn planar_damping(node: &Node) -> Read<Vec<Dof>> {
    let mut dofs = vec![Dof::default(); 3];
    if let Some(damping) = node.child_vec3("drake:damping")? {
        for k in 0..3 {
            dofs[k].damping = damping[k];
        }
    }
    Ok(dofs)
}

/// Limits and dynamics of an axis element.
fn dof(node: &Node, axis: &str) -> Read<Dof> {
    let mut dof = Dof::default();
    let Some(axis) = node.child(axis) else { return Ok(dof) };
    if let Some(limit) = axis.child("limit") {
        let bound = |name: &str| -> Read<Option<f64>> {
            Ok(limit.child_number(name)?.filter(|x| x.abs() < NO_LIMIT))
        };
        dof.lower = bound("lower")?.unwrap_or(f64::NEG_INFINITY);
        dof.upper = bound("upper")?.unwrap_or(f64::INFINITY);
        if dof.lower > dof.upper {
            return Err(limit.error(format!("lower {} is above upper {}; swap them", dof.lower, dof.upper)));
        }
        // Negative means that there is no limit. An effort of zero says that nothing drives the joint.
        if let Some(effort) = limit.child_number("effort")?.filter(|x| *x >= 0.0) {
            dof.effort_limit = effort;
        }
        if let Some(velocity) = limit.child_number("velocity")?.filter(|x| *x > 0.0) {
            dof.velocity_limit = velocity;
        }
        if let Some(acceleration) = limit.child("drake:acceleration") {
            dof.acceleration_limit = drake::value(acceleration)?.abs();
        }
    }
    if let Some(dynamics) = axis.child("dynamics") {
        dof.damping = dynamics.child_number("damping")?.unwrap_or(0.0);
        dof.friction = dynamics.child_number("friction")?.unwrap_or(0.0);
        dof.stiffness = dynamics.child_number("spring_stiffness")?.unwrap_or(0.0);
        dof.rest = dynamics.child_number("spring_reference")?.unwrap_or(0.0);
    }
    Ok(dof)
}
