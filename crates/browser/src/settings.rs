//! What the sliders of the page change: a variant of the model, and options of its steps.

use serde::{Deserialize, Serialize};
use stiction::model::Compliance;
use stiction::{ContactChange, Model, Options, Variation, contact_model_from_name};

/// Settings of the person at the page. Factors are of what the model says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// On the friction coefficients of all geoms.
    pub friction: f64,
    /// On the stiffness of contact points and the moduli of pressure fields.
    pub stiffness: f64,
    /// On gravity.
    pub gravity: f64,
    /// Length of a step, s; that of the model if there is none.
    pub step: Option<f64>,
    /// Contact model: lagged, similar or sap.
    pub contact: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { friction: 1.0, stiffness: 1.0, gravity: 1.0, step: None, contact: "lagged".into() }
    }
}

impl Settings {
    /// The variant of a model. Pairs with a contact of their own keep it.
    pub fn variant(&self, model: &Model) -> Result<Model, String> {
        let mut variation = Variation::default();
        if self.gravity != 1.0 {
            variation.gravity = Some((model.world().options.gravity * self.gravity).into());
        }
        if self.friction != 1.0 || self.stiffness != 1.0 {
            let count = model.world().geoms.len();
            for (geom, now) in (0..count).filter_map(|g| Some((g, model.contact_properties(g)?))) {
                let soft = now.compliance == Compliance::Compliant;
                let stiff = self.stiffness != 1.0;
                let slides = self.friction != 1.0;
                variation.contacts.insert(
                    geom,
                    ContactChange {
                        static_friction: slides.then_some(now.static_friction * self.friction),
                        dynamic_friction: slides.then_some(now.dynamic_friction * self.friction),
                        stiffness: stiff.then_some(now.stiffness * self.stiffness),
                        modulus: (stiff && soft).then_some(now.modulus * self.stiffness),
                        ..ContactChange::default()
                    },
                );
            }
        }
        if variation.is_empty() {
            return Ok(model.clone());
        }
        model.varied(&variation).map_err(|e| e.to_string())
    }

    /// The options for a model.
    pub fn options(&self, model: &Model) -> Result<Options, String> {
        let given = Options::for_model(model);
        let contact = contact_model_from_name(&self.contact).map_err(|e| e.to_string())?;
        let options = Options { step: self.step.unwrap_or(given.step), contact, ..given };
        options.check().map_err(|e| e.to_string())?;
        Ok(options)
    }
}
