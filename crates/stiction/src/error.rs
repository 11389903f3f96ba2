//! Errors: invalid input, invalid options, and steps that fail.

use crate::state::State;
use stiction_formats::FormatError;
use stiction_model::{ModelError, Warning};
use stiction_multibody::MultibodyError;

/// A model that cannot be loaded or compiled.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read as a model.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The description cannot be simulated.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The bodies and joints do not form valid trees.
    #[error(transparent)]
    Multibody(#[from] MultibodyError),
    /// An unsupported feature, in strict mode.
    #[error("{0} (an error because reading is strict)")]
    Strict(Warning),
    /// A shape cannot be built.
    #[error("{place}: {reason}")]
    Shape {
        /// The geom and its source.
        place: String,
        /// The problem and its remedy.
        reason: String,
    },
    /// A name that is neither a built-in scene nor a file.
    #[error("no file and no built-in scene is called \"{name}\"; built-in scenes: {known}")]
    UnknownScene {
        /// The requested name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// An invalid variant of a model.
    #[error("this variant cannot be made: {0}")]
    Variation(String),
    /// Bytes that are not a saved model of this version.
    #[error("this model cannot be restored: {0}")]
    Archive(String),
}

/// An option out of its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OptionError {
    /// A number out of its range.
    #[error("{option} = {value} is not allowed: give {allowed}")]
    Range {
        /// Name of the option.
        option: &'static str,
        /// Its value.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// An unknown contact model.
    #[error("unknown contact model \"{0}\": choose lagged, similar or sap")]
    ContactModel(String),
    /// An unknown source of the contact stiffness.
    #[error("unknown contact_from \"{0}\": choose stiction or mujoco")]
    ContactFrom(String),
    /// An unknown method.
    #[error("unknown method \"{0}\": choose convex or continuous")]
    Method(String),
    /// An unknown integrator.
    #[error("unknown integrator \"{0}\": choose radau, dormand-prince or bogacki-shampine")]
    Integrator(String),
    /// An option that the method does not use.
    #[error("{0}")]
    Unused(String),
    /// An unsupported option of continuous time.
    #[error("continuous time: {0}")]
    Continuous(String),
    /// An unsupported option of a learned contact law.
    #[error("learned contact: {0}")]
    Learned(String),
    /// Tangential springs need the lagged normal impulse.
    #[error("tangential springs work with the lagged model only, not with {0}: choose contact = lagged")]
    SpringsNeedLagged(&'static str),
    /// A contact law needs the lagged model.
    #[error(
        "a contact law of its own works with the lagged model only, not with {0}: choose contact = lagged"
    )]
    LawNeedsLagged(&'static str),
    /// An invalid normal law, or one that conflicts with other options.
    #[error("normal law: {0}")]
    NormalLaw(String),
    /// An invalid contact law.
    #[error("contact law: {0}")]
    Law(String),
    /// A model that cannot be stepped with any options: one of its coordinates has no inertia or damping.
    #[error("this model cannot be stepped: {0}")]
    NoInertia(MultibodyError),
    /// More worlds than fit into memory.
    #[error("no room for {worlds} worlds, at least {bytes:.1e} bytes: make fewer worlds at a time")]
    Memory {
        /// Number of worlds.
        worlds: usize,
        /// What they need at least.
        bytes: f64,
    },
}

/// A vector, state or name that does not match the model or simulation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InputError {
    /// A vector of the wrong length.
    #[error("{what} has {given} numbers, this model needs {needed}")]
    Length {
        /// Name of the vector.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The length needed.
        needed: usize,
    },
    /// A number that is NaN or infinite.
    #[error("{what}[{index}] is {value}: give finite numbers")]
    NotFinite {
        /// Name of the vector.
        what: &'static str,
        /// The entry.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A time so large that a step does not change it.
    #[error(
        "at t = {time} s a step of {step} s does not change the time in double precision: set a smaller time, or take \
         longer steps"
    )]
    TimeStandsStill {
        /// The time, s.
        time: f64,
        /// The longest step, s.
        step: f64,
    },
    /// A tactile grid that cannot be made.
    #[error("this tactile grid cannot be made: {0}")]
    TactileGrid(String),
    /// An invalid controller or control component.
    #[error("control: {0}")]
    Control(String),
    /// A state saved by another version or from another model.
    #[error("this state cannot be loaded: {0}")]
    State(String),
    /// A model that is not a variant of the simulation's model.
    #[error("this simulation cannot use that model: {0}")]
    Variant(String),
    /// A name that the model does not have.
    #[error("the model has no {kind} called \"{name}\"{hint}; it has: {known}")]
    Name {
        /// Body, joint, keyframe…
        kind: &'static str,
        /// The requested name.
        name: String,
        /// Suggestion of the closest name, or empty.
        hint: String,
        /// Some of the names there are.
        known: String,
    },
    /// A bushing is rotated so far that its angles are undefined.
    #[error(
        "bushing \"{bushing}\" is pitched to within half a degree of a right angle, where roll and yaw are undefined: align \
         its frames so that they rest parallel, or make it stiffer"
    )]
    GimbalLock {
        /// Its name.
        bushing: String,
    },
    /// The mass matrix is singular at this configuration.
    #[error(
        "the mass matrix is singular at coordinate {dof} ({joint}): give the bodies below it mass or the joint armature"
    )]
    Singular {
        /// Velocity coordinate.
        dof: usize,
        /// Its joint.
        joint: String,
    },
}

/// A step that could not be completed. The simulation keeps the last valid state.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StepError {
    /// The state or its derivative stopped being finite.
    #[error(
        "the state stopped being finite at t = {time} s: {what}. The last finite state is kept; try a smaller step \
         or check the forces and masses of that body"
    )]
    NotFinite {
        /// Time at which the step began, s.
        time: f64,
        /// Body, joint or quantity first found not finite.
        what: String,
        /// The state the step began from.
        last_good: Box<State>,
    },
    /// Error control requires steps that are too short.
    #[error(
        "accuracy {accuracy} cannot be reached at t = {time} s: even a step of {step:.1e} s misses it (error {error:.1e}). \
         What was simulated is kept; ask for a larger accuracy, or soften what moves fastest there ({what})"
    )]
    Accuracy {
        /// Time at which the step began, s.
        time: f64,
        /// The requested accuracy.
        accuracy: f64,
        /// The shortest step tried, s.
        step: f64,
        /// Its error.
        error: f64,
        /// The joint with the largest error.
        what: String,
    },
    /// Two bodies without pressure fields touch in continuous time.
    #[error(
        "at t = {time} s {a} and {b} touch, and neither has a pressure field: continuous time has no contact between \
         rigid bodies. What was simulated is kept; make one of them compliant (compliant_hydroelastic), keep them apart, \
         or choose method = convex"
    )]
    RigidContact {
        /// When, s.
        time: f64,
        /// One of them.
        a: String,
        /// The other.
        b: String,
    },
    /// The mass matrix cannot be factored.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The step panicked.
    #[error(
        "a step at t = {time} s ended in an internal fault: its world cannot continue; create a new one and report it"
    )]
    Fault {
        /// Time at which the step began, s.
        time: f64,
    },
    /// A contact outside the scope of a learned law.
    #[error(
        "the learned contact law cannot continue at t = {time} s: {reason}. The last valid state is kept"
    )]
    Learned {
        /// Time, s.
        time: f64,
        /// Why.
        reason: String,
    },
    /// A controller failed.
    #[error(
        "controller {number} ({name}) failed at t = {time} s: {reason}. The state is that before the step"
    )]
    Controller {
        /// Its index, as returned by `Simulation::add_controller`.
        number: usize,
        /// Its name.
        name: String,
        /// Time of the sample, s.
        time: f64,
        /// Its error message.
        reason: String,
    },
}
