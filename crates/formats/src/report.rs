//! Collecting what could not be honoured: once for each kind of thing, with its first place.

use crate::error::{FormatError, Read};
use crate::schema::Setting;
use crate::xml::Node;
use std::collections::BTreeSet;
use stiction_model::{Source, Warning};

/// Warnings so far.
#[derive(Debug, Default)]
pub struct Report {
    warnings: Vec<Warning>,
    seen: BTreeSet<String>,
    drawing: BTreeSet<String>,
    drawing_place: Option<Source>,
    settings: BTreeSet<(Setting, String)>,
    settings_place: Option<Source>,
    strict: bool,
}

impl Report {
    /// An empty report; under `strict` the first warning is an error.
    pub fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    /// Warns at `node`, once for each `key`.
    pub fn warn(&mut self, node: &Node, key: &str, message: impl Into<String>) -> Read<()> {
        self.warn_at(node.source(), key, message)
    }

    /// Warns at a place, once for each `key`.
    pub fn warn_at(&mut self, source: Source, key: &str, message: impl Into<String>) -> Read<()> {
        if !self.seen.insert(key.to_string()) {
            return Ok(());
        }
        let warning = Warning { source, message: message.into() };
        if self.strict {
            return Err(FormatError::Strict(warning));
        }
        self.warnings.push(warning);
        Ok(())
    }

    /// Whether the first warning is an error.
    pub fn strict(&self) -> bool {
        self.strict
    }

    /// Takes over the warnings of a model inside this one.
    pub fn take(&mut self, warnings: Vec<Warning>) {
        self.warnings.extend(warnings);
    }

    /// Notes something that changes only the picture. All of these make one warning at the end, and
    /// they are no error under strict reading.
    pub fn drawing(&mut self, node: &Node, what: &str) {
        self.drawing_place.get_or_insert_with(|| node.source());
        self.drawing.insert(what.to_string());
    }

    /// Notes something at a place that behaves as the format says and not as one may expect: no error under strict reading.
    pub fn note_at(&mut self, source: Source, key: &str, message: impl Into<String>) {
        if self.seen.insert(key.to_string()) {
            self.warnings.push(Warning { source, message: message.into() });
        }
    }

    /// Notes a setting of the format's own solver. All of these make one warning at the end, and they are no error under
    /// strict reading.
    pub fn setting(&mut self, node: &Node, setting: Setting, what: &str) {
        self.settings_place.get_or_insert_with(|| node.source());
        self.settings.insert((setting, what.to_string()));
    }

    /// What becomes of the settings of the format's own solver, in one line.
    fn settings_line(&self) -> String {
        let sentence = |setting: Setting, text: &str| {
            let names = self.settings.iter().filter(|(s, _)| *s == setting).map(|(_, name)| name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            (!names.is_empty()).then(|| text.replace("{}", &names))
        };
        let sentences = [
            (
                Setting::OfContact,
                "contacts are stiff and do not follow {}: contact_from = mujoco (--contact-from mujoco) makes them as soft as \
                 MuJoCo's",
            ),
            (
                Setting::OfConstraint,
                "constraints, limits and dry friction are near-rigid and do not follow {}",
            ),
            (Setting::AgainstSlip, "{} have no effect: tangential springs hold contacts without slip"),
            (Setting::None, "settings of MuJoCo's solver without effect here: {}"),
        ];
        sentences.into_iter().filter_map(|(s, text)| sentence(s, text)).collect::<Vec<_>>().join("; ")
    }

    /// All warnings in the order they were found.
    pub fn finish(mut self) -> Vec<Warning> {
        if let Some(source) = self.settings_place.take() {
            let message = self.settings_line();
            self.warnings.push(Warning { source, message });
        }
        if let Some(source) = self.drawing_place {
            let list = self.drawing.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!("not read, as it changes neither motion nor contact: {list}");
            self.warnings.push(Warning { source, message });
        }
        self.warnings
    }
}
