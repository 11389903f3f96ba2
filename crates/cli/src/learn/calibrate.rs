//! `stiction learn calibrate`: find a model's contact parameters from recorded tosses.

use super::comparable::comparable;
use super::{DataArguments, ProtocolArguments, check_share};
use crate::failure::{Failure, print};
use crate::outlet;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::{Path, PathBuf};
use stiction::{Export, Format, LearnedContact, LearnedLaw, Model, Options, export};
use stiction_calibrate::calibrate::{Calibration, Fit, Settings};
use stiction_calibrate::parameters::{Parameter, contact_of, contradiction};
use stiction_calibrate::score::{links_text, score_all, score_links};
use stiction_calibrate::split::{folds, split};
use stiction_calibrate::{Dataset, Protocol, Score, Summary, Toss};

/// Arguments of `stiction learn calibrate`.
#[derive(Args)]
pub struct CalibrateArguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten)]
    protocol: ProtocolArguments,
    /// Parameters to find: friction, stiffness, dissipation or relaxation_time, inertia or inertia_x, inertia_y, inertia_z, size,
    /// gravity, slope_x, slope_y, height, spring_stiffness, spring_time, joint_friction, joint_damping, and weights of the friction law (edge, face, load, load_squared, slip,
    /// load_slip, approach, approach_load, face_slip)
    #[arg(long, value_delimiter = ',', default_value = "friction,stiffness,relaxation_time,inertia")]
    fit: Vec<String>,
    /// Values to begin with, or to hold if they are not to be found; NAME=VALUE, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Solves of a step, so that friction does not lag in impacts
    #[arg(long, default_value_t = 2, allow_negative_numbers = true)]
    friction_passes: u32,
    /// Parts the tosses are split into; each is foretold by a fit to the others. 0 to skip this
    #[arg(long, default_value_t = 5, allow_negative_numbers = true)]
    folds: usize,
    /// Share of the tosses to fit to, if not all: the others are foretold, in place of folds. Quicker by far
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    share: f64,
    /// Simulations of all tosses that a fit may take
    #[arg(long, default_value_t = 300, allow_negative_numbers = true)]
    evaluations: usize,
    /// Simulations of all tosses for the uncertainties. 0 to skip them
    #[arg(long, default_value_t = 120, allow_negative_numbers = true)]
    around: usize,
    /// Starts of each toss, the first as recorded, the others within the noise
    #[arg(long, default_value_t = 2, allow_negative_numbers = true)]
    starts: usize,
    /// Noise of the start velocities, m/s and rad/s
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "V,W",
        default_value = "0.01,0.1",
        allow_hyphen_values = true
    )]
    noise: Vec<f64>,
    /// Errors that weigh the same: position in % of the width, angle in degrees
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "P,A",
        default_value = "12,16",
        allow_hyphen_values = true
    )]
    targets: Vec<f64>,
    /// Another seed, another split and another search
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,
    /// Name of the contact, for its files
    #[arg(long, default_value = "calibrated")]
    name: String,
    /// Where the calibrated scene (.xml) and contact (.json) go
    #[arg(long, value_name = "DIR", default_value = "out/calibrate")]
    out: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Fits, scores what was held out, writes and prints.
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
    // The search begins at what the world says; factors (size, inertia) are taken from what it says then.
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
        options,
        settings: settings(arguments)?,
    };
    // A toss that cannot be compared has no loss: in a mean it would pass for one that is foretold perfectly.
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
    let folded = if others.is_empty() { hold_out(arguments, &calibration, &model, &dataset)? } else { None };
    let fit = fit_with_bar(arguments, &calibration, &all, "fit");
    let calibrated = calibration.model_with(&fit.values).map_err(Failure::work)?;
    let held_out = match folded {
        None if !others.is_empty() => Some(HeldOut::of(&calibrated, &calibration, &others)?),
        folded => folded,
    };
    let scores = score_all(&calibrated, options, &all, &protocol).map_err(Failure::work)?;
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
        let text = serde_json::to_string_pretty(&report.json()).map_err(Failure::work)?;
        return print(&(text + "\n"));
    }
    print(&report.text(&files))
}

fn parse_parameters(names: &[String]) -> Result<Vec<Parameter>, Failure> {
    let mut parameters = Vec::new();
    for name in names {
        let parameter = Parameter::from_name(name.trim()).map_err(Failure::input)?;
        if !parameters.contains(&parameter) {
            parameters.push(parameter);
        }
    }
    match contradiction(&parameters) {
        Some(problem) => Err(Failure::input(problem)),
        None => Ok(parameters),
    }
}

fn parse_setting(setting: &str) -> Result<(Parameter, f64), Failure> {
    let wrong = || Failure::input(format!("--set {setting} is not NAME=VALUE"));
    let (name, value) = setting.split_once('=').ok_or_else(wrong)?;
    let parameter = Parameter::from_name(name.trim()).map_err(Failure::input)?;
    let value: f64 = value.trim().parse().map_err(|_| wrong())?;
    if !(value.is_finite() && (value > 0.0 || !parameter.logarithmic())) {
        return Err(Failure::input(format!("--set {setting}: give a positive number")));
    }
    Ok((parameter, value))
}

fn settings(arguments: &CalibrateArguments) -> Result<Settings, Failure> {
    let pair = |name: &str, values: &[f64]| match values {
        &[a, b] if a >= 0.0 && b >= 0.0 && a.is_finite() && b.is_finite() => Ok([a, b]),
        _ => Err(Failure::input(format!("{name} needs two numbers of zero or more, separated by a comma"))),
    };
    let noise = pair("--noise", &arguments.noise)?;
    let [position, angle] = pair("--targets", &arguments.targets)?;
    if position == 0.0 || angle == 0.0 {
        return Err(Failure::input("--targets must be positive"));
    }
    Ok(Settings {
        evaluations: arguments.evaluations,
        around: arguments.around,
        seed: arguments.seed,
        starts: arguments.starts,
        noise,
        targets: [0.01 * position, angle.to_radians(), angle.to_radians()],
    })
}

fn bar(arguments: &CalibrateArguments, length: usize, what: &str) -> ProgressBar {
    let bar = if arguments.json { ProgressBar::hidden() } else { ProgressBar::new(length as u64) };
    let style = ProgressStyle::with_template("{prefix:<12} {bar:40} {pos}/{len}  {msg}  {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(what.to_string());
    bar
}

fn fit_with_bar(
    arguments: &CalibrateArguments,
    calibration: &Calibration,
    tosses: &[&Toss],
    what: &str,
) -> Fit {
    let bar = bar(arguments, arguments.evaluations, what);
    let fit = calibration.fit(tosses, |done, loss| {
        bar.set_position(done as u64);
        bar.set_message(format!("loss {loss:.3}"));
    });
    bar.finish_and_clear();
    fit
}

/// Scores of every toss by a fit that has not seen it, and the summary of each fold.
fn hold_out(
    arguments: &CalibrateArguments,
    calibration: &Calibration,
    stated: &Model,
    dataset: &Dataset,
) -> Result<Option<HeldOut>, Failure> {
    if arguments.folds < 2 {
        return Ok(None);
    }
    if dataset.tosses.len() < arguments.folds {
        let message =
            format!("{} tosses cannot be split into {} folds", dataset.tosses.len(), arguments.folds);
        return Err(Failure::input(message));
    }
    let parts = folds(&dataset.tosses, |t| t.number, arguments.folds, arguments.seed);
    let (mut scores, mut each) = (Vec::<Score>::new(), Vec::new());
    let mut links = Vec::new();
    for (k, test) in parts.iter().enumerate() {
        let train: Vec<&Toss> =
            parts.iter().enumerate().filter(|(i, _)| *i != k).flat_map(|(_, p)| p.iter().copied()).collect();
        let fit = fit_with_bar(arguments, calibration, &train, &format!("fold {} of {}", k + 1, parts.len()));
        let model = calibration.model_with(&fit.values).map_err(Failure::work)?;
        let found =
            score_all(&model, calibration.options, test, calibration.protocol).map_err(Failure::work)?;
        each.push(Summary::of(&found));
        scores.extend(found);
        if model.world().bodies.len() > 2 {
            let found = score_links(&model, calibration.options, test, calibration.protocol);
            links.extend(found.map_err(Failure::work)?);
        }
    }
    let links = if links.is_empty() { String::new() } else { links_text(stated, &links) };
    Ok(Some(HeldOut { all: Summary::of(&scores), folds: each, links }))
}

impl HeldOut {
    /// Of one model and tosses it was not fitted to.
    fn of(model: &Model, calibration: &Calibration, tosses: &[&Toss]) -> Result<Self, Failure> {
        let (options, protocol) = (calibration.options, calibration.protocol);
        let scores = score_all(model, options, tosses, protocol).map_err(Failure::work)?;
        let links = match model.world().bodies.len() > 2 {
            true => links_text(model, &score_links(model, options, tosses, protocol).map_err(Failure::work)?),
            false => String::new(),
        };
        Ok(Self { all: Summary::of(&scores), folds: Vec::new(), links })
    }
}

struct Report<'a> {
    arguments: &'a CalibrateArguments,
    dataset: &'a Dataset,
    /// Tosses of the file that cannot be compared.
    left_out: usize,
    parameters: &'a [Parameter],
    fit: &'a Fit,
    uncertainty: Option<&'a [f64]>,
    fitted: Summary,
    held_out: Option<HeldOut>,
}

/// Errors of tosses by fits that have not seen them.
struct HeldOut {
    all: Summary,
    folds: Vec<Summary>,
    /// Of a mechanism, a line for each link.
    links: String,
}

impl Report<'_> {
    fn text(&self, files: &[PathBuf]) -> String {
        let mut text = String::new();
        for (k, parameter) in self.parameters.iter().enumerate() {
            let value = self.fit.values[k];
            let spread =
                self.uncertainty.map_or(String::new(), |u| format!(" ± {:<10}", significant(u[k], 2)));
            text += &format!(
                "{:<18}{:>10}{spread} {}\n",
                parameter.name(),
                significant(value, 4),
                parameter.unit()
            );
        }
        text += &format!("fitted    {}\n", self.fitted);
        if let Some(HeldOut { all, folds: each, links }) = &self.held_out {
            text += &format!("held out  {all}\n{links}");
            let folds: Vec<String> = each
                .iter()
                .map(|s| format!("{:.1} % {:.1}°", 100.0 * s.mean.position, s.mean.angle.to_degrees()))
                .collect();
            if !folds.is_empty() {
                text += &format!("          by fold: {}\n", folds.join(", "));
            }
        }
        for file in files {
            text += &format!("wrote {}\n", file.display());
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        let parameters: Vec<_> = self
            .parameters
            .iter()
            .enumerate()
            .map(|(k, p)| {
                let uncertainty = self.uncertainty.map(|u| u[k]);
                json!({ "name": p.name(), "value": self.fit.values[k], "uncertainty": uncertainty, "unit": p.unit() })
            })
            .collect();
        let held_out = self.held_out.as_ref().map(|h| json!({ "all": h.all, "folds": h.folds }));
        json!({
            "parameters": parameters,
            "loss": self.fit.loss,
            "fitted": self.fitted,
            "held_out": held_out,
            "left_out": self.left_out,
            "data": self.arguments.data.data.display().to_string(),
            "source": self.dataset.header.source,
            "licence": self.dataset.header.licence,
            "seed": self.arguments.seed,
            "evaluations": self.arguments.evaluations,
        })
    }
}

/// A number with so many significant digits.
fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let decimals = digits as i32 - 1 - x.abs().log10().floor() as i32;
    if decimals >= 0 {
        format!("{x:.*}", decimals as usize)
    } else {
        let unit = 10f64.powi(-decimals);
        format!("{:.0}", (x / unit).round() * unit)
    }
}

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
