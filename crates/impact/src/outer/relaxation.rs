//! Convex relaxations of all resolutions, one for each order in which contacts end.
//!
//! Every outcome is v = v(0) + Jᵀ Λ with Λ in the friction cones (sums of forces of eq. 6 and 7 stay in them), does not approach
//! anywhere, and has no more kinetic energy than v(0) (Lemma 5). A contact last has u_n ≤ 0 at some instant; there u_n = 0, and after it the contact
//! does not act (eq. 6) and stays apart. Up to four contacts every order of these instants is tried: the impulse then comes in stages, each
//! without the contacts that have ended. A contact that does not touch before may also never act. Least and greatest value of a linear function
//! under these conditions are cone programs; their dual values bound from outside.

use crate::error::ImpactError;
use crate::problem::Problem;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use nalgebra::{DMatrix, DVector};

/// Contacts up to which every order is tried.
const FEW: usize = 4;

/// Least and greatest value of g·z, z the change of minimal velocity.
pub(super) fn bounds(problem: &Problem, b: &DMatrix<f64>, g: &DVector<f64>) -> Result<[f64; 2], ImpactError> {
    let size = g.norm();
    if size == 0.0 {
        return Ok([0.0, 0.0]);
    }
    let unit = g / size;
    let m = problem.contacts();
    // With many contacts the order is left open: fewer programs, a looser bound.
    let orders =
        if m <= FEW { orders(problem) } else { vec![Order { ends: vec![], rest: (0..m).collect() }] };
    let (_, y) = problem.minimal();
    let side = |g: &DVector<f64>| -> Result<f64, ImpactError> {
        let mut most = f64::NEG_INFINITY;
        for order in &orders {
            most = greatest(problem, b, y.as_ref(), g, order)?.map_or(most, |value| most.max(value));
        }
        // Energy alone bounds what the programs cannot.
        let energy = y.as_ref().map_or(f64::INFINITY, |y| y.norm() - g.dot(y) + 1e-8);
        Ok(if most.is_finite() { most.min(energy) } else { energy })
    };
    Ok([-side(&-&unit)? * size, side(&unit)? * size])
}

/// The course of a resolution: contacts in the order in which they end, and contacts of which nothing is said.
#[derive(Clone)]
struct Order {
    ends: Vec<usize>,
    rest: Vec<usize>,
}

/// Every order of every set of contacts that holds all that touch or approach before.
fn orders(problem: &Problem) -> Vec<Order> {
    let m = problem.contacts();
    let must = |c: usize| problem.normal(&problem.u, c) <= 0.0;
    let (mut open, mut done): (Vec<Vec<usize>>, Vec<Order>) = (vec![vec![]], vec![]);
    while let Some(ends) = open.pop() {
        if (0..m).all(|c| ends.contains(&c) || !must(c)) {
            done.push(Order { ends: ends.clone(), rest: vec![] });
        }
        for c in (0..m).filter(|c| !ends.contains(c)) {
            open.push(ends.iter().copied().chain([c]).collect());
        }
    }
    done
}

/// The cone program under construction: right − A x in a product of cones.
struct Program {
    unknowns: usize,
    rows: Vec<DVector<f64>>,
    right: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

impl Program {
    /// These values, each a·x + constant, lie in a cone.
    fn lie(&mut self, cone: SupportedConeT<f64>, values: Vec<(DVector<f64>, f64)>) {
        for (a, constant) in values {
            self.rows.push(-a);
            self.right.push(constant);
        }
        self.cones.push(cone);
    }

    fn unit(&self, k: usize) -> DVector<f64> {
        let mut e = DVector::zeros(self.unknowns);
        e[k] = 1.0;
        e
    }
}

/// An upper bound of g·z over outcomes of an order; none if there are none.
fn greatest(
    problem: &Problem,
    b: &DMatrix<f64>,
    y: Option<&DVector<f64>>,
    g: &DVector<f64>,
    order: &Order,
) -> Result<Option<f64>, ImpactError> {
    let (m, side, t, n) = (problem.contacts(), problem.side(), problem.tangents, problem.rows());
    // The unknowns are the impulses of each stage on the contacts that act in it.
    let stages: Vec<Vec<usize>> = if order.ends.is_empty() {
        vec![order.rest.clone()]
    } else {
        (0..order.ends.len()).map(|k| order.ends[k..].to_vec()).collect()
    };
    let unknowns = side * stages.iter().map(Vec::len).sum::<usize>();
    let mut program = Program { unknowns, rows: vec![], right: vec![], cones: vec![] };
    // Row k of [W or Bᵀ] as a function of all unknowns up to the end of a stage.
    let mut so_far: Vec<(usize, usize)> = Vec::new();
    let gather = |row: &dyn Fn(usize) -> f64, so_far: &[(usize, usize)]| {
        let mut a = DVector::zeros(unknowns);
        for &(unknown, place) in so_far {
            a[unknown] = row(place);
        }
        a
    };
    for (stage, acting) in stages.iter().enumerate() {
        for &c in acting {
            let first = so_far.len();
            so_far.extend((0..side).map(|k| (first + k, c * side + k)));
            let part = |k: usize| program.unit(first + k);
            let tangents: Vec<_> = (0..t).map(|k| (part(k), 0.0)).collect();
            let mu = problem.mu[c];
            if mu > 0.0 {
                let values = [(part(t) * mu, 0.0)].into_iter().chain(tangents).collect();
                program.lie(SupportedConeT::SecondOrderConeT(side), values);
            } else {
                let normal = (part(t), 0.0);
                program.lie(SupportedConeT::NonnegativeConeT(1), vec![normal]);
                program.lie(SupportedConeT::ZeroConeT(t), tangents);
            }
        }
        let normal = |c: usize| {
            let k = c * side + t;
            (gather(&|place| problem.w[k * n + place], &so_far), problem.u[k])
        };
        let end = order.ends.get(stage);
        if let Some(&end) = end {
            program.lie(SupportedConeT::ZeroConeT(1), vec![normal(end)]);
        }
        // Contacts that have ended, or never act, are apart; at the end all are.
        let last = stage + 1 == stages.len();
        let apart: Vec<_> =
            (0..m).filter(|c| end != Some(c) && (last || !acting.contains(c))).map(normal).collect();
        if !apart.is_empty() {
            program.lie(SupportedConeT::NonnegativeConeT(apart.len()), apart);
        }
        // ‖y(0) + Bᵀ Λ‖ ≤ ‖y(0)‖; bodies that are moved from outside can add energy.
        if let Some(y) = y {
            let mut values = vec![(DVector::zeros(unknowns), y.norm())];
            values.extend((0..b.ncols()).map(|k| (gather(&|place| b[(place, k)], &so_far), y[k])));
            program.lie(SupportedConeT::SecondOrderConeT(b.ncols() + 1), values);
        }
    }
    let along = b * g;
    let cost: Vec<f64> = (-gather(&|place| along[place], &so_far)).as_slice().to_vec();
    solve(&program, &cost)
}

/// The greatest value of −cost·x, from above; none if nothing fulfils the conditions.
fn solve(program: &Program, cost: &[f64]) -> Result<Option<f64>, ImpactError> {
    let (Program { unknowns: n, rows, right, cones }, failed) =
        (program, |what: String| ImpactError::Outer { reason: what });
    let a = DMatrix::from_fn(rows.len(), *n, |i, j| rows[i][j]);
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-10)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .map_err(|e| failed(format!("{e:?}")))?;
    let p = CscMatrix::zeros((*n, *n));
    let mut solver = DefaultSolver::new(&p, cost, &crate::certificate::sparse(&a), right, cones, settings)
        .map_err(|e| failed(format!("{e:?}")))?;
    solver.solve();
    match solver.solution.status {
        status @ (SolverStatus::Solved | SolverStatus::AlmostSolved) => {
            // The dual value bounds the least cost from below. Almost solved is within 5e-5.
            let slack = if status == SolverStatus::Solved { 1e-8 } else { 1e-4 };
            Ok(Some(-solver.solution.obj_val_dual.min(solver.solution.obj_val) + slack))
        }
        SolverStatus::PrimalInfeasible => Ok(None),
        // Not solved to the digits asked for: it bounds nothing.
        _ => Ok(Some(f64::INFINITY)),
    }
}
