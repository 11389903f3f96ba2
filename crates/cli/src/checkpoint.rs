//! `--checkpoint FILE`: the state on disk, from which an interrupted run resumes bit for bit.
//!
//! A checkpoint is replaced as a whole. It begins with the
//! hash of the options of the run; a run with other options does not resume from it unless `--resume-anyway` is given.

use crate::failure::Failure;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use stiction::Simulation;
use stiction_base::hash::fnv1a;
use stiction_base::{bounded_file, whole_file};

/// Time between two checkpoints: the most that a power cut loses.
const EVERY: Duration = Duration::from_secs(1);

/// How a checkpoint begins, with its version. The hash of the options follows, then the state with its checksum.
const MAGIC: [u8; 8] = *b"STICTCK1";

/// The hash of all options of a run, `--restitution` included; `{:?}` prints numbers so that they can be read back exactly.
fn options_hash(simulation: &Simulation) -> [u8; 8] {
    let mut options = format!("{:?}", simulation.options());
    for (index, geom) in simulation.model().world().geoms.iter().enumerate() {
        if let Some(restitution) = geom.contact.restitution {
            options += &format!("; geom {index} {restitution:?}");
        }
    }
    fnv1a(options.as_bytes()).to_le_bytes()
}

/// The file and when it was last written.
pub struct Checkpoint {
    path: PathBuf,
    last: Instant,
}

impl Checkpoint {
    /// Resumes from the file if it exists; otherwise checks that it can be written. `anyway` allows other options than
    /// those of the run that saved it.
    pub fn open(path: &Path, anyway: bool, simulation: &mut Simulation) -> Result<Self, Failure> {
        let checkpoint = Self { path: path.to_owned(), last: Instant::now() };
        match bounded_file::read(path) {
            Ok(bytes) => resume(&bytes, anyway, simulation).map_err(|e| {
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
        let content = [&MAGIC[..], &options_hash(simulation), &simulation.save_state()].concat();
        whole_file::write(&self.path, &content).map_err(|e| {
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

/// Loads the state of a checkpoint.
fn resume(bytes: &[u8], anyway: bool, simulation: &mut Simulation) -> Result<(), String> {
    let (head, state) = bytes.split_at_checked(16).ok_or("it is shorter than a header; it is cut off")?;
    if head[..8] != MAGIC {
        return Err("it does not begin like a checkpoint of this version".into());
    }
    // The state first: its checksum tells damage from other options.
    let before = simulation.state().clone();
    simulation.load_state(state).map_err(|e| e.to_string())?;
    if head[8..] != options_hash(simulation) && !anyway {
        *simulation.state_mut() = before;
        return Err("it was saved by a run with other options (--resume-anyway resumes all the same)".into());
    }
    Ok(())
}
