//! Contact forces as CSV: one row for each pair of bodies in contact, at the times of the trajectory.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use stiction::Simulation;

const HEADER: &str = "time,body_a,body_b,points,patches,normal_force,fx,fy,fz,tx,ty,tz";

/// A CSV file with the contact forces of a run.
pub struct ContactRows {
    path: PathBuf,
    file: BufWriter<File>,
    /// Names of bodies as they stand in the file.
    bodies: Vec<String>,
}

impl ContactRows {
    /// Creates `DIR/<name>-contacts.csv` with its header, in a folder that exists.
    pub fn create(directory: &Path, name: &str, simulation: &Simulation) -> Result<Self, Failure> {
        let path = directory.join(format!("{name}-contacts.csv"));
        let bodies = simulation.model().world().bodies.iter().enumerate();
        let bodies = bodies.map(|(i, body)| cell(&body.name, i)).collect();
        let create = || {
            let mut file = BufWriter::new(File::create(&path)?);
            writeln!(file, "{HEADER}")?;
            Ok(file)
        };
        let file = create().map_err(|e| unwritten(&path, &e))?;
        Ok(Self { path, file, bodies })
    }

    /// Appends the contacts of the last step.
    pub fn record(&mut self, simulation: &Simulation) -> Result<(), Failure> {
        let time = simulation.state().time;
        for c in simulation.body_contacts() {
            let (a, b) = (&self.bodies[c.body_a], &self.bodies[c.body_b]);
            let (f, t) = (c.force, c.torque);
            writeln!(
                self.file,
                "{time:?},{a},{b},{},{},{:?},{:?},{:?},{:?},{:?},{:?},{:?}",
                c.points, c.patches, c.normal_force, f.x, f.y, f.z, t.x, t.y, t.z
            )
            .map_err(|e| unwritten(&self.path, &e))?;
        }
        Ok(())
    }

    /// Completes the file and returns where it is.
    pub fn finish(mut self) -> Result<PathBuf, Failure> {
        self.file.flush().map_err(|e| unwritten(&self.path, &e))?;
        Ok(self.path)
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Failure {
    Failure::work(format!("cannot write {}: {error}; choose another --out", path.display()))
}

/// A name as a cell: quoted where commas or quotes are in it, the number where it is empty.
pub fn cell(name: &str, number: usize) -> String {
    if name.is_empty() {
        return number.to_string();
    }
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn names_are_cells() {
        assert_eq!(cell("ball", 3), "ball");
        assert_eq!(cell("", 3), "3");
        assert_eq!(cell("a,\"b\"", 3), "\"a,\"\"b\"\"\"");
    }
}
