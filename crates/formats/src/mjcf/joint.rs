//! Joints of a body.

use super::compiler::Compiler;
use super::defaults::Attrs;
use crate::error::Read;
use crate::report::Report;
use stiction_model::{Dof, Joint, JointKind, Pose, Vec3};

/// Time constant and damping ratio of a joint whose stiffness and damping follow from its inertia.
#[derive(Clone, Copy, Debug)]
pub struct SpringDamper {
    /// Body of the joint.
    pub body: usize,
    /// Its place in the body's list.
    pub joint: usize,
    /// Time constant, s.
    pub time: f64,
    /// Damping ratio.
    pub ratio: f64,
}

/// The spring and damper a joint asks for by time constant, if both numbers are positive.
pub fn spring_damper(attrs: &Attrs, body: usize, joint: usize) -> Read<Option<SpringDamper>> {
    let [time, ratio] = attrs.array("springdamper")?.unwrap_or_default();
    Ok((time > 0.0 && ratio > 0.0).then_some(SpringDamper { body, joint, time, ratio }))
}

/// Reads `joint` or `freejoint`; `x_bf` is the pose in the body of the frame the joint is written in.
/// The name is left as written, empty if there is none.
pub fn read(attrs: &Attrs, x_bf: &Pose, compiler: &Compiler, report: &mut Report) -> Read<Joint> {
    let node = attrs.node();
    let name = node.attr("name").unwrap_or("").to_string();
    if node.name == "freejoint" {
        let mut joint = Joint::new(name, JointKind::Free);
        joint.source = node.source();
        return Ok(joint);
    }
    let axis = || -> Read<Vec3> {
        let axis = attrs.array("axis")?.map_or(Vec3::z(), Vec3::from);
        let unit = axis.try_normalize(1e-14).filter(|a| a.iter().all(|x| x.is_finite()));
        unit.map(|a| x_bf.rotation * a)
            .ok_or_else(|| node.error("its axis has no direction; give a vector that is not zero"))
    };
    let kind = match attrs.text("type").unwrap_or("hinge") {
        "hinge" => JointKind::Hinge { axis: axis()? },
        "slide" => JointKind::Slide { axis: axis()? },
        "ball" => JointKind::Ball,
        "free" => JointKind::Free,
        other => {
            return Err(node.error(format!("type is \"{other}\"; it must be free, ball, slide or hinge")));
        }
    };
    let mut joint = Joint::new(name, kind);
    joint.source = node.source();
    if kind != JointKind::Free {
        let pos = attrs.array("pos")?.map_or(Vec3::zeros(), Vec3::from);
        joint.anchor = x_bf.transform_point(&pos.into()).coords;
    }
    // Angles of hinges and ball limits are in the file's unit, lengths of slides in metres.
    let turns = matches!(kind, JointKind::Hinge { .. });
    let unit = if turns { compiler.angle } else { 1.0 };
    let mut dof = Dof {
        damping: polynomial(attrs, "joint", "damping", report)?,
        stiffness: polynomial(attrs, "joint", "stiffness", report)?,
        rest: attrs.number("springref")?.unwrap_or(0.0) * unit,
        armature: attrs.number("armature")?.unwrap_or(0.0),
        friction: attrs.number("frictionloss")?.unwrap_or(0.0),
        ..Dof::default()
    };
    if joint.reference.len() == 1 {
        joint.reference[0] = attrs.number("ref")?.unwrap_or(0.0) * unit;
    }
    let mut range = [0.0; 2];
    attrs.overlay("range", &mut range)?;
    if compiler.limited(node, attrs.tristate("limited")?, range, "limited")? && kind != JointKind::Free {
        let unit = if kind == JointKind::Ball { compiler.angle } else { unit };
        if range[0] > range[1] {
            return Err(node.error(format!("its range {} to {} is empty; swap the ends", range[0], range[1])));
        }
        (dof.lower, dof.upper) = (range[0] * unit, range[1] * unit);
    }
    let mut force = [0.0; 2];
    attrs.overlay("actuatorfrcrange", &mut force)?;
    let said = attrs.tristate("actuatorfrclimited")?;
    if compiler.limited(node, said, force, "actuatorfrclimited")? {
        dof.effort_limit = force[1].min(-force[0]);
        if force[0] != -force[1] {
            report.warn(
                node,
                "joint@actuatorfrcrange asymmetric",
                format!(
                    "actuatorfrcrange is not symmetric; both directions are limited to {}",
                    dof.effort_limit
                ),
            )?;
        }
    }
    if attrs.flag("actuatorgravcomp")?.unwrap_or(false) && dof.effort_limit.is_finite() {
        report.warn(
            node,
            "joint@actuatorgravcomp",
            "actuatorgravcomp: gravity compensation is a force on the body and not counted in actuatorfrcrange, which limits the \
             actuators alone",
        )?;
    }
    joint.dofs.fill(dof);
    Ok(joint)
}

/// The linear coefficient of a force law that newer files may write as a polynomial.
pub fn polynomial(attrs: &Attrs, element: &str, name: &str, report: &mut Report) -> Read<f64> {
    let mut values = [0.0; 3];
    attrs.overlay(name, &mut values)?;
    if values[1] != 0.0 || values[2] != 0.0 {
        report.warn(
            attrs.node(),
            &format!("{element}@{name} polynomial"),
            format!("{name} has terms beyond the linear one; only the linear one acts"),
        )?;
    }
    if values[0] < 0.0 {
        report.warn(
            attrs.node(),
            &format!("{element}@{name} negative"),
            format!("{name} is {}, which would feed energy in; it is taken as 0", values[0]),
        )?;
    }
    Ok(values[0].max(0.0))
}
