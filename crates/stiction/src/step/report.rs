//! Report of one step.

use crate::simulation::stats::StageSeconds;
use crate::step::assemble::EqualityError;
use stiction_convex::{Criterion, SolveReport};

/// Report of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Whether the solve reached its tolerance or the rounding level.
    pub converged: bool,
    /// Stopping criterion of the solve.
    pub criterion: Criterion,
    /// Newton iterations of the island with the most iterations, summed over the solves of the step.
    pub iterations: u64,
    /// Residual of the optimality condition relative to its scale.
    pub relative_residual: f64,
    /// Evaluations of the cost's slope in line searches.
    pub line_search_evaluations: u64,
    /// Groups of bodies coupled by constraints.
    pub islands: u64,
    /// Contact points.
    pub points: u64,
    /// Contact patches.
    pub patches: u64,
    /// Faces of contact patches.
    pub faces: u64,
    /// Unreliable patches: see [`crate::Simulation::warnings`].
    pub doubtful_patches: u64,
    /// Solves repeated because the normal impulse of a contact was not the one that limited its friction.
    pub friction_passes: u64,
    /// Contact points whose travel over a turning body was corrected for: see the documentation of contact.
    pub travelling: u64,
    /// Largest turn of one body relative to another over the step, of those contacts, rad.
    pub max_turn: f64,
    /// Impacts of contact points with restitution, those that travel through several bodies counted one by one.
    pub impacts: u64,
    /// Speculative contacts that acted: bodies that would have passed through each other within the step.
    pub speculative: u64,
    /// Trees of bodies that moved less far than their velocities say, because nothing else kept them from passing through others.
    pub held_back: u64,
    /// Pairs of geoms that may have passed through each other: prescribed motions cannot be held back.
    pub passed: u64,
    /// Contacts that pushed with less than their stiffness, since the step cannot hold it: see
    /// [`crate::Options::limit_stiffness`].
    pub capped: u64,
    /// Pairs of geoms whose contact points began the step deeper than the last one had pushed them: bodies that met within it, or
    /// turned far (steps of fixed length only).
    pub found: u64,
    /// How much deeper the deepest of these was, m.
    pub max_found: f64,
    /// Largest distance between the points of a connection, weld or distance constraint and where they should be, at the
    /// beginning of the step, m.
    pub max_gap: f64,
    /// Largest angle between the frames of a weld, at the beginning of the step, rad.
    pub max_angle: f64,
    /// Near-rigid equalities between bodies with a larger error than one step makes: targets out of reach, constraints
    /// that contradict each other, or loops that have not closed yet. See [`crate::Simulation::warnings`].
    pub missed_equalities: u64,
    /// Largest penetration at the beginning of the step, m.
    pub max_penetration: f64,
    /// Energy dissipated by friction in this step, J.
    pub friction_loss: f64,
    /// Energy absorbed by normal forces in this step, J: dissipated, or stored in contact springs.
    pub normal_loss: f64,
    /// Energy dissipated by contact in this step, J; continuous time only (see [`crate::Stats`]).
    pub dissipated: f64,
    /// Work of all forces except contact, gravity and joint springs in this step, J; continuous time only.
    pub other_work: f64,
    /// Energy that constraints created in this step without a cause, J: the solve converged, and its problem was wrong. 0 in a sound
    /// step. See [`crate::Simulation::warnings`].
    pub created: f64,
    /// Length of the step, s.
    pub step: f64,
    /// Attempts rejected by error control before this step.
    pub rejected: u64,
    /// Seconds by stage.
    pub seconds: StageSeconds,
}

impl StepReport {
    /// Takes the errors of the equalities.
    pub(crate) fn take_equalities(&mut self, errors: &[EqualityError]) {
        self.max_gap = errors.iter().fold(0.0, |most, e| most.max(e.gap));
        self.max_angle = errors.iter().fold(0.0, |most, e| most.max(e.angle));
        self.missed_equalities = errors.iter().filter(|e| e.missed).count() as u64;
    }

    /// Adds the report of a solve: counts are summed, and the worst criterion is kept.
    pub(crate) fn take(&mut self, solve: &SolveReport) {
        self.criterion = self.criterion.worst(solve.criterion);
        self.converged = self.criterion.converged();
        self.iterations += solve.iterations as u64;
        self.relative_residual = self.relative_residual.max(solve.relative_residual);
        self.line_search_evaluations += solve.line_evaluations as u64;
        self.islands = solve.islands as u64;
    }
}
