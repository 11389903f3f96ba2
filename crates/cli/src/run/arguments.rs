//! The arguments of `stiction run`, and the options that they make.

use super::outputs::joint_choice;
use crate::failure::Failure;
use crate::picture::{CameraArguments, Size};
use crate::scene::{ReadArguments, contact};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use stiction::contact_law::DacLaw;
use stiction::continuous::{ContinuousOptions, Integrator, TractionFriction};
use stiction::convex::NormalLaw;
use stiction::{
    ContactFrom, ContactModel, Method, Model, Options, Sticking, normal_law_from_name, normal_law_from_table,
};
use stiction_picture::{FilmOptions, Look, Marks};
use stiction_viewer::RecordOptions;

/// Arguments of `stiction run`.
#[derive(Args)]
pub struct RunArguments {
    #[command(flatten)]
    pub read: ReadArguments,
    /// Simulated time, s; with steps of fixed length, the run ends at the step nearest to it
    #[arg(long, default_value_t = 5.0, allow_hyphen_values = true)]
    pub time: f64,
    /// Length of a step, s [default: that of the file (0.002 for an MJCF file without one), or 0.001]
    #[arg(long, allow_hyphen_values = true)]
    step: Option<f64>,
    /// Error allowed in a step, m and rad: error control chooses the length of each step
    #[arg(long, allow_hyphen_values = true, conflicts_with = "step")]
    accuracy: Option<f64>,
    /// Time-stepping method
    #[arg(long, value_enum, default_value_t)]
    method: MethodName,
    /// Restitution of impacts, 0 to 1, of all geoms that have none in the file and are not compliant
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    pub restitution: Option<f64>,
    /// Integrator of --method continuous [default: radau]
    #[arg(long, value_enum)]
    integrator: Option<IntegratorName>,
    /// Contact model of --method convex: lagged, similar or sap; or a contact learned from data, as a file or a built-in
    /// name: cube, box, prism, box-2d, anisotropic or link [default: lagged]
    #[arg(long)]
    contact: Option<String>,
    /// Stiffness of contact points: stiction (that of the geoms in N/m, stiff if they have none) or mujoco (from solref, solimp and the
    /// masses, as MuJoCo computes it), of --method convex
    #[arg(long, value_name = "SOURCE", default_value = "stiction")]
    contact_from: String,
    /// Force of a contact point against depth, of --method convex: linear, hertz, log-barrier:KAPPA (J),
    /// clamped-barrier:KAPPA,RANGE (N/m, m; needs --margin), or a CSV file with rows of depth (m) and force (N)
    /// [default: linear]
    #[arg(long, value_name = "LAW")]
    normal_law: Option<String>,
    /// Slip speed below which a contact sticks, m/s
    #[arg(long, default_value_t = 1e-4, allow_hyphen_values = true)]
    stiction_tolerance: f64,
    /// Impact regularisation of --method convex; 0 turns it off [default: 0.001]
    #[arg(long, allow_hyphen_values = true)]
    regularization: Option<f64>,
    /// Relative tolerance of the solver, of --method convex [default: 0.00001]
    #[arg(long, allow_hyphen_values = true)]
    relative_tolerance: Option<f64>,
    /// Distance within which contacts are found before they touch, of --method convex, m [default: 0]
    #[arg(long, allow_hyphen_values = true)]
    margin: Option<f64>,
    /// Do not examine the motion of steps for bodies that would pass through each other, of --method convex
    #[arg(long)]
    no_speculative: bool,
    /// Hold sticking contact points and patches with tangential springs, so that they do not creep. Without a value: on. auto
    /// has them in convex steps with --contact lagged and the linear normal law
    #[arg(
        long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_value = "auto",
        default_missing_value = "on"
    )]
    tangential_springs: SpringsChoice,
    /// Solves that a step of --contact lagged may repeat where a normal force comes or goes within it, so that friction does
    /// not lag; 0 lets it lag by a step [default: 2]
    #[arg(long, value_name = "N")]
    friction_passes: Option<usize>,
    /// Hessian of Newton's method, of --method convex: that of the published method, exact, takes more iterations
    #[arg(long, value_name = "KIND", value_parser = ["primal-dual", "exact"])]
    hessian: Option<String>,
    /// Start from this keyframe, by name or number
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub keyframe: Option<String>,
    /// Record to DIR/<scene>.html (opens in a browser), .mcap (robotics log tools), .csv (trajectory) and, with it, -contacts.csv
    /// (forces between bodies)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Files of --out not to write, separated by commas
    #[arg(long, value_delimiter = ',', requires = "out")]
    pub skip: Vec<OutputFile>,
    /// Frames of the recording per simulated second, at most one per step [default: 60]; of --video, as many as it plays per
    /// second [default: 30]
    #[arg(long, allow_hyphen_values = true)]
    frame_rate: Option<f64>,
    /// Film the run without a screen: FILE.mp4 or FILE.gif
    #[arg(long, value_name = "FILE")]
    pub video: Option<PathBuf>,
    /// Width and height of the film, pixels [default: 1280x720]
    #[arg(long, value_name = "WIDTHxHEIGHT", requires = "video")]
    video_size: Option<Size>,
    /// Draw the forces of contacts in the film
    #[arg(long, requires = "video")]
    video_forces: bool,
    #[command(flatten)]
    pub camera: CameraArguments,
    /// Joints whose positions are plotted, separated by commas [default: all, unless there are too many]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "out")]
    pub joints: Vec<String>,
    /// Rows of the trajectory per simulated second, at most one per step. A row is the end of the step nearest to its time;
    /// with --accuracy or --method continuous, of the first step that ends at or after it [default: 100]
    #[arg(long, allow_hyphen_values = true, requires = "out")]
    rate: Option<f64>,
    /// Names of the columns of the trajectory: q0, q1, …, or those of the joints
    #[arg(long, value_enum, default_value_t, requires = "out")]
    columns: Columns,
    /// Save the state to FILE once per second of work; if FILE exists, resume from it. The files of --out then begin at the
    /// resumed time, which is added to their names
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Resume from a checkpoint that was saved by a run with other options
    #[arg(long, requires = "checkpoint")]
    pub resume_anyway: bool,
    /// Print JSON instead of a summary
    #[arg(long)]
    pub json: bool,
}

/// Whether friction has tangential springs.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum SpringsChoice {
    /// In convex steps with --contact lagged and the linear normal law
    #[default]
    Auto,
    /// With springs
    On,
    /// Without springs: what sticks creeps
    Off,
}

/// A time-stepping method.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// One convex problem per step
    #[default]
    Convex,
    /// Forces as functions of state, integrated to an accuracy; compliant geoms only
    Continuous,
}

/// An integrator of continuous time.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum IntegratorName {
    /// Implicit, order 5: for stiff contact
    #[default]
    Radau,
    /// Explicit, order 5(4): for soft or no contact at high accuracy
    DormandPrince,
    /// Explicit, order 3(2): for soft or no contact at low accuracy
    BogackiShampine,
}

impl From<IntegratorName> for Integrator {
    fn from(name: IntegratorName) -> Self {
        match name {
            IntegratorName::Radau => Self::Radau,
            IntegratorName::DormandPrince => Self::DormandPrince,
            IntegratorName::BogackiShampine => Self::BogackiShampine,
        }
    }
}

/// How the columns of the trajectory are called.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Columns {
    /// q0, q1, … and v0, v1, …
    #[default]
    Numbers,
    /// Names of joints, such as elbow and elbow.velocity, or ball.x, ball.qw and ball.velocity.wx
    Joints,
}

/// A file that `--out` writes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFile {
    Html,
    Mcap,
    Csv,
}

impl RunArguments {
    /// Rows of the trajectory per simulated second.
    pub fn rate(&self) -> f64 {
        self.rate.unwrap_or(100.0)
    }

    /// Names of the columns of the trajectory.
    pub fn columns(&self) -> Columns {
        self.columns
    }

    /// Options of the page and the log.
    pub fn recording(&self) -> RecordOptions {
        RecordOptions {
            rate: self.frame_rate.unwrap_or(60.0),
            joints: joint_choice(&self.joints),
            ..RecordOptions::default()
        }
    }

    /// Options of the film, without its camera.
    pub fn film(&self) -> FilmOptions {
        let Size { width, height } = self.video_size.unwrap_or(Size { width: 1280, height: 720 });
        let marks = Marks { forces: self.video_forces, ..Marks::default() };
        let look = Look { marks, ..Look::default() };
        FilmOptions { width, height, rate: self.frame_rate.unwrap_or(30.0), look, ..FilmOptions::default() }
    }

    /// Checks the arguments that need no model.
    pub fn check(&self) -> Result<(), Failure> {
        if !(self.time >= 0.0 && self.time.is_finite()) {
            let message = format!("--time {} is not allowed: give zero or more seconds", self.time);
            return Err(Failure::input(message));
        }
        for (option, rate) in [("--rate", self.rate()), ("--frame-rate", self.recording().rate)] {
            if !(rate > 0.0 && rate.is_finite()) {
                return Err(Failure::input(format!(
                    "{option} {rate} is not allowed: give a positive number"
                )));
            }
        }
        if self.frame_rate.is_some() && self.out.is_none() && self.video.is_none() {
            return Err(Failure::input(
                "--frame-rate is for --out and --video: give one of them, or leave it out",
            ));
        }
        if self.camera.given() && self.video.is_none() {
            return Err(Failure::input(
                "--camera, --azimuth, --elevation, --distance and --look-at are for --video: give it, or leave them out",
            ));
        }
        self.check_skipped()
    }

    /// Rejects options of files that are skipped.
    fn check_skipped(&self) -> Result<(), Failure> {
        let skipped = |file| self.skip.contains(&file);
        let no_recording = skipped(OutputFile::Html) && skipped(OutputFile::Mcap);
        for (option, given, gone, files) in [
            ("--rate", self.rate.is_some(), skipped(OutputFile::Csv), ".csv"),
            ("--columns", self.columns != Columns::Numbers, skipped(OutputFile::Csv), ".csv"),
            (
                "--frame-rate",
                self.frame_rate.is_some(),
                no_recording && self.video.is_none(),
                ".html and .mcap",
            ),
            ("--joints", !self.joints.is_empty(), no_recording, ".html and .mcap"),
        ] {
            if given && gone {
                let message = format!("{option} is for {files}, which --skip excludes: give one of the two");
                return Err(Failure::input(message));
            }
        }
        Ok(())
    }

    /// The requested method; an error if options of the other method are given.
    fn method(&self) -> Result<Method, Failure> {
        if self.method == MethodName::Convex {
            return match self.integrator {
                Some(_) => {
                    Err(Failure::input("--integrator is for --method continuous: give both, or neither"))
                }
                None => Ok(Method::Convex),
            };
        }
        for (option, given, instead) in [
            ("--step", self.step.is_some(), " (its steps follow --accuracy)"),
            ("--contact", self.contact.is_some(), " (continuous time has the materials of the file)"),
            ("--regularization", self.regularization.is_some(), ""),
            ("--relative-tolerance", self.relative_tolerance.is_some(), " (give --accuracy)"),
            ("--margin", self.margin.is_some(), ""),
            ("--normal-law", self.normal_law.is_some(), ""),
            ("--friction-passes", self.friction_passes.is_some(), ""),
            ("--hessian", self.hessian.is_some(), ""),
            ("--no-speculative", self.no_speculative, ""),
        ] {
            if given {
                return Err(Failure::input(format!(
                    "{option} is for --method convex: leave it out{instead}, or leave out --method continuous"
                )));
            }
        }
        let friction = match self.tangential_springs {
            SpringsChoice::On => TractionFriction::Springs(Default::default()),
            SpringsChoice::Auto | SpringsChoice::Off => TractionFriction::Cutoff,
        };
        let integrator = self.integrator.unwrap_or_default().into();
        Ok(Method::Continuous(ContinuousOptions { integrator, friction, ..Default::default() }))
    }

    /// Options of the simulation, and the data-augmented law if one was requested.
    pub fn options(&self, model: &Model) -> Result<(Options, Option<Arc<DacLaw>>), Failure> {
        let method = self.method()?;
        let (contact, law) = contact(self.contact.as_deref().unwrap_or("lagged"))?;
        let springs = match (self.tangential_springs, &method) {
            (SpringsChoice::Auto, _) | (_, Method::Continuous(_)) => Sticking::Auto,
            (choice, Method::Convex) => (choice == SpringsChoice::On).into(),
        };
        if self.friction_passes.is_some() && contact.contact != ContactModel::Lagged {
            return Err(Failure::input(
                "--friction-passes is for --contact lagged: the friction of the other models does not lag; leave it out",
            ));
        }
        let options = Options {
            method,
            step: self.step.or(model.world().options.step).unwrap_or(1e-3),
            accuracy: self.accuracy,
            stiction_tolerance: self.stiction_tolerance,
            regularization: self.regularization.unwrap_or(contact.regularization),
            relative_tolerance: self.relative_tolerance.unwrap_or(contact.relative_tolerance),
            margin: self.margin.unwrap_or(contact.margin),
            speculative: !self.no_speculative,
            tangential_springs: springs,
            friction_passes: self.friction_passes.unwrap_or(contact.friction_passes),
            exact_hessian: self.hessian.as_deref() == Some("exact"),
            contact_from: ContactFrom::from_name(&self.contact_from)
                .map_err(|e| Failure::input(format!("--contact-from: {e}")))?,
            normal_law: self.normal_law.as_deref().map_or(Ok(NormalLaw::Linear), normal_law)?,
            ..contact
        };
        // Such a run would end at its start, or far from the requested time.
        if !options.error_controlled() && self.time > 0.0 && options.step > self.time * (1.0 + 1e-9) {
            return Err(Failure::input(format!(
                "a step of {} s is longer than the whole run of {} s: give a shorter --step, or a longer --time",
                options.step, self.time
            )));
        }
        Ok((options, law))
    }
}

/// The normal law of a name, or of a table in a CSV file.
fn normal_law(name: &str) -> Result<NormalLaw, Failure> {
    let path = Path::new(name);
    if !(path.exists() || path.extension().is_some_and(|e| e == "csv")) {
        return normal_law_from_name(name).map_err(|e| Failure::input(format!("--normal-law: {e}")));
    }
    let refuse = |what: String| Failure::input(format!("--normal-law {name}: {what}"));
    let text = stiction_base::bounded_file::read_text(path).map_err(|e| refuse(e.to_string()))?;
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(k, line)| (k + 1, line.trim())) {
        let cells: Vec<Option<f64>> = line.split(',').map(|cell| cell.trim().parse().ok()).collect();
        match cells[..] {
            [Some(depth), Some(force)] => points.push((depth, force)),
            // A heading.
            [None, None] if points.is_empty() && number == 1 => {}
            _ if line.is_empty() => {}
            _ => return Err(refuse(format!("line {number}: give two numbers, depth in m and force in N"))),
        }
    }
    normal_law_from_table(&points).map_err(|e| refuse(e.to_string()))
}
