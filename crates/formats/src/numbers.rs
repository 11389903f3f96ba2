//! Numbers and words in attributes.

use crate::error::Read;
use crate::xml::Node;
use nalgebra::{Quaternion, UnitQuaternion};
use stiction_model::Vec3;

/// Longest list of numbers in one attribute.
const MAX_NUMBERS: usize = 50_000_000;

/// All numbers in `text`; `what` names the attribute in errors.
pub fn parse_numbers(node: &Node, what: &str, text: &str) -> Read<Vec<f64>> {
    let mut values = Vec::new();
    for word in text.split_ascii_whitespace() {
        let value: f64 = word.parse().map_err(|_| {
            let remedy = if text.contains("${") || text.contains("$(") {
                "this is xacro: expand the file first (xacro model.urdf.xacro > model.urdf)"
            } else {
                "give numbers separated by spaces"
            };
            node.error(format!("{what}: \"{}\" is not a number; {remedy}", clip(word)))
        })?;
        if value.is_nan() {
            return Err(
                node.error(format!("{what}: NaN is not a number to simulate with; give a finite value"))
            );
        }
        if values.len() == MAX_NUMBERS {
            return Err(node.error(format!("{what}: more than {MAX_NUMBERS} numbers")));
        }
        values.push(value);
    }
    Ok(values)
}

/// A word short enough to quote.
pub fn clip(word: &str) -> String {
    if word.chars().count() <= 40 {
        word.to_string()
    } else {
        word.chars().take(40).collect::<String>() + "…"
    }
}

impl Node {
    /// All numbers of an attribute.
    pub fn numbers(&self, name: &str) -> Read<Option<Vec<f64>>> {
        self.attr(name).map(|text| parse_numbers(self, name, text)).transpose()
    }

    /// Exactly `N` numbers.
    pub fn array<const N: usize>(&self, name: &str) -> Read<Option<[f64; N]>> {
        let Some(values) = self.numbers(name)? else { return Ok(None) };
        let have = values.len();
        <[f64; N]>::try_from(values)
            .map(Some)
            .map_err(|_| self.error(format!("{name} has {have} numbers, it needs {N}")))
    }

    /// Between one and `into.len()` numbers, written over the start of `into`; how many there were.
    pub fn overlay(&self, name: &str, into: &mut [f64]) -> Read<usize> {
        let Some(values) = self.numbers(name)? else { return Ok(0) };
        if values.len() > into.len() {
            return Err(self.error(format!(
                "{name} has {} numbers, it may have at most {}",
                values.len(),
                into.len()
            )));
        }
        into[..values.len()].copy_from_slice(&values);
        Ok(values.len())
    }

    /// One number.
    pub fn number(&self, name: &str) -> Read<Option<f64>> {
        Ok(self.array::<1>(name)?.map(|[x]| x))
    }

    /// One whole number.
    pub fn integer(&self, name: &str) -> Read<Option<i64>> {
        let Some(value) = self.number(name)? else { return Ok(None) };
        if value.fract() != 0.0 || value.abs() > 9e15 {
            return Err(self.error(format!("{name} is {value}; it must be a whole number")));
        }
        Ok(Some(value as i64))
    }

    /// Three numbers.
    pub fn vec3(&self, name: &str) -> Read<Option<Vec3>> {
        Ok(self.array::<3>(name)?.map(Vec3::from))
    }

    /// `true` or `false` (also `1`, `0`).
    pub fn flag(&self, name: &str) -> Read<Option<bool>> {
        match self.attr(name).map(str::trim) {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(other) => {
                Err(self.error(format!("{name} is \"{}\"; it must be true or false", clip(other))))
            }
        }
    }

    /// A unit quaternion, w first.
    pub fn quaternion(&self, name: &str) -> Read<Option<UnitQuaternion<f64>>> {
        let Some([w, x, y, z]) = self.array::<4>(name)? else { return Ok(None) };
        let q = Quaternion::new(w, x, y, z);
        UnitQuaternion::try_new(q, 1e-15)
            .filter(|q| q.coords.iter().all(|c| c.is_finite()))
            .map(Some)
            .ok_or_else(|| self.error(format!("{name} is zero and has no direction; give a unit quaternion, w first (1 0 0 0 is no rotation)")))
    }
}

/// The rotation that turns z towards `direction` the short way; `None` for a zero vector.
pub fn rotation_from_z(direction: &Vec3) -> Option<UnitQuaternion<f64>> {
    let norm = direction.norm();
    if !(norm > 1e-15 && norm.is_finite()) {
        return None;
    }
    let z = direction / norm;
    let cross = Vec3::z().cross(&z);
    let sine = cross.norm();
    let axis = if sine < 1e-14 { Vec3::x_axis() } else { nalgebra::Unit::new_unchecked(cross / sine) };
    Some(UnitQuaternion::from_axis_angle(&axis, sine.atan2(z.z)))
}
