//! Values in the text of child elements, and poses.

use crate::error::Read;
use crate::numbers::{clip, parse_numbers};
use crate::xml::Node;
use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use stiction_model::{Pose, Vec3};

/// Name of the attribute in which the expansion of includes notes a model's version.
pub const VERSION: &str = "__version__";

impl Node {
    /// Text of the child element of this name.
    pub fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name).map(|c| c.text.as_str())
    }

    /// The number in the child element of this name.
    pub fn child_number(&self, name: &str) -> Read<Option<f64>> {
        let Some(child) = self.child(name) else { return Ok(None) };
        match parse_numbers(child, name, &child.text)?[..] {
            [x] => Ok(Some(x)),
            _ => Err(child.error(format!("it holds \"{}\"; it needs one number", clip(&child.text)))),
        }
    }

    /// The three numbers in the child element of this name.
    pub fn child_vec3(&self, name: &str) -> Read<Option<Vec3>> {
        let Some(child) = self.child(name) else { return Ok(None) };
        match parse_numbers(child, name, &child.text)?[..] {
            [x, y, z] => Ok(Some(Vec3::new(x, y, z))),
            _ => Err(child.error(format!("it holds \"{}\"; it needs three numbers", clip(&child.text)))),
        }
    }

    /// `true`, `false`, `1` or `0` in the child element of this name.
    pub fn child_flag(&self, name: &str) -> Read<Option<bool>> {
        let Some(child) = self.child(name) else { return Ok(None) };
        match child.text.to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(Some(true)),
            "false" | "0" => Ok(Some(false)),
            other => Err(child.error(format!("it is \"{}\"; it must be true or false", clip(other)))),
        }
    }
}

/// The frame a pose is relative to, if it names one.
pub fn relative_to(pose: Option<&Node>) -> Option<&str> {
    let node = pose?;
    // Version 1.6 and before called it `frame`.
    node.attr("relative_to").or_else(|| node.attr("frame")).filter(|name| !name.is_empty())
}

/// The pose in a `pose` element: x y z and roll pitch yaw, or a quaternion with w last.
pub fn pose(node: Option<&Node>) -> Read<Pose> {
    let Some(node) = node else { return Ok(Pose::identity()) };
    let values = parse_numbers(node, "pose", &node.text)?;
    if !values.iter().all(|x| x.is_finite()) {
        return Err(node.error("every number of a pose must be finite"));
    }
    let unit = if node.flag("degrees")?.unwrap_or(false) { 1f64.to_radians() } else { 1.0 };
    let (x, y, z, rotation) = match (node.attr("rotation_format").unwrap_or("euler_rpy"), &values[..]) {
        (_, []) => return Ok(Pose::identity()),
        ("euler_rpy", &[x, y, z, r, p, w]) => {
            // Roll about x, then pitch about y, then yaw about z, all of them fixed axes.
            (x, y, z, UnitQuaternion::from_euler_angles(r * unit, p * unit, w * unit))
        }
        ("quat_xyzw", &[x, y, z, qx, qy, qz, qw]) => {
            let q = UnitQuaternion::try_new(Quaternion::new(qw, qx, qy, qz), 1e-15);
            (x, y, z, q.ok_or_else(|| node.error("its quaternion is zero; give one of length 1"))?)
        }
        (format, values) => {
            return Err(node.error(format!(
                "it has {} numbers in the format {format}; euler_rpy needs x y z roll pitch yaw, quat_xyzw needs x y z and \
                 qx qy qz qw",
                values.len()
            )));
        }
    };
    Ok(Pose::from_parts(Translation3::new(x, y, z), rotation))
}

/// Version of a model's file as (major, minor); (1, 12) if it says none.
pub fn version(text: &str) -> (u32, u32) {
    let mut parts = text.trim().split('.').map(|p| p.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor),
        _ => (1, 12),
    }
}
