//! A law on recorded tosses, by the field's protocol.

use crate::dataset::Toss;
use crate::protocol::Protocol;
use crate::score::Score;
use rayon::prelude::*;
use std::sync::Arc;
use stiction::{Model, Options, Simulation, StepError};
use stiction_dac::DacLaw;

/// The errors of many tosses, in their order, simulated with the law. Those that never come near the table are left out.
pub fn score_law(
    model: &Model,
    law: &Arc<DacLaw>,
    tosses: &[&Toss],
    protocol: &Protocol,
) -> Result<Vec<Score>, StepError> {
    let options = Options { step: protocol.step, ..Options::default() };
    let scores: Result<Vec<Option<Score>>, StepError> = tosses
        .par_chunks(16)
        .flat_map_iter(|chunk| {
            let fault = |e: stiction::OptionError| StepError::Learned { time: 0.0, reason: e.to_string() };
            let made = Simulation::new(model, options.clone()).and_then(|mut s| {
                s.set_contact_law(Some(law.clone()))?;
                Ok(s)
            });
            match made {
                Ok(mut s) => chunk.iter().map(|toss| protocol.score(&mut s, toss)).collect::<Vec<_>>(),
                Err(e) => vec![Err(fault(e))],
            }
        })
        .collect();
    Ok(scores?.into_iter().flatten().collect())
}
