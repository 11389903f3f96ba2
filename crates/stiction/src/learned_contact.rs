//! Contact learned from data: a law and a material fitted to recordings, kept in a file.
//!
//! The file is JSON:
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
//! What is left out is left as it is. The material stands in place of what two geoms' materials combine to, for every
//! pair: a contact is of two surfaces, and a file holds one.

use crate::options::Options;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use stiction_model::{ContactLaw, ContactProperties, Dissipation, FrictionLaw};

const FORMAT: &str = "stiction-contact";
const VERSION: u32 = 1;

/// The contacts that come with the program.
const BUILT_IN: [(&str, &str); 1] = [("cube", include_str!("../../../scenes/contacts/cube.json"))];

/// A contact fitted to recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedContact {
    /// Its name.
    pub name: String,
    /// The law, with its material.
    pub law: ContactLaw,
    /// What it was fitted to and how well it does: whatever its file says.
    pub provenance: serde_json::Value,
}

/// A contact file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LearnedContactError {
    /// Neither a file nor a contact that comes with the program.
    #[error("there is no contact \"{0}\": give a file, or one of: {1}")]
    Unknown(String, String),
    /// The file cannot be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
    /// The file does not hold a contact.
    #[error("{place}: {what}")]
    Content {
        /// The file or name.
        place: String,
        /// What is wrong and what to do.
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
    friction_law: FrictionLaw,
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
    /// Loads a contact file, or one that comes with the program by its name (`"cube"`).
    pub fn load(name: &str) -> Result<Self, LearnedContactError> {
        #[cfg(feature = "fs")]
        if std::path::Path::new(name).exists() {
            let text = std::fs::read_to_string(name).map_err(|e| LearnedContactError::Io(name.into(), e))?;
            return Self::from_json(&text, name);
        }
        let Some((_, text)) = BUILT_IN.iter().find(|(n, _)| *n == name) else {
            let names: Vec<&str> = BUILT_IN.iter().map(|(n, _)| *n).collect();
            return Err(LearnedContactError::Unknown(name.into(), names.join(", ")));
        };
        Self::from_json(text, name)
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
        let law = ContactLaw {
            dissipation: file.dissipation,
            friction_passes: file.friction_passes,
            springs: file.tangential_springs.map(|s| [s.stiffness_ratio, s.relaxation_time]),
            friction: file.friction_law,
            material,
        };
        if let Some(problem) = law.problem() {
            return Err(wrong(problem));
        }
        Ok(Self { name: file.name, law, provenance: file.provenance })
    }

    /// The text of a contact file.
    pub fn to_json(&self) -> String {
        let m = &self.law.material;
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
            dissipation: self.law.dissipation,
            friction_passes: self.law.friction_passes,
            tangential_springs: self
                .law
                .springs
                .map(|[stiffness_ratio, relaxation_time]| Springs { stiffness_ratio, relaxation_time }),
            friction_law: self.law.friction,
            provenance: self.provenance.clone(),
        };
        serde_json::to_string_pretty(&file).expect("a contact is plain") + "\n"
    }

    /// These options with this contact.
    pub fn options(&self, options: Options) -> Options {
        Options { contact: stiction_convex::ContactModel::Lagged, law: Some(self.law), ..options }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_reads_back_as_it_was_written() {
        let contact = LearnedContact::load("cube").expect("it comes with the program");
        let back = LearnedContact::from_json(&contact.to_json(), "cube").expect("it reads");
        assert_eq!(back, contact);
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
