//! Films of a run: MP4 with H.264, which every player and slide takes, or GIF.
//!
//! A film has a constant rate of pictures. A picture shows the end of the first step at or after its time; it is repeated
//! where steps are longer than it stays. The file appears when the film is finished: until then it is written beside its
//! place, as `FILE.part`.
//!
//! | also here | |
//! |---|---|
//! | `h264.rs` | pictures in H.264 |
//! | `mp4.rs` | the file around them |
//! | `gif.rs` | GIF |

mod gif;
mod h264;
mod mp4;

use crate::camera::Viewpoint;
use crate::error::PictureError;
use crate::picture::{Look, Picture, Renderer};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use stiction::Simulation;

/// How a film is made.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmOptions {
    /// Width, pixels; even for MP4.
    pub width: usize,
    /// Height, pixels; even for MP4.
    pub height: usize,
    /// Pictures per simulated second, which is also how fast the film plays.
    pub rate: f64,
    /// Where to look from.
    pub viewpoint: Viewpoint,
    /// What is drawn.
    pub look: Look,
}

impl Default for FilmOptions {
    fn default() -> Self {
        Self { width: 1280, height: 720, rate: 30.0, viewpoint: Viewpoint::Fitted, look: Look::default() }
    }
}

/// A finished film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filmed {
    /// Where it is.
    pub path: PathBuf,
    /// Pictures in it.
    pub frames: u64,
    /// Its size, bytes.
    pub bytes: u64,
}

/// What puts pictures into a file.
trait Encoder: Send {
    /// Adds a picture that is shown for this long, s.
    fn add(&mut self, picture: &Picture, seconds: f64) -> Result<(), Failure>;
    /// Completes the file.
    fn finish(self: Box<Self>) -> Result<(), Failure>;
}

/// Why a picture was not taken into a file.
enum Failure {
    Write(std::io::Error),
    Encode(String),
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Write(error)
    }
}

/// Films a simulation.
pub struct Film {
    renderer: Renderer,
    options: FilmOptions,
    encoder: Box<dyn Encoder>,
    path: PathBuf,
    part: PathBuf,
    /// Time of the first picture, s, and the number of pictures so far.
    start: f64,
    frames: u64,
    /// The last picture: it is repeated until the next one is due.
    last: Picture,
    finished: bool,
}

impl Film {
    /// Begins a film with the present state. The ending of the file says its format, `.mp4` or `.gif`.
    pub fn create(simulation: &Simulation, path: &Path, options: &FilmOptions) -> Result<Self, PictureError> {
        if !(1.0..=240.0).contains(&options.rate) {
            return Err(PictureError::Rate(options.rate));
        }
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let is_mp4 = match extension.as_deref() {
            Some("mp4") => true,
            Some("gif") => false,
            _ => return Err(PictureError::Extension(path.to_owned())),
        };
        if is_mp4 && (!options.width.is_multiple_of(2) || !options.height.is_multiple_of(2)) {
            return Err(PictureError::Odd { width: options.width, height: options.height });
        }
        let mut renderer = Renderer::new(simulation.model(), options.look);
        let last = renderer.picture(simulation, &options.viewpoint, options.width, options.height)?;
        let part = PathBuf::from(format!("{}.part", path.display()));
        let failed = |source| PictureError::Write { path: part.clone(), source };
        let file = BufWriter::new(File::create(&part).map_err(failed)?);
        let made: Result<Box<dyn Encoder>, Failure> = match is_mp4 {
            true => h264::H264::new(file, options).map(|e| Box::new(e) as _),
            false => gif::Gif::new(file, options).map(|e| Box::new(e) as _),
        };
        let encoder = made.map_err(|failure| explain(failure, path))?;
        Ok(Self {
            renderer,
            options: options.clone(),
            encoder,
            path: path.to_owned(),
            part,
            start: simulation.state().time,
            frames: 0,
            last,
            finished: false,
        })
    }

    /// Looks at the simulation after a step and takes a picture if one is due.
    pub fn observe(&mut self, simulation: &Simulation) -> Result<(), PictureError> {
        // Times are sums of steps: allow for their rounding.
        let due = ((simulation.state().time - self.start) * self.options.rate + 1e-6).floor();
        if due < (self.frames + 1) as f64 {
            return Ok(());
        }
        while self.frames + 1 < due as u64 {
            self.add_last()?;
        }
        self.add_last()?;
        let FilmOptions { viewpoint, width, height, .. } = &self.options;
        self.last = self.renderer.picture(simulation, viewpoint, *width, *height)?;
        Ok(())
    }

    fn add_last(&mut self) -> Result<(), PictureError> {
        self.frames += 1;
        self.encoder.add(&self.last, 1.0 / self.options.rate).map_err(|f| explain(f, &self.path))
    }

    /// Adds the last picture, completes the file and moves it to its place.
    pub fn finish(mut self) -> Result<Filmed, PictureError> {
        self.add_last()?;
        let encoder = std::mem::replace(&mut self.encoder, Box::new(Finished));
        encoder.finish().map_err(|f| explain(f, &self.path))?;
        let failed = |source| PictureError::Write { path: self.path.clone(), source };
        std::fs::rename(&self.part, &self.path).map_err(failed)?;
        self.finished = true;
        let bytes = std::fs::metadata(&self.path).map_err(failed)?.len();
        Ok(Filmed { path: self.path.clone(), frames: self.frames, bytes })
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        if !self.finished {
            let _ = std::fs::remove_file(&self.part);
        }
    }
}

/// Stands where an encoder was.
struct Finished;

impl Encoder for Finished {
    fn add(&mut self, _: &Picture, _: f64) -> Result<(), Failure> {
        Err(Failure::Encode("the film is finished".into()))
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        Ok(())
    }
}

fn explain(failure: Failure, path: &Path) -> PictureError {
    match failure {
        Failure::Write(source) => PictureError::Write { path: path.to_owned(), source },
        Failure::Encode(what) => PictureError::Encode(what),
    }
}
