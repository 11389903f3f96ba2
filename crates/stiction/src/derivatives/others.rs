//! Derivatives of other joint forces by central differences: tendons, couplings, muscles, wrenches at sites, springs
//! and limits of ball joints, gravity compensation.
//!
//! Only this part of the residual is differenced, at the velocities of the solution. The differences involve no
//! solve, contact or inertial force, so the solver's tolerance does not affect them.

use super::{Columns, DerivativeError};
use crate::contact::patches::PatchSet;
use crate::contact::query::Touching;
use crate::error::StepError;
use crate::forces::Force;
use crate::model::Model;
use crate::options::Options;
use crate::state::State;
use crate::step::assemble::{Assembly, Parts};
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::Kinematics;
use nalgebra::DMatrix;
use stiction_convex::Solver;
use stiction_model::ContactCalibration;
use stiction_multibody::QuaternionStep;

/// Step of the differences, m, rad and their rates; relative for controls beyond 1.
const STEP: f64 = 1e-6;

/// Buffers of the differences.
pub(super) struct Others {
    kinematics: Kinematics,
    free: FreeMotion,
    assembly: Assembly,
    solver: Solver,
    nothing: PatchSet,
    state: State,
    unit: Vec<f64>,
    values: [Vec<f64>; 2],
    impulses: Vec<f64>,
}

/// The step that is differentiated.
struct Step<'a> {
    model: &'a Model,
    options: &'a Options,
    dt: f64,
    v: &'a [f64],
}

impl Others {
    pub fn new(model: &Model) -> Self {
        let nv = model.nv();
        Self {
            kinematics: Kinematics::new(model.compiled()),
            free: FreeMotion::new(model),
            assembly: Assembly::new(model),
            solver: Solver::default(),
            nothing: PatchSet::default(),
            state: model.default_state(),
            unit: vec![0.0; nv],
            values: [vec![0.0; nv], vec![0.0; nv]],
            impulses: vec![0.0; nv],
        }
    }

    /// Adds to ∂r/∂x.
    pub fn differentiate(
        &mut self,
        model: &Model,
        state: &State,
        options: &Options,
        dt: f64,
        v: &[f64],
        columns: Columns,
        rhs: &mut DMatrix<f64>,
    ) -> Result<(), DerivativeError> {
        let step = Step { model, options, dt, v };
        for j in 0..columns.nv {
            for side in 0..2 {
                self.state.copy_from(state);
                self.unit[j] = 1.0;
                let h = if side == 0 { STEP } else { -STEP };
                let how = QuaternionStep::Exponential;
                model.multibody().integrate(&state.q, &self.unit, h, how, &mut self.state.q);
                self.unit[j] = 0.0;
                self.residual(&step, side)?;
            }
            self.add(rhs, j, STEP);
        }
        // Only tendons and actuators depend on velocities.
        let rates = !model.compiled().drives.drives.is_empty() || !model.world().tendons.is_empty();
        for j in (0..columns.nv).filter(|_| rates) {
            let h = STEP * state.v[j].abs().max(1.0);
            self.vary(&step, state, h, |s, h| s.v[j] += h)?;
            self.add(rhs, columns.velocity(j), h);
        }
        for j in 0..columns.na {
            let h = STEP * state.activation[j].abs().max(1.0);
            self.vary(&step, state, h, |s, h| s.activation[j] += h)?;
            self.add(rhs, columns.activation(j), h);
        }
        for j in 0..columns.nu {
            let h = STEP * state.ctrl[j].abs().max(1.0);
            self.vary(&step, state, h, |s, h| s.ctrl[j] += h)?;
            self.add(rhs, columns.control(j), h);
        }
        Ok(())
    }

    fn vary(
        &mut self,
        step: &Step,
        state: &State,
        h: f64,
        change: impl Fn(&mut State, f64),
    ) -> Result<(), DerivativeError> {
        for (side, h) in [h, -h].into_iter().enumerate() {
            self.state.copy_from(state);
            change(&mut self.state, h);
            self.residual(step, side)?;
        }
        Ok(())
    }

    fn add(&self, rhs: &mut DMatrix<f64>, column: usize, h: f64) {
        let [plus, minus] = &self.values;
        for (k, x) in rhs.column_mut(column).iter_mut().enumerate() {
            *x += (plus[k] - minus[k]) / (2.0 * h);
        }
    }

    /// added ∘ v⁺ − δt f − Jᵀγ of the rows, at the state in memory.
    fn residual(&mut self, step: &Step, side: usize) -> Result<(), DerivativeError> {
        let Self { kinematics, free, assembly, state, nothing, .. } = self;
        let (compiled, touching) = (step.model.compiled(), Touching { points: &[], patches: nothing });
        kinematics.at(compiled, state).drifts(compiled);
        free.begin(step.model, kinematics);
        let not_inertia = |force: &dyn Force| !force.is_inertia();
        free.gather_forces(step.model, state, kinematics, touching, step.dt, not_inertia);
        for (k, out) in self.values[side].iter_mut().enumerate() {
            *out = free.added[k] * step.v[k] - step.dt * free.impulse[k];
        }
        let parts = Parts {
            model: step.model,
            options: step.options,
            calibration: &ContactCalibration::default(),
            softness: None,
            state,
            kinematics,
            touching,
            free,
            dt: step.dt,
        };
        let built = assembly
            .build_rows(&parts)
            .map(|_| ())
            .and_then(|()| assembly.add_reached_limits(&step.model.compiled().limits, step.v));
        let impulses = &mut self.impulses;
        let found =
            built.and_then(|_| self.solver.constraint_impulse_at(&assembly.problem, step.v, impulses));
        found.map_err(|error| StepError::NotFinite {
            time: state.time,
            what: error.to_string(),
            last_good: Box::new(state.clone()),
        })?;
        for (out, impulse) in self.values[side].iter_mut().zip(&self.impulses) {
            *out -= impulse;
        }
        Ok(())
    }
}
