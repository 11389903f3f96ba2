//! What can go wrong with a picture or a film.

use std::path::PathBuf;
use thiserror::Error;

/// A picture or a film that cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The size cannot be drawn.
    #[error("a picture of {width} × {height} pixels is not possible: give 1 to {most} pixels for each side")]
    Size {
        /// Width, pixels.
        width: usize,
        /// Height, pixels.
        height: usize,
        /// The largest side, pixels.
        most: usize,
    },
    /// No camera of the model has this name.
    #[error("no camera \"{name}\" in the model; {known}")]
    UnknownCamera {
        /// The name.
        name: String,
        /// The cameras there are, in words.
        known: String,
    },
    /// A free camera that cannot see.
    #[error("camera: {0}")]
    Camera(String),
    /// The simulation is of another model.
    #[error("the simulation is of another model than the renderer: make a renderer of its model")]
    OtherModel,
    /// The ending of a film's file says no format.
    #[error("{}: the ending says no format of films: give .mp4 or .gif", .0.display())]
    Extension(PathBuf),
    /// Frames per second that no film has.
    #[error("{0} frames per second are not possible: give a number between 1 and 240")]
    Rate(f64),
    /// A side of a film in MP4 that is odd.
    #[error("films in MP4 have even sides: give {} × {} instead of {width} × {height}", width + width % 2, height + height % 2)]
    Odd {
        /// Width, pixels.
        width: usize,
        /// Height, pixels.
        height: usize,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The encoder of films failed.
    #[error("the film cannot be encoded: {0}")]
    Encode(String),
}
