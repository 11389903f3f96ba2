//! External generalised forces, held until they are changed: [`crate::State::applied`].

use super::{At, Force, Implicit};
use crate::methods::support::{Feature, Support};

const FEATURES: [Feature; 1] = [Feature {
    name: "applied forces",
    find: |_, _| None, // of the state, not of the world
    support: Support::EVERYWHERE,
}];

pub(crate) struct Applied;

impl Force for Applied {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn implicit(&self, at: &mut At, step: &mut Implicit) {
        step.force.iter_mut().zip(&at.state.applied).for_each(|(f, applied)| *f += applied);
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        out.iter_mut().zip(&at.state.applied).for_each(|(f, applied)| *f += applied);
    }
}
