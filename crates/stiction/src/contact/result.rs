//! Contacts of the last step and their forces.

use crate::model::geom_id::geoms_of;
use crate::model::{Compiled, GeomId};
use nalgebra::Vector3;
use stiction_geometry::ContactPoint;

/// A contact point after the solve. Vectors are in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// Index of geom A in the world's list; smaller than B's.
    pub geom_a: GeomId,
    /// Index of geom B.
    pub geom_b: GeomId,
    /// Index of the body that carries A.
    pub body_a: usize,
    /// Index of the body that carries B.
    pub body_b: usize,
    /// Contact point at the beginning of the step, m.
    pub position: Vector3<f64>,
    /// Unit normal from A into B.
    pub normal: Vector3<f64>,
    /// Force on body B, N: the step's impulse over its length.
    pub force: Vector3<f64>,
    /// Torque of torsional and rolling friction on body B about the contact point, N m.
    pub torque: Vector3<f64>,
    /// Penetration at the beginning of the step, m; negative while apart.
    pub penetration: f64,
    /// Tangential velocity of B relative to A at the end of the step, m/s.
    pub slip: Vector3<f64>,
    /// Whether friction holds: the contact carries force and its slip is within the tolerance.
    pub sticking: bool,
}

impl Contact {
    /// A point as the geometry found it, half-way between the surfaces, without force and slip.
    pub(crate) fn at(compiled: &Compiled, p: &ContactPoint) -> Self {
        let (a, b) = geoms_of(p);
        Self {
            geom_a: compiled.colliding.in_world(a),
            geom_b: compiled.colliding.in_world(b),
            body_a: compiled.geom(a).body,
            body_b: compiled.geom(b).body,
            position: 0.5 * (p.p_wa + p.p_wb),
            normal: p.normal_w,
            penetration: -p.distance,
            ..Self::default()
        }
    }

    /// Moment on body B about a point, world axes, N m.
    pub(crate) fn moment(&self, point: &Vector3<f64>) -> Vector3<f64> {
        (self.position - point).cross(&self.force) + self.torque
    }
}

/// Net force and moment between two bodies, on body B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairWrench {
    /// Index of body A.
    pub body_a: usize,
    /// Index of body B.
    pub body_b: usize,
    /// Point about which the moment is taken, m.
    pub point: Vector3<f64>,
    /// Force on B in world axes, N.
    pub force: Vector3<f64>,
    /// Moment on B about `point` in world axes, N m.
    pub moment: Vector3<f64>,
}

/// Sums contact forces per pair of bodies, about the mean of their contact points.
pub fn pair_wrenches(contacts: &[Contact]) -> Vec<PairWrench> {
    let mut order: Vec<usize> = (0..contacts.len()).collect();
    order.sort_by_key(|&i| (contacts[i].body_a, contacts[i].body_b, i));
    order
        .chunk_by(|&i, &j| {
            (contacts[i].body_a, contacts[i].body_b) == (contacts[j].body_a, contacts[j].body_b)
        })
        .map(|group| {
            let point =
                group.iter().map(|&i| contacts[i].position).sum::<Vector3<f64>>() / group.len() as f64;
            let force = group.iter().map(|&i| contacts[i].force).sum();
            let moment = group.iter().map(|&i| contacts[i].moment(&point)).sum();
            let first = &contacts[group[0]];
            PairWrench { body_a: first.body_a, body_b: first.body_b, point, force, moment }
        })
        .collect()
}

/// Net contact force and moment (about the world's origin) on each of `bodies` bodies, in world axes:
/// [moment; force].
pub fn body_wrenches(contacts: &[Contact], bodies: usize) -> Vec<[f64; 6]> {
    let mut wrenches = vec![[0.0; 6]; bodies];
    for c in contacts {
        let moment = c.moment(&Vector3::zeros());
        for k in 0..3 {
            wrenches[c.body_b][k] += moment[k];
            wrenches[c.body_b][3 + k] += c.force[k];
            wrenches[c.body_a][k] -= moment[k];
            wrenches[c.body_a][3 + k] -= c.force[k];
        }
    }
    wrenches
}
