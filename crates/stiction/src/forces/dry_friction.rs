//! Dry friction of joints: |τ| ≤ f against the motion, regularised below the stiction tolerance ε.
//!
//! ```text
//! τ = −f v/√(v² + ε²)
//! ```

use super::{At, Force, StepAt};
use crate::methods::support::{Feature, MethodKind, Support};
use crate::model::Model;
use crate::step::assemble::Rows;
use stiction_convex::{ProblemError, RowLaw};

const FEATURES: [Feature; 1] = [Feature {
    name: "dry friction of joints",
    find: |world, _| {
        let mut joints = world.bodies.iter().flat_map(|b| &b.joints);
        let joint = joints.find(|j| j.dofs.iter().any(|d| d.friction > 0.0))?;
        Some(format!("{}: joint \"{}\" has dry friction", joint.source, joint.name))
    },
    support: Support::EVERYWHERE
        .without(MethodKind::Learned, "set its friction to zero")
        .without(MethodKind::Rigid, "set its friction to zero"),
}];

pub(crate) struct DryFriction;

impl Force for DryFriction {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        for &(dof, force) in &at.compiled.dry_friction {
            if !at.compiled.multibody.locked()[dof] {
                let law = RowLaw::DryFriction { force, epsilon: at.options.stiction_tolerance };
                rows.problem.add_row(&[(dof, 1.0)], 0.0, law)?;
            }
        }
        Ok(())
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        for &(i, force) in &at.compiled.dry_friction {
            let v = at.kinematics.v[i];
            out[i] -= force * v / (v * v + at.stiction_tolerance * at.stiction_tolerance).sqrt();
        }
    }

    /// It depends only on the final velocity, which the solver's Hessian covers.
    fn has_derivatives(&self, _: &Model) -> bool {
        true
    }
}
