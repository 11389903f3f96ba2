//! Friction of contacts whose normal force comes or goes within a step.
//!
//! Lagged friction is limited by the normal force of the previous state, of which there is none in the step of an impact. After
//! a solve, the contacts whose friction belongs to another load ([`Solver::late_friction`]) get the normal impulse just found as
//! their limit, and the step is solved again from there. Bodies that rest, roll or slide steadily need no second solve. A
//! patch's spring has a stiffness in proportion to the load, which changes with it.

use crate::contact::entries::EntrySource;
use crate::step::assemble::{Assembly, Parts, active_springs};
use stiction_convex::{ProblemError, Solver};

/// What late friction changed in a problem.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Changed {
    Nothing,
    /// The limits of friction.
    Limits,
    /// Springs of patches too.
    Springs,
}

/// Buffers.
#[derive(Default)]
pub(crate) struct LateFriction {
    /// Contacts of the problem and their normal impulses, N s.
    late: Vec<(usize, f64)>,
}

impl LateFriction {
    /// Gives late contacts the normal impulses of the last solve. Returns what changed in the problem, which must be solved again
    /// if anything did.
    pub fn correct(
        &mut self,
        parts: &Parts,
        assembly: &mut Assembly,
        solver: &Solver,
    ) -> Result<Changed, ProblemError> {
        let Assembly { problem, places, sprung, .. } = assembly;
        self.late.clear();
        solver.late_friction(problem, &mut self.late);
        let springs = active_springs(parts.options, parts.calibration);
        let mut patches = false;
        for &(contact, normal) in &self.late {
            problem.set_lagged_impulse(contact, normal)?;
            if let (Some(springs), EntrySource::Face(..)) = (&springs, places[contact].source) {
                // PFC eq. 6.17.
                let stiffness = normal / parts.dt / springs.patches.stretch;
                problem.set_spring(contact, stiffness, springs.patches.relaxation_time * stiffness)?;
                patches = true;
            }
        }
        if patches {
            let compiled = parts.model.compiled();
            for patch in sprung {
                let x_wb = &parts.kinematics.x_wb[compiled.geom(patch.geom()).body];
                patch.stretch(problem, &parts.state.springs, x_wb)?;
            }
        }
        Ok(match (patches, self.late.is_empty()) {
            (true, _) => Changed::Springs,
            (false, false) => Changed::Limits,
            (false, true) => Changed::Nothing,
        })
    }
}
