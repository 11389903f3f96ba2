//! Gravity compensation: an external force that carries a fraction of a body's weight (MuJoCo's `gravcomp`).

use super::{At, Force, Implicit};
use crate::methods::support::{Feature, MethodKind, Support};

const FEATURES: [Feature; 1] = [Feature {
    name: "gravity compensation",
    find: |world, _| {
        let body = world.bodies.iter().find(|b| b.gravity_compensation != 0.0)?;
        Some(format!("{}: body \"{}\" has gravity compensation", body.source, body.name))
    },
    support: Support::EVERYWHERE
        .note(MethodKind::Derivatives, "by differences")
        .without(MethodKind::Gpu, "remove it"),
}];

pub(crate) struct GravityCompensation;

impl Force for GravityCompensation {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn passive(&self) -> bool {
        true
    }

    fn implicit(&self, at: &mut At, step: &mut Implicit) {
        at.compiled.multibody.add_gravity_compensation(&mut at.kinematics.workspace, step.force);
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        at.compiled.multibody.add_gravity_compensation(&mut at.kinematics.workspace, out);
    }
}
