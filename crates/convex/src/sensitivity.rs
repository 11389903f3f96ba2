//! How the impulse of a contact changes with everything it depends on: what derivatives of a step need of the laws.
//!
//! The solver knows ∂γ/∂v, its Hessian. A step's derivative also needs how γ changes with the elastic force f0, the
//! material (k, d, τ_d, μ), the previous velocity (the lagged normal impulse, friction by slip speed) and the
//! Delassus estimate w (ε of ICF eq. 44, SAP's R, near-rigid limits), and the stretch of a tangential spring. One contact's law
//! is some thirty operations on these fourteen numbers, carried out here with all their derivatives at once (`jet`).
//!
//! Where a law has a kink (touching, sticking in SAP, a near-rigid limit) the derivative is that of the side the
//! solution is on.

mod jet;

use crate::contact::sap::NEAR_RIGID_BETA;
use crate::contact::{ContactModel, lagged, similar};
use crate::friction::Regularizer;
use crate::problem::{ContactEntry, Problem};
use crate::solver::PairContext;
use crate::spatial::v3;
use jet::Jet;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use std::f64::consts::PI;

/// Motion of a pair of bodies about its point P, world axes [angular; linear], and how easily it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairMotion {
    /// Relative twist of b at the end of the step.
    pub twist: Vector6<f64>,
    /// The same at its beginning.
    pub previous: Vector6<f64>,
    /// J diag(A)⁻¹ Jᵀ of the relative twist.
    pub delassus: Matrix6<f64>,
}

impl PairMotion {
    /// Velocities of b relative to a at a contact, end and beginning, world axes, m/s.
    pub fn velocities(&self, entry: &ContactEntry) -> (Vector3<f64>, Vector3<f64>) {
        let at = |twist: &Vector6<f64>| {
            let (w, v) = (twist.fixed_rows::<3>(0).into_owned(), twist.fixed_rows::<3>(3).into_owned());
            v + w.cross(&entry.r) + entry.bias
        };
        (at(&self.twist), at(&self.previous))
    }

    fn context(&self) -> PairContext {
        let k = &self.delassus;
        let size: [f64; 6] = std::array::from_fn(|i| k[(i, i)]);
        let [a0, a1, a2, x, y, z] = size;
        PairContext {
            shift: [0.0; 3],
            twist0: self.previous.into(),
            delassus: k.as_slice().try_into().expect("six by six"),
            trace: ((x + y + z).sqrt(), (a0 + a1 + a2).sqrt()),
            size,
        }
    }
}

/// Impulse of a contact on b and its derivatives, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactResponse {
    /// The impulse, N s.
    pub impulse: Vector3<f64>,
    /// By the velocity at the contact; minus the Hessian of its potential.
    pub by_velocity: Matrix3<f64>,
    /// By the velocity at the beginning of the step.
    pub by_previous: Matrix3<f64>,
    /// By the elastic force f0.
    pub by_elastic_force: Vector3<f64>,
    /// By the stiffness k at fixed f0; a tangential spring's stiffness and damping change in proportion.
    pub by_stiffness: Vector3<f64>,
    /// By the dissipation d.
    pub by_dissipation: Vector3<f64>,
    /// By the relaxation time τ_d.
    pub by_relaxation_time: Vector3<f64>,
    /// By the static friction coefficient.
    pub by_static_friction: Vector3<f64>,
    /// By the dynamic friction coefficient.
    pub by_dynamic_friction: Vector3<f64>,
    /// By the stretch of the tangential spring, as a vector in the world; zero without one.
    pub by_stretch: Matrix3<f64>,
    /// By the Delassus estimate w.
    pub by_delassus: Vector3<f64>,
    /// The estimate w, 1/kg.
    pub delassus: f64,
}

/// The numbers an impulse depends on, in the contact frame.
#[derive(Clone, Copy)]
struct Inputs {
    v: [Jet; 3],
    f0: Jet,
    k: Jet,
    d: Jet,
    tau: Jet,
    mu_static: Jet,
    mu_dynamic: Jet,
    /// Previous normal velocity and slip speed.
    vn0: Jet,
    slip: Jet,
    w: Jet,
    spring: Option<Spring>,
}

/// A tangential spring.
#[derive(Clone, Copy)]
struct Spring {
    /// Tangential over normal stiffness.
    ratio: f64,
    /// Damping over stiffness, s.
    relaxation_time: f64,
    /// δ0.
    stretch: [Jet; 2],
}

impl Problem {
    /// Whether [`Problem::contact_response`] knows the law of a contact: the linear normal law with soft friction or, under
    /// Lagged, a tangential spring.
    pub fn has_response(&self, entry: &ContactEntry) -> bool {
        entry.normal_law.0 == 0
            && (entry.spring.is_none() || self.settings.model == ContactModel::Lagged)
            && matches!(self.settings.regularizer, Regularizer::Soft)
    }

    /// Impulse of a contact of a pair that moves like `motion`, on b in world axes, as the solver would have it.
    pub fn contact_impulse(&self, entry: &ContactEntry, motion: &PairMotion) -> Vector3<f64> {
        let (u, u0) = motion.velocities(entry);
        let (v, v0) = (entry.frame.tr_mul(&u), entry.frame.tr_mul(&u0));
        let law = crate::solver::compile_law(self, entry, None, v0.into(), &motion.context(), entry.r.into());
        let normal_law = &self.normal_laws[entry.normal_law.0 as usize];
        let value = law.evaluate(normal_law, &self.settings.regularizer, v.into());
        entry.frame * Vector3::from(value.impulse)
    }

    /// Impulse of a contact and all its derivatives; only for contacts that [`Problem::has_response`] affirms.
    pub fn contact_response(&self, entry: &ContactEntry, motion: &PairMotion) -> ContactResponse {
        let (u, u0) = motion.velocities(entry);
        let (v, v0) = (entry.frame.tr_mul(&u), entry.frame.tr_mul(&u0));
        let slip = v0.x.hypot(v0.y);
        let w = crate::solver::delassus_estimate(&motion.context(), entry.r.into());
        let inputs = Inputs {
            v: [0, 1, 2].map(|i| Jet::variable(v[i], i)),
            f0: Jet::variable(entry.elastic_force, 3),
            k: Jet::variable(entry.stiffness, 4),
            d: Jet::variable(entry.dissipation, 5),
            tau: Jet::variable(entry.relaxation_time, 6),
            mu_static: Jet::variable(entry.friction_static, 7),
            mu_dynamic: Jet::variable(entry.friction_dynamic, 8),
            vn0: Jet::variable(v0.z, 9),
            slip: Jet::variable(slip, 10),
            w: Jet::variable(w, 11),
            spring: entry.spring.filter(|s| s.stiffness > 0.0 && entry.stiffness > 0.0).map(|s| Spring {
                ratio: s.stiffness / entry.stiffness,
                relaxation_time: s.damping / s.stiffness,
                stretch: [Jet::variable(s.stretch.x, 12), Jet::variable(s.stretch.y, 13)],
            }),
        };
        let gamma = self.impulse_jets(&inputs);
        let r = &entry.frame;
        let by = |i: usize| r * Vector3::from(v3(|c| gamma[c].d[i]));
        let in_frame = Matrix3::from_columns(&[by(0), by(1), by(2)]);
        // Slip turned on the spot changes nothing; at rest its direction does not exist and its effect vanishes.
        let along =
            if slip > 0.0 { r * Vector3::new(v0.x / slip, v0.y / slip, 0.0) } else { Vector3::zeros() };
        ContactResponse {
            impulse: r * Vector3::from(v3(|c| gamma[c].x)),
            by_velocity: in_frame * r.transpose(),
            by_previous: by(9) * r.column(2).transpose() + by(10) * along.transpose(),
            by_elastic_force: by(3),
            by_stiffness: by(4),
            by_dissipation: by(5),
            by_relaxation_time: by(6),
            by_static_friction: by(7),
            by_dynamic_friction: by(8),
            by_stretch: Matrix3::from_columns(&[by(12), by(13), Vector3::zeros()]) * r.transpose(),
            by_delassus: by(11),
            delassus: w,
        }
    }

    /// The law of `compile_law` and `ContactLaw::evaluate` on jets.
    fn impulse_jets(&self, i: &Inputs) -> [Jet; 3] {
        let (settings, dt) = (&self.settings, self.dt);
        let sigma = settings.regularization.max(1.0 / lagged::RESOLVED);
        let v_s = settings.stiction_tolerance;
        // μ = μ_d + (μ_s − μ_d) share(slip), `blended_friction`.
        let f = |x: Jet| x / (x * x + 1.0).sqrt();
        let full = 10.0 / 101f64.sqrt();
        let share = (f(i.slip * (1.0 / v_s) + -10.0) * (-1.0 / full) + 1.0) * 0.5;
        let mu = i.mu_dynamic + (i.mu_static - i.mu_dynamic) * share;
        if settings.model == ContactModel::Sap {
            return self.sap_jets(i, mu, sigma);
        }
        let slope = (i.k * dt + i.d * i.f0.positive()) * dt;
        let limit = match settings.model {
            ContactModel::Similar => (mu * mu + 1.0).reciprocal() * similar::NEAR_RIGID,
            _ => Jet::constant(lagged::RESOLVED),
        };
        let scale = if slope.x * i.w.x > limit.x { limit / (slope * i.w) } else { Jet::constant(1.0) };
        let (f0, k) = (i.f0 * scale, i.k * scale);
        let normal = |v: Jet| (f0 - k * v * dt).positive() * (i.d * v * -1.0 + 1.0).positive() * dt;
        let n0 = f0.positive() * (i.d * i.vn0 * -1.0 + 1.0).positive() * dt;
        // ICF eq. 44
        let epsilon = (i.w * mu * n0 * sigma).at_least(v_s);
        let [x, y, vn] = i.v;
        let square = x * x + y * y;
        let root = (square + epsilon * epsilon).sqrt();
        let (gamma_n, limit) = match settings.model {
            ContactModel::Similar => {
                let gamma_n = normal(vn - mu * square / (root + epsilon));
                (gamma_n, mu * gamma_n)
            }
            _ => (normal(vn), mu * n0),
        };
        if let Some(spring) = i.spring {
            // `SpringLaw`: g = δt k_t δ0 + κ v_t, cut off at the limit.
            let k_t = k * spring.ratio;
            let kappa = k_t * (dt * (dt + spring.relaxation_time));
            let [sx, sy] = spring.stretch;
            let (gx, gy) = (k_t * sx * dt + kappa * x, k_t * sy * dt + kappa * y);
            let length = (gx * gx + gy * gy).sqrt();
            let share = if length.x > limit.x { limit / length } else { Jet::constant(1.0) };
            return [gx * share * -1.0, gy * share * -1.0, gamma_n];
        }
        let a = limit / root * -1.0;
        [a * x, a * y, gamma_n]
    }

    fn sap_jets(&self, i: &Inputs, mu: Jet, sigma: f64) -> [Jet; 3] {
        let dt = self.dt;
        let span = i.tau + dt;
        let compliant = i.k * span * dt;
        let rigid = i.w.reciprocal() * (4.0 * PI * PI / (NEAR_RIGID_BETA * NEAR_RIGID_BETA));
        let (inv_rn, y0) = if compliant.x <= rigid.x {
            (compliant, i.f0 * dt)
        } else {
            (rigid, rigid * i.f0 / (i.k * span))
        };
        let rt = i.w * sigma;
        let [x, y, vn] = i.v;
        let (yx, yy, yn) = (x / rt * -1.0, y / rt * -1.0, y0 - inv_rn * vn);
        let yr = (yx * yx + yy * yy).sqrt();
        if yn.x > 0.0 && yr.x <= mu.x * yn.x {
            return [yx, yy, yn];
        }
        let mu_hat = mu * rt * inv_rn;
        if yn.x <= -mu_hat.x * yr.x {
            return [Jet::constant(0.0); 3];
        }
        let gamma_n = (yn + mu_hat * yr) / (mu * mu_hat + 1.0);
        let along = mu * gamma_n / yr;
        [along * yx, along * yy, gamma_n]
    }
}
