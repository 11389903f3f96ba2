//! Keyword arguments to [`stiction::Options`] and back.

use crate::errors::{InputError, InputTypeError, option_error};
use crate::learned_contact::LearnedContact;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use std::sync::Arc;
use stiction::contact_law::DacLaw;
use stiction::continuous::{TangentialCompliance, TractionFriction};
use stiction::convex::NormalLaw;
use stiction::model::ContactCalibration;
use stiction::names::nearest;
use stiction::{
    ContactFrom, ContactModel, LearnedLaw, Method, Options, Sticking, TangentialSprings, Tessellation,
    contact_model_from_name, contact_model_name, method_from_names, normal_law_from_name,
    normal_law_from_table, normal_law_name,
};

/// The options' names, in the order of `Simulation`'s arguments.
pub const NAMES: [&str; 18] = [
    "step",
    "contact",
    "contact_from",
    "stiction_tolerance",
    "regularization",
    "relative_tolerance",
    "margin",
    "normal_law",
    "speculative",
    "tangential_springs",
    "max_iterations",
    "friction_passes",
    "tessellation",
    "accuracy",
    "max_step",
    "method",
    "integrator",
    "adhesion",
];

/// Checked options from the keyword arguments a user gave; `step` stands apart because it may be given by position, and is
/// the model's if it is not given. A data-augmented law comes beside them.
pub fn options_and_law(
    model: &stiction::Model,
    step: Option<f64>,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Options, Option<Arc<DacLaw>>)> {
    let mut law = None;
    let mut options = Options::for_model(model);
    options.step = step.unwrap_or(options.step);
    let (mut method, mut integrator) = (String::from("convex"), String::from("radau"));
    let (mut springs, mut adhesion) = (None, 0.0);
    for (key, value) in given.into_iter().flatten() {
        let name = key.extract::<String>()?;
        match name.as_str() {
            "contact" => (options.contact, options.law, law) = contact(&name, &value)?,
            "contact_from" => {
                options.contact_from = ContactFrom::from_name(&text(&name, &value)?).map_err(option_error)?;
            }
            "stiction_tolerance" => options.stiction_tolerance = number(&name, &value)?,
            "regularization" => options.regularization = number(&name, &value)?,
            "relative_tolerance" => options.relative_tolerance = number(&name, &value)?,
            "margin" => options.margin = number(&name, &value)?,
            "normal_law" => options.normal_law = normal_law(&value)?,
            "speculative" => {
                options.speculative = value.extract().map_err(|_| wrong(&name, &value, "True or False"))?;
            }
            "tangential_springs" => springs = (!value.is_none()).then_some(value),
            "max_iterations" => {
                options.max_iterations =
                    value.extract().map_err(|_| wrong(&name, &value, "a whole number, at least 1"))?;
            }
            "friction_passes" => {
                options.friction_passes =
                    value.extract().map_err(|_| wrong(&name, &value, "a whole number, 0 or more"))?;
            }
            "tessellation" => options.tessellation = tessellation(&text(&name, &value)?)?,
            "accuracy" if value.is_none() => options.accuracy = None,
            "accuracy" => options.accuracy = Some(number(&name, &value)?),
            "max_step" => options.max_step = number(&name, &value)?,
            "method" => method = text(&name, &value)?,
            "integrator" => integrator = text(&name, &value)?,
            "adhesion" => adhesion = number(&name, &value)?,
            _ => return Err(InputTypeError::new_err(unknown_option(&name))),
        }
    }
    options.method = method_from_names(&method, &integrator, false).map_err(option_error)?;
    match &mut options.method {
        Method::Convex if adhesion != 0.0 => {
            let remedy = "give it with method=\"continuous\", or leave it at 0";
            return Err(InputError::new_err(format!(
                "adhesion = {adhesion} has no effect on convex steps: {remedy}"
            )));
        }
        Method::Convex => {
            options.tangential_springs = springs.as_ref().map(convex_springs).transpose()?.unwrap_or_default()
        }
        Method::Continuous(continuous) => {
            continuous.adhesion = adhesion;
            if let Some(springs) = springs.as_ref().map(continuous_springs).transpose()?.flatten() {
                continuous.friction = TractionFriction::Springs(springs);
            }
        }
    }
    if options.friction_passes != Options::default().friction_passes
        && options.contact != ContactModel::Lagged
    {
        return Err(InputError::new_err(
            "friction_passes is for contact=\"lagged\": the friction of the other models does not lag; leave it out",
        ));
    }
    options.check().map_err(option_error)?;
    Ok((options, law))
}

/// The same for those who cannot follow a data-augmented law.
pub fn options(
    model: &stiction::Model,
    step: Option<f64>,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<Options> {
    match options_and_law(model, step, given)? {
        (options, None) => Ok(options),
        _ => Err(InputError::new_err(
            "contact: a data-augmented law (kind \"dac\") works with Simulation only; give a calibrated contact or a model",
        )),
    }
}

/// A contact model, or a contact learned from data and its law of either kind.
fn contact(
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<(ContactModel, Option<ContactCalibration>, Option<Arc<DacLaw>>)> {
    if let Ok(learned) = value.cast::<LearnedContact>() {
        return Ok(match &learned.get().inner.law {
            LearnedLaw::Calibrated(law) => (ContactModel::Lagged, Some(*law), None),
            LearnedLaw::Dac(law) => (ContactModel::Lagged, None, Some(law.clone())),
        });
    }
    let Ok(model) = value.extract::<String>() else {
        return Err(wrong(name, value, "the name of a contact model, or a LearnedContact"));
    };
    Ok((contact_model_from_name(&model).map_err(option_error)?, None, None))
}

/// An option that is a number.
pub fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|_| wrong(name, value, "a number"))
}

fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().map_err(|_| wrong(name, value, "a name"))
}

fn wrong(name: &str, value: &Bound<'_, PyAny>, needed: &str) -> PyErr {
    InputTypeError::new_err(format!("{name} = {value}: give {needed}"))
}

fn unknown_option(name: &str) -> String {
    let nearest = nearest(name, NAMES.into_iter()).map_or(String::new(), |n| format!(" (did you mean {n}?)"));
    format!("there is no option \"{name}\"{nearest}; the options are: {}", NAMES.join(", "))
}

fn tessellation(name: &str) -> PyResult<Tessellation> {
    match name {
        "polygons" => Ok(Tessellation::Polygons),
        "fans" => Ok(Tessellation::Fans),
        "refined" => Ok(Tessellation::Refined),
        other => Err(InputError::new_err(format!(
            "unknown tessellation \"{other}\": choose polygons, fans or refined"
        ))),
    }
}

/// "auto" (`None`), False, True, or a dict with some of the springs' parameters, which `fields` names; true if there are
/// springs.
fn springs(value: &Bound<'_, PyAny>, mut fields: Vec<(&str, &mut Option<f64>)>) -> PyResult<Option<bool>> {
    if let Ok(wanted) = value.cast::<PyBool>() {
        return Ok(Some(wanted.is_true()));
    }
    if value.extract::<String>().is_ok_and(|text| text == "auto") {
        return Ok(None);
    }
    let Ok(parameters) = value.cast::<PyDict>() else {
        let names = fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" and ");
        return Err(InputError::new_err(format!(
            "tangential_springs must be \"auto\", False, True or, for this method, a dict with {names}"
        )));
    };
    for (key, value) in parameters {
        let key = key.extract::<String>()?;
        match fields.iter().position(|(name, _)| *name == key) {
            Some(at) => *fields[at].1 = value.extract()?,
            None => {
                let names = fields.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(InputError::new_err(format!(
                    "tangential_springs has no parameter \"{key}\" for this method; it has: {names}"
                )));
            }
        }
    }
    Ok(Some(true))
}

/// A normal law by name, or as rows of depth and force.
fn normal_law(value: &Bound<'_, PyAny>) -> PyResult<NormalLaw> {
    if let Ok(name) = value.extract::<String>() {
        return normal_law_from_name(&name).map_err(option_error);
    }
    let points: Vec<(f64, f64)> = value.try_iter().and_then(|rows| {
        let row = |row: PyResult<Bound<'_, PyAny>>| {
            let row: Vec<f64> = row?.extract()?;
            match row[..] {
                [depth, force] => Ok((depth, force)),
                _ => Err(InputError::new_err("")),
            }
        };
        rows.map(row).collect()
    })
    .map_err(|_| {
        InputError::new_err(
            "normal_law must be \"linear\", \"hertz\", \"log-barrier:KAPPA\", \"clamped-barrier:KAPPA,RANGE\" or rows of \
             depth (m) and force (N)",
        )
    })?;
    normal_law_from_table(&points).map_err(option_error)
}

/// Tangential springs of convex steps.
fn convex_springs(value: &Bound<'_, PyAny>) -> PyResult<Sticking> {
    let [mut ratio, mut time, mut stretch, mut patch_time] = [None; 4];
    let fields = vec![
        ("stiffness_ratio", &mut ratio),
        ("relaxation_time", &mut time),
        ("stretch", &mut stretch),
        ("patch_relaxation_time", &mut patch_time),
    ];
    let usual = TangentialSprings::default();
    Ok(match springs(value, fields)? {
        None => Sticking::Auto,
        Some(false) => Sticking::Damped,
        Some(true) => Sticking::Springs(TangentialSprings {
            stiffness_ratio: ratio.unwrap_or(usual.stiffness_ratio),
            relaxation_time: time,
            patches: compliance(stretch, patch_time),
        }),
    })
}

/// Tangential springs of continuous time; "auto" has none.
fn continuous_springs(value: &Bound<'_, PyAny>) -> PyResult<Option<TangentialCompliance>> {
    let [mut stretch, mut time] = [None; 2];
    let wanted = springs(value, vec![("stretch", &mut stretch), ("relaxation_time", &mut time)])?;
    Ok((wanted == Some(true)).then(|| compliance(stretch, time)))
}

fn compliance(stretch: Option<f64>, relaxation_time: Option<f64>) -> TangentialCompliance {
    let usual = TangentialCompliance::default();
    TangentialCompliance {
        stretch: stretch.unwrap_or(usual.stretch),
        relaxation_time: relaxation_time.unwrap_or(usual.relaxation_time),
    }
}

/// The keyword arguments that make these options, and this data-augmented law.
pub fn keywords<'py>(
    py: Python<'py>,
    options: &Options,
    law: Option<&Arc<DacLaw>>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("step", options.step)?;
    match (law, options.law) {
        (Some(law), _) => {
            dict.set_item("contact", LearnedContact { inner: stiction::LearnedContact::dac(law.clone()) })?;
        }
        (None, Some(law)) => {
            let (name, law) = ("learned".into(), LearnedLaw::Calibrated(law));
            let inner = stiction::LearnedContact { name, law, provenance: Default::default() };
            dict.set_item("contact", LearnedContact { inner })?;
        }
        (None, None) => dict.set_item("contact", contact_model_name(options.contact))?,
    }
    dict.set_item("contact_from", options.contact_from.name())?;
    dict.set_item("stiction_tolerance", options.stiction_tolerance)?;
    dict.set_item("regularization", options.regularization)?;
    dict.set_item("relative_tolerance", options.relative_tolerance)?;
    dict.set_item("margin", options.margin)?;
    dict.set_item("speculative", options.speculative)?;
    if let TractionFriction::Springs(springs) = options.continuous().friction {
        let parameters = PyDict::new(py);
        parameters.set_item("stretch", springs.stretch)?;
        parameters.set_item("relaxation_time", springs.relaxation_time)?;
        dict.set_item("tangential_springs", parameters)?;
    }
    match options.tangential_springs {
        _ if dict.contains("tangential_springs")? => {}
        Sticking::Auto if options.method != Method::Convex => dict.set_item("tangential_springs", false)?,
        Sticking::Auto => dict.set_item("tangential_springs", "auto")?,
        Sticking::Damped => dict.set_item("tangential_springs", false)?,
        Sticking::Springs(springs) => {
            let parameters = PyDict::new(py);
            parameters.set_item("stiffness_ratio", springs.stiffness_ratio)?;
            if let Some(time) = springs.relaxation_time {
                parameters.set_item("relaxation_time", time)?;
            }
            // Those of patches only if they were given.
            let usual = TangentialSprings::default().patches;
            if springs.patches != usual {
                parameters.set_item("stretch", springs.patches.stretch)?;
                parameters.set_item("patch_relaxation_time", springs.patches.relaxation_time)?;
            }
            dict.set_item("tangential_springs", parameters)?;
        }
    }
    match &options.normal_law {
        NormalLaw::Table(table) => dict.set_item("normal_law", table.points())?,
        law => dict.set_item("normal_law", normal_law_name(law))?,
    }
    dict.set_item("max_iterations", options.max_iterations)?;
    if options.contact == ContactModel::Lagged {
        dict.set_item("friction_passes", options.friction_passes)?;
    }
    let tessellation = match options.tessellation {
        Tessellation::Polygons => "polygons",
        Tessellation::Fans => "fans",
        Tessellation::Refined => "refined",
    };
    dict.set_item("tessellation", tessellation)?;
    dict.set_item("accuracy", options.accuracy)?;
    dict.set_item("max_step", options.max_step)?;
    dict.set_item("method", options.method_name())?;
    dict.set_item("integrator", options.continuous().integrator.name())?;
    dict.set_item("adhesion", options.continuous().adhesion)?;
    Ok(dict)
}
