//! Derivatives of a contact's impulse by all its inputs, for derivatives of a step.
//!
//! The solver computes ∂γ/∂v, its Hessian. A step's derivative also needs the derivatives of γ by the elastic force
//! f0, the material (k, d, τ_d, μ), the previous velocity (the lagged normal impulse, friction by slip speed) and
//! the Delassus estimate w (ε of ICF eq. 44, SAP's R, near-rigid limits), and the stretch of a tangential spring.
//! The law of the solver ([`crate::contact`]) is evaluated here with dual numbers for these fourteen variables
//! (`jet`).
//!
//! At a kink of a law (touching, sticking in SAP, a near-rigid limit) the derivative is that of the side the
//! solution is on.

use crate::contact::{CompiledContact, ContactTerms, SpringTerms};
use crate::jet::Jet;
use crate::normal::{NormalInput, NormalLaw};
use crate::number::Number;
use crate::problem::{ContactEntry, Problem};
use crate::solver::PairContext;
use crate::spatial::v3;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Motion of a pair of bodies about its point P, world axes [angular; linear], and its mobility.
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
        let [a0, a1, a2, x, y, z] = std::array::from_fn(|i| k[(i, i)]);
        PairContext {
            shift: [0.0; 3],
            twist0: self.previous.into(),
            delassus: k.as_slice().try_into().expect("six by six"),
            trace: ((x + y + z).sqrt(), (a0 + a1 + a2).sqrt()),
            contacts: 1,
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
    /// By the stiffness k at fixed f0; a tangential spring's stiffnesses and damping change in proportion.
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

impl Problem {
    /// Whether [`Problem::contact_response`] provides all derivatives of a contact. It does for the linear normal
    /// law. For other laws the derivative by penetration is missing, and for an ellipse those of the torque.
    pub fn has_response(&self, entry: &ContactEntry) -> bool {
        self.normal_laws[entry.normal_law.0 as usize] == NormalLaw::Linear && entry.ellipse.is_none()
    }

    /// Impulse of a contact of a pair with the given `motion`, on b in world axes, as computed by the solver.
    pub fn contact_impulse(&self, entry: &ContactEntry, motion: &PairMotion) -> Vector3<f64> {
        let (u, u0) = motion.velocities(entry);
        let (v, v0) = (entry.frame.tr_mul(&u), entry.frame.tr_mul(&u0));
        let law = crate::solver::compile_law(self, entry, None, v0.into(), &motion.context(), entry.r.into());
        let normal_law = &self.normal_laws[entry.normal_law.0 as usize];
        let value = law.evaluate(normal_law, v.into());
        entry.frame * Vector3::from(value.impulse)
    }

    /// Impulse of a contact and all its derivatives; only for contacts for which [`Problem::has_response`] is true.
    pub fn contact_response(&self, entry: &ContactEntry, motion: &PairMotion) -> ContactResponse {
        let (u, u0) = motion.velocities(entry);
        let (v, v0) = (entry.frame.tr_mul(&u), entry.frame.tr_mul(&u0));
        let slip = v0.x.hypot(v0.y);
        let (context, arm) = (motion.context(), entry.r.into());
        let w = crate::solver::delassus_estimate(&context, arm);
        let k = Jet::variable(entry.stiffness, 4);
        let terms = ContactTerms {
            normal: NormalInput {
                dt: self.dt,
                penetration: Jet::constant(entry.penetration),
                elastic_force: Jet::variable(entry.elastic_force, 3),
                stiffness: k,
                dissipation: Jet::variable(entry.dissipation, 5),
            },
            relaxation_time: Jet::variable(entry.relaxation_time, 6),
            friction_static: Jet::variable(entry.friction_static, 7),
            friction_dynamic: Jet::variable(entry.friction_dynamic, 8),
            v_n0: Jet::variable(v0.z, 9),
            slip: Jet::variable(slip, 10),
            lagged: None,
            spring: entry.spring.map(|s| {
                // In proportion to k, if there is a spring.
                let of = |x: f64| match entry.stiffness {
                    stiffness if stiffness > 0.0 => k * Jet::constant(x / stiffness),
                    _ => Jet::constant(x),
                };
                let [x, y] = [Jet::variable(s.stretch.x, 12), Jet::variable(s.stretch.y, 13)];
                SpringTerms {
                    stiffness: of(s.stiffness),
                    damping: of(s.damping),
                    critical: of(s.critical),
                    stretch: [x, y, Jet::zero(), Jet::zero(), Jet::zero()],
                }
            }),
            ellipse: None,
            load: entry.load,
            spin: 0.0,
        };
        let normal_law = &self.normal_laws[entry.normal_law.0 as usize];
        let bound = crate::solver::delassus_bound(&context, arm);
        let law =
            CompiledContact::compile(&self.settings, normal_law, &terms, || Jet::variable(w, 11), bound);
        let gamma = law.impulse(normal_law, [0, 1, 2].map(|i| Jet::variable(v[i], i)));
        let r = &entry.frame;
        let by = |i: usize| r * Vector3::from(v3(|c| gamma[c].d[i]));
        let in_frame = Matrix3::from_columns(&[by(0), by(1), by(2)]);
        // A rotation of the slip direction has no effect. At rest the direction is undefined and its effect
        // vanishes.
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
}
