//! Whether every coordinate moves inertia of its own, so that forces determine accelerations.
//!
//! A description can be sound and still have a singular mass matrix everywhere: a point mass on its own
//! axis, an inertia with a zero moment, a massless base that floats. Kinematics and inverse dynamics do
//! not mind; forward dynamics has no answer. The mass matrix is looked at in two different positions, so
//! that one that happens to be singular (gimbal lock) does not count.

use crate::spatial::{angular, dot3, linear};
use crate::{Factor, MassMatrix, Multibody, MultibodyError, QuaternionStep, Workspace};
use stiction_model::World;

/// Rounding leaves about 10⁻¹⁶ of the terms that cancel.
const VANISHING: f64 = 1e-14;

impl Multibody {
    /// Fails, with the joint and the remedy, if some coordinate moves no inertia of its own: then forward
    /// dynamics has no finite answer, and the world cannot be simulated as it is.
    pub fn check_inertia(&self) -> Result<(), MultibodyError> {
        self.no_inertia.clone().map_or(Ok(()), Err)
    }
}

/// The first joint with a coordinate whose diagonal element or pivot of the mass matrix vanishes.
pub(crate) fn find_massless(world: &World, multibody: &Multibody) -> Option<MultibodyError> {
    let rest = multibody.default_q().to_vec();
    let step: Vec<f64> = (0..multibody.nv()).map(|i| 0.3 + 0.1 * ((i % 7) as f64)).collect();
    let mut displaced = rest.clone();
    multibody.integrate(&rest, &step, 1.0, QuaternionStep::Exponential, &mut displaced);
    let (here, there) = (vanishing(multibody, &rest), vanishing(multibody, &displaced));
    multibody.joints().iter().filter(|joint| !joint.locked).find_map(|joint| {
        let coordinate = joint.v.clone().position(|i| here[i] && there[i])?;
        let source = &world.bodies[joint.body].joints[joint.index].source;
        let fallback = format!("body \"{}\"", multibody.body_name(joint.body));
        let place = MultibodyError::place(source, fallback);
        Some(MultibodyError::NoInertia { joint: joint.name.clone(), coordinate, place })
    })
}

/// For each coordinate whether nothing resists it at the positions `q`.
fn vanishing(multibody: &Multibody, q: &[f64]) -> Vec<bool> {
    let mut ws = Workspace::new(multibody);
    let (mut mass, mut factor) = (MassMatrix::new(multibody), Factor::new(multibody));
    multibody.positions(q, &mut ws);
    multibody.mass_matrix(&mut ws, &mut mass);
    factor.compute(&mass, &[]);
    let mut out = vec![false; multibody.nv()];
    for (node, carried) in multibody.nodes.iter().zip(&ws.composite).skip(multibody.bases) {
        for i in node.v..node.v + node.nv {
            let (diagonal, inverse) = (mass.get(i, i), factor.inverse_diagonal()[i]);
            // The diagonal S·Ic S if nothing cancelled.
            let (w, v) = (angular(&ws.s[i]), linear(&ws.s[i]));
            let trace: f64 = carried.rotational[..3].iter().sum();
            let uncancelled = dot3(w, w) * trace + dot3(v, v) * carried.mass;
            // A coordinate that others can undo has a pivot that vanishes next to its diagonal.
            let dependent = inverse < 0.0 || inverse * diagonal * VANISHING >= 1.0;
            out[i] = diagonal <= VANISHING * uncancelled || dependent;
        }
    }
    out
}
