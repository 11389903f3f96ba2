//! Options of a simulation.

use crate::error::OptionError;
use crate::methods::continuous::{ContinuousOptions, TangentialCompliance};
use crate::methods::support::{MethodKind, refusal};
use crate::model::Model;
use stiction_convex::normal::table::ForceTable;
use stiction_convex::{FrictionModel as ContactModel, NormalLaw};
use stiction_geometry::patch::Tessellation;
use stiction_model::{ContactCalibration, World};

/// Reads a contact model's name as the command line and Python write it.
pub fn contact_model_from_name(name: &str) -> Result<ContactModel, OptionError> {
    match name {
        "lagged" => Ok(ContactModel::Lagged),
        "similar" => Ok(ContactModel::Similar),
        "sap" => Ok(ContactModel::Sap),
        _ => Err(OptionError::ContactModel(name.into())),
    }
}

/// The name of a contact model on the command line and in Python.
pub fn contact_model_name(model: ContactModel) -> &'static str {
    match model {
        ContactModel::Lagged => "lagged",
        ContactModel::Similar => "similar",
        ContactModel::Sap => "sap",
    }
}

/// The method of a name, `convex` or `continuous`, the latter with an integrator and with or without tangential springs.
pub fn method_from_names(method: &str, integrator: &str, springs: bool) -> Result<Method, OptionError> {
    let integrator = crate::methods::continuous::Integrator::from_name(integrator)?;
    match method {
        "convex" if integrator != Default::default() => {
            let name = integrator.name();
            Err(OptionError::Unused(format!(
                "integrator = {name}, which is for method = continuous: give both, or neither"
            )))
        }
        "convex" => Ok(Method::Convex),
        "continuous" => {
            use crate::methods::continuous::TractionFriction::{Cutoff, Springs};
            let friction = if springs { Springs(Default::default()) } else { Cutoff };
            Ok(Method::Continuous(ContinuousOptions { integrator, friction, ..Default::default() }))
        }
        _ => Err(OptionError::Method(method.into())),
    }
}

/// The normal law of a name, as the command line and Python write it: `linear`, `hertz`, `log-barrier:KAPPA` (J) or
/// `clamped-barrier:KAPPA,RANGE` (N/m, m).
pub fn normal_law_from_name(name: &str) -> Result<NormalLaw, OptionError> {
    let (kind, numbers) = name.split_once(':').unwrap_or((name, ""));
    let numbers: Option<Vec<f64>> =
        numbers.split(',').filter(|n| !n.is_empty()).map(|n| n.trim().parse().ok()).collect();
    let law = match (kind, numbers.as_deref()) {
        ("linear", Some([])) => NormalLaw::Linear,
        ("hertz", Some([])) => NormalLaw::Hertz,
        ("log-barrier", Some(&[kappa])) => NormalLaw::LogBarrier { kappa },
        ("clamped-barrier", Some(&[kappa, range])) => NormalLaw::ClampedBarrier { kappa, range },
        _ => {
            return Err(OptionError::NormalLaw(format!(
                "unknown normal law \"{name}\": choose linear, hertz, log-barrier:KAPPA, clamped-barrier:KAPPA,RANGE, or give \
                 a table of force against depth"
            )));
        }
    };
    law.check().map_err(|error| OptionError::NormalLaw(error.to_string()))?;
    Ok(law)
}

/// The name of a normal law, as [`normal_law_from_name`] reads it; none for a table.
pub fn normal_law_name(law: &NormalLaw) -> Option<String> {
    match law {
        NormalLaw::Linear => Some("linear".into()),
        NormalLaw::Hertz => Some("hertz".into()),
        NormalLaw::LogBarrier { kappa } => Some(format!("log-barrier:{kappa}")),
        NormalLaw::ClampedBarrier { kappa, range } => Some(format!("clamped-barrier:{kappa},{range}")),
        NormalLaw::Table(_) => None,
    }
}

/// A normal law as a table of force (N) against depth (m): linear between the points, with the last slope beyond the
/// last point. The first force must be 0, and the force must not decrease with depth. If a pair of geoms touches at
/// several points, the force is divided among them.
pub fn normal_law_from_table(points: &[(f64, f64)]) -> Result<NormalLaw, OptionError> {
    let table = ForceTable::new(points).map_err(|error| OptionError::NormalLaw(error.to_string()))?;
    Ok(NormalLaw::Table(std::sync::Arc::new(table)))
}

/// Springs that carry friction while a contact sticks, so it holds without creep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentialSprings {
    /// Of contact points: tangential over normal stiffness; Mindlin's value for like materials is 2(1−ν)/(2−ν) ≈ 0.8.
    pub stiffness_ratio: f64,
    /// Of contact points: damping over stiffness, s. `None` damps critically: 2/√(K w) with the stiffness K of the springs
    /// between two geoms and the inverse effective mass w of the point, so that a sticking body comes to rest without ringing.
    pub relaxation_time: Option<f64>,
    /// Of contact patches. It is that of continuous time, to which the steps converge.
    pub patches: TangentialCompliance,
}

impl Default for TangentialSprings {
    fn default() -> Self {
        Self { stiffness_ratio: 0.8, relaxation_time: None, patches: TangentialCompliance::default() }
    }
}

/// Whether friction is carried by tangential springs while it sticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Sticking {
    /// By the default springs where convex steps have them: with the Lagged model and the linear normal law. A calibrated
    /// contact has the springs that it was fitted with, and derivatives are of the step without springs.
    #[default]
    Auto,
    /// By regularised friction alone, as published: what sticks creeps.
    Damped,
    /// By these springs.
    Springs(TangentialSprings),
}

/// True for the default springs, false for none.
impl From<bool> for Sticking {
    fn from(springs: bool) -> Self {
        if springs { Self::Springs(TangentialSprings::default()) } else { Self::Damped }
    }
}

/// Time-stepping method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// One convex problem per step.
    #[default]
    Convex,
    /// Forces as functions of state, followed by an integrator with error control: see [`crate::methods::continuous`].
    Continuous(ContinuousOptions),
}

/// Value of [`Options::continuous`] for other methods.
static DEFAULT_CONTINUOUS: ContinuousOptions = ContinuousOptions {
    integrator: crate::methods::continuous::Integrator::Radau,
    friction: crate::methods::continuous::TractionFriction::Cutoff,
    adhesion: 0.0,
};

/// Where the stiffness of contact points comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactFrom {
    /// From the geoms in N/m, near-rigid if a geom has none.
    #[default]
    Stiction,
    /// From `solref`, `solimp` and the masses as MuJoCo computes it ([`stiction_model::softness`]), MuJoCo's defaults where the
    /// file has none. Its stiffness and damping hold for bodies at rest and in slow motion; the inertance that MuJoCo's
    /// contacts have besides is left out.
    Mujoco,
}

impl ContactFrom {
    /// Reads a name as the command line and Python write it.
    pub fn from_name(name: &str) -> Result<Self, OptionError> {
        match name {
            "stiction" => Ok(Self::Stiction),
            "mujoco" => Ok(Self::Mujoco),
            _ => Err(OptionError::ContactFrom(name.into())),
        }
    }

    /// Its name on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stiction => "stiction",
            Self::Mujoco => "mujoco",
        }
    }
}

/// Settings of a simulation, checked when it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Time-stepping method. The options of solves and contact models below apply to the convex method only.
    pub method: Method,
    /// Length of a step δt, s. If an accuracy is given, it is the first step tried.
    pub step: f64,
    /// Error allowed in a step's positions, m and rad; it determines the step length. `None` for steps of fixed
    /// length.
    pub accuracy: Option<f64>,
    /// Longest step under error control, s.
    pub max_step: f64,
    /// Contact model.
    pub contact: ContactModel,
    /// Where the stiffness of contact points comes from (Lagged only for that of MuJoCo).
    pub contact_from: ContactFrom,
    /// Calibrated contact law (Lagged only). `None` uses the law of the model file, or the plain law if the file has
    /// none.
    pub law: Option<ContactCalibration>,
    /// Force of a contact point against depth: linear by default, Hertz's, a barrier, or a table (Lagged and Similar only). The
    /// stiffness of the geoms is N/m for the linear law and N/m^1.5 for Hertz's; barriers and tables do not use it.
    /// Patches use their pressure field instead.
    pub normal_law: NormalLaw,
    /// Slip speed v_s below which contact counts as sticking, m/s.
    pub stiction_tolerance: f64,
    /// σ of ICF eq. 44; 0 turns the impact regularisation off.
    pub regularization: f64,
    /// Relative tolerance ε_r of the solve.
    pub relative_tolerance: f64,
    /// Distance within which contacts are kept before they touch, m. Geoms that touch keep all their points up to 10 µm, so
    /// that corners that rock stay in contact.
    pub margin: f64,
    /// Whether the motion of each step is examined for bodies that would pass through each other (convex method only). They
    /// get a contact where they meet, or are held back: see the documentation of contact.
    pub speculative: bool,
    /// Whether contacts are no stiffer than steps of this length can hold without adding energy (convex method only): see the
    /// documentation of contact. Without it, the models are as published.
    pub limit_stiffness: bool,
    /// Newton iterations allowed in a step.
    pub max_iterations: usize,
    /// Newton's method with the true Hessian, as published, instead of the primal–dual one (convex method only). The solution
    /// is the same; it takes more iterations.
    pub exact_hessian: bool,
    /// Solves that a step may repeat for contacts whose normal force comes or goes within it, so that their friction does not
    /// lag (Lagged only). 0 lets it lag by a step, as published. A calibrated contact has its own number instead.
    pub friction_passes: usize,
    /// Tangential springs of contact points and patches, which hold without creep (Lagged only).
    pub tangential_springs: Sticking,
    /// Conversion of the polygons of contact patches to faces.
    pub tessellation: Tessellation,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Convex,
            step: 1e-3,
            accuracy: None,
            max_step: 0.1,
            contact: ContactModel::Lagged,
            contact_from: ContactFrom::Stiction,
            law: None,
            normal_law: NormalLaw::Linear,
            stiction_tolerance: 1e-4,
            regularization: 1e-3,
            relative_tolerance: 1e-5,
            margin: 0.0,
            speculative: true,
            limit_stiffness: true,
            max_iterations: 2000,
            exact_hessian: false,
            friction_passes: 2,
            tangential_springs: Sticking::Auto,
            tessellation: Tessellation::Polygons,
        }
    }
}

impl Options {
    /// The defaults for a model: the step is that of its file ([`stiction_model::Options::step`]), or 1 ms if the file has none.
    pub fn for_model(model: &Model) -> Self {
        let default = Self::default();
        Self { step: model.world().options.step.unwrap_or(default.step), ..default }
    }

    /// The tangential springs of convex steps, unless a calibrated contact has its own.
    pub fn springs(&self) -> Option<TangentialSprings> {
        match self.tangential_springs {
            Sticking::Springs(springs) => Some(springs),
            Sticking::Damped => None,
            Sticking::Auto => {
                let convex = self.method == Method::Convex && self.contact == ContactModel::Lagged;
                (convex && self.normal_law == NormalLaw::Linear).then(TangentialSprings::default)
            }
        }
    }

    /// Whether the step length is controlled by an accuracy.
    pub fn error_controlled(&self) -> bool {
        self.accuracy.is_some() || matches!(self.method, Method::Continuous(_))
    }

    /// Largest stiffness δt² k of a contact in effective masses, times its load (how many times heavier than itself, divided
    /// by ten, the heaviest body is that its bodies touch, directly or through others).
    ///
    /// A body first met at a speed u is found up to u δt deep, where a spring of δt² k = K m holds up to K times its kinetic energy.
    /// Similar keeps K = 4π²: no contact oscillates faster than once a step. Lagged keeps 1e4. SAP has 4π² of its own.
    pub(crate) fn stiffness_limit(&self) -> f64 {
        use std::f64::consts::PI;
        match self.contact {
            _ if !self.limit_stiffness => f64::INFINITY,
            ContactModel::Similar => 4.0 * PI * PI,
            ContactModel::Lagged => 1e4,
            ContactModel::Sap => f64::INFINITY,
        }
    }

    /// The same of tangential springs. Sticking bodies are wedged by them, and what is wedged cannot leave an overlap in which a
    /// step has found it: its normal force then holds an energy that nothing has paid for. Springs that oscillate no faster than
    /// once a step yield further than such overlaps are deep.
    pub(crate) fn spring_limit(&self) -> f64 {
        use std::f64::consts::PI;
        if self.limit_stiffness { 4.0 * PI * PI } else { f64::INFINITY }
    }

    /// The name of the method on the command line and in Python.
    pub fn method_name(&self) -> &'static str {
        match self.method {
            Method::Convex => "convex",
            Method::Continuous(_) => "continuous",
        }
    }

    /// Settings of the continuous method; its defaults under another one.
    pub fn continuous(&self) -> &ContinuousOptions {
        match &self.method {
            Method::Continuous(options) => options,
            Method::Convex => &DEFAULT_CONTINUOUS,
        }
    }

    /// Relative tolerance of a solve: under error control it follows the accuracy (`theory` section 8).
    pub fn solve_tolerance(&self) -> f64 {
        match self.accuracy {
            Some(accuracy) => (1e-3 * accuracy).max(1e-8).min(self.relative_tolerance),
            None => self.relative_tolerance,
        }
    }

    /// An option that the method does not use is an error. (The features of a model are checked with it.)
    fn check_support(&self) -> Result<(), OptionError> {
        let (kind, error): (_, fn(String) -> OptionError) = match self.method {
            Method::Continuous(_) => (MethodKind::Continuous, OptionError::Continuous),
            Method::Convex if self.accuracy.is_some() => (MethodKind::ErrorControl, OptionError::Unused),
            Method::Convex => (MethodKind::Fixed, OptionError::Unused),
        };
        refusal(&World::new(""), self, kind).map_or(Ok(()), |reason| Err(error(reason)))
    }

    /// Nonlinear normal laws apply to contact points of the convex method. They have no linear stiffness.
    fn check_normal_law(&self) -> Result<(), OptionError> {
        let name = self.normal_law.name();
        let refuse = |why: &str| Err(OptionError::NormalLaw(format!("{name} {why}")));
        if self.normal_law == NormalLaw::Linear {
            return Ok(());
        }
        self.normal_law.check().map_err(|error| OptionError::NormalLaw(error.to_string()))?;
        if self.contact == ContactModel::Sap {
            return refuse(
                "does not work with contact = sap, which has its own law: choose lagged or similar",
            );
        }
        if matches!(self.tangential_springs, Sticking::Springs(_)) {
            return refuse("has no stiffness that tangential springs could follow: leave one of them out");
        }
        if self.law.is_some_and(|law| law != ContactCalibration::default()) {
            return refuse(
                "does not work with a calibrated contact, which has its own law: leave one of them out",
            );
        }
        let reach = match self.normal_law {
            NormalLaw::ClampedBarrier { range, .. } => range,
            NormalLaw::LogBarrier { .. } => f64::MIN_POSITIVE,
            _ => 0.0,
        };
        if self.margin < reach {
            return refuse(
                "acts before bodies touch: give a margin, for a clamped barrier at least its range",
            );
        }
        Ok(())
    }

    /// The same with the deliberate error that was chosen, if any: never in a release.
    pub(crate) fn mutated(mut self) -> Self {
        use stiction_base::mutation::is;
        let swap = |from: ContactModel| match from {
            _ if is("models-alike") => ContactModel::Lagged,
            ContactModel::Lagged if is("models-swapped") => ContactModel::Similar,
            other => other,
        };
        if self.springs().is_none() && self.law.is_none() {
            self.contact = swap(self.contact);
        }
        if is("regularization-off") {
            self.regularization =
                if self.contact == ContactModel::Sap { 100.0 * self.regularization } else { 0.0 };
        }
        if is("tolerance-loose") && !self.error_controlled() {
            self.stiction_tolerance *= 2.0;
            self.relative_tolerance = (1e3 * self.relative_tolerance).min(0.5);
        }
        if is("solver-cut") && !self.error_controlled() {
            self.max_iterations = 2;
        }
        if is("polygons-off") && self.tessellation == Tessellation::Polygons && !self.error_controlled() {
            self.tessellation = Tessellation::Fans;
        }
        let soft = |springs: &mut TangentialCompliance| {
            if is("shell-soft") {
                springs.stretch *= 4.0;
            }
            if is("shell-damping-off") {
                springs.relaxation_time *= 1e-3;
            }
        };
        if let Sticking::Springs(springs) = &mut self.tangential_springs {
            soft(&mut springs.patches);
        }
        if let Method::Continuous(continuous) = &mut self.method
            && let crate::methods::continuous::TractionFriction::Springs(springs) = &mut continuous.friction
        {
            soft(springs);
        }
        self
    }

    /// The stiffness of the file works with the Lagged model and its linear normal law.
    fn check_contact_from(&self) -> Result<(), OptionError> {
        if self.contact_from == ContactFrom::Stiction {
            return Ok(());
        }
        let refuse = |why: &str| Err(OptionError::Unused(format!("contact_from = mujoco {why}")));
        if self.contact != ContactModel::Lagged {
            return refuse("works with contact = lagged: choose that, or contact_from = stiction");
        }
        if self.normal_law != NormalLaw::Linear {
            return refuse("is a normal law of its own: leave out normal_law");
        }
        if self.law.is_some_and(|law| law != ContactCalibration::default()) {
            return refuse(
                "does not work with a calibrated contact, which has its own stiffness: leave one of them out",
            );
        }
        Ok(())
    }

    /// Checks every value; the error names the option, the value and what is allowed.
    pub fn check(&self) -> Result<(), OptionError> {
        let range = |option, value: f64, fine: bool, allowed| {
            if fine && value.is_finite() {
                Ok(())
            } else {
                Err(OptionError::Range { option, value, allowed })
            }
        };
        let positive = "a positive number";
        let not_negative = "zero or a positive number";
        range("step", self.step, self.step > 0.0, "a positive number of seconds")?;
        self.continuous().check()?;
        self.check_support()?;
        if self.error_controlled() {
            range("max_step", self.max_step, self.max_step > 0.0, "a positive number of seconds")?;
        }
        if let Some(accuracy) = self.accuracy {
            let fine = accuracy > 0.0 && accuracy <= 1.0;
            range("accuracy", accuracy, fine, "a positive number up to 1 (1e-3 is usual)")?;
        }
        if let Some(law) = &self.law {
            if self.contact != ContactModel::Lagged && *law != ContactCalibration::default() {
                return Err(OptionError::LawNeedsLagged(contact_model_name(self.contact)));
            }
            if let Some(problem) = law.problem() {
                return Err(OptionError::Law(problem));
            }
        }
        range("stiction_tolerance", self.stiction_tolerance, self.stiction_tolerance > 0.0, positive)?;
        let (least, allowed) = match self.contact {
            ContactModel::Sap => (f64::MIN_POSITIVE, "a positive number with contact = sap (1e-3 is usual)"),
            _ => (0.0, not_negative),
        };
        range("regularization", self.regularization, self.regularization >= least, allowed)?;
        range(
            "relative_tolerance",
            self.relative_tolerance,
            self.relative_tolerance > 0.0 && self.relative_tolerance < 1.0,
            "a number between 0 and 1",
        )?;
        range("margin", self.margin, self.margin >= 0.0, not_negative)?;
        self.check_normal_law()?;
        self.check_contact_from()?;
        range("max_iterations", self.max_iterations as f64, self.max_iterations > 0, "at least 1")?;
        if let Sticking::Springs(springs) = self.tangential_springs {
            range(
                "tangential stiffness ratio",
                springs.stiffness_ratio,
                springs.stiffness_ratio > 0.0,
                positive,
            )?;
            let tau = springs.relaxation_time.unwrap_or(0.0);
            range("tangential relaxation time", tau, tau >= 0.0, not_negative)?;
            springs.patches.check(true)?;
            if self.contact != ContactModel::Lagged {
                return Err(OptionError::SpringsNeedLagged(contact_model_name(self.contact)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sap_is_refused_without_regularization_before_the_first_step() {
        let options = Options { contact: ContactModel::Sap, regularization: 0.0, ..Options::default() };
        assert!(options.check().is_err_and(|error| error.to_string().contains("regularization = 0")));
        assert!(Options { contact: ContactModel::Lagged, ..options }.check().is_ok());
    }
}
