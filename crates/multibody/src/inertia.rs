//! Check that every coordinate moves its own inertia, so that forces determine accelerations.
//!
//! A valid description can have a singular mass matrix at all positions: a point mass on its own axis, an inertia
//! with a zero moment, a massless floating base. Kinematics and inverse dynamics still work, but forward dynamics
//! has no solution. The mass matrix is tested at two different positions, so an isolated singular position (gimbal
//! lock) is not reported.

use crate::spatial::{angular, dot3, dot6, linear};
use crate::{Multibody, MultibodyError, QuaternionStep, Workspace};
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

/// For each coordinate, whether it has no inertia at the positions `q`. The pivots of the mass matrix, eliminated from the
/// leaves, are those of the articulated-body algorithm, which takes time in proportion to the number of bodies.
fn vanishing(multibody: &Multibody, q: &[f64]) -> Vec<bool> {
    let zeros = vec![0.0; multibody.nv()];
    let (mut ws, mut accelerations) = (Workspace::new(multibody), zeros.clone());
    multibody.positions(q, &mut ws);
    multibody.velocities(&zeros, &mut ws);
    multibody.forward_dynamics(&mut ws, &zeros, &mut accelerations);
    ws.composite.copy_from_slice(&ws.inertias);
    let mut out = vec![false; multibody.nv()];
    for (n, node) in multibody.nodes.iter().enumerate().skip(multibody.bases).rev() {
        let carried = ws.composite[n];
        for i in node.v..node.v + node.nv {
            let s = &ws.s[i];
            let diagonal = dot6(s, &carried.apply(s)) + multibody.armature[i];
            // The diagonal S·Ic S if nothing cancelled.
            let (w, v) = (angular(s), linear(s));
            let trace: f64 = carried.rotational[..3].iter().sum();
            let uncancelled = dot3(w, w) * trace + dot3(v, v) * carried.mass;
            // If other coordinates can cancel a coordinate's motion, its pivot is negligible relative to its
            // diagonal.
            let inverse = if multibody.locked[i] { 0.0 } else { ws.inv_d[i] };
            let dependent = inverse < 0.0 || inverse * diagonal * VANISHING >= 1.0;
            out[i] = diagonal <= VANISHING * uncancelled || dependent;
        }
        if !node.root {
            ws.composite[node.parent].add(&carried);
        }
    }
    out
}
