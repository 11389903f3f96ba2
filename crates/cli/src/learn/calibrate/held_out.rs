//! Fits, and errors on tosses that a fit has not seen.

use super::arguments::CalibrateArguments;
use crate::failure::Failure;
use crate::progress;
use indicatif::ProgressBar;
use stiction::Model;
use stiction_calibrate::calibrate::{Calibration, Fit};
use stiction_calibrate::score::{links_text, score_all, score_links};
use stiction_calibrate::split::folds;
use stiction_calibrate::{Dataset, Score, Summary, Toss};

/// Errors of tosses by fits that have not seen them.
pub struct HeldOut {
    pub all: Summary,
    pub folds: Vec<Summary>,
    /// For a mechanism, a line for each link.
    pub links: String,
}

/// A progress bar with a title.
pub fn bar(arguments: &CalibrateArguments, length: usize, title: &str) -> ProgressBar {
    let template = "{prefix:<12} {bar:40} {pos}/{len}  {msg}  {eta} left";
    progress::bar(length as u64, template, arguments.json).with_prefix(title.to_owned())
}

/// Fits to tosses, with a progress bar.
pub fn fit_with_bar(
    arguments: &CalibrateArguments,
    calibration: &Calibration,
    tosses: &[&Toss],
    title: &str,
) -> Fit {
    let bar = bar(arguments, arguments.evaluations, title);
    let fit = calibration.fit(tosses, |done, loss| {
        bar.set_position(done as u64);
        bar.set_message(format!("loss {loss:.3}"));
    });
    bar.finish_and_clear();
    fit
}

/// Cross-validation: scores of every toss by a fit that has not seen it, and the summary of each fold.
pub fn cross_validate(
    arguments: &CalibrateArguments,
    calibration: &Calibration,
    stated: &Model,
    dataset: &Dataset,
) -> Result<Option<HeldOut>, Failure> {
    if arguments.folds < 2 {
        return Ok(None);
    }
    if dataset.tosses.len() < arguments.folds {
        let message = format!(
            "{} tosses cannot be split into {} folds: give fewer --folds",
            dataset.tosses.len(),
            arguments.folds
        );
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
            score_all(&model, &calibration.options, test, calibration.protocol).map_err(Failure::work)?;
        each.push(Summary::of(&found));
        scores.extend(found);
        if model.world().bodies.len() > 2 {
            let found = score_links(&model, &calibration.options, test, calibration.protocol);
            links.extend(found.map_err(Failure::work)?);
        }
    }
    let links = if links.is_empty() { String::new() } else { links_text(stated, &links) };
    Ok(Some(HeldOut { all: Summary::of(&scores), folds: each, links }))
}

impl HeldOut {
    /// Errors of one model on tosses that it was not fitted to.
    pub fn of(model: &Model, calibration: &Calibration, tosses: &[&Toss]) -> Result<Self, Failure> {
        let (options, protocol) = (&calibration.options, calibration.protocol);
        let scores = score_all(model, options, tosses, protocol).map_err(Failure::work)?;
        let links = match model.world().bodies.len() > 2 {
            true => links_text(model, &score_links(model, options, tosses, protocol).map_err(Failure::work)?),
            false => String::new(),
        };
        Ok(Self { all: Summary::of(&scores), folds: Vec::new(), links })
    }
}
