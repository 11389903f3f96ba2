//! Changes of a model from the command line: gravity, friction, and single properties by name.

use crate::failure::Failure;
use crate::hint::hint;
use clap::Args;
use stiction::model::GeomRole;
use stiction::{ActuatorChange, ContactChange, JointChange, Model, Variation};

/// What to change about a model.
#[derive(Args)]
pub struct Overrides {
    /// Friction coefficient of all geoms, static and dynamic
    #[arg(long, value_name = "MU", allow_hyphen_values = true)]
    friction: Option<f64>,
    /// Gravity, m/s²: along z as one number (-9.81), or as a vector (0,0,-9.81)
    #[arg(long, value_name = "Z|X,Y,Z", allow_hyphen_values = true)]
    gravity: Option<String>,
    /// Change a property by name (may be repeated): ball.friction=0.3, 'finger*.stiffness=1e5', torso.mass=8,
    /// elbow.damping=0.1, motor.kp=200. A * stands for any letters. Of geoms: friction, static_friction, dynamic_friction,
    /// stiffness (N/m), dissipation (s/m), relaxation_time (s), modulus (Pa), size (a factor); of bodies: mass (kg); of
    /// joints: damping, friction_loss, armature; of actuators: kp, kv, strength (a factor)
    #[arg(long = "set", value_name = "NAME.PROPERTY=VALUE", allow_hyphen_values = true)]
    set: Vec<String>,
}

/// What has a property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Geom,
    Body,
    Joint,
    Actuator,
}

impl Owner {
    fn word(self) -> &'static str {
        match self {
            Self::Geom => "geom",
            Self::Body => "body",
            Self::Joint => "joint",
            Self::Actuator => "actuator",
        }
    }
}

/// All properties and whose they are.
const PROPERTIES: [(&str, Owner); 15] = [
    ("friction", Owner::Geom),
    ("static_friction", Owner::Geom),
    ("dynamic_friction", Owner::Geom),
    ("stiffness", Owner::Geom),
    ("dissipation", Owner::Geom),
    ("relaxation_time", Owner::Geom),
    ("modulus", Owner::Geom),
    ("size", Owner::Geom),
    ("mass", Owner::Body),
    ("damping", Owner::Joint),
    ("friction_loss", Owner::Joint),
    ("armature", Owner::Joint),
    ("kp", Owner::Actuator),
    ("kv", Owner::Actuator),
    ("strength", Owner::Actuator),
];

impl Overrides {
    /// The model with these changes.
    pub fn apply(&self, model: Model) -> Result<Model, Failure> {
        let mut variation = Variation::default();
        if let Some(text) = &self.gravity {
            variation.gravity = Some(gravity(text)?);
        }
        if let Some(friction) = self.friction {
            if !(friction >= 0.0 && friction.is_finite()) {
                return Err(Failure::input(format!("--friction {friction}: give zero or a positive number")));
            }
            let world = model.world();
            let colliding = world.geoms.iter().enumerate().filter(|(_, geom)| geom.role != GeomRole::Visual);
            let change = ContactChange {
                static_friction: Some(friction),
                dynamic_friction: Some(friction),
                ..ContactChange::default()
            };
            variation.contacts.extend(colliding.map(|(geom, _)| (geom, change)));
            if variation.contacts.is_empty() {
                return Err(Failure::input("--friction: no geom of this model collides; leave it out"));
            }
            let pairs = world.pairs.len();
            if pairs > 0 {
                eprintln!(
                    "warning: --friction leaves the {pairs} contact pairs of the file with a friction of their own"
                );
            }
        }
        for change in &self.set {
            one(&model, change, &mut variation)?;
        }
        model.varied(&variation).map_err(Failure::input)
    }
}

/// Gravity as one number or three.
fn gravity(text: &str) -> Result<[f64; 3], Failure> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|x| x.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    match numbers.as_deref() {
        Some(&[z]) => Ok([0.0, 0.0, z]),
        Some(&[x, y, z]) => Ok([x, y, z]),
        _ => Err(Failure::input(format!(
            "--gravity {text}: give one number, such as -9.81 (along z), or three, such as 0,0,-9.81"
        ))),
    }
}

/// Reads one change.
fn one(model: &Model, change: &str, variation: &mut Variation) -> Result<(), Failure> {
    let refuse = |what: String| Failure::input(format!("--set {change}: {what}"));
    let form = || refuse("give NAME.PROPERTY=VALUE, such as ball.friction=0.3".into());
    let (left, value) = change.rsplit_once('=').ok_or_else(form)?;
    let (name, property) = left.rsplit_once('.').ok_or_else(form)?;
    let value: f64 = value.trim().parse().map_err(|_| refuse(format!("\"{value}\" is no number")))?;
    let Some(&(_, owner)) = PROPERTIES.iter().find(|(known, _)| *known == property) else {
        let known: Vec<&str> = PROPERTIES.iter().map(|(name, _)| *name).collect();
        let hint = hint(property, known.iter().copied());
        return Err(refuse(format!(
            "there is no property \"{property}\"{hint}; there are {}",
            known.join(", ")
        )));
    };
    let world = model.world();
    let joints = || {
        let joint = |(b, body): (usize, &'_ stiction::model::Body)| -> Vec<((usize, usize), String)> {
            body.joints.iter().enumerate().map(|(k, joint)| ((b, k), joint.name.clone())).collect()
        };
        world.bodies.iter().enumerate().flat_map(joint)
    };
    let names: Vec<((usize, usize), String)> = match owner {
        Owner::Geom => world.geoms.iter().enumerate().map(|(i, g)| ((i, 0), g.name.clone())).collect(),
        Owner::Body => world.bodies.iter().enumerate().map(|(i, b)| ((i, 0), b.name.clone())).collect(),
        Owner::Joint => joints().collect(),
        Owner::Actuator => {
            world.actuators.iter().enumerate().map(|(i, a)| ((i, 0), a.name.clone())).collect()
        }
    };
    let found: Vec<(usize, usize)> =
        names.iter().filter(|(_, known)| matches(name, known)).map(|(id, _)| *id).collect();
    if found.is_empty() {
        let hint = hint(name, names.iter().map(|(_, known)| known.as_str()));
        let shown: Vec<&str> =
            names.iter().map(|(_, known)| known.as_str()).filter(|n| !n.is_empty()).take(12).collect();
        let more = if names.len() > shown.len() { ", … (stiction inspect lists all)" } else { "" };
        let word = owner.word();
        return Err(refuse(match shown.is_empty() {
            true => format!("this model has no {word} with a name"),
            false => format!("no {word} is called \"{name}\"{hint}; there are {}{more}", shown.join(", ")),
        }));
    }
    for (id, index) in found {
        let contact = variation.contacts.get(&id).copied().unwrap_or_default();
        let mut contacts = |change: ContactChange| {
            variation.contacts.insert(id, change);
        };
        match property {
            "friction" => contacts(ContactChange {
                static_friction: Some(value),
                dynamic_friction: Some(value),
                ..contact
            }),
            "static_friction" => contacts(ContactChange { static_friction: Some(value), ..contact }),
            "dynamic_friction" => contacts(ContactChange { dynamic_friction: Some(value), ..contact }),
            "stiffness" => contacts(ContactChange { stiffness: Some(value), ..contact }),
            "dissipation" => contacts(ContactChange { dissipation: Some(value), ..contact }),
            "relaxation_time" => contacts(ContactChange { relaxation_time: Some(value), ..contact }),
            "modulus" => contacts(ContactChange { modulus: Some(value), ..contact }),
            "size" => drop(variation.sizes.insert(id, value)),
            "mass" => drop(variation.masses.insert(id, value)),
            "damping" | "friction_loss" | "armature" => {
                let joint: &mut JointChange = variation.joints.entry((id, index)).or_default();
                match property {
                    "damping" => joint.damping = Some(value),
                    "friction_loss" => joint.friction_loss = Some(value),
                    _ => joint.armature = Some(value),
                }
            }
            _ => {
                let actuator: &mut ActuatorChange = variation.actuators.entry(id).or_default();
                match property {
                    "kp" => actuator.kp = Some(value),
                    "kv" => actuator.kv = Some(value),
                    _ => actuator.strength = Some(value),
                }
            }
        }
    }
    Ok(())
}

/// Whether a name is as the pattern says, where a * stands for any letters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or("");
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.len() >= last.len() && left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, expected) in [
            ("ball", "ball", true),
            ("ball", "ball2", false),
            ("ball*", "ball", true),
            ("ball*", "ball2", true),
            ("*ball", "football", true),
            ("*ball", "balls", false),
            ("f*r_*_tip", "finger_2_tip", true),
            ("f*r_*_tip", "finger_tip", false),
            ("a*a", "a", false),
            ("*", "", true),
            ("**", "x", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
