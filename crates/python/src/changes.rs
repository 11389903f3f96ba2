//! What is to be different: keyword arguments to [`Variation`]s and [`Range`]s, and back.
//!
//! `Model.varied`, `Simulation.vary` and `Batch.vary` take the same arguments: gravity, and for each quantity a dict from the
//! name of a body, geom, joint, actuator or equality to its new value. `Batch.randomize` takes ranges of factors in place of values.

use crate::arrays::{numbers_of, shape_text};
use crate::errors::{InputError, InputTypeError};
use crate::frames::read_only;
use crate::model::{Model, unknown};
use crate::named;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeSet;
use stiction::ActuatorLaw;
use stiction::names::nearest;
use stiction::randomization::{Distribution, Quantity, Range};
use stiction::variation::Variation;

/// What a quantity is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Body,
    Geom,
    Joint,
    Actuator,
    Equality,
}

impl Owner {
    fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Geom => "geom",
            Self::Joint => "joint",
            Self::Actuator => "actuator",
            Self::Equality => "equality",
        }
    }
}

/// A quantity by its name in Python, what it is of, and how `randomize` calls it.
type Kind = (&'static str, Owner, Option<Quantity>);

const KINDS: [Kind; 17] = [
    ("mass", Owner::Body, Some(Quantity::Mass)),
    ("friction", Owner::Geom, Some(Quantity::Friction)),
    ("static_friction", Owner::Geom, None),
    ("stiffness", Owner::Geom, Some(Quantity::Stiffness)),
    ("dissipation", Owner::Geom, Some(Quantity::Dissipation)),
    ("relaxation_time", Owner::Geom, None),
    ("modulus", Owner::Geom, None),
    ("restitution", Owner::Geom, None),
    ("size", Owner::Geom, Some(Quantity::Size)),
    ("collides", Owner::Geom, None),
    ("damping", Owner::Joint, Some(Quantity::Damping)),
    ("friction_loss", Owner::Joint, Some(Quantity::FrictionLoss)),
    ("armature", Owner::Joint, Some(Quantity::Armature)),
    ("kp", Owner::Actuator, Some(Quantity::Kp)),
    ("kv", Owner::Actuator, Some(Quantity::Kv)),
    ("strength", Owner::Actuator, Some(Quantity::Strength)),
    ("active", Owner::Equality, None),
];

/// New values of one quantity of one body or geom: one for all worlds, or one for each.
struct Change {
    kind: &'static str,
    /// Its id; for a joint the body and the joint's index in it.
    target: (usize, usize),
    values: Vec<f64>,
}

/// What a call of `vary` asks for.
pub struct Changes {
    gravity: Option<Vec<f64>>,
    changes: Vec<Change>,
    rows: usize,
}

impl Changes {
    /// Reads keyword arguments for `rows` worlds.
    pub fn read(model: &Model, given: Option<&Bound<'_, PyDict>>, rows: usize) -> PyResult<Self> {
        let mut changes = Self { gravity: None, changes: Vec::new(), rows };
        for (key, value) in given.into_iter().flatten() {
            let name = key.extract::<String>()?;
            if value.is_none() {
                continue;
            }
            if name == "gravity" {
                changes.gravity = Some(per_world("gravity", &value, rows, 3)?);
                continue;
            }
            let kind = kind(&name, true)?;
            for (ids, value) in targets(model, kind, &value)? {
                let values = per_world(kind.0, &value, rows, 1)?;
                if matches!(kind.0, "active" | "collides") && values.iter().any(|v| *v != 0.0 && *v != 1.0) {
                    return Err(InputError::new_err(format!("{} = {value}: give True or False", kind.0)));
                }
                for id in ids {
                    let target = match kind.1 {
                        Owner::Joint => {
                            let joint = &model.inner.multibody().joints()[id];
                            (joint.body, joint.index)
                        }
                        _ => (id, 0),
                    };
                    changes.changes.push(Change { kind: kind.0, target, values: values.clone() });
                }
            }
        }
        Ok(changes)
    }

    /// What it comes to in one of the worlds.
    pub fn variation(&self, row: usize) -> Variation {
        let mut variation = Variation::default();
        if let Some(gravity) = &self.gravity {
            let at = if gravity.len() == 3 * self.rows { 3 * row } else { 0 };
            variation.gravity = Some([gravity[at], gravity[at + 1], gravity[at + 2]]);
        }
        for change in &self.changes {
            let value = change.values[if change.values.len() == 1 { 0 } else { row }];
            let (id, joint) = (change.target.0, change.target);
            match change.kind {
                "mass" => _ = variation.masses.insert(id, value),
                "size" => _ = variation.sizes.insert(id, value),
                "collides" => _ = variation.collisions.insert(id, value != 0.0),
                "active" => _ = variation.equalities.insert(id, value != 0.0),
                "damping" => variation.joints.entry(joint).or_default().damping = Some(value),
                "friction_loss" => variation.joints.entry(joint).or_default().friction_loss = Some(value),
                "armature" => variation.joints.entry(joint).or_default().armature = Some(value),
                "kp" => variation.actuators.entry(id).or_default().kp = Some(value),
                "kv" => variation.actuators.entry(id).or_default().kv = Some(value),
                "strength" => variation.actuators.entry(id).or_default().strength = Some(value),
                of_contact => {
                    let contact = variation.contacts.entry(id).or_default();
                    match of_contact {
                        "friction" => {
                            contact.dynamic_friction = Some(value);
                            contact.static_friction = contact.static_friction.or(Some(value));
                        }
                        "static_friction" => contact.static_friction = Some(value),
                        "stiffness" => contact.stiffness = Some(value),
                        "dissipation" => contact.dissipation = Some(value),
                        "relaxation_time" => contact.relaxation_time = Some(value),
                        "restitution" => contact.restitution = Some(value),
                        _ => contact.modulus = Some(value),
                    }
                }
            }
        }
        variation
    }
}

/// Reads the ranges of `randomize`: dicts from names to (low, high) or (low, high, "log").
pub fn ranges(model: &Model, given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<Range>> {
    let mut ranges = Vec::new();
    for (key, value) in given.into_iter().flatten() {
        let name = key.extract::<String>()?;
        if value.is_none() {
            continue;
        }
        let kind = kind(&name, false)?;
        let Some(quantity) = kind.2 else { unreachable!("only those that are drawn") };
        for (targets, value) in targets(model, kind, &value)? {
            let (low, high, distribution) = range(kind.0, &value)?;
            ranges.extend(targets.into_iter().map(|target| Range {
                quantity,
                target,
                low,
                high,
                distribution,
            }));
        }
    }
    Ok(ranges)
}

fn range(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<(f64, f64, Distribution)> {
    let wrong = || {
        InputError::new_err(format!(
            "{kind} = {value}: give factors (low, high) with 0 < low <= high, or (low, high, \"log\")"
        ))
    };
    let parts = value.try_iter().map_err(|_| wrong())?.collect::<PyResult<Vec<_>>>()?;
    let distribution = match parts.get(2).map(|word| word.extract::<String>()) {
        None => Distribution::Uniform,
        Some(Ok(word)) if word == "log" => Distribution::LogUniform,
        Some(Ok(word)) if word == "uniform" => Distribution::Uniform,
        _ => return Err(wrong()),
    };
    let [low, high, ..] = parts.as_slice() else { return Err(wrong()) };
    let (low, high): (f64, f64) = (low.extract().map_err(|_| wrong())?, high.extract().map_err(|_| wrong())?);
    let fine = low > 0.0 && low <= high && high.is_finite() && parts.len() <= 3;
    if fine { Ok((low, high, distribution)) } else { Err(wrong()) }
}

/// A quantity by its name; with `values` all of them, otherwise those that can be drawn at random.
fn kind(name: &str, values: bool) -> PyResult<Kind> {
    let known = || KINDS.iter().filter(|kind| values || kind.2.is_some());
    known().find(|kind| kind.0 == name).copied().ok_or_else(|| {
        let names: Vec<&'static str> = known().map(|kind| kind.0).collect();
        let hint =
            nearest(name, names.iter().copied()).map_or(String::new(), |n| format!(" (did you mean {n}?)"));
        let gravity = if values { "gravity, " } else { "" };
        InputTypeError::new_err(format!(
            "\"{name}\" cannot be changed{hint}; this can: {gravity}{}",
            names.join(", ")
        ))
    })
}

/// What the keys of a dict name, by id, with what is said of it; "*" names all that have the quantity.
fn targets<'py>(
    model: &Model,
    kind: Kind,
    value: &Bound<'py, PyAny>,
) -> PyResult<Vec<(Vec<usize>, Bound<'py, PyAny>)>> {
    let (name, owner, _) = kind;
    let Ok(dict) = value.cast::<PyDict>() else {
        return Err(InputTypeError::new_err(format!(
            "{name}: give a dict from the name of a {} (or \"*\" for all) to its value, such as {name}={{\"{}\": …}}",
            owner.word(),
            example(model, owner)
        )));
    };
    dict.iter()
        .map(|(key, value)| {
            let found = if key.extract::<String>().is_ok_and(|key| key == "*") {
                all(model, kind)
            } else {
                vec![match owner {
                    Owner::Body => model.body(&key)?,
                    Owner::Geom => geom(model, &key)?,
                    Owner::Joint => named::find_joint(model, &key)?.0,
                    Owner::Actuator => named::find_actuator(model, &key)?,
                    Owner::Equality => named::find_equality(model, &key)?,
                }]
            };
            Ok((found, value))
        })
        .collect()
}

/// All that have a quantity.
fn all(model: &Model, (name, owner, _): Kind) -> Vec<usize> {
    let world = model.inner.world();
    match owner {
        Owner::Body => {
            let bodies = world.bodies.iter().enumerate().skip(1);
            bodies.filter(|(_, b)| b.inertia.mass > 0.0).map(|(i, _)| i).collect()
        }
        Owner::Geom if name == "collides" => {
            (0..world.geoms.len()).filter(|&id| named::collides(world, id)).collect()
        }
        Owner::Geom => (0..world.geoms.len()).collect(),
        Owner::Joint => (0..model.inner.multibody().joints().len()).collect(),
        Owner::Actuator => {
            let has = |law| match name {
                "kp" => law == ActuatorLaw::Position,
                "kv" => matches!(law, ActuatorLaw::Position | ActuatorLaw::Velocity),
                _ => true,
            };
            let actuators = world.actuators.iter().enumerate();
            actuators.filter(|(_, a)| has(ActuatorLaw::of(a))).map(|(i, _)| i).collect()
        }
        Owner::Equality => (0..world.equalities.len()).collect(),
    }
}

fn example(model: &Model, owner: Owner) -> String {
    let world = model.inner.world();
    let first = match owner {
        Owner::Body => world.bodies.get(1).map(|b| b.name.clone()),
        Owner::Geom => world.geoms.iter().find(|g| !g.name.is_empty()).map(|g| g.name.clone()),
        Owner::Joint => model.inner.multibody().joints().first().map(|j| j.name.clone()),
        Owner::Actuator => world.actuators.first().map(|a| a.name.clone()),
        Owner::Equality => named::equality_names(model).into_iter().next(),
    };
    first.unwrap_or_else(|| "name".into())
}

/// A geom's id from its name or id; those without a name are called "#id".
pub fn geom(model: &Model, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    let geoms = &model.inner.world().geoms;
    if let Ok(name) = given.extract::<String>() {
        let numbered = || name.strip_prefix('#')?.parse::<usize>().ok().filter(|&i| i < geoms.len());
        let found = geoms.iter().position(|g| g.name == name && !name.is_empty()).or_else(numbered);
        return found.ok_or_else(|| unknown("geom", &name, geoms.iter().map(|g| g.name.as_str())));
    }
    crate::indices::id("geom", given, geoms.len())
}

/// `width` finite numbers for all worlds, or for each of `rows`.
pub fn per_world(what: &str, value: &Bound<'_, PyAny>, rows: usize, width: usize) -> PyResult<Vec<f64>> {
    let (shape, data) = numbers_of(what, value)?;
    let fits = match (width, shape.as_slice()) {
        (1, []) => true,
        (1, [n]) => *n == rows,
        (_, [w]) => *w == width,
        (_, [n, w]) => (*n, *w) == (rows, width),
        _ => false,
    };
    let needed = match (width, rows) {
        (1, 1) => "a number".into(),
        (1, _) => format!("a number, or ({rows},), one a world"),
        (_, 1) => format!("({width},)"),
        _ => format!("({width},), or ({rows}, {width}), one row a world"),
    };
    if !fits {
        return Err(InputError::new_err(format!("{what} has shape {}: give {needed}", shape_text(&shape))));
    }
    match data.iter().find(|x| !x.is_finite()) {
        None => Ok(data),
        Some(bad) => Err(InputError::new_err(format!("{what} is {bad}: give finite numbers"))),
    }
}

/// What is different between the worlds, by quantity and name (collides and active as 1 or 0), one number a world: `variations` are the worlds', `models` what
/// they made of the model.
pub fn parameters<'py>(
    py: Python<'py>,
    model: &stiction::Model,
    variations: &[Variation],
    models: &[stiction::Model],
) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    if variations.iter().any(|v| v.gravity.is_some()) {
        let rows = crate::shared::Rows::collect(py, models.len(), 3, |world, row| {
            row.copy_from_slice(models[world].world().options.gravity.as_slice());
        })?;
        out.set_item("gravity", read_only(rows.into_any())?)?;
    }
    let world = model.world();
    let geom_name = |g: usize| match &world.geoms[g].name {
        name if name.is_empty() => format!("#{g}"),
        name => name.clone(),
    };
    for (kind, owner, _) in KINDS {
        let mut targets: BTreeSet<(usize, usize)> = BTreeSet::new();
        for variation in variations {
            targets.extend(varied(variation, kind));
        }
        if targets.is_empty() {
            continue;
        }
        let named = PyDict::new(py);
        for (id, index) in targets {
            let value = |(model, variation): (&stiction::Model, &Variation)| {
                let world = model.world();
                let contact = || model.contact_properties(id).expect("its variations name geoms it has");
                let dof = || world.bodies[id].joints[index].dofs.first();
                match kind {
                    "mass" => world.bodies[id].inertia.mass,
                    "size" => variation.sizes.get(&id).copied().unwrap_or(1.0),
                    "friction" => contact().dynamic_friction,
                    "static_friction" => contact().static_friction,
                    "stiffness" => contact().stiffness,
                    "dissipation" => contact().dissipation,
                    "relaxation_time" => contact().relaxation_time,
                    "modulus" => contact().modulus,
                    "restitution" => contact().restitution.unwrap_or(0.0),
                    "collides" => f64::from(u8::from(named::collides(world, id))),
                    "damping" => dof().map_or(0.0, |d| d.damping),
                    "friction_loss" => dof().map_or(0.0, |d| d.friction),
                    "armature" => dof().map_or(0.0, |d| d.armature),
                    "kp" => world.actuators[id].gain[0],
                    "kv" => match ActuatorLaw::of(&world.actuators[id]) {
                        ActuatorLaw::Velocity => world.actuators[id].gain[0],
                        _ => -world.actuators[id].bias[2],
                    },
                    "strength" => variation.actuators.get(&id).and_then(|a| a.strength).unwrap_or(1.0),
                    _ => f64::from(u8::from(world.equalities[id].active)),
                }
            };
            let name = match owner {
                Owner::Body => world.bodies[id].name.clone(),
                Owner::Geom => geom_name(id),
                Owner::Joint => world.bodies[id].joints[index].name.clone(),
                Owner::Actuator => world.actuators[id].name.clone(),
                Owner::Equality => match &world.equalities[id].name {
                    name if name.is_empty() => format!("#{id}"),
                    name => name.clone(),
                },
            };
            let values = PyArray1::from_iter(py, models.iter().zip(variations).map(value));
            named.set_item(name, read_only(values.into_any())?)?;
        }
        out.set_item(kind, named)?;
    }
    Ok(out)
}

/// What a variation changes of one kind: ids, and for joints the body and the index in it.
fn varied(variation: &Variation, kind: &str) -> Vec<(usize, usize)> {
    let id = |&id: &usize| (id, 0);
    match kind {
        "mass" => variation.masses.keys().map(id).collect(),
        "size" => variation.sizes.keys().map(id).collect(),
        "collides" => variation.collisions.keys().map(id).collect(),
        "active" => variation.equalities.keys().map(id).collect(),
        "damping" | "friction_loss" | "armature" => {
            let joints = variation.joints.iter().filter(|(_, change)| match kind {
                "damping" => change.damping.is_some(),
                "friction_loss" => change.friction_loss.is_some(),
                _ => change.armature.is_some(),
            });
            joints.map(|(joint, _)| *joint).collect()
        }
        "kp" | "kv" | "strength" => {
            let actuators = variation.actuators.iter().filter(|(_, change)| match kind {
                "kp" => change.kp.is_some(),
                "kv" => change.kv.is_some(),
                _ => change.strength.is_some(),
            });
            actuators.map(|(actuator, _)| (*actuator, 0)).collect()
        }
        _ => {
            let geoms = variation.contacts.iter().filter(|(_, c)| match kind {
                "friction" => c.dynamic_friction.is_some(),
                "static_friction" => c.static_friction.is_some(),
                "stiffness" => c.stiffness.is_some(),
                "dissipation" => c.dissipation.is_some(),
                "relaxation_time" => c.relaxation_time.is_some(),
                "restitution" => c.restitution.is_some(),
                _ => c.modulus.is_some(),
            });
            geoms.map(|(geom, _)| (*geom, 0)).collect()
        }
    }
}
