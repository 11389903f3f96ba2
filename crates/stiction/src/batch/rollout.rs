//! Many trajectories of one model on several threads, with all controls known in advance.

use super::Progress;
use crate::error::{InputError, OptionError, StepError};
use crate::model::Model;
use crate::options::Options;
use crate::simulation::Simulation;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

/// Interval between calls of the caller's callback.
const WATCH: Duration = Duration::from_millis(20);

/// Initial states and controls of the trajectories.
pub struct Rollout<'a> {
    /// Initial positions and velocities, one row of nq + nv numbers a trajectory.
    pub states: &'a [f64],
    /// Controls, for each trajectory one row of nu numbers a step; zero if none are given.
    pub controls: Option<&'a [f64]>,
    /// Steps of each trajectory.
    pub steps: usize,
}

/// The first trajectory that could not be completed.
#[derive(Debug, thiserror::Error)]
#[error("row {row}: {error}")]
pub struct RolloutError {
    /// Its index.
    pub row: usize,
    /// Its error.
    #[source]
    pub error: StepError,
}

/// Simulates every row from its state and writes the states after each step to `out`, rows × steps × (nq + nv)
/// numbers. Each row is simulated independently by the next idle thread, so the number of threads does not change
/// the result. `go_on` is called on the calling thread every few milliseconds. If it returns false, the remaining
/// rows are skipped.
pub fn rollout(
    model: &Model,
    options: &Options,
    work: &Rollout<'_>,
    threads: usize,
    out: &mut [f64],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Progress, RolloutError> {
    let first = |error: StepError| RolloutError { row: 0, error };
    options.check().map_err(|error: OptionError| first(InputError::Variant(error.to_string()).into()))?;
    let width = model.nq() + model.nv();
    let rows = work.states.len().checked_div(width).unwrap_or(0);
    for (what, given, needed) in [
        ("states", work.states.len(), rows * width),
        (
            "controls",
            work.controls.map_or(0, <[f64]>::len),
            work.controls.map_or(0, |_| rows * work.steps * model.nu()),
        ),
        ("out", out.len(), rows * work.steps * width),
    ] {
        if given != needed {
            return Err(first(InputError::Length { what, given, needed }.into()));
        }
    }
    if out.is_empty() {
        return Ok(Progress::Done);
    }
    let parts = Mutex::new(out.chunks_mut(work.steps * width).enumerate());
    let stop = AtomicBool::new(false);
    let threads = if cfg!(feature = "threads") { threads.clamp(1, rows) } else { 1 };
    let mut failures: Vec<RolloutError> = Vec::new();
    if threads == 1 {
        failures.extend(follow(model, options, work, &parts, &stop, Some(go_on)));
    } else {
        let (sender, finished) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, parts, stop) = (sender.clone(), &parts, &stop);
                scope.spawn(move || {
                    // The receiver waits for every sender.
                    let _ = sender.send(follow(model, options, work, parts, stop, None));
                });
            }
            drop(sender);
            loop {
                match finished.recv_timeout(WATCH) {
                    Ok(outcome) => failures.extend(outcome),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        if !stop.load(Ordering::Relaxed) && !go_on() {
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
        });
    }
    match failures.into_iter().min_by_key(|failure| failure.row) {
        Some(failure) => Err(failure),
        None if stop.load(Ordering::Relaxed) => Ok(Progress::Stopped),
        None => Ok(Progress::Done),
    }
}

/// Takes rows until none are left; returns those that failed.
fn follow<'o>(
    model: &Model,
    options: &Options,
    work: &Rollout<'_>,
    rows: &Mutex<impl Iterator<Item = (usize, &'o mut [f64])>>,
    stop: &AtomicBool,
    mut go_on: Option<&mut dyn FnMut() -> bool>,
) -> Vec<RolloutError> {
    let mut simulation = match Simulation::new(model, options.clone()) {
        Ok(simulation) => simulation,
        Err(error) => {
            let error = InputError::Variant(error.to_string()).into();
            return vec![RolloutError { row: 0, error }];
        }
    };
    let mut failures = Vec::new();
    let mut asked = go_on.is_some().then(std::time::Instant::now);
    loop {
        let next = rows.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some((row, out)) = next else { return failures };
        let watch = &mut || {
            if let (Some(go_on), Some(asked)) = (&mut go_on, &mut asked)
                && asked.elapsed() > WATCH
            {
                *asked = std::time::Instant::now();
                if !go_on() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            !stop.load(Ordering::Relaxed)
        };
        if let Err(error) = follow_row(&mut simulation, work, row, out, watch) {
            failures.push(RolloutError { row, error });
        }
    }
}

fn follow_row(
    simulation: &mut Simulation,
    work: &Rollout<'_>,
    row: usize,
    out: &mut [f64],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<(), StepError> {
    let (nq, nu) = (simulation.model().nq(), simulation.model().nu());
    let width = nq + simulation.model().nv();
    let (q, v) = work.states[row * width..(row + 1) * width].split_at(nq);
    simulation.reset();
    simulation.state_mut().q.copy_from_slice(q);
    simulation.state_mut().v.copy_from_slice(v);
    for (t, after) in out.chunks_exact_mut(width).enumerate() {
        if !go_on() {
            break;
        }
        if let Some(controls) = work.controls {
            let at = (row * work.steps + t) * nu;
            simulation.state_mut().ctrl.copy_from_slice(&controls[at..at + nu]);
        }
        simulation.step(1)?;
        after[..nq].copy_from_slice(&simulation.state().q);
        after[nq..].copy_from_slice(&simulation.state().v);
    }
    Ok(())
}
