//! What a run writes while it goes on: a trajectory, a recording, a checkpoint.

use super::arguments::{OutputFile, RunArguments};
use crate::checkpoint::Checkpoint;
use crate::failure::Failure;
use crate::outlet;
use crate::trajectory::{Sampling, Trajectory};
use std::path::PathBuf;
use stiction::{Simulation, TrajectoryHash};
use stiction_picture::{Film, PictureError, Renderer};
use stiction_viewer::{JointChoice, RecordError, Recorder};

/// The files that a run writes.
pub struct Outputs {
    trajectory: Option<(Trajectory, Sampling)>,
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
        let mut outputs = Self { trajectory: None, recorder: None, film: None, checkpoint: None, hash };
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
        let path = |extension: &str| directory.join(format!("{name}.{extension}"));
        let wanted: Vec<(OutputFile, PathBuf)> =
            [(OutputFile::Csv, "csv"), (OutputFile::Html, "html"), (OutputFile::Mcap, "mcap")]
                .into_iter()
                .filter(|(file, _)| !arguments.skip.contains(file))
                .map(|(file, extension)| (file, path(extension)))
                .collect();
        // All files are tried before the first is overwritten, so that a failure keeps the results of an earlier run.
        wanted.iter().try_for_each(|(_, path)| outlet::file(path, "--out"))?;
        let (tables, recordings): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|(file, _)| *file == OutputFile::Csv);
        if !recordings.is_empty() {
            let paths: Vec<PathBuf> = recordings.into_iter().map(|(_, path)| path).collect();
            let recorder = Recorder::create(simulation, &name, &paths, &arguments.recording());
            outputs.recorder = Some(recorder.map_err(record_failure)?);
        }
        if !tables.is_empty() {
            let mut trajectory = Trajectory::create(directory, &name, simulation.model())?;
            let mut sampling = Sampling::new(begin, arguments.rate(), simulation.options());
            sampling.pass(time);
            trajectory.record(simulation)?;
            outputs.trajectory = Some((trajectory, sampling));
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
        if let Some((trajectory, sampling)) = &mut self.trajectory
            && sampling.pass(simulation.state().time)
        {
            trajectory.record(simulation)?;
        }
        Ok(())
    }

    /// Writes the last state of a complete run, unless it has a row already.
    pub fn last_row(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        match &mut self.trajectory {
            Some((trajectory, sampling)) if !sampling.is_last(simulation.state().time) => {
                trajectory.record(simulation)
            }
            _ => Ok(()),
        }
    }

    /// Completes the files and returns their paths. All are completed even if one fails.
    pub fn finish(self, simulation: &Simulation) -> Result<Vec<PathBuf>, Failure> {
        let saved = self.checkpoint.map(|checkpoint| checkpoint.save(simulation)).transpose();
        let trajectory = self.trajectory.map(|(trajectory, _)| trajectory.finish()).transpose();
        let recorded = self.recorder.map(|recorder| recorder.finish(Some(simulation))).transpose();
        let filmed = self.film.map(Film::finish).transpose();
        let recorded = recorded.map_err(record_failure)?.unwrap_or_default();
        saved?;
        let film = filmed.map_err(film_failure)?.map(|film| film.path);
        Ok(recorded.into_iter().map(|file| file.path).chain(trajectory?).chain(film).collect())
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
