//! What is to be different: keyword arguments to [`Variation`]s and [`Range`]s, and back.
//!
//! `Model.varied`, `Simulation.vary` and `Batch.vary` take the same arguments: gravity, and for each quantity a dict from the
//! name of a body or geom to its new value. `Batch.randomize` takes ranges of factors in place of values.

use crate::arrays::{numbers_of, shape_text};
use crate::model::{Model, unknown};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeSet;
use stiction::names::nearest;
use stiction::randomization::{Distribution, Quantity, Range};
use stiction::variation::Variation;

/// The quantities by their names in Python; mass is of a body, the others are of a geom.
pub const KINDS: [&str; 8] =
    ["mass", "friction", "static_friction", "stiffness", "dissipation", "relaxation_time", "modulus", "size"];

/// New values of one quantity of one body or geom: one for all worlds, or one for each.
struct Change {
    kind: &'static str,
    target: usize,
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
            for (target, value) in targets(model, kind, &value)? {
                let values = per_world(kind, &value, rows, 1)?;
                target.into_iter().for_each(|target| {
                    changes.changes.push(Change { kind, target, values: values.clone() });
                });
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
            if change.kind == "mass" {
                variation.masses.insert(change.target, value);
                continue;
            }
            if change.kind == "size" {
                variation.sizes.insert(change.target, value);
                continue;
            }
            let contact = variation.contacts.entry(change.target).or_default();
            match change.kind {
                "friction" => {
                    contact.dynamic_friction = Some(value);
                    contact.static_friction = contact.static_friction.or(Some(value));
                }
                "static_friction" => contact.static_friction = Some(value),
                "stiffness" => contact.stiffness = Some(value),
                "dissipation" => contact.dissipation = Some(value),
                "relaxation_time" => contact.relaxation_time = Some(value),
                _ => contact.modulus = Some(value),
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
        let quantity = match kind {
            "mass" => Quantity::Mass,
            "friction" => Quantity::Friction,
            "stiffness" => Quantity::Stiffness,
            "dissipation" => Quantity::Dissipation,
            _ => Quantity::Size,
        };
        for (targets, value) in targets(model, kind, &value)? {
            let (low, high, distribution) = range(kind, &value)?;
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
        PyValueError::new_err(format!(
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

/// A quantity by its name.
fn kind(name: &str, values: bool) -> PyResult<&'static str> {
    let drawn = ["mass", "friction", "stiffness", "dissipation", "size"];
    let known: &[&'static str] = if values { &KINDS } else { &drawn };
    known.iter().copied().find(|kind| *kind == name).ok_or_else(|| {
        let hint =
            nearest(name, known.iter().copied()).map_or(String::new(), |n| format!(" (did you mean {n}?)"));
        let gravity = if values { "gravity, " } else { "" };
        PyTypeError::new_err(format!(
            "\"{name}\" cannot be changed{hint}; this can: {gravity}{}",
            known.join(", ")
        ))
    })
}

/// The bodies or geoms that the keys of a dict name, with what is said of them; "*" names all.
fn targets<'py>(
    model: &Model,
    kind: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Vec<(Vec<usize>, Bound<'py, PyAny>)>> {
    let what = if kind == "mass" { "body" } else { "geom" };
    let Ok(dict) = value.cast::<PyDict>() else {
        return Err(PyTypeError::new_err(format!(
            "{kind}: give a dict from the name of a {what} (or \"*\" for all) to its value, such as {kind}={{\"{}\": …}}",
            example(model, kind)
        )));
    };
    dict.iter()
        .map(|(key, value)| {
            let all = key.extract::<String>().is_ok_and(|name| name == "*");
            let found = match (all, kind) {
                (true, "mass") => {
                    let bodies = model.inner.world().bodies.iter().enumerate().skip(1);
                    bodies.filter(|(_, b)| b.inertia.mass > 0.0).map(|(i, _)| i).collect()
                }
                (true, _) => (0..model.inner.world().geoms.len()).collect(),
                (false, "mass") => vec![model.body(&key)?],
                (false, _) => vec![geom(model, &key)?],
            };
            Ok((found, value))
        })
        .collect()
}

fn example(model: &Model, kind: &str) -> String {
    let world = model.inner.world();
    let first = if kind == "mass" {
        world.bodies.get(1).map(|b| b.name.clone())
    } else {
        world.geoms.iter().find(|g| !g.name.is_empty()).map(|g| g.name.clone())
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
fn per_world(what: &str, value: &Bound<'_, PyAny>, rows: usize, width: usize) -> PyResult<Vec<f64>> {
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
        return Err(PyValueError::new_err(format!("{what} has shape {}: give {needed}", shape_text(&shape))));
    }
    match data.iter().find(|x| !x.is_finite()) {
        None => Ok(data),
        Some(bad) => Err(PyValueError::new_err(format!("{what} is {bad}: give finite numbers"))),
    }
}

/// What is different between the worlds, by quantity and name, one number a world: `variations` are the worlds', `models` what
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
        out.set_item("gravity", rows)?;
    }
    let world = model.world();
    let geom_name = |g: usize| match &world.geoms[g].name {
        name if name.is_empty() => format!("#{g}"),
        name => name.clone(),
    };
    for kind in KINDS {
        let mut targets = BTreeSet::new();
        for variation in variations {
            match kind {
                "mass" => targets.extend(variation.masses.keys()),
                "size" => targets.extend(variation.sizes.keys()),
                _ => targets.extend(variation.contacts.iter().filter_map(|(geom, c)| {
                    let given = match kind {
                        "friction" => c.dynamic_friction,
                        "static_friction" => c.static_friction,
                        "stiffness" => c.stiffness,
                        "dissipation" => c.dissipation,
                        "relaxation_time" => c.relaxation_time,
                        _ => c.modulus,
                    };
                    given.map(|_| geom)
                })),
            }
        }
        if targets.is_empty() {
            continue;
        }
        let named = PyDict::new(py);
        for target in targets {
            let value = |(model, variation): (&stiction::Model, &Variation)| {
                let contact = || model.contact_properties(target).expect("its variations name geoms it has");
                match kind {
                    "mass" => model.world().bodies[target].inertia.mass,
                    "size" => variation.sizes.get(&target).copied().unwrap_or(1.0),
                    "friction" => contact().dynamic_friction,
                    "static_friction" => contact().static_friction,
                    "stiffness" => contact().stiffness,
                    "dissipation" => contact().dissipation,
                    "relaxation_time" => contact().relaxation_time,
                    _ => contact().modulus,
                }
            };
            let name = if kind == "mass" { world.bodies[target].name.clone() } else { geom_name(target) };
            named.set_item(name, PyArray1::from_iter(py, models.iter().zip(variations).map(value)))?;
        }
        out.set_item(kind, named)?;
    }
    Ok(out)
}
