//! Writing a world as MJCF or URDF: one flat file that other programs read.
//!
//! ```text
//! xml      a document as text            mjcf    MuJoCo's format: the tree
//! obj      meshes beside a URDF          links   what ties its parts: actuators, couplings, tendons, sensors
//!                                        urdf    the ROS format
//! ```
//!
//! What is written loads back to the same masses, poses, mass matrix and bias forces. What the format
//! cannot say is listed in [`Export::losses`], each with its effect; nothing is dropped in silence.

mod links;
mod mjcf;
mod obj;
mod sensors;
mod urdf;
mod xml;

use crate::Format;
use stiction_model::World;

/// A world in the words of another format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Export {
    /// The file.
    pub text: String,
    /// Properties that the format cannot express, and the effect of leaving them out.
    pub losses: Vec<String>,
    /// Files that belong beside it, by name.
    pub files: Vec<(String, Vec<u8>)>,
}

/// A world that a format has no words for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExportError(pub String);

/// Writes `world` as MJCF or URDF.
pub fn export(world: &World, format: Format) -> Result<Export, ExportError> {
    match format {
        Format::Mjcf => mjcf::write(world),
        Format::Urdf => urdf::write(world),
        _ => Err(ExportError("models are written as MJCF or URDF; choose one of them".into())),
    }
}

impl Export {
    /// Notes a loss, once.
    fn lose(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.losses.contains(&what) {
            self.losses.push(what);
        }
    }
}
