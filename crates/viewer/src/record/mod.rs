//! Files written beside a run.
//!
//! [`Recorder::observe`] copies a frame into a buffer when one is due and hands full buffers to a thread, which
//! compresses and writes (`writer.rs`). The queue between them is bounded: a run that is faster than the disk waits, and no
//! frame is lost. Buffers come back and are used again.
//!
//! What is recorded never changes the simulation: a frame is taken at the end of the first step at or after its time.
//!
//! | also here | |
//! |---|---|
//! | `html.rs` | the self-contained page |
//! | `mcap.rs` | MCAP for robotics log tools |
//! | `arrows.rs` | shapes and forces as their primitives |
//! | `schemas.rs` | their messages and schemas |

mod arrows;
mod html;
mod mcap;
mod schemas;
mod writer;

use crate::capture::Capture;
use crate::channels::{JointChoice, UserChannel, UserLog};
use crate::error::RecordError;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stiction::Simulation;
use writer::{Sink, Writer};

/// How a recording is made.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordOptions {
    /// Frames per simulated second.
    pub rate: f64,
    /// Joint positions among the channels.
    pub joints: JointChoice,
    /// The user's own channels.
    pub user: Vec<UserChannel>,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self { rate: 60.0, joints: JointChoice::default(), user: Vec::new() }
    }
}

/// A finished file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Where it is.
    pub path: PathBuf,
    /// Frames in it.
    pub frames: u64,
    /// Its size, bytes.
    pub bytes: u64,
}

/// Bytes of frames that are handed over at once.
const BATCH: usize = 64 * 1024;
/// Longest time that frames wait to be handed over while others come, of wall time.
const PATIENCE: Duration = Duration::from_millis(250);

/// Records a simulation to one or several files.
pub struct Recorder {
    capture: Capture,
    writer: Writer,
    rate: f64,
    /// Time from which frames are counted, s.
    start: f64,
    /// Number of the next frame.
    next: u64,
    /// Time of the last frame, s.
    last: f64,
    /// Frames not yet handed over.
    batch: Vec<u8>,
    batched: u64,
    handed_over: Instant,
}

impl Recorder {
    /// Creates the files and records the present state; a file's ending says its format, `.html` or `.mcap`. `name` is
    /// what the page calls the scene. Files that exist are replaced.
    pub fn create(
        simulation: &Simulation,
        name: &str,
        paths: &[impl AsRef<Path>],
        options: &RecordOptions,
    ) -> Result<Self, RecordError> {
        if !(options.rate > 0.0 && options.rate.is_finite()) {
            return Err(RecordError::Rate(options.rate));
        }
        let capture = Capture::new(simulation, &options.joints, &options.user)?;
        let mut scene = Vec::new();
        capture.scene(simulation, name, &mut scene);
        let mut sinks: Vec<Box<dyn Sink>> = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
            sinks.push(match extension.as_deref() {
                Some("html" | "htm") => Box::new(html::Html::create(path)?),
                Some("mcap") => Box::new(mcap::Mcap::create(path, simulation, name)?),
                _ => return Err(RecordError::Extension(path.to_owned())),
            });
        }
        let writer = Writer::start(sinks, scene);
        let time = simulation.state().time;
        let mut recorder = Self {
            capture,
            writer,
            rate: options.rate,
            start: time,
            next: 0,
            last: f64::NAN,
            batch: Vec::with_capacity(2 * BATCH),
            batched: 0,
            handed_over: Instant::now(),
        };
        recorder.observe(simulation)?;
        Ok(recorder)
    }

    /// Looks at the simulation after a step and takes a frame if one is due. After a jump back in time, as a reset makes,
    /// frames are counted from there.
    pub fn observe(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        let time = simulation.state().time;
        if time < self.last {
            (self.start, self.next) = (time, 0);
        }
        // Times are sums of steps: allow for their rounding.
        let passed = (time - self.start) * self.rate + 1e-6;
        if passed < self.next as f64 {
            return Ok(());
        }
        self.next = passed.floor() as u64 + 1;
        self.take(simulation)
    }

    /// Sets the numbers of the user's channels, from any thread.
    pub fn log(&self) -> UserLog {
        self.capture.log().clone()
    }

    /// Takes a last frame of `simulation`, unless it has this time already, and completes the files.
    pub fn finish(mut self, simulation: Option<&Simulation>) -> Result<Vec<Recorded>, RecordError> {
        if let Some(simulation) = simulation
            && simulation.state().time != self.last
        {
            self.take(simulation)?;
        }
        self.hand_over()?;
        self.writer.finish()
    }

    fn take(&mut self, simulation: &Simulation) -> Result<(), RecordError> {
        self.capture.frame(simulation, &mut self.batch)?;
        self.batched += 1;
        self.last = simulation.state().time;
        if self.batch.len() >= BATCH || self.handed_over.elapsed() > PATIENCE {
            self.hand_over()?;
        }
        Ok(())
    }

    fn hand_over(&mut self) -> Result<(), RecordError> {
        if self.batched > 0 {
            let empty = self.writer.spare(2 * BATCH);
            let full = std::mem::replace(&mut self.batch, empty);
            let frames = std::mem::take(&mut self.batched);
            self.writer.send(full, frames)?;
        }
        self.handed_over = Instant::now();
        Ok(())
    }
}

impl Drop for Recorder {
    /// Completes the files as far as it goes; [`Recorder::finish`] tells whether that worked.
    fn drop(&mut self) {
        let _ = self.hand_over();
        let _ = self.writer.finish();
    }
}
