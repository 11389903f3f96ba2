//! Many worlds of one model, stepped together.
//!
//! ```
//! use stiction::{Batch, Model, Options};
//!
//! let model = Model::from_scene("double_pendulum")?;
//! let mut batch = Batch::new(&model, 8, 2, Options::default())?;
//! for i in 0..batch.len() {
//!     batch.world(i).state_mut().v[0] = i as f64;
//! }
//! batch.step(100)?;
//! assert!((batch.world(7).state().time - 0.1).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A world is a [`Simulation`]; all of them share one compiled model, unless they are given variants of it
//! ([`Batch::vary`], [`Batch::randomize`]). Each idle thread takes the next world and performs all its steps. The
//! result of a world is therefore bitwise equal to stepping it alone, for any number of threads. The threads sleep
//! between calls. A call allocates nothing.
//!
//! Use [`rollout`] if all controls are known in advance. `thread_pool.rs` contains the threads. Without the feature
//! `threads`, the calling thread does all the work.

mod rollout;
mod thread_pool;

use crate::error::{InputError, LoadError, OptionError, StepError};
use crate::model::Model;
use crate::model::randomization::Range;
use crate::model::variation::Variation;
use crate::options::Options;
use crate::simulation::Simulation;
pub use rollout::{Rollout, RolloutError, rollout};
use std::ops::{Deref, DerefMut};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};
use thread_pool::{Task, ThreadPool};

/// Worlds of one model, stepped together on several threads.
pub struct Batch {
    model: Model,
    options: Options,
    /// Variation of each world.
    variations: Vec<Variation>,
    pool: ThreadPool,
    /// Steps after which a watched call looks whether to go on; it follows how long they take.
    steps_at_once: usize,
}

/// How long those steps should take.
const PART: Duration = Duration::from_millis(20);

/// A world of a batch: a [`Simulation`] that can be read and modified between steps.
pub struct World<'a>(MutexGuard<'a, thread_pool::Slot>);

impl Deref for World<'_> {
    type Target = Simulation;

    fn deref(&self) -> &Simulation {
        &self.0.simulation
    }
}

impl DerefMut for World<'_> {
    fn deref_mut(&mut self) -> &mut Simulation {
        &mut self.0.simulation
    }
}

/// Worlds that could not complete all their steps. They keep their last valid states. The other worlds completed all
/// steps.
#[derive(Clone, Debug, thiserror::Error)]
#[error("world {world}: {error}{}", more(*.failed))]
pub struct BatchError {
    /// The first world that failed.
    pub world: usize,
    /// Its error.
    #[source]
    pub error: StepError,
    /// Number of worlds that failed.
    pub failed: usize,
}

fn more(failed: usize) -> String {
    match failed {
        0 | 1 => String::new(),
        2 => " (and another world failed too)".into(),
        n => format!(" (and {} other worlds failed too)", n - 1),
    }
}

/// Result of a call that can be stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All worlds took all their steps.
    Done,
    /// The callback stopped the call. Worlds may be at different times.
    Stopped,
}

impl Batch {
    /// `worlds` worlds at the model's default state, for `threads` threads, of which the caller is one.
    pub fn new(model: &Model, worlds: usize, threads: usize, options: Options) -> Result<Self, OptionError> {
        let made = Self::new_watched(model, worlds, threads, options, &mut || true)?;
        Ok(made.expect("nothing stops it"))
    }

    /// The same, but calls `go_on` after each world. If it returns false, nothing is made.
    pub fn new_watched(
        model: &Model,
        worlds: usize,
        threads: usize,
        options: Options,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Self>, OptionError> {
        options.check()?;
        // The numbers of a state alone: q, v, applied forces and the matrices of a step are more.
        let least = size_of::<Simulation>() + 8 * (model.nq() + 2 * model.nv());
        let full = || OptionError::Memory { worlds, bytes: worlds as f64 * least as f64 };
        let mut room = Vec::<u8>::new();
        worlds.checked_mul(least).and_then(|bytes| room.try_reserve_exact(bytes).ok()).ok_or_else(full)?;
        drop(room);
        let mut simulations = Vec::new();
        simulations.try_reserve_exact(worlds).map_err(|_| full())?;
        for _ in 0..worlds {
            simulations.push(Simulation::new(model, options.clone())?);
            if !go_on() {
                return Ok(None);
            }
        }
        let pool = ThreadPool::new(simulations, threads.clamp(1, worlds.max(1)));
        let variations = vec![Variation::default(); worlds];
        Ok(Some(Self { model: model.clone(), options, variations, pool, steps_at_once: 1 }))
    }

    /// The model shared by the worlds. A world may use a variant of it.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The options of all worlds.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    /// Whether there are no worlds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of stepping threads, including the calling thread.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// A world by its index. The returned guard holds the world's lock.
    ///
    /// # Panics
    /// If there is no such world.
    pub fn world(&self, index: usize) -> World<'_> {
        World(self.pool.slot(index))
    }

    /// The error of a world in the last call, or `None` if the call completed.
    pub fn failure(&self, index: usize) -> Option<StepError> {
        self.pool.slot(index).failure.clone()
    }

    /// Performs `steps` steps in every world.
    pub fn step(&mut self, steps: usize) -> Result<(), BatchError> {
        self.run(Task::Steps(steps), None).map(|_| ())
    }

    /// Steps every world until `time` (s), as [`Simulation::run_until`] does.
    pub fn run_until(&mut self, time: f64) -> Result<(), BatchError> {
        self.run(Task::Until(time), None).map(|_| ())
    }

    /// Like [`Batch::step`], but calls `go_on` on the calling thread every few milliseconds. If it returns false,
    /// the call stops, and all worlds that did not fail have taken the same number of steps.
    pub fn step_watched(
        &mut self,
        steps: usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Progress, BatchError> {
        let mut left = steps;
        let mut task: fn(usize) -> Task = Task::Steps;
        loop {
            let begin = Instant::now();
            let part = left.min(self.steps_at_once);
            self.pool.run(task(part), None);
            left -= part;
            // Twice as many or half as many, for parts that take about as long as PART.
            let (taken, whole) = (begin.elapsed(), part == self.steps_at_once);
            if taken > 2 * PART {
                self.steps_at_once = (part / 2).max(1);
            } else if whole && 2 * taken < PART {
                self.steps_at_once = part.saturating_mul(2).max(1);
            }
            if left == 0 || !go_on() {
                let progress = if left == 0 { Progress::Done } else { Progress::Stopped };
                return self.outcome(progress);
            }
            task = Task::MoreSteps;
        }
    }

    /// Like [`Batch::run_until`], with the callback of [`Batch::step_watched`].
    pub fn run_until_watched(
        &mut self,
        time: f64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Progress, BatchError> {
        self.run(Task::Until(time), Some(go_on))
    }

    fn run(&mut self, task: Task, go_on: Option<&mut dyn FnMut() -> bool>) -> Result<Progress, BatchError> {
        let progress = self.pool.run(task, go_on);
        self.outcome(progress)
    }

    /// The result of a call: the first world that failed, if any did.
    fn outcome(&self, progress: Progress) -> Result<Progress, BatchError> {
        let mut failed = 0;
        let mut first = None;
        for world in 0..self.len() {
            if let Some(error) = &self.pool.slot(world).failure {
                first.get_or_insert_with(|| (world, error.clone()));
                failed += 1;
            }
        }
        match first {
            Some((world, error)) => Err(BatchError { world, error, failed }),
            None => Ok(progress),
        }
    }

    /// The variation of a world.
    ///
    /// # Panics
    /// If there is no such world.
    pub fn variation(&self, world: usize) -> &Variation {
        &self.variations[world]
    }

    /// Varies some worlds from the next step on. The given variation is added to the world's existing variation. On
    /// an error, nothing changes.
    pub fn vary(&mut self, changes: &[(usize, Variation)]) -> Result<(), LoadError> {
        self.vary_watched(changes, &mut || true).map(|_| ())
    }

    /// Like [`Batch::vary`], but calls `go_on` after compiling each variant. If it returns false, nothing changes.
    pub fn vary_watched(
        &mut self,
        changes: &[(usize, Variation)],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Progress, LoadError> {
        let mut made = Vec::with_capacity(changes.len());
        for (world, change) in changes {
            let Some(mut variation) = self.variations.get(*world).cloned() else {
                return Err(LoadError::Variation(format!(
                    "there is no world {world}: there are {}",
                    self.len()
                )));
            };
            variation.merge(change);
            made.push((*world, self.model.varied(&variation)?, variation));
            if !go_on() {
                return Ok(Progress::Stopped);
            }
        }
        self.adopt(made).map(|()| Progress::Done)
    }

    /// Draws masses, friction, stiffness, sizes, damping and gains for some worlds from `seed`; see [`crate::model::randomization`].
    /// A new value replaces the previous value of the same quantity.
    pub fn randomize(&mut self, worlds: &[usize], seed: u64, ranges: &[Range]) -> Result<(), LoadError> {
        self.vary(&self.drawn(worlds, seed, ranges))
    }

    /// The variations that [`Batch::randomize`] draws.
    pub fn drawn(&self, worlds: &[usize], seed: u64, ranges: &[Range]) -> Vec<(usize, Variation)> {
        let mut changes = Vec::with_capacity(worlds.len());
        for &world in worlds {
            let mut change = Variation::default();
            for range in ranges {
                let factor = range.draw(seed, world as u64);
                change.merge(&range.variation(&self.model, factor));
            }
            changes.push((world, change));
        }
        changes
    }

    fn adopt(&mut self, made: Vec<(usize, Model, Variation)>) -> Result<(), LoadError> {
        for (world, model, variation) in made {
            let set = self.world(world).set_model(&model);
            set.map_err(|error| LoadError::Variation(format!("world {world}: {error}")))?;
            self.variations[world] = variation;
        }
        Ok(())
    }

    /// The states and variations of all worlds as a blob. [`Batch::load_state`] resumes from it bit for bit.
    pub fn save_state(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(self.len() as u64).to_le_bytes());
        for world in 0..self.len() {
            let variation =
                postcard::to_allocvec(&self.variations[world]).expect("a variation is plain numbers");
            bytes.extend_from_slice(&(variation.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&variation);
            let state = self.world(world).save_state();
            bytes.extend_from_slice(&(state.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&state);
        }
        bytes
    }

    /// Restores states saved by [`Batch::save_state`] from the same number of worlds of the same model. On an error,
    /// nothing changes.
    pub fn load_state(&mut self, bytes: &[u8]) -> Result<(), InputError> {
        let err = |what: String| Err(InputError::State(what));
        let Some((magic, rest)) = bytes.split_first_chunk::<8>() else {
            return err("it is shorter than a header; the file is cut off or of another kind".into());
        };
        if *magic != MAGIC {
            return err("it does not begin like the states of a batch; the file is of another kind".into());
        }
        let Some((version, mut rest)) = rest.split_first_chunk::<4>() else {
            return err("it is cut off".into());
        };
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return err(format!("it has version {version}, this program reads version {VERSION}"));
        }
        let cut = || InputError::State("it is cut off".into());
        let mut take = |bytes: usize| {
            let (part, after) = rest.split_at_checked(bytes).ok_or_else(cut)?;
            rest = after;
            Ok(part)
        };
        let number = |part: &[u8]| u64::from_le_bytes(part.try_into().expect("eight bytes")) as usize;
        let count = number(take(8)?);
        if count != self.len() {
            return err(format!("it holds {count} worlds, this batch has {}", self.len()));
        }
        let mut loaded = Vec::with_capacity(self.len());
        for world in 0..self.len() {
            let length = number(take(8)?);
            let variation: Variation = postcard::from_bytes(take(length)?)
                .map_err(|e| InputError::State(format!("it is damaged ({e})")))?;
            let length = number(take(8)?);
            loaded.push((variation, self.world(world).read_state(take(length)?)?));
        }
        let mut made = Vec::new();
        for (world, (variation, _)) in loaded.iter().enumerate() {
            if *variation != self.variations[world] {
                let model = self.model.varied(variation).map_err(|e| InputError::State(e.to_string()))?;
                made.push((world, model, variation.clone()));
            }
        }
        self.adopt(made).map_err(|e| InputError::State(e.to_string()))?;
        for (world, (_, state)) in loaded.into_iter().enumerate() {
            self.world(world).go_to(state);
        }
        Ok(())
    }
}

const MAGIC: [u8; 8] = *b"STICTBAT";
const VERSION: u32 = 2;
