//! Springs and damping of joints: τ = −K (q − rest) − D v.
//!
//! A step evaluates them at its end, τ = −K (q₀ + δt v⁺ − rest) − D v⁺: δt D + δt² K is added to A, −K (q₀ − rest)
//! to the forces.

use super::{At, Force, Implicit};
use crate::derivatives::joints::DifferentiatedStep;
use crate::methods::support::{Feature, MethodKind, Support};
use crate::model::Model;
use nalgebra::DMatrix;

const FEATURES: [Feature; 1] = [Feature {
    name: "joint springs and damping",
    find: |world, _| {
        let mut joints = world.bodies.iter().flat_map(|b| &b.joints);
        let joint = joints.find(|j| j.dofs.iter().any(|d| d.stiffness > 0.0 || d.damping > 0.0))?;
        Some(format!("{}: joint \"{}\" has a spring or damping", joint.source, joint.name))
    },
    support: Support::EVERYWHERE
        .note(MethodKind::Derivatives, "springs of ball and free joints by differences"),
}];

pub(crate) struct JointSprings;

impl Force for JointSprings {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn implicit(&self, at: &mut At, step: &mut Implicit) {
        let multibody = &at.compiled.multibody;
        let both = multibody.damping().iter().zip(multibody.stiffness());
        for (added, (damping, stiffness)) in step.added.iter_mut().zip(both) {
            *added += step.dt * (damping + step.dt * stiffness);
        }
        multibody.add_spring_forces(at.q, step.force);
    }

    fn passive(&self) -> bool {
        true
    }

    fn conservative(&self, at: &mut At, out: &mut [f64]) {
        at.compiled.multibody.add_spring_forces(at.q, out);
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        let damping = at.compiled.multibody.damping().iter().zip(&at.kinematics.v);
        out.iter_mut().zip(damping).for_each(|(out, (damping, v))| *out -= damping * v);
    }

    fn energy(&self, at: &At) -> f64 {
        at.compiled.multibody.spring_energy(at.q)
    }

    /// Not available for ball and free joints: a rotation vector is not the integral of its angular velocity.
    fn has_derivatives(&self, model: &Model) -> bool {
        let multibody = model.multibody();
        let turns = multibody.joints().iter().filter(|j| j.q.len() == 4 || j.q.len() == 7);
        !turns.flat_map(|j| j.v.clone()).any(|v| multibody.stiffness()[v] > 0.0)
    }

    /// r has δt K (q − rest + δt v⁺).
    fn derivatives(&self, step: &DifferentiatedStep, rhs: &mut DMatrix<f64>) {
        for (k, stiffness) in step.model.multibody().stiffness().iter().enumerate() {
            rhs[(k, k)] += step.dt * stiffness;
        }
    }
}
