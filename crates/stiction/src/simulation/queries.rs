//! Queries that combine results of the last step with the current state: accelerations, Jacobians, contact forces by body pair.

use super::Simulation;
use crate::error::{InputError, StepError};
use nalgebra::{Matrix6xX, Vector3};
use std::collections::BTreeMap;

/// Contact between two bodies in the last step: all points and patches together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyContact {
    /// Index of body A; smaller than B's.
    pub body_a: usize,
    /// Index of body B.
    pub body_b: usize,
    /// Force on B in world axes, N.
    pub force: Vector3<f64>,
    /// Moment on B about the origin of its frame at the beginning of the step, in world axes, N m.
    pub torque: Vector3<f64>,
    /// Sum of the magnitudes of the normal forces of points, and of the forces of patches, N: what squeezes, also where forces
    /// balance.
    pub normal_force: f64,
    /// Number of contact points.
    pub points: usize,
    /// Number of contact patches.
    pub patches: usize,
}

impl Simulation {
    /// Accelerations, m/s² or rad/s²: the mean over the last step, (v⁺ − v₀)/δt, zero before the first; those of the current
    /// state in continuous time.
    pub fn qacc(&mut self) -> Result<Vec<f64>, StepError> {
        if let Some(found) = self.accelerations()? {
            return Ok(found);
        }
        if self.stages.results.step == 0.0 {
            return Ok(vec![0.0; self.model.nv()]);
        }
        self.read_sensors(&[]);
        Ok(self.readings.acceleration().to_vec())
    }

    /// Jacobian of a body's point at `p_wq` (m, world; the body's origin if `None`) at the current state, [angular; linear] in
    /// world axes.
    pub fn jacobian(
        &mut self,
        body: usize,
        p_wq: Option<Vector3<f64>>,
    ) -> Result<Matrix6xX<f64>, InputError> {
        self.model.check_state(&self.state)?;
        self.now.positions(self.model.compiled(), &self.state.mocap, &self.state.q);
        let multibody = self.model.multibody();
        let point = p_wq.unwrap_or_else(|| multibody.origin(&self.now.workspace, body));
        Ok(multibody.full_jacobian(&self.now.workspace, body, &point))
    }

    /// Contact of the last step by pairs of bodies, ordered by pair. Allocates.
    pub fn body_contacts(&self) -> Vec<BodyContact> {
        let x_wb = &self.stages.kinematics.x_wb;
        let mut pairs: BTreeMap<(usize, usize), BodyContact> = BTreeMap::new();
        // `force` acts on the second body; `torque` is about `point`.
        let mut add = |bodies: (usize, usize), force: Vector3<f64>, torque, point: Vector3<f64>| {
            let (a, b) = (bodies.0.min(bodies.1), bodies.0.max(bodies.1));
            let sign = if bodies.0 == a { 1.0 } else { -1.0 };
            let pair =
                pairs.entry((a, b)).or_insert(BodyContact { body_a: a, body_b: b, ..BodyContact::default() });
            let arm = point - x_wb[b].translation.vector;
            pair.force += sign * force;
            pair.torque += sign * (arm.cross(&force) + torque);
            (a, b)
        };
        let mut squeezed = Vec::new();
        for c in self.contacts() {
            let pair = add((c.body_a, c.body_b), c.force, c.torque, c.position);
            squeezed.push((pair, c.force.dot(&c.normal).abs(), true));
        }
        for p in self.patch_views() {
            let pair = add((p.body_a, p.body_b), p.force, p.moment, p.centroid);
            squeezed.push((pair, p.force.norm(), false));
        }
        for (pair, normal_force, point) in squeezed {
            let contact = pairs.get_mut(&pair).expect("added above");
            contact.normal_force += normal_force;
            *(if point { &mut contact.points } else { &mut contact.patches }) += 1;
        }
        pairs.into_values().collect()
    }

    /// Force and moment (about the body's origin) of contact on a body in the last step, from one other body, or from all; world
    /// axes, N and N m.
    pub fn contact_wrench(&self, body: usize, other: Option<usize>) -> (Vector3<f64>, Vector3<f64>) {
        let x_wb = &self.stages.kinematics.x_wb;
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for contact in self.body_contacts() {
            let (sign, partner) = match (contact.body_a == body, contact.body_b == body) {
                (true, _) => (-1.0, contact.body_b),
                (_, true) => (1.0, contact.body_a),
                _ => continue,
            };
            if other.is_some_and(|other| other != partner) {
                continue;
            }
            // From the origin of B to that of this body.
            let arm = x_wb[contact.body_b].translation.vector - x_wb[body].translation.vector;
            force += sign * contact.force;
            torque += sign * (contact.torque + arm.cross(&contact.force));
        }
        (force, torque)
    }
}
