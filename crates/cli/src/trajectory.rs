//! The trajectory as CSV: time, positions, velocities, energy, contacts.

use crate::failure::Failure;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use stiction::{Model, Simulation};

/// A CSV file that is written as the simulation goes.
pub struct Trajectory {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Trajectory {
    /// Creates `DIR/<name>.csv` with its header, in a folder that exists.
    pub fn create(directory: &Path, name: &str, model: &Model) -> Result<Self, Failure> {
        let path = directory.join(format!("{name}.csv"));
        let file = File::create(&path).map_err(|e| {
            Failure::work(format!("cannot write {}: {e}; choose another --out", path.display()))
        })?;
        let mut trajectory = Self { path, file: BufWriter::new(file) };
        let q = (0..model.nq()).map(|i| format!("q{i}"));
        let v = (0..model.nv()).map(|i| format!("v{i}"));
        let rest = ["kinetic_energy", "potential_energy", "contacts", "iterations"].map(String::from);
        let header: Vec<String> = std::iter::once("time".to_string()).chain(q).chain(v).chain(rest).collect();
        trajectory.line(&header.join(","))?;
        Ok(trajectory)
    }

    /// Appends the present state.
    pub fn record(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        let energy = simulation.energy();
        let state = simulation.state();
        let mut row = format!("{:?}", state.time);
        for x in state.q.iter().chain(&state.v).chain([&energy.kinetic, &energy.potential]) {
            row.push_str(&format!(",{x:?}"));
        }
        let stats = simulation.stats();
        row.push_str(&format!(",{},{}", stats.last_points, stats.last_iterations));
        self.line(&row)
    }

    /// Flushes the file and returns where it is.
    pub fn finish(mut self) -> Result<PathBuf, Failure> {
        self.file.flush().map_err(|e| self.failed(&e))?;
        Ok(self.path)
    }

    fn line(&mut self, text: &str) -> Result<(), Failure> {
        writeln!(self.file, "{text}").map_err(|e| self.failed(&e))
    }

    fn failed(&self, error: &std::io::Error) -> Failure {
        Failure::work(format!("cannot write {}: {error}; rows before this one are kept", self.path.display()))
    }
}
