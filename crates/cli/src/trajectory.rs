//! The trajectory as CSV: time, positions, velocities, energy, contacts.
//!
//! A second thread formats the numbers, since that takes longer than a step.

use crate::contact_rows::cell;
use crate::failure::Failure;
use crate::run::Columns;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use stiction::model::JointKind;
use stiction::{Model, Options, Simulation};

/// Approximate size of a batch, in numbers.
const BATCH: usize = 4 * 1024;
/// Batches that may be queued.
const QUEUE: usize = 16;

/// A CSV file that is written during the simulation.
pub struct Trajectory {
    path: PathBuf,
    batch: Vec<f64>,
    queue: Option<SyncSender<Vec<f64>>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Trajectory {
    /// Creates `DIR/<name>.csv` with its header, in a folder that exists.
    pub fn create(directory: &Path, name: &str, model: &Model, columns: Columns) -> Result<Self, Failure> {
        let path = directory.join(format!("{name}.csv"));
        let [q, v] = match columns {
            Columns::Numbers => [numbered("q", model.nq()), numbered("v", model.nv())],
            Columns::Joints => named(model),
        };
        let rest = ["kinetic_energy", "potential_energy", "contacts", "iterations"].map(String::from);
        let header: Vec<String> = std::iter::once("time".to_string()).chain(q).chain(v).chain(rest).collect();
        let create = || {
            let mut file = File::create(&path)?;
            writeln!(file, "{}", header.join(","))?;
            Ok(file)
        };
        let file = create().map_err(|e: io::Error| {
            Failure::work(format!("cannot write {}: {e}; choose another --out", path.display()))
        })?;
        let (queue, batches) = sync_channel(QUEUE);
        let columns = header.len();
        let thread = std::thread::spawn(move || write(file, columns, &batches));
        Ok(Self { path, batch: Vec::new(), queue: Some(queue), thread: Some(thread) })
    }

    /// Appends the present state.
    pub fn record(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        let energy = simulation.energy();
        let (state, stats) = (simulation.state(), simulation.stats());
        self.batch.push(state.time);
        self.batch.extend_from_slice(&state.q);
        self.batch.extend_from_slice(&state.v);
        let counts = [stats.last_points as f64, stats.last_iterations as f64];
        self.batch.extend([energy.kinetic, energy.potential, counts[0], counts[1]]);
        if self.batch.len() >= BATCH { self.hand_over() } else { Ok(()) }
    }

    /// Completes the file and returns where it is.
    pub fn finish(mut self) -> Result<PathBuf, Failure> {
        self.hand_over()?;
        self.end()?;
        Ok(self.path.clone())
    }

    fn hand_over(&mut self) -> Result<(), Failure> {
        let batch = std::mem::take(&mut self.batch);
        let sent = self.queue.as_ref().map(|queue| queue.send(batch));
        if let Some(Err(_)) = sent { self.end() } else { Ok(()) }
    }

    /// Waits until everything is written.
    fn end(&mut self) -> Result<(), Failure> {
        self.queue = None;
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let outcome = thread.join().unwrap_or_else(|_| Err(io::Error::other("the writer stopped")));
        outcome.map_err(|e| {
            Failure::work(format!("cannot write {}: {e}; rows before this one are kept", self.path.display()))
        })
    }
}

impl Drop for Trajectory {
    /// Writes the rows so far; [`Trajectory::finish`] reports whether that worked.
    fn drop(&mut self) {
        let _ = self.hand_over();
        let _ = self.end();
    }
}

fn numbered(letter: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{letter}{i}")).collect()
}

/// Columns of positions and velocities, called by their joints.
fn named(model: &Model) -> [Vec<String>; 2] {
    let [mut q, mut v] = [numbered("q", model.nq()), numbered("v", model.nv())];
    for joint in model.multibody().joints() {
        let (positions, velocities): (&[&str], &[&str]) = match joint.kind {
            JointKind::Hinge { .. } | JointKind::Screw { .. } | JointKind::Slide { .. } => (&[""], &[""]),
            JointKind::Cylindrical { .. } => (&[".along", ".about"], &[".along", ".about"]),
            JointKind::Universal { .. } => (&[".first", ".second"], &[".first", ".second"]),
            JointKind::Planar { .. } => (&[".x", ".y", ".angle"], &[".x", ".y", ".angle"]),
            JointKind::Free => {
                (&[".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"], &[".x", ".y", ".z", ".wx", ".wy", ".wz"])
            }
            JointKind::Ball => (&[".qw", ".qx", ".qy", ".qz"], &[".wx", ".wy", ".wz"]),
        };
        let name = |part: &str, kind: &str| cell(&format!("{}{kind}{part}", joint.name), 0);
        for (i, part) in joint.q.clone().zip(positions) {
            q[i] = name(part, "");
        }
        for (i, part) in joint.v.clone().zip(velocities) {
            v[i] = name(part, ".velocity");
        }
    }
    [q, v]
}

/// Decides which ends of steps become rows: at most one per step. It never changes the steps.
pub struct Sampling {
    /// Time from which rows are counted, s.
    begin: f64,
    rate: f64,
    /// How long before a row's time a step may end to become that row, s.
    early: f64,
    /// Number of the next row. Not an integer: rates may be beyond what integers count.
    next: f64,
    /// Time of the last row, s.
    last: f64,
}

impl Sampling {
    /// `rate` rows per second from `begin` on. With steps of fixed length, a row is the end of the nearest step; under error
    /// control the end of the next step is not known, and a row is the first end at or after its time.
    pub fn new(begin: f64, rate: f64, options: &Options) -> Self {
        let early = if options.error_controlled() { 0.0 } else { 0.5 * options.step };
        Self { begin, rate, early, next: 0.0, last: f64::NAN }
    }

    /// Passes the end of a step; true if it becomes a row.
    pub fn pass(&mut self, time: f64) -> bool {
        // Times are sums of steps: allow for their rounding.
        let passed = (time - self.begin + self.early) * self.rate + 1e-6;
        let due = passed >= self.next;
        if due {
            self.next = passed.floor() + 1.0;
            self.last = time;
        }
        due
    }

    /// Whether this is the time of the last row.
    pub fn is_last(&self, time: f64) -> bool {
        time == self.last
    }
}

/// Writes rows with a number of columns; the last two are counts.
fn write(mut file: File, columns: usize, batches: &Receiver<Vec<f64>>) -> io::Result<()> {
    let mut text = String::new();
    for batch in batches {
        text.clear();
        for row in batch.chunks_exact(columns) {
            let (numbers, counts) = row.split_at(columns - 2);
            let _ = write!(text, "{:?}", numbers[0]);
            for x in &numbers[1..] {
                let _ = write!(text, ",{x:?}");
            }
            let _ = writeln!(text, ",{:.0},{:.0}", counts[0], counts[1]);
        }
        file.write_all(text.as_bytes())?;
    }
    Ok(())
}
