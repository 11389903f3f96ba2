//! What acts on single coordinates: springs, limits and actuators of hinges and slides, in closed form.
//!
//! With A_kk = M_kk + what damping, springs and servos add, the residual of coordinate k has the terms
//!
//! ```text
//! spring     δt K (q − rest + δt v⁺)
//! servo      −γ g,  γ = δt clamp(u₀ − (δt K_p + K_d) g v⁺),  u₀ = gain · input + b₁ g q + b₂ g v      g the gear
//! limit      ∓γ,    γ = (−φ/(δt + τ) ∓ v⁺)₊/R,               R ∝ w = 1/A_kk where it is near-rigid
//! ```
//!
//! (The middle of a limited servo's range, which the step adds apart, is a constant.)

use super::Columns;
use crate::forces::transmission::Link;
use crate::model::Model;
use crate::state::State;
use crate::step::Stepper;
use nalgebra::DMatrix;
use stiction_convex::RowLaw;
use stiction_convex::scalar::ScalarLaw;

/// Whether everything that acts on joints is of the kinds of this file.
pub(super) fn is_plain(model: &Model) -> bool {
    let (compiled, multibody) = (model.compiled(), model.multibody());
    let world = &compiled.world;
    let spring = |v: usize| multibody.stiffness()[v] > 0.0;
    let turns = multibody.joints().iter().filter(|j| j.q.len() == 4 || j.q.len() == 7);
    let drives = compiled.drives.drives.iter().all(|d| {
        d.muscle.is_none() && d.gain[1..] == [0.0, 0.0] && matches!(d.link, Link::Coordinate { .. })
    });
    world.tendons.is_empty()
        && !world.equalities.iter().any(|e| e.active)
        && world.bushings.is_empty()
        && compiled.ball_limits.is_empty()
        && !multibody.compensates_gravity()
        && !turns.flat_map(|j| j.v.clone()).any(spring)
        && drives
}

/// The step that is differentiated.
pub(super) struct JointDerivatives<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub dt: f64,
    /// v⁺.
    pub v: &'a [f64],
    /// ∂M_kk/∂q_j.
    pub diagonal: &'a DMatrix<f64>,
}

impl JointDerivatives<'_> {
    /// Adds to ∂r/∂x.
    pub fn add(&self, stepper: &Stepper, columns: Columns, rhs: &mut DMatrix<f64>) {
        let multibody = self.model.multibody();
        for (k, stiffness) in multibody.stiffness().iter().enumerate() {
            rhs[(k, k)] += self.dt * stiffness;
        }
        self.servos(stepper, columns, rhs);
        self.limits(stepper, rhs);
    }

    fn servos(&self, stepper: &Stepper, columns: Columns, rhs: &mut DMatrix<f64>) {
        let (dt, state, free) = (self.dt, self.state, &stepper.free);
        for (row, drive) in self.model.compiled().drives.drives.iter().enumerate() {
            let servo = &free.servos[row];
            let &[(k, gear)] = free.drives.row(row) else { continue };
            if drive.limited() {
                let [low, high] = drive.force_range;
                let force = servo.force - (dt * servo.proportional + servo.derivative) * gear * self.v[k];
                if !(low..=high).contains(&force) {
                    continue;
                }
            }
            // A slope that is taken implicitly by the end's velocity does not see the beginning's.
            let by_rate = if servo.derivative > 0.0 { 0.0 } else { drive.bias[2] };
            rhs[(k, k)] -= dt * gear * drive.bias[1] * gear;
            rhs[(k, columns.velocity(k))] -= dt * gear * by_rate * gear;
            let ctrl = state.ctrl[row];
            let slope = |x: f64, f: &dyn Fn(f64) -> f64| {
                let h = 1e-6 * x.abs().max(1.0);
                (f(x + h) - f(x - h)) / (2.0 * h)
            };
            let by_ctrl = slope(ctrl, &|ctrl| drive.input(ctrl, &state.activation, dt));
            rhs[(k, columns.control(row))] -= dt * gear * drive.gain[0] * by_ctrl;
            if let Some(i) = drive.activation {
                let mut activation = state.activation.clone();
                let mut input = |a: f64| {
                    activation[i] = a;
                    drive.input(ctrl, &activation, dt)
                };
                let a = state.activation[i];
                let h = 1e-6 * a.abs().max(1.0);
                let by_activation = (input(a + h) - input(a - h)) / (2.0 * h);
                rhs[(k, columns.activation(i))] -= dt * gear * drive.gain[0] * by_activation;
            }
        }
    }

    fn limits(&self, stepper: &Stepper, rhs: &mut DMatrix<f64>) {
        let (dt, free) = (self.dt, &stepper.free);
        for limit in &self.model.compiled().limits {
            let (k, q) = (limit.v, self.state.q[limit.q]);
            if self.model.multibody().locked()[k] {
                continue;
            }
            let a = free.mass.get(k, k) + free.added[k];
            let w = 1.0 / a;
            for (phi, sign) in [(q - limit.lower, 1.0), (limit.upper - q, -1.0)] {
                if !phi.is_finite() {
                    continue;
                }
                let compliance = crate::step::rows::limit_compliance(limit.stiffness, dt);
                let law = RowLaw::Limit { phi, compliance };
                let ScalarLaw::Spring { inv_r, v_hat, .. } = law.compile(dt, w) else { continue };
                let gamma = inv_r * (v_hat - sign * self.v[k]);
                if gamma <= 0.0 {
                    continue;
                }
                // v̂ = −φ/span, and 1/R ∝ 1/w unless the limit's own spring is the softer one.
                rhs[(k, k)] -= sign * inv_r * law.correction_slope(dt) * sign;
                let ScalarLaw::Spring { inv_r: softer, .. } = law.compile(dt, 2.0 * w) else { continue };
                if softer < 0.75 * inv_r {
                    // ∂γ/∂w = −γ/w, ∂w/∂q_j = −w² ∂A_kk/∂q_j
                    for j in 0..rhs.nrows() {
                        rhs[(k, j)] -= sign * gamma * w * self.diagonal[(k, j)];
                    }
                }
            }
        }
    }
}
