//! What a run writes while it goes on: a trajectory, a recording, a checkpoint.

use super::arguments::{OutputFile, RunArguments};
use crate::checkpoint::Checkpoint;
use crate::contact_rows::ContactRows;
use crate::failure::Failure;
use crate::outlet;
use crate::trajectory::{Sampling, Trajectory};
use std::path::PathBuf;
use stiction::{Simulation, TrajectoryHash};
use stiction_picture::{Film, PictureError, Renderer};
use stiction_viewer::{JointChoice, RecordError, Recorder};

/// The files that a run writes.
pub struct Outputs {
    sampling: Option<Sampling>,
    trajectory: Option<Trajectory>,
    contacts: Option<ContactRows>,
    recorder: Option<Recorder>,
    film: Option<Film>,
    pub checkpoint: Option<Checkpoint>,
    /// Hash of every step, for the report.
    pub hash: TrajectoryHash,
}

impl Outputs {
    /// Opens the checkpoint, from which the simulation resumes, and then the files.
    pub fn create(arguments: &RunArguments, simulation: &mut Simulation) -> Result<Self, Failure> {
        let hash = TrajectoryHash::default();
        let mut outputs = Self {
            sampling: None,
            trajectory: None,
            contacts: None,
            recorder: None,
            film: None,
            checkpoint: None,
            hash,
        };
        let begin = simulation.state().time;
        if let Some(path) = &arguments.checkpoint {
            outputs.checkpoint = Some(Checkpoint::open(path, arguments.resume_anyway, simulation)?);
        }
        let time = simulation.state().time;
        let mut name = arguments.read.name();
        if time != begin {
            eprintln!("resuming from t = {time} s");
            // The files of the interrupted run are kept.
            name += &format!("-from-{time:.3}");
        }
        if let Some(path) = &arguments.video {
            outlet::file(path, "--video")?;
            let mut options = arguments.film();
            let renderer = Renderer::new(simulation.model(), options.look);
            options.viewpoint = arguments.camera.viewpoint(&renderer, simulation)?;
            outputs.film = Some(Film::create(simulation, path, &options).map_err(film_failure)?);
        }
        let Some(directory) = &arguments.out else { return Ok(outputs) };
        outlet::folder(directory, "--out")?;
        let path = |ending: &str| directory.join(format!("{name}{ending}"));
        let files = |file: &OutputFile| match file {
            OutputFile::Csv => vec![path(".csv"), path("-contacts.csv")],
            OutputFile::Html => vec![path(".html")],
            OutputFile::Mcap => vec![path(".mcap")],
        };
        let wanted: Vec<OutputFile> = [OutputFile::Csv, OutputFile::Html, OutputFile::Mcap]
            .into_iter()
            .filter(|file| !arguments.skip.contains(file))
            .collect();
        // All files are tried before the first is overwritten, so that a failure keeps the results of an earlier run.
        wanted.iter().flat_map(files).try_for_each(|path| outlet::file(&path, "--out"))?;
        let recordings = wanted.iter().filter(|file| **file != OutputFile::Csv);
        let paths: Vec<PathBuf> = recordings.flat_map(files).collect();
        if !paths.is_empty() {
            let recorder = Recorder::create(simulation, &name, &paths, &arguments.recording());
            outputs.recorder = Some(recorder.map_err(record_failure)?);
        }
        if wanted.contains(&OutputFile::Csv) {
            let columns = arguments.columns();
            outputs.trajectory = Some(Trajectory::create(directory, &name, simulation.model(), columns)?);
            outputs.contacts = Some(ContactRows::create(directory, &name, simulation)?);
            let mut sampling = Sampling::new(begin, arguments.rate(), simulation.options());
            sampling.pass(time);
            outputs.sampling = Some(sampling);
            outputs.row(simulation)?;
        }
        Ok(outputs)
    }

    /// Records a step. Never changes the simulation: its steps are the same with and without outputs.
    pub fn observe(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(simulation).map_err(record_failure)?;
        }
        if let Some(film) = &mut self.film {
            film.observe(simulation).map_err(film_failure)?;
        }
        let due = self.sampling.as_mut().is_some_and(|sampling| sampling.pass(simulation.state().time));
        if due { self.row(simulation) } else { Ok(()) }
    }

    /// Writes the present state to the tables.
    fn row(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.record(simulation)?;
        }
        self.contacts.as_mut().map_or(Ok(()), |contacts| contacts.record(simulation))
    }

    /// Writes the last state of a complete run, unless it has a row already.
    pub fn last_row(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        match &self.sampling {
            Some(sampling) if !sampling.is_last(simulation.state().time) => self.row(simulation),
            _ => Ok(()),
        }
    }

    /// Completes the files and returns their paths. All are completed even if one fails.
    pub fn finish(self, simulation: &Simulation) -> Result<Vec<PathBuf>, Failure> {
        let saved = self.checkpoint.map(|checkpoint| checkpoint.save(simulation)).transpose();
        let trajectory = self.trajectory.map(Trajectory::finish).transpose();
        let contacts = self.contacts.map(ContactRows::finish).transpose();
        let recorded = self.recorder.map(|recorder| recorder.finish(Some(simulation))).transpose();
        let filmed = self.film.map(Film::finish).transpose();
        let recorded = recorded.map_err(record_failure)?.unwrap_or_default();
        saved?;
        let film = filmed.map_err(film_failure)?.map(|film| film.path);
        Ok(recorded
            .into_iter()
            .map(|file| file.path)
            .chain(trajectory?)
            .chain(contacts?)
            .chain(film)
            .collect())
    }
}

/// The named joints, or the default choice.
pub fn joint_choice(names: &[String]) -> JointChoice {
    if names.is_empty() { JointChoice::default() } else { JointChoice::Named(names.to_vec()) }
}

fn film_failure(error: PictureError) -> Failure {
    match error {
        PictureError::Write { .. } => Failure::work(format!("{error}; choose another --video")),
        PictureError::Encode(_) => Failure::work(error),
        _ => Failure::input(error),
    }
}

pub fn record_failure(error: RecordError) -> Failure {
    match error {
        RecordError::Rate(_) | RecordError::Joint { .. } => Failure::input(error),
        RecordError::Create { .. } => Failure::work(format!("{error}, with another --out")),
        _ => Failure::work(error),
    }
}
