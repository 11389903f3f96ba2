//! Positions and the five ways to write an orientation.

use super::compiler::Compiler;
use super::defaults::Attrs;
use crate::error::Read;
use crate::numbers::rotation_from_z;
use nalgebra::{Matrix3, Rotation3, Translation3, Unit, UnitQuaternion};
use stiction_model::{Pose, Vec3};

const SPECIFIERS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// The pose of an element in the frame around it.
pub fn pose(attrs: &Attrs, compiler: &Compiler) -> Read<Pose> {
    let position = attrs.array("pos")?.map_or(Vec3::zeros(), Vec3::from);
    let rotation = orientation(attrs, compiler)?.unwrap_or_default();
    Ok(Pose::from_parts(Translation3::from(position), rotation))
}

/// The orientation, if one is written.
pub fn orientation(attrs: &Attrs, compiler: &Compiler) -> Read<Option<UnitQuaternion<f64>>> {
    let Some(node) = attrs.holder(&SPECIFIERS) else { return Ok(None) };
    let given: Vec<_> = SPECIFIERS.iter().filter(|s| node.attr(s).is_some()).collect();
    if given.len() > 1 {
        return Err(node.error(format!(
            "the orientation is written twice, as {} and as {}; keep one",
            given[0], given[1]
        )));
    }
    let flat = |name: &str| node.error(format!("{name} has no direction; give a vector that is not zero"));
    let rotation = match *given[0] {
        "quat" => return node.quaternion("quat"),
        "axisangle" => {
            let [x, y, z, angle] = node.array("axisangle")?.unwrap_or_default();
            let axis = Unit::try_new(Vec3::new(x, y, z), 1e-15).ok_or_else(|| flat("axisangle"))?;
            UnitQuaternion::from_axis_angle(&axis, angle * compiler.angle)
        }
        "euler" => euler(&node.array("euler")?.map_or(Vec3::zeros(), Vec3::from), compiler),
        "xyaxes" => {
            let [a, b, c, d, e, f] = node.array("xyaxes")?.unwrap_or_default();
            let x = Vec3::new(a, b, c).try_normalize(1e-15).ok_or_else(|| flat("xyaxes"))?;
            let y = Vec3::new(d, e, f);
            let y = (y - x * x.dot(&y)).try_normalize(1e-15).ok_or_else(|| flat("xyaxes"))?;
            let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix))
        }
        _ => {
            let z = node.vec3("zaxis")?.unwrap_or_default();
            rotation_from_z(&z).ok_or_else(|| flat("zaxis"))?
        }
    };
    if !rotation.coords.iter().all(|c| c.is_finite()) {
        return Err(node.error(format!("{} must be finite", given[0])));
    }
    Ok(Some(rotation))
}

/// The rotation of three angles in the file's unit, in the file's order of axes.
pub fn euler(angles: &Vec3, compiler: &Compiler) -> UnitQuaternion<f64> {
    let mut rotation = UnitQuaternion::identity();
    for (letter, angle) in compiler.eulerseq.iter().zip(angles.iter()) {
        let axis = match letter.to_ascii_lowercase() {
            b'x' => Vec3::x_axis(),
            b'y' => Vec3::y_axis(),
            _ => Vec3::z_axis(),
        };
        let turn = UnitQuaternion::from_axis_angle(&axis, angle * compiler.angle);
        rotation = if letter.is_ascii_lowercase() { rotation * turn } else { turn * rotation };
    }
    rotation
}
