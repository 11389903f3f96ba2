//! The files that `Simulation.record` writes: pages and logs by one recorder, films each by its own.

use crate::errors::{FileError, InputError};
use crate::recording::record_error;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction_picture::{Film, FilmOptions, PictureError};
use stiction_viewer::{RecordError, RecordOptions, Recorder, UserLog};

/// What is recorded, and how.
pub struct Wanted {
    pub paths: Vec<PathBuf>,
    pub recording: RecordOptions,
    pub film: FilmOptions,
}

/// Files being written.
pub struct Files {
    recorder: Option<Recorder>,
    films: Vec<Film>,
    /// All of them, in the order in which they were given.
    paths: Vec<PathBuf>,
}

/// What ended the writing.
pub enum FilesError {
    Recorder(RecordError),
    Film(PictureError),
}

impl From<RecordError> for FilesError {
    fn from(error: RecordError) -> Self {
        Self::Recorder(error)
    }
}

impl From<PictureError> for FilesError {
    fn from(error: PictureError) -> Self {
        Self::Film(error)
    }
}

impl From<FilesError> for PyErr {
    fn from(error: FilesError) -> Self {
        match error {
            FilesError::Recorder(error) => record_error(error),
            FilesError::Film(error) => picture_error(&error),
        }
    }
}

/// Whether a file is a film, by its ending.
pub fn is_film(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    matches!(extension.as_deref(), Some("mp4" | "gif"))
}

pub fn picture_error(error: &PictureError) -> PyErr {
    let text = error.to_string();
    match error {
        PictureError::Write { .. } | PictureError::Encode(_) => FileError::new_err(text),
        _ => InputError::new_err(text),
    }
}

impl Files {
    /// Begins all files with the present state.
    pub fn create(simulation: &Simulation, name: &str, wanted: &Wanted) -> Result<Self, FilesError> {
        let (films, pages): (Vec<_>, Vec<_>) = wanted.paths.iter().cloned().partition(|path| is_film(path));
        let recorder = match pages.is_empty() {
            true => None,
            false => Some(Recorder::create(simulation, name, &pages, &wanted.recording)?),
        };
        let film = |path: &PathBuf| Film::create(simulation, path, &wanted.film);
        let films = films.iter().map(film).collect::<Result<_, _>>()?;
        Ok(Self { recorder, films, paths: wanted.paths.clone() })
    }

    /// What sets the user's channels, if there is a file that holds them.
    pub fn log(&self) -> Option<UserLog> {
        self.recorder.as_ref().map(Recorder::log)
    }

    /// Looks at the simulation after a step.
    pub fn observe(&mut self, simulation: &Simulation) -> Result<(), FilesError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(simulation)?;
        }
        Ok(self.films.iter_mut().try_for_each(|film| film.observe(simulation))?)
    }

    /// Completes all files, also when one of them fails.
    pub fn finish(self, simulation: Option<&Simulation>) -> Result<Vec<PathBuf>, FilesError> {
        let recorded = self.recorder.map(|recorder| recorder.finish(simulation)).transpose();
        let filmed: Vec<_> = self.films.into_iter().map(Film::finish).collect();
        recorded?;
        filmed.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(self.paths)
    }
}
