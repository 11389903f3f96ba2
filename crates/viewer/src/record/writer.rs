//! The thread that compresses and writes.

use super::Recorded;
use crate::error::RecordError;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Buffers that may wait to be written.
const QUEUE: usize = 16;
/// How often what was recorded reaches the disk.
pub(super) const FLUSH: Duration = Duration::from_secs(1);

/// A file being written, on the thread.
pub(super) trait Sink: Send {
    /// Takes the scene and its buffers, and sees to it that they are in the file.
    fn scene(&mut self, chunks: &[u8]) -> Result<(), RecordError>;
    /// Takes frames.
    fn frames(&mut self, chunks: &[u8], count: u64) -> Result<(), RecordError>;
    /// Makes what was taken readable in the file.
    fn flush(&mut self) -> Result<(), RecordError>;
    /// Completes the file.
    fn finish(&mut self) -> Result<Recorded, RecordError>;
    /// Where it is.
    fn path(&self) -> PathBuf;
}

struct Batch {
    chunks: Vec<u8>,
    frames: u64,
}

/// Where the simulation hands over what it recorded.
pub(super) struct Writer {
    queue: Option<SyncSender<Batch>>,
    spare: Receiver<Vec<u8>>,
    error: Arc<Mutex<Option<RecordError>>>,
    thread: Option<JoinHandle<Vec<Recorded>>>,
    path: PathBuf,
}

impl Writer {
    pub fn start(sinks: Vec<Box<dyn Sink>>, scene: Vec<u8>) -> Self {
        let (queue, batches) = sync_channel(QUEUE);
        let (give_back, spare) = channel();
        let error = Arc::new(Mutex::new(None));
        let path = sinks.first().map_or_else(PathBuf::new, |s| s.path());
        let slot = error.clone();
        let work = move || match write(sinks, &scene, &batches, &give_back) {
            Ok(files) => files,
            Err(error) => {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Vec::new()
            }
        };
        let builder = std::thread::Builder::new().name("stiction-recorder".into());
        let thread = builder.spawn(work).expect("the system can start a thread");
        Self { queue: Some(queue), spare, error, thread: Some(thread), path }
    }

    /// An empty buffer, a used one if there is one.
    pub fn spare(&mut self, capacity: usize) -> Vec<u8> {
        self.spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(capacity))
    }

    /// Hands over frames; waits while the queue is full.
    pub fn send(&mut self, chunks: Vec<u8>, frames: u64) -> Result<(), RecordError> {
        let sent = self.queue.as_ref().map(|queue| queue.send(Batch { chunks, frames }));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.finish().err().unwrap_or_else(|| RecordError::Ended(self.path.clone()))),
        }
    }

    /// Ends the thread and tells what it wrote.
    pub fn finish(&mut self) -> Result<Vec<Recorded>, RecordError> {
        self.queue = None;
        let Some(thread) = self.thread.take() else { return Err(RecordError::Ended(self.path.clone())) };
        let Ok(files) = thread.join() else { return Err(RecordError::Ended(self.path.clone())) };
        match self.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(files),
        }
    }
}

/// Writes until the sender is gone. On an error the other files are completed all the same.
fn write(
    mut sinks: Vec<Box<dyn Sink>>,
    scene: &[u8],
    batches: &Receiver<Batch>,
    give_back: &Sender<Vec<u8>>,
) -> Result<Vec<Recorded>, RecordError> {
    let outcome = take_all(&mut sinks, scene, batches, give_back);
    let mut files = Vec::new();
    let mut error = outcome.err();
    for sink in &mut sinks {
        match sink.finish() {
            Ok(file) => files.push(file),
            Err(e) => error = error.or(Some(e)),
        }
    }
    error.map_or(Ok(files), Err)
}

fn take_all(
    sinks: &mut [Box<dyn Sink>],
    scene: &[u8],
    batches: &Receiver<Batch>,
    give_back: &Sender<Vec<u8>>,
) -> Result<(), RecordError> {
    sinks.iter_mut().try_for_each(|sink| sink.scene(scene))?;
    let (mut flushed, mut waiting) = (Instant::now(), false);
    loop {
        // With nothing unwritten there is nothing to wake up for.
        let patience =
            if waiting { FLUSH.saturating_sub(flushed.elapsed()) } else { Duration::from_secs(3600) };
        match batches.recv_timeout(patience) {
            Ok(Batch { mut chunks, frames }) => {
                sinks.iter_mut().try_for_each(|sink| sink.frames(&chunks, frames))?;
                chunks.clear();
                let _ = give_back.send(chunks);
                waiting = true;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if waiting && flushed.elapsed() >= FLUSH {
            sinks.iter_mut().try_for_each(|sink| sink.flush())?;
            (flushed, waiting) = (Instant::now(), false);
        }
    }
}
