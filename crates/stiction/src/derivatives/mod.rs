//! Derivatives of one step: ∂(q⁺, v⁺)/∂(q, v, u) and by contact parameters.
//!
//! The step is q, v ↦ v⁺ = argmin ℓ(v⁺; x), q⁺ = q ⊕ δt v⁺, where x contains all inputs. At the optimum the residual
//! vanishes,
//!
//! ```text
//! r(v⁺; x) = δt ID(q, v, (v⁺ − v)/δt) + joints(q, v, u; v⁺) − Σ_pairs Jᵀ W(q, v, θ; v⁺) = 0
//! ```
//!
//! with ID inverse dynamics, W the impulsive wrench of the contacts of a pair of bodies, and so by the implicit function
//! theorem ∂v⁺/∂x = −H⁻¹ ∂r/∂x with the solver's own factor of its Hessian H = ∂r/∂v⁺. This is the exact derivative
//! of the discrete step: the lagged normal impulse, friction by slip speed and the regularisation are functions of
//! the initial state and are differentiated as such.
//!
//! | open | for ∂r/∂x of |
//! |---|---|
//! | `stiction_multibody::derivatives` | inverse dynamics, in closed form |
//! | `joints` | forces in closed form, each in its own file (`forces/`) |
//! | `others` | forces without one (tendons, couplings, muscles…), by central differences of that part |
//! | `pairs` | contact: from a pair's wrench to coordinates |
//! | `manifold` | contact: the wrench of one manifold and its six-dimensional derivatives |
//! | `features` | contact geometry in closed form |
//! | [`parameters`] | contact parameters by geom |
//!
//! The wrench of points and patches depends only on the relative pose of two bodies. Geometry without a closed form
//! therefore costs twelve evaluations per pair, for any number of coordinates.
//!
//! **Coordinates.** Positions are differentiated along the tangent, with nv numbers as velocities have: q ⊕ δq by
//! [`stiction_multibody::Multibody::integrate`] (rotations of ball and free joints about body axes), as MuJoCo's
//! `mjd_transitionFD` does. A state is [δq; δv; δact].
//!
//! **Impacts.** The step that is differentiated is solved once, so that its friction lags as published. Where a step of the
//! simulation solves again for a normal force that comes or goes ([`Options::friction_passes`]), it differs; the pairs of geoms
//! are among the doubtful ones. With `friction_passes = 0` both are the same step.
//!
//! **Tangential springs.** Their stretches are part of the initial state. They are held fixed in the frames in which
//! they are stored (the frames of the first geoms' bodies), as are mocap poses and applied forces. A step's
//! derivative therefore depends on the history through the stretches. The derivatives of the stretches themselves
//! are not included, so products of derivatives over several steps omit the coupling through springs.

mod features;
pub(crate) mod joints;
mod manifold;
mod others;
mod pairs;
pub mod parameters;

use crate::contact::entries::EntrySource;
use crate::error::{InputError, OptionError, StepError};
use crate::forces;
use crate::methods::support::{MethodKind, refusal};
use crate::model::geom_id::geoms_of;
use crate::model::{GeomId, Model};
use crate::options::{Options, Sticking};
use crate::state::State;
use crate::step::first_touch::Ahead;
use crate::step::kinematics::Kinematics;
use crate::step::{Settings, Stages, StepReport};
use joints::{DifferentiatedStep, slope};
use manifold::ManifoldScratch;
use nalgebra::{DMatrix, Matrix3, Quaternion, UnitQuaternion, Vector3};
use others::Others;
pub use parameters::{ContactParameter, ContactProperty};
use stiction_multibody::Derivatives;

/// Tolerance of the solve whose optimum is differentiated, unless the options have a smaller one.
const TIGHT: f64 = 1e-11;

/// Reason why a step has no derivative.
#[derive(Debug, thiserror::Error)]
pub enum DerivativeError {
    /// Steps of other kinds than fixed convex ones, or with a contact that is not differentiated.
    #[error("derivatives are of convex steps of fixed length: {0}")]
    Method(&'static str),
    /// An unsupported feature of the model, or an unsupported option.
    #[error("{0}")]
    Model(String),
    /// A contact parameter that cannot be differentiated.
    #[error("parameter {parameter} of geom \"{geom}\": {reason}")]
    Parameter {
        /// Name of the property.
        parameter: &'static str,
        /// Name of the geom.
        geom: String,
        /// The problem and its remedy.
        reason: String,
    },
    /// Wrong names or numbers.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Wrong options.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// The step itself fails.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Derivatives of one step. A state has n = 2 nv + na coordinates, [δq; δv; δact] (see [`crate::derivatives`]).
#[derive(Clone, Debug, PartialEq)]
pub struct StepDerivatives {
    /// ∂state⁺/∂state, n × n.
    pub state: DMatrix<f64>,
    /// ∂state⁺/∂ctrl, n × nu.
    pub ctrl: DMatrix<f64>,
    /// ∂state⁺/∂parameter, n × the number of requested parameters.
    pub parameters: DMatrix<f64>,
    /// Positions after the step.
    pub q: Vec<f64>,
    /// Velocities after the step, solved to a relative tolerance of 1e-11.
    pub v: Vec<f64>,
    /// Pairs of geoms (of the world's list) whose contact points appear or vanish within the finite differences of
    /// their geometry, so that the step has a kink near this state, or whose friction waits for a normal force that comes or goes
    /// within the step (see [`crate::derivatives`]).
    pub doubtful: Vec<(GeomId, GeomId)>,
    /// Report of the solve.
    pub report: StepReport,
}

/// Buffers of differentiation. They include separate stages, so the simulation's results do not change.
pub(crate) struct Differentiator {
    settings: Settings,
    stages: Stages,
    multibody: Derivatives,
    /// ∂M_kk/∂q_j.
    diagonal: DMatrix<f64>,
    /// Kinematics at the final velocities and the initial positions.
    end: Kinematics,
    /// Motion of the parent of each coordinate's joint, at the initial and final velocities.
    before: [Vec<[f64; 6]>; 2],
    manifolds: ManifoldScratch,
    others: Option<Others>,
    /// ∂r/∂x, one column for each coordinate of the state, control and parameter.
    rhs: DMatrix<f64>,
    /// Whether the simulation solves a step again for friction that lags.
    repeats: bool,
    doubtful: Vec<(GeomId, GeomId)>,
}

impl Differentiator {
    pub fn new(model: &Model, options: &Options) -> Result<Self, DerivativeError> {
        let multibody = model.multibody();
        let nv = multibody.nv();
        let closed = forces::all().iter().all(|force| force.has_derivatives(model));
        let settings = Settings::new(model, tightened(model, options)?)?;
        Ok(Self {
            stages: Stages::new(model, &settings),
            settings,
            multibody: Derivatives::new(multibody),
            diagonal: DMatrix::zeros(nv, nv),
            end: Kinematics::new(model.compiled()),
            before: [vec![[0.0; 6]; nv], vec![[0.0; 6]; nv]],
            manifolds: ManifoldScratch::new(model),
            others: (!closed).then(|| Others::new(model)),
            rhs: DMatrix::zeros(0, 0),
            repeats: options.friction_passes > 0,
            doubtful: Vec::new(),
        })
    }

    pub fn set_options(&mut self, model: &Model, options: &Options) -> Result<(), DerivativeError> {
        self.settings = Settings::new(model, tightened(model, options)?)?;
        self.repeats = options.friction_passes > 0;
        self.stages.set_options(&self.settings.options);
        Ok(())
    }

    /// Derivatives of the step from `state`.
    pub fn compute(
        &mut self,
        model: &Model,
        state: &State,
        parameters: &[ContactParameter],
    ) -> Result<StepDerivatives, DerivativeError> {
        model.check_state(state)?;
        let (settings, dt) = (&self.settings, self.settings.options.step);
        let mut report = StepReport { step: dt, ..StepReport::default() };
        self.stages.observe(model, settings, state, &Ahead::default(), &mut report);
        self.stages.solve(model, settings, state, dt, None, &mut report)?;
        if report.travelling > 0 {
            return Err(DerivativeError::Method(
                "a contact point travels far over a turning body in this step, and its correction is not differentiated; \
                 choose a smaller step",
            ));
        }
        if !self.stages.assembly.log.turned.is_empty() {
            return Err(DerivativeError::Method(
                "a ball joint is driven into its limit within this step, and the direction of its row is not differentiated; \
                 choose a smaller step",
            ));
        }
        if self.stages.solver.needs_correction() {
            return Err(DerivativeError::Method(
                "a connection or weld has a large error in this step, which is corrected in a second pass that is not \
                 differentiated; begin from a state in which loops are closed and targets are within reach",
            ));
        }
        if self.stages.sweep.has_acted() {
            return Err(DerivativeError::Method(
                "bodies meet within this step and have a speculative contact, whose place is not differentiated; \
                 choose a smaller step, or speculative = false",
            ));
        }

        let (nv, na, nu) = (model.nv(), state.activation.len(), state.ctrl.len());
        let columns = Columns { nv, na, nu };
        let width = columns.parameters() + parameters.len();
        if self.rhs.shape() != (nv, width) {
            self.rhs = DMatrix::zeros(nv, width);
        }
        self.rhs.fill(0.0);
        self.doubtful.clear();
        let v: Vec<f64> = self.stages.solver.velocities().to_vec();
        self.dynamics(model, state, dt, &v);
        let (kinematics, free, diagonal) = (&self.stages.kinematics, &self.stages.free, &self.diagonal);
        let step = DifferentiatedStep { model, state, kinematics, free, dt, v: &v, diagonal, columns };
        match &mut self.others {
            None => forces::all().iter().for_each(|force| force.derivatives(&step, &mut self.rhs)),
            Some(others) => {
                let options = &self.settings.options;
                others.differentiate(model, state, options, dt, &v, columns, &mut self.rhs)?;
            }
        }
        self.contacts(model, state, &v, columns, parameters)?;
        if self.repeats {
            self.late_friction(model);
        }

        // A locked coordinate does not move, and its velocity has no effect.
        for (k, _) in model.multibody().locked().iter().enumerate().filter(|(_, locked)| **locked) {
            self.rhs.row_mut(k).fill(0.0);
            self.rhs.column_mut(nv + k).fill(0.0);
        }
        let (solver, problem) = (&mut self.stages.solver, &self.stages.assembly.problem);
        solver.factor_at_solution(problem).expect("the problem just solved");
        for mut column in self.rhs.column_iter_mut() {
            let column = column.as_mut_slice();
            if column.iter().any(|x| *x != 0.0) {
                column.iter_mut().for_each(|x| *x = -*x);
                solver.solve_hessian(column).expect("one number a coordinate");
            }
        }
        Ok(self.collect(model, state, v, columns, report))
    }

    /// Adds the pairs for whose friction a step of the simulation would be solved again to the doubtful ones.
    fn late_friction(&mut self, model: &Model) {
        let Stages { solver, assembly, contacts, .. } = &self.stages;
        let mut late = Vec::new();
        solver.late_friction(&assembly.problem, &mut late);
        for (contact, _) in late {
            let pair = match assembly.places[contact].source {
                EntrySource::Point(i) => geoms_of(&contacts.points[i]),
                EntrySource::Face(face, _) => {
                    let mut patches = contacts.patches.patches.iter();
                    let Some(found) = patches.find(|p| p.patch.faces.contains(&face)) else { continue };
                    found.geoms
                }
            };
            let colliding = &model.compiled().colliding;
            let pair = (colliding.in_world(pair.0), colliding.in_world(pair.1));
            if !self.doubtful.contains(&pair) {
                self.doubtful.push(pair);
            }
        }
    }

    /// Inverse dynamics at v̇ = (v⁺ − v)/δt, and the kinematics for the contacts.
    fn dynamics(&mut self, model: &Model, state: &State, dt: f64, v: &[f64]) {
        let (multibody, compiled, nv) = (model.multibody(), model.compiled(), model.nv());
        let Stages { kinematics, free, .. } = &mut self.stages;
        let (workspace, v0) = (&mut kinematics.workspace, &kinematics.v);
        let rate: Vec<f64> = v.iter().zip(v0).map(|(v, v0)| (v - v0) / dt).collect();
        let places = &mut self.multibody;
        multibody.inverse_dynamics_derivatives(workspace, v0, &rate, places);
        multibody.add_mean_bias_derivatives(workspace, v0, dt, places);
        for tree in multibody.trees() {
            for (j, k) in tree.v.clone().flat_map(|j| tree.v.clone().map(move |k| (j, k))) {
                self.rhs[(k, j)] = dt * places.by_q[(k, j)];
                self.rhs[(k, nv + j)] = dt * places.by_v[(k, j)] - free.mass.get(k, j);
            }
        }
        multibody.mass_diagonal_derivatives(workspace, &mut free.mass, places, &mut self.diagonal);
        multibody.twists_before(workspace, v0, &mut self.before[0]);
        self.end.positions(compiled, &state.mocap, &state.q);
        self.end.velocities(compiled, v);
        multibody.twists_before(&self.end.workspace, v, &mut self.before[1]);
    }

    /// The rows of v⁺ are solved for. The rows of q⁺ and of the activations follow from them.
    fn collect(
        &self,
        model: &Model,
        state: &State,
        v: Vec<f64>,
        columns: Columns,
        report: StepReport,
    ) -> StepDerivatives {
        let (nv, dt) = (columns.nv, self.settings.options.step);
        let (n, width) = (2 * nv + columns.na, self.rhs.ncols());
        let mut all = DMatrix::zeros(n, width);
        all.rows_mut(nv, nv).copy_from(&self.rhs);
        for joint in model.multibody().joints() {
            let turn = match joint.q.len() {
                4 => Some(joint.v.start),
                7 => Some(joint.v.start + 3),
                _ => None,
            };
            for k in joint.v.clone().take_while(|&k| turn.is_none_or(|at| k < at)) {
                for c in 0..width {
                    all[(k, c)] = dt * self.rhs[(k, c)];
                }
                all[(k, k)] += 1.0;
            }
            if let Some(at) = turn {
                let (carried, driven) = turned(&v[at..at + 3], dt);
                for c in 0..width {
                    let change = driven * self.rhs.fixed_view::<3, 1>(at, c);
                    all.fixed_view_mut::<3, 1>(at, c).copy_from(&change);
                }
                let mut own = all.fixed_view_mut::<3, 3>(at, at);
                own += carried;
            }
        }
        for (u, drive) in model.compiled().drives.drives.iter().enumerate() {
            let Some(i) = drive.activation else { continue };
            let (at, ctrl) = (state.activation[i], state.ctrl[u]);
            all[(2 * nv + i, columns.activation(i))] = slope(at, |a| drive.next_activation(ctrl, a, dt));
            all[(2 * nv + i, columns.control(u))] = slope(ctrl, |c| drive.next_activation(c, at, dt));
        }
        let doubtful = self.doubtful.clone();
        StepDerivatives {
            state: all.columns(0, n).into_owned(),
            ctrl: all.columns(n, columns.nu).into_owned(),
            parameters: all.columns_range(columns.parameters()..).into_owned(),
            q: self.stages.q_next.clone(),
            v,
            doubtful,
            report,
        }
    }
}

/// Layout of the columns.
#[derive(Clone, Copy)]
pub(crate) struct Columns {
    nv: usize,
    na: usize,
    nu: usize,
}

impl Columns {
    pub(crate) fn velocity(&self, k: usize) -> usize {
        self.nv + k
    }

    pub(crate) fn activation(&self, k: usize) -> usize {
        2 * self.nv + k
    }

    pub(crate) fn control(&self, k: usize) -> usize {
        2 * self.nv + self.na + k
    }

    /// The first of the parameters.
    fn parameters(&self) -> usize {
        2 * self.nv + self.na + self.nu
    }
}

/// Derivatives of a rotation R⁺ = R Δ(δt ω), Δ the projected quaternion step, by R and by ω, all in body axes: Δᵀ,
/// and δt (1 − x×)/(1 + x²) with x = δt ω/2.
fn turned(w: &[f64], dt: f64) -> (Matrix3<f64>, Matrix3<f64>) {
    let x = 0.5 * dt * Vector3::new(w[0], w[1], w[2]);
    let step = UnitQuaternion::from_quaternion(Quaternion::new(1.0, x.x, x.y, x.z));
    let carried = step.to_rotation_matrix().into_inner().transpose();
    let driven = (Matrix3::identity() - x.cross_matrix()) * (dt / (1.0 + x.norm_squared()));
    (carried, driven)
}

/// The options with a tight tolerance, or the reason why these options or this model have no derivative.
fn tightened(model: &Model, options: &Options) -> Result<Options, DerivativeError> {
    if let Some(reason) = refusal(model.world(), options, MethodKind::Derivatives) {
        return Err(DerivativeError::Model(reason));
    }
    let relative_tolerance = options.relative_tolerance.min(TIGHT);
    let tangential_springs = match options.tangential_springs {
        Sticking::Auto => Sticking::Damped,
        chosen => chosen,
    };
    Ok(Options { relative_tolerance, friction_passes: 0, tangential_springs, ..options.clone() })
}
