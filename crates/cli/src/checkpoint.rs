//! `--checkpoint FILE`: the state on disk, so that a run that was cut off goes on from there, bit for bit.
//!
//! A checkpoint is replaced whole or not at all: it is written beside and then renamed.

use crate::failure::Failure;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stiction::Simulation;

/// Work between two checkpoints: what a power cut costs at most.
const EVERY: Duration = Duration::from_secs(1);

/// The file and when it was last written.
pub struct Checkpoint {
    path: PathBuf,
    last: Instant,
}

impl Checkpoint {
    /// Goes on from the file if it is there, else makes sure that it can be written.
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
            let kept = if self.path.exists() { "; the one before is kept" } else { "; choose another place" };
            Failure::work(format!("cannot write the checkpoint {}: {e}{kept}", self.path.display()))
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
