//! Many simulations of one model on several threads.
//!
//! Each row of states is simulated by itself, by whichever thread is free, and writes to its own part of
//! the result: which thread that was changes no bit.

use crate::arrays::{numbers, shape_text};
use crate::errors::{SimulationError, option_error};
use crate::model::Model;
use crate::options::options;
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use stiction::{Options, Simulation, StepError};

/// How often the waiting thread looks whether the user pressed Ctrl-C.
const SIGNALS: Duration = Duration::from_millis(20);

/// Simulates many initial states of one model on several threads.
///
/// model: a stiction.Model.
/// states: initial positions and velocities, shape (n, nq + nv).
/// controls: controls of each step, shape (n, T, nu); or None to leave them at zero and give steps=T.
/// threads: threads to use; the result is the same, bit for bit, for any number.
/// steps: number of steps T if controls is None.
/// step, contact, …: the options of Simulation.
///
/// Returns the states after each step, shape (n, T, nq + nv): out[i, t] is what a simulation that
/// started at states[i] shows after step t, taken with controls[i, t].
///
/// Raises ValueError for shapes that do not fit and numbers that are not finite, SimulationError (of
/// the first row concerned) for a step that cannot be completed.
#[pyfunction]
#[pyo3(
    signature = (model, states, controls=None, threads=2, *, steps=None, step=1e-3, **options),
    text_signature = "(model, states, controls=None, threads=2, *, steps=None, step=1e-3, contact='lagged', \
                      stiction_tolerance=1e-4, regularization=1e-3, relative_tolerance=1e-5, margin=0.0, \
                      tangential_springs=False, max_iterations=2000, tessellation='polygons')"
)]
pub fn rollout<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    states: &Bound<'py, PyAny>,
    controls: Option<&Bound<'py, PyAny>>,
    threads: usize,
    steps: Option<usize>,
    step: f64,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let options = self::options(step, options)?;
    if options.error_controlled() {
        return Err(PyValueError::new_err(
            "accuracy, method: rollouts take convex steps of fixed length, so that their rows share the times; give step=",
        ));
    }
    if threads == 0 {
        return Err(PyValueError::new_err("threads = 0: give at least 1"));
    }
    let model = &model.get().inner;
    let width = model.nq() + model.nv();
    let (shape, states) = numbers(states)?;
    let &[n, given] = shape.as_slice() else {
        return Err(wrong_shape("states", &shape, &format!("(n, {width}), which is (n, nq + nv)")));
    };
    if given != width {
        return Err(wrong_shape("states", &shape, &format!("({n}, {width}), which is (n, nq + nv)")));
    }
    let (controls, length) = read_controls(controls, steps, n, model.nu())?;
    let job = Job { model, options, states, controls, length };

    let mut out = room(n, length, width)?;
    py.detach(|| job.run(threads.min(n), &mut out))?;
    out.into_pyarray(py).reshape([n, length, width])
}

/// Zeros for all trajectories, or an exception if there is no room for them.
fn room(n: usize, length: usize, width: usize) -> PyResult<Vec<f64>> {
    let mut out = Vec::new();
    let size = n.checked_mul(length).and_then(|rows| rows.checked_mul(width));
    match size.map(|size| (size, out.try_reserve_exact(size))) {
        Some((size, Ok(()))) => {
            out.resize(size, 0.0);
            Ok(out)
        }
        _ => Err(PyMemoryError::new_err(format!(
            "no room for the trajectories, {n} × {length} × {width} numbers: take fewer rows or steps at a time"
        ))),
    }
}

/// The controls in one row and the number of steps.
fn read_controls(
    controls: Option<&Bound<'_, PyAny>>,
    steps: Option<usize>,
    n: usize,
    nu: usize,
) -> PyResult<(Option<Vec<f64>>, usize)> {
    match (controls, steps) {
        (None, None) => Err(PyValueError::new_err("give controls of shape (n, T, nu), or steps=T")),
        (None, Some(length)) => Ok((None, length)),
        (Some(controls), steps) => {
            let (shape, data) = numbers(controls)?;
            match *shape.as_slice() {
                [rows, length, width] if rows == n && width == nu && steps.is_none_or(|t| t == length) => {
                    Ok((Some(data), length))
                }
                _ => {
                    let length = steps.map_or("T".into(), |t| t.to_string());
                    let needed = format!("({n}, {length}, {nu}), which is (n, T, nu)");
                    Err(wrong_shape("controls", &shape, &needed))
                }
            }
        }
    }
}

fn wrong_shape(what: &str, shape: &[usize], needed: &str) -> PyErr {
    PyValueError::new_err(format!("{what} has shape {}, this model needs {needed}", shape_text(shape)))
}

struct Job<'a> {
    model: &'a stiction::Model,
    options: Options,
    states: Vec<f64>,
    controls: Option<Vec<f64>>,
    length: usize,
}

impl Job<'_> {
    /// Runs all rows; `out` holds their trajectories one after another.
    fn run(&self, threads: usize, out: &mut [f64]) -> PyResult<()> {
        if out.is_empty() {
            return Ok(());
        }
        let width = self.model.nq() + self.model.nv();
        let rows = Mutex::new(out.chunks_mut(self.length * width).enumerate());
        let stop = AtomicBool::new(false);
        let (sender, finished) = mpsc::channel();
        let mut failures: Vec<(usize, PyErr)> = Vec::new();
        let mut interrupt = None;
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (sender, rows, stop) = (sender.clone(), &rows, &stop);
                scope.spawn(move || {
                    let outcome = self.work(rows, stop);
                    // The receiver waits for every sender.
                    let _ = sender.send(outcome);
                });
            }
            drop(sender);
            loop {
                match finished.recv_timeout(SIGNALS) {
                    Ok(outcome) => failures.extend(outcome),
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.store(true, Ordering::Relaxed);
                            interrupt = Some(error);
                        }
                    }
                }
            }
        });
        failures.sort_by_key(|(row, _)| *row);
        match interrupt.or(failures.into_iter().next().map(|(_, error)| error)) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Takes rows until none are left; returns those that failed.
    fn work<'o>(
        &self,
        rows: &Mutex<impl Iterator<Item = (usize, &'o mut [f64])>>,
        stop: &AtomicBool,
    ) -> Vec<(usize, PyErr)> {
        let mut simulation = match Simulation::new(self.model, self.options) {
            Ok(simulation) => simulation,
            Err(error) => return vec![(0, option_error(error))],
        };
        let mut failures = Vec::new();
        loop {
            let next = rows.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((row, out)) = next else { return failures };
            match self.row(&mut simulation, row, out, stop) {
                Ok(()) => {}
                Err(StepError::Input(error)) => {
                    failures.push((row, PyValueError::new_err(format!("row {row}: {error}"))));
                }
                Err(error) => failures.push((row, SimulationError::new_err(format!("row {row}: {error}")))),
            }
        }
    }

    fn row(
        &self,
        simulation: &mut Simulation,
        row: usize,
        out: &mut [f64],
        stop: &AtomicBool,
    ) -> Result<(), StepError> {
        let (nq, nu) = (self.model.nq(), self.model.nu());
        let width = nq + self.model.nv();
        let (q, v) = self.states[row * width..(row + 1) * width].split_at(nq);
        simulation.reset();
        simulation.state_mut().q.copy_from_slice(q);
        simulation.state_mut().v.copy_from_slice(v);
        for (t, after) in out.chunks_exact_mut(width).enumerate() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            if let Some(controls) = &self.controls {
                let at = (row * self.length + t) * nu;
                simulation.state_mut().ctrl.copy_from_slice(&controls[at..at + nu]);
            }
            simulation.step(1)?;
            after[..nq].copy_from_slice(&simulation.state().q);
            after[nq..].copy_from_slice(&simulation.state().v);
        }
        Ok(())
    }
}
