//! Time-stepping methods and the features that each supports.
//!
//! | method | where |
//! |---|---|
//! | fixed steps | `../step/fixed.rs` |
//! | error control | `../step/error_control.rs` |
//! | [`continuous`] | continuous time: forces as functions of state and an integrator instead of convex steps |
//! | [`learned`] | steps with a contact law learned from data |
//! | [`rigid`] | rigid contact at a state, and rigid motion from impact to impact |
//!
//! All methods start with the same kinematics and contact query ([`crate::step`]). [`support`] is the table of
//! supported features and options. To add a method, add a column there and a variant of `Stepping` here.
//!
//! | also here | |
//! |---|---|
//! | `option_support.rs` | the options in the table of what is supported |

pub mod continuous;
pub mod learned;
mod option_support;
pub mod rigid;
pub mod support;

use crate::error::{OptionError, StepError};
use crate::model::Model;
use crate::options::{Method, Options};
use crate::state::State;
use crate::step::error_control::ErrorControl;
use crate::step::{Settings, Stages, StepReport, fixed};
use continuous::Continuous;
use learned::Learned;
use std::sync::Arc;
use stiction_dac::DacLaw;
use stiction_model::World;
use support::{MethodKind, refusal};

/// The active method with its buffers.
pub(crate) enum Stepping {
    Fixed,
    ErrorControl(Box<ErrorControl>),
    Continuous(Box<Continuous>),
    Learned(Box<Learned>),
}

impl Stepping {
    /// The method selected by the options and a learned law. Fails if it does not support a feature of the model.
    pub fn new(model: &Model, options: &Options, law: Option<Arc<DacLaw>>) -> Result<Self, OptionError> {
        let world = model.world();
        let checked = |kind: MethodKind, error: fn(String) -> OptionError| match refusal(world, options, kind)
        {
            Some(reason) => Err(error(reason)),
            None => Ok(()),
        };
        if let Some(law) = law {
            checked(MethodKind::Learned, OptionError::Learned)?;
            return Ok(Self::Learned(Box::new(Learned::new(model, law))));
        }
        if options.method != Method::Convex {
            checked(MethodKind::Continuous, OptionError::Continuous)?;
            return Ok(Self::Continuous(Box::new(Continuous::new(model))));
        }
        match options.error_controlled() {
            true => Ok(Self::ErrorControl(Box::new(ErrorControl::new(model)))),
            false => Ok(Self::Fixed),
        }
    }

    /// Whether this is the method selected by the options and a learned law.
    pub fn is(&self, options: &Options, law: Option<&Arc<DacLaw>>) -> bool {
        match (self, law) {
            (Self::Learned(learned), Some(law)) => {
                let none = World::new("");
                Arc::ptr_eq(&learned.law, law) && refusal(&none, options, MethodKind::Learned).is_none()
            }
            (_, Some(_)) | (Self::Learned(_), None) => false,
            (Self::Continuous(_), None) => options.method != Method::Convex,
            (Self::ErrorControl(_), None) => options.method == Method::Convex && options.error_controlled(),
            (Self::Fixed, None) => options.method == Method::Convex && !options.error_controlled(),
        }
    }

    /// The learned law, if contact follows one.
    pub fn learned(&self) -> Option<&Learned> {
        match self {
            Self::Learned(learned) => Some(learned),
            _ => None,
        }
    }

    /// Takes one step; with error control or in continuous time it is no longer than `limit` (s). On an error,
    /// `state` is unchanged.
    pub fn step(
        &mut self,
        stages: &mut Stages,
        model: &Model,
        settings: &Settings,
        state: &mut State,
        limit: f64,
    ) -> Result<StepReport, StepError> {
        match self {
            Self::Fixed => fixed::step(stages, model, settings, state),
            Self::ErrorControl(control) => control.step(stages, model, settings, state, limit),
            Self::Continuous(continuous) => continuous.step(stages, model, &settings.options, state, limit),
            Self::Learned(learned) => learned.step(stages, model, state, settings.options.step),
        }
    }

    /// Clears the last step.
    pub fn clear(&mut self) {
        match self {
            Self::Fixed | Self::ErrorControl(_) => {}
            Self::Continuous(continuous) => continuous.clear(),
            Self::Learned(learned) => learned.report.forget(),
        }
    }
}
