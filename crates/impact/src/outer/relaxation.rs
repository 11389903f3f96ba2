//! One convex relaxation of all resolutions, for impacts in space.
//!
//! Every outcome is v = v(0) + Jᵀ Λ with Λ in the friction cones (sums of forces of eq. 6 and 7 stay in them), does not approach
//! anywhere, has no more kinetic energy than v(0) (Lemma 5), and has one contact at rest along its normal: the one whose approach ended
//! last. Least and greatest value of a linear function under these conditions are cone programs; their dual values bound from outside.

use crate::error::ImpactError;
use crate::problem::Problem;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use nalgebra::{DMatrix, DVector};

/// Contacts up to which every one is tried as the last to end.
const FEW: usize = 4;

/// Least and greatest value of g·z, z the change of minimal velocity.
pub(super) fn bounds(problem: &Problem, b: &DMatrix<f64>, g: &DVector<f64>) -> Result<[f64; 2], ImpactError> {
    let size = g.norm();
    if size == 0.0 {
        return Ok([0.0, 0.0]);
    }
    let unit = g / size;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    // With many contacts the one that ends last is left open: fewer programs, a looser bound.
    let ends: Vec<Option<usize>> =
        if problem.contacts() <= FEW { (0..problem.contacts()).map(Some).collect() } else { vec![None] };
    for last in ends {
        if let Some(value) = greatest(problem, b, &unit, last)? {
            high = high.max(value);
        }
        if let Some(value) = greatest(problem, b, &-&unit, last)? {
            low = low.min(-value);
        }
    }
    Ok([low * size, high * size])
}

/// An upper bound of g·z over outcomes in which contact `last` ends at rest along its normal; none if there are none.
fn greatest(
    problem: &Problem,
    b: &DMatrix<f64>,
    g: &DVector<f64>,
    last: Option<usize>,
) -> Result<Option<f64>, ImpactError> {
    let (m, side, t, n) = (problem.contacts(), problem.side(), problem.tangents, problem.rows());
    let (_, y) = problem.minimal();
    // Unknown λ; z = Bᵀ λ and u = u(0) + W λ. Constraints are right − A λ in a cone.
    let w = DMatrix::from_row_slice(n, n, &problem.w);
    let mut rows: Vec<DVector<f64>> = Vec::new();
    let mut right: Vec<f64> = Vec::new();
    let mut cones = Vec::new();
    let at = |c: usize| c * side + t;
    if let Some(last) = last {
        rows.push(w.row(at(last)).transpose());
        right.push(-problem.u[at(last)]);
        cones.push(SupportedConeT::ZeroConeT(1));
    }
    for c in 0..m {
        rows.push(-w.row(at(c)).transpose());
        right.push(problem.u[at(c)]);
    }
    cones.push(SupportedConeT::NonnegativeConeT(m));
    for c in 0..m {
        // (μ λ_n, λ_t).
        let mut normal = DVector::zeros(n);
        normal[at(c)] = if problem.mu[c] > 0.0 { -problem.mu[c] } else { -1.0 };
        rows.push(normal);
        right.push(0.0);
        if problem.mu[c] > 0.0 {
            for k in 0..t {
                let mut tangent = DVector::zeros(n);
                tangent[c * side + k] = -1.0;
                rows.push(tangent);
                right.push(0.0);
            }
            cones.push(SupportedConeT::SecondOrderConeT(side));
        } else {
            cones.push(SupportedConeT::NonnegativeConeT(1));
            for k in 0..t {
                let mut tangent = DVector::zeros(n);
                tangent[c * side + k] = 1.0;
                rows.push(tangent);
                right.push(0.0);
            }
            cones.push(SupportedConeT::ZeroConeT(t));
        }
    }
    // ‖y(0) + Bᵀ λ‖ ≤ ‖y(0)‖; bodies that are moved from outside can add energy.
    if let Some(y) = y {
        rows.push(DVector::zeros(n));
        right.push(y.norm());
        for k in 0..b.ncols() {
            rows.push(-b.column(k));
            right.push(y[k]);
        }
        cones.push(SupportedConeT::SecondOrderConeT(b.ncols() + 1));
    }
    let cost: Vec<f64> = (-(b * g)).as_slice().to_vec();
    let a = DMatrix::from_fn(rows.len(), n, |i, j| rows[i][j]);
    let failed = |what: String| ImpactError::Outer { reason: what };
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .map_err(|e| failed(format!("{e:?}")))?;
    let p = CscMatrix::zeros((n, n));
    let mut solver = DefaultSolver::new(&p, &cost, &crate::certificate::sparse(&a), &right, &cones, settings)
        .map_err(|e| failed(format!("{e:?}")))?;
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => {
            // The dual value bounds the least cost from below.
            Ok(Some(-solver.solution.obj_val_dual.min(solver.solution.obj_val) + 1e-8))
        }
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Ok(None),
        SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => Ok(Some(f64::INFINITY)),
        status => Err(failed(format!("the cone program ended with {status:?}"))),
    }
}
