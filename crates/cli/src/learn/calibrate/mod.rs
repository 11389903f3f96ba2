//! `stiction learn calibrate`: find a model's contact parameters from recorded tosses.
//!
//! | file | |
//! |---|---|
//! | `arguments.rs` | the arguments and what they say |
//! | `held_out.rs` | fits, and errors on tosses that a fit has not seen |
//! | `report.rs` | the report as text and as JSON |

mod arguments;
mod held_out;
mod report;

pub use arguments::CalibrateArguments;

use super::check_share;
use super::comparable::comparable;
use crate::failure::{Failure, print, print_json};
use crate::outlet;
use arguments::{parse_parameters, parse_setting, settings};
use held_out::{HeldOut, bar, cross_validate, fit_with_bar};
use report::Report;
use serde_json::json;
use std::path::{Path, PathBuf};
use stiction::{Export, Format, LearnedContact, LearnedLaw, Model, Options, export};
use stiction_calibrate::calibrate::Calibration;
use stiction_calibrate::parameters::contact_of;
use stiction_calibrate::score::score_all;
use stiction_calibrate::split::split;
use stiction_calibrate::{Protocol, Summary, Toss};

/// Fits, scores the tosses that were held out, writes the files and prints the report.
pub fn calibrate(arguments: &CalibrateArguments) -> Result<(), Failure> {
    check_share(arguments.share)?;
    let (model, mut dataset) = arguments.data.load()?;
    let protocol = arguments.protocol.protocol(&model)?;
    let parameters = parse_parameters(&arguments.fit)?;
    let mut world = model.world().clone();
    let law = world.options.contact_law.get_or_insert_default();
    law.friction_passes = arguments.friction_passes;
    for setting in &arguments.set {
        let (name, value) = parse_setting(setting)?;
        name.write(&mut world, value);
    }
    let start: Vec<f64> = parameters.iter().map(|p| p.read(&world)).collect();
    // The search starts at the model's own values; factors (size, inertia) are relative to them.
    let options = Options { step: protocol.step, ..Options::default() };
    Model::new(world.clone()).map_err(Failure::input)?;
    if let Some(problem) = world.options.contact_law.and_then(|law| law.problem()) {
        return Err(Failure::input(problem));
    }
    let calibration = Calibration {
        world: &world,
        parameters: &parameters,
        start,
        protocol: &protocol,
        options: options.clone(),
        settings: settings(arguments)?,
    };
    // A toss that cannot be compared has no loss: in a mean it would count as a perfect prediction.
    let (kept, left_out) =
        comparable(std::mem::take(&mut dataset.tosses), &model, &protocol, &arguments.data.data)?;
    dataset.tosses = kept;
    outlet::folder(&arguments.out, "--out")?;
    let all: Vec<&Toss> = dataset.tosses.iter().collect();
    let (all, others) = split(&all, |t| t.number, arguments.share, arguments.seed);
    let (all, others): (Vec<&Toss>, Vec<&Toss>) =
        (all.into_iter().copied().collect(), others.into_iter().copied().collect());
    if all.is_empty() {
        return Err(Failure::input("--share leaves no toss to fit to: give a larger one"));
    }
    let folded =
        if others.is_empty() { cross_validate(arguments, &calibration, &model, &dataset)? } else { None };
    let fit = fit_with_bar(arguments, &calibration, &all, "fit");
    let calibrated = calibration.model_with(&fit.values).map_err(Failure::work)?;
    let held_out = match folded {
        None if !others.is_empty() => Some(HeldOut::of(&calibrated, &calibration, &others)?),
        folded => folded,
    };
    let scores = score_all(&calibrated, &options, &all, &protocol).map_err(Failure::work)?;
    let uncertainty = (arguments.around > 0).then(|| {
        let bar = bar(arguments, arguments.around, "uncertainty");
        let found = calibration.uncertainty(&fit, &all, |done| bar.set_position(done as u64));
        bar.finish_and_clear();
        found
    });
    let report = Report {
        arguments,
        dataset: &dataset,
        left_out,
        parameters: &parameters,
        fit: &fit,
        uncertainty: uncertainty.as_deref(),
        fitted: Summary::of(&scores),
        held_out,
    };
    let files = write(arguments, &calibrated, &protocol, &report)?;
    if arguments.json {
        return print_json(&report.json());
    }
    print(&report.text(&files))
}

/// Writes the calibrated scene and contact.
fn write(
    arguments: &CalibrateArguments,
    model: &Model,
    protocol: &Protocol,
    report: &Report,
) -> Result<Vec<PathBuf>, Failure> {
    let out = &arguments.out;
    let mut provenance = report.json();
    provenance["width"] = json!(protocol.width);
    let contact = LearnedContact {
        name: arguments.name.clone(),
        law: LearnedLaw::Calibrated(contact_of(model.world())),
        provenance,
    };
    let Export { text, losses, .. } = export(model.world(), Format::Mjcf).map_err(Failure::work)?;
    for what in losses {
        eprintln!("note: {what}");
    }
    let save = |path: PathBuf, text: &str| {
        outlet::write(&path, text.as_bytes(), "--out")?;
        Ok::<_, Failure>(path)
    };
    let file = |extension: &str| Path::new(out).join(format!("{}.{extension}", arguments.name));
    Ok(vec![save(file("xml"), &text)?, save(file("json"), &contact.to_json().unwrap_or_default())?])
}
