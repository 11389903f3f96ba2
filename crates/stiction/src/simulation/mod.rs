//! A simulation: a model, a state and a time-stepping method. `controllers.rs` contains the controllers, `queries.rs` what
//! combines several results, `plausibility.rs` what is reported because it makes no sense.
//!
//! | also here | |
//! |---|---|
//! | `stats.rs` | statistics of a run |
//! | `trajectory_hash.rs` | a hash of all bits of a trajectory |

mod controllers;
mod plausibility;
mod queries;
pub mod stats;
pub(crate) mod trajectory_hash;

use crate::contact::patch_faults::PatchWarnings;
use crate::contact::patch_view::{ContactPatch, PatchView, SolvedPatches};
use crate::contact::result::Contact;
use crate::derivatives::{ContactParameter, DerivativeError, Differentiator, StepDerivatives};
use crate::error::{InputError, OptionError, StepError};
use crate::forces::equalities;
use crate::methods::Stepping;
use crate::methods::learned::LearnedReport;
use crate::model::{Energy, Model};
use crate::options::Options;
use crate::sensing::readings::Readings;
use crate::simulation::stats::Stats;
use crate::state::State;
use crate::step::kinematics::Kinematics;
use crate::step::notes::NoteWarnings;
use crate::step::profile::Profile;
use crate::step::sweep::Met;
use crate::step::travel::TurnWarnings;
use crate::step::{Settings, Stages, StepReport};
use controllers::Controllers;
use nalgebra::{Vector3, Vector6};
use plausibility::Plausibility;
pub use queries::BodyContact;
use std::sync::Arc;
use stiction_convex::Problem;
use stiction_dac::DacLaw;
use stiction_geometry::patch::strain_energy;
use stiction_model::{Pose, Source, Warning};

/// A simulation of a model.
pub struct Simulation {
    model: Model,
    state: State,
    settings: Settings,
    stages: Stages,
    stepping: Stepping,
    /// Kinematics at the current state, for queries.
    now: Kinematics,
    readings: Readings,
    last_report: StepReport,
    patch_warnings: PatchWarnings,
    turn_warnings: TurnWarnings,
    note_warnings: NoteWarnings,
    /// Pairs of geoms that would have passed through each other in any step.
    met: Met,
    plausibility: Plausibility,
    stats: Stats,
    differentiator: Option<Box<Differentiator>>,
    controllers: Controllers,
}

impl Simulation {
    /// A simulation of `model` from its default state.
    pub fn new(model: &Model, options: Options) -> Result<Self, OptionError> {
        let stepping = Stepping::new(model, &options, None)?;
        let settings = Settings::new(model, options)?;
        Ok(Self {
            model: model.clone(),
            state: model.default_state(),
            stages: Stages::new(model, &settings),
            stepping,
            settings,
            now: Kinematics::new(model.compiled()),
            readings: Readings::default(),
            last_report: StepReport::default(),
            patch_warnings: PatchWarnings::default(),
            turn_warnings: TurnWarnings::default(),
            note_warnings: NoteWarnings::default(),
            met: Met::default(),
            plausibility: Plausibility::new(model),
            stats: Stats::default(),
            controllers: Controllers::default(),
            differentiator: None,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Switches to a variant of the model ([`Model::varied`]) and keeps the current state. Results of the last step
    /// are cleared. Buffers are reallocated, so do not call this in every step.
    pub fn set_model(&mut self, model: &Model) -> Result<(), InputError> {
        if model.family() != self.model.family() {
            return Err(InputError::Variant("it is not a variant of the current model; use varied".into()));
        }
        let (options, law) = (self.options().clone(), self.contact_law().cloned());
        let refused = |error: OptionError| InputError::Variant(error.to_string());
        let stepping = Stepping::new(model, &options, law).map_err(refused)?;
        let settings = Settings::new(model, options).map_err(refused)?;
        self.stepping = stepping;
        self.stages = Stages::new(model, &settings);
        self.settings = settings;
        self.now = Kinematics::new(model.compiled());
        self.last_report = StepReport::default();
        self.patch_warnings = PatchWarnings::default();
        self.turn_warnings = TurnWarnings::default();
        self.note_warnings = NoteWarnings::default();
        self.met.clear();
        self.plausibility.renew(model);
        self.differentiator = None;
        self.model = model.clone();
        Ok(())
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.settings.options
    }

    /// Changes the options from the next step on.
    pub fn set_options(&mut self, options: Options) -> Result<(), OptionError> {
        let settings = Settings::new(&self.model, options)?;
        self.set_stepping(&settings.options, self.contact_law().cloned())?;
        self.stages.set_options(&settings.options);
        self.settings = settings;
        Ok(())
    }

    /// Sets a contact law learned from data (see [`crate::methods::learned`]) from the next step on. `None` returns
    /// to the contact model of the options. With a learned law, steps have a fixed length; options of convex contact (its
    /// model, tolerances and margin) with other values than their defaults are errors.
    pub fn set_contact_law(&mut self, law: Option<Arc<DacLaw>>) -> Result<(), OptionError> {
        let options = self.options().clone();
        self.set_stepping(&options, law)
    }

    /// Changes the method. An unchanged method keeps its buffers.
    fn set_stepping(&mut self, options: &Options, law: Option<Arc<DacLaw>>) -> Result<(), OptionError> {
        if self.stepping.is(options, law.as_ref()) {
            return Ok(());
        }
        self.stepping = Stepping::new(&self.model, options, law)?;
        self.clear_results(); // sensors could not read them by the new method
        Ok(())
    }

    /// The learned law, if contact follows one.
    pub fn contact_law(&self) -> Option<&Arc<DacLaw>> {
        self.stepping.learned().map(|l| &l.law)
    }

    /// Report of the learned law in the last step. `None` without a learned law.
    pub fn learned_report(&self) -> Option<&LearnedReport> {
        self.stepping.learned().map(|l| &l.report)
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The current state, mutable between steps. The lengths of its vectors must not change.
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// Adds a force (N, world axes) on a body at a point (m, world) to the applied generalised forces: see
    /// [`Simulation::apply_wrench`].
    pub fn apply_force(
        &mut self,
        body: usize,
        force: Vector3<f64>,
        p_wq: Vector3<f64>,
    ) -> Result<(), InputError> {
        self.apply_wrench(body, Vector3::zeros(), force, p_wq)
    }

    /// Adds a torque (N m) and a force (N, both in world axes) on a body at a point (m, world) to the applied generalised
    /// forces, at the current positions: τ += Jᵀ [torque; force]. Like all of [`State::applied`], the generalised
    /// forces are held until they are changed. For a force that follows its body, reset `applied` and call this
    /// function before each step. The call has no effect on a body that no joint moves.
    pub fn apply_wrench(
        &mut self,
        body: usize,
        torque: Vector3<f64>,
        force: Vector3<f64>,
        p_wq: Vector3<f64>,
    ) -> Result<(), InputError> {
        self.model.check_state(&self.state)?;
        let needed = self.model.multibody().body_count();
        if body >= needed {
            let known = format!("0 to {}", needed - 1);
            let name = body.to_string();
            return Err(InputError::Name { kind: "body", name, hint: String::new(), known });
        }
        for (what, vector) in [("torque", &torque), ("force", &force), ("point", &p_wq)] {
            if let Some(index) = vector.iter().position(|x| !x.is_finite()) {
                return Err(InputError::NotFinite { what, index, value: vector[index] });
            }
        }
        let wrench = Vector6::new(torque.x, torque.y, torque.z, force.x, force.y, force.z);
        let (multibody, State { mocap, q, applied, .. }) = (self.model.multibody(), &mut self.state);
        self.now.positions(self.model.compiled(), mocap, q);
        multibody.add_wrench(&self.now.workspace, body, &p_wq, &wrench, applied);
        Ok(())
    }

    /// Derivatives of the step from the current state by state, controls and the given contact parameters: see
    /// [`crate::derivatives`]. The step is solved with a tight tolerance, but the simulation does not advance, and
    /// the results of the last step are kept.
    pub fn step_derivatives(
        &mut self,
        parameters: &[ContactParameter],
    ) -> Result<StepDerivatives, DerivativeError> {
        if self.stepping.learned().is_some() {
            return Err(DerivativeError::Method(
                "contact follows a learned law here; set_contact_law(None) first",
            ));
        }
        let options = self.options().clone();
        match &mut self.differentiator {
            Some(known) => known.set_options(&self.model, &options)?,
            none => *none = Some(Box::new(Differentiator::new(&self.model, &options)?)),
        }
        let differentiator = self.differentiator.as_mut().expect("just made");
        differentiator.compute(&self.model, &self.state, parameters)
    }

    /// Resets to the default state at time 0. Statistics are kept.
    pub fn reset(&mut self) {
        self.state = self.model.default_state();
        self.clear_results();
    }

    /// Sets the state to a copy of the given one.
    pub fn reset_to(&mut self, state: &State) -> Result<(), InputError> {
        self.model.check_state(state)?;
        self.state.copy_from(state);
        self.clear_results();
        Ok(())
    }

    /// Sets the state to a keyframe of the model, by name or index.
    pub fn reset_to_keyframe(&mut self, name: &str) -> Result<(), InputError> {
        self.state = self.model.keyframe_state(name)?;
        self.clear_results();
        Ok(())
    }

    /// Performs `steps` steps. On an error, the state is the last valid one.
    pub fn step(&mut self, steps: usize) -> Result<(), StepError> {
        self.model.check_state(&self.state)?;
        for _ in 0..steps {
            self.one_step(f64::INFINITY)?;
        }
        Ok(())
    }

    /// Steps until `time` (s). Under error control the last step ends there exactly; with steps of fixed length, the
    /// last step ends as near to it as possible.
    pub fn run_until(&mut self, time: f64) -> Result<(), StepError> {
        while self.step_towards(time)? {}
        Ok(())
    }

    /// Performs the next step of [`Simulation::run_until`]. Returns false if no step is left.
    pub fn step_towards(&mut self, time: f64) -> Result<bool, StepError> {
        self.model.check_state(&self.state)?;
        let fixed = !self.options().error_controlled();
        let slack = if fixed { 0.5 * self.options().step } else { 1e-12 * time.abs().max(1e-3) };
        let left = self.state.time < time - slack;
        if left {
            self.one_step(time)?;
        }
        Ok(left)
    }

    /// One step, which under error control does not pass `end` nor the controller's next sample. On an error,
    /// controls and controllers are restored as well.
    fn one_step(&mut self, end: f64) -> Result<(), StepError> {
        if self.controllers.is_empty() {
            return self.advance(end);
        }
        self.remember_controllers();
        let outcome = self.sample_controllers().and_then(|()| self.advance(end));
        if outcome.is_err() {
            self.restore_controllers();
        }
        outcome
    }

    /// The step itself, with the current controls.
    fn advance(&mut self, end: f64) -> Result<(), StepError> {
        let (time, options) = (self.state.time, self.options());
        let longest = if options.error_controlled() { options.max_step } else { options.step };
        if time + longest <= time {
            return Err(InputError::TimeStandsStill { time, step: longest }.into());
        }
        let limit = end.min(self.next_sample()) - self.state.time;
        let Self { stepping, stages, model, settings, state, .. } = self;
        stages.sweep.met.clear();
        let report = stepping.step(stages, model, settings, state, limit)?;
        self.last_report = report;
        self.patch_warnings.add(&self.stages.contacts.patches);
        self.turn_warnings.add(&self.stages.travel);
        self.note_warnings.add(&self.stages.notes);
        self.met.add(&self.stages.sweep.met);
        self.plausibility.look(&self.state.q, &self.state.v, self.state.time, report.step);
        record(&mut self.stats, &report);
        self.measure_if_due();
        Ok(())
    }

    /// Enables or disables detailed timing of the stages. Timing costs a few microseconds per step and does not
    /// change the results.
    pub fn set_profiling(&mut self, on: bool) {
        self.stages.set_profiling(on);
    }

    /// Times since profiling was enabled. `None` if it is disabled.
    pub fn profile(&self) -> Option<&Profile> {
        self.stages.profile.as_deref()
    }

    /// Contact points of the last step, ordered by geom pair.
    pub fn contacts(&self) -> &[Contact] {
        &self.stages.results.contacts
    }

    /// Contact patches of the last step, ordered by geom pair. Allocates.
    pub fn patches(&self) -> Vec<ContactPatch> {
        self.patch_views().map(|patch| patch.to_patch()).collect()
    }

    /// Borrowed views of the same patches. Allocates nothing.
    pub fn patch_views(&self) -> impl ExactSizeIterator<Item = PatchView<'_>> {
        self.solved_patches().0.views(&self.model)
    }

    /// Warnings since the simulation was created, one for each geom pair: about unreliable contact patches (the core of
    /// a pressure field was reached, by thin or soft bodies under too much load, or a body is completely inside
    /// another), about pairs that turned by more than 0.2 rad in a step while their contact point travelled over a curved
    /// surface, about bodies that would have passed through each other within a step, and about what makes no sense: a body
    /// that left every bound, absurd velocities, a step longer than what falls through. One for all pairs that touched with
    /// less than their stiffness, and one for all that were found deep in each other, each with the worst. Also one for each equality
    /// between bodies that misses its target in the last step by more than a step makes, with its error. Allocates.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.patch_warnings.warnings(&self.model);
        warnings.extend(self.turn_warnings.warnings(&self.model));
        warnings.extend(self.note_warnings.warnings(&self.model));
        warnings.extend(self.met.warnings(&self.model));
        warnings.extend(self.plausibility.warnings(&self.model, self.options()));
        if self.last_report.missed_equalities > 0 {
            let errors = &self.stages.assembly.log.equality_errors;
            warnings.extend(equalities::warnings(&self.model, errors));
        }
        if self.stats.created > 0.0 {
            let message = format!(
                "in a step, constraints created {:.3e} J, more than the energy of the state, without a cause, although the solve \
                 converged: what follows is not physical; look for redundant or contradicting constraints, use smaller steps, and \
                 please report the model",
                self.stats.created
            );
            let source = Source { element: self.model.world().name.clone(), ..Source::default() };
            warnings.push(Warning { source, message });
        }
        warnings
    }

    /// The last step's patches and the poses of the bodies at its beginning.
    pub(crate) fn solved_patches(&self) -> (SolvedPatches<'_>, &[Pose]) {
        (self.stages.results.patches(&self.stages.contacts.patches), &self.stages.kinematics.x_wb)
    }

    /// Clears the results of the last step, as after a jump to another state.
    fn clear_results(&mut self) {
        self.stages.clear_results();
        self.stepping.clear();
        self.last_report = StepReport::default();
    }

    /// Report of the last step.
    pub fn last_report(&self) -> &StepReport {
        &self.last_report
    }

    /// The convex problem of the last solve, for studies of its conditioning or of other solvers.
    pub fn last_problem(&self) -> &Problem {
        &self.stages.assembly.problem
    }

    /// The solver with the results of the last solve, for studies of impulses and energies.
    pub fn last_solver(&self) -> &stiction_convex::Solver {
        &self.stages.solver
    }

    /// Counts and times since the simulation was created.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Readings of all sensors, concatenated in their order: positions and velocities of the current state,
    /// accelerations and forces of the last step (zero before the first step).
    pub fn sensors(&mut self) -> &[f64] {
        self.read_sensors(&[]);
        &self.readings.values
    }

    /// Reads all sensors, joint torques, and the wrenches at `bodies`.
    fn read_sensors(&mut self, bodies: &[usize]) {
        let Self { model, state, now, stages, stepping, readings, .. } = self;
        let learned = stepping.learned().map(|learned| learned.velocities());
        readings.read(model.compiled(), state, now, stages, learned, bodies);
    }

    /// Readings of one sensor.
    pub fn sensor(&mut self, name: &str) -> Result<&[f64], InputError> {
        let index = self.model.sensor_index(name)?;
        let range = self.model.sensor_range(index);
        Ok(&self.sensors()[range])
    }

    /// Poses of all bodies in the world at the current state, by body.
    pub fn poses(&mut self) -> &[Pose] {
        self.now.positions(self.model.compiled(), &self.state.mocap, &self.state.q);
        &self.now.x_wb
    }

    /// Kinetic and potential energy of the current state, J.
    pub fn energy(&mut self) -> Energy {
        let compiled = self.model.compiled();
        compiled.energy(&self.state, self.now.at(compiled, &self.state))
    }

    /// Energy stored by contact in continuous time, J: in the pressure fields, exactly (PFC eq. 4.4), and in tangential
    /// springs. It visits every pair of elements, so it is slow. Use it for energy balances, not in every step.
    pub fn contact_energy(&mut self) -> f64 {
        let compiled = self.model.compiled();
        self.now.positions(compiled, &self.state.mocap, &self.state.q);
        let x_wb = &self.now.x_wb;
        let geoms = compiled.geoms.geoms();
        let mut energy: f64 = self.state.springs.iter().flat_map(|s| s.s).map(|s| 0.5 * s * s).sum();
        if compiled.solids.is_empty() {
            return energy;
        }
        for a in 0..geoms.len() {
            for b in a + 1..geoms.len() {
                if compiled.geoms.makes_patch(a, b) && compiled.geoms.tests_pair(a, b) {
                    let pose = |g: usize| x_wb[geoms[g].body] * geoms[g].x_bg;
                    // Fails only for pairs that never touch.
                    let stored = strain_energy(&compiled.solids[a], &pose(a), &compiled.solids[b], &pose(b));
                    energy += stored.unwrap_or(0.0);
                }
            }
        }
        energy
    }

    /// Accelerations at the current state in continuous time. `None` for other methods.
    pub fn accelerations(&mut self) -> Result<Option<Vec<f64>>, StepError> {
        self.model.check_state(&self.state)?;
        let Stepping::Continuous(continuous) = &mut self.stepping else { return Ok(None) };
        let found = continuous.accelerations(&self.model, &self.settings.options, &self.state);
        found.map(|a| Some(a.to_vec()))
    }

    /// Positions and velocities at a time within the last step of continuous time (dense output). `None` outside the
    /// step.
    pub fn interpolate(&self, time: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let (mut q, mut v) = (self.state.q.clone(), self.state.v.clone());
        let Stepping::Continuous(continuous) = &self.stepping else { return None };
        continuous.interpolate(&self.model, time, &mut q, &mut v).then_some((q, v))
    }

    /// Runs until everything [rests](Simulation::rests), then sets the velocities to zero. Returns false if it still
    /// moves after `time` (s). In continuous time with tangential springs this finds static states; with other
    /// methods, sticking bodies creep at up to the stiction tolerance.
    pub fn settle(&mut self, speed: f64, time: f64) -> Result<bool, StepError> {
        let end = self.state.time + time;
        while self.step_towards(end)? {
            if self.rests(speed)? {
                self.state.v.fill(0.0);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether no speed exceeds `speed` (m/s, rad/s) and, in continuous time, no acceleration `speed`/0.1 s.
    pub fn rests(&mut self, speed: f64) -> Result<bool, StepError> {
        let slow = |v: &[f64], most: f64| v.iter().all(|v| v.abs() <= most);
        Ok(slow(&self.state.v, speed) && self.accelerations()?.is_none_or(|a| slow(&a, 10.0 * speed)))
    }

    /// The state as a blob. [`Simulation::load_state`] resumes from it bit for bit.
    pub fn save_state(&self) -> Vec<u8> {
        self.state.to_bytes(self.model.family())
    }

    /// Restores a saved state of the same model or of a variant of it.
    pub fn load_state(&mut self, bytes: &[u8]) -> Result<(), InputError> {
        let state = self.read_state(bytes)?;
        self.go_to(state);
        Ok(())
    }

    /// A saved state of this model, checked.
    pub(crate) fn read_state(&self, bytes: &[u8]) -> Result<State, InputError> {
        let state = State::from_bytes(bytes, self.model.family())?;
        self.model.check_state(&state)?;
        Ok(state)
    }

    /// Sets a state that was checked.
    pub(crate) fn go_to(&mut self, state: State) {
        self.state = state;
        self.clear_results();
    }
}

fn record(stats: &mut Stats, report: &StepReport) {
    stats.steps += 1;
    stats.rejected += report.rejected;
    stats.min_step = if stats.min_step > 0.0 { stats.min_step.min(report.step) } else { report.step };
    stats.max_step = stats.max_step.max(report.step);
    stats.iterations += report.iterations;
    stats.last_iterations = report.iterations;
    stats.max_iterations = stats.max_iterations.max(report.iterations);
    stats.unconverged += u64::from(!report.converged);
    stats.line_search_evaluations += report.line_search_evaluations;
    stats.friction_passes += report.friction_passes;
    stats.points += report.points;
    stats.last_points = report.points;
    stats.patches += report.patches;
    stats.faces += report.faces;
    stats.doubtful_patches += report.doubtful_patches;
    stats.speculative += report.speculative;
    stats.held_back += report.held_back;
    stats.passed += report.passed;
    stats.capped += report.capped;
    stats.found += report.found;
    stats.max_found = stats.max_found.max(report.max_found);
    stats.missed_equalities += report.missed_equalities;
    stats.created = stats.created.max(report.created);
    stats.max_gap = stats.max_gap.max(report.max_gap);
    stats.max_angle = stats.max_angle.max(report.max_angle);
    stats.last_patches = report.patches;
    stats.last_faces = report.faces;
    stats.max_penetration = stats.max_penetration.max(report.max_penetration);
    stats.friction_loss += report.friction_loss;
    stats.normal_loss += report.normal_loss;
    stats.dissipated += report.dissipated;
    stats.other_work += report.other_work;
    stats.seconds.kinematics += report.seconds.kinematics;
    stats.seconds.proximity += report.seconds.proximity;
    stats.seconds.assemble += report.seconds.assemble;
    stats.seconds.solve += report.seconds.solve;
    stats.seconds.advance += report.seconds.advance;
}
