//! What `stiction learn calibrate` reports, as text and as JSON.

use super::arguments::CalibrateArguments;
use super::held_out::HeldOut;
use serde_json::json;
use std::path::PathBuf;
use stiction_calibrate::calibrate::Fit;
use stiction_calibrate::parameters::Parameter;
use stiction_calibrate::{Dataset, Summary};

/// What is reported of a calibration.
pub struct Report<'a> {
    pub arguments: &'a CalibrateArguments,
    pub dataset: &'a Dataset,
    /// Tosses of the file that cannot be compared.
    pub left_out: usize,
    pub parameters: &'a [Parameter],
    pub fit: &'a Fit,
    pub uncertainty: Option<&'a [f64]>,
    pub fitted: Summary,
    pub held_out: Option<HeldOut>,
}

impl Report<'_> {
    pub fn text(&self, files: &[PathBuf]) -> String {
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

    pub fn json(&self) -> serde_json::Value {
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

/// A number rounded to significant digits.
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
