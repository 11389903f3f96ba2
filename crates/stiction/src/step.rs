//! The way of one step.
//!
//! ```text
//! kinematics   q, v            → poses, twists, mass matrix, free velocities v*
//! proximity    poses           → contact points and contact patches
//! assemble     all of these    → A, v*, constraint entries
//! solve        the problem     → v⁺, impulses, statistics
//! advance      q, v⁺           → q⁺; results for whoever asked
//! ```
//!
//! Data goes forward only. Open `Stepper::step` for the whole simulator on one screen.

use crate::accuracy::Doubling;
use crate::assemble::{Assembler, EntrySource, Touching};
use crate::clock::{Clock, Laps};
use crate::compiled::{Energy, Model};
use crate::contact::Contact;
use crate::continuous::Continuous;
use crate::control::senses::{Measured, Senses, gather};
use crate::error::{OptionError, StepError};
use crate::foresight::Ahead;
use crate::free_motion::{FreeMotion, RUNAWAY};
use crate::learned::Learned;
use crate::measure::Gauge;
use crate::options::{Method, Options};
use crate::patches::{FaceResult, PatchSet};
use crate::profile::Profile;
use crate::readings::Readings;
use crate::state::{ContactStretch, State};
use crate::stats::StageSeconds;
use crate::tactile::TactileImage;
use nalgebra::{Vector3, Vector6};
use stiction_convex::{Criterion, Problem, ProblemError, SolveReport, Solver, SolverSettings};
use stiction_geometry::{ContactPoint, Proximity};
use stiction_model::{ContactLaw, Pose};
use stiction_multibody::QuaternionStep;

/// How one step went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Whether the solve met its tolerance, or rounding.
    pub converged: bool,
    /// What ended the solve.
    pub criterion: Criterion,
    /// Newton iterations of the island that took most; of all solves, where a step needs several.
    pub iterations: u64,
    /// Residual of the optimality condition relative to its scale.
    pub relative_residual: f64,
    /// Evaluations of the cost's slope in line searches.
    pub line_search_evaluations: u64,
    /// Groups of bodies coupled by constraints.
    pub islands: u64,
    /// Contact points.
    pub points: u64,
    /// Contact patches.
    pub patches: u64,
    /// Faces of contact patches.
    pub faces: u64,
    /// Patches not to be trusted: see [`crate::Simulation::warnings`].
    pub doubtful_patches: u64,
    /// Largest penetration at the beginning of the step, m.
    pub max_penetration: f64,
    /// Energy taken by friction in this step, J.
    pub friction_loss: f64,
    /// Energy taken by normal forces in this step, J: dissipated, or stored in contact springs.
    pub normal_loss: f64,
    /// Energy dissipated by contact in this step, J; continuous time only (see [`crate::Stats`]).
    pub dissipated: f64,
    /// Work of everything but contact, gravity and joint springs in this step, J; continuous time only.
    pub other_work: f64,
    /// Length of the step, s.
    pub step: f64,
    /// Attempts that error control turned down before this step.
    pub rejected: u64,
    /// Seconds by stage.
    pub seconds: StageSeconds,
}

impl StepReport {
    /// Adds what a solve says of itself: counts add up, the worst outcome stands.
    fn take(&mut self, solve: &SolveReport) {
        self.criterion = self.criterion.worst(solve.criterion);
        self.converged = self.criterion.converged();
        self.iterations += solve.iterations as u64;
        self.relative_residual = self.relative_residual.max(solve.relative_residual);
        self.line_search_evaluations += solve.line_evaluations as u64;
        self.islands = solve.islands as u64;
    }
}

/// The memory of stepping: sized once, so that a steady step allocates nothing.
pub(crate) struct Stepper {
    pub(crate) options: Options,
    /// How contact is computed: the options' law, or the file's.
    law: ContactLaw,
    /// Velocities of the last friction pass.
    pass: Vec<f64>,
    pub(crate) free: FreeMotion,
    pub(crate) gauge: Gauge,
    proximity: Proximity,
    pub(crate) points: Vec<ContactPoint>,
    pub(crate) patches: PatchSet,
    pub(crate) assembler: Assembler,
    pub(crate) problem: Problem,
    pub(crate) solver: Solver,
    pub(crate) q_next: Vec<f64>,
    stretches: Vec<ContactStretch>,
    contacts: Vec<Contact>,
    pub(crate) report: StepReport,
    pub(crate) doubling: Doubling,
    /// There when contact follows a learned law.
    learned: Option<Box<Learned>>,
    /// There when the method is continuous.
    continuous: Option<Box<Continuous>>,
    /// Length of the last step, s; 0 before the first.
    last_step: f64,
    readings: Readings,
    /// There when the stages are timed in detail.
    profile: Option<Box<Profile>>,
}

/// The law that is in force: the options' own, or what the file says; the plain one under other models than Lagged.
pub(crate) fn effective_law(model: &Model, options: &Options) -> ContactLaw {
    if options.contact != stiction_convex::FrictionModel::Lagged {
        return ContactLaw::default();
    }
    options.law.or(model.world().options.contact_law).unwrap_or_default()
}

/// A model in which nothing resists some coordinate cannot be stepped: neither inertia nor, in convex steps, what is implicit
/// in them (joint damping and springs, unlimited servos).
fn check_inertia(model: &Model, options: &Options) -> Result<(), OptionError> {
    let Err(error) = model.multibody().check_inertia() else { return Ok(()) };
    let (mut free, state) = (FreeMotion::new(model), model.default_state());
    free.kinematics(model, &state);
    let nothing = Touching { points: &[], patches: &PatchSet::default() };
    let resisted =
        options.method == Method::Convex && free.solve(model, &state, options.step, nothing).is_ok();
    if resisted { Ok(()) } else { Err(OptionError::NoInertia(error)) }
}

impl Stepper {
    pub fn new(model: &Model, options: Options) -> Result<Self, OptionError> {
        options.check()?;
        let problem = Problem::new(options.step, Default::default()).expect("a checked step is allowed");
        let mut stepper = Self {
            options,
            law: ContactLaw::default(),
            pass: Vec::new(),
            free: FreeMotion::new(model),
            gauge: Gauge::new(model.compiled()),
            proximity: Proximity::new(model.compiled().geoms.clone()),
            points: Vec::new(),
            patches: PatchSet::default(),
            assembler: Assembler::new(model),
            problem,
            solver: Solver::default(),
            q_next: model.default_q().to_vec(),
            stretches: Vec::new(),
            contacts: Vec::new(),
            report: StepReport::default(),
            doubling: Doubling::new(model),
            learned: None,
            continuous: None,
            last_step: 0.0,
            readings: Readings::default(),
            profile: None,
        };
        stepper.set_options(model, options)?;
        Ok(stepper)
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub fn set_options(&mut self, model: &Model, options: Options) -> Result<(), OptionError> {
        options.check()?;
        if self.learned.is_some() {
            crate::learned::fits(&options)?;
        }
        check_inertia(model, &options)?;
        if options.method == Method::Convex {
            self.continuous = None;
        } else if self.continuous.is_none() {
            self.continuous = Some(Box::new(Continuous::new(model)?));
        }
        let settings = SolverSettings {
            relative_tolerance: options.solve_tolerance(),
            max_iterations: options.max_iterations,
            timings: self.profile.is_some(),
            ..SolverSettings::default()
        };
        self.solver.set(settings).expect("checked tolerances are allowed");
        self.law = effective_law(model, &options);
        self.options = options;
        Ok(())
    }

    /// Begins a profile of the stages, or ends it.
    pub fn set_profiling(&mut self, on: bool) {
        self.profile = on.then(Box::default);
        let settings = SolverSettings { timings: on, ..*self.solver.settings() };
        self.solver.set(settings).expect("tolerances in force are allowed");
    }

    /// The profile, if there is one.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_deref()
    }

    /// Takes one step of the length in the options. On an error `state` is untouched.
    pub fn step(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        self.look(model, state, &mut report);
        self.solve(model, state, self.options.step, None, &mut report)?;
        self.accept(model, state, self.options.step, &mut report);
        report.step = self.options.step;
        self.report = report;
        Ok(report)
    }

    /// Takes one step of continuous time, no longer than `limit` (s). On an error `state` is untouched.
    pub fn continuous_step(
        &mut self,
        model: &Model,
        state: &mut State,
        limit: f64,
    ) -> Result<StepReport, StepError> {
        let Self { continuous: Some(continuous), options, patches, .. } = self else {
            return self.step(model, state);
        };
        let report = continuous.step(model, options, state, limit, patches)?;
        self.contacts.clear();
        self.free.kinematics(model, state); // the poses the patches were found at
        self.report = report;
        Ok(report)
    }

    /// Has contact follow a learned law, or not any more.
    pub fn set_law(
        &mut self,
        model: &Model,
        law: Option<std::sync::Arc<stiction_learned::Law>>,
    ) -> Result<(), OptionError> {
        if law.is_some() {
            crate::learned::fits(&self.options)?;
        }
        self.learned = law.map(|law| Learned::new(model, law).map(Box::new)).transpose()?;
        Ok(())
    }

    /// The memory of learned contact, if there is one.
    pub fn learned(&self) -> Option<&Learned> {
        self.learned.as_deref()
    }

    /// Takes one step with the learned law, of the length in the options.
    pub fn learned_step(&mut self, model: &Model, state: &mut State) -> Result<StepReport, StepError> {
        let dt = self.options.step;
        let Self { learned: Some(learned), free, contacts, .. } = self else {
            return self.step(model, state);
        };
        let report = learned.step(model, free, state, dt, contacts)?;
        self.patches.clear();
        self.last_step = dt;
        self.report = report;
        Ok(report)
    }

    /// The memory of continuous time, if that is the method.
    pub fn continuous(&self) -> Option<&Continuous> {
        self.continuous.as_deref()
    }

    /// The same, to compute with.
    pub fn continuous_mut(&mut self) -> Option<(&mut Continuous, &Options)> {
        self.continuous.as_deref_mut().map(|c| (c, &self.options))
    }

    /// Kinematics and proximity: everything that depends on where things are and not on the step's length.
    pub(crate) fn look(&mut self, model: &Model, state: &State, report: &mut StepReport) {
        self.look_ahead(model, state, &Ahead::default(), report);
    }

    /// The same, with the points of some pairs of geoms from further away.
    pub(crate) fn look_ahead(
        &mut self,
        model: &Model,
        state: &State,
        ahead: &Ahead,
        report: &mut StepReport,
    ) {
        let margin = self.options.margin.max(ahead.margin);
        let (mut clock, mut laps) = (Clock::start(), Laps::start(&self.profile));
        self.free.kinematics(model, state);
        clock.lap(&mut report.seconds.kinematics);
        laps.lap(&mut self.profile, |p| &mut p.kinematics);

        self.proximity.update(&self.free.x_wb);
        self.proximity.find_pairs(margin);
        laps.lap(&mut self.profile, |p| &mut p.broad_phase);
        self.proximity.find_points(margin, &mut self.points);
        if !ahead.pairs.is_empty() {
            let (geoms, usual) = (model.compiled().geoms.geoms(), self.options.margin);
            self.points.retain(|p| {
                let own = usual.max(geoms[p.geom_a].margin).max(geoms[p.geom_b].margin);
                p.distance <= own || ahead.pairs.contains(&(p.geom_a, p.geom_b))
            });
        }
        laps.lap(&mut self.profile, |p| &mut p.narrow_phase);
        self.patches.find(model, &self.options, &self.free.x_wb, self.proximity.patch_pairs());
        clock.lap(&mut report.seconds.proximity);
        laps.lap(&mut self.profile, |p| &mut p.patches);
    }

    /// Assembles and solves the step of length `dt` from the state looked at; leaves v⁺ in the solver and
    /// q⁺ = q₀ ⊕ δt v⁺ in `q_next` (`theory` section 1: quaternions along the tangent, then normalised).
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        state: &State,
        dt: f64,
        guess: Option<&[f64]>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let (mut clock, mut laps) = (Clock::start(), Laps::start(&self.profile));
        let touching = Touching { points: &self.points, patches: &self.patches };
        crate::bushings::check(model.compiled(), &self.free.x_wb)?;
        self.free.solve(model, state, dt, touching)?;
        clock.lap(&mut report.seconds.kinematics);
        laps.lap(&mut self.profile, |p| &mut p.free_motion);

        let problem = &mut self.problem;
        let built = self.assembler.assemble(
            model,
            &self.options,
            &self.law,
            dt,
            state,
            &self.free,
            touching,
            problem,
        );
        built.map_err(|error| not_finite(model, &self.free, dt, state, &error))?;
        clock.lap(&mut report.seconds.assemble);
        laps.lap(&mut self.profile, |p| &mut p.assemble);

        let solved = self.solver.solve(problem, guess.unwrap_or(&self.free.v0));
        let solve = solved.map_err(|error| not_finite(model, &self.free, dt, state, &error))?;
        report.take(solve);
        if let Some(profile) = &mut self.profile {
            profile.take(solve);
        }
        for _ in 1..self.law.friction_passes {
            self.pass(report).map_err(|error| not_finite(model, &self.free, dt, state, &error))?;
        }
        clock.lap(&mut report.seconds.solve);
        laps.skip(); // the solver has its own clock

        let (multibody, v) = (model.multibody(), self.solver.velocities());
        multibody.integrate(&state.q, v, dt, QuaternionStep::Projected, &mut self.q_next);
        let bad = v.iter().position(|x| !x.is_finite());
        if let Some(dof) = bad.or_else(|| self.q_next.iter().position(|x| !x.is_finite()).map(|_| 0)) {
            let what = format!("the velocity of joint \"{}\"", model.joint_of(dof));
            return Err(StepError::NotFinite { time: state.time, what, last_good: Box::new(state.clone()) });
        }
        clock.lap(&mut report.seconds.advance);
        laps.lap(&mut self.profile, |p| &mut p.advance);
        Ok(())
    }

    /// Solves again with friction limited by the normal impulses just found.
    fn pass(&mut self, report: &mut StepReport) -> Result<(), ProblemError> {
        if self.problem.contact_count() == 0 {
            return Ok(());
        }
        for (contact, impulse) in self.solver.contact_impulses().iter().enumerate() {
            let normal = self.problem.contacts()[contact].frame.column(2).dot(impulse);
            self.problem.set_lagged_impulse(contact, normal.max(0.0))?;
        }
        self.pass.clear();
        self.pass.extend_from_slice(self.solver.velocities());
        let solve = self.solver.solve(&self.problem, &self.pass)?;
        report.take(solve);
        if let Some(profile) = &mut self.profile {
            profile.take(solve);
        }
        Ok(())
    }

    /// Makes the solved step the state, and collects its results.
    pub(crate) fn accept(&mut self, model: &Model, state: &mut State, dt: f64, report: &mut StepReport) {
        let (mut clock, mut laps) = (Clock::start(), Laps::start(&self.profile));
        state.q.copy_from_slice(&self.q_next);
        state.v.copy_from_slice(self.solver.velocities());
        model.compiled().drives.advance(&state.ctrl, &mut state.activation, dt);
        state.time += dt;
        self.last_step = dt;
        self.collect(model, dt, report);
        std::mem::swap(&mut state.stretches, &mut self.stretches);
        clock.lap(&mut report.seconds.advance);
        laps.lap(&mut self.profile, |p| &mut p.advance);
    }

    /// Contact results, springs to keep, and the numbers of the report.
    fn collect(&mut self, model: &Model, dt: f64, report: &mut StepReport) {
        let compiled = model.compiled();
        let geoms = compiled.geoms.geoms();
        let nowhere = Contact {
            geom_a: 0,
            geom_b: 0,
            body_a: 0,
            body_b: 0,
            position: Vector3::zeros(),
            normal: Vector3::zeros(),
            force: Vector3::zeros(),
            penetration: 0.0,
            slip: Vector3::zeros(),
            sticking: false,
        };
        self.contacts.clear();
        self.contacts.resize(self.points.len(), nowhere);
        self.stretches.clear();
        let springs = self.options.tangential_springs.is_some() || self.law.springs.is_some();
        if springs {
            let empty =
                ContactStretch { geoms: (0, 0), point_a: Vector3::zeros(), stretch: Vector3::zeros() };
            self.stretches.resize(self.points.len(), empty);
        }
        self.patches.results.clear();
        self.patches.results.resize(self.patches.faces.faces.len(), FaceResult::default());
        let (mut last, mut before) = (None, (Vector3::zeros(), Vector3::zeros()));
        for (entry, place) in self.assembler.places.iter().enumerate() {
            let impulse = self.solver.contact_impulses()[entry];
            let velocity = self.solver.contact_velocities()[entry];
            let normal = place.frame.column(2);
            let normal_impulse = normal.dot(&impulse);
            let tangential = impulse - normal * normal_impulse;
            let force = impulse * (place.sign / dt);
            let slip = (velocity - normal * normal.dot(&velocity)) * place.sign;
            // The work of an impulse over a step is γ · (v₀ + v)/2, exactly: kinetic energy changes by it. Where the
            // slip turns round within the step, friction's part is judged at its end, where it is never negative.
            let law = &self.problem.contacts()[entry];
            if last != Some(place.bodies) {
                last = Some(place.bodies);
                before = self.free.relative_twist(model, place.bodies);
            }
            let relative = law.bias + before.0 + before.1.cross(&place.position);
            let mean = 0.5 * (velocity + relative);
            let friction = f64::max(-tangential.dot(&mean), -tangential.dot(&velocity));
            report.friction_loss += friction;
            report.normal_loss -= impulse.dot(&mean) + friction;
            let index = match place.source {
                EntrySource::Point(index) => index,
                EntrySource::Face(face, share) => {
                    let arm = place.position - self.patches.faces.faces[face].centroid;
                    let result = &mut self.patches.results[face];
                    result.force += force;
                    result.moment += arm.cross(&force);
                    result.slip += share * slip;
                    continue;
                }
            };
            let point = &self.points[index];
            report.max_penetration = report.max_penetration.max(-point.distance);
            let (body_a, body_b) = (geoms[point.geom_a].body, geoms[point.geom_b].body);
            self.contacts[index] = Contact {
                geom_a: compiled.colliding[point.geom_a],
                geom_b: compiled.colliding[point.geom_b],
                body_a,
                body_b,
                position: place.position,
                normal: point.normal_w,
                force,
                penetration: -point.distance,
                slip,
                sticking: normal_impulse > 0.0
                    && (slip.norm() <= self.options.stiction_tolerance
                        || tangential.norm() < 0.95 * place.friction * normal_impulse),
            };
            if springs {
                let stretch = self.solver.stretches()[entry] * place.sign;
                let x_wa = &self.free.x_wb[body_a];
                self.stretches[index] = ContactStretch {
                    geoms: (point.geom_a as u32, point.geom_b as u32),
                    point_a: x_wa.inverse_transform_point(&place.position.into()).coords,
                    stretch: x_wa.inverse_transform_vector(&stretch),
                };
            }
        }
        for found in &self.patches.patches {
            report.max_penetration = report.max_penetration.max(self.patches.depth(found));
        }
        report.points = self.points.len() as u64;
        report.patches = self.patches.patches.iter().filter(|p| !p.patch.faces.is_empty()).count() as u64;
        report.faces = self.patches.faces.faces.len() as u64;
        report.doubtful_patches = self.patches.doubtful.len() as u64;
    }

    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Keeps in mind which patches of the last step were doubtful.
    pub fn remember_doubts(&mut self) {
        self.patches.remember_doubts();
    }

    /// What the last step found, with the poses of the bodies it was found at.
    pub fn patch_set(&self) -> (&PatchSet, &[Pose]) {
        (&self.patches, &self.free.x_wb)
    }

    pub fn report(&self) -> &StepReport {
        &self.report
    }

    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Forgets the last step's results, as after a jump to another state.
    pub fn clear_results(&mut self) {
        self.contacts.clear();
        self.patches.clear();
        if let Some(continuous) = &mut self.continuous {
            continuous.clear();
        }
        if let Some(learned) = &mut self.learned {
            learned.report.forget();
        }
        self.last_step = 0.0;
        self.report = StepReport::default();
    }

    /// Readings of all sensors: positions and velocities of `state`, forces of the step that led to it.
    pub fn sensors(&mut self, model: &Model, state: &State) -> &[f64] {
        self.read(model, state, &[]);
        &self.readings.values
    }

    /// Reads all sensors, joint torques, and the wrenches at `bodies`.
    fn read(&mut self, model: &Model, state: &State, bodies: &[usize]) {
        let compiled = model.compiled();
        self.gauge.update(compiled, state);
        model.multibody().velocities(&state.v, &mut self.gauge.workspace);
        self.readings.clear(compiled, bodies.len());
        compiled.read_state(state, &mut self.gauge, &mut self.readings.values);
        if self.last_step > 0.0 {
            let readings = &mut self.readings;
            readings.contacts(&self.contacts, &self.patches, compiled);
            // A learned law has no problem to solve, and so no rows.
            let v = match &self.learned {
                Some(learned) => learned.velocities(),
                None => {
                    let rows = self.solver.row_impulses();
                    readings.couplings(&self.assembler.couplings, rows, self.last_step);
                    readings.tendons(&self.assembler.tendons.rows, rows, self.last_step);
                    let tendons = &self.assembler.tendons.limits;
                    readings.limits(&self.assembler.limits, tendons, rows, self.last_step);
                    self.solver.velocities()
                }
            };
            readings.forces(compiled, &mut self.free, v, self.last_step, bodies);
        }
    }

    /// Measures for controllers what they ask for, in memory that is kept: positions of `state`, forces of the step that
    /// led to it.
    pub fn measure(&mut self, model: &Model, state: &State, senses: &Senses, out: &mut Measured) {
        out.time = Some(state.time);
        if senses.readings() {
            self.read(model, state, &senses.bodies);
            out.sensors.clone_from(&self.readings.values);
            out.joint_torques.clone_from(&self.readings.joint_torques);
            out.bodies.clone_from(&senses.bodies);
            out.wrenches.clone_from(&self.readings.transmitted);
        }
        if senses.touches {
            gather(&self.contacts, &self.patches, model.compiled(), &mut out.touches);
        }
        out.skins.resize_with(senses.skins.len(), TactileImage::default);
        for (grid, image) in senses.skins.iter().zip(&mut out.skins) {
            grid.feel(model.compiled(), &self.patches, &self.free.x_wb, image);
        }
    }

    /// Adds to the state's applied forces what a wrench [torque; force] (N m, N, world axes) at a point (m, world) of a body
    /// amounts to at its positions: τ += Jᵀ w. Uses the stepper's memory.
    pub fn apply_wrench(
        &mut self,
        model: &Model,
        state: &mut State,
        body: usize,
        wrench: &Vector6<f64>,
        p_wq: &Vector3<f64>,
    ) {
        let (multibody, workspace) = (model.multibody(), &mut self.gauge.workspace);
        for (k, mocap) in state.mocap.iter().enumerate() {
            workspace.set_mocap(k, &mocap.pose, &Vector6::from(mocap.twist));
        }
        multibody.positions(&state.q, workspace);
        multibody.add_wrench(workspace, body, p_wq, wrench, &mut state.applied);
    }

    /// Poses of the bodies at `state`; uses the stepper's memory.
    pub fn poses(&mut self, model: &Model, state: &State) -> &[Pose] {
        self.gauge.update(model.compiled(), state);
        &self.gauge.x_wb
    }

    /// Energy of `state`; uses the stepper's memory.
    pub fn energy(&mut self, model: &Model, state: &State) -> Energy {
        let (multibody, compiled) = (model.multibody(), model.compiled());
        self.gauge.update(compiled, state);
        let workspace = &mut self.gauge.workspace;
        multibody.velocities(&state.v, workspace);
        let potential = multibody.potential_energy(workspace)
            + multibody.spring_energy(&state.q)
            + compiled.tendons.energy(&compiled.world, &self.gauge.tendons.lengths);
        let tendons = compiled.tendons.kinetic_energy(&compiled.world, &self.gauge.tendons, &state.v);
        let workspace = &mut self.gauge.workspace;
        Energy { kinetic: multibody.kinetic_energy(workspace, &state.v) + tendons, potential }
    }
}

/// A problem is only refused for numbers that are not finite: options and model were checked before. Such a number mostly
/// comes from a joint that has run away, which is then named.
fn not_finite(
    model: &Model,
    free: &FreeMotion,
    dt: f64,
    state: &State,
    error: &dyn std::fmt::Display,
) -> StepError {
    let bad = free.v_star.iter().position(|v| !v.is_finite());
    let fastest = (0..free.v0.len()).max_by(|a, b| free.v0[*a].abs().total_cmp(&free.v0[*b].abs()));
    let runaway = fastest.filter(|dof| free.v0[*dof].abs() * dt > RUNAWAY);
    let what = match (runaway, bad) {
        (Some(dof), _) => {
            let (joint, speed) = (model.joint_of(dof), free.v0[dof].abs());
            format!("joint \"{joint}\" had reached {speed:.1e} m/s or rad/s, too fast for its step")
        }
        (None, Some(dof)) => format!("the velocity of joint \"{}\" without contact", model.joint_of(dof)),
        (None, None) => error.to_string(),
    };
    StepError::NotFinite { time: state.time, what, last_good: Box::new(state.clone()) }
}
