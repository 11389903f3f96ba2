//! The fan of futures: some outcomes followed by the convex simulation, each into a recording and a table.

use super::ImpactArguments;
use super::report::Found;
use crate::failure::Failure;
use crate::run::Columns;
use crate::trajectory::Trajectory;
use std::path::PathBuf;
use stiction::{Model, Options, Simulation};
use stiction_viewer::{RecordOptions, Recorder};

/// Follows as many outcomes as asked for; returns the files.
pub fn follow(
    arguments: &ImpactArguments,
    model: &Model,
    found: &Found,
    name: &str,
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for (k, outcome) in found.set.representatives(arguments.branch).into_iter().enumerate() {
        let options = Options::for_model(model);
        let mut simulation = Simulation::new(model, options).map_err(Failure::input)?;
        *simulation.state_mut() = found.state.clone();
        simulation.state_mut().v.copy_from_slice(found.set.velocity(outcome));
        let name = format!("{name}-branch-{}", k + 1);
        let page = arguments.out.join(format!("{name}.html"));
        let mut trajectory = Trajectory::create(&arguments.out, &name, model, Columns::default())?;
        let mut recorder = Recorder::create(&simulation, &name, &[&page], &RecordOptions::default())
            .map_err(Failure::work)?;
        let (begin, rows) = (found.state.time, (100.0 * arguments.branch_time).round() as u64);
        trajectory.record(&mut simulation)?;
        for row in 1..=rows {
            let end = begin + row as f64 / 100.0;
            while simulation.step_towards(end).map_err(Failure::work)? {
                recorder.observe(&simulation).map_err(Failure::work)?;
            }
            trajectory.record(&mut simulation)?;
        }
        files.extend(recorder.finish(Some(&simulation)).map_err(Failure::work)?.into_iter().map(|f| f.path));
        files.push(trajectory.finish()?);
    }
    Ok(files)
}
