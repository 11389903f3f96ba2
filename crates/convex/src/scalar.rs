//! Laws of one scalar velocity: limits, equalities, actuators, dry friction.
//!
//! ```text
//! law              γ(v)                                            ℓ(v)                     ℓ″
//! spring           y = (v̂ − v)/R                                   ½ R γ²                   1/R
//! limit            y₊                                              ½ R γ²                   1/R where y > 0
//! PD               δt clamp(u0 − K v, ±e)                          −δt ∫u                   δt K inside the clamp
//! dry friction     −δt f_c v/√(v²+ε²)                              δt f_c (√(v²+ε²) − ε)    δt f_c ε²/(v²+ε²)^{3/2}
//! ```
//!
//! Springs and limits are regularised like SAP's normal direction: R = max(β²/(4π²) w, 1/(δt k (δt+τ))) and
//! v̂ = −φ0/(δt + τ), w the row's own Delassus estimate. PD control: u = u_ff − K_p (q0 + δt v − q_d) −
//! K_d (v − v_d), so that K = δt K_p + K_d. Equalities with an error that one linear step cannot treat are solved in two
//! passes ([`crate::correction`]).
//!
//! [`RowLaw`] is defined by the caller. [`ScalarLaw`] is its form during a solve.

use crate::correction::{Constraint, Held};
use std::f64::consts::PI;

/// β of a constraint whose stiffness is not given.
pub const NEAR_RIGID_BETA: f64 = 0.1;
/// Time step below which near-rigid constraints stiffen no further, s.
pub const NEAR_RIGID_MIN_STEP: f64 = 1e-4;

/// Largest acceleration c, m/s² or rad/s² as the row's φ, that a load can give a near-rigid row within a step: a
/// violation beyond c δt² existed before the step (an initial state, a new constraint). A load that accelerates the
/// free row by a violates it by β²/(4π²) a δt² = 2.5e-4 a δt², so this is sufficient for a = 1e6 m/s².
const STEP_ACCELERATION: f64 = 300.0;
/// Time constant with which an earlier violation closes, s. Closing within one step would cause the speed φ/δt: a
/// joint that starts beyond one limit would hit the other limit.
const CLOSING_TIME: f64 = 0.05;
/// Largest speed at which an earlier violation closes, m/s or rad/s: a limit does not slow a joint after pushing it
/// back.
pub(crate) const CLOSING_SPEED: f64 = 1.0;

/// The part of an error that a step removes, and its derivative by the error: all that a step can have `made`, and of
/// the excess what closes in a step of δt + τ = `span`, at most at `speed`.
pub(crate) fn closing(error: f64, made: f64, span: f64, speed: f64) -> (f64, f64) {
    let beyond = error - made;
    if beyond.is_nan() || beyond <= 0.0 {
        return (error, 1.0);
    }
    let share = (span / CLOSING_TIME).min(1.0);
    match speed * span {
        most if beyond * share > most => (made + most, 0.0),
        _ => (made + beyond * share, share),
    }
}

/// Largest violation that a step of `dt` can cause in a near-rigid row with the given drift.
pub fn made_in_a_step(drift: f64, dt: f64) -> f64 {
    let step = dt.max(NEAR_RIGID_MIN_STEP);
    // The drift changes over a step and between steps. A factor of four leaves a margin.
    (STEP_ACCELERATION + 4.0 * drift) * step * step
}

/// Compliance of a limit or an equality.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowCompliance {
    /// Near-rigid: as stiff as the step can resolve: period β δt, critically damped (τ = β δt/π), δt floored at 1e−4
    /// s.
    NearRigid {
        /// β; smaller is stiffer. 0.1 is [`NEAR_RIGID_BETA`].
        beta: f64,
        /// |φ̈| at constant joint velocities, which the row's direction does not include, m/s² or rad/s²: a point
        /// that rotates at ω about an axis at distance r has ω² r.
        drift: f64,
    },
    /// A spring with linear dissipation, still limited by near-rigid β.
    Spring {
        /// k: N/m, or N m/rad along an angle.
        stiffness: f64,
        /// Relaxation time τ, s: damping is k τ.
        relaxation_time: f64,
        /// β of the near-rigid limit.
        beta: f64,
    },
}

impl Default for RowCompliance {
    /// Near-rigid with β = 0.1.
    fn default() -> Self {
        Self::near_rigid(0.0)
    }
}

impl RowCompliance {
    /// Near-rigid with β = 0.1, for a row with |φ̈| = `drift` at constant joint velocities.
    pub fn near_rigid(drift: f64) -> Self {
        Self::NearRigid { beta: NEAR_RIGID_BETA, drift }
    }

    /// A spring of stiffness k and relaxation time τ, limited by β = 0.1.
    pub fn spring(stiffness: f64, relaxation_time: f64) -> Self {
        Self::Spring { stiffness, relaxation_time, beta: NEAR_RIGID_BETA }
    }

    /// The part of a limit's violation `phi` < 0 that a step of `dt` removes, and its derivative by `phi`. Springs are not
    /// limited.
    fn pace(&self, phi: f64, dt: f64, span: f64) -> (f64, f64) {
        let Self::NearRigid { drift, .. } = *self else { return (phi, 1.0) };
        if phi >= 0.0 {
            return (phi, 1.0);
        }
        let (part, slope) = closing(-phi, made_in_a_step(drift, dt), span, CLOSING_SPEED);
        (-part, slope)
    }

    /// δt + τ (s) during a step of `dt`: a limit that is not violated acts below the velocity −φ/(δt + τ).
    #[inline]
    pub fn span(&self, dt: f64) -> f64 {
        match *self {
            Self::NearRigid { beta, .. } => dt + beta * dt.max(NEAR_RIGID_MIN_STEP) / PI,
            Self::Spring { relaxation_time, .. } => dt + relaxation_time,
        }
    }

    /// R (1/kg) and δt + τ (s) for a row with Delassus estimate `w`.
    pub(crate) fn regularization(&self, dt: f64, w: f64) -> (f64, f64) {
        match *self {
            Self::NearRigid { beta, .. } => {
                // At or above the floor R = β²/(4π²) w. Below it, the equivalent stiffness and τ are kept, so the
                // limit δt → 0 exists: R δt (δt + τ) = 1/k stays constant.
                let floored = dt.max(NEAR_RIGID_MIN_STEP);
                let tau = beta * floored / PI;
                let r = beta * beta / (4.0 * PI * PI) * w;
                (r * (floored * (floored + tau)) / (dt * (dt + tau)), dt + tau)
            }
            Self::Spring { stiffness, relaxation_time, beta } => {
                let span = dt + relaxation_time;
                (f64::max(beta * beta / (4.0 * PI * PI) * w, 1.0 / (dt * stiffness * span)), span)
            }
        }
    }
}

/// The law of a row, as defined by the caller. Impulses act along the row's direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowLaw {
    /// One-sided: keeps φ ≥ 0, φ̇ = row velocity.
    Limit {
        /// Constraint function φ0 at the previous state, m or rad; negative when violated.
        phi: f64,
        /// Compliance.
        compliance: RowCompliance,
    },
    /// Two-sided: keeps φ = 0.
    Equality {
        /// Constraint function φ0 at the previous state, m or rad.
        phi: f64,
        /// Compliance.
        compliance: RowCompliance,
        /// The constraint of which the row is a part.
        constraint: Constraint,
        /// Result of the first pass, during the second.
        held: Option<Held>,
    },
    /// PD control with an effort limit, taken implicitly.
    Pd {
        /// K_p, N/m or N m/rad.
        proportional: f64,
        /// K_d, N s/m or N m s/rad.
        derivative: f64,
        /// q0 − q_d at the previous state.
        position_error: f64,
        /// v_d.
        target_velocity: f64,
        /// u_ff, N or N m.
        feed_forward: f64,
        /// Effort limit e ≥ 0, N or N m; infinite for none.
        effort_limit: f64,
    },
    /// Dry friction in a joint.
    DryFriction {
        /// f_c ≥ 0, N or N m.
        force: f64,
        /// ε > 0: velocity at which it is developed, m/s or rad/s.
        epsilon: f64,
    },
}

impl RowLaw {
    /// Lower limit q ≥ `lower` on the coordinate of a row with coefficient +1 (near-rigid).
    pub fn lower_limit(q: f64, lower: f64) -> Self {
        Self::Limit { phi: q - lower, compliance: RowCompliance::default() }
    }

    /// Upper limit q ≤ `upper` for a row with coefficient −1 (near-rigid).
    pub fn upper_limit(q: f64, upper: f64) -> Self {
        Self::Limit { phi: upper - q, compliance: RowCompliance::default() }
    }

    /// Near-rigid equality φ = 0.
    pub fn equality(phi: f64) -> Self {
        Self::single_equality(phi, RowCompliance::default())
    }

    /// Equality φ = 0 of one row.
    pub fn single_equality(phi: f64, compliance: RowCompliance) -> Self {
        let gap_drift = match compliance {
            RowCompliance::NearRigid { drift, .. } => drift,
            RowCompliance::Spring { .. } => 0.0,
        };
        let constraint = Constraint { gap: phi.abs(), gap_drift, ..Constraint::default() };
        Self::Equality { phi, compliance, constraint, held: None }
    }

    /// Derivative of a limit's v̂ by φ during a step of `dt`, 1/s; zero for other laws.
    pub fn limit_slope(&self, dt: f64) -> f64 {
        match *self {
            Self::Limit { phi, ref compliance } => {
                let (_, span) = compliance.regularization(dt, 1.0);
                -compliance.pace(phi, dt, span).1 / span
            }
            Self::Equality { .. } | Self::Pd { .. } | Self::DryFriction { .. } => 0.0,
        }
    }

    /// The law during a step of `dt` of a row between bodies with Delassus estimate `w`, whose constraint moves at a
    /// distance `lever` (m) from the axes about which it turns. Also returns whether an equality needs a second pass.
    pub fn compile_with_lever(&self, dt: f64, w: f64, lever: f64) -> (ScalarLaw, bool) {
        match *self {
            Self::Equality { phi, ref compliance, ref constraint, held } => {
                constraint.compile(phi, compliance, held, (dt, w, lever))
            }
            _ => (self.compile(dt, w), false),
        }
    }

    /// The law during a step of `dt` of a row on coordinates with Delassus estimate `w`. An equality of coordinates does not
    /// turn, so its force is right for any error.
    pub fn compile(&self, dt: f64, w: f64) -> ScalarLaw {
        match *self {
            Self::Limit { phi, ref compliance } => {
                let (r, span) = compliance.regularization(dt, w);
                let (phi, _) = compliance.pace(phi, dt, span);
                ScalarLaw::spring(r, -phi / span, true)
            }
            Self::Equality { phi, ref compliance, ref constraint, .. } => {
                let (r, span) = compliance.regularization(dt, w);
                let (share, _) = constraint.pace(compliance, (dt, span), f64::INFINITY);
                ScalarLaw::spring(r, -share * phi / span, false)
            }
            Self::Pd {
                proportional,
                derivative,
                position_error,
                target_velocity,
                feed_forward,
                effort_limit,
            } => ScalarLaw::Pd {
                y0: dt * (feed_forward - proportional * position_error + derivative * target_velocity),
                gain: dt * (dt * proportional + derivative),
                limit: dt * effort_limit,
            },
            Self::DryFriction { force, epsilon } => ScalarLaw::DryFriction { limit: dt * force, epsilon },
        }
    }
}

/// Cost, impulse and curvature of a scalar law at one velocity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScalarValue {
    /// ℓ(v), J.
    pub cost: f64,
    /// γ = −ℓ′(v).
    pub impulse: f64,
    /// ℓ″(v) ≥ 0.
    pub hessian: f64,
}

/// The law of a row during a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalarLaw {
    /// γ = (v̂ − v)/R, its positive part when one-sided.
    Spring {
        /// 1/R.
        inv_r: f64,
        /// v̂.
        v_hat: f64,
        /// Keep the positive part only.
        one_sided: bool,
    },
    /// γ = clamp(y0 − gain·v, ±limit).
    Pd {
        /// Unclamped impulse at v = 0.
        y0: f64,
        /// δt (δt K_p + K_d).
        gain: f64,
        /// δt e.
        limit: f64,
    },
    /// γ = −limit·v/√(v²+ε²).
    DryFriction {
        /// δt f_c.
        limit: f64,
        /// ε.
        epsilon: f64,
    },
}

impl ScalarLaw {
    /// The law (v̂ − v)/R. A row that moves nothing (R = 0) has no impulse.
    pub(crate) fn spring(r: f64, v_hat: f64, one_sided: bool) -> Self {
        let (inv_r, v_hat) = if r > 0.0 { (1.0 / r, v_hat) } else { (0.0, 0.0) };
        Self::Spring { inv_r, v_hat, one_sided }
    }

    /// The velocity at which the impulse of a spring or PD law vanishes; 0 if there is none.
    ///
    /// During a solve a row stores v minus this velocity, which is as small as the impulse. A velocity has a
    /// relative rounding error of 1e−16, and a stiff row would amplify it beyond the rounding of the impulse.
    #[inline]
    pub fn origin(&self) -> f64 {
        match *self {
            Self::Spring { v_hat, .. } => v_hat,
            Self::Pd { y0, gain, .. } if gain > 0.0 && (y0 / gain).is_finite() => y0 / gain,
            Self::Pd { .. } | Self::DryFriction { .. } => 0.0,
        }
    }

    /// Cost, impulse and curvature at row velocity `v`.
    #[inline]
    pub fn evaluate(&self, v: f64) -> ScalarValue {
        self.evaluate_from(v - self.origin())
    }

    /// Cost, impulse and curvature at `x` above the [origin](Self::origin).
    #[inline]
    pub fn evaluate_from(&self, x: f64) -> ScalarValue {
        match *self {
            Self::Spring { inv_r, one_sided, .. } => {
                let y = -inv_r * x;
                if one_sided && y <= 0.0 {
                    return ScalarValue::default();
                }
                ScalarValue { cost: -0.5 * y * x, impulse: y, hessian: inv_r }
            }
            Self::Pd { y0, gain, limit } => {
                let origin = self.origin();
                let v = x + origin;
                let y = if origin == 0.0 { y0 - gain * v } else { -gain * x };
                if y.abs() <= limit {
                    // −∫γ from 0 to v; the quadratic is exact without gain, too.
                    return ScalarValue { cost: -0.5 * v * (y0 + y), impulse: y, hessian: gain };
                }
                let impulse = limit.copysign(y);
                if gain <= 0.0 {
                    return ScalarValue { cost: -impulse * v, impulse, hessian: 0.0 };
                }
                // From the border v_b, where y = impulse, the impulse is constant. The zero cost at v = 0 of the
                // unclamped branch is kept for continuity.
                let border = (y0 - impulse) / gain;
                let cost = -0.5 * border * (y0 + impulse) - impulse * (v - border);
                ScalarValue { cost, impulse, hessian: 0.0 }
            }
            Self::DryFriction { limit, epsilon } => {
                let root = (x * x + epsilon * epsilon).sqrt();
                ScalarValue {
                    cost: limit * x * x / (root + epsilon),
                    impulse: -limit * x / root,
                    hessian: limit * epsilon * epsilon / (root * root * root),
                }
            }
        }
    }
}
