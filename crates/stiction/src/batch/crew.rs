//! The threads of a batch.
//!
//! ```text
//! caller            posts a task, takes worlds like the others, waits for them
//! helpers           sleep until a task is posted, take worlds until none are left
//! next              number of the world that whoever is free takes
//! ```
//!
//! Each world has a lock of its own, which is never contended: it lets threads that outlive a call share the worlds without
//! unsafe code.

use crate::error::StepError;
use crate::simulation::Simulation;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Progress;

/// How often the caller's watch is asked.
const WATCH: Duration = Duration::from_millis(20);

/// What every world is to do.
#[derive(Clone, Copy)]
pub enum Task {
    Steps(usize),
    Until(f64),
}

/// A world and how its last task went.
pub struct Place {
    pub simulation: Simulation,
    pub failure: Option<StepError>,
}

struct Shared {
    places: Vec<Mutex<Place>>,
    /// The world that is taken next.
    next: AtomicUsize,
    /// Set to end a task early.
    stop: AtomicBool,
    post: Mutex<Post>,
    /// Told when a task is posted, or that there will be none any more.
    posted: Condvar,
    /// Told when the last helper is done.
    finished: Condvar,
}

struct Post {
    task: Task,
    /// Counts tasks, so that a helper knows a new one.
    number: u64,
    /// Helpers that are not done with it.
    working: usize,
    end: bool,
}

pub struct Crew {
    shared: Arc<Shared>,
    helpers: Vec<JoinHandle<()>>,
}

impl Crew {
    pub fn new(simulations: Vec<Simulation>, threads: usize) -> Self {
        let place = |simulation| Mutex::new(Place { simulation, failure: None });
        let shared = Arc::new(Shared {
            places: simulations.into_iter().map(place).collect(),
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            post: Mutex::new(Post { task: Task::Steps(0), number: 0, working: 0, end: false }),
            posted: Condvar::new(),
            finished: Condvar::new(),
        });
        let wanted = if cfg!(feature = "threads") { threads - 1 } else { 0 };
        let helper = |k| {
            let shared = shared.clone();
            let builder = std::thread::Builder::new().name(format!("stiction-{k}"));
            // With fewer threads than asked for the work is slower and the result the same.
            builder.spawn(move || shared.help()).ok()
        };
        let helpers = (1..=wanted).map_while(helper).collect();
        Self { shared, helpers }
    }

    pub fn len(&self) -> usize {
        self.shared.places.len()
    }

    pub fn threads(&self) -> usize {
        self.helpers.len() + 1
    }

    pub fn place(&self, index: usize) -> MutexGuard<'_, Place> {
        // A step that ended in a fault said so in `failure`.
        self.shared.places[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has every world do `task`; returns when all are done.
    pub fn run(&mut self, task: Task, go_on: Option<&mut dyn FnMut() -> bool>) -> Progress {
        let shared = &*self.shared;
        shared.next.store(0, Ordering::Relaxed);
        shared.stop.store(false, Ordering::Relaxed);
        if !self.helpers.is_empty() {
            let mut post = shared.post();
            post.task = task;
            post.number += 1;
            post.working = self.helpers.len();
            drop(post);
            shared.posted.notify_all();
        }
        let mut watch = go_on.map(|go_on| Watch { go_on, asked: Instant::now() });
        shared.work(task, watch.as_mut());
        let mut post = shared.post();
        while post.working > 0 {
            post = shared.finished.wait_timeout(post, WATCH).unwrap_or_else(PoisonError::into_inner).0;
            if let Some(watch) = &mut watch
                && !shared.stop.load(Ordering::Relaxed)
                && post.working > 0
            {
                drop(post);
                watch.ask(&shared.stop);
                post = shared.post();
            }
        }
        if shared.stop.load(Ordering::Relaxed) { Progress::Stopped } else { Progress::Done }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.post().end = true;
        self.shared.posted.notify_all();
        for helper in self.helpers.drain(..) {
            // Faults are caught where the work is done.
            let _ = helper.join();
        }
    }
}

impl Shared {
    fn post(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The life of a helper.
    fn help(&self) {
        let mut done = 0;
        loop {
            let mut post = self.post();
            while post.number == done && !post.end {
                post = self.posted.wait(post).unwrap_or_else(PoisonError::into_inner);
            }
            if post.end {
                return;
            }
            done = post.number;
            let task = post.task;
            drop(post);
            self.work(task, None);
            let mut post = self.post();
            post.working -= 1;
            if post.working == 0 {
                self.finished.notify_all();
            }
        }
    }

    /// Takes worlds until none are left.
    fn work(&self, task: Task, mut watch: Option<&mut Watch<'_>>) {
        loop {
            let Some(place) = self.places.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            let place = &mut *place;
            let steps = AssertUnwindSafe(|| run(&mut place.simulation, task, &self.stop, &mut watch));
            place.failure = match catch_unwind(steps) {
                Ok(outcome) => outcome.err(),
                Err(_) => Some(StepError::Fault { time: place.simulation.state().time }),
            };
        }
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
            Task::Steps(steps) if taken == steps => return Ok(()),
            Task::Steps(_) => simulation.step(1)?,
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

/// Whoever may end a task early.
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
