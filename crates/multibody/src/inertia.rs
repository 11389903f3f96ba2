//! Check that every coordinate moves its own inertia, so that forces determine accelerations.
//!
//! A valid description can have a singular mass matrix at all positions: a point mass on its own axis, an inertia
//! with a zero moment, a massless floating base. Kinematics and inverse dynamics still work, but forward dynamics
//! has no solution. The mass matrix is tested at two different positions, so an isolated singular position (gimbal
//! lock) is not reported.

use crate::spatial::{angular, dot3, linear};
use crate::{Factor, MassMatrix, Multibody, MultibodyError, QuaternionStep, Workspace};
use stiction_model::World;

/// Rounding leaves about 10⁻¹⁶ of the terms that cancel.
const VANISHING: f64 = 1e-14;

impl Multibody {
    /// Fails if a coordinate moves no inertia of its own. The error names the joint and the remedy. Forward dynamics
    /// then has no finite solution, and the world cannot be simulated.
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

/// For each coordinate, whether it has no inertia at the positions `q`.
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
            // If other coordinates can cancel a coordinate's motion, its pivot is negligible relative to its
            // diagonal.
            let dependent = inverse < 0.0 || inverse * diagonal * VANISHING >= 1.0;
            out[i] = diagonal <= VANISHING * uncancelled || dependent;
        }
    }
    out
}
