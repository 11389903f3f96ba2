//! `--checkpoint FILE`: the state on disk, from which an interrupted run resumes bit for bit.
//!
//! A checkpoint is replaced atomically: it is written to a temporary file, which is then renamed.

use crate::failure::Failure;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stiction::Simulation;

/// Time between two checkpoints: the most that a power cut loses.
const EVERY: Duration = Duration::from_secs(1);

/// The file and when it was last written.
pub struct Checkpoint {
    path: PathBuf,
    last: Instant,
}

impl Checkpoint {
    /// Resumes from the file if it exists; otherwise checks that it can be written.
    pub fn open(path: &Path, simulation: &mut Simulation) -> Result<Self, Failure> {
        let checkpoint = Self { path: path.to_owned(), last: Instant::now() };
        match std::fs::read(path) {
            Ok(bytes) => simulation.load_state(&bytes).map_err(|e| {
                let remedy = "give the scene and the options it was made with, or another --checkpoint";
                Failure::input(format!("{}: {e}; {remedy}", path.display()))
            })?,
            Err(e) if e.kind() == ErrorKind::NotFound => checkpoint.save(simulation)?,
            Err(e) => {
                let message = format!("cannot read {}: {e}; choose another --checkpoint", path.display());
                return Err(Failure::work(message));
            }
        }
        Ok(checkpoint)
    }

    /// Writes the state if the last checkpoint is old.
    pub fn keep(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        if self.last.elapsed() >= EVERY {
            self.save(simulation)?;
            self.last = Instant::now();
        }
        Ok(())
    }

    /// Writes the state.
    pub fn save(&self, simulation: &Simulation) -> Result<(), Failure> {
        let mut beside = self.path.clone().into_os_string();
        beside.push(".part");
        let write = || {
            let mut file = std::fs::File::create(&beside)?;
            file.write_all(&simulation.save_state())?;
            file.sync_data()?;
            std::fs::rename(&beside, &self.path)
        };
        write().map_err(|e: std::io::Error| {
            let kept = if self.path.exists() {
                "; the previous one is kept"
            } else {
                "; choose another --checkpoint"
            };
            Failure::work(format!("cannot write the checkpoint {}: {e}{kept}", self.path.display()))
        })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
