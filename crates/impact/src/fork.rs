//! A few outcomes that stand for all: where a simulation branches.

use crate::error::ImpactError;
use crate::outcomes::{Options, outcomes};
use crate::problem::Problem;
use crate::summary::Level;

/// Velocities after an impact with weights that add to one: at most `count` outcomes far apart, each with the share of sampled outcomes nearest to
/// it; one if the outcomes agree; that of all contacts at once if only one is asked for; the velocity before if nothing approaches. Weights are a sampling measure, not probabilities.
///
/// Fails where no solution could be followed to its end.
pub fn fork(problem: &Problem, options: &Options, count: usize) -> Result<Vec<(Vec<f64>, f64)>, ImpactError> {
    if !problem.approaches() {
        return Ok(vec![(problem.instant().velocity().as_slice().to_vec(), 1.0)]);
    }
    let few = Options { samples: 0, sequences: usize::from(problem.contacts() == 1), ..*options };
    let mut set = outcomes(problem, if count == 1 { &few } else { options })?;
    if set.is_empty() {
        set = outcomes(problem, options)?;
    }
    if set.is_empty() {
        return Err(ImpactError::Dropped { dropped: set.unfinished + set.unsolved });
    }
    let count = if set.ambiguity().level == Level::Agree { 1 } else { count.max(1) };
    Ok(set.clusters(count).into_iter().map(|(i, share)| (set.velocity(i).to_vec(), share)).collect())
}
