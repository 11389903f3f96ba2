//! Stiction simulates robots in contact.
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
//! | [`step`] | one step: its five stages, fixed steps, error control |
//! | [`contact`] | contact detection, entries of the convex problem, results |
//! | `forces` | all other forces: limits, actuators, tendons, equalities… one file each |
//! | [`methods`] | continuous time, learned contact, rigid motion, and the features supported by each method |
//! | [`model`] | compiling a description; materials, variants; dynamics of a single state |
//! | [`sensing`] | sensors, tactile grids |
//! | [`simulation`] | [`Simulation`]: stepping, results, saving |
//! | [`batch`] | many worlds of one model on several threads |
//! | [`control`] | controllers with their own rates, measurements, control laws and trajectories |
//! | [`derivatives`] | derivatives of a step by state, controls and contact parameters |
//! | [`state`], [`options`], [`error`] | saved state, options, errors |
//! | [`flat`] | a model as flat arrays, for steps on a GPU |
//! | [`processor`] | whether the processor has the required instructions |
//!
//! Friction and the normal law of a contact, and the solver, are in `stiction_convex`.
//!
//! Conventions: f64, SI units, z up; q and v laid out as MuJoCo's `qpos` and `qvel`; spatial vectors
//! `[angular; linear]`.

pub mod batch;
pub mod contact;
pub mod control;
pub mod derivatives;
pub mod error;
pub mod flat;
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
pub use contact::{Contact, ContactPatch};
pub use control::{Controller, Sample, Sampled, Senses};
pub use derivatives::{ContactParameter, ContactProperty, DerivativeError, StepDerivatives};
pub use error::{InputError, LoadError, OptionError, StepError};
pub use methods::learned::LearnedReport;
pub use methods::learned::file::{LearnedContact, LearnedContactError, LearnedLaw};
pub use methods::rigid::{Flight, Touching};
pub use methods::{continuous, learned, rigid};
pub use model::{CollidingGeomId, Energy, GeomId, Model, material, names, randomization, scenes, variation};
pub use options::{
    ContactFrom, Method, Options, Sticking, TangentialSprings, contact_model_from_name, contact_model_name,
    method_from_names, normal_law_from_name, normal_law_from_table, normal_law_name,
};
pub use sensing::tactile::{self, TactileGrid, TactileImage};
pub use simulation::stats::{self, StageSeconds, Stats};
pub use simulation::trajectory_hash::TrajectoryHash;
pub use simulation::{BodyContact, Simulation};
pub use state::State;
pub use step::StepReport;
pub use step::profile::Profile;
pub use stiction_convex::FrictionModel as ContactModel;
pub use stiction_formats::{Base, Composition, MeshObject, Placement, files, is_mesh};
pub use stiction_formats::{Export, ExportError, Format, FormatError, LoadOptions, export, support};
pub use stiction_geometry::patch::Tessellation;
pub use variation::{ActuatorChange, ActuatorLaw, ContactChange, JointChange, Variation};

/// The convex problem of a step and its solver, for studies of conditioning or of other solvers.
pub mod convex {
    pub use stiction_convex::processor::{block_rate, peak_rate};
    pub use stiction_convex::{
        Criterion, Flops, NormalLaw, Problem, RowCompliance, RowLaw, SolveReport, Solver, SolverSeconds,
        SolverSettings,
    };
}

/// Algorithms on trees of rigid bodies.
pub mod multibody {
    pub use stiction_multibody::{
        Factor, JointInfo, MassMatrix, Multibody, MultibodyError, QuaternionStep, Tree, Workspace,
    };
}

/// Shapes, and solids with pressure fields made from surfaces.
pub mod geometry {
    pub use stiction_geometry::{ConvexHull, GeometryError, Shape};

    /// Pressure fields.
    pub mod field {
        pub use stiction_geometry::field::{
            Boundary, Core, FieldKind, FieldOptions, Normalization, Region, Stiffening,
        };

        /// Layers with a closed form.
        pub mod halfspace {
            pub use stiction_geometry::field::halfspace::slab;
        }
    }

    /// Tetrahedra inside surfaces.
    pub mod mesher {
        pub use stiction_geometry::mesher::MesherOptions;
    }

    /// Tetrahedra with a pressure field.
    pub mod solid {
        pub use stiction_geometry::solid::{FillOptions, FillReport, Filled, Solid, fill};
    }

    /// Closed surfaces of triangles.
    pub mod surface {
        pub use stiction_geometry::surface::ClosedSurface;

        /// Surfaces of simple shapes.
        pub mod shapes {
            pub use stiction_geometry::surface::shapes::{Triangles, extrude};
        }
    }
}

/// The data-augmented contact law.
pub mod contact_law {
    pub use stiction_dac::{Class, DacLaw, Outside};
}

/// Mesh files.
pub mod mesh_files {
    pub use stiction_formats::mesh::{read, write_vtk};
}
