//! The threads of a batch.
//!
//! ```text
//! caller            posts a task, takes worlds like the others, waits until all are done
//! helpers           sleep until a task is posted, take worlds until none are left
//! next              index of the task and of the next world to take
//! ```
//!
//! A waiting thread spins for a few microseconds before it sleeps, because waking takes longer than a step of a
//! small model.
//!
//! Each world has its own lock, which is never contended. The locks let threads that outlive a call share the worlds
//! without unsafe code.

use crate::error::StepError;
use crate::simulation::Simulation;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Progress;

/// Interval between calls of the caller's callback.
const WATCH: Duration = Duration::from_millis(20);

/// Spinning time before a thread sleeps.
const LOOK: Duration = Duration::from_micros(30);

/// The task of every world.
#[derive(Clone, Copy)]
pub enum Task {
    Steps(usize),
    /// More steps of the same call: worlds that failed take none.
    MoreSteps(usize),
    Until(f64),
}

/// A world and the result of its last task.
pub struct Slot {
    pub simulation: Simulation,
    pub failure: Option<StepError>,
}

struct Shared {
    slots: Vec<Mutex<Slot>>,
    /// Index of the task in the upper half and of the next world in the lower half. A helper that wakes too late
    /// cannot take a world of another task.
    next: AtomicU64,
    /// Number of unfinished worlds of this task.
    left: AtomicUsize,
    /// Set to end a task early.
    stop: AtomicBool,
    /// Set when there will be no more tasks.
    end: AtomicBool,
    /// The task. Its lock also protects the counts above.
    task: Mutex<Task>,
    /// Notified when a task is posted and when the pool shuts down.
    posted: Condvar,
    /// Notified when the last world is done.
    finished: Condvar,
}

pub struct ThreadPool {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
    /// The process that the helpers run in. Its copies by fork have none of them.
    process: u32,
}

impl ThreadPool {
    pub fn new(simulations: Vec<Simulation>, threads: usize) -> Self {
        let place = |simulation| Mutex::new(Slot { simulation, failure: None });
        let shared = Arc::new(Shared {
            slots: simulations.into_iter().map(place).collect(),
            next: AtomicU64::new(0),
            left: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            end: AtomicBool::new(false),
            task: Mutex::new(Task::Steps(0)),
            posted: Condvar::new(),
            finished: Condvar::new(),
        });
        let wanted = if cfg!(feature = "threads") { threads - 1 } else { 0 };
        let helpers = helpers(&shared, wanted);
        Self { shared, helpers, process: process() }
    }

    pub fn len(&self) -> usize {
        self.shared.slots.len()
    }

    pub fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Whether this process was forked from the one that the helpers run in.
    fn forked(&self) -> bool {
        self.process != process()
    }

    pub fn slot(&self, index: usize) -> MutexGuard<'_, Slot> {
        // A panic of a step is already reported in `failure`.
        self.shared.slots[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `task` in every world. Returns when all worlds are done.
    pub fn run(&mut self, task: Task, go_on: Option<&mut dyn FnMut() -> bool>) -> Progress {
        if self.forked() {
            let count = self.helpers.len();
            // Joining threads that are not there would never end.
            std::mem::forget(std::mem::take(&mut self.helpers));
            self.helpers = helpers(&self.shared, count);
            self.process = process();
        }
        let shared = &*self.shared;
        let mut post = shared.task();
        *post = task;
        shared.stop.store(false, Ordering::Relaxed);
        shared.left.store(self.len(), Ordering::Relaxed);
        let number = shared.number().wrapping_add(1);
        shared.next.store(u64::from(number) << 32, Ordering::Release);
        drop(post);
        if !self.helpers.is_empty() {
            shared.posted.notify_all();
        }
        let mut watch = go_on.map(|go_on| Watch { go_on, asked: Instant::now() });
        shared.work(number, task, watch.as_mut());
        let working = || shared.left.load(Ordering::Acquire) > 0;
        look_while(working);
        let mut post = shared.task();
        while working() {
            post = shared.finished.wait_timeout(post, WATCH).unwrap_or_else(PoisonError::into_inner).0;
            if let Some(watch) = &mut watch
                && !shared.stop.load(Ordering::Relaxed)
                && working()
            {
                drop(post);
                watch.ask(&shared.stop);
                post = shared.task();
            }
        }
        drop(post);
        if shared.stop.load(Ordering::Relaxed) { Progress::Stopped } else { Progress::Done }
    }
}

/// A number of this process; only Unix has processes that are copied.
fn process() -> u32 {
    if cfg!(unix) { std::process::id() } else { 0 }
}

/// Threads that sleep until there is work. If fewer can be created than wanted, the work is slower and the result is the same.
fn helpers(shared: &Arc<Shared>, wanted: usize) -> Vec<JoinHandle<()>> {
    let (sender, begun) = std::sync::mpsc::channel();
    let helper = |k| {
        let (shared, sender) = (shared.clone(), sender.clone());
        let builder = std::thread::Builder::new().name(format!("stiction-{k}"));
        let life = move || {
            drop(sender);
            shared.help();
        };
        builder.spawn(life).ok()
    };
    let helpers = (1..=wanted).map_while(helper).collect();
    drop(sender);
    // Returns when all senders are dropped. Every helper is then running, and no step waits for thread creation.
    let _: Result<(), _> = begun.recv();
    helpers
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        if self.forked() {
            std::mem::forget(std::mem::take(&mut self.helpers));
            return;
        }
        let post = self.shared.task();
        self.shared.end.store(true, Ordering::Release);
        drop(post);
        self.shared.posted.notify_all();
        for helper in self.helpers.drain(..) {
            // Panics are caught where the work is done.
            let _ = helper.join();
        }
    }
}

impl Shared {
    fn task(&self) -> MutexGuard<'_, Task> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Index of the current task.
    fn number(&self) -> u32 {
        (self.next.load(Ordering::Acquire) >> 32) as u32
    }

    /// Main loop of a helper thread.
    fn help(&self) {
        let mut done = 0;
        loop {
            let idle = || self.number() == done && !self.end.load(Ordering::Acquire);
            look_while(idle);
            let mut post = self.task();
            while idle() {
                post = self.posted.wait(post).unwrap_or_else(PoisonError::into_inner);
            }
            if self.end.load(Ordering::Acquire) {
                return;
            }
            done = self.number();
            let task = *post;
            drop(post);
            self.work(done, task, None);
        }
    }

    /// The next world of a task, if there is one left.
    fn take(&self, number: u32) -> Option<&Mutex<Slot>> {
        let mut next = self.next.load(Ordering::Acquire);
        loop {
            let place = self.slots.get(next as u32 as usize).filter(|_| (next >> 32) as u32 == number)?;
            match self.next.compare_exchange_weak(next, next + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(place),
                Err(now) => next = now,
            }
        }
    }

    /// Takes worlds until none are left.
    fn work(&self, number: u32, task: Task, mut watch: Option<&mut Watch<'_>>) {
        while let Some(place) = self.take(number) {
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            let place = &mut *place;
            let over = matches!(task, Task::MoreSteps(_)) && place.failure.is_some();
            let steps = AssertUnwindSafe(|| run(&mut place.simulation, task, &self.stop, &mut watch));
            if !over {
                place.failure = match catch_unwind(steps) {
                    Ok(outcome) => outcome.err(),
                    Err(_) => Some(StepError::Fault { time: place.simulation.state().time }),
                };
            }
            if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                // The caller either sees this count or has already released the task lock to sleep.
                drop(self.task());
                self.finished.notify_all();
            }
        }
    }
}

/// Spins for a limited time.
fn look_while(waiting: impl Fn() -> bool) {
    if !waiting() {
        return;
    }
    let begin = Instant::now();
    while waiting() && begin.elapsed() < LOOK {
        std::hint::spin_loop();
    }
}

/// One world's part of a task.
fn run(
    simulation: &mut Simulation,
    task: Task,
    stop: &AtomicBool,
    watch: &mut Option<&mut Watch<'_>>,
) -> Result<(), StepError> {
    let mut taken = 0;
    loop {
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        match task {
            Task::Steps(steps) | Task::MoreSteps(steps) if taken == steps => return Ok(()),
            Task::Steps(_) | Task::MoreSteps(_) => simulation.step(1)?,
            Task::Until(time) => {
                if !simulation.step_towards(time)? {
                    return Ok(());
                }
            }
        }
        taken += 1;
        if let Some(watch) = watch
            && watch.asked.elapsed() > WATCH
        {
            watch.ask(stop);
        }
    }
}

/// Callback that can stop a task early.
struct Watch<'a> {
    go_on: &'a mut dyn FnMut() -> bool,
    asked: Instant,
}

impl Watch<'_> {
    fn ask(&mut self, stop: &AtomicBool) {
        self.asked = Instant::now();
        if !(self.go_on)() {
            stop.store(true, Ordering::Relaxed);
        }
    }
}
