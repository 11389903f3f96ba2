//! The boxed form: l ≤ x ≤ h and w = A x + b with w ≥ 0 at l, w ≤ 0 at h, w = 0 between.
//!
//! First block pivoting on the active bounds (Júdice and Pires): guess which variables stand at a bound, solve
//! for the others, move all that do not fit; one at a time (Murty's rule, least index) when the number of
//! misfits stops falling. It ends for P matrices. Where it does not, Lemke's method solves the problem with the
//! bounds written as multipliers, and projected Gauss–Seidel is the last resort.

use super::{LcpError, Lemke, LemkeEnd, Method, TOLERANCE, scale};
use nalgebra::{DMatrix, DVector};

/// A solution of a boxed problem with its quality.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxedSolution {
    /// x.
    pub x: DVector<f64>,
    /// A x + b.
    pub w: DVector<f64>,
    /// Residual of the natural map x − clamp(x − w, l, h), relative.
    pub residual: f64,
    /// The method that found it.
    pub method: Method,
}

/// Residual of x: max |x − clamp(x − w, l, h)|, w scaled by the rows of A, relative to the size of x.
pub fn boxed_residual(
    a: &DMatrix<f64>,
    b: &DVector<f64>,
    bounds: (&DVector<f64>, &DVector<f64>),
    x: &DVector<f64>,
) -> f64 {
    let w = a * x + b;
    let size = (0..b.len()).map(|i| b[i].abs() / scale(a, i)).fold(f64::MIN_POSITIVE, f64::max).max(x.amax());
    let each =
        (0..x.len()).map(|i| (x[i] - (x[i] - w[i] / scale(a, i)).clamp(bounds.0[i], bounds.1[i])).abs());
    each.fold(0.0, |a: f64, b| if b.is_nan() { f64::NAN } else { a.max(b) }) / size
}

/// Solves the boxed problem to a residual of [`TOLERANCE`]. Bounds may be infinite.
pub fn solve_boxed(
    a: &DMatrix<f64>,
    b: &DVector<f64>,
    low: &DVector<f64>,
    high: &DVector<f64>,
) -> Result<BoxedSolution, LcpError> {
    let n = b.len();
    if a.nrows() != n || a.ncols() != n || low.len() != n || high.len() != n {
        return Err(LcpError::Shape { rows: a.nrows(), columns: a.ncols(), given: n });
    }
    let bad = |i: usize| {
        !b[i].is_finite()
            || a.row(i).iter().any(|x| !x.is_finite())
            || low[i].is_nan()
            || high[i].is_nan()
            || low[i] > high[i]
            || low[i] == f64::INFINITY
            || high[i] == f64::NEG_INFINITY
    };
    if let Some(index) = (0..n).find(|&i| bad(i)) {
        return Err(LcpError::Entry { index });
    }
    let (mut best, mut ray) = (f64::INFINITY, false);
    let attempts: [(Method, Attempt); 3] = [
        (Method::Pivoting, |p| (p.pivot(), false)),
        (Method::Lemke, |p| p.lemke()),
        (Method::Projected, |p| (p.project(), false)),
    ];
    let problem = Boxed { a, b, low, high };
    for (method, attempt) in attempts {
        let (x, on_ray) = attempt(&problem);
        ray |= on_ray;
        let residual = boxed_residual(a, b, (low, high), &x);
        if residual <= TOLERANCE {
            let w = a * &x + b;
            return Ok(BoxedSolution { x, w, residual, method });
        }
        best = best.min(residual);
    }
    Err(LcpError::NoSolution { residual: best, tolerance: TOLERANCE, ray })
}

/// A method: its x, and whether it ended on a ray.
type Attempt = fn(&Boxed) -> (DVector<f64>, bool);

struct Boxed<'a> {
    a: &'a DMatrix<f64>,
    b: &'a DVector<f64>,
    low: &'a DVector<f64>,
    high: &'a DVector<f64>,
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    Low,
    Inside,
    High,
}

impl Boxed<'_> {
    fn pivot(&self) -> DVector<f64> {
        let n = self.b.len();
        let mut at: Vec<At> = (0..n)
            .map(|i| match (self.low[i].is_finite(), self.high[i].is_finite()) {
                (true, _) => At::Low,
                (false, true) => At::High,
                (false, false) => At::Inside,
            })
            .collect();
        let (mut fewest, mut patience) = (n + 1, 10);
        let mut x = DVector::zeros(n);
        for _ in 0..50 + 20 * n {
            let Some(solved) = self.solve_inside(&at) else { return x };
            x = solved;
            let w = self.a * &x + self.b;
            let slack = 1e-12 * x.amax().max(f64::MIN_POSITIVE);
            let misfit = |i: usize| match at[i] {
                At::Low if w[i] / scale(self.a, i) < -slack && self.low[i] < self.high[i] => Some(At::Inside),
                At::High if w[i] / scale(self.a, i) > slack && self.low[i] < self.high[i] => Some(At::Inside),
                At::Inside if x[i] < self.low[i] - slack => Some(At::Low),
                At::Inside if x[i] > self.high[i] + slack => Some(At::High),
                _ => None,
            };
            let moves: Vec<(usize, At)> = (0..n).filter_map(|i| misfit(i).map(|to| (i, to))).collect();
            if moves.is_empty() {
                break;
            }
            if moves.len() < fewest {
                (fewest, patience) = (moves.len(), 10);
            } else {
                patience -= i32::from(patience > 0);
            }
            let taken = if patience > 0 { &moves[..] } else { &moves[..1] };
            for &(i, to) in taken {
                at[i] = to;
            }
        }
        x
    }

    /// Variables at bounds there, the others from their rows.
    fn solve_inside(&self, at: &[At]) -> Option<DVector<f64>> {
        let inside: Vec<usize> = (0..at.len()).filter(|&i| at[i] == At::Inside).collect();
        let mut x = DVector::from_fn(at.len(), |i, _| match at[i] {
            At::Low => self.low[i],
            At::High => self.high[i],
            At::Inside => 0.0,
        });
        if !inside.is_empty() {
            let w = self.a * &x + self.b;
            let block = self.a.select_rows(&inside).select_columns(&inside);
            let right = DVector::from_iterator(inside.len(), inside.iter().map(|&i| -w[i]));
            let values = block.lu().solve(&right)?;
            for (k, &i) in inside.iter().enumerate() {
                x[i] = values[k];
            }
        }
        Some(x)
    }

    /// Each variable from its finite bound on, y ≥ 0, with a multiplier for the other bound; free variables as
    /// a difference of two.
    fn lemke(&self) -> (DVector<f64>, bool) {
        let n = self.b.len();
        // Columns: x = origin + Σ sign · y.
        let mut columns: Vec<(usize, f64)> = Vec::new();
        let mut capped: Vec<(usize, f64)> = Vec::new();
        let mut origin = DVector::zeros(n);
        for i in 0..n {
            match (self.low[i].is_finite(), self.high[i].is_finite()) {
                (true, both) => {
                    origin[i] = self.low[i];
                    if both {
                        capped.push((columns.len(), self.high[i] - self.low[i]));
                    }
                    columns.push((i, 1.0));
                }
                (false, true) => {
                    origin[i] = self.high[i];
                    columns.push((i, -1.0));
                }
                (false, false) => columns.extend([(i, 1.0), (i, -1.0)]),
            }
        }
        let (k, size) = (columns.len(), columns.len() + capped.len());
        let w = self.a * &origin + self.b;
        let mut m = DMatrix::zeros(size, size);
        let mut q = DVector::zeros(size);
        for (r, &(i, s)) in columns.iter().enumerate() {
            q[r] = s * w[i];
            for (c, &(j, t)) in columns.iter().enumerate() {
                m[(r, c)] = s * t * self.a[(i, j)];
            }
        }
        for (r, &(column, room)) in capped.iter().enumerate() {
            q[k + r] = room;
            m[(k + r, column)] = -1.0;
            m[(column, k + r)] = 1.0;
        }
        let mut z = DVector::zeros(size);
        let covering = DVector::from_fn(size, |i, _| scale(&m, i));
        let end = Lemke::new(size).solve(&m, &q, &covering, &mut z);
        let mut x = origin;
        for (c, &(i, s)) in columns.iter().enumerate() {
            x[i] += s * z[c];
        }
        for i in 0..n {
            x[i] = x[i].clamp(self.low[i], self.high[i]);
        }
        (x, end == LemkeEnd::Ray)
    }

    fn project(&self) -> DVector<f64> {
        let n = self.b.len();
        let mut x = DVector::from_fn(n, |i, _| 0.0f64.clamp(self.low[i], self.high[i]));
        let mut w = self.a * &x + self.b;
        for _ in 0..20_000 {
            let mut moved: f64 = 0.0;
            for i in 0..n {
                let d = self.a[(i, i)];
                if d <= 0.0 {
                    continue;
                }
                let change = (x[i] - w[i] / d).clamp(self.low[i], self.high[i]) - x[i];
                if change != 0.0 {
                    x[i] += change;
                    w.axpy(change, &self.a.column(i), 1.0);
                    moved = moved.max(change.abs());
                }
            }
            if moved <= 1e-15 * x.amax() {
                break;
            }
        }
        x
    }
}
