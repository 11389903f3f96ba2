//! Sliders and buttons that a program puts on the page.

use serde::Serialize;

/// Most of them on a page.
pub const MAX_WIDGETS: usize = 64;

/// A slider or a button.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Widget {
    /// A number between two ends.
    Slider {
        /// What the page calls it.
        name: String,
        /// Smallest value.
        low: f64,
        /// Largest value.
        high: f64,
        /// Where it stands.
        value: f64,
        /// Unit; empty for none.
        unit: String,
    },
    /// Something to press.
    Button {
        /// What the page calls it.
        name: String,
        /// How often it was pressed.
        presses: u64,
    },
}

impl Widget {
    /// What the page calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Slider { name, .. } | Self::Button { name, .. } => name,
        }
    }

    /// Where a slider stands, or how often a button was pressed.
    pub fn value(&self) -> f64 {
        match self {
            Self::Slider { value, .. } => *value,
            Self::Button { presses, .. } => *presses as f64,
        }
    }

    /// What the person at the page did with it; a slider stays between its ends.
    pub(super) fn act(&mut self, given: f64) {
        match self {
            Self::Slider { low, high, value, .. } => *value = given.clamp(*low, *high),
            Self::Button { presses, .. } => *presses += 1,
        }
    }

    /// What is wrong with it among others, if something is.
    pub(super) fn problem(&self, others: &[Self]) -> Option<String> {
        if others.len() >= MAX_WIDGETS {
            return Some(format!(
                "there are {MAX_WIDGETS} sliders and buttons already: close the page and begin anew"
            ));
        }
        if self.name().is_empty() || self.name().chars().count() > 100 {
            return Some("give it a name of 1 to 100 letters".into());
        }
        if others.iter().any(|other| other.name() == self.name()) {
            return Some(format!("there is already one called \"{}\": give another name", self.name()));
        }
        match self {
            Self::Slider { low, high, value, .. }
                if !(low < high && low.is_finite() && high.is_finite() && (*low..=*high).contains(value)) =>
            {
                Some(format!(
                    "the slider from {low} to {high} at {value} is not possible: give low < high and a value between"
                ))
            }
            _ => None,
        }
    }
}
