//! Contact learned from data, kept in a file: a law and a material fitted to recordings, or a data-augmented law (DAC).
//!
//! A data-augmented law is a safetensors file (`stiction_dac`). The file of a fitted contact is JSON:
//!
//! ```json
//! {
//!   "format": "stiction-contact", "version": 1, "name": "cube",
//!   "material": { "friction": 0.18, "stiffness": 20000.0, "relaxation_time": 0.004 },
//!   "dissipation": "linear",
//!   "friction_passes": 3,
//!   "tangential_springs": { "stiffness_ratio": 0.4, "relaxation_time": 0.0006 },
//!   "friction_law": { "edge": -0.07, "face": 0.12 },
//!   "provenance": { "data": "…", "licence": "…" }
//! }
//! ```
//!
//! Omitted entries keep their values. The material replaces the combined material of two geoms, for every pair: a
//! contact belongs to two surfaces, and a file contains one contact.

use crate::error::OptionError;
use crate::model::Model;
use crate::options::Options;
use crate::simulation::Simulation;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use stiction_dac::DacLaw;
use stiction_model::{ContactCalibration, ContactProperties, Dissipation, FrictionCalibration};

const FORMAT: &str = "stiction-contact";
const VERSION: u32 = 1;

/// The built-in contacts: calibrated contacts as JSON, data-augmented laws as safetensors.
const BUILT_IN: [(&str, &[u8]); 6] = [
    ("cube", include_bytes!("../../../../../scenes/contacts/cube.json")),
    ("box", include_bytes!("../../../../../scenes/contacts/box.safetensors")),
    ("prism", include_bytes!("../../../../../scenes/contacts/prism.safetensors")),
    ("box-2d", include_bytes!("../../../../../scenes/contacts/box-2d.safetensors")),
    ("anisotropic", include_bytes!("../../../../../scenes/contacts/anisotropic.safetensors")),
    ("link", include_bytes!("../../../../../scenes/contacts/link.safetensors")),
];

/// A contact learned from data.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedContact {
    /// Its name.
    pub name: String,
    /// Its law.
    pub law: LearnedLaw,
    /// Training data and accuracy, as stated in its file.
    pub provenance: serde_json::Value,
}

/// The two kinds of learned contact.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one a program")]
pub enum LearnedLaw {
    /// The convex contact model with a fitted law and material.
    Calibrated(ContactCalibration),
    /// The data-augmented law, which replaces the convex contact ([`crate::methods::learned`]).
    Dac(Arc<DacLaw>),
}

/// A contact file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LearnedContactError {
    /// Neither a file nor a built-in contact.
    #[error("there is no contact \"{0}\": give a file, or one of: {1}")]
    Unknown(String, String),
    /// The file cannot be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
    /// The file does not contain a contact.
    #[error("{place}: {what}")]
    Content {
        /// The file or name.
        place: String,
        /// The problem and its remedy.
        what: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    version: u32,
    name: String,
    #[serde(default)]
    material: Material,
    #[serde(default)]
    dissipation: Dissipation,
    #[serde(default = "one")]
    friction_passes: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tangential_springs: Option<Springs>,
    #[serde(default)]
    friction_law: FrictionCalibration,
    #[serde(default)]
    provenance: serde_json::Value,
}

fn one() -> u32 {
    1
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Material {
    #[serde(skip_serializing_if = "Option::is_none")]
    friction: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stiffness: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dissipation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relaxation_time: Option<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Springs {
    stiffness_ratio: f64,
    relaxation_time: f64,
}

impl LearnedContact {
    /// Names of the built-in contacts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Loads a contact file, or a built-in contact by its name (`"cube"`, `"box"`).
    pub fn load(name: &str) -> Result<Self, LearnedContactError> {
        #[cfg(feature = "fs")]
        if std::path::Path::new(name).exists() {
            let bytes = stiction_base::bounded_file::read(std::path::Path::new(name))
                .map_err(|e| LearnedContactError::Io(name.into(), e))?;
            return Self::from_bytes(&bytes, name);
        }
        Self::built_in(name).ok_or_else(|| {
            let names: Vec<&str> = Self::names().collect();
            LearnedContactError::Unknown(name.into(), names.join(", "))
        })
    }

    /// The built-in contact of that name.
    pub fn built_in(name: &str) -> Option<Self> {
        let (_, bytes) = BUILT_IN.iter().find(|(n, _)| *n == name)?;
        Some(Self::from_bytes(bytes, name).expect("what comes with the program reads"))
    }

    /// Reads the bytes of a contact file of either kind; `place` is for messages.
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, LearnedContactError> {
        let wrong = |what: String| LearnedContactError::Content { place: place.into(), what };
        // Safetensors begin with the header length in eight bytes, some of which are zero. A text has no zero bytes.
        if place.ends_with(".safetensors") || bytes.iter().take(8).any(|b| *b == 0) {
            let law = DacLaw::from_bytes(bytes).map_err(|e| wrong(e.to_string()))?;
            return Ok(Self::dac(Arc::new(law)));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|_| wrong("it is neither a contact file (JSON) nor weights (safetensors)".into()))?;
        Self::from_json(text, place)
    }

    /// A data-augmented law as a contact. Its name is the name of its training case.
    pub fn dac(law: Arc<DacLaw>) -> Self {
        let name = law.provenance["case"].as_str().unwrap_or("dac").to_string();
        Self { name, provenance: law.provenance.clone(), law: LearnedLaw::Dac(law) }
    }

    /// Its kind: `"calibrated"` or `"dac"`.
    pub fn kind(&self) -> &'static str {
        match self.law {
            LearnedLaw::Calibrated(_) => "calibrated",
            LearnedLaw::Dac(_) => "dac",
        }
    }

    /// Reads the text of a contact file; `place` is for messages.
    pub fn from_json(text: &str, place: &str) -> Result<Self, LearnedContactError> {
        let wrong = |what: String| LearnedContactError::Content { place: place.into(), what };
        let file: File =
            serde_json::from_str(text).map_err(|e| wrong(format!("it is no contact file: {e}")))?;
        if file.format != FORMAT {
            return Err(wrong(format!("it holds {}, not {FORMAT}", file.format)));
        }
        if file.version > VERSION {
            let what = format!("it is of version {}; this program reads up to {VERSION}", file.version);
            return Err(wrong(what));
        }
        let material = ContactProperties {
            static_friction: file.material.friction,
            dynamic_friction: file.material.friction,
            stiffness: file.material.stiffness,
            dissipation: file.material.dissipation,
            relaxation_time: file.material.relaxation_time,
            ..ContactProperties::default()
        };
        let law = ContactCalibration {
            dissipation: file.dissipation,
            friction_passes: file.friction_passes,
            springs: file.tangential_springs.map(|s| [s.stiffness_ratio, s.relaxation_time]),
            friction: file.friction_law,
            material,
        };
        if let Some(problem) = law.problem() {
            return Err(wrong(problem));
        }
        Ok(Self { name: file.name, law: LearnedLaw::Calibrated(law), provenance: file.provenance })
    }

    /// The text of a contact file. `None` for a data-augmented law, whose weights are binary.
    pub fn to_json(&self) -> Option<String> {
        let LearnedLaw::Calibrated(law) = &self.law else { return None };
        let m = &law.material;
        let springs =
            |[stiffness_ratio, relaxation_time]: [f64; 2]| Springs { stiffness_ratio, relaxation_time };
        let file = File {
            format: FORMAT.into(),
            version: VERSION,
            name: self.name.clone(),
            material: Material {
                friction: m.dynamic_friction.or(m.static_friction),
                stiffness: m.stiffness,
                dissipation: m.dissipation,
                relaxation_time: m.relaxation_time,
            },
            dissipation: law.dissipation,
            friction_passes: law.friction_passes,
            tangential_springs: law.springs.map(springs),
            friction_law: law.friction,
            provenance: self.provenance.clone(),
        };
        Some(serde_json::to_string_pretty(&file).expect("a contact is plain") + "\n")
    }

    /// The bytes of its file: JSON, or safetensors for a data-augmented law.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LearnedContactError> {
        let wrong = |what| LearnedContactError::Content { place: self.name.clone(), what };
        match &self.law {
            LearnedLaw::Calibrated(_) => Ok(self.to_json().unwrap_or_default().into_bytes()),
            LearnedLaw::Dac(law) => law.to_bytes().map_err(|e| wrong(e.to_string())),
        }
    }

    /// These options with this contact. A data-augmented law is not part of the options: see
    /// [`LearnedContact::simulation`].
    pub fn options(&self, options: Options) -> Options {
        let law = match &self.law {
            LearnedLaw::Calibrated(law) => Some(*law),
            LearnedLaw::Dac(_) => None,
        };
        Options { contact: stiction_convex::FrictionModel::Lagged, law, ..options }
    }

    /// A simulation of `model` with this contact. Fails if an option is out of range, or if a data-augmented law
    /// does not support the model or the options.
    pub fn simulation(&self, model: &Model, options: Options) -> Result<Simulation, OptionError> {
        let mut simulation = Simulation::new(model, self.options(options))?;
        if let LearnedLaw::Dac(law) = &self.law {
            simulation.set_contact_law(Some(law.clone()))?;
        }
        Ok(simulation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contact_that_ships_reads_back_as_it_was_written() {
        for name in LearnedContact::names() {
            let contact = LearnedContact::load(name).expect("it comes with the program");
            let bytes = contact.to_bytes().expect("it is written");
            assert_eq!(LearnedContact::from_bytes(&bytes, "bytes").expect("it reads"), contact);
            assert_eq!(contact.name, name);
            assert_eq!(contact.kind(), if name == "cube" { "calibrated" } else { "dac" });
        }
    }

    #[test]
    fn damaged_weights_are_refused_with_the_place() {
        let good = LearnedContact::load("box").and_then(|c| c.to_bytes()).expect("it ships");
        for (bytes, says) in [
            (&good[..good.len() - 5], "safetensors"),
            (&good[..100], "safetensors"),
            (&b"\xff\xfe"[..], "neither"),
        ] {
            let error = LearnedContact::from_bytes(bytes, "w.bin").expect_err("damaged").to_string();
            assert!(error.contains("w.bin") && error.contains(says), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let text =
            |body: &str| format!(r#"{{"format": "stiction-contact", "version": 1, "name": "x", {body}}}"#);
        for (body, says) in [
            (r#""friction_passes": 0"#, "friction_passes"),
            (r#""material": {"friction": -1}"#, "static_friction"),
            (r#""tangential_springs": {"stiffness_ratio": 0, "relaxation_time": 0}"#, "springs"),
            (r#""materials": {}"#, "materials"),
        ] {
            let error =
                LearnedContact::from_json(&text(body), "x.json").expect_err("it must be refused").to_string();
            assert!(error.contains("x.json") && error.contains(says), "{error}");
        }
        let later = text(r#""friction_passes": 1"#).replace("\"version\": 1", "\"version\": 9");
        assert!(LearnedContact::from_json(&later, "x").expect_err("later").to_string().contains("version 9"));
        let error = LearnedContact::load("sphere").expect_err("unknown").to_string();
        assert!(error.contains("sphere") && error.contains("cube"), "{error}");
    }
}
