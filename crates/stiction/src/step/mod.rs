//! One step: five stages, each computed from the results of the earlier ones.
//!
//! ```text
//! kinematics   q, v                   → poses, twists, lengths            kinematics.rs
//! contacts     poses                  → contact points and patches        ../contact/query.rs
//! forces       all of these           → mass matrix, momentum, A          free_motion.rs, ../forces/
//! solve        A, entries, rows       → v⁺, impulses                      assemble.rs, solve.rs, stiction_convex
//! results      impulses, q ⊕ δt v⁺    → contact results, q⁺               results.rs
//! ```
//!
//! Each stage owns the buffers of its value and changes no other value, so a steady step allocates nothing. (The workspace of
//! the kinematics is also scratch for the dynamics of later stages.) `Stages` is these stages: `observe` fills the first two,
//! `solve` the next two, `accept` the last. The report times them as kinematics (forces included), proximity, assemble, solve
//! and advance. `fixed.rs` takes steps of one length, `error_control.rs` steps by accuracy. Continuous time, learned contact and
//! rigid motion ([`crate::methods`]) share the first two values and differ after them.
//!
//! | also here | |
//! |---|---|
//! | `impact.rs` | restitution at the beginning of a step |
//! | `late_friction.rs` | friction of contacts whose normal force comes or goes |
//! | `travel.rs` | contact points that travel over turning bodies |
//! | `energy_jump.rs` | energy that a step made without cause |
//! | `notes.rs` | what the step report tells of contacts |
//! | `sweep/` | bodies that would pass through each other |
//! | `first_touch.rs` | first touch under error control |
//! | `step_length.rs` | the next length, chosen by the error |
//! | `profile.rs` | times and operation counts in detail |
//! | `timer.rs` | the clock of the stages |

pub(crate) mod assemble;
pub(crate) mod energy_jump;
pub(crate) mod error_control;
pub(crate) mod first_touch;
pub(crate) mod fixed;
pub(crate) mod free_motion;
pub(crate) mod impact;
pub(crate) mod kinematics;
pub(crate) mod late_friction;
pub(crate) mod notes;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod results;
mod solve;
pub(crate) mod step_length;
pub(crate) mod sweep;
pub(crate) mod timer;
pub(crate) mod travel;

use crate::contact::file_softness::FileSoftness;
use crate::contact::query::ContactQuery;
use crate::error::{OptionError, StepError};
use crate::model::Model;
use crate::options::{ContactFrom, Method, Options};
use crate::state::State;
use assemble::{Assembly, Parts};
use first_touch::Ahead;
use free_motion::{FreeMotion, RUNAWAY};
use impact::Impact;
use kinematics::Kinematics;
use late_friction::LateFriction;
use notes::Notes;
use profile::Profile;
pub use report::StepReport;
use results::Results;
use solve::Passes;
use std::sync::Arc;
use stiction_convex::{FrictionModel, NormalLaw, ProblemError, Solver, SolverSettings};
use stiction_model::ContactCalibration;
use sweep::Sweep;
use timer::Timer;
use travel::Travel;

/// Settings of all steps.
#[derive(Clone)]
pub(crate) struct Settings {
    pub options: Options,
    /// The active calibrated contact, from the options or the model file.
    pub calibration: ContactCalibration,
    /// Present if contact points are as soft as MuJoCo makes them.
    pub softness: Option<Arc<FileSoftness>>,
}

impl Settings {
    pub fn new(model: &Model, options: Options) -> Result<Self, OptionError> {
        let options = options.mutated();
        options.check()?;
        check_inertia(model, &options)?;
        check_calibration(model, &options)?;
        let softness =
            (options.contact_from == ContactFrom::Mujoco).then(|| Arc::new(FileSoftness::new(model)));
        Ok(Self { calibration: calibration(model, &options), softness, options })
    }
}

/// The active calibrated contact, from the options or the model file. `None` for contact models other than Lagged.
pub(crate) fn calibration(model: &Model, options: &Options) -> ContactCalibration {
    if options.contact != FrictionModel::Lagged {
        return ContactCalibration::default();
    }
    options.law.or(model.world().options.contact_law).unwrap_or_default()
}

/// A calibrated contact, of the options or of the file, works with the linear normal law.
fn check_calibration(model: &Model, options: &Options) -> Result<(), OptionError> {
    if calibration(model, options) == ContactCalibration::default() {
        return Ok(());
    }
    let refuse = |what: &str| {
        Err(OptionError::Law(format!(
            "the model's calibrated contact {what}, or leave it out with Options::law = Some(Default::default())"
        )))
    };
    if options.normal_law != NormalLaw::Linear {
        return refuse("needs the linear normal law: choose normal_law = linear");
    }
    if options.contact_from == ContactFrom::Mujoco {
        return refuse("has a stiffness of its own: choose contact_from = stiction");
    }
    Ok(())
}

/// A model in which nothing resists some coordinate cannot be stepped: neither inertia nor, in convex steps, what is implicit
/// in them (joint damping and springs, unlimited servos).
fn check_inertia(model: &Model, options: &Options) -> Result<(), OptionError> {
    let Err(error) = model.multibody().check_inertia() else { return Ok(()) };
    let (compiled, state) = (model.compiled(), model.default_state());
    let (mut kinematics, mut free) = (Kinematics::new(compiled), FreeMotion::new(model));
    kinematics.at(compiled, &state);
    free.begin(model, &mut kinematics);
    let nothing = ContactQuery::new(compiled);
    let resisted = options.method == Method::Convex
        && free.gather(model, &state, &mut kinematics, nothing.touching(), options.step).is_ok();
    if resisted { Ok(()) } else { Err(OptionError::NoInertia(error)) }
}

/// The stages of a step, with the results of the last step.
pub(crate) struct Stages {
    pub kinematics: Kinematics,
    pub contacts: ContactQuery,
    pub free: FreeMotion,
    pub assembly: Assembly,
    pub solver: Solver,
    pub results: Results,
    pub travel: Travel,
    pub notes: Notes,
    late: LateFriction,
    impact: Impact,
    /// Speculative contacts.
    pub sweep: Sweep,
    /// Positions at the end of the step.
    pub q_next: Vec<f64>,
    /// Initial guess of a solve.
    start: Vec<f64>,
    /// Present if the stages are timed in detail.
    pub profile: Option<Box<Profile>>,
}

impl Stages {
    pub fn new(model: &Model, settings: &Settings) -> Self {
        let compiled = model.compiled();
        let mut this = Self {
            kinematics: Kinematics::new(compiled),
            contacts: ContactQuery::new(compiled),
            free: FreeMotion::new(model),
            assembly: Assembly::new(model),
            solver: Solver::default(),
            results: Results::default(),
            travel: Travel::new(model),
            notes: Notes::default(),
            late: LateFriction::default(),
            impact: Impact::new(),
            sweep: Sweep::new(model),
            q_next: model.default_q().to_vec(),
            start: Vec::new(),
            profile: None,
        };
        this.set_options(&settings.options);
        this
    }

    /// Passes the solver options to the solver.
    pub fn set_options(&mut self, options: &Options) {
        let settings = SolverSettings {
            relative_tolerance: options.solve_tolerance(),
            max_iterations: options.max_iterations,
            exact_hessian: options.exact_hessian,
            timings: self.profile.is_some(),
            ..SolverSettings::default()
        };
        self.solver.set(settings).expect("checked tolerances are allowed");
        self.sweep.soft = options.contact_from == ContactFrom::Mujoco;
    }

    /// Enables or disables profiling of the stages.
    pub fn set_profiling(&mut self, on: bool) {
        self.profile = on.then(Box::default);
        let settings = SolverSettings { timings: on, ..*self.solver.settings() };
        self.solver.set(settings).expect("tolerances in force are allowed");
    }

    /// Kinematics and contacts, which do not depend on the length of the step. Points of the pairs in `ahead` are
    /// detected at a larger distance.
    pub fn observe(
        &mut self,
        model: &Model,
        settings: &Settings,
        state: &State,
        ahead: &Ahead,
        report: &mut StepReport,
    ) {
        let Self { kinematics, contacts, free, results, impact, profile, .. } = self;
        results.clear(); // they belong to contacts that are found anew
        impact.moved = false;
        let mut timer = Timer::start(profile.as_deref_mut());
        kinematics.at(model.compiled(), state).drifts(model.compiled());
        free.begin(model, kinematics);
        timer.stage(&mut report.seconds.kinematics);
        timer.lap(|p| &mut p.kinematics);
        contacts.find(model, &settings.options, (kinematics, &state.stretches), ahead, &mut timer);
        timer.stage(&mut report.seconds.proximity);
    }

    /// Forces, assembly and solve of the step of length `dt` from the observed state. Stores v⁺ in the solver and q⁺
    /// = q₀ ⊕ δt v⁺ in `q_next` (`theory` section 1: quaternions along the tangent, then normalised).
    pub fn solve(
        &mut self,
        model: &Model,
        settings: &Settings,
        state: &State,
        dt: f64,
        guess: Option<&[f64]>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Self {
            kinematics,
            contacts,
            free,
            assembly,
            solver,
            travel,
            late,
            impact,
            sweep,
            q_next,
            start,
            profile,
            ..
        } = self;
        let mut timer = Timer::start(profile.as_deref_mut());
        if std::mem::take(&mut impact.moved) {
            // A solve from the same state met an impact.
            kinematics.at(model.compiled(), state).drifts(model.compiled());
            free.begin(model, kinematics);
        }
        free.gather(model, state, kinematics, contacts.touching(), dt)?;
        timer.stage(&mut report.seconds.kinematics);
        timer.lap(|p| &mut p.free_motion);

        let fail = |error: ProblemError| not_finite(model, kinematics, free, dt, state, &error);
        assembly.build(&parts(model, settings, state, kinematics, contacts, free, dt)).map_err(fail)?;
        let bounced =
            impact.apply(model.compiled(), kinematics, free, assembly, state, report).map_err(fail)?;
        if bounced {
            kinematics.at(model.compiled(), &impact.state).drifts(model.compiled());
            free.begin(model, kinematics);
            free.gather(model, &impact.state, kinematics, contacts.touching(), dt)?;
        }
        let fail = |error: ProblemError| not_finite(model, kinematics, free, dt, state, &error);
        let from = if bounced { &impact.state } else { state };
        let parts = parts(model, settings, from, kinematics, contacts, free, dt);
        if bounced {
            assembly.build(&parts).map_err(fail)?;
            impact.rest(assembly);
        }
        timer.stage(&mut report.seconds.assemble);
        timer.lap(|p| &mut p.assemble);

        start.clear();
        start.extend_from_slice(guess.unwrap_or(&kinematics.v));
        sweep.clear();
        travel.clear();
        let mut passes = Passes { parts, state, assembly, solver, start, q_next, report, timer };
        for pass in 0..=sweep::PASSES {
            passes.solve(late).map_err(fail)?;
            if pass == 0 {
                passes.follow_travel(travel).map_err(fail)?;
            }
            passes.check_finite()?;
            if passes.examine_motion(sweep, pass).map_err(fail)? {
                break;
            }
        }
        Ok(())
    }

    /// Applies the solved step to the state and writes its results.
    pub fn accept(
        &mut self,
        model: &Model,
        settings: &Settings,
        state: &mut State,
        dt: f64,
        report: &mut StepReport,
    ) {
        let Self {
            kinematics,
            contacts,
            free,
            assembly,
            solver,
            results,
            impact,
            q_next,
            sweep,
            notes,
            profile,
            ..
        } = self;
        let mut timer = Timer::start(profile.as_deref_mut());
        if stiction_base::mutation::is("drift") {
            for (q, past) in q_next.iter_mut().zip(&state.q) {
                *q += 0.03 * (*q - past);
            }
        }
        if impact.impulses.is_empty() {
            let parts = parts(model, settings, state, kinematics, contacts, free, dt);
            report.created = energy_jump::created(&parts, assembly, solver.velocities());
        }
        state.v.copy_from_slice(solver.velocities());
        let motion = (&state.q[..], &q_next[..], dt);
        sweep.go_straight(model, motion, (kinematics, free), solver, &mut state.v);
        sweep.keep_energy(model, kinematics, free, &mut state.v);
        state.q.copy_from_slice(q_next);
        model.compiled().drives.advance(&state.ctrl, &mut state.activation, dt);
        state.time += dt;
        let parts = parts(model, settings, state, kinematics, contacts, free, dt);
        results.write(&parts, assembly, impact, solver, report);
        notes.write(&parts, assembly, solver, sweep, report);
        report.take_equalities(&assembly.log.equality_errors);
        sweep.write(model.compiled(), assembly, solver, dt, &mut results.contacts, report);
        std::mem::swap(&mut state.stretches, &mut results.stretches);
        std::mem::swap(&mut state.springs, &mut results.springs);
        timer.stage(&mut report.seconds.advance);
        timer.lap(|p| &mut p.advance);
    }

    /// Clears the results of the last step.
    pub fn clear_results(&mut self) {
        self.results.clear();
        self.contacts.clear();
        self.sweep.clear();
        self.notes.clear();
        self.impact.clear();
    }
}

fn parts<'a>(
    model: &'a Model,
    settings: &'a Settings,
    state: &'a State,
    kinematics: &'a Kinematics,
    contacts: &'a ContactQuery,
    free: &'a FreeMotion,
    dt: f64,
) -> Parts<'a> {
    let Settings { options, calibration, softness } = settings;
    let softness = softness.as_deref();
    Parts {
        model,
        options,
        calibration,
        softness,
        state,
        kinematics,
        touching: contacts.touching(),
        free,
        dt,
    }
}

/// A problem is rejected only for non-finite numbers, because options and model were checked before. Such a number
/// is usually caused by a diverged joint, which the error names.
fn not_finite(
    model: &Model,
    kinematics: &Kinematics,
    free: &FreeMotion,
    dt: f64,
    state: &State,
    error: &dyn std::fmt::Display,
) -> StepError {
    let v0 = &kinematics.v;
    let bad = free.impulse.iter().position(|p| !p.is_finite());
    let fastest = (0..v0.len()).max_by(|a, b| v0[*a].abs().total_cmp(&v0[*b].abs()));
    let runaway = fastest.filter(|dof| v0[*dof].abs() * dt > RUNAWAY);
    let what = match (runaway, bad) {
        (Some(dof), _) => {
            let (joint, speed) = (model.joint_of(dof), v0[dof].abs());
            format!("joint \"{joint}\" had reached {speed:.1e} m/s or rad/s, too fast for its step")
        }
        (None, Some(dof)) => format!("the force on joint \"{}\"", model.joint_of(dof)),
        (None, None) => error.to_string(),
    };
    StepError::NotFinite { time: state.time, what, last_good: Box::new(state.clone()) }
}
