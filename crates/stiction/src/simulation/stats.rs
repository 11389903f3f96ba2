//! Statistics of a simulation.

use serde::{Deserialize, Serialize};

/// Seconds spent in each stage of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageSeconds {
    /// Poses, velocities, Jacobians, mass matrix.
    pub kinematics: f64,
    /// Contact detection.
    pub proximity: f64,
    /// Building the problem.
    pub assemble: f64,
    /// Solving it.
    pub solve: f64,
    /// Advancing the state and storing results.
    pub advance: f64,
}

impl StageSeconds {
    /// The stages by name, in order.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("kinematics", self.kinematics),
            ("proximity", self.proximity),
            ("assemble", self.assemble),
            ("solve", self.solve),
            ("advance", self.advance),
        ]
    }

    /// All stages together.
    pub fn total(&self) -> f64 {
        self.named().iter().map(|(_, s)| s).sum()
    }
}

/// Counts and times since a simulation was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Steps taken.
    pub steps: u64,
    /// Attempts rejected by error control.
    pub rejected: u64,
    /// Shortest step taken, s; 0 before the first.
    pub min_step: f64,
    /// Longest step taken, s.
    pub max_step: f64,
    /// Newton iterations of all steps.
    pub iterations: u64,
    /// Most iterations in one step.
    pub max_iterations: u64,
    /// Steps whose solve did not reach its tolerance.
    pub unconverged: u64,
    /// Evaluations of the cost's slope in line searches.
    pub line_search_evaluations: u64,
    /// Contact points, summed over steps.
    pub points: u64,
    /// Contact patches, summed over steps.
    pub patches: u64,
    /// Faces of contact patches, summed over steps.
    pub faces: u64,
    /// Unreliable patches, summed over steps: see [`crate::Simulation::warnings`].
    pub doubtful_patches: u64,
    /// Solves repeated for friction, summed over steps: see [`crate::StepReport::friction_passes`].
    #[serde(default)]
    pub friction_passes: u64,
    /// Speculative contacts that acted, summed over steps: see [`crate::StepReport::speculative`].
    pub speculative: u64,
    /// Trees of bodies held back behind their velocities, summed over steps: see [`crate::StepReport::held_back`].
    pub held_back: u64,
    /// Pairs that may have passed through each other, summed over steps.
    pub passed: u64,
    /// Contacts that pushed with less than their stiffness, summed over steps: see [`crate::StepReport::capped`].
    #[serde(default)]
    pub capped: u64,
    /// Overlaps found rather than made, summed over steps: see [`crate::StepReport::found`].
    #[serde(default)]
    pub found: u64,
    /// The largest of them, m.
    #[serde(default)]
    pub max_found: f64,
    /// Equalities with errors that their steps cannot have made, summed over steps: see
    /// [`crate::StepReport::missed_equalities`].
    pub missed_equalities: u64,
    /// Largest [`crate::StepReport::created`], J.
    pub created: f64,
    /// Largest error of a connection, weld or distance constraint seen, m.
    pub max_gap: f64,
    /// Largest angle between the frames of a weld seen, rad.
    pub max_angle: f64,
    /// Newton iterations of the last step.
    pub last_iterations: u64,
    /// Contact points in the last step.
    pub last_points: u64,
    /// Contact patches in the last step.
    pub last_patches: u64,
    /// Faces of contact patches in the last step.
    pub last_faces: u64,
    /// Largest penetration seen, m.
    pub max_penetration: f64,
    /// Energy dissipated by friction, J.
    pub friction_loss: f64,
    /// Energy absorbed by normal forces, J: dissipated, or stored in contact springs.
    pub normal_loss: f64,
    /// Energy dissipated by contact in continuous time, J: normal damping, friction and tangential dampers.
    pub dissipated: f64,
    /// Work of all forces except contact, gravity and joint springs in continuous time, J: actuators, applied
    /// forces, joint damping, limits, prescribed motion.
    pub other_work: f64,
    /// Seconds by stage.
    pub seconds: StageSeconds,
}

impl Stats {
    /// Adds the statistics of another simulation: sums of counts, energies and seconds, and extremes of both.
    pub fn merge(&mut self, other: &Self) {
        self.min_step = match (self.min_step > 0.0, other.min_step > 0.0) {
            (true, true) => self.min_step.min(other.min_step),
            (false, _) => other.min_step,
            (true, false) => self.min_step,
        };
        self.max_step = self.max_step.max(other.max_step);
        self.max_iterations = self.max_iterations.max(other.max_iterations);
        self.max_penetration = self.max_penetration.max(other.max_penetration);
        self.max_found = self.max_found.max(other.max_found);
        self.max_gap = self.max_gap.max(other.max_gap);
        self.max_angle = self.max_angle.max(other.max_angle);
        self.created = self.created.max(other.created);
        for (sum, part) in [
            (&mut self.steps, other.steps),
            (&mut self.rejected, other.rejected),
            (&mut self.iterations, other.iterations),
            (&mut self.unconverged, other.unconverged),
            (&mut self.line_search_evaluations, other.line_search_evaluations),
            (&mut self.friction_passes, other.friction_passes),
            (&mut self.points, other.points),
            (&mut self.patches, other.patches),
            (&mut self.faces, other.faces),
            (&mut self.doubtful_patches, other.doubtful_patches),
            (&mut self.speculative, other.speculative),
            (&mut self.held_back, other.held_back),
            (&mut self.passed, other.passed),
            (&mut self.capped, other.capped),
            (&mut self.found, other.found),
            (&mut self.missed_equalities, other.missed_equalities),
            (&mut self.last_iterations, other.last_iterations),
            (&mut self.last_points, other.last_points),
            (&mut self.last_patches, other.last_patches),
            (&mut self.last_faces, other.last_faces),
        ] {
            *sum += part;
        }
        for (sum, part) in [
            (&mut self.friction_loss, other.friction_loss),
            (&mut self.normal_loss, other.normal_loss),
            (&mut self.dissipated, other.dissipated),
            (&mut self.other_work, other.other_work),
            (&mut self.seconds.kinematics, other.seconds.kinematics),
            (&mut self.seconds.proximity, other.seconds.proximity),
            (&mut self.seconds.assemble, other.seconds.assemble),
            (&mut self.seconds.solve, other.seconds.solve),
            (&mut self.seconds.advance, other.seconds.advance),
        ] {
            *sum += part;
        }
    }
}
