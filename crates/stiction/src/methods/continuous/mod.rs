//! Continuous time: pressure-field contact at the level of accelerations (PFC chapters 4–6).
//!
//! ```text
//! kinematics   q, v             → poses, twists                                            dynamics.rs
//! proximity    poses            → contact surfaces as quadrature points                    surface.rs
//! traction     surfaces, twists → p (n̂ + t̄_f), summed to wrenches; ṡ of tangential springs  traction.rs, law.rs, contact/patch_springs.rs
//! dynamics     wrenches, forces → v̇                                                        dynamics.rs, ../../forces/
//! integrate    q, v, s          → q⁺, v⁺, s⁺ within the accuracy                            radau.rs, explicit.rs
//! ```
//!
//! It shares kinematics, proximity and the combination of materials with the convex step. The rest differs: forces
//! are functions of the state, and an integrator with error control integrates them. Start reading at
//! `Continuous::step`.
//!
//! The error of a step in each coordinate is kept below the accuracy for positions (m and rad), the accuracy over
//! [`REFERENCE_TIME`] for velocities, and a fraction of the slip range for the springs.
//!
//! | also here | |
//! |---|---|
//! | `chart.rs` | coordinates of a step |
//! | `jacobian.rs` | derivatives for the implicit integrator |
//! | `lu.rs` | its linear systems |
//! | `damping.rs` | the damping constant of a pair |
//! | `settings.rs` | settings |
//! | `guarantees.rs` | test: what the method guarantees |

mod chart;
mod damping;
mod dynamics;
mod explicit;
#[cfg(test)]
mod guarantees;
mod jacobian;
pub mod law;
mod lu;
mod radau;
mod settings;
mod surface;
mod traction;

pub use crate::forces::joint_limits::LIMIT_TIME;
pub use damping::{characteristic_length, combine_damping};
pub use settings::{ContinuousOptions, Integrator, TangentialCompliance, TractionFriction};

use crate::error::StepError;
use crate::model::Model;
use crate::model::geom_id::geoms_of;
use crate::options::Options;
use crate::state::{PatchSpring, State};
use crate::step::Stages;
use crate::step::StepReport;
use crate::step::step_length::StepLength;
use crate::step::timer::Clock;
use dynamics::{Dynamics, Interrupt};
use explicit::{BOGACKI_SHAMPINE, DORMAND_PRINCE, Explicit, Pair};
use jacobian::Jacobian;
use radau::{Attempt, ITERATIONS, Radau, Start};
use traction::Flow;

/// The shortest step tried by explicit integrators, s: shorter steps would make stiff forces prohibitively slow.
const SHORTEST_EXPLICIT: f64 = 1e-9;

/// The shortest step of Radau's method, s: the transition from slip to stick requires I v_c/F (inertia, stiction
/// tolerance, dry friction), which is picoseconds for light links. Long steps follow.
const SHORTEST_IMPLICIT: f64 = 1e-12;

/// Default accuracy, m and rad.
pub const DEFAULT_ACCURACY: f64 = 1e-4;

/// Time over which a velocity error is converted to a position error, s.
pub const REFERENCE_TIME: f64 = 0.1;

/// Relative error of a spring's range equivalent to the accuracy in m: 1e-4 m corresponds to 1 % of the range.
const SPRING_SHARE: f64 = 100.0;

/// Penetration above which rigid bodies count as touching, m.
const TOUCH: f64 = 1e-9;

/// Buffers of the continuous method.
pub(crate) struct Continuous {
    dynamics: Dynamics,
    jacobian: Jacobian,
    radau: Radau,
    explicit: Explicit,
    /// (0, v, s) at the beginning of the step, and the derivative there.
    x: Vec<f64>,
    f: Vec<f64>,
    /// The end of the step.
    end: Vec<f64>,
    weights: Vec<f64>,
    /// Capacity of each pair's springs, √J.
    scale: Vec<f64>,
    zero: Vec<f64>,
    last: Option<LastStep>,
    q0: Vec<f64>,
    /// Total weight, N.
    weight: f64,
}

/// Data of the last step, for dense output.
#[derive(Clone, Copy)]
struct LastStep {
    begin: f64,
    length: f64,
    integrator: Integrator,
}

/// Result of an attempted step.
struct Outcome {
    /// Error relative to the tolerance. Infinite if the step could not be solved.
    error: f64,
    /// Factor for the next step's length.
    factor: f64,
    iterations: u64,
    flow: Flow,
}

impl Continuous {
    pub fn new(model: &Model) -> Self {
        let gravity = model.multibody().gravity().norm().max(1.0);
        Self {
            dynamics: Dynamics::new(model),
            jacobian: Jacobian::default(),
            radau: Radau::default(),
            explicit: Explicit::default(),
            x: Vec::new(),
            f: Vec::new(),
            end: Vec::new(),
            weights: Vec::new(),
            scale: Vec::new(),
            zero: vec![0.0; model.nv()],
            last: None,
            q0: Vec::new(),
            weight: model.total_mass().max(1e-9) * gravity,
        }
    }

    /// Takes one step within the accuracy of the options, no longer than `limit` (s), and stores the patches and
    /// kinematics at its end in `stages`. On an error, `state` is unchanged.
    pub fn step(
        &mut self,
        stages: &mut Stages,
        model: &Model,
        options: &Options,
        state: &mut State,
        limit: f64,
    ) -> Result<StepReport, StepError> {
        let mut report = StepReport { converged: true, ..StepReport::default() };
        let mut clock = Clock::start();
        self.dynamics.begin(model, options, state, &self.zero);
        self.refuse_rigid_contact(model, state)?;
        clock.lap(&mut report.seconds.proximity);
        let bound = 1.5 / self.dynamics.chart.fastest(&state.v).max(1e-9);
        let mut length = StepLength::new(state, options, bound, limit);
        let shortest = match options.continuous().integrator {
            // Time must still advance.
            Integrator::Radau => SHORTEST_IMPLICIT.max(4.0 * f64::EPSILON * state.time.abs()),
            _ => SHORTEST_EXPLICIT,
        };
        let mut flow0 = self.start(model, options, state)?;
        clock.lap(&mut report.seconds.assemble);
        loop {
            let h = length.dt;
            let outcome = match self.attempt(model, options, state, &flow0, h) {
                Ok(outcome) => outcome,
                Err(Interrupt::NewPair(geoms)) => {
                    // The pair is now known, with springs at rest. The step is restarted.
                    self.dynamics.add_springs(geoms);
                    flow0 = self.start(model, options, state)?;
                    continue;
                }
                Err(Interrupt::NotFinite(_)) => {
                    Outcome { error: f64::INFINITY, factor: 0.1, iterations: 0, flow: Flow::default() }
                }
            };
            report.iterations += outcome.iterations;
            if outcome.error <= 1.0 {
                clock.lap(&mut report.seconds.solve);
                self.accept(model, options, state, h, length.next(outcome.factor, report.rejected));
                let Stages { kinematics, contacts, results, .. } = stages;
                results.clear();
                contacts.clear();
                let (patches, faces) = (&mut contacts.patches, &mut results.faces);
                self.dynamics.describe(model, options, state, &self.zero, patches, faces);
                kinematics.at(model.compiled(), state); // poses at which the patches were found
                report.add_flow(&outcome.flow, h);
                report.add_patches(patches);
                clock.lap(&mut report.seconds.advance);
                return Ok(report);
            }
            report.rejected += 1;
            if h <= shortest {
                return Err(self.too_short(model, options, state, h, outcome.error));
            }
            length.shorten(outcome.factor, shortest);
        }
    }

    /// The initial vector of the step, its derivative and the error tolerances.
    fn start(&mut self, model: &Model, options: &Options, state: &State) -> Result<Flow, StepError> {
        let (nv, pairs) = (model.nv(), self.dynamics.sprung.len());
        self.x.clear();
        self.x.resize(nv, 0.0);
        let locked = model.multibody().locked();
        self.x.extend(state.v.iter().zip(locked).map(|(v, &locked)| if locked { 0.0 } else { *v }));
        for geoms in &self.dynamics.sprung {
            let kept = state.springs.binary_search_by_key(geoms, |s| s.geoms);
            self.x.extend_from_slice(kept.map_or(&[0.0; 6], |i| &state.springs[i].s));
        }
        self.f.clear();
        self.f.resize(self.x.len(), 0.0);
        let flow = loop {
            match self.dynamics.derivative(model, options, state, &self.x, &mut self.f) {
                Ok(flow) => break flow,
                Err(Interrupt::NotFinite(dof)) => {
                    let what = format!("the acceleration of joint \"{}\"", model.joint_of(dof));
                    let last_good = Box::new(state.clone());
                    return Err(StepError::NotFinite { time: state.time, what, last_good });
                }
                // All pairs whose boxes meet here are known.
                Err(Interrupt::NewPair(geoms)) => self.dynamics.add_springs(geoms),
            }
        };
        let accuracy = options.accuracy.unwrap_or(DEFAULT_ACCURACY);
        self.weights.clear();
        self.weights.resize(nv, 1.0 / accuracy);
        self.weights.resize(2 * nv, REFERENCE_TIME / accuracy);
        self.scale.clear();
        if let TractionFriction::Springs(springs) = options.continuous().friction {
            for k in 0..pairs {
                // μ √(N/k̄) is stored when everything slips.
                let push = self.dynamics.pushes[k].max(1e-4 * self.weight);
                let scale = (push * springs.stretch).sqrt();
                self.scale.push(scale);
                let allowed = (SPRING_SHARE * accuracy).min(0.1) * scale;
                self.weights.resize(2 * nv + 6 * (k + 1), 1.0 / allowed);
            }
        }
        if options.continuous().integrator == Integrator::Radau {
            let Self { dynamics, jacobian, x, f, scale, .. } = self;
            // Not finite. The step detects this and is shortened.
            let _ = jacobian.compute(dynamics, model, options, state, x, f, scale);
        }
        Ok(flow)
    }

    /// Tries a step of length `h`; its end is in `end`.
    fn attempt(
        &mut self,
        model: &Model,
        options: &Options,
        state: &State,
        flow0: &Flow,
        h: f64,
    ) -> Result<Outcome, Interrupt> {
        let Self { dynamics, jacobian, radau, explicit, x, f, weights, end, .. } = self;
        let start = Start { model, options, state, x, f, weights };
        let pair: &Pair = match options.continuous().integrator {
            Integrator::DormandPrince => &DORMAND_PRINCE,
            Integrator::BogackiShampine => &BOGACKI_SHAMPINE,
            Integrator::Radau => {
                return Ok(match radau.attempt(dynamics, jacobian, &start, h)? {
                    Attempt::Diverged { iterations } => Outcome {
                        error: f64::INFINITY,
                        factor: 0.3,
                        iterations: iterations as u64,
                        flow: Flow::default(),
                    },
                    Attempt::Solved { error, iterations, flow } => {
                        end.clear();
                        end.extend(x.iter().zip(&radau.stages()[2]).map(|(x, z)| x + z));
                        // If Newton's method converged slowly, the step may be too long.
                        let (most, taken) = (2 * ITERATIONS, iterations);
                        let safety = 0.9 * (most + 1) as f64 / (most + taken) as f64;
                        Outcome {
                            error,
                            factor: factor(error, safety, 4.0),
                            iterations: iterations as u64,
                            flow,
                        }
                    }
                });
            }
        };
        let (error, flow) = explicit.attempt(dynamics, pair, &start, flow0, h)?;
        end.clear();
        end.extend_from_slice(&explicit.y);
        let error = if error.is_finite() { error } else { f64::INFINITY };
        Ok(Outcome { error, factor: factor(error, 0.9, pair.order), iterations: 0, flow })
    }

    /// Applies the end of the step to the state.
    fn accept(&mut self, model: &Model, options: &Options, state: &mut State, h: f64, next: f64) {
        let nv = model.nv();
        let integrator = options.continuous().integrator;
        self.last = Some(LastStep { begin: state.time, length: h, integrator });
        self.q0.clear();
        self.q0.extend_from_slice(&state.q);
        self.dynamics.chart.place(model.multibody(), &self.q0, &self.end[..nv], &mut state.q);
        state.v.copy_from_slice(&self.end[nv..2 * nv]);
        state.time += h;
        state.next_step = next;
        state.springs.clear();
        for (k, &geoms) in self.dynamics.sprung.iter().enumerate() {
            let mut s = [0.0; 6];
            s.copy_from_slice(&self.end[2 * nv + 6 * k..2 * nv + 6 * k + 6]);
            // A spring that has relaxed to rounding level is removed. Pairs in contact get a new spring at rest.
            if s.iter().any(|x| x.abs() > 1e-15 * self.scale[k]) {
                state.springs.push(PatchSpring { geoms, s });
            }
        }
    }

    /// Positions and velocities at a time within the last step: the collocation polynomial of Radau (order 3), a
    /// quartic for Dormand and Prince, a cubic for Bogacki and Shampine. Returns false outside the step.
    pub fn interpolate(&self, model: &Model, time: f64, q: &mut [f64], v: &mut [f64]) -> bool {
        let Some(last) = self.last else { return false };
        let t = (time - last.begin) / last.length;
        // For a short step at a late time, the time itself has a coarse resolution.
        let slack = 1e-9 + 2.0 * f64::EPSILON * time.abs() / last.length;
        if !(-slack..=1.0 + slack).contains(&t) {
            return false;
        }
        let t = t.clamp(0.0, 1.0);
        let nv = model.nv();
        let at = |i: usize| match last.integrator {
            Integrator::Radau => {
                let [a, b, c] = radau::C;
                let z = |k: usize| self.radau.stages()[k][i];
                // Lagrange through (0, 0) and the stages.
                self.x[i]
                    + t * ((t - b) * (t - c) / (a * (a - b) * (a - c)) * z(0)
                        + (t - a) * (t - c) / (b * (b - a) * (b - c)) * z(1)
                        + (t - a) * (t - b) / (c * (c - a) * (c - b)) * z(2))
            }
            method => {
                let pair =
                    if method == Integrator::DormandPrince { &DORMAND_PRINCE } else { &BOGACKI_SHAMPINE };
                self.explicit.between(pair, i, t, last.length, (self.x[i], self.end[i]))
            }
        };
        let theta: Vec<f64> = (0..nv).map(at).collect();
        self.dynamics.chart.place(model.multibody(), &self.q0, &theta, q);
        v.iter_mut().enumerate().for_each(|(i, v)| *v = at(nv + i));
        true
    }

    /// Accelerations at a state.
    pub fn accelerations(
        &mut self,
        model: &Model,
        options: &Options,
        state: &State,
    ) -> Result<&[f64], StepError> {
        self.dynamics.begin(model, options, state, &self.zero);
        self.refuse_rigid_contact(model, state)?;
        self.start(model, options, state)?;
        Ok(&self.f[model.nv()..2 * model.nv()])
    }

    /// Clears the last step.
    pub fn clear(&mut self) {
        self.last = None;
    }

    /// Two rigid bodies have no pressure field between them.
    fn refuse_rigid_contact(&self, model: &Model, state: &State) -> Result<(), StepError> {
        let Some(point) = self.dynamics.contacts.points.iter().find(|p| p.distance < -TOUCH) else {
            return Ok(());
        };
        let compiled = model.compiled();
        let name = |g| {
            let geom = compiled.described(g);
            if geom.name.is_empty() {
                format!("a {} of body \"{}\"", geom.shape.word(), compiled.world.bodies[geom.body].name)
            } else {
                format!("\"{}\"", geom.name)
            }
        };
        let (a, b) = geoms_of(point);
        Err(StepError::RigidContact { time: state.time, a: name(a), b: name(b) })
    }

    fn too_short(&self, model: &Model, options: &Options, state: &State, step: f64, error: f64) -> StepError {
        let worst = (0..self.f.len().min(2 * model.nv())).max_by(|&i, &j| {
            (self.f[i] * self.weights[i]).abs().total_cmp(&(self.f[j] * self.weights[j]).abs())
        });
        let what = worst.map_or(String::new(), |i| format!("joint \"{}\"", model.joint_of(i % model.nv())));
        let accuracy = options.accuracy.unwrap_or(DEFAULT_ACCURACY);
        StepError::Accuracy { time: state.time, accuracy, step, error, what }
    }
}

/// Factor for the step after a relative error, for a method whose error is proportional to h^order.
fn factor(error: f64, safety: f64, order: f64) -> f64 {
    if error.is_finite() { (safety * error.powf(-1.0 / order)).clamp(0.2, 8.0) } else { 0.2 }
}

impl StepReport {
    /// Energy balance of a step of length `h`.
    fn add_flow(&mut self, flow: &Flow, h: f64) {
        self.step = h;
        self.friction_loss = -flow.friction;
        self.normal_loss = -flow.normal;
        self.dissipated = flow.dissipated;
        self.other_work = flow.other;
    }
}
