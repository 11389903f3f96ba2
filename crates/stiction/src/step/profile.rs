//! Profile of steps, in more detail than [`crate::StageSeconds`], with operation counts.
//!
//! Disabled by default ([`crate::Simulation::set_profiling`]). If disabled, a step reads no clock for it.

use stiction_convex::{Flops, SolveReport, SolverSeconds};

/// Seconds and arithmetic by stage, for all steps since profiling began, including attempts rejected by error
/// control.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profile {
    /// Problems solved.
    pub solves: u64,
    /// Poses, velocities, mass matrix.
    pub kinematics: f64,
    /// Pairs of geoms whose boxes meet.
    pub broad_phase: f64,
    /// Contact points.
    pub narrow_phase: f64,
    /// Contact patches.
    pub patches: f64,
    /// Forces and the free motion v*.
    pub free_motion: f64,
    /// Building the problem.
    pub assemble: f64,
    /// The stages of the solver.
    pub solver: SolverSeconds,
    /// Advancing the state and storing results.
    pub advance: f64,
    /// Floating-point operations of the solver's stages, computed from problem sizes.
    pub flops: Flops,
}

impl Profile {
    /// Adds the report of a solve.
    pub(crate) fn take(&mut self, solve: &SolveReport) {
        self.solves += 1;
        self.solver.add(&solve.seconds);
        self.flops.add(&solve.flops);
    }

    /// The stages by name, in the order of a step: seconds, and floating-point operations where they are counted.
    pub fn named(&self) -> [(&'static str, f64, Option<f64>); 14] {
        let (s, f) = (&self.solver, &self.flops);
        [
            ("kinematics", self.kinematics, None),
            ("broad phase", self.broad_phase, None),
            ("narrow phase", self.narrow_phase, None),
            ("patches", self.patches, None),
            ("free motion", self.free_motion, None),
            ("assembly", self.assemble, None),
            ("Newton: set-up", s.compile, None),
            ("Newton: laws and gradient", s.evaluate, Some(f.evaluate)),
            ("Newton: Hessian", s.assemble, Some(f.assemble)),
            ("Newton: factor", s.factor, Some(f.factor)),
            ("Newton: substitution", s.substitute, Some(f.substitute)),
            ("Newton: line search", s.line_search, Some(f.line_search)),
            ("Newton: results", s.output, None),
            ("advance", self.advance, None),
        ]
    }

    /// All stages together, s.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, seconds, _)| seconds).sum()
    }
}
