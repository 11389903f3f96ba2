//! Values of directives: words, numbers, rotations and transforms.

use super::yaml::{Value, Yaml};
use crate::error::{FormatError, Read};
use nalgebra::{Translation3, Unit, UnitQuaternion};
use stiction_model::{Pose, Source, Vec3};

/// An error at a value.
pub fn fail(file: &str, at: &Yaml, what: impl Into<String>) -> FormatError {
    let place = Source::new(file, "directive", at.line);
    FormatError::Invalid { place, message: what.into() }
}

/// Refuses keys that nothing reads: a misspelt one would be lost in silence.
pub fn only(file: &str, at: &Yaml, keys: &[&str]) -> Read<()> {
    let Value::Map(entries) = &at.value else {
        return match &at.value {
            Value::Null => Ok(()),
            _ => Err(fail(file, at, format!("it needs entries as in `{}: …`", keys[0]))),
        };
    };
    match entries.iter().find(|(key, _)| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some((key, value)) => {
            Err(fail(file, value, format!("nothing reads `{key}` here; there may be: {}", keys.join(", "))))
        }
    }
}

/// The entries of a mapping that may be left out.
pub fn entries<'y>(file: &str, at: &'y Yaml, key: &str) -> Read<&'y [(String, Yaml)]> {
    match at.get(key).map(|value| (value, &value.value)) {
        None | Some((_, Value::Null)) => Ok(&[]),
        Some((_, Value::Map(entries))) => Ok(entries),
        Some((value, _)) => Err(fail(file, value, format!("{key} needs entries as in `name: …`"))),
    }
}

/// The word that a key must have.
pub fn text<'y>(file: &str, at: &'y Yaml, key: &str) -> Read<&'y str> {
    let value = at.get(key).ok_or_else(|| fail(file, at, format!("it needs `{key}: …`")))?;
    match &value.value {
        Value::Scalar(word) => Ok(word),
        _ => Err(fail(file, value, format!("{key} must be one word"))),
    }
}

/// A finite number.
pub fn number(file: &str, at: &Yaml) -> Read<f64> {
    let word = match &at.value {
        Value::Scalar(word) => word.as_str(),
        _ => "",
    };
    word.parse::<f64>()
        .ok()
        .filter(|x| x.is_finite())
        .ok_or_else(|| fail(file, at, format!("\"{word}\" is not a finite number")))
}

/// Three numbers.
pub fn vector(file: &str, at: &Yaml) -> Read<Vec3> {
    match &at.value {
        Value::List(items) if items.len() == 3 && at.tag.is_none() => {
            Ok(Vec3::new(number(file, &items[0])?, number(file, &items[1])?, number(file, &items[2])?))
        }
        _ => Err(fail(file, at, "it needs three numbers as in [0, 0, 1]; random values are not drawn")),
    }
}

/// A rotation by its tag; none is the identity.
pub fn rotation(file: &str, at: &Yaml) -> Read<UnitQuaternion<f64>> {
    match at.tag.as_deref() {
        Some("Rpy") => only(file, at, &["deg"])?,
        Some("AngleAxis") => only(file, at, &["angle_deg", "axis"])?,
        _ => {}
    }
    let part =
        |key: &str| at.get(key).ok_or_else(|| fail(file, at, format!("the rotation needs `{key}: …`")));
    match (at.tag.as_deref(), &at.value) {
        (None | Some("Identity"), Value::Null) => Ok(UnitQuaternion::identity()),
        (Some("Identity"), Value::Map(entries)) if entries.is_empty() => Ok(UnitQuaternion::identity()),
        (Some("Rpy"), _) => {
            let deg = vector(file, part("deg")?)?.map(f64::to_radians);
            // Roll about x, then pitch about y, then yaw about z, all of them fixed axes.
            Ok(UnitQuaternion::from_euler_angles(deg.x, deg.y, deg.z))
        }
        (Some("AngleAxis"), _) => {
            let angle = number(file, part("angle_deg")?)?.to_radians();
            let axis = part("axis")?;
            let unit = Unit::try_new(vector(file, axis)?, 1e-12).ok_or_else(|| {
                fail(file, axis, "the axis has no direction; give a vector that is not zero")
            })?;
            Ok(UnitQuaternion::from_axis_angle(&unit, angle))
        }
        (tag, _) => Err(fail(
            file,
            at,
            format!(
                "the rotation is !{}; it must be !Rpy, !AngleAxis or !Identity, without random values",
                tag.unwrap_or("")
            ),
        )),
    }
}

/// A pose in the frame that `base_frame` names, where one may be named.
pub fn transform(file: &str, at: Option<&Yaml>, keys: &[&str]) -> Read<Pose> {
    let Some(at) = at else { return Ok(Pose::identity()) };
    only(file, at, keys)?;
    let p = at.get("translation").map_or(Ok(Vec3::zeros()), |t| vector(file, t))?;
    let r = at.get("rotation").map_or(Ok(UnitQuaternion::identity()), |r| rotation(file, r))?;
    Ok(Pose::from_parts(Translation3::from(p), r))
}

/// A list of names that may be left out.
pub fn words(file: &str, at: &Yaml, key: &str) -> Read<Vec<String>> {
    match at.get(key).map(|v| &v.value) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::List(items)) => items
            .iter()
            .map(|item| match &item.value {
                Value::Scalar(word) => Ok(word.clone()),
                _ => Err(fail(file, item, format!("{key} must be a list of names"))),
            })
            .collect(),
        Some(_) => Err(fail(file, at, format!("{key} must be a list of names"))),
    }
}

/// The namespace inside a directive that may have a `model_namespace`, with `::` behind it.
pub fn inside(file: &str, at: &Yaml, namespace: &str) -> Read<String> {
    match at.get("model_namespace") {
        Some(_) => Ok(format!("{namespace}{}::", text(file, at, "model_namespace")?)),
        None => Ok(namespace.to_string()),
    }
}
