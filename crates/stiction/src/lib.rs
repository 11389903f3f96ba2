//! Stiction simulates robots that touch things.
//!
//! Load a [`Model`], make a [`Simulation`], step it:
//!
//! ```
//! use stiction::{Model, Options, Simulation};
//!
//! let model = Model::from_scene("double_pendulum")?;
//! let mut simulation = Simulation::new(&model, Options { step: 1e-3, ..Options::default() })?;
//! simulation.step(100)?;
//! assert!((simulation.state().time - 0.1).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | open | for |
//! |---|---|
//! | [`step`] | the whole simulator on one screen |
//! | [`model`](Model) | compiling a description; dynamics of a single state |
//! | [`Simulation`] | stepping, results, saving |
//! | [`batch`] | many worlds of one model on several threads |
//! | [`variation`], [`randomization`] | variants of a model: other gravity, masses, friction, sizes; drawn at random |
//! | [`state`] | what must be saved to go on |
//! | [`options`] | what can be chosen |
//! | [`material`] | contact properties and how two geoms' combine |
//! | [`contact`] | what touched, with which force |
//! | [`patches`] | contact patches: polygons, pressure, tractions |
//! | [`tactile`] | pressure and shear on a grid fixed to a body |
//! | [`learned`] | steps with a contact law learned from data |
//! | [`rigid`] | rigid contact at a state, and rigid motion from impact to impact |
//! | [`names`] | names that were nearly right |
//! | [`control`] | controllers at their own rates, what they read, and ready laws and trajectories for them |
//! | [`derivatives`] | derivatives of a step by state, controls and contact parameters |
//! | [`continuous`] | continuous time: tractions and integrators instead of convex steps |
//! | `accuracy` | steps by accuracy instead of length |
//! | `tendons`, `transmission`, `moments` | lengths along which forces act, and their moment arms |
//! | `sensors` | readings of a state and of the step before |
//! | `actuation`, `muscle` | what actuators make of controls and activations |
//! | `free_motion`, `assemble`, `rows` | from a state to the convex problem |
//!
//! Conventions: f64, SI units, z up; q and v laid out as MuJoCo's `qpos` and `qvel`; spatial vectors
//! `[angular; linear]`.

pub mod batch;
pub mod contact;
pub mod control;
pub mod derivatives;
pub mod error;
mod forces;
pub mod methods;
pub mod model;
pub mod options;
pub mod processor;
pub mod sensing;
pub mod simulation;
pub mod state;
pub mod step;

pub use batch::{Batch, BatchError};
pub use contact::ContactPatch;
pub use contact::result::Contact;
pub use control::{Controller, Sample, Sampled, Senses};
pub use derivatives::{ContactParameter, ContactProperty, DerivativeError, StepDerivatives};
pub use error::{InputError, LoadError, OptionError, StepError};
pub use methods::learned::LearnedReport;
pub use methods::learned::file::{LearnedContact, LearnedContactError, LearnedLaw};
pub use methods::rigid::{Flight, Touching};
pub use methods::{continuous, learned, rigid};
pub use model::{Energy, Model, material, names, randomization, scenes, variation};
pub use options::{
    Method, Options, TangentialSprings, contact_model_from_name, contact_model_name, method_from_names,
};
pub use sensing::tactile::{self, TactileGrid, TactileImage};
pub use simulation::Simulation;
pub use simulation::stats::{self, StageSeconds, Stats};
pub use simulation::trajectory_hash::TrajectoryHash;
pub use state::State;
pub use step::StepReport;
pub use step::profile::Profile;
pub use stiction_convex as convex;
pub use stiction_convex::ContactModel;
pub use stiction_dac as contact_law;
pub use stiction_formats::mesh as mesh_files;
pub use stiction_formats::{Export, ExportError, Format, FormatError, LoadOptions, export, support};
pub use stiction_geometry as geometry;
pub use stiction_geometry::patch::Tessellation;
pub use stiction_multibody as multibody;
pub use variation::{ContactChange, Variation};
