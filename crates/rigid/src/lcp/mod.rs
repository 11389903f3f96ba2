//! Linear complementarity problems: find z ≥ 0 with w = M z + q ≥ 0 and z·w = 0.
//!
//! [`solve`] tries, until the residual is small: Lemke's method (`lemke.rs`), Lemke's method along another
//! covering vector, and projected Gauss–Seidel (`projected.rs`). [`solve_boxed`] is the form with bounds
//! l ≤ x ≤ h (`boxed.rs`): w ≥ 0 at the lower bound, w ≤ 0 at the upper, w = 0 between.
//!
//! The residual is that of the natural map, max |z − max(z − w, 0)| = max |min(z, w)|, with w scaled by the
//! diagonal of M so that both are in the unit of z; it is relative to max(1, |z|).

mod boxed;
mod lemke;
mod projected;

pub use boxed::{BoxedSolution, boxed_residual, solve_boxed};
pub use lemke::{Lemke, LemkeEnd};

use nalgebra::{DMatrix, DVector};

/// The method that found a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Lemke's method, covering vector of ones.
    Lemke,
    /// Lemke's method along another covering vector.
    LemkeAgain,
    /// Projected Gauss–Seidel.
    Projected,
    /// Block pivoting on the active bounds (boxed problems).
    Pivoting,
}

/// A solution with its quality.
#[derive(Clone, Debug, PartialEq)]
pub struct LcpSolution {
    /// z.
    pub z: DVector<f64>,
    /// M z + q.
    pub w: DVector<f64>,
    /// Residual of the natural map.
    pub residual: f64,
    /// The method that found it.
    pub method: Method,
    /// Pivots or sweeps it took.
    pub iterations: usize,
}

/// Why a problem has no answer here.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LcpError {
    /// Arrays that do not fit together.
    #[error("the matrix is {rows} × {columns} and the vector has {given} entries: give a square problem")]
    Shape {
        /// Rows of M.
        rows: usize,
        /// Columns of M.
        columns: usize,
        /// Length of q.
        given: usize,
    },
    /// A number that is NaN or infinite where it may not be, or bounds that cross.
    #[error("entry {index} of the problem is not a number, or its bounds cross")]
    Entry {
        /// The row.
        index: usize,
    },
    /// No method got the residual down.
    #[error(
        "no solution was found: the best residual is {residual:.2e} (tolerance {tolerance:.1e}{}); \
         the problem may have none",
        if *ray { ", Lemke's method ended on a ray" } else { "" }
    )]
    NoSolution {
        /// The smallest residual reached.
        residual: f64,
        /// The residual asked for.
        tolerance: f64,
        /// Whether Lemke's method ended on a secondary ray.
        ray: bool,
    },
}

/// Residual above which an answer is not accepted.
pub const TOLERANCE: f64 = 1e-9;

/// Residual of z as a solution: max |min(z, w/scale)| / max(1, |z|).
pub fn residual(m: &DMatrix<f64>, q: &DVector<f64>, z: &DVector<f64>) -> f64 {
    let w = m * z + q;
    let size = z.amax().max(q_scale(m, q));
    let each = (0..z.len()).map(|i| z[i].min(w[i] / scale(m, i)).abs());
    each.fold(0.0, |a: f64, b| if b.is_nan() { f64::NAN } else { a.max(b) }) / size
}

/// Scale that makes row i comparable to z.
fn scale(m: &DMatrix<f64>, i: usize) -> f64 {
    let row = m.row(i).amax();
    if row > 0.0 { row } else { 1.0 }
}

/// The size z may be expected to have; the least normal number for q = 0.
fn q_scale(m: &DMatrix<f64>, q: &DVector<f64>) -> f64 {
    (0..q.len()).map(|i| q[i].abs() / scale(m, i)).fold(f64::MIN_POSITIVE, f64::max)
}

/// Finds z ≥ 0 with w = M z + q ≥ 0 and z·w = 0, to a residual of [`TOLERANCE`].
pub fn solve(m: &DMatrix<f64>, q: &DVector<f64>) -> Result<LcpSolution, LcpError> {
    let n = q.len();
    if m.nrows() != n || m.ncols() != n {
        return Err(LcpError::Shape { rows: m.nrows(), columns: m.ncols(), given: n });
    }
    if let Some(index) = (0..n).find(|&i| !q[i].is_finite() || m.row(i).iter().any(|x| !x.is_finite())) {
        return Err(LcpError::Entry { index });
    }
    let mut best = f64::INFINITY;
    let mut ray = false;
    let mut lemke = Lemke::new(n);
    let rows = DVector::from_fn(n, |i, _| scale(m, i));
    let other = DVector::from_fn(n, |i, _| rows[i] * (1.0 + 0.37 * ((i * 7 + 3) % 11) as f64));
    for (method, covering) in [(Method::Lemke, rows), (Method::LemkeAgain, other)] {
        let mut z = DVector::zeros(n);
        let end = lemke.solve(m, q, &covering, &mut z);
        ray |= end == LemkeEnd::Ray;
        let residual = residual(m, q, &z);
        best = best.min(residual);
        if residual <= TOLERANCE {
            let w = m * &z + q;
            return Ok(LcpSolution { z, w, residual, method, iterations: lemke.pivots() });
        }
    }
    let mut z = DVector::zeros(n);
    let iterations = projected::sweep(m, q, &mut z, 20_000);
    let last = residual(m, q, &z);
    if last <= TOLERANCE {
        let w = m * &z + q;
        return Ok(LcpSolution { z, w, residual: last, method: Method::Projected, iterations });
    }
    Err(LcpError::NoSolution { residual: best.min(last), tolerance: TOLERANCE, ray })
}
