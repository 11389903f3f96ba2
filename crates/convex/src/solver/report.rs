//! Reports of a solve.

use super::flops::Flops;

/// Stopping criterion of an island.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Criterion {
    /// Nothing to solve: no constraints, v = v*.
    #[default]
    Unconstrained,
    /// ‖D∇ℓ‖ ≤ ε_a + ε_r max(‖D A (v − v*)‖, ‖D Jᵀγ‖), or its rounding floor.
    Optimality,
    /// The residual no longer halves and is below its rounding level: 32 units of the last place of the impulses and
    /// momenta whose difference it is, every one taken by its magnitude ([`IslandReport::rounding`]). Stiffness has
    /// no influence. This criterion applies if the tolerance is below rounding, or if impulses cancel to less than
    /// ε_r of their magnitude, for example for a body jammed deep inside a stiff body.
    Rounding,
    /// The iteration limit was reached first.
    IterationLimit,
    /// A barrier law found no velocity inside its domain.
    Infeasible,
    /// A number became infinite or NaN.
    NonFinite,
}

impl Criterion {
    /// The velocities are the solution, to tolerance or to rounding.
    pub fn converged(self) -> bool {
        matches!(self, Self::Unconstrained | Self::Optimality | Self::Rounding)
    }

    /// Severity, for the worst criterion over islands.
    fn rank(self) -> u8 {
        match self {
            Self::Unconstrained => 0,
            Self::Optimality => 1,
            Self::Rounding => 2,
            Self::IterationLimit => 3,
            Self::Infeasible => 4,
            Self::NonFinite => 5,
        }
    }

    /// The worse of two.
    pub fn worst(self, other: Self) -> Self {
        if other.rank() > self.rank() { other } else { self }
    }
}

/// Report of one island.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IslandReport {
    /// Cliques in the island.
    pub cliques: usize,
    /// Dofs.
    pub dofs: usize,
    /// Pairs that carry constraints.
    pub pairs: usize,
    /// Contacts.
    pub contacts: usize,
    /// Newton iterations, that is, factorisations.
    pub iterations: usize,
    /// Evaluations of ℓ′ along lines.
    pub line_evaluations: usize,
    /// Stopping criterion of the solve.
    pub criterion: Criterion,
    /// ‖D∇ℓ‖ at the end.
    pub residual: f64,
    /// max(‖D A (v − v*)‖, ‖D Jᵀγ‖) at the end, the scale of the residual.
    pub scale: f64,
    /// Rounding level of the residual, if it ended the solve.
    pub rounding: Option<f64>,
    /// Pivots raised because rounding had cancelled them.
    pub raised_pivots: usize,
    /// The symbolic factorisation of the last solve was kept.
    pub symbolic_kept: bool,
    /// Blocks below the diagonal of the factor.
    pub factor_blocks: usize,
    /// Estimate of the condition number of D H D at the solution, if enabled.
    pub condition: Option<f64>,
    /// Stage times, if enabled.
    pub seconds: SolverSeconds,
    /// Operation counts, if enabled.
    pub flops: Flops,
}

impl IslandReport {
    /// Clears what a solve counts, for another one of the same island.
    pub(crate) fn start_again(&mut self) {
        let Self { iterations, line_evaluations, rounding, raised_pivots, condition, seconds, flops, .. } =
            self;
        (*iterations, *line_evaluations, *raised_pivots) = (0, 0, 0);
        (*rounding, *condition) = (None, None);
        (*seconds, *flops) = Default::default();
    }
}

/// Seconds by stage; all zero unless enabled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SolverSeconds {
    /// Compiling the problem into islands, ordering included.
    pub compile: f64,
    /// Evaluating laws and the gradient.
    pub evaluate: f64,
    /// Assembling the Hessian.
    pub assemble: f64,
    /// Factorisation.
    pub factor: f64,
    /// Substitution.
    pub substitute: f64,
    /// Line search.
    pub line_search: f64,
    /// Writing results.
    pub output: f64,
}

impl SolverSeconds {
    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.compile += other.compile;
        self.evaluate += other.evaluate;
        self.assemble += other.assemble;
        self.factor += other.factor;
        self.substitute += other.substitute;
        self.line_search += other.line_search;
        self.output += other.output;
    }

    /// Sum of all.
    pub fn total(&self) -> f64 {
        self.compile
            + self.evaluate
            + self.assemble
            + self.factor
            + self.substitute
            + self.line_search
            + self.output
    }
}

/// Report of a whole solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SolveReport {
    /// The worst criterion over the islands.
    pub criterion: Criterion,
    /// Islands with constraints.
    pub islands: usize,
    /// Largest number of Newton iterations of an island.
    pub iterations: usize,
    /// Newton iterations of all islands.
    pub total_iterations: usize,
    /// Evaluations of ℓ′ along lines, all islands.
    pub line_evaluations: usize,
    /// Worst residual relative to its scale.
    pub relative_residual: f64,
    /// Contacts.
    pub contacts: usize,
    /// Pivots raised because rounding had cancelled them.
    pub raised_pivots: usize,
    /// Islands that did not converge.
    pub unconverged_islands: usize,
    /// Stage times, if enabled.
    pub seconds: SolverSeconds,
    /// Operation counts, if enabled.
    pub flops: Flops,
}

impl SolveReport {
    /// Every island is solved, to tolerance or to rounding.
    pub fn converged(&self) -> bool {
        self.criterion.converged()
    }

    /// Adds an island's report.
    pub(crate) fn take(&mut self, island: &IslandReport) {
        self.criterion = self.criterion.worst(island.criterion);
        self.islands += 1;
        self.iterations = self.iterations.max(island.iterations);
        self.total_iterations += island.iterations;
        self.line_evaluations += island.line_evaluations;
        let relative = if island.scale > 0.0 { island.residual / island.scale } else { 0.0 };
        self.relative_residual = self.relative_residual.max(relative);
        self.contacts += island.contacts;
        self.raised_pivots += island.raised_pivots;
        self.unconverged_islands += usize::from(!island.criterion.converged());
        self.seconds.add(&island.seconds);
        self.flops.add(&island.flops);
    }
}
