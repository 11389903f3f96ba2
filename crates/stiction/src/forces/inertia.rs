//! Gravity, Coriolis and centrifugal forces.
//!
//! A step evaluates them at its beginning for trees. For single free bodies it uses their mean over the step
//! (`stiction_multibody::floating`), which conserves the rotational energy at any speed.

use super::{At, Force, Implicit};
use crate::methods::support::{Feature, Support};
use crate::model::Model;

const FEATURES: [Feature; 1] = [Feature {
    name: "gravity and Coriolis forces",
    find: |_, _| None, // in every world
    support: Support::EVERYWHERE,
}];

pub(crate) struct Inertia;

impl Force for Inertia {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn is_inertia(&self) -> bool {
        true
    }

    fn implicit(&self, at: &mut At, step: &mut Implicit) {
        let kinematics = &mut *at.kinematics;
        step.scratch.fill(0.0);
        at.compiled.multibody.mean_bias(&mut kinematics.workspace, &kinematics.v, step.dt, step.scratch);
        step.force.iter_mut().zip(&*step.scratch).for_each(|(f, bias)| *f -= bias);
    }

    fn energy(&self, at: &At) -> f64 {
        at.compiled.multibody.potential_energy(&at.kinematics.workspace)
    }

    /// Derivatives of inverse dynamics.
    fn has_derivatives(&self, _: &Model) -> bool {
        true
    }
}
