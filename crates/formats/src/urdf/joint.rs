//! URDF joints.

use crate::drake;
use crate::error::Read;
use crate::report::Report;
use crate::xml::Node;
use nalgebra::Translation3;
use nalgebra::UnitQuaternion;
use stiction_model::{Dof, Joint, JointKind, Pose, Vec3};

/// The pose of an `origin` child; the identity without one.
pub fn origin(parent: &Node) -> Read<Pose> {
    parent.child("origin").map_or(Ok(Pose::identity()), xyz_rpy)
}

/// The pose in the attributes `xyz` and `rpy`.
pub fn xyz_rpy(node: &Node) -> Read<Pose> {
    let xyz = node.vec3("xyz")?.unwrap_or_default();
    let rpy = node.vec3("rpy")?.unwrap_or_default();
    if !xyz.iter().chain(&rpy).all(|x| x.is_finite()) {
        return Err(node.error("xyz and rpy must be finite"));
    }
    // Roll about x, then pitch about y, then yaw about z, all of them fixed axes.
    Ok(Pose::from_parts(Translation3::from(xyz), UnitQuaternion::from_euler_angles(rpy.x, rpy.y, rpy.z)))
}

/// The joints that stand for one URDF joint: none if it is fixed, four if it floats on a moving link.
pub fn read(node: &Node, parent_is_world: bool, report: &mut Report) -> Read<Vec<Joint>> {
    let name = node.required("name")?;
    let axis = || -> Read<Vec3> {
        let Some(child) = node.child("axis") else { return Ok(Vec3::x()) };
        let xyz = child.vec3("xyz")?.unwrap_or(Vec3::x());
        xyz.try_normalize(1e-12)
            .filter(|a| a.iter().all(|x| x.is_finite()))
            .ok_or_else(|| child.error("xyz has no direction; give a vector that is not zero"))
    };
    let custom = node.name == "drake:joint";
    let kinds: Vec<JointKind> = match (node.required("type")?, custom) {
        ("fixed", _) => vec![],
        ("revolute" | "continuous", _) => vec![JointKind::Hinge { axis: axis()? }],
        ("prismatic", _) => vec![JointKind::Slide { axis: axis()? }],
        ("floating", _) if parent_is_world => vec![JointKind::Free],
        ("floating", _) => {
            let slide = |axis| JointKind::Slide { axis };
            vec![slide(Vec3::x()), slide(Vec3::y()), slide(Vec3::z()), JointKind::Ball]
        }
        ("planar", false) => {
            let normal = axis()?;
            let x = in_plane(&normal);
            vec![JointKind::Planar { x, y: normal.cross(&x) }]
        }
        ("planar", true) => vec![JointKind::Planar { x: Vec3::x(), y: Vec3::y() }],
        ("ball" | "spherical", _) => vec![JointKind::Ball],
        ("universal", true) => vec![JointKind::Universal { first: Vec3::x(), second: Vec3::y() }],
        ("screw", true) => {
            let pitch = node
                .child("drake:screw_thread_pitch")
                .ok_or_else(|| node.error("a screw joint needs a drake:screw_thread_pitch"))?;
            vec![JointKind::Screw { axis: axis()?, pitch: drake::value(pitch)? }]
        }
        (other, _) => {
            return Err(node.error(format!(
                "type is \"{other}\"; it must be revolute, continuous, prismatic, fixed, floating or planar"
            )));
        }
    };
    let mut dof = Dof::default();
    if let Some(dynamics) = node.child("dynamics") {
        dof.damping = dynamics.number("damping")?.unwrap_or(0.0);
        dof.friction = dynamics.number("friction")?.unwrap_or(0.0);
    }
    limits(node, &mut dof, report)?;
    let one = kinds.len() == 1;
    Ok(kinds
        .into_iter()
        .map(|kind| {
            let name = match kind {
                _ if one => name.to_string(),
                JointKind::Slide { axis } => format!("{name}_{}", ["x", "y", "z"][axis.imax()]),
                _ => format!("{name}_rotation"),
            };
            let mut joint = Joint::new(name, kind);
            joint.dofs.fill(dof);
            joint.source = node.source();
            joint
        })
        .collect())
}

/// A unit vector across `normal`: the projection of the axis that is most across it.
fn in_plane(normal: &Vec3) -> Vec3 {
    let helper = if normal.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    (helper - normal * normal.dot(&helper)).normalize()
}

fn limits(node: &Node, dof: &mut Dof, report: &mut Report) -> Read<()> {
    let bounded = matches!(node.attr("type"), Some("revolute" | "prismatic" | "screw"));
    let Some(limit) = node.child("limit") else {
        if matches!(node.attr("type"), Some("revolute" | "prismatic")) && node.name == "joint" {
            // As in Drake.
            report.warn(
                node,
                &format!("limit {}", node.attr("name").unwrap_or("")),
                "a revolute or prismatic joint has a limit element in URDF; without one it has no limits: add it, or make the joint \
                 continuous",
            )?;
        }
        return Ok(());
    };
    if bounded {
        dof.lower = limit.number("lower")?.unwrap_or(0.0);
        dof.upper = limit.number("upper")?.unwrap_or(0.0);
        if dof.lower > dof.upper {
            // Bullet's way of saying that there is no limit.
            let message = format!(
                "lower {} is above upper {}; the joint has no limit: swap them if it should",
                dof.lower, dof.upper
            );
            report.warn(limit, &format!("limit {}", node.attr("name").unwrap_or("")), message)?;
            (dof.lower, dof.upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
    }
    for (name, into) in [
        ("effort", &mut dof.effort_limit),
        ("velocity", &mut dof.velocity_limit),
        ("drake:acceleration", &mut dof.acceleration_limit),
    ] {
        // Zero is how files say that nothing is known.
        if let Some(x) = leading_number(limit, name, report)?.filter(|x| *x != 0.0) {
            if x < 0.0 {
                return Err(limit.error(format!("{name} is {x}; it must be zero or more")));
            }
            *into = x;
        }
    }
    Ok(())
}

/// The number at the start of an attribute. Text behind it, such as a unit, makes a warning, as other readers skip it.
fn leading_number(node: &Node, name: &str, report: &mut Report) -> Read<Option<f64>> {
    let Some((first, rest)) = node.attr(name).and_then(|text| text.trim().split_once(char::is_whitespace))
    else {
        return node.number(name);
    };
    let Ok(number) = first.parse::<f64>() else { return node.number(name) };
    if rest.trim().parse::<f64>().is_ok() || !number.is_finite() {
        return node.number(name);
    }
    let message =
        format!("{name} is {first}; the text \"{}\" behind it has no effect: remove it", rest.trim());
    report.warn(node, &format!("limit {name} text"), message)?;
    Ok(Some(number))
}
