//! What the methods of a batch share: its lock, its arrays in and out, steps, and its controllers.

use super::Batch;
use crate::controller::{Hook, Place, Wanted, new_key};
use crate::errors::{BusyError, InputError, SimulationError, detached};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError, TryLockError};
use stiction::batch::Progress;
use stiction::{BatchError, StepError};

/// A controller of all worlds.
pub struct Added {
    /// What a handle knows it by.
    pub key: u64,
    /// One a world.
    hooks: Vec<Arc<Hook>>,
    /// Whether they were given as a list.
    several: bool,
    /// How many controllers a world has.
    count: Arc<AtomicUsize>,
}

impl Added {
    pub fn hooks(&self) -> impl Iterator<Item = &Arc<Hook>> {
        self.hooks.iter()
    }

    /// What was given.
    pub fn given(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let object = |hook: &Arc<Hook>| hook.object().as_ref().map(|object| object.clone_ref(py));
        Ok(match self.several {
            true => PyList::new(py, self.hooks.iter().map(object))?.into_any().unbind(),
            false => self.hooks.first().and_then(object).unwrap_or_else(|| py.None()),
        })
    }

    /// What makes it anew in a batch.
    pub fn kept_of_all<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let keywords = self.hooks.first().map(|hook| hook.keywords(py)).transpose()?;
        (self.given(py)?, keywords).into_pyobject(py)
    }

    /// What makes it anew in a simulation like one world.
    pub fn kept<'py>(&self, py: Python<'py>, world: usize) -> PyResult<Bound<'py, PyTuple>> {
        let hook = &self.hooks[world];
        let object = hook.object().as_ref().map(|object| object.clone_ref(py));
        (object, hook.keywords(py)?).into_pyobject(py)
    }
}

impl Batch {
    /// The worlds, unless another thread is stepping them.
    pub(super) fn lock(&self) -> PyResult<MutexGuard<'_, stiction::Batch>> {
        self.inner.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                BusyError::new_err("another thread is stepping this batch: wait until it is done")
            }
            TryLockError::Poisoned(_) => {
                SimulationError::new_err("an earlier call ended in an internal fault: make a new batch")
            }
        })
    }

    /// Steps with the interpreter detached.
    pub(super) fn advance(
        &self,
        py: Python<'_>,
        steps: impl FnOnce(&mut stiction::Batch, &mut dyn FnMut() -> bool) -> Result<Progress, BatchError> + Send,
    ) -> PyResult<()> {
        let mut guard = self.lock()?;
        let inner = &mut *guard;
        self.push(py, inner)?;
        let mut interrupt = None;
        let outcome = detached(py, || {
            steps(inner, &mut || {
                interrupt = Python::attach(|py| py.check_signals()).err();
                interrupt.is_none()
            })
        })?;
        let all: Vec<usize> = (0..inner.len()).collect();
        self.pull(py, inner, &all)?;
        match (interrupt, outcome) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(self.failure(py, &error)),
            (None, Ok(_)) => Ok(()),
        }
    }

    /// The exception for worlds that could not complete their steps.
    fn failure(&self, py: Python<'_>, error: &BatchError) -> PyErr {
        let text = error.to_string();
        let hook = match &error.error {
            StepError::Input(_) => return InputError::new_err(text),
            StepError::Controller { number, .. } => {
                self.added().get(*number).and_then(|added| added.hooks.get(error.world).cloned())
            }
            _ => None,
        };
        match hook {
            Some(hook) => hook.failure_in_batch(py, &error.error, text),
            None => SimulationError::new_err(text),
        }
    }

    /// The controllers.
    pub(super) fn added(&self) -> MutexGuard<'_, Vec<Added>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a controller to all worlds, or puts it in place of all there are; its number.
    pub(super) fn attach(
        &self,
        py: Python<'_>,
        controller: &Bound<'_, PyAny>,
        wanted: &Wanted<'_, '_>,
        alone: bool,
    ) -> PyResult<usize> {
        let inner = self.lock()?;
        let n = inner.len();
        let several = if controller.is_instance_of::<PyList>() || controller.is_instance_of::<PyTuple>() {
            let several = controller.try_iter()?.collect::<PyResult<Vec<_>>>()?;
            if several.len() != n {
                return Err(InputError::new_err(format!(
                    "{} controllers for {n} worlds: give one for all, or a list with one a world",
                    several.len()
                )));
            }
            Some(several)
        } else {
            None
        };
        let number = if alone { 0 } else { self.added().len() };
        let count = Arc::new(AtomicUsize::new(number + 1));
        // All that can fail comes first.
        let (mut hooks, mut boxes) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for world in 0..n {
            let one = several.as_ref().map_or(controller, |several| &several[world]);
            let place = Place::World { ctrl: self.ctrl.clone_ref(py), row: world };
            let (hook, controller) = Hook::new(one, &self.model.get().inner, wanted, &count, place)?;
            hooks.push(hook);
            boxes.push(controller);
        }
        self.push(py, &inner)?;
        for (world, controller) in boxes.into_iter().enumerate() {
            let mut world = inner.world(world);
            if alone {
                world.clear_controllers();
            }
            world.add_controller(controller);
        }
        drop(inner);
        let before = if alone { std::mem::take(&mut *self.added()) } else { Vec::new() };
        self.added().push(Added { key: new_key(), hooks, several: several.is_some(), count });
        self.count_controllers();
        // With no lock held: the end of a Python object may run any code.
        drop(before);
        Ok(number)
    }

    /// Adds a controller from what `Added::kept_of_all` kept of it.
    pub(super) fn attach_again(&self, py: Python<'_>, kept: &Bound<'_, PyAny>) -> PyResult<()> {
        Wanted::again(kept, |controller, wanted| self.attach(py, controller, wanted, false))
    }

    /// Takes a controller from the list.
    pub(super) fn forget(&self, number: usize) -> Added {
        let removed = self.added().remove(number);
        self.count_controllers();
        removed
    }

    /// Lets all controllers know how many there are.
    fn count_controllers(&self) {
        let all = self.added();
        all.iter().for_each(|added| added.count.store(all.len(), Ordering::Relaxed));
    }

    /// What Python wrote to the arrays goes into the worlds.
    pub(super) fn push(&self, py: Python<'_>, inner: &stiction::Batch) -> PyResult<()> {
        let (qpos, qvel, ctrl) = (self.qpos.read(py)?, self.qvel.read(py)?, self.ctrl.read(py)?);
        let (applied, act, time) = (self.applied.read(py)?, self.act.read(py)?, self.time.read(py)?);
        for i in 0..inner.len() {
            let mut world = inner.world(i);
            let state = world.state_mut();
            qpos.row(i, &mut state.q);
            qvel.row(i, &mut state.v);
            ctrl.row(i, &mut state.ctrl);
            applied.row(i, &mut state.applied);
            act.row(i, &mut state.activation);
            state.time = time.as_slice()?[i];
            let world = &*world;
            world.model().check_state(world.state()).map_err(|e| of_world(i, StepError::Input(e)))?;
        }
        Ok(())
    }

    /// What some worlds found goes into the arrays.
    pub(super) fn pull(&self, py: Python<'_>, inner: &stiction::Batch, worlds: &[usize]) -> PyResult<()> {
        let (mut qpos, mut qvel) = (self.qpos.write(py)?, self.qvel.write(py)?);
        let (mut ctrl, mut applied) = (self.ctrl.write(py)?, self.applied.write(py)?);
        let (mut act, mut time) = (self.act.write(py)?, self.time.write_all(py)?);
        let times = time.as_slice_mut()?;
        for &i in worlds {
            let world = inner.world(i);
            let state = world.state();
            qpos.set_row(i, &state.q);
            qvel.set_row(i, &state.v);
            ctrl.set_row(i, &state.ctrl);
            applied.set_row(i, &state.applied);
            act.set_row(i, &state.activation);
            times[i] = state.time;
        }
        Ok(())
    }
}

/// Wrong input for a world.
pub(super) fn of_world(world: usize, error: StepError) -> PyErr {
    InputError::new_err(BatchError { world, error, failed: 1 }.to_string())
}
