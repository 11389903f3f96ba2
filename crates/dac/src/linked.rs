//! A body that is part of a mechanism: Algorithm 2 for any joints.
//!
//! What the rest of the mechanism does to the body is in its response R = J M⁻¹ Jᵀ (wrench to twist, of the whole
//! mechanism), beside that of the free body, M_b⁻¹. Under a contact impulse p the body would by itself have had the velocity
//! v + (R − M_b⁻¹) p to get to v + R p: that is what the joints push it to, and what the law, trained on the free body, is
//! asked about. So
//!
//! ```text
//! p = H(v + (R − M_b⁻¹) p)
//! ```
//!
//! which is DAC eq. 6 with the joint impulse eliminated, and is solved by the same Powell's method. As in `chain.rs` the
//! class and friction ratio found are then solved once more for the whole mechanism.

use crate::chain::settle;
use crate::coulomb::coulomb;
use crate::error::LawError;
use crate::instant::BodyInstant;
use crate::law::{Answer, DacLaw};
use crate::patch::Patch;
use crate::powell::{PowellOptions, powell};
use nalgebra::{DVector, Matrix3, Matrix6, Vector3, Vector6};

/// A body of a mechanism at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// The body, with the velocity the mechanism gives it after all forces but contact acted.
    pub body: BodyInstant,
    /// R: [torque about the centre of mass; force] to [angular; linear of the centre of mass], world.
    pub response: Matrix6<f64>,
    /// Axes [t1 t2 n] of the surface.
    pub frame: Matrix3<f64>,
    /// Where it touches, world, m.
    pub points: Vec<Vector3<f64>>,
}

/// What the law says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedAnswer {
    /// The contact.
    pub contact: Answer,
    /// Evaluations of the law.
    pub evaluations: usize,
    /// What Powell's method left, relative to the impulse.
    pub residual: f64,
    /// Whether that is within tolerance.
    pub converged: bool,
}

const TOLERANCE: f64 = 1e-6;

impl DacLaw {
    /// Algorithm 2 for a body whose joints are given by its response. A free body gets Algorithm 1.
    pub fn linked_contact(&self, linked: &Linked) -> Result<LinkedAnswer, LawError> {
        let free = Patch::new(&linked.body, &linked.frame, &linked.points)?;
        if !linked.response.iter().all(|x| x.is_finite()) {
            return Err(LawError::Number { what: "the mechanism's response", positive: false });
        }
        let held = Patch { mobility: free.mobility_of(&linked.response), ..free.clone() };
        let joints = held.mobility - free.mobility;
        if joints.amax() <= 1e-9 * free.mobility.amax() {
            let contact = self.contact(&free)?;
            return Ok(LinkedAnswer { contact, evaluations: 1, residual: 0.0, converged: true });
        }
        let asked = |w: &Vector6<f64>| Patch { twist: free.twist + joints * w, ..free.clone() };
        let start = coulomb(&held, self.friction).wrench;
        let scale = start.norm().max(1e-6 * free.twist.norm()).max(f64::MIN_POSITIVE);
        let options =
            PowellOptions { tolerance: TOLERANCE * scale, evaluations: 80, difference: 1e-4 * scale };
        let end = powell(
            |w| {
                let w: Vector6<f64> = w.fixed_rows::<6>(0).into();
                let patch = asked(&w);
                let answer = self.contact(&patch)?;
                let misfit = w - patch.wrench_local(&answer.wrench);
                Ok::<_, LawError>(DVector::from_column_slice(misfit.as_slice()))
            },
            DVector::from_column_slice(start.as_slice()),
            &options,
        )?;
        let predicted = self.contact(&asked(&end.x.fixed_rows::<6>(0).into()))?;
        let contact = settle(&held, &predicted)?;
        let (evaluations, residual) = (end.evaluations + 1, end.residual / scale);
        Ok(LinkedAnswer { contact, evaluations, residual, converged: end.converged })
    }
}
