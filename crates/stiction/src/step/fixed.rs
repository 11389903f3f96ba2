//! Steps of a fixed length.

use super::first_touch::Ahead;
use super::{Settings, Stages, StepReport};
use crate::error::StepError;
use crate::model::Model;
use crate::state::State;

/// Takes one step of the length in the options. On an error, `state` is unchanged.
pub(crate) fn step(
    stages: &mut Stages,
    model: &Model,
    settings: &Settings,
    state: &mut State,
) -> Result<StepReport, StepError> {
    let dt = settings.options.step;
    let mut report = StepReport { step: dt, ..StepReport::default() };
    stages.observe(model, settings, state, &Ahead::default(), &mut report);
    stages.solve(model, settings, state, dt, None, &mut report)?;
    stages.accept(model, settings, state, dt, &mut report);
    Ok(report)
}
