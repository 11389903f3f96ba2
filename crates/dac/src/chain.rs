//! Algorithm 2: a chain whose last link touches.
//!
//! The joint impulse j between the last link and the rest ("upstream") is the unknown; the contact impulse depends on
//! it through the law, H(j), and the joint must not come apart (DAC eq. 6, with j = h f_j):
//!
//! ```text
//! G(j) = J v⁺(j) − Ĵ v̂⁺(j) = 0
//! v⁺ = v + M⁻¹ (Jᵀ j + H(j))        v̂⁺ = v̂ − M̂⁻¹ Ĵᵀ j
//! ```
//!
//! Powell's hybrid method solves it, from the impulse that would hold the joint without contact (eq. 7's guess needs
//! Ĵ M̂⁻¹ Ĵᵀ to be invertible, which a short upstream chain does not give). H jumps where the class changes, so a zero
//! need not exist. Therefore the class and the friction ratio found are then solved once more for the whole chain,
//! with the mobility of the last link as its joint leaves it:
//!
//! ```text
//! M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ + Ĵ M̂⁻¹ Ĵᵀ)⁻¹ J M⁻¹
//! ```
//!
//! Where Powell's method converged that changes nothing but rounding; where it did not, joint, no penetration,
//! repulsion and worklessness hold all the same, and the answer says so.

use crate::constraint::{Normal, Stick};
use crate::error::LawError;
use crate::instant::BodyInstant;
use crate::law::{Answer, Class, DacLaw, moving, standing};
use crate::patch::Patch;
use crate::powell::{PowellOptions, powell};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector3, Vector6};

/// Everything but the last link.
#[derive(Clone, Debug, PartialEq)]
pub struct Upstream {
    /// Mass matrix M̂.
    pub mass: DMatrix<f64>,
    /// Velocity after all forces but contact and the last joint's acted for the step.
    pub velocity: DVector<f64>,
    /// Ĵ: velocity of the joint's constrained directions on the upstream side.
    pub jacobian: DMatrix<f64>,
}

/// A chain at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The last link, as if its joint carried nothing.
    pub link: BodyInstant,
    /// J: velocity of the joint's constrained directions on the link's side, columns [angular; linear of the centre of
    /// mass], world.
    pub jacobian: DMatrix<f64>,
    /// The rest.
    pub upstream: Upstream,
    /// Axes [t1 t2 n] of the surface.
    pub frame: Matrix3<f64>,
    /// Where the link touches, world, m.
    pub points: Vec<Vector3<f64>>,
}

/// What the law says about a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainAnswer {
    /// The contact.
    pub contact: Answer,
    /// Joint impulse j on the link, N s or N m s along the constrained directions.
    pub joint: DVector<f64>,
    /// Velocity of the link afterwards, [angular; linear of the centre of mass], world.
    pub twist: Vector6<f64>,
    /// Velocity of the rest afterwards.
    pub velocity: DVector<f64>,
    /// Evaluations of G.
    pub evaluations: usize,
    /// |G| where Powell's method ended, relative to the joint's velocities.
    pub residual: f64,
    /// Whether that is within tolerance.
    pub converged: bool,
}

/// Tolerance of G, relative: the paper has 0.5 %.
const TOLERANCE: f64 = 1e-6;

impl DacLaw {
    /// Algorithm 2.
    pub fn chain_contact(&self, chain: &Chain) -> Result<ChainAnswer, LawError> {
        let parts = Parts::new(chain)?;
        let no_contact = parts.joint(&parts.free);
        let speed = (&parts.j * chain.link.twist).norm()
            + (&chain.upstream.jacobian * &chain.upstream.velocity).norm();
        let scale = speed.max(chain.link.twist.norm() * 1e-3).max(1e-12);
        let mobility = parts.a.diagonal().mean().max(f64::MIN_POSITIVE);
        let options = PowellOptions {
            tolerance: TOLERANCE * scale,
            evaluations: 60,
            difference: 1e-4 * scale / mobility,
        };
        let end = powell(
            |joint| {
                let body = parts.pushed(chain, joint);
                let patch = Patch::new(&body, &chain.frame, &chain.points)?;
                let contact = self.contact(&patch)?;
                let twist = body.after(&contact.wrench);
                Ok::<_, LawError>(&parts.j * twist - parts.upstream(chain, joint))
            },
            no_contact,
            &options,
        )?;
        let body = parts.pushed(chain, &end.x);
        let patch = Patch::new(&body, &chain.frame, &chain.points)?;
        let predicted = self.contact(&patch)?;
        let contact = settle(&parts.linked(chain)?, &predicted)?;
        let wrench = contact.wrench;
        let joint = parts.joint(&(parts.free + parts.inverse * wrench));
        let twist = parts.pushed(chain, &joint).after(&wrench);
        let velocity = parts.upstream_velocity(chain, &joint);
        let residual = end.residual / scale;
        let (evaluations, converged) = (end.evaluations, end.converged);
        Ok(ChainAnswer { contact, joint, twist, velocity, evaluations, residual, converged })
    }
}

/// What does not change during the solve.
struct Parts {
    /// M⁻¹ of the link.
    inverse: Matrix6<f64>,
    j: DMatrix<f64>,
    /// A = J M⁻¹ Jᵀ + Ĵ M̂⁻¹ Ĵᵀ.
    a: DMatrix<f64>,
    a_inverse: DMatrix<f64>,
    upstream_response: DMatrix<f64>,
    free: Vector6<f64>,
    /// Ĵ v̂ without the joint.
    upstream_free: DVector<f64>,
}

impl Parts {
    fn new(chain: &Chain) -> Result<Self, LawError> {
        let (k, n) = (chain.jacobian.nrows(), chain.upstream.velocity.len());
        let shape = |what, given, needed| Err(LawError::Shape { what, given, needed });
        if chain.jacobian.ncols() != 6 {
            return shape("the transpose of the link's Jacobian", chain.jacobian.ncols(), 6);
        }
        if chain.upstream.jacobian.nrows() != k {
            return shape("the upstream Jacobian", chain.upstream.jacobian.nrows(), k);
        }
        if chain.upstream.jacobian.ncols() != n {
            return shape("the transpose of the upstream Jacobian", chain.upstream.jacobian.ncols(), n);
        }
        if chain.upstream.mass.nrows() != n || chain.upstream.mass.ncols() != n {
            return shape("the upstream mass matrix", chain.upstream.mass.nrows(), n);
        }
        let mut inverse = Matrix6::zeros();
        inverse.fixed_view_mut::<3, 3>(0, 0).copy_from(&chain.link.inverse_inertia()?);
        inverse.fixed_view_mut::<3, 3>(3, 3).fill_diagonal(1.0 / chain.link.mass);
        let Some(mass) = chain.upstream.mass.clone().cholesky() else { return Err(LawError::SingularMass) };
        let upstream_response = mass.solve(&chain.upstream.jacobian.transpose());
        let a = &chain.jacobian * inverse * chain.jacobian.transpose()
            + &chain.upstream.jacobian * &upstream_response;
        // Directions in which the joint constrains nothing that moves have no say.
        let a_inverse = a.clone().pseudo_inverse(1e-12 * a.amax()).map_err(|_| LawError::SingularMass)?;
        let upstream_free = &chain.upstream.jacobian * &chain.upstream.velocity;
        Ok(Self {
            inverse,
            j: chain.jacobian.clone(),
            a,
            a_inverse,
            upstream_response,
            free: chain.link.twist,
            upstream_free,
        })
    }

    /// The joint impulse that keeps the joint closed when the link would otherwise have this twist.
    fn joint(&self, twist: &Vector6<f64>) -> DVector<f64> {
        &self.a_inverse * (&self.upstream_free - &self.j * twist)
    }

    fn pushed(&self, chain: &Chain, joint: &DVector<f64>) -> BodyInstant {
        let push: Vector6<f64> = self.inverse * self.j.tr_mul(joint);
        BodyInstant { twist: chain.link.twist + push, ..chain.link }
    }

    fn upstream_velocity(&self, chain: &Chain, joint: &DVector<f64>) -> DVector<f64> {
        &chain.upstream.velocity - &self.upstream_response * joint
    }

    fn upstream(&self, chain: &Chain, joint: &DVector<f64>) -> DVector<f64> {
        &chain.upstream.jacobian * self.upstream_velocity(chain, joint)
    }

    /// The last link's patch as its joint leaves it.
    fn linked(&self, chain: &Chain) -> Result<Patch, LawError> {
        let held = self.inverse * self.j.transpose() * &self.a_inverse;
        let mobility_w = self.inverse - &held * &self.j * self.inverse;
        let free = chain.link.twist + self.inverse * self.j.tr_mul(&self.joint(&self.free));
        let linked = Patch::new(&BodyInstant { twist: free, ..chain.link }, &chain.frame, &chain.points)?;
        Ok(Patch { mobility: linked.mobility_of(&mobility_w.fixed_view::<6, 6>(0, 0).into()), ..linked })
    }
}

/// The whole mechanism under the class and the friction ratio of `predicted`.
pub(crate) fn settle(linked: &Patch, predicted: &Answer) -> Result<Answer, LawError> {
    let normal_before: f64 = predicted.loads.iter().sum();
    let ratio = if normal_before > 0.0 {
        let f = predicted.friction / normal_before;
        Vector3::new(f.x, f.y, f.z / linked.length)
    } else {
        Vector3::zeros()
    };
    let stuck = match predicted.class {
        Class::Static => standing(linked, &Stick::solve(linked))?,
        _ => None,
    };
    let (class, normal) = match stuck {
        Some(normal) => (Class::Static, normal),
        None => {
            let normal = Normal::solve(linked, &ratio, &Vector3::zeros())?;
            (moving(&normal), normal)
        }
    };
    Ok(Answer::new(linked, predicted.predicted, class, &normal, predicted.outside.clone()))
}
