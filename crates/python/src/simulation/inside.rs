//! What the methods of a simulation share: its lock, its arrays in and out, steps, and its viewer's ticks.

use super::Simulation;
use crate::controller::{Hook, Place, Wanted};
use crate::errors::{
    BusyError, SimulationError, detached, input_error, load_error, option_error, step_error,
};
use crate::films::Files;
use crate::fork::{self, Origin};
use crate::model::Model;
use crate::shared::Shared;
use crate::stepping::{Stopped, Watch, advance};
use crate::viewer;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use stiction::{Options, StepError, Variation};

impl Simulation {
    /// A simulation with options that are checked.
    pub(crate) fn with(py: Python<'_>, model: Py<Model>, options: Options) -> PyResult<Self> {
        let inner = stiction::Simulation::new(&model.get().inner, options).map_err(option_error)?;
        let state = inner.state();
        Ok(Self {
            qpos: Shared::new(py, &state.q),
            qvel: Shared::new(py, &state.v),
            ctrl: Shared::new(py, &state.ctrl),
            applied: Shared::new(py, &state.applied),
            act: Shared::new(py, &state.activation),
            model,
            variant: Mutex::new(None),
            variation: Mutex::new(Variation::default()),
            inner: Mutex::new(inner),
            broken: AtomicBool::new(false),
            origin: Origin::here(),
            hooks: Mutex::new(Vec::new()),
            controller_count: Arc::new(AtomicUsize::new(0)),
            recorder: Mutex::new(None),
            recording: AtomicBool::new(false),
            recordings: AtomicU64::new(0),
            viewer: Mutex::new(None),
        })
    }

    /// Goes on with what `change` says beside what was changed before.
    pub(crate) fn change(&self, py: Python<'_>, change: &Variation) -> PyResult<()> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        let mut variation = self.variation.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = variation.clone();
        wanted.merge(change);
        let model = self.model.get().inner.varied(&wanted).map_err(load_error)?;
        inner.set_model(&model).map_err(input_error)?;
        *variation = wanted;
        let before = self.variant().replace(Py::new(py, Model::from(model))?);
        drop((variation, inner));
        drop(before);
        Ok(())
    }

    pub(super) fn variant(&self) -> MutexGuard<'_, Option<Py<Model>>> {
        self.variant.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model, for those that know its names.
    pub(crate) fn model_of(&self) -> &Model {
        self.model.get()
    }

    /// The simulation, unless a step is under way: its own controller or another thread is asking then. For a viewer's
    /// thread, which has it for milliseconds, one waits.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, stiction::Simulation>> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(SimulationError::new_err(
                "an earlier step of this simulation ended in an internal fault: make a new simulation",
            ));
        }
        if self.origin.left() {
            self.after_fork()?;
        }
        loop {
            match self.inner.try_lock() {
                Ok(guard) => return Ok(guard),
                Err(TryLockError::WouldBlock) if self.is_on_its_page() => {
                    Python::attach(|py| py.detach(|| std::thread::sleep(Duration::from_micros(200))));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(BusyError::new_err(
                        "the simulation is in the middle of a step: in a controller use its arguments, from other \
                         threads wait until the step is over",
                    ));
                }
                Err(TryLockError::Poisoned(_)) => {
                    return Err(SimulationError::new_err(
                        "an earlier step of this simulation ended in an internal fault: make a new simulation",
                    ));
                }
            }
        }
    }

    /// In a forked process: recordings and pages stay with the first one. What its threads had at that moment is lost.
    fn after_fork(&self) -> PyResult<()> {
        let lost = || {
            BusyError::new_err(
                "another thread had this simulation when the process was forked: make a new one from its model and a saved \
                 state",
            )
        };
        drop(self.inner.try_lock().map_err(|_| lost())?);
        let mut recorder = self.recorder.try_lock().map_err(|_| lost())?;
        let mut viewer = self.viewer.try_lock().map_err(|_| lost())?;
        let (recorder, viewer) = (recorder.take(), viewer.take());
        self.origin.settle();
        let what = match (&recorder, &viewer) {
            (Some(_), Some(_)) => "recording and the page",
            (Some(_), None) => "recording",
            (None, Some(_)) => "page",
            (None, None) => return Ok(()),
        };
        // Their ends would wait for threads that are not here, and write to files of the first process.
        std::mem::forget((recorder, viewer));
        Python::attach(|py| fork::warn(py, what))
    }

    /// Whether a viewer's thread, and not the one that asks, has the simulation.
    pub(super) fn is_on_its_page(&self) -> bool {
        let on_page = self.viewer().as_ref().is_some_and(|viewer| viewer.busy.load(Ordering::Acquire));
        on_page && std::thread::current().name() != Some(viewer::THREAD)
    }

    /// Calls `look` with the simulation, what Python wrote to the arrays included.
    pub(crate) fn with_state<T>(
        &self,
        py: Python<'_>,
        look: impl FnOnce(&mut stiction::Simulation) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        look(&mut inner)
    }

    /// Has a viewer show the steps from now on; the error is where another one does so already.
    pub(crate) fn adopt_viewer(&self, shared: &Arc<viewer::Shared>) -> Result<(), String> {
        let mut viewer = self.viewer();
        if let Some(other) = &*viewer {
            return Err(other.url().to_string());
        }
        *viewer = Some(shared.clone());
        Ok(())
    }

    /// Ends that.
    pub(crate) fn forget_viewer(&self, shared: &Arc<viewer::Shared>) {
        let mut viewer = self.viewer();
        if viewer.as_ref().is_some_and(|own| Arc::ptr_eq(own, shared)) {
            *viewer = None;
        }
    }

    /// Lets a viewer do what its pages ask for; returns how long there is nothing to do.
    pub(crate) fn tick(&self, py: Python<'_>, shared: &viewer::Shared) -> Duration {
        let idle = Duration::from_millis(5);
        shared.busy.store(true, Ordering::Release);
        let tick = || {
            let Ok(mut guard) = self.inner.try_lock() else { return Ok(idle) };
            let inner = &mut *guard;
            self.push(py, inner)?;
            let mut recorder = self.recorder().take();
            let pause = py.detach(|| {
                let mut live = shared.live.lock().unwrap_or_else(PoisonError::into_inner);
                // Actions of pages are recorded like those of Python; an error is reported at the next step.
                live.tick_watched(inner, |inner| {
                    let _ = recorder.as_mut().map(|recorder| recorder.observe(inner));
                })
            });
            *self.recorder() = recorder;
            self.pull(py, inner)?;
            Ok::<_, PyErr>(pause)
        };
        // Arrays that are not finite are an error at the next step.
        let pause = tick().unwrap_or(idle);
        shared.busy.store(false, Ordering::Release);
        pause
    }

    /// Takes steps until `next` says that there is none left, with the interpreter detached.
    pub(super) fn advance(
        &self,
        py: Python<'_>,
        next: impl FnMut(&mut stiction::Simulation) -> Result<bool, StepError> + Send,
    ) -> PyResult<()> {
        let mut guard = self.lock()?;
        let inner = &mut *guard;
        self.push(py, inner)?;
        // Taken out and put back, not held: a thread that waits for it may hold the interpreter.
        let (mut recorder, viewer) = (self.recorder().take(), self.viewer().clone());
        let watch = Watch { recorder: recorder.as_mut(), viewer: viewer.as_deref() };
        let outcome = detached(py, || advance(inner, next, watch));
        let Ok(outcome) = outcome else {
            self.broken.store(true, Ordering::Relaxed);
            return outcome.map(|_| ());
        };
        if matches!(outcome, Err(Stopped::Recorder(_))) {
            self.recording.store(false, Ordering::Relaxed);
        } else {
            *self.recorder() = recorder;
        }
        self.pull(py, inner)?;
        match outcome {
            Ok(()) => Ok(()),
            Err(Stopped::Signal(error)) => Err(error),
            Err(Stopped::Recorder(error)) => Err(error.into()),
            Err(Stopped::Step(error)) => {
                let hook = match &error {
                    StepError::Controller { number, .. } => self.hooks().get(*number).cloned(),
                    _ => None,
                };
                Err(hook.map_or_else(|| step_error(error.clone()), |hook| hook.failure(py, error.clone())))
            }
        }
    }

    /// Whether the recording of this number is under way.
    pub(crate) fn is_recording(&self, number: u64) -> bool {
        self.recording.load(Ordering::Relaxed) && self.recordings.load(Ordering::Relaxed) == number
    }

    /// The recorder; only for those who have the simulation.
    pub(super) fn recorder(&self) -> MutexGuard<'_, Option<Files>> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn viewer(&self) -> MutexGuard<'_, Option<Arc<viewer::Shared>>> {
        self.viewer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The controllers.
    pub(super) fn hooks(&self) -> MutexGuard<'_, Vec<Arc<Hook>>> {
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a controller, or puts it in place of all there are; its number.
    pub(super) fn attach(
        &self,
        py: Python<'_>,
        controller: &Bound<'_, PyAny>,
        wanted: &Wanted<'_, '_>,
        alone: bool,
    ) -> PyResult<usize> {
        let [qpos, qvel, ctrl] = [&self.qpos, &self.qvel, &self.ctrl].map(|shared| shared.clone_ref(py));
        let place = Place::Simulation { qpos, qvel, ctrl };
        // All that can fail comes first.
        let (hook, controller) =
            Hook::new(controller, &self.model.get().inner, wanted, &self.controller_count, place)?;
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        if alone {
            inner.clear_controllers();
        }
        let number = inner.add_controller(controller);
        drop(inner);
        let before = if alone { self.forget_all() } else { Vec::new() };
        self.hooks().push(hook);
        self.controller_count.store(number + 1, Ordering::Relaxed);
        // With no lock held: the end of a Python object may run any code.
        drop(before);
        Ok(number)
    }

    /// Adds a controller from what `Hook::keywords` kept of it.
    pub(crate) fn attach_again(&self, py: Python<'_>, kept: &Bound<'_, PyAny>) -> PyResult<()> {
        Wanted::again(kept, |controller, wanted| self.attach(py, controller, wanted, false))
    }

    /// Takes a controller from the list.
    pub(super) fn forget(&self, number: usize) -> Arc<Hook> {
        self.controller_count.fetch_sub(1, Ordering::Relaxed);
        self.hooks().remove(number)
    }

    /// Takes all of them.
    pub(super) fn forget_all(&self) -> Vec<Arc<Hook>> {
        self.controller_count.store(0, Ordering::Relaxed);
        std::mem::take(&mut *self.hooks())
    }

    /// What Python wrote to the arrays goes into the state.
    pub(super) fn push(&self, py: Python<'_>, inner: &mut stiction::Simulation) -> PyResult<()> {
        let state = inner.state_mut();
        self.qpos.read_into(py, &mut state.q)?;
        self.qvel.read_into(py, &mut state.v)?;
        self.ctrl.read_into(py, &mut state.ctrl)?;
        self.applied.read_into(py, &mut state.applied)?;
        self.act.read_into(py, &mut state.activation)?;
        inner.model().check_state(inner.state()).map_err(input_error)
    }

    /// What the simulation found goes into the arrays.
    pub(super) fn pull(&self, py: Python<'_>, inner: &stiction::Simulation) -> PyResult<()> {
        let state = inner.state();
        self.qpos.write(py, &state.q)?;
        self.qvel.write(py, &state.v)?;
        self.ctrl.write(py, &state.ctrl)?;
        self.applied.write(py, &state.applied)?;
        self.act.write(py, &state.activation)
    }
}
