//! The problem of an impact: what a few contacts do to the velocities at an instant, without forces.
//!
//! ```text
//! min over v⁺   ½ (v⁺ − v)ᵀ A (v⁺ − v) + Σ ℓ_i          ℓ_i: J_n v⁺ ≥ v̂ (near-rigid), and friction of at most μ γ_n
//! ```
//!
//! Equalities and limits that are reached take part with a velocity of zero. The work of the contacts' impulses is γ · (u + u⁺)/2, u their
//! relative velocities before and after.

use super::{ContactEntry, Pair, Problem, Row, RowPlace};
use crate::contact::ContactSettings;
use crate::friction::FrictionModel;
use crate::scalar::{RowCompliance, RowLaw};
use nalgebra::{Vector3, Vector6};

/// β of the impact's constraints: they give way by β²/(4π²) = 2.5e−10 of the velocity.
const RIGID: f64 = 1e-4;

/// A contact that takes part in an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounce {
    /// The contact.
    pub contact: usize,
    /// Normal velocity v̂ after the impact, m/s.
    pub target: f64,
    /// Normal impulse that limits its friction, N s.
    pub friction: f64,
}

impl Problem {
    /// Velocities of b relative to a at every contact for velocities `v` of all dofs, world axes, m/s.
    pub fn contact_velocities(&self, v: &[f64], out: &mut Vec<Vector3<f64>>) {
        out.clear();
        for (index, pair) in self.pairs.iter().enumerate().filter(|(_, p)| !p.contacts.is_empty()) {
            let twist: Vector6<f64> = self.pair_twist(index, v);
            let (omega, linear) =
                (twist.fixed_rows::<3>(0).into_owned(), twist.fixed_rows::<3>(3).into_owned());
            let entries = self.contacts[pair.contacts.clone()].iter();
            out.extend(entries.map(|entry| linear + omega.cross(&entry.r) + entry.bias));
        }
    }

    /// Writes the problem of the impact of `bounces`, in the order of their contacts, at velocities `v`. Its first rows are
    /// their normals, its contacts their friction.
    pub fn impact(&self, v: &[f64], bounces: &[Bounce], out: &mut Problem) {
        out.clear();
        out.dt = self.dt;
        out.settings = ContactSettings { model: FrictionModel::Lagged, ..self.settings };
        out.cliques.extend_from_slice(&self.cliques);
        out.a.extend_from_slice(&self.a);
        out.applied.resize(v.len(), 0.0);
        out.v0.extend_from_slice(v);
        out.parents.extend_from_slice(&self.parents);
        out.bodies.extend_from_slice(&self.bodies);
        out.jacobians.extend_from_slice(&self.jacobians);
        out.coordinates.extend_from_slice(&self.coordinates);
        let rigid = RowCompliance::Spring { stiffness: f64::INFINITY, relaxation_time: 0.0, beta: RIGID };
        let mut next = 0;
        for (index, pair) in self.pairs.iter().enumerate() {
            let first = out.contacts.len();
            while let Some(bounce) = bounces.get(next).filter(|b| pair.contacts.contains(&b.contact)) {
                let entry = &self.contacts[bounce.contact];
                let n = entry.frame.column(2).into_owned();
                let moment = entry.r.cross(&n);
                let direction = Vector6::new(moment.x, moment.y, moment.z, n.x, n.y, n.z);
                // The law's velocity is that of the pair, without the contact's own.
                let target = bounce.target - n.dot(&entry.bias);
                let law = RowLaw::Limit { phi: -self.dt * target, compliance: rigid };
                out.rows.push(Row { place: RowPlace::Pair { pair: index, direction }, law });
                out.contacts.push(ContactEntry {
                    penetration: 0.0,
                    elastic_force: 0.0,
                    stiffness: 0.0,
                    spring: None,
                    ellipse: None,
                    normal_law: Default::default(),
                    ..entry.clone()
                });
                out.lagged.push(Some(bounce.friction));
                next += 1;
            }
            out.pairs.push(Pair { contacts: first..out.contacts.len(), ..pair.clone() });
        }
        for row in &self.rows {
            let law = match row.law {
                RowLaw::Equality { .. } => RowLaw::equality(0.0),
                RowLaw::Limit { phi, .. } if phi <= 0.0 => RowLaw::Limit { phi: 0.0, compliance: rigid },
                _ => continue,
            };
            out.rows.push(Row { place: row.place.clone(), law });
        }
    }

    /// Lets a contact that took part in an impact rest: it keeps no elastic force, and no normal impulse for friction.
    pub fn rest_contact(&mut self, contact: usize) {
        if let Some(entry) = self.contacts.get_mut(contact) {
            entry.elastic_force = entry.elastic_force.min(0.0);
            entry.penetration = entry.penetration.min(0.0);
            self.lagged[contact] = Some(0.0);
        }
    }
}
